/* Elementary functions whose results are the same bits on every machine. The C library's may differ in the last bit
 * between versions and processors; learning must not (a run is a function of its settings and its seed). They use only
 * additions, multiplications and divisions, which IEEE arithmetic fixes. */
#ifndef SIXER_UTIL_REAL_H
#define SIXER_UTIL_REAL_H

/* The natural logarithm of a positive, finite number; the error is below 2 units in the last place. */
double real_log(double x);

/* cos(pi x) for |x| < 2^52; the error is below 2^-51. */
double real_cos_pi(double x);

/* e to the power of x; the error is below 2 units in the last place. 0 below -745, infinity above 709.8. */
double real_exp(double x);

#endif
