/* Experience replay: the last steps of an agent's play, from which batches of transitions are drawn.
 *
 *     replay_settings settings = replay_settings_default();
 *     settings.capacity = 1000000;
 *     settings.n = 3;
 *     replay *memory;
 *     if (replay_create(&settings, &memory, error)) return error->code;
 *     replay_batch *batch = replay_batch_create(memory, 32);
 *     ...
 *     replay_add(memory, &(replay_step){frame, action, reward, .first = first, .terminal = over});
 *     ...
 *     if (replay_sample(memory, batch, 32, update))
 *       nn_forward(net, weights, NULL, batch->states, 32, ...);
 *
 * Step t is the frame that the agent saw, the action that it took then, and the reward and the end that followed. The
 * frame after the last step of an episode is not kept: nothing is predicted for it. A state is a stack of the last
 * `stack` frames of its episode, oldest first; those before the first frame of the episode are zeros.
 *
 * Steps are numbered from 0 and the last `capacity` of them are kept. A transition from step t looks `n` steps ahead:
 * its reward is the sum of gamma^k r[t+k], its next state that of step t + n. If the episode ends within those steps,
 * the sum ends there and the discount is 0. Step t can be drawn if
 *
 *     t - (stack - 1) >= the oldest step that is kept, or nothing was dropped yet;
 *     t + n <= the newest step, whether the episode ends before or not;
 *     no episode begins within steps t+1 .. t+n without the terminal step of the one before it. That happens when an
 *     episode is cut off and its end is not `terminal`: what would have followed is not known.
 *
 * Frames are kept compressed (frame_store.h) and decoded when they are drawn. All draws are functions of (seed, number
 * of the draw): they do not depend on what was drawn before, nor on the thread that decodes. */
#ifndef SIXER_AGENTS_DEEP_REPLAY_H
#define SIXER_AGENTS_DEEP_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sixer/sixer.h"
#include "util/sections.h"

enum {
  REPLAY_STACK_MAX = 8,
  REPLAY_N_MAX = 64,
  REPLAY_BATCH_MAX = 4096,
  REPLAY_SLICES_MAX = 400 /* Ape-X has 360 actors */
};

/* What prioritized sampling does with a drawn step that is not allowed (see above). */
typedef enum replay_invalid {
  REPLAY_REDRAW, /* draw the whole batch again; after 100 times, as below */
  REPLAY_SHIFT,  /* take the nearest step that is allowed; the SABER paper's program */
} replay_invalid;

typedef struct replay_settings {
  int64_t capacity;  /* steps */
  int width, height; /* of a frame, each at most 255, 32767 pixels in all; 84 and 84 */
  int stack;         /* frames of a state; 4 */
  int actions;       /* they are 0..actions-1; 18, at most 256 */
  int n;             /* steps that a transition looks ahead; 1 */
  double gamma;      /* discount per step; 0.99 */
  bool prioritized;  /* draw in proportion to priorities instead of uniformly */
  replay_invalid invalid;
  /* Compressed frames may take this many bytes. When they would take more, the oldest steps are dropped before there
   * are `capacity` of them. 0: 2,000 for each step of the capacity, but not more than uncompressed frames take. */
  size_t frame_bytes;
  uint64_t seed;
  /* Steps of how many players, each in a slice of capacity / slices steps of its own; 1. A transition is of one player.
   */
  int slices;
} replay_settings;

replay_settings replay_settings_default(void);

typedef struct replay replay;

/* The most bytes that a replay with these settings can take. */
uint64_t replay_needed(const replay_settings *settings);

/* Create an empty replay. All memory is reserved now and used as steps are added. SIXER_ERR_MEMORY, with a message that
 * says how much is needed and how much there is, if this machine has less; SIXER_ERR_ARGUMENT for settings out of
 * range. */
sixer_err replay_create(const replay_settings *settings, replay **out, sixer_error *error);
void replay_destroy(replay *r); /* NULL is allowed */
void replay_clear(replay *r);   /* as after creation */

/* ---- Adding ---------------------------------------------------------------------------------------------------- */

typedef struct replay_step {
  const uint8_t *frame; /* width * height bytes; copied */
  int action;           /* 0..settings.actions-1 */
  float reward;
  bool first;    /* the frame begins an episode, or a life if losing one is terminal */
  bool terminal; /* the episode (or life) ended with this step */
} replay_step;

/* Add a step. With priorities it gets the largest that was ever set, 1 if none was. A step that follows a terminal one
 * is taken as a first one, and so is step 0. */
void replay_add(replay *r, const replay_step *step);

/* The same to a slice; returns the number of the step. With several slices, step t of slice i has the number
 * t * slices + i. */
int64_t replay_add_to(replay *r, int slice, const replay_step *step);
int replay_slices(const replay *r);
int64_t replay_slice_added(const replay *r, int slice); /* steps ever added to it */

int64_t replay_added(const replay *r);  /* steps ever added: the number of the next one */
int64_t replay_size(const replay *r);   /* steps that are kept */
int64_t replay_oldest(const replay *r); /* the number of the first of them, in slice 0 */

/* Steps that were dropped before there were `capacity` of them, because of frame_bytes. */
int64_t replay_dropped_early(const replay *r);

typedef struct replay_use {
  size_t frames; /* bytes of compressed frames, and of the table that finds them */
  size_t steps;  /* bytes of actions, rewards and flags of the steps that are kept */
  size_t tree;   /* bytes of priorities */
} replay_use;
replay_use replay_memory(const replay *r);

/* ---- Sampling -------------------------------------------------------------------------------------------------- */

/* A batch of transitions; entry k of each array is of sample k. All arrays belong to the batch. */
typedef struct replay_batch {
  int count, max;
  /* Pointers to the frames of a state, one after the other, oldest first. The next state of a transition whose discount
   * is 0 is all zeros. */
  const uint8_t **states, **next_states;
  int32_t *actions;
  float *rewards;   /* sum of gamma^k r over the steps looked ahead */
  float *discounts; /* gamma^n, or 0 if the episode ends within them */
  int64_t *steps;   /* their numbers, for replay_set_priorities() */
  /* With which each sample was drawn: its share of all priorities, or of the allowed steps if sampling is uniform. */
  double *probabilities;
  uint8_t *planes; /* decoded frames */
  uint8_t *zeros;  /* a state of zeros */
  size_t sample_size;
} replay_batch;

/* A batch for up to `max` samples; NULL if there is no memory. Several batches may be in use. */
replay_batch *replay_batch_create(const replay *r, int max);
void replay_batch_destroy(replay_batch *b); /* NULL is allowed */

/* How many steps can be drawn now, those that a cut-off episode forbids included. */
int64_t replay_allowed(const replay *r);

/* Draw `count` transitions: with replacement uniformly, or one from each of `count` equal parts of the sum of
 * priorities. The same `draw` gives the same samples as long as the replay has not changed; number them, for example by
 * updates. False, and nothing is drawn, if no step is allowed. */
bool replay_sample(const replay *r, replay_batch *b, int count, uint64_t draw);

/* The same in two parts: everything except the frames of states, then those of sample k. Different samples may be
 * decoded by different threads, as long as nobody adds or loads. */
bool replay_draw(const replay *r, replay_batch *b, int count, uint64_t draw);
void replay_decode(const replay *r, replay_batch *b, int k);

/* Is the transition of this step complete, so that it can be drawn? And a batch of such steps instead of drawn ones. */
bool replay_complete(const replay *r, int64_t step);
void replay_take(const replay *r, replay_batch *b, const int64_t *steps, int count);

/* Set the priorities of steps, in order. They must be finite and not negative; steps that are no longer kept are left
 * out. False, and nothing is set, if one of the priorities is not. */
bool replay_set_priorities(replay *r, const int64_t *steps, const double *priorities, int count);
double replay_priority(const replay *r, int64_t step);

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

/* Everything as sections "agent.replay" (steps and priorities) and "agent.replay.frames", written piece by piece. Equal
 * replays give equal bytes, whatever their past. */
void replay_save(const replay *r, sections_writer *out);

/* Load into a replay with the same settings. Every byte is checked, the compressed frames included: they must be what
 * compressing them again gives. On failure SIXER_ERR_STATE, and the replay is empty. */
sixer_err replay_load(replay *r, sections_reader *in, sixer_error *error);

#endif
