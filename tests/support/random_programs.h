/* Random cartridges for comparing the cores: programs that draw, wait, count, switch banks, use memory on the
 * cartridge, run in memory, and others that are little more than random bytes.
 *
 * The number of a program determines its kind, its cartridge type, the television and the inputs (together with the
 * compiler, which may draw the operands of an instruction in another order). Any program is a valid test, since the
 * cores are only compared with each other. The generator tries to make programs that run for long and have visible
 * effects. */
#ifndef TESTS_RANDOM_PROGRAMS_H
#define TESTS_RANDOM_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "machine/opcodes.h"
#include "machine/tia.h"
#include "util/random.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- Choices --------------------------------------------------------------------------------------------------- */

typedef struct stream {
  uint64_t state;
} stream;

static inline uint64_t draw64(stream *s) { return random_next(&s->state); }
static inline int below(stream *s, int count) { return random_below(&s->state, count); }
static inline int between(stream *s, int low, int high) { return low + below(s, high - low + 1); }
static inline uint8_t any_byte(stream *s) { return (uint8_t)(draw64(s) >> 56); }
static inline bool chance(stream *s, int percent) { return below(s, 100) < percent; }
#define PICK(s, type, ...) \
  ((const type[]){__VA_ARGS__}[below(s, (int)(sizeof((const type[]){__VA_ARGS__}) / sizeof(type)))])
#define BYTE_OF(s, ...) PICK(s, uint8_t, __VA_ARGS__)
#define INT_OF(s, ...)  PICK(s, int, __VA_ARGS__)

/* ---- Code ------------------------------------------------------------------------------------------------------ */

/* Ports and timers; the registers of the TIA are in tia.h. */
enum { SWCHA = 0x280, SWACNT, SWCHB, SWBCNT, INTIM, INSTAT, TIM1T = 0x294, TIM8T, TIM64T, T1024T };
enum { FRAME = 0x9E, LINES = 0x9F /* memory in which programs count */ };

static const uint8_t program_strobes[] = {RESP0, RESP1, RESM0, RESM1, RESBL};

enum { PROGRAM_MAX = 131072 };

typedef struct program {
  uint64_t number;
  const char *kind;
  uint8_t image[PROGRAM_MAX];
  int size;
  cart_type type;
  bool pal;
  int first_line, lines;
  bool hmove_blanks;
} program;

/* Where code is written: `size` bytes from `base`, of which the first is seen at address `origin`. Bytes that do not
 * fit are dropped; programs leave room. */
typedef struct code_buffer {
  uint8_t *base;
  int used, size;
  uint16_t origin;
} code_buffer;

static inline uint16_t here(const code_buffer *c) { return (uint16_t)(c->origin + c->used); }
static inline void emit(code_buffer *c, int value) {
  if (c->used < c->size) c->base[c->used++] = (uint8_t)value;
}
static inline void emit2(code_buffer *c, int opcode, int operand) {
  emit(c, opcode);
  emit(c, operand);
}
static inline void emit3(code_buffer *c, int opcode, int address) {
  emit2(c, opcode, address);
  emit(c, address >> 8);
}
static inline void store(code_buffer *c, int value, int address) {
  emit2(c, 0xA9, value);
  if (address < 0x100)
    emit2(c, 0x85, address);
  else
    emit3(c, 0x8D, address);
}
static inline void branch(code_buffer *c, int opcode, uint16_t target) {
  emit2(c, opcode, target - (here(c) + 2));
}
/* DEC counter and go back while it is not zero, however far. */
static inline void loop_on(code_buffer *c, int counter, uint16_t target) {
  emit2(c, 0xC6, counter);
  if (target - (here(c) + 2) >= -128) {
    branch(c, 0xD0, target);
  } else {
    emit2(c, 0xF0, 3);
    emit3(c, 0x4C, target);
  }
}
/* Wait for line ends; more than two in a loop on X or Y. */
static inline void wait_lines(code_buffer *c, int lines) {
  if (lines <= 2) {
    for (int i = 0; i < lines; i++) emit2(c, 0x85, WSYNC);
    return;
  }
  emit2(c, 0xA2, lines);
  uint16_t at = here(c);
  emit2(c, 0x85, WSYNC);
  emit(c, 0xCA);
  branch(c, 0xD0, at);
}
/* Pass so many cycles (one: none) without touching A, X, Y. */
static inline void pass_cycles(code_buffer *c, int cycles) {
  if (cycles < 2) return;
  if (cycles & 1) {
    emit2(c, 0x24, 0x80);
    cycles -= 3;
  }
  for (; cycles > 0; cycles -= 2) emit(c, 0xEA);
}
static inline bool is_jam(int opcode) { return cpu_opcodes[opcode].operation == JAM; }

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

/* A byte that tends to turn things on. */
static uint8_t visible_value(stream *s) {
  switch (below(s, 13)) {
    case 0: return 0xFF;
    case 1: return 0x00;
    case 2:
    case 3: return 0x02;
    case 4: return (uint8_t)(0x10 << below(s, 4));
    case 5: return (uint8_t)below(s, 8);
    case 6: return (uint8_t)(0x30 | below(s, 8));
    case 7: return BYTE_OF(s, 0x01, 0x05, 0x07, 0x21, 0x31);
    default: return any_byte(s);
  }
}

/* A register; those with visible effects are drawn most often. */
static uint8_t any_register(stream *s) {
  switch (below(s, 8)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return BYTE_OF(s, NUSIZ0, NUSIZ1, CTRLPF, PF0, PF1, PF2, GRP0, GRP1, ENAM0, ENAM1, ENABL);
    case 4:
    case 5:
    case 6:
      return BYTE_OF(s, COLUP0, COLUP1, COLUPF, COLUBK, RESP0, RESP1, RESM0, RESM1, RESBL, REFP0,
                     REFP1, RESMP0, RESMP1, VDELP0, VDELP1, VDELBL, HMOVE);
    default:
      return BYTE_OF(s, HMP0, HMP1, HMM0, HMM1, HMBL, HMCLR, CXCLR, VBLANK, RSYNC, WSYNC, AUDC0,
                     AUDC1, AUDF0, AUDF1, AUDV0, AUDV1, 0x2D, 0x3F);
  }
}

static uint8_t any_modify(stream *s) {
  return BYTE_OF(s, 0xE6, 0xC6, 0x06, 0x46, 0x26, 0x66, 0x07, 0x27, 0x47, 0x67, 0xC7, 0xE7);
}
static uint8_t any_branch(stream *s) {
  return BYTE_OF(s, 0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0);
}

/* Store something in a TIA register, in one of the ways that differ in length. */
static void random_write(code_buffer *c, stream *s) {
  uint8_t reg = any_register(s);
  int way = below(s, 20);
  if (way < 14)
    emit2(c, BYTE_OF(s, 0x85, 0x85, 0x86, 0x84), reg);
  else if (way < 17)
    emit3(c, BYTE_OF(s, 0x8D, 0x8E, 0x8C), reg | INT_OF(s, 0x000, 0x040, 0x100, 0x140));
  else if (way < 18)
    emit2(c, 0x87, reg); /* A and X */
  else if (way < 19)
    emit2(c, BYTE_OF(s, 0x95, 0x94), reg); /* plus X: some register nearby */
  else
    emit2(c, any_modify(s), reg);
}

/* Something visible that follows a counter in memory, so that frames differ. */
static void moving_write(code_buffer *c, stream *s) {
  emit2(c, BYTE_OF(s, 0xA5, 0xA6, 0xA4, 0xA7), chance(s, 60) ? FRAME : 0x80 + below(s, 8));
  if (chance(s, 30)) emit2(c, 0x49, any_byte(s));
  random_write(c, s);
}

static void random_instruction(code_buffer *c, stream *s) {
  int kind = below(s, 100);
  if (kind < 6)
    moving_write(c, s);
  else if (kind < 38)
    random_write(c, s);
  else if (kind < 56)
    emit2(c,
          BYTE_OF(s, 0xA9, 0xA9, 0xA9, 0xA2, 0xA2, 0xA0, 0xA0, 0x49, 0x69, 0x09, 0x29, 0xE9, 0xC9,
                  0xE0, 0xC0, 0x0B, 0x4B, 0x6B, 0xCB, 0xEB),
          visible_value(s));
  else if (kind < 64)
    emit(c, BYTE_OF(s, 0xEA, 0xEA, 0xE8, 0xC8, 0xCA, 0x88, 0xAA, 0xA8, 0x8A, 0x98, 0x0A, 0x4A, 0x2A,
                    0x6A, 0x18, 0x38, 0x1A, 0xBA));
  else if (kind < 72)
    emit2(c,
          BYTE_OF(s, 0xA5, 0x05, 0x25, 0x45, 0x65, 0xC5, 0xE5, 0xA6, 0xA4, 0x24, 0xE4, 0xC4, 0xA7,
                  0xB5, 0xB4, 0x75),
          0x80 + below(s, 32));
  else if (kind < 76) /* collisions and inputs */
    emit2(c, BYTE_OF(s, 0xA5, 0x05, 0x25, 0x45, 0x65, 0xC5, 0xA6, 0xA4, 0x24, 0xA7),
          below(s, 14) | INT_OF(s, 0x00, 0x30));
  else if (kind < 80)
    emit2(c, BYTE_OF(s, 0x85, 0x86, 0x84, 0x87, 0x95), 0x80 + below(s, 16));
  else if (kind < 83)
    emit2(c, any_modify(s), 0x80 + below(s, 16));
  else if (kind < 85)
    emit3(c, BYTE_OF(s, 0xAD, 0xAE, 0xAC, 0x2C, 0x4D),
          INT_OF(s, SWCHA, SWCHB, INTIM, INSTAT, SWACNT, 0x280 + below(s, 8)));
  else if (kind < 86)
    emit3(c, 0x8D, INT_OF(s, TIM1T, TIM8T, TIM64T, T1024T, SWACNT));
  else if (kind < 88)
    emit(c, BYTE_OF(s, 0x48, 0x08, 0x68, 0x28));
  else if (kind < 89)
    emit(c, BYTE_OF(s, 0xF8, 0xD8, 0xD8, 0xB8));
  else if (kind < 92) /* bytes of the image, some across pages */
    emit3(c, BYTE_OF(s, 0xBD, 0xB9, 0x5D, 0x79, 0xDD, 0xBF), 0xF000 + below(s, 0x1000));
  else if (kind < 93) /* through pointers that may lead anywhere */
    emit2(c, BYTE_OF(s, 0xB1, 0xA1, 0x91, 0x81), 0x80 + below(s, 32));
  else if (kind < 95) /* over a byte or two, sometimes into an operand */
    emit2(c, any_branch(s), below(s, 3));
  else if (kind < 97)
    emit2(c, 0x85, HMOVE);
  else
    pass_cycles(c, between(s, 2, 9));
}

static void burst(code_buffer *c, stream *s, int count) {
  for (int i = 0; i < count; i++) random_instruction(c, s);
}

/* ---- Waiting --------------------------------------------------------------------------------------------------- */

/* Set the timer and poll it until it has run out, in the ways that games do it and some that they do not. */
static void poll_timer(code_buffer *c, stream *s, int lines) {
  int shift = BYTE_OF(s, 6, 6, 6, 6, 3, 10, 0);
  int value = shift == 6 ? lines * 76 / 64 : shift == 10 ? lines * 76 / 1024 : any_byte(s);
  int timer = shift == 6 ? TIM64T : shift == 10 ? T1024T : shift == 3 ? TIM8T : TIM1T;
  store(c, value < 1 ? 1 : value > 255 ? 255 : value, timer | (chance(s, 10) ? 8 : 0));
  burst(c, s, below(s, 8));
  uint16_t at = here(c);
  switch (below(s, 9)) {
    case 0:
    case 1:
    case 2:
      emit3(c, BYTE_OF(s, 0xAD, 0xAE, 0xAC), INTIM);
      branch(c, BYTE_OF(s, 0xD0, 0xD0, 0x10), at);
      break;
    case 3:
      emit3(c, 0x2C, INSTAT);
      branch(c, 0x10, at);
      break;
    case 4: /* until it is below some value */
      emit3(c, 0xAD, INTIM);
      emit2(c, 0xC9, between(s, 1, 5));
      branch(c, 0xB0, at);
      break;
    case 5:
      emit3(c, 0xA6 + 8, INTIM); /* LDX abs */
      emit2(c, 0xE0, between(s, 0, 3));
      branch(c, 0xD0, at);
      break;
    case 6: /* with something else inside */
      emit2(c, 0xE6, 0x84);
      emit3(c, 0xAD, INTIM);
      branch(c, 0xD0, at);
      break;
    case 7: /* a register that lies elsewhere too */
      emit3(c, 0xAD, INTIM | INT_OF(s, 0x8, 0x10, 0x100, 0x2));
      branch(c, 0xD0, at);
      break;
    case 8: /* backwards from behind */
      emit3(c, 0xAC, INTIM);
      emit2(c, 0xF0, 3);
      emit3(c, 0x4C, at);
      break;
  }
}

/* Loops that only count, of any length and with any ending. */
static void delay_loop(code_buffer *c, stream *s) {
  bool y = chance(s, 40);
  emit2(c, y ? 0xA0 : 0xA2, below(s, chance(s, 80) ? 30 : 256));
  uint16_t at = here(c);
  for (int i = below(s, 4); i > 0; i--) emit(c, BYTE_OF(s, 0xEA, 0x18, 0xEA, 0x48, 0x68));
  if (chance(s, 20)) emit2(c, 0x85, BYTE_OF(s, COLUBK, GRP0, WSYNC, 0x85));
  emit(c, y ? BYTE_OF(s, 0x88, 0x88, 0xC8) : BYTE_OF(s, 0xCA, 0xCA, 0xE8));
  branch(c, BYTE_OF(s, 0xD0, 0xD0, 0xD0, 0x10), at);
}

/* Let so many lines pass. */
static void wait_somehow(code_buffer *c, stream *s, int lines) {
  if (lines <= 0) return;
  if (chance(s, 40) || lines > 200)
    wait_lines(c, lines > 255 ? 255 : lines);
  else
    poll_timer(c, s, lines);
}

/* ---- Programs that draw ---------------------------------------------------------------------------------------- */

static void set_up(code_buffer *c, stream *s) {
  emit(c, 0x78);
  emit(c, 0xD8);
  emit2(c, 0xA2, 0xFF);
  emit(c, 0x9A);
  store(c, 0, VSYNC);
  for (int reg = COLUP0; reg <= COLUBK; reg++) store(c, any_byte(s), reg);
  static const uint8_t shown[] = {NUSIZ0, NUSIZ1, CTRLPF, GRP0,   GRP1,  PF0,  PF1,
                                  PF2,    ENAM0,  ENAM1,  ENABL,  HMP0,  HMP1, HMM0,
                                  HMM1,   HMBL,   VDELP0, VDELP1, VDELBL};
  for (int i = 0; i < COUNT_OF(shown); i++) {
    if (chance(s, 60)) store(c, visible_value(s), shown[i]);
  }
  for (int i = 0; i < COUNT_OF(program_strobes); i++) {
    pass_cycles(c, between(s, 2, 14));
    emit2(c, 0x85, program_strobes[i]);
  }
}

static void vertical_sync(code_buffer *c, stream *s, bool odd) {
  store(c, 2, VSYNC);
  wait_lines(c, odd ? INT_OF(s, 0, 1, 2, 3, 3, 4) : 3);
  if (odd && chance(s, 40)) pass_cycles(c, between(s, 2, 60));
  store(c, 0, VSYNC);
}

/* Collisions and inputs into memory. */
static void keep_results(code_buffer *c, stream *s) {
  for (int reg = 0; reg < 14; reg++) {
    if (!chance(s, 70)) continue;
    emit2(c, 0xA5, reg | INT_OF(s, 0, 0x30));
    if (chance(s, 30)) emit2(c, 0x45, 0xA0 + reg);
    emit2(c, 0x85, 0xA0 + reg);
  }
  static const uint16_t ports[] = {SWCHA, SWCHB, INTIM, INSTAT};
  for (int i = 0; i < 4; i++) {
    emit3(c, 0xAD, ports[i]);
    emit2(c, 0x85, 0xB0 + i);
  }
  if (chance(s, 60)) emit2(c, 0x85, CXCLR);
}

typedef void line_maker(code_buffer *c, stream *s);

static void dense_line(code_buffer *c, stream *s) {
  if (chance(s, 75)) emit2(c, 0x85, WSYNC);
  if (chance(s, 25)) pass_cycles(c, between(s, 2, 12));
  if (chance(s, 20)) emit2(c, 0x85, HMOVE);
  burst(c, s, between(s, 4, 18));
}

/* HMOVE at some cycle, strobes soon after it, then objects drawn. */
static void hmove_line(code_buffer *c, stream *s) {
  emit2(c, 0x85, WSYNC);
  if (chance(s, 30)) store(c, any_byte(s), HMP0 + below(s, 5));
  pass_cycles(c, below(s, 70));
  emit2(c, 0x85, HMOVE);
  for (int i = below(s, 4); i > 0; i--) {
    pass_cycles(c, INT_OF(s, 2, 3, 4, 5, 6, 7, 9, 15, 17));
    emit2(c, 0x85,
          BYTE_OF(s, RESP0, RESP1, RESM0, RESM1, RESBL, NUSIZ0, NUSIZ1, RESMP0, RESMP1, HMCLR,
                  HMOVE));
  }
  burst(c, s, below(s, 4));
}

/* The exact distances between HMOVE and a strobe that matter, and their neighbors. */
static void strobe_after_hmove_line(code_buffer *c, stream *s) {
  static const uint8_t cases[][3] = {{RESM0, 60, 69}, {RESM1, 9, 18}, {RESBL, 54, 60},
                                     {RESBL, 54, 69}, {RESBL, 9, 18}, {RESBL, 21, 30},
                                     {RESBL, 18, 27}};
  const uint8_t *one = cases[below(s, COUNT_OF(cases))];
  emit2(c, 0x85, WSYNC);
  pass_cycles(c, (one[2] - one[1]) / 3 + between(s, -1, 1) - 3); /* the store ends 3 cycles later */
  emit2(c, 0x85, HMOVE);
  pass_cycles(c, one[1] / 3 + between(s, -1, 1) - 3);
  emit2(c, 0x85, one[0]);
  burst(c, s, below(s, 5));
}

/* HMM0 written 21 cycles after HMOVE: moving stars; also one cycle beside it. */
static void star_line(code_buffer *c, stream *s) {
  store(c, chance(s, 80) ? 0x70 : any_byte(s), HMM0);
  emit2(c, 0x85, WSYNC);
  emit2(c, 0x85, HMOVE);
  emit2(c, 0xA9, chance(s, 80) ? 0x60 : any_byte(s));
  pass_cycles(c, 21 - 2 - 3 + (chance(s, 25) ? between(s, -1, 1) : 0));
  emit2(c, 0x85, HMM0);
  wait_lines(c, between(s, 2, 40));
  if (chance(s, 50)) burst(c, s, below(s, 6));
}

/* Objects positioned again and again on one line, in all copy modes. */
static void strobe_line(code_buffer *c, stream *s) {
  emit2(c, 0x85, WSYNC);
  for (int i = between(s, 1, 7); i > 0; i--) {
    if (chance(s, 35)) store(c, below(s, 8) | below(s, 4) << 4, NUSIZ0 + below(s, 2));
    pass_cycles(c, below(s, 16));
    emit2(c, 0x85, program_strobes[below(s, 5)]);
  }
}

/* Register after register, each only 3 cycles after the one before. */
static void delay_line(code_buffer *c, stream *s) {
  emit2(c, 0x85, WSYNC);
  pass_cycles(c, below(s, 24));
  emit2(c, 0xA9, visible_value(s));
  emit2(c, 0xA2, visible_value(s));
  emit2(c, 0xA0, visible_value(s));
  for (int i = between(s, 3, 14); i > 0; i--)
    emit2(c, BYTE_OF(s, 0x85, 0x86, 0x84), any_register(s));
}

/* Writes around the end of a line: 70 to 78 cycles after the last WSYNC. */
static void edge_line(code_buffer *c, stream *s) {
  emit2(c, 0x85, WSYNC);
  emit2(c, 0xA9, visible_value(s));
  emit2(c, 0xA2, visible_value(s));
  pass_cycles(c, between(s, 60, 68));
  for (int i = between(s, 1, 5); i > 0; i--)
    emit2(c, BYTE_OF(s, 0x85, 0x86),
          BYTE_OF(s, CTRLPF, RESP0, RESP1, NUSIZ0, NUSIZ1, HMOVE, PF0, PF1, WSYNC, GRP0, REFP0,
                  VBLANK, COLUBK, RESM0, RESBL, HMM0));
}

/* As games do it: graphics from the image or through pointers, at a few positions of the line. */
static void sprite_line(code_buffer *c, stream *s) {
  static const uint8_t registers[] = {GRP0,  GRP1,  GRP0, GRP1, ENAM0,
                                      ENAM1, ENABL, PF1,  PF2,  COLUP0};
  emit2(c, 0x85, WSYNC);
  for (int i = 0; i < COUNT_OF(registers); i++) {
    if (!chance(s, 60)) continue;
    if (chance(s, 80))
      emit3(c, BYTE_OF(s, 0xB9, 0xBD), 0xF800 + below(s, 0x700));
    else
      emit2(c, 0xB1, 0x90 + 2 * below(s, 6));
    emit2(c, 0x85, registers[i]);
  }
  emit2(c, 0xC6, 0x80 + below(s, 4));
  emit2(c, 0xA4, 0x80 + below(s, 4));
  if (chance(s, 20)) emit2(c, 0x85, HMOVE);
}

/* The stack laid over registers of the TIA: pushes turn objects on, as some kernels do it. */
static void stack_line(code_buffer *c, stream *s) {
  emit(c, 0xBA);
  emit2(c, 0x86, 0x8F);
  emit2(c, 0x85, WSYNC);
  emit2(c, 0xA2, BYTE_OF(s, ENABL, ENAM1, ENAM0, GRP1, HMBL, PF2, 0x30, 0x7F, 0x80, 0x0D));
  emit(c, 0x9A);
  for (int i = between(s, 1, 4); i > 0; i--) {
    emit2(c, BYTE_OF(s, 0xC4, 0xC5, 0xA9, 0xA5), 0x80 + below(s, 8));
    emit(c, BYTE_OF(s, 0x08, 0x48, 0x08, 0x48, 0x68));
    if (chance(s, 30)) pass_cycles(c, below(s, 20));
  }
  emit2(c, 0xA6, 0x8F);
  emit(c, 0x9A);
}

/* Collisions asked for while the picture is drawn. */
static void collision_line(code_buffer *c, stream *s) {
  if (chance(s, 80)) emit2(c, 0x85, WSYNC);
  for (int i = between(s, 1, 4); i > 0; i--) {
    pass_cycles(c, below(s, 30));
    emit2(c, BYTE_OF(s, 0xA5, 0x24, 0xA5, 0x05), below(s, 8) | INT_OF(s, 0, 0x30));
    if (chance(s, 60)) emit2(c, 0x85, 0xA0 + below(s, 16));
    if (chance(s, 30)) {
      emit2(c, BYTE_OF(s, 0x10, 0x30, 0x50, 0x70), 2);
      emit2(c, 0x85, any_register(s));
    }
    if (chance(s, 30)) emit2(c, 0x85, CXCLR);
  }
}

/* A delay loop or a subroutine inside a line. */
static void loop_line(code_buffer *c, stream *s) {
  if (chance(s, 70)) emit2(c, 0x85, WSYNC);
  delay_loop(c, s);
  random_write(c, s);
  if (chance(s, 50)) {
    uint16_t sub = (uint16_t)(here(c) + 6);
    emit3(c, 0x20, sub);
    emit3(c, 0x4C, 0); /* over the subroutine: filled in below */
    int over = c->used - 2;
    burst(c, s, below(s, 5));
    emit(c, 0x60);
    uint16_t next = here(c);
    if (c->used < c->size) {
      c->base[over] = (uint8_t)next;
      c->base[over + 1] = (uint8_t)(next >> 8);
    }
  }
}

static line_maker *const line_styles[][3] = {{dense_line, dense_line, dense_line},
                                             {dense_line, dense_line, dense_line},
                                             {hmove_line, hmove_line, strobe_after_hmove_line},
                                             {star_line, star_line, dense_line},
                                             {strobe_line, strobe_line, strobe_line},
                                             {delay_line, delay_line, delay_line},
                                             {edge_line, edge_line, edge_line},
                                             {sprite_line, sprite_line, dense_line},
                                             {stack_line, stack_line, sprite_line},
                                             {collision_line, collision_line, dense_line},
                                             {loop_line, loop_line, dense_line},
                                             {sprite_line, edge_line, collision_line}};

/* The visible part: bodies of a few lines, each repeated. */
static void draw_lines(code_buffer *c, stream *s, int lines, int room) {
  line_maker *const *style = line_styles[below(s, COUNT_OF(line_styles))];
  while (lines > 0 && c->used < c->size - room) {
    int body = between(s, 1, 6), times = INT_OF(s, 1, 3, 8, 20, lines / body);
    times = times < 1 ? 1 : times > 255 ? 255 : times;
    store(c, times, LINES);
    uint16_t at = here(c);
    for (int i = 0; i < body; i++) style[below(s, 3)](c, s);
    loop_on(c, LINES, at);
    lines -= times * body;
    if (chance(s, 15)) style = line_styles[below(s, COUNT_OF(line_styles))];
  }
}

static void set_vectors(uint8_t *end, uint16_t address) {
  for (int i = -6; i < 0; i += 2) {
    end[i] = (uint8_t)address;
    end[i + 1] = (uint8_t)(address >> 8);
  }
}

static void fill_random(uint8_t *bytes, int count, stream *s) {
  for (int i = 0; i < count; i++) bytes[i] = any_byte(s);
}

/* Frames with a plausible structure, or with an odd one. */
static void make_kernel(program *p, stream *s) {
  p->kind = p->pal ? "pal kernel" : "kernel";
  p->type = CART_4K;
  p->size = 4096;
  bool odd = !p->pal && chance(s, 18);
  code_buffer c = {p->image, 0, 4090, 0xF000};
  fill_random(p->image, 4096, s); /* data for reads from the image */
  set_up(&c, s);
  uint16_t top = here(&c);
  vertical_sync(&c, s, odd);
  emit2(&c, 0xE6, FRAME);
  store(&c, BYTE_OF(s, 2, 2, 0x42, 0x82, 0), VBLANK);
  wait_somehow(&c, s, odd ? INT_OF(s, 0, 10, 40, 100) : between(s, 28, p->pal ? 48 : 40));
  keep_results(&c, s);
  store(&c, BYTE_OF(s, 0, 0, 0, 0x40), VBLANK);
  int lines = odd      ? INT_OF(s, 20, 120, 300, 400)
              : p->pal ? INT_OF(s, 228, 240, 250)
                       : INT_OF(s, 180, 192, 192, 200, 228, 260);
  draw_lines(&c, s, lines, 1000);
  if (chance(s, 70)) store(&c, 2, VBLANK);
  burst(&c, s, below(s, 12));
  keep_results(&c, s);
  wait_somehow(&c, s, odd ? INT_OF(s, 0, 0, 5, 60) : between(s, 20, p->pal ? 40 : 34));
  if (odd && chance(s, 20)) pass_cycles(&c, between(s, 2, 75));
  if (p->pal && chance(s, 50)) { /* every second frame one line longer */
    emit2(&c, 0xA5, FRAME);
    emit(&c, 0x4A);
    emit2(&c, 0x90, 2);
    emit2(&c, 0x85, WSYNC);
  }
  emit3(&c, 0x4C, top);
  set_vectors(p->image + 4096, 0xF000);
}

/* A picture in which nothing shows that moves: objects that are off are moved by HMOVE all the same, by motions that
 * are other ones in each frame. Runs of known lines have to notice. */
static void make_still(program *p, stream *s) {
  p->kind = "still";
  p->type = CART_4K;
  p->size = 4096;
  code_buffer c = {p->image, 0, 4090, 0xF000};
  fill_random(p->image, 4096, s);
  set_up(&c, s);
  for (int reg = GRP0; reg <= ENABL; reg++) store(&c, 0, reg);
  uint16_t top = here(&c);
  vertical_sync(&c, s, false);
  emit2(&c, 0xE6, FRAME);
  store(&c, 2, VBLANK);
  for (int i = between(s, 1, 3); i > 0; i--) {
    emit2(&c, 0xA5, FRAME);
    for (int shift = between(s, 2, 6); shift > 0; shift--) emit(&c, 0x0A);
    emit2(&c, 0x85, HMP0 + below(s, 5));
  }
  wait_somehow(&c, s, between(s, 28, 40));
  store(&c, 0, VBLANK);
  for (int i = 0; i < 4; i++) {
    store(&c, between(s, 10, 48), LINES);
    uint16_t at = here(&c);
    emit2(&c, 0x85, WSYNC);
    if (chance(s, 70)) emit2(&c, 0x85, HMOVE);
    if (chance(s, 30)) emit2(&c, 0x86, COLUBK);
    loop_on(&c, LINES, at);
  }
  store(&c, 2, VBLANK);
  wait_somehow(&c, s, between(s, 20, 34));
  emit3(&c, 0x4C, top);
  set_vectors(p->image + 4096, 0xF000);
}

/* ---- Programs that compute ------------------------------------------------------------------------------------- */

/* Slots of 64 bytes that begin with NOPs, so that execution gets back to whole instructions wherever it comes from. */
enum { SLOT = 64 };

/* Any opcode with an operand that tends to be a register or memory; seldom one after which execution is lost. */
static void any_opcode(code_buffer *c, stream *s) {
  int opcode = any_byte(s);
  while (is_jam(opcode) || ((opcode == 0x00 || opcode == 0x20 || opcode == 0x40 || opcode == 0x60 ||
                             opcode == 0x4C || opcode == 0x6C) &&
                            chance(s, 95)))
    opcode = any_byte(s);
  if ((opcode & 0x1F) == 0x10 && chance(s, 90)) { /* a branch: seldom backward */
    emit2(c, opcode, below(s, 6));
    return;
  }
  int way = below(s, 9);
  emit2(c, opcode, way < 4 ? below(s, 0x40) : way < 8 ? 0x80 + below(s, 128) : any_byte(s));
  if ((opcode & 0x0C) == 0x0C || (opcode & 0x1F) == 0x19 || (opcode & 0x1F) == 0x1B) {
    way = below(s, 12);
    emit(c, way < 6 ? 0 : way < 8 ? 2 : way < 11 ? 0xF0 | below(s, 16) : any_byte(s));
  }
}

static void make_opcodes(program *p, stream *s) {
  p->kind = "opcodes";
  p->type = CART_4K;
  p->size = 4096;
  bool jams = chance(s, 25);
  for (int at = 0; at < 4096; at += SLOT) {
    code_buffer c = {p->image + at, 0, SLOT, (uint16_t)(0xF000 + at)};
    memset(c.base, 0xEA, SLOT);
    c.used = 3;
    emit2(&c, 0xE6, chance(s, 50) ? FRAME : 0x80 + below(s, 8));
    while (c.used < 50) {
      if (chance(s, 55))
        any_opcode(&c, s);
      else
        random_instruction(&c, s);
    }
    if (chance(s, 40)) {
      emit3(&c, 0x4C, 0xF000 + SLOT * below(s, 63));
    } else if (chance(s, 20) && c.used <= 52) {
      store(&c, 2, VSYNC);
      wait_lines(&c, 2);
      store(&c, 0, VSYNC);
    } else if (chance(s, 30)) {
      emit2(&c, 0x85, WSYNC);
    }
    for (int i = 0; i < SLOT && !jams; i++) {
      if (is_jam(c.base[i])) c.base[i] = 0xEA;
    }
  }
  set_vectors(p->image + 4096, (uint16_t)(0xF000 + below(s, 0xF00)));
}

/* Loops in loops, subroutines, jumps through memory, decimal arithmetic, code that is copied to memory and run there:
 * what happens between pictures, at length. */
static void compute(code_buffer *c, stream *s, int depth) {
  switch (below(s, depth > 2 ? 5 : 9)) {
    case 0: burst(c, s, between(s, 1, 8)); break;
    case 1: delay_loop(c, s); break;
    case 2: poll_timer(c, s, between(s, 1, 30)); break;
    case 3: { /* decimal and back */
      emit(c, 0xF8);
      for (int i = between(s, 1, 4); i > 0; i--) {
        emit(c, BYTE_OF(s, 0x18, 0x38, 0xEA));
        emit2(c, BYTE_OF(s, 0x65, 0x69, 0xE5, 0xE9, 0x75), 0x80 + below(s, 64));
        emit2(c, 0x85, 0x80 + below(s, 16));
      }
      emit(c, 0xD8);
      break;
    }
    case 4: { /* tables: through pointers and indices, also at the end of the zero page */
      emit2(c, 0xA0, any_byte(s));
      emit2(c, 0xA2, any_byte(s));
      store(c, 0xF0 | below(s, 16), 0x91);
      store(c, any_byte(s), 0x90);
      emit2(c, BYTE_OF(s, 0xB1, 0x11, 0x31, 0x51, 0x71, 0xD1, 0xF1), 0x90);
      emit2(c, BYTE_OF(s, 0x95, 0x99 - 4, 0x15, 0x35, 0xF6, 0xD6, 0x56), any_byte(s) | 0x80);
      emit3(c, BYTE_OF(s, 0x9D, 0x99, 0xBD, 0xB9, 0xFE, 0xDE, 0x1E), 0x80 + below(s, 128));
      break;
    }
    case 5: { /* a counted loop around something */
      int counter = 0xC0 + depth;
      store(c, between(s, 1, 40 >> depth), counter);
      uint16_t at = here(c);
      for (int i = between(s, 1, 3); i > 0; i--) compute(c, s, depth + 1);
      loop_on(c, counter, at);
      break;
    }
    case 6: { /* a subroutine, here and now */
      emit3(c, 0x20, here(c) + 6);
      emit3(c, 0x4C, 0);
      int over = c->used - 2;
      compute(c, s, depth + 1);
      emit(c, chance(s, 90) ? 0x60 : 0xEA);
      uint16_t next = here(c);
      if (c->used < c->size) {
        c->base[over] = (uint8_t)next;
        c->base[over + 1] = (uint8_t)(next >> 8);
      }
      break;
    }
    case 7: { /* a jump through memory, or back by a pushed address */
      uint16_t next = (uint16_t)(here(c) + 11);
      if (chance(s, 50)) {
        store(c, next, 0x94);
        store(c, next >> 8, 0x95);
        emit3(c, 0x6C, 0x94);
      } else {
        emit2(c, 0xA9, (next - 4) >> 8);
        emit(c, 0x48);
        emit2(c, 0xA9, next - 4);
        emit(c, 0x48);
        emit(c, 0x60);
        for (int i = 0; i < 4; i++) emit(c, 0xEA);
      }
      break;
    }
    default: { /* code in memory: some instructions and the way back */
      uint8_t bytes[24];
      code_buffer r = {bytes, 0, 12, 0xD0};
      burst(&r, s, 4);
      r.size = 15;
      uint16_t next = (uint16_t)(here(c) + 4 * (r.used + 3) + 3);
      emit3(&r, 0x4C, next);
      for (int i = 0; i < r.used; i++) store(c, bytes[i], 0xD0 + i);
      emit3(c, 0x4C, chance(s, 80) ? 0xD0 : 0x10D0);
      break;
    }
  }
}

static void make_loops(program *p, stream *s) {
  p->kind = "loops";
  p->type = CART_4K;
  p->size = 4096;
  code_buffer c = {p->image, 0, 4090, 0xF000};
  fill_random(p->image, 4096, s);
  set_up(&c, s);
  uint16_t top = here(&c);
  emit2(&c, 0xA2, 0xFF);
  emit(&c, 0x9A);
  emit2(&c, 0xE6, FRAME);
  vertical_sync(&c, s, chance(s, 10));
  int parts = between(s, 2, 12);
  for (int i = 0; i < parts && c.used < 2600; i++) compute(&c, s, 0);
  if (chance(s, 70)) draw_lines(&c, s, between(s, 10, 100), 800);
  keep_results(&c, s);
  if (chance(s, 60)) wait_somehow(&c, s, between(s, 1, 100));
  emit3(&c, 0x4C, top);
  set_vectors(p->image + 4096, 0xF000);
  /* a break leads back to the top as well */
  p->image[4094] = (uint8_t)top;
  p->image[4095] = (uint8_t)(top >> 8);
}

/* ---- Cartridges that switch banks ------------------------------------------------------------------------------ */

/* By type: bytes of the image, and of the slices that are switched. */
static const struct {
  int size, step;
} cart_shapes[CART_TYPES] = {
    [CART_2K] = {2048, 2048},    [CART_4K] = {4096, 4096},   [CART_F8] = {8192, 4096},
    [CART_F8SW] = {8192, 4096},  [CART_F8SC] = {8192, 4096}, [CART_F6] = {16384, 4096},
    [CART_F6SC] = {16384, 4096}, [CART_F4] = {32768, 4096},  [CART_F4SC] = {32768, 4096},
    [CART_FASC] = {12288, 4096}, [CART_FE] = {8192, 4096},   [CART_E0] = {8192, 1024},
    [CART_E7] = {16384, 2048},   [CART_3F] = {8192, 2048},   [CART_3E] = {8192, 2048},
    [CART_DPC] = {10240, 4096},  [CART_UA] = {8192, 4096},   [CART_CV] = {4096, 2048},
    [CART_MB] = {65536, 4096},   [CART_MC] = {131072, 1024}, [CART_AR] = {8448, 2048}};

/* An address in one of the window's mirrors. */
static int window(stream *s, int low, int high) {
  return INT_OF(s, 0x1000, 0x5000, 0x9000, 0xD000, 0xF000, 0xF000, 0xF000) + between(s, low, high);
}

static uint8_t any_access(stream *s) {
  return BYTE_OF(s, 0xAD, 0xAE, 0xAC, 0x2C, 0x8D, 0x8E, 0x8C, 0x4D, 0xCD, 0x0C, 0xEE, 0xAF, 0x8F);
}

/* The same address by an index, often from the page before it, or through a pointer. */
static void indexed_access(code_buffer *c, stream *s, int address) {
  int index = chance(s, 50) ? below(s, 32) : any_byte(s);
  if (chance(s, 75)) {
    emit2(c, 0xA2, index);
    emit2(c, 0xA0, index);
    emit3(c, BYTE_OF(s, 0xBD, 0xB9, 0x9D, 0x99, 0xDD, 0xFE, 0x7D, 0xBC, 0xBE), address - index);
  } else {
    store(c, address - index, 0x96);
    store(c, (address - index) >> 8, 0x97);
    emit2(c, 0xA0, index);
    emit2(c, BYTE_OF(s, 0xB1, 0x91, 0xD1, 0x11, 0xB3), 0x96);
  }
}

static void switch_bank(code_buffer *c, stream *s, cart_type type) {
  int low = 0, high = 0;
  switch (type) {
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_DPC: low = 0xFF8, high = 0xFF9; break;
    case CART_FASC: low = 0xFF8, high = 0xFFA; break;
    case CART_F6:
    case CART_F6SC: low = 0xFF6, high = 0xFF9; break;
    case CART_F4:
    case CART_F4SC: low = 0xFF4, high = 0xFFB; break;
    case CART_E0: low = 0xFE0, high = 0xFF7; break;
    case CART_E7: low = 0xFE0, high = 0xFEB; break;
    case CART_MB: low = high = 0xFF0; break;
    case CART_AR: low = 0xFF8, high = 0xFF8; break;
    case CART_3F:
    case CART_3E:
      emit2(c, BYTE_OF(s, 0xA9, 0xA2), chance(s, 80) ? below(s, 4) : any_byte(s));
      emit2(c, BYTE_OF(s, 0x85, 0x86, 0x87),
            chance(s, 70) ? (type == CART_3E && chance(s, 30) ? 0x3E : 0x3F) : below(s, 0x40));
      return;
    case CART_MC:
      emit2(c, 0xA9, chance(s, 80) ? 0x80 | below(s, 128) : any_byte(s));
      emit2(c, 0x85, 0x3C + below(s, 4));
      return;
    case CART_UA:
      emit3(c, any_access(s), INT_OF(s, 0x220, 0x240, 0x220, 0x240, 0x2220, 0x241, 0x21F));
      return;
    case CART_FE:
      emit3(c, BYTE_OF(s, 0x20, 0x4C), INT_OF(s, 0xD000, 0xF000) + SLOT * below(s, 60));
      return;
    default: return;
  }
  if (type == CART_AR && chance(s, 70)) emit3(c, 0xAD, 0xF000 + below(s, 256));
  if (chance(s, 80)) {
    emit3(c, any_access(s), window(s, low, high));
  } else {
    indexed_access(c, s, window(s, low, high));
  }
}

/* The memory on the cartridge: most often used rightly, sometimes through the wrong port. */
static void use_memory(code_buffer *c, stream *s, cart_type type) {
  int write = 0, read = 0, size = 0;
  switch (type) {
    case CART_F8SC:
    case CART_F6SC:
    case CART_F4SC: read = 0x80, size = 0x80; break;
    case CART_FASC: read = 0x100, size = 0x100; break;
    case CART_CV:
    case CART_3E: write = 0x400, size = 0x400; break;
    case CART_E7:
      size = chance(s, 50) ? 0x400 : 0x100;
      write = size == 0x400 ? 0 : 0x800;
      read = write + size;
      break;
    case CART_MC: read = 0x200, size = 0x200; break;
    default: return;
  }
  if (chance(s, 10)) {
    int other = write;
    write = read;
    read = other;
  }
  int offset = below(s, size);
  if (type == CART_E7 && chance(s, 30)) emit3(c, 0xAD, 0xFFE7);
  if (type == CART_3E && chance(s, 30)) store(c, below(s, 40), 0x3E);
  if (type == CART_MC && chance(s, 30)) store(c, below(s, 64), 0x3C);
  if (chance(s, 60)) {
    emit2(c, 0xA9, any_byte(s));
    emit3(c, BYTE_OF(s, 0x8D, 0x8E, 0x8C), 0xF000 + write + offset);
  }
  emit3(c, BYTE_OF(s, 0xAD, 0xAE, 0xAC, 0x4D, 0x2C),
        0xF000 + read + (chance(s, 70) ? offset : below(s, 64)));
  emit2(c, 0x85, 0x80 + below(s, 32));
  if (chance(s, 15)) indexed_access(c, s, 0xF000 + (chance(s, 70) ? read : write) + offset);
  if (chance(s, 5)) emit3(c, BYTE_OF(s, 0xEE, 0xCE, 0x2F), 0xF000 + read + offset);
}

static void use_dpc(code_buffer *c, stream *s) {
  if (chance(s, 20)) indexed_access(c, s, 0xF000 + below(s, 0x80));
  if (chance(s, 50)) {
    emit3(c, BYTE_OF(s, 0xAD, 0xAE, 0xAC, 0x4D, 0x2C), 0xF000 + below(s, 0x40));
    emit2(c, 0x85, 0x80 + below(s, 32));
  } else {
    emit2(c, 0xA9, any_byte(s));
    emit3(c, BYTE_OF(s, 0x8D, 0x8E, 0x8C), 0xF040 + below(s, 0x40));
  }
  if (chance(s, 30)) { /* the music of fetchers 5 to 7 */
    int fetcher = between(s, 5, 7);
    for (int reg = 0x40; reg <= 0x58; reg += 8) {
      emit2(c, 0xA9, reg == 0x58 ? 0x10 | below(s, 8) : any_byte(s));
      emit3(c, 0x8D, 0xF000 + reg + fetcher);
    }
  }
}

/* One slot of code that begins at offset `base` of its bank. */
static void bank_slot(uint8_t *bytes, stream *s, cart_type type, int base) {
  code_buffer c = {bytes, 0, SLOT, (uint16_t)(0xF000 + base)};
  memset(bytes, 0xEA, SLOT);
  c.used = 3;
  emit2(&c, 0xE6, chance(s, 50) ? FRAME : 0x80 + below(s, 8));
  while (c.used < 46) {
    int what = below(s, 100);
    if (what < 14)
      switch_bank(&c, s, type);
    else if (what < 30)
      use_memory(&c, s, type);
    else if (what < 36 && type == CART_DPC)
      use_dpc(&c, s);
    else if (what < 42)
      emit2(&c, 0x85, WSYNC);
    else if (what < 45)
      moving_write(&c, s);
    else if (what < 47)
      delay_loop(&c, s);
    else
      random_instruction(&c, s);
  }
  if (c.used <= 60 && chance(s, 40)) {
    int target = type == CART_FE && chance(s, 50) ? 0xD000 : 0xF000;
    if (chance(s, 10)) target = INT_OF(s, 0x1000, 0x3000, 0x9000, 0xB000);
    emit3(&c, chance(s, 85) ? 0x4C : 0x20,
          target + SLOT * between(s, type == CART_CV ? 32 : 0, 62));
  } else if (c.used <= 52 && chance(s, 18)) {
    store(&c, 2, VSYNC);
    wait_lines(&c, 2);
    store(&c, 0, VSYNC);
  }
}

static void make_bank(program *p, stream *s) {
  p->kind = "bank";
  p->type = (cart_type)between(s, CART_2K, CART_TYPES - 1);
  p->size = cart_shapes[p->type].size;
  if (p->type == CART_3F || p->type == CART_3E)
    p->size = INT_OF(s, 8192, 8192, 16384, 32768, 65536);
  if (p->type == CART_DPC) p->size = INT_OF(s, 10240, 10240, 10495, 10496);
  if (p->type == CART_AR) p->size = INT_OF(s, 8448, 16896);
  if (p->type == CART_MC) p->size = INT_OF(s, 131072, 65536);
  if (p->type == CART_CV) p->size = INT_OF(s, 4096, 4096, 2048);
  int code_size = p->type == CART_DPC ? 8192 : p->type == CART_AR ? 8192 : p->size;
  bool jams = chance(s, 12);
  for (int at = 0; at < code_size; at += SLOT) bank_slot(p->image + at, s, p->type, at % 4096);
  for (int at = 0; at < code_size && !jams; at++) {
    if (is_jam(p->image[at])) p->image[at] = 0xEA;
  }
  /* each slice ends with a frame's end and vectors into its own code */
  int step = cart_shapes[p->type].step;
  for (int end = step; end <= code_size; end += step) {
    code_buffer c = {p->image + end - 96, 0, 90, 0};
    for (int i = 0; i < 3; i++) emit(&c, 0xEA);
    store(&c, 2, VSYNC);
    wait_lines(&c, 3);
    store(&c, 0, VSYNC);
    uint16_t vector = (uint16_t)(p->type == CART_2K ? 0xF000 : INT_OF(s, 0xF800, 0xFC00, 0xFD00));
    if (p->type == CART_FE && chance(s, 50)) vector -= 0x2000;
    set_vectors(p->image + end, vector);
  }
  if (p->type == CART_DPC) fill_random(p->image + code_size, p->size - code_size, s);
  if (p->type == CART_AR) { /* the header of a load: start, configuration, pages */
    uint8_t *header = p->image + 8192;
    fill_random(header, p->size - 8192, s);
    header[0] = 0x00;
    header[1] = BYTE_OF(s, 0xF0, 0xF8, 0xF2);
    header[2] = (uint8_t)(below(s, 8) << 2 | below(s, 4));
    header[3] = 24;
    for (int i = 0; i < 24; i++) header[16 + i] = (uint8_t)(i % 8 << 2 | i / 8);
  }
}

/* A kernel in the last bank of a cartridge that switches: pictures drawn while banks change. */
static void make_banked_kernel(program *p, stream *s) {
  make_bank(p, s);
  if (cart_shapes[p->type].step != 4096 || p->size < 8192 || p->type == CART_DPC) return;
  p->kind = "banked kernel";
  int banks = p->size / 4096;
  /* the same code in every bank, other data: a switch anywhere goes on in the same place */
  int from = p->type == CART_FASC ? 0x200 : 0x100;
  code_buffer c = {p->image + from, 0, 4096 - from - 16, (uint16_t)(0xF000 + from)};
  set_up(&c, s);
  uint16_t top = here(&c);
  vertical_sync(&c, s, false);
  emit2(&c, 0xE6, FRAME);
  wait_somehow(&c, s, 30);
  for (int i = between(s, 2, 9); i > 0; i--) {
    switch_bank(&c, s, p->type == CART_FE ? CART_4K : p->type);
    use_memory(&c, s, p->type);
    draw_lines(&c, s, between(s, 4, 40), 1800);
  }
  keep_results(&c, s);
  emit3(&c, 0x4C, top);
  for (int bank = 0; bank < banks; bank++) {
    uint8_t *bytes = p->image + bank * 4096;
    if (bank) {
      fill_random(bytes, 4096, s);
      memcpy(bytes + from, p->image + from, (size_t)c.used);
    }
    set_vectors(bytes + 4096, (uint16_t)(0xF000 + from));
  }
}

/* Code up to the end of a slice, and beyond it: an instruction that begins with one of its last three bytes. */
static void run_off(uint8_t *end, stream *s) {
  const int room = between(s, 1, 3);
  memset(end - 6, 0xEA, 6);
  end[-room] =
      BYTE_OF(s, 0xA5, 0xA9, 0xB1, 0xB5, 0x85, 0x91, 0xD0, 0x10, 0xAD, 0x8D, 0xBD, 0xE8, 0x20);
  for (int i = room - 1; i > 0; i--) end[-i] = (uint8_t)(0x80 + below(s, 24));
}

/* Slices of an E0 cartridge whose code goes from window to window, by jumps and by running into the next. */
static void make_windows(program *p, stream *s) {
  enum { SLICE = 1024, BEGIN = 24, END = 40, LAST = 7 };
  p->kind = "windows";
  p->type = CART_E0;
  p->size = cart_shapes[CART_E0].size;
  fill_random(p->image, p->size, s);
  for (int i = 0; i < LAST; i++) {
    uint8_t *slice = p->image + i * SLICE;
    code_buffer begin = {slice, 0, BEGIN, 0xF000}, end = {slice + SLICE - END, 0, END, 0xF000};
    /* as an operand, it tells where it is from; as an opcode, it does little */
    slice[0] = (uint8_t)(0x80 + i);
    begin.used = 1;
    emit(&begin, 0x98);
    while (begin.used < BEGIN - 9) random_instruction(&begin, s);
    emit3(&begin, 0x4C,
          chance(s, 70) ? 0xFC40 : 0xF000 + SLICE * below(s, 3) + SLICE - between(s, 8, END));
    while (end.used < END - 12) random_instruction(&end, s);
    memset(end.base + end.used, 0xEA, (size_t)(END - end.used));
    run_off(slice + SLICE, s);
  }
  code_buffer c = {p->image + LAST * SLICE, 0, SLICE - 64, 0xFC00};
  memset(c.base, 0xEA, SLICE);
  set_up(&c, s);
  c.used = 0x40; /* where slices come back to */
  const uint16_t top = here(&c);
  for (int i = between(s, 2, 6); i > 0; i--) {
    for (int k = below(s, 3); k > 0; k--) switch_bank(&c, s, CART_E0);
    emit2(&c, 0xE6, 0x90);
    emit2(&c, 0xA5, 0x90);
    emit2(&c, 0x29, BYTE_OF(s, 1, 3, 7));
    emit2(&c, 0xD0, 3); /* another way every time */
    emit3(&c, BYTE_OF(s, 0x4C, 0x20), 0xF000 + SLICE * below(s, 3) + SLICE - between(s, 6, END));
    if (chance(s, 40)) emit2(&c, 0x85, WSYNC);
  }
  vertical_sync(&c, s, false);
  emit3(&c, 0x4C, top);
  for (int at = 0; at < p->size; at++) {
    if (is_jam(p->image[at])) p->image[at] = 0xEA;
  }
  set_vectors(p->image + p->size, 0xFC00);
}

static void make_noise(program *p, stream *s) {
  p->kind = "noise";
  p->type = (cart_type)between(s, CART_2K, CART_TYPES - 1);
  p->size = cart_shapes[p->type].size;
  fill_random(p->image, p->size, s);
  for (int at = 0; at < p->size && chance(s, 99); at++) {
    if (is_jam(p->image[at])) p->image[at] = 0xEA;
  }
  int step = cart_shapes[p->type].step;
  for (int end = step; end <= p->size; end += step)
    set_vectors(p->image + end, (uint16_t)(0xF800 + below(s, 0x600)));
}

/* ---- All of them ----------------------------------------------------------------------------------------------- */

static inline void program_make(program *p, uint64_t number) {
  stream s = {number * 0xD6E8FEB86659FD93u + 1};
  draw64(&s);
  p->number = number;
  int kind = below(&s, 100);
  p->pal = kind < 8;
  p->first_line = chance(&s, 70) ? 34 : between(&s, 20, 50);
  p->lines = p->pal ? 250 : chance(&s, 70) ? 210 : between(&s, 200, 250);
  p->hmove_blanks = chance(&s, 90);
  if (kind < 38)
    make_kernel(p, &s);
  else if (kind < 52)
    make_opcodes(p, &s);
  else if (kind < 68)
    make_loops(p, &s);
  else if (kind < 86)
    make_bank(p, &s);
  else if (kind < 89)
    make_windows(p, &s);
  else if (kind < 96)
    make_banked_kernel(p, &s);
  else if (kind < 99)
    make_noise(p, &s);
  else
    make_still(p, &s);
}

/* What is pressed and turned while a frame runs. */
static inline console_input program_input(const program *p, int frame) {
  stream s = {p->number * RANDOM_STEP + (uint64_t)frame / 2};
  draw64(&s);
  console_input input = {0xFF, 0x3F, {0x80, 0x80}, {0, 0, 0, 0}};
  if (chance(&s, 60)) input.swcha = any_byte(&s);
  if (chance(&s, 30)) input.swchb = (uint8_t)(0x34 | any_byte(&s));
  for (int i = 0; i < 2; i++) input.fire[i] = chance(&s, 70) ? 0x80 : 0;
  for (int i = 0; i < 4; i++)
    input.ohms[i] = p->number & 1 ? OHMS_INFINITE : between(&s, 27450, 790196);
  return input;
}

#endif
