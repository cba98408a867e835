/* A ring of compressed frames: the most recent ones of a long sequence. Any of them can be decoded.
 *
 * Frames are numbered from 0 and coded in blocks of 64 (spans.h). Of 16 blocks, the first frame is also kept as it is:
 * their master. A frame is coded as differences from
 *
 *     the master, if it is the first of a block;
 *     the frame before, usually;
 *     the last key, at some of the multiples of 8: an anchor. It is chosen if it is much shorter than the differences
 *     since the last anchor or key together;
 *
 * or by itself, where that is shorter. A key is a frame that is the first of a block or coded by itself. Decoding a
 * frame starts at the nearest earlier anchor or key and applies the differences one after another. Most pixels of a
 * game never change, so that differences from old frames are hardly longer than those from the frame before, and some
 * ten of them are applied to decode a frame. A block is dropped as a whole.
 *
 *     block: which frames are anchors, u64 (bit p: frame p); sizes of the codes, 64 x u16 (bit 15: by itself); codes
 *
 * Complete blocks lie in one arena, one after the other; a block that does not fit after the last one goes to the
 * beginning of the arena. The block that is being filled has its own memory. Which blocks are kept depends on the
 * sizes of blocks alone, not on their places in the arena. */
#ifndef SIXER_AGENTS_DEEP_FRAME_STORE_H
#define SIXER_AGENTS_DEEP_FRAME_STORE_H

#include "sixer/sixer.h"
#include "util/region.h"
#include "util/sections.h"

enum { FRAME_BLOCK = 64 /* frames */, FRAME_MASTER = 16 /* blocks that share a master */ };

typedef struct frame_block {
  uint64_t offset; /* in the arena */
  uint64_t bytes;
} frame_block;

typedef struct frame_store {
  int width, height;
  size_t size;   /* pixels of a frame */
  size_t limit;  /* bytes that complete blocks may take together */
  region arena;  /* limit and room for one block more, which the end may leave unused */
  uint64_t head; /* where the next block goes, if it fits */
  size_t used;   /* bytes of complete blocks */
  frame_block *blocks;
  int64_t table;    /* entries of `blocks`; block b is at b % table */
  uint8_t *masters; /* as many frames; that of block b is number b / 16 % master_count */
  int64_t master_count;
  int64_t first_block, block; /* the oldest complete block, and the one that is being filled */
  int open_count;             /* frames in it */
  size_t open_bytes;          /* of its codes */
  uint8_t *open;              /* the block that is being filled */
  uint8_t *last;              /* the frame that was added last */
  uint8_t *key;               /* the last key */
  size_t since;               /* bytes of the differences since the last anchor or key */
  uint8_t *scratch;           /* two codes */
} frame_store;

/* Room for `frames` frames, as long as their blocks take no more than `limit` bytes. False if there is no memory; all
 * of it is reserved now. */
bool frame_store_create(frame_store *s, int width, int height, int64_t frames, size_t limit);
void frame_store_free(frame_store *s); /* a struct of zeros is allowed */
void frame_store_clear(frame_store *s);

/* The most bytes that a store can take; the smallest allowed `limit`; and a limit that is never reached. */
uint64_t frame_store_needed(int width, int height, int64_t frames, uint64_t limit);
size_t frame_store_least(int width, int height);
uint64_t frame_store_most(int width, int height, int64_t frames);

/* Add a frame, then drop blocks that lie before `oldest` as a whole, and as many more as the limit demands. */
void frame_store_add(frame_store *s, const uint8_t *frame, int64_t oldest);

int64_t frame_store_count(const frame_store *s);  /* frames ever added */
int64_t frame_store_oldest(const frame_store *s); /* number of the oldest that is kept */
size_t frame_store_used(const frame_store *s); /* bytes of blocks, of their table and of masters */

/* The frame that was decoded last, so that the next one can continue from it. Begin with both frames -1, and room for
 * a frame at key_pixels. */
typedef struct frame_walk {
  int64_t frame;
  const uint8_t *pixels; /* of that frame */
  const uint8_t *next;   /* the code behind that of the frame, in its block */
  int64_t key;           /* the key that was decoded last */
  uint8_t *key_pixels;
} frame_walk;

/* Decode the frame into `pixels`, which are not those of `walk`, and make it the last decoded frame of `walk`.
 * Successive frames of a block are decoded fastest in their order. */
void frame_store_get(const frame_store *s, frame_walk *walk, int64_t frame, uint8_t *pixels);

/* Append to a section; read back into an empty store. A master is written before the first block that needs it.
 * `count` and `oldest` are those of the saved store, and the caller has checked that 0 <= oldest <= count. Blocks
 * before the one of `oldest` are not written. False, with the reader failed, if the codes are not what encoding their
 * frames gives. */
void frame_store_save(const frame_store *s, int64_t oldest, sections_writer *out);
bool frame_store_load(frame_store *s, int64_t count, int64_t oldest, sections_reader *in);

#endif
