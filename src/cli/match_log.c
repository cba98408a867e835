/* The games of a tournament in a file: see match_log.h. */
#include "cli/match_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/os.h"

static const char columns[] = "seed\tfirst\tsecond\tfirst_score\tsecond_score\tframes\tend\n";

struct match_log {
  int file;
  char *path;
};

const char *match_end_name(sixer_end end) {
  return end == SIXER_END_NONE ? "none" : end == SIXER_END_GAME_OVER ? "game over" : "limit";
}

/* What the results depend on, as comments; to be freed. NULL if memory is out. */
static char *head_of(const match *m) {
  char *text = NULL;
  size_t size;
  const sixer_config *c = &m->config;
  FILE *out = os_stream_open(&text, &size);
  if (!out) return NULL;
  fprintf(out, "# sixer match 1, behavior %d\n", SIXER_BEHAVIOR);
  fprintf(out,
          "# image %s, %d players, mode %d, difficulty %d, frame skip %d, sticky %.9g, at most %d "
          "frames, turn limit %d, corrections %d\n",
          sixer_rom_describe(m->rom).md5, m->players, c->mode, c->difficulty, c->frame_skip,
          (double)c->sticky, c->max_frames, c->turn_limit, c->corrections);
  for (int i = 0; i < m->agent_count; i++) {
    const match_agent *a = &m->agents[i];
    fprintf(out, "# agent %s, %d actions", a->name, a->actions.count);
    if (a->model)
      fprintf(out, ", trained for %" PRId64 " frames", sixer_model_progress(a->model).frames);
    fputc('\n', out);
  }
  fputs(columns, out);
  return os_stream_close(out, &text, &size) ? text : NULL;
}

static int agent_called(const match *m, const char *name) {
  for (int i = 0; i < m->agent_count; i++) {
    if (!strcmp(m->agents[i].name, name)) return i;
  }
  return -1;
}

static bool number(const char *text, int64_t low, int64_t high, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return end != text && !*end && !errno && *value >= low && *value <= high;
}

static match_game *game_of(match *m, int first, int second, int64_t seed) {
  for (int i = 0; i < m->game_count; i++) {
    match_game *g = &m->games[i];
    if (g->first == first && g->second == second && g->seed == seed) return g;
  }
  return NULL;
}

/* Take a line over, which is without its end. NULL, or what is wrong with it. */
static const char *take_game(match *m, char *line) {
  char *cells[7];
  int count = 0;
  for (char *at = line; at; count++) {
    if (count == 7) return "has more than 7 columns";
    cells[count] = at;
    at = strchr(at, '\t');
    if (at) *at++ = 0;
  }
  if (count < 7) return "has less than 7 columns";
  int64_t seed, scores[2], frames;
  const int first = agent_called(m, cells[1]), second = agent_called(m, cells[2]);
  if (first < 0 || second < 0) return "names an agent that does not take part";
  if (!number(cells[0], 0, UINT32_MAX, &seed) ||
      !number(cells[3], INT64_MIN, INT64_MAX, &scores[0]) ||
      !number(cells[4], INT64_MIN, INT64_MAX, &scores[1]) ||
      !number(cells[5], 0, INT32_MAX, &frames))
    return "has a number that is none";
  const sixer_end ends[] = {SIXER_END_GAME_OVER, SIXER_END_FRAME_LIMIT};
  match_game *g = game_of(m, first, second, seed);
  if (!g) return "is of a seed that is not played: add it by --seed and --seeds";
  if (g->played) return "is there twice";
  for (size_t i = 0; i < sizeof ends / sizeof *ends && !g->played; i++) {
    if (strcmp(match_end_name(ends[i]), cells[6]) != 0) continue;
    g->end = ends[i];
    g->played = true;
  }
  if (!g->played) return "has an end that is none";
  g->score[0] = scores[0];
  g->score[1] = scores[1];
  g->frames = (int)frames;
  return NULL;
}

/* Read what is there; *good: how much of the file is whole. */
static sixer_err read_games(match_log *log, match *m, const char *head, int64_t *good,
                            sixer_error *error) {
  const size_t length = strlen(head);
  os_status info;
  if (os_fstat(log->file, &info) || info.size > 1 << 30)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be read", log->path);
  char *text = malloc((size_t)info.size + 1);
  if (!text) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  ptrdiff_t size = os_read_at(log->file, text, (size_t)info.size, 0);
  sixer_err err = SIXER_OK;
  text[size > 0 ? size : 0] = 0;
  *good = 0;
  /* a program that was killed while it began leaves a part of the head */
  if (size < (ptrdiff_t)length && !strncmp(text, head, size > 0 ? (size_t)size : 0)) size = 0;
  if (size > 0 && strncmp(text, head, length) != 0)
    err = sixer_fail(error, SIXER_ERR_FILE,
                     "%s is of another match: its first lines name other agents, settings or "
                     "another image; choose another file",
                     log->path);
  int line = 1;
  for (const char *p = head; *p; p++) line += *p == '\n';
  char *at = text + length;
  for (; !err && size > 0 && *at; line++) {
    char *end = strchr(at, '\n');
    if (!end) break; /* cut off */
    *end = 0;
    const char *wrong = take_game(m, at);
    if (wrong)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: the game in line %d %s", log->path, line, wrong);
    at = end + 1;
  }
  if (size > 0) *good = at - text;
  free(text);
  return err;
}

static sixer_err put(match_log *log, const char *text, sixer_error *error) {
  for (size_t left = strlen(text); left > 0;) {
    ptrdiff_t done = os_write(log->file, text, left);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", log->path,
                        strerror(errno));
    text += done;
    left -= (size_t)done;
  }
  return SIXER_OK;
}

sixer_err match_log_open(const char *path, bool resume, match *m, match_log **log,
                         sixer_error *error) {
  match_log made = {.file = os_open(path, OS_READ | OS_WRITE | OS_CREATE | (resume ? 0 : OS_NEW))};
  if (made.file < 0 && errno == EEXIST)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s is there already: go on with it by --resume, or choose another file",
                      path);
  if (made.file < 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  char *head = head_of(m);
  made.path = strdup(path);
  *log = malloc(sizeof **log);
  sixer_err err = head && made.path && *log
                      ? SIXER_OK
                      : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the games");
  if (!err && os_lock(made.file))
    err = sixer_fail(error, SIXER_ERR_FILE, "%s is written by another `sixer match`", path);
  int64_t good = 0;
  if (!err) err = read_games(&made, m, head, &good, error);
  if (!err && (os_truncate(made.file, good) || os_seek(made.file, good)))
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  if (!err && good == 0) err = put(&made, head, error);
  free(head);
  if (err) {
    free(made.path);
    free(*log);
    os_close(made.file);
    *log = NULL;
    return err;
  }
  **log = made;
  return SIXER_OK;
}

sixer_err match_log_add(match_log *log, const match *m, const match_game *g, sixer_error *error) {
  char line[400];
  snprintf(line, sizeof line, "%u\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%d\t%s\n", g->seed,
           m->agents[g->first].name, m->agents[g->second].name, g->score[0], g->score[1], g->frames,
           match_end_name(g->end));
  return put(log, line, error);
}

void match_log_close(match_log *log) {
  if (!log) return;
  os_close(log->file);
  free(log->path);
  free(log);
}
