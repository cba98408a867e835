/* Reading tapes and replaying them. The whole file is read, and all its seconds are checked when it is opened. Damaged
 * or malicious files lead to an error and nothing worse. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "env/state.h"
#include "env/tape_code.h"
#include "sixer/players.h"
#include "util/replace.h"
#include "util/text.h"
#include "util/os.h"

enum { MAX_FILE = 1 << 28 }; /* half a billion random actions */

struct sixer_tape {
  char *path;
  uint8_t *file;
  size_t size;          /* of the file */
  size_t first;         /* offset of the first second */
  size_t good;          /* end of the last second that is not damaged */
  uint16_t last_digest; /* of that second */
  char *game, *by, *version;
  bool names_rules; /* the head has a line for the hash of the rules, and so a checksum */
  char damage[160];
  sixer_tape_info info;

  /* where the reader is */
  size_t next;                     /* offset of the next second */
  int64_t second;                  /* number of the current second; -1 before the first */
  tape_bytes events;               /* events of it that were not read yet */
  uint8_t actions[TAPE_MAX_STEPS]; /* unpacked actions of it, if it is packed */
  int packed, packed_at;
  int run_action;
  uint64_t run_left;
  int mode, difficulty, level, levels;
  int switches;      /* of the next step */
  uint16_t recorded; /* digest of the current second, as recorded */
  uint8_t *state;    /* of the last state event */
  bool told;         /* the damage was already reported to the caller */

  uint32_t digest;      /* of the part of the current second that was replayed */
  int64_t second_frame; /* frame count of the env at its start */
  int64_t played;       /* frames of it that were replayed, those of resets counted roughly */
};

/* ---- Head ------------------------------------------------------------------------------------------------------ */

static bool get_signed(const char *text, int *value) {
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (end == text || *end || errno || n < INT32_MIN || n > INT32_MAX) return false;
  *value = (int)n;
  return true;
}
static bool get_unsigned(const char *text, uint32_t *value) {
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  if (end == text || *end || errno || n > UINT32_MAX || *text == '-') return false;
  *value = (uint32_t)n;
  return true;
}
static bool get_flag(const char *text, bool *value) {
  *value = !strcmp(text, "1");
  return *value || !strcmp(text, "0");
}
static bool get_choice(const char *text, sixer_scoring *value) {
  int n;
  if (!get_signed(text, &n) || n < 0 || n > SIXER_SCORING_FIXED) return false;
  *value = (sixer_scoring)n;
  return true;
}
static bool get_real(const char *text, float *value) {
  char *end;
  *value = strtof(text, &end);
  return end != text && !*end;
}

static bool get_dialect(const char *text, sixer_dialect *value) {
  return sixer_dialect_find(text, value);
}

#define GET(kind, field) \
  if (!strcmp(key, #field)) return get_##kind(value, &c->field);

/* Read one setting of the head. Unknown keys are ignored: later versions may add some. */
static bool take_setting(sixer_config *c, const char *key, const char *value) {
  TAPE_SETTINGS(GET)
  TAPE_PLAYER_SETTINGS(GET)
  TAPE_CORRECTION_SETTINGS(GET)
  return true;
}

/* Only ids name a game: a path would be opened. */
static bool is_game_id(const char *value) {
  return *value && strlen(value) < 64 &&
         !value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool take_line(sixer_tape *t, const char *key, const char *value) {
  if (!strcmp(key, "game") && !is_game_id(value)) return false;
  char **text = !strcmp(key, "game")      ? &t->game
                : !strcmp(key, "by")      ? &t->by
                : !strcmp(key, "version") ? &t->version
                                          : NULL;
  if (text) {
    free(*text);
    *text = strdup(value);
    if (*text) text_clean(*text);
    return *text != NULL;
  }
  if (!strcmp(key, "md5")) {
    if (strlen(value) != 32 || value[strspn(value, "0123456789abcdef")]) return false;
    memcpy(t->info.md5, value, 33);
    return true;
  }
  if (!strcmp(key, "rules")) {
    t->names_rules = true;
    if (!strcmp(value, "none")) return true;
    if (strlen(value) != 64) return false;
    memcpy(t->info.rules, value, 65);
    return true;
  }
  if (!strcmp(key, "behavior")) return get_signed(value, &t->info.behavior);
  return take_setting(&t->info.config, key, value);
}

static sixer_err read_head(sixer_tape *t, sixer_error *error) {
  size_t magic = strlen(TAPE_MAGIC);
  if (t->size < magic || memcmp(t->file, TAPE_MAGIC, magic) != 0)
    return sixer_fail(error, SIXER_ERR_TAPE, "%s is not a tape of sixer", t->path);
  t->info.config = sixer_config_default();
  size_t at = magic;
  bool checked = false;
  for (;;) {
    char line[TAPE_MAX_HEAD];
    const uint8_t *start = t->file + at, *newline = memchr(start, '\n', t->size - at);
    size_t length = newline ? (size_t)(newline - start) : 0;
    if (!newline || length >= sizeof line)
      return sixer_fail(error, SIXER_ERR_TAPE, "%s: the head of the tape is cut off", t->path);
    memcpy(line, start, length);
    line[length] = 0;
    at += length + 1;
    if (!strcmp(line, "---")) break;
    if (checked)
      return sixer_fail(error, SIXER_ERR_TAPE, "%s: lines follow the checksum of the head",
                        t->path);
    if (!strncmp(line, TAPE_HEAD_SUM, strlen(TAPE_HEAD_SUM))) {
      char sum[12];
      snprintf(sum, sizeof sum, "%08lx", crc32(0, t->file, (uInt)(start - t->file)));
      if (strcmp(line + strlen(TAPE_HEAD_SUM), sum) != 0)
        return sixer_fail(error, SIXER_ERR_TAPE,
                          "%s: the head of the tape was changed: its checksum is wrong", t->path);
      checked = true;
      continue;
    }
    char *value = strchr(line, ' ');
    if (value) *value++ = 0;
    if (!value || !take_line(t, line, value)) {
      return sixer_fail(error, SIXER_ERR_TAPE, "%s: the head of the tape is damaged at '%s'",
                        t->path, line);
    }
  }
  if (!t->info.md5[0])
    return sixer_fail(error, SIXER_ERR_TAPE, "%s: the tape does not say which image", t->path);
  /* tapes of sixer 0.1.0 have neither */
  if (t->names_rules && !checked)
    return sixer_fail(error, SIXER_ERR_TAPE,
                      "%s: the head of the tape was changed: its checksum is missing", t->path);
  t->first = t->good = at;
  t->info.game = t->game;
  t->info.by = t->by ? t->by : "";
  t->info.version = t->version ? t->version : "";
  return SIXER_OK;
}

/* ---- Seconds --------------------------------------------------------------------------------------------------- */

typedef struct second {
  int kind;
  uint64_t number;
  const uint8_t *content;
  size_t size;
  uint16_t digest;
  size_t end; /* where the next begins */
} second;

/* Read the second at offset `at`. Returns NULL, or what is wrong with it. */
static const char *find_second(const sixer_tape *t, size_t at, second *s) {
  tape_bytes in = {t->file + at, t->file + t->size, false};
  uint64_t number = tape_get_varint(&in);
  if (in.bad) return "is cut off";
  s->kind = (int)(number & 3);
  s->number = number >> 2;
  if (s->kind > TAPE_LAST) return "is of a kind that this version does not know, or damaged";
  if (s->number > (s->kind == TAPE_EVENTS   ? TAPE_MAX_SECOND
                   : s->kind == TAPE_PACKED ? TAPE_MAX_STEPS
                                            : UINT64_MAX))
    return "is damaged";
  s->content = in.at;
  s->size = s->kind == TAPE_EVENTS   ? (size_t)s->number
            : s->kind == TAPE_PACKED ? tape_packed_size((int)s->number)
                                     : 0;
  if ((size_t)(in.end - in.at) < s->size + 4) return "is cut off";
  in.at += s->size;
  s->digest = tape_get_u16(&in);
  uint16_t sum = tape_checksum(t->file + at, (size_t)(in.at - (t->file + at)));
  if (tape_get_u16(&in) != sum) return "is damaged: its checksum is wrong";
  s->end = (size_t)(in.at - t->file);
  return NULL;
}

/* Make a second the current one; false if its content is invalid. */
static bool enter_second(sixer_tape *t, const second *s) {
  t->next = s->end;
  t->second++;
  t->events = (tape_bytes){s->content, s->content + s->size, false};
  t->packed = t->packed_at = 0;
  t->run_left = 0;
  t->recorded = s->digest;
  if (s->kind == TAPE_PACKED) {
    if (!tape_unpack(&t->events, t->actions, (int)s->number)) return false;
    t->packed = (int)s->number;
  }
  return true;
}

/* Forget the rest of the current second. */
static void leave_second(sixer_tape *t) {
  t->events = (tape_bytes){NULL, NULL, false};
  t->packed = t->packed_at = 0;
  t->run_left = 0;
}

static bool second_done(const sixer_tape *t) {
  return t->packed_at == t->packed && t->run_left == 0 && t->events.at == t->events.end;
}

static bool action_fits(int action) { return action < SIXER_ACTION_COUNT; }

static sixer_input plain_input(int action) {
  return (sixer_input){.action_a = action, .strength_a = 1};
}

static float real_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static bool take_state(sixer_tape *t, sixer_tape_event *event) {
  uint64_t size = tape_get_varint(&t->events), packed = tape_get_varint(&t->events);
  if (t->events.bad || size > TAPE_MAX_SECOND || packed > (uint64_t)(t->events.end - t->events.at))
    return false;
  free(t->state);
  t->state = malloc(size ? (size_t)size : 1);
  uLongf got = (uLongf)size;
  if (!t->state || uncompress(t->state, &got, t->events.at, (uLong)packed) != Z_OK || got != size)
    return false;
  t->events.at += packed;
  event->state = t->state;
  event->state_size = (size_t)size;
  event->kind = SIXER_TAPE_STATE;
  return true;
}

/* Does the event that begins with this byte have steps? */
static bool is_step(int code) {
  return code < EVENT_RUNS || (code >= EVENT_RUN && code <= EVENT_INPUT) || code == EVENT_SEATS ||
         code == EVENT_SEATS_TURN;
}

/* A step of several players. */
static bool take_seats(sixer_tape *t, sixer_tape_event *event, bool turn) {
  tape_bytes *in = &t->events;
  int actions[SIXER_PLAYERS_MAX] = {0}, players = tape_get_byte(in);
  float strengths[SIXER_PLAYERS_MAX] = {0};
  if (players < 1 || players > SIXER_PLAYERS_MAX) return false;
  for (int i = 0; i < players; i++) {
    actions[i] = tape_get_byte(in);
    strengths[i] = 1;
    if (!action_fits(actions[i])) return false;
  }
  for (int i = 0; i < players && turn; i++) strengths[i] = real_of(tape_get_u32(in));
  event->input = (sixer_input){.action_a = actions[0],
                               .action_b = actions[1],
                               .action_c = actions[2],
                               .action_d = actions[3],
                               .strength_a = strengths[0],
                               .strength_b = strengths[1],
                               .strength_c = strengths[2],
                               .strength_d = strengths[3]};
  return !in->bad;
}

/* Read the next event of the current second, which must have one left; false if it is invalid. */
static bool take_event(sixer_tape *t, sixer_tape_event *event) {
  tape_bytes *in = &t->events;
  *event = (sixer_tape_event){.kind = SIXER_TAPE_STEP, .second = t->second};
  if (t->packed_at < t->packed) {
    event->input = plain_input(t->actions[t->packed_at++]);
  } else if (t->run_left > 0) {
    event->input = plain_input(t->run_action);
    t->run_left--;
  } else {
    int code = tape_get_byte(in);
    if (code == EVENT_SWITCHES) {
      t->switches = tape_get_byte(in);
      code = tape_get_byte(in);
      /* a step must follow, and bits that mean nothing here would be of a later version */
      if (t->switches & ~SIXER_SWITCH_ALL || !(is_step(code) || code == EVENT_CUT)) return false;
    }
    uint64_t cut = 0;
    if (code == EVENT_CUT) {
      cut = tape_get_varint(in);
      code = tape_get_byte(in);
      /* of one step only */
      bool one = code < SIXER_ACTION_COUNT || (is_step(code) && code >= EVENT_TURN);
      if (cut < 1 || cut > TAPE_MAX_CUT || !one) return false;
    }
    if (code < EVENT_RUNS) {
      t->run_action = code % SIXER_ACTION_COUNT;
      t->run_left = (uint64_t)(code / SIXER_ACTION_COUNT);
      event->input = plain_input(t->run_action);
    } else if (code == EVENT_RUN) {
      t->run_action = tape_get_byte(in);
      t->run_left = tape_get_varint(in);
      if (t->run_left-- == 0 || t->run_left > TAPE_MAX_STEPS) return false;
      event->input = plain_input(t->run_action);
    } else if (code == EVENT_TURN) {
      event->input = plain_input(tape_get_byte(in));
      event->input.strength_a = (float)tape_get_byte(in) / 255.0f;
    } else if (code == EVENT_BOTH || code == EVENT_INPUT) {
      int a = tape_get_byte(in), b = tape_get_byte(in);
      event->input = (sixer_input){.action_a = a, .action_b = b, .strength_a = 1, .strength_b = 1};
      if (code == EVENT_INPUT) {
        event->input.strength_a = real_of(tape_get_u32(in));
        event->input.strength_b = real_of(tape_get_u32(in));
      }
    } else if (code == EVENT_SEATS || code == EVENT_SEATS_TURN) {
      if (!take_seats(t, event, code == EVENT_SEATS_TURN)) return false;
    } else if (code == EVENT_LEVELS || code == EVENT_FLAVOR || code == EVENT_RESET) {
      if (code == EVENT_LEVELS) {
        t->level = (int)(tape_get_varint(in) & INT32_MAX);
        t->levels = (int)(tape_get_varint(in) & INT32_MAX);
        code = tape_get_byte(in);
        if (code != EVENT_FLAVOR && code != EVENT_RESET) return false;
      }
      if (code == EVENT_FLAVOR) {
        t->mode = (int)(tape_get_varint(in) & INT32_MAX);
        t->difficulty = tape_get_byte(in);
        if (tape_get_byte(in) != EVENT_RESET) return false;
      }
      event->kind = SIXER_TAPE_RESET;
      event->mode = t->mode;
      event->difficulty = t->difficulty;
      event->level = t->level;
      event->levels = t->levels;
    } else if (code != EVENT_STATE || !take_state(t, event)) {
      return false;
    }
    event->input.frames = (int)cut;
  }
  if (event->kind == SIXER_TAPE_STEP) event->input.switches = t->switches;
  event->last = second_done(t);
  return !in->bad && action_fits(event->input.action_a) && action_fits(event->input.action_b);
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

void sixer_tape_rewind(sixer_tape *t) {
  t->next = t->first;
  t->second = -1;
  leave_second(t);
  t->mode = SIXER_MODE_DEFAULT;
  t->difficulty = t->info.config.difficulty;
  t->level = t->info.config.level;
  t->levels = t->info.config.levels;
  t->switches = 0;
  t->told = false;
  t->digest = 0;
  t->second_frame = 0;
}

/* Read all events once: count them and find where the undamaged part ends. */
static void survey(sixer_tape *t) {
  sixer_tape_info *info = &t->info;
  sixer_tape_rewind(t);
  const char *wrong = NULL;
  while (t->good < t->size && !info->complete && !wrong) {
    second s;
    wrong = find_second(t, t->good, &s);
    if (!wrong && s.kind == TAPE_LAST) {
      if (s.number != (uint64_t)info->steps || s.digest != t->last_digest) {
        snprintf(t->damage, sizeof t->damage,
                 "its end is that of another tape, with %llu steps; it has %lld",
                 (unsigned long long)s.number, (long long)info->steps);
      } else if (s.end < t->size) {
        snprintf(t->damage, sizeof t->damage, "%zu bytes that are no part of the tape follow it",
                 t->size - s.end);
      }
      info->complete = !t->damage[0];
      break;
    }
    if (!wrong && !enter_second(t, &s)) wrong = "makes no sense";
    int64_t steps = 0, resets = 0;
    bool jumps = false;
    while (!wrong && !second_done(t)) {
      sixer_tape_event event;
      if (!take_event(t, &event)) wrong = "makes no sense";
      steps += event.kind == SIXER_TAPE_STEP;
      resets += event.kind == SIXER_TAPE_RESET;
      /* a state before the first step is the start of the recording, not a jump */
      jumps |= event.kind == SIXER_TAPE_STATE && (info->steps || steps || resets);
    }
    if (wrong) break;
    info->seconds++;
    info->steps += steps;
    info->resets += resets;
    info->jumps |= jumps;
    t->good = s.end;
    t->last_digest = s.digest;
  }
  if (wrong) {
    snprintf(t->damage, sizeof t->damage, "second %lld %s", (long long)info->seconds, wrong);
  } else if (!info->complete && !t->damage[0]) {
    snprintf(t->damage, sizeof t->damage,
             "the tape was not closed: it has %lld second%s, perhaps fewer than were played",
             (long long)info->seconds, info->seconds == 1 ? "" : "s");
  }
  if (t->damage[0]) info->damage = t->damage;
  sixer_tape_rewind(t);
}

static sixer_err read_file(sixer_tape *t, sixer_error *error) {
  FILE *file = os_fopen(t->path, "rb");
  if (!file)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be opened: %s", t->path, strerror(errno));
  size_t room = 0;
  bool enough = true;
  do {
    if (t->size == room) {
      room = room ? 2 * room : 1 << 16;
      if (room > MAX_FILE) break;
      uint8_t *bytes = realloc(t->file, room);
      enough = bytes != NULL;
      if (bytes) t->file = bytes;
    }
    if (enough) t->size += fread(t->file + t->size, 1, room - t->size, file);
  } while (enough && t->size == room);
  bool broken = ferror(file);
  fclose(file);
  if (!enough) return sixer_fail(error, SIXER_ERR_MEMORY, "%s: out of memory for a tape", t->path);
  if (broken) return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be read", t->path);
  if (room > MAX_FILE) {
    return sixer_fail(error, SIXER_ERR_TAPE, "%s is larger than %d MiB: hardly a tape", t->path,
                      MAX_FILE >> 20);
  }
  if (t->size == 0) return sixer_fail(error, SIXER_ERR_TAPE, "%s is empty, not a tape", t->path);
  return SIXER_OK;
}

sixer_err sixer_tape_open(const char *path, sixer_tape **tape, sixer_error *error) {
  sixer_tape *t = calloc(1, sizeof *t);
  if (!t || !(t->path = strdup(path))) {
    free(t);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a tape");
  }
  sixer_err err = read_file(t, error);
  if (!err) err = read_head(t, error);
  if (err) {
    sixer_tape_close(t);
    return err;
  }
  survey(t);
  *tape = t;
  return SIXER_OK;
}

void sixer_tape_close(sixer_tape *t) {
  if (!t) return;
  free(t->path);
  free(t->file);
  free(t->game);
  free(t->by);
  free(t->version);
  free(t->state);
  free(t);
}

sixer_tape_info sixer_tape_describe(const sixer_tape *tape) { return tape->info; }

sixer_err sixer_tape_rom(const sixer_tape *t, const char *path_or_id, sixer_rom **rom,
                         sixer_error *error) {
  sixer_rom *found;
  if (!path_or_id && !t->game) {
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s was played on an image without rules, MD5 %s: name its file", t->path,
                      t->info.md5);
  }
  sixer_err err = sixer_rom_open(path_or_id ? path_or_id : t->game, t->game, &found, error);
  if (err) return err;
  char md5[33];
  memcpy(md5, sixer_rom_describe(found).md5, sizeof md5);
  if (strcmp(md5, t->info.md5) != 0) {
    sixer_rom_close(found);
    return sixer_fail(error, SIXER_ERR_TAPE,
                      "%s was played on an image with MD5 %s; %s has %s: name the right file",
                      t->path, t->info.md5, path_or_id ? path_or_id : t->game, md5);
  }
  *rom = found;
  return SIXER_OK;
}

sixer_err sixer_tape_env(const sixer_tape *t, const sixer_rom *rom, sixer_env **env,
                         sixer_error *error) {
  return sixer_env_create(rom, &t->info.config, env, error);
}

bool sixer_tape_rules_changed(const sixer_tape *t, const sixer_rom *rom) {
  const sixer_config *c = &t->info.config;
  bool seated = c->dialect == SIXER_DIALECT_MA || c->players != 1;
  const game *rules = rom->game && seated ? game_players(rom->game) : rom->game;
  return t->info.rules[0] && (!rules || strcmp(game_hash(rules), t->info.rules) != 0);
}

/* Write the undamaged part, closed, to another file. */
sixer_err sixer_tape_repair(const sixer_tape *t, const char *path, sixer_error *error) {
  uint8_t last[32];
  size_t n = tape_put_varint(last, (uint64_t)t->info.steps << 2 | TAPE_LAST);
  uint16_t digest = t->last_digest;
  last[n++] = (uint8_t)digest;
  last[n++] = (uint8_t)(digest >> 8);
  uint16_t sum = tape_checksum(last, n);
  last[n++] = (uint8_t)sum;
  last[n++] = (uint8_t)(sum >> 8);
  replacement *r = replace_open(path);
  if (r) {
    fwrite(t->file, 1, t->good, r->file);
    fwrite(last, 1, n, r->file);
  }
  if (!r || !replace_commit(r))
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  return SIXER_OK;
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

sixer_err sixer_tape_next(sixer_tape *t, sixer_tape_event *event, sixer_error *error) {
  while (second_done(t)) {
    second s;
    if (t->next >= t->good || find_second(t, t->next, &s) || s.kind == TAPE_LAST ||
        !enter_second(t, &s)) {
      *event = (sixer_tape_event){.kind = SIXER_TAPE_END, .second = t->second};
      if (!t->info.damage || t->told) return SIXER_OK;
      t->told = true;
      return sixer_fail(error, SIXER_ERR_TAPE, "%s: %s", t->path, t->info.damage);
    }
  }
  take_event(t, event); /* cannot fail: survey() has read every event up to t->good */
  return SIXER_OK;
}

static sixer_err play_reset(sixer_env *env, const sixer_tape_event *event, sixer_error *error) {
  sixer_status status = sixer_env_status(env);
  sixer_err err = SIXER_OK;
  if (event->mode != SIXER_MODE_DEFAULT && event->mode != status.mode)
    err = sixer_env_set_mode(env, event->mode, error);
  if (!err && event->mode != SIXER_MODE_DEFAULT && event->difficulty != status.difficulty)
    err = sixer_env_set_difficulty(env, event->difficulty, error);
  const sixer_config *config = sixer_env_config(env);
  if (!err && (event->level != config->level || event->levels != config->levels))
    err = sixer_env_set_levels(env, event->level, event->levels, error);
  if (!err) sixer_env_reset(env);
  return err;
}

/* A tape can be played only with the dialect and the number of players that it was recorded with. */
static sixer_err check_players(const sixer_tape *t, const sixer_env *env, sixer_error *error) {
  const sixer_config *a = &t->info.config, *b = &env->config;
  if (a->dialect == b->dialect && a->players == b->players) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_TAPE,
                    "%s is of %d player%s in dialect %s, the env of %d in dialect %s: create it "
                    "with the settings of the tape",
                    t->path, a->players, a->players == 1 ? "" : "s", sixer_dialect_name(a->dialect),
                    b->players, sixer_dialect_name(b->dialect));
}

sixer_err sixer_tape_play(sixer_tape *t, sixer_env *env, sixer_tape_event *event,
                          sixer_error *error) {
  int64_t before = t->second;
  sixer_err err = check_players(t, env, error);
  if (!err) err = sixer_tape_next(t, event, error);
  if (err || event->kind == SIXER_TAPE_END) return err;
  const int64_t frames = sixer_env_status(env).frames;
  if (t->second != before) {
    t->second_frame = frames;
    t->played = 0;
  }
  switch (event->kind) {
    case SIXER_TAPE_STEP:
      err = sixer_env_step_input(env, event->input, &event->result);
      if (err) {
        sixer_fail(error, err, "%s: second %lld has actions that this mode does not take", t->path,
                   (long long)event->second);
        break;
      }
      t->digest = tape_digest_step(t->digest, &event->result);
      t->digest = tape_digest_players(t->digest, env);
      t->played += event->result.frames;
      break;
    case SIXER_TAPE_RESET:
      err = play_reset(env, event, error);
      t->played += TAPE_RESET_FRAMES + sixer_env_status(env).frames - frames;
      break;
    case SIXER_TAPE_STATE: {
      /* with all variables: the recorded env had these values, however it came to them */
      err = env_state_check(env, event->state, event->state_size, error);
      if (!err) env_state_apply(env, event->state, true);
      sixer_status status = sixer_env_status(env);
      t->mode = status.mode;
      t->difficulty = status.difficulty;
      break;
    }
    case SIXER_TAPE_END: break;
  }
  if (err) return err;
  if (t->played > TAPE_REFUSE_FRAMES) {
    leave_second(t);
    t->next = t->good;
    return sixer_fail(error, SIXER_ERR_TAPE,
                      "%s: second %lld lasts for %lld frames: the tape is damaged", t->path,
                      (long long)event->second, (long long)t->played);
  }
  if (!event->last) return SIXER_OK;
  t->digest = tape_digest_second(t->digest, env, t->info.config.picture);
  if ((uint16_t)t->digest != t->recorded) {
    return sixer_fail(
        error, SIXER_ERR_TAPE,
        "%s: the replay differs from the recording in second %lld, between frames %lld and "
        "%lld (recorded by sixer %s with behavior %d, this is %s with %d)%s",
        t->path, (long long)event->second, (long long)t->second_frame,
        (long long)sixer_env_status(env).frames, t->info.version, t->info.behavior, SIXER_VERSION,
        SIXER_BEHAVIOR,
        sixer_tape_rules_changed(t, env->rom)
            ? "; the definition of the game has changed since the recording"
            : "");
  }
  return SIXER_OK;
}
