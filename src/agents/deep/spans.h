/* Compression of frames: gray pictures as spans of pixels that differ from the frame before, or from the row above.
 *
 * A list of spans is a sequence of
 *
 *     skip    pixels that stay: one byte, below 255; 255 means 254 and one more skip byte follows
 *     length  pixels that change: one byte, 0..255
 *     pixels  `length` bytes
 *
 * up to the end of the code; the pixels after the last span stay. Up to two equal pixels between two changes are part
 * of the span, since a new span would cost as much. A list that would be as long as the frame is replaced by the
 * pixels themselves, so a code is never longer than the frame, and one of exactly that length is always the pixels.
 *
 * A key is a frame coded by itself. Its first byte says how:
 *
 *     0  a bitmap of the rows that equal the row above, then the other rows as runs: value, length
 *     1  spans against the same picture shifted down by one row, the first row against zeros
 *
 * whichever is shorter; or the pixels alone, without such a byte. */
#ifndef SIXER_AGENTS_DEEP_SPANS_H
#define SIXER_AGENTS_DEEP_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SPANS_SIDE_MAX = 255,   /* pixels of a row, and rows */
  SPANS_SIZE_MAX = 32767, /* pixels of a frame */
  /* room that an encoder needs beyond the size of the frame while it tries */
  SPANS_SLACK = 1024
};

/* Encode `frame` against `before`, both of `size` pixels. `code` has room for size + SPANS_SLACK bytes; returns how
 * many are used, at most `size`. */
size_t spans_encode(const uint8_t *before, const uint8_t *frame, size_t size, uint8_t *code);

/* Decode in place: `frame` holds the frame before and becomes the frame. False, with the frame in any state, if no
 * encoder makes such a code. Never touches anything outside of `frame` and `code`. */
bool spans_decode(uint8_t *frame, size_t size, const uint8_t *code, size_t bytes);

/* The same for a frame by itself. */
size_t spans_encode_key(const uint8_t *frame, int width, int height, uint8_t *code);
bool spans_decode_key(uint8_t *frame, int width, int height, const uint8_t *code, size_t bytes);

#endif
