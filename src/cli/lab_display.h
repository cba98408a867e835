/* What `sixer lab run` shows while it works: on a terminal a line for each run under way and one for all of them, else
 * a line for each run that has ended and one a minute. */
#ifndef SIXER_CLI_LAB_DISPLAY_H
#define SIXER_CLI_LAB_DISPLAY_H

#include "cli/cli.h"
#include "sixer/lab.h"

typedef struct lab_display {
  bool terminal, quiet;
  int shown;    /* lines that are drawn again */
  double start; /* of the work */
  double share; /* of all work that was done before; negative: not known yet */
  double next;  /* when the next line is due, without a terminal */
  sixer_lab_counts last;
} lab_display;

void lab_display_begin(lab_display *d, bool quiet);
/* For sixer_lab_settings: `context` is the display. */
void lab_display_show(void *context, const sixer_lab_job *jobs, int count,
                      const sixer_lab_counts *all);
void lab_display_ended(void *context, const sixer_lab_job *job, const char *error);
void lab_display_end(lab_display *d);

#endif
