/* Real games, taken to the edge of their counters: memory is changed just before a reward, so that it makes the score
 * roll over. Fixed scoring must pay for it and pay the same as `ale` on every other frame. Images of games are not part
 * of the project: without them this is skipped.
 * label: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "games/game.h"
#include "sixer/sixer.h"

/* What memory holds when the counter is full, for the digits that matter (0: the end of the list). */
typedef struct edge {
  const char *id;
  int modulus;
  struct {
    int address, value;
  } full[7];
} edge;

static const edge edges[] = {
    {"asterix", 1000000, {{0xE0, 0x99}, {0xDF, 0x99}, {0xDE, 0x99}}},
    {"atlantis", 100000000, {{0xA2, 0x99}, {0xA3, 0x99}, {0xA1, 0x99}}},
    {"battle_zone", 1000000, {{0x9D, 0x90}, {0x9E, 0x99}}},
    {"defender", 1000000, {{0x9E, 0xA9}, {0x9F, 0xA9}, {0xA0, 0xA9}, {0xA1, 0xA9}}},
    {"up_n_down", 1000000, {{0x82, 0x99}, {0x81, 0x99}, {0x80, 0x99}}},
    {"video_pinball", 1000000, {{0xB0, 0x99}, {0xB2, 0x99}, {0xB4, 0x99}}},
    {"ms_pacman", 1000000, {{0xF8, 0x99}, {0xF9, 0x99}, {0xFA, 0x99}}},
    {"laser_gates", 0, {{0x80, 0x0F}, {0x81, 0x99}, {0x82, 0x99}}}, /* no roll-over, see below */
    {"wizard_of_wor", 200000, {{0x86, 0x99}, {0x88, 0x99}}},
};

enum { BACK = 4, AFTER = 60, MOMENTS = 3 };

static sixer_env *make(const sixer_rom *rom, sixer_scoring scoring) {
  sixer_config config = sixer_config_default();
  sixer_error error;
  sixer_env *env;
  config.sticky = 0;
  config.scoring = scoring;
  if (sixer_env_create(rom, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

/* Fill the counter, then play the same actions under both scorings; returns how often the two paid differently. */
static int go_over(const edge *e, sixer_env *ale, sixer_env *fixed, const void *state, size_t size,
                   const int *actions, int count) {
  sixer_error error;
  int differences = 0;
  assert_int_equal(sixer_env_load(ale, state, size, &error), SIXER_OK);
  assert_int_equal(sixer_env_load(fixed, state, size, &error), SIXER_OK);
  for (int i = 0; e->full[i].address; i++) {
    sixer_env_set_ram(ale, e->full[i].address & 0x7F, (uint8_t)e->full[i].value);
    sixer_env_set_ram(fixed, e->full[i].address & 0x7F, (uint8_t)e->full[i].value);
  }
  for (int i = 0; i < count + AFTER; i++) {
    sixer_result a, f;
    sixer_env_step(ale, i < count ? actions[i] : SIXER_ACTION_NOOP, &a);
    sixer_env_step(fixed, i < count ? actions[i] : SIXER_ACTION_NOOP, &f);
    assert_int_equal(a.over, f.over);
    assert_memory_equal(sixer_env_ram(ale), sixer_env_ram(fixed), 128);
    if (a.reward != f.reward) {
      differences++;
      if (e->modulus) assert_int_equal(f.reward - a.reward, e->modulus);
      if (f.reward <= 0 || f.reward > 10000)
        fail_msg("%s: %d for going over the edge", e->id, f.reward);
    }
  }
  return differences;
}

/* Play until something pays, and take that moment to the edge. */
static bool test_edge(const edge *e) {
  sixer_error error;
  sixer_rom *rom;
  if (sixer_rom_open(e->id, NULL, &rom, &error)) {
    printf("SKIPPED %s: its image was not found\n", e->id);
    return false;
  }
  sixer_env *play = make(rom, SIXER_SCORING_ALE), *ale = make(rom, SIXER_SCORING_ALE),
            *fixed = make(rom, SIXER_SCORING_FIXED);
  size_t size = sixer_env_state_size(play, SIXER_SAVE_CONTROLLER);
  uint8_t *states[BACK];
  for (int i = 0; i < BACK; i++) assert_non_null(states[i] = malloc(size));
  sixer_list list = sixer_rom_minimal_actions(rom);
  int actions[BACK], crossed = 0, moments = 0;
  uint32_t random = 7;
  int action = SIXER_ACTION_NOOP, since = 0;
  for (int step = 0; step < 60000 && moments < MOMENTS; step++) {
    random = random * 1664525 + 1013904223;
    if (random >> 28 < 2) action = list.items[(random >> 16) % (unsigned)list.count];
    sixer_env_save(play, SIXER_SAVE_CONTROLLER, states[step % BACK]);
    actions[step % BACK] = action;
    sixer_result result;
    sixer_env_step(play, action, &result);
    since++;
    if (result.reward > 0 && result.reward < 5000 && since > 100) {
      int recent[BACK];
      for (int i = 0; i < BACK; i++) recent[i] = actions[(step + 1 + i) % BACK];
      crossed += go_over(e, ale, fixed, states[(step + 1) % BACK], size, recent, BACK) > 0;
      moments++;
    }
    if (result.over) {
      sixer_env_reset(play);
      since = 0;
    }
  }
  printf("%s: %d rewards, %d of them over the edge\n", e->id, moments, crossed);
  assert_true(moments > 0 && crossed > 0);
  for (int i = 0; i < BACK; i++) free(states[i]);
  sixer_env_destroy(play);
  sixer_env_destroy(ale);
  sixer_env_destroy(fixed);
  sixer_rom_close(rom);
  return true;
}

static void test_edges(void **state) {
  (void)state;
  int found = 0;
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) found += test_edge(&edges[i]);
  if (!found) skip();
}

/* Away from the edges the two scorings are the same, in every game and frame for frame. */
static void test_same_elsewhere(void **state) {
  (void)state;
  int found = 0;
  for (int k = 0; k < game_builtin_count(); k++) {
    sixer_rom *rom;
    if (sixer_rom_open(game_builtin_id(k), NULL, &rom, NULL)) continue;
    sixer_env *ale = make(rom, SIXER_SCORING_ALE), *fixed = make(rom, SIXER_SCORING_FIXED);
    sixer_list list = sixer_rom_minimal_actions(rom);
    uint32_t random = 3;
    for (int step = 0; step < 400; step++) {
      random = random * 1664525 + 1013904223;
      int action = list.items[(random >> 16) % (unsigned)list.count];
      sixer_result a, f;
      sixer_env_step(ale, action, &a);
      sixer_env_step(fixed, action, &f);
      if (a.reward != f.reward || a.lives != f.lives || a.over != f.over) {
        fail_msg("%s, step %d: rewards %d and %d, lives %d and %d", game_builtin_id(k), step,
                 a.reward, f.reward, a.lives, f.lives);
      }
      if (a.over) {
        sixer_env_reset(ale);
        sixer_env_reset(fixed);
      }
    }
    sixer_env_destroy(ale);
    sixer_env_destroy(fixed);
    sixer_rom_close(rom);
    found++;
  }
  printf("%d games compared\n", found);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges),
                                     cmocka_unit_test(test_same_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
