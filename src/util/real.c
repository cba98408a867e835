/* log(m * 2^e) = e log 2 + log m with m in [sqrt(1/2), sqrt(2)), and log m = 2 atanh(s) with s = (m - 1) / (m + 1). The
 * series of atanh converges fast, as |s| < 0.172: the first term left out, s^23 / 23, is below 2^-60 of s. log 2 is
 * split so that e times its upper part is exact. */
#include "util/real.h"

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
