/* Our own games can be played: a scripted player wins something in each and goes through to the end; the rules pay what
 * the screen shows; levels are the same on every run, differ, and can be solved; modes and difficulties matter.
 *
 * `test_roms_play measure [LEVELS [GAME]]` prints the scores of docs/games/scores.csv instead,
 * `test_roms_play levels [GAME]` the scores under the protocol sixer-levels in docs/games/levels.csv, and
 * `test_roms_play shots FOLDER` writes the pictures of docs/games/.
 * label: long, 20 s */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>

#include "agents/scripted_players.h"
#include "sixer/vec.h"
#include "util/png.h"
#include "util/random.h"

static sixer_rom *roms[OWN_GAMES];

static int open_roms(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    char id[50]; /* built into the library: no file is needed */
    sixer_error error;
    snprintf(id, sizeof id, "sixer/%s", own_games[g].name);
    if (sixer_rom_open(id, NULL, &roms[g], &error)) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
  }
  return 0;
}

static int close_roms(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) sixer_rom_close(roms[g]);
  return 0;
}

static sixer_env *create(int g, const sixer_config *config) {
  sixer_error error;
  sixer_env *env;
  if (sixer_env_create(roms[g], config, &env, &error)) {
    fprintf(stderr, "%s: %s\n", own_games[g].name, error.message);
    exit(1);
  }
  return env;
}

static sixer_config settings(int level, int mode, int difficulty, float sticky) {
  sixer_config config = sixer_config_default();
  config.sticky = sticky;
  config.mode = mode;
  config.difficulty = difficulty;
  config.level = level;
  return config;
}

static sixer_env *start(int g, int level, int mode, int difficulty, float sticky) {
  sixer_config config = settings(level, mode, difficulty, sticky);
  return create(g, &config);
}

static uint32_t draw(uint64_t *state) {
  return (uint32_t)(random_rounds(*state += RANDOM_STEP) >> 32);
}

enum {
  SCRIPTED = -1,
  RANDOM = -2
}; /* policies; 0..17 is Perturb of that action (Bellemare et al. 2013) */

typedef struct episode {
  int score, frames, rewards, lives;
  bool over;
} episode;

/* Play with a policy for some frames, or until the end. */
static episode play(sixer_env *env, int g, int policy, int frames, uint64_t seed) {
  player p = {0};
  sixer_result r = {0};
  episode e = {0};
  while (e.frames < frames && !r.over) {
    int action;
    p.memory = sixer_env_ram(env);
    if (policy == SCRIPTED)
      action = own_games[g].play(&p);
    else if (policy == RANDOM || draw(&seed) % 20 == 0)
      action = (int)(draw(&seed) % 18);
    else
      action = policy;
    p.fire = action == 1 || action >= 10;
    sixer_env_step(env, action, &r);
    e.score += r.reward;
    e.rewards += r.reward != 0;
    e.frames++;
  }
  e.lives = r.lives;
  e.over = r.terminal;
  return e;
}

static const int least[OWN_GAMES] = {300, 80,  60, 300,
                                     500, 300, 4,  8}; /* in 6,000 frames of mode 0 */

enum { LEVEL_GAMES = 6 }; /* the first six are those of the protocol sixer-levels */

static void players_win_and_games_end(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    for (int level = 10; level < 250; level += 120) {
      sixer_env *env = start(g, level, 0, 0, 0.25f);
      episode e = play(env, g, SCRIPTED, 6000, 1);
      if (e.score < least[g])
        fail_msg("%s, level %d: only %d points", own_games[g].name, level, e.score);
      /* hands off: every game comes to its end by itself */
      if (!e.over) {
        sixer_result r = {0};
        for (int i = 0; i < 60000 && !r.over; i++) {
          sixer_env_step(env, 0, &r);
          e.score += r.reward;
        }
        if (!r.terminal) fail_msg("%s, level %d: it does not end", own_games[g].name, level);
        e.lives = r.lives;
      }
      const uint8_t *memory = sixer_env_ram(env);
      assert_int_equal(memory[STATE & 0x7F], 2);
      assert_int_equal(e.lives, 0);
      assert_int_equal(e.score, own_score(memory));
      sixer_env_destroy(env);
    }
  }
}

/* What the console goes on doing after the end, where the environment stops: an env without the game's rules, with the
 * same memory. It owns *bare. */
static sixer_env *after_the_end(int g, const uint8_t *memory, sixer_rom **bare) {
  sixer_error error;
  sixer_env *env;
  char path[500];
  snprintf(path, sizeof path, TESTS_DIR "/../roms/%s.bin", own_games[g].name);
  sixer_config config = sixer_config_default();
  if (sixer_rom_open(path, "tetris", bare, &error) ||
      sixer_env_create(*bare, &config, &env, &error)) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  for (int i = 0; i < 128; i++) sixer_env_set_ram(env, i, memory[i]);
  for (int i = 0; i < 4; i++) sixer_env_step(env, 0, NULL);
  return env;
}

/* Once over, the picture stands still and the score stays, whatever the stick does. */
static void the_end_stands_still(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    sixer_env *env = start(g, 3, 1, 0, 0);
    sixer_result r = {0};
    for (int i = 0; i < 60000 && !r.over; i++) sixer_env_step(env, 0, &r);
    assert_true(r.terminal);
    int score = own_score(sixer_env_ram(env));
    sixer_rom *bare;
    sixer_env *after = after_the_end(g, sixer_env_ram(env), &bare);
    uint8_t picture[210 * 160];
    memcpy(picture, sixer_env_screen(after), sizeof picture);
    for (int i = 0; i < 200; i++) {
      sixer_env_step(after, i % 18, NULL);
      assert_memory_equal(picture, sixer_env_screen(after), sizeof picture);
    }
    assert_int_equal(sixer_env_ram(after)[STATE & 0x7F], 2);
    assert_int_equal(own_score(sixer_env_ram(after)), score);
    sixer_env_destroy(after);
    sixer_rom_close(bare);
    sixer_env_destroy(env);
  }
}

static uint32_t digest(const uint8_t *memory, int from, int to) {
  uint32_t h = 2166136261u;
  for (int i = from; i <= to; i++) h = (h ^ memory[i & 0x7F]) * 16777619u;
  return h;
}

/* Level n is the same on every run, whatever was played before; no two levels are alike. */
static void levels_are_fixed_and_differ(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    uint32_t seen[256];
    for (int level = 0; level < 256; level++) {
      sixer_env *env = start(g, level, 0, 0, 0);
      assert_int_equal(sixer_env_status(env).level, level);
      play(env, g, SCRIPTED, 100, 1);
      seen[level] = digest(sixer_env_ram(env), 0xA4, 0xF0);
      for (int other = 0; other < level; other++) {
        if (seen[other] == seen[level])
          fail_msg("%s: levels %d and %d are alike", own_games[g].name, other, level);
      }
      if (level % 16 == 0) {
        play(env, g, RANDOM, 200, (uint64_t)level);
        sixer_env_reset(env);
        play(env, g, SCRIPTED, 100, 1);
        if (digest(sixer_env_ram(env), 0xA4, 0xF0) != seen[level]) {
          fail_msg("%s: level %d is not always the same", own_games[g].name, level);
        }
      }
      sixer_env_destroy(env);
    }
  }
}

/* A range of levels: each episode is on one of them, and all get their turn. */
static void ranges_of_levels(void **state) {
  (void)state;
  sixer_config config = sixer_config_default();
  config.level = 100;
  config.levels = 4;
  sixer_env *env;
  sixer_error error;
  assert_int_equal(sixer_env_create(roms[2], &config, &env, &error), SIXER_OK);
  int count[4] = {0};
  for (int i = 0; i < 40; i++) {
    int level = sixer_env_status(env).level;
    assert_in_range(level, 100, 103);
    assert_int_equal(sixer_env_ram(env)[LEVEL & 0x7F], level);
    count[level - 100]++;
    sixer_env_reset(env);
  }
  for (int i = 0; i < 4; i++) assert_true(count[i] > 0);
  sixer_env_destroy(env);
  config.level = 256;
  config.levels = 1;
  assert_int_equal(sixer_env_create(roms[2], &config, &env, &error), SIXER_ERR_FLAVOR);
  assert_non_null(strstr(error.message, "255"));
}

/* Vectors draw from the range too, and report what each env plays on, for any number of threads. */
static void vectors_report_levels(void **state) {
  (void)state;
  enum { ENVS = 8, STEPS = 60 };
  int32_t levels[2][STEPS][ENVS];
  bool seen[256] = {false};
  int different = 0;
  for (int threads = 1; threads <= 2; threads++) {
    sixer_vec_slot slots[ENVS];
    for (int i = 0; i < ENVS; i++)
      slots[i] = (sixer_vec_slot){roms[i % OWN_GAMES], SIXER_MODE_DEFAULT, 0};
    sixer_vec_config config = sixer_vec_config_default();
    config.env.level = 200;
    config.env.levels = 56;
    config.env.max_frames = 24;
    config.obs = SIXER_OBS_RAM;
    config.autoreset = SIXER_AUTORESET_SAME;
    config.threads = threads;
    sixer_vec *vec;
    sixer_error error;
    if (sixer_vec_create(slots, ENVS, &config, &vec, &error)) fail_msg("%s", error.message);
    int32_t actions[ENVS] = {0};
    for (int s = 0; s < STEPS; s++) {
      sixer_vec_out out = {.rows = ENVS, .levels = levels[threads - 1][s]};
      sixer_err err = s ? sixer_vec_step(vec, actions, NULL, &out, &error)
                        : sixer_vec_reset(vec, NULL, NULL, &out, &error);
      if (err) fail_msg("%s", error.message);
      for (int i = 0; i < ENVS; i++) {
        int level = levels[threads - 1][s][i];
        assert_in_range(level, 200, 255);
        assert_int_equal(sixer_vec_ram(vec, i)[LEVEL & 0x7F], level);
        assert_int_equal(sixer_vec_status(vec, i).level, level);
        different += !seen[level];
        seen[level] = true;
      }
    }
    sixer_vec_destroy(vec);
  }
  assert_memory_equal(levels[0], levels[1], sizeof levels[0]);
  assert_true(different > 20);
}

/* ---- Every level can be solved ----------------------------------------------------------------------------------- */

static int hedge_reach(const player *p) {
  static const int dx[4] = {0, 0, -1, 1}, dy[4] = {-1, 1, 0, 0};
  bool seen[99] = {false};
  int queue[99], head = 0, tail = 0;
  queue[tail++] = 8 * 11 + 5;
  seen[8 * 11 + 5] = true;
  while (head < tail) {
    int cell = queue[head++];
    for (int d = 0; d < 4; d++) {
      int next = cell + dy[d] * 11 + dx[d];
      if (!hedge_open(p, cell % 11, cell / 11, d) || seen[next]) continue;
      seen[next] = true;
      queue[tail++] = next;
    }
  }
  return tail;
}

static bool crag_top(const player *p) {
  bool seen[13][8] = {{false}};
  for (int c = 0; c < 8; c++) seen[12][c] = true;
  for (int turn = 0; turn < 100; turn++) {
    for (int r = 1; r < 13; r++) {
      for (int c = 0; c < 8; c++) {
        if (!(at(p, 0xA4 + r) >> (7 - c) & 1)) continue;
        for (int dr = -1; dr <= 1; dr++) {
          for (int dc = -1; dc <= 1; dc++) {
            int nr = r + dr, nc = c + dc;
            if (nr > 0 && nr < 13 && nc >= 0 && nc < 8 && seen[nr][nc]) seen[r][c] = true;
          }
        }
      }
    }
  }
  return seen[1][0];
}

static bool vault_solvable(const player *p) {
  int key = at(p, 0xD4) | at(p, 0xD5) << 8, room = at(p, 0xCC);
  for (int i = 0; i < 4; i++) { /* bronze, silver, gold, heart */
    int item = at(p, 0xA4 + i);
    if (item > 63 || (item != room && !vault_step(key, room, item, i < 3 ? i : 3))) return false;
    if (item >> 4 != i) return false; /* each in its own depth */
    room = item;
  }
  for (int i = 4; i < 12; i++) {
    if (!vault_step(key, room, at(p, 0xA4 + i), 3) && room != at(p, 0xA4 + i)) return false;
  }
  return vault_step(key, room, at(p, 0xCC), 3) != 0;
}

static bool embers_reachable(const player *p) {
  bool seen[48] = {false};
  seen[5 * 8 + 3] = true;
  for (int turn = 0; turn < 48; turn++) {
    for (int t = 0; t < 48; t++) {
      if (at(p, 0xA4 + t / 8) >> (7 - t % 8) & 1) continue;
      if (t % 8 && seen[t - 1]) seen[t] = true;
      if (t % 8 < 7 && seen[t + 1]) seen[t] = true;
      if (t > 7 && seen[t - 8]) seen[t] = true;
      if (t < 40 && seen[t + 8]) seen[t] = true;
    }
  }
  int total = at(p, 0xC8);
  for (int i = 0; i < total; i++) {
    int e = at(p, 0xBC + i);
    if (e > 47 || !seen[e]) return false;
  }
  return total > 0;
}

/* The moor's columns of four pixels and rows of four pairs of lines, as docs/games/wispherd.md describes them. */
static bool moor_thicket(const player *p, int column, int row) {
  enum { PF1 = 0xCB, PF2 = 0xD2 };
  static const int8_t pattern[20] = {9,  -1, -1, 0,  0,  -1, -1, 1,  -1, -1,
                                     -1, -1, 2,  -1, -1, 3,  3,  -1, -1, 9};
  int c = column < 20 ? column : 39 - column, k = pattern[row];
  if (k == 9) return true;
  if (c < 4) return c < 2 && (row < 8 || row > 11);
  if (k < 0) return false;
  return c < 12 ? at(p, PF1 + k) >> (11 - c) & 1 : at(p, PF2 + k) >> (c - 12) & 1;
}

/* From one pen a herder, two columns wide, can reach every row, and the other pen. */
static bool moor_open(const player *p) {
  bool seen[20][39] = {{false}};
  seen[9][0] = true;
  for (int turn = 0; turn < 60; turn++) {
    for (int r = 0; r < 20; r++) {
      for (int c = 0; c < 39; c++) {
        if (moor_thicket(p, c, r) || moor_thicket(p, c + 1, r)) continue;
        if ((c && seen[r][c - 1]) || (c < 38 && seen[r][c + 1]) || (r && seen[r - 1][c]) ||
            (r < 19 && seen[r + 1][c]))
          seen[r][c] = true;
      }
    }
  }
  for (int r = 1; r < 19; r++) {
    for (int c = 0; c < 39; c++) {
      bool place = !moor_thicket(p, c, r) && !moor_thicket(p, c + 1, r);
      if (place && !seen[r][c]) return false;
    }
  }
  return seen[9][38];
}

/* New embers fall on the ledges again and again, and some hail. */
static bool embers_fall(sixer_env *env) {
  int embers = 0, hail = 0, fallen = 0;
  for (int i = 0; i < 800; i++) {
    player p = {.memory = sixer_env_ram(env)};
    int now = at(&p, 0xD3);
    for (int k = 0; k < 4 && now < fallen; k++) {
      embers += at(&p, 0xBE + k) == 1;
      hail += at(&p, 0xBE + k) == 7;
    }
    fallen = now;
    sixer_env_step(env, 0, NULL);
  }
  return embers > 4 && 2 * embers > hail && hail > 0;
}

static void every_level_can_be_solved(void **state) {
  (void)state;
  for (int g = 1; g < OWN_GAMES; g++) {
    for (int level = 0; level < 256; level++) {
      sixer_env *env = start(g, level, level & 3, level >> 2 & 3, 0);
      for (int i = 0; i < 40; i++) sixer_env_step(env, 0, NULL);
      player p = {.memory = sixer_env_ram(env)};
      bool good = g == 1   ? at(&p, 0xEF) > 0 && at(&p, 0xEF) <= 32 /* roots */
                  : g == 2 ? hedge_reach(&p) == 99
                  : g == 3 ? crag_top(&p)
                  : g == 4 ? vault_solvable(&p)
                  : g == 5 ? embers_reachable(&p)
                  : g == 6 ? moor_open(&p)
                           : embers_fall(env);
      if (!good) fail_msg("%s: level %d cannot be solved", own_games[g].name, level);
      sixer_env_destroy(env);
    }
  }
}

/* ---- Modes, difficulties, how dense rewards are
 * -------------------------------------------------------------------- */

static double mean(int g, int policy, int levels, int mode, int difficulty, int frames,
                   double *rate) {
  double sum = 0, rewards = 0, steps = 0;
  for (int i = 0; i < levels; i++) {
    sixer_config config = settings(i * 256 / levels + 5, mode, difficulty, 0.25f);
    config.picture = false;
    sixer_env *env = create(g, &config);
    episode e = play(env, g, policy, frames, (uint64_t)i + 1);
    sum += e.score;
    rewards += e.rewards;
    steps += e.frames;
    sixer_env_destroy(env);
  }
  if (rate) *rate = 1000 * rewards / steps;
  return sum / levels;
}

static void flavors_matter(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    double modes[4], switches[4];
    int frames = g == 4 ? 8000 : 3000; /* rewards are far apart in Undervault */
    for (int k = 0; k < 4; k++) {
      modes[k] = mean(g, SCRIPTED, 3, k, 0, frames, NULL);
      switches[k] = mean(g, SCRIPTED, 3, g == 3 ? 2 : 1, k, frames, NULL);
      for (int other = 0; other < k; other++) {
        if (modes[k] == modes[other])
          fail_msg("%s: modes %d and %d score the same", own_games[g].name, k, other);
      }
    }
    /* all four settings of the switches do not score alike */
    bool left = switches[1] != switches[0] || switches[3] != switches[2];
    bool right = switches[2] != switches[0] || switches[3] != switches[1];
    if (!left || !right) {
      fail_msg("%s: a switch changes nothing: %g %g %g %g", own_games[g].name, switches[0],
               switches[1], switches[2], switches[3]);
    }
  }
}

static void random_rewards(void **state) {
  (void)state;
  double rate[OWN_GAMES];
  for (int g = 0; g < OWN_GAMES; g++) mean(g, RANDOM, 8, 0, 0, 4000, &rate[g]);
  for (int g = 0; g < 3; g++) assert_true(rate[g] > 2.0); /* per 1,000 frames */
  assert_true(rate[3] < 0.2);
  assert_true(rate[4] < 0.2);
}

static int measure(int levels, const char *only) {
  if (open_roms(NULL)) return 1;
  printf("game,mode,difficulty,random,perturb,action,scripted,rewards_per_1000_frames_of_random\n");
  for (int g = 0; g < OWN_GAMES; g++) {
    if (only && strcmp(only, own_games[g].name) != 0) continue;
    for (int k = 0; k < 7; k++) {
      int mode = k < 4 ? k : 0, difficulty = k < 4 ? 0 : k - 3;
      double rate, random = mean(g, RANDOM, levels, mode, difficulty, 18000, &rate), best = -1;
      int best_action = 0;
      for (int a = 0; a < 18; a++) { /* chosen on two levels, reported on all */
        double m = mean(g, a, 2, mode, difficulty, 18000, NULL);
        if (m > best) best = m, best_action = a;
      }
      double perturb = mean(g, best_action, levels, mode, difficulty, 18000, NULL);
      double scripted = mean(g, SCRIPTED, levels, mode, difficulty, 18000, NULL);
      printf("%s,%d,%d,%.1f,%.1f,%s,%.1f,%.2f\n", own_games[g].name, mode, difficulty, random,
             perturb, sixer_action_name(best_action), scripted, rate);
      fflush(stdout);
    }
  }
  return close_roms(NULL);
}

/* One episode under the protocol sixer-levels, on a level of the test. Random chooses every fourth frame; the scripted
 * player, like a person, in every frame. */
static int level_score(int g, int policy, int level, int run) {
  enum { SKIP = 4, FRAMES = 18000 };
  sixer_config config = settings(level, 0, 0, 0.25f);
  config.frame_skip = policy == RANDOM ? SKIP : 1;
  config.max_frames = FRAMES;
  config.seed = (uint32_t)(1000 * run + level);
  config.picture = false;
  sixer_env *env = create(g, &config);
  int score = play(env, g, policy, FRAMES, config.seed).score;
  sixer_env_destroy(env);
  return score;
}

static int levels_table(const char *only) {
  if (open_roms(NULL)) return 1;
  printf("agent,game,run,level,score\n");
  for (int g = 0; g < LEVEL_GAMES; g++) {
    if (only && strcmp(only, own_games[g].name) != 0) continue;
    for (int policy = RANDOM; policy <= SCRIPTED; policy++) {
      for (int run = 1; run <= (policy == RANDOM ? 5 : 1); run++) {
        for (int level = 200; level < 256; level++) {
          printf("%s,%s,%d,%d,%d\n", policy == RANDOM ? "random" : "scripted", own_games[g].name,
                 run, level, level_score(g, policy, level, run));
          fflush(stdout);
        }
      }
    }
  }
  return close_roms(NULL);
}

/* The kept scores are what is played now: some rows of docs/games/levels.csv again, one level of each game and agent
 * where an episode is short. */
static void kept_scores_come_again(void **state) {
  (void)state;
  FILE *file = fopen(TESTS_DIR "/../docs/games/levels.csv", "r");
  assert_non_null(file);
  char line[200], agent[20], game[20];
  int run, level, score, rows = 0, again = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%19[^,],%19[^,],%d,%d,%d", agent, game, &run, &level, &score) != 5) continue;
    rows++;
    int g = 0;
    while (g < OWN_GAMES && strcmp(own_games[g].name, game) != 0) g++;
    assert_true(g < OWN_GAMES);
    bool random = strcmp(agent, "random") == 0;
    if (run != 1 || level != 203 + g || (!random && g > 2)) continue;
    int now = level_score(g, random ? RANDOM : SCRIPTED, level, run);
    if (now != score)
      fail_msg("%s on level %d of %s: %d, kept is %d", agent, level, game, now, score);
    again++;
  }
  fclose(file);
  assert_int_equal(rows, LEVEL_GAMES * 6 * 56);
  assert_int_equal(again, 9);

  file = fopen(TESTS_DIR "/../docs/games/scores.csv", "r");
  assert_non_null(file);
  again = 0;
  while (fgets(line, sizeof line, file)) {
    int mode, difficulty;
    double kept, perturb, scripted, kept_rate, rate;
    char action[20];
    if (sscanf(line, "%19[^,],%d,%d,%lf,%lf,%19[^,],%lf,%lf", game, &mode, &difficulty, &kept,
               &perturb, action, &scripted, &kept_rate) != 8)
      continue;
    for (int g = 0; g < OWN_GAMES; g++) {
      if (strcmp(own_games[g].name, game) != 0 || mode || difficulty) continue;
      if (g > 2 && g < LEVEL_GAMES) continue; /* these take long */
      double now = mean(g, RANDOM, 8, 0, 0, 18000, &rate);
      if (fabs(now - kept) > 0.051 || fabs(rate - kept_rate) > 0.0051)
        fail_msg("Random in %s: %g and %g, kept is %g and %g", game, now, rate, kept, kept_rate);
      again++;
    }
  }
  fclose(file);
  assert_int_equal(again, 5);
}

/* Pictures for docs/games/: title, play and end of each game. */
static int shots(const char *folder) {
  static const struct {
    int level, mode, frames;
  } scene[OWN_GAMES] = {{9, 1, 900},  {4, 0, 700}, {21, 0, 1100}, {2, 1, 330},
                        {7, 1, 1450}, {12, 0, 70}, {26, 0, 620},  {12, 0, 700}};
  enum { W = 4 * 320, H = 2 * 210 };
  static uint8_t sheet[H][W][3], rgb[210][160][3];
  if (open_roms(NULL)) return 1;
  char path[600];
  for (int g = 0; g < OWN_GAMES; g++) {
    sixer_error error;
    sixer_env *env = start(g, scene[g].level, scene[g].mode, 0, 0);
    play(env, g, SCRIPTED, scene[g].frames, 1);
    sixer_env_rgb(env, &rgb[0][0][0]);
    for (int y = 0; y < 210; y++) {
      for (int x = 0; x < 320; x++)
        memcpy(sheet[g / 4 * 210 + y][g % 4 * 320 + x], rgb[y][x / 2], 3);
    }
    snprintf(path, sizeof path, "%s/%s-play.png", folder, own_games[g].name);
    bool bad = sixer_env_save_png(env, path, &error);
    sixer_result r = {0};
    while (!r.over) sixer_env_step(env, 0, &r);
    sixer_rom *bare;
    sixer_env *after = after_the_end(g, sixer_env_ram(env), &bare);
    snprintf(path, sizeof path, "%s/%s-over.png", folder, own_games[g].name);
    bad |= sixer_env_save_png(after, path, &error) != SIXER_OK;
    sixer_env_destroy(after);
    sixer_rom_close(bare);
    sixer_env_reset(env);
    for (int i = 0; i < 3; i++) {
      sixer_env_set_ram(env, STATE & 0x7F, 0);
      sixer_env_step(env, 0, NULL);
    }
    snprintf(path, sizeof path, "%s/%s-title.png", folder, own_games[g].name);
    bad |= sixer_env_save_png(env, path, &error) != SIXER_OK;
    if (bad) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
    sixer_env_destroy(env);
  }
  snprintf(path, sizeof path, "%s/sheet.png", folder);
  if (!png_write(path, &sheet[0][0][0], W, H)) return 1;
  return close_roms(NULL);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "shots") == 0) return shots(argv[2]);
  if (argc > 1 && strcmp(argv[1], "levels") == 0) return levels_table(argc > 2 ? argv[2] : NULL);
  if (argc > 1 && strcmp(argv[1], "measure") == 0)
    return measure(argc > 2 ? atoi(argv[2]) : 8, argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(players_win_and_games_end),
      cmocka_unit_test(the_end_stands_still),
      cmocka_unit_test(levels_are_fixed_and_differ),
      cmocka_unit_test(ranges_of_levels),
      cmocka_unit_test(vectors_report_levels),
      cmocka_unit_test(every_level_can_be_solved),
      cmocka_unit_test(flavors_matter),
      cmocka_unit_test(random_rewards),
      cmocka_unit_test(kept_scores_come_again),
  };
  return cmocka_run_group_tests(tests, open_roms, close_roms);
}
