/* Functions of C's math library that mingw-w64 computes with the x87, in extended precision, so that results are
 * rounded twice: here they are as C and IEEE 754 want them. The linker takes these instead of the library's. */
#if defined(_WIN32)
#include <emmintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

double sqrt(double x) {
  __m128d value = _mm_set_sd(x);
  return _mm_cvtsd_f64(_mm_sqrt_sd(value, value));
}

/* The product is exact in double precision. The sum is rounded to odd: if it is not exact, its last bit is made 1, so
 * that rounding it to a float sees on which side of a tie the true sum lies (Boldo and Melquiond 2008). */
float fmaf(float x, float y, float z) {
  double product = (double)x * y, sum = product + z;
  double part = sum - product, error = (product - (sum - part)) + (z - part);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (error != 0 && !(bits & 1) && sum - sum == 0) {
    /* one unit toward the error: away from zero if both have the same sign */
    bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    memcpy(&sum, &bits, sizeof sum);
  }
  return (float)sum;
}
#endif
