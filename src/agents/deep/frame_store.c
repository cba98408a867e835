/* See frame_store.h. */
#include "agents/deep/frame_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/spans.h"
#include "util/little.h"

enum {
  HEAD = (int)sizeof(uint64_t),                       /* bytes of a block before the sizes */
  SIZES = HEAD + FRAME_BLOCK * (int)sizeof(uint16_t), /* and before the codes */
  BY_ITSELF = 0x8000,                                 /* in a size */
  TRY_KEY = 8, /* a difference longer than 1/8 of the frame is compared with the frame by itself */
  /* Every eighth frame may be an anchor, if four of its length are no more than the differences since the last one.
   * Smaller numbers give more anchors: batches are drawn faster, and steps take more memory. */
  TRY_ANCHOR = 8,
  ANCHOR_WORTH = 4
};
_Static_assert(FRAME_BLOCK <= 64, "a bit for each frame of a block");

static size_t block_most(int width, int height) {
  return SIZES + (size_t)FRAME_BLOCK * (size_t)width * (size_t)height;
}

static int64_t table_size(int64_t frames) { return frames / FRAME_BLOCK + 3; }

static int64_t masters_of(int64_t blocks) { return blocks / FRAME_MASTER + 2; }

size_t frame_store_least(int width, int height) { return 4 * block_most(width, height); }

uint64_t frame_store_most(int width, int height, int64_t frames) {
  return (uint64_t)table_size(frames) * block_most(width, height);
}

uint64_t frame_store_needed(int width, int height, int64_t frames, uint64_t limit) {
  return limit + 2 * block_most(width, height) +
         (uint64_t)table_size(frames) * sizeof(frame_block) +
         (4 + (uint64_t)masters_of(table_size(frames))) *
             ((uint64_t)width * (uint64_t)height + SPANS_SLACK);
}

bool frame_store_create(frame_store *s, int width, int height, int64_t frames, size_t limit) {
  size_t size = (size_t)width * (size_t)height;
  *s = (frame_store){
      .width = width, .height = height, .size = size, .limit = limit, .table = table_size(frames)};
  s->master_count = masters_of(s->table);
  s->blocks = calloc((size_t)s->table, sizeof *s->blocks);
  s->masters = calloc((size_t)s->master_count, size);
  s->open = calloc(1, block_most(width, height) + SPANS_SLACK);
  s->last = calloc(1, size);
  s->key = calloc(1, size);
  s->scratch = malloc(2 * (size + SPANS_SLACK));
  bool made = s->blocks && s->masters && s->open && s->last && s->key && s->scratch &&
              region_reserve(&s->arena, limit + block_most(width, height));
  if (made) made = region_commit(&s->arena, limit + block_most(width, height));
  if (!made) frame_store_free(s);
  return made;
}

void frame_store_free(frame_store *s) {
  free(s->blocks);
  free(s->masters);
  free(s->open);
  free(s->last);
  free(s->key);
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
  int64_t masters = s->block / FRAME_MASTER - s->first_block / FRAME_MASTER + 1;
  return s->used + SIZES + s->open_bytes +
         (size_t)(s->block - s->first_block) * sizeof(frame_block) + (size_t)masters * s->size;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

static frame_block *block_at(const frame_store *s, int64_t block) {
  return &s->blocks[block % s->table];
}

static uint8_t *master_of(const frame_store *s, int64_t block) {
  return s->masters + (size_t)(block / FRAME_MASTER % s->master_count) * s->size;
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
  memcpy(&size, block + HEAD + 2 * frame, sizeof size);
  return little_16(size);
}

static uint64_t get_anchors(const uint8_t *block) {
  uint64_t anchors;
  memcpy(&anchors, block, sizeof anchors);
  return little_64(anchors);
}

static size_t code_bytes(uint16_t size) { return size & (BY_ITSELF - 1); }

/* ---- Adding ---------------------------------------------------------------------------------------------------- */

/* Encode frame `position` of the block that is being filled: returns its size as it is stored, and whether it is an
 * anchor. The key that the next frames may be coded against, and the bytes since the last anchor, follow. */
static uint16_t encode(frame_store *s, int position, const uint8_t *before, const uint8_t *frame,
                       uint8_t *code, bool *anchor) {
  uint8_t *other = s->scratch + s->size + SPANS_SLACK;
  *anchor = false;
  if (position == 0) before = master_of(s, s->block);
  size_t bytes = spans_encode(before, frame, s->size, code);
  s->since += bytes;
  if (position > 0 && position % TRY_ANCHOR == 0) {
    size_t anchor_bytes = spans_encode(s->key, frame, s->size, other);
    if (anchor_bytes * ANCHOR_WORTH <= s->since) {
      memcpy(code, other, anchor_bytes);
      bytes = anchor_bytes;
      s->since = 0;
      *anchor = true;
    }
  }
  uint16_t stored = (uint16_t)bytes;
  if (bytes > s->size / TRY_KEY) {
    size_t alone = spans_encode_key(frame, s->width, s->height, other);
    if (alone < bytes) {
      memcpy(code, other, alone);
      stored = (uint16_t)(BY_ITSELF | alone);
      *anchor = false;
    }
  }
  if (position == 0 || stored & BY_ITSELF) {
    memcpy(s->key, frame, s->size);
    s->since = 0;
  }
  return stored;
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
  bool anchor;
  if (s->open_count == 0 && s->block % FRAME_MASTER == 0)
    memcpy(master_of(s, s->block), frame, s->size);
  uint16_t size =
      encode(s, s->open_count, s->last, frame, s->open + SIZES + s->open_bytes, &anchor);
  const uint16_t stored = little_16(size);
  memcpy(s->open + HEAD + 2 * s->open_count, &stored, sizeof stored);
  uint64_t anchors = little_64(get_anchors(s->open) | (uint64_t)anchor << s->open_count);
  memcpy(s->open, &anchors, sizeof anchors);
  s->open_bytes += code_bytes(size);
  s->open_count++;
  memcpy(s->last, frame, s->size);
  while (s->first_block < s->block && (s->first_block + 1) * FRAME_BLOCK <= oldest) drop_block(s);
  if (s->open_count == FRAME_BLOCK) close_block(s);
}

/* ---- Decoding -------------------------------------------------------------------------------------------------- */

/* Decode one code on top of the frame that it is a difference from. */
static bool decode(const frame_store *s, uint16_t size, const uint8_t *code, uint8_t *pixels) {
  if (size & BY_ITSELF)
    return spans_decode_key(pixels, s->width, s->height, code, code_bytes(size));
  return spans_decode(pixels, s->size, code, code_bytes(size));
}

/* Where the code of a frame begins in its block. */
static const uint8_t *code_of(const uint8_t *block, int frame) {
  uint16_t sizes[FRAME_BLOCK];
  size_t before = 0;
  memcpy(sizes, block + HEAD, sizeof sizes);
  for (int i = 0; i < frame; i++) before += code_bytes(little_16(sizes[i]));
  return block + SIZES + before;
}

/* The last key before a frame of a block, decoded. */
static const uint8_t *key_before(const frame_store *s, frame_walk *walk, const uint8_t *block,
                                 int64_t number, int frame) {
  int at = frame - 1;
  while (at > 0 && !(get_size(block, at) & BY_ITSELF)) at--;
  const int64_t key = number * FRAME_BLOCK + at;
  if (walk->key == key) return walk->key_pixels;
  const uint16_t size = get_size(block, at);
  if (!(size & BY_ITSELF)) memcpy(walk->key_pixels, master_of(s, number), s->size);
  decode(s, size, code_of(block, at), walk->key_pixels);
  walk->key = key;
  return walk->key_pixels;
}

void frame_store_get(const frame_store *s, frame_walk *walk, int64_t frame, uint8_t *pixels) {
  const int64_t number = frame / FRAME_BLOCK;
  const int wanted = (int)(frame % FRAME_BLOCK);
  const uint8_t *block = number == s->block ? s->open : s->arena.data + block_at(s, number)->offset;
  const uint64_t anchors = get_anchors(block);
  const uint8_t *code, *from = NULL; /* from: what the next code is a difference from */
  int at = wanted;
  if (walk->frame <= frame && walk->frame >= number * FRAME_BLOCK) {
    at = (int)(walk->frame % FRAME_BLOCK) + 1;
    code = walk->next;
    from = walk->pixels;
  } else {
    while (at > 0 && !(get_size(block, at) & BY_ITSELF) && !(anchors >> at & 1)) at--;
    code = code_of(block, at);
    if (at == 0) from = master_of(s, number);
  }
  for (; at <= wanted; at++) {
    const uint16_t size = get_size(block, at);
    if (anchors >> at & 1) from = key_before(s, walk, block, number, at);
    /* a block begins with a frame by itself, an anchor, or a difference from the master: there is always a `from` */
    assert(pixels && (from || size & BY_ITSELF));
    if (from != pixels && !(size & BY_ITSELF)) memcpy(pixels, from, s->size);
    decode(s, size, code, pixels); /* cannot fail: the codes are ours, or were checked */
    from = pixels;
    code += code_bytes(size);
  }
  assert(from); /* the frame that was decoded, or the walk's own */
  if (walk->frame == frame) memcpy(pixels, from, s->size);
  walk->frame = frame;
  walk->pixels = pixels;
  walk->next = code;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

void frame_store_save(const frame_store *s, int64_t oldest, sections_writer *out) {
  int64_t first = oldest / FRAME_BLOCK > s->first_block ? oldest / FRAME_BLOCK : s->first_block;
  for (int64_t b = first; b < s->block; b++) {
    const frame_block *block = block_at(s, b);
    if (b == first || b % FRAME_MASTER == 0) sections_put(out, master_of(s, b), s->size);
    sections_put_u64(out, block->bytes);
    sections_put(out, s->arena.data + block->offset, (size_t)block->bytes);
  }
  if (s->open_count && (first == s->block || s->block % FRAME_MASTER == 0))
    sections_put(out, master_of(s, s->block), s->size);
  sections_put_u64(out, SIZES + s->open_bytes);
  sections_put(out, s->open, SIZES + s->open_bytes);
}

/* Is block number s->block what encoding its frames gives? `last` becomes its last frame. */
static bool check_block(frame_store *s, const uint8_t *block, size_t bytes, int count) {
  size_t sum = SIZES;
  const uint64_t anchors = get_anchors(block);
  for (int i = 0; i < FRAME_BLOCK; i++) {
    uint16_t size = get_size(block, i);
    if (i >= count && (size || anchors >> i & 1)) return false;
    sum += code_bytes(size);
  }
  if (sum != bytes) return false;
  const uint8_t *code = block + SIZES;
  uint8_t *before = malloc(s->size);
  bool good = before != NULL;
  for (int i = 0; i < count && good; i++) {
    uint16_t size = get_size(block, i);
    const bool anchor = anchors >> i & 1;
    bool again;
    memcpy(before, s->last, s->size);
    if (i == 0 || anchor) memcpy(s->last, i == 0 ? master_of(s, s->block) : s->key, s->size);
    good = decode(s, size, code, s->last) &&
           encode(s, i, before, s->last, s->scratch, &again) == size && again == anchor &&
           !memcmp(s->scratch, code, code_bytes(size));
    if (i == 0 && s->block % FRAME_MASTER == 0)
      good = good && !memcmp(s->last, master_of(s, s->block), s->size);
    code += code_bytes(size);
  }
  free(before);
  return good;
}

/* The master of block number s->block, if it was written before it. */
static bool load_master(frame_store *s, sections_reader *in) {
  if (s->block != s->first_block && s->block % FRAME_MASTER != 0) return true;
  if (sections_left(in) < s->size) return false;
  sections_get(in, master_of(s, s->block), s->size);
  return true;
}

bool frame_store_load(frame_store *s, int64_t count, int64_t oldest, sections_reader *in) {
  const size_t most = block_most(s->width, s->height);
  frame_store_clear(s);
  s->first_block = s->block = oldest / FRAME_BLOCK;
  bool good = count / FRAME_BLOCK - s->first_block < s->table;
  while (good && s->block < count / FRAME_BLOCK) {
    if (!(good = load_master(s, in))) break;
    uint64_t bytes = sections_get_u64(in);
    good = bytes >= SIZES && bytes <= most && bytes <= sections_left(in) &&
           s->used + bytes <= s->limit;
    if (!good) break;
    uint8_t *place = place_block(s, (size_t)bytes);
    sections_get(in, place, (size_t)bytes);
    good = check_block(s, place, (size_t)bytes, FRAME_BLOCK);
    s->block++;
  }
  const int open_count = (int)(count % FRAME_BLOCK);
  if (good && open_count) good = load_master(s, in);
  if (good) {
    uint64_t bytes = sections_get_u64(in);
    good = bytes >= SIZES && bytes <= most && bytes <= sections_left(in);
    if (good) {
      s->open_count = open_count;
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
