/* Inspectors: a logged step is the step that the env then makes (picture, memory, reward), and leaves the env as it
 * was; the writes of the log lead from the memory before the frame to that after it; the color of every pixel is the
 * one that its note names, as its register stood at that clock; a frame of a known program is logged as it was
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/inspect.h"

static sixer_env *create(const sixer_rom *rom, sixer_config config) {
  sixer_env *env;
  sixer_error error;
  if (sixer_env_create(rom, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

/* Replay the writes to memory. */
static void follow_memory(const sixer_frame_log *log, uint8_t *memory) {
  memcpy(memory, log->memory, 128);
  for (int i = 0; i < log->write_count; i++) {
    const sixer_log_write *w = &log->writes[i];
    assert_in_range(w->instruction, 0, log->instruction_count - 1);
    assert_true(w->clock >= log->instructions[w->instruction].clock);
    if (w->address < 0x80 || w->address > 0xFF) continue;
    assert_int_equal(w->old, memory[w->address - 0x80]);
    memory[w->address - 0x80] = w->value;
  }
}

/* The color registers follow the writes; each pixel must have the color that its note names. */
static void follow_colors(const sixer_frame_log *log) {
  enum { COLUP0 = 6 };
  int next = 0, known = 0;
  uint8_t color[4] = {0};
  for (int y = 0; y < log->height; y++) {
    for (int x = 0; x < 160; x++) {
      const int clock = (log->first_line + y) * 228 + 68 + x;
      while (next < log->write_count && log->writes[next].effect <= clock) {
        const sixer_log_write *w = &log->writes[next++];
        if (w->address < COLUP0 || w->address > COLUP0 + 3) continue;
        color[w->address - COLUP0] = w->value & 0xFE;
        known |= 1 << (w->address - COLUP0);
      }
      const int note = log->pixels[160 * y + x], seen = note >> 8 & 15, source = note >> 12 & 3;
      if (seen == SIXER_PIXEL_BLANK) {
        assert_int_equal(log->screen[160 * y + x], 0);
      } else if (known >> source & 1) {
        assert_int_equal(log->screen[160 * y + x], color[source]);
      }
    }
  }
  assert_int_equal(known,
                   15); /* every game of ours sets all its colors in every frame, or nearly */
}

static void test_games(void **state) {
  (void)state;
  static const char *const games[] = {"afterglow",  "cragfast",  "duskrain",   "hearthring",
                                      "hedgelight", "sporefall", "undervault", "wispherd"};
  for (size_t g = 0; g < sizeof games / sizeof *games; g++) {
    sixer_rom *rom;
    sixer_inspector *inspector;
    sixer_error error;
    assert_int_equal(sixer_rom_open(games[g], NULL, &rom, &error), SIXER_OK);
    sixer_config config =
        sixer_config_default(); /* with sticky actions: the draws must be the same */
    config.frame_skip = 1 + (int)g % 3;
    sixer_env *env = create(rom, config);
    assert_int_equal(sixer_inspector_create(env, &inspector, &error), SIXER_OK);
    const size_t size = sixer_env_state_size(env, SIXER_SAVE_CONTROLLER);
    uint8_t *before = malloc(size), *after = malloc(size), memory[128];
    uint32_t draw = 1;
    for (int i = 0; i < 60; i++) {
      sixer_input input = {.action_a = (int)((draw = draw * 1664525 + 1013904223) >> 16) % 18,
                           .strength_a = 1};
      sixer_result expected, result;
      sixer_env_save(env, SIXER_SAVE_CONTROLLER, before);
      assert_int_equal(sixer_inspector_step(inspector, env, input, &expected, &error), SIXER_OK);
      sixer_env_save(env, SIXER_SAVE_CONTROLLER, after);
      assert_memory_equal(before, after, size);
      assert_int_equal(sixer_env_step_input(env, input, &result), SIXER_OK);
      assert_int_equal(result.reward, expected.reward);
      assert_int_equal(result.executed, expected.executed);
      assert_int_equal(result.over, expected.over);
      const sixer_frame_log *log = sixer_inspector_log(inspector);
      assert_int_equal(log->height, sixer_env_height(env));
      assert_memory_equal(log->screen, sixer_env_screen(env), 160 * (size_t)log->height);
      assert_int_equal(log->line_count, 262); /* of all our games */
      follow_memory(log, memory);
      assert_memory_equal(memory, sixer_env_ram(env), 128);
      if (i > 5) follow_colors(log);
    }
    free(before);
    free(after);
    sixer_inspector_destroy(inspector);
    sixer_env_destroy(env);
    sixer_rom_close(rom);
  }
}

/* One line after the other: COLUBK = X, X + 1. The end of line k must show the value of line k, and the pixels its
 * color. */
static void test_lines(void **state) {
  (void)state;
  static const uint8_t program[] = {0xA9, 0x02, 0x85, 0x00, /* F000 frame LDA #2   STA VSYNC */
                                    0x85, 0x02, 0x85, 0x02,
                                    0x85, 0x02,             /* F004       three lines        */
                                    0xA9, 0x00, 0x85, 0x00, /* F00A       LDA #0   STA VSYNC */
                                    0xA2, 0x00,             /* F00E       LDX #0             */
                                    0x85, 0x02,             /* F010 line  STA WSYNC          */
                                    0x86, 0x09,             /* F012       STX COLUBK         */
                                    0xE8,                   /* F014       INX                */
                                    0xE0, 0xFA, 0xD0, 0xF7, /* F015       CPX #250 BNE line  */
                                    0xE6, 0x90,             /* F019       INC $90            */
                                    0x4C, 0x00, 0xF0};      /* F01B       JMP frame          */
  uint8_t image[4096] = {0};
  memcpy(image, program, sizeof program);
  image[0xFFD] = 0xF0;
  sixer_rom *rom;
  sixer_inspector *inspector;
  sixer_error error;
  assert_int_equal(sixer_rom_create(image, sizeof image, "lines", NULL, &rom, &error), SIXER_OK);
  sixer_env *env = create(rom, sixer_config_default());
  assert_int_equal(sixer_inspector_create(env, &inspector, &error), SIXER_OK);
  assert_int_equal(sixer_inspector_step(inspector, env, (sixer_input){0}, NULL, &error), SIXER_OK);
  const sixer_frame_log *log = sixer_inspector_log(inspector);

  /* the frame begins where VSYNC was cleared: at F00E, in the middle of a line */
  char text[SIXER_INSTRUCTION_TEXT];
  assert_int_equal(log->instructions[0].pc, 0xF00E);
  assert_int_equal(sixer_disassemble(log->instructions[0].bytes, 0xF00E, text), 2);
  assert_string_equal(text, "LDX #$00");
  assert_int_equal(log->instructions[1].pc, 0xF010);
  assert_int_equal(log->instructions[2].pc, 0xF012);
  assert_int_equal(log->instructions[2].x, 0);
  assert_int_equal(log->instructions[2].clock % 228, 0); /* WSYNC ends at the beginning of a line */
  for (int k = 1; k < 240; k++) {
    assert_int_equal(log->lines[k].registers[9], k - 1);
    if (k < log->first_line || k >= log->first_line + log->height) continue;
    const int at = 160 * (k - log->first_line) + 80;
    assert_int_equal(log->screen[at], (k - 1) & 0xFE);
    assert_int_equal(log->pixels[at], SIXER_PIXEL_BACKGROUND << 8 | 3 << 12);
  }
  int counted = 0;
  for (int i = 0; i < log->write_count; i++) {
    const sixer_log_write *w = &log->writes[i];
    if (w->address != 0x90) continue;
    counted++;
    assert_int_equal(log->instructions[w->instruction].pc, 0xF019);
    assert_int_equal(w->value, (w->old + 1) & 0xFF);
  }
  assert_int_equal(counted, 1);

  /* memory and code as they are, and nothing changes by looking */
  uint8_t seen[sizeof program], ram;
  assert_int_equal(sixer_inspector_peek(inspector, env, 0xF000, sizeof seen, seen, &error),
                   SIXER_OK);
  assert_memory_equal(seen, program, sizeof seen);
  assert_int_equal(sixer_env_set_ram(env, 0x10, 0xA5), SIXER_OK);
  assert_int_equal(sixer_inspector_peek(inspector, env, 0x0090, 1, &ram, &error), SIXER_OK);
  assert_int_equal(ram, 0xA5);
  assert_int_equal(sixer_inspector_peek(inspector, env, 0xFFFF, 2, seen, &error),
                   SIXER_ERR_ARGUMENT);

  /* bad input */
  sixer_env *other;
  sixer_rom *game;
  assert_int_equal(sixer_rom_open("duskrain", NULL, &game, &error), SIXER_OK);
  other = create(game, sixer_config_default());
  assert_int_equal(sixer_inspector_step(inspector, other, (sixer_input){0}, NULL, &error),
                   SIXER_ERR_ARGUMENT);
  assert_int_equal(
      sixer_inspector_step(inspector, env, (sixer_input){.action_a = 18}, NULL, &error),
      SIXER_ERR_ACTION);
  sixer_env_destroy(other);
  sixer_rom_close(game);
  sixer_inspector_destroy(inspector);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_games), cmocka_unit_test(test_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
