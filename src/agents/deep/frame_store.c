/* See frame_store.h. */
#include "agents/deep/frame_store.h"

#include <stdlib.h>
#include <string.h>

#include "agents/deep/spans.h"

enum {
  SIZES = FRAME_BLOCK * (int)sizeof(uint16_t), /* bytes before the codes of a block */
  BY_ITSELF = 0x8000,                          /* in a size */
  TRY_KEY = 8 /* a difference longer than 1/8 of the frame is compared with the frame by itself */
};

static size_t block_most(int width, int height) {
  return SIZES + (size_t)FRAME_BLOCK * (size_t)width * (size_t)height;
}

static int64_t table_size(int64_t frames) { return frames / FRAME_BLOCK + 3; }

size_t frame_store_least(int width, int height) { return 4 * block_most(width, height); }

size_t frame_store_most(int width, int height, int64_t frames) {
  return (size_t)table_size(frames) * block_most(width, height);
}

size_t frame_store_needed(int width, int height, int64_t frames, size_t limit) {
  return limit + 2 * block_most(width, height) + (size_t)table_size(frames) * sizeof(frame_block) +
         3 * ((size_t)width * (size_t)height + SPANS_SLACK);
}

bool frame_store_create(frame_store *s, int width, int height, int64_t frames, size_t limit) {
  size_t size = (size_t)width * (size_t)height;
  *s = (frame_store){
      .width = width, .height = height, .size = size, .limit = limit, .table = table_size(frames)};
  s->blocks = calloc((size_t)s->table, sizeof *s->blocks);
  s->open = calloc(1, block_most(width, height) + SPANS_SLACK);
  s->last = calloc(1, size);
  s->scratch = malloc(2 * (size + SPANS_SLACK));
  bool made = s->blocks && s->open && s->last && s->scratch &&
              region_reserve(&s->arena, limit + block_most(width, height));
  if (made) made = region_commit(&s->arena, limit + block_most(width, height));
  if (!made) frame_store_free(s);
  return made;
}

void frame_store_free(frame_store *s) {
  free(s->blocks);
  free(s->open);
  free(s->last);
  free(s->scratch);
  region_free(&s->arena);
  *s = (frame_store){0};
}

void frame_store_clear(frame_store *s) {
  s->head = s->used = s->open_bytes = 0;
  s->first_block = s->block = s->open_count = 0;
  memset(s->open, 0, SIZES);
}

int64_t frame_store_count(const frame_store *s) { return s->block * FRAME_BLOCK + s->open_count; }

int64_t frame_store_oldest(const frame_store *s) { return s->first_block * FRAME_BLOCK; }

size_t frame_store_used(const frame_store *s) {
  return s->used + SIZES + s->open_bytes +
         (size_t)(s->block - s->first_block) * sizeof(frame_block);
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

static frame_block *block_at(const frame_store *s, int64_t block) {
  return &s->blocks[block % s->table];
}

static void drop_block(frame_store *s) {
  s->used -= (size_t)block_at(s, s->first_block)->bytes;
  s->first_block++;
  if (s->first_block == s->block) s->head = 0;
}

/* A place for the next block, of so many bytes. There always is one: used + bytes <= limit, and what the end of the
 * arena leaves unused is smaller than the room beyond the limit. */
static uint8_t *place_block(frame_store *s, size_t bytes) {
  uint64_t end = s->limit + block_most(s->width, s->height);
  bool empty = s->first_block == s->block;
  bool wrapped = !empty && s->head <= block_at(s, s->first_block)->offset;
  if (!wrapped && s->head + bytes > end) s->head = 0;
  *block_at(s, s->block) = (frame_block){s->head, bytes};
  uint8_t *place = s->arena.data + s->head;
  s->head += bytes;
  s->used += bytes;
  return place;
}

static uint16_t get_size(const uint8_t *block, int frame) {
  uint16_t size;
  memcpy(&size, block + 2 * frame, sizeof size);
  return size;
}

static size_t code_bytes(uint16_t size) { return size & (BY_ITSELF - 1); }

/* ---- Adding ---------------------------------------------------------------------------------------------------- */

/* Encode frame `position` of a block; returns its size as it is stored. */
static uint16_t encode(frame_store *s, int position, const uint8_t *before, const uint8_t *frame,
                       uint8_t *code) {
  if (position == 0)
    return (uint16_t)(BY_ITSELF | spans_encode_key(frame, s->width, s->height, code));
  size_t bytes = spans_encode(before, frame, s->size, code);
  if (bytes > s->size / TRY_KEY) {
    uint8_t *key = s->scratch + s->size + SPANS_SLACK;
    size_t key_bytes = spans_encode_key(frame, s->width, s->height, key);
    if (key_bytes < bytes) {
      memcpy(code, key, key_bytes);
      return (uint16_t)(BY_ITSELF | key_bytes);
    }
  }
  return (uint16_t)bytes;
}

static void close_block(frame_store *s) {
  size_t bytes = SIZES + s->open_bytes;
  while (s->used + bytes > s->limit) drop_block(s);
  memcpy(place_block(s, bytes), s->open, bytes);
  s->block++;
  s->open_count = 0;
  s->open_bytes = 0;
  memset(s->open, 0, SIZES);
}

void frame_store_add(frame_store *s, const uint8_t *frame, int64_t oldest) {
  uint16_t size = encode(s, s->open_count, s->last, frame, s->open + SIZES + s->open_bytes);
  memcpy(s->open + 2 * s->open_count, &size, sizeof size);
  s->open_bytes += code_bytes(size);
  s->open_count++;
  memcpy(s->last, frame, s->size);
  while (s->first_block < s->block && (s->first_block + 1) * FRAME_BLOCK <= oldest) drop_block(s);
  if (s->open_count == FRAME_BLOCK) close_block(s);
}

/* ---- Decoding -------------------------------------------------------------------------------------------------- */

/* Decode one code on top of the frame before. */
static bool decode(const frame_store *s, uint16_t size, const uint8_t *code, uint8_t *pixels) {
  if (size & BY_ITSELF)
    return spans_decode_key(pixels, s->width, s->height, code, code_bytes(size));
  return spans_decode(pixels, s->size, code, code_bytes(size));
}

void frame_store_get(const frame_store *s, frame_walk *walk, int64_t frame, uint8_t *pixels) {
  const int64_t block = frame / FRAME_BLOCK;
  const int wanted = (int)(frame % FRAME_BLOCK);
  const uint8_t *data = block == s->block ? s->open : s->arena.data + block_at(s, block)->offset;
  const uint8_t *code = data + SIZES;
  int at = wanted;
  if (walk->frame <= frame && walk->frame >= block * FRAME_BLOCK) {
    memcpy(pixels, walk->pixels, s->size);
    at = (int)(walk->frame % FRAME_BLOCK) + 1;
    code = walk->next;
  } else {
    uint16_t sizes[FRAME_BLOCK];
    memcpy(sizes, data, sizeof sizes);
    while (at > 0 && !(sizes[at] & BY_ITSELF)) at--;
    for (int i = 0; i < at; i++) code += code_bytes(sizes[i]);
  }
  for (; at <= wanted; at++) {
    const uint16_t size = get_size(data, at);
    decode(s, size, code, pixels); /* cannot fail: the codes are ours, or were checked */
    code += code_bytes(size);
  }
  *walk = (frame_walk){frame, pixels, code};
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

void frame_store_save(const frame_store *s, int64_t oldest, sections_writer *out) {
  int64_t first = oldest / FRAME_BLOCK > s->first_block ? oldest / FRAME_BLOCK : s->first_block;
  for (int64_t b = first; b < s->block; b++) {
    const frame_block *block = block_at(s, b);
    sections_put_u64(out, block->bytes);
    sections_put(out, s->arena.data + block->offset, (size_t)block->bytes);
  }
  sections_put_u64(out, SIZES + s->open_bytes);
  sections_put(out, s->open, SIZES + s->open_bytes);
}

/* Is a block what encoding its frames gives? `last` becomes its last frame. */
static bool check_block(frame_store *s, const uint8_t *block, size_t bytes, int count) {
  size_t sum = SIZES;
  for (int i = 0; i < FRAME_BLOCK; i++) {
    uint16_t size = get_size(block, i);
    if (i >= count && size) return false;
    sum += code_bytes(size);
  }
  if (sum != bytes) return false;
  const uint8_t *code = block + SIZES;
  uint8_t *before = malloc(s->size);
  bool good = before != NULL;
  for (int i = 0; i < count && good; i++) {
    uint16_t size = get_size(block, i);
    memcpy(before, s->last, s->size);
    good = (i > 0 || size & BY_ITSELF) && decode(s, size, code, s->last) &&
           encode(s, i, before, s->last, s->scratch) == size &&
           !memcmp(s->scratch, code, code_bytes(size));
    code += code_bytes(size);
  }
  free(before);
  return good;
}

bool frame_store_load(frame_store *s, int64_t count, int64_t oldest, sections_reader *in) {
  const size_t most = block_most(s->width, s->height);
  frame_store_clear(s);
  s->first_block = s->block = oldest / FRAME_BLOCK;
  bool good = count / FRAME_BLOCK - s->first_block < s->table;
  while (good && s->block < count / FRAME_BLOCK) {
    uint64_t bytes = sections_get_u64(in);
    good = bytes >= SIZES && bytes <= most && bytes <= sections_left(in) &&
           s->used + bytes <= s->limit;
    if (!good) break;
    uint8_t *place = place_block(s, (size_t)bytes);
    sections_get(in, place, (size_t)bytes);
    good = check_block(s, place, (size_t)bytes, FRAME_BLOCK);
    s->block++;
  }
  if (good) {
    uint64_t bytes = sections_get_u64(in);
    good = bytes >= SIZES && bytes <= most && bytes <= sections_left(in);
    if (good) {
      s->open_count = (int)(count % FRAME_BLOCK);
      s->open_bytes = (size_t)bytes - SIZES;
      sections_get(in, s->open, (size_t)bytes);
      good = check_block(s, s->open, (size_t)bytes, s->open_count);
    }
  }
  if (!good) {
    sections_fail(in, "its frames are damaged");
    frame_store_clear(s);
  }
  return good;
}
