/* Protocols from places that may be anybody's. */
#ifndef SIXER_EVAL_PROTOCOL_H
#define SIXER_EVAL_PROTOCOL_H

#include "sixer/eval.h"

/* As sixer_protocol_parse(), for a text that comes from a file or a message: its base may be a built-in protocol and no
 * file. */
sixer_err protocol_parse_stored(const char *text, const char *origin, sixer_protocol **protocol,
                                sixer_error *error);

#endif
