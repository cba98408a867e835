/* The fast TIA: collecting segments. tia_frame.c turns them into pixels. */
#include "machine/tia_fast.h"

#include <stddef.h>
#include <string.h>

#include "machine/tia_line.h"

enum {
  ACCESS = CXCLR + 1, /* in the log: a read, or a write without effect */
  LOOK                /* the line is known up to here: somebody has asked for collisions */
};
static const uint32_t log_over = 0xFFFFFFFF; /* after the log's last write */

const uint8_t tia_kind_of[64] = {
    [VSYNC] = TIA_CALL,    [VBLANK] = TIA_CALL,  [WSYNC] = TIA_CALL,   [NUSIZ0] = TIA_ALWAYS,
    [NUSIZ1] = TIA_ALWAYS, /* show a hidden first copy, too */
    [COLUP0] = TIA_LEVEL,  [COLUP1] = TIA_LEVEL, [COLUPF] = TIA_LEVEL, [COLUBK] = TIA_LEVEL,
    [CTRLPF] = TIA_ALWAYS, /* reflects at once, or from the next line of the window on */
    [REFP0] = TIA_LEVEL,   [REFP1] = TIA_LEVEL,  [PF0] = TIA_LEVEL,    [PF1] = TIA_LEVEL,
    [PF2] = TIA_LEVEL,     [RESP0] = TIA_STROBE, [RESP1] = TIA_STROBE, [RESM0] = TIA_STROBE,
    [RESM1] = TIA_STROBE,  [RESBL] = TIA_STROBE, [AUDC0] = TIA_SOUND,  [AUDC1] = TIA_SOUND,
    [AUDF0] = TIA_SOUND,   [AUDF1] = TIA_SOUND,  [AUDV0] = TIA_SOUND,  [AUDV1] = TIA_SOUND,
    [GRP0] = TIA_LEVEL,    [GRP1] = TIA_LEVEL,   [ENAM0] = TIA_LEVEL,  [ENAM1] = TIA_LEVEL,
    [ENABL] = TIA_LEVEL,   [HMP0] = TIA_LEVEL,   [HMP1] = TIA_LEVEL,   [HMM0] = TIA_LEVEL,
    [HMM1] = TIA_LEVEL,    [HMBL] = TIA_LEVEL,   [VDELP0] = TIA_LEVEL, [VDELP1] = TIA_LEVEL,
    [VDELBL] = TIA_LEVEL,  [RESMP0] = TIA_LEVEL, [RESMP1] = TIA_LEVEL, [HMOVE] = TIA_STROBE,
    [HMCLR] = TIA_STROBE,  [CXCLR] = TIA_STROBE,
};

const uint8_t tia_mask[64] = {
    [VBLANK] = 0xFF, [NUSIZ0] = 0x37, [NUSIZ1] = 0x37, [COLUP0] = 0xFE, [COLUP1] = 0xFE,
    [COLUPF] = 0xFE, [COLUBK] = 0xFE, [CTRLPF] = 0xFF, [REFP0] = 0x08,  [REFP1] = 0x08,
    [PF0] = 0xF0,    [PF1] = 0xFF,    [PF2] = 0xFF,    [GRP0] = 0xFF,   [GRP1] = 0xFF,
    [ENAM0] = 0x02,  [ENAM1] = 0x02,  [ENABL] = 0x02,  [HMP0] = 0xF0,   [HMP1] = 0xF0,
    [HMM0] = 0xF0,   [HMM1] = 0xF0,   [HMBL] = 0xF0,   [VDELP0] = 0x01, [VDELP1] = 0x01,
    [VDELBL] = 0x01, [RESMP0] = 0x02, [RESMP1] = 0x02,
};

/* Each player's graphic is latched, for the delayed display, when the other one is written; the ball with player 1's. */
const uint8_t tia_disturbs[64] = {[GRP0] = GRP1, [GRP1] = GRP0, [ENABL] = GRP1};

static inline int visible(int32_t clock_in_line) {
  int x = clock_in_line - LINE_BLANK;
  return x < 0 ? 0 : x > SCREEN_WIDTH ? SCREEN_WIDTH : x;
}

/* Begin a line with the look as it is. */
static inline void open_line(machine *m) {
  tia_frame *l = &m->frame;
  l->segments[0].look = m->c->tia.look;
  l->segments[0].x = 0;
  l->segments[0].set = l->set;
  l->count = 1;
  l->blank_open = m->c->tia.look.blank;
}

/* The line is over: go to the next. It is opened only when it is needed. */
static inline void next_line(tia_frame *l) {
  l->begin = l->end;
  l->end += LINE_CLOCKS;
  l->y++;
  l->count = 0;
  l->x_from = l->cx_from = 0;
}

/* Do what the end of a line does. */
static inline void end_line(machine *m) {
  tia_frame *l = &m->frame;
  m->c->tia.look.blank = l->blank_late;
  l->blank_late = 0;
  tia_end_of_line(&m->c->tia);
  next_line(l);
}

/* The beam has left the line: draw it. */
static inline const cached_line *close_line(machine *m) {
  if (!m->frame.count) open_line(m);
  if (m->objects) tia_objects_note(m);
  const cached_line *line = tia_line_draw(m, SCREEN_WIDTH);
  end_line(m);
  return line;
}

/* The window ends with its last line drawn but not ended: nothing below it is ever processed. */
static void close_window(machine *m) {
  tia_frame *l = &m->frame;
  if (!l->count) open_line(m);
  if (m->objects) tia_objects_note(m);
  tia_line_draw(m, SCREEN_WIDTH);
  l->x_from = l->cx_from = SCREEN_WIDTH;
  l->last = NEVER;
}

/* The general case of advance(): lines or the window end. */
static __attribute__((noinline)) void advance_far(machine *m, int32_t until) {
  tia_frame *l = &m->frame;
  if (until > l->stop) until = l->stop;
  while (until > l->end) close_line(m);
  if (!l->count) open_line(m);
  l->last = until;
  if (until == l->stop) close_window(m);
}

/* Everything before clock `until` is decided. The end of a line is processed only when the beam has passed it. */
static inline void advance(machine *m, int32_t until) {
  tia_frame *l = &m->frame;
  if (until <= l->last) return;
  if (until >= l->end)
    advance_far(m, until);
  else
    l->last = until;
}

/* The look has changed: it holds from the beam on. */
static inline void changed(machine *m) {
  tia_frame *l = &m->frame;
  int x = l->last - l->begin - LINE_BLANK;
  if (x < 0) x = 0;
  tia_segment *s = &l->segments[l->count - 1];
  if (s->x != x) {
    if (x >= SCREEN_WIDTH) return;
    if (l->count < SEGMENTS_MAX) l->count++, s++;
    s->x = (uint8_t)x;
  }
  s->look = m->c->tia.look;
  s->set = l->set;
}

/* ---- Registers ------------------------------------------------------------------------------------------------- */

/* Player n's graphic is now this byte, as it will be displayed. */
static inline void show_graphic(machine *m, int n, uint8_t byte) {
  tia_state *t = &m->c->tia;
  if (t->refp[n]) byte = tia_reversed[byte];
  if (byte == t->look.graphic[n]) return;
  t->look.graphic[n] = byte;
  m->frame.set = (uint8_t)((m->frame.set & ~(1 << n)) | (byte != 0) << n);
  changed(m);
}

/* By the word: the look will be copied at once, and the processor has to wait for a byte on its way into a word. */
static inline void put_playfield(tia_look *look, unsigned n, uint8_t value) {
  enum { WORD = offsetof(tia_look, pf) / 8 * 8 };
  const unsigned shift = 8 * (offsetof(tia_look, pf) - WORD + n);
  uint64_t word;
  memcpy(&word, (uint8_t *)look + WORD, sizeof word);
  word = (word & ~((uint64_t)0xFF << shift)) | (uint64_t)value << shift;
  memcpy((uint8_t *)look + WORD, &word, sizeof word);
}

static inline void show_enables(machine *m) {
  uint8_t before = m->c->tia.look.enabled;
  tia_update_enables(&m->c->tia);
  if (before == m->c->tia.look.enabled) return;
  m->frame.set =
      (uint8_t)((m->frame.set & ~(1 << M0 | 1 << M1 | 1 << BL)) | m->c->tia.look.enabled);
  changed(m);
}

static inline void write_hmove(machine *m, int32_t cycle, int hpos, uint8_t *note) {
  tia_frame *l = &m->frame;
  tia_look *look = &m->c->tia.look;
  /* past the first eight pixels, an earlier blank has done its work and a new one waits for the next line */
  bool late = l->last - l->begin >= LINE_BLANK + 8, before = look->blank;
  if (late) look->blank = 0;
  tia_strobe_hmove(m, 3 * cycle, hpos);
  if (late && look->blank) l->blank_late = 1;
  *note = !late && look->blank && !before;
  if (*note && 3 * cycle < l->begin) l->blank_open = 1; /* it was before this line */
  changed(m);
}

static inline void write_resp(machine *m, int reg, int32_t cycle, int hpos, uint8_t *note) {
  const tia_look *look = &m->c->tia.look;
  int32_t clock = 3 * cycle;
  int n = reg - RESP0, pos = tia_strobe_position(&m->c->tia, reg, clock, hpos);
  *note = tia_resp_region(look->nusiz[n], look->pos[n], pos) == RESP_DISPLAY ? 11 : 0;
  advance(m, clock + *note);
  tia_store(m, reg, 0, clock, hpos);
  changed(m);
}

/* Registers that are written less often, by the common code. */
static void write_look(machine *m, int reg, uint8_t value, int32_t cycle, int hpos) {
  tia_look *look = &m->c->tia.look, before = *look;
  tia_store(m, reg, value, 3 * cycle, hpos);
  if (memcmp(&before, look, sizeof before) == 0) return;
  m->frame.set = (uint8_t)tia_shown_set(look);
  changed(m);
}

/* ---- The log --------------------------------------------------------------------------------------------------- */

/* Process the log up to `end`. A write that changes nothing is passed over: the beam need not be brought there, as
 * the next write is later. (Two writes in one cycle, by a push onto the TIA, are the exception that `pushed` tells.) */
static void process(machine *m, const uint32_t *end) {
  tia_frame *l = &m->frame;
  tia_state *t = &m->c->tia;
  const uint32_t *w = l->log_done;
  l->log_done += end - w;
  if (!l->count) open_line(m);
  for (; w < end; w++) {
    uint8_t value = (uint8_t)*w, *where;
    const unsigned reg = *w >> 8 & 0xFF;
    const int32_t cycle = (int32_t)(*w >> 16);
    while (cycle >= l->log_line + LINE_CYCLES) l->log_line += LINE_CYCLES;
    const int hpos = 3 * (cycle - l->log_line);
    switch (reg) {
      case COLUP0:
      case COLUP1:
      case COLUPF:
      case COLUBK:
        value |= l->color_lost;
        where = &t->look.color[reg - COLUP0];
        if (*where == value) continue;
        advance(m, 3 * cycle);
        *where = value;
        changed(m);
        continue;
      case PF0:
      case PF1:
      case PF2:
        where = &t->look.pf[reg - PF0];
        if (*where == value && !l->pushed) continue;
        advance(m, 3 * cycle + tia_write_delay(PF0, hpos));
        put_playfield(&t->look, reg - PF0, value);
        l->set = (uint8_t)((l->set & ~(1 << PF)) |
                           ((t->look.pf[0] | t->look.pf[1] | t->look.pf[2]) != 0) << PF);
        changed(m);
        continue;
      case GRP0:
        t->old_grp[1] = t->grp[1];
        if (t->grp[0] == value && !t->vdel[1] && !l->pushed) continue;
        advance(m, 3 * cycle + 1);
        t->grp[0] = value;
        if (!t->vdel[0]) show_graphic(m, 0, value);
        if (t->vdel[1]) show_graphic(m, 1, t->old_grp[1]);
        continue;
      case GRP1:
        t->old_grp[0] = t->grp[0];
        if (t->grp[1] == value && !t->vdel[0] && t->old_enabl == t->enabl && !l->pushed) continue;
        advance(m, 3 * cycle + 1);
        t->grp[1] = value;
        if (t->vdel[0]) show_graphic(m, 0, t->old_grp[0]);
        if (!t->vdel[1]) show_graphic(m, 1, value);
        if (t->old_enabl != t->enabl) {
          t->old_enabl = t->enabl;
          show_enables(m);
        }
        continue;
      case ENAM0:
      case ENAM1:
        value >>= 1;
        if (t->enam[reg - ENAM0] == value) continue;
        advance(m, 3 * cycle);
        t->enam[reg - ENAM0] = value;
        show_enables(m);
        continue;
      case ENABL:
        value >>= 1;
        if (t->enabl == value) continue;
        advance(m, 3 * cycle);
        t->enabl = value;
        show_enables(m);
        continue;
      case HMP0:
      case HMP1:
      case HMM1:
      case HMBL: t->hm[reg - HMP0] = value >> 4; continue;
      case HMM0:
      case HMCLR: tia_store(m, (int)reg, value, 3 * cycle, 0); continue;
      case HMOVE:
        advance(m, 3 * cycle);
        write_hmove(m, cycle, hpos, &m->work->log_notes[w - m->work->log]);
        continue;
      case NUSIZ0:
      case NUSIZ1:
        if (t->look.nusiz[reg - NUSIZ0] == value &&
            !(t->look.skip_first | t->look.star | t->star_on | l->pushed))
          continue;
        goto general;
      case REFP0:
      case REFP1:
        if (t->refp[reg - REFP0] == value >> 3 && !l->pushed) continue;
        goto general;
      case CTRLPF:
      case RESM0:
      case RESM1:
      case RESBL:
      case VDELP0:
      case VDELP1:
      case VDELBL:
      case RESMP0:
      case RESMP1:
      general:
        advance(m, 3 * cycle + tia_delay[reg]);
        write_look(m, (int)reg, value, cycle, hpos);
        continue;
      case VBLANK:
        advance(m, 3 * cycle + tia_delay[VBLANK]);
        t->vblank = value;
        if (t->look.vblank == (value >> 1 & 1)) continue;
        t->look.vblank = value >> 1 & 1;
        changed(m);
        continue;
      case RESP0:
      case RESP1:
        advance(m, 3 * cycle);
        write_resp(m, (int)reg, cycle, hpos, &m->work->log_notes[w - m->work->log]);
        continue;
      case CXCLR:
        advance(m, 3 * cycle);
        t->collisions = 0;
        l->cx_from = (uint8_t)visible(l->last - l->begin);
        continue;
      default: continue;
    }
  }
}

/* ---- Known lines ----------------------------------------------------------------------------------------------- */

enum {
  STATE = offsetof(tia_state, hm),
  LOOK_AT = offsetof(tia_state, look) - STATE,
  REST = STATE + sizeof(tia_word)
};
_Static_assert(REST + sizeof(known_rest) == offsetof(tia_state, dump), "what a line changes");
_Static_assert(offsetof(tia_state, refp) == STATE + 5 && LOOK_AT == 7 &&
                   offsetof(tia_look, pos) == 0 && offsetof(tia_look, color) == 5,
               "what may not matter is in the first word");

typedef uint64_t word16 __attribute__((vector_size(16), aligned(1), may_alias));
static inline word16 get16(const void *from) { return *(const word16 *)from; }
static inline void put16(void *to, word16 word) { *(word16 *)to = word; }
static inline bool is_zero(word16 word) { return !(word[0] | word[1]); }

static inline const void *rest_of(const tia_state *t) { return (const uint8_t *)t + REST; }

static inline bool same_rest(const known_rest *known, const void *rest) {
  const uint8_t *r = rest;
  return is_zero((get16(&known->word[0]) ^ get16(r)) | (get16(&known->word[1]) ^ get16(r + 16)));
}

/* Writes in the log of a known line. */
static inline int known_count(const known_line *k) { return KNOWN_NOTHING - k->uncounted; }

/* Are these the line's writes, from cycle `from` on and before `over`? */
static inline bool same_log(const known_line *k, const uint32_t *w, uint32_t from, uint32_t over) {
  const int count = known_count(k);
  const uint64_t both = from | (uint64_t)from << 32;
  int i = 0;
  for (; i < count - 1; i += 2) { /* two at once: none of them is before `from` */
    uint64_t new, known;
    memcpy(&new, w + i, sizeof new);
    memcpy(&known, k->log + i, sizeof known);
    if (new - both != known) return false;
  }
  return (i == count || w[i] - from == k->log[i]) && w[count] >= over;
}

static inline bool same_first(const known_line *k, word16 first) {
  return is_zero((first ^ get16(&k->before)) & ~get16(&k->any));
}

/* Is the line that comes next this one? */
static inline bool is_known(const machine *m, const known_line *k, uint32_t from, uint32_t over) {
  const tia_state *t = &m->c->tia;
  return same_log(k, m->frame.log_done, from, over) &&
         same_first(k, get16((const uint8_t *)t + STATE)) && same_rest(&k->rest_before, rest_of(t));
}

/* Where a line would be known, and a tag that tells it from most others that would be there. */
typedef struct known_place {
  uint32_t index, tag;
} known_place;

/* Lines that could be the same must have the same place: what may not matter is left out. */
static known_place known_at(const machine *m, const uint32_t *w, int count, uint32_t from) {
  uint64_t s[6], h;
  const tia_word *unseen = &m->work->unseen[m->frame.set & 63];
  memcpy(s, (const uint8_t *)&m->c->tia + STATE, sizeof s);
  s[0] &= ~unseen->half[0];
  s[1] &= ~unseen->half[1];
  h = (s[0] * 0x9E3779B97F4A7C15u ^ s[1]) * 0xD6E8FEB86659FD93u;
  h += (s[2] * 0xA0761D6478BD642Fu ^ s[3]) * 0xE7037ED1A0B428DBu;
  h ^= h >> 32;
  h += (s[4] * 0x8EBC6AF09C88C6E3u ^ s[5]) * 0x589965CC75374CC3u;
  for (int i = 0; i < count; i++) h = (h ^ h >> 29 ^ (w[i] - from)) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 31) * 0x9E3779B97F4A7C15u;
  return (known_place){(uint32_t)(h >> (64 - KNOWN_BITS)), (uint32_t)h};
}

/* The bits of these bytes of the first word of a state. */
static tia_word first_word(const tia_work *work, int motions, int mirrors, int pos, int colors) {
  const int bytes = motions | mirrors << 5 | pos << LOOK_AT | colors << (LOOK_AT + 5);
  return (tia_word){{work->spread[bytes & 0xFF], work->spread[bytes >> 8]}};
}

/* What of the first word does not matter to a line in which these objects were on, and these have shown? */
static void find_freedom(const tia_work *work, known_line *k, int on, int shown, bool stars) {
  enum { ALL = 31, SCORE = 1 << 6, P0_BITS = 1 << P0 | 1 << M0, P1_BITS = 1 << P1 | 1 << M1 };
  int free = ALL & ~shown, moved = 0, strobed = 0, hmoves = 0, colored = 0, mirrored = 0;
  if (stars) free &= ~(1 << M0);
  k->hmove = 0xFF;
  k->latched = 0xFFFF;
  for (int i = 0; i < known_count(k); i++) {
    int reg = k->log[i] >> 8 & 0xFF;
    switch (reg) {
      case HMOVE:
        hmoves++;
        k->hmove = (uint8_t)(k->log[i] >> 16);
        free &= ~(moved | strobed); /* moves by or from something else than at the beginning */
        break;
      case HMP0:
      case HMP1:
      case HMM0:
      case HMM1:
      case HMBL: moved |= 1 << (reg - HMP0); break;
      case HMCLR: moved = ALL; break;
      case RESP0:
      case RESP1: free &= ~(1 << (reg - RESP0)); break; /* depends on where it was */
      case RESM0:
      case RESM1:
      case RESBL: strobed |= 1 << (M0 + reg - RESM0); break;
      case RESMP0:
      case RESMP1: free &= 1 << BL; break;
      case COLUP0:
      case COLUP1:
      case COLUPF: colored |= 1 << (reg - COLUP0); break;
      case REFP0:
      case REFP1: mirrored |= 1 << (reg - REFP0); break;
      case CXCLR: k->latched = 0; break;
      default: break;
    }
  }
  k->hmove_pulls = hmoves && tia_motion[k->hmove][0];
  if (hmoves > 1) free = 0;
  const int motions = hmoves || stars ? free : ALL, mirrors = ~on & 3;
  int colors = 0;
  if (!(shown & (P0_BITS | SCORE))) colors |= 1 << COLOR_P0;
  if (!(shown & (P1_BITS | SCORE))) colors |= 1 << COLOR_P1;
  if (!(shown & (1 << PF | 1 << BL))) colors |= 1 << COLOR_PF;
  k->any = first_word(work, motions, mirrors, free, colors);
  k->keep =
      first_word(work, motions & ~moved, mirrors & ~mirrored, free & ~strobed, colors & ~colored);
  k->keep_pos = (uint8_t)(free & ~strobed);
}

/* Can a line with this log be known? Not if it may begin the stars, which depends on what was before it. */
static bool can_be_known(const uint32_t *w, int count, uint32_t from) {
  for (int i = 0; i < count; i++) {
    if ((w[i] & 0xFFFF) == (HMM0 << 8 | 0x60)) return false;
  }
  if (count && w[count - 1] - from >= LINE_CYCLES << 16)
    return false; /* just before the next line */
  return count <= KNOWN_LOG;
}

/* Objects that were on in the line; those of them that could be seen in the high byte. */
static int objects_on(const tia_frame *l) {
  int on = 0;
  for (int i = 0; i < l->count; i++) {
    const tia_segment *s = &l->segments[i];
    on |= s->look.vblank ? s->set : s->set | s->set << 8;
  }
  return on;
}

static void forget(known_line *k) {
  k->uncounted = 0;
  k->log[0] = 0; /* no write is like this */
  k->steady = 0;
  k->id = 0;
}

/* Note the writes of the line and the state that it began with. */
static void know(machine *m, known_line *k, const tia_state *before, const uint32_t *w, int count,
                 uint32_t from) {
  put16(&k->before, get16((const uint8_t *)before + STATE));
  memcpy(&k->rest_before, rest_of(before), sizeof k->rest_before);
  for (int i = 0; i < count; i++) k->log[i] = w[i] - from;
  k->uncounted = (uint8_t)(KNOWN_NOTHING - count);
  k->id = ++m->work->known_id;
  k->next_id = 0;
}

/* The writes that come before the end of the line that ends at this cycle: one at that moment comes first. */
static inline uint32_t line_over(int32_t cycle) { return (uint32_t)cycle << 16 | 0xFFFF; }
static inline int count_until(const tia_frame *l, uint32_t over) {
  const uint32_t *w = l->log_done;
  while (*w < over) w++;
  return (int)(w - l->log_done);
}

static bool has_cxclr(const uint32_t *w, int count) {
  for (int i = 0; i < count; i++) {
    if ((w[i] >> 8 & 0xFF) == CXCLR) return true;
  }
  return false;
}

/* Process a line and note what it does. */
static __attribute__((noinline)) void learn_line(machine *m, known_line *k, uint32_t from,
                                                 uint32_t over) {
  tia_frame *l = &m->frame;
  tia_state *t = &m->c->tia;
  const tia_state before = *t;
  const int32_t begin = l->begin;
  const uint32_t *const w = l->log_done;
  const int count = count_until(l, over);
  forget(k);
  t->collisions = 0;
  process(m, w + count);
  if (l->begin != begin) {
    if (!has_cxclr(w, count)) t->collisions |= before.collisions;
    return;
  }
  int on = objects_on(l);
  const cached_line *line = NULL;
  if (m->draw) {
    line = close_line(m);
    if (line) k->slot = (uint16_t)(line - m->work->line);
  } else {
    if (tia_line_possible(m)) t->collisions |= tia_line_collisions(m, l->cx_from, SCREEN_WIDTH);
    end_line(m);
  }
  k->collisions = t->collisions;
  k->stamp = line ? line->stamp : NOT_DRAWN;
  know(m, k, &before, w, count, from);
  find_freedom(m->work, k, on & 0xFF, on >> 8, before.star_on | t->star_on);
  put16(&k->after, get16((const uint8_t *)t + STATE) & ~get16(&k->keep));
  memcpy(&k->rest_after, rest_of(t), sizeof k->rest_after);
  k->set = l->set;
  k->steady = !count && same_rest(&k->rest_before, &k->rest_after);
  t->collisions |= before.collisions & k->latched;
  if (m->draw && !line) forget(k);
}

/* Where most lines are new, looking for known ones is in vain. Every so often, try again. */
static bool known_lines_pay(tia_frame *l) {
  enum { TRIAL = 4, PAUSE = 60 /* frames */ };
  if (++l->frame <= TRIAL) return true;
  if (l->frame == TRIAL + 1 && 2 * l->hits < l->tries) l->pause = 1;
  if (l->frame == TRIAL + PAUSE) l->frame = l->hits = l->tries = l->pause = 0;
  return !l->pause;
}

/* Nothing of the line is processed yet. */
static inline bool is_clean(const machine *m) {
  const tia_frame *l = &m->frame;
  return !(l->count | l->no_known | l->pushed) && l->begin >= 0;
}

/* The beam has left the line: process it. */
static void process_line(machine *m) {
  tia_frame *l = &m->frame;
  const int32_t begin = l->begin;
  process(m, l->log_done + count_until(l, line_over(l->end / 3)));
  if (l->begin != begin) return; /* its last write has its effect in the next one */
  close_line(m);
}

/* Move the objects that keep their places but for the HMOVE. */
static inline word16 moved(word16 first, const known_line *k) {
  uint8_t bytes[16], *pos = bytes + LOOK_AT;
  const int8_t *by = tia_motion[k->hmove];
  put16(bytes, first);
  for (unsigned left = k->keep_pos; left; left &= left - 1) {
    const int i = __builtin_ctz(left), motion = by[bytes[i]];
    if (motion) pos[i] = tia_moved(pos[i], motion);
  }
  return get16(bytes);
}

/* Show a known line in a row that shows something else. False: what it has drawn is no longer there. */
static bool show_known(machine *m, const known_line *k, int32_t y) {
  const cached_line *line = &m->work->line[k->slot];
  if (line->stamp != k->stamp) return false;
  tia_line_show(m, line, y);
  return true;
}

/* Repeat lines as long as they are known: those that the beam has left at clock `until`, inside the window. While that goes
 * on, the state is kept aside: the first word in a variable, the rest in what is known of the last line. */
static void repeat_lines(machine *m, int32_t until) {
  tia_frame *const l = &m->frame;
  tia_state *const t = &m->c->tia;
  known_line *const known = m->work->known;
  const uint32_t *const drawn = m->draw ? m->work->drawn[m->current] : NULL;
  const uint64_t all_motions = m->work->spread[0x1F];
  const uint32_t *w = l->log_done;
  known_line *last = &known[l->known];
  const void *rest = rest_of(t);
  word16 first = get16((const uint8_t *)t + STATE);
  unsigned collisions = t->collisions;
  int32_t y = l->y;
  const int32_t y_until = y + (until - l->end + LINE_CLOCKS - 1) / LINE_CLOCKS;
  uint32_t from = (uint32_t)(l->begin / 3) << 16;
  uint32_t hmove = log_over; /* when the last HMOVE was, as in the log */
  bool chained = false;      /* `rest` is last->rest_after */
  for (; y < y_until; y++, from += LINE_CYCLES << 16) {
    const uint32_t over = from + line_over(LINE_CYCLES);
    known_line *k = &known[last->next];
    const known_line *soon = &known[l->known_row[y + KNOWN_AHEAD]];
    __builtin_prefetch(soon);
    __builtin_prefetch(&soon->id);
    if (!same_log(k, w, from, over) || !same_first(k, first) ||
        !((chained && last->next_id == k->id) || same_rest(&k->rest_before, rest))) {
      k = &known[l->known_row[y]];
      if (!same_log(k, w, from, over) || !same_first(k, first) || !same_rest(&k->rest_before, rest))
        break;
    }
    if (drawn && drawn[y] != k->stamp && !show_known(m, k, y)) break;
    const uint16_t index = (uint16_t)(k - known);
    last->next = l->known_row[y] = index;
    if (chained) last->next_id = k->id;
    collisions = (collisions & k->latched) | k->collisions;
    if (k->hmove != 0xFF) {
      hmove = from + ((uint32_t)k->hmove << 16);
      if ((first[0] & all_motions) || k->hmove_pulls) first = moved(first, k);
    }
    const word16 before = first;
    first = (first & get16(&k->keep)) | get16(&k->after);
    w += known_count(k);
    rest = &k->rest_after;
    chained = true;
    last = k;
    if (!k->steady || !is_zero(first ^ before)) continue;
    /* up to the next write, all lines are this one */
    int32_t same = ((int32_t)(*w >> 16) - 1 - (int32_t)(from >> 16)) / LINE_CYCLES;
    if (same > y_until - y) same = y_until - y;
    for (; same > 1; same--, from += LINE_CYCLES << 16) {
      if (drawn && drawn[y + 1] != k->stamp && !show_known(m, k, y + 1)) break;
      l->known_row[++y] = index;
    }
  }
  if (!chained) return;
  put16((uint8_t *)t + STATE, first);
  memcpy((uint8_t *)t + REST, rest, sizeof(known_rest));
  t->collisions = (uint16_t)collisions;
  if (hmove != log_over) t->last_hmove = 3 * (int32_t)(hmove >> 16);
  l->hits += (uint32_t)(y - l->y);
  l->tries += (uint32_t)(y - l->y);
  l->log_done += w - l->log_done;
  l->known = (uint32_t)(last - known);
  l->set = last->set;
  l->end += (y - l->y) * LINE_CLOCKS;
  l->begin = l->end - LINE_CLOCKS;
  l->y = y;
}

/* Where a frame in so many is drawn, lines are learned in those alone: without its pixels, a line is known only by half. */
enum { OFTEN_DRAWN = 8 };

/* Lines that the beam has left at this clock, as long as they are clean and inside the window. */
static void process_clean(machine *m, int32_t clock) {
  tia_frame *l = &m->frame;
  known_line *known = m->work->known;
  const int32_t until = clock <= l->stop ? clock : l->stop;
  while (l->end < until && is_clean(m)) {
    repeat_lines(m, until);
    if (l->end >= until) break;
    /* this one is not where it was expected */
    const int32_t cycle = l->begin / 3;
    const uint32_t from = (uint32_t)cycle << 16, over = line_over(cycle + LINE_CYCLES);
    const uint32_t *w = l->log_done;
    const int count = count_until(l, over);
    l->log_line = cycle;
    if (tia_line_is_noise(l) || !can_be_known(w, count, from)) {
      process_line(m);
      continue;
    }
    const known_place at = known_at(m, w, count, from);
    known_line *k = &known[at.index];
    uint32_t *tag = &m->work->tag[at.index];
    known[l->known].next = l->known_row[l->y] = (uint16_t)at.index;
    if (*tag == at.tag && is_known(m, k, from, over) &&
        (!m->draw || m->work->line[k->slot].stamp == k->stamp))
      continue; /* it is there: repeat it */
    l->tries++;
    if (l->undrawn && l->undrawn < OFTEN_DRAWN) {
      process_line(m); /* it will be learned when it is drawn */
      continue;
    }
    *tag = at.tag;
    learn_line(m, k, from, over);
    l->known = at.index;
  }
  l->log_line = l->begin / 3;
}

/* Process the lines that the beam has left at this cycle. */
static void catch_up(machine *m, int32_t cycle) {
  tia_frame *l = &m->frame;
  const int32_t clock = 3 * cycle;
  *l->log_end = log_over;
  while (l->last != NEVER && clock > l->end && l->end < l->stop) {
    if (is_clean(m))
      process_clean(m, clock);
    else
      process_line(m);
  }
  if (clock >= l->stop || l->last == NEVER) {
    process(m, l->log_end);
    advance(m, clock);
  }
}

/* ---- Collisions in the middle of a line ------------------------------------------------------------------------- */

static uint16_t unfinished_collisions(machine *m, int32_t clock) {
  tia_frame *l = &m->frame;
  process(m, l->log_end);
  advance(m, clock);
  int x = visible(l->last - l->begin);
  uint16_t latches = m->c->tia.collisions;
  if (x > l->cx_from && tia_line_possible(m) & ~latches)
    latches |= tia_line_collisions(m, l->cx_from, x);
  return latches;
}

/* The same without a trace, so that the line can still become a known one. */
static void learn_collisions(machine *m, known_line *k, int count, uint32_t from, int32_t clock) {
  tia_frame *l = &m->frame;
  const tia_state before = m->c->tia;
  uint8_t line[offsetof(tia_frame, tries)];
  memcpy(line, l, sizeof line);
  m->c->tia.collisions = 0;
  forget(k);
  k->collisions = unfinished_collisions(m, clock);
  int on = objects_on(l);
  bool stars = before.star_on | m->c->tia.star_on;
  m->c->tia = before;
  memcpy(l, line, sizeof line);
  know(m, k, &before, l->log_done, count, from);
  find_freedom(m->work, k, on & 0xFF, on >> 8, stars);
}

/* Collisions up to this cycle; only the latches in `wanted` need to be right. */
static uint16_t collisions_at(machine *m, int32_t cycle, uint16_t wanted) {
  tia_frame *l = &m->frame;
  const int32_t clock = 3 * cycle;
  catch_up(m, cycle);
  const uint16_t latches = m->c->tia.collisions;
  if (l->last == NEVER) return latches;
  const uint32_t from = (uint32_t)(l->begin / 3) << 16;
  int count = (int)(l->log_end - l->log_done) + 1;
  l->log_end[0] = (uint32_t)cycle << 16 | LOOK << 8;
  l->log_end[1] = log_over;
  if (!is_clean(m) || !can_be_known(l->log_done, count, from))
    return unfinished_collisions(m, clock);
  if ((!(wanted & ~latches) || clock <= l->begin + LINE_BLANK) && !has_cxclr(l->log_done, count))
    return latches;
  known_line *known = m->work->known, *k = &known[known[l->known_read].next];
  if (!is_known(m, k, from, log_over)) {
    k = &known[known_at(m, l->log_done, count, from).index];
    known[l->known_read].next = (uint16_t)(k - known);
    known[l->known_read].next_id = 0;
    if (!is_known(m, k, from, log_over)) {
      l->log_line = l->begin / 3;
      learn_collisions(m, k, count, from, clock);
    }
  }
  l->known_read = (uint32_t)(k - known);
  return (latches & k->latched) | k->collisions;
}

/* ---- Accesses --------------------------------------------------------------------------------------------------- */

/* The beam is brought to this cycle. */
static void log_access(machine *m, int32_t cycle) {
  const tia_frame *l = &m->frame;
  const uint32_t entry = (uint32_t)cycle << 16 | ACCESS << 8;
  if (cycle > 0xFFFF)
    m->frame.ended = cycle; /* far below every window */
  else if (l->log_end == m->work->log || l->log_end[-1] != entry)
    tia_fast_log(m, ACCESS, 0, cycle);
}

uint8_t tia_fast_read(machine *m, uint16_t address) {
  int reg = address & 0x0F;
  if (m->c->cycles >= m->frame.every) log_access(m, m->c->cycles);
  uint8_t noise = m->c->bus & 0x3F;
  if (reg >= 12) return tia_load(m, reg);
  if (reg >= 8)
    return (uint8_t)(noise | ((uint32_t)m->c->cycles > m->frame.charged_after[reg - 8] ? 0x80 : 0));
  uint16_t latches = collisions_at(m, m->c->cycles, (uint16_t)(3u << 2 * reg));
  return (uint8_t)(noise | (latches >> (2 * reg) & 3) << 6);
}

static void note_paddles(machine *m) {
  for (int i = 0; i < 4; i++) m->frame.charged_after[i] = tia_charged_after(m, i);
}

/* VSYNC, VBLANK and WSYNC do something at once. */
static void write_at_once(machine *m, int reg, uint8_t value) {
  console *c = m->c;
  tia_state *t = &c->tia;
  if (reg == WSYNC) {
    if (c->last_read) c->cycles = tia_line_end(&m->frame, c->cycles);
  } else if (reg == VSYNC) {
    m->frame.ended = c->cycles;
    tia_store(m, VSYNC, value, tia_clock(c), 0);
  } else if (value & 0x80) { /* paddles are emptied */
    t->dump = 1;
    note_paddles(m);
  } else if (t->dump) {
    t->dump = 0;
    t->dump_off = c->cycles;
    note_paddles(m);
  }
}

/* A write that ends the frame because it is too long. */
static void write_beyond(machine *m, int reg, uint8_t value) {
  console *c = m->c;
  tia_frame *l = &m->frame;
  const int32_t cycle = c->cycles;
  catch_up(m, cycle);
  l->ended = cycle;
  m->stop = true;
  c->tia.partial = 0;
  if (l->last != NEVER) { /* not below the window yet */
    if (tia_kind_of[reg] == TIA_CALL) write_at_once(m, reg, value);
    if (tia_kind_of[reg] == TIA_SOUND) m->audio[reg - AUDC0] = value;
    tia_fast_log(m, reg == VSYNC || reg == WSYNC ? ACCESS : reg, value, cycle);
    return;
  }
  c->tia.look.blank = 0;
  tia_store(m, reg, value, 3 * cycle, 3 * ((cycle + l->phase) % LINE_CYCLES));
  l->blank_late |= c->tia.look.blank;
}

void tia_fast_write(machine *m, uint16_t address, uint8_t value) {
  console *c = m->c;
  tia_frame *l = &m->frame;
  int reg = address & 0x3F;
  const int32_t cycle = c->cycles;
  tia_kind kind = (tia_kind)tia_kind_of[reg];
  if (cycle >= l->cut) {
    write_beyond(m, reg, value);
    return;
  }
  if (kind == TIA_CALL) write_at_once(m, reg, value);
  if (kind == TIA_SOUND) m->audio[reg - AUDC0] = value;
  if (kind == TIA_NOTHING || kind == TIA_SOUND || reg == VSYNC || reg == WSYNC) {
    if (cycle >= l->every) log_access(m, cycle);
    return;
  }
  /* not tia_fast_note(): two pushes come in one cycle, and then the first matters even if it changes nothing */
  if (l->log_end > l->log_done && l->log_end[-1] >> 16 == (uint32_t)cycle) l->pushed = 1;
  if (kind == TIA_LEVEL) {
    l->shadow[reg] = value & tia_mask[reg];
    l->shadow[tia_disturbs[reg]] |= SHADOW_MUST_LOG;
  }
  if (reg == HMCLR) memset(&l->shadow[HMP0], 0, 5 * sizeof l->shadow[0]);
  tia_fast_log(m, reg, value, cycle);
}

/* ---- Frames that end inside of their window ---------------------------------------------------------------------- */

static void remember(machine *m) {
  tia_work *work = m->work;
  memcpy(work->console_before, m->c, sizeof(console) + m->cart->xram_size);
  memcpy(work->audio_before, m->audio, sizeof m->audio);
  work->current_before = m->current;
}

void tia_fast_rewind(machine *m) {
  const tia_work *work = m->work;
  memcpy(m->c, work->console_before, sizeof(console) + m->cart->xram_size);
  memcpy(m->audio, work->audio_before, sizeof m->audio);
  m->current = work->current_before;
  machine_restored(m);
}

/* The pieces in which the reference has drawn an unfinished row. */
typedef struct pieces {
  int32_t at; /* clock up to which it is drawn */
  bool blank; /* the next piece is the first one with the blank */
  uint8_t zeroed;
  int count;
  int16_t begin[2 * LINE_CYCLES];
} pieces;

static void add_piece(machine *m, pieces *p, int32_t until) {
  const tia_frame *l = &m->frame;
  if (until > l->stop) until = l->stop;
  if (until <= p->at) return;
  int from = until - l->begin;
  if (p->blank && from < LINE_BLANK) p->zeroed = (uint8_t)(LINE_BLANK + 8 - from);
  p->blank = false;
  p->begin[p->count++] = (int16_t)visible(p->at - l->begin);
  p->at = until;
}

/* The first logged access whose effect may be in the line of the beam. */
static const uint32_t *log_of_line(const machine *m) {
  const tia_frame *l = &m->frame;
  const uint32_t *w = l->log_end;
  while (w > m->work->log && (int32_t)(w[-1] >> 16) >= l->begin / 3 - 4) w--;
  return w;
}

/* The row stays as it is: what the reference wrote ahead of the beam shows. It draws the line in pieces, one for every
 * access to the TIA, and they overshoot. */
static void finish_row(machine *m, int from, int x) {
  tia_frame *l = &m->frame;
  uint8_t *row = m->picture[m->current] + l->y * SCREEN_WIDTH;
  m->work->drawn[m->current][l->y] = 0;
  bool first = l->resumed >= l->begin;
  pieces p = {.at = first ? l->resumed : l->begin, .blank = l->blank_open};
  for (const uint32_t *w = log_of_line(m); w < l->log_end; w++) {
    const int32_t cycle = (int32_t)(*w >> 16), clock = 3 * cycle;
    const int reg = *w >> 8 & 0xFF, hpos = 3 * ((cycle + l->phase) % LINE_CYCLES);
    const uint8_t note = m->work->log_notes[w - m->work->log];
    add_piece(m, &p, clock + tia_write_delay(reg, hpos));
    if (reg == RESP0 || reg == RESP1) add_piece(m, &p, clock + note);
    if (reg == HMOVE && note && clock >= l->begin) p.blank = true;
  }
  if (p.zeroed > x) memset(row + x, 0, (size_t)(p.zeroed - x));
  for (int i = 0; i < p.count; i++) {
    int begin = p.begin[i], end = i + 1 < p.count ? p.begin[i + 1] : x;
    if (end > begin) tia_overshoot(&tia_line_look_at(m, end - 1)->look, row, begin, end, x);
  }
  if (m->c->tia.look.blank && from >= LINE_BLANK && x < 8) memset(row + x, 0, (size_t)(8 - x));
}

static int32_t last_access(const machine *m) {
  const tia_frame *l = &m->frame;
  int32_t logged = l->log_end > m->work->log ? (int32_t)(l->log_end[-1] >> 16) : 0;
  return logged > l->ended ? logged : l->ended;
}

/* The beam is where the last access has brought it. */
static void advance_to_access(machine *m) {
  const tia_frame *l = &m->frame;
  process(m, l->log_end);
  for (const uint32_t *w = log_of_line(m); w < l->log_end; w++) {
    const int32_t cycle = (int32_t)(*w >> 16);
    advance(m, 3 * cycle + tia_write_delay(*w >> 8 & 0xFF, 3 * ((cycle + l->phase) % LINE_CYCLES)));
  }
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

bool tia_fast_can(const machine *m) {
  const tia_state *t = &m->c->tia;
  return !t->partial || t->last >= tia_window_start(m);
}

void tia_fast_begin(machine *m) {
  tia_frame *l = &m->frame;
  tia_state *t = &m->c->tia;
  remember(m);
  tia_begin_frame(m);
  t->look.pad =
      !m->config.hmove_blanks; /* what is known of one machine does not hold for the other */
  if (m->objects && t->row == 0) tia_objects_clear(m->objects);
  int from = LINE_CLOCKS - t->to_end, x = visible(from);
  l->phase = -t->frame_start / 3;
  l->next_end = -l->phase;
  l->stop = tia_window_stop(m);
  l->last = l->resumed = t->last;
  l->begin = t->last - from;
  l->end = l->begin + LINE_CLOCKS;
  l->log_end = l->log_done = m->work->log;
  l->ended = 0;
  l->log_line = m->c->cycles - (m->c->cycles + l->phase) % LINE_CYCLES;
  memset(l->shadow, SHADOW_UNKNOWN & 0xFF, sizeof l->shadow);
  l->cut = LINE_CYCLES * (m->config.max_lines + 1) - l->phase;
  l->every = l->expected;
  l->note_until = l->every < l->cut ? l->every : l->cut;
  l->guard = (l->every < l->cut ? l->every - l->margin : l->cut - TIA_GUARD);
  note_paddles(m);
  l->blank_late = l->pushed = 0;
  l->undrawn = m->draw ? 0 : l->undrawn < 0xFF ? l->undrawn + 1 : 0xFF;
  l->color_lost = m->config.color_loss && (t->frame_lines & 1);
  l->set = (uint8_t)tia_shown_set(&t->look);
  l->no_known = m->objects || l->color_lost || !known_lines_pay(l);
  l->known = l->known_read = 0;
  open_line(m);
  /* an interrupted frame goes on in the middle of a line */
  l->y = (int32_t)((t->row - (uint32_t)x) / SCREEN_WIDTH);
  l->x_from = l->cx_from = l->segments[0].x = (uint8_t)x;
  if (from >= LINE_BLANK + 8) l->blank_late = t->look.blank;
  if (t->last >= l->stop) l->last = NEVER;
}

bool tia_fast_end(machine *m) {
  enum { NEAR = 2 * LINE_CYCLES };
  tia_frame *l = &m->frame;
  tia_state *t = &m->c->tia;
  /* what brought the beam where it is: the write that ended the frame, or the last access to the TIA */
  if (!t->partial)
    catch_up(m, l->ended);
  else if (l->last == NEVER)
    process(m, l->log_end);
  else if (l->every == 0)
    catch_up(m, last_access(m));
  bool closed = l->last == NEVER;
  const int32_t line = l->begin > 0 && !t->partial ? l->begin / 3 : 0;
  if (!closed && l->every > line) {
    l->expected = line;
    l->margin = TIA_GUARD;
    tia_fast_rewind(m);
    return false;
  }
  l->expected = closed ? NEVER : line;
  l->margin = NEAR;
  if (closed)
    l->last = l->stop;
  else
    advance_to_access(m);
  if (!l->count) open_line(m);
  int from = l->last - l->begin, x = visible(from);
  if (l->last > l->begin) {
    if (!closed) tia_line_draw(m, x);
    if (m->draw && x < SCREEN_WIDTH) finish_row(m, from, x);
    if (from >= LINE_BLANK + 8) t->look.blank = l->blank_late;
  }
  t->last = l->last;
  t->to_end = l->end - l->last;
  t->row = (uint32_t)(l->y * SCREEN_WIDTH + x);
  t->look.pad = 0;
  tia_end_frame(m);
  return true;
}
