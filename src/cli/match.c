/* Playing a tournament: see match.h. */
#include "cli/match.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/match_log.h"
#include "cli/session.h"
#include "util/error.h"
#include "util/random.h"
#include "util/threads.h"

typedef struct tournament {
  match *m;
  pthread_mutex_t models; /* one reader goes through the file of a model */
  pthread_mutex_t lock;   /* of what follows */
  sixer_error failure;
  int failed; /* number of the first game that failed, or was not played */
  int done;
  cli_progress progress;
} tournament;

bool match_arrange(match *m, int seeds, uint32_t first) {
  size_t count = (size_t)m->agent_count * (size_t)(m->agent_count - 1) * (size_t)seeds;
  m->games = calloc(count, sizeof *m->games);
  if (!m->games) return false;
  for (int i = 0; i < seeds; i++) {
    for (int a = 0; a < m->agent_count; a++) {
      for (int b = a + 1; b < m->agent_count; b++) {
        uint32_t seed = first + (uint32_t)i;
        m->games[m->game_count++] = (match_game){.first = a, .second = b, .seed = seed};
        m->games[m->game_count++] = (match_game){.first = b, .second = a, .seed = seed};
      }
    }
  }
  return true;
}

double match_score(const match_game *game) {
  return game->score[0] > game->score[1] ? 1 : game->score[0] < game->score[1] ? 0 : 0.5;
}

/* An agent for one player of a game. Its generator follows from the seed and the player alone. */
static sixer_err seat(tournament *t, const match_agent *who, uint32_t seed, int player,
                      sixer_agent **agent, sixer_error *error) {
  sixer_err err;
  if (who->model) {
    pthread_mutex_lock(&t->models);
    err = sixer_model_agent(who->model, t->m->rom, agent, error);
    pthread_mutex_unlock(&t->models);
  } else {
    err = session_agent(who->text, random_at(seed, 0x6D61746368, (uint64_t)player), agent, error);
  }
  if (!err) sixer_agent_evaluate(*agent, true);
  return err ? err : sixer_agent_sit(*agent, player, error);
}

static sixer_err play_game(tournament *t, match_game *game, sixer_error *error) {
  const match *m = t->m;
  sixer_agent *agents[SIXER_PLAYERS_MAX] = {NULL};
  const match_agent *sides[2] = {&m->agents[game->first], &m->agents[game->second]};
  sixer_config config = m->config;
  sixer_env *env = NULL;
  sixer_err err = SIXER_OK;
  config.seed = game->seed;
  const int levels = sixer_rom_level_count(m->rom); /* the seed draws one of them */
  config.levels = levels > 0 ? levels : 1;
  for (int i = 0; !err && i < m->players; i++)
    err = seat(t, sides[i % 2], game->seed, i, &agents[i], error);
  if (!err) err = sixer_env_create(m->rom, &config, &env, error);
  sixer_players_result result = {0};
  if (!err) result = sixer_env_players_result(env);
  while (!err && !result.over && !cli_interrupted) {
    int actions[SIXER_PLAYERS_MAX] = {0};
    for (int i = 0; !err && i < m->players; i++) {
      if (!result.ended[i]) /* who is out does nothing */
        err = sixer_agent_act(agents[i], env, sides[i % 2]->actions, &actions[i], error);
    }
    if (!err) err = sixer_env_step_players(env, actions, m->players, &result, error);
  }
  for (int i = 0; !err && !cli_interrupted && i < m->players; i++)
    err = sixer_agent_end(agents[i], env, error);
  for (int i = 0; i < m->players; i++) {
    if (!err) game->score[i % 2] += result.score[i];
    sixer_agent_destroy(agents[i]);
  }
  if (!err) {
    game->frames = sixer_env_status(env).episode_frames;
    game->end = result.end;
  }
  sixer_env_destroy(env);
  return err;
}

static void work(void *context, int item, int thread) {
  (void)thread;
  tournament *t = context;
  match_game *game = &t->m->games[item];
  if (game->played) return;
  pthread_mutex_lock(&t->lock);
  bool stop = t->failed < item || cli_interrupted;
  if (stop && item < t->failed) t->failed = item;
  pthread_mutex_unlock(&t->lock);
  if (stop) return;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = play_game(t, game, &error);
  pthread_mutex_lock(&t->lock);
  if (!err && !cli_interrupted) {
    game->played = true;
    if (t->m->log) err = match_log_add(t->m->log, t->m, game, &error);
  }
  if ((err || cli_interrupted) && item < t->failed) {
    t->failed = item;
    t->failure = error;
  }
  cli_progress_show(&t->progress, ++t->done, t->m->game_count, NULL);
  pthread_mutex_unlock(&t->lock);
}

sixer_err match_play(match *m, int *failed, sixer_error *error) {
  tournament t = {.m = m,
                  .models = PTHREAD_MUTEX_INITIALIZER,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .failed = m->game_count};
  for (int i = 0; i < m->game_count; i++) t.done += m->games[i].played;
  cli_progress_begin(&t.progress, "match");
  pool_run_once(m->jobs, work, &t, m->game_count);
  cli_progress_end(&t.progress);
  *failed = t.failed;
  if (t.failure.code) *error = t.failure;
  return t.failure.code;
}
