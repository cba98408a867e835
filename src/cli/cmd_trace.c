/* `sixer trace`: what an environment does under a seeded stream of actions, row by row, so that implementations can be
 * compared byte for byte. docs/trace.md defines the format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/sixer.h"
#include "util/random.h"

typedef struct trace_options {
  int64_t steps, seed, action_seed, hold, mode, difficulty, frame_skip, max_frames, every,
      save_restore;
  int64_t system_seed, poke, poke_seed, strengths, paddle_min, paddle_max, reward_min, reward_max;
  double sticky;
  bool color_averaging, life_loss, cycle_cpu, dump_jit, names;
  const char *actions, *game, *core, *columns;
} trace_options;

typedef struct action_stream {
  uint64_t state;
  sixer_list actions;
  int64_t hold;
  int current; /* -1 before the first draw */
  bool turns;  /* paddles are turned at strengths of a stream of their own */
  uint64_t strength_state;
} action_stream;

static sixer_input next_input(action_stream *s) {
  uint64_t z = random_next(&s->state);
  if (s->current < 0 || (int64_t)(z & 0xFFFF) % s->hold == 0) {
    s->current = s->actions.items[(z >> 32) % (uint64_t)s->actions.count];
  }
  float strength = s->turns ? (float)(random_next(&s->strength_state) >> 40) / 16777216.0f : 1.0f;
  return (sixer_input){.action_a = s->current, .strength_a = strength};
}

static uint32_t crc(const void *data, size_t size) { return (uint32_t)crc32(0, data, (uInt)size); }

/* Python prints a float with at least one decimal. */
static void print_real(const char *key, double value) {
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  printf("# %s %s%s\n", key, text, strpbrk(text, ".en") ? "" : ".0");
}

static void print_optional(const char *key, int64_t value) {
  if (value == INT64_MIN)
    printf("# %s default\n", key);
  else
    printf("# %s %" PRId64 "\n", key, value);
}

static void print_header(const trace_options *o, const sixer_rom *rom) {
  printf("# rom %s\n", sixer_rom_describe(rom).md5);
  printf("# steps %" PRId64 "\n# seed %" PRId64 "\n# action-seed %" PRId64 "\n# hold %" PRId64
         "\n# actions %s\n",
         o->steps, o->seed, o->action_seed, o->hold, o->actions);
  print_optional("mode", o->mode);
  print_optional("difficulty", o->difficulty);
  print_real("sticky", o->sticky);
  printf("# frame-skip %" PRId64 "\n# max-frames %" PRId64
         "\n# color-averaging %d\n# life-loss %d\n",
         o->frame_skip, o->max_frames, o->color_averaging, o->life_loss);
  printf("# every %" PRId64 "\n# save-restore %" PRId64 "\n", o->every, o->save_restore);
  /* options beyond the common format have a header line only if they are given */
  if (o->columns) printf("# columns %s\n", o->columns);
  const struct {
    const char *key;
    int64_t value;
  } extra[] = {{"system-seed", o->system_seed}, {"poke", o->poke},
               {"poke-seed", o->poke_seed},     {"strengths", o->strengths},
               {"paddle-min", o->paddle_min},   {"paddle-max", o->paddle_max},
               {"reward-min", o->reward_min},   {"reward-max", o->reward_max}};
  for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
    if (extra[i].value != INT64_MIN) printf("# %s %" PRId64 "\n", extra[i].key, extra[i].value);
  }
  if (o->cycle_cpu) printf("# cycle-cpu 1\n");
}

/* A row of column names, which no digest covers. */
static void print_names(const trace_options *o) {
  printf("step\taction\treward\tlives\tover\ttruncated\tframe\tepisode_frame\tram\tscreen");
  if (o->columns) putchar('\t');
  for (const char *c = o->columns ? o->columns : ""; *c; c++) putchar(*c == ',' ? '\t' : *c);
  putchar('\n');
}

/* Columns beyond those of the format, in the order asked for: CRCs of the screen in color, in gray, and of the
 * sound. */
static int append_columns(const trace_options *o, sixer_env *env, uint8_t *buffer, char *row,
                          size_t size) {
  size_t pixels = (size_t)sixer_env_height(env) * 160;
  int at = 0;
  for (const char *name = o->columns; name;
       name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
    uint32_t sum = 0;
    if (*name == 'r') {
      sixer_env_rgb(env, buffer);
      sum = crc(buffer, 3 * pixels);
    } else if (*name == 'g') {
      sixer_env_gray(env, buffer);
      sum = crc(buffer, pixels);
    } else {
      sum = crc(sixer_env_sound(env), SIXER_SOUND_SAMPLES);
    }
    at += snprintf(row + at, size - (size_t)at, "\t%08x", sum);
  }
  return at;
}

static bool columns_known(const char *list) {
  while (list) {
    const char *comma = strchr(list, ',');
    size_t length = comma ? (size_t)(comma - list) : strlen(list);
    if (!(length == 3 && !strncmp(list, "rgb", 3)) && !(length == 4 && !strncmp(list, "gray", 4)) &&
        !(length == 5 && !strncmp(list, "sound", 5))) {
      return false;
    }
    list = comma ? comma + 1 : NULL;
  }
  return true;
}

/* Save, play ten steps, restore. The random generator and the remembered action are not restored (docs/trace.md). */
static sixer_err excursion(sixer_env *env, action_stream *stream, uint8_t *state) {
  size_t size = sixer_env_state_size(env, 0);
  sixer_env_save(env, 0, state);
  for (int i = 0; i < 10; i++) sixer_env_step_input(env, next_input(stream), NULL);
  return sixer_env_load(env, state, size, NULL);
}

static void print_line(void *context, const char *text) {
  (void)context;
  puts(text);
}

static int run(const trace_options *o, const sixer_rom *rom, sixer_env *env, uint8_t *state,
               uint8_t *buffer) {
  action_stream stream = {
      (uint64_t)o->action_seed,
      strcmp(o->actions, "full") ? sixer_rom_minimal_actions(rom) : sixer_rom_legal_actions(rom),
      o->hold,
      -1,
      o->strengths != INT64_MIN,
      (uint64_t)o->strengths};
  uint64_t pokes = o->poke_seed == INT64_MIN ? 1 : (uint64_t)o->poke_seed;
  uLong digest = 0;
  if (!o->dump_jit) print_header(o, rom);
  if (o->names) print_names(o);
  for (int64_t step = 1; step <= o->steps; step++) {
    if (o->save_restore && step % o->save_restore == 0 && excursion(env, &stream, state)) {
      return cli_error("trace", CLI_FAILED, "a state that was just saved does not load");
    }
    if (o->poke > 0 && step % o->poke == 0) {
      uint64_t z = random_next(&pokes);
      sixer_env_set_ram(env, (int)((z >> 32) % 128), (uint8_t)z);
    }
    sixer_result result;
    sixer_input input = next_input(&stream);
    sixer_env_step_input(env, input, &result);
    if (step % o->every == 0 && !o->dump_jit) {
      sixer_status status = sixer_env_status(env);
      char row[400];
      int length =
          snprintf(row, sizeof row, "%" PRId64 "\t%d\t%d\t%d\t%d\t%d\t%" PRId64 "\t%d\t%08x\t%08x",
                   step, input.action_a, result.reward, result.lives, result.over, result.truncated,
                   status.frames, status.episode_frames, crc(sixer_env_ram(env), 128),
                   crc(sixer_env_screen(env), (size_t)sixer_env_height(env) * 160));
      length += append_columns(o, env, buffer, row + length, sizeof row - (size_t)length - 2);
      row[length++] = '\n';
      digest = crc32(digest, (const Bytef *)row, (uInt)length);
      if (fwrite(row, 1, (size_t)length, stdout) < (size_t)length) break; /* main() reports it */
    }
    if (result.over) sixer_env_reset(env);
  }
  if (o->dump_jit) {
    sixer_error error;
    if (sixer_env_list_code(env, print_line, NULL, &error))
      return cli_error("trace", CLI_FAILED, "--dump-jit: %s", error.message);
  } else {
    printf("# digest %08x\n", (unsigned)digest);
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

static int check(const trace_options *o) {
  if (strcmp(o->actions, "full") != 0 && strcmp(o->actions, "minimal") != 0) {
    return cli_error("trace", CLI_USAGE, "--actions is full or minimal, found '%s'", o->actions);
  }
  const cli_limit limits[] = {{"steps", o->steps, 0, INT64_MAX},
                              {"save-restore", o->save_restore, 0, INT64_MAX},
                              {"poke", o->poke, 0, INT64_MAX},
                              {"hold", o->hold, 1, INT64_MAX},
                              {"every", o->every, 1, INT64_MAX},
                              {"frame-skip", o->frame_skip, 1, 10000},
                              {"max-frames", o->max_frames, 0, INT32_MAX},
                              {"seed", o->seed, INT32_MIN, UINT32_MAX},
                              {"system-seed", o->system_seed, INT32_MIN, UINT32_MAX},
                              {"mode", o->mode, INT32_MIN, INT32_MAX},
                              {"difficulty", o->difficulty, INT32_MIN, INT32_MAX},
                              {"paddle-min", o->paddle_min, -1, INT32_MAX},
                              {"paddle-max", o->paddle_max, -1, INT32_MAX},
                              {"reward-min", o->reward_min, INT32_MIN, INT32_MAX},
                              {"reward-max", o->reward_max, INT32_MIN, INT32_MAX},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits("trace", limits);
  if (status) return status;
  if (o->paddle_min != INT64_MIN && o->paddle_max != INT64_MIN && o->paddle_min > o->paddle_max) {
    return cli_error("trace", CLI_USAGE,
                     "--paddle-min is at most --paddle-max, found %lld and %lld",
                     (long long)o->paddle_min, (long long)o->paddle_max);
  }
  if (!columns_known(o->columns)) {
    return cli_error("trace", CLI_USAGE, "--columns is a list of rgb, gray and sound, found '%s'",
                     o->columns);
  }
  if (o->dump_jit && (o->columns || o->names || o->every != 1)) {
    return cli_error("trace", CLI_USAGE,
                     "--dump-jit prints no rows: leave out --columns, --names and --every");
  }
  if (o->dump_jit && (o->cycle_cpu || (strcmp(o->core, "auto") && strcmp(o->core, "jit")))) {
    return cli_error("trace", CLI_USAGE,
                     "--dump-jit shows what the core jit translates; leave out %s",
                     o->cycle_cpu ? "--cycle-cpu" : "--core, or use --core jit");
  }
  if (o->color_averaging && o->save_restore) {
    return cli_error("trace", CLI_USAGE, "--color-averaging and --save-restore do not go together");
  }
  return CLI_OK;
}

/* Set mode and difficulty, then reset once more, as the reference needs it. */
static sixer_err choose_flavor(const trace_options *o, sixer_env *env, sixer_error *error) {
  if (o->mode == INT64_MIN && o->difficulty == INT64_MIN) return SIXER_OK;
  sixer_err err = SIXER_OK;
  if (o->mode != INT64_MIN) err = sixer_env_set_mode(env, (int)o->mode, error);
  if (!err && o->difficulty != INT64_MIN)
    err = sixer_env_set_difficulty(env, (int)o->difficulty, error);
  if (!err) sixer_env_reset(env);
  return err;
}

int cmd_trace(int argc, char **argv) {
  trace_options o = {.steps = 1000,
                     .seed = 1,
                     .action_seed = 1,
                     .hold = 1,
                     .mode = INT64_MIN,
                     .difficulty = INT64_MIN,
                     .frame_skip = 1,
                     .every = 1,
                     .sticky = 0.25,
                     .actions = "full",
                     .core = "auto",
                     .system_seed = INT64_MIN,
                     .poke = INT64_MIN,
                     .poke_seed = INT64_MIN,
                     .strengths = INT64_MIN,
                     .paddle_min = INT64_MIN,
                     .paddle_max = INT64_MIN,
                     .reward_min = INT64_MIN,
                     .reward_max = INT64_MIN};
  const option_def options[] = {
      {"steps", OPTION_INT, &o.steps, "N", "agent steps to record"},
      {"seed", OPTION_INT, &o.seed, "S", "seed of the environment"},
      {"action-seed", OPTION_INT, &o.action_seed, "A", "seed of the action stream"},
      {"hold", OPTION_INT, &o.hold, "K", "mean number of steps an action is held"},
      {"actions", OPTION_TEXT, &o.actions, "SET", "full or minimal"},
      {"mode", OPTION_INT, &o.mode, "M", "mode of the game"},
      {"difficulty", OPTION_INT, &o.difficulty, "D", "difficulty of the game"},
      {"sticky", OPTION_REAL, &o.sticky, "P", "probability of repeating the action"},
      {"frame-skip", OPTION_INT, &o.frame_skip, "K", "frames per step"},
      {"max-frames", OPTION_INT, &o.max_frames, "N", "frames per episode; 0 is no limit"},
      {"color-averaging", OPTION_FLAG, &o.color_averaging, NULL,
       "average each screen with the one before"},
      {"life-loss", OPTION_FLAG, &o.life_loss, NULL, "end episodes when a life is lost"},
      {"every", OPTION_INT, &o.every, "N", "print every Nth row only"},
      {"save-restore", OPTION_INT, &o.save_restore, "N",
       "every N steps save, play 10 steps, restore"},
      {"game", OPTION_TEXT, &o.game, "ID", "apply this game's rules to the image"},
      {"core", OPTION_TEXT, &o.core, "CORE", "auto, plain, interp or jit"},
      {"columns", OPTION_TEXT, &o.columns, "LIST", "also: rgb,gray,sound"},
      {"names", OPTION_FLAG, &o.names, NULL, "print a row of column names before the first row"},
      {"system-seed", OPTION_INT, &o.system_seed, "S", "seed of the console's memory"},
      {"poke", OPTION_INT, &o.poke, "N", "every N steps write a random byte to memory"},
      {"poke-seed", OPTION_INT, &o.poke_seed, "P", "seed of those writes"},
      {"strengths", OPTION_INT, &o.strengths, "S",
       "turn paddles at random strengths, with this seed"},
      {"paddle-min", OPTION_INT, &o.paddle_min, "N", "lowest resistance of a paddle"},
      {"paddle-max", OPTION_INT, &o.paddle_max, "N", "highest resistance of a paddle"},
      {"reward-min", OPTION_INT, &o.reward_min, "N", "lowest reward of a step"},
      {"reward-max", OPTION_INT, &o.reward_max, "N", "highest reward of a step"},
      {"dump-jit", OPTION_FLAG, &o.dump_jit, NULL,
       "print the translated machine code after the steps, instead of rows"},
      {"cycle-cpu", OPTION_FLAG, &o.cycle_cpu, NULL, "the reference's other processor"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *path;
  int status,
      count = cli_parse("trace", "Play with a seeded stream of actions and print one row per step.",
                        options, argc, argv, &path, 1, &status);
  if (count < 0) return status;
  if (count == 0) return cli_error("trace", CLI_USAGE, "which ROM? a file, or the id of a game");
  status = check(&o);
  if (status) return status;

  sixer_config config = sixer_config_default();
  char rounded[40];
  snprintf(rounded, sizeof rounded, "%g", o.sticky); /* the reference keeps six digits */
  config.sticky = strtof(rounded, NULL);
  config.seed = (uint32_t)o.seed;
  if (o.system_seed != INT64_MIN) config.system_seed = (uint32_t)o.system_seed;
  if (o.paddle_min != INT64_MIN) config.paddle_min = (int)o.paddle_min;
  if (o.paddle_max != INT64_MIN) config.paddle_max = (int)o.paddle_max;
  if (o.reward_min != INT64_MIN) config.reward_min = (int)o.reward_min;
  if (o.reward_max != INT64_MIN) config.reward_max = (int)o.reward_max;
  config.cycle_cpu = o.cycle_cpu;
  config.frame_skip = (int)o.frame_skip;
  config.max_frames = (int)o.max_frames;
  config.color_averaging = o.color_averaging;
  config.end_on_life_loss = o.life_loss;
  config.sound = o.columns && strstr(o.columns, "sound");
  if (!core_by_name(o.core, &config.core)) {
    return cli_error("trace", CLI_USAGE, "--core is auto, plain, interp or jit, found '%s'",
                     o.core);
  }

  sixer_error error;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  uint8_t *state = NULL, *buffer = NULL;
  if (sixer_rom_open(path, o.game, &rom, &error) || sixer_env_create(rom, &config, &env, &error) ||
      choose_flavor(&o, env, &error)) {
    status = cli_error("trace", CLI_FAILED, "%s", error.message);
  } else {
    state = malloc(sixer_env_state_size(env, 0));
    buffer = malloc((size_t)sixer_env_height(env) * 160 * 3);
    status = state && buffer ? run(&o, rom, env, state, buffer)
                             : cli_error("trace", CLI_FAILED, "out of memory");
  }
  free(state);
  free(buffer);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return status;
}
