/* PQN and training runs with a vector of environments: targets against a plain recursion, the same bytes for any number
 * of threads, cut into pieces and resumed anywhere, saved files with a changed bit. Tiny networks: nothing is learned
 * here (test_pqn_learning.py). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agents/deep/learner.h"
#include "sixer/train.h"
#include "support/damaged_sections.h"

#define TINY "envs=6,rollout=5,epochs=2,batch=10,trunk=quick,size=20,hidden=16,epsilon_steps=300"

static char folder[] = "/tmp/sixer-pqn-XXXXXX";
#include "support/training_runs.h"

static sixer_rom *rom;
static sixer_protocol *protocol, *tested;

static const char short_text[] =
    "name = \"short\"\nbase = \"machado2018\"\n[environment]\nmax_frames = 400\nnoop_starts = 7\n"
    "life_loss = \"terminal-in-training\"\n"
    "[training]\nlength = 6000\ncheckpoints = [2000, 6000]\n"
    "[score]\nepisodes = 5\nlimits = [300, 400]\n";
static const char test_text[] =
    "name = \"tested\"\nbase = \"bellemare2013\"\n[environment]\nmax_frames = 300\n"
    "[training]\nlength = 12\ncheckpoints = [12]\n[score]\nepisodes = 3\nlimits = [300]\n";

static int begin(void **state) {
  (void)state;
  sixer_error error;
  if (!mkdtemp(folder) || sixer_rom_open("duskrain", NULL, &rom, &error) ||
      sixer_protocol_parse(short_text, "short", &protocol, &error) ||
      sixer_protocol_parse(test_text, "tested", &tested, &error)) {
    puts(error.message);
    return -1;
  }
  return 0;
}

static int end(void **state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  sixer_protocol_close(protocol);
  sixer_protocol_close(tested);
  sixer_rom_close(rom);
  return system(command);
}

static void same_run(const char *one, const char *other) {
  static const char *const endings[] = {"checkpoint", "episodes.tsv", "curve.tsv", "scores.tsv"};
  for (int i = 0; i < 4; i++) same_file(one, other, endings[i]);
}

static sixer_train_settings settings_of(const sixer_protocol *p, int threads, const char *run,
                                        char *path) {
  sixer_train_settings s = sixer_train_settings_default();
  s.agent = "pqn";
  s.options = TINY;
  s.rom = rom;
  s.protocol = p;
  s.threads = threads;
  path_of(run, "", path);
  s.path = path;
  return s;
}

static void run_whole(const sixer_protocol *p, int threads, const char *run) {
  char path[300];
  sixer_train_settings s = settings_of(p, threads, run, path);
  sixer_train *t = start(&s, false);
  while (!sixer_train_progress_of(t).finished) run_on(t, 1000);
  sixer_train_destroy(t);
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

/* One update on made-up play: its loss against targets by the recursion, in double. */
static void test_targets(void **state) {
  (void)state;
  enum { ENVS = 3, STEPS = 7, ACTIONS = 4, SIZE = 4 * 20 * 20 };
  sixer_agent *agent;
  assert_int_equal(sixer_agent_create("pqn",
                                      "envs=3,rollout=7,epochs=1,batch=21,trunk=quick,size=20,"
                                      "hidden=16,lambda=0.7,gamma=0.9",
                                      4, &agent, NULL),
                   SIXER_OK);
  sixer_agent_use_threads(agent, 1);
  const agent_vector *hooks = agent->class->vector;
  deep *d = (deep *)agent;
  const int list[ACTIONS] = {0, 1, 3, 4};
  assert_int_equal(hooks->bind(agent, (sixer_list){list, ACTIONS}, NULL), SIXER_OK);
  uint64_t rng = 1;
  static uint8_t seen[STEPS + 1][ENVS][SIZE];
  for (size_t i = 0; i < sizeof seen; i++) ((uint8_t *)seen)[i] = (uint8_t)random_next(&rng);
  int32_t lanes[STEPS][ENVS], rewards[STEPS][ENVS];
  uint8_t ends[STEPS][ENVS];
  for (int round = 0; round < 3; round++) {
    /* the values by which it plays, computed here */
    float q[STEPS + 1][ENVS][ACTIONS];
    for (int t = 0; t <= STEPS; t++) {
      const uint8_t *states[ENVS] = {seen[t][0], seen[t][1], seen[t][2]};
      nn_forward(d->net, d->online, NULL, states, ENVS, NULL, 0, q[t][0], false);
    }
    assert_true(hooks->resting(agent));
    memcpy(hooks->room(agent, false), seen[0], sizeof seen[0]);
    for (int t = 0; t < STEPS; t++) {
      assert_false(hooks->updating(agent));
      hooks->act(agent, lanes[t]);
      memcpy(hooks->room(agent, true), seen[t + 1], sizeof seen[0]);
      for (int i = 0; i < ENVS; i++) {
        rewards[t][i] = random_below(&rng, 400) - 200;
        ends[t][i] = random_below(&rng, 4) == 0;
      }
      hooks->learn(agent, rewards[t], ends[t]);
    }
    double loss = 0;
    for (int i = 0; i < ENVS; i++) {
      double g = 0;
      for (int t = STEPS - 1; t >= 0; t--) {
        double best = -1e9, r = rewards[t][i] > 0 ? 1 : rewards[t][i] < 0 ? -1 : 0;
        for (int a = 0; a < ACTIONS; a++) { /* not fmax(): gcc 12 crashes on it for ARM, at -O2 */
          if (q[t + 1][i][a] > best) best = q[t + 1][i][a];
        }
        g = r + (ends[t][i] ? 0 : 0.9 * (t == STEPS - 1 ? best : 0.3 * best + 0.7 * g));
        double difference = (double)q[t][i][lanes[t][i]] - g;
        loss += difference * difference / 2;
      }
    }
    assert_true(hooks->updating(agent));
    double shown = d->loss;
    assert_int_equal(hooks->update(agent, NULL), SIXER_OK);
    /* the loss that is shown is a running mean that begins with the first */
    double wanted = round ? shown + 0.01 * (loss / 21 - shown) : loss / 21;
    assert_true(fabs(d->loss - wanted) < 1e-5);
    assert_true(hooks->resting(agent));
    assert_memory_equal(hooks->room(agent, false), seen[STEPS], sizeof seen[0]);
  }
  sixer_agent_destroy(agent);
}

static void test_threads(void **state) {
  (void)state;
  run_whole(protocol, 1, "one");
  run_whole(protocol, 2, "two");
  run_whole(protocol, 3, "three");
  same_run("one", "two");
  same_run("one", "three");
}

/* A run that is dropped at random, after its last checkpoint or not, and resumed with other threads. */
static void pieces(const sixer_protocol *p, const char *whole, const char *parts) {
  char path[300];
  run_whole(p, 1, whole);
  uint64_t rng = 5;
  sixer_train_settings s = settings_of(p, 1, parts, path);
  int dropped = 0;
  for (bool finished = false; !finished; dropped++) {
    s.threads = 1 + random_below(&rng, 3);
    sixer_train *t = start(&s, true);
    for (int i = 0; i < 3 && !finished; i++) {
      run_on(t, random_below(&rng, 300));
      sixer_error error;
      if (random_below(&rng, 2) && sixer_train_save(t, &error)) fail_msg("%s", error.message);
      finished = sixer_train_progress_of(t).finished;
    }
    sixer_train_destroy(t);
    if (dropped > 2000) fail_msg("it never ends");
  }
  assert_true(dropped >= 3);
  same_run(whole, parts);
}

static void test_pieces(void **state) {
  (void)state;
  pieces(protocol, "whole", "parts");
  /* with episodes without learning at the end */
  pieces(tested, "tested", "tested-parts");
  size_t size;
  free(read_file("tested-parts", "evaluation.tsv", &size));
}

/* Evaluations during training begin at the same frames, whatever checkpoints are made before them. */
static void test_evaluations(void **state) {
  (void)state;
  static const char text[] =
      "name = \"often\"\nbase = \"nature2015\"\n[environment]\nmax_frames = 300\n"
      "[training]\nlength = 2000\ncheckpoints = [2000]\nevaluation_interval = 500\n"
      "evaluation_length = 400\n[score]\nepisodes = 2\nlimits = [300]\n";
  sixer_protocol *often;
  sixer_error error;
  if (sixer_protocol_parse(text, "often", &often, &error)) fail_msg("%s", error.message);
  run_whole(often, 1, "often");
  char path[300];
  sixer_train_settings s = settings_of(often, 1, "often-saved", path);
  sixer_train *t = start(&s, false);
  while (!sixer_train_progress_of(t).finished) {
    run_on(t, 7);
    if (sixer_train_save(t, &error)) fail_msg("%s", error.message);
  }
  sixer_train_destroy(t);
  same_run("often", "often-saved");
  same_file("often", "often-saved", "tests.tsv");
  sixer_protocol_close(often);
}

/* A run that was longer from the start, and one that was extended: the same. */
static void test_extended(void **state) {
  (void)state;
  char path[300];
  sixer_train_settings s = settings_of(protocol, 1, "long", path);
  s.frames = 9000;
  sixer_train *t = start(&s, false);
  while (!sixer_train_progress_of(t).finished) run_on(t, 1000);
  assert_true(sixer_train_progress_of(t).frames >= 9000);
  assert_true(sixer_train_progress_of(t).episodes > 10);
  sixer_train_destroy(t);
  s = settings_of(protocol, 2, "short", path);
  for (s.frames = 3000; s.frames <= 9000; s.frames += 3000) {
    t = start(&s, s.frames > 3000);
    while (!sixer_train_progress_of(t).finished) run_on(t, 1000);
    sixer_train_destroy(t);
  }
  same_run("long", "short");
  /* the same budget again is fine, and a smaller one would have ended earlier */
  s.frames = 9000;
  sixer_train_destroy(start(&s, true));
  s.frames = 3000;
  sixer_error error;
  assert_int_equal(sixer_train_resume(&s, &t, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "already trained"));
}

/* Where the data of a section begins, counted through the data of all sections. */
static uint64_t place_of(const void *bytes, size_t size, const char *wanted) {
  sections_message message;
  sections_reader *in = sections_open_memory(bytes, size, message);
  uint64_t place = 0, part;
  const char *name;
  for (size_t i = 0; (name = sections_name_at(in, i, &part)) && strcmp(name, wanted) != 0; i++)
    place += part;
  assert_non_null(name);
  sections_free(in);
  return place;
}

static void test_damaged(void **state) {
  (void)state;
  char path[300];
  sixer_train_settings s = settings_of(protocol, 1, "damaged", path);
  sixer_train *t = start(&s, false);
  run_on(t, 300);
  sixer_error error;
  assert_int_equal(sixer_train_save(t, &error), SIXER_OK);
  sixer_train_destroy(t);
  size_t size, rows_size, damaged_size;
  uint8_t *bytes = read_file("damaged", "checkpoint", &size);
  uint8_t *rows = read_file("damaged", "episodes.tsv", &rows_size);
  uint64_t rng = 3;
  int refused = 0;
  for (int i = 0; i < 120; i++) {
    /* numbers of the agent and of the vector, then anything */
    uint64_t at = random_next(&rng);
    if (i % 3 == 0) at = place_of(bytes, size, "agent.state") + at % 200;
    if (i % 3 == 1) at = place_of(bytes, size, "vector") + at % 400;
    void *damaged;
    assert_true(damage_sections(bytes, size, at, random_below(&rng, 8), &damaged, &damaged_size));
    write_file("damaged", "checkpoint", damaged, damaged_size);
    write_file("damaged", "episodes.tsv", rows, rows_size);
    free(damaged);
    t = NULL;
    if (sixer_train_resume(&s, &t, &error)) {
      refused++;
      continue;
    }
    run_on(t, 60);
    sixer_train_destroy(t);
  }
  assert_true(refused > 40);
  free(bytes);
  free(rows);
}

static void refuse(const char *options, const char *part) {
  sixer_error error;
  sixer_agent *agent = NULL;
  assert_int_equal(sixer_agent_create("pqn", options, 1, &agent, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, part));
}

static void test_refusals(void **state) {
  (void)state;
  refuse("envs=10,rollout=3,batch=7", "30 steps are not a whole number of batches of 7");
  refuse("envs=10,rollout=3,batch=1,epochs=2", "2 epochs");
  refuse("memory=1000", "no option 'memory'");
  /* it does not learn from a single env, and plays one */
  sixer_agent *agent;
  sixer_env *env;
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.frame_skip = 4;
  assert_int_equal(sixer_agent_create("pqn", TINY, 1, &agent, &error), SIXER_OK);
  sixer_agent_evaluate(agent, true);
  sixer_agent_prepare(agent, &config);
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  int action;
  sixer_result result;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(sixer_agent_act(agent, env, sixer_rom_minimal_actions(rom), &action, &error),
                     SIXER_OK);
    sixer_env_step(env, action, &result);
  }
  assert_int_equal(sixer_agent_learn(agent, env, &result, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "many environments"));
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
}

/* ---- For test_pqn_numpy.py ------------------------------------------------------------------------------------- */

static void put_block(FILE *file, const deep *d, const float *block) {
  size_t count = nn_parameters(nn_net_spec(d->net), NULL, NULL);
  float *values = malloc(count * sizeof *values);
  nn_export(d->net, block, values);
  fwrite(values, sizeof *values, count, file);
  free(values);
}

static void put_learned(FILE *file, const deep *d) {
  put_block(file, d, d->online);
  put_block(file, d, d->optimizer.first);
  put_block(file, d, d->optimizer.second);
}

/* `test_pqn dump FILE ROUNDS OPTIONS`: updates on made-up play, each of one batch, and all that goes into the last of
 * them and comes out of it. The names and shapes of tensors go to stdout. */
static int dump(const char *path, int rounds, const char *options) {
  enum { ENVS = 3, STEPS = 7, ACTIONS = 4, SIZE = 4 * 20 * 20 };
  sixer_agent *agent;
  sixer_error error;
  FILE *file = fopen(path, "wb");
  if (!file || sixer_agent_create("pqn", options, 4, &agent, &error)) return 1;
  sixer_agent_use_threads(agent, 1);
  const agent_vector *hooks = agent->class->vector;
  deep *d = (deep *)agent;
  const int list[ACTIONS] = {0, 1, 3, 4};
  if (hooks->bind(agent, (sixer_list){list, ACTIONS}, &error)) return 1;
  nn_tensor table[NN_MAX_TENSORS];
  int tensors;
  nn_parameters(nn_net_spec(d->net), table, &tensors);
  for (int i = 0; i < tensors; i++) {
    printf("%s %zu", table[i].name, table[i].offset);
    for (int k = 0; k < table[i].dims; k++) printf(" %d", table[i].shape[k]);
    printf("\n");
  }
  uint64_t rng = 1;
  static uint8_t seen[STEPS + 1][ENVS][SIZE];
  int32_t lanes[STEPS][ENVS], rewards[STEPS][ENVS];
  uint8_t ends[STEPS][ENVS];
  for (int round = 1; round <= rounds; round++) {
    for (size_t i = round > 1 ? sizeof seen[0] : 0; i < sizeof seen; i++)
      ((uint8_t *)seen)[i] = (uint8_t)random_next(&rng);
    memcpy(hooks->room(agent, false), seen[0], sizeof seen[0]);
    for (int t = 0; t < STEPS; t++) {
      hooks->act(agent, lanes[t]);
      memcpy(hooks->room(agent, true), seen[t + 1], sizeof seen[0]);
      for (int i = 0; i < ENVS; i++) {
        rewards[t][i] = random_below(&rng, 400) - 200;
        ends[t][i] = random_below(&rng, 4) == 0;
      }
      hooks->learn(agent, rewards[t], ends[t]);
    }
    if (round == rounds) {
      put_learned(file, d);
      fwrite(seen, sizeof seen, 1, file);
      fwrite(lanes, sizeof lanes, 1, file);
      fwrite(rewards, sizeof rewards, 1, file);
      fwrite(ends, sizeof ends, 1, file);
    }
    if (hooks->update(agent, &error) || !hooks->resting(agent)) return 1;
    memcpy(seen[0], seen[STEPS], sizeof seen[0]);
  }
  put_learned(file, d);
  sixer_agent_destroy(agent);
  return fclose(file);
}

int main(int argc, char **argv) {
  if (argc == 5 && !strcmp(argv[1], "dump")) return dump(argv[2], atoi(argv[3]), argv[4]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_targets),  cmocka_unit_test(test_threads),
      cmocka_unit_test(test_pieces),   cmocka_unit_test(test_evaluations),
      cmocka_unit_test(test_extended), cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, begin, end);
}
