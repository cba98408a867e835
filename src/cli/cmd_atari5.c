/* sixer atari5: small sets of games that stand for all of them (Aitchison, Sweetser, Hutter 2023).
 * Options, the choice of the action, and the data that it works on; each action has a file atari5_*.c. */
#include <math.h>
#include <string.h>

#include "cli/atari5.h"
#include "cli/cli.h"
#include "cli/commands.h"

const char atari5_name[] = "atari5";
static const char description[] =
    "Small sets of games that predict the median over many.\n\n"
    "  sixer atari5 score FILE      Atari-1, -3, -5, -10 scores of a result file (columns game, "
    "score; agent, run)\n"
    "  sixer atari5 search [FILE]   the best subset of the paper's data, or of FILE (columns "
    "algorithm, game, score)\n"
    "  sixer atari5 nest [FILE]     all six subsets in the paper's order\n"
    "  sixer atari5 structure       how well single games predict the median, and which are alike\n"
    "  sixer atari5 errors          where Atari-5 errs: by type of algorithm, and by strength\n"
    "  sixer atari5 models          the paper's models\n"
    "  sixer atari5 cost            what an experiment costs on 57 games, on ten and on five";

/* ---- helpers of the actions ---- */

int atari5_fail(const sixer_error *error) {
  bool usage = error->code == SIXER_ERR_ARGUMENT || error->code == SIXER_ERR_CONFIG;
  return cli_error(atari5_name, usage ? CLI_USAGE : CLI_FAILED, "%s", error->message);
}

int atari5_no_memory(void) { return cli_error(atari5_name, CLI_FAILED, "out of memory"); }

void atari5_warn(sixer_warning warning) {
  fprintf(stderr, "sixer atari5: warning (%s): %s\n", warning.name, warning.text);
}

int atari5_find_game(const sixer_score_table_info *table, const char *name, size_t length) {
  for (size_t g = 0; g < table->data.games; g++) {
    if (strlen(table->games[g]) == length && !strncmp(table->games[g], name, length)) return (int)g;
  }
  return -1;
}

void atari5_print(out *o, const sixer_score_table *table) {
  out_table(o, "warnings", NULL, "name|text");
  for (size_t i = 0; i < sixer_score_table_warning_count(table); i++) {
    sixer_warning warning = sixer_score_table_warning(table, i);
    out_text(o, warning.name);
    out_text(o, warning.text);
  }
  out_print(o, stdout);
}

/* ---- the data ---- */

/* The user's scores, or the paper's if there is no file. */
static sixer_err open_table(const atari5_options *opt, const char *file, bool by_name,
                            const sixer_published *published, sixer_score_table **table,
                            sixer_error *error) {
  sixer_aggregate target = !strcmp(opt->target, "mean")  ? SIXER_AGGREGATE_MEAN
                           : !strcmp(opt->target, "iqm") ? SIXER_AGGREGATE_IQM
                                                         : SIXER_AGGREGATE_MEDIAN;
  if (!file) return sixer_score_table_published(published, by_name, target, table, error);
  sixer_score_table_config config = sixer_score_table_config_default();
  config.constants = opt->constants;
  config.percent = opt->percent;
  config.by_name = by_name;
  if (opt->min_games != INT64_MIN) config.min_games = (size_t)opt->min_games;
  config.target = target;
  config.group = opt->group;
  return sixer_score_table_read(file, published, &config, table, error);
}

static void show_data(const atari5_options *opt, const char *file, out *o) {
  const char *constants = "Atari-5, Table 12";
  if (file && opt->percent)
    constants = "none: scores are percentages";
  else if (file && opt->constants)
    constants = opt->constants;
  out_text_value(o, "data", "data", file ? file : "the Atari-5 paper: 62 algorithms, 57 games");
  out_text_value(o, "constants", "constants", constants);
  out_text_value(o, "folds", "folds", opt->fold_kind);
  out_text_value(o, "target", "target", opt->target);
}

/* The actions on a score table. */
static int run_on_table(const atari5_options *opt, const char *action, const char *file,
                        const sixer_published *published, out *o) {
  bool search = !strcmp(action, "search"), nest = !strcmp(action, "nest");
  bool errors = !strcmp(action, "errors");
  /* the paper's folds are those of algorithms sorted by name; types are in the order of Table 8 */
  bool by_name = !strcmp(opt->fold_kind, "paper") && !errors;
  sixer_score_table *table = NULL;
  sixer_error error;
  sixer_err err = open_table(opt, file, by_name, published, &table, &error);
  if (!err && (search || nest))
    err = sixer_score_table_exclude_sparse(table, (size_t)opt->min_algorithms, &error);
  for (size_t i = 0; !err && i < sixer_score_table_warning_count(table); i++)
    atari5_warn(sixer_score_table_warning(table, i));
  show_data(opt, file, o);
  int status = err      ? atari5_fail(&error)
               : search ? atari5_search(opt, table, !file, o)
               : nest   ? atari5_nest(opt, table, o)
               : errors ? atari5_errors(table, published, o)
                        : atari5_structure(opt, table, o);
  sixer_score_table_destroy(table);
  return status;
}

/* ---- the command ---- */

static int run_action(const atari5_options *opt, const char *action, const char *file,
                      const sixer_published *published, out *o) {
  bool score = !strcmp(action, "score"), models = !strcmp(action, "models"),
       cost = !strcmp(action, "cost"), errors = !strcmp(action, "errors");
  bool takes_file =
      !strcmp(action, "search") || !strcmp(action, "nest") || !strcmp(action, "structure");
  const char *of_file = opt->min_games != INT64_MIN ? "--min-games"
                        : opt->constants            ? "--constants"
                        : opt->group                ? "--group"
                        : opt->percent              ? "--percent"
                                                    : NULL;
  if (of_file && !(takes_file && file))
    return cli_error(atari5_name, CLI_USAGE,
                     "%s is about a file of scores: sixer atari5 search FILE %s ...", of_file,
                     of_file);
  if (score && !file) return cli_error(atari5_name, CLI_USAGE, "score needs a result file");
  if (score) return atari5_score(opt, file, published, o);
  if (file && !takes_file)
    return cli_error(atari5_name, CLI_USAGE, "'%s' takes no file, found '%s'", action, file);
  if (models) return atari5_models(published, o);
  if (cost) return atari5_cost(opt, o);
  if (takes_file || errors) return run_on_table(opt, action, file, published, o);
  return cli_unknown_word(atari5_name, action);
}

static int check_options(const atari5_options *opt) {
  if (opt->json && opt->tsv)
    return cli_error(atari5_name, CLI_USAGE, "choose one of --json and --tsv");
  if (opt->size < 1 || opt->size > SIXER_SUBSET_MAX)
    return cli_error(atari5_name, CLI_USAGE, "--size must be from 1 to %d", SIXER_SUBSET_MAX);
  if (opt->top < 1 || opt->top > 100000)
    return cli_error(atari5_name, CLI_USAGE, "--top must be from 1 to 100000");
  if (opt->folds < 2 || opt->folds > 1000)
    return cli_error(atari5_name, CLI_USAGE, "--fold-count must be from 2 to 1000");
  if (opt->splits < 0 || opt->splits > 1000000)
    return cli_error(atari5_name, CLI_USAGE, "--splits must be from 0 to 1000000");
  if (opt->seed < 0 || opt->seed > UINT32_MAX)
    return cli_error(atari5_name, CLI_USAGE, "--seed must be from 0 to 4294967295");
  if (opt->threads < 0 || opt->threads > 256)
    return cli_error(atari5_name, CLI_USAGE, "--threads must be from 0 to 256");
  if (strcmp(opt->target, "median") && strcmp(opt->target, "mean") && strcmp(opt->target, "iqm"))
    return cli_error(atari5_name, CLI_USAGE, "--target wants median, mean or iqm, found '%s'",
                     opt->target);
  if ((opt->min_games != INT64_MIN && opt->min_games < 1) || opt->min_algorithms < 1)
    return cli_error(atari5_name, CLI_USAGE, "--min-games and --min-algorithms must be at least 1");
  return CLI_OK;
}

int cmd_atari5(int argc, char **argv) {
  atari5_options opt = {.size = 5,
                        .top = 5,
                        .folds = 10,
                        .min_games = INT64_MIN,
                        .min_algorithms = 40,
                        .fold_kind = "index",
                        .target = "median",
                        .hours = NAN,
                        .fps = NAN,
                        .frames = 200e6,
                        .runs = 1,
                        .co2 = 0.417}; /* 0.92 pounds, the USA in 2019: appendix A of the paper */
  const option_def defs[] = {
      {"games", OPTION_FLAG, &opt.games, NULL, "score: predict every game; structure: all pairs"},
      {"size", OPTION_INT, &opt.size, "N", "search: games in a subset"},
      {"require", OPTION_TEXT, &opt.require, "GAMES", "search: games that every subset has"},
      {"exclude", OPTION_TEXT, &opt.exclude, "GAMES", "search: games that none has"},
      {"top", OPTION_INT, &opt.top, "N", "search: how many of the best to show"},
      {"folds", OPTION_TEXT, &opt.fold_kind, "KIND",
       "index, paper (as in the paper), shuffled (with --seed) or grouped (by source)"},
      {"group", OPTION_TEXT, &opt.group, "COLUMN", "search FILE: source of an algorithm"},
      {"target", OPTION_TEXT, &opt.target, "WHAT", "search: predict the median, mean or iqm"},
      {"nested", OPTION_FLAG, &opt.nested, NULL,
       "search: nested cross-validation, the error without selection bias"},
      {"allow-negative", OPTION_FLAG, &opt.allow_negative, NULL,
       "search: also subsets with negative coefficients"},
      {"export", OPTION_TEXT, &opt.export, "FILE", "search: write the best model as a protocol"},
      {"fold-count", OPTION_INT, &opt.folds, "N", "search: of the cross-validation"},
      {"seed", OPTION_INT, &opt.seed, "N", "search: of shuffled folds and of --splits"},
      {"splits", OPTION_INT, &opt.splits, "N",
       "search: rank the reference over so many seeded splits"},
      {"reference", OPTION_TEXT, &opt.reference, "GAMES",
       "search: subset to rank; the paper's for its data"},
      {"min-games", OPTION_INT, &opt.min_games, "N",
       "search FILE: an algorithm with fewer games is left out [40]"},
      {"min-algorithms", OPTION_INT, &opt.min_algorithms, "N",
       "search: a game with fewer algorithms is left out"},
      {"constants", OPTION_TEXT, &opt.constants, "FILE",
       "search FILE: columns game, random, human"},
      {"percent", OPTION_FLAG, &opt.percent, NULL, "search FILE: scores are percentages already"},
      {"hours", OPTION_REAL, &opt.hours, "H", "cost: of computing per game and run"},
      {"frames", OPTION_REAL, &opt.frames, "N", "cost: of training per game and run, with --fps"},
      {"fps", OPTION_REAL, &opt.fps, "N", "cost: frames per second"},
      {"runs", OPTION_REAL, &opt.runs, "N", "cost: per game"},
      {"gpu-price", OPTION_REAL, &opt.gpu_price, "P", "cost: per hour"},
      {"cpu-price", OPTION_REAL, &opt.cpu_price, "P", "cost: per hour"},
      {"gpu-watts", OPTION_REAL, &opt.gpu_watts, "W", "cost"},
      {"cpu-watts", OPTION_REAL, &opt.cpu_watts, "W", "cost"},
      {"co2", OPTION_REAL, &opt.co2, "KG", "cost: per kilowatt-hour"},
      {"threads", OPTION_INT, &opt.threads, "N", "0: all processors"},
      {"tsv", OPTION_FLAG, &opt.tsv, NULL, "tab-separated tables"},
      {"json", OPTION_FLAG, &opt.json, NULL, "everything as JSON"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL},
  };
  const char *arguments[2] = {NULL, NULL};
  int status, count = cli_parse(atari5_name, description, defs, argc, argv, arguments, 2, &status);
  if (count < 0) return status;
  if (!count)
    return cli_error(atari5_name, CLI_USAGE,
                     "what to do? score, search, nest, structure, errors, models or cost");
  if ((status = check_options(&opt))) return status;
  sixer_published *published;
  sixer_error error;
  if (sixer_published_open(&published, &error)) return atari5_fail(&error);
  out *o = out_create(opt.json ? OUT_JSON : opt.tsv ? OUT_TSV : OUT_TABLE);
  status = run_action(&opt, arguments[0], arguments[1], published, o);
  out_destroy(o);
  sixer_published_close(published);
  return status;
}
