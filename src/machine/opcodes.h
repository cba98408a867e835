/* The 256 opcodes of the 6507: what each one does, how it finds its operand, and how long it takes.
 *
 * All three cores and the disassembler use these tables. Names of undocumented operations are those of
 * docs/console.md. */
#ifndef SIXER_MACHINE_OPCODES_H
#define SIXER_MACHINE_OPCODES_H

#include <stdint.h>

/* clang-format off */
#define CPU_OPERATIONS(O)                                                                    \
  O(ADC) O(ANC) O(AND) O(ANE) O(ARR) O(ASL) O(ASR) O(BCC) O(BCS) O(BEQ) O(BIT) O(BMI) O(BNE) \
  O(BPL) O(BRK) O(BVC) O(BVS) O(CLC) O(CLD) O(CLI) O(CLV) O(CMP) O(CPX) O(CPY) O(DCP) O(DEC) \
  O(DEX) O(DEY) O(EOR) O(INC) O(INX) O(INY) O(ISB) O(JAM) O(JMP) O(JSR) O(LAS) O(LAX) O(LDA) \
  O(LDX) O(LDY) O(LSR) O(LXA) O(NOP) O(ORA) O(PHA) O(PHP) O(PLA) O(PLP) O(RLA) O(ROL) O(ROR) \
  O(RRA) O(RTI) O(RTS) O(SAX) O(SBC) O(SBX) O(SEC) O(SED) O(SEI) O(SHA) O(SHS) O(SHX) O(SHY) \
  O(SLO) O(SRE) O(STA) O(STX) O(STY) O(TAX) O(TAY) O(TSX) O(TXA) O(TXS) O(TYA)
/* clang-format on */

typedef enum cpu_operation {
#define NAME(operation) operation,
  CPU_OPERATIONS(NAME)
#undef NAME
      CPU_OPERATION_COUNT
} cpu_operation;

typedef enum cpu_addressing {
  IMP, /* no operand: CLC */
  ACC, /* the accumulator: ASL */
  IMM, /* the second byte: LDA #$12 */
  ZPG, /* zero page: LDA $12 */
  ZPX, /* zero page plus X, without carry: LDA $12,X */
  ZPY, /* LDX $12,Y */
  ABS, /* LDA $1234 */
  ABX, /* LDA $1234,X */
  ABY, /* LDA $1234,Y */
  IZX, /* pointer at zero page plus X: LDA ($12,X) */
  IZY, /* pointer in zero page, plus Y: LDA ($12),Y */
  REL, /* branches: a signed distance from the next instruction */
  IND  /* JMP ($1234) */
} cpu_addressing;

typedef struct cpu_opcode {
  uint8_t operation, addressing;
} cpu_opcode;

extern const cpu_opcode cpu_opcodes[256];

/* Opcodes that are recognized by number. */
enum { OPCODE_BPL = 0x10, OPCODE_BMI = 0x30, OPCODE_PLA = 0x68, OPCODE_BNE = 0xD0 };

/* Cycles of each opcode without those that a taken branch or a crossed page adds: the values of the NMOS chip, except
 * for A7 (LAX zero page), which takes 4 in the reference. Defined here so that each case of the interpreter adds a
 * constant. */
static const uint8_t cpu_cycles[256] = {
    7, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 4, 4, 6, 6, /* 00 */
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7, /* 10 */
    6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 4, 4, 6, 6, /* 20 */
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7, /* 30 */
    6, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 3, 4, 6, 6, /* 40 */
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7, /* 50 */
    6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 5, 4, 6, 6, /* 60 */
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7, /* 70 */
    2, 6, 2, 6, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4, /* 80 */
    2, 6, 2, 6, 4, 4, 4, 4, 2, 5, 2, 5, 5, 5, 5, 5, /* 90 */
    2, 6, 2, 6, 3, 3, 3, 4, 2, 2, 2, 2, 4, 4, 4, 4, /* A0 */
    2, 5, 2, 5, 4, 4, 4, 4, 2, 4, 2, 4, 4, 4, 4, 4, /* B0 */
    2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6, /* C0 */
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7, /* D0 */
    2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6, /* E0 */
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7, /* F0 */
};

/* Bytes of an instruction. */
int cpu_length(uint8_t opcode);

/* Write an instruction as an assembler would, with a final 0: "LDA ($80),Y". Returns the length of the text. */
enum { CPU_TEXT = 16 };
int cpu_disassemble(const uint8_t *bytes, uint16_t pc, char text[CPU_TEXT]);

#endif
