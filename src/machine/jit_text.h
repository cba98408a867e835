/* What the disassemblers of translated code share: writing text, and names for what code accesses (jit_names.c). */
#ifndef SIXER_MACHINE_JIT_TEXT_H
#define SIXER_MACHINE_JIT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "machine/jit_encoder.h"

/* Text up to `end`, where the terminating zero has room; what does not fit is left out. */
typedef struct text {
  char *at, *end;
} text;

static inline void text_put(text *t, const char *what) {
  while (*what && t->at < t->end) *t->at++ = *what++;
  *t->at = 0;
}

/* A number with this base, 10 or 16. */
static inline void text_put_number(text *t, uint64_t value, unsigned base) {
  char digits[24], *first = digits + sizeof digits - 1;
  *first = 0;
  do *--first = "0123456789abcdef"[value % base];
  while (value /= base);
  text_put(t, first);
}
static inline void text_put_hex(text *t, uint64_t value) {
  text_put(t, "0x");
  text_put_number(t, value, 16);
}

/* The name of an instruction, and spaces up to its operands. */
static inline void text_put_name(text *t, const char *name, const char *suffix) {
  const char *begin = t->at;
  text_put(t, name);
  text_put(t, suffix);
  do text_put(t, " ");
  while (t->at - begin < 7);
}

/* Write what is at a place in memory, and what a constant is; nothing if they are not known. */
void jit_name_memory(text *t, mem spot);
void jit_name_constant(text *t, uint64_t value);

#endif
