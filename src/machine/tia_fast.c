/* The fast TIA: collecting segments. tia_line.c turns them into pixels. */
#include "machine/tia_fast.h"

#include <stddef.h>
#include <string.h>

#include "machine/tia_line.h"

enum {
  READ_ACCESS = CXCLR + 1, /* in the log: only the beam moves */
  FAR_AWAY = 1 << 24       /* cycles; longer than any frame */
};

static inline int visible(int32_t clock_in_line) {
  int x = clock_in_line - LINE_BLANK;
  return x < 0 ? 0 : x > SCREEN_WIDTH ? SCREEN_WIDTH : x;
}

/* Begin a line with the look as it is. */
static inline void open_line(machine *m) {
  tia_line *l = &m->line;
  l->segments[0].look = m->c->tia.look;
  l->segments[0].x = 0;
  l->segments[0].set = l->set;
  l->count = 1;
  l->blank_open = m->c->tia.look.blank;
}

/* The line is over: go to the next. It is opened only when it is needed. */
static inline void next_line(tia_line *l) {
  l->begin = l->end;
  l->end += LINE_CLOCKS;
  l->y++;
  l->count = 0;
  l->x_from = l->cx_from = 0;
}

/* The beam has left the line: draw it, and do what the end of a line does. */
static inline const cached_line *close_line(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  if (!l->count) open_line(m);
  if (m->objects) tia_objects_note(m);
  const cached_line *line = tia_line_draw(m, SCREEN_WIDTH);
  t->look.blank = l->blank_late;
  l->blank_late = 0;
  tia_end_of_line(t);
  next_line(l);
  return line;
}

/* The window ends with its last line drawn but not ended: nothing below it is ever processed. */
static void close_window(machine *m) {
  tia_line *l = &m->line;
  if (!l->count) open_line(m);
  if (m->objects) tia_objects_note(m);
  tia_line_draw(m, SCREEN_WIDTH);
  l->x_from = l->cx_from = SCREEN_WIDTH;
  l->last = NEVER;
}

/* The general case of advance(): lines or the window end. */
static __attribute__((noinline)) void advance_far(machine *m, int32_t until) {
  tia_line *l = &m->line;
  if (until > l->stop) until = l->stop;
  while (until > l->end) close_line(m);
  if (!l->count) open_line(m);
  l->last = until;
  if (until == l->stop) close_window(m);
}

/* Everything before clock `until` is decided. The end of a line is processed only when the beam has passed it. */
static inline void advance(machine *m, int32_t until) {
  tia_line *l = &m->line;
  if (until <= l->last) return;
  if (until >= l->end)
    advance_far(m, until);
  else
    l->last = until;
}

/* The look has changed: it holds from the beam on. */
static inline void changed(machine *m) {
  tia_line *l = &m->line;
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

/* Collisions so far, those of the unfinished line included; only the latches in `wanted` need to be right. */
static uint16_t collisions_now(machine *m, uint16_t wanted) {
  tia_line *l = &m->line;
  uint16_t latches = m->c->tia.collisions;
  if (!l->count) open_line(m);
  int x = visible(l->last - l->begin);
  if (x <= l->cx_from || !(wanted & ~latches & tia_line_possible(m))) return latches;
  return latches | tia_line_collisions(m, l->cx_from, x);
}

/* ---- Registers ------------------------------------------------------------------------------------------------- */

/* Player n's graphic is now this byte, as it will be displayed. */
static inline void show_graphic(machine *m, int n, uint8_t byte) {
  tia_state *t = &m->c->tia;
  if (t->refp[n]) byte = tia_reversed[byte];
  if (byte == t->look.graphic[n]) return;
  t->look.graphic[n] = byte;
  m->line.set = (uint8_t)((m->line.set & ~(1 << n)) | (byte != 0) << n);
  changed(m);
}

static inline void show_enables(machine *m) {
  uint8_t before = m->c->tia.look.enabled;
  tia_update_enables(&m->c->tia);
  if (before == m->c->tia.look.enabled) return;
  m->line.set = (uint8_t)((m->line.set & ~(1 << M0 | 1 << M1 | 1 << BL)) | m->c->tia.look.enabled);
  changed(m);
}

static inline void write_hmove(machine *m, int32_t cycle, int hpos, uint8_t *note) {
  tia_line *l = &m->line;
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

static inline void write_resp(machine *m, const tia_write *w, int32_t cycle, int hpos,
                              uint8_t *note) {
  const tia_look *look = &m->c->tia.look;
  int32_t clock = 3 * cycle;
  int n = w->reg - RESP0, pos = tia_strobe_position(&m->c->tia, w->reg, clock, hpos);
  *note = tia_resp_region(look->nusiz[n], look->pos[n], pos) == RESP_DISPLAY ? 11 : 0;
  advance(m, clock + *note);
  tia_store(m, w->reg, w->value, clock, hpos);
  changed(m);
}

/* Registers that are written less often, by the common code. */
static void write_look(machine *m, const tia_write *w, int32_t cycle, int hpos) {
  tia_look *look = &m->c->tia.look, before = *look;
  tia_store(m, w->reg, w->value, 3 * cycle, hpos);
  if (memcmp(&before, look, sizeof before) == 0) return;
  m->line.set = (uint8_t)tia_shown_set(look);
  changed(m);
}

/* ---- The log --------------------------------------------------------------------------------------------------- */

/* Process what is new in the log. A write that changes nothing is passed over: the beam need not be brought there, as
 * the next write is later. (Two writes in one cycle, by a push onto the TIA, are the exception that `pushed` tells.) */
static void process_log(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  const int32_t from = l->log_from;
  const tia_write *w = l->log_done, *const end = l->log_end;
  l->log_done = l->log_end;
  if (!l->count) open_line(m);
  for (; w < end; w++) {
    uint8_t value = w->value, *where;
    unsigned reg = w->reg;
    int32_t cycle = from + w->at;
    switch (reg) {
      case COLUP0:
      case COLUP1:
      case COLUPF:
      case COLUBK:
        value = (value & 0xFE) | l->color_lost;
        where = &t->look.color[reg - COLUP0];
        if (*where == value) continue;
        advance(m, 3 * cycle);
        *where = value;
        changed(m);
        continue;
      case PF0: value &= 0xF0; /* fall through */
      case PF1:
      case PF2:
        where = &t->look.pf[reg - PF0];
        if (*where == value && !l->pushed) continue;
        advance(m, 3 * cycle + tia_write_delay(PF0, 3 * w->at));
        *where = value;
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
        value = (value >> 1) & 1;
        if (t->enam[reg - ENAM0] == value) continue;
        advance(m, 3 * cycle);
        t->enam[reg - ENAM0] = value;
        show_enables(m);
        continue;
      case ENABL:
        value = (value >> 1) & 1;
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
      case AUDC0:
      case AUDC1:
      case AUDF0:
      case AUDF1:
      case AUDV0:
      case AUDV1: m->audio[reg - AUDC0] = value; continue;
      case HMOVE:
        advance(m, 3 * cycle);
        write_hmove(m, cycle, 3 * w->at, &l->log_notes[w - l->log]);
        continue;
      case NUSIZ0:
      case NUSIZ1:
        if (t->look.nusiz[reg - NUSIZ0] == (value & 0x37) &&
            !(t->look.skip_first | t->look.star | t->star_on | l->pushed))
          continue;
        goto general;
      case REFP0:
      case REFP1:
        if (t->refp[reg - REFP0] == (value >> 3 & 1) && !l->pushed) continue;
        goto general;
      case VSYNC:
      case VBLANK:
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
        write_look(m, w, cycle, 3 * w->at);
        continue;
      case RESP0:
      case RESP1:
        advance(m, 3 * cycle);
        write_resp(m, w, cycle, 3 * w->at, &l->log_notes[w - l->log]);
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

/* The part of the state that decides what a line becomes, and that it changes. */
_Static_assert(KNOWN_STATE == offsetof(tia_state, dump) - offsetof(tia_state, look),
               "what a known line changes");

enum { HMOVE_FORGOTTEN = 64 /* clocks; later than that nothing depends on it */ };

/* A third of a state. */
typedef uint64_t third __attribute__((vector_size(16), aligned(1), may_alias));
static inline third get_third(const void *from, int k) { return ((const third *)from)[k]; }
_Static_assert(offsetof(tia_look, pos) + 5 <= 16, "positions are in the first third");
_Static_assert(offsetof(tia_state, hm) - offsetof(tia_state, look) >= 32, "motions in the last");

static inline bool is_known(const machine *m, const known_line *k, int count) {
  const void *state = &m->c->tia.look;
  if (k->count != count) return false;
  third differ = (get_third(state, 0) ^ get_third(k->before, 0)) &
                 ~get_third(m->lines->some_pos[k->any_pos], 0);
  differ |= get_third(state, 1) ^ get_third(k->before, 1);
  differ |=
      (get_third(state, 2) ^ get_third(k->before, 2)) & ~get_third(m->lines->some_hm[k->any_hm], 0);
  if (differ[0] | differ[1]) return false;
  for (int i = 0; 2 * i < count; i++) {
    uint64_t pair;
    memcpy(&pair, m->line.log + 2 * i, sizeof pair);
    if (pair != k->log[i]) return false;
  }
  return true;
}

/* Lines that could be the same must have the same place: what may not matter is left out. */
static inline uint32_t known_index(const machine *m, int count) {
  uint64_t s[KNOWN_STATE / 8], h;
  memcpy(s, &m->c->tia.look, sizeof s);
  s[0] &= ~m->lines->some_pos[~m->line.set & 31][0];
  s[4] &= ~m->lines->some_hm[31][0];
  s[5] &= ~m->lines->some_hm[31][1];
  h = (s[0] * 0x9E3779B97F4A7C15u ^ s[1]) * 0xD6E8FEB86659FD93u;
  h += (s[2] * 0xA0761D6478BD642Fu ^ s[3]) * 0xE7037ED1A0B428DBu;
  h ^= h >> 32;
  h += (s[4] * 0x8EBC6AF09C88C6E3u ^ s[5]) * 0x589965CC75374CC3u;
  for (int i = 0; 2 * i < count; i++) {
    uint64_t pair;
    memcpy(&pair, m->line.log + 2 * i, sizeof pair);
    h = (h ^ h >> 29 ^ pair) * 0x9E3779B97F4A7C15u;
  }
  return (uint32_t)((h ^ h >> 31) * 0x9E3779B97F4A7C15u >> (64 - KNOWN_BITS));
}

/* Do what the known line did. False if what it drew is not in the cache any more. */
static inline __attribute__((always_inline)) bool repeat_line(machine *m, const known_line *k) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  if (m->draw || k->possible & ~t->collisions) {
    const cached_line *line = &m->lines->line[k->slot];
    if (line->stamp != k->stamp) return false;
    tia_line_use(m, line);
  }
  if (k->hmove != 0xFF) {
    t->last_hmove = l->begin + 3 * k->hmove;
    const int8_t *by = tia_motion[k->hmove];
    uint32_t motions; /* of the first four */
    memcpy(&motions, t->hm, sizeof motions);
    for (unsigned left = motions | t->hm[BL] | (unsigned)by[0] ? k->keep_pos : 0; left;
         left &= left - 1) {
      int i = __builtin_ctz(left);
      t->look.pos[i] = tia_moved(t->look.pos[i], by[t->hm[i]]);
    }
  }
  third *state = (third *)(void *)&t->look,
        keep_pos = get_third(m->lines->some_pos[k->keep_pos], 0),
        keep_hm = get_third(m->lines->some_hm[k->keep_hm], 0);
  state[0] = (state[0] & keep_pos) | (get_third(k->after, 0) & ~keep_pos);
  state[1] = get_third(k->after, 1);
  state[2] = (state[2] & keep_hm) | (get_third(k->after, 2) & ~keep_hm);
  l->set = k->set;
  next_line(l);
  return true;
}

/* What of the positions and motions does not matter to a line in which these objects have shown? */
static void find_freedom(known_line *k, const tia_line *l, int shown, bool stars) {
  enum { ALL = 1 << P0 | 1 << P1 | 1 << M0 | 1 << M1 | 1 << BL };
  int free = ALL & ~shown, written = 0, strobed = 0, hmoves = 0;
  if (stars) free &= ~(1 << M0);
  for (const tia_write *w = l->log; w < l->log_end; w++) {
    switch (w->reg) {
      case HMOVE:
        hmoves++;
        free &= ~(written | strobed); /* moves by or from something else than at the beginning */
        break;
      case HMM0: /* may start the stars */
        if (hmoves) free &= ~(1 << M0);
        written |= 1 << M0;
        break;
      case HMP0:
      case HMP1:
      case HMM1:
      case HMBL: written |= 1 << (w->reg - HMP0); break;
      case HMCLR: written = ALL; break;
      case RESP0:
      case RESP1: free &= ~(1 << (w->reg - RESP0)); break; /* depends on where it was */
      case RESM0:
      case RESM1:
      case RESBL: strobed |= 1 << (M0 + w->reg - RESM0); break;
      case RESMP0:
      case RESMP1: free &= 1 << BL; break;
      default: break;
    }
  }
  if (hmoves > 1) free = 0;
  k->any_pos = (uint8_t)free;
  k->any_hm = (uint8_t)(hmoves || stars ? free : ALL & ~(written & 1 << M0));
  k->keep_pos = (uint8_t)(free & ~strobed);
  k->keep_hm = k->any_hm & (uint8_t)~written;
}

static __attribute__((noinline)) void learn_line(machine *m, uint32_t index, int count) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  known_line *k = &m->lines->known[index];
  const int32_t begin = l->begin;
  bool stars = t->star_on;
  uint64_t before[KNOWN_STATE / 8];
  memcpy(before, &t->look, KNOWN_STATE);
  bool simple = true; /* all that the log does is in the state */
  for (const tia_write *w = l->log; w < l->log_end; w++)
    simple &= w->reg != CXCLR && !(w->reg >= AUDC0 && w->reg <= AUDV1);
  process_log(m);
  if (l->begin != begin || !simple || l->pushed) return;
  if (!l->count) open_line(m);
  uint16_t possible = tia_line_possible(m);
  int shown = 0;
  for (int i = 0; i < l->count; i++) shown |= l->segments[i].set;
  stars |= t->star_on;
  const cached_line *line = close_line(m);
  if (!line) return;
  memcpy(k->before, before, KNOWN_STATE);
  memcpy(k->after, &t->look, KNOWN_STATE);
  memcpy(k->log, l->log, sizeof k->log);
  k->slot = (uint16_t)(line - m->lines->line);
  k->stamp = line->stamp;
  k->possible = possible;
  k->count = (uint8_t)count;
  k->set = l->set;
  k->hmove = t->last_hmove >= begin ? (uint8_t)((t->last_hmove - begin) / 3) : 0xFF;
  find_freedom(k, l, shown, stars);
}

/* Where most lines are new, looking for known ones is in vain. Every so often, try again. */
static bool known_lines_pay(tia_line *l) {
  enum { TRIAL = 4, PAUSE = 60 /* frames */ };
  if (++l->frame <= TRIAL) return true;
  if (l->frame == TRIAL + 1 && 2 * l->hits < l->tries) l->pause = 1;
  if (l->frame == TRIAL + PAUSE) l->frame = l->hits = l->tries = l->pause = 0;
  return !l->pause;
}

/* The beam has left the line of the log, of which nothing was processed yet. */
static inline void process_whole(machine *m) {
  tia_line *l = &m->line;
  known_line *known = m->lines->known;
  int count = (int)(l->log_end - l->log);
  *l->log_end = (tia_write){0}; /* logs are compared in pairs */
  l->tries++;
  l->hits++;
  uint32_t index = known[l->known].next;
  if (is_known(m, &known[index], count) && repeat_line(m, &known[index])) {
    l->known = index;
    return;
  }
  index = known_index(m, count);
  known[l->known].next = (uint16_t)index;
  l->known = index;
  if (is_known(m, &known[index], count) && repeat_line(m, &known[index])) return;
  l->hits--;
  learn_line(m, index, count);
}

void tia_fast_catch_up(machine *m, int32_t cycle) {
  tia_line *l = &m->line;
  const int32_t clock = 3 * cycle;
  if (!l->special && clock > l->end && l->log_done == l->log && l->log_end - l->log <= KNOWN_LOG)
    process_whole(m);
  else
    process_log(m);
  advance(m, clock);
  l->log_end = l->log_done = l->log;
  l->pushed = 0;
  int32_t into = cycle - l->log_from;
  if (into < 2 * LINE_CYCLES)
    l->log_from += into < LINE_CYCLES ? 0 : LINE_CYCLES;
  else
    l->log_from += into - into % LINE_CYCLES;
  l->log_to = l->log_from + LINE_CYCLES;
  /* Known lines are whole lines inside the window, on which nothing from before has an effect that is still to come. */
  l->special = l->begin != 3 * l->log_from || l->last > clock || l->end >= l->stop ||
               l->begin - m->c->tia.last_hmove < HMOVE_FORGOTTEN || l->no_known | l->x_from;
  if (clock >= l->cut) {
    l->log_to = l->log_from; /* look again at every write */
    m->stop = true;
    m->c->tia.partial = 0;
  }
}

uint8_t tia_fast_read(machine *m, uint16_t address) {
  int reg = address & 0x0F;
  int32_t cycle = m->c->cycles;
  if (3 * cycle < m->line.cut) {
    tia_fast_log(m, READ_ACCESS, 0, cycle);
    if (reg >= 8) return tia_load(m, reg); /* depends on nothing that is still in the log */
  }
  m->line.special = 1; /* the beam may leave the line without its log */
  process_log(m);
  advance(m, 3 * cycle);
  if (reg >= 8) return tia_load(m, reg);
  uint8_t noise = m->c->bus & 0x3F;
  return (uint8_t)(noise | (collisions_now(m, (uint16_t)(3u << 2 * reg)) >> (2 * reg) & 3) << 6);
}

void tia_fast_write(machine *m, uint16_t address, uint8_t value) {
  console *c = m->c;
  tia_line *l = &m->line;
  int reg = address & 0x3F;
  if (reg != WSYNC) {
    if (l->log_end > l->log && l->log_from + l->log_end[-1].at == c->cycles) l->pushed = 1;
    tia_fast_log(m, reg, value, c->cycles);
    if (!tia_only_logged(reg)) process_log(m);
    return;
  }
  if (c->cycles >= l->log_to) tia_fast_catch_up(m, c->cycles);
  l->wsync = c->cycles;
  if (c->last_read && c->cycles != l->log_from) c->cycles = l->log_from + LINE_CYCLES;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

bool tia_fast_can(const machine *m) {
  const tia_state *t = &m->c->tia;
  return !t->partial || t->last >= tia_window_start(m);
}

void tia_fast_begin(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  if (m->objects && t->row == 0) tia_objects_clear(m->objects);
  int from = LINE_CLOCKS - t->to_end, x = visible(from);
  l->start = tia_window_start(m);
  l->stop = tia_window_stop(m);
  l->last = t->last;
  l->begin = t->last - from;
  l->end = l->begin + LINE_CLOCKS;
  l->log_end = l->log_done = l->log;
  l->log_from =
      t->frame_start / 3 + (m->c->cycles - t->frame_start / 3) / LINE_CYCLES * LINE_CYCLES;
  l->log_to = l->log_from; /* the frame may be too long already */
  l->wsync = -FAR_AWAY;
  l->cut = t->frame_start + LINE_CLOCKS * (m->config.max_lines + 1);
  l->blank_late = l->pushed = 0;
  l->color_lost = m->config.color_loss && (t->frame_lines & 1);
  l->set = (uint8_t)tia_shown_set(&t->look);
  l->special = 1;
  l->no_known = m->objects || l->color_lost || !known_lines_pay(l);
  l->known = 0;
  open_line(m);
  /* an interrupted frame goes on in the middle of a line */
  l->resumed = l->last;
  l->y = (int32_t)((t->row - (uint32_t)x) / SCREEN_WIDTH);
  l->x_from = l->cx_from = l->segments[0].x = (uint8_t)x;
  if (from >= LINE_BLANK + 8) l->blank_late = t->look.blank;
  if (t->last >= l->stop) l->last = NEVER;
}

/* The pieces in which the reference has drawn an unfinished row. */
typedef struct pieces {
  int32_t at; /* clock up to which it is drawn */
  bool blank; /* the next piece is the first one with the blank */
  uint8_t zeroed;
  int count;
  int16_t begin[TIA_LOG + 2];
} pieces;

static void add_piece(machine *m, pieces *p, int32_t until) {
  const tia_line *l = &m->line;
  if (until > l->stop) until = l->stop;
  if (until <= p->at) return;
  int from = until - l->begin;
  if (p->blank && from < LINE_BLANK) p->zeroed = (uint8_t)(LINE_BLANK + 8 - from);
  p->blank = false;
  p->begin[p->count++] = (int16_t)visible(p->at - l->begin);
  p->at = until;
}

/* The row stays as it is: what the reference wrote ahead of the beam shows. It draws the line in pieces, one for every
 * access to the TIA, and they overshoot. */
static void finish_row(machine *m, int from, int x) {
  tia_line *l = &m->line;
  uint8_t *row = m->picture[m->current] + l->y * SCREEN_WIDTH;
  m->lines->drawn[m->current][l->y] = 0;
  bool first = l->resumed >= l->begin;
  pieces p = {.at = first ? l->resumed : l->begin, .blank = l->blank_open};
  for (const tia_write *w = l->log; w < l->log_end; w++) {
    int32_t clock = 3 * (l->log_from + w->at);
    uint8_t note = l->log_notes[w - l->log];
    add_piece(m, &p, clock + tia_write_delay(w->reg, 3 * w->at));
    if (w->reg == RESP0 || w->reg == RESP1) add_piece(m, &p, clock + note);
    if (w->reg == HMOVE && note) p.blank = true;
  }
  add_piece(m, &p, 3 * l->wsync);
  if (p.zeroed > x) memset(row + x, 0, (size_t)(p.zeroed - x));
  for (int i = 0; i < p.count; i++) {
    int begin = p.begin[i], end = i + 1 < p.count ? p.begin[i + 1] : x;
    if (end > begin) tia_overshoot(&tia_line_look_at(m, end - 1)->look, row, begin, end, x);
  }
  if (m->c->tia.look.blank && from >= LINE_BLANK && x < 8) memset(row + x, 0, (size_t)(8 - x));
}

void tia_fast_end(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  process_log(m);
  for (const tia_write *w = l->log; w < l->log_end; w++)
    advance(m, 3 * (l->log_from + w->at) + tia_write_delay(w->reg, 3 * w->at));
  advance(m, 3 * l->wsync);
  bool closed = l->last == NEVER;
  if (closed) l->last = l->stop;
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
}
