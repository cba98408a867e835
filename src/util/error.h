/* Filling a sixer_error. */
#ifndef SIXER_UTIL_ERROR_H
#define SIXER_UTIL_ERROR_H

#include "sixer/sixer.h"

/* Fill *error with the code and a message; NULL is allowed. Returns `code`, so that a function can fail with
 * `return sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));`. */
sixer_err sixer_fail(sixer_error *error, sixer_err code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
