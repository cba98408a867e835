/* Reading containers of named sections: see sections.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/sections.h"
#include "util/sections_form.h"
#include "util/os.h"

enum { WINDOW = 1 << 16 };

typedef struct section {
  char name[SECTIONS_NAME];
  uint64_t at, size; /* where the data begins, and its length */
} section;

struct sections_reader {
  const uint8_t *bytes; /* the container, if it is in memory; else NULL */
  int file;
  uint64_t size; /* of the container */
  section *sections;
  size_t count;
  uint64_t at, end;        /* what is left to read of the section that was found */
  uint8_t *window;         /* buffer: a part of the file */
  uint64_t window_at;      /* offset of that part in the file */
  size_t window_size;      /* bytes in it */
  sections_message reason; /* why it has failed; empty: it has not */
};

void sections_fail(sections_reader *r, const char *reason) {
  if (!r->reason[0]) snprintf(r->reason, sizeof r->reason, "%s", reason);
}

bool sections_failed(const sections_reader *r) { return r->reason[0] != 0; }

const char *sections_reason(const sections_reader *r) { return r->reason[0] ? r->reason : NULL; }

/* ---- Bytes ----------------------------------------------------------------------------------------------------- */

static bool read_all(int file, uint64_t at, uint8_t *data, size_t size) {
  while (size) {
    ptrdiff_t done = os_read_at(file, data, size, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    at += (uint64_t)done;
    size -= (size_t)done;
  }
  return true;
}

/* Bytes that lie within the container. Small pieces come out of the window. */
static bool read_at(sections_reader *r, uint64_t at, void *data, size_t size) {
  if (r->bytes) {
    if (size) memcpy(data, r->bytes + at, size);
    return true;
  }
  if (size >= WINDOW) return read_all(r->file, at, data, size);
  if (at < r->window_at || at + size > r->window_at + r->window_size) {
    size_t wanted = r->size - at < WINDOW ? (size_t)(r->size - at) : WINDOW;
    r->window_size = 0;
    if (!read_all(r->file, at, r->window, wanted)) return false;
    r->window_at = at;
    r->window_size = wanted;
  }
  if (size) memcpy(data, r->window + (at - r->window_at), size);
  return true;
}

static bool sum_at(sections_reader *r, uint64_t at, uint64_t size, uint32_t *crc) {
  uint8_t piece[4096];
  while (size) {
    size_t part = size < sizeof piece ? (size_t)size : sizeof piece;
    if (!read_at(r, at, piece, part)) return false;
    *crc = (uint32_t)crc32_z(*crc, piece, part);
    at += part;
    size -= part;
  }
  return true;
}

/* ---- Checking -------------------------------------------------------------------------------------------------- */

bool sections_recognize(const void *bytes, size_t size) {
  return size >= sizeof(sections_start) && !memcmp(bytes, SECTIONS_MAGIC, 8);
}

static const char *check_header(const sections_reader *r, const section_header *h, uint64_t at) {
  if (memchr(h->name, 0, sizeof h->name) == NULL || !section_name_ok(h->name) || h->zero)
    return "a section has no proper header";
  for (size_t i = strlen(h->name); i < sizeof h->name; i++) {
    if (h->name[i]) return "a section has no proper header";
  }
  if (h->size > r->size - at) return "it is shorter than it says";
  for (size_t i = 0; i < r->count; i++) {
    if (!strcmp(r->sections[i].name, h->name)) return "two sections have the same name";
  }
  return NULL;
}

/* NULL, or what is wrong. */
static const char *check(sections_reader *r) {
  sections_start start;
  if (r->size < sizeof start || !read_at(r, 0, &start, sizeof start) ||
      memcmp(start.magic, SECTIONS_MAGIC, sizeof start.magic) != 0)
    return "it is no container of sections";
  sections_start_little(&start);
  if (start.version != SECTIONS_VERSION || start.zero) return "it is of another format version";
  for (uint64_t at = sizeof start;;) {
    section_header h;
    uint32_t crc = 0;
    if (r->size - at < sizeof h) return "its end is missing";
    if (!read_at(r, at, &h, sizeof h)) return "it cannot be read";
    const section_header as_read = h;
    section_header_little(&h);
    at += sizeof h;
    const char *wrong = check_header(r, &h, at);
    if (wrong) return wrong;
    if (!sum_at(r, at, h.size, &crc)) return "it cannot be read";
    if ((uint32_t)crc32_z(crc, (const Bytef *)&as_read, SECTION_SUMMED) != h.crc)
      return "a section's checksum is wrong";
    if (!strcmp(h.name, SECTION_END)) {
      uint64_t count;
      if (h.size != sizeof count || !read_at(r, at, &count, sizeof count) ||
          little_64(count) != r->count)
        return "sections are missing";
      return at + h.size == r->size ? NULL : "bytes follow its end";
    }
    if (r->count == SECTIONS_MAX) return "it has too many sections";
    section *sections = realloc(r->sections, (r->count + 1) * sizeof *sections);
    if (!sections) return "out of memory";
    r->sections = sections;
    section *s = &sections[r->count++];
    *s = (section){.at = at, .size = h.size};
    memcpy(s->name, h.name, sizeof s->name);
    at += h.size;
  }
}

static sections_reader *checked(sections_reader *r, const char *name, sections_message message) {
  const char *wrong = check(r);
  if (!wrong) return r;
  snprintf(message, SECTIONS_MESSAGE, "%.200s is damaged or no checkpoint: %s", name, wrong);
  sections_free(r);
  return NULL;
}

sections_reader *sections_open(const char *path, sections_message message) {
  sections_reader *r = calloc(1, sizeof *r);
  if (!r || !(r->window = malloc(WINDOW))) {
    free(r);
    snprintf(message, SECTIONS_MESSAGE, "out of memory");
    return NULL;
  }
  os_status status;
  r->file = os_open(path, OS_READ | OS_NO_WAIT);
  if (r->file < 0 || os_fstat(r->file, &status)) {
    snprintf(message, SECTIONS_MESSAGE, "%.200s: %s", path, strerror(errno));
    sections_free(r);
    return NULL;
  }
  if (status.kind != OS_FILE) {
    snprintf(message, SECTIONS_MESSAGE, "%.200s is not a file", path);
    sections_free(r);
    return NULL;
  }
  r->size = (uint64_t)status.size;
  return checked(r, path, message);
}

sections_reader *sections_open_memory(const void *bytes, size_t size, sections_message message) {
  sections_reader *r = calloc(1, sizeof *r);
  if (!r) {
    snprintf(message, SECTIONS_MESSAGE, "out of memory");
    return NULL;
  }
  r->file = -1;
  r->bytes = bytes ? bytes : (const uint8_t *)"";
  r->size = bytes ? size : 0;
  return checked(r, "what was saved", message);
}

void sections_free(sections_reader *r) {
  if (!r) return;
  if (r->file >= 0) os_close(r->file);
  free(r->window);
  free(r->sections);
  free(r);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

const char *sections_name_at(const sections_reader *r, size_t index, uint64_t *size) {
  if (index >= r->count) return NULL;
  if (size) *size = r->sections[index].size;
  return r->sections[index].name;
}

bool sections_find(sections_reader *r, const char *name) {
  r->at = r->end = 0;
  for (size_t i = 0; i < r->count; i++) {
    if (strcmp(r->sections[i].name, name) != 0) continue;
    r->at = r->sections[i].at;
    r->end = r->at + r->sections[i].size;
    return true;
  }
  return false;
}

uint64_t sections_left(const sections_reader *r) { return r->end - r->at; }

void sections_get(sections_reader *r, void *data, size_t size) {
  if (!r->reason[0] && size > sections_left(r)) sections_fail(r, "a section is too short");
  if (!r->reason[0] && !read_at(r, r->at, data, size)) sections_fail(r, "it cannot be read");
  if (r->reason[0]) {
    if (size) memset(data, 0, size);
  } else {
    r->at += size;
  }
}

void sections_get_structs(sections_reader *r, void *structs, size_t count, size_t size,
                          const little_run *form) {
  sections_get(r, structs, count * size);
  little_structs(structs, count, size, form);
}

void sections_get_numbers(sections_reader *r, void *numbers, size_t count, size_t width) {
  sections_get(r, numbers, count * width);
  little_numbers(numbers, count, width);
}

uint64_t sections_get_u64(sections_reader *r) {
  uint64_t value = 0;
  sections_get_array(r, &value, 1);
  return value;
}

int64_t sections_get_i64(sections_reader *r) {
  int64_t value = 0;
  sections_get_array(r, &value, 1);
  return value;
}

double sections_get_f64(sections_reader *r) {
  double value = 0;
  sections_get_array(r, &value, 1);
  return value;
}

void sections_get_text(sections_reader *r, char *text, size_t size) {
  uint64_t length = sections_get_u64(r);
  if (length >= size) {
    sections_fail(r, "a text is too long");
    length = 0;
  }
  sections_get(r, text, (size_t)length);
  text[length] = 0;
  if (strlen(text) != length) {
    sections_fail(r, "a text contains a zero byte");
    text[0] = 0;
  }
}
