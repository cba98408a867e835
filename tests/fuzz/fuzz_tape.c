/* Any bytes as a tape: refused with a message, or surveyed and, with checksums mended so that the fuzzer comes past
 * them, played up to a limit; also with a good head before seconds that the input has. The environment is made once for
 * tapes with the same settings: making one takes as long as twenty frames.
 *
 * runs: 400 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "env/tape_code.h"
#include "fuzz/fuzz_memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS = 40, FRAMES = 60 };

/* Correct the checksums of seconds as far as they can be followed. */
static void mend(uint8_t *bytes, size_t size) {
  uint8_t *at = memmem(bytes, size, "---\n", 4);
  for (at = at ? at + 4 : NULL; at && at < bytes + size;) {
    tape_bytes in = {at, bytes + size, false};
    const uint64_t number = tape_get_varint(&in);
    const int kind = (int)(number & 3);
    const uint64_t length = kind == TAPE_EVENTS ? number >> 2
                            : kind == TAPE_PACKED && number >> 2 <= TAPE_MAX_STEPS
                                ? tape_packed_size((int)(number >> 2))
                                : 0;
    if (in.bad || length + 4 > (uint64_t)(in.end - in.at)) return;
    uint8_t *sum = (uint8_t *)(uintptr_t)in.at + length + 2;
    const uint16_t right = tape_checksum(at, (size_t)(sum - at));
    sum[0] = (uint8_t)right;
    sum[1] = (uint8_t)(right >> 8);
    at = sum + 2;
  }
}

/* An environment with these settings as it was made: the last one again if they are the same. NULL: it was refused. */
static sixer_env *env_for(const sixer_tape *tape, const sixer_config *config) {
  static sixer_rom *rom; /* the tape may name another game: that of its image is played */
  static sixer_env *env;
  static sixer_config last;
  static uint8_t *start;
  sixer_error error = {SIXER_OK, ""};
  enum { ALL = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };
  if (!rom && sixer_rom_open("sporefall", NULL, &rom, NULL)) abort();
  if (env && !memcmp(config, &last, sizeof last)) {
    if (sixer_env_load(env, start, sixer_env_state_size(env, ALL), NULL)) abort();
    return env;
  }
  sixer_env_destroy(env);
  env = NULL;
  if (sixer_tape_env(tape, rom, &env, &error)) {
    assert(error.message[0]);
    return NULL;
  }
  memcpy(&last, config, sizeof last);
  free(start);
  start = malloc(sixer_env_state_size(env, ALL));
  sixer_env_save(env, ALL, start);
  return env;
}

static void play(const uint8_t *bytes, size_t size, bool whole) {
  sixer_error error = {SIXER_OK, ""};
  sixer_tape *tape = NULL;
  if (sixer_tape_open(fuzz_file(bytes, size), &tape, &error)) {
    assert(error.message[0]);
    return;
  }
  const sixer_tape_info info = sixer_tape_describe(tape);
  for (const char *p = info.by; *p; p++) assert((unsigned char)*p >= ' ' || *p == '\t');
  sixer_env *env = whole ? env_for(tape, &info.config) : NULL;
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  const int64_t end = env ? sixer_env_status(env).frames + FRAMES : 0;
  for (int i = 0; env && i < EVENTS && sixer_env_status(env).frames < end; i++) {
    if (sixer_tape_play(tape, env, &event, &error) && error.code != SIXER_ERR_TAPE) break;
    if (event.kind == SIXER_TAPE_END) break;
  }
  sixer_tape_close(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char head[] =
      "sixer tape 1\nversion 1\nmd5 f2afaee4de7f9e93b4a2755ca2aa0063\ngame sporefall\n---\n";
  play(data, size, false);
  uint8_t *bytes = malloc(size + sizeof head);
  if (size) memcpy(bytes, data, size);
  mend(bytes, size);
  play(bytes, size, true);
  memcpy(bytes, head, sizeof head - 1);
  if (size) memcpy(bytes + sizeof head - 1, data, size);
  mend(bytes, size + sizeof head - 1);
  play(bytes, size + sizeof head - 1, true);
  free(bytes);
  return 0;
}
