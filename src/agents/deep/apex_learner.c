/* The learner of Ape-X. See sixer/apex.h.
 *
 * It is a training run (train_parts.h) whose steps come from actors. Its agent has a replay memory with a slice for
 * each actor, a copy of the blocks that the store holds. For T = 1, 2, 3, ...:
 *
 *     synchronized: wait until the first T steps are in the memory, and no others; else take whatever has arrived
 *     if T >= start and T is a multiple of period: one update
 *     if T is a multiple of target_period: copy the network to the target network
 *     if T >= start and T is a multiple of fetch: publish the weights as version T
 *
 * With several actors, step T of all is step T / actors of actor T % actors. So the updates of a synchronized run are a
 * function of its settings. Episodes come with the blocks and are counted when their last step is taken. The number of
 * steps taken of each actor is that of its slice: a checkpoint needs nothing beside the agent and the counters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/apex_run.h"
#include "agents/deep/apex_saber.h"
#include "util/error.h"

enum { BATCH_OF_BLOCKS = 64, QUEUE = 512 /* blocks of an actor that wait here */ };
#define LOOK_EVERY  0.005 /* seconds between looks at the heads of the actors */
#define NOTE_EVERY  1.0   /* and between renewals of the lease */
#define RETRY_EVERY 0.25

/* What was copied of an actor and not taken yet. */
typedef struct follower {
  int64_t base, copied; /* blocks */
  struct {
    uint8_t *bytes;
    size_t size;
  } queue[QUEUE];
  int first, count; /* of the queue */
  /* the first of the queue, as far as it is taken */
  bool open;
  int position;
  apex_block block;
  const uint8_t *code;
  uint8_t *frame;
} follower;

struct sixer_apex_learner {
  sixer_train *t;
  deep *d;
  apex_store *store;
  apex_rules rules;
  apex_form form;
  char meta[APEX_META];
  double patience;
  int64_t updates_budget, ring;
  follower *followers;
  apex_head *heads;
  int64_t *numbers; /* of each actor; scratch */
  /* in the layout of the SABER paper, else NULL: batches, and the steps of each actor that were counted */
  saber *saber;
  saber_shape shape;
  int64_t *taken;
  int64_t emptied; /* steps of all when the memory of the server was empty */
  bool entered;    /* the store, at least once */
  size_t weights;  /* numbers of the network */
  float *canonical;
  uint8_t *message;
  double looked, noted, tried, waits_since;
  double lost_since; /* 0 if the store is there */
  uint64_t epoch;
  int64_t published, version, arrived, arrived_bytes;
  double staleness;
  apex_usage usage;
  bool found; /* the store has blocks of this run */
  bool waiting, finished;
  sixer_error trouble; /* why the store is away */
};

/* ---- Following the actors -------------------------------------------------------------------------------------- */

static void clear_follower(follower *f, int64_t base) {
  for (int i = 0; i < f->count; i++) free(f->queue[(f->first + i) % QUEUE].bytes);
  f->first = f->count = 0;
  f->open = false;
  f->base = base;
  f->copied = 0;
}

typedef struct copying {
  sixer_apex_learner *l;
  int actor;
} copying;

/* A block of the store: check it, keep a copy. */
static bool take_block(void *context, const uint8_t *bytes, size_t size) {
  copying *c = context;
  sixer_apex_learner *l = c->l;
  follower *f = &l->followers[c->actor];
  apex_block *b = malloc(sizeof *b);
  bool good = b && f->count < QUEUE && apex_block_read(&l->form, bytes, size, b) &&
              b->actor == c->actor && b->first == f->base + f->copied * l->rules.block;
  uint8_t *copy = good ? malloc(size) : NULL;
  if (copy) {
    memcpy(copy, bytes, size);
    int at = (f->first + f->count++) % QUEUE;
    f->queue[at].bytes = copy;
    f->queue[at].size = size;
    f->copied++;
    l->arrived += b->count;
    l->arrived_bytes += (int64_t)size;
    double age = (double)(l->d->steps - b->version) / (double)l->d->o.period;
    l->staleness += 0.02 * ((age > 0 ? age : 0) - l->staleness);
  }
  free(b);
  return copy != NULL;
}

/* Copy what actors have written since the last look. */
static apex_result follow(sixer_apex_learner *l, sixer_error *error) {
  const apex_store_class *store = l->store->class;
  apex_result result = store->heads(l->store, l->heads, error);
  for (int a = 0; a < l->rules.actors && result == APEX_OK; a++) {
    follower *f = &l->followers[a];
    if (l->heads[a].epoch != l->epoch || l->heads[a].base != f->base) return APEX_EPOCH;
    while (result == APEX_OK && f->copied < l->heads[a].blocks && f->count < QUEUE) {
      int64_t many = l->heads[a].blocks - f->copied;
      if (many > BATCH_OF_BLOCKS) many = BATCH_OF_BLOCKS;
      if (many > QUEUE - f->count) many = QUEUE - f->count;
      copying c = {l, a};
      result = store->blocks(l->store, a, f->copied, (int)many, take_block, &c, error);
    }
  }
  l->looked = apex_clock();
  if (result == APEX_ABSENT) {
    sixer_fail(error, SIXER_ERR_STATE, "blocks of an actor are missing in the store");
    result = APEX_EPOCH;
  }
  return result;
}

/* Steps of an actor that were taken, and of all. */
static int64_t taken_of(const sixer_apex_learner *l, int actor) {
  return l->saber ? l->taken[actor] : replay_slice_added(l->d->replay, actor);
}

static int64_t taken_of_all(const sixer_apex_learner *l) {
  int64_t sum = 0;
  for (int a = 0; a < l->rules.actors; a++) sum += taken_of(l, a);
  return sum;
}

/* The row of an episode, and what follows from it. */
static sixer_err count_episode(sixer_train *t, const apex_episode *e, sixer_error *error) {
  int64_t since = t->c.tally.frames; /* played since the last episode ended */
  sixer_status status = {
      .end = (sixer_end)e->end, .mode = e->mode, .difficulty = e->difficulty, .level = e->level};
  t->c.tally.frames = e->frames;
  t->c.episode_steps = e->steps;
  memcpy(t->c.tally.score, e->score, sizeof e->score);
  sixer_err err = train_count_episode(t, since, &status, error);
  t->c.tally.frames = 0;
  return err;
}

static void remember(sixer_apex_learner *l, int actor, const apex_step *s, const uint8_t *frame) {
  if (l->saber) { /* it is in the server */
    l->taken[actor]++;
    return;
  }
  int64_t id = replay_add_to(l->d->replay, actor,
                             &(replay_step){.frame = frame,
                                            .action = s->action,
                                            .reward = s->reward,
                                            .first = s->flags & APEX_FIRST,
                                            .terminal = s->flags & APEX_TERMINAL});
  if (l->d->o.omega > 0 && s->priority >= 0) {
    double priority = (double)s->priority;
    replay_set_priorities(l->d->replay, &id, &priority, 1);
  }
}

/* Take one step of an actor, of which there is one, into the memory. After a restart the memory may have it already. */
static sixer_err take_step(sixer_apex_learner *l, int actor, sixer_error *error) {
  follower *f = &l->followers[actor];
  sixer_train *t = l->t;
  if (!f->open) {
    apex_block_read(&l->form, f->queue[f->first].bytes, f->queue[f->first].size, &f->block);
    f->code = f->block.codes;
    f->position = 0;
    f->open = true;
  }
  const int at = f->position++;
  const apex_step *s = &f->block.steps[at];
  apex_block_frame(&l->form, &f->block, at, &f->code, f->frame);
  sixer_err err = SIXER_OK;
  if (f->block.first + at >= taken_of(l, actor)) {
    remember(l, actor, s, f->frame);
    t->c.steps++;
    t->c.frames += s->frames;
    t->c.tally.frames += s->frames;
    for (int i = 0; i < f->block.episode_count && !err; i++) {
      if (f->block.episodes[i].position == at) err = count_episode(t, &f->block.episodes[i], error);
    }
  }
  if (f->position == f->block.count) {
    free(f->queue[f->first].bytes);
    f->first = (f->first + 1) % QUEUE;
    f->count--;
    f->open = false;
  }
  return err;
}

/* Steps of an actor that an update after T steps uses. */
static int64_t share_of(const sixer_apex_learner *l, int actor, int64_t steps) {
  return (steps + l->rules.actors - 1 - actor) / l->rules.actors;
}

/* Take steps up to T of all; *there: they are in the memory. Free-running: all that there are. */
static sixer_err take_steps(sixer_apex_learner *l, int64_t steps, bool *there, sixer_error *error) {
  *there = true;
  for (int a = 0; a < l->rules.actors; a++) {
    follower *f = &l->followers[a];
    int64_t wanted = l->rules.synchronized ? share_of(l, a, steps) : INT64_MAX;
    while (taken_of(l, a) < wanted && (f->open || f->count)) {
      sixer_err err = take_step(l, a, error);
      if (err) return err;
      if (train_budget_reached(l->t)) return SIXER_OK;
    }
    if (l->rules.synchronized && taken_of(l, a) < wanted) *there = false;
  }
  if (!l->rules.synchronized) *there = l->d->steps >= l->d->o.start || taken_of_all(l) >= steps;
  return SIXER_OK;
}

/* ---- The store ------------------------------------------------------------------------------------------------- */

static apex_result publish(sixer_apex_learner *l, sixer_error *error) {
  nn_export(l->d->net, l->d->online, l->canonical);
  apex_weights_write(l->d->steps, l->canonical, l->weights, l->message);
  int keep = l->rules.synchronized ? l->rules.lead / l->rules.fetch + 3 : 2;
  apex_result result = l->store->class->publish(l->store, l->d->steps, l->message,
                                                apex_weights_size(l->weights), keep, error);
  if (result == APEX_OK) {
    l->version = l->d->steps;
    l->published++;
  }
  return result;
}

static apex_result note(sixer_apex_learner *l, sixer_error *error) {
  for (int a = 0; a < l->rules.actors; a++) l->numbers[a] = l->followers[a].copied;
  l->noted = apex_clock();
  apex_result result = l->store->class->note(l->store, l->numbers, l->finished, error);
  if (result == APEX_OK) l->store->class->usage(l->store, &l->usage, error);
  return result;
}

/* Do the blocks of the store go on where the memory ends? */
static bool continues(const sixer_apex_learner *l) {
  for (int a = 0; a < l->rules.actors; a++) {
    const apex_head *h = &l->heads[a];
    int64_t have = taken_of(l, a), oldest = h->blocks - l->ring;
    if (have < h->base || have > h->base + h->blocks * l->rules.block) return false;
    if (oldest > 0 && have < h->base + oldest * l->rules.block) return false;
  }
  return true;
}

static apex_result claim(sixer_apex_learner *l, bool resume, bool reset, sixer_error *error) {
  apex_result result =
      l->store->class->claim(l->store, l->meta, l->rules.actors, l->ring, reset, &l->found, error);
  if (result != APEX_OK || !l->found || resume) return result;
  sixer_fail(error, SIXER_ERR_STATE,
             "the server has blocks of this run already: --resume continues it, --reset removes "
             "them, and another --run keeps both");
  return APEX_REFUSED;
}

/* Begin to follow a store that was claimed. */
static apex_result enter(sixer_apex_learner *l, sixer_error *error) {
  const apex_store_class *store = l->store->class;
  apex_result result;
  bool goes_on = l->found && store->heads(l->store, l->heads, error) == APEX_OK && continues(l);
  /* a checkpoint does not say how many steps of each actor were taken, unless they took turns */
  if (l->saber && !l->rules.synchronized && !l->entered) goes_on = false;
  if (!goes_on) {
    for (int a = 0; a < l->rules.actors; a++) l->numbers[a] = taken_of(l, a);
    l->emptied = taken_of_all(l);
    if (l->saber) saber_forget(l->saber);
    result = l->saber ? store->saber->clear(l->store, error) : APEX_OK;
    if (result == APEX_OK) result = store->begin(l->store, l->numbers, error);
    if (result == APEX_OK) result = store->heads(l->store, l->heads, error);
    if (result != APEX_OK) return result;
  }
  l->epoch = l->heads[0].epoch;
  for (int a = 0; a < l->rules.actors; a++) {
    follower *f = &l->followers[a];
    clear_follower(f, l->heads[a].base);
    f->copied = (taken_of(l, a) - f->base) / l->rules.block;
  }
  l->entered = true;
  result = publish(l, error);
  return result == APEX_OK ? note(l, error) : result;
}

/* What to do about a call of the store that failed. */
static sixer_err settle(sixer_apex_learner *l, apex_result result, sixer_error *error) {
  if (result == APEX_OK) {
    l->lost_since = 0;
    return SIXER_OK;
  }
  if (result == APEX_REFUSED) return error->code;
  double now = apex_clock();
  if (!l->lost_since) l->lost_since = now;
  l->trouble = *error;
  if (now - l->lost_since > l->patience) {
    sixer_error why = *error;
    return sixer_fail(error, SIXER_ERR_STATE, "the server was away for %.0f seconds: %.300s",
                      now - l->lost_since, why.message);
  }
  return SIXER_OK;
}

/* Try to come back to a store that was away, now and then. */
static sixer_err come_back(sixer_apex_learner *l, sixer_error *error) {
  double now = apex_clock();
  if (now - l->tried < RETRY_EVERY) return SIXER_OK;
  l->tried = now;
  sixer_error trouble = l->trouble;
  apex_result result = claim(l, true, false, &trouble);
  if (result == APEX_OK) result = enter(l, &trouble);
  if (error) *error = trouble;
  return settle(l, result, error);
}

/* ---- Learning -------------------------------------------------------------------------------------------------- */

/* Have a batch of the server for the next update. *there is false if there is none yet, or the server is away. While
 * the memory of the server fills again, a synchronized run goes on without updates (*skip): its actors wait for it. */
static sixer_err prepare_batch(sixer_apex_learner *l, bool *there, bool *skip, sixer_error *error) {
  const deep_options *o = &l->d->o;
  const int64_t least = o->start < o->memory ? o->start : o->memory;
  const int actors = l->rules.actors;
  *skip = false;
  *there = !l->lost_since;
  if (!*there) return SIXER_OK;
  if (taken_of_all(l) - l->emptied < least) {
    *skip = l->rules.synchronized;
    *there = *skip;
    return SIXER_OK;
  }
  if (saber_ready(l->saber)) return SIXER_OK;
  int64_t low[REPLAY_SLICES_MAX], *high = l->numbers;
  for (int a = 0; a < actors; a++) {
    const follower *f = &l->followers[a];
    high[a] = f->base + f->copied * l->rules.block;
    low[a] = high[a] - l->shape.room > f->base ? high[a] - l->shape.room : f->base;
  }
  apex_result result = saber_fill(l->saber, l->store, low, high, error);
  *there = result == APEX_OK;
  return result == APEX_ABSENT ? SIXER_OK : settle(l, result, error);
}

/* Step T + 1. *done is false if it has to wait. */
static sixer_err step(sixer_apex_learner *l, bool *done, sixer_error *error) {
  deep *d = l->d;
  const deep_options *o = &d->o;
  const int64_t next = d->steps + 1;
  bool there;
  sixer_err err = take_steps(l, next, &there, error);
  *done = !err && there && !train_budget_reached(l->t);
  if (!*done) return err;
  bool updates = next >= o->start && next % o->period == 0;
  if (updates && l->saber) {
    bool skip;
    err = prepare_batch(l, done, &skip, error);
    if (err || !*done) return err;
    updates = !skip;
  }
  d->steps = next;
  if (updates) err = deep_update(d, error);
  if (!err && next % o->target_period == 0) nn_block_copy(d->net, d->target, d->online);
  if (!err && next >= o->start && next % l->rules.fetch == 0 && !l->lost_since)
    err = settle(l, publish(l, error), error);
  return err;
}

static bool budget_reached(const sixer_apex_learner *l) {
  return train_budget_reached(l->t) || (l->updates_budget && l->d->updates >= l->updates_budget);
}

/* The budget is reached: the last checkpoint, the episodes without learning, and word to the actors. */
static sixer_err end(sixer_apex_learner *l, sixer_error *error) {
  sixer_err err = SIXER_OK;
  if (l->t->c.phase == TRAIN_LEARNING) err = train_end(l->t, error);
  if (!err && l->t->c.phase == TRAIN_EVALUATING) {
    err = sixer_train_run(l->t, 1000, error);
    if (!err && !l->lost_since && apex_clock() - l->noted > NOTE_EVERY) note(l, error);
  }
  if (err || l->t->c.phase != TRAIN_FINISHED) return err;
  l->finished = true;
  if (!l->lost_since) {
    sixer_error ignored;
    note(l, &ignored);
  }
  return SIXER_OK;
}

sixer_err sixer_apex_learner_run(sixer_apex_learner *l, double seconds, sixer_error *error) {
  const double until = apex_clock() + seconds;
  sixer_error own;
  if (!error) error = &own;
  sixer_err err = SIXER_OK;
  for (double now; !err && !l->finished && (now = apex_clock()) < until;) {
    if (budget_reached(l) || l->t->c.phase != TRAIN_LEARNING) {
      err = end(l, error);
      continue;
    }
    if (l->lost_since) {
      err = come_back(l, error);
    } else if (l->waiting || now - l->looked >= LOOK_EVERY) {
      err = settle(l, follow(l, error), error);
      if (!err && !l->lost_since && now - l->noted >= NOTE_EVERY)
        err = settle(l, note(l, error), error);
    }
    bool done = true;
    for (int i = 0; i < 64 && !err && done && !budget_reached(l); i++) {
      int64_t updates = l->d->updates;
      err = step(l, &done, error);
      if (l->d->updates != updates && apex_clock() - l->looked >= LOOK_EVERY) break;
    }
    l->waiting = !done;
    if (!l->waiting) l->waits_since = 0;
    if (!err && l->waiting) apex_wait(&l->waits_since, l->rules.lead ? 0.0005 : 0.0001);
  }
  return err;
}

sixer_err sixer_apex_learner_save(sixer_apex_learner *l, sixer_error *error) {
  return sixer_train_save(l->t, error);
}

/* ---- Creation -------------------------------------------------------------------------------------------------- */

/* The layout of the SABER paper: blocks without frames, and batches of the server. */
static sixer_err make_saber(sixer_apex_learner *l, sixer_error *error) {
  deep *d = l->d;
  l->shape = saber_shape_of(d, &l->form, d->o.memory);
  l->store->saber = &l->shape;
  l->form = saber_block_form(&l->form);
  l->taken = calloc((size_t)l->rules.actors, sizeof *l->taken);
  l->saber = saber_create(&l->shape, d->replay, (int)d->o.batch, deep_stream_seed(d, DEEP_BATCH));
  if (!l->taken || !l->saber)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for batches");
  d->source = saber_source(l->saber);
  return SIXER_OK;
}

static sixer_err make(sixer_apex_learner *l, const sixer_apex_settings *s, sixer_error *error) {
  l->rules = apex_rules_of(s);
  l->patience = s->patience;
  l->updates_budget = s->updates;
  sixer_err err = train_prepare(&s->train, &l->t, error);
  if (err) return err;
  if (!(l->d = apex_deep(l->t, error))) return SIXER_ERR_ARGUMENT;
  err = apex_check_rules(&l->rules, l->d, error);
  if (err) return err;
  apex_print_rules(&l->rules, l->t->extra, sizeof l->t->extra);
  train_describe(l->t);
  deep_unlearn(l->d);
  l->d->slices = l->rules.actors;
  l->d->remote = l->rules.saber;
  err = deep_bind(l->d, l->t->actions, error);
  if (err) return err;
  int n = snprintf(l->meta, sizeof l->meta, "%s--\n%s", l->t->text,
                   sixer_protocol_text(l->t->protocol));
  if (n >= (int)sizeof l->meta)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the protocol is too long for Ape-X: %d bytes", n);
  l->form = apex_form_of(l->d, &l->rules);
  l->ring = apex_ring(&l->rules, l->d->o.memory);
  if (l->rules.saber && (err = make_saber(l, error))) return err;
  /* files are touched only after the store has accepted the run */
  if (claim(l, s->resume, s->reset, error) != APEX_OK) return error->code;
  err = train_begin(l->t, s->resume, error);
  if (err) return err;
  for (int a = 0; a < l->rules.actors && l->saber; a++) l->taken[a] = share_of(l, a, l->t->c.steps);
  size_t actors = (size_t)l->rules.actors;
  l->weights = nn_parameters(nn_net_spec(l->d->net), NULL, NULL);
  l->followers = calloc(actors, sizeof *l->followers);
  l->heads = calloc(actors, sizeof *l->heads);
  l->numbers = calloc(actors, sizeof *l->numbers);
  l->canonical = malloc(l->weights * sizeof *l->canonical);
  l->message = malloc(apex_weights_size(l->weights));
  bool made = l->followers && l->heads && l->numbers && l->canonical && l->message;
  for (size_t a = 0; made && a < actors; a++)
    made = (l->followers[a].frame = calloc(1, (size_t)(l->d->o.size * l->d->o.size))) != NULL;
  if (!made) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a learner");
  return SIXER_OK;
}

sixer_err sixer_apex_learner_create(const sixer_apex_settings *s, sixer_apex_learner **learner,
                                    sixer_error *error) {
  sixer_error own;
  if (!error) error = &own;
  sixer_err err = apex_check(s, error);
  if (err) return err;
  sixer_apex_learner *l = calloc(1, sizeof *l);
  if (!l) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a learner");
  err = apex_open_store(s, &l->store, error);
  if (!err) err = make(l, s, error);
  if (!err && l->t->c.phase != TRAIN_FINISHED) {
    apex_result result = enter(l, error);
    if (result != APEX_OK) err = error->code ? error->code : SIXER_ERR_STATE;
  } else if (!err) {
    l->finished = true;
  }
  if (err) {
    sixer_apex_learner_destroy(l);
    return err;
  }
  *learner = l;
  return SIXER_OK;
}

void sixer_apex_learner_destroy(sixer_apex_learner *l) {
  if (!l) return;
  apex_store_close(l->store);
  for (int a = 0; l->followers && a < l->rules.actors; a++) {
    clear_follower(&l->followers[a], 0);
    free(l->followers[a].frame);
  }
  free(l->followers);
  free(l->heads);
  free(l->numbers);
  free(l->taken);
  saber_destroy(l->saber);
  free(l->canonical);
  free(l->message);
  sixer_train_destroy(l->t);
  free(l);
}

sixer_train *sixer_apex_learner_train(sixer_apex_learner *l) { return l->t; }

/* Steps in the replay memory, or in that of the server. */
static int64_t held(const sixer_apex_learner *l) {
  if (!l->saber) return l->d->replay ? replay_size(l->d->replay) : 0;
  int64_t sum = 0;
  for (int a = 0; a < l->rules.actors && l->followers; a++) {
    int64_t steps = l->followers[a].copied * l->rules.block;
    sum += steps < l->shape.room ? steps : l->shape.room;
  }
  return sum;
}

sixer_apex_progress sixer_apex_learner_progress(const sixer_apex_learner *l) {
  const deep *d = l->d;
  sixer_apex_progress p = {.train = sixer_train_progress_of(l->t),
                           .updates = d->updates,
                           .steps = d->steps,
                           .version = l->version,
                           .published = l->published,
                           .held = held(l),
                           .memory = d->o.memory,
                           .staleness = l->staleness,
                           .loss = d->loss,
                           .store_bytes = l->usage.bytes,
                           .connected = !l->lost_since,
                           .waiting = l->waiting,
                           .finished = l->finished};
  for (int a = 0; a < l->rules.actors; a++) p.alive += l->heads[a].alive;
  if (l->t->c.steps) p.replay_ratio = (double)(d->updates * d->o.batch) / (double)l->t->c.steps;
  if (l->saber && p.held) /* nearly all of its memory is records */
    p.store_step = (double)l->usage.bytes / (double)p.held;
  else if (l->arrived)
    p.store_step = (double)l->arrived_bytes / (double)l->arrived;
  return p;
}
