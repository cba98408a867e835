/* Filling a sixer_error. */
#ifndef SIXER_UTIL_ERROR_H
#define SIXER_UTIL_ERROR_H

#include <assert.h>

#include "sixer/sixer.h"
#include "util/os.h"

/* Fill *error with the code and a message; NULL is allowed. Returns `code`, which is not SIXER_OK. */
sixer_err sixer_error_fill(sixer_error *error, sixer_err code, const char *format, ...)
    OS_PRINTF(3, 4);

static inline sixer_err sixer_error_code(sixer_err code) {
  assert(code != SIXER_OK);
  return code;
}

/* The same, so that a function can fail with
 * `return sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));`.
 * A macro, because a static analyzer does not look into functions of other files: the assertion tells it that a caller
 * that tests the result does not go on after a failure. */
#define sixer_fail(...) sixer_error_code(sixer_error_fill(__VA_ARGS__))

#endif
