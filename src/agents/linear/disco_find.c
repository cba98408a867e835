/* Classes of objects, found in play. See disco.h. */
#include <stdlib.h>
#include <string.h>

#include "agents/linear/disco.h"
#include "env/env.h"
#include "util/sort.h"

enum {
  CLASSES_MAX = 200,   /* the search stops when there are more */
  IGNORED = 200,       /* the first screens are not looked at */
  SPEED = 8,           /* pixels that an object moves between screens, at most */
  RARE = 5,            /* a class is dropped if it has fewer objects than screens / 5 */
  TABLE = 1 << 16,     /* of shapes by hash */
  SHAPES_ALL = 1 << 18 /* shapes in all, at most */
};

typedef struct found_class {
  int64_t seen;
  int x0, y0, x1, y1; /* of the centers */
} found_class;

typedef struct finder {
  disco_scene *scene;
  disco_shape *shapes;
  int shape_count, shape_capacity;
  int32_t *next;  /* by shape: the next one with the same hash */
  int32_t *table; /* by hash: the first shape; -1: none */
  found_class classes[CLASSES_MAX + 1];
  int class_count;
  int64_t screens;
  /* the objects of the screen before and their classes */
  disco_object *before;
  int *before_class;
  int before_count;
  int *now_class;
  int now_capacity;
  bool failed;
} finder;

/* ---- Shapes ---------------------------------------------------------------------------------------------------- */

static uint32_t hash_shape(const disco_shape *s) {
  uint64_t h = (uint64_t)s->width * 211 + (uint64_t)s->height;
  for (int y = 0; y < s->height; y++) {
    for (int i = 0; i < DISCO_WORDS; i++)
      h = (h ^ s->rows[y][i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  }
  return (uint32_t)(h >> 20) % TABLE;
}

static bool same_shape(const disco_shape *a, const disco_shape *b) {
  return a->width == b->width && a->height == b->height &&
         !memcmp(a->rows, b->rows, (size_t)a->height * sizeof *a->rows);
}

static int find_shape(const finder *f, const disco_shape *s) {
  for (int i = f->table[hash_shape(s)]; i >= 0; i = f->next[i]) {
    if (same_shape(&f->shapes[i], s)) return i;
  }
  return -1;
}

static void add_shape(finder *f, const disco_shape *s, int class) {
  if (f->shape_count == SHAPES_ALL) return;
  if (f->shape_count == f->shape_capacity) {
    int capacity = 2 * f->shape_capacity + 256;
    disco_shape *shapes = realloc(f->shapes, (size_t)capacity * sizeof *shapes);
    if (shapes) f->shapes = shapes;
    int32_t *next = realloc(f->next, (size_t)capacity * sizeof *next);
    if (next) f->next = next;
    if (!shapes || !next) {
      f->failed = true;
      return;
    }
    f->shape_capacity = capacity;
  }
  disco_shape copy = *s;
  copy.class = class;
  copy.seen = 1;
  copy.rows = malloc((size_t)s->height * sizeof *copy.rows);
  if (!copy.rows) {
    f->failed = true;
    return;
  }
  memcpy(copy.rows, s->rows, (size_t)s->height * sizeof *copy.rows);
  uint32_t hash = hash_shape(&copy);
  f->next[f->shape_count] = f->table[hash];
  f->table[hash] = f->shape_count;
  f->shapes[f->shape_count++] = copy;
}

/* The shape mirrored: bit 0 of `how` top to bottom, bit 1 left to right. */
static disco_shape mirrored(const disco_shape *s, int how, disco_row *rows) {
  disco_shape m = *s;
  m.rows = rows;
  memset(rows, 0, (size_t)s->height * sizeof *rows);
  for (int y = 0; y < s->height; y++) {
    const uint64_t *from = s->rows[how & 1 ? s->height - 1 - y : y];
    for (int x = 0; x < s->width; x++) {
      int other = how & 2 ? s->width - 1 - x : x;
      if (from[other / 64] >> (other % 64) & 1) rows[y][x / 64] |= (uint64_t)1 << (x % 64);
    }
  }
  return m;
}

/* The class of an object that looks like one of a class, mirrored or a little larger or smaller; -1: none. */
static int class_by_looks(finder *f, const disco_shape *s) {
  disco_row rows[PROST_HEIGHT];
  for (int how = 0; how < 4; how++) {
    disco_shape m = mirrored(s, how, rows);
    int found = find_shape(f, &m);
    if (found >= 0) {
      f->shapes[found].seen += how == 0;
      return f->shapes[found].class;
    }
    for (int i = 0; i < f->shape_count; i++) {
      const disco_shape *t = &f->shapes[i];
      if (t->width == m.width && t->height == m.height) continue;
      if (disco_distance(t, &m) == 0) return t->class;
    }
  }
  return -1;
}

/* The class of an object that is close to where a similar one was; -1: none. */
static int class_by_motion(const finder *f, const disco_object *o) {
  int best = -1, best_far = 0, class = -1;
  for (int i = 0; i < f->before_count; i++) {
    const disco_object *p = &f->before[i];
    int dx = o->x - p->x, dy = o->y - p->y, far = dx * dx + dy * dy;
    if (dx <= -SPEED || dx >= SPEED || dy <= -SPEED || dy >= SPEED) continue;
    int distance = disco_distance(&o->shape, &p->shape);
    if (distance < 0 || 10 * distance >= disco_area(&o->shape) + disco_area(&p->shape)) continue;
    if (best >= 0 && (distance > best || (distance == best && far >= best_far))) continue;
    best = distance, best_far = far, class = f->before_class[i];
  }
  return class;
}

/* ---- Screens --------------------------------------------------------------------------------------------------- */

static int classify(finder *f, const disco_object *o) {
  int known = find_shape(f, &o->shape), class;
  if (known >= 0) {
    f->shapes[known].seen++;
    class = f->shapes[known].class;
  } else {
    class = class_by_looks(f, &o->shape);
    if (class < 0) class = class_by_motion(f, o);
    if (class < 0) {
      if (f->class_count > CLASSES_MAX) return -1;
      class = f->class_count++;
      f->classes[class] = (found_class){0, o->x, o->y, o->x, o->y};
    }
    add_shape(f, &o->shape, class);
  }
  found_class *c = &f->classes[class];
  c->seen++;
  if (o->x < c->x0) c->x0 = o->x;
  if (o->x > c->x1) c->x1 = o->x;
  if (o->y < c->y0) c->y0 = o->y;
  if (o->y > c->y1) c->y1 = o->y;
  return class;
}

static bool look(void *context, const uint8_t *screen, int height, bool first) {
  finder *f = context;
  disco_object *objects;
  if (f->screens++ < IGNORED) return true;
  int count =
      disco_scene_look(f->scene, screen, height, first || f->screens == IGNORED + 1, &objects);
  if (first) f->before_count = 0;
  if (count > f->now_capacity) {
    int *a = realloc(f->now_class, (size_t)count * sizeof *a);
    if (a) f->now_class = a;
    int *b = realloc(f->before_class, (size_t)count * sizeof *b);
    if (b) f->before_class = b;
    f->failed |= !a || !b;
    if (!f->failed) f->now_capacity = count;
  }
  f->failed |= count < 0;
  for (int i = 0; i < count && !f->failed; i++) f->now_class[i] = classify(f, &objects[i]);
  int *other = f->before_class;
  f->before_class = f->now_class;
  f->now_class = other;
  f->before = objects;
  f->before_count = count < 0 ? 0 : count;
  return !f->failed && f->class_count <= CLASSES_MAX;
}

/* ---- Choosing classes ------------------------------------------------------------------------------------------ */

static bool worth(const found_class *c, int64_t screens, int length) {
  int width = c->x1 - c->x0, height = c->y1 - c->y0;
  if (c->seen * RARE < screens) return false;
  return width >= length || height >= length || width * height >= length * length;
}

static int by_class(const void *a, const void *b) {
  const disco_shape *x = a, *y = b;
  if (x->class != y->class) return x->class - y->class;
  if (x->seen != y->seen) return x->seen < y->seen ? 1 : -1;
  if (x->height != y->height) return x->height - y->height;
  if (x->width != y->width) return x->width - y->width;
  return memcmp(x->rows, y->rows, (size_t)x->height * sizeof *x->rows);
}

static int by_area(const void *a, const void *b) {
  const disco_shape *x = a, *y = b;
  return disco_area(x) != disco_area(y) ? disco_area(y) - disco_area(x) : by_class(a, b);
}

/* Keep the most frequent shapes of each class, sorted by class. */
static int keep_frequent(disco_shape *shapes, int count) {
  int kept = 0, of_class = 0, last = -1;
  sort_stable(shapes, (size_t)count, sizeof *shapes, by_class);
  for (int i = 0; i < count; i++) {
    of_class = shapes[i].class == last ? of_class + 1 : 1;
    last = shapes[i].class;
    if (of_class <= DISCO_SHAPES)
      shapes[kept++] = shapes[i];
    else
      free(shapes[i].rows);
  }
  return kept;
}

/* The two classes with the least distance between any of their shapes, in parts of the areas; false: none. */
static bool nearest_classes(const disco_shape *shapes, int count, int *one, int *two) {
  int64_t best = -1, best_areas = 1;
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < count; k++) {
      if (shapes[i].class == shapes[k].class) continue;
      int64_t distance = disco_distance(&shapes[i], &shapes[k]);
      int64_t areas = disco_area(&shapes[i]) + disco_area(&shapes[k]);
      if (distance < 0 || (best >= 0 && distance * best_areas >= best * areas)) continue;
      best = distance, best_areas = areas;
      *one = shapes[i].class, *two = shapes[k].class;
    }
  }
  return best >= 0;
}

static void choose_classes(finder *f, int length, disco_classes *out) {
  int number[CLASSES_MAX + 1], classes = 0, count = 0;
  int64_t screens = f->screens > IGNORED ? f->screens - IGNORED : 1;
  for (int i = 0; i < f->class_count; i++)
    number[i] = worth(&f->classes[i], screens, length) ? classes++ : -1;
  for (int i = 0; i < f->shape_count; i++) {
    f->shapes[i].class = number[f->shapes[i].class];
    if (f->shapes[i].class >= 0)
      f->shapes[count++] = f->shapes[i];
    else
      free(f->shapes[i].rows);
  }
  count = keep_frequent(f->shapes, count);
  int one, two;
  while (classes > DISCO_CLASSES && nearest_classes(f->shapes, count, &one, &two)) {
    int low = one < two ? one : two, high = one < two ? two : one;
    for (int i = 0; i < count; i++) {
      if (f->shapes[i].class == high) f->shapes[i].class = low;
      if (f->shapes[i].class > high) f->shapes[i].class --;
    }
    classes--;
    count = keep_frequent(f->shapes, count);
  }
  /* classes that cannot be compared: those with the lowest numbers stay */
  int kept = 0;
  for (int i = 0; i < count; i++) {
    if (f->shapes[i].class < DISCO_CLASSES)
      f->shapes[kept++] = f->shapes[i];
    else
      free(f->shapes[i].rows);
  }
  if (kept) sort_stable(f->shapes, (size_t)kept, sizeof *f->shapes, by_area);
  out->class_count = classes < DISCO_CLASSES ? classes : DISCO_CLASSES;
  out->shapes = f->shapes;
  out->shape_count = kept;
  f->shapes = NULL;
  f->shape_count = 0;
}

void disco_classes_free(disco_classes *c) {
  for (int i = 0; i < c->shape_count; i++) free(c->shapes[i].rows);
  free(c->shapes);
  *c = (disco_classes){0};
}

sixer_err disco_find(const sixer_rom *rom, const sample_settings *settings,
                     const uint8_t *background, int length, disco_classes *out,
                     sixer_error *error) {
  finder *f = calloc(1, sizeof *f);
  sixer_err err = SIXER_OK;
  if (f) {
    f->scene = disco_scene_create(background);
    f->table = malloc(TABLE * sizeof *f->table);
    f->failed = !f->scene || !f->table;
  }
  if (f && !f->failed) {
    memset(f->table, 0xFF, TABLE * sizeof *f->table);
    err = sample_screens(rom, settings, look, f, error);
    if (!err && !f->failed) choose_classes(f, length, out);
  }
  if (!err && (!f || f->failed))
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the classes of disco");
  if (f) {
    for (int i = 0; i < f->shape_count; i++) free(f->shapes[i].rows);
    free(f->shapes);
    free(f->next);
    free(f->table);
    free(f->now_class);
    free(f->before_class);
    disco_scene_destroy(f->scene);
    free(f);
  }
  return err;
}
