/* Parts of `sixer play` without a window: pacing under a clock of our own, the past, slots, the player and its tape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/stick_cartridge.h"

/* the program's parts are not in the library */
#include "cli/pace.c"

#include "cli/history.c"

#include "cli/cli.c"
#include "cli/help.c"
#include "cli/session.c"
#include "cli/image.c"

#include "cli/model_files.c"
#include "cli/font.c"
#include "cli/insight.c"
#include "cli/seats.c"
#include "cli/player.c"

const command cli_commands[] = {{NULL, NULL, NULL, NULL, NULL}};

static char folder[] = "/tmp/sixer-test-play-XXXXXX";
static char image[100], tape[100];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return 1;
  snprintf(image, sizeof image, "%s/scene.bin", folder);
  snprintf(tape, sizeof tape, "%s/a.tape", folder);
  setenv("XDG_DATA_HOME", folder, 1);
  FILE *file = fopen(image, "wb");
  uint8_t bytes[4096];
  stick_cartridge_image(bytes);
  fwrite(bytes, 1, sizeof bytes, file);
  return fclose(file);
}

static int remove_folder(void **state) {
  (void)state;
  char command_line[200];
  snprintf(command_line, sizeof command_line, "rm -rf %s", folder);
  return system(command_line);
}

/* ---- Pacing ---------------------------------------------------------------------------------------------------- */

static void test_pace(void **unused) {
  (void)unused;
  const double rates[] = {59.92, 49.86}, ticks[] = {0.001, 0.004, 0.0166, 0.05},
               speeds[] = {1, 4, 16};
  for (int r = 0; r < 2; r++) {
    for (int t = 0; t < 4; t++) {
      for (int s = 0; s < 3; s++) {
        pacer p;
        int frames = 0;
        pacer_begin(&p, 100, rates[r]);
        int steps = (int)(60 / ticks[t]);
        for (int i = 0; i < steps; i++) frames += pacer_due(&p, 100 + i * ticks[t], speeds[s]);
        double expected = steps * ticks[t] * rates[r] * speeds[s];
        assert_true(fabs(frames - expected) <= 0.06 * rates[r] * speeds[s]);
      }
    }
  }
  /* time that was lost is not caught up */
  pacer p;
  pacer_begin(&p, 0, 60);
  assert_int_equal(pacer_due(&p, 0, 1), 1);
  assert_int_equal(pacer_due(&p, 0.001, 1), 0);
  assert_true(fabs(pacer_wait(&p, 0.001) - (1.0 / 60 - 0.001)) < 1e-9);
  assert_int_equal(pacer_due(&p, 10, 1), 1);
  assert_true(pacer_due(&p, 10.05, 1) <= 3);
}

/* ---- Going back ------------------------------------------------------------------------------------------------ */

enum { FULL = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };

static uint8_t *save(const sixer_env *env) {
  uint8_t *state = malloc(sixer_env_state_size(env, FULL));
  sixer_env_save(env, FULL, state);
  return state;
}

static void test_history(void **unused) {
  (void)unused;
  enum { STEPS = 400 };
  sixer_error error;
  sixer_rom *rom;
  sixer_env *env;
  assert_int_equal(stick_cartridge_open("seaquest", &rom, &error), SIXER_OK);
  sixer_config config = sixer_config_default(); /* sticky: the generator must come back too */
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  history *h = history_create(env, 20);
  uint8_t *states[STEPS + 1];
  size_t size = sixer_env_state_size(env, FULL);
  for (int i = 0; i < STEPS; i++) {
    states[i] = save(env);
    sixer_input input = {.action_a = i * 7 % 18, .strength_a = 1};
    sixer_env_step_input(env, input, NULL);
    history_step(h, env, input);
    if (i == 250) {
      sixer_env_reset(env);
      history_jump(h, env);
    }
  }
  states[STEPS] = save(env);
  assert_int_equal(history_length(h), STEPS);
  int at = STEPS;
  while (at > 0) {
    int steps = 1 + at % 37;
    int gone = history_back(h, env, steps);
    assert_int_equal(gone, steps < at ? steps : at);
    at -= gone;
    uint8_t *now = save(env);
    assert_memory_equal(now, states[at], size);
    free(now);
  }
  assert_int_equal(history_back(h, env, 5), 0);
  for (int i = 0; i <= STEPS; i++) free(states[i]);
  history_destroy(h);

  /* minutes of it: old marks give way, memory stays bounded */
  h = history_create(env, 10);
  for (int i = 0; i < 3000; i++) {
    sixer_input input = {.action_a = i / 20 % 18, .strength_a = 1};
    sixer_env_step_input(env, input, NULL);
    history_step(h, env, input);
  }
  assert_in_range(history_length(h), 9 * 60, 10 * 60);
  assert_in_range(history_bytes(h), 1, 10 * 20000);
  history_destroy(h);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* ---- The player ------------------------------------------------------------------------------------------------ */

static void begin(player *p, const char *record) {
  sixer_error error;
  sixer_config config = sixer_config_default();
  player_settings settings = {.command = "play", .rom = image, .config = &config, .record = record};
  if (player_create(p, &settings, &error)) fail_msg("%s", error.message);
}

static void play(player *p, int frames, int buttons) {
  p->buttons[0] = buttons;
  for (int i = 0; i < frames; i++) player_advance(p);
}

static void verify_tape(int jumps) {
  sixer_error error;
  sixer_tape *t;
  sixer_rom *rom;
  sixer_env *env;
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  assert_int_equal(sixer_tape_open(tape, &t, &error), SIXER_OK);
  assert_int_equal(sixer_tape_describe(t).jumps, jumps > 0);
  assert_int_equal(sixer_tape_rom(t, image, &rom, &error), SIXER_OK);
  assert_int_equal(sixer_tape_env(t, rom, &env, &error), SIXER_OK);
  int found = 0;
  while (event.kind != SIXER_TAPE_END) {
    if (sixer_tape_play(t, env, &event, &error)) fail_msg("%s", error.message);
    found += event.kind == SIXER_TAPE_STATE;
  }
  assert_int_equal(found, jumps);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  sixer_tape_close(t);
  unlink(tape);
}

static void test_actions(void **unused) {
  (void)unused;
  static const struct {
    int buttons, action;
  } cases[] = {{0, 0},
               {BUTTON_FIRE, 1},
               {BUTTON_UP, 2},
               {BUTTON_RIGHT, 3},
               {BUTTON_LEFT, 4},
               {BUTTON_DOWN, 5},
               {BUTTON_UP | BUTTON_RIGHT, 6},
               {BUTTON_UP | BUTTON_LEFT, 7},
               {BUTTON_DOWN | BUTTON_RIGHT, 8},
               {BUTTON_DOWN | BUTTON_LEFT, 9},
               {BUTTON_UP | BUTTON_FIRE, 10},
               {BUTTON_DOWN | BUTTON_LEFT | BUTTON_FIRE, 17},
               {BUTTON_UP | BUTTON_DOWN, 0},
               {BUTTON_LEFT | BUTTON_RIGHT | BUTTON_UP, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(player_action(cases[i].buttons), cases[i].action);
}

/* Without waiting for the disk, which would take most of the test's time. */
static void write_plainly(const char *path, const uint8_t *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* A slot with any flipped bit, and one that is cut off, is refused and changes nothing. */
static void check_damaged_slots(player *p, int slot, size_t size) {
  char path[4096];
  player_do(p, PLAYER_SLOT, slot);
  assert_true(slot_path(p, path, sizeof path));
  uint8_t *before = save(p->env), *bytes = malloc(size + 100);
  FILE *file = fopen(path, "rb");
  size_t length = fread(bytes, 1, size + 100, file);
  fclose(file);
  assert_true(length > size);
  for (size_t i = 0; i <= length; i += 97) {
    bytes[i % length] ^= (uint8_t)(1 << i % 8);
    size_t cut = i == 97 ? length / 2 : length;
    write_plainly(path, bytes, cut);
    player_do(p, PLAYER_LOAD, 0);
    assert_null(strstr(p->notice, "loaded"));
    uint8_t *after = save(p->env);
    assert_memory_equal(before, after, size);
    free(after);
    bytes[i % length] ^= (uint8_t)(1 << i % 8);
  }
  write_plainly(path, bytes, length);
  free(before);
  free(bytes);
}

/* The status line fits a terminal of 80 columns, whatever there is to say. */
static void test_status(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_config config = sixer_config_default();
  player_settings settings = {.command = "play", .rom = "undervault", .config = &config};
  player p;
  assert_int_equal(player_create(&p, &settings, &error), SIXER_OK);
  char line[200];
  player_status(&p, line, sizeof line);
  assert_non_null(strstr(line, "reward 0"));
  assert_non_null(strstr(line, "level"));
  p.score = 9999999;
  p.last_reward = -123456;
  p.input.action_a = 17;
  p.rewinding = true;
  p.recorder = (sixer_recorder *)&p; /* only whether there is one counts */
  player_status(&p, line, sizeof line);
  assert_true(strlen(line) <= 79);
  assert_non_null(strstr(line, "9999999"));
  assert_non_null(strstr(line, "DOWNLEFTFIRE"));
  assert_non_null(strstr(line, "REC"));
  p.recorder = NULL;
  assert_int_equal(player_destroy(&p, &error), SIXER_OK);
}

static void test_player(void **unused) {
  (void)unused;
  player p;
  begin(&p, tape);
  play(&p, 100, BUTTON_UP);
  assert_int_equal(p.steps, 100);
  size_t size = sixer_env_state_size(p.env, FULL);
  uint8_t *at_100 = save(p.env);

  /* a pause is one, single steps are single */
  player_do(&p, PLAYER_PAUSE, 0);
  play(&p, 10, BUTTON_LEFT);
  assert_int_equal(p.steps, 100);
  player_do(&p, PLAYER_STEP, 0);
  assert_int_equal(p.steps, 101);
  play(&p, 3, BUTTON_LEFT);
  assert_int_equal(p.steps, 101);
  player_do(&p, PLAYER_PAUSE, 0);
  play(&p, 50, BUTTON_RIGHT);

  /* back to step 100, exactly */
  p.rewinding = true;
  play(&p, 51, BUTTON_DOWN);
  p.rewinding = false;
  assert_int_equal(p.steps, 100);
  uint8_t *now = save(p.env);
  assert_memory_equal(now, at_100, size);
  free(now);

  /* a slot holds it, also after a reset */
  player_do(&p, PLAYER_SLOT, 3);
  player_do(&p, PLAYER_SAVE, 0);
  assert_non_null(strstr(p.notice, "saved to slot 3"));
  play(&p, 70, BUTTON_FIRE);
  player_do(&p, PLAYER_RESET, 0);
  play(&p, 10, 0);
  player_do(&p, PLAYER_LOAD, 0);
  assert_non_null(strstr(p.notice, "loaded slot 3"));
  now = save(p.env);
  assert_memory_equal(now, at_100, size);
  free(now);
  player_do(&p, PLAYER_SLOT, 4);
  player_do(&p, PLAYER_LOAD, 0);
  assert_non_null(strstr(p.notice, "empty"));
  check_damaged_slots(&p, 3, size);

  /* going back beyond a load and a reset */
  play(&p, 5, 0);
  p.rewinding = true;
  play(&p, 20, 0);
  p.rewinding = false;
  play(&p, 130, BUTTON_UP);
  free(at_100);
  sixer_error error;
  if (player_destroy(&p, &error)) fail_msg("%s", error.message);
  verify_tape(3); /* two times back, one load */
}

/* A slot of other bytes is refused and nothing changes. */
static void test_bad_slot(void **unused) {
  (void)unused;
  player p;
  char path[4096];
  begin(&p, NULL);
  play(&p, 10, 0);
  uint8_t *before = save(p.env);
  p.slot = 7;
  assert_true(slot_path(&p, path, sizeof path));
  FILE *file = fopen(path, "wb");
  fputs("not a state", file);
  fclose(file);
  player_do(&p, PLAYER_LOAD, 0);
  assert_non_null(strstr(p.notice, "slot 7:"));
  uint8_t *after = save(p.env);
  assert_memory_equal(before, after, sixer_env_state_size(p.env, FULL));
  free(before);
  free(after);
  player_destroy(&p, NULL);
}

static void test_watching(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.max_frames = 100;
  player p;
  player_settings settings = {
      .rom = image, .config = &config, .agent = "random", .record = tape, .episodes = 2};
  assert_int_equal(player_create(&p, &settings, &error), SIXER_OK);
  for (int i = 0; i < 1000 && !p.finished; i++) player_advance(&p);
  assert_true(p.finished);
  assert_int_equal(p.episodes, 2);
  assert_int_equal(p.steps, 200);
  assert_int_equal(player_destroy(&p, &error), SIXER_OK);

  settings = (player_settings){.command = "play", .rom = image, .config = &config, .tape = tape};
  assert_int_equal(player_create(&p, &settings, &error), SIXER_OK);
  for (int i = 0; i < 1000 && !p.finished; i++) player_advance(&p);
  assert_true(p.finished);
  assert_int_equal(p.steps, 200);
  assert_int_equal(p.failure.code, SIXER_OK);
  player_do(&p, PLAYER_RESET, 0); /* not while a tape plays */
  assert_non_null(strstr(p.notice, "tape"));
  player_destroy(&p, NULL);
  unlink(tape);
}

/* Play a tape to its end; it must give what it says. */
static void watch_tape(const char *rom) {
  sixer_error error;
  sixer_config config = sixer_config_default();
  player_settings settings = {.command = "watch", .rom = rom, .config = &config, .tape = tape};
  player p;
  assert_int_equal(player_create(&p, &settings, &error), SIXER_OK);
  for (int i = 0; i < 100000 && !p.finished; i++) player_advance(&p);
  assert_true(p.finished && p.steps > 0);
  assert_int_equal(p.failure.code, SIXER_OK);
  player_destroy(&p, NULL);
  unlink(tape);
}

/* A person against an agent: it plays its own seat, also after going back and in another mode. The tape has both. */
static void test_against(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.players = 2;
  player_settings settings = {.command = "play",
                              .rom = "wispherd",
                              .config = &config,
                              .record = tape,
                              .seats = {.players = 2, .people = 1},
                              .against = "scripted"};
  player p;
  char line[200];
  if (player_create(&p, &settings, &error)) fail_msg("%s", error.message);
  play(&p, 3000, 0);
  const int64_t score = sixer_env_players_result(p.env).score[1];
  assert_true(score > 0);
  assert_int_equal(sixer_env_players_result(p.env).score[0], -score);
  player_status(&p, line, sizeof line);
  assert_non_null(strstr(line, " : "));
  p.rewinding = true;
  play(&p, 60, 0);
  p.rewinding = false;
  play(&p, 60, BUTTON_LEFT);
  assert_int_equal(sixer_env_players_result(p.env).executed[0], SIXER_ACTION_LEFT);
  const int mode = sixer_env_status(p.env).mode;
  player_do(&p, PLAYER_MODE, 1);
  assert_int_equal(sixer_env_status(p.env).mode, mode + 1);
  play(&p, 60, 0);
  assert_int_equal(p.failure.code, SIXER_OK);
  assert_int_equal(player_destroy(&p, &error), SIXER_OK);
  watch_tape("wispherd");
}

/* Two people; then four agents, of which those that are out do nothing. */
static void test_seats(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.players = 2;
  player_settings settings = {.command = "play",
                              .rom = "wispherd",
                              .config = &config,
                              .seats = {.players = 2, .people = 2}};
  player p;
  assert_int_equal(player_create(&p, &settings, &error), SIXER_OK);
  p.buttons[1] = BUTTON_UP | BUTTON_FIRE;
  play(&p, 5, BUTTON_DOWN);
  assert_int_equal(sixer_env_players_result(p.env).executed[0], SIXER_ACTION_DOWN);
  assert_int_equal(sixer_env_players_result(p.env).executed[1], SIXER_ACTION_UPFIRE);
  assert_int_equal(player_destroy(&p, &error), SIXER_OK);

  config.players = 4;
  settings = (player_settings){.command = "watch",
                               .rom = "hearthring",
                               .config = &config,
                               .agent = "random",
                               .record = tape,
                               .minimal = true,
                               .episodes = 2,
                               .seats = {.players = 4},
                               .against = "scripted"};
  assert_int_equal(player_create(&p, &settings, &error), SIXER_OK);
  for (int i = 0; i < 200000 && !p.finished; i++) player_advance(&p);
  assert_true(p.finished && p.episodes == 2);
  assert_int_equal(p.failure.code, SIXER_OK);
  sixer_players_result end = sixer_env_players_result(p.env);
  for (int i = 1; i < 4; i++) assert_true(end.score[i] > end.score[0]);
  assert_int_equal(player_destroy(&p, &error), SIXER_OK);
  watch_tape("hearthring");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pace),     cmocka_unit_test(test_history),
      cmocka_unit_test(test_actions),  cmocka_unit_test(test_status),
      cmocka_unit_test(test_player),   cmocka_unit_test(test_bad_slot),
      cmocka_unit_test(test_watching), cmocka_unit_test(test_against),
      cmocka_unit_test(test_seats),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
