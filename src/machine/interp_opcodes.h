/* The opcodes of the interpreter, one line each or one for a pattern; jumps and the stack are elsewhere. Both forms of
 * the interpreter (interp_body.h, interp_tail.c) include this list and define the words in it:
 *
 *   READS, READS_X, READS_ZP   a read at any address; with a cycle for a crossed page; in the zero page
 *   STORES, STORES_ZP          a write; in the zero page
 *   MODIFIES                   a read and a write
 *   IMMEDIATE, IMPLIED, ACCUMULATOR, BRANCHES
 *   ZP() ... INDIRECT_Y()      the addressing mode
 *
 * What an instruction does (DO_LDA() and so on) is in interp_parts.h. */

/* Opcodes that follow the pattern of the opcode table: r and n are the first digits of its two rows. */
#define ALU_ROWS(r, n, what)           \
  READS(r##1, INDIRECT_X(), what);     \
  READS_ZP(r##5, ZP(), what);          \
  IMMEDIATE(r##9, what);               \
  READS(r##D, ABSOLUTE(), what);       \
  READS_X(n##1, INDIRECT_Y(), what);   \
  READS_ZP(n##5, ZP_INDEXED(x), what); \
  READS_X(n##9, ABS_INDEXED(y), what); \
  READS_X(n##D, ABS_INDEXED(x), what)
#define SHIFT_ROWS(r, n, what)                    \
  MODIFIES(r##6, ZP(), what, THEN_NZ());          \
  MODIFIES(r##E, ABSOLUTE(), what, THEN_NZ());    \
  MODIFIES(n##6, ZP_INDEXED(x), what, THEN_NZ()); \
  MODIFIES(n##E, ABS_INDEXED(x), what, THEN_NZ())
#define COMBINED_ROWS(r, n, what, then)       \
  MODIFIES(r##3, INDIRECT_X(), what, then);   \
  MODIFIES(r##7, ZP(), what, then);           \
  MODIFIES(r##F, ABSOLUTE(), what, then);     \
  MODIFIES(n##3, INDIRECT_Y(), what, then);   \
  MODIFIES(n##7, ZP_INDEXED(x), what, then);  \
  MODIFIES(n##B, ABS_INDEXED(y), what, then); \
  MODIFIES(n##F, ABS_INDEXED(x), what, then)

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
STORES(83, INDIRECT_X(), a &x);
STORES_ZP(87, ZP(), a &x);
STORES(8F, ABSOLUTE(), a &x);
STORES_ZP(97, ZP_INDEXED(y), a &x);
STORES(93, INDIRECT_Y(), a &x &HIGH());
STORES(9F, ABS_INDEXED(y), a &x &HIGH());
STORES(9E, ABS_INDEXED(y), x &HIGH());
STORES(9C, ABS_INDEXED(x), y &HIGH());
STORES(9B, ABS_INDEXED(y), (SP = a & x) & HIGH());

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

IMPLIED(18, CARRY = 0);
IMPLIED(38, CARRY = 1);
IMPLIED(58, REST &= (uint8_t)~FLAG_I);
IMPLIED(78, REST |= FLAG_I);
IMPLIED(B8, V = 0);
IMPLIED(D8, REST &= (uint8_t)~FLAG_D);
IMPLIED(F8, REST |= FLAG_D);
IMPLIED(AA, NZ(x = a));
IMPLIED(A8, NZ(y = a));
IMPLIED(8A, NZ(a = x));
IMPLIED(98, NZ(a = y));
IMPLIED(BA, NZ(x = SP));
IMPLIED(9A, SP = x);
IMPLIED(E8, NZ(++x));
IMPLIED(CA, NZ(--x));
IMPLIED(C8, NZ(++y));
IMPLIED(88, NZ(--y));

BRANCHES(10, !NEGATIVE());
BRANCHES(30, NEGATIVE());
BRANCHES(50, !V);
BRANCHES(70, V);
BRANCHES(90, !CARRY);
BRANCHES(B0, CARRY);
BRANCHES(D0, !ZERO());
BRANCHES(F0, ZERO());

#undef ALU_ROWS
#undef SHIFT_ROWS
#undef COMBINED_ROWS
