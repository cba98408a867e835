/* Plots as SVG: bars, dots, intervals, lines, steps and bands on two axes. A plot is drawn without any library, so that
 * a report needs nothing but the program.
 *
 * Marks have one of PLOT_COLORS colors, which people with any kind of color vision can tell apart (after Okabe and Ito
 * 2008); further series repeat them with dashed lines. Colors are classes of CSS: plot_style() has the rules, for light
 * and dark. Every mark can have a text that is shown when the pointer is over it. */
#ifndef SIXER_UTIL_PLOT_H
#define SIXER_UTIL_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_COLORS = 8 };

typedef enum plot_scale {
  PLOT_LINEAR,
  PLOT_SYMLOG, /* linear from -unit to unit, logarithmic beyond */
} plot_scale;

typedef struct plot_axis {
  const char *title;
  plot_scale scale;
  double unit;      /* of PLOT_SYMLOG */
  double low, high; /* what is shown at least; NaN: as the data says */
  bool fixed;       /* exactly from low to high: marks outside are clipped */
  bool percent;     /* numbers are fractions and are shown as percentages */
  /* Names instead of numbers, from top to bottom at 0, 1, ...; for the y axis alone. NULL: numbers */
  const char *const *names;
  size_t name_count;
} plot_axis;

typedef enum plot_kind {
  PLOT_BAR,      /* from 0 to x, with the height `size`, around y */
  PLOT_DOT,      /* at x, y */
  PLOT_INTERVAL, /* from low to high in x, at y */
  PLOT_LINE,     /* through x, y; interrupted where y is NaN */
  PLOT_STEPS,    /* the same, staying at y until the next x */
  PLOT_BAND,     /* between low and high in y, over x */
} plot_kind;

/* `count` marks of one kind and color. */
typedef struct plot_marks {
  plot_kind kind;
  int color;  /* number of the series */
  bool faint; /* thin and transparent */
  double size;
  const double *x, *y, *low, *high; /* those that the kind uses */
  const char *const *hover;         /* a text for each mark (one for a line or band); NULL: none */
  size_t count;
} plot_marks;

typedef struct plot {
  const char *title; /* for screen readers, and above standalone plots */
  plot_axis x, y;
  double height; /* of the area inside the axes; 0: by the names */
  const plot_marks *marks;
  size_t mark_count;
  const char *const *legend; /* names of the series, by color; NULL: none */
  size_t legend_count;
  double reference; /* a vertical line at this x; NaN: none */
} plot;

/* Write an <svg> element. A `standalone` one has its own style, background and title. */
void plot_write(const plot *p, bool standalone, FILE *file);

/* The rules of CSS that plots inside a page need. */
const char *plot_style(void);

/* Ticks for an axis from low to high: at most `room` round numbers. Returns how many. */
size_t plot_ticks(double low, double high, size_t wanted, double *ticks, size_t room);

/* A number for people: 0.25, 1,500, 10M. */
const char *plot_number(double value, char text[32]);

#endif
