/* sixer atari5 search --export: the model that was found, as a protocol for `sixer eval`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atari5.h"
#include "cli/cli.h"
#include "util/number.h"
#include "util/replace.h"
#include "util/os.h"

/* A name for the protocol, from that of the file: "my.toml" gives "my". */
static void name_of(const char *path, char *name, size_t size) {
  const char *slash = os_last_separator(path);
  size_t n = 0;
  for (const char *p = slash ? slash + 1 : path; *p && *p != '.' && n + 1 < size; p++) {
    bool letter = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == '-';
    name[n++] = letter ? *p : *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : '-';
  }
  name[n] = 0;
  if (!n) snprintf(name, size, "subset");
}

static void write_protocol(FILE *file, const atari5_options *opt, const sixer_score_table_info *d,
                           const sixer_fit *fit, double sd) {
  char name[60], number[32], high[32];
  name_of(opt->export, name, sizeof name);
  fprintf(file,
          "# A model of %zu games that estimates the %s over %zu games, found by `sixer atari5 "
          "search`.\n"
          "# Cross-validated mean squared error %s (log10), on %zu algorithms. model_error is %s.\n"
          "# What else defines a score is that of atari5: change it here if the data was made "
          "otherwise.\n"
          "name = \"%s\"\nbase = \"atari5\"\n",
          fit->size, opt->target, d->data.games, number_text(fit->cv_mse, number), fit->rows,
          opt->nested ? "of nested cross-validation"
                      : "of the cross-validation that chose the games, "
                        "and so too small (--nested)",
          name);
  fprintf(file, "\n[score]\naggregate = \"model\"\nmodel_target = \"%s\"\nmodel_error = %s\n",
          opt->target, number_text(sd, number));
  fprintf(file, "\n[games]\nlist = [");
  for (size_t i = 0; i < fit->size; i++)
    fprintf(file, "%s\"%s\"", i ? ", " : "", d->games[fit->games[i]]);
  fprintf(file, "]\ntuning = []\n\n[model]\n");
  for (size_t i = 0; i < fit->size; i++)
    fprintf(file, "%s = %s\n", d->games[fit->games[i]], number_text(fit->coefficients[i], number));
  fprintf(file, "\n[constants]\ncolumns = [\"random\", \"human\"]\n");
  for (size_t i = 0; i < fit->size; i++) {
    int g = fit->games[i];
    fprintf(file, "%s = [%s, %s]\n", d->games[g], number_text(d->low[g], number),
            number_text(d->high[g], high));
  }
}

int atari5_export(const atari5_options *opt, const sixer_score_table_info *d, const sixer_fit *fit,
                  double sd) {
  for (size_t i = 0; i < fit->size; i++) {
    if (fit->coefficients[i] < 0)
      return cli_error(atari5_name, CLI_FAILED,
                       "the model has a negative coefficient (%s): a better score would lower the "
                       "estimate, and a protocol cannot have it",
                       d->games[fit->games[i]]);
  }
  /* it is checked before it is written: ids of games that a protocol cannot have are found here, and a file that was
   * there stays */
  char *text = NULL;
  size_t size;
  FILE *memory = os_stream_open(&text, &size);
  if (memory) write_protocol(memory, opt, d, fit, sd);
  if (!memory || !os_stream_close(memory, &text, &size)) {
    free(text);
    return cli_error(atari5_name, CLI_FAILED, "out of memory");
  }
  sixer_protocol *protocol;
  sixer_error error;
  int status = CLI_OK;
  if (sixer_protocol_parse(text, opt->export, &protocol, &error)) {
    free(text);
    return atari5_fail(&error);
  }
  replacement *r = replace_open(opt->export);
  if (r) fputs(text, r->file);
  if (!r || !replace_commit(r))
    status = cli_error(atari5_name, CLI_FAILED, "%s: %s", opt->export, strerror(errno));
  sixer_protocol_info info = sixer_protocol_describe(protocol);
  if (!status)
    cli_print(stderr, "%s: %s@%d#%.16s\n", opt->export, info.name, info.version, info.hash);
  sixer_protocol_close(protocol);
  free(text);
  return status;
}
