/* The arithmetic of one step of an optimizer for one parameter; internal to src/nn. The fast kernels repeat it with
 * vectors, operation by operation. */
#ifndef SIXER_NN_OPTIMIZER_H
#define SIXER_NN_OPTIMIZER_H

#include <math.h>

#include "nn/nn.h"

/* One step as constants, made once per update. */
typedef struct nn_step {
  enum { NN_STEP_ADAPTIVE, NN_STEP_MOMENTUM, NN_STEP_CENTERED } kind;
  float clip;         /* gradients are multiplied by this; 1 leaves them as they are */
  float keep1, gain1; /* first = keep1 first + gain1 g */
  float keep2, gain2; /* second = keep2 second + gain2 g g */
  float rate;         /* negative, with the bias corrections that belong to it */
  float correct2;     /* second is multiplied by this under the square root */
  float epsilon;
} nn_step;

/* Moments below this become 0: those of units that never fire decay into subnormal numbers, which are slow. */
#define NN_TINY 0x1p-100f

static inline void nn_step_one(const nn_step *s, float *w, float *first, float *second, float g) {
  g *= s->clip;
  float m = fmaf(s->keep1, *first, s->gain1 * g);
  float v = fmaf(s->keep2, *second, s->gain2 * g * g);
  m = fabsf(m) < NN_TINY ? 0 : m;
  v = v < NN_TINY ? 0 : v;
  *first = m;
  *second = v;
  if (s->kind == NN_STEP_ADAPTIVE) {
    *w += s->rate * m / (sqrtf(v * s->correct2) + s->epsilon);
  } else if (s->kind == NN_STEP_MOMENTUM) {
    *w += s->rate * m;
  } else {
    float variance = fmaf(-m, m, v);
    variance = variance < 0 ? 0 : variance; /* rounding */
    *w += s->rate * g / sqrtf(variance + s->epsilon);
  }
}

/* The constants of the optimizer's next step, which it counts. `norm` is that of the gradients if it clips. */
nn_step nn_optimizer_next(nn_optimizer *optimizer, float norm);

#endif
