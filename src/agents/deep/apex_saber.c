/* The learner's part of the SABER paper's layout: batches out of records. See apex_saber.h.
 *
 * The records of a sample, `stack` - 1 before its step and n behind it, are read into frames that follow one another.
 * State and next state are pointers into them. */
#include "agents/deep/apex_saber.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/random.h"

/* What was read of one record, without its frame. */
typedef struct saber_step {
  bool there, first, terminal;
  int action;
  float reward;
} saber_step;

struct saber {
  deep_source base;
  saber_shape shape;
  int batch, samples, length;
  replay_batch *batches[SABER_BATCHES];
  int next; /* the first that was not used; SABER_BATCHES: none is left */
  uint64_t seed, draws;
  double highest;
  /* of the samples that are drawn together */
  double *points, *found;
  int64_t *records;
  saber_place *places;
  bool *good;
  int *order;
  saber_step *steps; /* [samples][length] */
  uint8_t *frames;   /* [samples][length][pixels] */
  uint8_t *zeros;    /* a state */
  /* to be written */
  saber_place *set;
  double *priorities;
  int set_count;
};

static size_t pixels(const saber_shape *h) {
  return (size_t)h->form.width * (size_t)h->form.height;
}

saber_shape saber_shape_of(const deep *d, const apex_form *form, int64_t memory) {
  saber_shape h = {.form = *form,
                   .room = memory / form->actors,
                   .leaves = 1,
                   .stack = DEEP_STACK,
                   .n = (int)d->o.n,
                   .gamma = d->o.gamma};
  while (h.leaves < h.room * form->actors) h.leaves *= 2;
  return h;
}

apex_form saber_block_form(const apex_form *form) {
  apex_form without = *form;
  without.width = without.height = 0;
  return without;
}

int64_t saber_record(const saber_shape *h, saber_place p) {
  return p.actor * h->room + p.step % h->room;
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* The step whose record this is, or the nearest one that has its n successors; false if the actor has none. */
static bool place_of(const saber *s, int64_t record, const int64_t *low, const int64_t *high,
                     saber_place *out) {
  const saber_shape *h = &s->shape;
  const int actor = (int)(record / h->room);
  if (actor >= h->form.actors) return false;
  const int64_t newest = high[actor] - 1, last = newest - h->n;
  if (last < low[actor]) return false;
  int64_t behind = newest % h->room - record % h->room;
  int64_t step = newest - (behind < 0 ? behind + h->room : behind);
  if (step > last) step = last;
  if (step < low[actor]) step = low[actor];
  *out = (saber_place){actor, step};
  return true;
}

static void take_row(void *context, int place, int position, const saber_row *row) {
  saber *s = context;
  const size_t at = (size_t)place * (size_t)s->length + (size_t)position, size = pixels(&s->shape);
  s->steps[at] = (saber_step){0};
  if (!row) return;
  s->steps[at] = (saber_step){true, row->first, row->terminal, row->action, row->reward};
  memcpy(s->frames + at * size, row->frame, size);
}

/* Sample i as number k of a batch. False if records of it are missing, or its episode was cut off. */
static bool make_sample(saber *s, int i, replay_batch *b, int k) {
  const saber_shape *h = &s->shape;
  const saber_step *steps = s->steps + (size_t)i * (size_t)s->length;
  uint8_t *frames = s->frames + (size_t)i * (size_t)s->length * pixels(h);
  const int own = h->stack - 1; /* position of the step itself */
  int begin = own;
  while (begin > 0 && steps[begin].there && !steps[begin].first) begin--;
  for (int p = begin; p <= own; p++) {
    if (!steps[p].there) return false;
  }
  double sum = 0, power = 1;
  bool ends = false;
  for (int p = own; p < own + h->n && !ends; p++, power *= h->gamma) {
    if (!steps[p].there) return false;
    sum += power * (double)steps[p].reward;
    ends = steps[p].terminal;
    if (!ends && (!steps[p + 1].there || steps[p + 1].first)) return false;
  }
  memset(frames, 0, (size_t)begin * pixels(h));
  b->states[k] = frames;
  b->next_states[k] = ends ? s->zeros : frames + (size_t)h->n * pixels(h);
  b->actions[k] = steps[own].action;
  b->rewards[k] = (float)sum;
  b->discounts[k] = ends ? 0 : (float)power;
  b->steps[k] = i;
  return true;
}

/* The samples in an order that has nothing to do with their places in the tree. */
static void shuffle(saber *s) {
  for (int i = 0; i < s->samples; i++) s->order[i] = i;
  for (int i = s->samples - 1; i > 0; i--) {
    uint64_t bits = random_at(s->seed, 2 * s->draws + 1, (uint64_t)i);
    int other = (int)((bits >> 32) * (uint64_t)(i + 1) >> 32), own = s->order[i];
    s->order[i] = s->order[other];
    s->order[other] = own;
  }
}

/* Divide the samples among the batches. One that cannot be used is replaced by the next that can. */
static bool deal(saber *s, double total) {
  int at = 0, tried = 0;
  shuffle(s);
  for (int i = 0; i < s->samples; i++) {
    replay_batch *b = s->batches[i / s->batch];
    const int k = i % s->batch;
    for (tried = 0; tried < s->samples; tried++) {
      const int sample = s->order[at];
      at = (at + 1) % s->samples;
      if (!s->good[sample] || !make_sample(s, sample, b, k)) continue;
      b->probabilities[k] = s->found[sample] / total;
      break;
    }
    if (tried == s->samples) return false;
    b->count = s->batch;
  }
  return true;
}

bool saber_ready(const saber *s) { return s->next < SABER_BATCHES; }

void saber_forget(saber *s) {
  s->next = SABER_BATCHES;
  s->set_count = 0;
}

apex_result saber_fill(saber *s, apex_store *store, const int64_t *low, const int64_t *high,
                       sixer_error *error) {
  const saber_class *class = store->class->saber;
  const saber_shape *h = &s->shape;
  apex_result result = APEX_OK;
  if (s->set_count)
    result = class->set(store, h, s->set, s->priorities, s->set_count, s->highest, error);
  if (result != APEX_OK) return result;
  s->set_count = 0;
  double total;
  for (int i = 0; i < s->samples; i++) {
    double unit = random_unit(random_at(s->seed, 2 * s->draws, (uint64_t)i));
    s->points[i] = ((double)i + unit) / s->samples;
  }
  result = class->find(store, h, s->points, s->samples, s->records, s->found, &total, error);
  if (result != APEX_OK) return result;
  for (int i = 0; i < s->samples; i++) {
    s->places[i] = (saber_place){0, 0};
    s->good[i] = s->found[i] > 0 && place_of(s, s->records[i], low, high, &s->places[i]);
    s->places[i].step -= h->stack - 1; /* the first record of the window */
  }
  result = class->read(store, h, s->places, s->samples, s->length, take_row, s, error);
  if (result != APEX_OK) return result;
  for (int i = 0; i < s->samples; i++) s->places[i].step += h->stack - 1;
  if (!deal(s, total)) return APEX_ABSENT;
  s->draws++;
  s->next = 0;
  return APEX_OK;
}

/* ---- The source of batches ------------------------------------------------------------------------------------- */

/* The batch that was used before takes the place of the one that is given away. */
static bool source_draw(deep_source *source, replay_batch **batch) {
  saber *s = (saber *)source;
  if (!saber_ready(s)) return false;
  replay_batch *used = *batch;
  *batch = s->batches[s->next];
  s->batches[s->next++] = used;
  return true;
}

/* Later ones replace those of the same step. */
static void source_set(deep_source *source, const replay_batch *b, const double *priorities) {
  saber *s = (saber *)source;
  for (int k = 0; k < b->count; k++) {
    const saber_place place = s->places[b->steps[k]];
    int at = 0;
    while (at < s->set_count &&
           saber_record(&s->shape, s->set[at]) != saber_record(&s->shape, place))
      at++;
    s->set[at] = place;
    s->priorities[at] = priorities[k];
    if (at == s->set_count) s->set_count++;
    if (priorities[k] > s->highest) s->highest = priorities[k];
  }
}

deep_source *saber_source(saber *s) { return &s->base; }

saber *saber_create(const saber_shape *shape, const replay *r, int batch, uint64_t seed) {
  saber *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->base = (deep_source){source_draw, source_set};
  s->shape = *shape;
  s->batch = batch;
  s->samples = batch * SABER_BATCHES;
  s->length = shape->stack + shape->n;
  s->next = SABER_BATCHES;
  s->seed = seed;
  s->highest = 1;
  const size_t samples = (size_t)s->samples, rows = samples * (size_t)s->length;
  s->points = calloc(samples, sizeof *s->points);
  s->found = calloc(samples, sizeof *s->found);
  s->records = calloc(samples, sizeof *s->records);
  s->places = calloc(samples, sizeof *s->places);
  s->good = calloc(samples, sizeof *s->good);
  s->order = calloc(samples, sizeof *s->order);
  s->set = calloc(samples, sizeof *s->set);
  s->priorities = calloc(samples, sizeof *s->priorities);
  s->steps = calloc(rows, sizeof *s->steps);
  s->frames = calloc(rows, pixels(shape));
  s->zeros = calloc((size_t)shape->stack, pixels(shape));
  bool made = s->points && s->found && s->records && s->places && s->good && s->order && s->set &&
              s->priorities && s->steps && s->frames && s->zeros;
  for (int i = 0; i < SABER_BATCHES && made; i++)
    made = (s->batches[i] = replay_batch_create(r, batch)) != NULL;
  if (made) return s;
  saber_destroy(s);
  return NULL;
}

void saber_destroy(saber *s) {
  if (!s) return;
  for (int i = 0; i < SABER_BATCHES; i++) replay_batch_destroy(s->batches[i]);
  free(s->points);
  free(s->found);
  free(s->records);
  free(s->places);
  free(s->good);
  free(s->order);
  free(s->set);
  free(s->priorities);
  free(s->steps);
  free(s->frames);
  free(s->zeros);
  free(s);
}
