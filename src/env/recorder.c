/* Recording tapes. The actions of a second of play are collected in memory, then written with one system call together
 * with the digest and a checksum, so a file that is cut off anywhere loses at most its last second. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "env/tape_code.h"
#include "sixer/players.h"
#include "util/os.h"

struct sixer_recorder {
  sixer_env *env;
  int file;
  char *path;
  int64_t written; /* bytes of whole seconds */
  sixer_error failure;

  /* the second being collected */
  uint8_t *events; /* room for the length, the events, digest and checksum */
  size_t size, room;
  uint8_t actions[TAPE_MAX_STEPS];
  int steps;
  bool plain; /* only plain steps so far: they can be packed */
  int run_action, run_length;
  int64_t second_start; /* frame count of the env at its start */
  int64_t played;       /* frames of it, those of resets counted roughly */
  uint32_t digest;
  int mode, difficulty, level, levels;
  int switches; /* of the last step */
  int64_t total_steps;
};

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static sixer_err write_bytes(sixer_recorder *r, const uint8_t *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ptrdiff_t n = os_write(r->file, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int reason = n < 0 ? errno : ENOSPC;
      /* cut the file back to whole seconds; if that fails too, the reader detects the incomplete one */
      if (os_truncate(r->file, r->written) == 0) os_seek(r->file, r->written);
      return sixer_fail(
          &r->failure, SIXER_ERR_FILE,
          "%s: recording stopped, the tape is good up to here: %s (make room and record "
          "again)",
          r->path, strerror(reason));
    }
    done += (size_t)n;
  }
  r->written += (int64_t)size;
  return SIXER_OK;
}

static void put_u16(uint8_t *out, uint32_t value) {
  out[0] = (uint8_t)value;
  out[1] = (uint8_t)(value >> 8);
}

static void put_u32(uint8_t *out, uint32_t value) {
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(value >> 8 * i);
}

/* `number`: bytes, actions or steps, depending on the kind (tape_code.h). */
static sixer_err write_second(sixer_recorder *r, int kind, uint64_t number, const uint8_t *content,
                              size_t size, uint32_t digest) {
  uint8_t *out = malloc(size + 32);
  if (!out) return sixer_fail(&r->failure, SIXER_ERR_MEMORY, "out of memory for a tape");
  size_t n = tape_put_varint(out, number << 2 | (unsigned)kind);
  if (size) memcpy(out + n, content, size);
  n += size;
  put_u16(out + n, digest);
  n += 2;
  put_u16(out + n, tape_checksum(out, n));
  n += 2;
  sixer_err err = write_bytes(r, out, n);
  free(out);
  return err;
}

/* ---- Collecting ------------------------------------------------------------------------------------------------ */

static bool reserve(sixer_recorder *r, size_t more) {
  if (r->size + more <= r->room) return true;
  size_t room = 2 * (r->size + more);
  uint8_t *events = realloc(r->events, room);
  if (!events) {
    sixer_fail(&r->failure, SIXER_ERR_MEMORY, "out of memory for a tape");
    return false;
  }
  r->events = events;
  r->room = room;
  return true;
}

/* Write the run of equal plain steps that was collected. */
static sixer_err end_run(sixer_recorder *r) {
  if (!reserve(r, 48)) return r->failure.code; /* for this run and an event after it */
  if (r->run_length > 12) {
    r->events[r->size++] = EVENT_RUN;
    r->events[r->size++] = (uint8_t)r->run_action;
    r->size += tape_put_varint(r->events + r->size, (uint64_t)r->run_length);
  } else if (r->run_length > 0) {
    r->events[r->size++] = (uint8_t)(r->run_action + SIXER_ACTION_COUNT * (r->run_length - 1));
  }
  r->run_length = 0;
  return SIXER_OK;
}

/* The step that follows is cut off after so many frames. */
static sixer_err put_cut(sixer_recorder *r, int frames) {
  sixer_err err = end_run(r);
  if (err) return err;
  r->plain = false;
  r->events[r->size++] = EVENT_CUT; /* end_run() has made room */
  r->size += tape_put_varint(r->events + r->size, (uint64_t)frames);
  return SIXER_OK;
}

/* The console's switches have changed: note it before the step. */
static sixer_err put_switches(sixer_recorder *r, int switches) {
  sixer_err err = end_run(r);
  if (err) return err;
  r->plain = false;
  r->switches = switches;
  r->events[r->size++] = EVENT_SWITCHES; /* end_run() has made room */
  r->events[r->size++] = (uint8_t)switches;
  return SIXER_OK;
}

static void begin_second(sixer_recorder *r) {
  r->size = 0;
  r->steps = 0;
  r->plain = true;
  r->run_length = 0;
  r->played = 0;
  r->second_start = sixer_env_status(r->env).frames;
}

static sixer_err end_second(sixer_recorder *r) {
  sixer_err err = end_run(r);
  if (err) return err;
  if (r->size == 0) return SIXER_OK;
  r->digest = tape_digest_second(r->digest, r->env, r->env->config.picture);
  uint8_t packed[TAPE_PACKED_MAX(TAPE_MAX_STEPS)];
  if (r->plain && tape_packed_size(r->steps) <= r->size) {
    size_t size = tape_pack(r->actions, r->steps, packed);
    err = write_second(r, TAPE_PACKED, (uint64_t)r->steps, packed, size, r->digest);
  } else {
    err = write_second(r, TAPE_EVENTS, r->size, r->events, r->size, r->digest);
  }
  begin_second(r);
  return err;
}

static sixer_err maybe_end_second(sixer_recorder *r) {
  int64_t frames = sixer_env_status(r->env).frames - r->second_start;
  bool full = frames >= tape_frames_per_second(r->env) || r->steps == TAPE_MAX_STEPS ||
              r->played >= TAPE_MAX_FRAMES || r->size > TAPE_MAX_SECOND / 4;
  return full ? end_second(r) : SIXER_OK;
}

/* A step of several players. */
static sixer_err put_seats(sixer_recorder *r, const sixer_input *input) {
  const int actions[] = {input->action_a, input->action_b, input->action_c, input->action_d};
  const float strengths[] = {input->strength_a, input->strength_b, input->strength_c,
                             input->strength_d};
  int players = r->env->players;
  bool full = true;
  sixer_err err = end_run(r);
  if (err) return err;
  r->plain = false;
  for (int i = 0; i < players; i++) full = full && strengths[i] == 1;
  r->events[r->size++] = full ? EVENT_SEATS : EVENT_SEATS_TURN; /* end_run() has made room */
  r->events[r->size++] = (uint8_t)players;
  for (int i = 0; i < players; i++) r->events[r->size++] = (uint8_t)actions[i];
  for (int i = 0; i < players && !full; i++) {
    uint32_t bits;
    memcpy(&bits, &strengths[i], 4);
    put_u32(r->events + r->size, bits);
    r->size += 4;
  }
  return SIXER_OK;
}

static sixer_err put_input(sixer_recorder *r, sixer_input input) {
  sixer_err err = end_run(r);
  if (err) return err;
  r->plain = false;
  uint8_t *out = r->events + r->size; /* end_run() has made room */
  long steps = (long)(input.strength_a * 255 + 0.5f);
  bool turn = input.strength_a >= 0 && input.strength_a <= 1 &&
              input.strength_a == (float)steps / 255.0f && input.action_b == 0 &&
              input.strength_b == 0;
  if (turn) {
    const uint8_t bytes[] = {EVENT_TURN, (uint8_t)input.action_a, (uint8_t)steps};
    memcpy(out, bytes, sizeof bytes);
    r->size += sizeof bytes;
  } else if (input.strength_a == 1 && input.strength_b == 1) {
    const uint8_t bytes[] = {EVENT_BOTH, (uint8_t)input.action_a, (uint8_t)input.action_b};
    memcpy(out, bytes, sizeof bytes);
    r->size += sizeof bytes;
  } else {
    const uint8_t bytes[] = {EVENT_INPUT, (uint8_t)input.action_a, (uint8_t)input.action_b};
    uint32_t a, b;
    memcpy(&a, &input.strength_a, 4);
    memcpy(&b, &input.strength_b, 4);
    memcpy(out, bytes, sizeof bytes);
    put_u32(out + 3, a);
    put_u32(out + 7, b);
    r->size += 11;
  }
  return SIXER_OK;
}

sixer_err sixer_recorder_step(sixer_recorder *r, sixer_input input, const sixer_result *result) {
  if (r->failure.code) return r->failure.code;
  if ((unsigned)input.action_a >= SIXER_ACTION_COUNT ||
      (unsigned)input.action_b >= SIXER_ACTION_COUNT || input.switches & ~SIXER_SWITCH_ALL ||
      (unsigned)input.action_c >= SIXER_ACTION_COUNT ||
      (unsigned)input.action_d >= SIXER_ACTION_COUNT || input.frames < 0) {
    return SIXER_ERR_ACTION;
  }
  sixer_err err = input.switches != r->switches ? put_switches(r, input.switches) : SIXER_OK;
  if (!err && input.frames) err = put_cut(r, input.frames);
  if (err) return err;
  if (r->env->seated) {
    err = put_seats(r, &input);
  } else if (input.action_b == 0 && input.strength_a == 1 && input.strength_b == 0) {
    if (r->run_length > 0 && r->run_action != input.action_a) err = end_run(r);
    r->run_action = input.action_a;
    r->run_length++;
    if (!err && input.frames) err = end_run(r); /* only this step is cut off */
  } else {
    err = put_input(r, input);
  }
  if (err) return err;
  r->actions[r->steps++] = (uint8_t)input.action_a;
  r->total_steps++;
  r->played += result->frames;
  r->digest = tape_digest_step(r->digest, result);
  r->digest = tape_digest_players(r->digest, r->env);
  return maybe_end_second(r);
}

sixer_err sixer_recorder_reset(sixer_recorder *r) {
  if (r->failure.code) return r->failure.code;
  sixer_err err = end_run(r);
  if (err) return err;
  r->plain = false;
  sixer_status status = sixer_env_status(r->env);
  const sixer_config *config = sixer_env_config(r->env);
  if (config->level != r->level || config->levels != r->levels) {
    r->level = config->level;
    r->levels = config->levels;
    r->events[r->size++] = EVENT_LEVELS;
    r->size += tape_put_varint(r->events + r->size, (uint64_t)r->level);
    r->size += tape_put_varint(r->events + r->size, (uint64_t)r->levels);
  }
  if (status.mode != r->mode || status.difficulty != r->difficulty) {
    r->mode = status.mode;
    r->difficulty = status.difficulty;
    r->events[r->size++] = EVENT_FLAVOR;
    r->size += tape_put_varint(r->events + r->size, (uint64_t)status.mode);
    r->events[r->size++] = (uint8_t)status.difficulty;
  }
  r->events[r->size++] = EVENT_RESET;
  r->played += TAPE_RESET_FRAMES + status.episode_frames;
  return maybe_end_second(r);
}

sixer_err sixer_recorder_state(sixer_recorder *r) {
  if (r->failure.code) return r->failure.code;
  sixer_err err = end_run(r);
  if (err) return err;
  int flags = SIXER_SAVE_CONTROLLER | (r->env->picture_known ? SIXER_SAVE_PICTURE : 0);
  size_t size = sixer_env_state_size(r->env, flags);
  uLongf packed = compressBound((uLong)size);
  uint8_t *state = malloc(size + packed);
  if (!state || !reserve(r, packed + 32)) {
    free(state);
    return sixer_fail(&r->failure, SIXER_ERR_MEMORY, "out of memory for a tape");
  }
  sixer_env_save(r->env, flags, state);
  compress2(state + size, &packed, state, (uLong)size,
            6); /* cannot fail: the room is compressBound() */
  r->plain = false;
  r->events[r->size++] = EVENT_STATE;
  r->size += tape_put_varint(r->events + r->size, size);
  r->size += tape_put_varint(r->events + r->size, packed);
  memcpy(r->events + r->size, state + size, packed);
  r->size += packed;
  free(state);
  sixer_status status = sixer_env_status(r->env);
  r->mode = status.mode;
  r->difficulty = status.difficulty;
  r->second_start = status.frames; /* the state may have another frame count */
  return r->size > TAPE_MAX_SECOND / 4 ? end_second(r) : SIXER_OK;
}

/* ---- Head, begin and end --------------------------------------------------------------------------------------- */

static int put_line(char *head, int at, const char *format, ...) OS_PRINTF(3, 4);
static int put_line(char *head, int at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(head + at, (size_t)(TAPE_MAX_HEAD - at), format, args);
  va_end(args);
  return at + n < TAPE_MAX_HEAD ? at + n : TAPE_MAX_HEAD - 1;
}

#define PUT_unsigned(field) at = put_line(head, at, #field " %u\n", c->field);
#define PUT_signed(field)   at = put_line(head, at, #field " %d\n", c->field);
#define PUT_flag(field)     at = put_line(head, at, #field " %d\n", c->field);
#define PUT_choice(field)   at = put_line(head, at, #field " %d\n", (int)c->field);
#define PUT_real(field)     at = put_line(head, at, #field " %a\n", (double)c->field);
#define PUT_dialect(field)  at = put_line(head, at, #field " %s\n", sixer_dialect_name(c->field));
#define PUT(kind, field)    PUT_##kind(field)

static sixer_err write_head(sixer_recorder *r, const char *by) {
  const sixer_env *env = r->env;
  const sixer_config *c = &env->config;
  char head[TAPE_MAX_HEAD], who[1024];
  snprintf(who, sizeof who, "%s", by ? by : "");
  for (char *p = who; *p; p++) {
    if ((unsigned char)*p < ' ') *p = ' ';
  }
  int at = put_line(head, 0, TAPE_MAGIC);
  at = put_line(head, at, "version %s\nbehavior %d\nmd5 %s\n", SIXER_VERSION, SIXER_BEHAVIOR,
                env->rom->md5);
  if (env->rom->game) at = put_line(head, at, "game %s\n", game_id(env->rom->game));
  at = put_line(head, at, "by %s\n", who);
  TAPE_SETTINGS(PUT)
  if (env->seated) { TAPE_PLAYER_SETTINGS(PUT) }
  if (env->seated && c->corrections != SIXER_CORRECTIONS_DEFAULT) { TAPE_CORRECTION_SETTINGS(PUT) }
  at = put_line(head, at, "rules %s\n", env->rules ? game_hash(env->rules) : "none");
  uLong sum = crc32(0, (const Bytef *)head, (uInt)at);
  at = put_line(head, at, TAPE_HEAD_SUM "%08lx\n" TAPE_HEAD_END, sum);
  return write_bytes(r, (const uint8_t *)head, (size_t)at);
}

/* Is the env in the state in which it was created? Then the tape need not begin with a state. */
static sixer_err is_new(const sixer_env *env, bool *fresh, sixer_error *error) {
  sixer_env *twin;
  *fresh = false;
  sixer_err err = sixer_env_create(env->rom, &env->config, &twin, error);
  if (err) return err;
  size_t size = sixer_env_state_size(env, SIXER_SAVE_CONTROLLER);
  uint8_t *states = calloc(2, size);
  if (states) {
    sixer_env_save(env, SIXER_SAVE_CONTROLLER, states);
    sixer_env_save(twin, SIXER_SAVE_CONTROLLER, states + size);
    *fresh = memcmp(states, states + size, size) == 0;
  }
  free(states);
  sixer_env_destroy(twin);
  return SIXER_OK;
}

sixer_err sixer_recorder_open(const char *path, sixer_env *env, const char *by,
                              sixer_recorder **out, sixer_error *error) {
  bool fresh;
  sixer_err err = is_new(env, &fresh, error);
  if (err) return err;
  sixer_recorder *r = calloc(1, sizeof *r);
  if (!r) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a tape");
  r->env = env;
  r->mode = env->now.mode;
  r->difficulty = env->now.difficulty;
  r->level = env->config.level;
  r->levels = env->config.levels;
  r->path = strdup(path);
  r->file = os_open(path, OS_WRITE | OS_CREATE | OS_NEW);
  if (r->file < 0 || !r->path) {
    err =
        errno == EEXIST
            ? sixer_fail(error, SIXER_ERR_FILE,
                         "%s is there already, and tapes are not overwritten: choose another "
                         "name or remove it",
                         path)
            : sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  } else {
    begin_second(r);
    err = write_head(r, by);
    if (!err && !fresh) err = sixer_recorder_state(r);
    if (err && error) *error = r->failure;
  }
  if (err) {
    if (r->file >= 0) {
      os_close(r->file);
      os_unlink(path);
    }
    free(r->path);
    free(r->events);
    free(r);
    return err;
  }
  *out = r;
  return SIXER_OK;
}

sixer_err sixer_recorder_close(sixer_recorder *r, sixer_error *error) {
  if (!r) return SIXER_OK;
  if (!r->failure.code) end_second(r);
  if (!r->failure.code) write_second(r, TAPE_LAST, (uint64_t)r->total_steps, NULL, 0, r->digest);
  if (!r->failure.code && os_sync(r->file) != 0)
    sixer_fail(&r->failure, SIXER_ERR_FILE, "%s: cannot be written: %s", r->path, strerror(errno));
  if (os_close(r->file) != 0 && !r->failure.code)
    sixer_fail(&r->failure, SIXER_ERR_FILE, "%s: cannot be closed: %s", r->path, strerror(errno));
  sixer_err err = r->failure.code;
  if (err && error) *error = r->failure;
  free(r->path);
  free(r->events);
  free(r);
  return err;
}
