/* What the feature sets on tiles look at: the colors in tiles, without the background.
 *
 * The background model comes from the file that the settings name. Without one it is sampled when the first env is
 * looked at, from play with the settings of that env; it is then saved with the agent. */
#ifndef SIXER_AGENTS_LINEAR_FOREGROUND_H
#define SIXER_AGENTS_LINEAR_FOREGROUND_H

#include "agents/linear/background.h"
#include "agents/linear/features.h"

typedef struct foreground {
  int64_t screens; /* how many screens the background is sampled from */
  uint64_t seed;
  background_model background;
  bool checked; /* it was checked that the background is of the rom that is played */
  bool awaited; /* the background comes with the saved agent, not from the file */
  tile_colors tiles;
} foreground;

/* Read the file, if there is one and it may be opened. */
sixer_err foreground_create(foreground *f, const feature_settings *settings, sixer_error *error);

/* Make sure that there is a background of the env's game; sample it if there is none. */
sixer_err foreground_prepare(foreground *f, sixer_env *env, sixer_error *error);

/* Bring f->tiles up to date. */
sixer_err foreground_look(foreground *f, sixer_env *env, sixer_error *error);

/* The screen of the env, or an error that says what to turn on. */
sixer_err feature_screen(sixer_env *env, const uint8_t **screen, sixer_error *error);

/* The background as section "agent.background", if there is one yet. */
void foreground_put(const foreground *f, sections_writer *out);
sixer_err foreground_get(foreground *f, sections_reader *in, sixer_error *error);

#endif
