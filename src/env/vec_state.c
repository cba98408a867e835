/* Saved states of a vec's envs, and copies from env to env.
 *
 *   header | state of the env (state.c) | [generator of starts] | stack, oldest picture first |
 *   the current picture buffer, the other one | what the last observation's picture was made of
 *
 * The last two parts are consoles from which frames can be drawn again, or pixels where that is not possible
 * (pictures.h). So the size of a state varies, even for one env. */
#include <stdlib.h>
#include <string.h>

#include "env/state.h"
#include "env/vec_parts.h"

enum { MAGIC = 0x56585336 /* "6SXV" */, LAYOUT = 1, LAST_NONE = 3 };

typedef struct header {
  uint32_t magic;
  uint16_t layout, flags;
  uint32_t size;
  int32_t height, width; /* of a picture */
  uint16_t stack;
  uint8_t obs, pool, averaging;
  uint8_t kind[2];     /* picture_kind of the two buffers, the current one first */
  uint8_t last_frames; /* vec_last.frames; LAST_NONE: there is no previous picture */
  uint8_t over, terminated, truncated, end;
  int32_t elapsed, lives, reward, raw_reward, executed;
  console_input input[2], last_input[2];
} header;

_Static_assert(sizeof(console_input) == 20, "layout changed: raise LAYOUT");
_Static_assert(sizeof(header) == 132, "layout changed: raise LAYOUT");

/* Offsets of the parts. */
typedef struct parts {
  size_t env, env_size, noop, stack, buffer[2], last, total;
} parts;

static size_t console_size(const vec_member *m) {
  return sizeof(console) + m->env->rom->cart.xram_size;
}
static size_t pixels_size(const vec_member *m) { return (size_t)m->env->height * SCREEN_WIDTH; }

static size_t buffer_size(const vec_member *m, int kind) {
  return kind == PICTURE_REPLAY ? console_size(m) : kind == PICTURE_PIXELS ? pixels_size(m) : 0;
}

static size_t last_size(const vec_member *m, int frames) {
  return frames == LAST_NONE ? 0
         : frames == 0       ? preprocess_raw_size(m->pre)
                             : (size_t)frames * console_size(m);
}

static parts layout(const sixer_vec *vec, const vec_member *m, const header *h) {
  parts p = {.env = sizeof *h};
  p.env_size = env_state_size(m->env->rom, h->flags);
  p.noop = p.env + p.env_size;
  p.stack = p.noop + (h->flags & SIXER_SAVE_CONTROLLER ? sizeof m->noop : 0);
  p.buffer[0] = p.stack + vec->obs_size;
  p.buffer[1] = p.buffer[0] + buffer_size(m, h->kind[0]);
  p.last = p.buffer[1] + buffer_size(m, h->kind[1]);
  p.total = p.last + last_size(m, h->last_frames);
  return p;
}

static header describe(const sixer_vec *vec, const vec_member *m, int flags) {
  const vec_result *r = &m->result;
  header h = {.magic = MAGIC,
              .layout = LAYOUT,
              .flags = (uint16_t)(flags & SIXER_SAVE_CONTROLLER),
              .height = m->pre->height,
              .width = m->pre->width,
              .stack = (uint16_t)vec->config.stack,
              .obs = (uint8_t)vec->config.obs,
              .pool = (uint8_t)vec->config.pool,
              .averaging = vec->config.env.color_averaging,
              .last_frames = m->last.start[0] ? (uint8_t)m->last.frames : LAST_NONE,
              .over = m->over,
              .terminated = r->terminated,
              .truncated = r->truncated,
              .end = (uint8_t)r->end,
              .elapsed = m->elapsed,
              .lives = m->lives,
              .reward = r->reward,
              .raw_reward = r->raw_reward,
              .executed = r->executed};
  int current = m->env->m.current;
  for (int i = 0; i < 2; i++) {
    const picture_source *s = &m->pictures.buffer[current ^ i];
    h.kind[i] = (uint8_t)s->kind;
    if (s->kind == PICTURE_REPLAY) h.input[i] = s->input;
    if (h.last_frames != LAST_NONE && i < h.last_frames) h.last_input[i] = m->last.input[i];
  }
  h.size = (uint32_t)layout(vec, m, &h).total;
  return h;
}

size_t sixer_vec_state_size(const sixer_vec *vec, int env, int flags) {
  if (env < 0 || env >= vec->count || vec->members[env].busy) return 0;
  return describe(vec, &vec->members[env], flags).size;
}

size_t sixer_vec_state_bound(const sixer_vec *vec, int flags) {
  size_t bound = 0;
  for (int i = 0; i < vec->count; i++) {
    const vec_member *m = &vec->members[i];
    size_t c = console_size(m), pixels = pixels_size(m), raw = preprocess_raw_size(m->pre);
    size_t size = sizeof(header) + env_state_size(m->env->rom, flags & SIXER_SAVE_CONTROLLER) +
                  sizeof m->noop + vec->obs_size + 2 * (pixels > c ? pixels : c) +
                  (raw > 2 * c ? raw : 2 * c);
    if (size > bound) bound = size;
  }
  return bound;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static void save_member(const sixer_vec *vec, const vec_member *m, int flags, uint8_t *out) {
  header h = describe(vec, m, flags);
  parts p = layout(vec, m, &h);
  memcpy(out, &h, sizeof h);
  sixer_env_save(m->env, h.flags, out + p.env);
  if (h.flags & SIXER_SAVE_CONTROLLER) memcpy(out + p.noop, &m->noop, sizeof m->noop);
  vec_member_observation(vec, m, out + p.stack);
  int current = m->env->m.current;
  for (int i = 0; i < 2; i++) {
    const picture_source *s = &m->pictures.buffer[current ^ i];
    const void *bytes = h.kind[i] == PICTURE_REPLAY ? (const void *)s->start : s->pixels;
    if (h.kind[i] != PICTURE_BLACK) memcpy(out + p.buffer[i], bytes, buffer_size(m, h.kind[i]));
  }
  if (h.last_frames == 0) memcpy(out + p.last, m->last.raw, last_size(m, 0));
  for (int i = 0; h.last_frames != LAST_NONE && i < h.last_frames; i++)
    memcpy(out + p.last + (size_t)i * console_size(m), m->last.start[i], console_size(m));
}

static sixer_err check_ready(const sixer_vec *vec, const int32_t *envs, int count,
                             sixer_error *error) {
  for (int i = 0; i < count; i++) {
    if (!vec->members[envs[i]].ready)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d was never reset", envs[i]);
  }
  return SIXER_OK;
}

sixer_err sixer_vec_save(sixer_vec *vec, const int32_t *envs, int count, int flags,
                         void *const *states, const size_t *sizes, sixer_error *error) {
  sixer_err err = vec_check_list(vec, "save", envs, count, false, error);
  if (!err) err = check_ready(vec, envs, count, error);
  for (int i = 0; i < count && !err; i++) {
    size_t size = describe(vec, &vec->members[envs[i]], flags).size;
    if (sizes[i] < size) {
      err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                       "the state of env %d (entry %d) has %zu bytes and room for %zu", envs[i], i,
                       size, sizes[i]);
    }
  }
  for (int i = 0; i < count && !err; i++)
    save_member(vec, &vec->members[envs[i]], flags, states[i]);
  return err;
}

/* ---- Loading --------------------------------------------------------------------------------------------------- */

/* Can a frame be drawn from this console? It must be at the start of a frame and safe to run. */
static bool start_fits(const vec_member *m, const uint8_t *bytes) {
  console c;
  memcpy(&c, bytes, sizeof c);
  return !c.tia.partial && env_console_fits(m->env, &c);
}

static bool parts_fit(const sixer_vec *vec, const vec_member *m, const header *h,
                      const uint8_t *in) {
  parts p = layout(vec, m, h);
  if (h->flags & SIXER_SAVE_CONTROLLER) {
    mt19937 noop;
    memcpy(&noop, in + p.noop, sizeof noop);
    if (noop.index > MT_WORDS) return false;
  }
  for (int i = 0; i < 2; i++) {
    if (h->kind[i] == PICTURE_REPLAY && !start_fits(m, in + p.buffer[i])) return false;
  }
  for (int i = 0; h->last_frames != LAST_NONE && i < h->last_frames; i++) {
    if (!start_fits(m, in + p.last + (size_t)i * console_size(m))) return false;
  }
  return h->over <= 1 && h->terminated <= 1 && h->truncated <= 1 && h->end <= SIXER_END_STUCK &&
         h->elapsed >= 0;
}

static sixer_err check_state(const sixer_vec *vec, const vec_member *m, const uint8_t *in,
                             size_t size, sixer_error *error) {
  header h;
  if (size < sizeof h)
    return sixer_fail(error, SIXER_ERR_STATE, "%zu bytes are too few for a saved state", size);
  memcpy(&h, in, sizeof h);
  if (h.magic != MAGIC)
    return sixer_fail(error, SIXER_ERR_STATE, "these bytes are not a state of a vec's env");
  if (h.layout != LAYOUT)
    return sixer_fail(error, SIXER_ERR_STATE, "the state has layout %u, this library %d", h.layout,
                      LAYOUT);
  header own = describe(vec, m, h.flags);
  if (h.obs != own.obs || h.pool != own.pool || h.stack != own.stack || h.height != own.height ||
      h.width != own.width || h.averaging != own.averaging) {
    return sixer_fail(
        error, SIXER_ERR_STATE,
        "the state is of another kind of observation: %u pictures of %d x %d, kind %u, "
        "pooling %u; this vec has %u of %d x %d, %u, %u",
        h.stack, h.height, h.width, h.obs, h.pool, own.stack, own.height, own.width, own.obs,
        own.pool);
  }
  bool keeps = h.last_frames != LAST_NONE;
  if (h.flags & ~SIXER_SAVE_CONTROLLER || h.kind[0] > PICTURE_PIXELS ||
      h.kind[1] > PICTURE_PIXELS || h.last_frames > LAST_NONE ||
      keeps != (m->last.start[0] != NULL)) {
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state is damaged, or of a vec with another frame_skip");
  }
  size_t total = layout(vec, m, &h).total;
  if (h.size != total || size < total) {
    return sixer_fail(error, SIXER_ERR_STATE, "the state has %zu bytes and should have %zu", size,
                      total);
  }
  sixer_err err = env_state_check(m->env, in + sizeof h, layout(vec, m, &h).env_size, error);
  if (err) return err;
  return parts_fit(vec, m, &h, in)
             ? SIXER_OK
             : sixer_fail(error, SIXER_ERR_STATE,
                          "the state is damaged: it holds values that cannot occur");
}

/* Allocate room for the pictures of a state. */
static bool reserve(vec_member *m, const uint8_t kind[2], int last_frames) {
  bool fits = true;
  for (int i = 0; i < 2; i++) {
    /* the state's current buffer may have the other number here */
    picture_source *s = &m->pictures.buffer[m->env->m.current ^ i];
    if (kind[i] == PICTURE_PIXELS && !s->pixels)
      fits = (s->pixels = malloc(pixels_size(m))) != NULL && fits;
  }
  if (last_frames == 0 && !m->last.raw)
    fits = (m->last.raw = malloc(preprocess_raw_size(m->pre))) != NULL && fits;
  return fits;
}

static void load_member(const sixer_vec *vec, vec_member *m, const uint8_t *in) {
  header h;
  memcpy(&h, in, sizeof h);
  parts p = layout(vec, m, &h);
  env_state_apply(m->env, in + p.env, true);
  m->env->picture_known = m->env->config.picture;
  if (h.flags & SIXER_SAVE_CONTROLLER) memcpy(&m->noop, in + p.noop, sizeof m->noop);
  memcpy(m->ring, in + p.stack, vec->obs_size);
  m->newest = vec->config.stack - 1;
  int current = m->env->m.current;
  for (int i = 0; i < 2; i++) {
    picture_source *s = &m->pictures.buffer[current ^ i];
    void *bytes = h.kind[i] == PICTURE_REPLAY ? (void *)s->start : s->pixels;
    s->kind = h.kind[i];
    s->here = false;
    s->input = h.input[i];
    if (h.kind[i] != PICTURE_BLACK) memcpy(bytes, in + p.buffer[i], buffer_size(m, h.kind[i]));
  }
  if (h.last_frames != LAST_NONE) {
    m->last.frames = h.last_frames;
    if (h.last_frames == 0) memcpy(m->last.raw, in + p.last, last_size(m, 0));
    for (int i = 0; i < h.last_frames; i++) {
      m->last.input[i] = h.last_input[i];
      memcpy(m->last.start[i], in + p.last + (size_t)i * console_size(m), console_size(m));
    }
  }
  m->elapsed = h.elapsed;
  m->lives = h.lives;
  m->over = h.over;
  m->ready = true;
  m->seed = -1; /* a seed that was set for the next reset is dropped */
  m->result =
      (vec_result){h.reward, h.raw_reward, h.executed, h.terminated, h.truncated, (sixer_end)h.end};
}

sixer_err sixer_vec_load(sixer_vec *vec, const int32_t *envs, int count, const void *const *states,
                         const size_t *sizes, sixer_error *error) {
  sixer_err err = vec_check_list(vec, "load", envs, count, true, error);
  for (int i = 0; i < count && !err; i++) {
    vec_member *m = &vec->members[envs[i]];
    err = check_state(vec, m, states[i], sizes[i], error);
    if (err) return vec_name_index(error, envs[i], err);
    header h;
    memcpy(&h, states[i], sizeof h);
    if (!reserve(m, h.kind, h.last_frames))
      err =
          sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the pictures of env %d", envs[i]);
  }
  for (int i = 0; i < count && !err; i++) load_member(vec, &vec->members[envs[i]], states[i]);
  return err;
}

/* ---- Copying --------------------------------------------------------------------------------------------------- */

static void copy_member(const sixer_vec *vec, vec_member *to, const vec_member *from, int flags) {
  sixer_env *env = to->env;
  const sixer_env *other = from->env;
  size_t size = console_size(from);
  env->now = other->now;
  memcpy(env->vars, other->vars, sizeof env->vars);
  memcpy(env->m.c, other->m.c, size);
  env->m.current = other->m.current;
  machine_restored(&env->m);
  env->picture_known = other->picture_known;
  env->blended = false;
  if (flags & SIXER_SAVE_CONTROLLER) {
    env->control = other->control;
    to->noop = from->noop;
  }
  pictures_copy(&to->pictures, &from->pictures, from->env->height);
  if (to->last.start[0]) {
    to->last.frames = from->last.frames;
    memcpy(to->last.input, from->last.input, sizeof to->last.input);
    for (int i = 0; i < from->last.frames; i++)
      memcpy(to->last.start[i], from->last.start[i], size);
    if (from->last.frames == 0) memcpy(to->last.raw, from->last.raw, last_size(from, 0));
  }
  memcpy(to->ring, from->ring, vec->obs_size);
  to->newest = from->newest;
  to->elapsed = from->elapsed;
  to->lives = from->lives;
  to->over = from->over;
  to->ready = true;
  to->seed = -1;
  to->result = from->result;
}

/* Allocate room in `to` for everything that `from` holds; the buffers keep their numbers. */
static bool reserve_like(vec_member *to, const vec_member *from) {
  bool fits = pictures_reserve(&to->pictures, &from->pictures, from->env->height);
  if (to->last.start[0] && from->last.frames == 0 && !to->last.raw)
    fits = (to->last.raw = malloc(preprocess_raw_size(from->pre))) != NULL && fits;
  return fits;
}

static sixer_err check_pairs(sixer_vec *vec, const int32_t *from, const int32_t *to, int count,
                             sixer_error *error) {
  sixer_err err = vec_check_list(vec, "copy from", from, count, false, error);
  if (!err) err = vec_check_list(vec, "copy to", to, count, true, error);
  if (!err) err = check_ready(vec, from, count, error);
  for (int i = 0; i < count && !err; i++) {
    const sixer_rom *a = vec->members[from[i]].env->rom, *b = vec->members[to[i]].env->rom;
    if (a != b && strcmp(a->md5, b->md5) != 0) {
      err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                       "env %d cannot become a copy of env %d: they play %s and %s", to[i], from[i],
                       sixer_rom_describe(b).title, sixer_rom_describe(a).title);
    }
  }
  return err;
}

sixer_err sixer_vec_copy(sixer_vec *vec, const int32_t *from, const int32_t *to, int count,
                         int flags, sixer_error *error) {
  sixer_err err = check_pairs(vec, from, to, count, error);
  if (err || count < 1) return err;
  /* save the sources that are also targets before they are overwritten; the check has marked targets in vec->sent */
  uint8_t **aside = calloc((size_t)count, sizeof *aside);
  bool fits = aside != NULL;
  for (int i = 0; i < count && fits; i++) {
    const vec_member *source = &vec->members[from[i]];
    vec_member *target = &vec->members[to[i]];
    if (vec->sent[from[i]] && from[i] != to[i]) {
      header h = describe(vec, source, flags);
      aside[i] = malloc(h.size);
      fits = aside[i] != NULL && reserve(target, h.kind, h.last_frames);
      if (fits) save_member(vec, source, flags, aside[i]);
    } else {
      fits = reserve_like(target, source);
    }
  }
  for (int i = 0; i < count && fits; i++) {
    vec_member *target = &vec->members[to[i]];
    if (aside[i])
      load_member(vec, target, aside[i]);
    else if (from[i] != to[i])
      copy_member(vec, target, &vec->members[from[i]], flags);
  }
  for (int i = 0; aside && i < count; i++) free(aside[i]);
  free(aside);
  return fits ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the copies");
}
