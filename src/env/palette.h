/* Colors of the television systems. */
#ifndef SIXER_ENV_PALETTE_H
#define SIXER_ENV_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct palette {
  uint32_t rgb[256];                 /* 0xRRGGBB by palette byte */
  uint8_t gray[256], even_gray[128]; /* all of them, and those of even bytes */
  int number;                        /* equal palettes have equal numbers */
} palette;

/* Fill for a format: "NTSC", "PAL", "PAL60" or "SECAM". */
void palette_make(palette *p, const char *format);

/* The palette byte of each pair of even palette bytes shown one after the other, indices divided by two. */
void palette_make_blend(const palette *p, uint8_t table[128][128]);

#endif
