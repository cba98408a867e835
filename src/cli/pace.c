/* Pacing. Due times are multiples of the period, so that rounding in waits does not add up. */
#include "cli/pace.h"

void pacer_begin(pacer *p, double now, double frames_per_second) {
  p->period = 1 / frames_per_second;
  p->next = now;
}

int pacer_due(pacer *p, double now, double speed) {
  double period = p->period / speed;
  int due = 0;
  if (now - p->next > 0.1) p->next = now;
  while (p->next <= now) {
    p->next += period;
    due++;
  }
  return due;
}

double pacer_wait(const pacer *p, double now) { return p->next > now ? p->next - now : 0; }
