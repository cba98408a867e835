/* Elementary functions that give the double next to the true result, in all but about one of 2^40 cases, and therefore
 * the same bits on every machine. Those of C libraries err in the last bit, each in its own way: mingw-w64 uses the
 * x87 and rounds twice, glibc and musl differ from version to version. Statistics that people compare must not.
 *
 * They work with pairs of doubles and take about a microsecond; real.h has faster ones for learners, which may err
 * more. */
#ifndef SIXER_UTIL_ROUNDED_H
#define SIXER_UTIL_ROUNDED_H

double rounded_exp(double x);
double rounded_log(double x);
double rounded_log10(double x);
/* log(1 + x), also for small x */
double rounded_log1p(double x);
/* x to the power of y; NaN for x below 0. */
double rounded_pow(double x, double y);
/* The error function and its complement: the share of a normal distribution with variance 1/2 within, and outside of,
 * -x and x. Beyond 26 the complement is 0. */
double rounded_erf(double x);
double rounded_erfc(double x);
/* sqrt(x^2 + y^2); neither overflows nor loses small numbers on the way. */
double rounded_hypot(double x, double y);

#endif
