/* Training runs: the loop. See train.h.
 *
 * One env plays all episodes of a run, as in the published programs of 2013 and 2018: a reset leaves the console's
 * memory and all generators as they are. In a step the agent chooses, the env plays and the agent learns. Everything at
 * the end of an episode (rows, scores, the next reset) is done in the step that ends it. So between two steps, env,
 * agent and counters are the whole state. */
#include "sixer/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/train_parts.h"
#include "sixer/players.h"
#include "util/error.h"

enum { COOKIE = 0x7EA171 };

sixer_train_settings sixer_train_settings_default(void) {
  return (sixer_train_settings){.cookie = COOKIE,
                                .seed = 1,
                                .mode = SIXER_MODE_DEFAULT,
                                .level = -1,
                                .levels = 1,
                                .evaluation = -1,
                                .threads = 1};
}

void train_path(const char *path, const char *ending, char *out, size_t size) {
  snprintf(out, size, "%s.%s", path, ending);
}

/* ---- Settings -------------------------------------------------------------------------------------------------- */

/* Can the text be a field of a row? It must not have quotes, tabs, line ends or other control characters. */
static bool in_one_field(const char *text) {
  for (; *text; text++) {
    if ((unsigned char)*text < 32 || *text == '"' || *text == 127) return false;
  }
  return true;
}

static sixer_err check_settings(const sixer_train_settings *s, sixer_error *error) {
  if (s->cookie != COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "these settings were not made by sixer_train_settings_default()");
  if (!s->agent || !s->rom || !s->protocol)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "training needs an agent, a rom and a protocol");
  if (!sixer_rom_player_modes(s->rom, SIXER_DIALECT_SIXER, 1).count &&
      sixer_rom_modes(s->rom).count)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%s is for two players or more: one alone has no reward to learn from "
                      "(`sixer games` lists the players of each game)",
                      sixer_rom_describe(s->rom).title);
  if (s->seed < 1 || s->seed > INT32_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the seed of a run is 1 to %d, found %u",
                      INT32_MAX, s->seed);
  if (s->frames < 0 || s->episodes < 0 || s->evaluation < -1)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "frames, episodes and evaluation episodes are not negative");
  if ((s->path && strlen(s->path) > TRAIN_PATH - 100) ||
      (s->tapes && strlen(s->tapes) > TRAIN_PATH - 100))
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the path of the run is too long");
  const char *label = s->label ? s->label : s->agent;
  if (!*label || strlen(label) > 60 || !in_one_field(label))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the label of an agent has 1 to 60 printed characters without quotes");
  return SIXER_OK;
}

/* The config of the env, as the protocol defines it. */
static sixer_config make_config(const sixer_train_settings *s, const sixer_protocol_info *info) {
  sixer_config config = sixer_config_default();
  config.seed = 2 * s->seed;
  config.sticky = (float)info->sticky;
  config.frame_skip = info->frame_skip;
  config.mode = s->mode == SIXER_MODE_DEFAULT && info->mode >= 0 ? info->mode : s->mode;
  config.difficulty = !s->difficulty && info->difficulty >= 0 ? info->difficulty : s->difficulty;
  config.max_frames = info->max_frames;
  config.noop_starts = info->noop_starts;
  config.stuck_limit = info->stuck_frames;
  config.scoring = info->fixed_scoring ? SIXER_SCORING_FIXED : SIXER_SCORING_ALE;
  config.end_on_life_loss = info->life_loss == SIXER_LIFE_TERMINAL;
  if (s->level >= 0) {
    config.level = s->level;
    config.levels = s->levels;
  } else if (info->train_levels[0] >= 0) {
    config.level = info->train_levels[0];
    config.levels = info->train_levels[1] - info->train_levels[0] + 1;
  }
  return config;
}

void train_describe(sixer_train *t) {
  static const char *const life_loss[] = {"ignored", "terminal-in-training", "terminal"};
  const sixer_config *c = &t->config;
  snprintf(
      t->text, sizeof t->text,
      "agent=%s\nlabel=%s\noptions=%s\ngame=%s\nrom=%s\nprotocol=%s\nseed=%u\n"
      "sticky=%.9g\nactions=%s\nframe_skip=%d\nmode=%d\ndifficulty=%d\nlevel=%d\nlevels=%d\n"
      "max_frames=%d\nnoop_starts=%d\nstuck_frames=%d\nlife_loss=%s\nscoring=%s\n"
      "color_averaging=%d\npicture=%d\nversion=%s\nbehavior=%d\n%s",
      t->agent_name, t->label, t->options, t->rom_info.game ? t->rom_info.game : t->rom_info.title,
      t->rom_info.md5, t->protocol_text, t->seed, (double)c->sticky,
      t->info.minimal_actions ? "minimal" : "full", c->frame_skip, sixer_env_status(t->env).mode,
      c->difficulty, c->level, c->levels, c->max_frames, c->noop_starts, c->stuck_limit,
      life_loss[t->info.life_loss], t->info.fixed_scoring ? "fixed" : "ale", c->color_averaging,
      c->picture, SIXER_VERSION, SIXER_BEHAVIOR, t->extra);
}

static sixer_err set_budget(sixer_train *t, const sixer_train_settings *s, sixer_error *error) {
  t->frames_budget = s->frames;
  t->episodes_budget = s->episodes;
  if (!s->frames && !s->episodes) {
    if (t->info.length_in_episodes)
      t->episodes_budget = t->info.length;
    else
      t->frames_budget = t->info.length;
  }
  t->evaluation = s->evaluation;
  if (s->evaluation < 0)
    t->evaluation =
        t->info.score_of == SIXER_SCORE_EVALUATION ||
                (t->info.score_of == SIXER_SCORE_BEST_EVALUATION && t->info.evaluation_interval)
            ? t->info.episodes
            : 0;
  t->ring_size = TRAIN_MEAN + 1;
  if (t->info.score_of == SIXER_SCORE_TRAINING && t->info.episodes >= t->ring_size)
    t->ring_size = t->info.episodes + 1;
  if (t->ring_size > TRAIN_RING_MAX + 1)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the protocol averages %d episodes; at most %d are possible",
                      t->info.episodes, TRAIN_RING_MAX);
  t->ring_frames = calloc((size_t)t->ring_size, sizeof *t->ring_frames);
  t->ring_scores = calloc((size_t)t->ring_size, sizeof *t->ring_scores);
  if (!t->ring_frames || !t->ring_scores)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a training run");
  return SIXER_OK;
}

static void begin_episode(sixer_train *t) {
  t->c.episode_steps = 0;
  t->c.lives = sixer_env_status(t->env).lives;
  sixer_tally_begin(&t->c.tally, t->info.limits, t->info.limit_count);
}

static sixer_err prepare(sixer_train *t, const sixer_train_settings *s, sixer_error *error) {
  snprintf(t->agent_name, sizeof t->agent_name, "%s", s->agent);
  snprintf(t->label, sizeof t->label, "%s", s->label ? s->label : s->agent);
  if (s->path) snprintf(t->path, sizeof t->path, "%s", s->path);
  t->rom = s->rom;
  t->rom_info = sixer_rom_describe(s->rom);
  t->protocol = s->protocol;
  t->info = sixer_protocol_describe(s->protocol);
  t->seed = s->seed;
  snprintf(t->protocol_text, sizeof t->protocol_text, "%.100s@%d#%s", t->info.name, t->info.version,
           t->info.hash);
  sixer_err err =
      sixer_agent_create(s->agent, s->options, 2 * (uint64_t)s->seed - 1, &t->agent, error);
  if (err) return err;
  sixer_agent_use_threads(t->agent, s->threads);
  t->agent->test_epsilon = t->info.test_epsilon;
  t->agent->light = s->refill;
  t->agent->stop = s->stop;
  if (s->tapes) snprintf(t->tapes, sizeof t->tapes, "%s", s->tapes);
  size_t length = sixer_agent_settings(t->agent, NULL, 0);
  t->options = malloc(length + 1);
  if (!t->options) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a training run");
  sixer_agent_settings(t->agent, t->options, length + 1);
  if (length > TRAIN_TEXT - 2000 || !in_one_field(t->options))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the options of the agent are too long or contain quotes");
  t->config = make_config(s, &t->info);
  sixer_agent_prepare(t->agent, &t->config);
  t->actions =
      t->info.minimal_actions ? sixer_rom_minimal_actions(t->rom) : sixer_rom_legal_actions(t->rom);
  err = sixer_env_create(t->rom, &t->config, &t->env, error);
  if (!err && t->agent->class->bind) err = t->agent->class->bind(t->agent, t->actions, error);
  if (!err) err = set_budget(t, s, error);
  if (!err && t->agent->class->vector) err = train_vector_create(t, error);
  if (err) return err;
  train_describe(t);
  t->c.best = t->c.last = NAN;
  t->c.curve_next = TRAIN_CURVE;
  t->tests.next = t->info.evaluation_interval;
  begin_episode(t);
  return SIXER_OK;
}

sixer_err train_prepare(const sixer_train_settings *settings, sixer_train **out,
                        sixer_error *error) {
  sixer_err err = check_settings(settings, error);
  if (err) return err;
  sixer_train *t = calloc(1, sizeof *t);
  if (!t) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a training run");
  err = prepare(t, settings, error);
  if (err) {
    sixer_train_destroy(t);
    return err;
  }
  *out = t;
  return SIXER_OK;
}

void sixer_train_destroy(sixer_train *t) {
  if (!t) return;
  rows_close(t);
  train_test_destroy(t);
  sixer_recorder_close(t->recorder, NULL);
  train_vector_destroy(t->vector);
  sixer_agent_destroy(t->agent);
  sixer_env_destroy(t->env);
  free(t->options);
  free(t->ring_frames);
  free(t->ring_scores);
  free(t);
}

/* ---- Scores ---------------------------------------------------------------------------------------------------- */

/* The place of an episode in the ring; 0 is the oldest. */
static int ring_at(const sixer_train *t, int index) {
  return (t->c.ring_first + index) % t->ring_size;
}

static void ring_add(sixer_train *t, int64_t frames) {
  int at = ring_at(t, t->c.ring_count);
  if (t->c.ring_count < t->ring_size)
    t->c.ring_count++;
  else
    t->c.ring_first = (t->c.ring_first + 1) % t->ring_size;
  t->ring_frames[at] = frames;
  memcpy(t->ring_scores[at], t->c.tally.score, sizeof t->ring_scores[at]);
}

double train_mean(const sixer_train *t, int wanted, int limit, int *averaged) {
  int count = t->c.ring_count < wanted ? t->c.ring_count : wanted;
  double sum = 0;
  for (int i = t->c.ring_count - count; i < t->c.ring_count; i++)
    sum += t->ring_scores[ring_at(t, i)][limit];
  if (averaged) *averaged = count;
  return count ? sum / count : NAN;
}

/* The score at a checkpoint that the last episode has reached, by the rule of the protocol. The ring holds one episode
 * more than are averaged, because some protocols leave out the episode that crosses the checkpoint. */
static sixer_err checkpoint_score(const sixer_train *t, int64_t at, sixer_train_score *out,
                                  sixer_error *error) {
  size_t count = (size_t)t->c.ring_count;
  int64_t *frames = malloc(count * sizeof *frames);
  double *scores = malloc(count * sizeof *scores);
  if (!frames || !scores) {
    free(frames);
    free(scores);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the mean of %zu episodes", count);
  }
  sixer_err err = SIXER_OK;
  int64_t in_ring = 0;
  for (size_t i = 0; i < count; i++) in_ring += frames[i] = t->ring_frames[ring_at(t, (int)i)];
  bool in_episodes = t->info.length_in_episodes;
  /* frames or episodes before the oldest one in the ring */
  int64_t before = in_episodes ? t->c.episodes - (int64_t)count : t->c.frames - in_ring;
  *out = (sixer_train_score){.at = at};
  for (size_t k = 0; k < t->info.limit_count && !err; k++) {
    size_t averaged;
    for (size_t i = 0; i < count; i++) scores[i] = t->ring_scores[ring_at(t, (int)i)][k];
    err = sixer_checkpoint_mean(frames, scores, count, at - before, in_episodes,
                                t->info.include_crossing, (size_t)t->info.episodes, &out->score[k],
                                &averaged, error);
    out->episodes = (int)averaged;
  }
  free(frames);
  free(scores);
  return err;
}

/* Training so far in the unit of the protocol's checkpoints, at the end of an episode. */
static int64_t counted(const sixer_train *t) {
  return t->info.length_in_episodes ? t->c.episodes : t->c.frames;
}

bool train_budget_reached(const sixer_train *t) {
  int64_t frames = t->c.frames - t->c.tally.frames; /* of the episodes that have ended */
  if (t->vector) {
    if (!train_vector_resting(t)) return false;
    frames = t->c.frames;
  }
  return (t->frames_budget && frames >= t->frames_budget) ||
         (t->episodes_budget && t->c.episodes >= t->episodes_budget);
}

/* Scores for the checkpoints that the last episode has passed. */
static sixer_err take_scores(sixer_train *t, sixer_error *error) {
  if (t->info.score_of != SIXER_SCORE_TRAINING) return SIXER_OK;
  bool taken = false;
  while (t->c.checkpoints < (int)t->info.checkpoint_count &&
         t->info.checkpoints[t->c.checkpoints] <= counted(t)) {
    int64_t at = t->info.checkpoints[t->c.checkpoints++];
    sixer_train_score score;
    sixer_error inner;
    sixer_err err = checkpoint_score(t, at, &score, &inner);
    if (err == SIXER_ERR_ARGUMENT) continue; /* no episode ended before this checkpoint */
    if (err) return sixer_fail(error, err, "%s", inner.message);
    t->c.scores[t->c.score_count++] = score;
    taken = true;
  }
  return taken ? rows_write_scores(t, error) : SIXER_OK;
}

/* The score at the end of the run. It is shown beside those of the protocol's checkpoints but not stored with them, so
 * that a run which is extended later has the same scores as one that was longer from the start. */
static bool final_score(const sixer_train *t, sixer_train_score *out) {
  int64_t at = counted(t);
  int64_t budget = t->info.length_in_episodes ? t->episodes_budget : t->frames_budget;
  if (budget && budget <= at) at = budget; /* the last episode may go beyond the budget */
  if (t->info.score_of != SIXER_SCORE_TRAINING && t->c.phase == TRAIN_FINISHED && t->c.evaluated) {
    *out = (sixer_train_score){.at = at, .episodes = (int)t->c.evaluated};
    for (size_t k = 0; k < t->info.limit_count; k++)
      out->score[k] = t->c.evaluation_sum[k] / (double)t->c.evaluated;
    return true;
  }
  if (t->info.score_of == SIXER_SCORE_BEST_EVALUATION && t->c.phase == TRAIN_FINISHED &&
      t->tests.count) {
    *out = (sixer_train_score){.at = at, .episodes = (int)t->tests.best_episodes};
    memcpy(out->score, t->tests.best, sizeof out->score);
    return true;
  }
  if (t->info.score_of != SIXER_SCORE_TRAINING || t->c.phase == TRAIN_LEARNING) return false;
  for (int i = 0; i < t->c.score_count; i++) {
    if (t->c.scores[i].at == at) return false;
  }
  sixer_error error;
  return checkpoint_score(t, at, out, &error) == SIXER_OK;
}

bool sixer_train_score_at(const sixer_train *t, int index, sixer_train_score *score) {
  if (index >= 0 && index < t->c.score_count) {
    *score = t->c.scores[index];
    return true;
  }
  return index == t->c.score_count && final_score(t, score);
}

/* ---- The loop -------------------------------------------------------------------------------------------------- */

/* The level of the next episode without learning: each level of the test in turn. */
static sixer_err choose_test_level(sixer_train *t, sixer_error *error) {
  const int *test = t->info.test_levels;
  if (test[0] < 0) return SIXER_OK;
  int count = test[1] - test[0] + 1;
  return sixer_env_set_levels(t->env, test[0] + (int)(t->c.evaluated % count), 1, error);
}

static sixer_err next_episode(sixer_train *t, sixer_error *error) {
  if (t->c.phase == TRAIN_EVALUATING) {
    sixer_err err = choose_test_level(t, error);
    if (err) return err;
  }
  sixer_agent_reset(t->agent);
  sixer_env_reset(t->env);
  if (t->recorder) sixer_recorder_reset(t->recorder); /* errors are those of the next step */
  if (sixer_env_status(t->env).over)
    return sixer_fail(error, SIXER_ERR_GAME, "%s is over at the beginning of an episode",
                      t->rom_info.title);
  begin_episode(t);
  return SIXER_OK;
}

static sixer_err finish(sixer_train *t, sixer_error *error) {
  t->c.phase = TRAIN_FINISHED;
  sixer_err err = sixer_recorder_close(t->recorder, error);
  t->recorder = NULL;
  if (!err) err = rows_write_scores(t, error);
  if (!err && t->evaluation) err = sixer_train_save(t, error);
  return err;
}

/* Training is over: write its last checkpoint. Episodes without learning may follow; they do not change it. */
sixer_err train_end(sixer_train *t, sixer_error *error) {
  sixer_err err = sixer_train_save(t, error);
  if (err) return err;
  if (!t->evaluation) return finish(t, error);
  t->c.phase = TRAIN_EVALUATING;
  sixer_agent_evaluate(t->agent, true);
  err = train_test_take_best(t, error);
  if (!err) err = rows_create(t, ROWS_EVALUATION, error);
  if (!err) err = next_episode(t, error);
  return err ? err : train_tape_open(t, "evaluation", t->env, &t->recorder, error);
}

sixer_err train_count_episode(sixer_train *t, int64_t frames, const sixer_status *status,
                              sixer_error *error) {
  t->c.episodes++;
  t->c.last = t->c.tally.score[t->info.limit_count - 1];
  if (!(t->c.best >= t->c.last)) t->c.best = t->c.last;
  ring_add(t, frames);
  sixer_err err = rows_add_episode(t, ROWS_EPISODES, status, error);
  if (!err && t->c.frames >= t->c.curve_next) {
    while (t->c.curve_next <= t->c.frames) t->c.curve_next += TRAIN_CURVE;
    err = rows_add_curve(t, error);
  }
  return err ? err : take_scores(t, error);
}

static sixer_err end_learning_episode(sixer_train *t, sixer_error *error) {
  sixer_status status = sixer_env_status(t->env);
  sixer_err err = train_count_episode(t, t->c.tally.frames, &status, error);
  /* start the next episode before the checkpoint is written, so that training can be continued from it */
  if (!err) err = next_episode(t, error);
  if (!err && train_test_due(t)) return train_test_begin(t, error);
  if (!err && train_budget_reached(t)) err = train_end(t, error);
  return err;
}

static sixer_err end_test_episode(sixer_train *t, sixer_error *error) {
  sixer_status status = sixer_env_status(t->env);
  t->c.evaluated++;
  t->c.evaluation_frames += t->c.tally.frames;
  for (size_t k = 0; k < t->info.limit_count; k++) t->c.evaluation_sum[k] += t->c.tally.score[k];
  sixer_err err = rows_add_episode(t, ROWS_EVALUATION, &status, error);
  if (!err) err = sixer_agent_end(t->agent, t->env, error);
  if (!err) err = t->c.evaluated < t->evaluation ? next_episode(t, error) : finish(t, error);
  return err;
}

static sixer_err step(sixer_train *t, sixer_error *error) {
  int action;
  sixer_result result;
  sixer_err err = sixer_agent_act(t->agent, t->env, t->actions, &action, error);
  if (err) return err;
  sixer_env_step(t->env, action, &result);
  t->c.episode_steps++;
  sixer_tally_step(&t->c.tally, result.frames, result.reward);
  if (t->recorder) {
    err = sixer_recorder_step(t->recorder, (sixer_input){.action_a = action, .strength_a = 1},
                              &result);
    if (err) {
      sixer_recorder_close(t->recorder, error);
      t->recorder = NULL;
      return err;
    }
  }
  if (t->c.phase == TRAIN_EVALUATING) return result.over ? end_test_episode(t, error) : SIXER_OK;
  t->c.steps++;
  t->c.frames += result.frames;
  /* a lost life may count as an end for the learner, while the game goes on */
  bool lost = t->info.life_loss == SIXER_LIFE_TERMINAL_IN_TRAINING && !result.over &&
              result.lives < t->c.lives;
  t->c.lives = result.lives;
  if (lost) result.over = result.terminal = true;
  err = sixer_agent_learn(t->agent, t->env, &result, error);
  if (err) return err;
  if (lost) {
    sixer_agent_reset(t->agent);
    return SIXER_OK;
  }
  return result.over ? end_learning_episode(t, error) : SIXER_OK;
}

sixer_err sixer_train_run(sixer_train *t, int64_t steps, sixer_error *error) {
  sixer_err err = SIXER_OK;
  if (t->tests.running && !t->test) err = train_test_start(t, error); /* of a resumed run */
  /* a checkpoint lets the vector finish its update, and so may have come to the beginning of an evaluation */
  if (!err && t->vector && t->c.phase == TRAIN_LEARNING && !t->test && train_vector_resting(t) &&
      train_test_due(t))
    err = train_test_begin(t, error);
  if (!err && t->c.phase == TRAIN_LEARNING && !t->test && train_budget_reached(t))
    err = train_end(t, error);
  for (int64_t i = 0; i < steps && t->c.phase != TRAIN_FINISHED && !err;) {
    if (t->test) {
      err = train_test_step(t, error);
      if (!err && !t->test && train_budget_reached(t)) err = train_end(t, error);
      i++;
    } else if (t->vector && t->c.phase == TRAIN_LEARNING) {
      err = train_vector_step(t, error);
      if (!err && train_vector_resting(t) && train_test_due(t)) err = train_test_begin(t, error);
      if (!err && !t->test && train_budget_reached(t)) err = train_end(t, error);
      i += train_vector_count(t);
    } else {
      err = step(t, error);
      i++;
    }
  }
  return err;
}

/* ---- Looking --------------------------------------------------------------------------------------------------- */

sixer_train_progress train_progress(const train_counters *c, double mean, int averaged) {
  return (sixer_train_progress){
      .frames = c->frames,
      .steps = c->steps,
      .episodes = c->episodes,
      .mean = mean,
      .averaged = averaged,
      .best = c->best,
      .last = c->last,
      .trained = c->phase != TRAIN_LEARNING,
      .finished = c->phase == TRAIN_FINISHED,
      .evaluated = (int)c->evaluated,
      .evaluation_frames = c->evaluation_frames,
      .best_test = NAN,
      .last_test = NAN,
      .evaluation_mean = c->evaluated ? c->evaluation_sum[0] / (double)c->evaluated : NAN};
}

sixer_train_progress sixer_train_progress_of(const sixer_train *t) {
  int averaged, limit = (int)t->info.limit_count - 1;
  double mean = train_mean(t, TRAIN_MEAN, limit, &averaged);
  sixer_train_progress p = train_progress(&t->c, mean, averaged);
  p.frames_budget = t->frames_budget;
  p.episodes_budget = t->episodes_budget;
  p.evaluation = t->evaluation;
  if (t->c.evaluated) p.evaluation_mean = t->c.evaluation_sum[limit] / (double)t->c.evaluated;
  p.refilled = sixer_agent_learned(t->agent).refilled;
  p.tests = t->tests.count;
  p.best_test = t->tests.count ? t->tests.best[limit] : NAN;
  p.last_test = t->tests.count ? t->tests.last : NAN;
  double by_frames = t->frames_budget ? (double)t->c.frames / (double)t->frames_budget : 0;
  double by_episodes = t->episodes_budget ? (double)t->c.episodes / (double)t->episodes_budget : 0;
  p.share = by_frames > by_episodes ? by_frames : by_episodes;
  if (p.share > 1) p.share = 1;
  return p;
}

sixer_agent *sixer_train_agent(sixer_train *t) { return t->agent; }
sixer_env *sixer_train_env(sixer_train *t) { return t->env; }
const char *sixer_train_text(const sixer_train *t) { return t->text; }
