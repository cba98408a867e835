/* Saved states: their size and layout. */
#ifndef SIXER_ENV_STATE_H
#define SIXER_ENV_STATE_H

#include "env/env.h"

/* The size of a state of an env with one player. That of an env is sixer_env_state_size(). */
size_t rom_state_size(const sixer_rom *rom, int flags);

/* A snapshot is a smaller state for searches: console, episode and all of the game's variables, without header,
 * controller and picture, and loaded without checks. It is valid for envs of the same rom within this process. The
 * reference leaves some variables out of its states, and sixer_env_load() does the same; a snapshot has them all, so an
 * env that loads it goes on exactly like the env it was taken from. The size is a multiple of 8. */
size_t env_snapshot_size(const sixer_rom *rom);
void env_snapshot_take(const sixer_env *env, void *snapshot);
void env_snapshot_load(sixer_env *env, const void *snapshot);

/* Is it safe to load these bytes as a snapshot? For snapshots that were read from a file. */
bool env_snapshot_fits(const sixer_env *env, const void *snapshot);

/* Offsets in a snapshot: of the episode, and of the 128 bytes of console memory. */
size_t env_snapshot_episode(const sixer_rom *rom);
size_t env_snapshot_ram(const sixer_rom *rom);

/* The two halves of loading: check a state, then apply it. `all_vars`: also restore the variables that the reference
 * leaves out of its states. */
sixer_err env_state_check(const sixer_env *env, const void *state, size_t size, sixer_error *error);
void env_state_apply(sixer_env *env, const void *state, bool all_vars);

/* Do these bytes begin like a state of sixer_env_save()? And has such a state a picture? */
bool env_state_is(const void *state, size_t size);
bool env_state_has_picture(const void *state);

/* May this env's machine continue from this console? False if no play could have left it. */
bool env_console_fits(const sixer_env *env, const console *c);

#endif
