/* Saved states: their size and layout. */
#ifndef SIXER_ENV_STATE_H
#define SIXER_ENV_STATE_H

#include "env/env.h"

size_t env_state_size(const sixer_rom *rom, int flags);

/* A snapshot is a state for searches: console, episode and all of the game's variables, without header, controller and
 * picture, and without the checks of sixer_env_load. It is for envs of the same rom within this process. Unlike a
 * state it also holds the variables that the reference leaves out of its own: going on from a snapshot is what the env
 * that it was taken from would do. The size is a multiple of 8. */
size_t env_snapshot_size(const sixer_rom *rom);
void env_snapshot_take(const sixer_env *env, void *snapshot);
void env_snapshot_load(sixer_env *env, const void *snapshot);

/* Could it be one? For snapshots that were kept outside of the process. */
bool env_snapshot_fits(const sixer_env *env, const void *snapshot);

/* Where a snapshot has its episode, and the 128 bytes of console memory. */
size_t env_snapshot_episode(const sixer_rom *rom);
size_t env_snapshot_ram(const sixer_rom *rom);

/* The two halves of loading: a state that passes the check can be applied. `all_vars`: restore the game's variables
 * that the reference leaves out of its states, too. */
sixer_err env_state_check(const sixer_env *env, const void *state, size_t size, sixer_error *error);
void env_state_apply(sixer_env *env, const void *state, bool all_vars);

/* Can the machine of this env go on from this console without harm? */
bool env_console_fits(const sixer_env *env, const console *c);

#endif
