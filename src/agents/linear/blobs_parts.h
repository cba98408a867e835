/* What the finders for the instruction sets share; see blobs.c. */
#ifndef SIXER_AGENTS_LINEAR_BLOBS_PARTS_H
#define SIXER_AGENTS_LINEAR_BLOBS_PARTS_H

#include "agents/linear/blobs.h"

enum { BLOB_PIECE = 32 }; /* columns that are written at once */

/* A run of pixels of one color in a row: columns from..to. */
typedef struct blob_run {
  uint8_t from, to, color, unused;
  int32_t label; /* a box, not always the root of its blob */
} blob_run;

/* A blob in the making: its bounding box, and the box that it was joined to, or itself. */
typedef struct blob_box {
  int32_t parent;
  uint8_t top, bottom, left, right;
  uint8_t color;
} blob_box;

/* Rows that equal one of the rows just above them are not looked at again: they share its record. A record is alive
 * while its last row is within the neighborhood. */
struct blob_finder {
  int neighborhood;
  void (*scan)(blob_finder *finder, const uint8_t *screen, int height);
  int boxes;
  int first[BLOB_HEIGHT +
            1];          /* first run of each record; the runs end where the next record's begin */
  int last[BLOB_HEIGHT]; /* last row of each record */
  int16_t record[BLOB_HEIGHT]; /* the record of each row */
  uint8_t at[BLOB_HEIGHT + 1]
            [BLOB_WIDTH]; /* which run of a record covers a column, counted from its first run */
  uint64_t tiles[BLOB_COLORS][(BLOB_TILES + 63) / 64]; /* zero between calls */
  blob_run runs[BLOB_WIDTH * BLOB_HEIGHT + 1];
  blob_box box[BLOB_WIDTH * BLOB_HEIGHT];
};

static inline int blob_root(blob_finder *f, int label) {
  while (f->box[label].parent != label) {
    f->box[label].parent = f->box[f->box[label].parent].parent;
    label = f->box[label].parent;
  }
  return label;
}

/* The root of a run's blob, remembered in the run. */
static inline int blob_of(blob_finder *f, blob_run *run) {
  return run->label = blob_root(f, run->label);
}

static inline int blob_join(blob_finder *f, int a, int b) {
  if (a < 0 || a == b) return b;
  if (b < a) {
    int other = a;
    a = b, b = other;
  }
  blob_box *to = &f->box[a], *from = &f->box[b];
  from->parent = a;
  if (from->top < to->top) to->top = from->top;
  if (from->bottom > to->bottom) to->bottom = from->bottom;
  if (from->left < to->left) to->left = from->left;
  if (from->right > to->right) to->right = from->right;
  return a;
}

#endif
