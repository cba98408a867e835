/* Looking into a frame: every instruction, every write, and which object made each pixel.
 *
 *     sixer_inspector *inspector;
 *     sixer_inspector_create(env, &inspector, &error);
 *     sixer_input input = {.action_a = SIXER_ACTION_FIRE, .strength_a = 1};
 *     sixer_inspector_step(inspector, env, input, NULL, &error);  // in a copy: env is as before
 *     const sixer_frame_log *log = sixer_inspector_log(inspector);
 *     printf("%d instructions, %d writes\n", log->instruction_count, log->write_count);
 *     sixer_inspector_destroy(inspector);
 *
 * The copy is played by the plain core, which gives the same bytes as all others and takes about a millisecond for a
 * frame. A debugger is then a cursor in the log, which can go back as well as forward. The rules of sixer.h about
 * errors and threads hold here too. */
#ifndef SIXER_INSPECT_H
#define SIXER_INSPECT_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times are in color clocks since the first line of the frame began. A line has 228, of which the last 160 show
 * pixels; a cycle of the processor has 3. */

typedef struct sixer_log_instruction {
  int32_t clock;          /* when it begins */
  int32_t writes;         /* writes of the frame before it */
  uint16_t pc, bank;      /* bank: of cartridges whose whole window shows one bank */
  uint8_t a, x, y, sp, p; /* before it */
  uint8_t bytes[3];
} sixer_log_instruction;

typedef struct sixer_log_write {
  int32_t clock;
  int32_t effect;      /* when it reaches the picture, if it is to the TIA; else as `clock` */
  int32_t instruction; /* that wrote: index into the list */
  uint16_t address;    /* 0x00..0x3F: TIA; 0x80..0xFF: memory; above: timer, ports and cartridge */
  uint8_t value, old;  /* old: of memory, what was there before; else 0 */
} sixer_log_write;

/* The TIA at the end of a line. */
typedef struct sixer_log_line {
  uint8_t registers[64]; /* what was last written, by register; 0 for those that are strobes */
  uint8_t position[5];   /* first pixel of player 0, player 1, missile 0, missile 1, ball */
  uint8_t pad;
  uint16_t collisions; /* latches: bits 2k and 2k + 1 are bits 6 and 7 of read register k */
} sixer_log_line;

/* A pixel: bits 0..5 are the objects that are lit there (a sixer_object_kind, 5 is the playfield), bits 8..11 which of
 * them is seen, bits 12..13 which color it has: that of COLUP0, COLUP1, COLUPF or COLUBK. */
enum { SIXER_PIXEL_PLAYFIELD = 5, SIXER_PIXEL_BACKGROUND = 6, SIXER_PIXEL_BLANK = 7 };

typedef struct sixer_frame_log {
  const sixer_log_instruction *instructions;
  const sixer_log_write *writes;
  const sixer_log_line *lines;
  const uint16_t *pixels; /* of the visible lines, 160 each */
  const uint8_t *screen;  /* likewise: palette bytes */
  int32_t instruction_count, write_count, line_count;
  int32_t first_line;   /* of the visible ones */
  int32_t height;       /* how many are visible */
  int32_t clocks;       /* length of the frame */
  uint8_t memory[128];  /* before the frame */
  uint8_t registers[8]; /* of the processor after it: A, X, Y, SP, P, PC low, PC high, 0 */
} sixer_frame_log;

typedef struct sixer_inspector sixer_inspector;

/* An inspector for envs like this one: of the same rom, with the same settings. It keeps no pointer to the env. */
SIXER_API sixer_err sixer_inspector_create(const sixer_env *env, sixer_inspector **inspector,
                                           sixer_error *error);
SIXER_API void sixer_inspector_destroy(sixer_inspector *inspector); /* NULL is allowed */

/* Do in a copy of the env what sixer_env_step_input() would do, and log the last frame of the step. A step of an
 * episode that is over has no frame: the log is then empty. `result` may be NULL. SIXER_ERR_ARGUMENT if the env is of
 * another rom. */
SIXER_API sixer_err sixer_inspector_step(sixer_inspector *inspector, const sixer_env *env,
                                         sixer_input input, sixer_result *result,
                                         sixer_error *error);

/* The log of the last step. Valid until the next one. */
SIXER_API const sixer_frame_log *sixer_inspector_log(const sixer_inspector *inspector);

/* Bytes as the processor of the env would read them now, `count` from `address` on, one after the other: memory, code,
 * registers. They are read in a copy, so that reading has no effect. Bits 13 to 15 of addresses do not count, except
 * for cartridges that look at them. SIXER_ERR_ARGUMENT as above, or if an address is not in 0..65535. */
SIXER_API sixer_err sixer_inspector_peek(sixer_inspector *inspector, const sixer_env *env,
                                         int address, int count, uint8_t *bytes,
                                         sixer_error *error);

/* Write an instruction as an assembler would, with a final 0: "LDA ($80),Y". `bytes` are three, whether it needs them
 * or not. Returns how many it has. */
#define SIXER_INSTRUCTION_TEXT 16
SIXER_API int sixer_disassemble(const uint8_t *bytes, int pc, char text[SIXER_INSTRUCTION_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
