/* Start-ups that were seen before.
 *
 * A reset of the environment resets the console and then emulates some seventy frames until the game has begun. What
 * comes out is a function of what the console reads in them: the image, the switches, and whatever the last episode has
 * left in memory. Most games clear their memory before they look at it, so that the outcome is always the same.
 *
 * That can be known for certain. The first frames of a start-up are watched: executed once more by the plain core, noting
 * which bytes are read before they are written. Once all have been written, what was there before cannot matter any
 * more; those that are not written soon count as read. Another start-up that finds the same values in the bytes that
 * were read, and the same in everything that is not memory, executes the same instructions and leaves the same bytes
 * behind. The same holds for the timer, which a reset sets to one of 75 values: games that begin by reading it have as
 * many start-ups.
 *
 * What is kept belongs to a rom and is shared by its environments, also of different threads. */
#ifndef SIXER_ENV_BOOT_H
#define SIXER_ENV_BOOT_H

#include "env/env.h"

/* The start-ups of a rom that are known. NULL if there is no memory: then none ever is. */
struct boot_memory *boot_memory_make(void);
void boot_memory_free(struct boot_memory *memory);

/* How many start-ups of the rom were repeated so far. */
int64_t boot_repeats(const sixer_rom *rom);

/* The console was reset: go to the end of its start-up, if that is known. */
bool boot_repeat(sixer_env *env);

/* Watch the start-up that begins now; then tell when a frame begins, when the game's variables were reset, and when it
 * is over. Whether it is watched is decided here (env->watch). */
void boot_watch(sixer_env *env);
void boot_note_frame(sixer_env *env);
void boot_note_reset(sixer_env *env);
void boot_end(sixer_env *env);

#endif
