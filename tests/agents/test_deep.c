/* Learners with networks: pieces, threads, saving, loading, and what they refuse. With arguments
 *
 *     test_deep dump AGENT OPTIONS UPDATES FILE
 *
 * it plays a game until so many updates are done, and writes all that goes into the next update and comes out of it,
 * for test_deep_numpy.py, which computes the same on its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/learner.h"
#include "support/damaged_sections.h"

#define SMALL     "memory=300,start=40,period=2,batch=4,target_period=20,trunk=quick,size=20,hidden=16"
#define QUANTILES ",taus=4,target_taus=3,choice_taus=5,cosines=16"

static const struct {
  const char *name, *options;
} agents[] = {
    {"dqn", SMALL},
    {"dqn", SMALL ",double=1,loss=huber,optimizer=rmsprop,rate=0.001,rate_epsilon=1e-5"},
    {"c51", SMALL},
    {"rainbow", SMALL},
    {"rainbow", SMALL ",noise_period=4,sigma_bias=outputs,noise_evaluation=1"},
    {"der", SMALL ",max_norm=0.1"},
    {"iqn", SMALL QUANTILES},
    {"rainbow-iqn", SMALL QUANTILES},
};
enum { AGENTS = sizeof agents / sizeof agents[0] };

static sixer_rom *rom;
static bool own_rewards; /* instead of the game's, which are rare */

/* An agent with a game. */
typedef struct player {
  sixer_agent *agent;
  sixer_env *env;
  int64_t lives;
} player;

static player begin(const char *name, const char *options, int threads) {
  player p = {0};
  sixer_error error;
  if (sixer_agent_create(name, options, 7, &p.agent, &error)) fail_msg("%s", error.message);
  sixer_agent_use_threads(p.agent, threads);
  sixer_config config = sixer_config_default();
  config.frame_skip = 4;
  config.seed = 3;
  config.max_frames = 300; /* so that episodes end often */
  sixer_agent_prepare(p.agent, &config);
  assert_int_equal(sixer_env_create(rom, &config, &p.env, &error), SIXER_OK);
  return p;
}

static void end(player *p) {
  sixer_agent_destroy(p->agent);
  sixer_env_destroy(p->env);
}

/* Returns the error of learning. */
static sixer_err step(player *p, bool learn, sixer_error *error) {
  int action;
  sixer_result result;
  sixer_err err = sixer_agent_act(p->agent, p->env, sixer_rom_minimal_actions(rom), &action, error);
  if (err) return err;
  sixer_env_step(p->env, action, &result);
  if (own_rewards) result.reward = sixer_env_status(p->env).frames / 4 % 5 < 2;
  if (learn) err = sixer_agent_learn(p->agent, p->env, &result, error);
  if (result.over) {
    sixer_env_reset(p->env);
    sixer_agent_reset(p->agent);
  }
  return err;
}

static void play(player *p, int steps) {
  sixer_error error;
  for (int i = 0; i < steps; i++) {
    if (step(p, true, &error)) fail_msg("%s", error.message);
  }
}

static void *bytes_of(const player *p, size_t *size) {
  void *bytes;
  assert_int_equal(sixer_agent_save(p->agent, &bytes, size, NULL), SIXER_OK);
  return bytes;
}

static void assert_same(const player *a, const player *b) {
  size_t m, n;
  void *x = bytes_of(a, &m), *y = bytes_of(b, &n);
  assert_int_equal(m, n);
  assert_memory_equal(x, y, m);
  free(x);
  free(y);
}

/* ---- Equal bytes ----------------------------------------------------------------------------------------------- */

static void threads_change_nothing(void **state) {
  (void)state;
  for (int i = 0; i < AGENTS; i++) {
    player a = begin(agents[i].name, agents[i].options, 1);
    play(&a, 60);
    for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
      player b = begin(agents[i].name, agents[i].options, threads);
      play(&b, 60);
      assert_same(&a, &b);
      end(&b);
    }
    end(&a);
  }
}

/* Copy game and agent through saved bytes. */
static player copy(const player *p, const char *name, const char *options) {
  enum { FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };
  player q = begin(name, options, 2);
  size_t size = sixer_env_state_size(p->env, FLAGS);
  void *saved = malloc(size);
  sixer_env_save(p->env, FLAGS, saved);
  assert_int_equal(sixer_env_load(q.env, saved, size, NULL), SIXER_OK);
  free(saved);
  void *bytes = bytes_of(p, &size);
  sixer_error error;
  if (sixer_agent_load(q.agent, q.env, bytes, size, &error)) fail_msg("%s", error.message);
  free(bytes);
  return q;
}

static void saved_agents_go_on(void **state) {
  (void)state;
  for (int i = 0; i < AGENTS; i++) {
    player a = begin(agents[i].name, agents[i].options, 1);
    for (int at = 0; at < 3; at++) {
      play(&a, 37);
      player b = copy(&a, agents[i].name, agents[i].options);
      assert_same(&a, &b);
      play(&a, 13);
      play(&b, 13);
      assert_same(&a, &b);
      end(&b);
    }
    end(&a);
  }
}

/* An agent that is evaluated chooses the same from a file with and without a replay memory, and learns nothing. */
static void evaluated_agents_play(void **state) {
  (void)state;
  for (int i = 0; i < AGENTS; i++) {
    player a = begin(agents[i].name, agents[i].options, 1);
    play(&a, 50);
    sixer_agent_progress before = sixer_agent_learned(a.agent);
    size_t whole, small;
    void *bytes = bytes_of(&a, &whole);
    sixer_agent_evaluate(a.agent, true);
    void *less = bytes_of(&a, &small);
    assert_true(small < whole / 2);
    player b = begin(agents[i].name, agents[i].options, 1), c = b;
    c = begin(agents[i].name, agents[i].options, 1);
    enum { FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };
    size_t size = sixer_env_state_size(a.env, FLAGS);
    void *saved = malloc(size);
    sixer_env_save(a.env, FLAGS, saved);
    sixer_env_load(b.env, saved, size, NULL);
    sixer_env_load(c.env, saved, size, NULL);
    free(saved);
    sixer_error error;
    assert_int_equal(sixer_agent_load(b.agent, b.env, less, small, &error), SIXER_ERR_STATE);
    assert_non_null(strstr(error.message, "not learn"));
    sixer_agent_evaluate(b.agent, true);
    sixer_agent_evaluate(c.agent, true);
    assert_int_equal(sixer_agent_load(b.agent, b.env, less, small, NULL), SIXER_OK);
    assert_int_equal(sixer_agent_load(c.agent, c.env, bytes, whole, NULL), SIXER_OK);
    for (int k = 0; k < 100; k++) {
      step(&a, false, NULL);
      step(&b, false, NULL);
      step(&c, false, NULL);
    }
    assert_same(&a, &b);
    assert_same(&a, &c);
    sixer_agent_progress after = sixer_agent_learned(a.agent);
    assert_int_equal(after.steps, before.steps);
    assert_int_equal(after.updates, before.updates);
    assert_int_equal(step(&b, true, &error), SIXER_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "loaded to play"));
    free(bytes);
    free(less);
    end(&a);
    end(&b);
    end(&c);
  }
}

/* ---- What is refused ------------------------------------------------------------------------------------------- */

static void refuses(const char *name, const char *options, const char *words) {
  sixer_agent *agent;
  sixer_error error;
  assert_int_equal(sixer_agent_create(name, options, 1, &agent, &error), SIXER_ERR_ARGUMENT);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
}

static void impossible_settings(void **state) {
  (void)state;
  refuses("dqn", "memory=100,batch=200", "larger than the memory");
  refuses("der", "n=50,start=20", "n=50 needs a start");
  refuses("dqn", "hidden=100", "multiple of 16");
  refuses("dqn", "rate=-1", "rate");
  refuses("rainbow", "preset=compct", "compact");
  /* a network that does not fit the frame is found with the first choice */
  player p = begin("dqn", SMALL ",trunk=nature", 1);
  sixer_error error;
  assert_int_equal(step(&p, true, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "kernel"));
  end(&p);
}

static void divergence_is_an_error(void **state) {
  (void)state;
  player p = begin("dqn", SMALL ",rate=1", 1);
  sixer_error error = {0};
  sixer_err err = SIXER_OK;
  play(&p, 60);
  /* as after a division by zero somewhere */
  deep *d = (deep *)p.agent;
  for (size_t i = 0; i < nn_block_floats(d->net); i++) d->online[i] = 1e38f;
  for (int i = 0; i < 10 && !err; i++) err = step(&p, true, &error);
  assert_int_equal(err, SIXER_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "diverged at step 6"));
  d->online[5] = 0.0f / 0.0f;
  void *bytes;
  size_t size;
  assert_int_equal(sixer_agent_save(p.agent, &bytes, &size, &error), SIXER_ERR_DIVERGED);
  end(&p);
}

/* Bytes of another agent, other settings, another list of actions. */
static void other_agents(void **state) {
  (void)state;
  player a = begin("rainbow", SMALL, 1);
  play(&a, 45);
  size_t size;
  void *bytes = bytes_of(&a, &size);
  sixer_error error;
  player b = begin("c51", SMALL, 1);
  assert_int_equal(sixer_agent_load(b.agent, b.env, bytes, size, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "this agent is c51, the saved one rainbow"));
  end(&b);
  b = begin("rainbow", SMALL ",hidden=32", 1);
  assert_int_equal(sixer_agent_load(b.agent, b.env, bytes, size, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "hidden=16"));
  end(&b);
  int action;
  assert_int_equal(sixer_agent_act(a.agent, a.env, sixer_rom_legal_actions(rom), &action, &error),
                   SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "another list of actions"));
  free(bytes);
  end(&a);
}

/* A file that a hostile writer made: it is refused, or the agent plays on with what it says. */
static void damaged_agents(void **state) {
  (void)state;
  uint64_t rng = 5;
  for (int i = 3; i < AGENTS; i += 4) { /* a Rainbow and a Rainbow-IQN */
    player a = begin(agents[i].name, agents[i].options, 1);
    play(&a, 50);
    size_t size, damaged_size;
    void *bytes = bytes_of(&a, &size), *damaged;
    int refused = 0;
    for (int k = 0; k < 120; k++) {
      /* most of them in the first 2,500 bytes: name, settings, state, stack */
      uint64_t at = random_next(&rng) % (k % 3 ? 2500 : size);
      assert_true(damage_sections(bytes, size, at, random_below(&rng, 8), &damaged, &damaged_size));
      player b = begin(agents[i].name, agents[i].options, 1);
      sixer_error error;
      if (sixer_agent_load(b.agent, b.env, damaged, damaged_size, &error)) {
        assert_int_equal(error.code, SIXER_ERR_STATE);
        refused++;
      }
      for (int n = 0; n < 8; n++) step(&b, true, &error); /* errors are fine, crashes are not */
      end(&b);
      free(damaged);
    }
    assert_true(refused > 20);
    free(bytes);
    end(&a);
  }
}

/* ---- One update for the other version -------------------------------------------------------------------------- */

static FILE *dump_file;

static void put(const char *name, const char *type, int size, const void *data, int dims,
                const int *shape) {
  size_t count = 1;
  fprintf(dump_file, "%s %s", name, type);
  for (int i = 0; i < dims; i++) {
    fprintf(dump_file, " %d", shape[i]);
    count *= (size_t)shape[i];
  }
  fprintf(dump_file, "\n");
  fwrite(data, (size_t)size, count, dump_file);
}

static void put_floats(const char *name, const float *data, int rows, int columns) {
  put(name, "f4", 4, data, 2, (int[]){rows, columns});
}

static void put_block(const deep *d, const char *name, const float *block) {
  size_t count = nn_parameters(nn_net_spec(d->net), NULL, NULL);
  float *canonical = malloc(count * sizeof *canonical);
  nn_export(d->net, block, canonical);
  put(name, "f4", 4, canonical, 1, (int[]){(int)count});
  free(canonical);
}

static void put_networks(const deep *d, const char *when) {
  char name[40];
  const float *blocks[] = {d->online, d->target, d->optimizer.first, d->optimizer.second};
  static const char *const names[] = {"online", "target", "moment1", "moment2"};
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s_%s", names[i], when);
    put_block(d, name, blocks[i]);
  }
}

static void put_states(const char *name, const deep *d, const uint8_t *const *states, int count) {
  const int size = (int)d->o.size;
  uint8_t *all = malloc((size_t)(count * DEEP_STACK * size * size));
  for (int i = 0; i < count; i++)
    memcpy(all + i * DEEP_STACK * size * size, states[i], (size_t)(DEEP_STACK * size * size));
  put(name, "u1", 1, all, 4, (int[]){count, DEEP_STACK, size, size});
  free(all);
}

static void put_tensors(const deep *d) {
  nn_tensor table[NN_MAX_TENSORS];
  int count;
  nn_parameters(nn_net_spec(d->net), table, &count);
  for (int i = 0; i < count; i++) {
    int shape[4], dims = table[i].dims;
    memcpy(shape, table[i].shape, sizeof shape);
    fprintf(dump_file, "tensor:%s shape", table[i].name);
    for (int k = 0; k < dims; k++) fprintf(dump_file, " %d", shape[k]);
    fprintf(dump_file, " at %lld\n", (long long)table[i].offset);
  }
  const nn_spec *spec = nn_net_spec(d->net);
  for (int i = 0; i < spec->convs; i++)
    fprintf(dump_file, "conv%d stride %d %d %d\n", i + 1, spec->conv[i].stride,
            spec->conv[i].pad_before, spec->conv[i].pad_after);
}

static int dump(const char *name, const char *options, int updates, const char *path) {
  dump_file = fopen(path, "wb");
  own_rewards = true;
  player p = begin(name, options, 1);
  deep *d = (deep *)p.agent;
  do play(&p, 1);
  while (d->updates < updates);
  const int batch = (int)d->o.batch;
  replay_batch *b = d->batch;
  put_tensors(d);
  put_networks(d, "before");
  if (!replay_sample(d->replay, b, batch, (uint64_t)d->updates)) return 1;
  put_states("states", d, (const uint8_t *const *)b->states, batch);
  put_states("next_states", d, (const uint8_t *const *)b->next_states, batch);
  put("actions", "i4", 4, b->actions, 1, (int[]){batch});
  put("rewards", "f4", 4, b->rewards, 1, (int[]){batch});
  put("discounts", "f4", 4, b->discounts, 1, (int[]){batch});
  put("probabilities", "f8", 8, b->probabilities, 1, (int[]){batch});
  int64_t numbers[] = {d->action_count, d->steps, d->updates, (int64_t)d->optimizer.steps};
  put("numbers", "i8", 8, numbers, 1, (int[]){4});
  const int choice = (int)d->o.choice_taus;
  float *choice_taus = calloc((size_t)(batch * choice + 1), sizeof *choice_taus);
  deep_draw_taus(d, DEEP_TAUS_CHOICE, (uint64_t)d->updates, batch, choice, choice, choice_taus);
  sixer_error error;
  if (deep_update(d, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  put_networks(d, "after");
  put("losses", "f4", 4, d->losses, 1, (int[]){batch});
  put("priorities", "f8", 8, d->priorities, 1, (int[]){batch});
  if (d->o.cosines) {
    int samples = (int)(d->o.target_taus + (d->o.twice ? 0 : d->o.choice_taus));
    put_floats("taus", d->taus, batch, (int)d->o.taus);
    put_floats("next_taus", d->next_taus, batch, samples);
    put_floats("choice_taus", choice_taus, batch, choice);
  }
  static const char *const noises[] = {"noise_choice", "noise_target", "noise_online"};
  for (int i = 0; i < 3 && d->o.sigma0 > 0; i++)
    put(noises[i], "f4", 4, d->noise[i], 1, (int[]){(int)nn_noise_floats(d->net)});
  free(choice_taus);
  end(&p);
  return fclose(dump_file);
}

/* Looking changes no choice; distributions fit the values; some part of the picture matters. */
static void looking(void **state) {
  (void)state;
  enum { CELLS = 5, STEPS = 60 };
  sixer_list actions = sixer_rom_minimal_actions(rom);
  for (int i = 0; i < AGENTS; i++) {
    player a = begin(agents[i].name, agents[i].options, 1);
    player b = begin(agents[i].name, agents[i].options, 1);
    sixer_error error;
    sixer_agent_view view;
    float map[CELLS * CELLS], total = 0;
    for (int k = 0; k < STEPS; k++) {
      assert_int_equal(sixer_agent_look(b.agent, b.env, actions, &view, &error), SIXER_OK);
      assert_int_equal(sixer_agent_saliency(b.agent, b.env, actions, CELLS, map, &error), SIXER_OK);
      for (int c = 0; c < CELLS * CELLS; c++) {
        assert_true(map[c] >= 0);
        total += map[c];
      }
      if (view.kind == SIXER_DISTRIBUTION_NONE) assert_null(view.distribution);
      for (int n = 0; view.distribution && n < view.actions; n++) {
        const float *p = view.distribution + n * view.points;
        double sum = 0, mean = 0;
        for (int j = 0; j < view.points; j++) {
          assert_true(j == 0 || view.at[j] > view.at[j - 1]);
          sum += (double)p[j];
          mean += (double)p[j] * (double)view.at[j];
        }
        if (view.kind == SIXER_DISTRIBUTION_ATOMS) {
          assert_float_equal(sum, 1, 1e-4);
          assert_float_equal(mean, view.values[n], 1e-4);
        }
      }
      assert_int_equal(step(&a, true, &error), SIXER_OK);
      assert_int_equal(step(&b, true, &error), SIXER_OK);
      assert_int_equal(sixer_env_status(a.env).frames, sixer_env_status(b.env).frames);
    }
    assert_true(total > 0);
    assert_memory_equal(((deep *)a.agent)->stack, ((deep *)b.agent)->stack,
                        (size_t)(DEEP_STACK * 20 * 20));
    const deep *x = (deep *)a.agent, *y = (deep *)b.agent;
    assert_memory_equal(x->online, y->online, nn_block_floats(x->net) * sizeof(float));
    assert_int_equal(sixer_agent_saliency(b.agent, b.env, actions, 0, map, &error),
                     SIXER_ERR_ARGUMENT);
    end(&a);
    end(&b);
  }
  player p = begin("random", NULL, 1);
  float map[1];
  sixer_error error;
  assert_int_equal(sixer_agent_saliency(p.agent, p.env, actions, 1, map, &error),
                   SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "no network"));
  end(&p);
}

int main(int argc, char **argv) {
  if (sixer_rom_open("duskrain", NULL, &rom, NULL)) return 1;
  int status;
  if (argc == 6 && !strcmp(argv[1], "dump")) {
    status = dump(argv[2], argv[3], atoi(argv[4]), argv[5]);
  } else {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(saved_agents_go_on),
        cmocka_unit_test(evaluated_agents_play),  cmocka_unit_test(impossible_settings),
        cmocka_unit_test(divergence_is_an_error), cmocka_unit_test(other_agents),
        cmocka_unit_test(damaged_agents),         cmocka_unit_test(looking),
    };
    status = cmocka_run_group_tests(tests, NULL, NULL);
  }
  sixer_rom_close(rom);
  return status;
}
