/* The background of a game: see background.h. */
#include "agents/linear/background.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "sixer/agents.h"

/* ---- Counting -------------------------------------------------------------------------------------------------- */

struct color_histogram {
  uint32_t counts[PROST_PIXELS][PROST_COLORS];
};

color_histogram *color_histogram_create(void) { return calloc(1, sizeof(color_histogram)); }
void color_histogram_destroy(color_histogram *h) { free(h); }

void color_histogram_add(color_histogram *h, const uint8_t *screen, int height) {
  for (int i = 0; i < height * PROST_WIDTH && i < PROST_PIXELS; i++) h->counts[i][screen[i] >> 1]++;
}

void color_histogram_mode(const color_histogram *h, uint8_t *background) {
  for (int i = 0; i < PROST_PIXELS; i++) {
    int best = 0;
    for (int c = 1; c < PROST_COLORS; c++) {
      if (h->counts[i][c] > h->counts[i][best]) best = c;
    }
    background[i] = (uint8_t)(2 * best);
  }
}

/* ---- Sampling -------------------------------------------------------------------------------------------------- */

static bool count_screen(void *context, const uint8_t *screen, int height, bool first) {
  (void)first;
  color_histogram_add(context, screen, height);
  return true;
}

sixer_err background_sample(const sixer_rom *rom, const sample_settings *settings,
                            background_model *out, sixer_error *error) {
  color_histogram *h = color_histogram_create();
  if (!h) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a background model");
  sixer_err err = sample_screens(rom, settings, count_screen, h, error);
  if (!err) {
    const sixer_config *c = &settings->config;
    memset(out, 0, sizeof *out);
    color_histogram_mode(h, out->pixels);
    snprintf(out->md5, sizeof out->md5, "%s", rom->md5);
    snprintf(out->source, sizeof out->source, "%s", settings->tape_count ? "tapes" : "perturb");
    snprintf(out->settings, sizeof out->settings, "skip=%d sticky=%g averaging=%d", c->frame_skip,
             (double)c->sticky, c->color_averaging);
    out->seed = settings->seed;
    out->screens = settings->screens;
    out->known = true;
  }
  color_histogram_destroy(h);
  return err;
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

void background_put(const background_model *b, const char *section, sections_writer *w) {
  sections_begin(w, section);
  sections_put_text(w, b->md5);
  sections_put_text(w, b->source);
  sections_put_text(w, b->settings);
  sections_put_u64(w, b->seed);
  sections_put_i64(w, b->screens);
  sections_put(w, b->pixels, sizeof b->pixels);
}

static bool plausible(const background_model *b) {
  bool fits = strlen(b->md5) == 32 && strspn(b->md5, "0123456789abcdef") == 32 && b->screens > 0;
  for (int i = 0; i < PROST_PIXELS; i++) fits &= !(b->pixels[i] & 1);
  return fits && (!strcmp(b->source, "perturb") || !strcmp(b->source, "tapes"));
}

bool background_get(background_model *b, const char *section, sections_reader *r) {
  background_model found = {.known = true};
  if (!sections_find(r, section)) sections_fail(r, "it has no background model");
  sections_get_text(r, found.md5, sizeof found.md5);
  sections_get_text(r, found.source, sizeof found.source);
  sections_get_text(r, found.settings, sizeof found.settings);
  found.seed = sections_get_u64(r);
  found.screens = sections_get_i64(r);
  sections_get(r, found.pixels, sizeof found.pixels);
  if (sections_left(r) || !plausible(&found))
    sections_fail(r, "its background model cannot be one that was sampled");
  if (sections_failed(r)) return false;
  *b = found;
  return true;
}

sixer_err background_save(const background_model *b, const char *path, sixer_error *error) {
  sections_message message;
  sections_writer *w = sections_create(path);
  if (!w) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  background_put(b, "background", w);
  if (!sections_close(w, message)) return sixer_fail(error, SIXER_ERR_FILE, "%s", message);
  return SIXER_OK;
}

sixer_err background_load(background_model *b, const char *path, sixer_error *error) {
  sections_message message;
  sections_reader *r = sections_open(path, message);
  if (!r) return sixer_fail(error, SIXER_ERR_FILE, "%s", message);
  sixer_err err = SIXER_OK;
  if (!background_get(b, "background", r))
    err = sixer_fail(error, SIXER_ERR_STATE, "%s: %s; make one with: sixer background GAME -o FILE",
                     path, sections_reason(r));
  sections_free(r);
  return err;
}

sixer_err background_check(const background_model *b, const sixer_rom *rom, sixer_error *error) {
  if (!strcmp(b->md5, rom->md5)) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_STATE,
                    "the background model is of the image with MD5 %s, and this is %s; make one "
                    "with: sixer background GAME -o FILE",
                    b->md5, rom->md5);
}

sixer_err sixer_background_make(const sixer_rom *rom, const sixer_config *config, int64_t screens,
                                uint64_t seed, const char *const *tapes, int tape_count,
                                const char *path, uint8_t *pixels, sixer_error *error) {
  const sample_settings settings = {*config, screens, seed, tapes, tape_count};
  if (screens < 1 || tape_count < 0)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a background of %lld screens and %d tapes",
                      (long long)screens, tape_count);
  background_model *b = malloc(sizeof *b);
  if (!b) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a background model");
  sixer_err err = background_sample(rom, &settings, b, error);
  if (!err) err = background_save(b, path, error);
  if (!err && pixels) memcpy(pixels, b->pixels, sizeof b->pixels);
  free(b);
  return err;
}
