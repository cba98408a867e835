/* Distributions of returns: softmax, expected values, and losses. Sums run in the order that the loops state.
 *
 * On x86-64 this file is compiled twice, the second time for processors with fused multiply-add
 * (nn_distribution_fma.c): without the instruction, fmaf() is a call of the C library, and exp() alone makes ten of
 * them. */
#include <math.h>
#include <string.h>

#include "nn/nn.h"
#include "nn/nn_math.h"
#include "util/os_cpu.h"
#include "util/real.h"

#if OS_X86_64 && !defined(NN_DISTRIBUTION_FMA)
__typeof__(nn_softmax) nn_softmax_fma;
__typeof__(nn_categorical_values) nn_categorical_values_fma;
__typeof__(nn_loss_categorical) nn_loss_categorical_fma;
__typeof__(nn_loss_quantile) nn_loss_quantile_fma;
/* Let the other version do it, if this processor can. */
#define USE_FMA(function, ...)                               \
  do {                                                       \
    if (os_cpu_has(OS_CPU_AVX2) && os_cpu_has(OS_CPU_FMA)) { \
      function(__VA_ARGS__);                                 \
      return;                                                \
    }                                                        \
  } while (0)
#else
#define USE_FMA(function, ...)
#endif

static float weight_at(const float *weight, int b, float scale) {
  return weight ? weight[b] * scale : scale;
}

/* ---- Categorical distributions --------------------------------------------------------------------------------- */

/* exp(logit - largest) into p; returns the largest logit and the sum. */
static float exponentials(const float *logits, int count, float *p, float *sum) {
  float largest = logits[0];
  for (int i = 1; i < count; i++) largest = logits[i] > largest ? logits[i] : largest;
  float total = 0;
  for (int i = 0; i < count; i++) {
    p[i] = nn_exp(logits[i] - largest);
    total += p[i];
  }
  *sum = total;
  return largest;
}

void nn_softmax(const float *logits, int count, float *p) {
  USE_FMA(nn_softmax_fma, logits, count, p);
  float sum;
  exponentials(logits, count, p, &sum);
  for (int i = 0; i < count; i++) p[i] /= sum;
}

void nn_categorical_values(const nn_support *s, const float *logits, size_t rows, float *values) {
  USE_FMA(nn_categorical_values_fma, s, logits, rows, values);
  enum { MAX_ATOMS = 1024 };
  float p[MAX_ATOMS], z[MAX_ATOMS];
  for (int i = 0; i < s->atoms; i++) z[i] = nn_support_value(s, i);
  for (size_t r = 0; r < rows; r++) {
    nn_softmax(logits + r * (size_t)s->atoms, s->atoms, p);
    float value = 0;
    for (int i = 0; i < s->atoms; i++) value = fmaf(p[i], z[i], value);
    values[r] = value;
  }
}

void nn_loss_categorical(const float *outputs, int batch, int actions, int atoms, const int *action,
                         const float *target, const float *weight, float scale, float *loss,
                         float *d_outputs) {
  USE_FMA(nn_loss_categorical_fma, outputs, batch, actions, atoms, action, target, weight, scale,
          loss, d_outputs);
  memset(d_outputs, 0, (size_t)batch * (size_t)actions * (size_t)atoms * sizeof(float));
  for (int b = 0; b < batch; b++) {
    size_t begin = ((size_t)b * (size_t)actions + (size_t)action[b]) * (size_t)atoms;
    const float *logits = outputs + begin, *m = target + (size_t)b * (size_t)atoms;
    float *d = d_outputs + begin, sum;
    float largest = exponentials(logits, atoms, d, &sum);
    float log_sum = (float)real_log(sum), entropy = 0, mass = 0, w = weight_at(weight, b, scale);
    for (int i = 0; i < atoms; i++) {
      entropy = fmaf(-m[i], (logits[i] - largest) - log_sum, entropy);
      mass += m[i];
    }
    if (loss) loss[b] = entropy;
    /* the target's mass is 1 up to rounding: with `mass` the derivative is that of the loss as computed */
    for (int i = 0; i < atoms; i++) d[i] = fmaf(d[i] / sum, mass, -m[i]) * w;
  }
}

/* ---- Quantiles ------------------------------------------------------------------------------------------------- */

void nn_loss_quantile(const float *outputs, int batch, int tau_count, int actions,
                      const float *taus, const int *action, const float *target, int target_count,
                      const float *weight, float scale, float kappa, float *loss,
                      float *d_outputs) {
  USE_FMA(nn_loss_quantile_fma, outputs, batch, tau_count, actions, taus, action, target,
          target_count, weight, scale, kappa, loss, d_outputs);
  size_t width = (size_t)tau_count * (size_t)actions;
  memset(d_outputs, 0, (size_t)batch * width * sizeof(float));
  for (int b = 0; b < batch; b++) {
    float total = 0, w = weight_at(weight, b, scale);
    for (int i = 0; i < tau_count; i++) {
      size_t place = (size_t)b * width + (size_t)i * (size_t)actions + (size_t)action[b];
      float z = outputs[place], tau = taus[(size_t)b * (size_t)tau_count + (size_t)i];
      float sum = 0, slope = 0;
      for (int j = 0; j < target_count; j++) {
        float delta = target[(size_t)b * (size_t)target_count + (size_t)j] - z;
        float size = fabsf(delta);
        float side = fabsf(tau - (delta < 0 ? 1.0f : 0.0f));
        float huber = size <= kappa ? 0.5f * delta * delta : kappa * (size - 0.5f * kappa);
        float clipped = delta > kappa ? kappa : delta < -kappa ? -kappa : delta;
        sum = fmaf(side, huber, sum);
        slope = fmaf(-side, clipped, slope);
      }
      total += sum / kappa / (float)target_count;
      d_outputs[place] = slope / kappa / (float)target_count * w;
    }
    if (loss) loss[b] = total;
  }
}
