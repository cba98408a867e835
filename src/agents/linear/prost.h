/* Tiles of the screen and the features made of them: Basic, BASS, B-PROS and B-PROST, for learners and for planners.
 *
 * Tiles are 10 pixels wide and 15 high: 16 columns, 14 rows. A pixel counts if it differs from the background. Basic
 * features (Naddaf 2010) say which colors are in which tiles. B-PROST features (Liang et al. 2016) add at which
 * offsets from each other colors are, now and since the screen before. Only the uppermost 210 lines of a screen are
 * looked at; lines that a screen does not have are background. */
#ifndef SIXER_AGENTS_LINEAR_PROST_H
#define SIXER_AGENTS_LINEAR_PROST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PROST_COLUMNS = 16,
  PROST_ROWS = 14,
  PROST_COLORS = 128,
  PROST_WIDTH = 160,
  PROST_HEIGHT = 210,
  PROST_PIXELS = PROST_WIDTH * PROST_HEIGHT,
  PROST_BASIC = PROST_ROWS * PROST_COLUMNS * PROST_COLORS,
  PROST_OFFSETS = (2 * PROST_ROWS - 1) * (2 * PROST_COLUMNS - 1),
  /* pairs of colors in space are unordered, those in time ordered */
  PROST_SPACE = PROST_OFFSETS * (PROST_COLORS * (PROST_COLORS + 1) / 2),
  PROST_TIME = PROST_OFFSETS * PROST_COLORS * PROST_COLORS,
  PROST_COUNT = PROST_BASIC + PROST_SPACE + PROST_TIME
};

/* ---- Tiles ----------------------------------------------------------------------------------------------------- */

/* The colors in each tile, kept from screen to screen: rows of tiles that show what they showed before are not looked
 * at again. An all-zero struct has seen no screen. */
typedef struct tile_colors {
  uint64_t sets[PROST_ROWS][PROST_COLUMNS][2]; /* bit c: a foreground pixel has color c */
  bool known;                                  /* `before` holds the last screen */
  uint8_t before[PROST_PIXELS];
} tile_colors;

/* Look at a screen. The background is PROST_PIXELS bytes and the same for all screens. */
void tile_colors_update(tile_colors *t, const uint8_t *screen, int height,
                        const uint8_t *background);

/* The basic features of the last screen, in ascending order: at most PROST_BASIC. A feature is
 * (row * 16 + column) * 128 + color. Returns how many. */
int tile_colors_basic(const tile_colors *t, uint16_t *features);

/* The same without memory of the screen before. */
int prost_basic(const uint8_t *screen, int height, const uint8_t *background, uint16_t *features);

/* ---- Offsets --------------------------------------------------------------------------------------------------- */

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

#endif
