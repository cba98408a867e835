/* Reading result files: a batch of files that are read together becomes rows, and warnings say what is not known about
 * them. score_files.c finds the files. */
#include <stdio.h>
#include <string.h>

#include "eval/log_file.h"
#include "eval/score_rows.h"
#include "util/os.h"

/* Keep the rows of the checkpoint that is asked for. */
static sixer_err choose_checkpoint(const sixer_scores *s, const eval_table *t, score_row *rows,
                                   size_t *count, sixer_error *error) {
  size_t kept = 0;
  char found[200] = "";
  for (size_t i = 0; i < *count; i++) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)rows[i].frames);
    if (rows[i].frames == s->checkpoint) {
      rows[kept++] = rows[i];
    } else if (!strstr(found, text)) {
      scores_append_name(found, sizeof found, text);
    }
  }
  if (!kept && *count)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: no scores at %lld frames; there are some at %s (--checkpoint chooses)",
                      t->origin, (long long)s->checkpoint, found);
  *count = kept;
  return SIXER_OK;
}

/* The seed that a path names, as in runs/seed_3/a.csv or pong-seed3.csv: the last one. NULL: none. */
static const char *seed_of_path(memory_arena *arena, const char *path) {
  const char *digits = NULL;
  for (const char *p = path; *p; p++) {
    if (strncasecmp(p, "seed", 4)) continue;
    const char *at = p + 4 + (p[4] && strchr("_-=.", p[4]));
    if (*at >= '0' && *at <= '9') digits = at;
  }
  return digits ? arena_copy(arena, digits, strspn(digits, "0123456789")) : NULL;
}

/* All rows of a file belong to one agent, which gets the name of the batch. */
static sixer_err rename_agent(sixer_scores *s, score_batch *b, const eval_table *t, score_row *rows,
                              size_t count, const char *named, sixer_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].agent, rows[0].agent))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: the file has several agents, '%.60s' and '%.60s', and cannot be "
                        "runs of '%.60s'; without a name before it they are read apart",
                        t->origin, rows[i].line, rows[0].agent, rows[i].agent, b->agent);
  }
  sixer_err err = SIXER_OK;
  if (named && b->told && strcmp(b->told, named))
    err = scores_warn(s, error, "mixed-agents",
                      "%s names its agent '%s', an earlier file '%s'; both count as runs of %s",
                      t->origin, named, b->told, b->agent);
  if (named && !b->told) b->told = named;
  for (size_t i = 0; i < count; i++) rows[i].agent = b->agent;
  return err;
}

/* The run of a file without such a column: the seed that its path names, else its place among the files. */
static const char *run_of_file(sixer_scores *s, score_batch *b, const log_file *file,
                               const eval_source *source) {
  const char *run = file->run;
  bool several = b->sources[b->source_count - 1].unit > 0;
  if (!run && several) run = seed_of_path(&s->arena, source->path);
  if (run) return run;
  if (b->last_seedless != source->unit + 1) b->seedless++;
  b->last_seedless = source->unit + 1;
  return several ? arena_format(&s->arena, "#%06zu", source->unit + 1) : "";
}

/* Add the rows of one file to the batch. */
static sixer_err add_file(sixer_scores *s, score_batch *b, size_t index, const char *default_agent,
                          sixer_error *error) {
  const eval_source *source = &b->sources[index];
  const char *text = source->text;
  size_t size = source->size;
  log_file file = {0};
  score_columns c = {0};
  sixer_err err = SIXER_OK;
  if (!text) {
    char *read;
    err = arena_read_file(&s->arena, source->path, &read, &size, error);
    text = read;
  }
  if (!err) err = log_file_parse(&s->arena, text, size, source->path, s, &file, error);
  if (err) return err;
  const eval_table *t = &file.table;
  bool lengths = file.format == LOG_MONITOR || file.format == LOG_DOPAMINE;
  c.length = lengths ? eval_table_column(t, "l") : -1;
  c.frames_per_step = file.frames_per_step;
  c.timed = file.format == LOG_MONITOR;
  err = score_columns_find(s, t, &c, error);
  if (err) return err;
  bool is_log = lengths || file.format == LOG_EVENTS;
  if (is_log && s->limit != s->info.limits[s->info.limit_count - 1])
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s: the log has the scores of whole episodes only, not those after %d frames "
        "of play (--limit)",
        t->origin, s->limit);
  if (c.run < 0 && !(c.run_text = run_of_file(s, b, &file, source))) return arena_no_memory(error);
  score_kind kind = c.level >= 0                                      ? ROWS_LEVELS
                    : c.episode >= 0 || c.steps >= 0 || c.length >= 0 ? ROWS_EPISODES
                                                                      : ROWS_SCORES;
  if (b->kind && b->kind != kind)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: the rows are %s, those of the files before are not; read them apart",
                      t->origin, kind == ROWS_SCORES ? "scores of runs" : "episodes");
  b->kind = kind;
  b->limits |= c.limit >= 0;
  if (b->room < b->count + t->rows) {
    size_t room = 2 * b->room > b->count + t->rows ? 2 * b->room : b->count + t->rows;
    score_row *more = arena_alloc(&s->arena, room * sizeof *more);
    if (!more) return arena_no_memory(error);
    if (b->count) memcpy(more, b->rows, b->count * sizeof *more);
    b->rows = more;
    b->room = room;
  }
  score_row *rows = b->count ? b->rows + b->count : b->rows; /* NULL if there are none yet */
  size_t count = 0;
  const char *named = file.agent ? file.agent : default_agent;
  for (size_t r = 0; r < t->rows; r++) {
    bool use;
    err = score_row_read(s, b, t, &c, r, named, &rows[count], &use, error);
    if (err) return err;
    rows[count].file = index;
    if (s->keeps_courses && kind == ROWS_SCORES) rows[count].episode = (double)rows[count].frames;
    rows[count].unit = source->unit;
    count += use;
  }
  /* where training is counted in episodes, frames say nothing about checkpoints */
  if (kind == ROWS_SCORES && (c.frames >= 0 || c.millions >= 0) && !s->info.length_in_episodes &&
      !s->keeps_courses)
    err = choose_checkpoint(s, t, rows, &count, error);
  if (!err && !count && !*b->foreign && b->source_count > 1)
    err =
        sixer_fail(error, SIXER_ERR_FILE, "%s: no score of a game of %s", t->origin, s->info.name);
  if (!err && b->agent && count)
    err = rename_agent(s, b, t, rows, count, c.agent >= 0 ? rows[0].agent : file.agent, error);
  if (!err && file.cut)
    err = scores_warn(s, error, "cut-off",
                      "%s breaks off %s: the %zu rows before count, the rest is lost", t->origin,
                      file.cut, t->rows);
  if (!err && file.note) err = scores_warn(s, error, "last-evaluation", "%s", file.note);
  b->count += count;
  return err;
}

/* Warn of what is not known about the rows of a batch. */
static sixer_err warn_of_batch(sixer_scores *s, const score_batch *b, const char *name,
                               size_t total, sixer_error *error) {
  sixer_err err = SIXER_OK;
  if (*b->foreign)
    err = scores_warn(s, error, "other-games", "left out because they are not in %s: %s",
                      s->info.name, b->foreign);
  if (!err && b->unstated)
    err = scores_warn(s, error, "unstated-protocol",
                      "%zu of %zu rows of %s do not name their protocol: whether they were made "
                      "under %s is not known (a column 'protocol' says so)",
                      b->unstated, total, name, s->info.name);
  if (!err && b->guess && s->info.score_of == SIXER_SCORE_TRAINING && !s->info.length_in_episodes)
    err = scores_warn(s, error, "guessed-frames",
                      "%s counts steps, not frames: a step of %s is taken as %g frames "
                      "(--frames-per-step says how many it has)",
                      name, b->guess, b->guessed);
  if (!err && b->seedless && b->seedless < b->units)
    err = scores_warn(s, error, "missing-seeds",
                      "%zu of the %zu runs of %s name no seed and count as runs of their own",
                      b->seedless, b->units, name);
  return err;
}

sixer_err scores_read_sources(sixer_scores *s, const eval_source *sources, size_t count,
                              const char *agent, const char *default_agent, sixer_error *error) {
  score_batch b = {.sources = sources, .source_count = count, .agent = agent};
  sixer_err err = SIXER_OK;
  for (size_t i = 0; !err && i < count; i++)
    err = add_file(s, &b, i, agent ? agent : default_agent, error);
  if (err) return err;
  const char *origin = count == 1 ? sources[0].path : agent ? agent : default_agent;
  if (!b.count && *b.foreign)
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s: no score of a game of %s; it has scores of %.200s: choose a protocol with "
        "these games, or write one whose base is %s",
        origin, s->info.name, b.foreign, s->info.name);
  if (!b.count)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: no score of a game of %s%s", origin, s->info.name,
                      b.limits ? " with the limit asked for (--limit)" : "");
  b.units = sources[count - 1].unit + 1;
  err = warn_of_batch(s, &b, origin, b.count, error);
  return err ? err : score_batch_finish(s, &b, origin, error);
}

sixer_err sixer_scores_parse(sixer_scores *s, const char *text, size_t size, const char *origin,
                             const char *default_agent, sixer_error *error) {
  eval_source source = {.path = origin, .text = text, .size = size};
  return scores_read_sources(s, &source, 1, NULL, default_agent, error);
}
