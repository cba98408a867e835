/* What the fast TIA keeps beside the console while a frame runs. docs/fast-core.md explains the words.
 *
 * None of it is state. tia_frame and tia_beam are filled when a frame begins; tia_hints lasts longer, and only
 * makes the next frames faster or slower. */
#ifndef SIXER_MACHINE_TIA_FRAME_H
#define SIXER_MACHINE_TIA_FRAME_H

#include <stdint.h>

enum {
  SCREEN_MAX_LINES = 300, /* rows of a picture buffer */
  KNOWN_AHEAD = 8         /* a known line is prefetched so many lines before it is expected */
};

/* The frame as the cores see it. Translated code addresses these fields. */
typedef struct tia_frame {
  uint32_t *log_end; /* where the next write is logged */
  /* The byte that each register holds, as far as the log knows. A value above 0xFF equals no byte, so that the next
   * write is logged whatever it writes. */
  uint16_t shadow[64];
  int32_t phase;      /* cycles of line 0 that were over when the cycle counter was set to 0 */
  int32_t next_end;   /* cycle at which a line ends: the guess for the next WSYNC */
  int32_t cut;        /* cycle from which a write ends the frame as too long */
  int32_t every;      /* cycle from which every access is logged, even if it changes nothing */
  int32_t note_until; /* the smaller of cut and every: before it, cores log without a call */
  /* Translated code compares cycles with the guard alone, and only now and then. So the guard lies before both cut and
   * every, by more than the cycles between two comparisons. */
  int32_t guard;
  int32_t ended;             /* cycle of the write that ended the frame */
  int32_t stop;              /* clock at which the visible window ends */
  int32_t resumed;           /* clock at which an interrupted frame went on */
  uint32_t charged_after[4]; /* cycles: INPT0..3 read 1 after them */
  uint8_t color_lost;        /* bit 0 of all colors: the frame has lost its color (PAL) */
  uint8_t pushed;            /* the log has two writes in one cycle */
  uint8_t no_known;          /* lines are not looked up among the known ones */
  /* What is expected of the next frame: */
  uint8_t endless;  /* it may run into the limit of instructions: count them */
  int32_t expected; /* cycle near which it ends inside of its window; NEVER: it does not */
  int32_t margin;   /* cycles before `expected` from which translated code is not used */
} tia_frame;

/* As tia_beam.last: the window is over. The clock at which a line begins, which is negative for the first one, can be
 * subtracted from it. */
enum { BEAM_OVER = 0x7FFF0000 };

/* The line that is being collected from the log. Everything that processing a part of the log changes is here or in
 * tia_state, so that a copy of both undoes it. */
typedef struct tia_beam {
  uint32_t *log_done;           /* entries before this one are processed */
  struct tia_segment *segments; /* of the line */
  int32_t count;                /* segments; 0: the line was not opened yet */
  int32_t last;                 /* clock up to which pixels are decided, or BEAM_OVER */
  int32_t begin, end;           /* clocks of the line */
  int32_t log_line;             /* cycle at which the line of the last processed entry began */
  int32_t y;                    /* row of the picture */
  uint8_t set;                  /* objects that are on, as by tia_shown_set() */
  uint8_t x_from;               /* pixels before this one are drawn already (continued frame) */
  uint8_t cx_from;              /* collisions before this pixel are cleared, or latched already */
  uint8_t blank_late;           /* an HMOVE came too late to blank this line: it blanks the next */
  uint8_t blank_open;           /* the line began blanked */
} tia_beam;

/* How often something happened in a row of late, and in which frame it was last: tia_cache.h. */
typedef struct tia_row {
  uint16_t often, last;
} tia_row;

/* Guesses, and statistics by which they are made. */
typedef struct tia_hints {
  uint32_t last_known;  /* index of the known line that the last line was */
  uint32_t last_read;   /* index of the known line that the last read of collisions was */
  uint8_t known_bits;   /* sizes of the tables that indices are of (tia_sizes); 0: of none */
  uint32_t tries, hits; /* of looking up known lines, over some frames */
  uint16_t frames;      /* of these statistics */
  uint8_t pause;        /* most look-ups failed: do without for a while */
  uint8_t undrawn;      /* frames since one was drawn */
  uint16_t number;      /* of the frame, of those in which lines are learned */
  uint16_t known_row[SCREEN_MAX_LINES + KNOWN_AHEAD]; /* index of the known line that a row was */
  uint16_t run_row[SCREEN_MAX_LINES + 1]
                  [2];               /* indices of the runs that began in a row, newest first */
  tia_row missed[SCREEN_MAX_LINES];  /* the line was not in the cache (tia_cache.c) */
  tia_row learned[SCREEN_MAX_LINES]; /* it was no known line, and has become one (tia_known.c) */
} tia_hints;

#endif
