/* A cache of resets.
 *
 * Resetting an environment resets the console and then emulates about seventy frames until the game has begun. The
 * result is a function of what the program reads in these frames: the image, the switches, and whatever the last
 * episode left in memory. Most games clear their memory before they read it, so the result is always the same.
 *
 * That can be proved. The first frames of a recorded reset are executed once more by an observer (reset_observer.h),
 * which notes the bytes that are read before they are written. Once every byte has been written, earlier contents
 * cannot matter any more; bytes that are not written within the observed frames count as read. A later reset that
 * finds the same values in the bytes that were read, and the same in everything that is not memory, executes the same
 * instructions and ends with the same bytes, so the recorded end is copied. The timer is treated like memory: a reset
 * sets it to one of 75 values, and games that read it first get one entry for each.
 *
 * The cache belongs to a rom and is shared by its environments, also across threads. */
#ifndef SIXER_ENV_RESET_CACHE_H
#define SIXER_ENV_RESET_CACHE_H

#include "env/env.h"

/* An empty cache. NULL if out of memory: resets are then always emulated. */
struct reset_cache *reset_cache_make(void);
void reset_cache_free(struct reset_cache *cache);

/* How many resets of the rom were taken from its cache so far. */
int64_t reset_cache_hits(const sixer_rom *rom);

/* The console was just reset: put the env where that reset leads to. False if it is not in the cache. */
bool reset_cache_load(sixer_env *env);

/* Record a reset that has to be emulated. After `begin`, the emulation reports the beginning of every frame and the
 * reset of the game's variables; `end` adds the result to the cache. `begin` may decide that recording is not
 * worthwhile: then env->recording stays NULL and the other calls do nothing or are not made. */
void reset_record_begin(sixer_env *env);
void reset_record_frame(sixer_env *env);
void reset_record_game(sixer_env *env);
void reset_record_end(sixer_env *env);

#endif
