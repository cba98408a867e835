/* DISCO features (Naddaf 2010; Bellemare et al. 2013, appendix A.3): where objects of ten classes are, and where and
 * how they move relative to each other, by tile coding.
 *
 * The classes are found before learning (disco.h). On a screen, shapes are looked for by falling size: a shape matches
 * where all cells of its box equal the foreground, and what it covers is erased. All columns of a line are compared at
 * once: bit x of a word says that the shape's first row, so far, fits at column x.
 *
 * Positions are coded by 8 tilings of 9 x 9 tiles, each shifted by an eighth of a tile or a multiple. For each class:
 * the tiles of its instances, and one feature if there is none. For each pair of classes and of their instances: the
 * tiles of the offset, in one of four sets by whether they approach each other horizontally and vertically. */
#include "agents/linear/disco.h"

#include <stdlib.h>
#include <string.h>

#include "agents/linear/foreground.h"

enum {
  TILINGS = 8,
  ACROSS = 9,
  TILES = TILINGS * ACROSS * ACROSS,
  OF_CLASS = TILES + 1,
  OF_PAIR = 4 * TILES,
  COUNT = DISCO_CLASSES * OF_CLASS + DISCO_CLASSES * (DISCO_CLASSES - 1) / 2 * OF_PAIR,
  SPEED = 8,
  INSTANCES_MAX = 1000,
  SHAPES_MAX = DISCO_CLASSES * DISCO_SHAPES
};

typedef struct instance {
  int16_t x, y, vx, vy;
} instance;

typedef struct instance_list {
  instance items[DISCO_CLASSES][INSTANCES_MAX];
  int count[DISCO_CLASSES];
} instance_list;

typedef struct disco_set {
  feature_set base;
  bool bias;
  int64_t screens;
  int length, most;
  foreground f;
  bool known; /* the classes */
  disco_classes classes;
  instance_list now, before;
} disco_set;

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  disco_set *d = (disco_set *)set;
  d->bias = settings->bias;
  d->screens = settings->disco_screens;
  d->length = (int)settings->disco_length;
  d->most = (int)settings->disco_instances;
  set->count = COUNT + d->bias;
  return foreground_create(&d->f, settings, error);
}

static void destroy(feature_set *set) { disco_classes_free(&((disco_set *)set)->classes); }

static void begin(feature_set *set) {
  memset(((disco_set *)set)->before.count, 0, sizeof((disco_set *)set)->before.count);
}

/* ---- Detection ------------------------------------------------------------------------------------------------- */

typedef disco_row mask_rows[PROST_HEIGHT];

static void make_mask(const uint8_t *screen, int height, const uint8_t *background,
                      mask_rows mask) {
  memset(mask, 0, sizeof(mask_rows));
  for (int y = 0; y < height && y < PROST_HEIGHT; y++) {
    const uint8_t *line = screen + y * PROST_WIDTH, *behind = background + y * PROST_WIDTH;
    for (int x = 0; x < PROST_WIDTH; x += 8) {
      uint64_t a, b;
      memcpy(&a, line + x, 8);
      memcpy(&b, behind + x, 8);
      if (a == b) continue;
      for (int i = x; i < x + 8; i++)
        mask[y][i / 64] |= (uint64_t)(line[i] != behind[i]) << (i % 64);
    }
  }
}

static inline uint64_t shifted(const disco_row row, int word, int by) {
  int from = word + by / 64, bit = by % 64;
  uint64_t low = from < DISCO_WORDS ? row[from] >> bit : 0;
  return bit && from + 1 < DISCO_WORDS ? low | row[from + 1] << (64 - bit) : low;
}

/* The columns at which a row of the shape fits the mask: bit x of `where` stays set. False: none. */
static bool fit_row(const disco_row cells, int width, const disco_row mask, disco_row where) {
  for (int c = 0; c < width; c++) {
    uint64_t any = 0;
    bool set = cells[c / 64] >> (c % 64) & 1;
    for (int i = 0; i < DISCO_WORDS; i++) {
      if (!where[i]) continue;
      uint64_t bits = shifted(mask, i, c);
      where[i] &= set ? bits : ~bits;
      any |= where[i];
    }
    if (!any) return false;
  }
  return true;
}

/* The first column from `from` on at which the shape fits at line y; -1: none. */
static int fit_shape(const disco_shape *s, mask_rows mask, int y, int from) {
  disco_row where;
  for (int i = 0; i < DISCO_WORDS; i++) {
    int first = from - 64 * i, last = PROST_WIDTH - s->width - 64 * i; /* last column of the box */
    uint64_t bits = ~(uint64_t)0;
    if (first >= 64 || last < 0)
      bits = 0;
    else {
      if (first > 0) bits &= ~(uint64_t)0 << first;
      if (last < 63) bits &= ((uint64_t)2 << last) - 1;
    }
    where[i] = bits;
  }
  for (int row = 0; row < s->height; row++) {
    if (!fit_row(s->rows[row], s->width, mask[y + row], where)) return -1;
  }
  for (int i = 0; i < DISCO_WORDS; i++) {
    if (where[i]) return 64 * i + __builtin_ctzll(where[i]);
  }
  return -1;
}

static void erase(mask_rows mask, int x, int y, int width, int height) {
  disco_row box = {0};
  for (int i = x; i < x + width; i++) box[i / 64] |= (uint64_t)1 << (i % 64);
  for (int row = y; row < y + height; row++) {
    for (int i = 0; i < DISCO_WORDS; i++) mask[row][i] &= ~box[i];
  }
}

static void detect(disco_set *d, const uint8_t *screen, int height) {
  mask_rows mask;
  make_mask(screen, height, d->f.background.pixels, mask);
  memset(d->now.count, 0, sizeof d->now.count);
  for (int i = 0; i < d->classes.shape_count; i++) {
    const disco_shape *s = &d->classes.shapes[i];
    for (int y = 0; y + s->height <= PROST_HEIGHT; y++) {
      if (!(mask[y][0] | mask[y][1] | mask[y][2])) continue;
      for (int x = fit_shape(s, mask, y, 0); x >= 0; x = fit_shape(s, mask, y, x + 1)) {
        int *count = &d->now.count[s->class];
        if (*count < d->most)
          d->now.items[s->class][(*count)++] =
              (instance){(int16_t)(x + s->width / 2), (int16_t)(y + s->height / 2), 0, 0};
        erase(mask, x, y, s->width, s->height);
      }
    }
  }
}

static void find_velocities(disco_set *d) {
  for (int c = 0; c < DISCO_CLASSES; c++) {
    for (int i = 0; i < d->now.count[c]; i++) {
      instance *o = &d->now.items[c][i];
      int best = SPEED + 1;
      for (int k = 0; k < d->before.count[c]; k++) {
        const instance *p = &d->before.items[c][k];
        int dx = o->x - p->x, dy = o->y - p->y;
        int far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
        if (far >= best) continue;
        best = far;
        o->vx = (int16_t)dx, o->vy = (int16_t)dy;
      }
    }
  }
}

/* ---- Tile coding ----------------------------------------------------------------------------------------------- */

/* The tile of each tiling that has a place in units of (1 / x_unit, 1 / y_unit) tiles. Tiling t is shifted by t / 8 and
 * by 3 t mod 8 eighths. */
static void add_tiles(feature_list *out, int base, int x, int x_unit, int y, int y_unit) {
  for (int t = 0; t < TILINGS; t++) {
    int column = (8 * x + t * x_unit) / (8 * x_unit);
    int row = (8 * y + 3 * t % 8 * y_unit) / (8 * y_unit);
    feature_list_add(out, (uint32_t)(base + (t * ACROSS + row) * ACROSS + column));
  }
}

static void add_pair(feature_list *out, int base, const instance *a, const instance *b) {
  int dx = b->x - a->x, dy = b->y - a->y;
  int approach_x = dx >= 0 ? b->vx < a->vx : a->vx < b->vx;
  int approach_y = dy >= 0 ? b->vy < a->vy : a->vy < b->vy;
  /* (dx + 160) * 8 / 320 and (dy + 210) * 8 / 420 */
  add_tiles(out, base + (approach_x + 2 * approach_y) * TILES, dx + 160, 40, 2 * (dy + 210), 105);
}

static void list_features(const disco_set *d, feature_list *out) {
  int classes = d->classes.class_count, pair = 0;
  for (int c = 0; c < classes; c++) {
    for (int i = 0; i < d->now.count[c]; i++) {
      const instance *o = &d->now.items[c][i];
      add_tiles(out, c * OF_CLASS, o->x, 20, 4 * o->y, 105); /* x * 8 / 160, y * 8 / 210 */
    }
    if (!d->now.count[c]) feature_list_add(out, (uint32_t)(c * OF_CLASS + TILES));
  }
  for (int c = 0; c < DISCO_CLASSES; c++) {
    for (int k = c + 1; k < DISCO_CLASSES; k++, pair++) {
      int base = DISCO_CLASSES * OF_CLASS + pair * OF_PAIR;
      for (int i = 0; i < d->now.count[c]; i++) {
        for (int j = 0; j < d->now.count[k]; j++)
          add_pair(out, base, &d->now.items[c][i], &d->now.items[k][j]);
      }
    }
  }
}

static sixer_err find_classes(disco_set *d, sixer_env *env, sixer_error *error) {
  sixer_err err = foreground_prepare(&d->f, env, error);
  if (err || d->known) return err;
  const sample_settings s = {
      .config = *sixer_env_config(env), .screens = d->screens, .seed = d->f.seed + 1};
  err = disco_find(sixer_env_rom(env), &s, d->f.background.pixels, d->length, &d->classes, error);
  d->known = !err;
  return err;
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error) {
  disco_set *d = (disco_set *)set;
  const uint8_t *screen;
  sixer_err err = feature_screen(env, &screen, error);
  if (!err) err = find_classes(d, env, error);
  if (err) return err;
  detect(d, screen, sixer_env_height(env));
  find_velocities(d);
  list_features(d, out);
  if (d->bias) feature_list_add(out, COUNT);
  for (int c = 0; c < DISCO_CLASSES; c++) {
    d->before.count[c] = d->now.count[c];
    memcpy(d->before.items[c], d->now.items[c], (size_t)d->now.count[c] * sizeof **d->now.items);
  }
  return SIXER_OK;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static sixer_err save(const feature_set *set, sections_writer *out, sixer_error *error) {
  const disco_set *d = (const disco_set *)set;
  (void)error;
  sections_begin(out, "agent.features");
  sections_put_u64(out, d->known);
  sections_put_u64(out, (uint64_t)d->classes.class_count);
  sections_put_u64(out, (uint64_t)d->classes.shape_count);
  for (int i = 0; i < d->classes.shape_count; i++) {
    const disco_shape *s = &d->classes.shapes[i];
    sections_put_u64(out, (uint64_t)s->width);
    sections_put_u64(out, (uint64_t)s->height);
    sections_put_u64(out, (uint64_t)s->class);
    sections_put_numbers(out, s->rows, (size_t)s->height * DISCO_WORDS, sizeof(uint64_t));
  }
  for (int c = 0; c < DISCO_CLASSES; c++) {
    sections_put_u64(out, (uint64_t)d->before.count[c]);
    sections_put_numbers(out, d->before.items[c], (size_t)d->before.count[c] * 4, sizeof(int16_t));
  }
  foreground_put(&d->f, out);
  return SIXER_OK;
}

static bool get_shape(disco_set *d, sections_reader *in, uint64_t classes) {
  uint64_t width = sections_get_u64(in), height = sections_get_u64(in);
  uint64_t class = sections_get_u64(in);
  if (width < 1 || width > PROST_WIDTH || height < 1 || height > PROST_HEIGHT || class >= classes)
    return false;
  disco_row *rows = malloc((size_t)height * sizeof *rows);
  if (!rows) return false;
  sections_get_numbers(in, rows, (size_t)height * DISCO_WORDS, sizeof(uint64_t));
  d->classes.shapes[d->classes.shape_count++] =
      (disco_shape){(int)width, (int)height, (int)class, 0, rows};
  for (uint64_t y = 0; y < height; y++) { /* no cell outside of the box */
    for (uint64_t i = 0; i < DISCO_WORDS; i++) {
      uint64_t inside = width >= 64 * i + 64 ? ~(uint64_t)0
                        : width <= 64 * i    ? 0
                                             : ((uint64_t)1 << (width - 64 * i)) - 1;
      if (rows[y][i] & ~inside) return false;
    }
  }
  return rows[0][0] | rows[0][1] | rows[0][2];
}

static bool get_classes(disco_set *d, sections_reader *in) {
  uint64_t known = sections_get_u64(in), classes = sections_get_u64(in);
  uint64_t shapes = sections_get_u64(in);
  bool good = known <= 1 && classes <= DISCO_CLASSES && shapes <= SHAPES_MAX;
  d->classes.shapes = good ? calloc((size_t)shapes + 1, sizeof *d->classes.shapes) : NULL;
  good = d->classes.shapes != NULL;
  for (uint64_t i = 0; i < shapes && good; i++) good = get_shape(d, in, classes);
  for (int c = 0; c < DISCO_CLASSES && good; c++) {
    uint64_t count = sections_get_u64(in);
    good = count <= (uint64_t)d->most && (count == 0 || (uint64_t)c < classes);
    if (!good) break;
    d->before.count[c] = (int)count;
    sections_get_numbers(in, d->before.items[c], (size_t)count * 4, sizeof(int16_t));
    for (uint64_t i = 0; i < count; i++) {
      const instance *o = &d->before.items[c][i];
      good &= o->x >= 0 && o->x <= PROST_WIDTH && o->y >= 0 && o->y <= PROST_HEIGHT;
    }
  }
  d->known = known;
  d->classes.class_count = (int)classes;
  return good && !sections_failed(in) && !sections_left(in);
}

static sixer_err load(feature_set *set, sections_reader *in, sixer_error *error) {
  disco_set *d = (disco_set *)set;
  disco_classes_free(&d->classes);
  begin(set);
  if (!sections_find(in, "agent.features") || !get_classes(d, in)) {
    disco_classes_free(&d->classes);
    begin(set);
    d->known = false;
    return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged: its classes");
  }
  return foreground_get(&d->f, in, error);
}

const feature_class features_disco = {
    .name = "disco",
    .summary = "objects of classes found in play, tile coded (Naddaf 2010)",
    .size = sizeof(disco_set),
    .max_count = COUNT + 1,
    .dense = true,
    .background = true,
    .counts = true,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .active = active,
    .save = save,
    .load = load};
