/* Training runs side by side. A thread of a pool takes the next run and works on it to its end, in pieces of some
 * hundredths of a second. The main thread displays their progress. Runs share nothing that they change, so results do
 * not depend on the number of jobs. */
#include "cli/train_jobs.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "util/threads.h"
#include "util/os.h"
#include "util/os_terminal.h"
#include "util/os_process.h"

enum { PIECE_MS = 50, LINE_SECONDS = 60, RATE_SECONDS = 5 };

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
  (void)number;
  interrupted = 1;
}

typedef struct crew {
  train_jobs *jobs;
  pthread_mutex_t lock; /* of all that follows, and of the trials */
  int left;             /* trials that are not done */
  int shown;            /* lines of the display */
  bool warned;          /* of slow kernels */
} crew;

/* ---- Work ------------------------------------------------------------------------------------------------------ */

static int64_t emulated(const sixer_train_progress *p) { return p->frames + p->evaluation_frames; }

/* Publish the progress of a run. */
static void report(crew *w, trial *t, sixer_train *train, double seconds, double took,
                   int64_t frames, bool saved) {
  sixer_train_progress progress = sixer_train_progress_of(train);
  sixer_agent_progress learned = sixer_agent_learned(sixer_train_agent(train));
  pthread_mutex_lock(&w->lock);
  t->progress = progress;
  /* means over the last seconds: pieces count by the time that they took */
  if (took > 0) {
    double share = t->rate > 0 ? took / (took + RATE_SECONDS) : 1;
    double updates = (double)(learned.updates - t->learned.updates) / took;
    t->updates_rate += share * (updates - t->updates_rate);
    t->rate += share * ((double)frames / took - t->rate);
  }
  t->seconds = seconds;
  t->learned = learned;
  if (saved) t->saved_frames = progress.frames;
  pthread_mutex_unlock(&w->lock);
}

static sixer_err run_trial(crew *w, trial *t, sixer_train *train, sixer_error *error) {
  double start = cli_seconds(), saved = start, piece_start = start;
  int64_t steps = 16, before = emulated(&t->begun);
  sixer_err err = SIXER_OK;
  while (!err && !interrupted && !sixer_train_progress_of(train).finished) {
    err = sixer_train_run(train, steps, error);
    if (err) break;
    double now = cli_seconds(), took = now - piece_start;
    bool save = now - saved >= w->jobs->checkpoint_every;
    if (save) {
      err = sixer_train_save(train, error);
      if (err) break;
      now = saved = cli_seconds();
    }
    sixer_train_progress p = sixer_train_progress_of(train);
    report(w, t, train, now - start, took, emulated(&p) - before, save);
    before = emulated(&p);
    if (took < PIECE_MS / 2000.0 && steps < 1000000) steps *= 2;
    if (took > PIECE_MS / 500.0 && steps > 1) steps /= 2;
    piece_start = now;
  }
  if (!err && interrupted) err = sixer_train_save(train, error);
  if (!err) report(w, t, train, cli_seconds() - start, 0, 0, true);
  return err;
}

/* Update of DQN, batch 32, one thread: portable code against AVX2 (sixer bench nn --kernels plain). */
#define PLAIN_SLOWER "170"

/* Once: networks need vector instructions to be fast. The lock is held. */
static void warn_of_kernels(crew *w, const sixer_agent_progress *learned) {
  const char *kernels = learned->kernels;
  if (w->warned || !kernels || (strcmp(kernels, "plain") != 0 && strcmp(kernels, "reference") != 0))
    return;
  w->warned = true;
  fprintf(
      stderr,
      "sixer train: networks are computed by portable code (%s), %s times slower than with AVX2; "
      "the results are the same\n",
      kernels, strcmp(kernels, "plain") ? "hundreds of" : "about " PLAIN_SLOWER);
}

static void work_on(crew *w, trial *t) {
  sixer_train *train = NULL;
  sixer_error error;
  t->settings.stop = &interrupted;
  sixer_err err = w->jobs->resume ? sixer_train_resume(&t->settings, &train, &error)
                                  : sixer_train_create(&t->settings, &train, &error);
  if (!err) {
    pthread_mutex_lock(&w->lock);
    t->begun = t->progress = sixer_train_progress_of(train);
    t->learned = sixer_agent_learned(sixer_train_agent(train));
    warn_of_kernels(w, &t->learned);
    if (t->learned.refilled && t->learned.refilled == t->begun.steps)
      fprintf(stderr,
              "sixer train: %s: the checkpoint has no replay memory; it is filled again before "
              "learning goes on, and the run differs from one that was never interrupted\n",
              t->name);
    t->saved_frames = w->jobs->resume && t->begun.frames ? t->begun.frames : -1;
    pthread_mutex_unlock(&w->lock);
    err = run_trial(w, t, train, &error);
  }
  pthread_mutex_lock(&w->lock);
  t->state = !err && t->progress.finished ? TRIAL_DONE : TRIAL_STOPPED;
  while (!err && sixer_train_score_at(train, t->score_count, &t->scores[t->score_count]))
    t->score_count++;
  if (err) t->error = error;
  pthread_mutex_unlock(&w->lock);
  sixer_train_destroy(train);
}

static void work(void *context, int item, int thread) {
  (void)thread;
  crew *w = context;
  trial *t = &w->jobs->trials[item];
  pthread_mutex_lock(&w->lock);
  if (!interrupted) t->state = TRIAL_RUNNING;
  pthread_mutex_unlock(&w->lock);
  if (t->state == TRIAL_RUNNING) work_on(w, t);
  pthread_mutex_lock(&w->lock);
  w->left--;
  pthread_mutex_unlock(&w->lock);
}

/* ---- Display --------------------------------------------------------------------------------------------------- */

static void print_time(double seconds, char *text, size_t size) {
  int s = seconds > 0 && seconds < 1e9 ? (int)seconds : 0;
  if (s >= 3600)
    snprintf(text, size, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, size, "%d:%02d", s / 60, s % 60);
}

static void print_count(int64_t count, char *text, size_t size) {
  if (count >= 10000000)
    snprintf(text, size, "%.1fM", (double)count / 1e6);
  else if (count >= 100000)
    snprintf(text, size, "%.2fM", (double)count / 1e6);
  else
    snprintf(text, size, "%" PRId64, count);
}

/* The progress of a run as text. */
static void tell(const trial *t, char *text, size_t size) {
  const sixer_train_progress *p = &t->progress;
  char frames[30], left[60] = "", mean[60] = "", evaluation[80] = "", network[120] = "";
  print_count(p->frames, frames, sizeof frames);
  double done = p->share - t->begun.share;
  if (done > 0 && !p->trained && t->seconds > 1) {
    char time[40];
    print_time(t->seconds * (1 - p->share) / done, time, sizeof time);
    snprintf(left, sizeof left, "  %s left", time);
  }
  if (p->averaged) snprintf(mean, sizeof mean, "  score %.1f (last %d)", p->mean, p->averaged);
  if (p->tests && !p->trained)
    snprintf(evaluation, sizeof evaluation, "  test %.1f (best %.1f)", p->last_test, p->best_test);
  if (p->trained && p->evaluation)
    snprintf(evaluation, sizeof evaluation, "  evaluation %d/%d: %.1f", p->evaluated, p->evaluation,
             p->evaluated ? p->evaluation_mean : 0);
  if (t->learned.updates)
    snprintf(network, sizeof network, "  loss %.3g  Q %.3g  epsilon %.3g  %.0f updates/s",
             t->learned.loss, t->learned.value, t->learned.epsilon, t->updates_rate);
  snprintf(text, size, "%s frames  %" PRId64 " episodes%s%s%s  %.0f frames/s%s", frames,
           p->episodes, mean, evaluation, network, t->rate, left);
}

static void draw(crew *w) {
  if (w->shown) fprintf(stderr, "\033[%dA", w->shown);
  w->shown = 0;
  for (int i = 0; i < w->jobs->count; i++) {
    const trial *t = &w->jobs->trials[i];
    if (t->state != TRIAL_RUNNING) continue;
    char bar[21], text[400];
    for (int k = 0; k < 20; k++) bar[k] = k < 20 * t->progress.share ? '#' : '.';
    bar[20] = 0;
    tell(t, text, sizeof text);
    fprintf(stderr, "\r%s [%s] %3.0f %%  %s\033[K\n", t->name, bar, 100 * t->progress.share, text);
    w->shown++;
  }
  fprintf(stderr, "\033[J");
}

static void clear(crew *w) {
  if (w->shown) fprintf(stderr, "\033[%dA\033[J", w->shown);
  w->shown = 0;
}

/* Without a terminal: a line now and then. */
static void print_lines(crew *w) {
  double now = cli_seconds();
  for (int i = 0; i < w->jobs->count; i++) {
    trial *t = &w->jobs->trials[i];
    if (t->state != TRIAL_RUNNING) continue;
    if (t->printed == 0) t->printed = now;
    if (now - t->printed < LINE_SECONDS) continue;
    t->printed = now;
    char text[400];
    tell(t, text, sizeof text);
    fprintf(stderr, "%s: %.0f %%  %s\n", t->name, 100 * t->progress.share, text);
  }
}

static void watch(crew *w) {
  bool terminal = os_is_terminal(OS_STDERR);
  for (;;) {
    os_pause(0.1);
    pthread_mutex_lock(&w->lock);
    bool active = w->left > 0;
    if (active && !w->jobs->quiet) {
      if (terminal)
        draw(w);
      else
        print_lines(w);
    }
    if (!active && terminal) clear(w);
    pthread_mutex_unlock(&w->lock);
    if (!active) return;
  }
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static int conclude(const train_jobs *jobs) {
  int failed = 0;
  for (int i = 0; i < jobs->count; i++) {
    const trial *t = &jobs->trials[i];
    if (!t->error.code) continue;
    failed++;
    cli_error("train", CLI_FAILED, "%s: %s", t->name, t->error.message);
    if (t->saved_frames >= 0)
      fprintf(stderr,
              "the checkpoint at %" PRId64
              " frames is kept: remove the cause, then continue from it with --resume\n",
              t->saved_frames);
  }
  if (interrupted && !failed)
    fprintf(stderr,
            "sixer train: interrupted, a checkpoint was written; repeat the command with --resume "
            "to continue\n");
  return failed || interrupted ? CLI_FAILED : CLI_OK;
}

int train_jobs_run(train_jobs *jobs) {
  crew w = {.jobs = jobs, .left = jobs->count};
  thread_pool *pool = pool_create(pool_threads(jobs->jobs, (size_t)jobs->count), jobs->count, -1);
  int *items = malloc((size_t)jobs->count * sizeof *items);
  pthread_mutex_init(&w.lock, NULL);
  /* an interrupted run is saved; a second signal ends it at once */
  os_on_interrupt(interrupt);
  for (int i = 0; items && i < jobs->count; i++) items[i] = i;
  bool started = pool && items && pool_push(pool, work, &w, items, jobs->count);
  if (started) watch(&w);
  pool_destroy(pool);
  pthread_mutex_destroy(&w.lock);
  free(items);
  return started ? conclude(jobs) : cli_error("train", CLI_FAILED, "no thread can be started");
}
