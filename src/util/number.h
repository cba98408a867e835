/* Numbers as text. They have a decimal point whatever the program's locale is. */
#ifndef SIXER_UTIL_NUMBER_H
#define SIXER_UTIL_NUMBER_H

#include <stdbool.h>

/* Convert a text that is a number from its first to its last character; inf and nan only if `allow` has their bits.
 * False if the text is not a number. */
enum { NUMBER_FINITE = 0, NUMBER_INF = 1, NUMBER_NAN = 2 };
bool number_read(const char *text, int allow, double *value);

/* The shortest decimal that reads back as the same double; "nan" and "inf" otherwise. */
const char *number_text(double value, char buffer[32]);

/* Whether two lists of settings (NAME=VALUE, separated by commas or line ends) are the same, in whatever way their
 * numbers are written: 10 is 1e+01. */
bool number_same_settings(const char *a, const char *b);

#endif
