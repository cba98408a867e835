/* The compiled form of a game, shared by the compiler (game_compile.c) and what runs it (game.c): a list of small
 * instructions for a stack of 32-bit integers. The compiler proves what the interpreter then relies on: the stack
 * never exceeds GAME_MAX_STACK, jumps stay inside, slots exist, locals are set before they are read, and the work of
 * one run is bounded by GAME_MAX_WORK instructions. */
#ifndef SIXER_GAMES_GAME_CODE_H
#define SIXER_GAMES_GAME_CODE_H

#include "games/game.h"

enum {
  GAME_MAX_CODE = 4096,
  GAME_MAX_WORK =
      20000, /* instructions in one run of the rules, loops counted as often as they can turn */
  GAME_MAX_SELECT_WORK = 4000, /* the same in a mode procedure, for one turn of each while */
  GAME_MAX_STACK = 32,
  GAME_MAX_LOCALS = 64,
  GAME_MAX_MD5 = 16,
  GAME_MAX_FLAVORS = 512,
  GAME_MAX_START = 4096,
  GAME_VAR_REWARD = 0,
  GAME_VAR_TERMINAL = 1,
};

/* Operators on two values exist twice: on the two topmost of the stack, and (next in the list) on the top and the
 * constant in the instruction. */
typedef enum game_opcode {
  OP_END,
  OP_PUSH,      /* constant */
  OP_VAR,       /* a: variable */
  OP_SET_VAR,   /* a: variable; pops */
  OP_LOCAL,     /* a: local */
  OP_SET_LOCAL, /* a: local; pops */
  OP_RAM,       /* a: index 0..127 */
  OP_RAM_AT,    /* pops an address */
  OP_MEM,       /* constant: address */
  OP_MEM_AT,    /* pops an address */
  OP_BCD1, /* constant: up to three RAM indices, the least significant pair of digits in the lowest byte */
  OP_BCD2,
  OP_BCD3,
  OP_DEC,
  OP_U8,
  OP_I8,
  OP_ABS,
  OP_BITS,
  OP_NEG,
  OP_NOT,
  OP_BOOL,
  OP_MIN,
  OP_MAX,
  OP_ADD,
  OP_ADD_CONST,
  OP_SUB,
  OP_SUB_CONST,
  OP_MUL,
  OP_MUL_CONST,
  OP_DIV,
  OP_DIV_CONST,
  OP_MOD,
  OP_MOD_CONST,
  OP_AND,
  OP_AND_CONST,
  OP_OR,
  OP_OR_CONST,
  OP_XOR,
  OP_XOR_CONST,
  OP_SHL,
  OP_SHL_CONST,
  OP_SHR,
  OP_SHR_CONST,
  OP_EQ,
  OP_EQ_CONST,
  OP_NE,
  OP_NE_CONST,
  OP_LT,
  OP_LT_CONST,
  OP_LE,
  OP_LE_CONST,
  OP_GT,
  OP_GT_CONST,
  OP_GE,
  OP_GE_CONST,
  OP_FIXED,   /* 1 under fixed scoring */
  OP_MODE,    /* the mode to select */
  OP_ADVANCE, /* a: variable, constant: modulus or 0; pops the new value, pushes what was gained */
  OP_JUMP,    /* constant: target */
  OP_JUMP_ZERO, /* pops */
  OP_JUMP_TRUE, /* pops */
  OP_NEXT,      /* a: local, b: last value; counts on and jumps to the target while not past it */
  /* mode procedures only */
  OP_PRESS, /* pops the number of frames */
  OP_ACT,   /* constant: action */
  OP_RESET,
  OP_RANDOM, /* constant: bound; pushes 0..bound-1 */
  OP_POKE,   /* a: RAM index; pops */
  OP_TURN,   /* a: local; a turn of a while begins */
  OP_AGAIN, /* a: the same local; back to the target if the turn emulated something and frames are left */
} game_opcode;

typedef struct game_op {
  uint8_t code, a;
  uint16_t b;
  int32_t constant;
} game_op;

typedef struct game_var {
  char name[32];
  int32_t initial;
  int32_t modulus, unit; /* of a counter; else 0 */
  bool unreset, unsaved; /* reset leaves it alone; states of the reference do not hold it */
} game_var;

/* One operation on constants, as the interpreter does it: 32 bits, wrapping; / and % truncate, by zero they give 0. */
int32_t game_operate(int opcode, int32_t x, int32_t y);

struct game {
  char id[48], title[80], gymnasium[48];
  bool legacy, asks_fixed;
  char md5[GAME_MAX_MD5][33];
  int md5_count;
  int id_line, id_column, md5_line[GAME_MAX_MD5],
      md5_column[GAME_MAX_MD5]; /* where they stand, for messages */
  game_properties console;
  char cartridge[16], format[8]; /* what console.cartridge and console.format point to */
  int modes[GAME_MAX_FLAVORS], mode_count, default_mode;
  int difficulties[4], difficulty_count;
  int legal[SIXER_ACTION_COUNT], legal_count, minimal[SIXER_ACTION_COUNT], minimal_count;
  int start[GAME_MAX_START], start_count;
  game_var vars[GAME_MAX_VARS];
  int var_count;
  int step, lives, terminal, select; /* where the programs begin; terminal and select may be -1 */
  int code_count;
  game_op code[GAME_MAX_CODE];
};

#endif
