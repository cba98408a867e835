/* See spans.h. Both directions look at eight pixels at a time, as one little-endian number. */
#include "agents/deep/spans.h"

#include <string.h>

#include "util/little.h"

enum { GAP = 3 /* equal pixels that end a span */, KEY_RUNS = 0, KEY_ROWS = 1 };

static inline uint64_t eight(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return little_64(v); /* the first pixel is the lowest byte */
}

/* The first position from `at` on where a and b differ; `size` if there is none. */
static inline size_t next_difference(const uint8_t *a, const uint8_t *b, size_t at, size_t size) {
  while (at + 32 <= size &&
         !((eight(a + at) ^ eight(b + at)) | (eight(a + at + 8) ^ eight(b + at + 8)) |
           (eight(a + at + 16) ^ eight(b + at + 16)) | (eight(a + at + 24) ^ eight(b + at + 24))))
    at += 32;
  for (; at + 8 <= size; at += 8) {
    uint64_t different = eight(a + at) ^ eight(b + at);
    if (different) return at + (size_t)__builtin_ctzll(different) / 8;
  }
  while (at < size && a[at] == b[at]) at++;
  return at;
}

/* The end of the span that begins at `at`: GAP equal pixels follow it, or the end. */
static inline size_t span_end(const uint8_t *a, const uint8_t *b, size_t at, size_t size) {
  size_t end = at + 1;
  for (size_t i = end; i < size && i - end < GAP; i++) {
    if (a[i] != b[i]) end = i + 1;
  }
  return end;
}

/* Spans that turn a into b; stops once there are `size` bytes or more. */
static size_t put_spans(const uint8_t *a, const uint8_t *b, size_t size, uint8_t *code) {
  uint8_t *out = code;
  size_t last = 0;
  for (size_t at = 0; (at = next_difference(a, b, at, size)) < size;) {
    size_t end = span_end(a, b, at, size), skip = at - last;
    for (; skip >= 255; skip -= 254) *out++ = 255;
    *out++ = (uint8_t)skip;
    for (; end - at > 255; at += 255) {
      *out++ = 255;
      memcpy(out, b + at, 255);
      out += 255;
      *out++ = 0;
    }
    *out++ = (uint8_t)(end - at);
    memcpy(out, b + at, end - at);
    out += end - at;
    last = at = end;
    if ((size_t)(out - code) >= size) break;
  }
  return (size_t)(out - code);
}

size_t spans_encode(const uint8_t *before, const uint8_t *frame, size_t size, uint8_t *code) {
  size_t bytes = put_spans(before, frame, size, code);
  if (bytes < size) return bytes;
  memcpy(code, frame, size);
  return size;
}

/* Copy pixels of which there are usually few. `room`: eight bytes can be read at `from` and written at `to` even if
 * fewer are copied; those behind the copy keep their values. */
static inline void copy_pixels(uint8_t *to, const uint8_t *from, size_t count, bool room) {
  if (count <= 8 && room) {
    uint64_t mask = count < 8 ? ((uint64_t)1 << 8 * count) - 1 : UINT64_MAX;
    uint64_t mixed = little_64((eight(from) & mask) | (eight(to) & ~mask));
    memcpy(to, &mixed, 8);
  } else if (count >= 8 && count <= 16) {
    uint64_t first = little_64(eight(from)), last = little_64(eight(from + count - 8));
    memcpy(to, &first, 8);
    memcpy(to + count - 8, &last, 8);
  } else if (count > 16) {
    /* not one memcpy(): gcc makes it a `rep movs`, which takes some 30 cycles to begin */
    for (size_t at = 0; at + 16 < count; at += 16) memcpy(to + at, from + at, 16);
    memcpy(to + count - 16, from + count - 16, 16);
  } else {
    for (size_t at = 0; at < count; at++) to[at] = from[at];
  }
}

/* The header of the span at *code: the pixels that it skips, *length, and *code behind it. False if it is cut short. */
static inline bool get_span(const uint8_t **code, const uint8_t *end, size_t *skip,
                            size_t *length) {
  const uint8_t *in = *code;
  *skip = 0;
  while (in < end && *in == 255) {
    *skip += 254;
    in++;
  }
  if (end - in < 2) return false;
  *skip += in[0];
  *length = in[1];
  *code = in + 2;
  return (size_t)(end - *code) >= *length;
}

bool spans_decode(uint8_t *frame, size_t size, const uint8_t *code, size_t bytes) {
  if (bytes >= size) {
    if (bytes > size) return false;
    memcpy(frame, code, size);
    return true;
  }
  const uint8_t *end = code + bytes;
  size_t left = size, skip, length;
  while (code < end) {
    if (!get_span(&code, end, &skip, &length) || skip > left || length > left - skip) return false;
    copy_pixels(frame + skip, code, length, left - skip >= 8 && end - code >= 8);
    frame += skip + length;
    left -= skip + length;
    code += length;
  }
  return true;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* The bitmap and the runs, at most `limit` bytes; `limit` or more if there are as many. */
static size_t put_runs(const uint8_t *frame, int width, int height, uint8_t *code, size_t limit) {
  size_t w = (size_t)width, map = ((size_t)height + 7) / 8, at = map;
  if (map >= limit) return limit;
  memset(code, 0, map);
  for (int y = 0; y < height; y++) {
    const uint8_t *row = frame + (size_t)y * w;
    if (y && !memcmp(row, row - w, w)) {
      code[y / 8] |= (uint8_t)(1 << y % 8);
      continue;
    }
    for (size_t x = 0, end; x < w; x = end) {
      for (end = x + 1; end < w && row[end] == row[x];) end++;
      if (at + 2 > limit) return limit;
      code[at++] = row[x];
      code[at++] = (uint8_t)(end - x);
    }
  }
  return at;
}

size_t spans_encode_key(const uint8_t *frame, int width, int height, uint8_t *code) {
  size_t size = (size_t)width * (size_t)height, w = (size_t)width;
  uint8_t above[SPANS_SIZE_MAX], rows[SPANS_SIZE_MAX + SPANS_SLACK];
  memset(above, 0, w);
  memcpy(above + w, frame, size - w);
  size_t by_rows = put_spans(above, frame, size, rows) + 1;
  /* by runs only if that is shorter, and shorter than the pixels */
  size_t limit = by_rows < size ? by_rows : size;
  size_t by_runs = limit ? put_runs(frame, width, height, code + 1, limit - 1) + 1 : limit;
  if (by_runs < limit) {
    code[0] = KEY_RUNS;
    return by_runs;
  }
  if (by_rows < size) {
    code[0] = KEY_ROWS;
    memcpy(code + 1, rows, by_rows - 1);
    return by_rows;
  }
  memcpy(code, frame, size);
  return size;
}

/* Fill pixels [at, to) with a value. Pixels from `to` on may be written too: they are still to come. */
static inline void fill_run(uint8_t *frame, size_t at, size_t to, size_t size, uint8_t value) {
  if (size - to < 16) {
    memset(frame + at, value, to - at);
    return;
  }
  const uint64_t eight_of_it = value * UINT64_C(0x0101010101010101);
  for (; at < to; at += 16) {
    memcpy(frame + at, &eight_of_it, 8);
    memcpy(frame + at + 8, &eight_of_it, 8);
  }
}

/* Pixels [at, to) as those of the row above, or 0 in the first row. Pixels from `to` on may be written too. */
static inline void copy_above(uint8_t *frame, size_t w, size_t at, size_t to, size_t size) {
  if (at < w) {
    size_t end = to < w ? to : w;
    memset(frame + at, 0, end - at);
    at = end;
  }
  if (w >= 16 && size - to >= 16) {
    /* each piece lies a row or more behind its source, which is complete before it is read */
    for (; at < to; at += 16) memcpy(frame + at, frame + at - w, 16);
    return;
  }
  for (size_t part; at < to; at += part) { /* a row at a time: source and target do not overlap */
    part = to - at < w ? to - at : w;
    memcpy(frame + at, frame + at - w, part);
  }
}

static bool get_runs(uint8_t *frame, int width, int height, const uint8_t *code, size_t bytes) {
  size_t w = (size_t)width, size = w * (size_t)height, map = ((size_t)height + 7) / 8, in = map;
  if (map > bytes || (code[0] & 1)) return false;
  for (int y = 0; y < height; y++) {
    size_t at = (size_t)y * w, end = at + w;
    if (code[y / 8] >> y % 8 & 1) {
      copy_above(frame, w, at, end, size);
      continue;
    }
    while (at < end) {
      if (in + 2 > bytes) return false;
      size_t length = code[in + 1];
      if (length < 1 || length > end - at) return false;
      fill_run(frame, at, at + length, size, code[in]);
      at += length;
      in += 2;
    }
  }
  return in == bytes;
}

static bool get_rows(uint8_t *frame, size_t w, size_t size, const uint8_t *code, size_t bytes) {
  const uint8_t *end = code + bytes;
  size_t at = 0, skip, length;
  while (code < end) {
    if (!get_span(&code, end, &skip, &length) || skip > size - at || length > size - at - skip)
      return false;
    copy_above(frame, w, at, at + skip, size);
    at += skip;
    copy_pixels(frame + at, code, length, size - at >= 8 && end - code >= 8);
    at += length;
    code += length;
  }
  copy_above(frame, w, at, size, size);
  return true;
}

bool spans_decode_key(uint8_t *frame, int width, int height, const uint8_t *code, size_t bytes) {
  size_t size = (size_t)width * (size_t)height;
  if (bytes == size) {
    memcpy(frame, code, size);
    return true;
  }
  if (bytes < 1 || bytes > size) return false;
  if (code[0] == KEY_RUNS) return get_runs(frame, width, height, code + 1, bytes - 1);
  if (code[0] == KEY_ROWS) return get_rows(frame, (size_t)width, size, code + 1, bytes - 1);
  return false;
}
