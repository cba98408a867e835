/* B-PROST features of the screen. */
#include "agents/prost.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 210, TILE_WIDTH = 10, TILE_HEIGHT = 15 };

int prost_basic(const uint8_t *screen, int height, const uint8_t *background, uint16_t *features) {
  int count = 0;
  if (height > HEIGHT) height = HEIGHT;
  for (int row = 0; row < PROST_ROWS; row++) {
    uint64_t colors[PROST_COLUMNS][2] = {{0}};
    int end = (row + 1) * TILE_HEIGHT < height ? (row + 1) * TILE_HEIGHT : height;
    for (int y = row * TILE_HEIGHT; y < end; y++) {
      const uint8_t *line = screen + y * WIDTH, *behind = background + y * WIDTH;
      for (int x = 0; x < WIDTH; x += 8) {
        uint64_t a, b;
        memcpy(&a, line + x, 8);
        memcpy(&b, behind + x, 8);
        if (a == b) continue;
        for (int i = x; i < x + 8; i++) {
          if (line[i] != behind[i])
            colors[i / TILE_WIDTH][line[i] >> 7] |= (uint64_t)1 << (line[i] >> 1 & 63);
        }
      }
    }
    for (int column = 0; column < PROST_COLUMNS; column++) {
      for (int half = 0; half < 2; half++) {
        for (uint64_t set = colors[column][half]; set; set &= set - 1) {
          int color = 64 * half + __builtin_ctzll(set);
          features[count++] = (uint16_t)((row * PROST_COLUMNS + column) * PROST_COLORS + color);
        }
      }
    }
  }
  return count;
}

/* ---- Background ------------------------------------------------------------------------------------------------ */

struct prost_histogram {
  uint16_t counts[PROST_PIXELS][PROST_COLORS];
};

prost_histogram *prost_histogram_create(void) { return calloc(1, sizeof(prost_histogram)); }
void prost_histogram_destroy(prost_histogram *h) { free(h); }

void prost_histogram_add(prost_histogram *h, const uint8_t *screen, int height) {
  for (int i = 0; i < height * WIDTH && i < PROST_PIXELS; i++) {
    uint16_t *count = &h->counts[i][screen[i] >> 1];
    if (*count < UINT16_MAX) ++*count;
  }
}

void prost_histogram_background(const prost_histogram *h, uint8_t *background) {
  for (int i = 0; i < PROST_PIXELS; i++) {
    int best = 0;
    for (int c = 1; c < PROST_COLORS; c++) {
      if (h->counts[i][c] > h->counts[i][best]) best = c;
    }
    background[i] = (uint8_t)(2 * best);
  }
}
