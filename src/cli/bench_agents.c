/* `sixer bench agents`: how fast the learners are, against the bare environment.
 *
 * A learner is trained, and a second environment of the same game takes uniformly drawn actions, drawn and with the
 * same frame skip. Both run in turns in one process, a piece each, so that both have the same share of a busy machine.
 * The time of a piece is processor time of the thread. What the learner does before its first decision, such as
 * sampling a background, is not counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/agents.h"
#include "util/os.h"
#include "util/rounded.h"

enum { MAX_GAMES = 64, SKIP = 5, PIECE = 5000 };

typedef struct agent_bench {
  int64_t frames, warm_up, seed;
  const char *agent, *set, *preset;
  double sticky;
  bool tsv, json;
  int rows;
} agent_bench;

typedef struct work {
  const char *agent, *preset;
} work;

static const work works[] = {
    {"sarsa", "machado2018"},        {"sarsa", "bellemare2013-basic"},
    {"sarsa", "bellemare2013-bass"}, {"sarsa", "bellemare2013-disco"},
    {"sarsa", "bellemare2013-lsh"},  {"sarsa", "bellemare2013-ram"},
    {"sarsa", "liang2016-b-pros"},   {"sarsa", "liang2016-b-prost"},
    {"brute", "machado2018"},
};
enum { WORKS = sizeof works / sizeof works[0] };

static const char *const training_games[] = {"asterix", "beam_rider", "freeway", "seaquest",
                                             "space_invaders"};

/* ---- One learner on one game ----------------------------------------------------------------------------------- */

typedef struct pair {
  sixer_env *env, *bare;
  sixer_agent *agent;
  sixer_list actions;
  uint64_t rng;
} pair;

/* *seconds is processor time; *wall has the time by the clock added, which the learner measures its parts in. */
static sixer_err learn_frames(pair *p, int64_t frames, double *seconds, double *wall,
                              sixer_error *error) {
  double begin = os_thread_seconds(), wall_begin = cli_seconds();
  for (int64_t done = 0; done < frames;) {
    int action;
    sixer_result result;
    sixer_err err = sixer_agent_act(p->agent, p->env, p->actions, &action, error);
    if (err) return err;
    sixer_env_step(p->env, action, &result);
    err = sixer_agent_learn(p->agent, p->env, &result, error);
    if (err) return err;
    done += result.frames;
    if (!result.over) continue;
    sixer_env_reset(p->env);
    sixer_agent_reset(p->agent);
  }
  *seconds = os_thread_seconds() - begin;
  *wall += cli_seconds() - wall_begin;
  return SIXER_OK;
}

static double play_frames(pair *p, int64_t frames) {
  double begin = os_thread_seconds();
  for (int64_t done = 0; done < frames;) {
    sixer_result result;
    p->rng = p->rng * 6364136223846793005u + 1442695040888963407u;
    sixer_env_step(p->bare, p->actions.items[(p->rng >> 33) % (uint64_t)p->actions.count], &result);
    sixer_env_screen(p->bare);
    done += result.frames;
    if (result.over) sixer_env_reset(p->bare);
  }
  return os_thread_seconds() - begin;
}

typedef struct figures {
  double speed, bare;                   /* frames per second, over all pieces */
  double best, bare_best;               /* of the fastest piece */
  double emulation, features, learning; /* shares of the learner's time */
  sixer_agent_progress progress;
} figures;

static sixer_err run(const agent_bench *b, pair *p, figures *f, sixer_error *error) {
  double seconds, spent = 0, bare_spent = 0, wall = 0;
  sixer_err err = learn_frames(p, b->warm_up > 0 ? b->warm_up : 1, &seconds, &wall, error);
  wall = 0;
  sixer_agent_progress before = sixer_agent_learned(p->agent);
  int64_t frames = 0;
  for (; !err && frames < b->frames; frames += PIECE) {
    err = learn_frames(p, PIECE, &seconds, &wall, error);
    double bare = play_frames(p, PIECE);
    spent += seconds, bare_spent += bare;
    if (PIECE / seconds > f->best) f->best = PIECE / seconds;
    if (PIECE / bare > f->bare_best) f->bare_best = PIECE / bare;
  }
  if (err) return err;
  f->progress = sixer_agent_learned(p->agent);
  f->speed = (double)frames / spent;
  f->bare = (double)frames / bare_spent;
  f->features = (f->progress.features_time - before.features_time) / wall;
  f->learning = (f->progress.learning_time - before.learning_time) / wall;
  f->emulation = 1 - f->features - f->learning;
  return SIXER_OK;
}

static sixer_err prepare(const agent_bench *b, const work *w, const sixer_rom *rom, pair *p,
                         sixer_error *error) {
  char options[1000];
  snprintf(options, sizeof options, "%s%s%s%s", w->preset ? "preset=" : "",
           w->preset ? w->preset : "", w->preset && b->set ? "," : "", b->set ? b->set : "");
  sixer_config config = sixer_config_default();
  config.frame_skip = SKIP;
  config.max_frames = 18000;
  config.sticky = (float)b->sticky;
  config.seed = (uint32_t)b->seed;
  p->rng = (uint64_t)b->seed;
  p->actions = sixer_rom_legal_actions(rom);
  sixer_err err = sixer_env_create(rom, &config, &p->bare, error);
  if (!err) err = sixer_agent_create(w->agent, options, (uint64_t)b->seed, &p->agent, error);
  if (!err && !sixer_agent_learns(p->agent)) {
    snprintf(error->message, sizeof error->message,
             "%s does not learn; `bench plan` is for planners", w->agent);
    err = SIXER_ERR_ARGUMENT;
  }
  if (!err) {
    sixer_agent_prepare(p->agent, &config);
    err = sixer_env_create(rom, &config, &p->env, error);
  }
  return err;
}

static void print_figures(agent_bench *b, const work *w, const char *game, const figures *f) {
  const char *preset = w->preset ? w->preset : "";
  if (b->json) {
    printf("%s\n  {\"agent\": \"%s\", \"preset\": \"%s\", \"options\": ", b->rows ? "," : "[",
           w->agent, preset);
    cli_print_json(b->set ? b->set : "");
    printf(
        ", \"game\": \"%s\", \"frames\": %lld, \"frames_per_second\": %.0f, \"bare\": %.0f, "
        "\"ratio\": %.4f, "
        "\"best\": %.0f, \"bare_best\": %.0f, \"emulation\": %.4f, \"features\": %.4f, "
        "\"learning\": %.4f, "
        "\"active\": %d, \"known\": %lld, \"bytes\": %lld, \"behavior\": %d}",
        game, (long long)b->frames, f->speed, f->bare, f->speed / f->bare, f->best, f->bare_best,
        f->emulation, f->features, f->learning, f->progress.max_active,
        (long long)f->progress.features, (long long)f->progress.memory, SIXER_BEHAVIOR);
  } else if (b->tsv) {
    printf(
        "%s\t%s\t%s\t%s\t%lld\t%.0f\t%.0f\t%.4f\t%.0f\t%.0f\t%.4f\t%.4f\t%.4f\t%d\t%lld\t%lld\t%"
        "d\n",
        w->agent, preset, b->set ? b->set : "", game, (long long)b->frames, f->speed, f->bare,
        f->speed / f->bare, f->best, f->bare_best, f->emulation, f->features, f->learning,
        f->progress.max_active, (long long)f->progress.features, (long long)f->progress.memory,
        SIXER_BEHAVIOR);
  } else {
    printf("%-7s %-20s %-16s %9.0f %9.0f %6.3f %7.1f %% %6.1f %% %6.1f %% %8d %8.1f\n", w->agent,
           preset, game, f->speed, f->bare, f->speed / f->bare, 100 * f->emulation,
           100 * f->features, 100 * f->learning, f->progress.max_active,
           (double)f->progress.memory / 1e6);
  }
  b->rows++;
  fflush(stdout);
}

static int measure(agent_bench *b, const work *w, const char *game, double *ratio) {
  sixer_rom *rom;
  sixer_error error;
  pair p = {0};
  figures f = {0};
  if (sixer_rom_open(game, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  sixer_err err = prepare(b, w, rom, &p, &error);
  if (!err) err = run(b, &p, &f, &error);
  sixer_agent_destroy(p.agent);
  sixer_env_destroy(p.env);
  sixer_env_destroy(p.bare);
  sixer_rom_close(rom);
  if (err) return cli_error("bench", CLI_FAILED, "%s", error.message);
  print_figures(b, w, game, &f);
  *ratio = f.speed / f.bare;
  return CLI_OK;
}

static int measure_work(agent_bench *b, const work *w, const char *const *games, int count) {
  double logs = 0, ratio;
  for (int i = 0; i < count; i++) {
    int status = measure(b, w, games[i], &ratio);
    if (status) return status;
    logs += rounded_log(ratio);
  }
  if (count > 1 && !b->tsv && !b->json)
    printf("%-7s %-20s %-16s %9s %9s %6.3f\n", w->agent, w->preset ? w->preset : "",
           "(geometric mean)", "", "", rounded_exp(logs / count));
  return CLI_OK;
}

int bench_agents(int argc, char **argv) {
  agent_bench b = {.frames = 50000, .warm_up = 20000, .seed = 1, .sticky = 0.25};
  const option_def options[] = {
      {"agent", OPTION_TEXT, &b.agent, "NAME", "only this learner, with --preset or its defaults"},
      {"preset", OPTION_TEXT, &b.preset, "NAME", "only this preset"},
      {"set", OPTION_TEXT, &b.set, "LIST",
       "options of the agent (of sarsa, without --agent): name=value,..."},
      {"frames", OPTION_INT, &b.frames, "N", "frames to measure"},
      {"warm-up", OPTION_INT, &b.warm_up, "N", "frames to train before"},
      {"sticky", OPTION_REAL, &b.sticky, "P", "probability that a frame repeats the action before"},
      {"seed", OPTION_INT, &b.seed, "S", "seed of environments and agent"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of a table"},
      {"json", OPTION_FLAG, &b.json, NULL, "JSON instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *games[MAX_GAMES];
  int status,
      count = cli_parse(
          "bench",
          "agents: learners in training, against the bare environment. Each learner trains on\n"
          "each game in turns with a second environment that is drawn and takes random actions.\n"
          "The ratio is frames per second of the first to those of the second; emulation,\n"
          "features and learning are shares of the learner's time. Then the most active features\n"
          "of a state, and the megabytes of weights, traces and tables. Without games: the five\n"
          "training games of Bellemare et al. 2013.",
          options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  const cli_limit limits[] = {{"frames", b.frames, 1, INT64_MAX},
                              {"warm-up", b.warm_up, 0, INT64_MAX},
                              {"seed", b.seed, 0, UINT32_MAX},
                              {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("bench", limits))) return status;
  if (!(b.sticky >= 0 && b.sticky <= 1))
    return cli_error("bench", CLI_USAGE, "--sticky is 0 to 1, found %g", b.sticky);
  const char *const *list = count ? games : training_games;
  if (!count) count = (int)(sizeof training_games / sizeof *training_games);
  if (b.tsv)
    printf(
        "agent\tpreset\toptions\tgame\tframes\tframes_per_second\tbare_frames_per_"
        "second\tratio\tbest\t"
        "bare_best\temulation\tfeatures\tlearning\tmax_active\tknown\tbytes\tbehavior\n");
  else if (!b.json)
    printf("%-7s %-20s %-16s %9s %9s %6s %9s %8s %8s %8s %8s\n", "agent", "preset", "game",
           "frames/s", "bare", "ratio", "emulation", "features", "learning", "active", "MB");
  bool any = false;
  if (b.agent && !b.preset) {
    const work own = {b.agent, NULL};
    status = measure_work(&b, &own, list, count);
    if (b.json && b.rows) printf("\n]\n");
    return status;
  }
  for (int i = 0; i < WORKS && !status; i++) {
    if (!b.agent && b.set && strcmp(works[i].agent, "sarsa") != 0) continue; /* its options */
    if ((b.agent && strcmp(b.agent, works[i].agent) != 0) ||
        (b.preset && strcmp(b.preset, works[i].preset) != 0))
      continue;
    any = true;
    status = measure_work(&b, &works[i], list, count);
  }
  if (!any) {
    const work own = {b.agent ? b.agent : "sarsa", b.preset};
    status = measure_work(&b, &own, list, count);
  }
  if (b.json && b.rows) printf("\n]\n");
  return status;
}
