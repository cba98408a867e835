/* The fast TIA: draws whole lines, and only those that it has not drawn before.
 *
 * While a frame runs, nothing is drawn, nor are writes processed: those that change something are put into a log, which
 * is what a core does for most of its writes without a call. The log is processed line by line when the frame is over,
 * or when somebody asks for what depends on it. Every write that changes the look of what is to the right of the beam
 * begins a new *segment*: a position and the look from there on. The segments of a line, with everything removed
 * that cannot show, are a complete description of its pixels and collisions: a key. A cache maps keys to finished
 * lines, so that a line that was seen before, in whatever frame, costs a look-up and a copy.
 *
 * Before that, a line that did exactly the same to exactly the same state before (`known_line`) is not even processed.
 *
 * What an unfinished line looks like depends on every access to the TIA, also on those that change nothing. When a frame
 * turns out to end inside of its window, it is rewound and run again, with every access of its last line logged; and the
 * next one is expected to end there, too.
 *
 * The cache is no state: pixels and collisions are a function of the key. Environments may share one as long as they
 * run in the same thread. */
#ifndef SIXER_MACHINE_TIA_FAST_H
#define SIXER_MACHINE_TIA_FAST_H

#include <string.h>

#include "machine/tia.h"

enum {
  SEGMENTS_MAX = 48,
  KEY_SEGMENTS = 16,
  LINE_CACHE_BITS = 11,
  LINE_CACHE_SIZE = 1 << LINE_CACHE_BITS
};

typedef struct tia_segment {
  tia_look look;
  uint8_t x;   /* first pixel */
  uint8_t set; /* objects that are on; follows from the look */
  uint8_t pad[6];
} tia_segment;

typedef struct cached_line {
  uint16_t count; /* segments of the key; 0: empty */
  uint16_t collisions;
  uint32_t stamp; /* changes with the contents */
  tia_segment key[KEY_SEGMENTS];
  uint8_t pixels[SCREEN_WIDTH];
} cached_line;

/* Known lines and the cache take 2.4 MB together. With four times as much, games that bring new lines all the time were a
 * third slower: what they use did not stay in the second-level cache (1 MB where it was measured). */
enum { KNOWN_BITS = 12, KNOWN_LINES = 1 << KNOWN_BITS, KNOWN_LOG = 25 };
enum { KNOWN_NOTHING = 0xFF };
static const uint32_t NOT_DRAWN = 0xFFFFFFFF;

/* The part of the state that decides what a line becomes, and that it changes. The first of the three words may not matter:
 * where objects are, how they would move, their colors, whether players are mirrored. */
typedef struct tia_word {
  uint64_t half[2];
} tia_word;
typedef struct known_rest {
  tia_word word[2];
} known_rest;

/* What a line does to the TIA: a line that begins with the same state and has the same log ends the same way, and need
 * not be processed. Where objects are that do not show in the line makes no difference to it; if it moves them, it moves
 * them from wherever they are. */
typedef struct known_line {
  /* The first word: */
  tia_word before, any; /* what it was, and the bits of it that make no difference */
  tia_word after,
      keep;       /* what it becomes, and the bits that stay what they are, but for the HMOVE */
  uint32_t id;    /* of what is known here */
  uint32_t stamp; /* of the cached line when it was found there, or NOT_DRAWN */
  uint16_t slot;  /* of the cached line */
  uint16_t collisions;
  uint16_t next;       /* the known line that came after this one: a guess ... */
  uint8_t uncounted;   /* KNOWN_NOTHING less its length: zeroed memory knows nothing */
  uint8_t hmove;       /* cycle of the last HMOVE in it; 0xFF: none */
  uint32_t next_id;    /* ... if it still has this id, its rest_before is this one's rest_after */
  uint8_t keep_pos;    /* objects whose positions stay what they are, but for the HMOVE */
  uint8_t set;         /* objects that are on after it */
  uint16_t latched;    /* earlier collisions that stay: all, or none after CXCLR */
  uint8_t steady;      /* nothing is written in it, and but for the first word it changes nothing */
  uint8_t hmove_pulls; /* its HMOVE moves objects even if their motion is 0 */
  uint8_t pad[2];
  uint32_t log[KNOWN_LOG]; /* as if the line began at cycle 0 */
  known_rest rest_before, rest_after;
} known_line;
_Static_assert(sizeof(known_line) == 256, "whole cache lines");

/* The log: cycle << 16 | register << 8 | value. There is one for every cycle that can be told, and more than enough for
 * two writes in one. */
enum { TIA_LOG = 98304 };

/* More cycles than translated code runs without a look at its guard. */
enum { TIA_GUARD = 1000 };

typedef struct tia_work {
  cached_line line[LINE_CACHE_SIZE];
  known_line known[KNOWN_LINES];
  /* Most of what is new is told by these, and need not be waited for: hashes of cached lines, tags of known ones. */
  uint64_t hash[LINE_CACHE_SIZE];
  uint32_t tag[KNOWN_LINES];
  uint32_t stamp; /* of the newest contents; they begin at 1 */
  uint32_t drawn
      [2]
      [SCREEN_MAX_LINES]; /* stamps of what the rows of the two pictures show; 0: something else */
  tia_look visible[128];  /* which bits of a look can show, by the objects that are on */
  tia_look playfield;     /* bits that say where the playfield is lit */
  tia_look shape; /* bits that say where objects but the playfield are lit, graphics apart */
  uint16_t possible[128]; /* which collisions can happen, likewise */
  uint32_t known_id;      /* of what was learned last */
  tia_word unseen
      [64]; /* bits of the first word of a state that may not matter when these objects are on */
  _Alignas(16) uint64_t before[SCREEN_WIDTH + 1][4]; /* the pixels to the left of each, as bits */
  int painter;                                       /* tia_painter */
  uint64_t style[128];   /* what of a style shows, by the objects that are on */
  uint32_t columns[256]; /* eight columns of the playfield as pixels */
  uint64_t spread[256];  /* eight bits as bytes of 0 or 0xFF, the lowest first in memory */
  tia_segment segments[SEGMENTS_MAX]; /* of the line of the beam */
  uint32_t log[TIA_LOG + 8];
  uint8_t
      log_notes[TIA_LOG + 8]; /* HMOVE: it has blanked its line; RESP: clocks until its effect */
  /* What the frame that runs has begun with. */
  _Alignas(16) uint8_t console_before[sizeof(console) + CART_MAX_XRAM];
  uint8_t audio_before[6], current_before;
} tia_work;

/* Objects that are on: bits P0, P1, M0, M1, BL, PF, and bit 6 for the score mode. */
static inline int tia_shown_set(const tia_look *look) {
  bool pf = look->pf[0] | look->pf[1] | look->pf[2];
  return (look->graphic[0] != 0) | (look->graphic[1] != 0) << P1 | look->enabled | pf << PF |
         (look->ctrl & 2) << 5;
}

/* Forget the objects of the last frame; note those of the line that is over. */
void tia_objects_clear(tia_objects *o);
void tia_objects_note(machine *m);

/* Somebody else has drawn in a picture. */
static inline void tia_fast_forget(machine *m, int picture) {
  if (m->work) memset(m->work->drawn[picture], 0, sizeof m->work->drawn[picture]);
}

/* Make an empty cache in zeroed memory. */
void tia_work_init(tia_work *work);

uint8_t tia_fast_read(machine *m, uint16_t address);
void tia_fast_write(machine *m, uint16_t address, uint8_t value);

/* What a core has to do for a write to a register. */
typedef enum tia_kind {
  TIA_NOTHING,
  TIA_CALL,   /* tia_fast_write(): it may end the frame, take time, or show at once */
  TIA_SOUND,  /* put it into machine.audio */
  TIA_STROBE, /* log it; the value is of no use */
  TIA_ALWAYS, /* log it */
  TIA_LEVEL   /* log it unless it is in the register already */
} tia_kind;
extern const uint8_t tia_kind_of[64];
extern const uint8_t tia_mask[64]; /* the bits that have a meaning */
extern const uint8_t
    tia_disturbs[64]; /* register whose next write matters after this one changed */

enum { SHADOW_MUST_LOG = 0x100, SHADOW_UNKNOWN = 0xFFFF };

static inline void tia_fast_log(machine *m, int reg, uint8_t value, int32_t cycle) {
  *m->frame.log_end++ = (uint32_t)cycle << 16 | (uint32_t)reg << 8 | (value & tia_mask[reg]);
}

/* Can this write be noted? It must also be the only one of its cycle. If not: tia_fast_write(). */
static inline bool tia_fast_can_note(const machine *m, int reg, int32_t cycle) {
  return cycle < m->frame.note_until && tia_kind_of[reg] != TIA_CALL;
}

static inline void tia_fast_note(machine *m, int reg, uint8_t value, int32_t cycle) {
  tia_frame *l = &m->frame;
  tia_kind kind = (tia_kind)tia_kind_of[reg];
  if (kind == TIA_LEVEL) {
    uint16_t *shadow = &l->shadow[reg], before = *shadow;
    value &= tia_mask[reg];
    if (before == value) return;
    *shadow = value;
    if (tia_disturbs[reg] && (before & ~SHADOW_MUST_LOG) != value)
      l->shadow[tia_disturbs[reg]] |= SHADOW_MUST_LOG;
  } else if (kind == TIA_SOUND) {
    m->audio[reg - AUDC0] = value;
    return;
  } else if (kind == TIA_NOTHING) {
    return;
  } else if (reg == HMCLR) {
    memset(&l->shadow[HMP0], 0, 5 * sizeof l->shadow[0]);
  }
  tia_fast_log(m, reg, value, cycle);
}

/* The cycle at which the line of this one ends, or begins. */
static inline int32_t tia_line_end(const tia_frame *l, int32_t cycle) {
  return (cycle + l->phase + LINE_CYCLES - 1) / LINE_CYCLES * LINE_CYCLES - l->phase;
}

/* Can the fast TIA draw this frame? Not if it goes on with one that a reset has interrupted. */
bool tia_fast_can(const machine *m);

/* From now on, log every access. */
static inline void tia_fast_log_all(machine *m) {
  tia_frame *l = &m->frame;
  if (m->c->cycles < l->every) l->every = m->c->cycles;
  if (l->every < l->note_until) l->note_until = l->every;
}

/* Go back to where the frame began. */
void tia_fast_rewind(machine *m);

/* Around a frame: begin it, take over from the state, bring the state up to date, and end it. False: it was rewound
 * instead, and must be run again. */
void tia_fast_begin(machine *m);
bool tia_fast_end(machine *m);

#endif
