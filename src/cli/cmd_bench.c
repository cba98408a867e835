/* `sixer bench`: measure speed, game by game.
 *
 * Every measurement warms up to a typical state (random actions held four steps on average, as in all our
 * measurements), is repeated, and the best run counts: on a machine with other users the fastest run is the one that
 * was disturbed least. The spread is how much slower the median run was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/catalog.h"
#include "sixer/vec.h"
#include "util/os.h"
#include "util/os_memory.h"
#include "util/random.h"
#include "util/rounded.h"
#include "util/sort.h"

enum { MAX_GAMES = 512, MAX_RUNS = 100, HOLD = 4 };

typedef struct bench_options {
  int64_t runs, frames, warm_up, seed, threads, envs, skip, height, width, stack, batch;
  double sticky;
  bool no_picture, tsv, rgb;
  const char *core;
} bench_options;

typedef struct bench_game {
  const char *id;
  sixer_rom *rom;
} bench_game;

typedef struct bench {
  sixer_catalog *catalog; /* names of the built-in games */
  const char *work;
  bench_options options;
  sixer_core core;
  bench_game games[MAX_GAMES];
  int count;
  cli_progress progress;
  double logs[4]; /* sums over games, for the means */
  double sums[4];
  int rows[4];
} bench;

/* ---- Actions --------------------------------------------------------------------------------------------------- */

typedef struct actor {
  uint64_t state;
  int current, count;
} actor;

static int next_action(actor *a) {
  uint64_t z = random_next(&a->state);
  if ((z & 0xFFFF) % HOLD == 0) a->current = (int)((z >> 32) % (uint64_t)a->count);
  return a->current;
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void print_head(const bench *b) {
  if (b->options.tsv) {
    printf(
        "work\tgame\tmeasure\tbest\tmedian\tunit\truns\tcore\tthreads\tenvs\tpicture\tbehavior\n");
    return;
  }
  printf("%-22s %-14s %14s  %-14s %s\n", "game", "measure", "best", "unit", "spread");
}

static void print_row(const bench *b, const char *name, const char *measure, double best,
                      double median, const char *unit) {
  const bench_options *o = &b->options;
  if (o->tsv) {
    printf("%s\t%s\t%s\t%.6g\t%.6g\t%s\t%lld\t%s\t%lld\t%lld\t%d\t%d\n", b->work, name, measure,
           best, median, unit, (long long)o->runs, o->core, (long long)o->threads,
           (long long)o->envs, !o->no_picture, SIXER_BEHAVIOR);
  } else {
    double spread = best > 0 && median > 0 ? fabs(median / best - 1) * 100 : 0;
    printf("%-22s %-14s %14.*f  %-14s %.1f %%\n", name, measure, best < 100 ? 2 : 0, best, unit,
           spread);
  }
  fflush(stdout);
}

/* Print the best of the runs, and remember it for the mean under `slot`. `values` is sorted. */
static void report(bench *b, int slot, const char *name, const char *measure, double *values,
                   bool high_is_best, const char *unit) {
  int runs = (int)b->options.runs;
  sort_stable(values, (size_t)runs, sizeof *values, compare);
  double best = values[high_is_best ? runs - 1 : 0], median = values[runs / 2];
  print_row(b, name, measure, best, median, unit);
  b->logs[slot] += rounded_log(best);
  b->sums[slot] += best;
  b->rows[slot]++;
}

static void report_means(const bench *b, int slot, const char *measure, const char *unit) {
  if (b->rows[slot] < 2) return;
  double n = b->rows[slot], geometric = rounded_exp(b->logs[slot] / n), mean = b->sums[slot] / n;
  print_row(b, "(geometric mean)", measure, geometric, geometric, unit);
  print_row(b, "(mean)", measure, mean, mean, unit);
}

static void show(bench *b, int index, double part) {
  cli_progress_show(&b->progress, index + part, b->count, b->games[index].id);
}

/* ---- One env --------------------------------------------------------------------------------------------------- */

static sixer_env *create_env(const bench *b, const sixer_rom *rom) {
  sixer_config config = sixer_config_default();
  config.core = b->core;
  config.seed = (uint32_t)b->options.seed;
  config.sticky = (float)b->options.sticky;
  config.picture = !b->options.no_picture;
  sixer_error error;
  sixer_env *env = NULL;
  if (sixer_env_create(rom, &config, &env, &error))
    cli_error("bench", CLI_FAILED, "%s", error.message);
  return env;
}

/* Play; the time of resets is not counted. Returns seconds. */
static double play(sixer_env *env, actor *a, int64_t frames) {
  double spent = 0, start = cli_thread_seconds();
  sixer_list legal = sixer_rom_legal_actions(sixer_env_rom(env));
  a->count = legal.count;
  for (int64_t i = 0; i < frames; i++) {
    sixer_result result;
    sixer_env_step(env, legal.items[next_action(a)], &result);
    if (result.over) {
      spent += cli_thread_seconds() - start;
      sixer_env_reset(env);
      start = cli_thread_seconds();
    }
  }
  return spent + cli_thread_seconds() - start;
}

static int bench_raw(bench *b) {
  for (int g = 0; g < b->count; g++) {
    sixer_env *env = create_env(b, b->games[g].rom);
    if (!env) return CLI_FAILED;
    actor a = {.state = (uint64_t)b->options.seed};
    play(env, &a, b->options.warm_up);
    double rates[MAX_RUNS];
    for (int64_t run = 0; run < b->options.runs; run++) {
      show(b, g, (double)run / (double)b->options.runs);
      rates[run] = (double)b->options.frames / play(env, &a, b->options.frames);
    }
    report(b, 0, b->games[g].id, "raw", rates, true, "frames/s");
    sixer_env_destroy(env);
  }
  report_means(b, 0, "raw", "frames/s");
  return CLI_OK;
}

/* What a reset does depends on what play has left in memory, so there is play between resets. */
enum { BETWEEN = 60 /* frames */, FIRST_RESETS = 40 };

/* Play for a while, but not beyond the end of the game; then reset. Returns the seconds of the reset. */
static double play_and_reset(sixer_env *env, actor *a) {
  sixer_list legal = sixer_rom_legal_actions(sixer_env_rom(env));
  sixer_result result = {0};
  a->count = legal.count;
  for (int i = 0; i < BETWEEN && !result.over; i++)
    sixer_env_step(env, legal.items[next_action(a)], &result);
  double start = cli_thread_seconds();
  sixer_env_reset(env);
  return cli_thread_seconds() - start;
}

/* The first resets of a new env in a new program: the library has not cached any yet. */
static int first_resets(bench *b, const char *id, double *microseconds) {
  sixer_error error;
  sixer_rom *rom;
  if (sixer_rom_open(id, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  sixer_env *env = create_env(b, rom);
  if (env) {
    actor a = {.state = (uint64_t)b->options.seed};
    double spent = 0;
    for (int i = 0; i < FIRST_RESETS; i++) spent += play_and_reset(env, &a);
    *microseconds = spent / FIRST_RESETS * 1e6;
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return env ? CLI_OK : CLI_FAILED;
}

/* The library caches resets; the warm-up, one reset for every 5 of its frames, fills that cache as in a program that
 * has played for a while. */
static int bench_reset(bench *b) {
  enum { WARM_UP_FRAMES = 5 };
  for (int g = 0; g < b->count; g++) {
    double first[MAX_RUNS], warm[MAX_RUNS];
    for (int64_t run = 0; run < b->options.runs; run++) {
      show(b, g, (double)run / (double)b->options.runs / 2);
      if (first_resets(b, b->games[g].id, &first[run])) return CLI_FAILED;
    }
    sixer_env *env = create_env(b, b->games[g].rom);
    if (!env) return CLI_FAILED;
    actor a = {.state = (uint64_t)b->options.seed};
    for (int64_t i = 0; i < b->options.warm_up; i += WARM_UP_FRAMES) {
      play(env, &a, BETWEEN / 6);
      sixer_env_reset(env);
    }
    for (int64_t run = 0; run < b->options.runs; run++) {
      show(b, g, 0.5 + (double)run / (double)b->options.runs / 2);
      double spent = 0;
      int64_t count = b->options.frames / 1000 + 1;
      for (int64_t i = 0; i < count; i++) spent += play_and_reset(env, &a);
      warm[run] = spent / (double)count * 1e6;
    }
    report(b, 0, b->games[g].id, "first resets", first, false, "us");
    report(b, 1, b->games[g].id, "reset", warm, false, "us");
    sixer_env_destroy(env);
  }
  report_means(b, 0, "first resets", "us");
  report_means(b, 1, "reset", "us");
  return CLI_OK;
}

static int bench_state(bench *b) {
  enum { REPEAT = 20000 };
  for (int g = 0; g < b->count; g++) {
    sixer_env *env = create_env(b, b->games[g].rom);
    if (!env) return CLI_FAILED;
    size_t size = sixer_env_state_size(env, 0);
    uint8_t *state = malloc(size);
    if (!state) {
      sixer_env_destroy(env);
      return cli_error("bench", CLI_FAILED, "out of memory");
    }
    actor a = {.state = (uint64_t)b->options.seed};
    play(env, &a, b->options.warm_up);
    double save[MAX_RUNS], load[MAX_RUNS], bytes[MAX_RUNS];
    sixer_env_save(env, 0, state);
    for (int64_t run = 0; run < b->options.runs; run++) {
      show(b, g, (double)run / (double)b->options.runs);
      double start = cli_thread_seconds();
      for (int i = 0; i < REPEAT; i++) sixer_env_save(env, 0, state);
      double middle = cli_thread_seconds();
      for (int i = 0; i < REPEAT; i++) sixer_env_load(env, state, size, NULL);
      save[run] = (middle - start) / REPEAT * 1e9;
      load[run] = (cli_thread_seconds() - middle) / REPEAT * 1e9;
      bytes[run] = (double)size;
    }
    report(b, 0, b->games[g].id, "save", save, false, "ns");
    report(b, 1, b->games[g].id, "load", load, false, "ns");
    report(b, 2, b->games[g].id, "size", bytes, false, "bytes");
    free(state);
    sixer_env_destroy(env);
  }
  report_means(b, 0, "save", "ns");
  report_means(b, 1, "load", "ns");
  report_means(b, 2, "size", "bytes");
  return CLI_OK;
}

/* ---- Vectors --------------------------------------------------------------------------------------------------- */

typedef struct vec_run {
  sixer_vec *vec;
  sixer_vec_out out;
  int32_t *actions, *ids;
  actor *actors;
} vec_run;

static void close_vec(vec_run *r) {
  sixer_vec_destroy(r->vec);
  free(r->out.obs);
  free(r->out.rewards);
  free(r->out.terminated);
  free(r->out.truncated);
  free(r->out.env_ids);
  free(r->actions);
  free(r->ids);
  free(r->actors);
}

static int open_vec(const bench *b, const sixer_rom *rom, vec_run *r) {
  const bench_options *o = &b->options;
  size_t n = (size_t)o->envs;
  sixer_vec_config config = sixer_vec_config_default();
  config.env.core = b->core;
  config.env.frame_skip = (int)o->skip;
  config.env.sticky = (float)o->sticky;
  config.threads = (int)o->threads;
  config.height = (int)o->height;
  config.width = (int)o->width;
  config.stack = (int)o->stack;
  config.obs = o->no_picture ? SIXER_OBS_RAM : o->rgb ? SIXER_OBS_RGB : SIXER_OBS_GRAY;
  *r = (vec_run){0};
  sixer_vec_slot *slots = malloc(n * sizeof *slots);
  for (size_t i = 0; slots && i < n; i++) slots[i] = (sixer_vec_slot){rom, SIXER_MODE_DEFAULT, 0};
  sixer_error error = {0};
  if (!slots || sixer_vec_create(slots, (int)n, &config, &r->vec, &error)) {
    free(slots);
    return cli_error("bench", CLI_FAILED, "%s", slots ? error.message : "out of memory");
  }
  free(slots);
  r->out.rows = (int)n;
  r->out.obs = malloc(n * sixer_vec_describe(r->vec).obs_size);
  r->out.rewards = malloc(n * sizeof *r->out.rewards);
  r->out.terminated = malloc(n);
  r->out.truncated = malloc(n);
  r->out.env_ids = malloc(n * sizeof *r->out.env_ids);
  r->actions = calloc(n, sizeof *r->actions);
  r->ids = calloc(n, sizeof *r->ids);
  r->actors = calloc(n, sizeof *r->actors);
  if (!r->out.obs || !r->out.rewards || !r->out.terminated || !r->out.truncated ||
      !r->out.env_ids || !r->actions || !r->ids || !r->actors) {
    close_vec(r);
    return cli_error("bench", CLI_FAILED, "out of memory for %zu environments", n);
  }
  for (size_t i = 0; i < n; i++) {
    r->actors[i] = (actor){.state = (uint64_t)o->seed * 1000003 + i,
                           .count = sixer_vec_actions(r->vec, (int)i).count};
    r->ids[i] = (int32_t)i;
  }
  return CLI_OK;
}

/* Step all envs `steps` times. With a batch smaller than the vec: as many envs, in batches as they finish. */
static sixer_err run_vec(const bench *b, vec_run *r, int64_t steps, sixer_error *error) {
  int n = r->out.rows, batch = (int)b->options.batch;
  if (batch == 0 || batch == n) {
    for (int64_t s = 0; s < steps; s++) {
      for (int i = 0; i < n; i++) r->actions[i] = next_action(&r->actors[i]);
      sixer_err err = sixer_vec_step(r->vec, r->actions, NULL, &r->out, error);
      if (err) return err;
    }
    return SIXER_OK;
  }
  for (int64_t done = 0; done < steps * n; done += batch) {
    sixer_err err = sixer_vec_recv(r->vec, batch, &r->out, error);
    for (int i = 0; i < batch && !err; i++) {
      r->ids[i] = r->out.env_ids[i];
      r->actions[i] = next_action(&r->actors[r->ids[i]]);
    }
    if (!err) err = sixer_vec_send(r->vec, r->ids, batch, r->actions, NULL, error);
    if (err) return err;
  }
  return SIXER_OK;
}

static int bench_vec(bench *b) {
  const bench_options *o = &b->options;
  for (int g = 0; g < b->count; g++) {
    vec_run r;
    if (open_vec(b, b->games[g].rom, &r)) return CLI_FAILED;
    sixer_error error = {0};
    double rates[MAX_RUNS];
    int64_t steps = o->frames / (o->envs * o->skip) + 1;
    bool async = o->batch && o->batch != o->envs;
    sixer_err err = sixer_vec_reset(r.vec, NULL, NULL, &r.out, &error);
    if (!err && async) err = sixer_vec_send(r.vec, r.ids, (int)o->envs, r.actions, NULL, &error);
    if (!err) err = run_vec(b, &r, o->warm_up / o->skip, &error);
    for (int64_t run = 0; run < o->runs && !err; run++) {
      show(b, g, (double)run / (double)o->runs);
      double start = cli_seconds();
      err = run_vec(b, &r, steps, &error);
      rates[run] = (double)(steps * o->envs * o->skip) / (cli_seconds() - start);
    }
    if (!err) report(b, 0, b->games[g].id, "vec", rates, true, "frames/s");
    close_vec(&r);
    if (err) return cli_error("bench", CLI_FAILED, "%s", error.message);
  }
  report_means(b, 0, "vec", "frames/s");
  return CLI_OK;
}

/* Memory as the vec accounts for it, and as the process grows: what is shared is not all used. */
static int bench_memory(bench *b) {
  for (int g = 0; g < b->count; g++) {
    vec_run r;
    sixer_error error = {0};
    double before = (double)os_memory_resident();
    show(b, g, 0);
    if (open_vec(b, b->games[g].rom, &r)) return CLI_FAILED;
    sixer_err err = sixer_vec_reset(r.vec, NULL, NULL, NULL, &error);
    if (!err) err = run_vec(b, &r, b->options.warm_up / b->options.skip, &error);
    if (err) {
      close_vec(&r);
      return cli_error("bench", CLI_FAILED, "%s", error.message);
    }
    sixer_vec_info info = sixer_vec_describe(r.vec);
    double values[4] = {(double)info.env_memory, (double)info.shared_memory, (double)info.obs_size,
                        (double)os_memory_resident() - before};
    static const char *const names[] = {"env", "shared", "observation", "process grew by"};
    for (int i = 0; i < 4; i++) {
      print_row(b, b->games[g].id, names[i], values[i], values[i], "bytes");
      b->sums[i] += values[i];
      b->logs[i] += rounded_log(values[i] > 1 ? values[i] : 1);
      b->rows[i]++;
    }
    close_vec(&r);
  }
  report_means(b, 0, "env", "bytes");
  return CLI_OK;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static int open_games(bench *b, const char **names, int count) {
  static const char *const five[] = {"pong", "breakout", "seaquest", "ms_pacman",
                                     "montezuma_revenge"};
  bool all = !strcmp(b->work, "raw") || !strcmp(b->work, "reset") || !strcmp(b->work, "state");
  bool wants_all = count == 1 && !strcmp(names[0], "all");
  sixer_error error;
  if (sixer_catalog_open_builtin(&b->catalog, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  int known = sixer_catalog_count(b->catalog);
  int wanted = count && !wants_all ? count : all || wants_all ? known : 5;
  for (int i = 0; i < wanted && b->count < MAX_GAMES; i++) {
    const char *id = count && !wants_all ? names[i]
                     : all || wants_all  ? sixer_catalog_game(b->catalog, i).id
                                         : five[i];
    char path[4096];
    if ((count == 0 || wants_all) && !sixer_rom_find(id, path, sizeof path)) continue;
    if (sixer_rom_open(id, NULL, &b->games[b->count].rom, &error))
      return cli_error("bench", CLI_FAILED, "%s", error.message);
    b->games[b->count++].id = id;
  }
  if (b->count == 0) {
    return cli_error(
        "bench", CLI_FAILED,
        "no image of the games to measure was found; name a ROM, or bring images in with "
        "`sixer roms import`");
  }
  return CLI_OK;
}

static bool core_by_name(const char *name, sixer_core *core) {
  static const char *const names[] = {"auto", "plain", "interp", "jit"};
  for (int i = 0; i < 4; i++) {
    if (!strcmp(name, names[i])) return *core = (sixer_core)i, true;
  }
  return false;
}

static int check(bench *b) {
  bench_options *o = &b->options;
  const cli_limit limits[] = {
      {"runs", o->runs, 1, MAX_RUNS},         {"frames", o->frames, 1, 1000000000},
      {"warm-up", o->warm_up, 0, 1000000000}, {"envs", o->envs, 1, 1 << 20},
      {"frame-skip", o->skip, 1, 10000},      {"stack", o->stack, 1, 1024},
      {"height", o->height, 0, 4096},         {"width", o->width, 0, 4096},
      {"seed", o->seed, 0, UINT32_MAX},       {NULL, 0, 0, 0}};
  int status = cli_check_limits("bench", limits);
  if (status) return status;
  if (o->threads < 0 || o->threads > o->envs)
    return cli_error("bench", CLI_USAGE,
                     "--threads is 1 to the number of envs, or 0 for one per processor; found %lld",
                     (long long)o->threads);
  if (o->batch < 0 || o->batch > o->envs)
    return cli_error("bench", CLI_USAGE, "--batch is 0 to the number of envs, found %lld",
                     (long long)o->batch);
  if (!(o->sticky >= 0 && o->sticky <= 1))
    return cli_error("bench", CLI_USAGE, "--sticky is a probability, 0 to 1, found %g", o->sticky);
  if (!core_by_name(o->core, &b->core))
    return cli_error("bench", CLI_USAGE, "--core is auto, plain, interp or jit, found '%s'",
                     o->core);
  return CLI_OK;
}

int cmd_bench(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(bench *b);
  } works[] = {{"raw", bench_raw},
               {"vec", bench_vec},
               {"state", bench_state},
               {"reset", bench_reset},
               {"memory", bench_memory}};
  if (argc > 0 && !strcmp(argv[0], "plan")) return bench_plan(argc - 1, argv + 1);
  if (argc > 0 && !strcmp(argv[0], "agents")) return bench_agents(argc - 1, argv + 1);
  if (argc > 0 && !strcmp(argv[0], "nn")) return bench_nn(argc - 1, argv + 1);
  if (argc > 0 && !strcmp(argv[0], "replay")) return bench_replay(argc - 1, argv + 1);
  if (argc > 0 && !strcmp(argv[0], "deep")) return bench_deep(argc - 1, argv + 1);
  if (argc > 0 && !strcmp(argv[0], "serve")) return bench_serve(argc - 1, argv + 1);
  if (argc > 0 && !strcmp(argv[0], "apex")) return bench_apex(argc - 1, argv + 1);
  bench *b = calloc(1, sizeof *b);
  if (!b) return cli_error("bench", CLI_FAILED, "out of memory");
  bench_options *o = &b->options;
  *o = (bench_options){.runs = 5,
                       .frames = 4000,
                       .warm_up = 1000,
                       .seed = 1,
                       .envs = 64,
                       .skip = 4,
                       .height = 84,
                       .width = 84,
                       .stack = 4,
                       .core = "auto"};
  const option_def options[] = {
      {"runs", OPTION_INT, &o->runs, "N", "runs of which the best counts"},
      {"frames", OPTION_INT, &o->frames, "N", "frames of a run"},
      {"warm-up", OPTION_INT, &o->warm_up, "N", "frames before the first run (of each env)"},
      {"seed", OPTION_INT, &o->seed, "S", "seed of the env and of the actions"},
      {"sticky", OPTION_REAL, &o->sticky, "P", "probability of repeating the action"},
      {"core", OPTION_TEXT, &o->core, "CORE", "auto, plain, interp or jit"},
      {"no-picture", OPTION_FLAG, &o->no_picture, NULL, "draw nothing (planning on memory)"},
      {"envs", OPTION_INT, &o->envs, "N", "vec, memory: environments"},
      {"threads", OPTION_INT, &o->threads, "N", "vec: threads; 0 is one per processor"},
      {"batch", OPTION_INT, &o->batch, "N", "vec: receive N envs at a time; 0 is all"},
      {"frame-skip", OPTION_INT, &o->skip, "N", "vec: frames per step"},
      {"height", OPTION_INT, &o->height, "N", "vec: height of the observation"},
      {"width", OPTION_INT, &o->width, "N", "vec: width of the observation"},
      {"stack", OPTION_INT, &o->stack, "N", "vec: pictures in an observation"},
      {"rgb", OPTION_FLAG, &o->rgb, NULL, "vec: observe colors"},
      {"tsv", OPTION_FLAG, &o->tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *names[MAX_GAMES + 1];
  int status;
  int count = cli_parse(
      "bench",
      "Measure: raw (frames of one env), vec (frames of many), state (save and "
      "load), reset (the first\n"
      "40 of a new env, and later ones), memory. raw, state and reset are in processor time.\n"
      "plan (decisions of planners), agents (learners), replay (memory of deep agents), nn (their\n"
      "networks), deep (their training), apex and serve have options of their own: sixer bench\n"
      "plan --help, and so on.\n"
      "Games are ids or files. Without any, all games whose images are found are\n"
      "measured; for vec and memory, five well-known ones (`all` for all).",
      options, argc, argv, names, MAX_GAMES + 1, &status);
  if (count >= 0) {
    int (*run)(bench *) = NULL;
    for (size_t i = 0; count > 0 && i < sizeof works / sizeof works[0]; i++) {
      if (!strcmp(names[0], works[i].name)) run = works[i].run, b->work = works[i].name;
    }
    if (count == 0)
      status = cli_error("bench", CLI_USAGE,
                         "say what to measure: raw, vec, state, reset, memory, plan, agents, "
                         "replay, nn, deep or serve");
    else if (!run)
      status = cli_unknown_word("bench", names[0]);
    else
      status = check(b);
    if (!status) status = open_games(b, names + 1, count - 1);
    if (!status) {
      print_head(b);
      cli_progress_begin(&b->progress, b->work);
      status = run(b);
      cli_progress_end(&b->progress);
    }
  }
  for (int i = 0; i < b->count; i++) sixer_rom_close(b->games[i].rom);
  sixer_catalog_close(b->catalog);
  free(b);
  return status;
}
