/* The live display of the lab: see lab_display.h. */
#include "cli/lab_display.h"

#include <inttypes.h>
#include <math.h>

#include "util/os.h"
#include "util/os_terminal.h"

enum { LINE_SECONDS = 60, BAR = 16 };

void lab_display_begin(lab_display *d, bool quiet) {
  *d = (lab_display){
      .terminal = os_is_terminal(OS_STDERR), .quiet = quiet, .start = cli_seconds(), .share = -1};
  d->next = d->start + LINE_SECONDS;
}

static void print_time(double seconds, char *text, size_t size) {
  long s = seconds > 0 && seconds < 1e9 ? (long)seconds : 0;
  if (s >= 3600)
    snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

static void clear(lab_display *d) {
  if (d->shown) fprintf(stderr, "\r\033[%dA\033[J", d->shown);
  d->shown = 0;
}

static void describe(const sixer_lab_job *job, char *text, size_t size) {
  const sixer_train_progress *p = &job->progress;
  char score[60] = "", evaluation[60] = "", left[60] = "";
  if (p->averaged) snprintf(score, sizeof score, "  score %.1f", p->mean);
  if (p->trained && p->evaluation)
    snprintf(evaluation, sizeof evaluation, "  evaluation %d/%d", p->evaluated, p->evaluation);
  if (!isnan(job->left)) {
    char time[40];
    print_time(job->left, time, sizeof time);
    snprintf(left, sizeof left, "  %s left", time);
  }
  snprintf(text, size, "%3.0f %%  %" PRId64 " frames%s%s  %.0f frames/s%s", 100 * p->share,
           p->frames, score, evaluation, job->rate, left);
}

/* All runs in one line. */
static void summarize(lab_display *d, const sixer_lab_job *jobs, int count,
                      const sixer_lab_counts *all, char *text, size_t size) {
  double now = cli_seconds(), share = all->share, rate = 0;
  int total = all->waiting + all->running + all->done + all->failed + all->missing + all->away;
  for (int i = 0; i < count; i++) rate += jobs[i].rate;
  if (total && d->share < 0) d->share = share;
  char left[60] = "", took[40], problems[100] = "";
  if (total && share - d->share > 0.001 && now - d->start > 3) {
    char time[40];
    print_time((now - d->start) * (1 - share) / (share - d->share), time, sizeof time);
    snprintf(left, sizeof left, "  about %s left", time);
  }
  if (all->failed || all->missing)
    snprintf(problems, sizeof problems, "  %d failed, %d without an image", all->failed,
             all->missing);
  print_time(now - d->start, took, sizeof took);
  snprintf(text, size, "%d of %d runs done  %.0f %%  %.0f frames/s%s  %s%s", all->done, total,
           100 * share, rate, problems, took, left);
}

void lab_display_show(void *context, const sixer_lab_job *jobs, int count,
                      const sixer_lab_counts *all) {
  lab_display *d = context;
  char text[300];
  d->last = *all;
  if (d->quiet) return;
  if (!d->terminal) {
    if (cli_seconds() < d->next) return;
    d->next = cli_seconds() + LINE_SECONDS;
    summarize(d, jobs, count, all, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return;
  }
  int columns = 100, lines = 24;
  os_terminal_size(OS_STDERR, &columns, &lines);
  int width = columns > 40 ? columns - 1 : 40;
  int rows = lines > 4 ? lines - 3 : 2;
  clear(d);
  for (int i = 0; i < count && i < rows; i++) {
    char bar[BAR + 1], line[600];
    for (int k = 0; k < BAR; k++) bar[k] = k < BAR * jobs[i].progress.share ? '#' : '.';
    bar[BAR] = 0;
    describe(&jobs[i], text, sizeof text);
    snprintf(line, sizeof line, "%-28.28s [%s] %s", jobs[i].name, bar, text);
    cli_print(stderr, "%.*s\n", width, line);
    d->shown++;
  }
  summarize(d, jobs, count, all, text, sizeof text);
  fprintf(stderr, "%.*s\n", width, text);
  d->shown++;
  fflush(stderr);
}

void lab_display_ended(void *context, const sixer_lab_job *job, const char *error) {
  lab_display *d = context;
  if (d->quiet && !error) return;
  clear(d);
  if (error) {
    cli_print(stderr, "%s: FAILED: %s\n", job->name, error);
    return;
  }
  const sixer_train_progress *p = &job->progress;
  char took[40];
  print_time(job->seconds, took, sizeof took);
  cli_print(stderr, "%-32s done: %" PRId64 " frames in %s", job->name,
            p->frames + p->evaluation_frames, took);
  if (p->evaluated)
    fprintf(stderr, ", evaluation %.1f", p->evaluation_mean);
  else if (p->averaged)
    fprintf(stderr, ", score %.1f", p->mean);
  fprintf(stderr, "\n");
}

void lab_display_end(lab_display *d) { clear(d); }
