/* See apex_block.h. */
#include "agents/deep/apex_block.h"

#include <math.h>
#include <string.h>

#include "agents/deep/spans.h"
#include "util/crc.h"
#include "util/little.h"

enum {
  VERSION = 1,
  HEADER = 48,
  CRC_AT = 40,
  STEP = 3 + 2 + 4 + 4,
  EPISODE = 5 * 4 + 2 * 8 + 8 * SIXER_LIMITS_MAX + 4,
  BY_ITSELF = 0x8000,
  WEIGHTS_HEADER = 32
};
static const char block_magic[4] = {'6', 'b', 'l', 'k'}, weights_magic[4] = {'6', 'w', 't', 's'};

/* ---- Numbers as bytes ------------------------------------------------------------------------------------------ */

static uint8_t *put(uint8_t *out, const void *numbers, size_t count, size_t width) {
  memcpy(out, numbers, count * width);
  little_numbers(out, count, width);
  return out + count * width;
}

static const uint8_t *get(const uint8_t *in, void *numbers, size_t count, size_t width) {
  memcpy(numbers, in, count * width);
  little_numbers(numbers, count, width);
  return in + count * width;
}

/* A number, and an array of numbers. */
#define PUT(out, value) ((out) = put(out, &(value), 1, sizeof(value)))
#define GET(in, value)  ((in) = get(in, &(value), 1, sizeof(value)))
#define PUT_ALL(out, array) \
  ((out) = put(out, array, sizeof(array) / sizeof *(array), sizeof *(array)))
#define GET_ALL(in, array) ((in) = get(in, array, sizeof(array) / sizeof *(array), sizeof *(array)))

static uint32_t sum_without(const uint8_t *bytes, size_t size, size_t at) {
  static const uint8_t zeros[4];
  uint32_t crc = crc_add(0, bytes, at);
  crc = crc_add(crc, zeros, 4);
  return crc_add(crc, bytes + at + 4, size - at - 4);
}

static size_t frame_size(const apex_form *f) { return (size_t)f->width * (size_t)f->height; }

size_t apex_block_bound(const apex_form *f) {
  return HEADER + (size_t)f->block * (STEP + EPISODE + frame_size(f)) + SPANS_SLACK;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* The codes of all frames, and their sizes. */
static size_t put_codes(const apex_form *f, const apex_block *b, const uint8_t *frames,
                        uint16_t *sizes, uint8_t *out) {
  const size_t size = frame_size(f);
  uint8_t key[SPANS_SIZE_MAX + SPANS_SLACK];
  uint8_t *at = out;
  for (int i = 0; i < b->count; i++, frames += size) {
    size_t bytes = i ? spans_encode(frames - size, frames, size, at) : size + 1;
    sizes[i] = (uint16_t)bytes;
    if (bytes > size / 16) { /* long: by itself may be shorter */
      size_t by_itself = spans_encode_key(frames, f->width, f->height, key);
      if (by_itself < bytes) {
        memcpy(at, key, by_itself);
        bytes = by_itself;
        sizes[i] = (uint16_t)(BY_ITSELF | by_itself);
      }
    }
    at += bytes;
  }
  return (size_t)(at - out);
}

static uint8_t *put_episode(const apex_episode *e, uint8_t *out) {
  const int32_t numbers[5] = {e->position, e->end, e->mode, e->difficulty, e->level};
  const uint32_t zero = 0;
  PUT_ALL(out, numbers);
  PUT(out, zero);
  PUT(out, e->frames);
  PUT(out, e->steps);
  PUT_ALL(out, e->score);
  return out;
}

size_t apex_block_write(const apex_form *f, const apex_block *b, const uint8_t *frames,
                        uint8_t *out) {
  uint16_t sizes[APEX_BLOCK_MAX];
  uint8_t *at = out + HEADER;
  for (int i = 0; i < b->count; i++) *at++ = b->steps[i].action;
  for (int i = 0; i < b->count; i++) *at++ = b->steps[i].flags;
  for (int i = 0; i < b->count; i++) *at++ = b->steps[i].frames;
  uint8_t *sizes_at = at;
  at += 2 * b->count;
  for (int i = 0; i < b->count; i++) PUT(at, b->steps[i].reward);
  for (int i = 0; i < b->count; i++) PUT(at, b->steps[i].priority);
  for (int i = 0; i < b->episode_count; i++) at = put_episode(&b->episodes[i], at);
  const size_t codes = put_codes(f, b, frames, sizes, at);
  put(sizes_at, sizes, (size_t)b->count, sizeof *sizes);
  const size_t size = (size_t)(at - out) + codes;

  const uint16_t version = VERSION, count = (uint16_t)b->count,
                 episodes = (uint16_t)b->episode_count;
  const uint16_t limits = SIXER_LIMITS_MAX;
  const uint32_t actor = (uint32_t)b->actor, code_bytes = (uint32_t)codes, zero = 0;
  uint8_t *head = out;
  PUT_ALL(head, block_magic);
  PUT(head, version);
  PUT(head, count);
  PUT(head, episodes);
  PUT(head, limits);
  PUT(head, actor);
  PUT(head, b->first);
  PUT(head, b->version);
  PUT(head, code_bytes);
  PUT(head, zero);
  PUT(head, zero); /* CRC_AT */
  PUT(head, zero);
  const uint32_t crc = sum_without(out, size, CRC_AT);
  put(out + CRC_AT, &crc, 1, sizeof crc);
  return size;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static bool get_header(const apex_form *f, const uint8_t *in, size_t size, apex_block *b,
                       size_t *codes) {
  char magic[4];
  uint16_t version, count, episodes, limits;
  uint32_t actor, code_bytes, zero, crc, end;
  const uint8_t *bytes = in;
  if (size < HEADER || size > apex_block_bound(f)) return false;
  GET_ALL(in, magic);
  GET(in, version);
  GET(in, count);
  GET(in, episodes);
  GET(in, limits);
  GET(in, actor);
  GET(in, b->first);
  GET(in, b->version);
  GET(in, code_bytes);
  GET(in, zero);
  GET(in, crc);
  GET(in, end);
  if (memcmp(magic, block_magic, 4) != 0 || version != VERSION || limits != SIXER_LIMITS_MAX ||
      count != f->block || episodes > count || actor >= (uint32_t)f->actors || zero || end ||
      b->first < 0 || b->first > INT64_C(1) << 50 || b->version < 0 ||
      b->version > INT64_C(1) << 50)
    return false;
  *codes = code_bytes;
  b->actor = (int)actor;
  b->count = count;
  b->episode_count = episodes;
  return size == HEADER + (size_t)count * STEP + (size_t)episodes * EPISODE + code_bytes &&
         crc == sum_without(bytes, size, CRC_AT);
}

static bool get_steps(const apex_form *f, const uint8_t **from, apex_block *b) {
  const uint8_t *in = *from;
  for (int i = 0; i < b->count; i++) b->steps[i].action = *in++;
  for (int i = 0; i < b->count; i++) b->steps[i].flags = *in++;
  for (int i = 0; i < b->count; i++) b->steps[i].frames = *in++;
  in = get(in, b->sizes, (size_t)b->count, sizeof *b->sizes);
  for (int i = 0; i < b->count; i++) GET(in, b->steps[i].reward);
  for (int i = 0; i < b->count; i++) GET(in, b->steps[i].priority);
  *from = in;
  for (int i = 0; i < b->count; i++) {
    const apex_step *s = &b->steps[i];
    if (s->action >= f->actions || s->flags > (APEX_FIRST | APEX_TERMINAL) ||
        !isfinite(s->reward) || !isfinite(s->priority))
      return false;
  }
  return true;
}

static bool get_episodes(const uint8_t **from, apex_block *b) {
  const uint8_t *in = *from;
  int last = -1;
  for (int i = 0; i < b->episode_count; i++) {
    apex_episode *e = &b->episodes[i];
    int32_t numbers[5];
    uint32_t zero;
    GET_ALL(in, numbers);
    GET(in, zero);
    GET(in, e->frames);
    GET(in, e->steps);
    GET_ALL(in, e->score);
    e->position = numbers[0];
    e->end = numbers[1];
    e->mode = numbers[2];
    e->difficulty = numbers[3];
    e->level = numbers[4];
    bool good = e->position > last && e->position < b->count && e->end >= 0 &&
                e->end <= SIXER_END_STUCK && !zero && e->frames >= 0 &&
                e->frames <= INT64_C(1) << 40 && e->steps >= 1 && e->steps <= INT64_C(1) << 40;
    for (int k = 0; k < SIXER_LIMITS_MAX; k++) good = good && isfinite(e->score[k]);
    if (!good) return false;
    last = e->position;
  }
  *from = in;
  return true;
}

bool apex_block_frame(const apex_form *f, const apex_block *b, int position, const uint8_t **code,
                      uint8_t *frame) {
  const uint16_t size = b->sizes[position];
  const size_t bytes = size & (BY_ITSELF - 1);
  const uint8_t *at = *code;
  *code += bytes;
  if (size & BY_ITSELF) return spans_decode_key(frame, f->width, f->height, at, bytes);
  return position > 0 && spans_decode(frame, frame_size(f), at, bytes);
}

bool apex_block_open(const apex_form *f, const uint8_t *bytes, size_t size, apex_block *b) {
  size_t codes, sum = 0;
  const uint8_t *in = bytes + HEADER;
  if (!get_header(f, bytes, size, b, &codes) || !get_steps(f, &in, b) || !get_episodes(&in, b))
    return false;
  for (int i = 0; i < b->count; i++) sum += b->sizes[i] & (BY_ITSELF - 1);
  if (sum != codes) return false;
  b->codes = in;
  return true;
}

bool apex_block_read(const apex_form *f, const uint8_t *bytes, size_t size, apex_block *b) {
  if (!apex_block_open(f, bytes, size, b)) return false;
  uint8_t frame[SPANS_SIZE_MAX];
  const uint8_t *code = b->codes;
  for (int i = 0; i < b->count; i++) {
    if (!apex_block_frame(f, b, i, &code, frame)) return false;
  }
  return true;
}

/* ---- Weights --------------------------------------------------------------------------------------------------- */

size_t apex_weights_size(size_t count) { return WEIGHTS_HEADER + count * sizeof(float); }

void apex_weights_write(int64_t version, const float *weights, size_t count, uint8_t *out) {
  put(out + WEIGHTS_HEADER, weights, count, sizeof *weights);
  const uint32_t form = VERSION, crc = crc_add(0, out + WEIGHTS_HEADER, count * sizeof *weights);
  const uint64_t number = count;
  uint8_t *at = out;
  memset(out, 0, WEIGHTS_HEADER);
  PUT_ALL(at, weights_magic);
  PUT(at, form);
  PUT(at, version);
  PUT(at, number);
  PUT(at, crc);
}

bool apex_weights_read(const uint8_t *bytes, size_t size, int64_t version, float *weights,
                       size_t count) {
  char magic[4];
  uint32_t form, crc;
  int64_t found;
  uint64_t number;
  if (size != apex_weights_size(count)) return false;
  const uint8_t *in = bytes;
  GET_ALL(in, magic);
  GET(in, form);
  GET(in, found);
  GET(in, number);
  GET(in, crc);
  if (memcmp(magic, weights_magic, 4) != 0 || form != VERSION || found != version ||
      number != count || crc != crc_add(0, bytes + WEIGHTS_HEADER, count * sizeof *weights))
    return false;
  get(bytes + WEIGHTS_HEADER, weights, count, sizeof *weights);
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(weights[i])) return false;
  }
  return true;
}
