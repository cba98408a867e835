/* The interpreter as one function with a label per opcode. interp.c includes this file once or twice: INTERPRET is the
 * name of the function, and COUNTED says whether it counts instructions. If it does, `left` is how many the frame may
 * still execute, and what remains of it is returned.
 *
 * The analyzer does not follow computed jumps, and takes values that the opcodes read for dead.
 * NOLINTBEGIN(clang-analyzer-deadcode.DeadStores) */
#if OS_WASM32
/* What it calls is inlined (flatten). */
__attribute__((flatten)) bool interp_labels(machine *m, const code_run *where, int32_t until) {
#define CASE(n) \
  case 0x##n:   \
    goto op_##n;
#define ROW(r) \
  CASE(r##0)   \
  CASE(r##1)   \
  CASE(r##2)   \
  CASE(r##3)   \
  CASE(r##4)   \
  CASE(r##5)   \
  CASE(r##6)   \
  CASE(r##7) CASE(r##8) CASE(r##9) CASE(r##A) CASE(r##B) CASE(r##C) CASE(r##D) CASE(r##E) CASE(r##F)
#else
static int INTERPRET(machine *m, bool ram_only, int32_t until, int left) {
#define ROW(r)                                                                                   \
  &&op_##r##0, &&op_##r##1, &&op_##r##2, &&op_##r##3, &&op_##r##4, &&op_##r##5, &&op_##r##6,     \
      &&op_##r##7, &&op_##r##8, &&op_##r##9, &&op_##r##A, &&op_##r##B, &&op_##r##C, &&op_##r##D, \
      &&op_##r##E, &&op_##r##F
  static const void *const places[256] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5),
                                          ROW(6), ROW(7), ROW(8), ROW(9), ROW(A), ROW(B),
                                          ROW(C), ROW(D), ROW(E), ROW(F)};
  const uint16_t outside = ram_only ? 0x1000 : 0;
#endif
  const uint16_t watched = m->tia_direct ? 0 : 0x1000;
  console *c = m->c;
  uint8_t *const ram = c->ram;
  const uint8_t *const *pages = m->pages;
  int32_t cycles = c->cycles;
  uint16_t pc = c->pc, address = 0, base = 0;
  uint8_t a = c->a, x = c->x, y = c->y, sp = c->sp, bus = c->bus;
  uint8_t v, rest, carry, data = 0, address2 = 0;
  unsigned nz;
  UNPACK_P(c->p);
#if OS_WASM32
  const code_run run = *where;
  const uint8_t *code = run.begin + (uint16_t)(pc - run.pc), *begin;
  const uintptr_t bias = run.pc - (uintptr_t)run.begin;
  int32_t before; /* cycles at `begin` */
  bool refused = false;
  goto execute;
#else
  const uint8_t *code = ram;
  code_run run = {ram, ram, 0}, other = run; /* the current run, and the one before it */
  uint64_t banks = banks_of(c);
  uintptr_t bias = 0; /* address of an instruction minus its address in the host's memory */
  goto arrive;
#endif

branch : {
  uint16_t after = (uint16_t)(PC() + 2), target = (uint16_t)(after + (int8_t)code[1]);
  int crossed = ((target ^ after) >> 8) != 0;
  cycles += 1 + crossed;
#if !OS_WASM32
  /* a loop that waits for the timer: skip all but one of the turns that it makes for certain */
  if (code[1] == 0xFB && code - 3 >= run.begin && (target & 0x1000) && interp_waits(code - 3)) {
    int turn = 7 + crossed, turns = interp_idle_turns(c, cycles, 4, turn, code[0]);
    if (COUNTED && turns > (left - 4) / 2) turns = (left - 4) / 2;
    if (turns > 1) {
      left -= 2 * (turns - 1);
      cycles += turn * (turns - 1);
    }
  }
#endif
  if (cycles >= until) GO_TO(target);
  const uint8_t *there = code + 2 + (int8_t)code[1];
  if (there < run.begin) GO_TO(target);
  if (there >= run.end) GO_TO(target);
  code = there;
}

  NEXT;

#if OS_WASM32

jump:
  if ((uint16_t)(pc - run.pc) < run.end - run.begin && cycles < until) {
    code = run.begin + (uint16_t)(pc - run.pc);
    goto execute;
  }
  goto leave_at_pc;

refuse:
  code = begin, cycles = before, refused = true;
fall:
  pc = PC();
leave_at_pc:
  c->a = a, c->x = x, c->y = y, c->sp = sp, c->bus = bus;
  c->p = PACK_P();
  c->pc = pc;
  c->cycles = cycles;
  return refused;

#else

fall: /* the end of the run was reached */
  pc = PC();
  goto arrive;

jump:
  if (COUNTED && --left <= 0) {
    run = (code_run){ram, ram, pc};
    bias = pc - (uintptr_t)ram;
    code = ram;
    goto leave;
  }
  if ((uint16_t)(pc - run.pc) < run.end - run.begin && cycles < until) {
    code = run.begin + (uint16_t)(pc - run.pc);
    goto execute;
  }
  if ((uint16_t)(pc - other.pc) < other.end - other.begin && cycles < until) {
    const code_run swap = run;
    run = other;
    other = swap;
    bias = run.pc - (uintptr_t)run.begin;
    code = run.begin + (uint16_t)(pc - run.pc);
    goto execute;
  }
arrive:
  if (m->stop || cycles >= until) {
    run = (code_run){ram, ram, pc};
    bias = pc - (uintptr_t)ram;
    code = ram;
    goto leave;
  }
  other = run;
  run = interp_find_run(m, pc);
  bias = run.pc - (uintptr_t)run.begin;
  code = run.begin + (uint16_t)(pc - run.pc);
  if ((pc & outside) || code >= run.end) {
    run = (code_run){ram, ram, pc};
    bias = pc - (uintptr_t)ram;
    code = ram;
    goto leave;
  }
#endif
execute:
#if OS_WASM32
  begin = code, before = cycles;
  switch (code[0]) {
    ROW(0)
    ROW(1)
    ROW(2)
    ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) ROW(A) ROW(B) ROW(C) ROW(D) ROW(E) ROW(F)
  }
  __builtin_unreachable();
#undef CASE
#else
  goto *places[code[0]];
#endif
#include "machine/interp_opcodes.h"
  OPCODE(4C) /* JMP */ bus = code[2];
  GO_TO((uint16_t)(code[1] | code[2] << 8));
  OPCODE(6C) /* JMP () */
  ABSOLUTE();
  READ(address);
  address2 = data;
  READ((uint16_t)((address & 0xFF00) | ((address + 1) & 0xFF)));
  GO_TO((uint16_t)(address2 | data << 8));
  OPCODE(20) { /* JSR */
    uint8_t low = code[1];
    pc = (uint16_t)(PC() + 2);
    bus = low;
    NEED_STACK();
    READ((uint16_t)(0x100 | sp));
    PUSH((uint8_t)(pc >> 8), true);
    PUSH((uint8_t)pc, false);
    bus = code[2]; /* read last: if the code is in RAM, the pushes may have changed it */
    GO_TO((uint16_t)(low | bus << 8));
  }
  OPCODE(60) /* RTS */
  bus = 0x60;
  READ((uint16_t)(0x100 | sp));
  READ((uint16_t)(0x100 | (uint8_t)(sp + 1)));
  address2 = data;
  READ((uint16_t)(0x100 | (uint8_t)(sp + 2)));
  address = (uint16_t)(address2 | data << 8);
  READ(address);
  sp += 2;
  GO_TO((uint16_t)(address + 1));
  OPCODE(48) /* PHA */
  code++;
  PUSH_ALONE(a);
  NEXT;
  OPCODE(08) /* PHP */
  code++;
  PUSH_ALONE(PACK_P());
  NEXT;
  OPCODE(68) /* PLA */
  bus = 0x68;
  code++;
  READ((uint16_t)(0x100 | sp));
  READ((uint16_t)(0x100 | (uint8_t)(sp + 1)));
  sp++;
  NZ(a = data);
  NEXT;
  OPCODE(28) /* PLP */
  bus = 0x28;
  code++;
  READ((uint16_t)(0x100 | sp));
  READ((uint16_t)(0x100 | (uint8_t)(sp + 1)));
  sp++;
  UNPACK_P(data);
  NEXT;
/* BRK, RTI and JAM are rare: the plain processor executes them */
op_00:
op_02:
op_12:
op_22:
op_32:
op_40:
op_42:
op_52:
op_62:
op_72:
op_92:
op_B2:
op_D2:
op_F2:
#if OS_WASM32
  goto refuse;
#else
  goto leave;

leave:
  c->a = a, c->x = x, c->y = y, c->sp = sp, c->bus = bus;
  c->p = PACK_P();
  c->pc = PC();
  c->cycles = cycles;
  return left;
#endif
}
/* NOLINTEND(clang-analyzer-deadcode.DeadStores) */
