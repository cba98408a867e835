/* Datasets from tapes. Each array is a .npy file (format 1.0) whose head is written last, when its length is known. The
 * files grow in FOLDER.part, which is renamed to FOLDER at the end. An episode has one observation more than
 * actions: episode e of steps [offsets[e], offsets[e+1]) has the observations [offsets[e] + e, offsets[e+1] + e]. */
#include "cli/export.h"
#include "util/error.h"
#include "util/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum array_kind {
  ARRAY_ACTIONS,
  ARRAY_EXECUTED,
  ARRAY_REWARDS,
  ARRAY_TERMINATIONS,
  ARRAY_TRUNCATIONS,
  ARRAY_LIVES,
  ARRAY_FRAMES,
  ARRAY_OFFSETS,
  ARRAY_SCREEN,
  ARRAY_RGB,
  ARRAY_GRAY,
  ARRAY_RAM,
  ARRAY_COUNT
} array_kind;

static const struct {
  const char *name, *type, *meaning;
} kinds[ARRAY_COUNT] = {
    {"actions", "|u1", "the actions that the player chose"},
    {"executed", "|u1", "the actions that reached the console in the last frame of the step"},
    {"rewards", "<i4", "of the step"},
    {"terminations", "|b1", "the game is over after the step"},
    {"truncations", "|b1", "the episode is cut off after the step"},
    {"lives", "<i4", "after the step"},
    {"frames", "<i4", "emulated in the step"},
    {"offsets", "<i8", "first step of each episode, then the number of all steps"},
    {"screen", "|u1", "palette bytes; `palette` has their colors"},
    {"rgb", "|u1", "the screen in color"},
    {"gray", "|u1", "the screen in gray"},
    {"ram", "|u1", "the 128 bytes of memory"},
};

typedef struct array {
  FILE *file;
  int64_t rows;
  int shape[3]; /* of a row; unused ones are 0 */
} array;

struct dataset {
  char folder[4096], part[4104];
  array arrays[ARRAY_COUNT];
  bool wanted[ARRAY_COUNT];
  int height; /* of the screens; 0: not known yet */
  uint32_t palette[256];
  uint8_t *buffer;
  FILE *episodes; /* lines of the manifest, collected in a file of their own */
  FILE *tapes;
  int64_t steps, episode_count, tape_count;
  /* the episode under way */
  int64_t first;
  double score;
  bool over, from_state;
  sixer_status flavor; /* at its beginning: mode, difficulty, level */
  sixer_end end;
};

enum { NPY_HEAD = 128 };

/* The head of a .npy file: magic, version, length of the rest, a Python literal padded to 128 bytes. */
static bool write_head(array *a, const char *type) {
  char shape[80], head[NPY_HEAD + 1];
  int n = snprintf(shape, sizeof shape, "%" PRId64 ",", a->rows);
  for (int i = 0; i < 3 && a->shape[i]; i++)
    n += snprintf(shape + n, sizeof shape - (size_t)n, " %d,", a->shape[i]);
  memset(head, ' ', NPY_HEAD);
  memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
  n = snprintf(head + 10, NPY_HEAD - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
               type, shape);
  head[10 + n] = ' ';
  head[NPY_HEAD - 1] = '\n';
  return fseek(a->file, 0, SEEK_SET) == 0 && fwrite(head, 1, NPY_HEAD, a->file) == NPY_HEAD;
}

static FILE *open_part(const dataset *d, const char *name) {
  char path[4300];
  snprintf(path, sizeof path, "%s/%s", d->part, name);
  return os_fopen(path, "wb+");
}

static sixer_err put(dataset *d, array_kind kind, const void *row, size_t size,
                     sixer_error *error) {
  array *a = &d->arrays[kind];
  if (!a->file) {
    char name[40];
    snprintf(name, sizeof name, "%s.npy", kinds[kind].name);
    a->file = open_part(d, name);
    if (!a->file || !write_head(a, kinds[kind].type))
      return sixer_fail(error, SIXER_ERR_FILE, "%s/%s: cannot be written: %s", d->part, name,
                        strerror(errno));
  }
  a->rows++;
  if (fwrite(row, 1, size, a->file) != size)
    return sixer_fail(error, SIXER_ERR_FILE, "%s/%s.npy: cannot be written: %s", d->part,
                      kinds[kind].name, strerror(errno));
  return SIXER_OK;
}

static sixer_err put_int(dataset *d, array_kind kind, int64_t value, sixer_error *error) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)value >> 8 * i);
  return put(d, kind, bytes, (size_t)(kinds[kind].type[2] - '0'), error);
}

dataset *dataset_create(const char *folder, const char *observations, sixer_error *error) {
  dataset *d = calloc(1, sizeof *d);
  if (!d || strlen(folder) >= sizeof d->folder) {
    sixer_fail(error, SIXER_ERR_MEMORY, "out of memory, or a path that is too long");
    free(d);
    return NULL;
  }
  snprintf(d->folder, sizeof d->folder, "%s", folder);
  snprintf(d->part, sizeof d->part, "%s.part", folder);
  for (int i = 0; i < ARRAY_SCREEN; i++) d->wanted[i] = true;
  for (const char *at = observations; *at && strcmp(observations, "none") != 0;) {
    size_t length = strcspn(at, ",");
    int kind = ARRAY_SCREEN;
    while (kind < ARRAY_COUNT &&
           (strlen(kinds[kind].name) != length || strncmp(kinds[kind].name, at, length) != 0))
      kind++;
    if (kind == ARRAY_COUNT) {
      sixer_fail(error, SIXER_ERR_ARGUMENT,
                 "observations are a list of screen, rgb, gray and ram, or none; found '%.*s'",
                 (int)length, at);
      free(d);
      return NULL;
    }
    d->wanted[kind] = true;
    at += length + (at[length] == ',');
  }
  os_status info;
  bool made = false;
  if (os_stat(folder, &info) == 0) {
    sixer_fail(error, SIXER_ERR_FILE, "%s exists already: choose another folder or remove it",
               folder);
  } else if (os_mkdir(d->part) != 0) {
    sixer_fail(
        error, SIXER_ERR_FILE, "%s: cannot be made: %s%s", d->part, strerror(errno),
        errno == EEXIST ? " (another export is running, or one was interrupted: remove it)" : "");
  } else {
    made = true;
    d->episodes = open_part(d, "episodes.tmp");
    d->tapes = open_part(d, "tapes.tmp");
    if (d->episodes && d->tapes) return d;
    sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", d->part, strerror(errno));
  }
  sixer_error ignored;
  if (made) {
    dataset_close(d, false, &ignored);
  } else {
    free(d);
  }
  return NULL;
}

static void put_json_text(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text < 32)
      fprintf(file, "\\u%04x", *text);
    else
      fputc(*text, file);
  }
  fputc('"', file);
}

static sixer_err put_observation(dataset *d, sixer_env *env, sixer_error *error) {
  size_t pixels = (size_t)d->height * 160;
  sixer_err err = SIXER_OK;
  if (d->wanted[ARRAY_RAM]) err = put(d, ARRAY_RAM, sixer_env_ram(env), 128, error);
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen && (d->wanted[ARRAY_SCREEN] || d->wanted[ARRAY_RGB] || d->wanted[ARRAY_GRAY]))
    return sixer_fail(error, SIXER_ERR_PICTURE, "a picture is not known");
  if (!err && d->wanted[ARRAY_SCREEN]) err = put(d, ARRAY_SCREEN, screen, pixels, error);
  if (!err && d->wanted[ARRAY_RGB]) {
    sixer_env_rgb(env, d->buffer);
    err = put(d, ARRAY_RGB, d->buffer, 3 * pixels, error);
  }
  if (!err && d->wanted[ARRAY_GRAY]) {
    sixer_env_gray(env, d->buffer);
    err = put(d, ARRAY_GRAY, d->buffer, pixels, error);
  }
  return err;
}

static sixer_err begin_episode(dataset *d, sixer_env *env, bool from_state, sixer_error *error) {
  d->first = d->steps;
  d->score = 0;
  d->over = false;
  d->end = SIXER_END_NONE;
  d->from_state = from_state;
  d->flavor = sixer_env_status(env);
  sixer_err err = put_int(d, ARRAY_OFFSETS, d->steps, error);
  return err ? err : put_observation(d, env, error);
}

static void end_episode(dataset *d, const char *otherwise) {
  static const char *const ends[] = {NULL, "game over", "life lost", "frame limit", "stuck"};
  const char *end = d->over && ends[d->end] ? ends[d->end] : otherwise;
  fprintf(
      d->episodes,
      "%s\n    {\"tape\": %" PRId64 ", \"steps\": %" PRId64
      ", \"return\": %.17g, \"mode\": %d, \"difficulty\": %d, \"level\": %d, \"begins\": \"%s\", "
      "\"ends\": \"%s\"}",
      d->episode_count ? "," : "", d->tape_count, d->steps - d->first, d->score, d->flavor.mode,
      d->flavor.difficulty, d->flavor.level, d->from_state ? "state" : "reset", end);
  d->episode_count++;
}

sixer_err dataset_begin_tape(dataset *d, const char *path, const sixer_tape *tape, sixer_env *env,
                             sixer_error *error) {
  sixer_tape_info info = sixer_tape_describe(tape);
  int height = sixer_env_height(env);
  if (d->height && d->height != height)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%s has screens of %d rows, those before have %d: export them apart", path,
                      height, d->height);
  if (d->tape_count && memcmp(d->palette, sixer_env_palette(env), sizeof d->palette) != 0)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%s is of another television system than those before: export them apart",
                      path);
  d->height = height;
  memcpy(d->palette, sixer_env_palette(env), sizeof d->palette);
  d->arrays[ARRAY_SCREEN] =
      (array){d->arrays[ARRAY_SCREEN].file, d->arrays[ARRAY_SCREEN].rows, {height, 160}};
  d->arrays[ARRAY_GRAY] =
      (array){d->arrays[ARRAY_GRAY].file, d->arrays[ARRAY_GRAY].rows, {height, 160}};
  d->arrays[ARRAY_RGB] =
      (array){d->arrays[ARRAY_RGB].file, d->arrays[ARRAY_RGB].rows, {height, 160, 3}};
  d->arrays[ARRAY_RAM].shape[0] = 128;
  if (!d->buffer) d->buffer = malloc((size_t)height * 160 * 3);
  if (!d->buffer) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  const sixer_config *c = &info.config;
  fprintf(d->tapes, "%s\n    {\"path\": ", d->tape_count ? "," : "");
  put_json_text(d->tapes, path);
  fprintf(d->tapes, ", \"by\": ");
  put_json_text(d->tapes, info.by);
  fprintf(d->tapes, ", \"game\": ");
  if (info.game)
    put_json_text(d->tapes, info.game);
  else
    fprintf(d->tapes, "null");
  fprintf(
      d->tapes,
      ", \"md5\": \"%s\", \"version\": \"%s\", \"behavior\": %d, \"seed\": %u, \"sticky\": %.9g, "
      "\"frame_skip\": %d, \"mode\": %d, \"difficulty\": %d, \"max_frames\": %d, "
      "\"color_averaging\": %s, \"end_on_life_loss\": %s, \"complete\": %s}",
      info.md5, info.version, info.behavior, c->seed, (double)c->sticky, c->frame_skip, c->mode,
      c->difficulty, c->max_frames, c->color_averaging ? "true" : "false",
      c->end_on_life_loss ? "true" : "false", info.complete ? "true" : "false");
  return begin_episode(d, env, false, error);
}

sixer_err dataset_add(dataset *d, sixer_env *env, const sixer_tape_event *event,
                      sixer_error *error) {
  if (event->kind != SIXER_TAPE_STEP) {
    bool state = event->kind == SIXER_TAPE_STATE;
    if (state && d->steps == d->first) {
      /* nothing was played yet: the episode begins here instead */
      d->arrays[ARRAY_OFFSETS].rows--;
      fseek(d->arrays[ARRAY_OFFSETS].file, -8, SEEK_END);
      size_t sizes[] = {(size_t)d->height * 160, (size_t)d->height * 480, (size_t)d->height * 160,
                        128};
      for (int i = ARRAY_SCREEN; i <= ARRAY_RAM; i++) {
        if (!d->wanted[i]) continue;
        d->arrays[i].rows--;
        fseek(d->arrays[i].file, -(long)sizes[i - ARRAY_SCREEN], SEEK_END);
      }
    } else {
      end_episode(d, state ? "jump" : "reset");
    }
    return begin_episode(d, env, state, error);
  }
  const sixer_result *r = &event->result;
  d->steps++;
  d->score += r->reward;
  d->over = r->over;
  d->end = r->end;
  sixer_err err = put_int(d, ARRAY_ACTIONS, event->input.action_a, error);
  if (!err) err = put_int(d, ARRAY_EXECUTED, r->executed, error);
  if (!err) err = put_int(d, ARRAY_REWARDS, r->reward, error);
  if (!err) err = put_int(d, ARRAY_TERMINATIONS, r->terminal, error);
  if (!err) err = put_int(d, ARRAY_TRUNCATIONS, r->truncated, error);
  if (!err) err = put_int(d, ARRAY_LIVES, r->lives, error);
  if (!err) err = put_int(d, ARRAY_FRAMES, r->frames, error);
  return err ? err : put_observation(d, env, error);
}

sixer_err dataset_end_tape(dataset *d, sixer_error *error) {
  end_episode(d, "end of tape");
  d->tape_count++;
  if (ferror(d->episodes) || ferror(d->tapes))
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written (is the disk full?)", d->part);
  return SIXER_OK;
}

int64_t dataset_steps(const dataset *d) { return d->steps; }

static void copy_text(FILE *from, FILE *to) {
  int c;
  rewind(from);
  while ((c = fgetc(from)) != EOF) fputc(c, to);
}

static bool write_manifest(dataset *d) {
  FILE *file = open_part(d, "manifest.json");
  if (!file) return false;
  fprintf(file,
          "{\n  \"format\": \"sixer dataset 1\",\n  \"version\": \"%s\",\n  \"behavior\": %d,\n"
          "  \"steps\": %" PRId64 ",\n  \"episodes_count\": %" PRId64 ",\n  \"arrays\": {",
          SIXER_VERSION, SIXER_BEHAVIOR, d->steps, d->episode_count);
  bool first = true;
  for (int i = 0; i < ARRAY_COUNT; i++) {
    if (!d->arrays[i].file) continue;
    fprintf(file, "%s\n    \"%s\": \"%s\"", first ? "" : ",", kinds[i].name, kinds[i].meaning);
    first = false;
  }
  fprintf(file,
          "\n  },\n  \"observations\": \"episode e has the steps offsets[e] to offsets[e+1]-1 and "
          "the observations offsets[e]+e to offsets[e+1]+e, one more than steps\",\n  "
          "\"palette\": [");
  for (int i = 0; i < 256; i++)
    fprintf(file, "%s[%u, %u, %u]", i ? ", " : "", d->palette[i] >> 16, d->palette[i] >> 8 & 0xFF,
            d->palette[i] & 0xFF);
  fprintf(file, "],\n  \"tapes\": [");
  copy_text(d->tapes, file);
  fprintf(file, "\n  ],\n  \"episodes\": [");
  copy_text(d->episodes, file);
  fprintf(file, "\n  ]\n}\n");
  bool ok = !ferror(file);
  return fclose(file) == 0 && ok;
}

static void remove_part(dataset *d) {
  static const char *const others[] = {"manifest.json", "episodes.tmp", "tapes.tmp"};
  char path[4300];
  for (int i = 0; i < ARRAY_COUNT; i++) {
    snprintf(path, sizeof path, "%s/%s.npy", d->part, kinds[i].name);
    os_unlink(path);
  }
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", d->part, others[i]);
    os_unlink(path);
  }
  os_rmdir(d->part);
}

sixer_err dataset_close(dataset *d, bool keep, sixer_error *error) {
  bool ok = keep && put_int(d, ARRAY_OFFSETS, d->steps, error) == SIXER_OK && write_manifest(d);
  for (int i = 0; i < ARRAY_COUNT; i++) {
    if (!d->arrays[i].file) continue;
    ok = write_head(&d->arrays[i], kinds[i].type) && ok;
    /* on the disk before the folder gets its name */
    ok = fflush(d->arrays[i].file) == 0 && os_sync(fileno(d->arrays[i].file)) == 0 && ok;
    ok = fclose(d->arrays[i].file) == 0 && ok;
  }
  char path[4300];
  const char *const temporary[] = {"episodes.tmp", "tapes.tmp"};
  FILE *const files[] = {d->episodes, d->tapes};
  for (int i = 0; i < 2; i++) {
    if (files[i]) fclose(files[i]);
    snprintf(path, sizeof path, "%s/%s", d->part, temporary[i]);
    os_unlink(path);
  }
  sixer_err err = SIXER_OK;
  if (keep && (!ok || os_rename(d->part, d->folder) != 0))
    err =
        sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", d->folder, strerror(errno));
  if (!keep || err) remove_part(d);
  free(d->buffer);
  free(d);
  return err;
}
