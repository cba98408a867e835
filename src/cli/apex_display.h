/* The live display of `sixer apex`: four lines on a terminal that are drawn again and again, or once a minute. */
#ifndef SIXER_CLI_APEX_DISPLAY_H
#define SIXER_CLI_APEX_DISPLAY_H

#include <stdbool.h>

#include "sixer/apex.h"

enum { APEX_CURVE = 32 /* points */ };

typedef struct apex_display {
  const char *name; /* of the run */
  int actors;
  bool terminal, quiet;
  double drawn, begun, rate_time;
  int64_t rate_frames, rate_updates;
  double frames_rate, updates_rate;
  double curve[APEX_CURVE]; /* means of scores, oldest first */
  int points;
  double curve_time;
  int lines; /* on the terminal */
} apex_display;

apex_display apex_display_begin(const char *name, int actors, bool quiet,
                                const sixer_apex_progress *p);
/* Show the progress, if it is time to. `restarts`: of actors and server. */
void apex_display_show(apex_display *d, const sixer_apex_progress *p, int restarts);
void apex_display_clear(apex_display *d);

#endif
