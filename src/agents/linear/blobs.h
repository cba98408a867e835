/* Blobs: the pixels of one color that lie close together, as one object (Liang et al. 2016).
 *
 * Two pixels belong to one blob if they have the same color and are connected by pixels of that color, each at most
 * `neighborhood` rows and columns from the next. A blob stands at the center of its bounding box. What counts is the
 * tile in which that center lies; blobs of one color in one tile count once. Tiles are 4 pixels wide and 7 high. */
#ifndef SIXER_AGENTS_LINEAR_BLOBS_H
#define SIXER_AGENTS_LINEAR_BLOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  BLOB_WIDTH = 160,
  BLOB_HEIGHT = 210, /* rows of the screen below are not looked at */
  BLOB_COLORS = 128, /* palette bytes without their lowest bit */
  BLOB_ROWS = 30,
  BLOB_COLUMNS = 40,
  BLOB_TILES = BLOB_ROWS * BLOB_COLUMNS,
  BLOB_PLACES = 2 * BLOB_COLUMNS - 1, /* from one row of tiles to the next, in `place` */
  BLOB_NEIGHBORHOOD_MAX = 32,
  BLOBS_MAX = BLOB_WIDTH * BLOB_HEIGHT
};

/* The blobs of a screen by color, in ascending order of colors. */
typedef struct blob_list {
  int count;
  int colors;                     /* how many colors have blobs */
  uint8_t color[BLOB_COLORS];     /* those colors, ascending */
  int32_t start[BLOB_COLORS + 1]; /* the blobs of color[i] are start[i] .. start[i + 1] - 1 */
  /* row * 79 + column of the blob's tile, in descending order within a color. Rows are 79 apart so that the difference
   * of two places is an offset between tiles that no other offset equals. */
  int16_t place[BLOBS_MAX];
} blob_list;

static inline int blob_tile(int place) {
  return place / BLOB_PLACES * BLOB_COLUMNS + place % BLOB_PLACES;
}

/* Instruction sets that the finder can be made for. All find the same blobs. */
typedef enum blob_set { BLOBS_PLAIN, BLOBS_AVX2, BLOBS_AVX512, BLOBS_BEST } blob_set;

typedef struct blob_finder blob_finder;
blob_finder *blob_finder_create(int neighborhood, blob_set set); /* NULL: no memory */
void blob_finder_destroy(blob_finder *finder);                   /* NULL is allowed */
bool blob_set_works(blob_set set);                               /* on this processor */

/* The blobs of a screen of `height` rows of 160 palette bytes. */
void blob_finder_find(blob_finder *finder, const uint8_t *screen, int height, blob_list *out);

#endif
