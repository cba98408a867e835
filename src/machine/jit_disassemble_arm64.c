/* Reading translated code back: a disassembler for the AArch64 instructions that jit_arm64.c writes. As objdump does,
 * it writes an instruction by the name that says what it is used for: ubfm as lsl, lsr, uxtb, ubfx or ubfiz. */
#include "machine/jit_parts.h"

#if defined(SIXER_JIT) && OS_ARM64

#include <string.h>

#include "machine/jit_text.h"

static const char *const conditions[16] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                           "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};

/* The instruction, and its fields. */
typedef struct reader {
  uint32_t word, opcode; /* without and with the bit WIDE cleared */
  bool wide;
  int d, n, m;
  text out;
  jit_text *result;
  uint32_t offset;
  const uint8_t *bytes;
} reader;

static uint32_t field(const reader *r, int lowest, int count) {
  return r->word >> lowest & ((1u << count) - 1);
}
static int32_t signed_field(const reader *r, int lowest, int count) {
  return (int32_t)(r->word << (32 - lowest - count)) >> (32 - count);
}

static void put(reader *r, const char *what) { text_put(&r->out, what); }
static void put_name(reader *r, const char *name) { text_put_name(&r->out, name, ""); }
static void put_register(reader *r, int number, bool wide) {
  put(r, wide ? "x" : "w");
  if (number == ZERO)
    put(r, "zr");
  else
    text_put_number(&r->out, (uint64_t)number, 10);
}
static void put_base(reader *r, int number) {
  if (number == SP_REG)
    put(r, "sp");
  else
    put_register(r, number, true);
}
static void put_next(reader *r, int number) {
  put(r, ", ");
  put_register(r, number, r->wide);
}
static void put_decimal(reader *r, int64_t value) {
  put(r, value < 0 ? ", #-" : ", #");
  text_put_number(&r->out, (uint64_t)(value < 0 ? -value : value), 10);
}
static void put_hex(reader *r, uint64_t value) {
  put(r, ", #");
  text_put_hex(&r->out, value);
}
static void put_target(reader *r, int32_t words) {
  r->result->target = (int32_t)r->offset + 4 * words;
  text_put_hex(&r->out, (uint32_t)r->result->target);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

/* Two sources and a destination, which is left out of those that only set flags. */
static void put_registers(reader *r, const char *name, const char *flags_only) {
  const bool compares = flags_only && r->d == ZERO;
  put_name(r, compares ? flags_only : name);
  if (!compares) {
    put_register(r, r->d, r->wide);
    put(r, ", ");
  }
  put_register(r, r->n, r->wide);
}

static bool read_add(reader *r) {
  static const char *const names[] = {"add", "adds", "sub", "subs"};
  const uint32_t which = field(r, 29, 2);
  const char *name = names[which], *flags_only = which == 3 ? "cmp" : NULL;
  if ((r->word & 0x1F800000) == (ARM_ADD_IMM & 0x1F800000)) {
    put_registers(r, name, flags_only);
    put_hex(r, field(r, 10, 12));
    if (r->word & IMM_SHIFTED) put(r, ", lsl #12");
    return true;
  }
  if ((r->word & 0x1F000000) != (ARM_ADD & 0x1F000000)) return false;
  put_registers(r, name, flags_only);
  put_next(r, r->m);
  if (r->word & ARM_EXTENDED) {
    put(r, ", uxtb");
  } else if (field(r, 10, 6)) {
    put(r, field(r, 22, 2) == BY_LSR ? ", lsr #" : ", lsl #");
    text_put_number(&r->out, field(r, 10, 6), 10);
  }
  return true;
}

/* The value of a logical immediate of 32 bits; see logical_fields() in jit_arm64.c. */
static uint32_t logical_value(uint32_t rotate, uint32_t ones) {
  uint32_t size = 32, value = 0;
  while (size > 2 && ones & size) size /= 2;
  const uint32_t run = (2u << (ones & (size - 1))) - 1, by = rotate & (size - 1);
  const uint32_t mask = size == 32 ? UINT32_MAX : (1u << size) - 1;
  const uint32_t element = by ? (run >> by | run << (size - by)) & mask : run;
  for (uint32_t i = 0; i < 32; i += size) value |= element << i;
  return value;
}

static bool read_logical(reader *r) {
  static const char *const names[] = {"and", "orr", "eor", "ands"};
  const uint32_t which = field(r, 29, 2);
  const bool immediate = (r->word & 0x1F800000) == 0x12000000;
  if (!immediate && (r->word & 0x1FE0FC00) != 0x0A000000) return false;
  if (!immediate && which == 1 && r->n == ZERO) {
    put_name(r, "mov");
    put_register(r, r->d, r->wide);
    put_next(r, r->m);
    return true;
  }
  put_registers(r, names[which], which == 3 ? "tst" : NULL);
  if (immediate)
    put_hex(r, logical_value(field(r, 16, 6), field(r, 10, 6)));
  else
    put_next(r, r->m);
  return true;
}

static bool read_move(reader *r) {
  const uint32_t which = field(r, 29, 2), shift = 16 * field(r, 21, 2), bits = field(r, 5, 16);
  if ((r->word & 0x1F800000) != (ARM_MOVZ & 0x1F800000)) return false;
  put_name(r, which == 3 ? "movk" : "mov");
  put_register(r, r->d, r->wide);
  put_hex(r, which == 3 ? bits : which == 0 ? (uint32_t) ~(bits << shift) : bits << shift);
  if (which == 3) {
    put(r, ", lsl #");
    text_put_number(&r->out, shift, 10);
  }
  return true;
}

static bool read_bits(reader *r) {
  const int rotate = (int)field(r, 16, 6), last = (int)field(r, 10, 6);
  if ((r->word & 0xFFC00000) != ARM_UBFM) return false;
  const bool extends = !rotate && (last == 7 || last == 15);
  put_registers(r,
                extends              ? last == 7 ? "uxtb" : "uxth"
                : last == 31         ? "lsr"
                : last + 1 == rotate ? "lsl"
                : last < rotate      ? "ubfiz"
                                     : "ubfx",
                NULL);
  if (extends) return true;
  put_decimal(r, last == 31 ? rotate : last < rotate ? 32 - rotate : rotate);
  if (last == 31 || last + 1 == rotate) return true;
  put_decimal(r, last < rotate ? last + 1 : last - rotate + 1);
  return true;
}

static bool read_other(reader *r) {
  const char *condition = conditions[field(r, 12, 4)];
  if ((r->opcode & 0x7FE0FC00) == ARM_LSRV || (r->opcode & 0x7FE0FC00) == ARM_MUL) {
    put_registers(r, (r->opcode & 0x7FE0FC00) == ARM_MUL ? "mul" : "lsr", NULL);
    put_next(r, r->m);
  } else if ((r->opcode & 0x7FE0FC00) == ARM_ADCS || (r->opcode & 0x7FE0FC00) == ARM_SBCS) {
    put_registers(r, (r->opcode & 0x7FE0FC00) == ARM_ADCS ? "adcs" : "sbcs", NULL);
    put_next(r, r->m);
  } else if ((r->word & 0xFFE00C00) == ARM_CSEL) {
    put_registers(r, "csel", NULL);
    put_next(r, r->m);
    put(r, ", ");
    put(r, condition);
  } else if ((r->word & 0xFFFF0FE0) == ARM_CSET) {
    put_name(r, "cset");
    put_register(r, r->d, false);
    put(r, ", ");
    put(r, conditions[field(r, 12, 4) ^ 1]);
  } else {
    return false;
  }
  return true;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

static void note_memory(reader *r, mem spot) {
  text note = {r->result->note, r->result->note + sizeof r->result->note - 1};
  jit_name_memory(&note, spot);
}

static bool read_access(reader *r) {
  static const char *const names[2][4] = {{"strb", "strh", "str", "str"},
                                          {"ldrb", "ldrh", "ldr", "ldr"}};
  static const char *const unscaled[2][4] = {{"sturb", "sturh", "stur", "stur"},
                                             {"ldurb", "ldurh", "ldur", "ldur"}};
  const uint32_t form = r->word & 0x3FA00C00;
  const int width = (int)field(r, 30, 2), load = (int)field(r, 22, 1);
  const bool scaled = (r->word & 0x3F800000) == ARM_STORE;
  if (!scaled && form != ARM_STORE_UNSCALED && form != ARM_STORE_POST &&
      (r->word & 0x3FA0EC00) != (ARM_STORE_INDEX & 0x3FA0EC00))
    return false;
  put_name(r, !scaled && form == ARM_STORE_UNSCALED ? unscaled[load][width] : names[load][width]);
  put_register(r, r->d, width == 3);
  put(r, ", [");
  put_base(r, r->n);
  mem spot = at(r->n, 0);
  if (scaled) {
    spot.offset = (ptrdiff_t)field(r, 10, 12) << width;
    if (spot.offset) put_decimal(r, spot.offset);
  } else if (form == ARM_STORE_UNSCALED) {
    spot.offset = signed_field(r, 12, 9);
    put_decimal(r, spot.offset);
  } else if (form == ARM_STORE_POST) {
    put(r, "]");
    put_decimal(r, signed_field(r, 12, 9));
    return true;
  } else {
    spot.index = r->m;
    put(r, ", ");
    put_register(r, r->m, true);
    if (r->word & INDEX_SCALED && width) {
      put(r, ", lsl #");
      text_put_number(&r->out, (uint64_t)width, 10);
      spot.scale = width;
    }
  }
  put(r, "]");
  note_memory(r, spot);
  return true;
}

static bool read_pair(reader *r) {
  const uint32_t form = r->opcode & 0x7FC00000;
  if (form != ARM_STP && form != ARM_STP_PRE && form != ARM_LDP && form != ARM_LDP_POST)
    return false;
  put_name(r, r->word & IS_LOAD ? "ldp" : "stp");
  put_register(r, r->d, true);
  put(r, ", ");
  put_register(r, (int)field(r, 10, 5), true);
  put(r, ", [");
  put_base(r, r->n);
  if (form == ARM_LDP_POST) put(r, "]");
  put_decimal(r, 8 * signed_field(r, 15, 7));
  if (form != ARM_LDP_POST) put(r, form == ARM_STP_PRE ? "]!" : "]");
  return true;
}

static bool read_literal(reader *r) {
  uint64_t value;
  if ((r->word & 0xFF000000) != ARM_LDR_LITERAL) return false;
  const int32_t distance = 4 * signed_field(r, 5, 19);
  put_name(r, "ldr");
  put_register(r, r->d, true);
  put(r, ", ");
  text_put_hex(&r->out, r->offset + (uint32_t)distance);
  memcpy(&value, r->bytes + distance, sizeof value);
  text note = {r->result->note, r->result->note + sizeof r->result->note - 1};
  jit_name_constant(&note, value);
  return true;
}

/* ---- Jumps ----------------------------------------------------------------------------------------------------- */

static bool read_jump(reader *r) {
  const uint32_t kind = r->opcode & 0x7E000000;
  if ((r->word & 0x7C000000) == ARM_B) {
    put_name(r, r->word == (r->opcode | WIDE) ? "bl" : "b");
    put_target(r, signed_field(r, 0, 26));
  } else if ((r->word & 0xFF000010) == ARM_B_COND) {
    text_put_name(&r->out, "b.", conditions[field(r, 0, 4)]);
    put_target(r, signed_field(r, 5, 19));
  } else if (kind == ARM_CBZ || kind == ARM_TBZ) {
    const bool bit = kind == ARM_TBZ, nonzero = r->word & IF_NONZERO;
    put_name(r, bit ? nonzero ? "tbnz" : "tbz" : nonzero ? "cbnz" : "cbz");
    put_register(r, r->d, r->wide);
    if (bit) put_decimal(r, field(r, 19, 5));
    put(r, ", ");
    put_target(r, signed_field(r, 5, bit ? 14 : 19));
  } else if (r->word == ARM_RET) {
    put(r, "ret");
  } else if ((r->word & 0xFFFFFC1F) == ARM_BR || (r->word & 0xFFFFFC1F) == ARM_BLR) {
    put_name(r, (r->word & 0xFFFFFC1F) == ARM_BR ? "br" : "blr");
    put_register(r, r->n, true);
  } else {
    return false;
  }
  return true;
}

void jit_disassemble(const uint8_t *bytes, uint32_t offset, size_t size, jit_text *out) {
  reader r = {.bytes = bytes, .offset = offset, .result = out};
  *out = (jit_text){.length = 4, .target = -1};
  r.out = (text){out->text, out->text + sizeof out->text - 1};
  if (size >= 4) memcpy(&r.word, bytes, 4);
  r.opcode = r.word & ~WIDE;
  r.wide = r.word & WIDE;
  r.d = (int)field(&r, 0, 5), r.n = (int)field(&r, 5, 5), r.m = (int)field(&r, 16, 5);
  if (read_jump(&r) || read_literal(&r) || read_pair(&r) || read_access(&r) || read_add(&r) ||
      read_logical(&r) || read_move(&r) || read_bits(&r) || read_other(&r))
    return;
  *out = (jit_text){.length = size < 4 ? (int)size : 4, .text = "(bad)", .target = -1};
}

#endif
