/* Screens of a game for statistics that are made before learning: the background, the classes of DISCO.
 *
 * Bellemare et al. 2013 followed recorded play for a random number of steps and acted uniformly at random from there;
 * their recordings were not published. Without tapes, Perturb play takes their place: each episode draws an action,
 * which is then taken with probability 0.95, and a number of decisions, uniform in 0..500, after which all actions are
 * drawn uniformly. With tapes, each of 200 stretches begins at a moment drawn uniformly from the tapes. The screens are
 * a function of the rom, the settings and the seed. */
#ifndef SIXER_AGENTS_LINEAR_SAMPLES_H
#define SIXER_AGENTS_LINEAR_SAMPLES_H

#include "sixer/sixer.h"

typedef struct sample_settings {
  /* skip, stickiness, averaging, flavor, ... of the play; its seed is replaced */
  sixer_config config;
  int64_t screens; /* how many, one per decision */
  uint64_t seed;
  const char *const *tapes; /* NULL: Perturb play */
  int tape_count;
} sample_settings;

/* Called for each screen. `first`: it does not follow the screen of the call before. False: stop. */
typedef bool sample_visit(void *context, const uint8_t *screen, int height, bool first);

sixer_err sample_screens(const sixer_rom *rom, const sample_settings *settings, sample_visit *visit,
                         void *context, sixer_error *error);

#endif
