/* Start states drawn from tapes. The steps of all tapes after which the episode continues are counted and numbered;
 * as many numbers as states are wanted are drawn; then each tape is replayed and the env is saved after the drawn
 * steps. */
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "sixer/tape.h"
#include "util/sort.h"

struct sixer_starts {
  int count;
  size_t state_size;
  uint8_t *states;
};

/* Replay a tape on a new env and call `visit` after each step after which the episode continues. */
typedef sixer_err visitor(void *context, sixer_env *env, sixer_error *error);

static sixer_err play_through(const char *path, const sixer_rom *rom, visitor *visit, void *context,
                              sixer_error *error) {
  sixer_tape *tape;
  sixer_env *env = NULL;
  sixer_err err = sixer_tape_open(path, &tape, error);
  if (err) return err;
  sixer_tape_info info = sixer_tape_describe(tape);
  if (strcmp(info.md5, rom->md5) != 0) {
    err = sixer_fail(error, SIXER_ERR_TAPE,
                     "%s was played on an image with MD5 %s; starts are wanted for %s", path,
                     info.md5, rom->md5);
  }
  if (!err) err = sixer_tape_env(tape, rom, &env, error);
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  /* of a tape that was cut off, the undamaged part is used */
  while (!err && event.kind != SIXER_TAPE_END) {
    err = sixer_tape_play(tape, env, &event, error);
    if (err && event.kind == SIXER_TAPE_END) err = SIXER_OK;
    if (!err && event.kind == SIXER_TAPE_STEP && !event.result.over)
      err = visit(context, env, error);
  }
  sixer_env_destroy(env);
  sixer_tape_close(tape);
  return err;
}

typedef struct harvest {
  sixer_starts *starts;
  int64_t seen;
  const int64_t *wanted; /* sorted numbers of steps; NULL while counting */
  int taken;
} harvest;

static sixer_err visit_moment(void *context, sixer_env *env, sixer_error *error) {
  harvest *h = context;
  sixer_starts *s = h->starts;
  if (h->wanted && h->taken < s->count && h->wanted[h->taken] == h->seen) {
    size_t size = sixer_env_state_size(env, SIXER_SAVE_PICTURE);
    if (!s->states) {
      s->state_size = size;
      s->states = malloc(size * (size_t)s->count);
      if (!s->states) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for starts");
    }
    sixer_env_save(env, SIXER_SAVE_PICTURE, s->states + size * (size_t)h->taken++);
  }
  h->seen++;
  return SIXER_OK;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Draw `count` different numbers below `total`, by Floyd's algorithm, and sort them. */
static void draw_numbers(int64_t *numbers, int count, int64_t total, uint32_t seed) {
  draw_stream stream = {seed};
  for (int i = 0; i < count; i++) {
    int64_t limit = total - count + i + 1;
    uint64_t draw = (uint64_t)stream_draw(&stream) << 32 | stream_draw(&stream);
    int64_t number = (int64_t)(draw % (uint64_t)limit);
    for (int k = 0; k < i; k++) {
      if (numbers[k] == number) {
        number = limit - 1;
        break;
      }
    }
    numbers[i] = number;
  }
  sort_stable(numbers, (size_t)count, sizeof *numbers, by_number);
}

static sixer_err visit_tapes(const char *const *tapes, int tape_count, const sixer_rom *rom,
                             harvest *h, sixer_error *error) {
  sixer_err err = SIXER_OK;
  for (int i = 0; i < tape_count && !err; i++)
    err = play_through(tapes[i], rom, visit_moment, h, error);
  return err;
}

sixer_err sixer_starts_create(const char *const *tapes, int tape_count, const sixer_rom *rom,
                              int count, uint32_t seed, sixer_starts **out, sixer_error *error) {
  if (count < 1 || tape_count < 1) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%d starts from %d tapes; at least one of each",
                      count, tape_count);
  }
  sixer_starts *s = calloc(1, sizeof *s);
  int64_t *numbers = calloc((size_t)count, sizeof *numbers);
  sixer_err err = SIXER_OK;
  if (!s || !numbers) err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for starts");
  harvest counting = {.starts = s};
  if (!err) {
    s->count = count;
    err = visit_tapes(tapes, tape_count, rom, &counting, error);
  }
  if (!err && counting.seen < count) {
    err = sixer_fail(error, SIXER_ERR_TAPE,
                     "%d starts are wanted and the tapes have %lld moments: give more tapes", count,
                     (long long)counting.seen);
  }
  if (!err) {
    draw_numbers(numbers, count, counting.seen, seed);
    harvest taking = {.starts = s, .wanted = numbers};
    err = visit_tapes(tapes, tape_count, rom, &taking, error);
  }
  free(numbers);
  if (err) {
    sixer_starts_destroy(s);
    return err;
  }
  *out = s;
  return SIXER_OK;
}

void sixer_starts_destroy(sixer_starts *starts) {
  if (!starts) return;
  free(starts->states);
  free(starts);
}

int sixer_starts_count(const sixer_starts *starts) { return starts->count; }

sixer_err sixer_starts_begin(const sixer_starts *starts, int index, sixer_env *env,
                             sixer_error *error) {
  if (index < 0 || index >= starts->count) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "there is no start %d; there are %d", index,
                      starts->count);
  }
  return sixer_env_load(env, starts->states + starts->state_size * (size_t)index,
                        starts->state_size, error);
}
