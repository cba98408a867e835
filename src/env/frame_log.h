/* The log of a frame: what the plain core does, instruction by instruction, write by write and pixel by pixel. The
 * public form of the entries is in sixer/inspect.h. */
#ifndef SIXER_ENV_FRAME_LOG_H
#define SIXER_ENV_FRAME_LOG_H

#include "env/env.h"
#include "sixer/inspect.h"

enum {
  LOG_INSTRUCTIONS = FRAME_INSTRUCTIONS,
  LOG_WRITES = 3 * FRAME_INSTRUCTIONS, /* BRK pushes three bytes, nothing writes more */
  LOG_LINES = 512                      /* later ones are left out */
};

typedef struct frame_log {
  sixer_log_instruction instructions[LOG_INSTRUCTIONS];
  sixer_log_write writes[LOG_WRITES];
  sixer_log_line lines[LOG_LINES];
  uint16_t pixels[SCREEN_WIDTH * SCREEN_MAX_LINES];
  int32_t instruction_count, write_count, line_count;
  int32_t clocks;
  uint8_t memory[128], registers[8];
  uint8_t tia[64]; /* what was last written to each register */
  int fetched;     /* bytes of the instruction under way */
} frame_log;

/* Run a frame with the plain core and fill the log. A core of the machine has no place for one, so the env's run_frame
 * finds it by the place of the pixels' notes, which machine.notes must point to. */
machine_core frame_log_run;

#endif
