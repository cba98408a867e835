/* The layout of the SABER paper's program (Toromanoff et al. 2019) in a store of Ape-X, to compare with blocks.
 *
 * The store has a record of every transition, with its frame as it is, and a binary tree of priorities; the learner has
 * no copy. It draws by walking down the tree, reads the records that it needs, and adds to the nodes of the tree what
 * priorities have changed. As in that program, five batches are drawn at a time, and priorities are written back after
 * they were used. So:
 *
 *     actor      writes records and priorities, and a block without frames, which counts its steps and episodes
 *     learner    follows those blocks; an update takes a batch out of five that were drawn together
 *
 * The memory is in the server only: a checkpoint has none. A learner that resumes finds it there if the server has kept
 * it and the run is synchronized; otherwise it begins with an empty one, and updates again once there are as many
 * steps as the first update needed. Draws depend on what actors have written by then, so no two runs are equal. */
#ifndef SIXER_AGENTS_DEEP_APEX_SABER_H
#define SIXER_AGENTS_DEEP_APEX_SABER_H

#include "agents/deep/apex_block.h"
#include "agents/deep/apex_store.h"
#include "agents/deep/learner.h"

enum { SABER_BATCHES = 5 /* that are drawn together */ };

typedef struct saber_shape {
  apex_form form;
  int64_t room;   /* transitions of an actor: step t is record t % room of its slice */
  int64_t leaves; /* of the tree: a power of two, not less than actors x room */
  int stack, n;
  double gamma;
} saber_shape;

saber_shape saber_shape_of(const deep *d, const apex_form *form, int64_t memory);

/* The form of the blocks: frames of no pixels. */
apex_form saber_block_form(const apex_form *form);

typedef struct saber_place {
  int actor;
  int64_t step;
} saber_place;

int64_t saber_record(const saber_shape *h, saber_place place);

/* A record of a transition. */
typedef struct saber_row {
  bool first, terminal;
  int action;
  float reward;
  const uint8_t *frame;
} saber_row;

/* What a store with this layout does, beside what every store does (apex_store.h). `put` takes blocks with frames. */
struct saber_class {
  /* Forget all transitions and priorities. */
  apex_result (*clear)(apex_store *s, sixer_error *error);
  /* For each point, a share of the sum of all priorities: the record in whose part it lies, and its priority. *total is
   * the sum. APEX_ABSENT if that is 0. */
  apex_result (*find)(apex_store *s, const saber_shape *h, const double *points, int count,
                      int64_t *records, double *priorities, double *total, sixer_error *error);
  /* Read `length` successive transitions from each place on. A record that is not that of the step is NULL. */
  apex_result (*read)(apex_store *s, const saber_shape *h, const saber_place *places, int count,
                      int length,
                      void (*take)(void *context, int place, int position, const saber_row *row),
                      void *context, sixer_error *error);
  /* Set the priorities of steps that are still there, and the one that steps without their own get. */
  apex_result (*set)(apex_store *s, const saber_shape *h, const saber_place *places,
                     const double *priorities, int count, double highest, sixer_error *error);
};

/* ---- The learner's part ---------------------------------------------------------------------------------------- */

typedef struct saber saber;

/* `r` is a memory of the same shape, from which batches are made. NULL: out of memory. */
saber *saber_create(const saber_shape *shape, const replay *r, int batch, uint64_t seed);
void saber_destroy(saber *s); /* NULL is allowed */

/* Is a batch left for the next update? */
bool saber_ready(const saber *s);

/* Write priorities back and draw five batches. The store has steps low[a]..high[a]-1 of actor a. APEX_ABSENT if nothing
 * can be drawn. */
apex_result saber_fill(saber *s, apex_store *store, const int64_t *low, const int64_t *high,
                       sixer_error *error);
void saber_forget(saber *s); /* what was drawn and not used, and what was not written */

deep_source *saber_source(saber *s); /* for deep.source */

#endif
