/* Parts of a report: ratings of agents that played against each other, from files of `sixer match --scores`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report_parts.h"
#include "sixer/ratings.h"
#include "util/os.h"

enum { COLUMNS = 6, RATED_MAX = 64 };

/* The games of one cartridge. */
typedef struct rated {
  char *game;
  const char *names[RATED_MAX];
  double own[RATED_MAX], other[RATED_MAX]; /* sums of scores */
  int played[RATED_MAX];
  int agents;
  sixer_pairing *pairings;
  size_t count, room;
} rated;

typedef struct ratings {
  report *r;
  rated game[RATED_MAX];
  int count;
  bool full; /* there was more than fits */
} ratings;

static rated *rated_game(ratings *all, const char *id) {
  for (int i = 0; i < all->count; i++) {
    if (!strcmp(all->game[i].game, id)) return &all->game[i];
  }
  char *own = all->count < RATED_MAX ? report_format(all->r, "%s", id) : NULL;
  if (!own) return NULL;
  all->game[all->count] = (rated){.game = own};
  return &all->game[all->count++];
}

/* The number of an agent; -1: there are too many. */
static int number_of(ratings *all, rated *g, const char *name) {
  for (int i = 0; i < g->agents; i++) {
    if (!strcmp(g->names[i], name)) return i;
  }
  if (g->agents == RATED_MAX || !(g->names[g->agents] = report_format(all->r, "%s", name)))
    return -1;
  return g->agents++;
}

/* A row of the agent that was player 1; that of its opponent says the same once more. */
static bool add_row(ratings *all, char *const cells[COLUMNS]) {
  char *end, *end_other;
  double score = strtod(cells[2], &end), other = strtod(cells[4], &end_other);
  if (*end || *end_other || !isfinite(score) || !isfinite(other) || strcmp(cells[5], "1") != 0)
    return true;
  rated *g = rated_game(all, cells[0]);
  int a = g ? number_of(all, g, cells[1]) : -1, b = g ? number_of(all, g, cells[3]) : -1;
  if (a < 0 || b < 0) return false;
  if (g->count == g->room) { /* grow by a copy: the memory is that of the evaluation */
    const size_t room = g->room ? 2 * g->room : 256;
    sixer_pairing *more = evaluation_allocate(all->r->s, room * sizeof *more);
    if (!more) return false;
    if (g->count) memcpy(more, g->pairings, g->count * sizeof *more);
    g->pairings = more;
    g->room = room;
  }
  g->pairings[g->count] = (sixer_pairing){a, b,
                                          score > other   ? 1
                                          : score < other ? 0
                                                          : 0.5,
                                          (int64_t)g->count};
  g->count++;
  g->own[a] += score;
  g->other[a] += other;
  g->own[b] += other;
  g->other[b] += score;
  g->played[a]++;
  g->played[b]++;
  return true;
}

/* Split a line at tabs; returns the number of cells, at most `room`. */
static int split(char *line, char **cells, int room) {
  int count = 0;
  line[strcspn(line, "\r\n")] = 0;
  for (char *at = line; at && count < room; count++) {
    cells[count] = at;
    at = strchr(at, '\t');
    if (at) *at++ = 0;
  }
  return count;
}

/* The games in a file, if it has the columns of `sixer match --scores`. Whatever else it is, others have read it. */
static void read_file(ratings *all, const char *path) {
  static const char *const wanted[COLUMNS] = {"game",     "agent",          "score",
                                              "opponent", "opponent_score", "player"};
  FILE *file = os_fopen(path, "r");
  char *line = NULL, *cells[64];
  size_t size = 0;
  int at[COLUMNS], found = 0;
  int columns = file && os_getline(&line, &size, file) > 0 ? split(line, cells, 64) : 0;
  for (int k = 0; k < COLUMNS; k++) {
    for (int i = 0; i < columns; i++) {
      if (strcmp(cells[i], wanted[k]) != 0) continue;
      at[k] = i;
      found++;
      break;
    }
  }
  while (found == COLUMNS && !all->full && os_getline(&line, &size, file) > 0) {
    char *row[COLUMNS];
    if (split(line, cells, 64) < columns) continue;
    for (int k = 0; k < COLUMNS; k++) row[k] = cells[at[k]];
    all->full = !add_row(all, row);
  }
  free(line);
  if (file) fclose(file);
}

/* The color that an agent has in the other plots. */
static int color_of(const report *r, const char *name, int otherwise) {
  for (size_t i = 0; i < r->s->count; i++) {
    if (!strcmp(r->s->entrants[i].agent.name, name)) return (int)i;
  }
  return otherwise;
}

/* The table and the plot of one cartridge, the best agent first. */
static sixer_err show_game(report *r, report_part *part, const rated *g, const sixer_rating *rating,
                           sixer_error *error) {
  const size_t n = (size_t)g->agents;
  double *x = report_numbers(r, n), *y = report_numbers(r, n), *low = report_numbers(r, n),
         *high = report_numbers(r, n);
  const char **names = evaluation_allocate(r->s, n * sizeof *names);
  const char **hover = evaluation_allocate(r->s, n * sizeof *hover);
  plot_marks *marks = evaluation_allocate(r->s, 2 * n * sizeof *marks);
  char *title = report_format(r, "Elo ratings in %s, %zu games", g->game, g->count);
  if (!x || !y || !low || !high || !names || !hover || !marks || !title)
    return report_no_memory(error);
  int order[RATED_MAX];
  for (int i = 0; i < g->agents; i++) {
    int k = i;
    for (; k > 0 && rating[order[k - 1]].elo < rating[i].elo; k--) order[k] = order[k - 1];
    order[k] = i;
  }
  out_table(part->table, g->game, title,
            "agent|elo|low|high|error=standard_error|games|wins|draws|losses|points|"
            "score=mean_score|other=mean_other");
  for (size_t k = 0; k < n; k++) {
    const int i = order[k];
    const sixer_rating *v = &rating[i];
    const int color = color_of(r, g->names[i], (int)k);
    names[k] = g->names[i];
    x[k] = v->elo;
    y[k] = (double)k;
    low[k] = v->low;
    high[k] = v->high;
    hover[k] = report_format(r, "%s: %.0f (%.0f to %.0f)", names[k], v->elo, v->low, v->high);
    marks[2 * k] = (plot_marks){.kind = PLOT_INTERVAL,
                                .color = color,
                                .x = x + k,
                                .y = y + k,
                                .low = low + k,
                                .high = high + k,
                                .hover = hover + k,
                                .count = 1};
    marks[2 * k + 1] = (plot_marks){
        .kind = PLOT_DOT, .color = color, .x = x + k, .y = y + k, .hover = hover + k, .count = 1};
    out_text(part->table, names[k]);
    out_number(part->table, v->elo, 0);
    out_number(part->table, v->low, 0);
    out_number(part->table, v->high, 0);
    out_number(part->table, v->error, 1);
    out_int(part->table, g->played[i]);
    out_int(part->table, v->wins);
    out_int(part->table, v->draws);
    out_int(part->table, v->losses);
    out_number(part->table, v->points, 1);
    out_number(part->table, g->own[i] / g->played[i], 2);
    out_number(part->table, g->other[i] / g->played[i], 2);
  }
  plot p = {.title = title,
            .x = {.title = "Elo", .low = NAN, .high = NAN},
            .y = {.names = names, .name_count = n, .low = NAN, .high = NAN},
            .marks = marks,
            .mark_count = 2 * n,
            .reference = 1500};
  return report_plot_add(r, part, report_format(r, "ratings-%s", g->game), &p, error);
}

sixer_err report_fill_ratings(report *r, sixer_error *error) {
  evaluation *s = r->s;
  ratings *all = evaluation_allocate(s, sizeof *all);
  if (!all) return report_no_memory(error);
  *all = (ratings){.r = r};
  for (int i = 0; i < r->file_count; i++) read_file(all, r->files[i]);
  if (!all->count) return SIXER_OK;
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.confidence = s->settings.confidence;
  report_part *part = NULL;
  sixer_err err = SIXER_OK;
  for (int i = 0; !err && i < all->count; i++) {
    const rated *g = &all->game[i];
    sixer_rating rating[RATED_MAX];
    sixer_error reason = {SIXER_OK, ""};
    if (all->full || sixer_ratings_compute(g->pairings, g->count, (size_t)g->agents, g->names,
                                           &settings, rating, &reason)) {
      const char *why = all->full ? "there are more than 64 agents or games" : reason.message;
      char *text = report_format(r, "no ratings in %s: %s", g->game, why);
      if (!text) return report_no_memory(error);
      err = sixer_scores_warn(s->scores, "no-ratings", text, error);
      continue;
    }
    if (!part)
      part = report_add(
          r, "ratings", "Ratings",
          "Who won against whom: ratings of Bradley and Terry on Elo's scale, on which 400 points "
          "are odds of ten to one, with %g %% intervals by the Fisher information. The average is "
          "1500. Draws are half a win.",
          100 * settings.confidence);
    if (!part) return report_no_memory(error);
    err = show_game(r, part, g, rating, error);
  }
  return err;
}
