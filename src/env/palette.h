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

/* The brightness of 0xRRGGBB. */
uint8_t palette_gray(uint32_t rgb);

/* Color averaging: what two even palette bytes look like that are shown one after the other. */
typedef struct blend_table {
  uint8_t of[128][128]; /* a palette byte by two palette bytes, each divided by two */
  /* a color blended with itself gives itself; false if a palette has a color twice */
  bool keeps_equal;
} blend_table;

void palette_make_blend(const palette *p, blend_table *table);

/* Blend two rows of SCREEN_WIDTH pixels. Odd palette bytes (PAL color loss) blend to 0, as in the reference. */
void palette_blend_row(const blend_table *table, const uint8_t *now, const uint8_t *before,
                       uint8_t *out);

#endif
