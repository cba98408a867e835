/* log(m * 2^e) = e log 2 + log m with m in [sqrt(1/2), sqrt(2)), and log m = 2 atanh(s) with s = (m - 1) / (m + 1). The
 * series of atanh converges fast, as |s| < 0.172: the first term left out, s^23 / 23, is below 2^-60 of s. log 2 is
 * split so that e times its upper part is exact. */
#include "util/real.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

double real_log(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = 0;
  if (bits < (uint64_t)1 << 52) { /* subnormal: scale it up first */
    x *= 18014398509481984.0;     /* 2^54 */
    memcpy(&bits, &x, sizeof bits);
    exponent = -54;
  }
  exponent += (int)(bits >> 52) - 1022;
  bits = (bits & 0xFFFFFFFFFFFFFu) | 0x3FE0000000000000u; /* m in [1/2, 1) */
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m < 0.70710678118654752440) {
    m *= 2;
    exponent--;
  }
  double s = (m - 1) / (m + 1), z = s * s, tail = 0;
  for (int k = 21; k >= 3; k -= 2) tail = (tail + 1.0 / k) * z;
  const double log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
  return exponent * log2_high + (2 * s + (2 * s * tail + exponent * log2_low));
}

/* cos(pi x) has period 2 and is even, so x is reduced to [0, 1], which is exact; the upper half mirrors the lower
 * with the other sign. The Taylor series of the cosine serves up to 1/4 and that of the sine of the complement up to
 * 1/2: their arguments are at most pi/4, and the first terms left out are below 2^-57. */
double real_cos_pi(double x) {
  const double pi = 3.14159265358979323846;
  x = x < 0 ? -x : x;
  x -= 2 * (double)(int64_t)(x / 2);
  if (x > 1) x = 2 - x;
  double sign = 1;
  if (x > 0.5) {
    x = 1 - x;
    sign = -1;
  }
  bool sine = x > 0.25;
  double angle = pi * (sine ? 0.5 - x : x), square = angle * angle, sum = 0;
  /* 1 - s/(1*2) (1 - s/(3*4) (1 - ...)), or for the sine s/(2*3), s/(4*5), ... */
  for (int k = 17; k >= 1; k -= 2) {
    double divisor = sine ? (double)(k + 1) * (k + 2) : (double)k * (k + 1);
    sum = 1 - square / divisor * (k == 17 ? 1 : sum);
  }
  return sign * (sine ? angle * sum : sum);
}

/* e^x = 2^k e^r with r = x - k log 2 in [-log(2)/2, log(2)/2], and e^r by its series: the first term left out is below
 * 2^-58. */
double real_exp(double x) {
  if (!(x > -746)) return 0;
  if (x > 710) return INFINITY;
  const double log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
  double k = floor(x / 0.69314718055994530942 + 0.5);
  double r = (x - k * log2_high) - k * log2_low, sum = 0;
  for (int i = 14; i >= 2; i--) sum = (sum + 1) * (r / i);
  return ldexp(1 + (r + sum * r), (int)k);
}
