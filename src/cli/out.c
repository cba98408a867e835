/* Tables, TSV and JSON. Numbers are written in full in TSV and JSON (the shortest decimal that
 * reads back the same), and with a chosen number of digits in tables. JSON has no infinity: it is
 * written as the string "inf". */
#include "cli/out.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "util/text.h"
#include "util/os.h"

typedef struct cell {
  char *text;   /* NULL: a number */
  double *list; /* several numbers, `count` of them; NULL: one */
  size_t count;
  double number;
  int digits;
  bool whole, empty;
} cell;

typedef struct section {
  char *key, *title;
  char **columns; /* NULL: a single value */
  char **keys;    /* names of the columns in TSV and JSON */
  size_t column_count;
  cell *cells;
  size_t count, room;
} section;

struct out {
  out_form form;
  section *sections;
  size_t count, room;
};

/* Exit if an allocation failed: results that cannot be collected cannot be printed. */
static void *must(void *memory) {
  if (!memory) {
    fputs("sixer: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* Texts may come from files, and what is printed may go to a terminal. */
static char *copy(const char *text) {
  char *own = text ? must(strdup(text)) : NULL;
  if (own) text_clean(own);
  return own;
}

out *out_create(out_form form) {
  out *o = must(calloc(1, sizeof *o));
  o->form = form;
  return o;
}

void out_destroy(out *o) {
  for (size_t i = 0; o && i < o->count; i++) {
    section *s = &o->sections[i];
    for (size_t c = 0; c < s->count; c++) {
      free(s->cells[c].text);
      free(s->cells[c].list);
    }
    for (size_t c = 0; c < s->column_count; c++) free(s->columns[c]), free(s->keys[c]);
    free(s->columns);
    free(s->keys);
    free(s->cells);
    free(s->key);
    free(s->title);
  }
  if (o) free(o->sections);
  free(o);
}

static section *add_section(out *o, const char *key, const char *title) {
  if (o->count == o->room) {
    o->room = o->room ? 2 * o->room : 16;
    o->sections = must(realloc(o->sections, o->room * sizeof *o->sections));
  }
  section *s = &o->sections[o->count++];
  *s = (section){.key = copy(key), .title = copy(title)};
  return s;
}

static void add_cell(section *s, cell c) {
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 64;
    s->cells = must(realloc(s->cells, s->room * sizeof *s->cells));
  }
  s->cells[s->count++] = c;
}

static cell number_cell(double number, int digits) {
  return (cell){.number = number, .digits = digits, .empty = isnan(number)};
}

void out_text_value(out *o, const char *key, const char *title, const char *text) {
  add_cell(add_section(o, key, title), (cell){.text = copy(text), .empty = !text});
}

void out_number_value(out *o, const char *key, const char *title, double number, int digits) {
  add_cell(add_section(o, key, title), number_cell(number, digits));
}

void out_table(out *o, const char *key, const char *title, const char *columns) {
  section *s = add_section(o, key, title);
  for (const char *p = columns;; p++) {
    size_t length = strcspn(p, "|"), title_length = strcspn(p, "|=");
    size_t at = title_length < length ? title_length + 1 : 0;
    s->columns = must(realloc(s->columns, (s->column_count + 1) * sizeof *s->columns));
    s->keys = must(realloc(s->keys, (s->column_count + 1) * sizeof *s->keys));
    s->columns[s->column_count] = must(os_strndup(p, title_length));
    s->keys[s->column_count++] = must(os_strndup(p + at, length - at));
    p += length;
    if (!*p) break;
  }
}

static section *current(out *o) { return &o->sections[o->count - 1]; }

void out_text(out *o, const char *text) {
  add_cell(current(o), (cell){.text = copy(text), .empty = !text});
}
void out_number(out *o, double number, int digits) {
  add_cell(current(o), number_cell(number, digits));
}
void out_int(out *o, long long number) {
  add_cell(current(o), (cell){.number = (double)number, .whole = true});
}

static const char *number_text(const cell *c, bool full, char buffer[64]);

void out_numbers(out *o, const double *numbers, size_t count, int digits) {
  /* tables and TSV show a text: the numbers one after the other */
  bool full = o->form != OUT_TABLE;
  cell c = {.count = count, .digits = digits};
  c.text = must(calloc(count + 1, 64));
  c.list = must(calloc(count + 1, sizeof *c.list));
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    char buffer[64];
    cell one = number_cell(numbers[i], digits);
    c.list[i] = numbers[i];
    used += (size_t)snprintf(c.text + used, 64 * (count + 1) - used, "%s%s", i ? " " : "",
                             number_text(&one, full, buffer));
  }
  add_cell(current(o), c);
}

/* ---- writing ---- */

static const char *number_text(const cell *c, bool full, char buffer[64]) {
  if (isinf(c->number)) return c->number > 0 ? "inf" : "-inf";
  if (c->whole || (full && c->number == floor(c->number) && fabs(c->number) < 1e15)) {
    snprintf(buffer, 64, "%.0f", c->number);
  } else if (!full) {
    snprintf(buffer, 64, "%.*f", c->digits, c->number);
    if (*buffer == '-' && strspn(buffer, "-0.") == strlen(buffer))
      return buffer + 1; /* not -0.00 */
  } else {
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(buffer, 64, "%.*g", digits, c->number);
      if (strtod(buffer, NULL) == c->number) break;
    }
  }
  return buffer;
}

static void write_json_cell(FILE *file, const cell *c) {
  char buffer[64];
  if (c->empty) {
    fputs("null", file);
  } else if (c->list) {
    fputc('[', file);
    for (size_t i = 0; i < c->count; i++) {
      cell one = number_cell(c->list[i], c->digits);
      if (i) fputs(", ", file);
      write_json_cell(file, &one);
    }
    fputc(']', file);
  } else if (c->text) {
    cli_write_json(file, c->text);
  } else if (isinf(c->number)) {
    cli_write_json(file, number_text(c, true, buffer));
  } else {
    fputs(number_text(c, true, buffer), file);
  }
}

static void print_json(const out *o, FILE *file) {
  fputs("{\n", file);
  for (size_t i = 0; i < o->count; i++) {
    const section *s = &o->sections[i];
    fputs("  ", file);
    cli_write_json(file, s->key);
    fputs(": ", file);
    if (!s->columns) {
      write_json_cell(file, &s->cells[0]);
    } else {
      fputc('[', file);
      for (size_t c = 0; c < s->count; c++) {
        size_t column = c % s->column_count;
        fputs(column ? ", " : c ? ",\n    {" : "\n    {", file);
        cli_write_json(file, s->keys[column]);
        fputs(": ", file);
        write_json_cell(file, &s->cells[c]);
        if (column + 1 == s->column_count) fputc('}', file);
      }
      fputs(s->count ? "\n  ]" : "]", file);
    }
    fputs(i + 1 < o->count ? ",\n" : "\n", file);
  }
  fputs("}\n", file);
}

static void print_tsv(const out *o, FILE *file) {
  char buffer[64];
  bool first = true;
  for (size_t i = 0; i < o->count; i++) {
    const section *s = &o->sections[i];
    if (!s->columns) {
      const cell *c = &s->cells[0];
      fprintf(file, "# %s\t%s\n", s->key,
              c->empty  ? ""
              : c->text ? c->text
                        : number_text(c, true, buffer));
      continue;
    }
    if (!first) fputc('\n', file);
    first = false;
    fprintf(file, "# table\t%s\n", s->key);
    for (size_t c = 0; c < s->column_count; c++) fprintf(file, "%s%s", c ? "\t" : "", s->keys[c]);
    for (size_t c = 0; c < s->count; c++) {
      const cell *x = &s->cells[c];
      assert(s->column_count > 0);
      fputs(c % s->column_count ? "\t" : "\n", file);
      if (x->empty) continue;
      for (const char *p = x->text ? x->text : number_text(x, true, buffer); *p; p++) {
        fputc(*p == '\t' || *p == '\n' ? ' ' : *p, file);
      }
    }
    fputc('\n', file);
  }
}

/* Columns on a terminal: bytes that continue a UTF-8 sequence take none. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text; text++) width += (*text & 0xc0) != 0x80;
  return width;
}

/* How a column of a table is printed. */
typedef struct column_look {
  int width;
  bool texts; /* aligned to the left */
  bool empty; /* without any value: it is left out */
} column_look;

static column_look look_at(const section *s, size_t column) {
  char buffer[64];
  column_look look = {width_of(s->columns[column]), false, s->count > 0};
  for (size_t r = column; r < s->count; r += s->column_count) {
    const cell *c = &s->cells[r];
    int w = width_of(c->empty ? "-" : c->text ? c->text : number_text(c, false, buffer));
    look.texts |= c->text != NULL;
    look.empty &= c->empty;
    if (w > look.width) look.width = w;
  }
  return look;
}

static void print_tables(const out *o, FILE *file) {
  char buffer[64];
  bool gap = false;
  for (size_t i = 0; i < o->count; i++) {
    const section *s = &o->sections[i];
    if (!s->title || (s->columns && !s->count)) continue;
    if (!s->columns) {
      const cell *c = &s->cells[0];
      fprintf(file, "%-14s %s\n", s->title,
              c->empty  ? "-"
              : c->text ? c->text
                        : number_text(c, false, buffer));
      gap = true;
      continue;
    }
    if (gap) fputc('\n', file);
    gap = true;
    fprintf(file, "%s\n", s->title);
    column_look *looks = must(calloc(s->column_count, sizeof *looks));
    for (size_t column = 0; column < s->column_count; column++) looks[column] = look_at(s, column);
    for (size_t line = 0; line <= s->count / s->column_count; line++) {
      for (size_t column = 0; column < s->column_count; column++) {
        if (looks[column].empty) continue;
        const cell *c = line ? &s->cells[(line - 1) * s->column_count + column] : NULL;
        const char *text = !c         ? s->columns[column]
                           : c->empty ? "-"
                           : c->text  ? c->text
                                      : number_text(c, false, buffer);
        int pad = looks[column].width - width_of(text);
        bool last = column + 1 == s->column_count;
        fputs("  ", file);
        if (looks[column].texts) {
          fprintf(file, "%s%*s", text, last ? 0 : pad, "");
        } else {
          fprintf(file, "%*s%s", pad, "", text);
        }
      }
      fputc('\n', file);
    }
    free(looks);
  }
}

/* ---- tables for papers and pages ---- */

/* Whether a column has no value at all. */
static bool is_empty(const section *s, size_t column) {
  for (size_t c = column; c < s->count; c += s->column_count) {
    if (!s->cells[c].empty) return false;
  }
  return s->count > 0;
}

static bool has_texts(const section *s, size_t column) {
  for (size_t c = column; c < s->count; c += s->column_count) {
    if (s->cells[c].text) return true;
  }
  return false;
}

static void write_latex(FILE *file, const char *text) {
  static const char special[] = "&%$#_{}";
  for (; *text; text++) {
    if (*text == '\\')
      fputs("\\textbackslash{}", file);
    else if (*text == '~' || *text == '^')
      fprintf(file, "\\%c{}", *text);
    else if (*text == '<' || *text == '>' ||
             *text == '|') /* other signs in the usual font encoding */
      fprintf(file, "\\text%s{}", *text == '<' ? "less" : *text == '>' ? "greater" : "bar");
    else if (*text == '\n' || *text == '\t')
      fputc(' ', file);
    else
      fprintf(file, "%s%c", strchr(special, *text) ? "\\" : "", *text);
  }
}

static void write_markdown(FILE *file, const char *text) {
  for (; *text; text++) {
    if (*text == '\n' || *text == '\t')
      fputc(' ', file);
    else if (*text == '<')
      fputs("&lt;", file);
    else
      fprintf(file, "%s%c", strchr("|\\`*_[]", *text) ? "\\" : "", *text);
  }
}

static void write_csv(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) fprintf(file, "%s%c", *text == '"' ? "\"" : "", *text);
  fputc('"', file);
}

/* What is written before, between and after the cells of a row. */
typedef struct row_form {
  const char *first, *between, *last;
  void (*write)(FILE *file, const char *text);
} row_form;

static void print_row(const section *s, size_t line, const row_form *form, bool full, FILE *file) {
  bool first = true;
  fputs(form->first, file);
  for (size_t column = 0; column < s->column_count; column++) {
    char buffer[64];
    if (!full && is_empty(s, column)) continue;
    const cell *c = line ? &s->cells[(line - 1) * s->column_count + column] : NULL;
    const char *text = !c         ? full ? s->keys[column] : s->columns[column]
                               : c->empty ? ""
                       : c->text  ? c->text
                                  : number_text(c, full, buffer);
    if (!first) fputs(form->between, file);
    first = false;
    form->write(file, text);
  }
  fputs(form->last, file);
}

/* Are the two columns after this one its interval: x, x_low, x_high or score, low, high? */
static bool has_interval(const section *s, size_t column) {
  if (column + 2 >= s->column_count || is_empty(s, column)) return false;
  const char *name = s->keys[column], *low = s->keys[column + 1], *high = s->keys[column + 2];
  if (!strcmp(low, "low") && !strcmp(high, "high")) return true;
  size_t length = strlen(name);
  return !strncmp(low, name, length) && !strcmp(low + length, "_low") &&
         !strncmp(high, name, length) && !strcmp(high + length, "_high");
}

/* A row of a table for a paper: a figure and its interval share a column, 2.40 (2.07, 2.47). */
static void print_latex_row(const section *s, size_t line, FILE *file) {
  bool first = true;
  for (size_t column = 0; column < s->column_count; column++) {
    bool interval = has_interval(s, column);
    if (is_empty(s, column)) continue;
    if (!first) fputs(" & ", file);
    first = false;
    const cell *c = line ? &s->cells[(line - 1) * s->column_count + column] : NULL;
    char buffers[3][64];
    const char *texts[3];
    if (!c || c->text) {
      write_latex(file, c ? c->text : s->columns[column]);
    } else {
      for (int i = 0; i < (interval ? 3 : 1); i++)
        texts[i] = c[i].empty           ? ""
                   : isinf(c[i].number) ? "$\\infty$"
                                        : number_text(&c[i], false, buffers[i]);
      fputs(texts[0], file);
      if (interval && *texts[1] && *texts[2]) fprintf(file, " (%s, %s)", texts[1], texts[2]);
    }
    column += interval ? 2 : 0;
  }
  fputs(" \\\\\n", file);
}

/* Sentences, such as those of warnings, are set as paragraphs: LaTeX does not break the lines of other columns. */
static bool has_sentences(const section *s, size_t column) {
  enum { LINE = 60 };
  for (size_t i = column; i < s->count; i += s->column_count)
    if (s->cells[i].text && strlen(s->cells[i].text) > LINE) return true;
  return false;
}

static void print_latex(const section *s, FILE *file) {
  if (!s->column_count) return;
  fputs("% ", file);
  fputs(s->title ? s->title : s->key, file);
  fputs("\n\\begin{tabular}{", file);
  for (size_t c = 0; c < s->column_count; c++) {
    if (!is_empty(s, c))
      fputs(has_sentences(s, c) ? "p{0.7\\linewidth}" : has_texts(s, c) ? "l" : "r", file);
    c += has_interval(s, c) ? 2 : 0;
  }
  fputs("}\n\\toprule\n", file);
  for (size_t line = 0; line <= s->count / s->column_count; line++) {
    print_latex_row(s, line, file);
    if (!line) fputs("\\midrule\n", file);
  }
  fputs("\\bottomrule\n\\end{tabular}\n", file);
}

static void print_markdown(const section *s, FILE *file) {
  static const row_form form = {"| ", " | ", " |\n", write_markdown};
  write_markdown(file, s->title ? s->title : s->key);
  fputs("\n\n", file);
  for (size_t line = 0; line <= s->count / s->column_count; line++) {
    print_row(s, line, &form, false, file);
    if (line) continue;
    fputc('|', file);
    for (size_t c = 0; c < s->column_count; c++) {
      if (!is_empty(s, c)) fputs(has_texts(s, c) ? "---|" : "---:|", file);
    }
    fputc('\n', file);
  }
}

static void print_csv(const section *s, FILE *file) {
  static const row_form form = {"", ",", "\n", write_csv};
  for (size_t line = 0; line <= s->count / s->column_count; line++)
    print_row(s, line, &form, true, file);
}

static void print_html(const section *s, FILE *file) {
  static const row_form heads = {"<thead><tr><th scope=\"col\">", "</th><th scope=\"col\">",
                                 "</th></tr></thead>\n<tbody>\n", text_write_html};
  static const row_form form = {"<tr><td>", "</td><td>", "</td></tr>\n", text_write_html};
  fputs("<div class=\"wide\"><table>\n", file);
  if (s->title) {
    fputs("<caption>", file);
    text_write_html(file, s->title);
    fputs("</caption>\n", file);
  }
  for (size_t line = 0; line <= s->count / s->column_count; line++)
    print_row(s, line, line ? &form : &heads, false, file);
  fputs("</tbody></table></div>\n", file);
}

static void print_each(const out *o, out_form form, FILE *file) {
  bool first = true;
  for (size_t i = 0; i < o->count; i++) {
    const section *s = &o->sections[i];
    if (!s->columns) continue;
    if (!first) fputc('\n', file);
    first = false;
    switch (form) {
      case OUT_LATEX: print_latex(s, file); break;
      case OUT_MARKDOWN: print_markdown(s, file); break;
      case OUT_CSV: print_csv(s, file); break;
      default: print_html(s, file); break;
    }
  }
}

void out_print_as(const out *o, out_form form, FILE *file) {
  switch (form) {
    case OUT_JSON: print_json(o, file); break;
    case OUT_TSV: print_tsv(o, file); break;
    case OUT_TABLE: print_tables(o, file); break;
    case OUT_LATEX:
    case OUT_MARKDOWN:
    case OUT_CSV:
    case OUT_HTML: print_each(o, form, file); break;
  }
}

void out_print(const out *o, FILE *file) { out_print_as(o, o->form, file); }
