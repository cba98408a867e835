/* What the first frames of a reset depend on.
 *
 * A reset is recorded (reset_cache.h) as consoles at the beginnings of its frames. The observer executes the first of
 * them once more with the plain processor, one instruction at a time, and notes which bytes of memory a frame reads
 * before it has written them. What is written without having been read cannot matter; what is neither read nor written
 * while the observer looks may be read later, so it counts as read.
 *
 * Games clear their memory at once or not at all. Observation ends when nothing is open any more, or with a frame that
 * has decided nothing more: that is the first or second frame of nearly all games. The TIA is the fast one, and draws
 * nothing. */
#ifndef SIXER_ENV_RESET_OBSERVER_H
#define SIXER_ENV_RESET_OBSERVER_H

#include "env/env.h"

enum {
  RAM_BYTES = 128,
  AUDIO_BYTES = 6,
  OBSERVED = 8 /* frames that are executed once more, at most */
};

/* A console of a cartridge without memory, as bytes. */
typedef struct kept_console {
  _Alignas(console) uint8_t bytes[sizeof(console)];
} kept_console;

static inline const console *kept(const kept_console *k) {
  return (const console *)(const void *)k->bytes;
}

/* The console at the beginning of a frame, and the inputs of the frame. */
typedef struct frame_start {
  kept_console c;
  console_input input;
} frame_start;

/* What the frames depend on besides the parts of the console that always count. */
typedef struct reset_reads {
  bool ram[RAM_BYTES];
  bool timer;
  bool
      audio[AUDIO_BYTES]; /* sound registers cannot be read: these were not written, so they stay */
} reset_reads;

/* Execute the first `count` recorded frames of `env` once more; frames[count] is where they led to. False if that
 * cannot be done, or if they lead elsewhere: the recording is of no use then. */
bool reset_observe(const sixer_env *env, const frame_start *frames, int count, reset_reads *reads);

#endif
