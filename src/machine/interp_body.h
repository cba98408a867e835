/* The interpreter's function. interp.c includes this file twice: INTERPRET is the name of the function, and
 * COUNTED says whether it counts instructions. If it does, `left` is how many the frame may still execute, and
 * what remains of it is returned.
 *
 * The analyzer does not follow computed jumps, and takes values that the opcodes read for dead.
 * NOLINTBEGIN(clang-analyzer-deadcode.DeadStores) */
static int INTERPRET(machine *m, bool ram_only, int32_t until, int left) {
#define ROW(r)                                                                                   \
  &&op_##r##0, &&op_##r##1, &&op_##r##2, &&op_##r##3, &&op_##r##4, &&op_##r##5, &&op_##r##6,     \
      &&op_##r##7, &&op_##r##8, &&op_##r##9, &&op_##r##A, &&op_##r##B, &&op_##r##C, &&op_##r##D, \
      &&op_##r##E, &&op_##r##F
  static const void *const places[256] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5),
                                          ROW(6), ROW(7), ROW(8), ROW(9), ROW(A), ROW(B),
                                          ROW(C), ROW(D), ROW(E), ROW(F)};
  const uint16_t outside = ram_only ? 0x1000 : 0;
  const uint16_t watched = m->tia_direct ? 0 : 0x1000;
  console *c = m->c;
  uint8_t *const ram = c->ram;
  const uint8_t *const *pages = m->pages;
  int32_t cycles = c->cycles;
  uint16_t pc = c->pc, address = 0, base = 0;
  uint8_t a = c->a, x = c->x, y = c->y, sp = c->sp, bus = c->bus;
  uint8_t v, rest, carry, data = 0, address2 = 0;
  unsigned nz;
  const uint8_t *code = ram;
  code_run run = {ram, ram, 0}, other = run; /* the current run, and the one before it */
  uint64_t banks = banks_of(c);
  uintptr_t bias = 0; /* address of an instruction minus its address in the host's memory */
  UNPACK_P(c->p);
  goto arrive;

branch : {
  uint16_t after = (uint16_t)(PC() + 2), target = (uint16_t)(after + (int8_t)code[1]);
  int crossed = ((target ^ after) >> 8) != 0;
  cycles += 1 + crossed;
  /* a loop that waits for the timer: skip all but one of the turns that it makes for certain */
  if (code[1] == 0xFB && code - 3 >= run.begin && (target & 0x1000) && interp_waits(code - 3)) {
    int turn = 7 + crossed, turns = interp_idle_turns(c, cycles, 4, turn, code[0]);
    if (COUNTED && turns > (left - 4) / 2) turns = (left - 4) / 2;
    if (turns > 1) {
      left -= 2 * (turns - 1);
      cycles += turn * (turns - 1);
    }
  }
  if (cycles >= until) GO_TO(target);
  const uint8_t *there = code + 2 + (int8_t)code[1];
  if (there < run.begin) GO_TO(target);
  if (there >= run.end) GO_TO(target);
  code = there;
}

  NEXT;

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
  run = find_run(m, pc);
  bias = run.pc - (uintptr_t)run.begin;
  code = run.begin + (uint16_t)(pc - run.pc);
  if ((pc & outside) || code >= run.end) {
    run = (code_run){ram, ram, pc};
    bias = pc - (uintptr_t)ram;
    code = ram;
    goto leave;
  }
execute:
  goto *places[code[0]];
  ALU_ROWS(0, 1, DO_ORA());
  ALU_ROWS(2, 3, DO_AND());
  ALU_ROWS(4, 5, DO_EOR());
  ALU_ROWS(6, 7, DO_ADC());
  ALU_ROWS(A, B, DO_LDA());
  ALU_ROWS(C, D, DO_CMP());
  ALU_ROWS(E, F, DO_SBC());
  SHIFT_ROWS(0, 1, DO_ASL());
  SHIFT_ROWS(2, 3, DO_ROL());
  SHIFT_ROWS(4, 5, DO_LSR());
  SHIFT_ROWS(6, 7, DO_ROR());
  SHIFT_ROWS(C, D, DO_DEC());
  SHIFT_ROWS(E, F, DO_INC());
  COMBINED_ROWS(0, 1, DO_ASL(), THEN_SLO());
  COMBINED_ROWS(2, 3, DO_ROL(), THEN_RLA());
  COMBINED_ROWS(4, 5, DO_LSR(), THEN_SRE());
  COMBINED_ROWS(6, 7, DO_ROR(), THEN_RRA());
  COMBINED_ROWS(C, D, DO_DEC(), THEN_DCP());
  COMBINED_ROWS(E, F, DO_INC(), THEN_ISB());
  ACCUMULATOR(0A, DO_ASL());
  ACCUMULATOR(2A, DO_ROL());
  ACCUMULATOR(4A, DO_LSR());
  ACCUMULATOR(6A, DO_ROR());

  STORES(81, INDIRECT_X(), a);
  STORES_ZP(85, ZP(), a);
  STORES(8D, ABSOLUTE(), a);
  STORES(91, INDIRECT_Y(), a);
  STORES_ZP(95, ZP_INDEXED(x), a);
  STORES(99, ABS_INDEXED(y), a);
  STORES(9D, ABS_INDEXED(x), a);
  STORES_ZP(86, ZP(), x);
  STORES(8E, ABSOLUTE(), x);
  STORES_ZP(96, ZP_INDEXED(y), x);
  STORES_ZP(84, ZP(), y);
  STORES(8C, ABSOLUTE(), y);
  STORES_ZP(94, ZP_INDEXED(x), y);
  STORES(83, INDIRECT_X(), a & x);
  STORES_ZP(87, ZP(), a & x);
  STORES(8F, ABSOLUTE(), a & x);
  STORES_ZP(97, ZP_INDEXED(y), a & x);
  STORES(93, INDIRECT_Y(), a & x & HIGH());
  STORES(9F, ABS_INDEXED(y), a & x & HIGH());
  STORES(9E, ABS_INDEXED(y), x & HIGH());
  STORES(9C, ABS_INDEXED(x), y & HIGH());
  STORES(9B, ABS_INDEXED(y), (sp = a & x) & HIGH());

  IMMEDIATE(A2, DO_LDX());
  READS_ZP(A6, ZP(), DO_LDX());
  READS(AE, ABSOLUTE(), DO_LDX());
  READS_ZP(B6, ZP_INDEXED(y), DO_LDX());
  READS_X(BE, ABS_INDEXED(y), DO_LDX());
  IMMEDIATE(A0, DO_LDY());
  READS_ZP(A4, ZP(), DO_LDY());
  READS(AC, ABSOLUTE(), DO_LDY());
  READS_ZP(B4, ZP_INDEXED(x), DO_LDY());
  READS_X(BC, ABS_INDEXED(x), DO_LDY());
  READS(A3, INDIRECT_X(), DO_LAX());
  READS_ZP(A7, ZP(), DO_LAX());
  READS(AF, ABSOLUTE(), DO_LAX());
  READS_X(B3, INDIRECT_Y(), DO_LAX());
  READS_ZP(B7, ZP_INDEXED(y), DO_LAX());
  READS_X(BF, ABS_INDEXED(y), DO_LAX());
  READS_X(BB, ABS_INDEXED(y), DO_LAS());
  IMMEDIATE(E0, DO_CPX());
  READS_ZP(E4, ZP(), DO_CPX());
  READS(EC, ABSOLUTE(), DO_CPX());
  IMMEDIATE(C0, DO_CPY());
  READS_ZP(C4, ZP(), DO_CPY());
  READS(CC, ABSOLUTE(), DO_CPY());
  READS_ZP(24, ZP(), DO_BIT());
  READS(2C, ABSOLUTE(), DO_BIT());

  IMMEDIATE(0B, DO_ANC());
  IMMEDIATE(2B, DO_ANC());
  IMMEDIATE(4B, DO_ASR());
  IMMEDIATE(6B, DO_ARR());
  IMMEDIATE(8B, DO_ANE());
  IMMEDIATE(AB, DO_LXA());
  IMMEDIATE(CB, DO_SBX());
  IMMEDIATE(EB, DO_SBC());
  IMMEDIATE(80, DO_NOP());
  IMMEDIATE(82, DO_NOP());
  IMMEDIATE(89, DO_NOP());
  IMMEDIATE(C2, DO_NOP());
  IMMEDIATE(E2, DO_NOP());
  READS_ZP(04, ZP(), DO_NOP());
  READS_ZP(44, ZP(), DO_NOP());
  READS_ZP(64, ZP(), DO_NOP());
  READS_ZP(14, ZP_INDEXED(x), DO_NOP());
  READS_ZP(34, ZP_INDEXED(x), DO_NOP());
  READS_ZP(54, ZP_INDEXED(x), DO_NOP());
  READS_ZP(74, ZP_INDEXED(x), DO_NOP());
  READS_ZP(D4, ZP_INDEXED(x), DO_NOP());
  READS_ZP(F4, ZP_INDEXED(x), DO_NOP());
  READS(0C, ABSOLUTE(), DO_NOP());
  READS_X(1C, ABS_INDEXED(x), DO_NOP());
  READS_X(3C, ABS_INDEXED(x), DO_NOP());
  READS_X(5C, ABS_INDEXED(x), DO_NOP());
  READS_X(7C, ABS_INDEXED(x), DO_NOP());
  READS_X(DC, ABS_INDEXED(x), DO_NOP());
  READS_X(FC, ABS_INDEXED(x), DO_NOP());
  IMPLIED(1A, DO_NOP());
  IMPLIED(3A, DO_NOP());
  IMPLIED(5A, DO_NOP());
  IMPLIED(7A, DO_NOP());
  IMPLIED(DA, DO_NOP());
  IMPLIED(EA, DO_NOP());
  IMPLIED(FA, DO_NOP());

  IMPLIED(18, carry = 0);
  IMPLIED(38, carry = 1);
  IMPLIED(58, rest &= (uint8_t)~FLAG_I);
  IMPLIED(78, rest |= FLAG_I);
  IMPLIED(B8, v = 0);
  IMPLIED(D8, rest &= (uint8_t)~FLAG_D);
  IMPLIED(F8, rest |= FLAG_D);
  IMPLIED(AA, NZ(x = a));
  IMPLIED(A8, NZ(y = a));
  IMPLIED(8A, NZ(a = x));
  IMPLIED(98, NZ(a = y));
  IMPLIED(BA, NZ(x = sp));
  IMPLIED(9A, sp = x);
  IMPLIED(E8, NZ(++x));
  IMPLIED(CA, NZ(--x));
  IMPLIED(C8, NZ(++y));
  IMPLIED(88, NZ(--y));

  BRANCHES(10, !NEGATIVE());
  BRANCHES(30, NEGATIVE());
  BRANCHES(50, !v);
  BRANCHES(70, v);
  BRANCHES(90, !carry);
  BRANCHES(B0, carry);
  BRANCHES(D0, !ZERO());
  BRANCHES(F0, ZERO());

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
  sp += 2;
  address = (uint16_t)(address2 | data << 8);
  READ(address);
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
  sp++;
  READ((uint16_t)(0x100 | sp));
  NZ(a = data);
  NEXT;
  OPCODE(28) /* PLP */
  bus = 0x28;
  code++;
  READ((uint16_t)(0x100 | sp));
  sp++;
  READ((uint16_t)(0x100 | sp));
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
  goto leave;

leave:
  c->a = a, c->x = x, c->y = y, c->sp = sp, c->bus = bus;
  c->p = PACK_P();
  c->pc = PC();
  c->cycles = cycles;
  return left;
}
/* NOLINTEND(clang-analyzer-deadcode.DeadStores) */
