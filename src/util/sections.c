/* Writing containers of named sections: see sections.h. */
#include "util/sections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/replace.h"
#include "util/sections_form.h"
#include "util/os.h"

enum { BUFFER = 1 << 16 };

struct sections_writer {
  char *path; /* NULL if the container is in memory */
  replacement *replaced;
  int file;        /* descriptor of the file that is written */
  uint8_t *bytes;  /* in memory: the container so far; for a file: what is not written yet */
  size_t capacity; /* allocated size of `bytes` */
  size_t used;
  uint64_t flushed; /* bytes of the container that were written to the file */
  uint64_t begin;   /* where the section's header is; 0: no section yet */
  size_t summed;    /* how many of `bytes` need no checksum any more: summed already, or not data */
  uint32_t crc;
  char (*names)[SECTIONS_NAME];
  size_t count;
  sections_message failure;
};

static void fail(sections_writer *w, const char *reason) {
  if (!w->failure[0]) snprintf(w->failure, sizeof w->failure, "%s", reason);
}

static void fail_file(sections_writer *w) {
  if (!w->failure[0])
    snprintf(w->failure, sizeof w->failure, "%.200s: cannot be written: %s", w->path,
             strerror(errno));
}

/* ---- Bytes ----------------------------------------------------------------------------------------------------- */

static uint32_t checksum(uint32_t crc, const void *data, size_t size) {
  return (uint32_t)crc32_z(crc, data, size);
}

static void sum_up(sections_writer *w) {
  w->crc = checksum(w->crc, w->bytes + w->summed, w->used - w->summed);
  w->summed = w->used;
}

static bool write_all(int file, const uint8_t *data, size_t size) {
  while (size) {
    ptrdiff_t done = os_write(file, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      if (done == 0) errno = ENOSPC;
      return false;
    }
    data += done;
    size -= (size_t)done;
  }
  return true;
}

static void flush(sections_writer *w) {
  sum_up(w);
  if (!w->failure[0] && !write_all(w->file, w->bytes, w->used)) fail_file(w);
  w->flushed += w->used;
  w->used = w->summed = 0;
}

static void append(sections_writer *w, const void *data, size_t size) {
  if (w->failure[0] || !size) return;
  if (w->path) {
    if (w->used + size > w->capacity) flush(w);
    if (size >= w->capacity) {
      w->crc = checksum(w->crc, data, size);
      if (!w->failure[0] && !write_all(w->file, data, size)) fail_file(w);
      w->flushed += size;
      return;
    }
  } else if (size > w->capacity - w->used) {
    size_t capacity = w->used + size + w->capacity / 2;
    uint8_t *bytes = capacity > size ? realloc(w->bytes, capacity) : NULL;
    if (!bytes) {
      fail(w, "out of memory for saved bytes");
      return;
    }
    w->bytes = bytes;
    w->capacity = capacity;
  }
  memcpy(w->bytes + w->used, data, size);
  w->used += size;
}

/* Write over bytes that are there already. */
static void patch(sections_writer *w, uint64_t at, const void *data, size_t size) {
  if (w->failure[0]) return;
  if (at >= w->flushed) {
    memcpy(w->bytes + (at - w->flushed), data, size);
  } else if (os_write_at(w->file, data, size, at) != (ptrdiff_t)size) {
    fail_file(w);
  }
}

/* ---- Sections -------------------------------------------------------------------------------------------------- */

uint64_t sections_written(const sections_writer *w) {
  return w->begin ? w->flushed + w->used - w->begin - sizeof(section_header) : 0;
}

/* Give the header of the section its size and checksum. append() keeps it whole in the buffer or in the file. */
static void end_section(sections_writer *w) {
  if (!w->begin) return;
  sum_up(w);
  section_header h = {.size = sections_written(w)};
  memcpy(h.name, w->names[w->count - 1], sizeof h.name);
  section_header_little(&h);
  h.crc = little_32(checksum(w->crc, &h, SECTION_SUMMED));
  patch(w, w->begin, &h, sizeof h);
}

static void begin_section(sections_writer *w, const char *name) {
  if (w->failure[0]) return;
  end_section(w);
  char(*names)[SECTIONS_NAME] = realloc(w->names, (w->count + 1) * sizeof *names);
  if (!names) {
    fail(w, "out of memory for saved bytes");
    return;
  }
  w->names = names;
  memset(names[w->count], 0, sizeof names[0]);
  memcpy(names[w->count++], name, strlen(name));
  w->begin = w->flushed + w->used;
  append(w, &(section_header){0}, sizeof(section_header));
  w->summed = w->used;
  w->crc = 0;
}

void sections_begin(sections_writer *w, const char *name) {
  if (!section_name_ok(name) || !strcmp(name, SECTION_END)) {
    fail(w, "a section has a name that cannot be");
    return;
  }
  if (w->count == SECTIONS_MAX) {
    fail(w, "too many sections");
    return;
  }
  for (size_t i = 0; i < w->count; i++) {
    if (!strcmp(w->names[i], name)) {
      fail(w, "two sections have the same name");
      return;
    }
  }
  begin_section(w, name);
}

void sections_put(sections_writer *w, const void *data, size_t size) {
  if (!w->begin) {
    fail(w, "data before the first section");
    return;
  }
  append(w, data, size);
}

void sections_put_structs(sections_writer *w, const void *structs, size_t count, size_t size,
                          const little_run *form) {
  if (LITTLE_HOST) {
    sections_put(w, structs, count * size);
    return;
  }
  uint8_t one[256];
  assert(size <= sizeof one);
  for (size_t i = 0; i < count; i++) {
    memcpy(one, (const uint8_t *)structs + i * size, size);
    little_structs(one, 1, size, form);
    sections_put(w, one, size);
  }
}

void sections_put_numbers(sections_writer *w, const void *numbers, size_t count, size_t width) {
  const little_run form[] = {{(uint16_t)width, 1}, {0, 0}};
  sections_put_structs(w, numbers, count, width, form);
}

void sections_put_u64(sections_writer *w, uint64_t value) { sections_put_array(w, &value, 1); }

void sections_put_i64(sections_writer *w, int64_t value) { sections_put_array(w, &value, 1); }

void sections_put_f64(sections_writer *w, double value) { sections_put_array(w, &value, 1); }

void sections_put_text(sections_writer *w, const char *text) {
  size_t length = strlen(text);
  sections_put_u64(w, length);
  sections_put(w, text, length);
}

void sections_reject(sections_writer *w, const char *reason) { fail(w, reason); }

/* ---- Begin and end --------------------------------------------------------------------------------------------- */

sections_writer *sections_create(const char *path) {
  sections_writer *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->file = -1;
  w->capacity = path ? BUFFER : 1024;
  w->bytes = malloc(w->capacity);
  if (path) w->path = strdup(path);
  if (!w->bytes || (path && !w->path)) {
    sections_abandon(w);
    return NULL;
  }
  if (path) {
    w->replaced = replace_open(path);
    if (w->replaced)
      w->file = fileno(w->replaced->file);
    else
      fail_file(w);
  }
  sections_start start = {.version = SECTIONS_VERSION};
  memcpy(start.magic, SECTIONS_MAGIC, sizeof start.magic);
  sections_start_little(&start);
  append(w, &start, sizeof start);
  return w;
}

static void finish(sections_writer *w) {
  uint64_t count = little_64(w->count);
  begin_section(w, SECTION_END);
  append(w, &count, sizeof count);
  if (!w->failure[0]) end_section(w);
}

bool sections_close(sections_writer *w, sections_message message) {
  finish(w);
  if (!w->failure[0]) flush(w);
  if (!w->failure[0]) {
    if (!replace_commit(w->replaced)) fail_file(w);
    w->replaced = NULL;
  }
  bool ok = !w->failure[0];
  if (!ok) memcpy(message, w->failure, sizeof w->failure);
  sections_abandon(w);
  return ok;
}

bool sections_take(sections_writer *w, void **bytes, size_t *size, sections_message message) {
  finish(w);
  bool ok = !w->failure[0];
  if (ok) {
    *bytes = w->bytes;
    *size = w->used;
    w->bytes = NULL;
  } else {
    memcpy(message, w->failure, sizeof w->failure);
  }
  sections_abandon(w);
  return ok;
}

void sections_abandon(sections_writer *w) {
  if (!w) return;
  replace_abandon(w->replaced);
  free(w->path);
  free(w->bytes);
  free(w->names);
  free(w);
}
