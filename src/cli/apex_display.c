/* See apex_display.h. No line is longer than the terminal is wide: one that wrapped would take two lines, and the
 * cursor would not come back to where the display begins. */
#include "cli/apex_display.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "util/os.h"
#include "util/os_terminal.h"

enum { LINE_SECONDS = 60, LINE = 400 };

apex_display apex_display_begin(const char *name, int actors, bool quiet,
                                const sixer_apex_progress *p) {
  const double now = cli_seconds();
  const bool terminal = os_is_terminal(OS_STDERR);
  return (apex_display){.name = name,
                        .actors = actors,
                        .terminal = terminal,
                        .quiet = quiet,
                        .begun = now,
                        .drawn = terminal ? 0 : now,
                        .rate_time = now,
                        .rate_frames = p->train.frames,
                        .rate_updates = p->updates};
}

static void follow_rates(apex_display *d, const sixer_apex_progress *p) {
  double now = cli_seconds(), took = now - d->rate_time;
  if (took < 1) return;
  double share = d->frames_rate > 0 ? took / (took + 5) : 1;
  d->frames_rate += share * ((double)(p->train.frames - d->rate_frames) / took - d->frames_rate);
  d->updates_rate += share * ((double)(p->updates - d->rate_updates) / took - d->updates_rate);
  d->rate_frames = p->train.frames;
  d->rate_updates = p->updates;
  d->rate_time = now;
  double every = (now - d->begun) / APEX_CURVE; /* the curve spans the whole run */
  if (!isfinite(p->train.mean) || now - d->curve_time < (every > 2 ? every : 2)) return;
  if (d->points == APEX_CURVE) { /* every second point stays */
    for (int i = 0; i < APEX_CURVE / 2; i++) d->curve[i] = d->curve[2 * i + 1];
    d->points = APEX_CURVE / 2;
  }
  d->curve[d->points++] = p->train.mean;
  d->curve_time = now;
}

static void curve_text(const apex_display *d, char *text, size_t size) {
  static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = INFINITY, high = -INFINITY;
  text[0] = 0;
  for (int i = 0; i < d->points; i++) {
    low = fmin(low, d->curve[i]);
    high = fmax(high, d->curve[i]);
  }
  for (int i = 0, at = 0; i < d->points; i++) {
    int bar = high > low ? (int)(7 * (d->curve[i] - low) / (high - low) + 0.5) : 0;
    at += snprintf(text + at, size - (size_t)at, "%s", bars[bar]);
  }
}

/* Print a line, as much of it as fits. Texts are UTF-8: bytes that continue a character take no place. */
static void put_line(apex_display *d, const char *text) {
  int columns = 80, lines = 24;
  if (!d->terminal) {
    fprintf(stderr, "%s\n", text);
    return;
  }
  os_terminal_size(OS_STDERR, &columns, &lines);
  const int width = columns > 1 ? columns - 1 : 79;
  int bytes = 0, characters = 0;
  for (; text[bytes]; bytes++) {
    if ((text[bytes] & 0xC0) != 0x80 && ++characters > width) break;
  }
  fprintf(stderr, "%.*s\033[K\n", bytes, text);
  d->lines++;
}

void apex_display_show(apex_display *d, const sixer_apex_progress *p, int restarts) {
  follow_rates(d, p);
  double now = cli_seconds();
  if (d->quiet || now - d->drawn < (d->terminal ? 0.2 : LINE_SECONDS)) return;
  d->drawn = now;
  char line[LINE], curve[4 * APEX_CURVE] = "", store[80] = "", again[40] = "";
  if (p->store_bytes)
    snprintf(store, sizeof store, "  store %.1f MB, %.0f B/step", (double)p->store_bytes * 1e-6,
             p->store_step);
  if (restarts) snprintf(again, sizeof again, "  %d restarted", restarts);
  if (d->terminal) {
    curve_text(d, curve, sizeof curve);
    if (d->lines) fprintf(stderr, "\r\033[%dA", d->lines);
    d->lines = 0;
  }
  const char *state = !p->connected ? "server away" : p->waiting ? "waiting for steps" : "learning";
  snprintf(line, sizeof line, "%.100s  %3.0f %%  %d/%d actors%s  %.0f frames/s  %.1f updates/s  %s",
           d->name, 100 * p->train.share, p->alive, d->actors, again, d->frames_rate,
           d->updates_rate, state);
  put_line(d, line);
  snprintf(line, sizeof line, "  %" PRId64 " frames  %" PRId64 " updates  memory %.0f %%%s",
           p->train.frames, p->updates, 100 * (double)p->held / (double)p->memory, store);
  put_line(d, line);
  snprintf(line, sizeof line, "  %.1f updates stale  replay ratio %.2f  loss %.3g", p->staleness,
           p->replay_ratio, p->loss);
  put_line(d, line);
  if (p->train.averaged)
    snprintf(line, sizeof line, "  score %.1f (last %d)  %s", p->train.mean, p->train.averaged,
             curve);
  else
    snprintf(line, sizeof line, "  no episode has ended yet");
  put_line(d, line);
}

void apex_display_clear(apex_display *d) {
  if (d->terminal && d->lines) fprintf(stderr, "\r\033[%dA\033[J", d->lines);
  d->lines = 0;
}
