/* Tables of the fast TIA: what can show or collide, by the objects that are on, and bits in other forms. */
#include <string.h>

#include "machine/tia_draw.h"
#include "machine/tia_paint.h"

/* Which bits of a look can show when these objects are on. */
static void fill_visible(tia_look *bits, int set) {
  bool p0 = set >> P0 & 1, p1 = set >> P1 & 1, m0 = set >> M0 & 1, m1 = set >> M1 & 1,
       bl = set >> BL & 1;
  bool pf = set >> PF & 1, score = pf && set >> 6 & 1;
  memset(bits, 0xFF, sizeof *bits);
  if (!p0) bits->pos[P0] = 0, bits->skip_first &= 0xFE;
  if (!p1) bits->pos[P1] = 0, bits->skip_first &= 0xFD;
  if (!m0) bits->pos[M0] = bits->star = 0, bits->nusiz[0] = p0 ? 7 : 0;
  if (!m1) bits->pos[M1] = 0, bits->nusiz[1] = p1 ? 7 : 0;
  if (!bl) bits->pos[BL] = 0, bits->ctrl &= 0x06;
  if (!pf) bits->reflect = 0, bits->ctrl &= 0x34;
  if (!pf && !bl) bits->ctrl = bits->color[COLOR_PF] = 0;
  if (!p0 && !m0 && !score) bits->color[COLOR_P0] = 0;
  if (!p1 && !m1 && !score) bits->color[COLOR_P1] = 0;
}

/* Which bits of the first word of a state may not matter to a line that begins with these objects on? At least those
 * that find_freedom() in tia_known.c can find: lines that could be the same must have the same hash. */
static tia_word unseen_bits(int set) {
  bool p0 = set >> P0 & 1, p1 = set >> P1 & 1, m0 = set >> M0 & 1, m1 = set >> M1 & 1,
       bl = set >> BL & 1, pf = set >> PF & 1;
  uint8_t bytes[sizeof(tia_word)] = {0}, *color = bytes + FIRST_COLOR;
  memset(bytes + FIRST_HM, 0xFF, 5);
  for (int i = 0; i < 5; i++) bytes[FIRST_POS + i] = set >> i & 1 ? 0 : 0xFF;
  bytes[FIRST_REFP] = p0 ? 0 : 0xFF;
  bytes[FIRST_REFP + 1] = p1 ? 0 : 0xFF;
  color[COLOR_P0] = p0 || m0 ? 0 : 0xFF;
  color[COLOR_P1] = p1 || m1 ? 0 : 0xFF;
  color[COLOR_PF] = pf || bl ? 0 : 0xFF;
  tia_word word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

void tia_tables_init(tia_tables *tables) {
  for (int set = 0; set < 128; set++) {
    fill_visible(&tables->visible[set], set);
    tables->possible[set] = tia_collisions(set & 0x3F);
    tables->style[set] =
        (uint64_t)0xFF << STYLE_BLANK | style_of(&tables->visible[set], SCREEN_WIDTH);
  }
  for (int set = 0; set < 64; set++) tables->unseen[set] = unseen_bits(set);
  for (int x = 0; x < SCREEN_WIDTH; x++) {
    memcpy(tables->before[x + 1], tables->before[x], sizeof tables->before[x]);
    tables->before[x + 1][x >> 6] |= (uint64_t)1 << (x & 63);
  }
  for (int bits = 0; bits < 256; bits++) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = bits >> i & 1 ? 0xFF : 0;
    tables->columns[bits] = (uint32_t)doubled(doubled((uint64_t)bits));
    memcpy(&tables->spread[bits], bytes, sizeof bytes);
  }
  tables->painter = tia_best_painter();
  tia_look *shape = &tables->shape;
  memset(shape->pos, 0xFF, sizeof shape->pos);
  memset(shape->nusiz, 0xFF, sizeof shape->nusiz);
  shape->ctrl = shape->enabled = shape->skip_first = shape->star = 0xFF;
  tia_look playfield = {.reflect = 0xFF, .pf = {0xFF, 0xFF, 0xFF}};
  tables->playfield = playfield;
}
