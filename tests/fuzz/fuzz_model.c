/* Networks from outside: a NumPy archive (.npz) or a safetensors file is put into a checkpoint, or refused with a
 * message; the network of a changed checkpoint is written, or refused. Checksums of archives and sections are mended,
 * or nearly all changes would end there.
 *
 * The first byte of an input says what the rest is: changes (fuzz_edits.h) of a file or of a checkpoint, or the
 * bytes of an archive.
 *
 * runs: 1500 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz/fuzz_edits.h"
#include "fuzz/fuzz_memory_file.h"
#include "fuzz/fuzz_mend_sections.h"
#include "sixer/train.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 20 };

static sixer_model *model;
static uint8_t *checkpoint, *archive, *tensors, *bytes;
static size_t checkpoint_size, archive_size, tensors_size;

static size_t read_back(const char *path, uint8_t *to) {
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(to, 1, ROOM, file) : 0;
  if (!size || size == ROOM) abort();
  fclose(file);
  remove(path);
  return size;
}

/* A checkpoint of a small network, and its archive. */
static void make(void) {
  char folder[] = "/tmp/sixer-fuzz-XXXXXX", path[100], name[140];
  sixer_train_settings settings = sixer_train_settings_default();
  sixer_train *train = NULL;
  sixer_protocol *protocol = NULL;
  sixer_rom *rom = NULL;
  sixer_error error = {SIXER_OK, ""};
  if (!mkdtemp(folder) || sixer_protocol_open("machado2018", &protocol, &error) ||
      sixer_rom_open("sporefall", NULL, &rom, &error))
    abort();
  snprintf(path, sizeof path, "%s/run", folder);
  settings.rom = rom;
  settings.agent = "dqn";
  settings.options = "trunk=quick,hidden=16,size=24,memory=100,start=8,batch=4";
  settings.protocol = protocol;
  settings.seed = 1;
  settings.frames = 100000;
  settings.path = path;
  if (sixer_train_create(&settings, &train, &error) || sixer_train_run(train, 10, &error) ||
      sixer_train_save(train, &error)) {
    fprintf(stderr, "%s\n", error.message);
    abort();
  }
  sixer_train_destroy(train);
  sixer_rom_close(rom);
  checkpoint = malloc(ROOM);
  archive = malloc(ROOM);
  tensors = malloc(ROOM);
  bytes = malloc(ROOM);
  snprintf(name, sizeof name, "%s.checkpoint", path);
  if (sixer_model_open(name, &model, &error)) abort();
  checkpoint_size = read_back(name, checkpoint);
  snprintf(name, sizeof name, "%s.npz", path);
  if (sixer_model_export(model, name, &error)) abort();
  archive_size = read_back(name, archive);
  snprintf(name, sizeof name, "%s.safetensors", path);
  if (sixer_model_export(model, name, &error)) abort();
  tensors_size = read_back(name, tensors);
  snprintf(name, sizeof name, "rm -r %s", folder);
  if (system(name)) abort();
  sixer_protocol_close(protocol);
}

static uint32_t get32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Correct the checksums of stored members: wherever an entry of the directory is. */
static void mend_archive(uint8_t *from, size_t size) {
  for (size_t at = 0; at + 46 <= size; at++) {
    if (memcmp(from + at, "PK\1\2", 4) != 0) continue;
    const size_t length = get32(from + at + 24), header = get32(from + at + 42);
    if (header + 30 > size) continue;
    const size_t begin = header + 30 + from[header + 26] + 256u * from[header + 27] +
                         from[header + 28] + 256u * from[header + 29];
    if (begin > size || length > size - begin) continue;
    const uint32_t crc = (uint32_t)crc32_z(0, from + begin, length);
    memcpy(from + at + 16, &crc, 4);
  }
}

static void import(const uint8_t *from, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = sixer_model_import(model, fuzz_file(from, size), "/dev/null", &error);
  assert(!err || error.message[0]);
  (void)err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  if (!model) make();
  if (size < 1) return 0;
  switch (data[0] % 5) {
    case 0: /* any bytes */ import(data + 1, size - 1); break;
    case 1: /* a checkpoint */ {
      sixer_model *changed = NULL;
      memcpy(bytes, checkpoint, checkpoint_size);
      fuzz_edit(bytes, checkpoint_size, data + 1, size - 1);
      mend_sections(bytes, checkpoint_size);
      if (sixer_model_open(fuzz_file(bytes, checkpoint_size), &changed, &error)) {
        assert(error.message[0]);
      } else if (sixer_model_export(changed, "/dev/null", &error)) {
        assert(error.message[0]);
      }
      sixer_model_close(changed);
      break;
    }
    case 4: /* the description of a safetensors file */
      memcpy(bytes, tensors, tensors_size);
      fuzz_edit(bytes, tensors_size < 1200 ? tensors_size : 1200, data + 1, size - 1);
      import(bytes, tensors_size);
      break;
    default: /* an archive: its directory, or anywhere */
      memcpy(bytes, archive, archive_size);
      const size_t skip = data[0] % 5 == 2 && archive_size > 1500 ? archive_size - 1500 : 0;
      fuzz_edit(bytes + skip, archive_size - skip, data + 1, size - 1);
      mend_archive(bytes, archive_size);
      import(bytes, archive_size);
  }
  return 0;
}
