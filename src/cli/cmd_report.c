/* sixer report: result files, logs and published agents as one page that needs no network, or as plots and tables for a
 * paper. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/report.h"
#include "util/replace.h"
#include "util/os.h"

static const char name[] = "report";
static const char description[] =
    "Make a page of result files and logs: aggregates with intervals, games, distributions, "
    "classes, tests, Atari-5, limits of play, learning curves, ratings of `sixer match`, and every "
    "warning.\n\n"
    "The page is one HTML file that works without a network and prints well. Files are those of "
    "`sixer eval`. A store of `sixer lab` is read too. A folder stands for all runs in it: logs of "
    "Stable-Baselines3, CleanRL and "
    "Dopamine, "
    "*.episodes.tsv of `sixer train`, *.jsonl, *.csv; "
    "a log that names no agent belongs to the one named like its folder.\n\n"
    "  sixer report first.db --partial\n"
    "  sixer report runs/ --protocol dopamine --partial\n"
    "  sixer report ppo=runs/*.csv --protocol saber --against rainbow -o ppo.html\n"
    "  sixer report scores.csv --protocol saber --tables latex --only aggregates\n"
    "  sixer report scores.csv --protocol saber --plots pdf -o figures";

typedef struct options {
  evaluation_options of;
  const char *output, *title, *plots, *tables, *only, *correction;
} options;

/* ---- the command in the page ---- */

static void quote(FILE *file, const char *text) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@+%";
  if (*text && strspn(text, plain) == strlen(text)) {
    fputs(text, file);
    return;
  }
  fputc('\'', file);
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", file);
    else
      fputc(*text, file);
  }
  fputc('\'', file);
}

/* The command without what chooses the output, for a shell. The caller frees it. */
static char *make_command(int argc, char **argv) {
  static const char *const dropped[] = {"output", "plots", "tables", "only", NULL};
  char *text = NULL;
  size_t size;
  FILE *file = os_stream_open(&text, &size);
  if (!file) return NULL;
  fputs("sixer report", file);
  for (int i = 0; i < argc; i++) {
    bool drop = !strncmp(argv[i], "-o", 2), value = !strcmp(argv[i], "-o");
    for (int k = 0; dropped[k] && !strncmp(argv[i], "--", 2); k++) {
      size_t length = strlen(dropped[k]);
      if (strncmp(argv[i] + 2, dropped[k], length) != 0) continue;
      drop |= !argv[i][2 + length] || argv[i][2 + length] == '=';
      value |= !argv[i][2 + length];
    }
    i += drop && value;
    if (drop) continue;
    fputc(' ', file);
    quote(file, argv[i]);
  }
  os_stream_close(file, &text, &size);
  return text;
}

/* ---- checks ---- */

static int check_choice(const char *option, const char *value, const char *const *choices) {
  if (!value) return CLI_OK;
  for (const char *const *c = choices; *c; c++) {
    if (!strcmp(*c, value)) return CLI_OK;
  }
  char list[100] = "";
  for (const char *const *c = choices; *c; c++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *c);
  }
  return cli_error(name, CLI_USAGE, "--%s is one of %s; found '%s'", option, list, value);
}

static bool is_part(const char *text, size_t length) {
  for (const char *p = report_ids; *p;) {
    size_t n = strcspn(p, ",");
    if (n == length && !strncmp(p, text, n)) return true;
    p += n + strspn(p + n, ", ");
  }
  return false;
}

static int check_options(const options *opt) {
  static const char *const plots[] = {"svg", "png", "pdf", NULL},
                           *const tables[] = {"latex", "markdown", "csv", NULL},
                           *const corrections[] = {"holm", "bh", "none", NULL};
  int status = evaluation_check_options(name, &opt->of);
  if (!status) status = check_choice("plots", opt->plots, plots);
  if (!status) status = check_choice("tables", opt->tables, tables);
  if (!status) status = check_choice("correction", opt->correction, corrections);
  if (!status && opt->plots && opt->tables)
    status = cli_error(name, CLI_USAGE, "choose one of --plots and --tables");
  for (const char *p = opt->only; !status && p && *p;) {
    size_t n = strcspn(p, ",");
    if (!is_part(p, n))
      status = cli_error(name, CLI_USAGE, "there is no part '%.*s'; --only takes some of %s",
                         (int)n, p, report_ids);
    p += n + (p[n] == ',');
  }
  return status;
}

/* ---- writing ---- */

static int write_page(const report *r, const char *path) {
  replacement *made = replace_open(path);
  if (!made) return cli_error(name, CLI_FAILED, "%s: %s", path, strerror(errno));
  report_write_page(r, made->file);
  if (!replace_commit(made)) return cli_error(name, CLI_FAILED, "%s: %s", path, strerror(errno));
  size_t warnings = sixer_scores_warning_count(r->s->scores);
  cli_print(stdout, "%s: %zu parts, %zu warning%s\n", path, r->count, warnings,
            cli_s((int64_t)warnings));
  return CLI_OK;
}

static int write_tables(const report *r, const char *form, const char *path) {
  out_form as = !strcmp(form, "latex") ? OUT_LATEX : !strcmp(form, "csv") ? OUT_CSV : OUT_MARKDOWN;
  if (!path) {
    report_write_tables(r, as, stdout);
    return CLI_OK;
  }
  replacement *made = replace_open(path);
  if (!made) return cli_error(name, CLI_FAILED, "%s: %s", path, strerror(errno));
  report_write_tables(r, as, made->file);
  if (!replace_commit(made)) return cli_error(name, CLI_FAILED, "%s: %s", path, strerror(errno));
  return CLI_OK;
}

static int print_warnings(const options *opt, const evaluation *s) {
  size_t count = sixer_scores_warning_count(s->scores);
  bool in_page = !opt->plots && !opt->tables && !opt->of.strict;
  for (size_t i = 0; !in_page && i < count; i++) {
    sixer_warning warning = sixer_scores_warning(s->scores, i);
    fprintf(stderr, "sixer report: warning (%s): %s\n", warning.name, warning.text);
  }
  if (opt->of.strict && count)
    return cli_error(name, CLI_FAILED, "%zu warnings, and --strict was given: no report", count);
  return CLI_OK;
}

static int make(const options *opt, const report_files *files, const char *command_text,
                const sixer_curves *curves, evaluation *s) {
  report r = {.s = s,
              .curves = curves,
              .options = &opt->of,
              .title = opt->title,
              .command = command_text,
              .only = opt->only,
              .files = files->files,
              .file_count = files->count,
              .correction = !strcmp(opt->correction, "bh")     ? CORRECT_BH
                            : !strcmp(opt->correction, "holm") ? CORRECT_HOLM
                                                               : CORRECT_NONE};
  sixer_error error;
  char title[300];
  if (!r.title) {
    snprintf(title, sizeof title, "%s: %zu agent%s under %s", "Report", s->count,
             cli_s((int64_t)s->count), s->info.name);
    r.title = title;
  }
  sixer_err err = report_fill(&r, &error);
  int status = err ? evaluation_fail(name, &error) : print_warnings(opt, s);
  if (!status && opt->plots)
    status = report_write_plots(&r, opt->plots, opt->output ? opt->output : "figures");
  else if (!status && opt->tables)
    status = write_tables(&r, opt->tables, opt->output);
  else if (!status)
    status = write_page(&r, opt->output ? opt->output : "report.html");
  report_end(&r);
  return status;
}

int cmd_report(int argc, char **argv) {
  options opt = {.of = {.replicates = 50000, .confidence = 0.95}, .correction = "holm"};
  char only_help[400];
  snprintf(only_help, sizeof only_help, "parts, separated by commas: %s", report_ids);
  const option_def defs[] = {
      EVALUATION_OPTIONS(opt.of),
      {"output", OPTION_TEXT, &opt.output, "PATH",
       "the page (report.html), the folder of --plots (figures), or the file of --tables (standard "
       "output)"},
      {"title", OPTION_TEXT, &opt.title, "TEXT", "of the page"},
      {"plots", OPTION_TEXT, &opt.plots, "FORM",
       "write the plots alone: svg, png or pdf (the last two need rsvg-convert)"},
      {"tables", OPTION_TEXT, &opt.tables, "FORM",
       "write the tables alone: latex, markdown or csv"},
      {"only", OPTION_TEXT, &opt.only, "PARTS", only_help},
      {"correction", OPTION_TEXT, &opt.correction, "KIND",
       "of the p values for the number of tests: holm, bh (Benjamini-Hochberg) or none"},
      {"checkpoint", OPTION_TEXT, &opt.of.checkpoint, "FRAMES",
       "of training, such as 50M; by default the protocol's last that every run reaches"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL},
  };
  static const char *arguments[EVALUATION_FILES_MAX];
  int status, count = cli_parse(name, description, defs, argc, argv, arguments,
                                EVALUATION_FILES_MAX, &status);
  if (count < 0) return status;
  status = check_options(&opt);
  if (status) return status;
  if (!count && !opt.of.against)
    return cli_error(
        name, CLI_USAGE,
        "nothing to report on: name result files or a folder of runs, or published results with "
        "--against");
  if (!opt.plots && !opt.tables &&
      (status = cli_check_output(name, opt.output ? opt.output : "report.html")))
    return status;

  sixer_published *published = NULL;
  sixer_protocol *protocol = NULL;
  sixer_error error;
  report_files files = {0};
  char *command_text = make_command(argc, argv);
  if (!command_text) status = cli_error(name, CLI_FAILED, "out of memory");
  if (!status && sixer_published_open(&published, &error)) status = evaluation_fail(name, &error);
  if (!status) status = report_find_files(name, arguments, count, published, &files);
  if (!status)
    status = stores_read(name, files.files, files.count, opt.of.protocol, &opt.of.stores);
  if (!status)
    status = evaluation_open_protocol(name, &opt.of, files.files, files.count, &protocol);
  sixer_curves *curves = NULL;
  char *checkpoint = NULL, note[500];
  if (!status) status = report_read_curves(name, &opt.of, &files, published, protocol, &curves);
  if (!status && !opt.of.checkpoint)
    opt.of.checkpoint = checkpoint = report_choose_checkpoint(curves, protocol, note);
  if (!status) {
    evaluation s;
    status = evaluation_begin(&s, name, &opt.of, files.files, files.count, published, protocol);
    if (!status && checkpoint && sixer_scores_warn(s.scores, "earlier-checkpoint", note, &error))
      status = evaluation_fail(name, &error);
    if (!status) status = make(&opt, &files, command_text, curves, &s);
    evaluation_end(&s);
  }
  free(checkpoint);
  sixer_curves_destroy(curves);
  stores_free(opt.of.stores);
  report_files_end(&files);
  free(command_text);
  sixer_protocol_close(protocol);
  sixer_published_close(published);
  return status;
}
