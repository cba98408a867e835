/* The rules language: what expressions and statements compute, what mode procedures press, and what is refused with
 * which words at which place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "games/game.h"

static uint8_t ram[128];

static uint8_t peek(void *machine, uint16_t address) {
  (void)machine;
  return (uint8_t)(address >> 8 ^ address);
}

static const game_view view = {ram, peek, NULL};

static game *compile(const char *text) {
  game *g = NULL;
  sixer_error error = {SIXER_OK, ""};
  if (game_compile("t.game", text, strlen(text), &g, &error)) fail_msg("%s", error.message);
  return g;
}

#define HEAD                                         \
  "game test\ntitle \"A test\"\nactions NOOP FIRE\n" \
  "md5 0123456789abcdef0123456789abcdef\n"

/* The value of an expression, with ram[0x80 + i] = 0x11 * i (mod 256). */
static int32_t value(const char *expression) {
  char text[2000];
  snprintf(text, sizeof text, HEAD "keep x = 7, y = -3\nstep { reward = %s }\n", expression);
  game *g = compile(text);
  int32_t vars[GAME_MAX_VARS];
  for (int i = 0; i < 128; i++) ram[i] = (uint8_t)(0x11 * i);
  game_init(g, vars);
  int32_t reward = game_step(g, vars, &view, SIXER_SCORING_ALE).reward;
  game_free(g);
  return reward;
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t value;
  } cases[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 3 - 2", 5},
      {"7 / 2", 3},
      {"-7 / 2", -3},
      {"-7 % 2", -1},
      {"y / 2", -1},
      {"y % 2", -1},
      {"x / 0", 0},
      {"x % 0", 0},
      {"(x - 7) / 0", 0},
      {"1 << 3 | 1", 9},
      {"0xF0 >> 4 & 7", 7},
      {"6 & 3 + 1", 3}, /* & binds as *, so this is (6 & 3) + 1 */
      {"5 ^ 1", 4},
      {"x & 3 == 3", 1}, /* and before comparisons */
      {"2 + 3 == 5", 1},
      {"not 1 == 2", 1},
      {"not x", 0},
      {"not not x", 1},
      {"1 and 2", 1},
      {"x and 0 or 5", 1},
      {"0 or 0", 0},
      {"1 or 0 and 0", 1},
      {"x > 3 and y < 0", 1},
      {"x < 3 or y < -5", 0},
      {"x == 7 ? 10 : 20", 10},
      {"x == 8 ? 10 : x == 7 ? 30 : 20", 30},
      {"- - 5", 5},
      {"-x", -7},
      {"2147483647 + 1", -2147483647 - 1},
      {"x - 7 + 2147483647 + 1", -2147483647 - 1},
      {"(0 - 2147483647 - 1) / -1", -2147483647 - 1},
      {"(x - 7 - 2147483647 - 1) / -1", -2147483647 - 1},
      {"(x - 7 - 2147483647 - 1) % -1", 0},
      {"65536 * 65536 + x", 7},
      {"-8 >> 1", -4},
      {"(x - 15) >> 1", -4},
      {"1 << 33", 2},
      {"ram[0x82]", 0x22},
      {"ram[0x80 + 2]", 0x22},
      {"ram[x - 5 + 0x80]", 0x22},
      {"ram[x - 5]", 0x22}, /* only the low seven bits of a computed address matter */
      {"ram[x + 0x1000]", 0x77},
      {"mem[0xF0EA]", 0x1A},
      {"mem[0xF000 + x]", 0xF7},
      {"bcd(0x82)", 22},
      {"bcd(0x82, 0x81)", 1122},
      {"bcd(0x82, 0x81, 0x83)", 331122},
      {"bcd(0x8F, 0x8A)",
       10 * 15 + 15 + 100 * (10 * 10 + 10)}, /* nibbles above 9 count at face value */
      {"bcd(x + 0x7B)", 22},
      {"bcd(0x82, x + 0x7A)", 1122},
      {"bcd(0x82, x + 0x7A, 0x83)", 331122},
      {"bcd(0x82, 0x81, x + 0x7C)", 331122},
      {"bcd(x + 0x7B, 0x81, 0x83)", 331122},
      {"1000000 + bcd(x + 0x7B, x + 0x7A, x + 0x7C)", 1331122},
      {"dec(0x42)", 42},
      {"dec(ram[0x84])", 44},
      {"u8(257)", 1},
      {"u8(y)", 253},
      {"i8(255)", -1},
      {"i8(ram[0x8E])", (int8_t)0xEE},
      {"i8(x + 121)", -128},
      {"abs(y)", 3},
      {"abs(-4)", 4},
      {"bits(0x0F)", 4},
      {"bits(ram[0x83])", 4},
      {"min(x, y)", -3},
      {"max(x, y)", 7},
      {"max(x, 9)", 9},
      {"min(3, 4)", 3},
      {"clamp(x, 0, 5)", 5},
      {"clamp(y, 0, 5)", 0},
      {"clamp(3, 0, 5)", 3},
      {"any(i in 0x80 .. 0x8F : ram[i] == 0x55)", 1},
      {"any(i in 0x80 .. 0x8F : ram[i] == 0x56)", 0},
      {"all(i in 1 .. 8 : ram[0x80 + i] == 0x11 * i)", 1},
      {"all(i in 1 .. 8 : i != 8)", 0},
      {"count(i in 0 .. 9 : i % 3 == 0)", 4},
      {"count(i in 0 .. 9 : i)", 9},
      {"sum(i in 0 .. 9 : i)", 45},
      {"sum(i in 3 .. 3 : i * x)", 21},
      {"sum(i in 0 .. 3 : sum(k in 0 .. 2 : i * k))", 18},
      {"100 + sum(i in 1 .. 3 : i) * 2", 112},
      {"true + true + false", 2},
      {"0x7FFFFFFF", 2147483647},
      {"(1 +\n 2)", 3},
      {"1 +\n 2", 3},
      {"x == 7 ?\n 1 :\n 2", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int32_t found = value(cases[i].text);
    if (found != cases[i].value) {
      fail_msg("%s gave %d, expected %d", cases[i].text, found, cases[i].value);
    }
  }
}

static void test_defines(void **state) {
  (void)state;
  game *g = compile(HEAD
                    "keep x = 0\n"
                    "define digit(a) = ram[a] == 0x80 ? 0 : ram[a] & 15\n"
                    "define two(a, b) = digit(a) + 10 * digit(b)\n"
                    "define limit = 3 * 4\n"
                    "step {\n"
                    "  let a = 0x90\n"
                    "  x = two(0x81, a - 0x0E)   # a constant and a computed address\n"
                    "  reward = limit + a\n"
                    "}\n");
  int32_t vars[GAME_MAX_VARS];
  game_init(g, vars);
  memset(ram, 0, sizeof ram);
  ram[1] = 0x37;
  ram[2] = 0x80;
  assert_int_equal(game_step(g, vars, &view, SIXER_SCORING_ALE).reward, 12 + 0x90);
  assert_int_equal(vars[game_var_index(g, "x")], 7);
  ram[2] = 0x14;
  game_step(g, vars, &view, SIXER_SCORING_ALE);
  assert_int_equal(vars[game_var_index(g, "x")], 47);
  game_free(g);
}

static void test_statements(void **state) {
  (void)state;
  game *g = compile(HEAD
                    "keep x = 5, y = 0 unreset, z = 1 unsaved\n"
                    "step {\n"
                    "  let n = ram[0x80]\n"
                    "  if n == 0 { x = 1 } else if n == 1 {\n"
                    "    let m = n + 1\n"
                    "    x = m\n"
                    "  } else {\n"
                    "    x = 3\n"
                    "    if n > 5 { terminal = true }\n"
                    "  }\n"
                    "  n = n + 1\n"
                    "  y = y + n\n"
                    "  z = z * 2\n"
                    "}\n");
  int32_t vars[GAME_MAX_VARS], saved[GAME_MAX_VARS];
  int x = game_var_index(g, "x"), y = game_var_index(g, "y"), z = game_var_index(g, "z");
  game_init(g, vars);
  assert_int_equal(vars[x], 5);
  ram[0] = 0;
  game_step(g, vars, &view, SIXER_SCORING_ALE);
  assert_int_equal(vars[x], 1);
  ram[0] = 1;
  game_step(g, vars, &view, SIXER_SCORING_ALE);
  assert_int_equal(vars[x], 2);
  memcpy(saved, vars, sizeof saved);
  ram[0] = 2;
  assert_false(game_step(g, vars, &view, SIXER_SCORING_ALE).terminal);
  assert_int_equal(vars[x], 3);
  ram[0] = 9;
  assert_true(game_step(g, vars, &view, SIXER_SCORING_ALE).terminal);
  assert_int_equal(game_lives(g, vars), 0);
  assert_int_equal(vars[y], 1 + 2 + 3 + 10);
  assert_int_equal(vars[z], 16);

  game_restore(g, vars, saved);
  assert_false(game_terminal(g, vars));
  assert_int_equal(game_lives(g, vars), 1);
  assert_int_equal(vars[y], 3);
  assert_int_equal(vars[z], 16); /* unsaved */

  game_reset(g, vars);
  assert_int_equal(vars[x], 5);
  assert_int_equal(vars[y], 3); /* unreset */
  assert_int_equal(vars[z], 1);
  game_free(g);
}

static void test_reports(void **state) {
  (void)state;
  game *g = compile(HEAD
                    "keep lives = 3, dead = false\n"
                    "report lives = dead ? -1 : lives + 10\n"
                    "report terminal = dead and lives == 0\n"
                    "step { lives = ram[0x80]\n dead = lives < 2 }\n");
  int32_t vars[GAME_MAX_VARS];
  game_init(g, vars);
  assert_int_equal(game_lives(g, vars), 13);
  ram[0] = 1;
  assert_false(game_step(g, vars, &view, SIXER_SCORING_ALE).terminal);
  assert_int_equal(game_lives(g, vars), -1);
  ram[0] = 0;
  assert_true(game_step(g, vars, &view, SIXER_SCORING_ALE).terminal);
  game_free(g);
}

static void test_counter(void **state) {
  (void)state;
  game *g = compile(HEAD
                    "counter score = 20 : 4 digits of 10\n"
                    "step {\n"
                    "  reward = advance score to 10 * bcd(0x80, 0x81)\n"
                    "  if fixed and reward < 0 { reward = -1 }\n"
                    "}\n");
  assert_int_equal(game_score_counter(g).modulus, 100000);
  assert_int_equal(game_score_counter(g).unit, 10);
  assert_true(game_has_corrections(g));
  static const struct {
    uint8_t low, high;
    int ale, fixed;
  } steps[] = {{0x05, 0x00, 30, 30},       {0x95, 0x99, 99900, 99900}, {0x05, 0x00, -99900, 100},
               {0x95, 0x60, 60900, 60900}, {0x00, 0x00, -60950, -1},   {0x00, 0x75, 75000, 75000},
               {0x00, 0x25, -50000, -1},   {0x00, 0x75, 50000, 50000}, {0x99, 0x24, -50010, 49990}};
  for (int scoring = SIXER_SCORING_ALE; scoring <= SIXER_SCORING_FIXED; scoring++) {
    int32_t vars[GAME_MAX_VARS];
    game_init(g, vars);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      ram[0] = steps[i].low;
      ram[1] = steps[i].high;
      int reward = game_step(g, vars, &view, (sixer_scoring)scoring).reward;
      assert_int_equal(reward, scoring == SIXER_SCORING_FIXED ? steps[i].fixed : steps[i].ale);
    }
  }
  game_free(g);
}

/* An env that writes down what a mode procedure does; select counts ram[0x80] up, RIGHT counts ram[0x81] up. */
typedef struct fake_env {
  char log[4000];
  int presses, resets, acts, over_after;
  uint32_t draws;
} fake_env;

static void note(fake_env *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t used = strlen(e->log);
  vsnprintf(e->log + used, sizeof e->log - used, format, args);
  va_end(args);
}
static void fake_press(void *env, int frames) {
  fake_env *e = env;
  e->presses++;
  ram[0]++;
  note(e, "press %d ", frames);
}
static bool fake_over(void *env) {
  const fake_env *e = env;
  return e->over_after && e->acts >= e->over_after;
}
static void fake_act(void *env, int action) {
  fake_env *e = env;
  if (!fake_over(env) && action == SIXER_ACTION_RIGHT) ram[1]++;
  e->acts++;
  note(e, "act %d ", action);
}
static void fake_reset(void *env) {
  fake_env *e = env;
  e->resets++;
  note(e, "reset ");
}
static void fake_wait(void *env, int frames) { note(env, "wait %d ", frames); }
static uint32_t fake_draw(void *env) { return 0x80000000u + 7 * ++((fake_env *)env)->draws; }
static void fake_poke(void *env, int address, uint8_t byte) {
  ram[address & 0x7F] = byte;
  note(env, "poke %02X %d ", (unsigned)address, byte);
}

static fake_env select_mode(const char *procedure, int mode, int over_after) {
  char text[2000];
  snprintf(text, sizeof text,
           HEAD
           "modes 0..300\nlevels 256\nkeep x = 0\ndefine wanted(m) = 2 * m\nstep { reward = 0 "
           "}\nselect {\n%s\n}\n",
           procedure);
  game *g = compile(text);
  fake_env e = {{0}, 0, 0, 0, over_after, 0};
  game_host host = {&e,        fake_press, fake_act,  fake_reset,
                    fake_draw, fake_poke,  fake_over, fake_wait};
  int32_t vars[GAME_MAX_VARS];
  game_init(g, vars);
  memset(ram, 0, sizeof ram);
  game_select_mode(g, mode, 77, vars, &view, &host);
  game_free(g);
  return e;
}

static void test_select(void **state) {
  (void)state;
  fake_env e = select_mode("while ram[0x80] != mode { press select for 3 }\nreset", 2, 0);
  assert_string_equal(e.log, "press 3 press 3 reset ");
  e = select_mode("while ram[0x80] != mode { press select }\nreset", 0, 0);
  assert_string_equal(e.log, "reset ");
  e = select_mode("repeat 3 { act NOOP }\npress select for 2 + random(256)\nact UPFIRE", 0, 0);
  assert_string_equal(e.log, "act 0 act 0 act 0 press 9 act 10 ");
  e = select_mode("ram[0x85] = mode + 1\nif ram[0x85] == 6 { reset }", 5, 0);
  assert_string_equal(e.log, "poke 85 6 reset ");
  e = select_mode("while ram[0x80] != mode { press select }\nram[0x81] = level\nreset", 1, 0);
  assert_string_equal(e.log, "press 1 poke 81 77 reset ");
  e = select_mode("let n = 0\nwhile ram[0x80] != mode and n < 2 {\n press select\n n = n + 1\n }",
                  9, 0);
  assert_string_equal(e.log, "press 1 press 1 ");
  e = select_mode("while ram[0x81] != wanted(mode) {\n act RIGHT\n act NOOP\n }", 1, 0);
  assert_string_equal(e.log, "act 3 act 0 act 3 act 0 ");
  e = select_mode(
      "while ram[0x81] < 2 {\n act RIGHT\n let a = ram[0x80] + 2\n"
      "while ram[0x80] < a { press select } }",
      1, 0);
  assert_string_equal(e.log, "act 3 press 1 press 1 act 3 press 1 press 1 ");
}

static void test_select_ends(void **state) {
  (void)state;
  /* what the reference would do forever ends here: when acts do nothing any more ... */
  fake_env e = select_mode("while ram[0x81] != 200 { act RIGHT }\nreset", 0, 5);
  assert_int_equal(e.acts, 6);
  assert_int_equal(e.resets, 1);
  /* ... but presses emulate even then ... */
  e = select_mode("while ram[0x80] != 20 {\n press select\n act NOOP\n }\nreset", 0, 5);
  assert_int_equal(e.presses, 20);
  /* ... and when the presses are used up: 100,000 frames, 11 for each press */
  e = select_mode("while ram[0x82] != 1 { press select for 10 }\nreset", 0, 0);
  assert_int_equal(e.presses, 9091);
  assert_int_equal(e.resets, 1);
  e = select_mode("while ram[0x82] != 1 {\n while ram[0x83] != 1 { act NOOP }\n }\nreset", 0, 0);
  assert_int_equal(e.acts, GAME_MAX_SELECT_FRAMES);
}

static void test_lists(void **state) {
  (void)state;
  game *g = compile(
      "# a comment\n\n"
      "game my_game_2\r\n"
      "title \"My # game\"   # another\n"
      "md5 0123456789ABCDEF0123456789abcdef 00000000000000000000000000000000\n"
      "actions LEFT FIRE NOOP\nillegal UPFIRE DOWN\nstart NOOP*3 RESET UP\n"
      "modes 0, 4..12 by 4,\n 20, 22..23\ndefault_mode 8\ndifficulties 0, 2\n"
      "left_controller paddles\nright_controller joystick\nswap_ports yes\nswap_paddles yes\n"
      "first_line 26\nlines 214\nhmove_blanks no\nleft_difficulty A\nright_difficulty B\n"
      "television bw\npaddle_min 100\npaddle_max 2000\ncartridge F8SC\nformat PAL60\n"
      "step { reward = 1 }\nselect { reset }");
  assert_string_equal(game_id(g), "my_game_2");
  assert_string_equal(game_title(g), "My # game");
  assert_string_equal(game_gymnasium_name(g), "MyGame2");
  assert_string_equal(game_gymnasium_id(g), "sixer/MyGame2-v0");
  assert_int_equal(game_level_count(g), 1);
  assert_false(game_gymnasium_legacy(g));
  assert_int_equal(game_md5_count(g), 2);
  assert_string_equal(game_md5_at(g, 0), "0123456789abcdef0123456789abcdef");
  assert_true(game_has_md5(g, "0123456789abcdef0123456789ABCDEF"));
  sixer_list minimal = game_minimal_actions(g), legal = game_legal_actions(g);
  static const int expected[] = {SIXER_ACTION_NOOP, SIXER_ACTION_FIRE, SIXER_ACTION_LEFT};
  assert_int_equal(minimal.count, 3);
  assert_memory_equal(minimal.items, expected, sizeof expected);
  assert_int_equal(legal.count, 16);
  assert_false(game_is_legal(g, SIXER_ACTION_DOWN));
  assert_true(game_is_legal(g, SIXER_ACTION_UP));
  sixer_list start = game_start_actions(g), modes = game_modes(g);
  static const int starts[] = {0, 0, 0, GAME_ACTION_RESET, 2},
                   mode_list[] = {0, 4, 8, 12, 20, 22, 23};
  assert_int_equal(start.count, 5);
  assert_memory_equal(start.items, starts, sizeof starts);
  assert_int_equal(modes.count, 7);
  assert_memory_equal(modes.items, mode_list, sizeof mode_list);
  assert_int_equal(game_default_mode(g), 8);
  assert_int_equal(game_difficulties(g).count, 2);
  assert_int_equal(game_difficulties(g).items[1], 2);
  const game_properties *c = game_console(g);
  assert_true(c->left_paddles && !c->right_paddles && c->swap_ports && c->swap_paddles);
  assert_true(c->no_hmove_blanks && c->left_difficulty_a && !c->right_difficulty_a &&
              c->black_and_white);
  assert_int_equal(c->first_line, 26);
  assert_int_equal(c->lines, 214);
  assert_int_equal(c->paddle_min, 100);
  assert_int_equal(c->paddle_max, 2000);
  assert_string_equal(c->cartridge, "F8SC");
  assert_string_equal(c->format, "PAL60");
  game_free(g);
}

static void test_errors(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "t.game:1:1: the file has no line 'game ID'"},
      {"game a\n", "t.game:2:1: the file has no line 'title \"...\"'"},
      {"gam a\n", "t.game:1:1: unknown word 'gam' at the beginning of a line"},
      {"game A\n", "t.game:1:6: an id consists of small letters, digits and _"},
      {"game a b\n", "t.game:1:8: expected the end of the line, found 'b'"},
      {"game a\ngame b\n", "t.game:2:1: a second line 'game'"},
      {"title \"x\n", "t.game:1:7: this text has no closing quote"},
      {"title x\n", "t.game:1:7: expected a title in quotes, found 'x'"},
      {"md5 123\n", "t.game:1:5: expected an MD5 of 32 hexadecimal digits, found '123'"},
      {"md5 00000000000000000000000000000000 00000000000000000000000000000000\n",
       "t.game:1:38: this MD5 appears twice"},
      {"actions NOOP NOOP\n", "t.game:1:14: NOOP appears twice"},
      {"actions JUMP\n", "t.game:1:9: expected an action such as NOOP or UPFIRE, found 'JUMP'"},
      {"illegal NOOP\n", "t.game:1:13: NOOP is always legal"},
      {"modes 3, 2\n", "t.game:1:11: the numbers must ascend"},
      {"modes 0..10000\n", "t.game:1:15: more than 512 numbers"},
      {"difficulties 4\n", "t.game:1:14: a difficulty must be between 0 and 3"},
      {"format FILM\n", "t.game:1:8: expected 'NTSC' or 'PAL' or 'PAL60' or 'SECAM', found 'FILM'"},
      {"lines 99999999999\n", "t.game:1:7: the number of lines must be between 100 and 256"},
      {"game a\ntitle \"x\"\nmd5 00000000000000000000000000000000\nactions all\nfirst_line 64\n"
       "lines 256\nstep { reward = 0 }\n",
       "t.game:8:1: first_line 64 and lines 256: a picture has 300 rows"},
      {"keep x = y\n", "t.game:1:10: expected the first value, found 'y'"},
      {"keep x = 1\nkeep x = 2\n", "t.game:2:6: 'x' is already the name of something else"},
      {"keep reward = 1\n", "t.game:1:6: 'reward' is already the name of something else"},
      {"keep ram = 1\n", "t.game:1:6: 'ram' is a word of the language"},
      {"counter x = 0\n",
       "t.game:1:14: expected ':' and the size of the counter, such as ': 6 digits', "
       "found the end of the line"},
      {"counter x = 0 : 12 digits\n", "t.game:1:20: a counter has at most 9 digits"},
      {"step {\n  reward = foo\n}\n", "t.game:2:12: unknown name 'foo'"},
      {"step {\n  foo = 1\n}\n",
       "t.game:2:3: unknown variable 'foo': declare it with 'keep' or 'counter', or "
       "inside the rules with 'let'"},
      {"step { reward = 1 2 }\n", "t.game:1:19: expected the end of the line, found '2'"},
      {"step { reward = }\n", "t.game:1:17: expected a value, found '}'"},
      {"step { reward = (1 }\n", "t.game:1:20: expected ')', found '}'"},
      {"step {\n", "t.game:2:1: expected a statement, found the end of the file"},
      {"step { reward = ram[0x12] }\n", "t.game:1:21: RAM lies at 0x80 to 0xFF, not at 0x12"},
      {"step { reward = bcd(0x100) }\n", "t.game:1:21: RAM lies at 0x80 to 0xFF, not at 0x100"},
      {"step { reward = random(x) }\n",
       "t.game:1:17: 'random' is possible while a mode is selected only"},
      {"select { reward = random(ram[0x80]) }\n",
       "t.game:1:26: the bound of random() must be a constant"},
      {"step { reward = 1 < 2 < 3 }\n",
       "t.game:1:23: comparisons do not chain: join them with 'and'"},
      {"step { reward = min(1) }\n", "t.game:1:17: this function takes 2 values, found 1"},
      {"step { reward = abs(1, 2) }\n", "t.game:1:24: this function takes 1 values, not more"},
      {"step { reward = mode }\n", "t.game:1:17: 'mode' is possible while a mode is selected only"},
      {"step { press select }\n", "t.game:1:8: 'press' is possible while a mode is selected only"},
      {"step { while 1 { } }\n", "t.game:1:8: 'while' is possible while a mode is selected only"},
      {"step { if 1 { let a = 1 }\n reward = a }\n", "t.game:2:11: unknown name 'a'"},
      {"step { let a = 1\n let a = 2 }\n", "t.game:2:6: 'a' is already the name of something else"},
      {"step { reward = sum(i in 0 .. 60000 : sum(j in 0 .. 60000 : 1)) }\n",
       "t.game:1:48: too much work for one frame: over 20000 operations"},
      {"step { reward = advance reward to 1 }\n",
       "t.game:1:25: expected a variable declared with 'counter' or 'keep', found 'reward'"},
      {"step { reward = 99999999999 }\n", "t.game:1:17: this number is larger than 2147483647"},
      {"step { reward = 0x1G }\n", "t.game:1:17: '0x1G' is not a number"},
      {"step { reward = $ }\n", "t.game:1:17: unexpected character '$'"},
      {"step { reward = \x01 }\n", "t.game:1:17: unexpected byte 0x01"},
      {"select { while 1 { press select } }\n",
       "t.game:1:10: this loop never ends: nothing in its condition can change"},
      {"select { while mode == 3 { press select } }\n",
       "t.game:1:10: this loop never ends: nothing in its condition can change"},
      {"keep x = 0\nselect {\n  while ram[0x80] != mode { x = x + 1 }\n}\n",
       "t.game:3:3: this loop never ends: it neither presses select, acts nor resets"},
      {"select { reward = fixed }\n",
       "t.game:1:19: 'fixed' is possible in the rules of a step only"},
      {"select { press select for 0 }\n", "t.game:1:27: select is held for 1 to 1000 frames"},
      {"select { repeat 1000 { repeat 1000 { act NOOP } } }\n",
       "t.game:1:47: too much work for one frame: over 4000 operations"},
      {"report score = 1\n", "t.game:1:8: expected 'lives' or 'terminal', found 'score'"},
      {"report lives = ram[0x80]\n",
       "t.game:1:16: a report knows variables only: keep the value in one"},
      {"define f(a) = b\n", "t.game:1:15: unknown name 'b'"},
      {"define f = f\n", "t.game:1:12: unknown name 'f'"},
      {"define f(a) = a\nstep { reward = f(1, 2) }\n", "t.game:2:20: expected ')', found ','"},
      {HEAD "modes 0, 1\nstep { reward = 0 }\n",
       "t.game:7:1: there are several modes but no line 'select { ... }'"},
      {HEAD "default_mode 1\nstep { reward = 0 }\n",
       "t.game:7:1: the default mode 1 is not one of the modes"},
      {HEAD "illegal FIRE\nstep { reward = 0 }\n",
       "t.game:7:1: FIRE is both an action and illegal"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    game *g = NULL;
    sixer_error error = {SIXER_OK, ""};
    sixer_err err = game_compile("t.game", cases[i].text, strlen(cases[i].text), &g, &error);
    if (err != SIXER_ERR_GAME || g || strcmp(error.message, cases[i].message)) {
      fail_msg("%s\ngave: %s\nexpected: %s", cases[i].text, error.message, cases[i].message);
    }
  }
}

/* Definitions that would need exponential time, deep recursion or endless memory are refused at once. */
static void test_hostile(void **state) {
  (void)state;
  static char text[200000];
  game *g = NULL;
  size_t used = 0;
  for (int i = 0; i < 40; i++) {
    used += (size_t)(i ? snprintf(text + used, sizeof text - used, "define d%d = d%d + d%d\n", i,
                                  i - 1, i - 1)
                       : snprintf(text + used, sizeof text - used, "define d0 = 1\n"));
  }
  assert_int_equal(game_compile("t", text, used, &g, NULL), SIXER_ERR_GAME);
  static const char *const repeated[] = {
      "(", "-", "not ", "ram[", "1 ? ", "abs(", "any(i in 0 .. 1 : "};
  for (size_t k = 0; k < sizeof repeated / sizeof *repeated; k++) {
    used = (size_t)snprintf(text, sizeof text, "step { reward = ");
    for (int i = 0; i < 5000; i++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s", repeated[k]);
    }
    assert_int_equal(game_compile("t", text, used, &g, NULL), SIXER_ERR_GAME);
  }
  used = (size_t)snprintf(text, sizeof text, "step { ");
  for (int i = 0; i < 5000; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "if ram[0x80] { ");
  assert_int_equal(game_compile("t", text, used, &g, NULL), SIXER_ERR_GAME);
  used = (size_t)snprintf(text, sizeof text, "step { ");
  for (int i = 0; i < 5000; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "reward = 1\n");
  assert_int_equal(game_compile("t", text, used, &g, NULL), SIXER_ERR_GAME);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),      cmocka_unit_test(test_defines),
      cmocka_unit_test(test_statements),  cmocka_unit_test(test_reports),
      cmocka_unit_test(test_counter),     cmocka_unit_test(test_select),
      cmocka_unit_test(test_select_ends), cmocka_unit_test(test_lists),
      cmocka_unit_test(test_errors),      cmocka_unit_test(test_hostile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
