/* Ape-X within one process: synchronized with one actor in lockstep it is the agent that `sixer train` trains, bit for
 * bit, for a thousand updates; with a lead, blocks of 32 and priorities by actors it is a function of its settings; a
 * checkpoint continues; messages that nobody wrote are refused. With the sanitizers, which make it 15 times as slow, a
 * fifth of the updates are made. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agents/deep/apex_run.h"
#include "agents/train_parts.h"
#include "util/hash.h"
#include "util/os_thread.h"

static sixer_rom *rom;
static sixer_protocol *protocol;
#define SMALL \
  "memory=2000,start=100,period=2,batch=8,target_period=50,trunk=quick,size=20,hidden=16,n=3"

#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 5 };
#else
enum { SHARE = 1 };
#endif

static int setup(void **state) {
  (void)state;
  sixer_error error;
  assert_int_equal(sixer_rom_open("duskrain", NULL, &rom, &error), SIXER_OK);
  return sixer_protocol_open("saber", &protocol, &error);
}

static int teardown(void **state) {
  (void)state;
  sixer_protocol_close(protocol);
  sixer_rom_close(rom);
  return 0;
}

/* A digest of everything that was learned. */
static uint64_t digest(sixer_train *t) {
  deep *d = (deep *)t->agent;
  size_t count = nn_block_floats(d->net) * sizeof(float);
  uint64_t h = hash_bytes(d->online, count, 1);
  h = hash_bytes(d->target, count, h);
  h = hash_bytes(d->optimizer.first, count, h);
  h = hash_bytes(d->optimizer.second, count, h);
  int64_t numbers[] = {d->updates, d->steps, replay_added(d->replay), t->c.frames, t->c.episodes};
  h = hash_bytes(numbers, sizeof numbers, h);
  for (int64_t i = replay_added(d->replay) - 1500; i < replay_added(d->replay); i++) {
    double p = i >= 0 && d->o.omega > 0 ? replay_priority(d->replay, i) : 0;
    h = hash_bytes(&p, sizeof p, h);
  }
  return h;
}

static sixer_train_settings train_settings(const char *agent) {
  sixer_train_settings s = sixer_train_settings_default();
  s.agent = agent;
  s.options = SMALL;
  s.rom = rom;
  s.protocol = protocol;
  s.seed = 3;
  s.frames = 1000000;
  return s;
}

typedef struct actor_thread {
  pthread_t thread;
  sixer_apex_settings settings;
  int index;
  volatile bool *stop;
  sixer_error error;
  int64_t steps;
} actor_thread;

static void *act(void *context) {
  actor_thread *x = context;
  sixer_apex_actor *actor;
  sixer_err err = sixer_apex_actor_create(&x->settings, x->index, &actor, &x->error);
  if (err) return NULL;
  while (!err && !*x->stop && !sixer_apex_actor_progress(actor).finished)
    err = sixer_apex_actor_run(actor, 0.02, &x->error);
  x->steps = sixer_apex_actor_progress(actor).steps;
  if (!err) x->error.code = SIXER_OK;
  sixer_apex_actor_destroy(actor);
  return NULL;
}

/* Learn until so many updates are made, with actors in threads. */
static uint64_t run(sixer_apex_settings s, int64_t updates) {
  sixer_error error = {0};
  sixer_apex_memory *memory = sixer_apex_memory_create();
  s.memory = memory;
  s.updates = updates;
  sixer_apex_learner *learner;
  if (sixer_apex_learner_create(&s, &learner, &error)) fail_msg("%s", error.message);
  actor_thread actors[4] = {0};
  volatile bool stop = false;
  for (int i = 0; i < s.actors; i++) {
    actors[i] = (actor_thread){.settings = s, .index = i, .stop = &stop};
    assert_int_equal(os_thread_start(&actors[i].thread, act, &actors[i]), 0);
  }
  while (!sixer_apex_learner_progress(learner).finished) {
    if (sixer_apex_learner_run(learner, 0.05, &error)) fail_msg("%s", error.message);
    for (int i = 0; i < s.actors; i++) {
      if (actors[i].error.code) fail_msg("actor %d: %s", i, actors[i].error.message);
    }
  }
  stop = true;
  for (int i = 0; i < s.actors; i++) pthread_join(actors[i].thread, NULL);
  assert_int_equal(sixer_apex_learner_progress(learner).updates, updates);
  uint64_t h = digest(sixer_apex_learner_train(learner));
  sixer_apex_learner_destroy(learner);
  sixer_apex_memory_destroy(memory);
  return h;
}

static void test_equals_single_process(void **state) {
  (void)state;
  static const struct {
    const char *agent;
    int64_t updates;
  } cases[] = {{"rainbow", 1000 / SHARE}, {"rainbow-iqn", 60 / SHARE}, {"dqn", 200 / SHARE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sixer_error error;
    sixer_train *train;
    sixer_apex_settings s = sixer_apex_settings_default();
    s.train = train_settings(cases[i].agent);
    if (sixer_train_create(&s.train, &train, &error)) fail_msg("%s", error.message);
    while (sixer_agent_learned(sixer_train_agent(train)).updates < cases[i].updates) {
      if (sixer_train_run(train, 1, &error)) fail_msg("%s", error.message);
    }
    assert_int_equal(sixer_apex_lockstep(&s, &error), SIXER_OK);
    uint64_t expected = digest(train), found = run(s, cases[i].updates);
    if (expected != found) fail_msg("%s differs", cases[i].agent);
    sixer_train_destroy(train);
  }
}

static void test_synchronized_is_repeatable(void **state) {
  (void)state;
  for (int actors = 1; actors <= 2; actors++) {
    sixer_apex_settings s = sixer_apex_settings_default();
    s.train = train_settings("rainbow");
    s.actors = actors;
    s.fetch = 40;
    s.lead = 120;
    s.priorities = true;
    uint64_t first = run(s, 300 / SHARE), second = run(s, 300 / SHARE);
    assert_true(first == second);
    s.train.seed = 4;
    assert_true(run(s, 300 / SHARE) != first);
  }
}

static void test_free_running(void **state) {
  (void)state;
  sixer_apex_settings s = sixer_apex_settings_default();
  s.train = train_settings("rainbow");
  s.synchronized = false;
  s.priorities = s.ladder = true;
  s.actors = 4;
  run(s, 300 / SHARE);
}

/* A learner that is stopped goes on from its checkpoint, with the blocks that the store has. */
static void test_resume(void **state) {
  (void)state;
  char folder[] = "/tmp/sixer-apex-XXXXXX", path[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run", folder);
  sixer_error error = {0};
  sixer_apex_settings s = sixer_apex_settings_default();
  s.train = train_settings("rainbow");
  s.train.path = path;
  s.fetch = 40;
  s.lead = 120;
  s.updates = 400 / SHARE;
  uint64_t digests[2];
  for (int broken = 0; broken < 2; broken++) {
    sixer_apex_memory *memory = sixer_apex_memory_create();
    sixer_apex_learner *learner;
    s.memory = memory;
    s.resume = false;
    if (sixer_apex_learner_create(&s, &learner, &error)) fail_msg("%s", error.message);
    volatile bool stop = false;
    actor_thread actor = {.settings = s, .stop = &stop};
    assert_int_equal(os_thread_start(&actor.thread, act, &actor), 0);
    bool saved = false;
    for (int lives = 0; !sixer_apex_learner_progress(learner).finished;) {
      if (sixer_apex_learner_run(learner, 0.01, &error)) fail_msg("%s", error.message);
      int64_t updates = sixer_apex_learner_progress(learner).updates;
      if (!saved && updates > 50 / SHARE) {
        assert_int_equal(sixer_apex_learner_save(learner, &error), SIXER_OK);
        saved = true;
      }
      if (broken && lives == 0 &&
          updates > 150 / SHARE) { /* what it learned since is lost, not the steps */
        lives++;
        sixer_apex_learner_destroy(learner);
        s.resume = true;
        if (sixer_apex_learner_create(&s, &learner, &error)) fail_msg("%s", error.message);
      }
    }
    stop = true;
    pthread_join(actor.thread, NULL);
    assert_int_equal(actor.error.code, SIXER_OK);
    digests[broken] = digest(sixer_apex_learner_train(learner));
    sixer_apex_learner_destroy(learner);
    sixer_apex_memory_destroy(memory);
  }
  assert_true(digests[0] == digests[1]);
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void test_one_learner(void **state) {
  (void)state;
  sixer_error error;
  sixer_apex_settings s = sixer_apex_settings_default();
  s.train = train_settings("rainbow");
  s.memory = sixer_apex_memory_create();
  sixer_apex_learner *learner, *second;
  assert_int_equal(sixer_apex_learner_create(&s, &learner, &error), SIXER_OK);
  s.resume = true;
  assert_int_equal(sixer_apex_learner_create(&s, &second, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "learner already"));
  sixer_apex_learner_destroy(learner);
  s.train.seed = 9;
  assert_int_equal(sixer_apex_learner_create(&s, &second, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "other settings"));
  sixer_apex_memory_destroy(s.memory);
}

static void test_rules(void **state) {
  (void)state;
  sixer_error error;
  sixer_apex_learner *learner;
  sixer_apex_settings good = sixer_apex_settings_default(), s;
  good.train = train_settings("rainbow");
  good.memory = sixer_apex_memory_create();
#define REFUSED(change, words)                                                     \
  s = good;                                                                        \
  change;                                                                          \
  assert_int_not_equal(sixer_apex_learner_create(&s, &learner, &error), SIXER_OK); \
  assert_non_null(strstr(error.message, words))
  REFUSED(s.lead = 400; s.fetch = 300, "multiple");
  REFUSED(s.lead = 0, "unfinished block");
  REFUSED(s.actors = 5, "at most 4");
  REFUSED(s.actors = 0, "1 to 400 actors");
  REFUSED(s.run = "a b", "letters");
  REFUSED(s.train.agent = "sarsa"; s.train.options = NULL, "replay memory");
  REFUSED(s.train.agent = "pqn"; s.train.options = NULL, "replay memory");
  REFUSED(s.train.agent = "dqn"; s.priorities = true, "uniformly");
  REFUSED(s.memory = NULL, "needs a server");
  sixer_apex_memory_destroy(good.memory);
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

static void test_blocks(void **state) {
  (void)state;
  apex_form form = {.width = 20, .height = 20, .actions = 18, .block = 8, .actors = 2};
  apex_block *b = calloc(1, sizeof *b), *r = calloc(1, sizeof *r);
  uint8_t frames[8 * 400], frame[400] = {0}, *bytes = malloc(apex_block_bound(&form) + 1);
  uint64_t rng = 7;
  for (int round = 0; round < 50; round++) {
    *b = (apex_block){.actor = round % 2, .count = 8, .first = 8 * round, .version = round};
    for (int i = 0; i < 8; i++) {
      b->steps[i] = (apex_step){.action = (uint8_t)random_below(&rng, 18),
                                .flags = (uint8_t)random_below(&rng, 4),
                                .frames = 4,
                                .reward = (float)random_below(&rng, 3) - 1,
                                .priority = random_below(&rng, 2) ? 0.5f : -1};
      for (int k = 0; k < 400; k++)
        frames[400 * i + k] = (uint8_t)(random_below(&rng, round + 1) ? 90 : random_next(&rng));
    }
    b->episode_count = random_below(&rng, 3);
    for (int i = 0; i < b->episode_count; i++)
      b->episodes[i] = (apex_episode){.position = 2 * i + 1, .end = 1, .frames = 9, .steps = 3};
    size_t size = apex_block_write(&form, b, frames, bytes);
    assert_true(size <= apex_block_bound(&form));
    assert_true(apex_block_read(&form, bytes, size, r));
    assert_int_equal(r->first, b->first);
    assert_memory_equal(r->steps, b->steps, sizeof b->steps);
    assert_memory_equal(r->episodes, b->episodes, sizeof(apex_episode) * (size_t)b->episode_count);
    const uint8_t *code = r->codes;
    for (int i = 0; i < 8; i++) {
      assert_true(apex_block_frame(&form, r, i, &code, frame));
      assert_memory_equal(frame, frames + 400 * i, 400);
    }
    /* any changed byte is found, and any other length */
    size_t at = (size_t)random_below(&rng, (int)size);
    bytes[at] ^= (uint8_t)(1 << random_below(&rng, 8));
    assert_false(apex_block_read(&form, bytes, size, r));
    assert_false(apex_block_read(&form, bytes, size - 1, r));
  }
  free(b);
  free(r);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_one_learner),
      cmocka_unit_test(test_equals_single_process),
      cmocka_unit_test(test_synchronized_is_repeatable),
      cmocka_unit_test(test_free_running),
      cmocka_unit_test(test_resume),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
