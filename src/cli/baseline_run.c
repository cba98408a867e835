/* Running baselines. The unit of work is a block of ten episodes of one policy on one game. Each episode starts from a
 * new env seeded by its number, and plays to its end; nothing is drawn. Each finished block is a line of the store
 * file: an interrupted run reads them and plays only the missing blocks. */
#include "cli/baseline_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/random.h"
#include "util/threads.h"
#include "util/os.h"

enum { BLOCK = 10 };

typedef struct block {
  int game, policy, first, count;
  bool done;
} block;

typedef struct run {
  baseline_game *games;
  int game_count;
  const baseline_settings *settings;
  block *blocks;
  int block_count;
  pthread_mutex_t lock; /* of all that follows, and of the results */
  FILE *store;
  sixer_error failure;
  cli_progress progress;
  double work_done, work_total;
  int64_t frames;
} run;

double policy_mean(const policy_result *p) { return p->done ? p->sum / p->done : NAN; }

double policy_deviation(const policy_result *p) {
  if (p->done < 2) return 0;
  double variance = (p->squares - p->sum * p->sum / p->done) / (p->done - 1);
  return variance > 0 ? sqrt(variance) : 0;
}

double policy_error(const policy_result *p) {
  return p->done ? policy_deviation(p) / sqrt(p->done) : NAN;
}

const char *policy_name(int policy) {
  return policy == POLICY_RANDOM                                   ? "random"
         : policy < POLICY_PERTURB || policy == POLICY_CONST_AGAIN ? "const"
                                                                   : "perturb";
}

int policy_action(const baseline_game *game, int policy) {
  if (policy == POLICY_RANDOM) return -1;
  if (policy == POLICY_CONST_AGAIN) return game->best_const;
  if (policy == POLICY_PERTURB_AGAIN) return game->best_perturb;
  return policy < POLICY_PERTURB ? policy - POLICY_CONST : policy - POLICY_PERTURB;
}

/* ---- Episodes -------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b) {
  return random_mix(a * RANDOM_STEP + b + 0xD1B54A32D192ED03u);
}

static void add_score(policy_result *p, double score, int64_t frames) {
  if (p->done == 0 || score < p->lowest) p->lowest = score;
  if (p->done == 0 || score > p->highest) p->highest = score;
  p->done++;
  p->sum += score;
  p->squares += score * score;
  p->frames += frames;
}

static sixer_err play_episode(sixer_env *env, sixer_agent *agent, double *score, int64_t *frames,
                              sixer_error *error) {
  sixer_list actions = session_actions(sixer_env_rom(env), false);
  sixer_result result = {.over = sixer_env_status(env).over};
  *score = 0;
  *frames = 0;
  while (!result.over) {
    int action;
    sixer_err err = sixer_agent_act(agent, env, actions, &action, error);
    if (err) return err;
    sixer_env_step(env, action, &result);
    *score += result.reward;
    *frames += result.frames;
  }
  return SIXER_OK;
}

static bool varies(const sixer_config *c) {
  return c->sticky > 0 || c->noop_starts > 0 || c->levels > 1;
}

/* An env for the episode. If nothing in the config is random, its seed does not matter (`same`): the first env is put
 * back into its initial state instead of creating another. */
static sixer_err begin_episode(sixer_env **env, const sixer_rom *rom, const sixer_config *config,
                               bool same, uint8_t **start, sixer_error *error) {
  if (*env && same)
    return sixer_env_load(*env, *start, sixer_env_state_size(*env, SIXER_SAVE_CONTROLLER), error);
  sixer_env_destroy(*env);
  *env = NULL;
  sixer_err err = sixer_env_create(rom, config, env, error);
  if (err || *start) return err;
  *start = malloc(sixer_env_state_size(*env, SIXER_SAVE_CONTROLLER));
  if (!*start) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  sixer_env_save(*env, SIXER_SAVE_CONTROLLER, *start);
  return SIXER_OK;
}

/* Play a block. The scores do not depend on what else is played. */
static sixer_err play_block(const run *r, const block *b, double *scores, int64_t *frames,
                            sixer_error *error) {
  const baseline_game *game = &r->games[b->game];
  sixer_config config = r->settings->config;
  config.picture = false;
  sixer_env *env = NULL;
  uint8_t *start = NULL;
  sixer_err err = SIXER_OK;
  char spec[100];
  int action = policy_action(game, b->policy);
  if (action < 0)
    snprintf(spec, sizeof spec, "%s", policy_name(b->policy));
  else
    snprintf(spec, sizeof spec, "%s:action=%s", policy_name(b->policy), sixer_action_name(action));
  for (int i = 0; i < b->count && !err; i++) {
    /* all policies play on the same env seeds; each has agent seeds of its own */
    uint64_t episode = mix(r->settings->config.seed, (uint64_t)(b->first + i));
    sixer_agent *agent;
    config.seed = (uint32_t)episode;
    if (r->settings->each_level) {
      config.level = r->settings->config.level + (b->first + i) % r->settings->config.levels;
      config.levels = 1;
    }
    bool same = !varies(&r->settings->config);
    err = begin_episode(&env, game->rom, &config, same, &start, error);
    if (!err) err = session_agent(spec, mix(episode, (uint64_t)b->policy), &agent, error);
    if (err) break;
    err = play_episode(env, agent, &scores[i], &frames[i], error);
    sixer_agent_destroy(agent);
  }
  free(start);
  sixer_env_destroy(env);
  return err;
}

static void work(void *context, int item, int thread) {
  size_t part = (size_t)item;
  (void)thread;
  run *r = context;
  block *b = &r->blocks[part];
  if (b->done || r->failure.code) return;
  double scores[BLOCK] = {0};
  int64_t frames[BLOCK] = {0};
  sixer_error error;
  sixer_err err = play_block(r, b, scores, frames, &error);
  pthread_mutex_lock(&r->lock);
  if (err) {
    r->failure = error;
  } else {
    b->done = true;
    r->work_done += b->count;
    if (r->store) {
      fprintf(r->store, "%s\t%d\t%d\t%d", r->games[b->game].id, b->policy, b->first, b->count);
      for (int i = 0; i < b->count; i++)
        fprintf(r->store, "\t%.17g\t%" PRId64, scores[i], frames[i]);
      fputc('\n', r->store);
      if (fflush(r->store) && !r->failure.code)
        sixer_fail(&r->failure, SIXER_ERR_FILE, "%s: cannot be written: %s", r->settings->store,
                   strerror(errno));
    }
    for (int i = 0; i < b->count; i++) {
      add_score(&r->games[b->game].policies[b->policy], scores[i], frames[i]);
      r->frames += frames[i];
    }
    char note[80];
    double seconds = cli_seconds() - r->progress.start;
    snprintf(note, sizeof note, "%.0f frames/s", seconds > 0 ? (double)r->frames / seconds : 0);
    cli_progress_show(&r->progress, r->work_done, r->work_total, note);
  }
  pthread_mutex_unlock(&r->lock);
}

/* ---- Store ----------------------------------------------------------------------------------------------------- */

static void settings_line(const run *r, char *line, size_t size) {
  const sixer_config *c = &r->settings->config;
  char more[60] = "";
  if (c->stuck_limit) snprintf(more, sizeof more, ", stuck_limit %d", c->stuck_limit);
  snprintf(
      line, size,
      "# sixer baselines 1, behavior %d, episodes %d, seed %u, sticky %.9g, "
      "frame_skip %d, mode %d, difficulty %d, level %d, levels %d, max_frames %d, noop_starts %d, "
      "scoring %d%s%s%s",
      SIXER_BEHAVIOR, r->settings->episodes, c->seed, (double)c->sticky, c->frame_skip, c->mode,
      c->difficulty, c->level, c->levels, c->max_frames, c->noop_starts, (int)c->scoring, more,
      c->end_on_life_loss ? ", end_on_life_loss" : "",
      r->settings->each_level ? ", each level" : "");
}

static block *find_block(run *r, const char *id, int policy, int first, int count) {
  for (int i = 0; i < r->block_count; i++) {
    block *b = &r->blocks[i];
    if (b->policy == policy && b->first == first && b->count == count &&
        !strcmp(r->games[b->game].id, id))
      return b;
  }
  return NULL;
}

/* Take the results of a line of the store; an incomplete line is ignored. */
static void take_line(run *r, char *line) {
  char *save = NULL, *id = strtok_r(line, "\t", &save);
  int numbers[3];
  for (int i = 0; i < 3; i++) {
    char *word = strtok_r(NULL, "\t", &save);
    if (!word) return;
    numbers[i] = atoi(word);
  }
  block *b = find_block(r, id, numbers[0], numbers[1], numbers[2]);
  if (!b || b->done || b->count > BLOCK) return;
  double scores[BLOCK];
  int64_t frames[BLOCK];
  for (int i = 0; i < b->count; i++) {
    char *score = strtok_r(NULL, "\t", &save), *length = strtok_r(NULL, "\t\n", &save);
    if (!score || !length) return;
    char *end[2];
    scores[i] = strtod(score, &end[0]);
    frames[i] = strtoll(length, &end[1], 10);
    if (*end[0] || *end[1] || frames[i] < 0) return;
  }
  for (int i = 0; i < b->count; i++)
    add_score(&r->games[b->game].policies[b->policy], scores[i], frames[i]);
  b->done = true;
  r->work_done += b->count;
}

/* Read the results that the store already has for the blocks of this round. */
static sixer_err read_store(run *r, sixer_error *error) {
  if (!r->store) return SIXER_OK;
  char *line = NULL, expected[400];
  size_t room = 0;
  ssize_t length;
  sixer_err err = SIXER_OK;
  settings_line(r, expected, sizeof expected);
  rewind(r->store);
  bool first = true;
  while (!err && (length = os_getline(&line, &room, r->store)) > 0) {
    if (line[length - 1] != '\n') {
      fputc('\n', r->store); /* the last one was cut off */
      break;
    }
    line[length - 1] = 0;
    if (first && strcmp(line, expected) != 0)
      err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                       "%s was made with other settings (%.200s): name another file",
                       r->settings->store, line);
    else if (!first)
      take_line(r, line);
    first = false;
  }
  free(line);
  fseek(r->store, 0, SEEK_END);
  if (!err && first) {
    fprintf(r->store, "%s\n", expected);
    if (fflush(r->store))
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", r->settings->store,
                       strerror(errno));
  }
  return err;
}

/* ---- Rounds ---------------------------------------------------------------------------------------------------- */

static bool wanted(const baseline_settings *s, int policy) {
  return !s->only || !strcmp(s->only, policy_name(policy));
}

static void add_blocks(run *r, int game, int policy, int first, int episodes) {
  if (!wanted(r->settings, policy)) return;
  r->games[game].policies[policy].wanted = episodes;
  for (int i = 0; i < episodes; i += BLOCK) {
    int count = episodes - i < BLOCK ? episodes - i : BLOCK;
    r->blocks[r->block_count++] = (block){game, policy, first + i, count, false};
    r->work_total += count;
  }
}

static sixer_err play_round(run *r, sixer_error *error) {
  sixer_err err = read_store(r, error);
  if (err) return err;
  pool_run_once(r->settings->jobs, work, r, r->block_count);
  r->block_count = 0;
  if (r->failure.code) *error = r->failure;
  return r->failure.code;
}

/* The best of 18, the first of equals; -1 if they were not played. */
static int best_of(const baseline_game *game, int first) {
  int best = 0;
  if (!game->policies[first].done) return -1;
  for (int i = 1; i < SIXER_ACTION_COUNT; i++) {
    if (policy_mean(&game->policies[first + i]) > policy_mean(&game->policies[first + best]))
      best = i;
  }
  return best;
}

sixer_err baseline_run(baseline_game *games, int count, const baseline_settings *settings,
                       sixer_error *error) {
  size_t blocks_of_each = (size_t)(settings->episodes + BLOCK - 1) / BLOCK;
  run r = {.games = games,
           .game_count = count,
           .settings = settings,
           .blocks = calloc((size_t)count * POLICIES * blocks_of_each, sizeof *r.blocks),
           .lock = PTHREAD_MUTEX_INITIALIZER};
  sixer_err err = r.blocks ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  if (!err && settings->store) {
    r.store = os_fopen(settings->store, "a+");
    if (!r.store)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be opened: %s", settings->store,
                       strerror(errno));
  }
  cli_progress_begin(&r.progress, settings->label);
  int n = settings->episodes, n_const = varies(&settings->config) ? n : 1;
  bool const_again = varies(&settings->config) && wanted(settings, POLICY_CONST_AGAIN);
  bool perturb_again = wanted(settings, POLICY_PERTURB_AGAIN);
  for (int g = 0; g < count && !err; g++) {
    games[g].best_const = games[g].best_perturb = -1;
    add_blocks(&r, g, POLICY_RANDOM, 0, n);
    for (int a = 0; a < SIXER_ACTION_COUNT; a++) {
      add_blocks(&r, g, POLICY_CONST + a, 0, n_const);
      add_blocks(&r, g, POLICY_PERTURB + a, 0, n);
    }
    if (settings->again) r.work_total += n * (const_again + perturb_again);
  }
  if (!err) err = play_round(&r, error);
  for (int g = 0; g < count && !err; g++) {
    games[g].best_const = best_of(&games[g], POLICY_CONST);
    games[g].best_perturb = best_of(&games[g], POLICY_PERTURB);
    if (!settings->again) continue;
    r.work_total -= n * (const_again + perturb_again);
    if (const_again) add_blocks(&r, g, POLICY_CONST_AGAIN, n, n);
    if (perturb_again) add_blocks(&r, g, POLICY_PERTURB_AGAIN, n, n);
  }
  if (!err && settings->again) err = play_round(&r, error);
  cli_progress_end(&r.progress);
  if (r.store && fclose(r.store) && !err)
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", settings->store,
                     strerror(errno));
  free(r.blocks);
  return err;
}
