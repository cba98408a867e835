/* Tapes: a recording replays, and every second is checked by its digest; reading a damaged file gives an error or the
 * undamaged part, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "env/tape_code.h"
#include "support/stick_cartridge.h"
#include "sixer/tape.h"

static char folder[] = "/tmp/sixer-test-tape-XXXXXX";
static char path[100];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/a.tape", folder);
  return 0;
}
static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static uint32_t draw(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

static void must(sixer_err err, const sixer_error *error) {
  if (err) fail_msg("%s", error->message);
}

enum { PLAIN = 1, INPUTS = 2, RESETS = 4, STATES = 8, HELD = 16, SWITCHES = 32, CUTS = 64 };

/* Play `steps` steps of a style and record them; returns the frames played. */
static int64_t record(const sixer_rom *rom, const sixer_config *config, int steps, int style) {
  sixer_error error;
  sixer_env *env;
  sixer_recorder *recorder;
  unlink(path);
  must(sixer_env_create(rom, config, &env, &error), &error);
  must(sixer_recorder_open(path, env, "a test", &recorder, &error), &error);
  size_t size = sixer_env_state_size(env, SIXER_SAVE_PICTURE);
  uint8_t *state = malloc(size);
  sixer_env_save(env, SIXER_SAVE_PICTURE, state);
  uint32_t random = 7;
  int action = 0, switches = 0;
  for (int i = 0; i < steps; i++) {
    if (!(style & HELD) || draw(&random) % 40 == 0) action = (int)(draw(&random) % 18);
    sixer_input input = {.action_a = action, .strength_a = 1};
    if (style & INPUTS && draw(&random) % 3 == 0) {
      switch (draw(&random) % 3) {
        case 0: input.strength_a = (float)(draw(&random) % 256) / 255.0f; break;
        case 1:
          input = (sixer_input){.action_a = action,
                                .action_b = (int)(draw(&random) % 18),
                                .strength_a = 1,
                                .strength_b = 1};
          break;
        default:
          input = (sixer_input){.action_a = action,
                                .action_b = (int)(draw(&random) % 18),
                                .strength_a = 0.3f,
                                .strength_b = -2.5f};
          break;
      }
    }
    if (style & SWITCHES && draw(&random) % 40 == 0)
      switches = (int)draw(&random) & SIXER_SWITCH_ALL;
    input.switches = switches;
    if (style & CUTS && draw(&random) % 20 == 0) input.frames = 1 + (int)(draw(&random) % 5);
    sixer_result result;
    assert_int_equal(sixer_env_step_input(env, input, &result), SIXER_OK);
    assert_int_equal(sixer_recorder_step(recorder, input, &result), SIXER_OK);
    if (draw(&random) % 100 == 0 && (result.over || style & RESETS)) {
      sixer_list list = sixer_rom_difficulties(rom);
      int difficulty = list.items[draw(&random) % (uint32_t)list.count];
      if (style & RESETS) must(sixer_env_set_difficulty(env, difficulty, &error), &error);
      if (style & RESETS && sixer_rom_level_count(rom) > 1 && difficulty)
        must(sixer_env_set_levels(env, (int)(draw(&random) % 200), 1 + 30 * (difficulty & 1),
                                  &error),
             &error);
      sixer_env_reset(env);
      assert_int_equal(sixer_recorder_reset(recorder), SIXER_OK);
    }
    if (style & STATES && draw(&random) % 150 == 0) {
      must(sixer_env_load(env, state, size, &error), &error);
      assert_int_equal(sixer_recorder_state(recorder), SIXER_OK);
    }
  }
  int64_t frames = sixer_env_status(env).frames;
  must(sixer_recorder_close(recorder, &error), &error);
  free(state);
  sixer_env_destroy(env);
  return frames;
}

/* Replay the tape; returns the second in which it differs from the recording or is damaged, -1 if there is none. */
static int64_t replay(const sixer_rom *rom, sixer_error *error) {
  sixer_tape *tape;
  sixer_env *env;
  must(sixer_tape_open(path, &tape, error), error);
  must(sixer_tape_env(tape, rom, &env, error), error);
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  int64_t second = -1;
  while (second < 0 && event.kind != SIXER_TAPE_END) {
    if (sixer_tape_play(tape, env, &event, error))
      second = event.kind == SIXER_TAPE_END ? event.second + 1 : event.second;
  }
  sixer_env_destroy(env);
  sixer_tape_close(tape);
  return second;
}

static uint8_t *read_all(size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  struct stat info;
  assert_int_equal(fstat(fileno(file), &info), 0);
  uint8_t *bytes = malloc((size_t)info.st_size + 1);
  *size = fread(bytes, 1, (size_t)info.st_size, file);
  assert_int_equal(*size, info.st_size);
  fclose(file);
  return bytes;
}

/* The bytes of a new tape of so many steps with the stick cartridge, which is opened. */
static uint8_t *recorded(int steps, int style, sixer_rom **rom, size_t *size) {
  sixer_error error;
  must(stick_cartridge_open(NULL, rom, &error), &error);
  sixer_config config = sixer_config_default();
  record(*rom, &config, steps, style);
  return read_all(size);
}

static void write_all(const uint8_t *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static size_t head_size(const uint8_t *bytes, size_t size) {
  const uint8_t *end = memmem(bytes, size, "\n---\n", 5);
  assert_non_null(end);
  return (size_t)(end - bytes) + 5;
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

static void test_round_trip(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  must(stick_cartridge_open("seaquest", &rom, &error), &error);
  static const int styles[] = {PLAIN,
                               PLAIN | HELD,
                               INPUTS,
                               RESETS,
                               RESETS | STATES | HELD,
                               INPUTS | RESETS | STATES,
                               SWITCHES | HELD,
                               SWITCHES | INPUTS | RESETS | STATES,
                               CUTS | HELD,
                               CUTS | SWITCHES | INPUTS | RESETS};
  for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
    for (int skip = 1; skip <= 4; skip += 3) {
      sixer_config config = sixer_config_default();
      config.seed = 11 + (uint32_t)i;
      config.frame_skip = skip;
      config.color_averaging = i == 1;
      config.noop_starts = i == 3 ? 30 : 0;
      config.random_action = i == 4 ? 0.1f : 0;
      config.max_frames = i == 2 ? 200 : 0;
      record(rom, &config, 700, styles[i]);
      int64_t second = replay(rom, &error);
      if (second >= 0) fail_msg("style %d: %s", styles[i], error.message);

      sixer_tape *tape;
      must(sixer_tape_open(path, &tape, &error), &error);
      sixer_tape_info info = sixer_tape_describe(tape);
      assert_true(info.complete);
      assert_null(info.damage);
      assert_int_equal(info.steps, 700);
      assert_string_equal(info.by, "a test");
      assert_string_equal(info.game, "seaquest");
      assert_int_equal(info.jumps, (styles[i] & STATES) != 0);
      assert_memory_equal(&info.config.sticky, &config.sticky, sizeof config.sticky);
      assert_int_equal(info.config.frame_skip, skip);
      assert_int_equal(info.config.seed, config.seed);
      sixer_tape_close(tape);
    }
  }
  sixer_rom_close(rom);
}

/* Levels are settings of a tape, and may change with a reset. */
static void test_levels(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  must(sixer_rom_open("hedgelight", NULL, &rom, &error), &error);
  static const int styles[] = {RESETS, RESETS | STATES | HELD};
  for (size_t i = 0; i < 2; i++) {
    sixer_config config = sixer_config_default();
    config.level = 200;
    config.levels = 50;
    record(rom, &config, 2000, styles[i]);
    int64_t second = replay(rom, &error);
    if (second >= 0) fail_msg("style %d: %s", styles[i], error.message);
    sixer_tape *tape;
    sixer_env *env;
    must(sixer_tape_open(path, &tape, &error), &error);
    assert_int_equal(sixer_tape_describe(tape).config.level, 200);
    assert_int_equal(sixer_tape_describe(tape).config.levels, 50);
    must(sixer_tape_env(tape, rom, &env, &error), &error);
    assert_in_range(sixer_env_status(env).level, 200, 249);
    sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
    int changes = 0, before = 200;
    while (event.kind != SIXER_TAPE_END) {
      must(sixer_tape_play(tape, env, &event, &error), &error);
      if (event.kind != SIXER_TAPE_RESET) continue;
      assert_in_range(sixer_env_status(env).level, event.level, event.level + event.levels - 1);
      changes += event.level != before;
      before = event.level;
    }
    assert_true(changes > 3);
    sixer_env_destroy(env);
    sixer_tape_close(tape);
  }
  assert_int_equal(unlink(path), 0);
  sixer_rom_close(rom);
}

/* A tape takes less than a byte per step, digests included: random actions at every frame, and held actions. */
static void test_size(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  sixer_config config = sixer_config_default();
  size_t size;
  record(rom, &config, 6000, PLAIN);
  free(read_all(&size));
  assert_in_range(size, 1000, 6000 * 3 / 4);
  record(rom, &config, 6000, HELD);
  free(read_all(&size));
  assert_in_range(size, 1000, 6000 / 2);
  /* an agent's step is five frames in 2013, four later */
  for (config.frame_skip = 4; config.frame_skip <= 5; config.frame_skip++) {
    record(rom, &config, 2000, PLAIN);
    free(read_all(&size));
    assert_in_range(size, 1000, 2000 + 500); /* the head is some 450 bytes */
  }
  sixer_rom_close(rom);
}

static void test_recording_begins_late(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  sixer_env *env;
  sixer_recorder *recorder;
  sixer_tape *tape;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  sixer_config config = sixer_config_default();
  must(sixer_env_create(rom, &config, &env, &error), &error);
  for (int i = 0; i < 100; i++) sixer_env_step(env, i % 18, NULL);
  unlink(path);
  must(sixer_recorder_open(path, env, NULL, &recorder, &error), &error);
  for (int i = 0; i < 200; i++) {
    sixer_input input = {.action_a = i / 3 % 18, .strength_a = 1};
    sixer_result result;
    sixer_env_step_input(env, input, &result);
    assert_int_equal(sixer_recorder_step(recorder, input, &result), SIXER_OK);
  }
  must(sixer_recorder_close(recorder, &error), &error);
  sixer_env_destroy(env);
  if (replay(rom, &error) >= 0) fail_msg("%s", error.message);
  must(sixer_tape_open(path, &tape, &error), &error);
  assert_false(sixer_tape_describe(tape).jumps);
  sixer_tape_close(tape);

  /* and an existing tape is not overwritten */
  must(sixer_env_create(rom, &config, &env, &error), &error);
  assert_int_equal(sixer_recorder_open(path, env, NULL, &recorder, &error), SIXER_ERR_FILE);
  assert_non_null(strstr(error.message, "not overwritten"));
  assert_int_equal(replay(rom, &error), -1);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* The length of a second, and the offset of its content: a second, independent reading of the format. */
static size_t second_size(const uint8_t *at, size_t *content) {
  size_t number = 0, n = 0;
  do { number |= (size_t)(at[n] & 0x7F) << 7 * n; } while (at[n++] & 0x80);
  *content = n;
  size_t size = number >> 2;
  if ((number & 3) == TAPE_PACKED) size = tape_packed_size((int)size);
  if ((number & 3) == TAPE_LAST) size = 0;
  return n + size + 4;
}

/* Make the checksum of a changed second right again. */
static void put_checksum(uint8_t *at, size_t length) {
  uint16_t sum = tape_checksum(at, length - 2);
  at[length - 2] = (uint8_t)sum;
  at[length - 1] = (uint8_t)(sum >> 8);
}

static void test_flipped_bits(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  size_t size, payload;
  uint8_t *bytes = recorded(600, PLAIN, &rom, &size);
  size_t at = head_size(bytes, size);
  for (int second = 0; second < 10; second++) {
    size_t length = second_size(bytes + at, &payload);
    /* any flipped bit is found at its second, by the checksum */
    for (size_t i = 0; i < length; i++) {
      bytes[at + i] ^= (uint8_t)(1 << (i + (size_t)second) % 8);
      write_all(bytes, size);
      assert_int_equal(replay(rom, &error), second);
      bytes[at + i] ^= (uint8_t)(1 << (i + (size_t)second) % 8);
    }
    /* another action with a right checksum is found by the digest: the replay differs */
    bytes[at + payload + 3] ^= 1;
    put_checksum(bytes + at, length);
    write_all(bytes, size);
    assert_int_equal(replay(rom, &error), second);
    assert_non_null(strstr(error.message, "differs from the recording"));
    bytes[at + payload + 3] ^= 1;
    put_checksum(bytes + at, length);
    at += length;
  }
  write_all(bytes, size);
  assert_int_equal(replay(rom, &error), -1);
  free(bytes);
  sixer_rom_close(rom);
}

static void test_cut_off_anywhere(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  sixer_tape *tape;
  size_t size;
  uint8_t *bytes = recorded(300, PLAIN | RESETS, &rom, &size);
  size_t head = head_size(bytes, size);
  int64_t before = 0;
  for (size_t cut = 0; cut < size; cut++) {
    write_all(bytes, cut);
    sixer_err err = sixer_tape_open(path, &tape, &error);
    assert_int_equal(err, cut < head ? SIXER_ERR_TAPE : SIXER_OK);
    if (err) continue;
    sixer_tape_info info = sixer_tape_describe(tape);
    assert_false(info.complete);
    assert_non_null(info.damage);
    assert_true(info.seconds == before || info.seconds == before + 1);
    before = info.seconds;
    sixer_tape_close(tape);
  }
  assert_int_equal(before, 5);
  free(bytes);
  sixer_rom_close(rom);
}

/* A process that is killed while recording leaves all whole seconds. */
static void test_killed(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  sixer_tape *tape;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  unlink(path);
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    sixer_config config = sixer_config_default();
    sixer_env *env;
    sixer_recorder *recorder;
    if (sixer_env_create(rom, &config, &env, NULL) ||
        sixer_recorder_open(path, env, NULL, &recorder, NULL))
      _exit(1);
    for (int i = 0; i < 1000; i++) {
      sixer_input input = {.action_a = i % 18, .strength_a = 1};
      sixer_result result;
      sixer_env_step_input(env, input, &result);
      if (sixer_recorder_step(recorder, input, &result)) _exit(1);
    }
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(1);
  }
  char byte;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  must(sixer_tape_open(path, &tape, &error), &error);
  sixer_tape_info info = sixer_tape_describe(tape);
  assert_int_equal(info.seconds, 1000 / 60);
  assert_false(info.complete);
  sixer_tape_close(tape);
  assert_int_equal(replay(rom, &error), info.seconds);
  assert_non_null(strstr(error.message, "not closed"));
  sixer_rom_close(rom);
}

/* A full disk, by a limit on the size of files: an error that says so, and a tape that is good up to there. */
static void test_full_disk(void **unused) {
  (void)unused;
  sixer_error error = {SIXER_OK, ""};
  sixer_rom *rom;
  sixer_env *env;
  sixer_recorder *recorder;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  sixer_config config = sixer_config_default();
  must(sixer_env_create(rom, &config, &env, &error), &error);
  unlink(path);
  must(sixer_recorder_open(path, env, NULL, &recorder, &error), &error);
  struct rlimit old, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  limit = old;
  limit.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  sixer_err err = SIXER_OK;
  for (int i = 0; i < 5000; i++) {
    sixer_input input = {.action_a = i % 18, .strength_a = 1};
    sixer_result result;
    sixer_env_step_input(env, input, &result);
    sixer_err now = sixer_recorder_step(recorder, input, &result);
    assert_true(!err || now == err); /* after a failure every call fails */
    err = now;
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_int_equal(err, SIXER_ERR_FILE);
  assert_int_equal(sixer_recorder_close(recorder, &error), SIXER_ERR_FILE);
  assert_non_null(strstr(error.message, "good up to here"));
  sixer_tape *tape;
  must(sixer_tape_open(path, &tape, &error), &error);
  int64_t seconds = sixer_tape_describe(tape).seconds;
  sixer_tape_close(tape);
  assert_true(seconds > 3);
  assert_int_equal(replay(rom, &error), seconds);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* Random damage with correct checksums: an error or a replay that differs, but no crash (the sanitizers watch). */
/* Put the right checksum into the head, as somebody would who changes a tape on purpose. */
static void put_head_sum(uint8_t *bytes, size_t head) {
  char sum[20];
  size_t line = strlen("check 01234567\n---\n");
  snprintf(sum, sizeof sum, "check %08lx", crc32(0, bytes, (uInt)(head - line)));
  memcpy(bytes + head - line, sum, strlen(sum));
}

/* A changed head, bytes after the end, and an end that belongs to another tape. */
static void test_changed_tape(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  sixer_tape *tape;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  sixer_config config = sixer_config_default();
  config.sticky = 0;
  record(rom, &config, 200, PLAIN);
  size_t size;
  uint8_t *bytes = read_all(&size), *bad = malloc(size + 10);
  size_t head = head_size(bytes, size);
  /* any change of the head is refused; the seed changes nothing here that the digests would see */
  for (size_t i = 0; i < head; i++) {
    memcpy(bad, bytes, size);
    bad[i] = bad[i] == '1' ? '2' : '1';
    write_all(bad, size);
    assert_int_equal(sixer_tape_open(path, &tape, &error), SIXER_ERR_TAPE);
  }
  char *seed = strstr((char *)bytes, "\nseed ");
  assert_non_null(seed);
  memcpy(bad, bytes, size);
  bad[seed + 6 - (char *)bytes] ^= 1;
  put_head_sum(bad, head);
  write_all(bad, size);
  assert_int_equal(replay(rom, &error), -1); /* the checksum is what protects the line */
  /* bytes after the end */
  memcpy(bad, bytes, size);
  memcpy(bad + size, "junk", 4);
  write_all(bad, size + 4);
  assert_int_equal(replay(rom, &error), 4);
  assert_non_null(strstr(error.message, "4 bytes that are no part of the tape"));
  /* a second is missing in the middle: the end knows how many steps there were */
  size_t payload, length = second_size(bytes + head, &payload);
  memcpy(bad, bytes, head);
  memcpy(bad + head, bytes + head + length, size - head - length);
  write_all(bad, size - length);
  must(sixer_tape_open(path, &tape, &error), &error);
  assert_false(sixer_tape_describe(tape).complete);
  assert_non_null(strstr(sixer_tape_describe(tape).damage, "200 steps"));
  sixer_tape_close(tape);
  free(bytes);
  free(bad);
  sixer_rom_close(rom);
}

/* Of a tape that was cut off, repairing makes a whole one with the seconds that are good. */
static void test_repair(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  sixer_tape *tape;
  size_t size;
  uint8_t *bytes = recorded(300, PLAIN | RESETS, &rom, &size);
  for (size_t cut = head_size(bytes, size); cut <= size; cut += 7) {
    write_all(bytes, cut);
    must(sixer_tape_open(path, &tape, &error), &error);
    sixer_tape_info before = sixer_tape_describe(tape);
    must(sixer_tape_repair(tape, path, &error), &error);
    sixer_tape_close(tape);
    must(sixer_tape_open(path, &tape, &error), &error);
    sixer_tape_info after = sixer_tape_describe(tape);
    assert_true(after.complete && !after.damage);
    assert_int_equal(after.seconds, before.seconds);
    assert_int_equal(after.steps, before.steps);
    sixer_tape_close(tape);
    assert_int_equal(replay(rom, &error), -1);
  }
  free(bytes);
  sixer_rom_close(rom);
}

static void test_nonsense(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  must(stick_cartridge_open("seaquest", &rom, &error), &error);
  sixer_config config = sixer_config_default();
  record(rom, &config, 400, INPUTS | RESETS | STATES);
  size_t size, payload;
  uint8_t *bytes = read_all(&size), *bad = malloc(size);
  size_t head = head_size(bytes, size);
  uint32_t random = 3;
  for (int i = 0; i < 300; i++) {
    memcpy(bad, bytes, size);
    size_t at = head;
    for (int skip = (int)(draw(&random) % 3); skip > 0 && at + 300 < size; skip--)
      at += second_size(bad + at, &payload);
    size_t length = second_size(bad + at, &payload);
    if (length - payload == 4) continue; /* the last second has no content */
    for (int k = 0; k < 3; k++)
      bad[at + payload + draw(&random) % (length - payload - 4)] = (uint8_t)draw(&random);
    put_checksum(bad + at, length);
    write_all(bad, size);
    replay(rom, &error);
  }
  /* and of the head */
  for (int i = 0; i < 300; i++) {
    memcpy(bad, bytes, size);
    size_t where = draw(&random) % head;
    bad[where] = (uint8_t)draw(&random);
    if (i % 2) put_head_sum(bad, head);
    write_all(bad, size);
    sixer_tape *tape;
    sixer_env *env;
    if (sixer_tape_open(path, &tape, &error)) continue;
    if (!sixer_tape_env(tape, rom, &env, &error)) sixer_env_destroy(env);
    sixer_tape_close(tape);
  }
  free(bytes);
  free(bad);
  sixer_rom_close(rom);
}

static void test_wrong_image(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom, *other = NULL;
  sixer_tape *tape;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  sixer_config config = sixer_config_default();
  record(rom, &config, 100, PLAIN);
  must(sixer_tape_open(path, &tape, &error), &error);
  assert_int_equal(sixer_tape_rom(tape, NULL, &other, &error), SIXER_ERR_FILE);
  assert_non_null(strstr(error.message, "name its file"));
  char image[120];
  snprintf(image, sizeof image, "%s/x.bin", folder);
  FILE *file = fopen(image, "wb");
  for (int i = 0; i < 4096; i++) fputc(i, file);
  fclose(file);
  assert_int_equal(sixer_tape_rom(tape, image, &other, &error), SIXER_ERR_TAPE);
  unlink(image);
  assert_null(other);
  sixer_tape_close(tape);
  sixer_rom_close(rom);
}

static void test_starts(void **unused) {
  (void)unused;
  sixer_error error;
  sixer_rom *rom;
  sixer_env *env;
  sixer_starts *starts, *again;
  must(stick_cartridge_open(NULL, &rom, &error), &error);
  sixer_config config = sixer_config_default();
  record(rom, &config, 500, PLAIN);
  const char *tapes[] = {path, path};
  must(sixer_starts_create(tapes, 2, rom, 100, 5, &starts, &error), &error);
  must(sixer_starts_create(tapes, 2, rom, 100, 5, &again, &error), &error);
  assert_int_equal(sixer_starts_count(starts), 100);
  must(sixer_env_create(rom, &config, &env, &error), &error);
  int64_t last = 0, wraps = 0, sum = 0;
  for (int i = 0; i < 100; i++) {
    must(sixer_starts_begin(starts, i, env, &error), &error);
    int64_t frames = sixer_env_status(env).frames;
    assert_non_null(sixer_env_screen(env));
    wraps += frames < last;
    last = frames;
    sum += frames;
    must(sixer_starts_begin(again, i, env, &error), &error);
    assert_int_equal(sixer_env_status(env).frames, frames);
    sixer_result result;
    sixer_env_step(env, 1, &result);
    assert_int_equal(sixer_env_status(env).frames, frames + 1);
  }
  assert_int_equal(wraps, 1);         /* both tapes, in order */
  assert_in_range(sum, 15000, 35000); /* spread over them: the mean is 25050 */
  assert_int_equal(sixer_starts_begin(starts, 100, env, &error), SIXER_ERR_ARGUMENT);
  sixer_starts_destroy(again);
  assert_int_equal(sixer_starts_create(tapes, 2, rom, 1001, 5, &again, &error), SIXER_ERR_TAPE);
  assert_non_null(strstr(error.message, "1000 moments"));
  sixer_starts_destroy(starts);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_levels),
      cmocka_unit_test(test_size),         cmocka_unit_test(test_recording_begins_late),
      cmocka_unit_test(test_flipped_bits), cmocka_unit_test(test_cut_off_anywhere),
      cmocka_unit_test(test_killed),       cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_changed_tape), cmocka_unit_test(test_repair),
      cmocka_unit_test(test_nonsense),     cmocka_unit_test(test_wrong_image),
      cmocka_unit_test(test_starts),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
