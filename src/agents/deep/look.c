/* Looking into a network: what it sees and predicts, and which parts of the picture the prediction depends on.
 *
 * Saliency is found by perturbation (Greydanus et al.: Visualizing and Understanding Atari Agents, 2018). The frames of
 * a state are blurred; around the center of each cell, a spot of the state is replaced by the blurred one, with weights
 * that fall like a Gaussian, and the network predicts once more. What changes its values most is what it looks at. A
 * blurred spot keeps the mean brightness, so that the network does not meet a black square that no game shows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/learner.h"
#include "util/error.h"
#include "util/real.h"

sixer_err deep_look(sixer_agent *agent, sixer_env *env, sixer_list actions, sixer_agent_view *view,
                    sixer_error *error) {
  deep *d = (deep *)agent;
  sixer_err err = deep_stand_before(d, env, actions, error);
  if (err) return err;
  const uint8_t *state = d->stack;
  d->method->values(d, d->online, NULL, &state, 1, DEEP_TAUS_PLAY, 0, d->q);
  *view = (sixer_agent_view){.actions = d->action_count,
                             .pixels = d->stack,
                             .frames = DEEP_STACK,
                             .height = (int)d->o.size,
                             .width = (int)d->o.size};
  for (int i = 0; i < d->action_count; i++) view->values[i] = (double)d->q[i];
  if (!d->method->distribution) return SIXER_OK;
  d->method->distribution(d, state);
  view->kind = d->method->kind;
  view->points = d->point_count;
  view->distribution = d->points;
  view->at = d->points_at;
  return SIXER_OK;
}

enum { BLUR_RADIUS = 3, BLUR_PASSES = 2 };

static int clamp(int value, int high) { return value < 0 ? 0 : value > high ? high : value; }

/* Means over 7 x 7 pixels, twice: close to a Gaussian of 3 pixels. `other` is as large as the frame. */
static void blur(uint8_t *frame, uint8_t *other, int size) {
  const int window = 2 * BLUR_RADIUS + 1;
  for (int pass = 0; pass < BLUR_PASSES; pass++) {
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        int sum = 0;
        for (int k = -BLUR_RADIUS; k <= BLUR_RADIUS; k++)
          sum += frame[y * size + clamp(x + k, size - 1)];
        other[y * size + x] = (uint8_t)(sum / window);
      }
    }
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        int sum = 0;
        for (int k = -BLUR_RADIUS; k <= BLUR_RADIUS; k++)
          sum += other[clamp(y + k, size - 1) * size + x];
        frame[y * size + x] = (uint8_t)(sum / window);
      }
    }
  }
}

/* The state with a spot around (row, column) replaced. `falloff` has the weight of each distance, in 256ths. */
static void put_spot(const uint8_t *state, const uint8_t *blurred, const int *falloff, int size,
                     int row, int column, uint8_t *out) {
  size_t frame = (size_t)(size * size);
  memcpy(out, state, DEEP_STACK * frame);
  for (int y = 0; y < size; y++) {
    int wy = falloff[abs(y - row)];
    if (!wy) continue;
    for (int x = 0; x < size; x++) {
      int weight = wy * falloff[abs(x - column)] / 256;
      if (!weight) continue;
      for (size_t i = (size_t)(y * size + x); i < DEEP_STACK * frame; i += frame)
        out[i] = (uint8_t)((state[i] * (256 - weight) + blurred[i] * weight) / 256);
    }
  }
}

sixer_err deep_saliency(sixer_agent *agent, sixer_env *env, sixer_list actions, int cells,
                        float *map, sixer_error *error) {
  deep *d = (deep *)agent;
  sixer_err err = deep_stand_before(d, env, actions, error);
  if (err) return err;
  const int size = (int)d->o.size;
  const size_t frame = (size_t)(size * size), state = DEEP_STACK * frame;
  uint8_t *memory = malloc(2 * state + frame);
  int *falloff = malloc((size_t)size * sizeof *falloff);
  if (!memory || !falloff) {
    free(memory);
    free(falloff);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a saliency map");
  }
  uint8_t *blurred = memory, *changed = memory + state;
  memcpy(blurred, d->stack, state);
  for (size_t i = 0; i < DEEP_STACK; i++) blur(blurred + i * frame, memory + 2 * state, size);
  const double sigma = 0.7 * size / cells;
  for (int i = 0; i < size; i++)
    falloff[i] = (int)(256 * real_exp(-0.5 * (i / sigma) * (i / sigma)));

  const uint8_t *seen = d->stack, *spotted = changed;
  float before[SIXER_ACTION_COUNT];
  d->method->values(d, d->online, NULL, &seen, 1, DEEP_TAUS_PLAY, 0, before);
  for (int i = 0; i < cells * cells; i++) {
    int row = (2 * (i / cells) + 1) * size / (2 * cells);
    int column = (2 * (i % cells) + 1) * size / (2 * cells);
    put_spot(d->stack, blurred, falloff, size, row, column, changed);
    d->method->values(d, d->online, NULL, &spotted, 1, DEEP_TAUS_PLAY, 0, d->q);
    map[i] = 0;
    for (int a = 0; a < d->action_count; a++) {
      float difference = d->q[a] - before[a];
      map[i] += 0.5f * difference * difference;
    }
  }
  free(memory);
  free(falloff);
  return SIXER_OK;
}
