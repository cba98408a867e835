/* Classes of objects for DISCO features: what they look like, and how they are found in play.
 *
 * Regions of one color that move alike and lie close to each other are an object (Naddaf 2010, chapter 3). Objects that
 * look alike, or follow each other from screen to screen, are of one class. Classes that are rare or do not move are
 * dropped, and the most similar ones merged until ten are left. */
#ifndef SIXER_AGENTS_LINEAR_DISCO_H
#define SIXER_AGENTS_LINEAR_DISCO_H

#include "agents/linear/prost.h"
#include "agents/linear/samples.h"

enum {
  DISCO_CLASSES = 10,
  DISCO_SHAPES = 64, /* of a class: the most frequent ones are kept */
  DISCO_WORDS = 3    /* 64-bit words of a row of 160 bits */
};

typedef uint64_t disco_row[DISCO_WORDS];

/* The cells of an object in its bounding box. Its upper row is never empty. */
typedef struct disco_shape {
  int width, height;
  int class;
  int64_t seen;    /* how often, while classes were found */
  disco_row *rows; /* bit x % 64 of word x / 64 */
} disco_shape;

typedef struct disco_classes {
  int class_count;
  disco_shape *shapes; /* by falling area of their boxes */
  int shape_count;
} disco_classes;

static inline int disco_area(const disco_shape *s) { return s->width * s->height; }

void disco_classes_free(disco_classes *c);

/* Find classes in sampled play. `length`: pixels that the centers of a class must have covered. */
sixer_err disco_find(const sixer_rom *rom, const sample_settings *settings,
                     const uint8_t *background, int length, disco_classes *out, sixer_error *error);

/* The steps of it that tests look at. The distance of two shapes is the number of cells that differ; -1 if they cannot
 * be compared. */
int disco_distance(const disco_shape *a, const disco_shape *b);

/* An object on a screen. */
typedef struct disco_object {
  disco_shape shape;
  int x, y;   /* center */
  int vx, vy; /* since the screen before */
} disco_object;

typedef struct disco_scene disco_scene;
disco_scene *disco_scene_create(const uint8_t *background); /* NULL: no memory */
void disco_scene_destroy(disco_scene *s);

/* The objects of the next screen, which live until the call after the next; -1: no memory. `first`: it does not follow
 * the one before. */
int disco_scene_look(disco_scene *s, const uint8_t *screen, int height, bool first,
                     disco_object **objects);

#endif
