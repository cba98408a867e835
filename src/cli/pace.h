/* Pacing: how many frames are due at a moment, from a clock that the caller reads. Nothing here waits. */
#ifndef SIXER_CLI_PACE_H
#define SIXER_CLI_PACE_H

typedef struct pacer {
  double period; /* seconds per frame at normal speed */
  double next;   /* when the next frame is due */
} pacer;

/* Begin at a moment, in seconds, with so many frames a second. The first frame is due at once. */
void pacer_begin(pacer *p, double now, double frames_per_second);

/* Frames due now at a speed (1 is normal). After a delay of more than a tenth of a second the missed frames are
 * dropped; otherwise play would race to catch up. */
int pacer_due(pacer *p, double now, double speed);

/* Seconds until the next frame is due; 0 if it is. */
double pacer_wait(const pacer *p, double now);

#endif
