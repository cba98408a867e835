/* Filling a sixer_error. */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/text.h"

sixer_err sixer_error_fill(sixer_error *error, sixer_err code, const char *format, ...) {
  if (error) {
    va_list args;
    va_start(args, format);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    text_clean(error->message); /* it may quote a file */
  }
  return code;
}
