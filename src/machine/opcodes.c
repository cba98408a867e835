/* The table of opcodes, and their disassembly. */
#include "machine/opcodes.h"

/* clang-format off */
const cpu_opcode cpu_opcodes[256] = {
    /* 00 */ {BRK, IMP}, {ORA, IZX}, {JAM, IMP}, {SLO, IZX}, {NOP, ZPG}, {ORA, ZPG}, {ASL, ZPG}, {SLO, ZPG},
    /* 08 */ {PHP, IMP}, {ORA, IMM}, {ASL, ACC}, {ANC, IMM}, {NOP, ABS}, {ORA, ABS}, {ASL, ABS}, {SLO, ABS},
    /* 10 */ {BPL, REL}, {ORA, IZY}, {JAM, IMP}, {SLO, IZY}, {NOP, ZPX}, {ORA, ZPX}, {ASL, ZPX}, {SLO, ZPX},
    /* 18 */ {CLC, IMP}, {ORA, ABY}, {NOP, IMP}, {SLO, ABY}, {NOP, ABX}, {ORA, ABX}, {ASL, ABX}, {SLO, ABX},
    /* 20 */ {JSR, ABS}, {AND, IZX}, {JAM, IMP}, {RLA, IZX}, {BIT, ZPG}, {AND, ZPG}, {ROL, ZPG}, {RLA, ZPG},
    /* 28 */ {PLP, IMP}, {AND, IMM}, {ROL, ACC}, {ANC, IMM}, {BIT, ABS}, {AND, ABS}, {ROL, ABS}, {RLA, ABS},
    /* 30 */ {BMI, REL}, {AND, IZY}, {JAM, IMP}, {RLA, IZY}, {NOP, ZPX}, {AND, ZPX}, {ROL, ZPX}, {RLA, ZPX},
    /* 38 */ {SEC, IMP}, {AND, ABY}, {NOP, IMP}, {RLA, ABY}, {NOP, ABX}, {AND, ABX}, {ROL, ABX}, {RLA, ABX},
    /* 40 */ {RTI, IMP}, {EOR, IZX}, {JAM, IMP}, {SRE, IZX}, {NOP, ZPG}, {EOR, ZPG}, {LSR, ZPG}, {SRE, ZPG},
    /* 48 */ {PHA, IMP}, {EOR, IMM}, {LSR, ACC}, {ASR, IMM}, {JMP, ABS}, {EOR, ABS}, {LSR, ABS}, {SRE, ABS},
    /* 50 */ {BVC, REL}, {EOR, IZY}, {JAM, IMP}, {SRE, IZY}, {NOP, ZPX}, {EOR, ZPX}, {LSR, ZPX}, {SRE, ZPX},
    /* 58 */ {CLI, IMP}, {EOR, ABY}, {NOP, IMP}, {SRE, ABY}, {NOP, ABX}, {EOR, ABX}, {LSR, ABX}, {SRE, ABX},
    /* 60 */ {RTS, IMP}, {ADC, IZX}, {JAM, IMP}, {RRA, IZX}, {NOP, ZPG}, {ADC, ZPG}, {ROR, ZPG}, {RRA, ZPG},
    /* 68 */ {PLA, IMP}, {ADC, IMM}, {ROR, ACC}, {ARR, IMM}, {JMP, IND}, {ADC, ABS}, {ROR, ABS}, {RRA, ABS},
    /* 70 */ {BVS, REL}, {ADC, IZY}, {JAM, IMP}, {RRA, IZY}, {NOP, ZPX}, {ADC, ZPX}, {ROR, ZPX}, {RRA, ZPX},
    /* 78 */ {SEI, IMP}, {ADC, ABY}, {NOP, IMP}, {RRA, ABY}, {NOP, ABX}, {ADC, ABX}, {ROR, ABX}, {RRA, ABX},
    /* 80 */ {NOP, IMM}, {STA, IZX}, {NOP, IMM}, {SAX, IZX}, {STY, ZPG}, {STA, ZPG}, {STX, ZPG}, {SAX, ZPG},
    /* 88 */ {DEY, IMP}, {NOP, IMM}, {TXA, IMP}, {ANE, IMM}, {STY, ABS}, {STA, ABS}, {STX, ABS}, {SAX, ABS},
    /* 90 */ {BCC, REL}, {STA, IZY}, {JAM, IMP}, {SHA, IZY}, {STY, ZPX}, {STA, ZPX}, {STX, ZPY}, {SAX, ZPY},
    /* 98 */ {TYA, IMP}, {STA, ABY}, {TXS, IMP}, {SHS, ABY}, {SHY, ABX}, {STA, ABX}, {SHX, ABY}, {SHA, ABY},
    /* A0 */ {LDY, IMM}, {LDA, IZX}, {LDX, IMM}, {LAX, IZX}, {LDY, ZPG}, {LDA, ZPG}, {LDX, ZPG}, {LAX, ZPG},
    /* A8 */ {TAY, IMP}, {LDA, IMM}, {TAX, IMP}, {LXA, IMM}, {LDY, ABS}, {LDA, ABS}, {LDX, ABS}, {LAX, ABS},
    /* B0 */ {BCS, REL}, {LDA, IZY}, {JAM, IMP}, {LAX, IZY}, {LDY, ZPX}, {LDA, ZPX}, {LDX, ZPY}, {LAX, ZPY},
    /* B8 */ {CLV, IMP}, {LDA, ABY}, {TSX, IMP}, {LAS, ABY}, {LDY, ABX}, {LDA, ABX}, {LDX, ABY}, {LAX, ABY},
    /* C0 */ {CPY, IMM}, {CMP, IZX}, {NOP, IMM}, {DCP, IZX}, {CPY, ZPG}, {CMP, ZPG}, {DEC, ZPG}, {DCP, ZPG},
    /* C8 */ {INY, IMP}, {CMP, IMM}, {DEX, IMP}, {SBX, IMM}, {CPY, ABS}, {CMP, ABS}, {DEC, ABS}, {DCP, ABS},
    /* D0 */ {BNE, REL}, {CMP, IZY}, {JAM, IMP}, {DCP, IZY}, {NOP, ZPX}, {CMP, ZPX}, {DEC, ZPX}, {DCP, ZPX},
    /* D8 */ {CLD, IMP}, {CMP, ABY}, {NOP, IMP}, {DCP, ABY}, {NOP, ABX}, {CMP, ABX}, {DEC, ABX}, {DCP, ABX},
    /* E0 */ {CPX, IMM}, {SBC, IZX}, {NOP, IMM}, {ISB, IZX}, {CPX, ZPG}, {SBC, ZPG}, {INC, ZPG}, {ISB, ZPG},
    /* E8 */ {INX, IMP}, {SBC, IMM}, {NOP, IMP}, {SBC, IMM}, {CPX, ABS}, {SBC, ABS}, {INC, ABS}, {ISB, ABS},
    /* F0 */ {BEQ, REL}, {SBC, IZY}, {JAM, IMP}, {ISB, IZY}, {NOP, ZPX}, {SBC, ZPX}, {INC, ZPX}, {ISB, ZPX},
    /* F8 */ {SED, IMP}, {SBC, ABY}, {NOP, IMP}, {ISB, ABY}, {NOP, ABX}, {SBC, ABX}, {INC, ABX}, {ISB, ABX},
};
/* clang-format on */

static const char operation_names[CPU_OPERATION_COUNT][4] = {
#define NAME(operation) #operation,
    CPU_OPERATIONS(NAME)
#undef NAME
};

int cpu_length(uint8_t opcode) {
  switch ((cpu_addressing)cpu_opcodes[opcode].addressing) {
    case IMP:
    case ACC: return 1;
    case ABS:
    case ABX:
    case ABY:
    case IND: return 3;
    default: return 2;
  }
}

/* How operands are written: b is the second byte, w the second and third, r the target of a branch. */
static const char *const operand_forms[] = {
    [IMP] = "",        [ACC] = " A",  [IMM] = " #$b",  [ZPG] = " $b",   [ZPX] = " $b,X",
    [ZPY] = " $b,Y",   [ABS] = " $w", [ABX] = " $w,X", [ABY] = " $w,Y", [IZX] = " ($b,X)",
    [IZY] = " ($b),Y", [REL] = " $r", [IND] = " ($w)"};

static char *put_hex(char *at, unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; i--) *at++ = "0123456789ABCDEF"[value >> 4 * i & 15];
  return at;
}

int cpu_disassemble(const uint8_t *bytes, uint16_t pc, char text[CPU_TEXT]) {
  const cpu_opcode *o = &cpu_opcodes[bytes[0]];
  char *at = text;
  for (const char *c = operation_names[o->operation]; *c; c++) *at++ = *c;
  for (const char *c = operand_forms[o->addressing]; *c; c++) {
    switch (*c) {
      case 'b': at = put_hex(at, bytes[1], 2); break;
      case 'w': at = put_hex(at, (unsigned)(bytes[1] | bytes[2] << 8), 4); break;
      case 'r': at = put_hex(at, (pc + 2u + (unsigned)(int8_t)bytes[1]) & 0xFFFF, 4); break;
      default: *at++ = *c;
    }
  }
  *at = 0;
  return (int)(at - text);
}
