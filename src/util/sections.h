/* A container of named sections: the form of checkpoints and saved agents, as a file or as bytes in memory.
 *
 *     magic "6section", format version (u32), zero (u32)
 *     section: name[24] padded with zeros, size of the data (u64), CRC-32 (u32), zero (u32), data
 *     ...
 *     section "end": the number of sections before it (u64); nothing follows
 *
 * Numbers are little-endian. A section's CRC-32 is that of its data followed by its name and size. Data is written and
 * read piece by piece, so a large section needs no copy in memory. A file is written beside its place under a name of
 * its own, synchronized and renamed: readers find the old content or the new, never a part.
 *
 * The reader checks everything first: magic, version, names, sizes within the file, all checksums, the end. What it
 * hands out afterwards is what was written. */
#ifndef SIXER_UTIL_SECTIONS_H
#define SIXER_UTIL_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/little.h"

enum {
  SECTIONS_VERSION = 1,
  SECTIONS_NAME = 24,    /* bytes of a name, the zero byte included */
  SECTIONS_MAX = 1000,   /* sections in a container */
  SECTIONS_MESSAGE = 300 /* bytes of a message */
};

typedef char sections_message[SECTIONS_MESSAGE];

/* ---- Writing --------------------------------------------------------------------------------------------------- */

typedef struct sections_writer sections_writer;

/* Begin a container: a file that will appear at `path` when it is closed, or memory if `path` is NULL. NULL if there
 * is no memory; other errors stick and are reported at the end. */
sections_writer *sections_create(const char *path);

/* Begin a section. Names are 1 to 23 of a-z 0-9 . _ -, each used once; "end" is taken. */
void sections_begin(sections_writer *w, const char *name);

/* Append bytes to the section. */
void sections_put(sections_writer *w, const void *data, size_t size);

/* Append an array of numbers of this width, and of structs of this size and form. */
void sections_put_numbers(sections_writer *w, const void *numbers, size_t count, size_t width);
void sections_put_structs(sections_writer *w, const void *structs, size_t count, size_t size,
                          const little_run *form);
#define sections_put_array(w, array, count) sections_put_numbers(w, array, count, sizeof *(array))
void sections_put_u64(sections_writer *w, uint64_t value);
void sections_put_i64(sections_writer *w, int64_t value);
void sections_put_f64(sections_writer *w, double value);
void sections_put_text(sections_writer *w, const char *text); /* its length (u64) and its bytes */

/* The data of the section so far, in bytes. */
uint64_t sections_written(const sections_writer *w);

/* Something outside of the container failed: report `reason` at the end, and write no file. */
void sections_reject(sections_writer *w, const char *reason);

/* Finish: the file is complete and has its name, or there is no trace of it and the message says why. Frees `w`. */
bool sections_close(sections_writer *w, sections_message message);

/* Finish a container in memory: *bytes is the caller's to free(). Frees `w`. */
bool sections_take(sections_writer *w, void **bytes, size_t *size, sections_message message);

/* Give up: nothing is left. NULL is allowed. */
void sections_abandon(sections_writer *w);

/* ---- Reading --------------------------------------------------------------------------------------------------- */

typedef struct sections_reader sections_reader;

/* Open and check a whole container. NULL with a message if it is missing, damaged, or of another version. */
sections_reader *sections_open(const char *path, sections_message message);

/* The same for bytes in memory, which must live as long as the reader. */
sections_reader *sections_open_memory(const void *bytes, size_t size, sections_message message);
void sections_free(sections_reader *r); /* NULL is allowed */

/* Do these bytes, the first of a file, begin a container? */
bool sections_recognize(const void *bytes, size_t size);

/* The name and size of a section by index; NULL after the last. */
const char *sections_name_at(const sections_reader *r, size_t index, uint64_t *size);

/* Go to the beginning of a section. If there is none of that name, false, and nothing is left to read. */
bool sections_find(sections_reader *r, const char *name);

/* Bytes of the section that are not read yet. Check it before allocating by a number that was read. */
uint64_t sections_left(const sections_reader *r);

/* Read on. Beyond the end of the section the reader fails: this and all later reads give zeros. */
void sections_get(sections_reader *r, void *data, size_t size);
void sections_get_numbers(sections_reader *r, void *numbers, size_t count, size_t width);
void sections_get_structs(sections_reader *r, void *structs, size_t count, size_t size,
                          const little_run *form);
#define sections_get_array(r, array, count) sections_get_numbers(r, array, count, sizeof *(array))
uint64_t sections_get_u64(sections_reader *r);
int64_t sections_get_i64(sections_reader *r);
double sections_get_f64(sections_reader *r);

/* A text and its zero byte into `size` bytes. The reader fails if it does not fit or contains a zero byte. */
void sections_get_text(sections_reader *r, char *text, size_t size);

/* The caller found content that is impossible: the reader fails with this reason. The first one is kept. */
void sections_fail(sections_reader *r, const char *reason);
bool sections_failed(const sections_reader *r);
const char *sections_reason(const sections_reader *r); /* NULL unless it has failed */

#endif
