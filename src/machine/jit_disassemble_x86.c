/* Reading translated code back: a disassembler for the instruction forms of jit_x86.h. */
#include "machine/jit_parts.h"

#if defined(SIXER_JIT) && OS_X86_64

#include "machine/jit_text.h"

/* An instruction while it is read. */
typedef struct reader {
  const uint8_t *begin, *at, *end;
  text out;
  bool bad; /* not one of our forms, or cut off */
  bool word;
  int rex;
  /* the bytes ModRM and SIB */
  int mod, reg, rm;
  int base, index, scale; /* index is -1 if there is none */
  int32_t displacement;
} reader;

/* ---- Text ------------------------------------------------------------------------------------------------------ */

static void put(reader *r, const char *what) { text_put(&r->out, what); }
static void put_hex(reader *r, uint64_t value) { text_put_hex(&r->out, value); }
static void put_name(reader *r, const char *name, const char *suffix) {
  text_put_name(&r->out, name, suffix);
}

static void put_register(reader *r, int number, int width) {
  static const char *const names[4][16] = {
      {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b",
       "r13b", "r14b", "r15b"},
      {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w",
       "r14w", "r15w"},
      {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d",
       "r13d", "r14d", "r15d"},
      {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
       "r13", "r14", "r15"}};
  put(r, names[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3][number & 15]);
}

/* ---- Bytes ----------------------------------------------------------------------------------------------------- */

static uint8_t next_byte(reader *r) {
  if (r->at < r->end) return *r->at++;
  r->bad = true;
  return 0;
}

static uint64_t next_value(reader *r, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)next_byte(r) << 8 * i;
  return value;
}

static int32_t next_signed8(reader *r) { return (int8_t)next_byte(r); }

static void read_modrm(reader *r) {
  const int modrm = next_byte(r);
  r->mod = modrm & MOD_REG;
  r->reg = (modrm >> 3 & 7) | (r->rex & REX_R ? 8 : 0);
  r->rm = (modrm & 7) | (r->rex & REX_B ? 8 : 0);
  r->base = r->rm;
  r->index = -1;
  if (r->mod == MOD_REG) return;
  if (r->mod == 0) r->bad = true; /* we always write a displacement */
  if ((modrm & 7) == RM_SIB) {
    const int sib = next_byte(r);
    r->base = (sib & 7) | (r->rex & REX_B ? 8 : 0);
    r->index = (sib >> 3 & 7) | (r->rex & REX_X ? 8 : 0);
    r->scale = sib >> 6;
    if (r->index == RSP) r->index = -1;
  }
  r->displacement = r->mod == MOD_MEM_8 ? next_signed8(r) : (int32_t)next_value(r, 4);
}

/* ---- Operands -------------------------------------------------------------------------------------------------- */

static int width_of(const reader *r) { return r->rex & REX_W ? 64 : r->word ? 16 : 32; }

static void put_rm(reader *r, int width) {
  if (r->mod == MOD_REG) {
    put_register(r, r->rm, width);
    return;
  }
  if (width) {
    put(r, width == 8 ? "BYTE" : width == 16 ? "WORD" : width == 32 ? "DWORD" : "QWORD");
    put(r, " PTR ");
  }
  put(r, "[");
  put_register(r, r->base, 64);
  if (r->index >= 0) {
    static const char *const times[4] = {"*1", "*2", "*4", "*8"};
    put(r, "+");
    put_register(r, r->index, 64);
    put(r, times[r->scale]);
  }
  put(r, r->displacement < 0 ? "-" : "+");
  put_hex(r, r->displacement < 0 ? 0 - (uint64_t)r->displacement : (uint64_t)r->displacement);
  put(r, "]");
}

static void put_reg_rm(reader *r, int reg_width, int rm_width) {
  put_register(r, r->reg, reg_width);
  put(r, ",");
  put_rm(r, rm_width);
}

static void put_rm_reg(reader *r, int width) {
  put_rm(r, width);
  put(r, ",");
  put_register(r, r->reg, width);
}

static void put_immediate(reader *r, int64_t value, int width) {
  put(r, ",");
  put_hex(r, width == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << width) - 1));
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

static const char *const alu_names[8] = {"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"};
static const char *const shift_names[8] = {"rol", "ror", "rcl", "rcr", "shl", "shr", "shl", "sar"};
static const char *const conditions[16] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                           "s", "ns", "p", "np", "l", "ge", "le", "g"};

static void read_two_byte(reader *r, int opcode, jit_text *out) {
  const int width = width_of(r);
  switch (opcode & 0xF0) {
    case X86_CMOVCC & 0xF0:
      read_modrm(r);
      put_name(r, "cmov", conditions[opcode & 15]);
      put_reg_rm(r, width, width);
      return;
    case X86_JCC & 0xF0: {
      const int32_t distance = (int32_t)next_value(r, 4);
      out->target += (int32_t)(r->at - r->begin) + distance;
      put_name(r, "j", conditions[opcode & 15]);
      put_hex(r, (uint32_t)out->target);
      return;
    }
    case X86_SETCC & 0xF0:
      read_modrm(r);
      put_name(r, "set", conditions[opcode & 15]);
      put_rm(r, 8);
      return;
    default: break;
  }
  read_modrm(r);
  switch (opcode | TWO_BYTE) {
    case X86_BT_RM_R:
      put_name(r, "bt", "");
      put_rm_reg(r, width);
      break;
    case X86_BT_RM_IMM8:
      if ((r->reg & 7) != BT_IMM) r->bad = true;
      put_name(r, "bt", "");
      put_rm(r, width);
      put_immediate(r, next_byte(r), 8);
      break;
    case X86_MOVZX_R_RM8:
    case X86_MOVZX_R_RM16:
      put_name(r, "movzx", "");
      put_reg_rm(r, width, opcode & 1 ? 16 : 8);
      break;
    default: r->bad = true;
  }
}

/* Instructions without ModRM. False if it is none of these. */
static bool read_short(reader *r, int opcode, jit_text *out, uint64_t *constant) {
  const int low = (opcode & 7) | (r->rex & REX_B ? 8 : 0);
  switch (opcode & 0xF8) {
    case X86_PUSH:
    case X86_POP:
      put_name(r, (opcode & 0xF8) == X86_PUSH ? "push" : "pop", "");
      put_register(r, low, 64);
      return true;
    case X86_MOV_R_IMM:
      put_name(r, r->rex & REX_W ? "movabs" : "mov", "");
      put_register(r, low, width_of(r));
      *constant = next_value(r, r->rex & REX_W ? 8 : 4);
      put(r, ",");
      put_hex(r, *constant);
      return true;
    default: break;
  }
  switch (opcode) {
    case X86_CALL:
    case X86_JMP: {
      const int32_t distance = (int32_t)next_value(r, 4);
      out->target += (int32_t)(r->at - r->begin) + distance;
      put_name(r, opcode == X86_CALL ? "call" : "jmp", "");
      put_hex(r, (uint32_t)out->target);
      return true;
    }
    case X86_RET: put(r, "ret"); return true;
    case X86_CLC: put(r, "clc"); return true;
    case X86_STC: put(r, "stc"); return true;
    default: return false;
  }
}

static void read_one_byte(reader *r, int opcode) {
  const int width = width_of(r);
  read_modrm(r);
  if (opcode < X86_PUSH - 0x10 && (opcode & 7) <= ALU_R_RM) {
    const int form = opcode & 7, size = form & 1 ? width : 8;
    put_name(r, alu_names[opcode >> 3], "");
    if (form == ALU_RM8_R8 || form == ALU_RM_R)
      put_rm_reg(r, size);
    else
      put_reg_rm(r, size, size);
    return;
  }
  switch (opcode) {
    case X86_IMUL_IMM:
    case X86_IMUL_IMM8:
      put_name(r, "imul", "");
      put_reg_rm(r, width, width);
      put_immediate(r, opcode == X86_IMUL_IMM ? (int64_t)next_value(r, 4) : next_signed8(r), width);
      break;
    case X86_ALU_RM8_IMM8:
    case X86_ALU_RM_IMM:
    case X86_ALU_RM_IMM8: {
      const int size = opcode == X86_ALU_RM8_IMM8 ? 8 : width;
      put_name(r, alu_names[r->reg & 7], "");
      put_rm(r, size);
      put_immediate(r, opcode == X86_ALU_RM_IMM ? (int32_t)next_value(r, 4) : next_signed8(r),
                    size);
      break;
    }
    case X86_TEST_RM8_R8:
    case X86_TEST_RM_R:
      put_name(r, "test", "");
      put_rm_reg(r, opcode == X86_TEST_RM_R ? width : 8);
      break;
    case X86_MOV_RM8_R8:
    case X86_MOV_RM_R:
      put_name(r, "mov", "");
      put_rm_reg(r, opcode == X86_MOV_RM_R ? width : 8);
      break;
    case X86_MOV_R_RM:
      put_name(r, "mov", "");
      put_reg_rm(r, width, width);
      break;
    case X86_LEA:
      if (r->mod == MOD_REG) r->bad = true;
      put_name(r, "lea", "");
      put_reg_rm(r, width, 0);
      break;
    case X86_SHIFT_RM_IMM8:
      put_name(r, shift_names[r->reg & 7], "");
      put_rm(r, width);
      put_immediate(r, next_byte(r), 8);
      break;
    case X86_SHIFT_RM8_1:
      put_name(r, shift_names[r->reg & 7], "");
      put_rm(r, 8);
      put(r, ",1");
      break;
    case X86_MOV_RM8_IMM8:
      put_name(r, "mov", "");
      put_rm(r, 8);
      put_immediate(r, next_byte(r), 8);
      break;
    case X86_MOV_RM_IMM:
      put_name(r, "mov", "");
      put_rm(r, width);
      put_immediate(r, (int64_t)next_value(r, width == 16 ? 2 : 4), width);
      break;
    case X86_GROUP3_RM8:
    case X86_GROUP3_RM: {
      const int size = opcode == X86_GROUP3_RM8 ? 8 : width;
      if ((r->reg & 7) != GROUP3_TEST) r->bad = true;
      put_name(r, "test", "");
      put_rm(r, size);
      put_immediate(r, (int64_t)next_value(r, size == 8 ? 1 : 4), size);
      break;
    }
    case X86_GROUP4_RM8:
      if ((r->reg & 7) > GROUP4_DEC) r->bad = true;
      put_name(r, (r->reg & 7) == GROUP4_INC ? "inc" : "dec", "");
      put_rm(r, 8);
      break;
    case X86_GROUP5_RM:
      if ((r->reg & 7) != GROUP5_CALL && (r->reg & 7) != GROUP5_JMP) r->bad = true;
      put_name(r, (r->reg & 7) == GROUP5_CALL ? "call" : "jmp", "");
      put_rm(r, 64);
      break;
    default: r->bad = true;
  }
}

void jit_disassemble(const uint8_t *bytes, uint32_t offset, size_t size, jit_text *out) {
  reader r = {.begin = bytes,
              .at = bytes,
              .end = bytes + size,
              .out = {out->text, out->text + sizeof out->text - 1},
              .mod = MOD_REG,
              .index = -1};
  uint64_t constant = 0;
  *out = (jit_text){.target = (int32_t)offset};
  int opcode = next_byte(&r);
  if (opcode == PREFIX_WORD) r.word = true, opcode = next_byte(&r);
  if ((opcode & 0xF0) == PREFIX_REX) r.rex = opcode, opcode = next_byte(&r);
  if (opcode == 0x0F)
    read_two_byte(&r, next_byte(&r), out);
  else if (!read_short(&r, opcode, out, &constant))
    read_one_byte(&r, opcode);
  if (out->target == (int32_t)offset) out->target = -1;
  out->length = (int)(r.at - bytes);
  if (r.bad) {
    *out = (jit_text){.length = 1, .text = "(bad)", .target = -1};
    return;
  }
  text note = {out->note, out->note + sizeof out->note - 1};
  if (constant)
    jit_name_constant(&note, constant);
  else if (r.mod != MOD_REG)
    jit_name_memory(&note, (mem){r.base, r.index, r.scale, r.displacement});
}

#endif
