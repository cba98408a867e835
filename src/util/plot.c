/* Drawing plots as SVG: see plot.h. Coordinates have one decimal, so that the same data gives the same bytes on every
 * machine. */
#include "util/plot.h"

#include <math.h>
#include <string.h>

#include "util/rounded.h"
#include "util/text.h"

enum { WIDTH = 760, TICKS_MAX = 40, ROW = 24, LETTER = 7, NAME_LETTERS = 34 };

static const char style[] =
    ".plot{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "max-width:100%;height:auto}"
    ".plot text{fill:#222}.plot .muted{fill:#555}"
    ".plot .paper{fill:#fff}.plot .axis{stroke:#555;stroke-width:1;fill:none}"
    ".plot .grid{stroke:#ddd;stroke-width:1}"
    ".plot .reference{stroke:#888;stroke-width:1;stroke-dasharray:4 3}"
    ".plot .line{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".plot .faint{stroke-width:1;stroke-opacity:.35}"
    ".plot .band{stroke:none;fill-opacity:.18}"
    ".plot .whisker{stroke-width:2;fill:none}"
    ".plot .over{stroke:#222;stroke-width:1.2;fill:none}"
    ".plot .d1{stroke-dasharray:7 3}.plot .d2{stroke-dasharray:2 3}.plot .d3{stroke-dasharray:9 3 "
    "2 3}"
    ".plot .f0{fill:#0072b2}.plot .s0{stroke:#0072b2}.plot .f1{fill:#d55e00}.plot "
    ".s1{stroke:#d55e00}"
    ".plot .f2{fill:#009e73}.plot .s2{stroke:#009e73}.plot .f3{fill:#cc79a7}.plot "
    ".s3{stroke:#cc79a7}"
    ".plot .f4{fill:#e69f00}.plot .s4{stroke:#e69f00}.plot .f5{fill:#56b4e9}.plot "
    ".s5{stroke:#56b4e9}"
    ".plot .f6{fill:#777}.plot .s6{stroke:#777}.plot .f7{fill:#111}.plot .s7{stroke:#111}"
    "@media screen and (prefers-color-scheme:dark){"
    ".plot text{fill:#e6e6e6}.plot .muted{fill:#aaa}.plot .paper{fill:#16181c}"
    ".plot .axis{stroke:#999}.plot .grid{stroke:#33363c}.plot .over{stroke:#eee}"
    ".plot .f0{fill:#3d9fdc}.plot .s0{stroke:#3d9fdc}.plot .f1{fill:#f0803c}.plot "
    ".s1{stroke:#f0803c}"
    ".plot .f2{fill:#25c398}.plot .s2{stroke:#25c398}.plot .f6{fill:#a0a0a0}.plot "
    ".s6{stroke:#a0a0a0}"
    ".plot .f7{fill:#f2f2f2}.plot .s7{stroke:#f2f2f2}.plot .band{fill-opacity:.28}}";

const char *plot_style(void) { return style; }

/* ---- scales and ticks ---- */

typedef struct range {
  double low, high; /* of the data */
  double from, to;  /* in pixels */
  plot_scale scale;
  double unit;
} range;

static double bent(const range *r, double value) {
  if (r->scale == PLOT_LINEAR || fabs(value) <= r->unit) return value / (r->unit > 0 ? r->unit : 1);
  return copysign(1 + rounded_log10(fabs(value) / r->unit), value);
}

static double place(const range *r, double value) {
  double low = bent(r, r->low), high = bent(r, r->high);
  double share = high > low ? (bent(r, value) - low) / (high - low) : 0.5;
  return r->from + share * (r->to - r->from);
}

size_t plot_ticks(double low, double high, size_t wanted, double *ticks, size_t room) {
  size_t count = 0;
  if (!(high > low) || !isfinite(low) || !isfinite(high) || wanted < 1) return 0;
  double raw = (high - low) / (double)wanted, power = rounded_pow(10, floor(rounded_log10(raw)));
  double step = raw <= power       ? power
                : raw <= 2 * power ? 2 * power
                : raw <= 5 * power ? 5 * power
                                   : 10 * power;
  for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && count < room; k++)
    ticks[count++] = k == 0 ? 0 : k * step;
  return count;
}

/* 0 and powers of ten on both sides. */
static size_t symlog_ticks(const range *r, double *ticks, size_t room) {
  size_t count = 0;
  for (int sign = -1; sign <= 1; sign++) {
    if (!sign && r->low <= 0 && r->high >= 0 && count < room) ticks[count++] = 0;
    for (int k = 0; sign && k < 12; k++) {
      double value = sign * r->unit * rounded_pow(10, sign < 0 ? 11 - k : k);
      if (value >= r->low && value <= r->high && count < room) ticks[count++] = value;
    }
  }
  return count;
}

const char *plot_number(double value, char text[32]) {
  double size = fabs(value), shown = value;
  const char *suffix = "";
  if (size >= 1e9) {
    shown = value / 1e9;
    suffix = "G";
  } else if (size >= 1e6) {
    shown = value / 1e6;
    suffix = "M";
  } else if (size >= 1e4) {
    shown = value / 1e3;
    suffix = "k";
  }
  snprintf(text, 32, "%.4g%s", shown == 0 ? 0 : shown, suffix);
  return text;
}

static void tick_text(const plot_axis *axis, double value, char text[32]) {
  plot_number(axis->percent ? 100 * value : value, text);
  size_t used = strlen(text);
  if (axis->percent) snprintf(text + used, 32 - used, " %%");
}

/* ---- extents ---- */

static void include(double value, double *low, double *high) {
  if (!isfinite(value)) return;
  if (isnan(*low) || value < *low) *low = value;
  if (isnan(*high) || value > *high) *high = value;
}

static bool in_x(plot_kind kind) { return kind == PLOT_INTERVAL; }

static void find_extent(const plot *p, bool of_x, double *low, double *high) {
  const plot_axis *axis = of_x ? &p->x : &p->y;
  *low = axis->low;
  *high = axis->high;
  for (size_t i = 0; !axis->fixed && i < p->mark_count; i++) {
    const plot_marks *m = &p->marks[i];
    for (size_t k = 0; k < m->count; k++) {
      bool bounds = m->kind == PLOT_INTERVAL || m->kind == PLOT_BAND;
      if (m->kind == PLOT_BAR && of_x) include(0, low, high);
      if (bounds && of_x == in_x(m->kind)) {
        include(m->low[k], low, high);
        include(m->high[k], low, high);
      } else {
        include(of_x ? m->x[k] : m->y[k], low, high);
      }
    }
  }
  if (isnan(*low)) *low = 0;
  if (isnan(*high)) *high = 1;
  if (*low > 0 && *low < 0.35 * *high) *low = 0;
  if (*high == *low) *high = *low + (*low != 0 ? fabs(*low) : 1);
  if (!axis->fixed) {
    double edge = 0.03 * (*high - *low);
    if (*high != axis->high) *high += edge;
    if (*low != axis->low && *low != 0) *low -= edge;
  }
}

/* ---- texts ---- */

static size_t letters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += (*text & 0xc0) != 0x80;
  return count;
}

/* A name that is too long is cut, with the whole of it as a tooltip. */
static void write_name(FILE *file, const char *name) {
  char cut[4 * NAME_LETTERS + 8];
  if (letters(name) <= NAME_LETTERS) {
    text_write_html(file, name);
    return;
  }
  size_t bytes = 0, seen = 0;
  while (seen < NAME_LETTERS - 1 && bytes < sizeof cut - 8) {
    bytes++;
    while ((name[bytes] & 0xc0) == 0x80 && bytes < sizeof cut - 8) bytes++;
    seen++;
  }
  memcpy(cut, name, bytes);
  memcpy(cut + bytes, "\xe2\x80\xa6", 4);
  fputs("<title>", file);
  text_write_html(file, name);
  fputs("</title>", file);
  text_write_html(file, cut);
}

static void write_hover(FILE *file, const plot_marks *m, size_t k) {
  if (!m->hover || !m->hover[k]) return;
  fputs("<title>", file);
  text_write_html(file, m->hover[k]);
  fputs("</title>", file);
}

/* ---- marks ---- */

typedef struct area {
  range x, y;
} area;

static double clamped(const range *r, double value) {
  double least = fmin(r->from, r->to), most = fmax(r->from, r->to);
  return fmin(most, fmax(least, place(r, isinf(value) ? (value > 0 ? r->high : r->low) : value)));
}

static void draw_bars(FILE *file, const area *a, const plot_marks *m) {
  for (size_t k = 0; k < m->count; k++) {
    if (isnan(m->x[k])) continue;
    double zero = clamped(&a->x, 0), end = clamped(&a->x, m->x[k]);
    double top = place(&a->y, m->y[k] - 0.5 * m->size),
           bottom = place(&a->y, m->y[k] + 0.5 * m->size);
    fprintf(file, "<rect class=\"mark f%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            m->color % PLOT_COLORS, fmin(zero, end), fmin(top, bottom), fmax(0.7, fabs(end - zero)),
            fabs(bottom - top));
    write_hover(file, m, k);
    fputs("</rect>", file);
  }
}

static void draw_dots(FILE *file, const area *a, const plot_marks *m) {
  for (size_t k = 0; k < m->count; k++) {
    if (isnan(m->x[k]) || isnan(m->y[k])) continue;
    fprintf(file, "<circle class=\"mark f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">",
            m->color % PLOT_COLORS, clamped(&a->x, m->x[k]), place(&a->y, m->y[k]),
            m->size > 0 ? m->size : 4.5);
    write_hover(file, m, k);
    fputs("</circle>", file);
  }
}

static void draw_intervals(FILE *file, const area *a, const plot_marks *m) {
  for (size_t k = 0; k < m->count; k++) {
    if (isnan(m->low[k]) || isnan(m->high[k])) continue;
    double y = place(&a->y, m->y[k]), from = clamped(&a->x, m->low[k]),
           to = clamped(&a->x, m->high[k]);
    if (m->faint)
      fputs("<path class=\"mark over\"", file);
    else
      fprintf(file, "<path class=\"mark whisker s%d\"", m->color % PLOT_COLORS);
    fprintf(file, " d=\"M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f %.1fv6\">", from, y, to, from, y - 3, to,
            y - 3);
    write_hover(file, m, k);
    fputs("</path>", file);
  }
}

static void draw_line(FILE *file, const area *a, const plot_marks *m) {
  static const char *const dashes[] = {"", " d1", " d2", " d3"};
  bool pen = false;
  fprintf(file, "<path class=\"mark line s%d%s%s\" d=\"", m->color % PLOT_COLORS,
          dashes[m->color / PLOT_COLORS % 4], m->faint ? " faint" : "");
  for (size_t k = 0; k < m->count; k++) {
    if (!isfinite(m->y[k])) {
      pen = false;
      continue;
    }
    double x = place(&a->x, m->x[k]), y = clamped(&a->y, m->y[k]);
    if (pen && m->kind == PLOT_STEPS) fprintf(file, "H%.1f", x);
    fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', x, y);
    pen = true;
  }
  fputs("\">", file);
  write_hover(file, m, 0);
  fputs("</path>", file);
}

static void draw_band(FILE *file, const area *a, const plot_marks *m) {
  for (size_t k = 0, end; k < m->count; k = end + 1) {
    end = k;
    while (end < m->count && isfinite(m->low[end]) && isfinite(m->high[end])) end++;
    if (end < k + 2) continue;
    fprintf(file, "<path class=\"mark band f%d\" d=\"", m->color % PLOT_COLORS);
    for (size_t i = k; i < end; i++)
      fprintf(file, "%c%.1f %.1f", i > k ? 'L' : 'M', place(&a->x, m->x[i]),
              clamped(&a->y, m->high[i]));
    for (size_t i = end; i-- > k;)
      fprintf(file, "L%.1f %.1f", place(&a->x, m->x[i]), clamped(&a->y, m->low[i]));
    fputs("Z\"/>", file);
  }
}

static void draw_marks(FILE *file, const area *a, const plot_marks *m) {
  switch (m->kind) {
    case PLOT_BAR: draw_bars(file, a, m); break;
    case PLOT_DOT: draw_dots(file, a, m); break;
    case PLOT_INTERVAL: draw_intervals(file, a, m); break;
    case PLOT_LINE:
    case PLOT_STEPS: draw_line(file, a, m); break;
    case PLOT_BAND: draw_band(file, a, m); break;
  }
}

/* ---- the frame ---- */

/* Rows of the legend are as wide as the plot. Draws it if `file` is not NULL; returns its height. */
static double legend(const plot *p, double top, FILE *file) {
  static const char *const dashes[] = {"", " d1", " d2", " d3"};
  double x = 0, y = top;
  if (!p->legend || !p->legend_count) return 0;
  for (size_t i = 0; i < p->legend_count; i++) {
    size_t length = letters(p->legend[i]);
    double width = 34 + LETTER * (double)(length < NAME_LETTERS ? length : NAME_LETTERS);
    if (x > 0 && x + width > WIDTH - 16) {
      x = 0;
      y += 20;
    }
    if (file) {
      if (i < PLOT_COLORS)
        fprintf(file, "<rect class=\"f%d\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"10\"/>",
                (int)i, 10 + x, y + 4);
      else
        fprintf(file, "<path class=\"line s%d%s\" d=\"M%.1f %.1fh16\"/>", (int)(i % PLOT_COLORS),
                dashes[i / PLOT_COLORS % 4], 10 + x, y + 9);
      fprintf(file, "<text x=\"%.1f\" y=\"%.1f\">", 30 + x, y + 13);
      write_name(file, p->legend[i]);
      fputs("</text>", file);
    }
    x += width;
  }
  return y - top + 26;
}

static void draw_x_axis(FILE *file, const plot *p, const area *a) {
  double ticks[TICKS_MAX], top = fmin(a->y.from, a->y.to), bottom = fmax(a->y.from, a->y.to);
  size_t count = p->x.scale == PLOT_SYMLOG ? symlog_ticks(&a->x, ticks, TICKS_MAX)
                                           : plot_ticks(a->x.low, a->x.high, 7, ticks, TICKS_MAX);
  for (size_t i = 0; i < count; i++) {
    char text[32];
    double x = place(&a->x, ticks[i]);
    tick_text(&p->x, ticks[i], text);
    fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, top, bottom);
    fprintf(file, "<text class=\"muted\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", x,
            bottom + 16, text);
  }
  if (!isnan(p->reference) && p->reference >= a->x.low && p->reference <= a->x.high)
    fprintf(file, "<path class=\"reference\" d=\"M%.1f %.1fV%.1f\"/>", place(&a->x, p->reference),
            top, bottom);
  if (p->x.title) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            0.5 * (a->x.from + a->x.to), bottom + 34);
    text_write_html(file, p->x.title);
    fputs("</text>", file);
  }
}

static void draw_y_axis(FILE *file, const plot *p, const area *a) {
  double ticks[TICKS_MAX];
  if (p->y.names) {
    for (size_t i = 0; i < p->y.name_count; i++) {
      fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", a->x.from - 8,
              place(&a->y, (double)i) + 4);
      write_name(file, p->y.names[i]);
      fputs("</text>", file);
    }
  } else {
    size_t count = p->y.scale == PLOT_SYMLOG ? symlog_ticks(&a->y, ticks, TICKS_MAX)
                                             : plot_ticks(a->y.low, a->y.high, 6, ticks, TICKS_MAX);
    for (size_t i = 0; i < count; i++) {
      char text[32];
      double y = place(&a->y, ticks[i]);
      tick_text(&p->y, ticks[i], text);
      fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", a->x.from, y, a->x.to);
      fprintf(file, "<text class=\"muted\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
              a->x.from - 8, y + 4, text);
    }
    if (p->y.title) {
      double middle = 0.5 * (a->y.from + a->y.to);
      fprintf(file,
              "<text x=\"14\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\">",
              middle, middle);
      text_write_html(file, p->y.title);
      fputs("</text>", file);
    }
  }
  fprintf(file, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", a->x.from,
          fmin(a->y.from, a->y.to), fmax(a->y.from, a->y.to), a->x.to);
}

void plot_write(const plot *p, bool standalone, FILE *file) {
  double left = 70, top = standalone && p->title ? 30 : 6, x_low, x_high, y_low, y_high;
  if (p->y.names) {
    size_t longest = 0;
    for (size_t i = 0; i < p->y.name_count; i++) {
      size_t length = letters(p->y.names[i]);
      if (length > longest) longest = length;
    }
    left = 22 + LETTER * (double)(longest < NAME_LETTERS ? longest : NAME_LETTERS);
  }
  double first = top + legend(p, top, NULL);
  double height = p->height > 0 ? p->height : ROW * (double)(p->y.names ? p->y.name_count : 12);
  double total = first + height + (p->x.title ? 46 : 28);
  find_extent(p, true, &x_low, &x_high);
  find_extent(p, false, &y_low, &y_high);
  area a = {.x = {x_low, x_high, left, WIDTH - 26, p->x.scale, p->x.unit},
            .y = {y_low, y_high, first + height, first, p->y.scale, p->y.unit}};
  /* names go from top to bottom */
  if (p->y.names)
    a.y = (range){-0.5, (double)p->y.name_count - 0.5, first, first + height, PLOT_LINEAR, 0};
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 %d "
          "%.0f\" width=\"%d\" "
          "height=\"%.0f\"",
          WIDTH, total, WIDTH, total);
  if (p->title) {
    fputs(" aria-label=\"", file);
    text_write_html(file, p->title);
    fputc('"', file);
  }
  fputc('>', file);
  if (standalone) {
    fprintf(file, "<style>%s</style><rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>",
            style);
    if (p->title) {
      fputs("<text x=\"10\" y=\"19\" font-weight=\"600\">", file);
      text_write_html(file, p->title);
      fputs("</text>", file);
    }
  }
  legend(p, top, file);
  draw_x_axis(file, p, &a);
  draw_y_axis(file, p, &a);
  for (size_t i = 0; i < p->mark_count; i++) draw_marks(file, &a, &p->marks[i]);
  fputs("</svg>", file);
}
