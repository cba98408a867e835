/* `sixer baselines`: Random, the best of 18 Const and the best of 18 Perturb policies of Bellemare et al. 2013,
 * beside the published scores. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/baseline_run.h"
#include "cli/commands.h"
#include "cli/image.h"
#include "cli/out.h"
#include "sixer/eval.h"
#include "util/replace.h"

/* The published mean of a policy on a game; NaN if there is none. */
static double published_mean(const sixer_published *published, const char *policy,
                             const char *game) {
  char id[60];
  const sixer_result_set *set;
  snprintf(id, sizeof id, "bellemare2013/%s", policy);
  if (!published || !game || sixer_published_find(published, id, NULL, &set, NULL)) return NAN;
  for (size_t i = 0; i < set->count; i++) {
    if (!strcmp(set->games[i], game)) return set->means[i];
  }
  return NAN;
}

static void put_summary(out *o, const baseline_game *games, int count,
                        const sixer_published *published) {
  out_table(o, "summary",
            "Means; the error is that of the mean. `again` is the winner on fresh seeds, `2013` "
            "the published score.",
            "game|random|error=random_error|2013=random_2013|const|action=const_action|"
            "again=const_again|2013=const_2013|perturb|error=perturb_error|"
            "action=perturb_action|again=perturb_again|2013=perturb_2013");
  for (int g = 0; g < count; g++) {
    const baseline_game *b = &games[g];
    const char *id = sixer_rom_describe(b->rom).game;
    const policy_result *random = &b->policies[POLICY_RANDOM];
    static const policy_result none = {0};
    bool const_played = b->best_const >= 0, perturb_played = b->best_perturb >= 0;
    const policy_result *constant =
        const_played ? &b->policies[POLICY_CONST + b->best_const] : &none;
    const policy_result *perturb =
        perturb_played ? &b->policies[POLICY_PERTURB + b->best_perturb] : &none;
    out_text(o, b->id);
    out_number(o, policy_mean(random), 1);
    out_number(o, policy_error(random), 1);
    out_number(o, published_mean(published, "random", id), 1);
    out_number(o, policy_mean(constant), 1);
    out_text(o, const_played ? sixer_action_name(b->best_const) : NULL);
    out_number(o, policy_mean(&b->policies[POLICY_CONST_AGAIN]), 1);
    out_number(o, const_played ? published_mean(published, "const", id) : NAN, 1);
    out_number(o, policy_mean(perturb), 1);
    out_number(o, policy_error(perturb), 1);
    out_text(o, perturb_played ? sixer_action_name(b->best_perturb) : NULL);
    out_number(o, policy_mean(&b->policies[POLICY_PERTURB_AGAIN]), 1);
    out_number(o, perturb_played ? published_mean(published, "perturb", id) : NAN, 1);
  }
}

static void put_policies(out *o, const baseline_game *games, int count) {
  out_table(o, "policies", "All policies",
            "game|policy|action|seeds|episodes|mean|deviation|error|lowest|highest|frames");
  for (int g = 0; g < count; g++) {
    for (int p = 0; p < POLICIES_ALL; p++) {
      const policy_result *r = &games[g].policies[p];
      if (!r->done) continue;
      int action = policy_action(&games[g], p);
      out_text(o, games[g].id);
      out_text(o, policy_name(p));
      out_text(o, action < 0 ? NULL : sixer_action_name(action));
      out_text(o, p >= POLICIES ? "fresh" : "first");
      out_int(o, r->done);
      out_number(o, policy_mean(r), 2);
      out_number(o, policy_deviation(r), 2);
      out_number(o, policy_error(r), 2);
      out_number(o, r->lowest, 0);
      out_number(o, r->highest, 0);
      out_int(o, r->frames);
    }
  }
}

/* One row per policy, in the form that `sixer eval` reads as results and as --baselines. */
static int write_scores(const char *path, const char *protocol, const baseline_game *games,
                        int count) {
  replacement *output = replace_open(path);
  if (!output)
    return cli_error("baselines", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  FILE *file = output->file;
  fprintf(file, "game,agent,score%s\n", *protocol ? ",protocol" : "");
  for (int g = 0; g < count; g++) {
    const char *id = sixer_rom_describe(games[g].rom).game;
    for (int p = 0; p < POLICIES; p++) {
      int action = policy_action(&games[g], p);
      if (!games[g].policies[p].done) continue;
      fprintf(file, "%s,%s%s%s,%.17g%s%s\n", id ? id : games[g].id, policy_name(p),
              action < 0 ? "" : " ", action < 0 ? "" : sixer_action_name(action),
              policy_mean(&games[g].policies[p]), *protocol ? "," : "", protocol);
    }
  }
  if (!replace_commit(output))
    return cli_error("baselines", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  return CLI_OK;
}

static void put_settings(out *o, const baseline_settings *s, const char *protocol,
                         const baseline_game *games, int count) {
  char text[400];
  const sixer_config *c = &s->config;
  snprintf(text, sizeof text, "sixer %s, behavior %d", SIXER_VERSION, SIXER_BEHAVIOR);
  out_text_value(o, "version", NULL, text);
  snprintf(text, sizeof text,
           "%d episode%s, seed %u, sticky %g, frame skip %d, %d frames per episode", s->episodes,
           cli_s(s->episodes), c->seed, (double)c->sticky, c->frame_skip, c->max_frames);
  out_text_value(o, "settings", "settings", text);
  if (*protocol) out_text_value(o, "protocol", "protocol", protocol);
  out_table(o, "images", NULL, "game|md5|mode|difficulty");
  for (int g = 0; g < count; g++) {
    out_text(o, games[g].id);
    out_text(o, sixer_rom_describe(games[g].rom).md5);
    out_int(o, c->mode == SIXER_MODE_DEFAULT ? sixer_rom_default_mode(games[g].rom) : c->mode);
    out_int(o, c->difficulty);
  }
}

/* What --protocol fixes: everything about the environment, but not the seed. */
static int apply_protocol(const sixer_protocol_info *info, const env_options *given,
                          const env_options *defaults, baseline_settings *settings) {
  const struct {
    const char *option;
    bool changed;
  } fixed[] = {{"sticky", given->sticky != defaults->sticky},
               {"frame-skip", given->frame_skip != defaults->frame_skip},
               {"mode", given->mode != defaults->mode},
               {"difficulty", given->difficulty != defaults->difficulty},
               {"level", given->level != defaults->level},
               {"levels", given->levels != defaults->levels},
               {"max-frames", given->max_frames != defaults->max_frames},
               {"noop-starts", given->noop_starts != defaults->noop_starts},
               {"scoring", given->scoring != defaults->scoring}};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    if (fixed[i].changed)
      return cli_error("baselines", CLI_USAGE,
                       "--%s is what %s says; derive a protocol of your own with another value",
                       fixed[i].option, info->name);
  }
  if (strcmp(info->flavors, "default") != 0 || info->minimal_actions)
    return cli_error("baselines", CLI_USAGE,
                     "these policies are of all 18 actions on default flavors, and %s wants %s",
                     info->name, info->minimal_actions ? "minimal actions" : info->flavors);
  sixer_config *c = &settings->config;
  c->sticky = (float)info->sticky;
  c->frame_skip = info->frame_skip;
  c->max_frames = info->max_frames;
  c->stuck_limit = info->stuck_frames;
  c->noop_starts = info->noop_starts;
  c->scoring = info->fixed_scoring ? SIXER_SCORING_FIXED : SIXER_SCORING_ALE;
  c->end_on_life_loss = info->life_loss == SIXER_LIFE_TERMINAL;
  if (info->test_levels[0] >= 0) {
    c->level = info->test_levels[0];
    c->levels = info->test_levels[1] - info->test_levels[0] + 1;
    settings->each_level = true;
  }
  return CLI_OK;
}

/* Open the games, play, and print. */
static int run_games(const char *const *ids, int count, const char *rules,
                     const baseline_settings *settings, const char *protocol, const char *scores,
                     out_form form, bool all) {
  int status = CLI_OK;
  sixer_error error;
  baseline_game *games = calloc((size_t)count, sizeof *games);
  if (!games) return cli_error("baselines", CLI_FAILED, "out of memory");
  for (int i = 0; i < count && !status; i++) {
    games[i].id = ids[i];
    if (image_open("baselines", ids[i], rules, *protocol ? IMAGE_REFUSE : IMAGE_WARN, &games[i].rom,
                   &error))
      status = cli_error("baselines", CLI_FAILED, "%s", error.message);
  }
  if (!status && baseline_run(games, count, settings, &error))
    status = cli_error("baselines", CLI_FAILED, "%s", error.message);
  if (!status) {
    sixer_published *published = NULL;
    sixer_published_open(&published, NULL);
    out *o = out_create(form);
    if (form != OUT_TABLE) put_settings(o, settings, protocol, games, count);
    put_summary(o, games, count, published);
    if (form != OUT_TABLE || all) put_policies(o, games, count);
    out_print(o, stdout);
    out_destroy(o);
    sixer_published_close(published);
    if (scores) status = write_scores(scores, protocol, games, count);
  }
  for (int i = 0; i < count; i++) sixer_rom_close(games[i].rom);
  free(games);
  return status;
}

int cmd_baselines(int argc, char **argv) {
  enum { MAX_GAMES = 200 };
  env_options env_settings = env_options_default();
  env_settings.max_frames = 18000;
  const env_options defaults = env_settings;
  int64_t episodes = INT64_MIN, jobs = 0;
  bool json = false, tsv = false, all = false, once = false;
  baseline_settings settings = {.label = "baselines"};
  const char *ids[MAX_GAMES], *scores = NULL, *protocol_name = NULL;
  const option_def options[] = {
      {"episodes", OPTION_INT, &episodes, "N",
       "of Random and of each Perturb policy; 100, or what the protocol says"},
      {"protocol", OPTION_TEXT, &protocol_name, "NAME|FILE",
       "play as this protocol says, its games if none is named"},
      {"jobs", OPTION_INT, &jobs, "N", "threads; 0 is all processors"},
      {"store", OPTION_TEXT, &settings.store, "FILE",
       "keep finished episodes here, and go on from them"},
      {"scores", OPTION_TEXT, &scores, "FILE", "write the mean of every policy, for `sixer eval`"},
      {"only", OPTION_TEXT, &settings.only, "KIND", "play only random, const or perturb"},
      {"once", OPTION_FLAG, &once, NULL, "do not play the winners again with fresh seeds"},
      {"all", OPTION_FLAG, &all, NULL, "show every policy"},
      {"tsv", OPTION_FLAG, &tsv, NULL, "print tab-separated tables, every policy"},
      {"json", OPTION_FLAG, &json, NULL, "print JSON, every policy"},
      ENV_OPTIONS(env_settings),
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse(
          "baselines",
          "The baselines of Bellemare et al. 2013 and their published scores: Random, the best of "
          "18 Const and the best of 18 Perturb policies. Deterministic environment, all 18 "
          "actions, a choice at every frame, episodes of at most five minutes, as in the paper. "
          "A Const policy is played once when the environment cannot vary.\n\n"
          "  sixer baselines freeway pong\n"
          "  sixer baselines seaquest --episodes 10 --tsv > seaquest.tsv\n"
          "  sixer baselines --protocol sixer-levels --scores levels.csv",
          options, argc, argv, ids, MAX_GAMES, &status);
  int named = count;
  out_form form = json ? OUT_JSON : tsv ? OUT_TSV : OUT_TABLE;
  if (count < 0) return status;
  if (jobs < 0 || jobs > 256)
    return cli_error("baselines", CLI_USAGE, "--jobs is 0 to 256, found %" PRId64, jobs);
  if (settings.only && strcmp(settings.only, "random") && strcmp(settings.only, "const") &&
      strcmp(settings.only, "perturb"))
    return cli_error("baselines", CLI_USAGE, "--only is random, const or perturb, found '%s'",
                     settings.only);
  if (json && tsv) return cli_error("baselines", CLI_USAGE, "choose one of --json and --tsv");
  status = env_options_apply(&env_settings, "baselines", &settings.config);
  if (status) return status;

  sixer_error error;
  sixer_protocol *protocol = NULL;
  char stamp[300] = "";
  if (protocol_name) {
    if (sixer_protocol_open(protocol_name, &protocol, &error))
      return cli_error("baselines", CLI_USAGE, "%s", error.message);
    sixer_protocol_info info = sixer_protocol_describe(protocol);
    status = apply_protocol(&info, &env_settings, &defaults, &settings);
    if (episodes == INT64_MIN) episodes = info.episodes;
    for (size_t g = 0; named == 0 && g < info.game_count && g < MAX_GAMES; g++)
      ids[count++] = info.games[g];
    snprintf(stamp, sizeof stamp, "%.200s@%d#%.64s", info.name, info.version, info.hash);
  }
  if (episodes == INT64_MIN) episodes = 100;
  if (!status && count == 0)
    status = cli_error("baselines", CLI_USAGE, "which GAME? (or --protocol for all of its games)");
  if (!status && (episodes < 1 || episodes > 10000))
    status =
        cli_error("baselines", CLI_USAGE, "--episodes is 1 to 10000, found %" PRId64, episodes);
  if (!status && scores) status = cli_check_output("baselines", scores);
  if (!status && settings.config.max_frames == 0)
    status = cli_error("baselines", CLI_USAGE,
                       "--max-frames 0: some of these policies play for ever; give a limit");
  settings.episodes = (int)episodes;
  settings.jobs = (int)jobs;
  settings.again = !once;
  if (!status)
    status = run_games(ids, count, env_settings.game, &settings, stamp, scores, form, all);
  sixer_protocol_close(protocol);
  return status;
}
