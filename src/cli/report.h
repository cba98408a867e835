/* The parts of `sixer report`: each has a title, a text, plots and a table, and can be had alone. report_parts.c leads
 * to the files that fill them from an evaluation, report_page.c makes a page of them, report_files.c writes plots and
 * tables as files. */
#ifndef SIXER_CLI_REPORT_H
#define SIXER_CLI_REPORT_H

#include "cli/evaluation.h"
#include "sixer/curves.h"
#include "util/plot.h"
#include "util/os.h"

enum { REPORT_PARTS_MAX = 24, REPORT_PLOTS_MAX = 256 };

typedef enum report_correction { CORRECT_NONE, CORRECT_HOLM, CORRECT_BH } report_correction;

typedef struct report_plot {
  char *name; /* of the file; letters, digits and '-' */
  const plot *drawn;
} report_plot;

typedef struct report_part {
  const char *id, *title;
  const char *text; /* a paragraph: what is shown */
  report_plot plots[REPORT_PLOTS_MAX];
  size_t plot_count;
  out *table;  /* NULL: none */
  bool closed; /* the table is behind a click, because the plots show it */
} report_part;

typedef struct report {
  evaluation *s;
  const sixer_curves *curves; /* NULL: none */
  const evaluation_options *options;
  const char *title;
  const char *command; /* what reproduces the page, quoted for a shell */
  const char *only;    /* ids of the parts that are wanted, with commas; NULL: all */
  report_correction correction;
  const char *const *files;
  int file_count;
  report_part parts[REPORT_PARTS_MAX];
  size_t count;
} report;

/* Fill the parts. */
sixer_err report_fill(report *r, sixer_error *error);
void report_end(report *r);

/* Is this part wanted? */
bool report_wants(const report *r, const char *id);

/* The ids of all parts, separated by a comma and a blank: for help and messages. */
extern const char report_ids[];

/* Begin a part, with a table that is still empty. NULL if there is no memory. */
report_part *report_add(report *r, const char *id, const char *title, const char *format, ...)
    OS_PRINTF(4, 5);
/* Add a plot, which is copied; its arrays must live as long as the evaluation. */
sixer_err report_plot_add(report *r, report_part *part, const char *name, const plot *drawn,
                          sixer_error *error);
char *report_format(report *r, const char *format, ...) OS_PRINTF(2, 3);

/* The page. */
void report_write_page(const report *r, FILE *file);

/* Plots as files in a folder: form is svg, png or pdf. Tables: all to one file. */
int report_write_plots(const report *r, const char *form, const char *folder);
void report_write_tables(const report *r, out_form form, FILE *file);

/* Arguments that are folders of runs become NAME=PATH for each run in them; others stay. Texts live as long as
 * `memory`, which is freed by report_files_end(). CLI_OK, or another status after a message. */
typedef struct report_files {
  const char **files;
  int count, room;
  struct file_text *texts;
} report_files;
int report_find_files(const char *command_name, const char *const *arguments, int count,
                      const sixer_published *published, report_files *found);
void report_files_end(report_files *found);

/* Learning curves: report_curves.c. */
int report_read_curves(const char *command_name, const evaluation_options *options,
                       const report_files *files, const sixer_published *published,
                       const sixer_protocol *protocol, sixer_curves **curves);
sixer_err report_fill_curves(report *r, sixer_error *error);

/* The last checkpoint of the protocol that every run reaches, as text that the caller frees, with a note that says so.
 * NULL if it is the protocol's last, or if none is reached. */
char *report_choose_checkpoint(const sixer_curves *curves, const sixer_protocol *protocol,
                               char note[500]);

#endif
