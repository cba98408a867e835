/* The compiled form of a game, shared by the compiler (game_compile.c) and what runs it (game.c): a list of small
 * instructions for a stack of 32-bit integers. The compiler proves what the interpreter then relies on: the stack
 * never exceeds GAME_MAX_STACK, jumps stay inside, slots exist, locals are set before they are read, and the work of
 * one run is bounded by GAME_MAX_WORK instructions. */
#ifndef SIXER_GAMES_GAME_CODE_H
#define SIXER_GAMES_GAME_CODE_H

#include "games/game.h"

enum {
  GAME_MAX_CODE = 4096,
  /* instructions in one run of the rules, with every loop at its maximum */
  GAME_MAX_WORK = 20000,
  GAME_MAX_SELECT_WORK = 4000, /* the same in a mode procedure, with one iteration of each while */
  GAME_MAX_STACK = 32,
  GAME_MAX_LOCALS = 64,
  GAME_MAX_MD5 = 16,
  GAME_MAX_FLAVORS = 512,
  GAME_MAX_START = 4096,
  GAME_VAR_REWARD = 0,
  GAME_VAR_TERMINAL = 1,
  /* in rules for several players: the rewards of players 2, 3 and 4 */
  GAME_VAR_REWARDS = 2,
  GAME_VARS_BUILT_IN = 2,         /* of rules for one player */
  GAME_VARS_BUILT_IN_PLAYERS = 5, /* of rules for several */
  GAME_MAX_PLAYER_MODES = 128,    /* for each number of players */
};

/* clang-format off */
/* The instructions. Operators on two values exist twice: on the two topmost of the stack, and (next in the list) on
 * the topmost and the constant in the instruction.
 *
 *   PUSH        the constant
 *   VAR, LOCAL  a: which; SET_VAR and SET_LOCAL pop into it
 *   RAM         a: index 0..127; RAM_AT pops an address
 *   MEM         constant: address; MEM_AT pops one
 *   BCD1..3     constant: RAM indices, the least significant pair of digits in the lowest byte
 *   MA          1 under dialect ma
 *   CORRECT     constant: bits of corrections; 1 if one of them was chosen
 *   FIXED       1 under fixed scoring; MODE and LEVEL are what to select
 *   ADVANCE     a: variable, constant: modulus or 0; pops the new value, pushes what was gained
 *   JUMP        constant: target; JUMP_ZERO and JUMP_TRUE pop what decides
 *   NEXT        a: local, b: last value; counts on, and jumps to the target if it was not past it
 * and in mode procedures:
 *   PRESS       pops the number of frames
 *   ACT         constant: action
 *   WAIT        constant: frames with nothing pressed
 *   RANDOM      constant: bound; pushes 0..bound-1
 *   POKE        a: RAM index; pops the value
 *   TURN        a: local; an iteration of a while begins
 *   AGAIN       a: that local; jumps if the iteration emulated a frame and the limit is not reached */
#define GAME_OPERATORS(X)                                                              \
  X(ADD) X(SUB) X(MUL) X(DIV) X(MOD) X(AND) X(OR) X(XOR) X(SHL) X(SHR)                  \
  X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE)
#define GAME_BOTH(name) GAME_OPCODE(name) GAME_OPCODE(name##_CONST)
#define GAME_OPCODES                                                                               \
  GAME_OPCODE(END) GAME_OPCODE(PUSH) GAME_OPCODE(VAR) GAME_OPCODE(SET_VAR) GAME_OPCODE(LOCAL)      \
  GAME_OPCODE(SET_LOCAL) GAME_OPCODE(RAM) GAME_OPCODE(RAM_AT) GAME_OPCODE(MEM) GAME_OPCODE(MEM_AT) \
  GAME_OPCODE(BCD1) GAME_OPCODE(BCD2) GAME_OPCODE(BCD3) GAME_OPCODE(DEC) GAME_OPCODE(U8)           \
  GAME_OPCODE(I8) GAME_OPCODE(ABS) GAME_OPCODE(BITS) GAME_OPCODE(NEG) GAME_OPCODE(NOT)             \
  GAME_OPCODE(BOOL) GAME_OPCODE(MIN) GAME_OPCODE(MAX) GAME_OPERATORS(GAME_BOTH) GAME_OPCODE(MA) GAME_OPCODE(FIXED) \
  GAME_OPCODE(CORRECT)                                                                             \
  GAME_OPCODE(MODE) GAME_OPCODE(LEVEL) GAME_OPCODE(ADVANCE) GAME_OPCODE(JUMP) GAME_OPCODE(JUMP_ZERO)                  \
  GAME_OPCODE(JUMP_TRUE) GAME_OPCODE(NEXT) GAME_OPCODE(PRESS) GAME_OPCODE(ACT) GAME_OPCODE(WAIT) GAME_OPCODE(RESET)  \
  GAME_OPCODE(RANDOM) GAME_OPCODE(POKE) GAME_OPCODE(TURN) GAME_OPCODE(AGAIN)

#define GAME_OPCODE(name) OP_##name,
typedef enum game_opcode { GAME_OPCODES } game_opcode;
#undef GAME_OPCODE
/* clang-format on */

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
  char id[48], title[80], gymnasium[48], gymnasium_id[64];
  bool legacy, asks_fixed;
  char hash[65]; /* of the definition, see game_hash() */
  char md5[GAME_MAX_MD5][33];
  int md5_count;
  int id_line, id_column, md5_line[GAME_MAX_MD5],
      md5_column[GAME_MAX_MD5]; /* where they stand, for messages */
  game_properties console;
  char cartridge[16], format[8]; /* what console.cartridge and console.format point to */
  int modes[GAME_MAX_FLAVORS], mode_count, default_mode;
  int difficulties[4], difficulty_count;
  int level_count;
  int legal[SIXER_ACTION_COUNT], legal_count, minimal[SIXER_ACTION_COUNT], minimal_count;
  int start[GAME_MAX_START], start_count;
  game_var vars[GAME_MAX_VARS];
  int var_count;
  int step, lives, terminal, select; /* where the programs begin; terminal and select may be -1 */
  /* The rules for several players, from the block `players`; NULL if there are none. They are a game of their own,
   * with the same identity and console. What follows belongs to them. */
  struct game *players;
  bool for_players;         /* this is such a game */
  bool step_shared;         /* the definition has no rules of its own for one player ... */
  bool alone;               /* ... nor has the block `players` modes for one */
  int built_in;             /* variables that every game has */
  int turn_var, turn_limit; /* the variable `turn_limit`, or -1, and its default */
  int more_lives[GAME_MAX_PLAYERS -
                 1]; /* where the reports of players 2 to 4 begin; -1: as player 1 */
  int player_modes[GAME_DIALECTS][GAME_MAX_PLAYERS][GAME_MAX_PLAYER_MODES];
  int player_mode_count[GAME_DIALECTS][GAME_MAX_PLAYERS];
  int mode_offset; /* what dialect sixer adds to the numbers of the modes */
  int code_count;
  game_op code[GAME_MAX_CODE];
};

#endif
