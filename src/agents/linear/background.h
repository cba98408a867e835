/* The background of a game: the color that each pixel shows most often.
 *
 * Features that look at objects leave the background out: a pixel is foreground if its byte differs from the
 * background's at that place. The model is sampled from play (samples.h) and can be kept in a file of named sections
 * (util/sections.h) with everything that it is a function of. */
#ifndef SIXER_AGENTS_LINEAR_BACKGROUND_H
#define SIXER_AGENTS_LINEAR_BACKGROUND_H

#include "agents/linear/prost.h"
#include "agents/linear/samples.h"
#include "util/sections.h"

/* ---- Counting -------------------------------------------------------------------------------------------------- */

/* How often each pixel showed each color, byte >> 1. */
typedef struct color_histogram color_histogram;
color_histogram *color_histogram_create(void); /* NULL: no memory */
void color_histogram_add(color_histogram *h, const uint8_t *screen, int height);
/* The most frequent color of each of PROST_PIXELS pixels, the lowest among equals, as a palette byte. */
void color_histogram_mode(const color_histogram *h, uint8_t *background);
void color_histogram_destroy(color_histogram *h);

/* ---- The model ------------------------------------------------------------------------------------------------- */

typedef struct background_model {
  bool known;
  char md5[33];      /* of the game's image */
  char source[12];   /* "perturb" or "tapes" */
  char settings[80]; /* of the play that was sampled, as name=value */
  uint64_t seed;
  int64_t screens;
  uint8_t pixels[PROST_PIXELS];
} background_model;

/* Sample it. */
sixer_err background_sample(const sixer_rom *rom, const sample_settings *settings,
                            background_model *out, sixer_error *error);

/* One section of a container. Reading checks everything; false leaves a message in the reader. */
void background_put(const background_model *b, const char *section, sections_writer *w);
bool background_get(background_model *b, const char *section, sections_reader *r);

/* A file with a section "background". */
sixer_err background_save(const background_model *b, const char *path, sixer_error *error);
sixer_err background_load(background_model *b, const char *path, sixer_error *error);

/* Is it of this image? An error that names both if not. */
sixer_err background_check(const background_model *b, const sixer_rom *rom, sixer_error *error);

#endif
