/* Frames of the fast TIA: begin, end, and run once more. */
#include "machine/tia_frame.h"

#include <string.h>

#include "machine/tia_cache.h"
#include "machine/tia_fast.h"
#include "machine/tia_known.h"
#include "machine/tia_log.h"
#include "machine/tia_segments.h"
#include "machine/tia_unfinished.h"

/* ---- Working memory -------------------------------------------------------------------------------------------- */

/* Whole cache lines of the processor. */
static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Put the tables behind `work`; NULL: only count. Returns the bytes of everything. */
static size_t place_tables(tia_work *work, tia_sizes bits) {
  const size_t cached = (size_t)1 << bits.cached, known = (size_t)1 << bits.known;
  size_t at = rounded(sizeof *work);
#define PLACE(table, count)                                 \
  do {                                                      \
    if (work) work->table = (void *)((uint8_t *)work + at); \
    at += rounded((count) * sizeof *work->table);           \
  } while (0)
  PLACE(cached, cached);
  PLACE(known, known);
  PLACE(runs, (size_t)1 << bits.runs);
  PLACE(run_notes, (size_t)1 << bits.run_notes);
  PLACE(cached_hash, cached);
  PLACE(known_tag, known);
  PLACE(cached_stamp, cached);
  PLACE(cached_rows, cached + 1);
  PLACE(known_other, known / 2);
  PLACE(cached_other, cached / 2);
#undef PLACE
  return at;
}

size_t tia_work_size(int machines) { return place_tables(NULL, tia_sizes_for(machines)); }

void tia_work_init(tia_work *work, int machines) {
  work->bits = tia_sizes_for(machines);
  place_tables(work, work->bits);
  tia_tables_init(&work->tables);
}

/* Lines have numbers that are never used twice. When few are left, begin with empty tables and the first number. */
static void start_numbers_again(machine *m) {
  tia_work *work = m->work;
  for (int i = 0; i < 2; i++) {
    machine_picture(m, i); /* nothing waits for a cached line any longer */
    machine_picture_replaced(m, i);
  }
  const size_t tables = rounded(sizeof *work);
  memset((uint8_t *)work + tables, 0, place_tables(NULL, work->bits) - tables);
  work->newest_stamp = 0;
}

static bool numbers_run_out(const tia_work *work) {
  enum { IN_A_FRAME = 1 << 16 }; /* more than a frame has lines */
  return work->newest_stamp > MACHINE_STAMPS - IN_A_FRAME;
}

bool tia_fast_can(const machine *m) {
  const tia_state *t = &m->c->tia;
  return !t->partial || t->last >= tia_window_start(m);
}

/* ---- Rewinding ------------------------------------------------------------------------------------------------- */

static void remember_start(machine *m) {
  tia_frame_start *start = &m->work->start;
  memcpy(start->console, m->c, sizeof(console) + m->cart->xram_size);
  memcpy(start->audio, m->audio, sizeof m->audio);
  start->current = m->current;
}

void tia_fast_rewind(machine *m) {
  const tia_frame_start *start = &m->work->start;
  memcpy(m->c, start->console, sizeof(console) + m->cart->xram_size);
  memcpy(m->audio, start->audio, sizeof m->audio);
  m->current = start->current;
  machine_restored(m);
}

/* ---- Begin ----------------------------------------------------------------------------------------------------- */

void tia_fast_begin(machine *m) {
  tia_frame *f = &m->frame;
  tia_beam *b = &m->beam;
  tia_hints *h = &m->hints;
  tia_state *t = &m->c->tia;
  if (numbers_run_out(m->work)) start_numbers_again(m);
  remember_start(m);
  tia_begin_frame(m);
  t->look.no_blanks = !m->config.hmove_blanks;
  if (m->objects && t->row == 0) tia_objects_clear(m->objects);

  /* limits, in cycles and clocks of the frame */
  f->phase = -t->frame_start / 3;
  f->next_end = -f->phase;
  f->stop = tia_window_stop(m);
  f->cut = LINE_CYCLES * (m->config.max_lines + 1) - f->phase;
  f->every = f->expected;
  f->note_until = f->every < f->cut ? f->every : f->cut;
  f->guard = (f->every < f->cut ? f->every - f->margin : f->cut - TIA_GUARD);
  f->ended = 0;

  /* an empty log, which knows of no register */
  f->log_end = b->log_done = m->work->log;
  memset(f->shadow, SHADOW_UNKNOWN & 0xFF, sizeof f->shadow);
  f->pushed = 0;
  f->color_lost = m->config.color_loss && (t->frame_lines & 1);
  tia_fast_note_paddles(m);

  h->undrawn = m->draw ? 0 : h->undrawn < 0xFF ? h->undrawn + 1 : 0xFF;
  h->number += tia_lines_are_learned(h);
  h->last_known = h->last_read = 0;
  f->no_known = m->objects || f->color_lost || !tia_known_lines_pay(h);

  /* the beam; an interrupted frame goes on in the middle of a line */
  int from = LINE_CLOCKS - t->to_end, x = tia_pixel_at(from);
  b->last = f->resumed = t->last;
  b->begin = t->last - from;
  b->end = b->begin + LINE_CLOCKS;
  b->log_line = m->c->cycles - (m->c->cycles + f->phase) % LINE_CYCLES;
  b->y = (int32_t)((t->row - (uint32_t)x) / SCREEN_WIDTH);
  b->set = (uint8_t)tia_shown_set(&t->look);
  b->blank_late = from >= LINE_BLANK + 8 ? t->look.blank : 0;
  tia_open_line(m);
  b->x_from = b->cx_from = b->segments[0].x = (uint8_t)x;
  if (t->last >= f->stop) b->last = BEAM_OVER;
}

/* ---- End ------------------------------------------------------------------------------------------------------- */

static int32_t last_access(const machine *m) {
  const tia_frame *f = &m->frame;
  int32_t logged = f->log_end > m->work->log ? log_cycle(f->log_end[-1]) : 0;
  return logged > f->ended ? logged : f->ended;
}

/* Process what the beam has passed. What brought it where it is: the write that ended the frame, or the last access. */
static void process_to_end(machine *m) {
  if (!m->c->tia.partial)
    tia_log_catch_up(m, m->frame.ended);
  else if (m->beam.last == BEAM_OVER)
    tia_log_process(m, m->frame.log_end);
  else if (m->frame.every == 0)
    tia_log_catch_up(m, last_access(m));
}

bool tia_fast_end(machine *m) {
  enum { NEAR = 2 * LINE_CYCLES };
  tia_frame *f = &m->frame;
  tia_beam *b = &m->beam;
  tia_state *t = &m->c->tia;
  process_to_end(m);
  bool closed = b->last == BEAM_OVER;

  /* inside the window, every access of the last line must have been logged; of an interrupted frame, all */
  const int32_t line = b->begin > 0 && !t->partial ? b->begin / 3 : 0;
  if (!closed && f->every > line) {
    f->expected = line;
    f->margin = TIA_GUARD;
    tia_fast_rewind(m);
    return false;
  }
  f->expected = closed ? NEVER : line;
  f->margin = NEAR;

  /* the row of the beam; a write that takes effect later than the window's end has closed it only now */
  if (!closed) tia_advance_to_access(m);
  closed = b->last == BEAM_OVER;
  if (closed) b->last = f->stop;
  if (!b->count) tia_open_line(m);
  int from = b->last - b->begin, x = tia_pixel_at(from);
  if (b->last > b->begin) {
    if (!closed) tia_cache_draw(m, x);
    if (m->draw && x < SCREEN_WIDTH) tia_finish_row(m, from, x);
    if (from >= LINE_BLANK + 8) t->look.blank = b->blank_late;
  }

  /* bring the state up to date */
  t->last = b->last;
  t->to_end = b->end - b->last;
  t->row = (uint32_t)(b->y * SCREEN_WIDTH + x);
  t->look.no_blanks = 0;
  tia_end_frame(m);
  return true;
}
