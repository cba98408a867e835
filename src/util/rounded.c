/* Arithmetic with pairs of doubles, which have 106 bits (Dekker 1971), and functions by series in it: see rounded.h.
 * Sums and products rely on IEEE arithmetic in double precision without fused operations (-ffp-contract=off). */
#include "util/rounded.h"

#include <math.h>

#include "util/real.h"

/* hi + lo, where lo is at most half a unit in the last place of hi */
typedef struct {
  double hi, lo;
} pair;

static const pair LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const pair LN10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
static const pair ROOT_PI = {0x1.c5bf891b4ef6bp+0, -0x1.618f13eb7ca89p-54};

/* a + b; exact if a is larger than b */
static pair join(double a, double b) {
  double sum = a + b;
  return (pair){sum, b - (sum - a)};
}

/* a + b, exactly (Knuth) */
static pair sum_of(double a, double b) {
  double sum = a + b, part = sum - a;
  return (pair){sum, (a - (sum - part)) + (b - part)};
}

/* a b, exactly, for numbers below 2^500 whose product is above 2^-900 */
static pair product_of(double a, double b) {
  const double split = 134217729; /* 2^27 + 1 */
  double x = split * a, y = split * b, product = a * b;
  double a1 = x - (x - a), b1 = y - (y - b), a2 = a - a1, b2 = b - b1;
  return (pair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

static pair add(pair a, pair b) {
  pair s = sum_of(a.hi, b.hi), t = sum_of(a.lo, b.lo);
  s = join(s.hi, s.lo + t.hi);
  return join(s.hi, s.lo + t.lo);
}

static pair negative(pair a) { return (pair){-a.hi, -a.lo}; }

static pair multiply(pair a, pair b) {
  pair p = product_of(a.hi, b.hi);
  return join(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static pair divide(pair a, pair b) {
  double first = a.hi / b.hi;
  pair rest = add(a, negative(multiply(b, (pair){first, 0})));
  double second = rest.hi / b.hi;
  rest = add(rest, negative(multiply(b, (pair){second, 0})));
  pair q = join(first, second);
  return add(q, (pair){rest.hi / b.hi, 0});
}

static pair whole(double x) { return (pair){x, 0}; }

/* by a small whole number */
static pair divide_by(pair a, double n) {
  double first = a.hi / n;
  pair back = product_of(first, n);
  return join(first, ((a.hi - back.hi) - back.lo + a.lo) / n);
}

/* e^x = 2^k times what is returned: the series of a sixteenth of what is left, at most log(2) / 32, whose first term
 * left out is below 2^-120, squared four times. */
static pair exp_of(pair x, int *k) {
  *k = (int)floor(x.hi / LN2.hi + 0.5);
  pair r = add(x, negative(multiply(LN2, whole(*k)))), sum = whole(1);
  r = (pair){r.hi / 16, r.lo / 16};
  for (int n = 15; n >= 1; n--) sum = add(whole(1), divide_by(multiply(r, sum), n));
  for (int i = 0; i < 4; i++) sum = multiply(sum, sum);
  return sum;
}

/* log(1 + d) for |d| up to 2^-8, by the series of 2 atanh(s) with s = d / (2 + d): the first term left out is below
 * 2^-140 of the result. */
static pair log_near_one(pair d) {
  pair s = divide(d, add(whole(2), d)), square = multiply(s, s), sum = whole(0);
  for (int n = 15; n >= 1; n -= 2) sum = add(multiply(sum, square), divide_by(whole(2), n));
  return multiply(s, sum);
}

/* The logarithm of a positive number: that of a double, y, and log(x / e^y), which is a step of Newton's. */
static pair log_of(pair x) {
  pair d = add(x, whole(-1));
  if (fabs(d.hi) < 0x1p-8) return log_near_one(d);
  int exponent, k;
  double m = frexp(x.hi, &exponent);
  if (m < 0.70710678118654752440) m *= 2, exponent--;
  pair scaled = {m, ldexp(x.lo, -exponent)};
  double y = real_log(m);
  pair inverse = exp_of(whole(-y), &k); /* |y| is below log(2) / 2, up to rounding */
  inverse = (pair){ldexp(inverse.hi, k), ldexp(inverse.lo, k)};
  d = add(multiply(scaled, inverse), whole(-1));
  d = add(d, (pair){-0.5 * d.hi * d.hi, 0});
  return add(multiply(LN2, whole(exponent)), add(whole(y), d));
}

/* The double next to 2^k x. */
static double scale(pair x, int k) { return ldexp(x.hi + x.lo, k); }

double rounded_exp(double x) {
  if (isnan(x)) return x;
  if (x < -746) return 0;
  if (x > 710) return INFINITY;
  int k;
  pair value = exp_of(whole(x), &k);
  return scale(value, k);
}

/* What logarithms are of numbers that have none, or of infinity; `x` itself is the answer for NaN. */
static double special_log(double x) { return x < 0 ? NAN : x == 0 ? -INFINITY : x; }
static int is_special(double x) { return !(x > 0) || isinf(x); }

double rounded_log(double x) {
  if (is_special(x)) return special_log(x);
  return scale(log_of(whole(x)), 0);
}

double rounded_log10(double x) {
  if (is_special(x)) return special_log(x);
  return scale(divide(log_of(whole(x)), LN10), 0);
}

double rounded_log1p(double x) {
  if (isnan(x) || isinf(x) || x <= -1) return special_log(1 + x);
  if (fabs(x) < 0x1p-54) return x;
  return scale(log_of(sum_of(1, x)), 0);
}

double rounded_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (isnan(x) || isnan(y) || x < 0) return NAN;
  if (x == 0 || isinf(x) || isinf(y)) return (x > 1) == (y > 0) ? INFINITY : 0;
  pair l = log_of(whole(x));
  double about = y * l.hi;
  if (about < -746) return 0;
  if (about > 710) return INFINITY;
  if (fabs(about) < 0x1p-60) return 1;
  int k;
  pair value = exp_of(multiply(l, whole(y)), &k);
  return scale(value, k);
}

/* e^(-x^2) / sqrt(pi) */
static pair bell(double x, int *k) {
  pair square = product_of(x, x);
  return divide(exp_of(negative(square), k), ROOT_PI);
}

/* erf(x) for x from 0 to 4: 2 e^(-x^2) / sqrt(pi) times x + 2 x^3 / 3 + 4 x^5 / 15 + ..., all of one sign */
static pair erf_of(double x) {
  if (x < 0x1p-500) return divide(whole(2 * x), ROOT_PI);
  pair square = multiply(product_of(x, x), whole(2)), term = whole(x), sum = term;
  for (int n = 3; term.hi > sum.hi * 0x1p-110; n += 2) {
    term = divide_by(multiply(term, square), n);
    sum = add(sum, term);
  }
  int k;
  pair value = multiply(bell(x, &k), sum);
  return (pair){ldexp(value.hi, k + 1), ldexp(value.lo, k + 1)};
}

/* erfc(x) for x from 4 on: e^(-x^2) / sqrt(pi) times 1 / (x + 1/2 / (x + 2/2 / (x + 3/2 / ...))) */
static double erfc_far(double x) {
  pair below = whole(x);
  for (int n = 200; n >= 1; n--) below = add(whole(x), divide(whole(n * 0.5), below));
  int k;
  pair value = divide(bell(x, &k), below);
  return scale(value, k);
}

double rounded_erf(double x) {
  if (isnan(x)) return x;
  if (x < 0) return -rounded_erf(-x);
  if (x > 6) return 1;
  return x > 4 ? 1 - erfc_far(x) : scale(erf_of(x), 0);
}

double rounded_erfc(double x) {
  if (isnan(x)) return x;
  if (x < -6) return 2;
  if (x > 27) return 0;
  if (x > 4) return erfc_far(x);
  if (x < 0) return x < -4 ? 2 - erfc_far(-x) : scale(add(whole(1), erf_of(-x)), 0);
  return scale(add(whole(1), negative(erf_of(x))), 0);
}

double rounded_hypot(double x, double y) {
  x = fabs(x), y = fabs(y);
  if (isinf(x) || isinf(y)) return INFINITY;
  if (x < y) {
    double larger = y;
    y = x, x = larger;
  }
  if (y == 0 || isnan(x) || isnan(y)) return x + y;
  int exponent;
  x = frexp(x, &exponent);
  y = ldexp(y, -exponent);
  if (y < 0x1p-60) return ldexp(x, exponent); /* it changes nothing */
  pair square = add(product_of(x, x), product_of(y, y));
  double root = sqrt(square.hi);
  pair rest = add(square, negative(product_of(root, root)));
  return ldexp(root + rest.hi / (2 * root), exponent);
}
