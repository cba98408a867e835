/* See replay.h. A slice is a ring: its frames are in a frame_store; everything else of its step t is at t % room of a
 * few arrays. One tree holds the priorities of all slices, one behind the other. The number of a step that callers see
 * is t * slices + slice. */
#include "agents/deep/replay.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/frame_store.h"
#include "agents/deep/spans.h"
#include "agents/deep/sum_tree.h"
#include "util/error.h"
#include "util/os_memory.h"
#include "util/random.h"

enum {
  LAYOUT = 2, /* of the saved form */
  FIRST = 1,  /* flags of a step */
  TERMINAL = 2,
  ATTEMPTS = 100,        /* draws of a batch before the nearest allowed steps are taken */
  BYTES_PER_STEP = 2000, /* of frames, unless settings say otherwise */
};
#define CAPACITY_MAX ((int64_t)1 << 32)
#define STEPS_MAX    ((int64_t)1 << 56)

typedef struct slice {
  frame_store frames;
  float *rewards;
  uint8_t *actions, *flags;
  int64_t added, oldest, early;
  int64_t leaf; /* of the tree: where its priorities begin */
} slice;

struct replay {
  replay_settings settings;
  int slices;
  int64_t room; /* steps of a slice */
  slice *slice;
  sum_tree priorities;
  double highest;                 /* priority that was ever set */
  double power[REPLAY_N_MAX + 1]; /* of gamma */
};

replay_settings replay_settings_default(void) {
  return (replay_settings){.capacity = 1000000,
                           .width = 84,
                           .height = 84,
                           .stack = 4,
                           .actions = SIXER_ACTION_COUNT,
                           .n = 1,
                           .gamma = 0.99,
                           .slices = 1};
}

static sixer_err check_settings(const replay_settings *s, sixer_error *error) {
  if (s->width < 1 || s->width > SPANS_SIDE_MAX || s->height < 1 || s->height > SPANS_SIDE_MAX ||
      s->width * s->height > SPANS_SIZE_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "frames of %d x %d pixels cannot be replayed: a side has 1 to %d, and all "
                      "together are at most %d",
                      s->width, s->height, SPANS_SIDE_MAX, SPANS_SIZE_MAX);
  if (s->stack < 1 || s->stack > REPLAY_STACK_MAX || s->n < 1 || s->n > REPLAY_N_MAX)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "a replay stacks 1 to %d frames and looks 1 to %d steps ahead, found %d and %d",
        REPLAY_STACK_MAX, REPLAY_N_MAX, s->stack, s->n);
  if (s->slices < 1 || s->slices > REPLAY_SLICES_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a replay has 1 to %d slices, found %d",
                      REPLAY_SLICES_MAX, s->slices);
  if (s->capacity / s->slices < s->stack + s->n || s->capacity > CAPACITY_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a replay of %lld steps is impossible: with %d stacked frames and %d steps "
                      "ahead it has %d to %lld",
                      (long long)s->capacity, s->stack, s->n, (s->stack + s->n) * s->slices,
                      (long long)CAPACITY_MAX);
  if (s->actions < 1 || s->actions > 256 || !(s->gamma >= 0 && s->gamma <= 1))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a replay has 1 to 256 actions and a discount of 0 to 1, found %d and %g",
                      s->actions, s->gamma);
  size_t least = frame_store_least(s->width, s->height);
  if (s->frame_bytes && s->frame_bytes < least)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%zu bytes for the frames of a replay are too few: %zu are the least",
                      s->frame_bytes, least);
  return SIXER_OK;
}

static int64_t room_of(const replay_settings *s) { return s->capacity / s->slices; }

/* The bound on compressed frames of a slice. */
static uint64_t frame_limit(const replay_settings *s) {
  uint64_t most = frame_store_most(s->width, s->height, room_of(s));
  uint64_t least = frame_store_least(s->width, s->height);
  uint64_t limit =
      s->frame_bytes ? s->frame_bytes / (size_t)s->slices : (uint64_t)room_of(s) * BYTES_PER_STEP;
  if (limit > most) limit = most;
  return limit < least ? least : limit;
}

enum { STEP_BYTES = sizeof(float) + 2 /* reward, action, flags */ };

/* In 64 bits, also where addresses have 32. */
uint64_t replay_needed(const replay_settings *s) {
  return (uint64_t)s->slices * frame_store_needed(s->width, s->height, room_of(s), frame_limit(s)) +
         (uint64_t)s->capacity * STEP_BYTES + (s->prioritized ? sum_tree_size(s->capacity) : 0);
}

static sixer_err too_little(const replay_settings *s, uint64_t there, sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY,
                    "a replay of %lld steps may take %.2f GB, and %.2f GB of memory are free: "
                    "choose fewer steps, or fewer bytes for their frames",
                    (long long)s->capacity, (double)replay_needed(s) * 1e-9, (double)there * 1e-9);
}

static bool make_slice(replay *r, int index) {
  const replay_settings *s = &r->settings;
  slice *l = &r->slice[index];
  l->leaf = index * r->room;
  l->rewards = calloc((size_t)r->room, sizeof *l->rewards);
  l->actions = calloc((size_t)r->room, 1);
  l->flags = calloc((size_t)r->room, 1);
  return l->rewards && l->actions && l->flags &&
         frame_store_create(&l->frames, s->width, s->height, r->room, (size_t)frame_limit(s));
}

sixer_err replay_create(const replay_settings *settings, replay **out, sixer_error *error) {
  sixer_err err = check_settings(settings, error);
  if (err) return err;
  uint64_t there = os_memory_available();
  if (replay_needed(settings) > there) return too_little(settings, there, error);
  replay *r = calloc(1, sizeof *r);
  if (!r) return too_little(settings, there, error);
  r->settings = *settings;
  r->room = room_of(settings);
  r->slice = calloc((size_t)settings->slices, sizeof *r->slice);
  bool made = r->slice != NULL;
  if (made) r->slices = settings->slices;
  for (int i = 0; i < r->slices && made; i++) made = make_slice(r, i);
  if (made && settings->prioritized) made = sum_tree_create(&r->priorities, settings->capacity);
  if (!made) {
    replay_destroy(r);
    return too_little(settings, there, error);
  }
  r->highest = 1;
  r->power[0] = 1;
  for (int k = 1; k <= REPLAY_N_MAX; k++) r->power[k] = r->power[k - 1] * settings->gamma;
  *out = r;
  return SIXER_OK;
}

void replay_destroy(replay *r) {
  if (!r) return;
  for (int i = 0; i < r->slices; i++) {
    slice *l = &r->slice[i];
    frame_store_free(&l->frames);
    free(l->rewards);
    free(l->actions);
    free(l->flags);
  }
  sum_tree_free(&r->priorities);
  free(r->slice);
  free(r);
}

void replay_clear(replay *r) {
  for (int i = 0; i < r->slices; i++) {
    slice *l = &r->slice[i];
    frame_store_clear(&l->frames);
    l->added = l->oldest = l->early = 0;
  }
  if (r->settings.prioritized) sum_tree_clear(&r->priorities);
  r->highest = 1;
}

int replay_slices(const replay *r) { return r->slices; }
int64_t replay_slice_added(const replay *r, int index) { return r->slice[index].added; }

/* A number of each slice, added up. */
#define SUM_OF_SLICES(r, what)            \
  int64_t sum = 0;                        \
  for (int i = 0; i < (r)->slices; i++) { \
    const slice *l = &(r)->slice[i];      \
    sum += (what);                        \
  }                                       \
  return sum;

int64_t replay_added(const replay *r){SUM_OF_SLICES(r, l->added)} int64_t
    replay_size(const replay *r){SUM_OF_SLICES(r, l->added - l->oldest)} int64_t
    replay_dropped_early(const replay *r) {
  SUM_OF_SLICES(r, l->early)
}
static int64_t frames_used(const replay *r){
    SUM_OF_SLICES(r, (int64_t)frame_store_used(&l->frames))} int64_t
    replay_oldest(const replay *r) {
  return r->slice[0].oldest * r->slices;
}

replay_use replay_memory(const replay *r) {
  return (replay_use){
      .frames = (size_t)frames_used(r),
      .steps = (size_t)replay_size(r) * STEP_BYTES,
      .tree = r->settings.prioritized ? 2 * sizeof(double) * (size_t)replay_size(r) : 0};
}

/* ---- Adding ---------------------------------------------------------------------------------------------------- */

static int64_t place(const replay *r, int64_t t) { return t % r->room; }

static int flags_of(const replay *r, const slice *l, int64_t t) { return l->flags[place(r, t)]; }

static double priority_of(const replay *r, const slice *l, int64_t t) {
  return sum_tree_get(&r->priorities, l->leaf + place(r, t));
}

static const slice *slice_of(const replay *r, int64_t step) { return &r->slice[step % r->slices]; }

/* Steps before `oldest` are gone. */
static void drop_steps(replay *r, slice *l, int64_t oldest) {
  if (r->settings.prioritized) {
    for (int64_t t = l->oldest; t < oldest; t++)
      sum_tree_set(&r->priorities, l->leaf + place(r, t), 0);
  }
  l->oldest = oldest;
}

int64_t replay_add_to(replay *r, int index, const replay_step *step) {
  assert(step->action >= 0 && step->action < r->settings.actions && isfinite(step->reward));
  slice *l = &r->slice[index];
  int64_t t = l->added, fitting = t + 1 - r->room;
  bool first = step->first || t == 0 || (t > l->oldest && flags_of(r, l, t - 1) & TERMINAL);
  if (fitting > l->oldest) drop_steps(r, l, fitting);
  frame_store_add(&l->frames, step->frame, l->oldest);
  int64_t kept = frame_store_oldest(&l->frames);
  if (kept > l->oldest) {
    l->early += kept - l->oldest;
    drop_steps(r, l, kept);
  }
  int64_t at = place(r, t);
  l->rewards[at] = step->reward;
  l->actions[at] = (uint8_t)step->action;
  l->flags[at] = (uint8_t)((first ? FIRST : 0) | (step->terminal ? TERMINAL : 0));
  if (r->settings.prioritized) sum_tree_set(&r->priorities, l->leaf + at, r->highest);
  l->added = t + 1;
  return t * r->slices + index;
}

void replay_add(replay *r, const replay_step *step) { replay_add_to(r, 0, step); }

bool replay_set_priorities(replay *r, const int64_t *steps, const double *priorities, int count) {
  for (int k = 0; k < count; k++) {
    if (!(priorities[k] >= 0 && isfinite(priorities[k]))) return false;
  }
  for (int k = 0; k < count; k++) {
    const slice *l = slice_of(r, steps[k]);
    int64_t t = steps[k] / r->slices;
    if (priorities[k] > r->highest) r->highest = priorities[k];
    if (t >= l->oldest && t < l->added)
      sum_tree_set(&r->priorities, l->leaf + place(r, t), priorities[k]);
  }
  return true;
}

double replay_priority(const replay *r, int64_t step) {
  return priority_of(r, slice_of(r, step), step / r->slices);
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* The steps of a slice that may be drawn, both included, as far as the ends of the memory decide. */
static int64_t lowest(const replay *r, const slice *l) {
  return l->oldest ? l->oldest + r->settings.stack - 1 : 0;
}
static int64_t highest(const replay *r, const slice *l) { return l->added - 1 - r->settings.n; }

static int64_t allowed_of(const replay *r, const slice *l) {
  int64_t allowed = highest(r, l) - lowest(r, l) + 1;
  return allowed > 0 ? allowed : 0;
}

int64_t replay_allowed(const replay *r) { SUM_OF_SLICES(r, allowed_of(r, l)) }

/* What follows step t. False if its episode was cut off within n steps: nothing is known of its end. */
static bool look_ahead(const replay *r, const slice *l, int64_t t, float *reward, float *discount) {
  double sum = 0;
  *discount = (float)r->power[r->settings.n];
  for (int k = 0; k < r->settings.n; k++) {
    int64_t at = place(r, t + k);
    sum += r->power[k] * (double)l->rewards[at];
    if (l->flags[at] & TERMINAL) {
      *discount = 0;
      break;
    }
    if (flags_of(r, l, t + k + 1) & FIRST) return false;
  }
  *reward = (float)sum;
  return true;
}

static bool may_be_drawn(const replay *r, const slice *l, int64_t t) {
  float reward, discount;
  return t >= lowest(r, l) && t <= highest(r, l) && look_ahead(r, l, t, &reward, &discount) &&
         (!r->settings.prioritized || priority_of(r, l, t) > 0);
}

bool replay_complete(const replay *r, int64_t step) {
  return step >= 0 && may_be_drawn(r, slice_of(r, step), step / r->slices);
}

/* The nearest step of a slice that may be drawn, the earlier of two; -1 if there is none. */
static int64_t nearest_in(const replay *r, const slice *l, int64_t t) {
  int64_t low = lowest(r, l), high = highest(r, l);
  if (low > high) return -1;
  t = t < low ? low : t > high ? high : t; /* a number of another slice can be far away */
  for (int64_t d = 0; t - d >= low || t + d <= high; d++) {
    if (may_be_drawn(r, l, t - d)) return t - d;
    if (may_be_drawn(r, l, t + d)) return t + d;
  }
  return -1;
}

/* The same for a step of all slices; the next slices if its own has none. */
static int64_t nearest_allowed(const replay *r, int64_t step) {
  for (int i = 0; i < r->slices; i++) {
    int index = (int)((step + i) % r->slices);
    int64_t t = nearest_in(r, &r->slice[index], step / r->slices);
    if (t >= 0) return t * r->slices + index;
  }
  return -1;
}

/* The step whose priority is at this position of the tree. */
static int64_t step_at(const replay *r, int64_t position) {
  int index = (int)(position / r->room);
  if (index >= r->slices) index = r->slices - 1;
  const slice *l = &r->slice[index];
  int64_t newest = l->added - 1, behind = place(r, newest) - (position - l->leaf);
  return (newest - (behind < 0 ? behind + r->room : behind)) * r->slices + index;
}

static double unit(const replay *r, uint64_t draw, int attempt, int k) {
  return random_unit(random_at(r->settings.seed, draw, (uint64_t)attempt << 32 | (uint64_t)k));
}

/* Number `at` of the steps that the ends of the slices allow. */
static int64_t allowed_at(const replay *r, int64_t at) {
  int i = 0;
  for (; i < r->slices - 1 && at >= allowed_of(r, &r->slice[i]); i++)
    at -= allowed_of(r, &r->slice[i]);
  return (lowest(r, &r->slice[i]) + at) * r->slices + i;
}

/* Each sample by itself; a forbidden one is drawn again. */
static bool draw_uniformly(const replay *r, replay_batch *b, uint64_t draw) {
  int64_t allowed = replay_allowed(r);
  for (int k = 0; k < b->count; k++) {
    int64_t step = -1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      step = allowed_at(r, (int64_t)(unit(r, draw, attempt, k) * (double)allowed));
      if (replay_complete(r, step)) break;
    }
    b->steps[k] = nearest_allowed(r, step);
    if (b->steps[k] < 0) return false;
    b->probabilities[k] = 1 / (double)allowed;
  }
  return true;
}

/* One sample from each of `count` equal parts of the sum. */
static bool draw_by_priority(const replay *r, replay_batch *b, uint64_t draw) {
  double total = sum_tree_total(&r->priorities), part = total / b->count;
  if (!(total > 0)) return false;
  bool good = false;
  for (int attempt = 0; attempt < ATTEMPTS && !good; attempt++) {
    good = true;
    for (int k = 0; k < b->count; k++) {
      double point = ((double)k + unit(r, draw, attempt, k)) * part;
      b->steps[k] = step_at(r, sum_tree_find(&r->priorities, point));
      good = good && replay_complete(r, b->steps[k]);
    }
    if (r->settings.invalid == REPLAY_SHIFT) break;
  }
  for (int k = 0; k < b->count; k++) {
    if (!good) b->steps[k] = nearest_allowed(r, b->steps[k]);
    if (b->steps[k] < 0) return false;
    b->probabilities[k] = replay_priority(r, b->steps[k]) / total;
  }
  return true;
}

/* What the batch says of sample k beside its states. */
static void describe_sample(const replay *r, replay_batch *b, int k) {
  const slice *l = slice_of(r, b->steps[k]);
  int64_t t = b->steps[k] / r->slices;
  look_ahead(r, l, t, &b->rewards[k], &b->discounts[k]);
  b->actions[k] = l->actions[place(r, t)];
}

bool replay_draw(const replay *r, replay_batch *b, int count, uint64_t draw) {
  assert(count >= 1 && count <= b->max);
  if (replay_allowed(r) == 0) return false;
  b->count = count;
  if (!(r->settings.prioritized ? draw_by_priority(r, b, draw) : draw_uniformly(r, b, draw))) {
    b->count = 0;
    return false;
  }
  for (int k = 0; k < count; k++) describe_sample(r, b, k);
  return true;
}

void replay_take(const replay *r, replay_batch *b, const int64_t *steps, int count) {
  assert(count >= 1 && count <= b->max);
  b->count = count;
  for (int k = 0; k < count; k++) {
    assert(replay_complete(r, steps[k]));
    b->steps[k] = steps[k];
    b->probabilities[k] = 1;
    describe_sample(r, b, k);
    replay_decode(r, b, k);
  }
}

/* ---- Decoding -------------------------------------------------------------------------------------------------- */

/* Decode the frames first..last into planes that follow one another, those before `begin` as zeros. */
static void decode_frames(const frame_store *frames, frame_walk *walk, int64_t begin, int64_t first,
                          int64_t last, uint8_t *planes) {
  for (int64_t f = first; f <= last; f++, planes += frames->size) {
    if (f < begin)
      memset(planes, 0, frames->size);
    else
      frame_store_get(frames, walk, f, planes);
  }
}

/* The frame with which the state of step t begins: the first of its episode, or the first of its stack. */
static int64_t state_begin(const replay *r, const slice *l, int64_t t) {
  int64_t begin = t;
  while (begin > t - (r->settings.stack - 1) && !(flags_of(r, l, begin) & FIRST)) begin--;
  return begin;
}

void replay_decode(const replay *r, replay_batch *b, int k) {
  const int stack = r->settings.stack, n = r->settings.n;
  const slice *l = slice_of(r, b->steps[k]);
  const frame_store *frames = &l->frames;
  const int64_t t = b->steps[k] / r->slices;
  uint8_t *planes = b->planes + (size_t)k * b->sample_size;
  frame_walk walk = {.frame = -1, .key = -1, .key_pixels = planes + b->sample_size - frames->size};
  bool ends = b->discounts[k] == 0;
  int64_t begin = state_begin(r, l, t);
  b->states[k] = planes;
  decode_frames(frames, &walk, begin, t - stack + 1, t, planes);
  if (ends) {
    b->next_states[k] = b->zeros;
    return;
  }
  /* frames that both states share, if any, are decoded once */
  int64_t next = t + n, from = next - stack + 1;
  if (n < stack) {
    b->next_states[k] = planes + (size_t)n * frames->size;
    decode_frames(frames, &walk, begin, t + 1, next, planes + (size_t)stack * frames->size);
  } else {
    b->next_states[k] = planes + (size_t)stack * frames->size;
    decode_frames(frames, &walk, begin, from, next, planes + (size_t)stack * frames->size);
  }
}

bool replay_sample(const replay *r, replay_batch *b, int count, uint64_t draw) {
  if (!replay_draw(r, b, count, draw)) return false;
  for (int k = 0; k < count; k++) replay_decode(r, b, k);
  return true;
}

replay_batch *replay_batch_create(const replay *r, int max) {
  assert(max >= 1 && max <= REPLAY_BATCH_MAX);
  replay_batch *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  const int stack = r->settings.stack, n = r->settings.n;
  size_t count = (size_t)max, size = r->slice[0].frames.size;
  b->max = max;
  b->sample_size = (size_t)(stack + (n < stack ? n : stack) + 1) * size; /* and a key */
  b->states = calloc(count, sizeof *b->states);
  b->next_states = calloc(count, sizeof *b->next_states);
  b->actions = calloc(count, sizeof *b->actions);
  b->rewards = calloc(count, sizeof *b->rewards);
  b->discounts = calloc(count, sizeof *b->discounts);
  b->steps = calloc(count, sizeof *b->steps);
  b->probabilities = calloc(count, sizeof *b->probabilities);
  b->planes = calloc(count, b->sample_size);
  b->zeros = calloc((size_t)stack, size);
  if (!b->states || !b->next_states || !b->actions || !b->rewards || !b->discounts || !b->steps ||
      !b->probabilities || !b->planes || !b->zeros) {
    replay_batch_destroy(b);
    return NULL;
  }
  return b;
}

void replay_batch_destroy(replay_batch *b) {
  if (!b) return;
  free(b->states);
  free(b->next_states);
  free(b->actions);
  free(b->rewards);
  free(b->discounts);
  free(b->steps);
  free(b->probabilities);
  free(b->planes);
  free(b->zeros);
  free(b);
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

/* The bytes of an array for the steps oldest..added-1, in order; the ring has them in at most two pieces. */
static void put_ring(const replay *r, const slice *l, const void *array, size_t item,
                     sections_writer *out) {
  int64_t at = place(r, l->oldest), count = l->added - l->oldest;
  int64_t until_end = count < r->room - at ? count : r->room - at;
  const uint8_t *bytes = array;
  sections_put_numbers(out, bytes + (size_t)at * item, (size_t)until_end, item);
  sections_put_numbers(out, bytes, (size_t)(count - until_end), item);
}

static void get_ring(const replay *r, const slice *l, void *array, size_t item,
                     sections_reader *in) {
  int64_t at = place(r, l->oldest), count = l->added - l->oldest;
  int64_t until_end = count < r->room - at ? count : r->room - at;
  uint8_t *bytes = array;
  sections_get_numbers(in, bytes + (size_t)at * item, (size_t)until_end, item);
  sections_get_numbers(in, bytes, (size_t)(count - until_end), item);
}

static double *leaves_of(const replay *r, const slice *l) {
  return r->priorities.nodes + r->priorities.leaves + l->leaf;
}

/* The name of a section of slice i: "agent.replay", or "agent.replay.3" if there are several. */
static void name_section(const replay *r, const char *name, int i, char out[SECTIONS_NAME]) {
  if (r->slices == 1)
    snprintf(out, SECTIONS_NAME, "%s", name);
  else
    snprintf(out, SECTIONS_NAME, "%.19s.%u", name, (unsigned)i % 1000);
}

static void save_slice(const replay *r, int index, sections_writer *out) {
  const replay_settings *s = &r->settings;
  const slice *l = &r->slice[index];
  char name[SECTIONS_NAME];
  name_section(r, "agent.replay", index, name);
  sections_begin(out, name);
  sections_put_u64(out, LAYOUT);
  sections_put_i64(out, r->room);
  sections_put_i64(out, s->width);
  sections_put_i64(out, s->height);
  sections_put_i64(out, s->actions);
  sections_put_u64(out, s->prioritized);
  sections_put_u64(out, frame_limit(s));
  sections_put_i64(out, l->added);
  sections_put_i64(out, l->oldest);
  sections_put_i64(out, l->early);
  sections_put_f64(out, r->highest);
  put_ring(r, l, l->rewards, sizeof *l->rewards, out);
  put_ring(r, l, l->actions, 1, out);
  put_ring(r, l, l->flags, 1, out);
  if (s->prioritized) put_ring(r, l, leaves_of(r, l), sizeof(double), out);
  name_section(r, "agent.replay.frames", index, name);
  sections_begin(out, name);
  frame_store_save(&l->frames, l->oldest, out);
}

void replay_save(const replay *r, sections_writer *out) {
  for (int i = 0; i < r->slices; i++) save_slice(r, i, out);
}

/* Whether loaded steps are ones that replay_add_to() can have stored. */
static bool steps_possible(const replay *r, const slice *l) {
  for (int64_t t = l->oldest; t < l->added; t++) {
    int64_t at = place(r, t);
    int flags = l->flags[at];
    if (flags > (FIRST | TERMINAL) || l->actions[at] >= r->settings.actions ||
        !isfinite(l->rewards[at]))
      return false;
    bool must_begin = t == 0 || (t > l->oldest && flags_of(r, l, t - 1) & TERMINAL);
    if (must_begin && !(flags & FIRST)) return false;
    if (r->settings.prioritized) {
      double priority = priority_of(r, l, t);
      if (!(priority >= 0 && priority <= r->highest)) return false;
    }
  }
  return true;
}

static bool get_steps(replay *r, slice *l, sections_reader *in) {
  const replay_settings *s = &r->settings;
  l->added = sections_get_i64(in);
  l->oldest = sections_get_i64(in);
  l->early = sections_get_i64(in);
  double most = sections_get_f64(in);
  if (l->added < 0 || l->added > STEPS_MAX || l->oldest < 0 || l->oldest > l->added) return false;
  int64_t size = l->added - l->oldest;
  /* oldest is what fits, or the beginning of a block if frames were too large */
  if (size > r->room || l->early < 0 || l->early > l->oldest) return false;
  int64_t fitting = l->added > r->room ? l->added - r->room : 0;
  if (l->oldest != fitting && (l->early == 0 || l->oldest % FRAME_BLOCK)) return false;
  if (!(most >= 1 && isfinite(most)) || (l != r->slice && most != r->highest)) return false;
  r->highest = most;
  if (sections_left(in) != (uint64_t)size * (STEP_BYTES + (s->prioritized ? sizeof(double) : 0)))
    return false;
  get_ring(r, l, l->rewards, sizeof *l->rewards, in);
  get_ring(r, l, l->actions, 1, in);
  get_ring(r, l, l->flags, 1, in);
  if (s->prioritized) get_ring(r, l, leaves_of(r, l), sizeof(double), in);
  return !sections_failed(in) && steps_possible(r, l);
}

static sixer_err load_slice(replay *r, int index, sections_reader *in, sixer_error *error) {
  const replay_settings *s = &r->settings;
  slice *l = &r->slice[index];
  char name[SECTIONS_NAME];
  name_section(r, "agent.replay", index, name);
  if (!sections_find(in, name))
    return sixer_fail(error, SIXER_ERR_STATE, "the saved agent has no replay in it");
  uint64_t layout = sections_get_u64(in);
  if (!sections_failed(in) && layout != LAYOUT)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the saved replay is of another version: its layout is %llu, this is %d",
                      (unsigned long long)layout, LAYOUT);
  bool same = sections_get_i64(in) == r->room;
  same &= sections_get_i64(in) == s->width;
  same &= sections_get_i64(in) == s->height;
  same &= sections_get_i64(in) == s->actions;
  same &= sections_get_u64(in) == s->prioritized;
  same &= sections_get_u64(in) == frame_limit(s);
  if (sections_failed(in) || !same)
    return sixer_fail(error, SIXER_ERR_STATE, "the saved replay has other settings");
  if (!get_steps(r, l, in))
    return sixer_fail(error, SIXER_ERR_STATE, "the saved replay is damaged: its steps cannot be");
  name_section(r, "agent.replay.frames", index, name);
  if (!sections_find(in, name) || !frame_store_load(&l->frames, l->added, l->oldest, in) ||
      sections_left(in))
    return sixer_fail(error, SIXER_ERR_STATE, "the saved replay is damaged: its frames cannot be");
  return SIXER_OK;
}

sixer_err replay_load(replay *r, sections_reader *in, sixer_error *error) {
  replay_clear(r);
  sixer_err err = SIXER_OK;
  for (int i = 0; i < r->slices && !err; i++) err = load_slice(r, i, in, error);
  if (!err && r->settings.prioritized) {
    sum_tree_rebuild(&r->priorities);
    if (!isfinite(sum_tree_total(&r->priorities)))
      err = sixer_fail(error, SIXER_ERR_STATE, "the saved replay is damaged: its steps cannot be");
  }
  if (err) replay_clear(r);
  return err;
}
