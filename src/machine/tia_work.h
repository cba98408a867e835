/* The working memory of the fast TIA: caches, the log, and tables. Internal; machine.h has what others may ask.
 *
 * The caches map descriptions to results (docs/fast-core.md): a key to the pixels and collisions of a line, and a state
 * with a log to the state after the line. Results are functions of descriptions, so nothing here is state, and
 * machines that run in the same thread share it. */
#ifndef SIXER_MACHINE_TIA_WORK_H
#define SIXER_MACHINE_TIA_WORK_H

#include "machine/tia.h"

/* ---- Cached lines: tia_cache.c --------------------------------------------------------------------------------- */

enum { SEGMENTS_MAX = 48, KEY_SEGMENTS = 16, CACHE_BITS = 11 };

/* A part of a line: from pixel x on, pixels follow from this look. */
typedef struct tia_segment {
  tia_look look;
  uint8_t x;
  uint8_t set; /* objects that are on, as by tia_shown_set() */
  uint8_t pad[6];
} tia_segment;

/* A drawn line, found by its key: the segments without what cannot show. Its pixels are three cache lines of the
 * processor, and a key of one or two segments is one more. */
typedef struct cached_line {
  uint8_t pixels[SCREEN_WIDTH];
  uint16_t count; /* segments of the key; 0: empty */
  uint16_t collisions;
  tia_segment key[KEY_SEGMENTS];
  uint8_t pad[28];
} cached_line;
_Static_assert(sizeof(cached_line) % 64 == 0, "whole cache lines of the processor");

/* ---- Known lines: tia_known.c ---------------------------------------------------------------------------------- */

enum { KNOWN_BITS = 12, KNOWN_LOG = 27 };

/* known_line.uncounted of an entry without contents is 0: 255 writes, more than any log has, so that it never matches.
 * An all-zero table is empty. */
enum { UNCOUNTED = 0xFF };
static const uint32_t NOT_DRAWN = 0xFFFFFFFF; /* as a stamp */

/* The 48 bytes of tia_state that decide what a line becomes and that a line changes, as three words. The first word
 * has what may make no difference to a line: motions, mirroring, positions, colors. The other two always count. */
typedef struct tia_word {
  uint64_t half[2];
} tia_word;
typedef struct known_rest {
  tia_word word[2];
} known_rest;
enum {
  LINE_STATE = offsetof(tia_state, hm),
  LINE_STATE_BYTES = offsetof(tia_state, dump) - LINE_STATE,
  REST_STATE = LINE_STATE + sizeof(tia_word),
  /* bytes of the first word */
  FIRST_HM = 0,
  FIRST_REFP = 5,
  FIRST_POS = 7,
  FIRST_COLOR = 12
};
#define FIRST_IS(field, at) (offsetof(tia_state, field) == LINE_STATE + (at))
_Static_assert(LINE_STATE_BYTES == sizeof(tia_word) + sizeof(known_rest), "48 bytes of a line");
_Static_assert(FIRST_IS(hm, FIRST_HM) && FIRST_IS(refp, FIRST_REFP) &&
                   FIRST_IS(look.pos, FIRST_POS) && FIRST_IS(look.color, FIRST_COLOR) &&
                   FIRST_IS(look.graphic, sizeof(tia_word)),
               "what may make no difference is the first word, and nothing else is in it");
#undef FIRST_IS

/* What a line does: a line that begins with the same 48 bytes and has the same log ends with the same bytes, and need
 * not be processed. Of the first word, only the bits that mattered must be the same. */
typedef struct known_line {
  tia_word before, any;    /* the first word at the beginning, and its bits that do not matter */
  tia_word after, keep;    /* the first word at the end, and its bits that stay as they are */
  uint32_t stamp;          /* of the cached line that it was drawn as, or NOT_DRAWN */
  uint16_t slot;           /* of that cached line */
  uint16_t collisions;     /* that the line itself latches */
  uint16_t next;           /* index of the known line that came after this one: a guess */
  uint8_t uncounted;       /* UNCOUNTED minus the number of its writes */
  uint8_t hmove;           /* cycle of its last HMOVE, from its beginning; 0xFF: none */
  uint8_t keep_pos;        /* objects whose positions stay, or are only moved by the HMOVE */
  uint8_t set;             /* objects that are on after it */
  uint16_t latched;        /* mask of earlier collisions that stay: all, or none after CXCLR */
  uint8_t steady;          /* it has no writes, and does not change the last two words */
  uint8_t hmove_pulls;     /* its HMOVE moves even objects whose motion is 0 */
  uint32_t log[KNOWN_LOG]; /* with cycles from the beginning of the line */
  known_rest rest_before, rest_after;
} known_line;
_Static_assert(sizeof(known_line) == 256, "whole cache lines of the processor");

/* ---- Runs of known lines: tia_runs.c --------------------------------------------------------------------------- */

enum { RUN_LINES = 16, RUN_LOG = 64, RUN_BITS = 9, RUN_NOTE_BITS = 11 };

/* What up to RUN_LINES known lines do, one after the other. */
typedef struct known_run {
  tia_word before, need; /* the first word at the beginning, and its bits that matter */
  tia_word after, keep;  /* the first word at the end, and its bits that stay as they are */
  known_rest rest_before, rest_after;
  uint8_t lines;       /* 0: empty */
  uint8_t count;       /* writes */
  uint8_t moves;       /* objects that stay as they are but for HMOVEs ... */
  uint8_t by[5];       /* ... and how far these move them, to the right */
  uint16_t hmove;      /* cycle of the last HMOVE plus 1; 0: none */
  uint16_t collisions; /* that the lines latch */
  uint16_t latched;    /* mask of earlier collisions that stay */
  uint16_t last;       /* index of the last known line */
  uint8_t set;         /* objects that are on after it */
  uint8_t used;        /* since others were overwritten */
  uint16_t next;       /* index of the known line that came after it: a guess */
  uint8_t pad[12];
  uint32_t stamp[RUN_LINES]; /* of the cached lines */
  uint16_t slot[RUN_LINES];
  uint32_t log[RUN_LOG]; /* with cycles from the beginning of the run */
} known_run;
_Static_assert(sizeof(known_run) == 512, "whole cache lines of the processor");

/* Known lines that came one after the other: by a hash of their indices, the run that was made of them. */
typedef struct run_note {
  uint32_t tag;
  uint16_t run, pad;
} run_note;

/* ---- Tables: tia_tables.c -------------------------------------------------------------------------------------- */

/* Constants. Sets of objects are those of tia_shown_set(), or its lower six bits. */
typedef struct tia_tables {
  tia_look visible[128];  /* bits of a look that can show, by set */
  uint16_t possible[128]; /* collisions that can happen, by set */
  uint64_t style[128];    /* bits of a style (tia_draw.c) that show, by set */
  tia_word unseen[64];    /* bits of the first word that may not matter, by set */
  tia_look playfield;     /* bits of a look that say where the playfield is lit */
  tia_look shape;         /* ... and where the other objects are, graphics apart */
  _Alignas(16) uint64_t before[SCREEN_WIDTH + 1][4]; /* the pixels to the left of x, as bits */
  uint32_t columns[256]; /* eight columns of the playfield as 32 pixels */
  uint64_t spread[256];  /* eight bits as bytes of 0 or 0xFF, the lowest first in memory */
  int painter;           /* tia_painter */
} tia_tables;

void tia_tables_init(tia_tables *tables);

/* ---- All of it ------------------------------------------------------------------------------------------------- */

/* Entries of the log: one for each cycle that 16 bits can tell, and half as many again for the second write of an
 * instruction that pushes two bytes onto the TIA in one cycle. */
enum { TIA_LOG = 98304 };

/* What the frame began with, to run it once more (tia_frame.c). */
typedef struct tia_frame_start {
  _Alignas(16) uint8_t console[sizeof(console) + CART_MAX_XRAM];
  uint8_t audio[6], current;
} tia_frame_start;

/* Sizes of the tables, as powers of two. For one machine, known and cached lines take 2.4 MB together, runs 0.25 MB:
 * with four times as much, games that bring new lines all the time are slower by up to a fifth, since less of what they
 * use stays in the second-level cache. Many machines that share tables have more lines, and above all more runs, than
 * fit into these: with twice the lines and four times the runs, 64 environments were 4 to 7 % faster, and with four
 * times the known and eight times the cached lines 4 % faster again. */
typedef struct tia_sizes {
  uint8_t cached, known, runs, run_notes;
} tia_sizes;
enum { TIA_MANY = 16 /* machines that share tables */ };
static inline tia_sizes tia_sizes_for(int machines) {
  const uint8_t more = machines >= TIA_MANY;
  return (tia_sizes){CACHE_BITS + 3 * more, KNOWN_BITS + 2 * more, RUN_BITS + 2 * more,
                     RUN_NOTE_BITS + 2 * more};
}

typedef struct tia_work {
  tia_sizes bits;
  /* The tables lie behind this struct. */
  cached_line *cached;
  known_line *known;
  known_run *runs;
  run_note *run_notes;
  /* These tell most new lines, without touching the large tables: hashes of keys, tags of known lines. */
  uint64_t *cached_hash;
  uint32_t *known_tag;
  /* Numbers of the contents of cached lines, never used twice; and how many rows wait for the line before (see
   * row_waits), so that the first is a number without a meaning. */
  uint32_t *cached_stamp;
  uint16_t *cached_rows;
  /* Places go by twos: of each two, the one that was not looked up last. */
  uint8_t *known_other, *cached_other;
  uint32_t newest_stamp;                   /* of a cached line; the first is 1 */
  uint32_t newest_run;                     /* count of them */
  uint32_t row_stamp[2][SCREEN_MAX_LINES]; /* what the rows of both pictures show; 0: unknown */
  /* Rows whose pixels are still in the cache alone: number of the cached line plus 1; 0: they are in the picture. */
  uint16_t row_waits[2][SCREEN_MAX_LINES];
  tia_tables tables;
  tia_segment segments[SEGMENTS_MAX];  /* of the line of the beam */
  uint32_t log[TIA_LOG + RUN_LOG + 8]; /* comparing with a run looks so far ahead */
  /* Beside the log, what an unfinished row will need. HMOVE: it has blanked its line; RESP0, RESP1: clocks until its
   * effect. */
  uint8_t log_notes[TIA_LOG + 8];
  tia_frame_start start;
} tia_work;

/* Objects that are on: bits P0, P1, M0, M1, BL, PF, and bit 6 for the score mode. */
static inline int tia_shown_set(const tia_look *look) {
  bool pf = look->pf[0] | look->pf[1] | look->pf[2];
  return (look->graphic[0] != 0) | (look->graphic[1] != 0) << P1 | look->enabled | pf << PF |
         (look->ctrl & 2) << 5;
}

#endif
