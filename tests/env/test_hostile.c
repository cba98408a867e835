/* States, settings and images that mean harm: each of these once wrote outside of its memory, hung, or played
 * differently on each core. The sanitize build sees the first kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env/state.h"
#include "env/vec_parts.h"
#include "sixer/tape.h"
#include "sixer/vec.h"
#include "util/md5.h"

/* ---- States ---------------------------------------------------------------------------------------------------- */

typedef struct subject {
  sixer_rom *rom;
  sixer_env *env;
  size_t size;
  uint8_t *state;
} subject;

static subject open_subject(const char *name) {
  subject s = {0};
  sixer_error error;
  const sixer_config config = sixer_config_default();
  if (sixer_rom_open(name, NULL, &s.rom, &error) ||
      sixer_env_create(s.rom, &config, &s.env, &error))
    fail_msg("%s", error.message);
  for (int i = 0; i < 20; i++) sixer_env_step(s.env, i % SIXER_ACTION_COUNT, NULL);
  s.size = sixer_env_state_size(s.env, 0);
  s.state = malloc(s.size);
  sixer_env_save(s.env, 0, s.state);
  return s;
}

static void close_subject(subject *s) {
  free(s->state);
  sixer_env_destroy(s->env);
  sixer_rom_close(s->rom);
}

/* Is the state with this console and episode accepted? */
static bool accepted(const subject *s, const console *c, const episode *e) {
  uint8_t *bytes = malloc(s->size);
  memcpy(bytes, s->state, s->size);
  const size_t at = s->size - sizeof *c - s->rom->cart.xram_size;
  memcpy(bytes + at, c, sizeof *c);
  memcpy(bytes + 32, e, sizeof *e);
  sixer_error error = {SIXER_OK, ""};
  const bool yes = sixer_env_load(s->env, bytes, s->size, &error) == SIXER_OK;
  if (yes) {
    sixer_env_step(s->env, 0, NULL);
    sixer_env_reset(s->env);
  } else {
    assert_true(strlen(error.message) > 10);
  }
  free(bytes);
  return yes;
}

#define REFUSED(change)                                                \
  do {                                                                 \
    console c = *s.env->m.c;                                           \
    episode e = s.env->now;                                            \
    tia_state *t = &c.tia;                                             \
    (void)t;                                                           \
    assert_true(accepted(&s, &c, &e));                                 \
    assert_int_equal(sixer_env_load(s.env, s.state, s.size, NULL), 0); \
    c = *s.env->m.c;                                                   \
    e = s.env->now;                                                    \
    change;                                                            \
    if (accepted(&s, &c, &e)) fail_msg("accepted: %s", #change);       \
  } while (0)

static void impossible_states_are_refused(void **unused) {
  (void)unused;
  subject s = open_subject("sporefall");
  const machine_config *m = &s.env->m.config;
  const int32_t stop = LINE_CLOCKS * (m->first_line + m->lines);
  /* the beam at the end of the window, in a row that is not in the picture */
  REFUSED(
      (t->partial = t->grayed = 1, t->last = t->frame_start + stop, t->to_end = 100, t->row = 0));
  REFUSED((t->partial = t->grayed = 1, t->last = t->frame_start + stop, t->to_end = 0,
           t->row = 100000000));
  REFUSED((t->partial = t->grayed = 1, t->last = t->frame_start + stop + 1, t->to_end = 100,
           t->row = 0));
  REFUSED((t->partial = t->grayed = 1, t->last = 0, t->to_end = 228, t->row = 48000));
  /* the beam ahead of the processor */
  REFUSED((t->partial = t->grayed = 1, c.cycles = 0, t->last = t->frame_start + stop, t->to_end = 0,
           t->row = (uint32_t)(160 * m->lines)));
  /* counters that would make a reset or a step take forever, or overflow */
  REFUSED(c.draws = 0xFFFFFFFF);
  REFUSED(c.draws = 1u << 28);
  REFUSED(c.cycles = (1 << 28) - 1);
  REFUSED(c.cycles = -1);
  REFUSED(e.frames = INT64_MAX);
  REFUSED(e.score = INT64_MIN);
  REFUSED(e.episode_frames = -1);
  REFUSED(e.since_reward = -5);
  /* values that are derived from others */
  REFUSED(t->look.graphic[0] ^= 1);
  REFUSED(t->look.enabled ^= 1 << BL);
  REFUSED(t->look.ctrl ^= 4);
  REFUSED(t->look.vblank ^= 1);
  REFUSED(t->dump ^= 1);
  REFUSED(t->look.no_blanks = 1);
  REFUSED(t->grayed ^= 1);
  REFUSED((t->look.star = STAR_WIDE, t->star_on = 0));
  /* values that no register holds */
  REFUSED(t->look.pf[0] |= 1);
  REFUSED(t->look.nusiz[1] |= 8);
  REFUSED(t->look.pos[M1] = 160);
  REFUSED(t->hm[0] = 16);
  REFUSED(t->look.color[2] ^= 1);
  REFUSED(t->enam[0] = 2);
  REFUSED(t->collisions |= 1 << 12);
  REFUSED(t->frame_start = -228);
  REFUSED(c.riot.shift = 5);
  REFUSED(c.riot.read_after = 2);
  REFUSED(c.p = 0);
  REFUSED(c.jammed = 2);
  REFUSED(c.bank[0] = 1);
  REFUSED(c.chip.bytes[3] = 1);
  REFUSED(e.mode = 77);
  REFUSED(e.difficulty = 4);
  REFUSED(e.level = 256);
  REFUSED(e.executed = SIXER_ACTION_COUNT);
  REFUSED(e.pad = 1);
  close_subject(&s);
}

/* Times that a console remembers are any 32 bits: a program may leave a timer alone for hours. */
static void old_times_are_played(void **unused) {
  (void)unused;
  subject s = open_subject("sporefall");
  static const int32_t times[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    for (int field = 0; field < 5; field++) {
      assert_int_equal(sixer_env_load(s.env, s.state, s.size, NULL), SIXER_OK);
      console c = *s.env->m.c;
      const episode e = s.env->now;
      int32_t *const at[] = {&c.riot.set_cycle, &c.riot.read_cycle, &c.tia.vsync_ready,
                             &c.tia.last_hmove, &c.tia.dump_off};
      *at[field] = times[i];
      /* known lines of the fast TIA rely on it that no HMOVE is in the future */
      const bool future = field == 3 && times[i] > 3 * c.cycles;
      assert_int_equal(accepted(&s, &c, &e), !future);
    }
  }
  close_subject(&s);
}

/* A program that does nothing but loop is in one frame forever, and its cycles are counted without overflow. */
static void endless_frames_do_not_overflow(void **unused) {
  (void)unused;
  /* SEI, JMP self: 3 cycles; then, if the fire button is pressed, HMOVE and WSYNC */
  static const uint8_t code[] = {0x78, 0x24, 0x3C, 0x30, 0xFC, 0x85, 0x2A,
                                 0x85, 0x02, 0xE6, 0x80, 0x4C, 0x01, 0xF0};
  uint8_t image[4096] = {0};
  memcpy(image, code, sizeof code);
  image[0xFFC] = 0x00;
  image[0xFFD] = 0xF0;
  sixer_rom *rom = NULL;
  sixer_env *env[3] = {NULL};
  sixer_error error;
  assert_int_equal(sixer_rom_create(image, sizeof image, "endless", NULL, &rom, &error), SIXER_OK);
  sixer_config config = sixer_config_default();
  config.sticky = 0;
  for (int i = 0; i < 3; i++) {
    config.core = (sixer_core)(SIXER_CORE_PLAIN + i);
    assert_int_equal(sixer_env_create(rom, &config, &env[i], &error), SIXER_OK);
  }
  const size_t size = sixer_env_state_size(env[0], 0);
  uint8_t *a = malloc(size), *b = malloc(size);
  for (int step = 0; step < 900; step++) {
    for (int i = 0; i < 3; i++) {
      assert_int_equal(sixer_env_step(env[i], step % 400 == 399, NULL), SIXER_OK);
      sixer_env_save(env[i], 0, i ? b : a);
      if (i) assert_memory_equal(a, b, size);
      if (step % 100 == 99) assert_int_equal(sixer_env_load(env[i], a, size, NULL), SIXER_OK);
      assert_in_range(env[i]->m.c->cycles, 0, ENDLESS_CYCLES + 25000 * 84);
    }
  }
  free(a);
  free(b);
  for (int i = 0; i < 3; i++) sixer_env_destroy(env[i]);
  sixer_rom_close(rom);
}

/* ---- Vectors --------------------------------------------------------------------------------------------------- */

/* Frames of 262 lines, or of 288 if the random byte at 0x80 is odd. */
static void seed_dependent_image(uint8_t image[4096]) {
  static const uint8_t code[] = {0x78, 0xD8, 0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02,
                                 0x85, 0x02, 0xA9, 0x00, 0x85, 0x00, 0xA2, 0xF0, 0x85, 0x02,
                                 0xCA, 0xD0, 0xFB, 0xA5, 0x80, 0x29, 0x01, 0xF0, 0x07, 0xA2,
                                 0x1A, 0x85, 0x02, 0xCA, 0xD0, 0xFB, 0xA2, 0x13, 0x85, 0x02,
                                 0xCA, 0xD0, 0xFB, 0x4C, 0x02, 0xF0};
  memset(image, 0xEA, 4096);
  memcpy(image, code, sizeof code);
  image[0xFFC] = 0x00;
  image[0xFFD] = 0xF0;
}

static void pictures_have_the_height_of_their_env(void **unused) {
  (void)unused;
  uint8_t image[4096];
  sixer_rom *rom = NULL;
  sixer_error error;
  seed_dependent_image(image);
  assert_int_equal(sixer_rom_create(image, sizeof image, "seeds", NULL, &rom, &error), SIXER_OK);
  int different = 0;
  for (uint32_t seed = 0; seed < 8; seed++) {
    sixer_vec_config config = sixer_vec_config_default();
    config.env.system_seed = seed;
    config.threads = 1;
    const sixer_vec_slot slot = {rom, SIXER_MODE_DEFAULT, 0};
    sixer_vec *vec = NULL;
    if (sixer_vec_create(&slot, 1, &config, &vec, &error)) fail_msg("%s", error.message);
    uint8_t *obs = malloc(sixer_vec_describe(vec).obs_size);
    const sixer_vec_out out = {.rows = sixer_vec_describe(vec).count, .obs = obs};
    assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
    const int height = sixer_vec_height(vec, 0);
    assert_int_equal(height, vec->members[0].env->height);
    assert_int_equal(sixer_vec_height(vec, 1), 0);
    different += height != sixer_rom_describe(rom).height;
    uint8_t *rgb = malloc((size_t)height * 160 * 3); /* the sanitizer sees a longer one */
    assert_int_equal(sixer_vec_rgb(vec, 0, rgb, &error), SIXER_OK);
    free(rgb);
    free(obs);
    sixer_vec_destroy(vec);
  }
  assert_true(different > 0);
  sixer_rom_close(rom);
}

/* One image under two rules, of which one says that it has 32K of memory. */
static void copies_need_the_same_console(void **unused) {
  (void)unused;
  uint8_t image[8192];
  char folder[] = "/tmp/sixer-hostile-XXXXXX", path[100], md5[33];
  seed_dependent_image(image);
  memcpy(image + 4096, image, 4096);
  md5_hex(image, sizeof image, md5);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/wide.game", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "game wide\ntitle \"Wide\"\nmd5 %s\ncartridge 3E\nactions all\nmodes 0\n"
          "difficulties 0\nkeep lives = 0\nstep { terminal = 0 }\n",
          md5);
  fclose(file);
  setenv("SIXER_GAMES", folder, 1);
  sixer_rom *rom[2] = {NULL, NULL};
  sixer_error error = {SIXER_OK, ""};
  if (sixer_rom_create(image, sizeof image, NULL, NULL, &rom[0], &error) ||
      sixer_rom_create(image, sizeof image, NULL, "tetris", &rom[1], &error))
    fail_msg("%s", error.message);
  unsetenv("SIXER_GAMES");
  remove(path);
  rmdir(folder);
  assert_string_equal(sixer_rom_describe(rom[0]).type, "3E");
  assert_string_not_equal(sixer_rom_describe(rom[1]).type, "3E");
  sixer_vec_config config = sixer_vec_config_default();
  const sixer_vec_slot slots[2] = {{rom[0], SIXER_MODE_DEFAULT, 0},
                                   {rom[1], SIXER_MODE_DEFAULT, 0}};
  sixer_vec *vec = NULL;
  config.threads = 1;
  if (sixer_vec_create(slots, 2, &config, &vec, &error)) fail_msg("%s", error.message);
  uint8_t *obs = malloc(2 * sixer_vec_describe(vec).obs_size);
  const sixer_vec_out out = {.rows = sixer_vec_describe(vec).count, .obs = obs};
  assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
  const int32_t one[1] = {0}, other[1] = {1};
  assert_int_equal(sixer_vec_copy(vec, one, other, 1, 0, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "cannot become a copy"));
  assert_int_equal(sixer_vec_copy(vec, other, one, 1, 0, &error), SIXER_ERR_ARGUMENT);
  free(obs);
  sixer_vec_destroy(vec);
  sixer_rom_close(rom[0]);
  sixer_rom_close(rom[1]);
}

/* ---- Windows and settings -------------------------------------------------------------------------------------- */

/* A frame that a reset interrupts is drawn from the top of the buffer on, whatever the window is. */
static void low_windows_stay_in_the_buffer(void **unused) {
  (void)unused;
  uint8_t image[4096];
  char folder[] = "/tmp/sixer-hostile-XXXXXX", path[100], md5[33];
  /* jam in the middle of the picture; after the reset, draw from line 0 to the end of the window */
  static const uint8_t code[] = {0xA2, 0x00, 0x85, 0x02, 0x85, 0x02, 0xCA, 0xD0, 0xF9, 0x02};
  memset(image, 0xEA, sizeof image);
  memcpy(image, code, sizeof code);
  image[0xFFC] = 0x00;
  image[0xFFD] = 0xF0;
  md5_hex(image, sizeof image, md5);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/low.game", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "game low\ntitle \"Low\"\nmd5 %s\nformat PAL\nfirst_line 64\nactions all\n"
          "modes 0\ndifficulties 0\nkeep lives = 0\nstep { terminal = 0 }\n",
          md5);
  fclose(file);
  setenv("SIXER_GAMES", folder, 1);
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_config config = sixer_config_default();
  config.core = SIXER_CORE_PLAIN;
  if (sixer_rom_create(image, sizeof image, NULL, NULL, &rom, &error) ||
      sixer_env_create(rom, &config, &env, &error))
    fail_msg("%s", error.message);
  unsetenv("SIXER_GAMES");
  remove(path);
  rmdir(folder);
  assert_true(env->m.config.first_line + env->m.config.lines <= SCREEN_MAX_LINES);
  for (int i = 0; i < 4; i++) {
    sixer_env_step(env, 0, NULL);
    sixer_env_reset(env);
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

static void endless_settings_are_refused(void **unused) {
  (void)unused;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_error error;
  assert_int_equal(sixer_rom_open("sporefall", NULL, &rom, &error), SIXER_OK);
#define REFUSED_SETTING(field, value)                                                 \
  do {                                                                                \
    sixer_config config = sixer_config_default();                                     \
    config.field = value;                                                             \
    assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_ERR_CONFIG); \
    assert_non_null(strstr(error.message, #field));                                   \
  } while (0)
  REFUSED_SETTING(frame_skip, INT32_MAX);
  REFUSED_SETTING(frame_skip_max, INT32_MAX);
  REFUSED_SETTING(noop_starts, INT32_MAX);
  REFUSED_SETTING(delay_max, INT32_MAX);
  REFUSED_SETTING(paddle_min, -2);
  assert_null(env);
  sixer_rom_close(rom);
}

/* ---- Tapes ----------------------------------------------------------------------------------------------------- */

static sixer_err open_tape(const char *line, sixer_tape **tape, sixer_error *error) {
  char path[] = "/tmp/sixer-hostile-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *out = fdopen(file, "w");
  fprintf(out, "sixer tape 1\nversion 1\nmd5 %032d\n%s\n---\n", 0, line);
  fclose(out);
  const sixer_err err = sixer_tape_open(path, tape, error);
  remove(path);
  return err;
}

static void heads_of_tapes_are_not_trusted(void **unused) {
  (void)unused;
  static const char *const refused[] = {"game /etc/passwd",
                                        "game ../../x",
                                        "game ./sporefall.bin",
                                        "game A\033[31m",
                                        "game ",
                                        "md5 0123",
                                        "md5 ../../../../../../../../../etc/aa",
                                        "frame_skip 99999999999"};
  sixer_error error = {SIXER_OK, ""};
  sixer_tape *tape = NULL;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    if (open_tape(refused[i], &tape, &error) != SIXER_ERR_TAPE)
      fail_msg("accepted: %s", refused[i]);
    assert_null(strchr(error.message, '\033'));
  }
  /* texts are shown: escape sequences, 8-bit ones too, and broken characters are not */
  assert_int_equal(open_tape("by \033]0;evil\007 \xC2\x9B"
                             "2J \xFF \xC3\xA9",
                             &tape, &error),
                   SIXER_OK);
  assert_string_equal(sixer_tape_describe(tape).by, "?]0;evil? ??2J ? \xC3\xA9");
  sixer_tape_close(tape);
  assert_int_equal(sixer_tape_open("/dev/zero", &tape, &error), SIXER_ERR_TAPE);
  assert_non_null(strstr(error.message, "larger than"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impossible_states_are_refused),
      cmocka_unit_test(old_times_are_played),
      cmocka_unit_test(endless_frames_do_not_overflow),
      cmocka_unit_test(pictures_have_the_height_of_their_env),
      cmocka_unit_test(copies_need_the_same_console),
      cmocka_unit_test(low_windows_stay_in_the_buffer),
      cmocka_unit_test(endless_settings_are_refused),
      cmocka_unit_test(heads_of_tapes_are_not_trusted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
