/* Any bytes as a tape: refused with a message, or surveyed and, with checksums mended so that the fuzzer comes past
 * them, played up to a limit; also with good heads, of one player and of several, before seconds that the input has.
 * The environment is made once for tapes with the same settings: making one takes as long as twenty frames.
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

static const char *const heads[] = {
    NULL, /* the input has its own */
    "sixer tape 1\nversion 1\nmd5 f2afaee4de7f9e93b4a2755ca2aa0063\ngame sporefall\n---\n",
    "sixer tape 1\nversion 1\nmd5 cf2b9b0715b58c0f045d23b3ce3f4f77\ngame hearthring\nplayers "
    "4\n---\n",
    "sixer tape 1\nversion 1\nmd5 cf2b9b0715b58c0f045d23b3ce3f4f77\ngame hearthring\nplayers 0\n"
    "dialect ma\n---\n"};
enum { HEADS = sizeof heads / sizeof *heads };

/* An environment for tapes of this kind, with these settings, as it was made: the last one again if they are the same.
 * NULL: it was refused. */
static sixer_env *env_for(const sixer_tape *tape, const sixer_config *config, int kind) {
  static sixer_rom *roms[2]; /* the tape may name another game: that of one of these is played */
  static struct {
    sixer_env *env;
    sixer_config last;
    uint8_t *start;
  } made[HEADS];
  sixer_error error = {SIXER_OK, ""};
  enum { ALL = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };
  if (!roms[0] && (sixer_rom_open("sporefall", NULL, &roms[0], NULL) ||
                   sixer_rom_open("hearthring", NULL, &roms[1], NULL)))
    abort();
  sixer_env **env = &made[kind].env;
  if (*env && !memcmp(config, &made[kind].last, sizeof *config)) {
    if (sixer_env_load(*env, made[kind].start, sixer_env_state_size(*env, ALL), NULL)) abort();
    return *env;
  }
  sixer_env_destroy(*env);
  *env = NULL;
  const bool several = config->players != 1 || config->dialect != SIXER_DIALECT_SIXER;
  if (sixer_tape_env(tape, roms[several], env, &error)) {
    assert(error.message[0]);
    return NULL;
  }
  memcpy(&made[kind].last, config, sizeof *config);
  free(made[kind].start);
  made[kind].start = malloc(sixer_env_state_size(*env, ALL));
  sixer_env_save(*env, ALL, made[kind].start);
  return *env;
}

/* `kind`: which head it has; -1: survey it only. */
static void play(const uint8_t *bytes, size_t size, int kind) {
  sixer_error error = {SIXER_OK, ""};
  sixer_tape *tape = NULL;
  if (sixer_tape_open(fuzz_file(bytes, size), &tape, &error)) {
    assert(error.message[0]);
    return;
  }
  const sixer_tape_info info = sixer_tape_describe(tape);
  for (const char *p = info.by; *p; p++) assert((unsigned char)*p >= ' ' || *p == '\t');
  sixer_env *env = kind >= 0 ? env_for(tape, &info.config, kind) : NULL;
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  const int64_t end = env ? sixer_env_status(env).frames + FRAMES : 0;
  for (int i = 0; env && i < EVENTS && sixer_env_status(env).frames < end; i++) {
    if (sixer_tape_play(tape, env, &event, &error) && error.code != SIXER_ERR_TAPE) break;
    if (event.kind == SIXER_TAPE_END) break;
  }
  sixer_tape_close(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  play(data, size, -1);
  for (int kind = 0; kind < HEADS; kind++) {
    const size_t head = heads[kind] ? strlen(heads[kind]) : 0;
    uint8_t *bytes = malloc(size + head + 1);
    if (head) memcpy(bytes, heads[kind], head);
    if (size) memcpy(bytes + head, data, size);
    mend(bytes, size + head);
    play(bytes, size + head, kind);
    free(bytes);
  }
  return 0;
}
