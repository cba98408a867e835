/* exp and fma of floats with a fixed sequence of operations. The C library's exp may differ in the last bit between
 * versions; its fma is exact but slow on processors without the instruction. */
#ifndef SIXER_NN_MATH_H
#define SIXER_NN_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "util/os_cpu.h"

/* exp(x) = 2^n exp(r) with n = x / log 2 rounded to the nearest integer, so |r| <= 0.3466, and a polynomial for
 * exp(r) whose coefficients are those of the series up to r^7. The error is below 2 units in the last place. Below
 * -87 the result is 0, above 88 it is that of 88: softmax needs neither. NaN gives NaN. */
static inline float nn_exp(float x) {
  if (x != x) return x;
  if (x < -87.0f) return 0;
  if (x > 88.0f) x = 88.0f;
  const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  float n = fmaf(x, 1.44269504f, shift) - shift;
  float r = fmaf(n, -0.693145752f, x); /* log 2 in two parts; n times the first is exact */
  r = fmaf(n, -1.42860677e-6f, r);
  float p = 1.0f / 5040;
  p = fmaf(p, r, 1.0f / 720);
  p = fmaf(p, r, 1.0f / 120);
  p = fmaf(p, r, 1.0f / 24);
  p = fmaf(p, r, 1.0f / 6);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r, 1.0f);
  p = fmaf(p, r, 1.0f);
  int32_t bits;
  memcpy(&bits, &p, sizeof bits);
  bits += (int32_t)n * (1 << 23);
  memcpy(&p, &bits, sizeof p);
  return p;
}

/* The fused multiply-add. Without the instruction: the product of floats is exact in double, and their sum is
 * rounded to odd, that is to the neighbor whose last bit is 1 if it is not exact. Rounding that once more, to float,
 * gives the float next to the exact value, because the last bit tells on which side of a tie it lies. */
static inline float nn_fma(float a, float b, float c) {
#if defined(__FMA__) || OS_ARM64 || defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  double product = (double)a * b, sum = product + c;
  double back = sum - product,
         rest = (product - (sum - back)) + (c - back); /* sum + rest is exact */
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  /* neither 0 nor NaN, which infinities give */
  if ((rest > 0 || rest < 0) && !(bits & 1)) {
    bits += (rest > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    memcpy(&sum, &bits, sizeof sum);
  }
  return (float)sum;
#endif
}

#endif
