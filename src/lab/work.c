/* Working on the runs of a store: a thread claims a run and trains it to its end, in pieces of some hundredths of a
 * second; the calling thread shows the progress and gives signs of life. See lab.h.
 *
 * After every checkpoint one transaction stores the new rows and the progress. If the program dies before it, the next
 * one finds the checkpoint and stores the same rows. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/protocol.h"
#include "lab/jobs.h"
#include "lab/rows.h"
#include "util/threads.h"
#include "util/os.h"
#include "util/os_thread.h"

enum {
  COOKIE = 0x1AB5E7,
  PIECE_MS = 50,
  RATE_SECONDS = 5,
  BEAT_SECONDS = 5,
  MAX_JOBS = 256,
  MINUTE = 60
};

sixer_lab_settings sixer_lab_settings_default(void) {
  return (sixer_lab_settings){.cookie = COOKIE, .checkpoint_every = 30};
}

/* A cartridge or a protocol that several runs use. */
typedef struct shared_part {
  char *name;
  sixer_rom *rom;
  sixer_protocol *protocol;
} shared_part;

typedef struct crew {
  sixer_store *store;
  const sixer_lab_settings *settings;
  job_owner owner;
  int threads;                   /* of each run's agent */
  pthread_mutex_t lock;          /* of what follows */
  sixer_lab_job slots[MAX_JOBS]; /* run 0: idle */
  double begun[MAX_JOBS];        /* share of the training that was done before */
  int working;                   /* threads that have not ended */
  sixer_lab_result result;
  sixer_err err; /* of the store: all stop */
  sixer_error error;
  shared_part *parts;
  size_t part_count;
} crew;

typedef struct worker {
  crew *w;
  int slot;
} worker;

static double seconds_now(void) { return os_seconds(); }

static bool stopping(crew *w) {
  pthread_mutex_lock(&w->lock);
  bool stop = w->err || (w->settings->stop && *w->settings->stop);
  pthread_mutex_unlock(&w->lock);
  return stop;
}

/* ---- Roms and protocols ---------------------------------------------------------------------------------------- */

static sixer_err open_part(shared_part *p, const job *j, bool rom, sixer_error *error) {
  if (rom) return sixer_rom_open(j->game, NULL, &p->rom, error);
  sixer_err err =
      protocol_parse_stored(j->protocol, "the protocol in the store", &p->protocol, error);
  if (err) return err;
  if (!strcmp(sixer_protocol_describe(p->protocol).hash, j->protocol_hash)) return SIXER_OK;
  sixer_protocol_close(p->protocol);
  p->protocol = NULL;
  return sixer_fail(error, SIXER_ERR_STATE,
                    "the protocol in the store does not have its hash %.12s...: the store was "
                    "changed, or made by another version",
                    j->protocol_hash);
}

/* Find or open what a run needs; it stays open until all work is done. */
static sixer_err share(crew *w, const job *j, bool rom, shared_part *out, sixer_error *error) {
  const char *name = rom ? j->game : j->protocol_hash;
  pthread_mutex_lock(&w->lock);
  sixer_err err = SIXER_OK;
  for (size_t i = 0; i < w->part_count; i++) {
    if (!w->parts[i].rom != rom && !strcmp(w->parts[i].name, name)) {
      *out = w->parts[i];
      pthread_mutex_unlock(&w->lock);
      return SIXER_OK;
    }
  }
  shared_part *more = realloc(w->parts, (w->part_count + 1) * sizeof *more);
  if (more) w->parts = more;
  shared_part part = {.name = strdup(name)};
  err = more && part.name ? open_part(&part, j, rom, error)
                          : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  if (err)
    free(part.name);
  else
    w->parts[w->part_count++] = *out = part;
  pthread_mutex_unlock(&w->lock);
  return err;
}

static void close_parts(crew *w) {
  for (size_t i = 0; i < w->part_count; i++) {
    sixer_rom_close(w->parts[i].rom);
    sixer_protocol_close(w->parts[i].protocol);
    free(w->parts[i].name);
  }
  free(w->parts);
}

/* ---- One run --------------------------------------------------------------------------------------------------- */

typedef struct work {
  crew *w;
  int slot;
  job j;
  rows_state rows;
  sixer_train *train;
  size_t limits; /* of the protocol: play times that are scored */
  double start;  /* of the work here */
  bool lost;     /* another program has taken the run over */
} work;

/* The score that the protocol gives the run so far; NaN if it gives none yet. */
static double last_score(const work *k) {
  sixer_train_score score;
  double last = NAN;
  for (int i = 0; sixer_train_score_at(k->train, i, &score); i++) last = score.score[k->limits - 1];
  return last;
}

/* Errors of the store end all work; everything else is an error of the run. */
static void store_broken(crew *w, sixer_err err, const sixer_error *error) {
  pthread_mutex_lock(&w->lock);
  if (!w->err) {
    w->err = err;
    w->error = *error;
  }
  pthread_mutex_unlock(&w->lock);
}

/* Store new rows and progress, and with `state` release the run. */
static sixer_err put_results(work *k, const char *state, sixer_error *error) {
  sixer_store *s = k->w->store;
  sixer_train_progress p = sixer_train_progress_of(k->train);
  double seconds = k->j.seconds + seconds_now() - k->start;
  sixer_err err = store_begin(s, error);
  if (err) return err;
  err = jobs_progress(s, &k->w->owner, &k->j, &p, p.finished ? last_score(k) : NAN, seconds, error);
  k->lost = err == SIXER_ERR_STATE;
  if (!err) err = rows_import(s, &k->j, &k->rows, error);
  if (!err) err = rows_note_file(s, &k->j, "checkpoint", "checkpoint", p.frames, error);
  if (!err && state) err = jobs_release(s, &k->w->owner, &k->j, state, NULL, error);
  err = store_end(s, err, error);
  if (err) k->rows = (rows_state){0};
  return err;
}

static void show_progress(work *k, double took, int64_t frames) {
  crew *w = k->w;
  sixer_train_progress p = sixer_train_progress_of(k->train);
  pthread_mutex_lock(&w->lock);
  sixer_lab_job *slot = &w->slots[k->slot];
  slot->progress = p;
  slot->seconds = seconds_now() - k->start;
  if (took > 0) {
    double part = slot->rate > 0 ? took / (took + RATE_SECONDS) : 1;
    slot->rate += part * ((double)frames / took - slot->rate);
  }
  double done = p.share - w->begun[k->slot];
  slot->left =
      done > 0 && slot->seconds > 1 && !p.trained ? slot->seconds * (1 - p.share) / done : NAN;
  pthread_mutex_unlock(&w->lock);
}

/* A checkpoint costs at most a twentieth of the time, and there is one every minute at least. */
static double pause_after(const sixer_lab_settings *settings, double took) {
  double pause = settings->checkpoint_every;
  if (pause < 20 * took) pause = 20 * took;
  double longest = settings->checkpoint_every > MINUTE ? settings->checkpoint_every : MINUTE - 5;
  return pause < longest ? pause : longest;
}

static int64_t emulated(const sixer_train_progress *p) { return p->frames + p->evaluation_frames; }

/* Train in pieces until the run is finished or everything stops. *broken: the error is the store's. */
static sixer_err train_on(work *k, bool keeps, bool *broken, sixer_error *error) {
  double now = seconds_now(), saved = now, pause = pause_after(k->w->settings, 0);
  int64_t steps = 1;
  sixer_err err = SIXER_OK;
  sixer_train_progress p = sixer_train_progress_of(k->train);
  while (!err && !p.finished && !stopping(k->w)) {
    double begun = now;
    int64_t before = emulated(&p);
    err = sixer_train_run(k->train, steps, error);
    if (err) break;
    now = seconds_now();
    double took = now - begun;
    p = sixer_train_progress_of(k->train);
    show_progress(k, took, emulated(&p) - before);
    if (took < PIECE_MS / 2000.0 && steps < 1000000) steps *= 2;
    if (took > PIECE_MS / 500.0 && steps > 1) steps /= 2;
    if (!keeps || p.finished || now - saved < pause) continue;
    err = sixer_train_save(k->train, error);
    if (!err && (err = put_results(k, NULL, error))) *broken = true;
    saved = seconds_now();
    pause = pause_after(k->w->settings, saved - now);
    now = saved;
  }
  if (err) return err;
  if (!p.finished && keeps) err = sixer_train_save(k->train, error);
  if (err) return err;
  err = !p.finished && !keeps ? SIXER_OK : put_results(k, p.finished ? "done" : "waiting", error);
  if (err) *broken = true;
  return err;
}

/* Runs that start anew lose the rows that were stored. */
static sixer_err forget(work *k, sixer_error *error) {
  sixer_err err = store_begin(k->w->store, error);
  if (err) return err;
  return store_end(k->w->store, rows_remove(k->w->store, k->j.id, error), error);
}

static sixer_err open_train(work *k, bool keeps, sixer_error *error) {
  shared_part rom, protocol;
  sixer_err err = share(k->w, &k->j, true, &rom, error);
  if (!err) err = share(k->w, &k->j, false, &protocol, error);
  if (err) return err;
  k->limits = sixer_protocol_describe(protocol.protocol).limit_count;
  const sixer_rom_info about = sixer_rom_describe(rom.rom);
  if (k->j.rom[0] && strcmp(about.md5, k->j.rom) != 0)
    return sixer_fail(error, SIXER_ERR_GAME,
                      "the image of %.100s has the MD5 %s here, and %s where the run was added",
                      k->j.game, about.md5, k->j.rom);
  sixer_train_settings s = sixer_train_settings_default();
  s.agent = k->j.agent;
  s.options = k->j.options;
  s.label = k->j.label;
  s.rom = rom.rom;
  s.protocol = protocol.protocol;
  s.seed = (uint32_t)k->j.seed;
  s.mode = k->j.mode;
  s.difficulty = k->j.difficulty;
  s.frames = k->j.frames_budget;
  s.episodes = k->j.episodes_budget;
  s.evaluation = (int)k->j.evaluation_budget;
  s.path = k->j.path;
  s.threads = k->w->threads;
  s.stop = k->w->settings->stop;
  char folder[STORE_PATH];
  snprintf(folder, sizeof folder, "%s", k->j.path);
  *strrchr(folder, '/') = 0;
  if (os_mkdir(folder) && errno != EEXIST)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be made: %s", folder, strerror(errno));
  err = keeps ? sixer_train_resume(&s, &k->train, error) : sixer_train_create(&s, &k->train, error);
  /* without a checkpoint, as after `lab import`, a run starts anew */
  if (!err && !sixer_train_progress_of(k->train).steps) err = forget(k, error);
  return err;
}

/* A run that failed keeps its error. A run that was taken over by another program is that program's. */
static void give_up(work *k, const sixer_error *why, bool broken) {
  sixer_error error;
  sixer_err err = store_begin(k->w->store, &error);
  if (!err) {
    err = jobs_release(k->w->store, &k->w->owner, &k->j, broken ? "waiting" : "failed",
                       broken ? NULL : why->message, &error);
    err = store_end(k->w->store, err, &error);
  }
  if (err && err != SIXER_ERR_STATE) store_broken(k->w, err, &error);
}

static void finish(work *k, const char *error, bool finished) {
  crew *w = k->w;
  pthread_mutex_lock(&w->lock);
  if (error)
    w->result.failed++;
  else if (finished)
    w->result.done++;
  if ((error || finished) && w->settings->ended)
    w->settings->ended(w->settings->context, &w->slots[k->slot], error);
  w->slots[k->slot] = (sixer_lab_job){0};
  pthread_mutex_unlock(&w->lock);
}

/* A program of the user's own that cannot be saved starts from the beginning when its run was interrupted. */
static bool can_be_saved(const job *j) {
  bool program = !strcmp(j->agent, "pipe") || !strcmp(j->agent, "python");
  return !program || strstr(j->options, "saves=1");
}

static void work_on(work *k) {
  crew *w = k->w;
  bool keeps = can_be_saved(&k->j);
  bool broken = false;
  sixer_error error = {SIXER_OK, ""};
  k->start = seconds_now();
  sixer_err err = open_train(k, keeps, &error);
  pthread_mutex_lock(&w->lock);
  sixer_lab_job *slot = &w->slots[k->slot];
  *slot = (sixer_lab_job){.run = k->j.id, .left = NAN};
  const char *game = strrchr(k->j.game, '/') ? strrchr(k->j.game, '/') + 1 : k->j.game;
  snprintf(slot->name, sizeof slot->name, "%s %.60s %d", k->j.label, game, (int)k->j.seed);
  if (!err) slot->progress = sixer_train_progress_of(k->train);
  w->begun[k->slot] = slot->progress.share;
  pthread_mutex_unlock(&w->lock);
  if (!err) err = train_on(k, keeps, &broken, &error);
  bool finished = !err && sixer_train_progress_of(k->train).finished;
  if (k->lost) { /* not ours any more, and no error of the store */
    finish(k, NULL, false);
  } else if (err && !broken && stopping(w)) { /* it goes on from its last checkpoint */
    give_up(k, &error, true);
    finish(k, NULL, false);
  } else if (err) {
    if (broken) store_broken(w, err, &error);
    give_up(k, &error, broken);
    finish(k, broken ? NULL : error.message, false);
  } else {
    if (!finished && !keeps) give_up(k, &error, true);
    finish(k, NULL, finished);
  }
  sixer_train_destroy(k->train);
}

static void *thread_main(void *context) {
  worker *me = context;
  crew *w = me->w;
  while (!stopping(w)) {
    work k = {.w = w, .slot = me->slot};
    sixer_error error;
    bool found;
    sixer_err err = jobs_claim(w->store, &w->owner, w->settings->only, &k.j, &found, &error);
    if (err) store_broken(w, err, &error);
    if (err || !found) break;
    work_on(&k);
    job_free(&k.j);
  }
  pthread_mutex_lock(&w->lock);
  w->working--;
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* ---- The caller's thread --------------------------------------------------------------------------------------- */

static void watch(crew *w) {
  const sixer_lab_settings *settings = w->settings;
  sixer_lab_counts counts = {0};
  double beat = seconds_now(), counted = 0;
  sixer_lab_job *copy = malloc(MAX_JOBS * sizeof *copy);
  for (bool active = true; active;) {
    os_pause(settings->show ? 0.1 : 0.02);
    double now = seconds_now();
    sixer_error error;
    sixer_err err = SIXER_OK;
    if (now - beat >= BEAT_SECONDS) {
      err = jobs_beat(w->store, &w->owner, &error);
      beat = seconds_now();
    }
    if (!err && settings->show && now - counted >= 1) {
      err = sixer_lab_count(w->store, &counts, &error);
      counted = now;
    }
    if (err) store_broken(w, err, &error);
    int count = 0;
    pthread_mutex_lock(&w->lock);
    active = w->working > 0;
    for (int i = 0; copy && i < MAX_JOBS; i++) {
      if (w->slots[i].run) copy[count++] = w->slots[i];
    }
    pthread_mutex_unlock(&w->lock);
    if (settings->show && active && copy) settings->show(settings->context, copy, count, &counts);
  }
  free(copy);
}

/* Jobs and the threads of each: all processors, and not more jobs than runs. */
static sixer_err divide(crew *w, int *jobs, sixer_error *error) {
  int64_t waiting;
  sixer_err err = store_number(w->store, 0, &waiting, error,
                               "SELECT COUNT(*) FROM runs WHERE state = 'waiting'", "");
  int processors = pool_processors();
  *jobs = w->settings->jobs > 0 ? w->settings->jobs : processors;
  if (*jobs > waiting) *jobs = (int)waiting;
  if (w->settings->only && *jobs > 1) *jobs = 1;
  if (*jobs > MAX_JOBS) *jobs = MAX_JOBS;
  w->threads = w->settings->threads;
  if (w->threads <= 0) w->threads = *jobs > 0 && *jobs < processors ? processors / *jobs : 1;
  return err;
}

sixer_err sixer_lab_work(sixer_store *s, const sixer_lab_settings *settings,
                         sixer_lab_result *result, sixer_error *error) {
  if (settings->cookie != COOKIE || !(settings->checkpoint_every > 0))
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "these settings were not made by sixer_lab_settings_default()");
  crew *w = calloc(1, sizeof *w);
  if (!w) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  w->store = s;
  w->settings = settings;
  job_owner_make(&w->owner);
  pthread_mutex_init(&w->lock, NULL);
  int jobs = 0, started = 0;
  pthread_t threads[MAX_JOBS];
  worker workers[MAX_JOBS];
  sixer_err err = jobs_take_over(s, &w->owner, error);
  if (!err) err = divide(w, &jobs, error);
  for (; !err && started < jobs; started++) {
    workers[started] = (worker){w, started};
    pthread_mutex_lock(&w->lock);
    w->working++;
    pthread_mutex_unlock(&w->lock);
    if (!os_thread_start(&threads[started], thread_main, &workers[started])) continue;
    pthread_mutex_lock(&w->lock);
    w->working--;
    pthread_mutex_unlock(&w->lock);
    break;
  }
  if (!err && jobs && !started)
    err = sixer_fail(error, SIXER_ERR_MEMORY, "no thread can be started");
  if (started) watch(w);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  if (!err && w->err) {
    err = w->err;
    if (error) *error = w->error;
  }
  w->result.stopped = settings->stop && *settings->stop;
  if (!err) *result = w->result;
  close_parts(w);
  pthread_mutex_destroy(&w->lock);
  free(w);
  return err;
}
