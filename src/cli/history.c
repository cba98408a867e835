/* Rewinding. Steps are numbered from the start; a state (a "mark") is kept at every 60th step and after every jump.
 * When the ring is full, a new mark replaces the oldest. Two marks may have the same number, because a jump is not a
 * step. */
#include "cli/history.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { EVERY = 60, FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };

typedef struct mark {
  int64_t step;
  uint8_t *bytes;
  uLongf size;
} mark;

struct history {
  mark *marks; /* a ring */
  int room, first, count;
  sixer_input *inputs; /* a ring: that of step n is at n % input_room */
  int64_t input_room, now;
  uint8_t *state, *packed;
  size_t state_size;
  uLongf packed_room;
  size_t bytes;
};

static mark *mark_at(const history *h, int index) {
  return &h->marks[(h->first + index) % h->room];
}

static void drop_mark(history *h, mark *m) {
  h->bytes -= m->size;
  free(m->bytes);
  *m = (mark){0};
}

static void add_mark(history *h, const sixer_env *env) {
  uLongf size = h->packed_room;
  sixer_env_save(env, FLAGS, h->state);
  if (compress2(h->packed, &size, h->state, (uLong)h->state_size, 1) != Z_OK) return;
  uint8_t *bytes = malloc(size);
  if (!bytes) return; /* out of memory: this stretch can only be replayed from an older mark */
  memcpy(bytes, h->packed, size);
  if (h->count == h->room) {
    drop_mark(h, mark_at(h, 0));
    h->first = (h->first + 1) % h->room;
    h->count--;
  }
  *mark_at(h, h->count++) = (mark){h->now, bytes, size};
  h->bytes += size;
}

history *history_create(const sixer_env *env, int seconds) {
  history *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->room = seconds;
  h->input_room = (int64_t)seconds * EVERY + EVERY;
  h->state_size = sixer_env_state_size(env, FLAGS);
  h->packed_room = compressBound((uLong)h->state_size);
  h->marks = calloc((size_t)h->room, sizeof *h->marks);
  h->inputs = calloc((size_t)h->input_room, sizeof *h->inputs);
  h->state = malloc(h->state_size);
  h->packed = malloc(h->packed_room);
  if (!h->marks || !h->inputs || !h->state || !h->packed) {
    history_destroy(h);
    return NULL;
  }
  add_mark(h, env);
  return h;
}

void history_destroy(history *h) {
  if (!h) return;
  for (int i = 0; h->marks && i < h->count; i++) free(mark_at(h, i)->bytes);
  free(h->marks);
  free(h->inputs);
  free(h->state);
  free(h->packed);
  free(h);
}

void history_step(history *h, sixer_env *env, sixer_input input) {
  h->inputs[h->now % h->input_room] = input;
  h->now++;
  if (h->now % EVERY == 0) add_mark(h, env);
}

void history_jump(history *h, sixer_env *env) { add_mark(h, env); }

int64_t history_length(const history *h) { return h->count ? h->now - mark_at(h, 0)->step : 0; }

size_t history_bytes(const history *h) { return h->bytes; }

int history_back(history *h, sixer_env *env, int steps) {
  if (!h->count) return 0;
  int64_t target = h->now - steps, oldest = mark_at(h, 0)->step;
  if (target < oldest) target = oldest;
  int gone = (int)(h->now - target);
  if (gone == 0) return 0;
  while (mark_at(h, h->count - 1)->step > target) drop_mark(h, mark_at(h, --h->count));
  mark *m = mark_at(h, h->count - 1);
  uLongf size = (uLongf)h->state_size;
  if (uncompress(h->state, &size, m->bytes, m->size) != Z_OK) return 0;
  if (sixer_env_load(env, h->state, h->state_size, NULL)) return 0;
  for (int64_t step = m->step; step < target; step++)
    sixer_env_step_input(env, h->inputs[step % h->input_room], NULL);
  h->now = target;
  return gone;
}
