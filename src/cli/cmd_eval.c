/* sixer eval: result files under a protocol, beside published agents. Reads, normalizes, aggregates
 * with intervals, compares, and says what was left out. */
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/evaluation.h"

static const char name[] = "eval";
static const char description[] =
    "Scores of agents under a protocol: normalized, aggregated with bootstrap intervals, "
    "compared.\n\n"
    "A result file is CSV or TSV with the columns game and score, and if there are any: agent, run "
    "(or seed),\n"
    "frames (of training), limit, protocol. With a column episode its rows are episodes, averaged "
    "as the protocol says;\n"
    "under a protocol with levels, such as sixer-levels, a column level does the same. JSON, JSON "
    "lines and\n"
    "the logs of Stable-Baselines3 (monitor files), CleanRL (event files) and Dopamine (log_N) are "
    "read too. "
    "NAME=FILE makes files "
    "the runs of one agent;\n"
    "the file may be a pattern, or a folder with the logs of one run.\n\n"
    "  sixer eval scores.csv --protocol saber --against rainbow\n"
    "  sixer eval --protocol saber --against rainbow,rainbow_iqn --games\n"
    "  sixer eval ppo=runs/*.csv dqn=runs2/seed*/ --protocol dopamine --partial\n"
    "  sixer eval --list        published results\n"
    "  sixer eval --show saber  a protocol in full, with its hash";

typedef struct options {
  evaluation_options of;
  const char *show, *profile;
  bool list, protocols, games, json, tsv;
} options;

static int fail_with(int status, const char *text) { return cli_error(name, status, "%s", text); }

/* ---- lists ---- */

static int list_published(const sixer_published *published, out *o) {
  out_table(o, "published", "published results",
            "id|agent|games|frames|limit|trials|protocol|license");
  for (size_t i = 0; i < sixer_published_count(published); i++) {
    const sixer_result_set *s = sixer_published_get(published, i);
    out_text(o, s->id);
    out_text(o, s->agent);
    out_int(o, (long long)s->count);
    out_number(o, s->frames ? (double)s->frames : NAN, 0);
    out_int(o, s->limit);
    out_number(o, s->trials ? s->trials : NAN, 0);
    out_text(o, s->protocol);
    out_text(o, s->license);
  }
  out_print(o, stdout);
  return CLI_OK;
}

static int list_protocols(out *o) {
  out_table(o, "protocols", "protocols",
            "name|version|games|sticky|actions|skip|max_frames|score_of|trials|hash|title");
  for (const char *const *n = sixer_protocol_names(); *n; n++) {
    static const char *const of[] = {"training", "evaluation", "best-evaluation"};
    sixer_protocol *p;
    sixer_error error;
    if (sixer_protocol_open(*n, &p, &error)) return evaluation_fail(name, &error);
    sixer_protocol_info info = sixer_protocol_describe(p);
    out_text(o, info.name);
    out_int(o, info.version);
    out_int(o, (long long)info.game_count);
    out_number(o, info.sticky, 2);
    out_text(o, info.minimal_actions ? "minimal" : "full");
    out_int(o, info.frame_skip);
    out_int(o, info.max_frames);
    out_text(o, of[info.score_of]);
    out_int(o, info.trials);
    info.hash[16] = 0;
    out_text(o, info.hash);
    out_text(o, info.title);
    sixer_protocol_close(p);
  }
  out_print(o, stdout);
  return CLI_OK;
}

static int show_protocol(const char *which) {
  sixer_protocol *p;
  sixer_error error;
  if (sixer_protocol_open(which, &p, &error)) return evaluation_fail(name, &error);
  sixer_protocol_info info = sixer_protocol_describe(p);
  printf("# %s@%d\n# sha256 of what follows the next line: %s\n\n%s", info.name, info.version,
         info.hash, sixer_protocol_text(p));
  sixer_protocol_close(p);
  return CLI_OK;
}

/* Print what was found with its warnings, unless they are errors. */
static int print_all(const options *opt, const evaluation *s, out *o) {
  bool table = !opt->json && !opt->tsv;
  size_t count = sixer_scores_warning_count(s->scores);
  out_table(o, "warnings", NULL, "name|text");
  for (size_t i = 0; i < count; i++) {
    sixer_warning warning = sixer_scores_warning(s->scores, i);
    out_text(o, warning.name);
    out_text(o, warning.text);
    if (table || opt->of.strict)
      fprintf(stderr, "sixer eval: warning (%s): %s\n", warning.name, warning.text);
  }
  if (opt->of.strict && count)
    return cli_error(name, CLI_FAILED, "%zu warnings, and --strict was given: no figures", count);
  out_print(o, stdout);
  return CLI_OK;
}
static int show(const options *opt, evaluation *s, out *o) {
  sixer_error error;
  show_head(o, s, &opt->of);
  show_aggregates(o, s);
  show_model(o, s);
  show_classes(o, s);
  show_levels(o, s);
  sixer_err err = show_comparisons(o, s, &error);
  if (!err && opt->profile) err = show_profile(o, s, opt->profile, &error);
  if (err) return evaluation_fail(name, &error);
  if (opt->games) show_games(o, s);
  return print_all(opt, s, o);
}

int cmd_eval(int argc, char **argv) {
  options opt = {.of = {.replicates = 50000, .confidence = 0.95}};
  const option_def defs[] = {
      EVALUATION_OPTIONS(opt.of),
      {"checkpoint", OPTION_TEXT, &opt.of.checkpoint, "FRAMES",
       "of training, such as 50M; by default the protocol's last"},
      {"games", OPTION_FLAG, &opt.games, NULL, "show every game"},
      {"profile", OPTION_TEXT, &opt.profile, "KIND",
       "show a distribution: runs, games or at-least"},
      {"tsv", OPTION_FLAG, &opt.tsv, NULL, "tab-separated tables"},
      {"json", OPTION_FLAG, &opt.json, NULL, "everything as JSON"},
      {"list", OPTION_FLAG, &opt.list, NULL, "list the published results"},
      {"protocols", OPTION_FLAG, &opt.protocols, NULL, "list the protocols"},
      {"show", OPTION_TEXT, &opt.show, "NAME|FILE", "show a protocol in full, with its hash"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL},
  };
  static const char *files[EVALUATION_FILES_MAX];
  int status,
      count = cli_parse(name, description, defs, argc, argv, files, EVALUATION_FILES_MAX, &status);
  if (count < 0) return status;
  if (opt.json && opt.tsv) return fail_with(CLI_USAGE, "choose one of --json and --tsv");
  status = evaluation_check_options(name, &opt.of);
  if (status) return status;
  if (opt.profile && strcmp(opt.profile, "runs") && strcmp(opt.profile, "games") &&
      strcmp(opt.profile, "at-least"))
    return fail_with(CLI_USAGE, "--profile wants runs, games or at-least");
  if (opt.show) return show_protocol(opt.show);

  sixer_published *published;
  sixer_protocol *protocol = NULL;
  sixer_error error;
  if (sixer_published_open(&published, &error)) return evaluation_fail(name, &error);
  out *o = out_create(opt.json ? OUT_JSON : opt.tsv ? OUT_TSV : OUT_TABLE);
  if (opt.list) {
    status = list_published(published, o);
  } else if (opt.protocols) {
    status = list_protocols(o);
  } else if (!count && !opt.of.against) {
    status = fail_with(
        CLI_USAGE, "nothing to evaluate: name a result file, or published results with --against");
  } else if ((status = stores_read(name, files, count, opt.of.protocol, &opt.of.stores))) {
    /* a message was given */
  } else if (!(status = evaluation_open_protocol(name, &opt.of, files, count, &protocol))) {
    evaluation s;
    status = evaluation_begin(&s, name, &opt.of, files, count, published, protocol);
    if (!status) status = show(&opt, &s, o);
    evaluation_end(&s);
  }
  stores_free(opt.of.stores);
  out_destroy(o);
  sixer_protocol_close(protocol);
  sixer_published_close(published);
  return status;
}
