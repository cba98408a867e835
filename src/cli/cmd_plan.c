/* `sixer plan`: play games with an agent, usually one that plans, and store the results.
 *
 * Episodes are played one after the other; the jobs work together on each decision. With --out, a finished episode
 * leaves a row of results (JSON) and a tape, which is made by playing the chosen actions once more. An interrupted
 * episode leaves a checkpoint: the same command continues from it, with the same result as without interruption. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/image.h"
#include "cli/session.h"
#include "sixer/agents.h"
#include "sixer/tape.h"
#include "util/little.h"
#include "util/replace.h"
#include "util/os.h"

enum { MAX_GAMES = 128, CHECKPOINT_SECONDS = 60 };

typedef struct plan_options {
  int64_t frames, simulations, horizon, jobs, seed, episodes, mode, difficulty, frame_skip,
      max_frames, decisions;
  double seconds, memory, sticky;
  const char *actions, *set, *out;
  bool json, list, watch;
} plan_options;

/* ---- Interruption ---------------------------------------------------------------------------------------------- */

/* ---- One episode ----------------------------------------------------------------------------------------------- */

typedef struct episode_run {
  const plan_options *o;
  const char *agent_name, *options;
  const char *game; /* as given */
  sixer_rom *rom;
  sixer_env *env;
  sixer_agent *agent;
  uint32_t seed;
  int64_t jobs;        /* that work: one for an agent that cannot use more */
  char settings[1200]; /* all that decides the result, one line of JSON members */
  char stem[4096];     /* of the files in --out; empty without */
  uint8_t *played;     /* actions so far */
  size_t count, capacity;
  int64_t score, emulated, nodes;
  int depth;
  double busy, emulation; /* seconds in decisions, and of emulation in them */
  bool limited;
  sixer_result result;
} episode_run;

static bool remember(episode_run *run, int action) {
  if (run->count == run->capacity) {
    size_t capacity = run->capacity ? 2 * run->capacity : 4096;
    uint8_t *played = realloc(run->played, capacity);
    if (!played) return false;
    run->played = played;
    run->capacity = capacity;
  }
  run->played[run->count++] = (uint8_t)action;
  return true;
}

static void note_settings(episode_run *run) {
  const plan_options *o = run->o;
  const sixer_config *config = sixer_env_config(run->env);
  sixer_rom_info info = sixer_rom_describe(run->rom);
  snprintf(run->settings, sizeof run->settings,
           "\"agent\":\"%s\",\"options\":\"%s\",\"jobs\":%" PRId64
           ",\"game\":\"%s\",\"rom\":\"%s\",\"seed\":%u,"
           "\"sticky\":%g,\"frame_skip\":%d,\"max_frames\":%d,\"mode\":%d,\"difficulty\":%d,"
           "\"actions\":\"%s\",\"decisions\":%" PRId64 ",\"version\":\"%s\",\"behavior\":%d",
           run->agent_name, run->options, run->jobs, info.game ? info.game : info.title, info.md5,
           run->seed, (double)config->sticky, config->frame_skip, config->max_frames,
           sixer_env_status(run->env).mode, config->difficulty, o->actions, o->decisions,
           SIXER_VERSION, SIXER_BEHAVIOR);
}

/* ---- Checkpoints ----------------------------------------------------------------------------------------------- */

typedef struct checkpoint_header {
  char magic[8];
  uint32_t crc; /* of all that follows */
  uint32_t settings_size;
  uint64_t played, agent_size;
  int64_t emulated, nodes;
  double busy, emulation;
  int32_t depth, limited;
} checkpoint_header;

static const char magic[8] = "6plan01";

static void header_little(checkpoint_header *h) {
  static const little_run form[] = {{1, 8}, {4, 2}, {8, 6}, {4, 2}, {0, 0}};
  little_structs(h, 1, sizeof *h, form);
}

/* Replace a file by these parts, one after the other. */
static bool write_file(const char *path, const void *const *parts, const size_t *sizes, int count) {
  replacement *r = replace_open(path);
  if (!r) return false;
  for (int i = 0; i < count; i++) fwrite(parts[i], 1, sizes[i], r->file); /* errors stick */
  return replace_commit(r);
}

static int save_checkpoint(const episode_run *run) {
  if (!run->stem[0]) return CLI_OK;
  char path[4200];
  snprintf(path, sizeof path, "%s.checkpoint", run->stem);
  void *agent = NULL;
  size_t agent_size = 0;
  sixer_error error;
  if (sixer_agent_save(run->agent, &agent, &agent_size, &error))
    return cli_error("plan", CLI_FAILED, "%s: %s", path, error.message);
  checkpoint_header h = {.settings_size = (uint32_t)strlen(run->settings),
                         .played = run->count,
                         .agent_size = agent_size,
                         .emulated = run->emulated,
                         .nodes = run->nodes,
                         .busy = run->busy,
                         .emulation = run->emulation,
                         .depth = run->depth,
                         .limited = run->limited};
  memcpy(h.magic, magic, sizeof h.magic);
  const void *parts[] = {&h, run->settings, run->played, agent};
  const size_t sizes[] = {sizeof h, h.settings_size, run->count, agent_size};
  header_little(&h);
  uLong crc = crc32(0, (const Bytef *)&h.settings_size,
                    (uInt)(sizeof h - offsetof(checkpoint_header, settings_size)));
  for (int i = 1; i < 4; i++) {
    /* before the first decision `played` is NULL, for which zlib returns its initial value instead of `crc` */
    if (sizes[i]) crc = crc32_z(crc, parts[i], sizes[i]);
  }
  h.crc = little_32((uint32_t)crc);
  bool ok = write_file(path, parts, sizes, 4);
  free(agent);
  return ok ? CLI_OK
            : cli_error("plan", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

/* The bytes of a file, with a zero byte after them; NULL if there is no such file or no memory. */
static uint8_t *read_file(const char *path, size_t *size) {
  FILE *file = os_fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  uint8_t *bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  if (bytes) {
    *size = (size_t)length;
    bytes[*size] = 0;
  }
  return bytes;
}

/* Load a checkpoint into env and agent. */
static int restore(episode_run *run, const char *path, const uint8_t *bytes, size_t size) {
  checkpoint_header h = {0};
  if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
  header_little(&h);
  if (size < sizeof h || memcmp(h.magic, magic, sizeof magic) != 0 || h.settings_size > size ||
      h.played > size || h.agent_size > size ||
      size != sizeof h + h.settings_size + h.played + h.agent_size ||
      h.crc != (uint32_t)crc32_z(0, bytes + offsetof(checkpoint_header, settings_size),
                                 size - offsetof(checkpoint_header, settings_size))) {
    return cli_error("plan", CLI_FAILED, "%s is damaged: remove it to start over", path);
  }
  const char *settings = (const char *)bytes + sizeof h;
  const uint8_t *played = bytes + sizeof h + h.settings_size;
  if (h.settings_size != strlen(run->settings) ||
      memcmp(settings, run->settings, h.settings_size) != 0) {
    return cli_error("plan", CLI_FAILED,
                     "%s was made with other settings; remove it or choose another --out\n  it has "
                     "%.*s\n  now it is %s",
                     path, (int)h.settings_size, settings, run->settings);
  }
  for (uint64_t i = 0; i < h.played; i++) {
    if (sixer_env_step(run->env, played[i], &run->result) || !remember(run, played[i]))
      return cli_error("plan", CLI_FAILED, "cannot continue from %s: remove it to start over",
                       path);
    run->score += run->result.reward;
  }
  sixer_error error;
  if (sixer_agent_load(run->agent, run->env, played + h.played, h.agent_size, &error))
    return cli_error("plan", CLI_FAILED, "%s: %s; remove it to start over", path, error.message);
  run->emulated = h.emulated;
  run->nodes = h.nodes;
  run->busy = h.busy;
  run->emulation = h.emulation;
  run->depth = h.depth;
  run->limited = h.limited;
  return CLI_OK;
}

static int resume(episode_run *run) {
  char path[4200];
  size_t size = 0;
  snprintf(path, sizeof path, "%s.checkpoint", run->stem);
  uint8_t *bytes = run->stem[0] ? read_file(path, &size) : NULL;
  int status = bytes ? restore(run, path, bytes, size) : CLI_OK;
  free(bytes);
  return status;
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

static int write_result(const episode_run *run, char *row, size_t size) {
  double decisions = run->count ? (double)run->count : 1;
  int frames = sixer_env_status(run->env).episode_frames;
  snprintf(row, size,
           "{%s,\"score\":%" PRId64
           ",\"frames\":%d,\"decisions_made\":%zu,\"end\":\"%s\","
           "\"emulated\":%" PRId64
           ",\"seconds\":%.1f,\"seconds_per_decision\":%.4f,"
           "\"frames_per_second\":%.0f,\"emulation\":%.3f,\"nodes_per_decision\":%.0f,\"depth\":%d,"
           "\"memory_limited\":%s}\n",
           run->settings, run->score, frames, run->count,
           run->result.terminal    ? "game over"
           : run->result.truncated ? "frame limit"
                                   : "stopped",
           run->emulated, run->busy, run->busy / decisions,
           run->busy > 0 ? (double)run->emulated / run->busy : 0,
           run->busy > 0 ? run->emulation / (run->busy * (double)run->jobs) : 0,
           (double)run->nodes / decisions, run->depth, run->limited ? "true" : "false");
  if (!run->stem[0]) return CLI_OK;
  char path[4200];
  snprintf(path, sizeof path, "%s.json", run->stem);
  const void *part = row;
  size_t length = strlen(row);
  if (!write_file(path, &part, &length, 1))
    return cli_error("plan", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  snprintf(path, sizeof path, "%s.checkpoint", run->stem);
  os_unlink(path);
  return CLI_OK;
}

/* The tape of the episode, from the actions. */
static int write_tape(const episode_run *run) {
  if (!run->stem[0]) return CLI_OK;
  char path[4200], by[700];
  snprintf(path, sizeof path, "%s.tape", run->stem);
  snprintf(by, sizeof by, "%s%s%s, seed %u", run->agent_name, run->options[0] ? ":" : "",
           run->options, run->seed);
  sixer_config config = *sixer_env_config(run->env);
  config.picture = true;
  sixer_env *env = NULL;
  sixer_recorder *recorder = NULL;
  sixer_error error;
  replacement *output = replace_reserve(path);
  if (!output)
    return cli_error("plan", CLI_FAILED, "%s: cannot be created: %s", path, strerror(errno));
  sixer_err err = sixer_env_create(run->rom, &config, &env, &error);
  if (!err) err = sixer_recorder_open(output->temporary, env, by, &recorder, &error);
  for (size_t i = 0; !err && i < run->count; i++) {
    sixer_input input = {.action_a = run->played[i], .strength_a = 1};
    sixer_result result;
    sixer_env_step_input(env, input, &result);
    if (sixer_recorder_step(recorder, input, &result)) break; /* closing says why */
  }
  if (recorder) err = sixer_recorder_close(recorder, &error);
  sixer_env_destroy(env);
  if (err) {
    replace_abandon(output);
    return cli_error("plan", CLI_FAILED, "%s: %s", path, error.message);
  }
  if (!replace_commit(output))
    return cli_error("plan", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  return CLI_OK;
}

static int play(episode_run *run) {
  const plan_options *o = run->o;
  sixer_list actions = strcmp(o->actions, "full") ? sixer_rom_minimal_actions(run->rom)
                                                  : sixer_rom_legal_actions(run->rom);
  cli_progress progress;
  cli_progress_begin(&progress, run->game);
  double saved = cli_seconds();
  int status = CLI_OK;
  while (!run->result.over && !cli_interrupted && !status &&
         (o->decisions == 0 || (int64_t)run->count < o->decisions)) {
    sixer_error error;
    int action;
    if (sixer_agent_act(run->agent, run->env, actions, &action, &error)) {
      cli_progress_end(&progress);
      return cli_error("plan", CLI_FAILED, "%s", error.message);
    }
    sixer_agent_stats s = sixer_agent_last(run->agent);
    sixer_env_step(run->env, action, &run->result);
    if (!remember(run, action)) return cli_error("plan", CLI_FAILED, "out of memory");
    run->score += run->result.reward;
    run->emulated += s.frames;
    run->nodes += s.nodes;
    run->busy += s.seconds;
    run->emulation += s.emulation;
    run->limited |= s.limited;
    if (s.depth > run->depth) run->depth = s.depth;
    char note[200];
    snprintf(note, sizeof note,
             "score %" PRId64 "  decision %zu  %" PRId64
             " nodes  depth %d  %.0f frames/s  %.2f s each%s",
             run->score, run->count, s.nodes, s.depth,
             s.seconds > 0 ? (double)s.frames / s.seconds : 0, run->busy / (double)run->count,
             s.limited ? "  memory limit reached" : "");
    double total = o->decisions    ? (double)o->decisions
                   : o->max_frames ? (double)o->max_frames
                                   : 18000;
    cli_progress_show(
        &progress,
        o->decisions ? (double)run->count : (double)sixer_env_status(run->env).episode_frames,
        total, note);
    if (cli_seconds() - saved >= CHECKPOINT_SECONDS) {
      status = save_checkpoint(run);
      saved = cli_seconds();
    }
  }
  cli_progress_end(&progress);
  return status;
}

/* Print a finished row for people. */
static void print_row(const episode_run *run) {
  double decisions = run->count ? (double)run->count : 1;
  printf("%-18s seed %-4u score %8" PRId64
         "  %6d frames  %5zu decisions  %7.3f s each  %8.0f frames/s  "
         "depth %d%s\n",
         run->game, run->seed, run->score, sixer_env_status(run->env).episode_frames, run->count,
         run->busy / decisions, run->busy > 0 ? (double)run->emulated / run->busy : 0, run->depth,
         run->limited ? "  (memory limit reached)" : "");
  fflush(stdout);
}

/* If the results of the episode exist already, print them instead of playing it again. */
static int finished_before(const episode_run *run, bool *done, int64_t *score) {
  char path[4200];
  size_t size;
  *done = false;
  if (!run->stem[0]) return CLI_OK;
  snprintf(path, sizeof path, "%s.json", run->stem);
  uint8_t *bytes = read_file(path, &size);
  if (!bytes) return CLI_OK;
  const char *text = (const char *)bytes, *found = strstr(text, "\"score\":");
  size_t length = strlen(run->settings);
  int status = CLI_OK;
  if (size < length + 1 || strncmp(text + 1, run->settings, length) != 0 || !found) {
    status =
        cli_error("plan", CLI_FAILED,
                  "%s was made with other settings; remove it or choose another --out\n  it has "
                  "%.600s\n  now it is {%s",
                  path, text, run->settings);
  } else {
    *done = true;
    *score = strtoll(found + 8, NULL, 10);
    if (run->o->json)
      fputs(text, stdout);
    else
      printf("%-18s seed %-4u score %8" PRId64 "  (already in %s)\n", run->game, run->seed, *score,
             path);
  }
  free(bytes);
  return status;
}

static bool takes_jobs(const char *agent) {
  for (int i = 0; sixer_agent_option_at(agent, i).name; i++) {
    if (!strcmp(sixer_agent_option_at(agent, i).name, "jobs")) return true;
  }
  return false;
}

static int run_episode(const plan_options *o, const char *agent_name, const char *options,
                       const char *game, sixer_rom *rom, uint32_t seed, int64_t *score) {
  episode_run run = {
      .o = o, .agent_name = agent_name, .options = options, .game = game, .rom = rom, .seed = seed};
  sixer_config config = sixer_config_default();
  config.seed = seed;
  config.sticky = (float)o->sticky;
  config.frame_skip = (int)o->frame_skip;
  config.max_frames = (int)o->max_frames;
  config.picture = !strcmp(agent_name, "rollout-iw1"); /* the only one that looks at it */
  if (o->mode != INT64_MIN) config.mode = (int)o->mode;
  if (o->difficulty != INT64_MIN) config.difficulty = (int)o->difficulty;
  sixer_error error;
  char extended[600];
  snprintf(extended, sizeof extended, "%s%sjobs=%" PRId64, options, options[0] ? "," : "", o->jobs);
  bool planner = takes_jobs(agent_name);
  run.jobs = planner ? o->jobs : 1;
  if (!planner && o->jobs > 1) fprintf(stderr, "sixer plan: %s works with one job\n", agent_name);
  int status = CLI_OK;
  bool done = false;
  if (sixer_env_create(rom, &config, &run.env, &error) ||
      sixer_agent_create(agent_name, planner ? extended : options, seed, &run.agent, &error)) {
    status = cli_error("plan", CLI_FAILED, "%s", error.message);
  }
  if (!status && o->out) {
    sixer_rom_info info = sixer_rom_describe(rom);
    snprintf(run.stem, sizeof run.stem, "%s/%s_%s_%u", o->out, agent_name,
             info.game ? info.game : info.title, seed);
  }
  if (!status) {
    note_settings(&run);
    status = finished_before(&run, &done, score);
  }
  if (!status && !done) {
    char row[2400];
    status = resume(&run);
    if (!status) status = play(&run);
    if (!status && cli_interrupted) {
      status = save_checkpoint(&run);
      if (!status && run.stem[0])
        fprintf(
            stderr,
            "sixer plan: interrupted at decision %zu; repeat the command to continue from there\n",
            run.count);
      if (!status) status = CLI_FAILED;
    } else if (!status) {
      status = write_tape(&run);
      if (!status) status = write_result(&run, row, sizeof row);
      *score = run.score;
      if (!status && o->json)
        fputs(row, stdout), fflush(stdout);
      else if (!status)
        print_row(&run);
    }
  }
  free(run.played);
  sixer_agent_destroy(run.agent);
  sixer_env_destroy(run.env);
  return status;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static int run_game(const plan_options *o, const char *agent, const char *options,
                    const char *game) {
  sixer_rom *rom;
  sixer_error error;
  if (image_open("plan", game, NULL, IMAGE_WARN, &rom, &error))
    return cli_error("plan", CLI_FAILED, "%s", error.message);
  double sum = 0;
  int status = CLI_OK;
  for (int64_t e = 0; e < o->episodes && !status; e++) {
    int64_t score = 0;
    status = run_episode(o, agent, options, game, rom, (uint32_t)(o->seed + e), &score);
    sum += (double)score;
  }
  if (!status && o->episodes > 1 && !o->json)
    printf("%-18s mean score %.1f over %" PRId64 " episodes\n", game, sum / (double)o->episodes,
           o->episodes);
  sixer_rom_close(rom);
  return status;
}

/* --watch: run `sixer watch` with these settings. */
static int watch(const plan_options *o, const char *agent, const char *options, const char *game) {
  char text[9][700], *arguments[20];
  int count = 0, used = 0;
  bool jobs = takes_jobs(agent);
  snprintf(text[used], sizeof text[0], "%s%s%s", agent, options[0] || jobs ? ":" : "", options);
  if (jobs) {
    size_t at = strlen(text[used]);
    snprintf(text[used] + at, sizeof text[0] - at, "%sjobs=%" PRId64, options[0] ? "," : "",
             o->jobs);
  }
  arguments[count++] = text[used++];
  snprintf(text[used], sizeof text[0], "%s", game);
  arguments[count++] = text[used++];
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"seed", o->seed},
                 {"frame-skip", o->frame_skip},
                 {"max-frames", o->max_frames},
                 {"episodes", o->episodes},
                 {"mode", o->mode},
                 {"difficulty", o->difficulty}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (numbers[i].value == INT64_MIN) continue;
    snprintf(text[used], sizeof text[0], "--%s=%" PRId64, numbers[i].name, numbers[i].value);
    arguments[count++] = text[used++];
  }
  snprintf(text[used], sizeof text[0], "--sticky=%.9g", o->sticky);
  arguments[count++] = text[used++];
  char minimal[] = "--minimal", terminal[] = "--terminal";
  if (!strcmp(o->actions, "minimal")) arguments[count++] = minimal;
  if (!os_getenv("DISPLAY") && !os_getenv("WAYLAND_DISPLAY")) arguments[count++] = terminal;
  return cmd_watch(count, arguments);
}

static void append(char *text, size_t size, const char *name, double value) {
  size_t at = strlen(text);
  snprintf(text + at, size - at, "%s%s=%.15g", at ? "," : "", name, value);
}

static int print_agents(void) {
  for (int i = 0; sixer_agent_at(i).name; i++) {
    sixer_agent_info a = sixer_agent_at(i);
    printf("%-14s %s\n", a.name, a.summary);
    for (int k = 0; sixer_agent_option_at(a.name, k).name; k++) {
      sixer_agent_option option = sixer_agent_option_at(a.name, k);
      printf("    %-12s %s%s%s%s [%s]\n", option.name, option.help, option.choices ? " (" : "",
             option.choices ? option.choices : "", option.choices ? ")" : "", option.value);
    }
  }
  return CLI_OK;
}

static int check(const plan_options *o) {
  if (strcmp(o->actions, "full") != 0 && strcmp(o->actions, "minimal") != 0)
    return cli_error("plan", CLI_USAGE, "--actions is full or minimal, found '%s'", o->actions);
  const cli_limit limits[] = {{"episodes", o->episodes, 1, 1000000000},
                              {"frame-skip", o->frame_skip, 1, 10000},
                              {"max-frames", o->max_frames, 0, INT32_MAX},
                              {"decisions", o->decisions, 0, INT64_MAX},
                              {"seed", o->seed, 0, UINT32_MAX - o->episodes},
                              {"mode", o->mode, 0, 255},
                              {"difficulty", o->difficulty, 0, 3},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits("plan", limits);
  if (status) return status;
  if (o->watch && (o->decisions || o->out || o->json))
    return cli_error(
        "plan", CLI_USAGE,
        "--watch shows whole episodes and stores nothing: leave out --decisions, --out "
        "and --json (sixer watch --record writes a tape)");
  os_status info;
  if (o->out && os_mkdir(o->out) &&
      (errno != EEXIST || os_stat(o->out, &info) || info.kind != OS_FOLDER))
    return cli_error("plan", CLI_FAILED, "%s is not a folder and cannot be made one", o->out);
  return CLI_OK;
}

int cmd_plan(int argc, char **argv) {
  plan_options o = {.frames = INT64_MIN,
                    .simulations = INT64_MIN,
                    .horizon = INT64_MIN,
                    .jobs = 1,
                    .seed = 1,
                    .episodes = 1,
                    .mode = INT64_MIN,
                    .difficulty = INT64_MIN,
                    .frame_skip = PLAN_FRAME_SKIP,
                    .max_frames = 18000,
                    .seconds = NAN,
                    .memory = 1024,
                    .actions = "full"};
  const option_def definitions[] = {
      {"frames", OPTION_INT, &o.frames, "N", "budget: frames to emulate per decision"},
      {"simulations", OPTION_INT, &o.simulations, "N", "budget: simulations per decision (uct)"},
      {"seconds", OPTION_REAL, &o.seconds, "S", "budget: seconds per decision"},
      {"horizon", OPTION_INT, &o.horizon, "N", "frames to look ahead"},
      {"memory", OPTION_REAL, &o.memory, "MB", "memory limit of the search tree"},
      {"jobs", OPTION_INT, &o.jobs, "N", "threads that search"},
      {"set", OPTION_TEXT, &o.set, "LIST", "other options of the agent: name=value,..."},
      {"seed", OPTION_INT, &o.seed, "S", "seed of env and agent; each further episode adds 1"},
      {"episodes", OPTION_INT, &o.episodes, "N", "episodes of each game"},
      {"decisions", OPTION_INT, &o.decisions, "N",
       "stop an episode after N decisions; 0: play to the end"},
      {"sticky", OPTION_REAL, &o.sticky, "P", "probability of repeating the action"},
      {"frame-skip", OPTION_INT, &o.frame_skip, "K", "frames per decision"},
      {"max-frames", OPTION_INT, &o.max_frames, "N", "frames per episode; 0 is no limit"},
      {"mode", OPTION_INT, &o.mode, "M", "mode of the game"},
      {"difficulty", OPTION_INT, &o.difficulty, "D", "difficulty of the game"},
      {"actions", OPTION_TEXT, &o.actions, "SET", "actions to choose from: full or minimal"},
      {"out", OPTION_TEXT, &o.out, "DIR",
       "store results in this folder; continues interrupted episodes"},
      {"watch", OPTION_FLAG, &o.watch, NULL,
       "show the play in a window or the terminal; stores nothing"},
      {"json", OPTION_FLAG, &o.json, NULL, "print a JSON object per episode"},
      {"list", OPTION_FLAG, &o.list, NULL, "list the agents and their options"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *arguments[MAX_GAMES + 1];
  int status,
      count = cli_parse(
          "plan",
          "Let an agent play games. Every few frames it decides by searching with the emulator\n"
          "as its model. Without a budget option, it has the budget of its paper.",
          definitions, argc, argv, arguments, MAX_GAMES + 1, &status);
  if (count < 0) return status;
  if (o.list) return print_agents();
  if (count < 2)
    return cli_error(
        "plan", CLI_USAGE,
        "name an agent and a game, as in: sixer plan uct pong (--list shows the agents)");
  status = check(&o);
  if (status) return status;

  char options[500] = "";
  if (o.set) snprintf(options, sizeof options, "%s", o.set);
  if (o.frames != INT64_MIN) append(options, sizeof options, "frames", (double)o.frames);
  if (o.simulations != INT64_MIN)
    append(options, sizeof options, "simulations", (double)o.simulations);
  if (o.horizon != INT64_MIN) append(options, sizeof options, "horizon", (double)o.horizon);
  if (!isnan(o.seconds)) append(options, sizeof options, "seconds", o.seconds);
  if (o.memory != 1024) append(options, sizeof options, "memory", o.memory);

  for (int i = 1; o.watch && i < count && !status; i++)
    status = watch(&o, arguments[0], options, arguments[i]);
  if (o.watch) return status;

  cli_catch_interrupts(); /* an interrupted run is saved */
  for (int i = 1; i < count && !status; i++)
    status = run_game(&o, arguments[0], options, arguments[i]);
  return status;
}
