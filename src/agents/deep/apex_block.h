/* Messages between actors and learner of Ape-X: blocks of steps, and weights.
 *
 * A block holds consecutive steps of one actor, 32 unless settings say otherwise:
 *
 *     header     magic, version, steps, episodes, flags, actor, number of its first step, version of the weights that
 *                played it, size of the codes, CRC-32 of everything else
 *     steps      arrays of actions, flags and frames (bytes), sizes of codes (u16), rewards and priorities (float)
 *     episodes   those that ended within the block: after which step, frames, steps, why, scores
 *     codes      the frames as spans (spans.h); the first is coded by itself, the others too or as differences
 *
 * Numbers are little-endian. Whoever reads a block checks all of it: a block that was accepted is one that an actor can
 * have written, and all its frames can be decoded. */
#ifndef SIXER_AGENTS_DEEP_APEX_BLOCK_H
#define SIXER_AGENTS_DEEP_APEX_BLOCK_H

#include "agents/deep/replay.h"
#include "sixer/eval.h"

enum {
  APEX_BLOCK_MAX = 256, /* steps */
  APEX_FIRST = 1,       /* flags of a step */
  APEX_TERMINAL = 2,
};

typedef struct apex_step {
  uint8_t action, flags, frames; /* frames: emulated in the step */
  float reward;
  float priority; /* below 0: none was computed */
} apex_step;

typedef struct apex_episode {
  int position; /* of its last step in the block */
  int end, mode, difficulty, level;
  int64_t frames, steps;
  double score[SIXER_LIMITS_MAX];
} apex_episode;

typedef struct apex_block {
  int actor, count, episode_count;
  int64_t first;   /* number of its first step among those of the actor */
  int64_t version; /* of the weights */
  apex_step steps[APEX_BLOCK_MAX];
  apex_episode episodes[APEX_BLOCK_MAX];
  /* of a block that was read: where its codes are */
  const uint8_t *codes;
  uint16_t sizes[APEX_BLOCK_MAX];
} apex_block;

/* What a reader expects of a block. */
typedef struct apex_form {
  int width, height, actions, block, actors;
} apex_form;

/* Bytes that a block of this form may have. */
size_t apex_block_bound(const apex_form *form);

/* Write a block: `frames` are its frames, one after the other. `out` has room for apex_block_bound(). Returns the
 * size. */
size_t apex_block_write(const apex_form *form, const apex_block *block, const uint8_t *frames,
                        uint8_t *out);

/* Read a block. False if these are not the bytes of a block of this form; block->codes points into them. */
bool apex_block_read(const apex_form *form, const uint8_t *bytes, size_t size, apex_block *block);

/* The same for who decodes the frames at once: whether that can be done is not checked. */
bool apex_block_open(const apex_form *form, const uint8_t *bytes, size_t size, apex_block *block);

/* Decode the frame of step `position` on top of the one before it. The steps are decoded in order. *code is where its
 * code begins: block->codes for the first; it is moved to the next. */
bool apex_block_frame(const apex_form *form, const apex_block *block, int position,
                      const uint8_t **code, uint8_t *frame);

/* Weights as a message: header (magic, version, count, CRC-32) and floats. */
size_t apex_weights_size(size_t count);
void apex_weights_write(int64_t version, const float *weights, size_t count, uint8_t *out);
/* False unless these are `count` finite numbers of this version. `weights` may be changed then. */
bool apex_weights_read(const uint8_t *bytes, size_t size, int64_t version, float *weights,
                       size_t count);

#endif
