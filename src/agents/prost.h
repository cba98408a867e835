/* B-PROST features of the screen (Liang et al. 2016): which colors are in which tiles, at which offsets from each
 * other, now and since the screen before. Tiles are 10 pixels wide and 15 high: 16 columns, 14 rows. Pixels that show
 * the background do not count. */
#ifndef SIXER_AGENTS_PROST_H
#define SIXER_AGENTS_PROST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PROST_COLUMNS = 16,
  PROST_ROWS = 14,
  PROST_COLORS = 128,
  PROST_PIXELS = 160 * 210,
  PROST_BASIC = PROST_ROWS * PROST_COLUMNS * PROST_COLORS,
  PROST_OFFSETS = (2 * PROST_ROWS - 1) * (2 * PROST_COLUMNS - 1),
  /* pairs of colors in space are unordered, those in time ordered */
  PROST_SPACE = PROST_OFFSETS * (PROST_COLORS * (PROST_COLORS + 1) / 2),
  PROST_TIME = PROST_OFFSETS * PROST_COLORS * PROST_COLORS,
  PROST_COUNT = PROST_BASIC + PROST_SPACE + PROST_TIME
};

/* The basic features of a screen, in ascending order: at most PROST_BASIC. A feature is (row * 16 + column) * 128 +
 * color. Rows of the screen beyond 210 are not looked at; missing ones are background. Returns how many. */
int prost_basic(const uint8_t *screen, int height, const uint8_t *background, uint16_t *features);

/* The number of the feature that two basic ones make on one screen, and of one on the screen before and one now. */
static inline uint32_t prost_space(uint16_t p, uint16_t q) {
  uint32_t a = p % PROST_COLORS, b = q % PROST_COLORS;
  int rows = p / (PROST_COLUMNS * PROST_COLORS) - q / (PROST_COLUMNS * PROST_COLORS);
  int columns = p / PROST_COLORS % PROST_COLUMNS - q / PROST_COLORS % PROST_COLUMNS;
  /* the lower color first; of two mirrored offsets of one color, one */
  if (a > b || (a == b && (rows < 0 || (rows == 0 && columns < 0)))) {
    uint32_t other = a;
    a = b, b = other, rows = -rows, columns = -columns;
  }
  uint32_t pair = a * (2 * PROST_COLORS - a + 1) / 2 + (b - a);
  return PROST_BASIC + pair * PROST_OFFSETS +
         (uint32_t)((rows + PROST_ROWS - 1) * (2 * PROST_COLUMNS - 1) + columns + PROST_COLUMNS -
                    1);
}

static inline uint32_t prost_time(uint16_t before, uint16_t now) {
  uint32_t a = before % PROST_COLORS, b = now % PROST_COLORS;
  int rows = before / (PROST_COLUMNS * PROST_COLORS) - now / (PROST_COLUMNS * PROST_COLORS);
  int columns = before / PROST_COLORS % PROST_COLUMNS - now / PROST_COLORS % PROST_COLUMNS;
  return PROST_BASIC + PROST_SPACE + (a * PROST_COLORS + b) * PROST_OFFSETS +
         (uint32_t)((rows + PROST_ROWS - 1) * (2 * PROST_COLUMNS - 1) + columns + PROST_COLUMNS -
                    1);
}

/* The background: what each pixel shows most often, the lowest color among equals. Add screens, then ask once. */
typedef struct prost_histogram prost_histogram;
prost_histogram *prost_histogram_create(void); /* NULL: no memory */
void prost_histogram_add(prost_histogram *h, const uint8_t *screen, int height);
void prost_histogram_background(const prost_histogram *h, uint8_t *background); /* PROST_PIXELS */
void prost_histogram_destroy(prost_histogram *h);

#endif
