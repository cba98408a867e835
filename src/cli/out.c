/* Tables, TSV and JSON. Numbers are written in full in TSV and JSON (the shortest decimal that
 * reads back the same), and with a chosen number of digits in tables. JSON has no infinity: it is
 * written as the string "inf". */
#include "cli/out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell {
  char *text; /* NULL: a number */
  double number;
  int digits;
  bool whole, empty;
} cell;

typedef struct section {
  char *key, *title;
  char **columns; /* NULL: a single value */
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

static char *copy(const char *text) { return text ? must(strdup(text)) : NULL; }

out *out_create(out_form form) {
  out *o = must(calloc(1, sizeof *o));
  o->form = form;
  return o;
}

void out_destroy(out *o) {
  for (size_t i = 0; o && i < o->count; i++) {
    section *s = &o->sections[i];
    for (size_t c = 0; c < s->count; c++) free(s->cells[c].text);
    for (size_t c = 0; c < s->column_count; c++) free(s->columns[c]);
    free(s->columns);
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
    size_t length = strcspn(p, "|");
    s->columns = must(realloc(s->columns, (s->column_count + 1) * sizeof *s->columns));
    s->columns[s->column_count++] = must(strndup(p, length));
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

/* ---- writing ---- */

static const char *number_text(const cell *c, bool full, char buffer[64]) {
  if (isinf(c->number)) return c->number > 0 ? "inf" : "-inf";
  if (c->whole || (full && c->number == floor(c->number) && fabs(c->number) < 1e15)) {
    snprintf(buffer, 64, "%.0f", c->number);
  } else if (!full) {
    snprintf(buffer, 64, "%.*f", c->digits, c->number);
  } else {
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(buffer, 64, "%.*g", digits, c->number);
      if (strtod(buffer, NULL) == c->number) break;
    }
  }
  return buffer;
}

static void write_json_text(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\') {
      fprintf(file, "\\%c", *p);
    } else if (*p < 0x20) {
      fprintf(file, "\\u%04x", *p);
    } else {
      fputc(*p, file);
    }
  }
  fputc('"', file);
}

static void write_json_cell(FILE *file, const cell *c) {
  char buffer[64];
  if (c->empty) {
    fputs("null", file);
  } else if (c->text) {
    write_json_text(file, c->text);
  } else if (isinf(c->number)) {
    write_json_text(file, number_text(c, true, buffer));
  } else {
    fputs(number_text(c, true, buffer), file);
  }
}

static void print_json(const out *o, FILE *file) {
  fputs("{\n", file);
  for (size_t i = 0; i < o->count; i++) {
    const section *s = &o->sections[i];
    fputs("  ", file);
    write_json_text(file, s->key);
    fputs(": ", file);
    if (!s->columns) {
      write_json_cell(file, &s->cells[0]);
    } else {
      fputc('[', file);
      for (size_t c = 0; c < s->count; c++) {
        size_t column = c % s->column_count;
        fputs(column ? ", " : c ? ",\n    {" : "\n    {", file);
        write_json_text(file, s->columns[column]);
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
    for (size_t c = 0; c < s->column_count; c++)
      fprintf(file, "%s%s", c ? "\t" : "", s->columns[c]);
    for (size_t c = 0; c < s->count; c++) {
      const cell *x = &s->cells[c];
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
    for (size_t line = 0; line <= s->count / s->column_count; line++) {
      for (size_t column = 0; column < s->column_count; column++) {
        int width = width_of(s->columns[column]);
        bool texts = false, empty = s->count > 0;
        for (size_t r = column; r < s->count; r += s->column_count) {
          const cell *c = &s->cells[r];
          int w = width_of(c->empty ? "-" : c->text ? c->text : number_text(c, false, buffer));
          texts |= c->text != NULL;
          empty &= c->empty;
          if (w > width) width = w;
        }
        if (empty) continue; /* a column without any value is left out */
        const cell *c = line ? &s->cells[(line - 1) * s->column_count + column] : NULL;
        const char *text = !c         ? s->columns[column]
                           : c->empty ? "-"
                           : c->text  ? c->text
                                      : number_text(c, false, buffer);
        int pad = width - width_of(text);
        bool last = column + 1 == s->column_count;
        fputs("  ", file);
        if (texts) {
          fprintf(file, "%s%*s", text, last ? 0 : pad, "");
        } else {
          fprintf(file, "%*s%s", pad, "", text);
        }
      }
      fputc('\n', file);
    }
  }
}

void out_print(const out *o, FILE *file) {
  switch (o->form) {
    case OUT_JSON: print_json(o, file); break;
    case OUT_TSV: print_tsv(o, file); break;
    case OUT_TABLE: print_tables(o, file); break;
  }
}
