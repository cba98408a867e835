/* Painting: from bits to pixels. */
#ifndef SIXER_MACHINE_TIA_PAINT_H
#define SIXER_MACHINE_TIA_PAINT_H

#include "machine/tia_lit.h"

/* Pixels of one run of colors: where the three colors in front of the background show. No pixel has two of them. */
typedef struct paint {
  line_bits shown[3]; /* by COLOR_P0, COLOR_P1, COLOR_PF */
  uint32_t colors;    /* as in a style */
  int x, end; /* pixels x .. end - 1; those to the right, up to a multiple of 16, are of no use */
} paint;

/* How much the processor can do at once; all give the same pixels. */
typedef enum tia_painter { PAINT_BY_WORDS, PAINT_BY_32, PAINT_BY_64, PAINTERS } tia_painter;

/* The best one that this processor has. */
tia_painter tia_best_painter(void);

/* Paint the background of pixels x .. end - 1, sixteen at once: pixels to the right, up to a multiple of 16, are
 * overwritten; those to the left of x stay. */
void tia_paint_back(uint8_t *out, uint8_t color, int x, int end);

void tia_paint_by_words(const tia_tables *tables, const paint *p, uint8_t *out);

#endif
