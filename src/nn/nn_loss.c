/* Losses of values, the loss of each state and the derivative by the network's outputs; and the support of categorical
 * distributions, whose loss is in nn_distribution.c. */
#include <math.h>
#include <string.h>

#include "nn/nn.h"

static float weight_at(const float *weight, int b, float scale) {
  return weight ? weight[b] * scale : scale;
}

void nn_loss_huber(const float *outputs, int batch, int actions, const int *action,
                   const float *target, const float *weight, float scale, float *loss,
                   float *d_outputs) {
  memset(d_outputs, 0, (size_t)batch * (size_t)actions * sizeof(float));
  for (int b = 0; b < batch; b++) {
    size_t i = (size_t)b * (size_t)actions + (size_t)action[b];
    float delta = outputs[i] - target[b], size = fabsf(delta);
    if (loss) loss[b] = size > 1 ? size - 0.5f : 0.5f * delta * delta;
    float slope = delta > 1 ? 1 : delta < -1 ? -1 : delta;
    d_outputs[i] = slope * weight_at(weight, b, scale);
  }
}

void nn_loss_squared(const float *outputs, int batch, int actions, const int *action,
                     const float *target, const float *weight, float scale, float *loss,
                     float *d_outputs) {
  memset(d_outputs, 0, (size_t)batch * (size_t)actions * sizeof(float));
  for (int b = 0; b < batch; b++) {
    size_t i = (size_t)b * (size_t)actions + (size_t)action[b];
    float delta = outputs[i] - target[b];
    if (loss) loss[b] = 0.5f * delta * delta;
    d_outputs[i] = delta * weight_at(weight, b, scale);
  }
}

/* ---- Categorical distributions --------------------------------------------------------------------------------- */

float nn_support_value(const nn_support *s, int atom) {
  double step = ((double)s->high - (double)s->low) / (s->atoms - 1);
  return (float)(s->low + step * atom);
}

void nn_project(const nn_support *s, const float *p, float reward, float discount,
                float *projected) {
  double step = ((double)s->high - (double)s->low) / (s->atoms - 1);
  memset(projected, 0, (size_t)s->atoms * sizeof(float));
  for (int j = 0; j < s->atoms; j++) {
    double z = (double)reward + (double)discount * (s->low + step * j);
    z = z < s->low ? s->low : z > s->high ? s->high : z;
    double place = (z - s->low) / step;
    if (!(place >= 0)) place = 0; /* NaN too */
    if (place > s->atoms - 1) place = s->atoms - 1;
    int lower = (int)place;
    float upper_share = (float)(place - lower);
    /* exactly on an atom: it gets all of the mass */
    projected[lower] += p[j] * (1 - upper_share);
    if (upper_share > 0) projected[lower + 1] += p[j] * upper_share;
  }
}
