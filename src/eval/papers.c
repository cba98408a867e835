/* The papers whose tables and figures are computed again, and how our figures are compared with the printed ones. */
#include "eval/papers.h"
#include "util/rounded.h"
#include "util/sort.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sixer_paper {
  memory_arena arena;
  sixer_published *published;
  const char *title;
  struct paper_item *items;
  size_t count;
};

static const struct paper {
  const char *name, *other_name, *title;
  void (*build)(paper_builder *b);
} papers[] = {
    {"bellemare2013", "ale2013",
     "Bellemare, Naddaf, Veness, Bowling: The Arcade Learning Environment. JAIR 47, 2013",
     paper_bellemare2013},
    {"machado2018", "revisiting",
     "Machado et al.: Revisiting the Arcade Learning Environment. JAIR 61, 2018",
     paper_machado2018},
    {"saber", "toromanoff2019",
     "Toromanoff, Wirbel, Moutarde: Is Deep Reinforcement Learning Really Superhuman on Atari? "
     "2019",
     paper_saber},
    {"atari5", "aitchison2023",
     "Aitchison, Sweetser, Hutter: Atari-5: Distilling the Arcade Learning Environment down to "
     "Five "
     "Games. ICML 2023",
     paper_atari5},
};
enum { PAPERS = sizeof papers / sizeof *papers };

const char *const *sixer_paper_names(void) {
  static const char *const names[] = {"bellemare2013", "machado2018", "saber", "atari5", NULL};
  return names;
}

const char *sixer_verdict_name(int verdict) {
  static const char *const names[] = {"equal", "cut off", "differs", "bound", "plotted"};
  return verdict >= 0 && verdict < (int)(sizeof names / sizeof *names) ? names[verdict] : NULL;
}

/* ---- putting items together ---- */

bool paper_ok(paper_builder *b, sixer_err err) {
  if (!b->err) b->err = err;
  return !b->err;
}

/* Twice the room of an array that is full. */
static void *grown(paper_builder *b, const void *old, size_t count, size_t *room, size_t size) {
  size_t more = *room ? 2 * *room : 16;
  void *array = arena_alloc(b->arena, more * size);
  if (!array) {
    paper_ok(b, arena_no_memory(b->error));
    return NULL;
  }
  if (count) memcpy(array, old, count * size);
  *room = more;
  return array;
}

void paper_item(paper_builder *b, const char *kind, int number, const char *title,
                const char *how) {
  if (b->err) return;
  if (b->count == b->room) {
    void *items = grown(b, b->items, b->count, &b->room, sizeof *b->items);
    if (!items) return;
    b->items = items;
  }
  b->items[b->count++] =
      (struct paper_item){.item = {.kind = kind, .number = number, .title = title, .how = how}};
}

/* Digits after the decimal point of a printed number. */
static int digits_of(const char *text) {
  const char *point = strchr(text, '.');
  return point ? (int)strspn(point + 1, "0123456789") : 0;
}

/* The Atari-5 paper cuts many figures off; in the others, equal digits of that kind would be an accident. */
static sixer_verdict judge(double ours, double printed, int digits, bool cuts_off) {
  double unit = rounded_pow(10, -digits);
  if (isnan(printed)) return SIXER_VERDICT_PLOTTED;
  if (fabs(ours - printed) <= (0.5 + 1e-7) * unit) return SIXER_VERDICT_EQUAL;
  if (cuts_off && fabs(trunc(ours / unit) * unit - printed) <= 1e-7 * unit)
    return SIXER_VERDICT_CUT_OFF;
  return SIXER_VERDICT_DIFFERS;
}

static void add(paper_builder *b, sixer_paper_figure figure) {
  if (b->err) return;
  struct paper_item *item = &b->items[b->count - 1];
  if (item->item.count == item->room) {
    void *figures = grown(b, item->figures, item->item.count, &item->room, sizeof *item->figures);
    if (!figures) return;
    item->figures = figures;
    item->item.figures = figures;
  }
  figure.ours += 0; /* no negative zero: fmax() of it and 0 may be either */
  figure.verdict = judge(figure.ours, figure.printed, figure.digits, !strcmp(b->paper, "atari5"));
  if (figure.note && (!*figure.note || figure.verdict != SIXER_VERDICT_DIFFERS)) figure.note = NULL;
  item->figures[item->item.count++] = figure;
}

static char *format_label(paper_builder *b, const char *format, va_list args) {
  char text[300];
  vsnprintf(text, sizeof text, format, args);
  char *label = arena_copy(b->arena, text, strlen(text));
  if (!label) paper_ok(b, arena_no_memory(b->error));
  return label;
}

void paper_figure(paper_builder *b, double ours, int digits, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *label = format_label(b, format, args);
  va_end(args);
  if (b->err) return;
  const sixer_paper_item *item = &b->items[b->count - 1].item;
  char id[40];
  snprintf(id, sizeof id, item->number ? "%s %d" : "%s", item->kind, item->number);
  sixer_paper_figure figure = {.label = label, .ours = ours, .printed = NAN, .digits = digits};
  for (size_t r = 0; r < b->printed.rows; r++) {
    if (strcmp(paper_text(&b->printed, r, "paper"), b->paper) ||
        strcmp(paper_text(&b->printed, r, "item"), id) ||
        strcmp(paper_text(&b->printed, r, "label"), label))
      continue;
    figure.printed = paper_number(&b->printed, r, "printed");
    figure.digits = digits_of(paper_text(&b->printed, r, "printed"));
    figure.note = paper_text(&b->printed, r, "note");
  }
  add(b, figure);
}

void paper_compare(paper_builder *b, double ours, const char *printed, const char *note,
                   const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *label = format_label(b, format, args);
  va_end(args);
  double value = NAN;
  number_read(printed, NUMBER_FINITE, &value);
  add(b, (sixer_paper_figure){.label = label,
                              .ours = ours,
                              .printed = value,
                              .digits = digits_of(printed),
                              .note = note});
}

void paper_bound(paper_builder *b, const char *note) {
  if (b->err) return;
  struct paper_item *item = &b->items[b->count - 1];
  for (size_t i = 0; i < item->item.count; i++) {
    if (item->figures[i].printed > item->figures[i].ours) continue; /* no bound: it differs */
    item->figures[i].verdict = SIXER_VERDICT_BOUND;
    item->figures[i].note = NULL;
  }
  for (size_t i = 0; i < item->item.count; i++) {
    if (item->figures[i].verdict == SIXER_VERDICT_DIFFERS) item->figures[i].note = note;
  }
}

/* ---- tables ---- */

eval_table paper_table(paper_builder *b, const char *name) {
  eval_table t = {0};
  if (!b->err) paper_ok(b, eval_table_published(b->arena, name, &t, b->error));
  return t;
}

const char *paper_text(const eval_table *t, size_t row, const char *column) {
  int c = t->rows ? eval_table_column(t, column) : -1;
  return c < 0 || row >= t->rows ? "" : eval_table_field(t, row, c);
}

double paper_number(const eval_table *t, size_t row, const char *column) {
  double value = NAN;
  number_read(paper_text(t, row, column), NUMBER_FINITE, &value);
  return value;
}

size_t paper_row(const eval_table *t, const char *game) {
  size_t r = 0;
  while (r < t->rows && strcmp(paper_text(t, r, "game"), game)) r++;
  return r;
}

/* ---- the interface ---- */

/* Tables, then figures, then the text; each by number. */
static int compare_items(const void *a, const void *b) {
  const sixer_paper_item *x = &((const struct paper_item *)a)->item,
                         *y = &((const struct paper_item *)b)->item;
  int kinds = strcmp(x->kind, y->kind);
  if (!kinds) return x->number - y->number;
  bool text = !strcmp(x->kind, "text") || !strcmp(y->kind, "text");
  return text ? kinds : -kinds;
}

static const struct paper *find_paper(const char *name) {
  for (size_t i = 0; i < PAPERS; i++) {
    if (!strcmp(papers[i].name, name) || !strcmp(papers[i].other_name, name)) return &papers[i];
  }
  return NULL;
}

sixer_err sixer_paper_open(const char *name, sixer_paper **paper, sixer_error *error) {
  const struct paper *which = find_paper(name);
  if (!which)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "there is no paper '%.80s'; choose bellemare2013, machado2018, saber or atari5", name);
  sixer_paper *p = calloc(1, sizeof *p);
  if (!p) return arena_no_memory(error);
  sixer_err err = sixer_published_open(&p->published, error);
  paper_builder b = {
      .arena = &p->arena, .published = p->published, .paper = which->name, .error = error};
  if (!err) err = eval_table_published(&p->arena, "papers_printed.csv", &b.printed, error);
  if (!err) {
    which->build(&b);
    err = b.err;
  }
  if (err) {
    sixer_paper_close(p);
    return err;
  }
  sort_stable(b.items, b.count, sizeof *b.items, compare_items);
  p->title = which->title;
  p->items = b.items;
  p->count = b.count;
  *paper = p;
  return SIXER_OK;
}

void sixer_paper_close(sixer_paper *paper) {
  if (!paper) return;
  sixer_published_close(paper->published);
  arena_free(&paper->arena);
  free(paper);
}

const char *sixer_paper_title(const sixer_paper *paper) { return paper->title; }
size_t sixer_paper_count(const sixer_paper *paper) { return paper->count; }
sixer_paper_item sixer_paper_get(const sixer_paper *paper, size_t index) {
  return paper->items[index].item;
}
