/* An actor of Ape-X. See sixer/apex.h.
 *
 * It plays as the agent does in training, with weights that it fetches. Every step is kept until its block is full,
 * and, with priorities, until the n steps that its transition looks ahead are played; then the block is encoded and
 * written. The actor's own small replay memory holds the last steps, to compute those priorities from.
 *
 * What an actor had not written when it was killed is lost; it comes back with its slice, the number of steps that the
 * store has of it, and a new episode. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/apex_run.h"
#include "agents/deep/apex_saber.h"
#include "eval/protocol.h"
#include "util/error.h"
#include "util/rounded.h"

#define LOOK_EVERY  0.5 /* seconds between looks at the store while it waits */
#define RETRY_EVERY 0.25

struct sixer_apex_actor {
  sixer_train *t;
  deep *d;
  sixer_rom *rom;
  sixer_protocol *protocol;
  apex_store *store;
  apex_rules rules;
  apex_form form;
  char meta[APEX_META];
  double patience, pace;
  double pace_since; /* when it would have begun, had it always played at its pace */
  int index;
  apex_head head;
  apex_news news;
  int64_t local;                 /* step of its memory at which the block begins */
  int64_t version, ring, memory; /* memory: of the learner */
  saber_shape shape;
  int64_t start;            /* of updates, in steps of all actors */
  int count, episode_count; /* steps and episodes that are not written */
  apex_block *block;
  apex_step *steps;
  apex_episode *episodes;
  uint8_t *frames; /* of those steps */
  uint8_t *bytes;  /* a block */
  size_t weights;
  float *canonical;
  uint8_t *message;
  double looked, tried, lost_since, waits_since;
  bool waiting, finished, writing;
  sixer_error trouble;
  int64_t played, played_frames, written, ended;
};

/* ---- The run that the store describes -------------------------------------------------------------------------- */

/* The value of a line "name=value"; false if there is none or it does not fit. */
static bool setting(const char *meta, const char *name, char *out, size_t size) {
  size_t length = strlen(name);
  for (const char *line = meta; *line && strncmp(line, "--\n", 3) != 0;) {
    size_t end = strcspn(line, "\n");
    if (end > length && !strncmp(line, name, length) && line[length] == '=') {
      if (end - length - 1 >= size) return false;
      memcpy(out, line + length + 1, end - length - 1);
      out[end - length - 1] = 0;
      return true;
    }
    line += end + (line[end] == '\n');
  }
  return false;
}

static int number(const char *meta, const char *name) {
  char text[24];
  return setting(meta, name, text, sizeof text) ? (int)strtol(text, NULL, 10) : 0;
}

static sixer_err strange(sixer_error *error, const char *what) {
  return sixer_fail(error, SIXER_ERR_STATE,
                    "the run in the store is none that this version (%s) makes: %.200s",
                    SIXER_VERSION, what);
}

/* A seed of an actor: the first one has that of the run, so that it alone plays as the agent in one process. */
static uint32_t seed_of(uint32_t seed, int index, int64_t steps) {
  if (index == 0 && steps == 0) return seed;
  uint64_t bits = random_at(seed, 0xA9E + (uint64_t)index, (uint64_t)steps);
  return 1 + (uint32_t)(bits % (INT32_MAX - 1));
}

typedef struct run_texts {
  char agent[64], label[64], options[TRAIN_TEXT], game[200], rom[40], protocol[200];
} run_texts;

/* Prepare a run like the learner's, with a small memory, and check that it is described by the same text. */
static sixer_err prepare(sixer_apex_actor *a, const sixer_apex_settings *s, const run_texts *x,
                         sixer_error *error) {
  const char *meta = a->meta;
  sixer_agent *agent;
  sixer_err err = agent_create_stored(x->agent, x->options, 1, &agent, error);
  if (err) return err;
  char *full = calloc(1, TRAIN_TEXT), *options = malloc(TRAIN_TEXT + 100);
  if (agent->class->learn != deep_learn) err = strange(error, "its agent has no replay memory");
  if (!err && (!full || !options)) err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  if (!err) {
    sixer_agent_settings(agent, full, TRAIN_TEXT);
    err = apex_check_rules(&a->rules, (deep *)agent, error);
    a->memory = ((deep *)agent)->o.memory;
    if (!err) a->ring = apex_ring(&a->rules, a->memory);
  }
  if (!err) {
    int64_t memory = 4 * (a->rules.block + ((deep *)agent)->o.n + DEEP_STACK);
    snprintf(options, TRAIN_TEXT + 100, "%s,memory=%lld,batch=%d", x->options,
             (long long)(memory < 200 ? 200 : memory), a->rules.block);
    sixer_train_settings ts = sixer_train_settings_default();
    ts.agent = x->agent;
    ts.label = x->label;
    ts.options = options;
    ts.rom = a->rom;
    ts.protocol = a->protocol;
    ts.seed = seed_of((uint32_t)number(meta, "seed"), a->index,
                      a->head.base + a->head.blocks * a->rules.block);
    ts.mode = number(meta, "mode");
    ts.difficulty = number(meta, "difficulty");
    ts.level = number(meta, "level");
    ts.levels = number(meta, "levels");
    ts.threads = s->train.threads;
    err = train_prepare(&ts, &a->t, error);
  }
  if (!err) {
    char *own = a->t->options;
    uint32_t seed = a->t->seed;
    a->t->options = full;
    a->t->seed = (uint32_t)number(meta, "seed");
    apex_print_rules(&a->rules, a->t->extra, sizeof a->t->extra);
    train_describe(a->t);
    a->t->options = own;
    a->t->seed = seed;
    size_t length = strlen(a->t->text);
    if (strncmp(a->t->text, meta, length) != 0 || strncmp(meta + length, "--\n", 3) != 0)
      err = strange(error, "its settings read differently here");
  }
  sixer_agent_destroy(agent);
  free(full);
  free(options);
  return err;
}

static sixer_err open_game(sixer_apex_actor *a, const sixer_apex_settings *s, const run_texts *x,
                           sixer_error *error) {
  /* a server may be anybody's, and a path would be opened */
  if (!s->image && strpbrk(x->game, "/."))
    return strange(error, "it names its game by something that is not the id of one");
  sixer_err err = sixer_rom_open(s->image ? s->image : x->game, NULL, &a->rom, error);
  if (err) return err;
  sixer_rom_info info = sixer_rom_describe(a->rom);
  if (strcmp(info.md5, x->rom) != 0)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the run is of another image of %.60s: its MD5 is %.32s, this one's is %s",
                      x->game, x->rom, info.md5);
  char name[100], *text = malloc(APEX_META + 200);
  if (!text) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  snprintf(name, sizeof name, "%.*s", (int)strcspn(x->protocol, "@"), x->protocol);
  const char *rest = strstr(a->meta, "\n--\n");
  snprintf(text, APEX_META + 200, "name = \"%s\"\n%s", name, rest ? rest + 4 : "");
  err = protocol_parse_stored(text, "the run in the store", &a->protocol, error);
  free(text);
  return err;
}

static sixer_err understand(sixer_apex_actor *a, const sixer_apex_settings *s, sixer_error *error) {
  run_texts *x = calloc(1, sizeof *x);
  if (!x) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  const char *apex = strstr(a->meta, "\napex=");
  sixer_err err = SIXER_OK;
  if (!apex || !apex_parse_rules(apex + 1, &a->rules) ||
      !setting(a->meta, "agent", x->agent, sizeof x->agent) ||
      !setting(a->meta, "label", x->label, sizeof x->label) ||
      !setting(a->meta, "options", x->options, sizeof x->options) ||
      !setting(a->meta, "game", x->game, sizeof x->game) ||
      !setting(a->meta, "rom", x->rom, sizeof x->rom) ||
      !setting(a->meta, "protocol", x->protocol, sizeof x->protocol))
    err = strange(error, "settings are missing");
  if (!err) err = open_game(a, s, x, error);
  if (!err) err = prepare(a, s, x, error);
  free(x);
  return err;
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

static size_t frame_size(const sixer_apex_actor *a) {
  return (size_t)(a->d->o.size * a->d->o.size);
}

static int64_t step_number(const sixer_apex_actor *a) {
  return a->head.base + a->head.blocks * a->rules.block + a->count;
}

static void begin_episode(sixer_apex_actor *a) {
  sixer_train *t = a->t;
  t->c.episode_steps = 0;
  t->c.lives = sixer_env_status(t->env).lives;
  sixer_tally_begin(&t->c.tally, t->info.limits, t->info.limit_count);
}

static sixer_err end_episode(sixer_apex_actor *a, sixer_error *error) {
  sixer_train *t = a->t;
  sixer_status status = sixer_env_status(t->env);
  apex_episode *e = &a->episodes[a->episode_count++];
  *e = (apex_episode){.position = a->count - 1,
                      .end = (int)status.end,
                      .mode = status.mode,
                      .difficulty = status.difficulty,
                      .level = status.level,
                      .frames = t->c.tally.frames,
                      .steps = t->c.episode_steps};
  memcpy(e->score, t->c.tally.score, sizeof e->score);
  t->c.last = t->c.tally.score[t->info.limit_count - 1];
  a->ended++;
  sixer_agent_reset(t->agent);
  sixer_env_reset(t->env);
  if (sixer_env_status(t->env).over)
    return sixer_fail(error, SIXER_ERR_GAME, "%s is over at the begin of an episode",
                      t->rom_info.title);
  begin_episode(a);
  return SIXER_OK;
}

/* One step, as in training in one process. */
static sixer_err play(sixer_apex_actor *a, sixer_error *error) {
  sixer_train *t = a->t;
  deep *d = a->d;
  int action;
  sixer_result result;
  sixer_err err = sixer_agent_act(t->agent, t->env, t->actions, &action, error);
  if (err) return err;
  apex_step *s = &a->steps[a->count];
  *s = (apex_step){.action = (uint8_t)d->lane, .flags = d->first ? APEX_FIRST : 0, .priority = -1};
  memcpy(a->frames + (size_t)a->count * frame_size(a), d->stack + (DEEP_STACK - 1) * frame_size(a),
         frame_size(a));
  sixer_env_step(t->env, action, &result);
  t->c.episode_steps++;
  sixer_tally_step(&t->c.tally, result.frames, result.reward);
  bool lost = t->info.life_loss == SIXER_LIFE_TERMINAL_IN_TRAINING && !result.over &&
              result.lives < t->c.lives;
  t->c.lives = result.lives;
  if (lost) result.over = result.terminal = true;
  int reward = result.reward;
  if (d->o.clip_rewards) reward = reward > 0 ? 1 : reward < 0 ? -1 : 0;
  s->reward = (float)reward;
  s->frames = (uint8_t)result.frames;
  if (result.over) s->flags |= APEX_TERMINAL;
  err = sixer_agent_learn(t->agent, t->env, &result, error);
  if (err) return err;
  a->count++;
  a->played++;
  a->played_frames += result.frames;
  if (lost) {
    sixer_agent_reset(t->agent);
    return SIXER_OK;
  }
  return result.over ? end_episode(a, error) : SIXER_OK;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* The priorities of the block's steps whose transition is complete, as the learner computes them. */
static void find_priorities(sixer_apex_actor *a) {
  deep *d = a->d;
  int64_t ids[APEX_BLOCK_MAX];
  int positions[APEX_BLOCK_MAX], count = 0;
  for (int i = 0; i < a->rules.block; i++) {
    if (!replay_complete(d->replay, a->local + i)) continue;
    positions[count] = i;
    ids[count++] = a->local + i;
  }
  if (!count) return;
  replay_take(d->replay, d->batch, ids, count);
  for (int i = 0; i < count; i++) d->weights[i] = 1;
  d->method->loss(d);
  d->updates++; /* the next block draws other noise */
  for (int i = 0; i < count; i++) {
    double priority = deep_priority(d, d->losses[i]);
    if (isfinite(priority)) a->steps[positions[i]].priority = (float)priority;
  }
}

/* Encode the first `block` steps. */
static size_t encode(sixer_apex_actor *a) {
  apex_block *b = a->block;
  b->actor = a->index;
  b->count = a->rules.block;
  b->first = a->head.base + a->head.blocks * a->rules.block;
  b->version = a->version;
  memcpy(b->steps, a->steps, (size_t)b->count * sizeof *b->steps);
  b->episode_count = 0;
  for (int i = 0; i < a->episode_count && a->episodes[i].position < b->count; i++)
    b->episodes[b->episode_count++] = a->episodes[i];
  return apex_block_write(&a->form, b, a->frames, a->bytes);
}

/* Forget the steps that were written. */
static void shift(sixer_apex_actor *a) {
  const int block = a->rules.block, left = a->count - block;
  memmove(a->steps, a->steps + block, (size_t)left * sizeof *a->steps);
  memmove(a->frames, a->frames + (size_t)block * frame_size(a), (size_t)left * frame_size(a));
  const int gone = a->block->episode_count;
  a->episode_count -= gone;
  memmove(a->episodes, a->episodes + gone, (size_t)a->episode_count * sizeof *a->episodes);
  for (int i = 0; i < a->episode_count; i++) a->episodes[i].position -= block;
  a->count = left;
  a->local += block;
  a->written++;
}

static bool block_is_full(const sixer_apex_actor *a) {
  return a->count >= a->rules.block + (a->rules.priorities ? (int)a->d->o.n : 0);
}

static apex_result write_block(sixer_apex_actor *a, sixer_error *error) {
  /* a ring that the learner does not follow is not overwritten */
  if (a->head.blocks - a->news.taken >= a->ring - 2) {
    a->waiting = true;
    return APEX_OK;
  }
  if (!a->writing && a->rules.priorities) find_priorities(a);
  a->writing = true;
  size_t size = encode(a);
  a->head.version = a->version;
  apex_result result = a->store->class->put(a->store, &a->head, a->bytes, size, &a->news, error);
  if (result != APEX_OK) return result;
  a->writing = false;
  a->looked = apex_clock();
  shift(a);
  return APEX_OK;
}

/* ---- Weights --------------------------------------------------------------------------------------------------- */

static apex_result fetch(sixer_apex_actor *a, int64_t version, sixer_error *error) {
  apex_result result =
      a->store->class->fetch(a->store, version, a->message, apex_weights_size(a->weights), error);
  if (result != APEX_OK) return result;
  if (!apex_weights_read(a->message, apex_weights_size(a->weights), version, a->canonical,
                         a->weights)) {
    sixer_fail(error, SIXER_ERR_STATE, "the weights of version %lld in the store are damaged",
               (long long)version);
    return APEX_REFUSED;
  }
  nn_import(a->d->net, a->d->online, a->canonical);
  a->d->composed_index = -1;
  if (a->version < 0 || version / a->d->o.target_period != a->version / a->d->o.target_period)
    nn_block_copy(a->d->net, a->d->target, a->d->online);
  a->version = version;
  return APEX_OK;
}

/* Have the weights for the next step. Sets `waiting` if they are not there yet. */
static apex_result prepare_weights(sixer_apex_actor *a, sixer_error *error) {
  const apex_rules *r = &a->rules;
  int64_t step = step_number(a);
  if (!r->synchronized) {
    if (a->version >= 0 && (step % r->fetch || a->news.version == a->version)) return APEX_OK;
    if (a->news.version < 0) a->waiting = true;
    apex_result result = a->waiting ? APEX_OK : fetch(a, a->news.version, error);
    if (result == APEX_ABSENT && a->version >= 0) return APEX_OK; /* a newer one is on its way */
    if (result == APEX_ABSENT) a->waiting = true;
    return result == APEX_ABSENT ? APEX_OK : result;
  }
  int64_t wanted = step * r->actors - r->lead;
  bool due = step * r->actors % r->fetch == 0 && wanted >= a->start && wanted > a->version;
  if (!due) return APEX_OK;
  apex_result result = fetch(a, wanted, error);
  if (result == APEX_ABSENT) a->waiting = true;
  return result == APEX_ABSENT ? APEX_OK : result;
}

/* ---- The store ------------------------------------------------------------------------------------------------- */

/* Take the slice, and begin to play where the store's steps of it end, unless it goes on without a break. */
static apex_result join(sixer_apex_actor *a, const char *meta, sixer_error *error) {
  apex_head head;
  apex_result result = a->store->class->join(a->store, meta, &a->index, &head, error);
  if (result != APEX_OK) return result;
  bool same = a->d && head.epoch == a->head.epoch && head.base == a->head.base;
  if (same && head.blocks == a->head.blocks) return APEX_OK;
  if (same && a->writing && head.blocks == a->head.blocks + 1) { /* it had arrived */
    a->head.blocks++;
    a->writing = false;
    shift(a);
    return APEX_OK;
  }
  a->head = head;
  a->writing = false;
  a->count = a->episode_count = 0;
  a->version = -1;
  if (!a->d) return APEX_OK;
  a->d->steps = step_number(a);
  a->local = replay_added(a->d->replay);
  sixer_agent_reset(a->t->agent);
  sixer_env_reset(a->t->env);
  begin_episode(a);
  return APEX_OK;
}

static sixer_err settle(sixer_apex_actor *a, apex_result result, sixer_error *error) {
  if (result == APEX_OK) {
    a->lost_since = 0;
    return SIXER_OK;
  }
  if (result == APEX_REFUSED) return error->code;
  double now = apex_clock();
  if (!a->lost_since) a->lost_since = now;
  if (now - a->lost_since <= a->patience) return SIXER_OK;
  sixer_error why = *error;
  return sixer_fail(error, SIXER_ERR_STATE, "gave up after %.0f seconds: %.350s",
                    now - a->lost_since,
                    result == APEX_EPOCH ? "the learner is gone" : why.message);
}

static apex_result look(sixer_apex_actor *a, sixer_error *error) {
  a->looked = apex_clock();
  apex_result result = a->store->class->look(a->store, &a->news, error);
  if (result == APEX_OK && a->news.finished) a->finished = true;
  return result;
}

/* Weights to begin with: the newest. */
static apex_result first_weights(sixer_apex_actor *a, sixer_error *error) {
  apex_result result = look(a, error);
  if (result == APEX_OK)
    result = a->news.version >= 0 ? fetch(a, a->news.version, error) : APEX_ABSENT;
  if (result == APEX_ABSENT) {
    sixer_fail(error, SIXER_ERR_STATE, "the learner has not published its weights");
    return APEX_LOST;
  }
  return result;
}

static sixer_err come_back(sixer_apex_actor *a, sixer_error *error) {
  double now = apex_clock();
  if (now - a->tried < RETRY_EVERY) {
    apex_pause(0.02);
    return SIXER_OK;
  }
  a->tried = now;
  apex_result result = join(a, a->meta, error);
  if (result == APEX_OK && a->version < 0) result = first_weights(a, error);
  return settle(a, result, error);
}

/* Is it too early for the next step? Then some of the time until it is passes. */
static bool too_early(sixer_apex_actor *a, double now) {
  if (!(a->pace > 0)) return false;
  double left = a->pace_since + (double)a->played_frames / a->pace - now;
  if (left < -1) a->pace_since -= left; /* time that it lost is not made up for */
  if (left > 0) apex_pause(left < 0.01 ? left : 0.01);
  return left > 0;
}

sixer_err sixer_apex_actor_run(sixer_apex_actor *a, double seconds, sixer_error *error) {
  const double until = apex_clock() + seconds;
  sixer_error own;
  if (!error) error = &own;
  sixer_err err = SIXER_OK;
  for (double now; !err && !a->finished && (now = apex_clock()) < until;) {
    if (a->lost_since) {
      err = come_back(a, error);
      continue;
    }
    a->waiting = false;
    if (now - a->looked >= LOOK_EVERY) err = settle(a, look(a, error), error);
    if (!err && !a->lost_since && block_is_full(a)) err = settle(a, write_block(a, error), error);
    if (!err && !a->lost_since && !a->waiting) err = settle(a, prepare_weights(a, error), error);
    if (err || a->lost_since || a->finished) continue;
    if (a->news.finished)
      a->finished = true;
    else if (a->waiting)
      apex_wait(&a->waits_since, a->rules.lead ? 0.0005 : 0.0001);
    else {
      a->waits_since = 0;
      if (!too_early(a, now)) err = play(a, error);
    }
  }
  return err;
}

/* ---- Creation -------------------------------------------------------------------------------------------------- */

/* The agent as one that plays and explores and never updates. */
static sixer_err make(sixer_apex_actor *a, sixer_error *error) {
  a->d = apex_deep(a->t, error);
  if (!a->d) return SIXER_ERR_ARGUMENT;
  if (a->t->config.frame_skip > 255 || a->t->config.frame_skip_max > 255)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a step has at most 255 frames with Ape-X");
  deep_options *o = &a->d->o;
  const int actors = a->rules.actors;
  a->start = o->start;
  o->period = INT64_MAX;
  if (a->rules.ladder) {
    double place = actors > 1 ? (double)a->index / (actors - 1) : 0;
    o->epsilon_start = o->epsilon = rounded_pow(0.4, 1 + 7 * place);
  }
  o->start = (o->start + actors - 1) / actors;
  o->epsilon_steps /= actors;
  a->d->steps = step_number(a);
  a->form = apex_form_of(a->d, &a->rules);
  a->shape = saber_shape_of(a->d, &a->form, a->memory);
  if (a->rules.saber) a->store->saber = &a->shape;
  a->weights = nn_parameters(nn_net_spec(a->d->net), NULL, NULL);
  size_t room = (size_t)(a->rules.block + o->n + 1);
  a->block = calloc(1, sizeof *a->block);
  a->steps = calloc(room, sizeof *a->steps);
  a->episodes = calloc(room, sizeof *a->episodes);
  a->frames = calloc(room, frame_size(a));
  a->bytes = malloc(apex_block_bound(&a->form));
  a->canonical = malloc(a->weights * sizeof *a->canonical);
  a->message = malloc(apex_weights_size(a->weights));
  if (!a->block || !a->steps || !a->episodes || !a->frames || !a->bytes || !a->canonical ||
      !a->message)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an actor");
  begin_episode(a);
  return SIXER_OK;
}

/* Wait for a learner and join its run. */
static sixer_err enter(sixer_apex_actor *a, sixer_error *error) {
  sixer_err err = SIXER_OK;
  do {
    apex_result result = join(a, NULL, error);
    err = settle(a, result, error);
    if (!err && a->lost_since) apex_pause(RETRY_EVERY);
  } while (!err && a->lost_since);
  return err;
}

sixer_err sixer_apex_actor_create(const sixer_apex_settings *s, int index, sixer_apex_actor **actor,
                                  sixer_error *error) {
  sixer_error own;
  if (!error) error = &own;
  sixer_err err = apex_check(s, error);
  if (err) return err;
  sixer_apex_actor *a = calloc(1, sizeof *a);
  if (!a) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an actor");
  a->patience = s->patience;
  a->pace = s->pace;
  a->pace_since = apex_clock();
  a->index = index;
  a->version = -1;
  err = apex_open_store(s, &a->store, error);
  if (!err) err = enter(a, error);
  if (!err) {
    memcpy(a->meta, a->store->meta_found, sizeof a->meta);
    err = understand(a, s, error);
  }
  if (!err) err = make(a, error);
  while (!err && a->version < 0) {
    err = settle(a, first_weights(a, error), error);
    if (!err && a->version < 0) apex_pause(0.05);
  }
  if (err) {
    sixer_apex_actor_destroy(a);
    return err;
  }
  a->t->c.last = NAN;
  *actor = a;
  return SIXER_OK;
}

void sixer_apex_actor_destroy(sixer_apex_actor *a) {
  if (!a) return;
  apex_store_close(a->store);
  sixer_train_destroy(a->t);
  sixer_protocol_close(a->protocol);
  sixer_rom_close(a->rom);
  free(a->block);
  free(a->steps);
  free(a->episodes);
  free(a->frames);
  free(a->bytes);
  free(a->canonical);
  free(a->message);
  free(a);
}

sixer_apex_actor_state sixer_apex_actor_progress(const sixer_apex_actor *a) {
  return (sixer_apex_actor_state){
      .index = a->index,
      .steps = a->played,
      .frames = a->played_frames,
      .episodes = a->ended,
      .blocks = a->written,
      .version = a->version,
      .last = a->t->c.last,
      .game = a->t->rom_info.game ? a->t->rom_info.game : a->t->rom_info.title,
      .connected = !a->lost_since,
      .waiting = a->waiting,
      .finished = a->finished};
}
