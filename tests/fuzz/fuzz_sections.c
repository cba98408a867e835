/* Any byte string as a container: it is refused with a message, or every section of it can be read to its end and one
 * byte further, and writing the same sections again gives the same bytes. Checksums are
 * mended before reading, so that the fuzzer comes past them.
 *
 * runs: 3000 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_mend_sections.h"
#include "util/sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *bytes, size_t size) {
  sections_message message = "";
  sections_reader *r = sections_open_memory(bytes, size, message);
  if (!r) {
    assert(message[0]);
    return;
  }
  sections_writer *w = sections_create(NULL);
  uint64_t length;
  const char *name;
  for (size_t i = 0; (name = sections_name_at(r, i, &length)); i++) {
    assert(sections_find(r, name) && sections_left(r) == length && length <= size);
    uint8_t *content = malloc((size_t)length + 1);
    sections_get(r, content, (size_t)length);
    assert(!sections_failed(r) && sections_left(r) == 0);
    sections_begin(w, name);
    sections_put(w, content, (size_t)length);
    free(content);
  }
  void *again;
  size_t again_size;
  assert(sections_take(w, &again, &again_size, message));
  assert(again_size == size && !memcmp(again, bytes, size));
  free(again);
  /* read as texts and numbers, and beyond the end */
  for (size_t i = 0; (name = sections_name_at(r, i, NULL)) && !sections_failed(r); i++) {
    char text[16];
    sections_find(r, name);
    sections_get_text(r, text, sizeof text);
    assert(strlen(text) < sizeof text);
  }
  while (!sections_failed(r)) sections_get_u64(r);
  assert(sections_get_i64(r) == 0 && sections_reason(r));
  sections_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *copy = calloc(1, size ? size : 1);
  if (size) memcpy(copy, data, size);
  read_all(copy, size);
  mend_sections(copy, size);
  read_all(copy, size);
  free(copy);
  return 0;
}
