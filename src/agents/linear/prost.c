/* Tiles of the screen: which colors are in them. */
#include "agents/linear/prost.h"

#include <string.h>

enum { TILE_WIDTH = 10, TILE_HEIGHT = 15 };

/* Add the colors of a line's foreground pixels to the sets of its tiles. Eight pixels are compared at a time; most
 * show the background. */
static void add_line(const uint8_t *line, const uint8_t *behind, uint64_t sets[PROST_COLUMNS][2]) {
  for (int x = 0; x < PROST_WIDTH; x += 8) {
    uint64_t a, b;
    memcpy(&a, line + x, 8);
    memcpy(&b, behind + x, 8);
    if (a == b) continue;
    for (int i = x; i < x + 8; i++) {
      if (line[i] != behind[i])
        sets[i / TILE_WIDTH][line[i] >> 7] |= (uint64_t)1 << (line[i] >> 1 & 63);
    }
  }
}

/* The sets of one row of tiles. A line that equals the one above it, background included, adds nothing. */
static void look_at_row(const uint8_t *screen, int height, const uint8_t *background, int row,
                        uint64_t sets[PROST_COLUMNS][2]) {
  int first = row * TILE_HEIGHT, end = first + TILE_HEIGHT < height ? first + TILE_HEIGHT : height;
  memset(sets, 0, PROST_COLUMNS * sizeof sets[0]);
  for (int y = first; y < end; y++) {
    const uint8_t *line = screen + y * PROST_WIDTH, *behind = background + y * PROST_WIDTH;
    if (y > first && !memcmp(line, line - PROST_WIDTH, PROST_WIDTH) &&
        !memcmp(behind, behind - PROST_WIDTH, PROST_WIDTH))
      continue;
    add_line(line, behind, sets);
  }
}

void tile_colors_update(tile_colors *t, const uint8_t *screen, int height,
                        const uint8_t *background) {
  enum { BYTES = TILE_HEIGHT * PROST_WIDTH };
  if (height > PROST_HEIGHT) height = PROST_HEIGHT;
  for (int row = 0; row < PROST_ROWS; row++) {
    int lines = height - row * TILE_HEIGHT;
    if (lines > TILE_HEIGHT) lines = TILE_HEIGHT;
    size_t size = lines > 0 ? (size_t)lines * PROST_WIDTH : 0;
    uint8_t *before = t->before + row * BYTES;
    if (t->known && (!size || !memcmp(screen + row * BYTES, before, size))) continue;
    if (size) memcpy(before, screen + row * BYTES, size);
    look_at_row(screen, height, background, row, t->sets[row]);
  }
  t->known = true;
}

static int list_row(const uint64_t sets[PROST_COLUMNS][2], int row, uint16_t *features) {
  int count = 0;
  for (int column = 0; column < PROST_COLUMNS; column++) {
    for (int half = 0; half < 2; half++) {
      for (uint64_t set = sets[column][half]; set; set &= set - 1) {
        int color = 64 * half + __builtin_ctzll(set);
        features[count++] = (uint16_t)((row * PROST_COLUMNS + column) * PROST_COLORS + color);
      }
    }
  }
  return count;
}

int tile_colors_basic(const tile_colors *t, uint16_t *features) {
  int count = 0;
  for (int row = 0; row < PROST_ROWS; row++) count += list_row(t->sets[row], row, features + count);
  return count;
}

int prost_basic(const uint8_t *screen, int height, const uint8_t *background, uint16_t *features) {
  int count = 0;
  if (height > PROST_HEIGHT) height = PROST_HEIGHT;
  for (int row = 0; row < PROST_ROWS; row++) {
    uint64_t sets[PROST_COLUMNS][2];
    look_at_row(screen, height, background, row, sets);
    count += list_row(sets, row, features + count);
  }
  return count;
}
