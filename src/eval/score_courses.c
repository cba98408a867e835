/* The course of every run instead of its score: what sixer/curves.h reads from files. */
#include <string.h>

#include "eval/score_rows.h"

sixer_err score_courses_keep(sixer_scores *s, const char *origin, const score_row *rows,
                             size_t count, score_kind kind, sixer_error *error) {
  size_t before = s->course_count, without = 0;
  for (size_t i = 0, end; i < count; i = end) {
    const score_row *first = &rows[i];
    bool known = first->frames >= 0 && kind != ROWS_LEVELS;
    /* episodes without learning are not a part of training */
    if (kind == ROWS_EPISODES && !first->cumulative)
      known &= s->info.score_of == SIXER_SCORE_TRAINING;
    for (size_t k = 0; k < before; k++) {
      if (!strcmp(s->courses[k].agent, first->agent))
        return sixer_fail(error, SIXER_ERR_FILE,
                          "%s: the agent '%.60s' was already read; use other names, or NAME=FILE "
                          "for files that are runs of one agent",
                          origin, first->agent);
    }
    for (end = i + 1; end < count && score_row_same_run(first, &rows[end]); end++) {
      const score_row *last = &rows[end - 1];
      sixer_err err =
          kind == ROWS_EPISODES ? score_row_check_order(s, last, &rows[end], error) : SIXER_OK;
      if (err) return err;
      if (kind == ROWS_SCORES && known && rows[end].frames <= last->frames)
        return sixer_fail(error, SIXER_ERR_FILE,
                          "%s:%d: the score of %s at %lld frames is given twice (also in line %d)",
                          rows[end].origin, rows[end].line, s->info.games[first->game],
                          (long long)last->frames, last->line);
    }
    if (!known) {
      without++;
      continue;
    }
    if (s->course_count == s->course_room) {
      size_t room = s->course_room ? 2 * s->course_room : 16;
      eval_course *more = arena_alloc(&s->arena, room * sizeof *more);
      if (!more) return arena_no_memory(error);
      if (s->course_count) memcpy(more, s->courses, s->course_count * sizeof *more);
      s->courses = more;
      s->course_room = room;
    }
    /* the caller's name need not live on */
    eval_course made = {.agent = arena_copy(&s->arena, first->agent, strlen(first->agent)),
                        .run = first->run,
                        .game = first->game,
                        .count = end - i,
                        .frames = arena_alloc(&s->arena, (end - i) * sizeof *made.frames),
                        .scores = arena_alloc(&s->arena, (end - i) * sizeof *made.scores),
                        .episodes = kind == ROWS_EPISODES};
    if (!made.agent || !made.frames || !made.scores) return arena_no_memory(error);
    bool lengths = kind == ROWS_EPISODES && !first->cumulative;
    for (size_t k = 0; k < made.count; k++) {
      made.frames[k] = (double)first[k].frames + (lengths && k ? made.frames[k - 1] : 0);
      made.scores[k] = first[k].score;
    }
    s->courses[s->course_count++] = made;
  }
  if (!without) return SIXER_OK;
  return scores_warn(s, error, "no-curves",
                     "%zu runs of %s do not say at how many frames of training their scores "
                     "were made, and have no curves",
                     without, origin);
}
