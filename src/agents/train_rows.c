/* The row files of a training run: tab-separated values, one row per episode, a learning curve, and the scores by the
 * protocol's rule. `sixer eval` reads episodes and scores; docs/training.md has the columns.
 *
 * Episodes and curve grow. A checkpoint holds their sizes and checksums; what was written after it is cut off when the
 * run is resumed, and is then written again with the same bytes. Nothing in the rows depends on time. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "agents/agent.h"
#include "agents/train_parts.h"
#include "util/error.h"
#include "util/replace.h"
#include "util/os.h"

static const char *const endings[ROWS_COUNT] = {"episodes.tsv", "curve.tsv", "evaluation.tsv",
                                                "tests.tsv"};

static sixer_err file_error(const char *path, sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be written: %s", path, strerror(errno));
}

/* ---- A row ----------------------------------------------------------------------------------------------------- */

typedef struct row {
  char text[TRAIN_TEXT + 1000];
  size_t length;
} row;

static void add(row *r, const char *format, ...) OS_PRINTF(2, 3);
static void add(row *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (r->length) r->text[r->length++] = '\t';
  r->length += (size_t)vsnprintf(r->text + r->length, sizeof r->text - r->length - 2, format, args);
  va_end(args);
}

/* Write a number with as few digits as give the same double when it is read. */
static void add_real(row *r, double value) {
  char text[40];
  if (fabs(value) < 1e15 && value == floor(value)) {
    add(r, "%.0f", value == 0 ? 0.0 : value);
    return;
  }
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  add(r, "%s", text);
}

/* Column names of the scores: one per play time if there are several; "score" is the last. */
static void add_score_heads(row *r, const sixer_train *t) {
  for (size_t k = 0; k + 1 < t->info.limit_count; k++) add(r, "score_%d", t->info.limits[k]);
  if (t->info.limit_count > 1 && t->info.limits[t->info.limit_count - 1])
    add(r, "score_%d", t->info.limits[t->info.limit_count - 1]);
  add(r, "score");
}

static void add_scores(row *r, const sixer_train *t, const double *scores) {
  size_t last = t->info.limit_count - 1;
  for (size_t k = 0; k < last; k++) add_real(r, scores[k]);
  if (last && t->info.limits[last]) add_real(r, scores[last]);
  add_real(r, scores[last]);
}

/* The first columns of a row say what it is about, the last ones how it was made. */
static void add_subject(row *r, const sixer_train *t) {
  add(r, "%s", t->label);
  add(r, "%s", t->rom_info.game ? t->rom_info.game : t->rom_info.title);
  add(r, "%u", t->seed);
}

static void add_origin(row *r, const sixer_train *t) {
  add(r, "%s", t->protocol_text);
  add(r, "%s", t->rom_info.md5);
  add(r, "%s", SIXER_VERSION);
  add(r, "%d", SIXER_BEHAVIOR);
  add(r, "%s%s%s", t->agent_name, t->options[0] ? ":" : "", t->options);
}
static const char origin_heads[] = "protocol\trom\tversion\tbehavior\tsettings";

/* ---- Files that grow ------------------------------------------------------------------------------------------- */

static sixer_err append(row_file *f, row *r, sixer_error *error) {
  if (!f->file) return SIXER_OK;
  r->text[r->length++] = '\n';
  if (fwrite(r->text, 1, r->length, f->file) != r->length || fflush(f->file))
    return file_error(f->path, error);
  f->crc = (uint32_t)crc32_z(f->crc, (const Bytef *)r->text, r->length);
  f->size += r->length;
  return SIXER_OK;
}

static sixer_err add_heads(sixer_train *t, int which, sixer_error *error) {
  row r = {.length = 0};
  if (which == ROWS_CURVE) {
    add(&r, "agent\tgame\trun\tframes\tepisodes\tsteps\tmean\taveraged\tbest\tfeatures");
  } else if (which == ROWS_TESTS) {
    add(&r, "agent\tgame\trun\ttest\tframes\tepisodes");
    add_score_heads(&r, t);
    add(&r, "best\taveraged\ttest_frames\t%s", origin_heads);
  } else {
    add(&r, "agent\tgame\trun\tepisode\tframes");
    add_score_heads(&r, t);
    add(&r, "steps\ttotal_frames\tend\tlives\tmode\tdifficulty\tlevel\t%s", origin_heads);
  }
  return append(&t->rows[which], &r, error);
}

static void name_file(sixer_train *t, int which) {
  row_file *f = &t->rows[which];
  if (f->file) fclose(f->file);
  f->file = NULL;
  f->size = f->crc = 0;
  train_path(t->path, endings[which], f->path, sizeof f->path);
}

/* Open for reading and writing, with a lock that keeps a second process from the same run. The system releases it when
 * the process ends. */
static sixer_err open_rows(row_file *f, bool create, sixer_error *error) {
  int file = os_open(f->path, OS_READ | OS_WRITE | (create ? OS_CREATE : 0));
  f->file = file >= 0 ? os_fdopen(file, "r+b") : NULL;
  if (!f->file) {
    sixer_err err = file_error(f->path, error);
    if (file >= 0) os_close(file);
    return err;
  }
  if (os_lock(file) && errno == EWOULDBLOCK)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s is in use: another process works on this run",
                      f->path);
  return SIXER_OK;
}

sixer_err rows_create(sixer_train *t, int which, sixer_error *error) {
  if (!t->path[0]) return SIXER_OK;
  name_file(t, which);
  row_file *f = &t->rows[which];
  sixer_err err = open_rows(f, true, error);
  if (!err && os_truncate(fileno(f->file), 0)) err = file_error(f->path, error);
  f->lives = true;
  return err ? err : add_heads(t, which, error);
}

/* Does the first line of the file name the column `lives`? */
static bool has_lives(FILE *file) {
  char *line = NULL;
  size_t room = 0;
  bool found = os_getline(&line, &room, file) > 0 && strstr(line, "\tlives\t");
  free(line);
  rewind(file);
  return found;
}

/* The checksum of the first `size` bytes; false if there are not so many. */
static bool sum_file(FILE *file, uint64_t size, uint32_t *crc) {
  uint8_t piece[1 << 14];
  *crc = 0;
  while (size) {
    size_t part = size < sizeof piece ? (size_t)size : sizeof piece;
    if (fread(piece, 1, part, file) != part) return false;
    *crc = (uint32_t)crc32_z(*crc, piece, part);
    size -= part;
  }
  return true;
}

sixer_err rows_reopen(sixer_train *t, int which, uint64_t size, uint32_t crc, sixer_error *error) {
  if (!t->path[0]) return SIXER_OK;
  name_file(t, which);
  row_file *f = &t->rows[which];
  uint32_t found;
  if (os_access(f->path, OS_EXISTS))
    return sixer_fail(
        error, SIXER_ERR_STATE,
        "%.300s is missing, which the checkpoint belongs to; put it back, or begin the "
        "run again (--force)",
        f->path);
  sixer_err err = open_rows(f, false, error);
  if (err) return err;
  f->lives = has_lives(f->file);
  if (!sum_file(f->file, size, &found) || found != crc)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.300s is not the file that the checkpoint belongs to: rows are missing or "
                      "were changed",
                      f->path);
  if (os_truncate(fileno(f->file), (int64_t)size) || fseek(f->file, 0, SEEK_END))
    return file_error(f->path, error);
  f->size = size;
  f->crc = crc;
  return SIXER_OK;
}

void rows_close(sixer_train *t) {
  for (int i = 0; i < ROWS_COUNT; i++) {
    if (t->rows[i].file) fclose(t->rows[i].file);
    t->rows[i].file = NULL;
  }
}

sixer_err rows_sync(sixer_train *t, sixer_error *error) {
  for (int i = 0; i < ROWS_COUNT; i++) {
    row_file *f = &t->rows[i];
    if (f->file && (fflush(f->file) || os_sync(fileno(f->file)))) return file_error(f->path, error);
  }
  return SIXER_OK;
}

sixer_err rows_add_episode(sixer_train *t, int which, const sixer_status *status,
                           sixer_error *error) {
  static const char *const ends[] = {"none", "game over", "life", "frame limit", "stuck"};
  bool test = which == ROWS_EVALUATION;
  row r = {.length = 0};
  add_subject(&r, t);
  add(&r, "%" PRId64, test ? t->c.evaluated : t->c.episodes);
  add(&r, "%" PRId64, t->c.tally.frames);
  add_scores(&r, t, t->c.tally.score);
  add(&r, "%" PRId64, t->c.episode_steps);
  add(&r, "%" PRId64, test ? t->c.evaluation_frames : t->c.frames);
  add(&r, "%s", ends[status->end]);
  if (t->rows[which].lives) add(&r, "%d", status->lives);
  add(&r, "%d", status->mode);
  add(&r, "%d", status->difficulty);
  add(&r, "%d", status->level);
  add_origin(&r, t);
  return append(&t->rows[which], &r, error);
}

sixer_err rows_add_curve(sixer_train *t, sixer_error *error) {
  int averaged;
  double mean = train_mean(t, TRAIN_MEAN, (int)t->info.limit_count - 1, &averaged);
  row r = {.length = 0};
  add_subject(&r, t);
  add(&r, "%" PRId64, t->c.frames);
  add(&r, "%" PRId64, t->c.episodes);
  add(&r, "%" PRId64, t->c.steps);
  add_real(&r, mean);
  add(&r, "%d", averaged);
  add_real(&r, t->c.best);
  add(&r, "%" PRId64, sixer_agent_learned(t->agent).features);
  return append(&t->rows[ROWS_CURVE], &r, error);
}

/* An evaluation during training: after how much of it, its mean score and the best one so far. */
sixer_err rows_add_test(sixer_train *t, const double *scores, int64_t episodes, int64_t frames,
                        sixer_error *error) {
  row r = {.length = 0};
  add_subject(&r, t);
  add(&r, "%" PRId64, t->tests.count);
  add(&r, "%" PRId64, t->c.frames);
  add(&r, "%" PRId64, t->c.episodes);
  add_scores(&r, t, scores);
  add_real(&r, t->tests.best[t->info.limit_count - 1]);
  add(&r, "%" PRId64, episodes);
  add(&r, "%" PRId64, frames);
  add_origin(&r, t);
  return append(&t->rows[ROWS_TESTS], &r, error);
}

/* ---- Scores ---------------------------------------------------------------------------------------------------- */

static void put_scores(const sixer_train *t, FILE *file) {
  row r = {.length = 0};
  add(&r, "agent\tgame\trun\tframes");
  add_score_heads(&r, t);
  add(&r, "averaged\tmode\tdifficulty\t%s", origin_heads);
  fprintf(file, "%s\n", r.text);
  sixer_train_score s;
  for (int i = 0; sixer_train_score_at(t, i, &s); i++) {
    r.length = 0;
    add_subject(&r, t);
    add(&r, "%" PRId64, s.at);
    add_scores(&r, t, s.score);
    add(&r, "%d", s.episodes);
    add(&r, "%d", sixer_env_status(t->env).mode);
    add(&r, "%d", t->config.difficulty);
    add_origin(&r, t);
    fprintf(file, "%s\n", r.text);
  }
}

sixer_err rows_write_scores(const sixer_train *t, sixer_error *error) {
  if (!t->path[0]) return SIXER_OK;
  char path[TRAIN_PATH + 20];
  train_path(t->path, "scores.tsv", path, sizeof path);
  replacement *r = replace_open(path);
  if (!r) return file_error(path, error);
  put_scores(t, r->file); /* an error of the file is found by the commit */
  return replace_commit(r) ? SIXER_OK : file_error(path, error);
}
