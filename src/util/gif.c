/* GIF: blocks of LZW codes of up to 12 bits. The dictionary is a table from (code, byte) to code; when its 4096 entries
 * are used up it is cleared. A picture is held back until one comes that differs, because the file states how long it
 * is shown before its pixels. */
#include "util/gif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/replace.h"

enum { CLEAR = 256, END = 257, FIRST = 258, MAX_CODES = 4096, HASH = 8192 };

struct gif {
  replacement *output;
  FILE *file; /* the output's file */
  int width, height;
  uint8_t *shown, *waiting; /* the picture written last; the one that is held back */
  bool any_shown, any_waiting, failed;
  int delay; /* of the picture that is held back, in hundredths of a second */

  /* output of codes */
  uint32_t bits;
  int bit_count, block_size;
  uint8_t block[255];

  /* dictionary: open addressing */
  struct {
    int32_t key; /* code << 8 | byte; -1: free */
    int16_t code;
  } table[HASH];
};

static void put_byte(gif *g, int value) {
  if (fputc(value & 0xFF, g->file) == EOF) g->failed = true;
}
static void put_word(gif *g, int value) {
  put_byte(g, value);
  put_byte(g, value >> 8);
}
static void put_bytes(gif *g, const void *bytes, size_t size) {
  if (fwrite(bytes, 1, size, g->file) != size) g->failed = true;
}

/* ---- Codes ----------------------------------------------------------------------------------------------------- */

static void flush_block(gif *g) {
  if (g->block_size == 0) return;
  put_byte(g, g->block_size);
  put_bytes(g, g->block, (size_t)g->block_size);
  g->block_size = 0;
}

static void put_code(gif *g, int code, int width) {
  g->bits |= (uint32_t)code << g->bit_count;
  for (g->bit_count += width; g->bit_count >= 8; g->bit_count -= 8, g->bits >>= 8) {
    g->block[g->block_size++] = (uint8_t)g->bits;
    if (g->block_size == 255) flush_block(g);
  }
}

static void clear_table(gif *g) {
  for (int i = 0; i < HASH; i++) g->table[i].key = -1;
}

/* Where the pair is in the table, or where it may be put. */
static int find_pair(const gif *g, int32_t key) {
  unsigned at = (unsigned)key * 2654435761u >> 19;
  while (g->table[at].key != -1 && g->table[at].key != key) at = (at + 1) % HASH;
  return (int)at;
}

static void put_pixels(gif *g, int left, int top, int width, int height) {
  int code_width = 9, next = FIRST, prefix = -1;
  put_byte(g, 8);
  g->bits = 0;
  g->bit_count = g->block_size = 0;
  clear_table(g);
  put_code(g, CLEAR, code_width);
  for (int y = top; y < top + height; y++) {
    for (int x = left; x < left + width; x++) {
      uint8_t byte = g->waiting[y * g->width + x];
      if (prefix < 0) {
        prefix = byte;
        continue;
      }
      int32_t key = prefix << 8 | byte;
      int at = find_pair(g, key);
      if (g->table[at].key == key) {
        prefix = g->table[at].code;
        continue;
      }
      put_code(g, prefix, code_width);
      if (next < MAX_CODES) {
        g->table[at].key = key;
        g->table[at].code = (int16_t)next;
        /* the reader learns each code one step later, hence no widening before `next` itself needs it */
        if (next == 1 << code_width) code_width++;
        next++;
      } else {
        put_code(g, CLEAR, code_width);
        clear_table(g);
        code_width = 9;
        next = FIRST;
      }
      prefix = byte;
    }
  }
  put_code(g, prefix, code_width);
  put_code(g, END, code_width);
  if (g->bit_count > 0) put_code(g, 0, 8 - g->bit_count);
  flush_block(g);
  put_byte(g, 0);
}

/* ---- Pictures -------------------------------------------------------------------------------------------------- */

/* The smallest rectangle that holds all changes. */
static void changed_part(const gif *g, int *left, int *top, int *width, int *height) {
  int x0 = g->width, x1 = -1, y0 = g->height, y1 = -1;
  for (int y = 0; y < g->height; y++) {
    const uint8_t *a = g->shown + y * g->width, *b = g->waiting + y * g->width;
    if (!memcmp(a, b, (size_t)g->width)) continue;
    if (y < y0) y0 = y;
    y1 = y;
    for (int x = 0; x < g->width; x++) {
      if (a[x] == b[x]) continue;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
    }
  }
  *left = x0;
  *top = y0;
  *width = x1 - x0 + 1;
  *height = y1 - y0 + 1;
}

static void put_waiting(gif *g) {
  if (!g->any_waiting) return;
  int left = 0, top = 0, width = g->width, height = g->height;
  if (g->any_shown) changed_part(g, &left, &top, &width, &height);
  const uint8_t control[] = {0x21, 0xF9, 4, 4}; /* what follows is drawn over what is there */
  put_bytes(g, control, sizeof control);
  put_word(g, g->delay > 65535 ? 65535 : g->delay);
  put_word(g, 0);
  put_byte(g, 0x2C);
  put_word(g, left);
  put_word(g, top);
  put_word(g, width);
  put_word(g, height);
  put_byte(g, 0);
  put_pixels(g, left, top, width, height);
  memcpy(g->shown, g->waiting, (size_t)g->width * (size_t)g->height);
  g->any_shown = true;
}

gif *gif_create(const char *path, int width, int height, const uint32_t colors[256]) {
  gif *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  size_t pixels = (size_t)width * (size_t)height;
  g->width = width;
  g->height = height;
  g->shown = malloc(pixels);
  g->waiting = malloc(pixels);
  if (g->shown && g->waiting) g->output = replace_open(path);
  if (!g->output) {
    gif_abandon(g);
    return NULL;
  }
  g->file = g->output->file;
  put_bytes(g, "GIF89a", 6);
  put_word(g, width);
  put_word(g, height);
  const uint8_t screen[] = {0xF7, 0, 0}; /* a table of 256 colors of 8 bits */
  put_bytes(g, screen, sizeof screen);
  for (int i = 0; i < 256; i++) {
    put_byte(g, (int)(colors[i] >> 16));
    put_byte(g, (int)(colors[i] >> 8));
    put_byte(g, (int)colors[i]);
  }
  const uint8_t loop[] = {0x21, 0xFF, 11,  'N', 'E', 'T', 'S', 'C', 'A', 'P',
                          'E',  '2',  '.', '0', 3,   1,   0,   0,   0};
  put_bytes(g, loop, sizeof loop);
  return g;
}

bool gif_add(gif *g, const uint8_t *pixels, int hundredths) {
  size_t size = (size_t)g->width * (size_t)g->height;
  if (g->any_waiting && !memcmp(g->waiting, pixels, size)) {
    g->delay += hundredths;
  } else {
    put_waiting(g);
    memcpy(g->waiting, pixels, size);
    g->any_waiting = true;
    g->delay = hundredths;
  }
  return !g->failed;
}

void gif_abandon(gif *g) {
  if (!g) return;
  replace_abandon(g->output);
  free(g->shown);
  free(g->waiting);
  free(g);
}

bool gif_close(gif *g) {
  bool ok = false;
  if (!g->failed) {
    put_waiting(g);
    put_byte(g, 0x3B);
  }
  if (!g->failed) {
    ok = replace_commit(g->output);
    g->output = NULL;
  }
  gif_abandon(g);
  return ok;
}
