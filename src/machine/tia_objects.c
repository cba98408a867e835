/* The objects of a frame: where players, missiles and ball were drawn, as boxes.
 *
 * The TIA has no sprites with a height: a game lights its five objects line by line. Here a run of lines on which one
 * copy of an object is lit, without jumping sideways, is one box. Only what the fast TIA draws is noted, a line at a
 * time when the line is over; a box is what is lit, not the eight pixels that a player could fill. */
#include <string.h>

#include "machine/tia_segments.h"

enum { JUMP = 8 /* pixels; an object that moves farther between two lines is another one */ };

void tia_objects_clear(tia_objects *o) { memset(o, 0, sizeof *o); }

/* A copy of an object is lit on this line from x on; `part` tells copies apart. */
static void note(tia_objects *o, int line, int kind, int part, int x, int width, uint8_t color) {
  tia_object_run *run = &o->runs[kind][part];
  int gap = x - run->x;
  bool goes_on =
      run->lines && (run->last == line || (run->last == line - 1 && gap <= JUMP && gap >= -JUMP));
  if (!goes_on) {
    *run = (tia_object_run){.index = (int16_t)o->count, .lines = 1};
    if (o->count < OBJECTS_MAX) {
      o->at[o->count] =
          (tia_object){(int16_t)kind, (int16_t)x, (int16_t)line, (int16_t)width, 1, color};
    }
    o->count++;
  } else if (run->index < OBJECTS_MAX) {
    tia_object *box = &o->at[run->index];
    int right = box->x + box->width > x + width ? box->x + box->width : x + width;
    if (x < box->x) box->x = (int16_t)x;
    box->width = (int16_t)(right - box->x);
    box->height = (int16_t)(line - box->y + 1);
  }
  run->last = (int16_t)line;
  run->x = (int16_t)x;
}

/* The same for what may go around the edge, within the pixels from .. to - 1. */
static void note_within(tia_objects *o, int line, int kind, int copy, int x, int width,
                        uint8_t color, int from, int to) {
  x %= SCREEN_WIDTH;
  for (int turn = 0; turn < 2; turn++, x -= SCREEN_WIDTH) {
    int left = x > from ? x : from, right = x + width < to ? x + width : to;
    if (left < right) note(o, line, kind, copy + 3 * turn, left, right - left, color);
  }
}

static void note_player(tia_objects *o, int line, const tia_look *look, int n, int from, int to) {
  int mode = look->nusiz[n] & 7, width = mode == 5 ? 2 : mode == 7 ? 4 : 1;
  int pos = look->pos[P0 + n] + (width > 1); /* stretched players come a pixel late */
  unsigned bits = look->graphic[n];
  int first = 0, last = 7;
  while (!(bits & 0x80u >> first)) first++;
  while (!(bits & 0x80u >> last)) last--;
  for (int i = look->skip_first >> n & 1; i < tia_copy_count[mode]; i++) {
    note_within(o, line, P0 + n, i, pos + tia_copies[mode][i] + first * width,
                (last - first + 1) * width, look->color[n], from, to);
  }
}

static void note_missile(tia_objects *o, int line, const tia_look *look, int n, int from, int to) {
  int star = n ? STAR_NORMAL : look->star, code = look->nusiz[n] >> 4 & 3;
  int mode = look->nusiz[n] & 7;
  if (star == STAR_HIDDEN) return;
  int width = 1 << (star == STAR_WIDE ? code | 1 : code);
  for (int i = 0; i < tia_copy_count[mode]; i++) {
    note_within(o, line, M0 + n, i, look->pos[M0 + n] + tia_copies[mode][i], width, look->color[n],
                from, to);
  }
}

void tia_objects_note(machine *m) {
  const tia_beam *b = &m->beam;
  tia_objects *o = m->objects;
  int line = b->y;
  for (int i = 0; i < b->count; i++) {
    const tia_segment *s = &b->segments[i];
    const tia_look *look = &s->look;
    int from = s->x, to = i + 1 < b->count ? s[1].x : SCREEN_WIDTH;
    if (look->blank && from < 8) from = 8;
    if (look->vblank || from >= to) continue;
    for (int n = 0; n < 2; n++) {
      if (look->graphic[n]) note_player(o, line, look, n, from, to);
      if (look->enabled >> (M0 + n) & 1) note_missile(o, line, look, n, from, to);
    }
    if (look->enabled >> BL & 1) {
      int width = 1 << (look->ctrl >> 4 & 3);
      note_within(o, line, BL, 0, look->pos[BL], width, look->color[COLOR_PF], from, to);
    }
  }
}
