/* Everything that uses threads, at the same time in one process, for the thread sanitizer (test_thread_sanitizer.sh):
 * vectors stepped and sent to, planners with several jobs, learners with several threads, and environments and models
 * that are made side by side. Results must not depend on the number of threads.
 *
 *   test_threads            some steps
 *   test_threads STEPS      so many steps of each vector, and a part of that of the others */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sixer/agents.h"
#include "sixer/vec.h"
#include "util/hash.h"
#include "util/os_thread.h"

enum { ENVS = 9 };

static int steps = 60;
static sixer_rom *rom; /* shared by all threads, with its cache of resets */

/* ---- Vectors --------------------------------------------------------------------------------------------------- */

typedef struct vector {
  sixer_vec *vec;
  size_t obs_size;
  uint8_t *obs;
  int32_t rewards[ENVS], ids[ENVS];
  uint64_t digest[ENVS]; /* of what each env has shown */
} vector;

static void note(vector *v, int rows) {
  for (int i = 0; i < rows; i++) {
    const int env = v->ids[i];
    v->digest[env] = hash_bytes(v->obs + (size_t)i * v->obs_size, v->obs_size, 0) ^
                     (v->digest[env] * 31 + (uint64_t)v->rewards[i]);
  }
}

/* Steps of all envs, with some of them asynchronous: the digests of the envs. */
static void play_vector(int threads, bool sends, uint64_t digest[ENVS]) {
  sixer_vec_config config = sixer_vec_config_default();
  sixer_vec_slot slots[ENVS];
  vector v = {0};
  config.threads = threads;
  for (int i = 0; i < ENVS; i++) slots[i] = (sixer_vec_slot){rom, SIXER_MODE_DEFAULT, 0};
  assert_int_equal(sixer_vec_create(slots, ENVS, &config, &v.vec, NULL), SIXER_OK);
  v.obs_size = sixer_vec_describe(v.vec).obs_size;
  v.obs = malloc(ENVS * v.obs_size);
  const sixer_vec_out out = {.rows = ENVS, .obs = v.obs, .rewards = v.rewards, .env_ids = v.ids};
  int64_t seeds[ENVS];
  int32_t all[ENVS], actions[ENVS];
  for (int i = 0; i < ENVS; i++) seeds[i] = i, all[i] = i;
  assert_int_equal(sixer_vec_reset(v.vec, NULL, seeds, &out, NULL), SIXER_OK);
  int sent[ENVS] = {0};
  for (int step = 0; step < steps && !sends; step++) {
    for (int i = 0; i < ENVS; i++) actions[i] = (step / 3 + i) % sixer_vec_actions(v.vec, i).count;
    assert_int_equal(sixer_vec_step(v.vec, actions, NULL, &out, NULL), SIXER_OK);
    note(&v, ENVS);
  }
  /* each env gets the same actions, but as soon as its last result is there */
  for (int i = 0; i < ENVS; i++) actions[i] = i % sixer_vec_actions(v.vec, i).count;
  if (sends) assert_int_equal(sixer_vec_send(v.vec, all, ENVS, actions, NULL, NULL), SIXER_OK);
  while (sends && sixer_vec_pending(v.vec)) {
    const int pending = sixer_vec_pending(v.vec), rows = pending < 4 ? pending : 1 + pending % 4;
    int again = 0;
    int32_t envs[ENVS];
    assert_int_equal(sixer_vec_recv(v.vec, rows, &out, NULL), SIXER_OK);
    note(&v, rows);
    for (int k = 0; k < rows; k++) {
      const int i = v.ids[k];
      if (++sent[i] == steps) continue;
      envs[again] = i;
      actions[again++] = (sent[i] / 3 + i) % sixer_vec_actions(v.vec, i).count;
    }
    if (again) assert_int_equal(sixer_vec_send(v.vec, envs, again, actions, NULL, NULL), SIXER_OK);
  }
  memcpy(digest, v.digest, sizeof v.digest);
  sixer_vec_destroy(v.vec);
  free(v.obs);
}

static void *vector_thread(void *digest) {
  play_vector(3, true, digest);
  return NULL;
}

/* Two vectors with threads of their own, beside each other. */
static void test_vectors(void **state) {
  (void)state;
  uint64_t alone[ENVS], beside[ENVS], sent[ENVS];
  pthread_t thread;
  play_vector(1, false, alone);
  assert_int_equal(os_thread_start(&thread, vector_thread, sent), 0);
  play_vector(4, false, beside);
  pthread_join(thread, NULL);
  assert_memory_equal(alone, beside, sizeof alone);
  assert_memory_equal(alone, sent, sizeof alone);
}

/* ---- Agents ---------------------------------------------------------------------------------------------------- */

/* An agent plays for a while: a digest of its actions and of its saved bytes. */
static uint64_t play_agent(const char *name, const char *options, int threads, int decisions) {
  sixer_error error = {SIXER_OK, ""};
  sixer_agent *agent;
  sixer_env *env;
  uint64_t digest = 0;
  if (sixer_agent_create(name, options, 1, &agent, &error)) fail_msg("%s", error.message);
  sixer_config config = sixer_config_default();
  config.frame_skip = 5;
  sixer_agent_prepare(agent, &config);
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  if (sixer_agent_learns(agent)) sixer_agent_use_threads(agent, threads);
  for (int i = 0; i < decisions; i++) {
    int action;
    sixer_result result;
    if (sixer_agent_act(agent, env, sixer_rom_minimal_actions(rom), &action, &error))
      fail_msg("%s", error.message);
    sixer_env_step(env, action, &result);
    if (sixer_agent_learns(agent) && sixer_agent_learn(agent, env, &result, &error))
      fail_msg("%s", error.message);
    digest = digest * 31 + (uint64_t)action;
    if (!result.over) continue;
    sixer_env_reset(env);
    sixer_agent_reset(agent);
  }
  if (sixer_agent_learns(agent)) {
    void *bytes;
    size_t size;
    assert_int_equal(sixer_agent_save(agent, &bytes, &size, &error), SIXER_OK);
    digest ^= hash_bytes(bytes, size, 0);
    free(bytes);
  }
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  return digest;
}

typedef struct player {
  const char *name, *options;
  int threads, decisions;
  uint64_t digest;
  pthread_t thread;
} player;

static void *agent_thread(void *context) {
  player *p = context;
  p->digest = play_agent(p->name, p->options, p->threads, p->decisions);
  return NULL;
}

static void test_agents(void **state) {
  (void)state;
  const char *deep = "trunk=quick,hidden=16,size=24,memory=400,start=20,batch=8,period=2";
  player players[] = {{"uct", "frames=400,memory=4,jobs=3", 1, 1 + steps / 20, 0, 0},
                      {"iw1", "frames=400,memory=4,jobs=3", 1, 1 + steps / 20, 0, 0},
                      {"rollout-iw1", "frames=400,memory=4", 1, 1 + steps / 20, 0, 0},
                      {"full-tree", "frames=400,memory=4,jobs=3", 1, 1 + steps / 20, 0, 0},
                      {"dqn", deep, 3, 3 * steps, 0, 0},
                      {"rainbow", deep, 2, steps, 0, 0},
                      {"sarsa", "features=blob-prost", 1, 3 * steps, 0, 0}};
  enum { PLAYERS = sizeof players / sizeof *players };
  for (int i = 0; i < PLAYERS; i++)
    assert_int_equal(os_thread_start(&players[i].thread, agent_thread, &players[i]), 0);
  for (int i = 0; i < PLAYERS; i++) pthread_join(players[i].thread, NULL);
  for (int i = 0; i < PLAYERS; i++) {
    const player *p = &players[i];
    if (play_agent(p->name, p->options, p->threads > 1 ? 1 : 2, p->decisions) != p->digest)
      fail_msg("%s plays differently alone", p->name);
  }
}

/* ---- Environments ---------------------------------------------------------------------------------------------- */

static void *env_thread(void *digest) {
  uint64_t sum = 0;
  for (int i = 0; i < 1 + steps / 10; i++) {
    sixer_env *env;
    sixer_config config = sixer_config_default();
    config.seed = i / 2;
    assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
    for (int k = 0; k < 20; k++) sixer_env_step(env, (i + k) % SIXER_ACTION_COUNT, NULL);
    sixer_env_reset(env);
    sum = sum * 31 + hash_bytes(sixer_env_ram(env), 128, 0);
    sixer_env_destroy(env);
  }
  *(uint64_t *)digest = sum;
  return NULL;
}

static void test_environments(void **state) {
  (void)state;
  uint64_t digests[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    assert_int_equal(os_thread_start(&threads[i], env_thread, &digests[i]), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (int i = 1; i < 4; i++) assert_true(digests[i] == digests[0]);
}

int main(int argc, char **argv) {
  if (argc > 1) steps = atoi(argv[1]);
  if (sixer_rom_open("sporefall", NULL, &rom, NULL)) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_agents),
                                     cmocka_unit_test(test_environments)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  sixer_rom_close(rom);
  return failed;
}
