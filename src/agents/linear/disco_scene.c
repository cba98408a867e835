/* Objects of a screen: regions of one color, their motion, and regions that move together. See disco.h. */
#include <stdlib.h>
#include <string.h>

#include "agents/linear/disco.h"

enum { NEAR = 3, SPEED = 8, NONE = -1 };

typedef struct region {
  int x0, y0, x1, y1, pixels;
} region;

typedef struct object_list {
  disco_object *items;
  int count, capacity;
  disco_row *rows; /* of all shapes */
  size_t row_count, row_capacity;
} object_list;

struct disco_scene {
  const uint8_t *background;
  int32_t label[PROST_PIXELS]; /* of each pixel: a region, or NONE */
  int32_t parent[PROST_PIXELS], number[PROST_PIXELS];
  region regions[PROST_PIXELS];
  int region_count;
  object_list plain[2];  /* regions of one color, of this screen and the one before */
  object_list merged[2]; /* objects likewise */
  int turn;
};

disco_scene *disco_scene_create(const uint8_t *background) {
  disco_scene *s = calloc(1, sizeof *s);
  if (s) s->background = background;
  return s;
}

void disco_scene_destroy(disco_scene *s) {
  if (!s) return;
  for (int i = 0; i < 2; i++) {
    free(s->plain[i].items);
    free(s->plain[i].rows);
    free(s->merged[i].items);
    free(s->merged[i].rows);
  }
  free(s);
}

/* ---- Union of labels: the lowest survives ---------------------------------------------------------------------- */

static int32_t root(disco_scene *s, int32_t a) {
  while (s->parent[a] != a) a = s->parent[a] = s->parent[s->parent[a]];
  return a;
}

static void unite(disco_scene *s, int32_t a, int32_t b) {
  a = root(s, a), b = root(s, b);
  if (a < b) s->parent[b] = a;
  if (b < a) s->parent[a] = b;
}

/* ---- Regions --------------------------------------------------------------------------------------------------- */

/* Label the foreground: pixels of one color that touch, corners included, have one label. */
static int label_pixels(disco_scene *s, const uint8_t *screen, int height) {
  int count = 0;
  for (int i = 0; i < PROST_PIXELS; i++) {
    int x = i % PROST_WIDTH, y = i / PROST_WIDTH;
    s->label[i] = NONE;
    if (y >= height || screen[i] == s->background[i]) continue;
    const int around[4] = {x && y ? i - PROST_WIDTH - 1 : NONE, y ? i - PROST_WIDTH : NONE,
                           y && x < PROST_WIDTH - 1 ? i - PROST_WIDTH + 1 : NONE, x ? i - 1 : NONE};
    for (int k = 0; k < 4; k++) {
      int j = around[k];
      if (j < 0 || s->label[j] == NONE || screen[j] != screen[i]) continue;
      if (s->label[i] == NONE)
        s->label[i] = s->label[j];
      else
        unite(s, s->label[i], s->label[j]);
    }
    if (s->label[i] == NONE) {
      s->label[i] = count;
      s->parent[count] = count;
      count++;
    }
  }
  return count;
}

/* Number the labels that survive in their order, and measure what has them. */
static void measure(disco_scene *s, int labels) {
  static const region empty = {PROST_WIDTH, PROST_HEIGHT, -1, -1, 0};
  s->region_count = 0;
  for (int i = 0; i < labels; i++) s->parent[i] = root(s, i);
  for (int i = 0; i < labels; i++) {
    if (s->parent[i] == i) { /* a root comes before all that lead to it */
      s->regions[s->region_count] = empty;
      s->number[i] = s->region_count++;
    } else {
      s->number[i] = s->number[s->parent[i]];
    }
  }
  for (int i = 0; i < PROST_PIXELS; i++) {
    if (s->label[i] == NONE) continue;
    s->label[i] = s->number[s->label[i]];
    region *r = &s->regions[s->label[i]];
    int x = i % PROST_WIDTH, y = i / PROST_WIDTH;
    if (x < r->x0) r->x0 = x;
    if (x > r->x1) r->x1 = x;
    if (y < r->y0) r->y0 = y;
    if (y > r->y1) r->y1 = y;
    r->pixels++;
  }
}

/* The regions as objects with shapes. Those of a single pixel are left out if `drop`. */
static bool list_objects(disco_scene *s, object_list *list, bool drop) {
  size_t need = 0, at = 0;
  for (int i = 0; i < s->region_count; i++)
    need += (size_t)(s->regions[i].y1 - s->regions[i].y0 + 1);
  if (need > list->row_capacity) {
    disco_row *rows = realloc(list->rows, need * sizeof *rows);
    if (!rows) return false;
    list->rows = rows;
    list->row_capacity = need;
  }
  if (s->region_count > list->capacity) {
    disco_object *items = realloc(list->items, (size_t)s->region_count * sizeof *items);
    if (!items) return false;
    list->items = items;
    list->capacity = s->region_count;
  }
  list->count = 0;
  if (need) memset(list->rows, 0, need * sizeof *list->rows);
  for (int i = 0; i < s->region_count; i++) {
    const region *r = &s->regions[i];
    if (drop && r->pixels == 1) continue;
    disco_object *o = &list->items[list->count++];
    *o = (disco_object){.shape = {.width = r->x1 - r->x0 + 1, .height = r->y1 - r->y0 + 1}};
    o->shape.rows = list->rows + at;
    o->x = r->x0 + o->shape.width / 2;
    o->y = r->y0 + o->shape.height / 2;
    for (int y = r->y0; y <= r->y1; y++, at++) {
      for (int x = r->x0; x <= r->x1; x++) {
        int bit = x - r->x0;
        if (s->label[y * PROST_WIDTH + x] == i)
          list->rows[at][bit / 64] |= (uint64_t)1 << (bit % 64);
      }
    }
  }
  return true;
}

/* ---- Motion ---------------------------------------------------------------------------------------------------- */

int disco_distance(const disco_shape *a, const disco_shape *b) {
  if (a->width > b->width || a->height > b->height) {
    const disco_shape *other = a;
    a = b, b = other;
  }
  /* a is the smaller one */
  if (a->width > b->width || a->height > b->height) return -1;
  if (10 * disco_area(b) > 12 * disco_area(a)) return -1;
  int best = -1;
  for (int dy = 0; dy <= b->height - a->height; dy++) {
    for (int dx = 0; dx <= b->width - a->width; dx++) {
      int differ = 0;
      for (int y = 0; y < a->height && (best < 0 || differ < best); y++) {
        for (int x = 0; x < a->width; x += 64) {
          int word = (x + dx) / 64, bit = (x + dx) % 64, left = a->width - x;
          uint64_t cells = b->rows[y + dy][word] >> bit;
          if (bit && word + 1 < DISCO_WORDS) cells |= b->rows[y + dy][word + 1] << (64 - bit);
          if (left < 64) cells &= ((uint64_t)1 << left) - 1;
          differ += __builtin_popcountll(cells ^ a->rows[y][x / 64]);
        }
      }
      if (best < 0 || differ < best) best = differ;
    }
  }
  return best;
}

/* How far each object has moved since the screen before: the object there that looks most like it, close by. */
static void find_motion(object_list *now, const object_list *before) {
  for (int i = 0; i < now->count; i++) {
    disco_object *o = &now->items[i];
    int best = -1, best_far = 0;
    for (int k = 0; k < before->count; k++) {
      const disco_object *p = &before->items[k];
      int dx = o->x - p->x, dy = o->y - p->y, far = dx * dx + dy * dy;
      if (dx <= -SPEED || dx >= SPEED || dy <= -SPEED || dy >= SPEED) continue;
      int distance = disco_distance(&o->shape, &p->shape);
      if (distance < 0 || 10 * distance >= disco_area(&o->shape) + disco_area(&p->shape)) continue;
      if (best >= 0 && (distance > best || (distance == best && far >= best_far))) continue;
      best = distance, best_far = far;
      o->vx = dx, o->vy = dy;
    }
  }
}

/* Regions with the same motion that have pixels at most three apart become one. */
static void join_regions(disco_scene *s, const object_list *regions) {
  for (int i = 0; i < s->region_count; i++) s->parent[i] = i;
  for (int i = 0; i < PROST_PIXELS; i++) {
    if (s->label[i] == NONE) continue;
    int x = i % PROST_WIDTH, y = i / PROST_WIDTH;
    const disco_object *o = &regions->items[s->label[i]];
    for (int dy = -NEAR; dy <= 0; dy++) {
      for (int dx = -NEAR; dx <= NEAR && (dy < 0 || dx < 0); dx++) {
        if (x + dx < 0 || x + dx >= PROST_WIDTH || y + dy < 0) continue;
        int32_t other = s->label[i + dy * PROST_WIDTH + dx];
        if (other == NONE || other == s->label[i]) continue;
        const disco_object *p = &regions->items[other];
        if (p->vx == o->vx && p->vy == o->vy) unite(s, s->label[i], other);
      }
    }
  }
}

int disco_scene_look(disco_scene *s, const uint8_t *screen, int height, bool first,
                     disco_object **objects) {
  s->turn ^= 1;
  object_list *plain = &s->plain[s->turn], *merged = &s->merged[s->turn];
  if (first) s->plain[s->turn ^ 1].count = s->merged[s->turn ^ 1].count = 0;
  measure(s, label_pixels(s, screen, height));
  if (!list_objects(s, plain, false)) return -1;
  find_motion(plain, &s->plain[s->turn ^ 1]);
  join_regions(s, plain);
  measure(s, s->region_count);
  if (!list_objects(s, merged, true)) return -1;
  *objects = merged->items;
  return merged->count;
}
