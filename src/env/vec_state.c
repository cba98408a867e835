/* Saved states of a vec's envs, and copies from env to env. In memory a state is
 *
 *   header | state of the env (state.c) | [generator of starts] | stack, oldest picture first |
 *   the current picture buffer, the other one | what the last observation's picture was made of
 *
 * The last two parts are consoles from which frames can be drawn again, or pixels where that is not possible
 * (pictures.h).
 *
 * What the caller gets is packed: of the generator the seed and the number of draws (and its words, if the draws are
 * many), and everything from the stack on as runs of differences (vec_pack.h), each picture against the one before it,
 * then against itself a row higher and a pixel to the left: of a rectangle only the corners are left. So the size of a
 * state varies. A state depends on nothing but the env: saved again after loading, it has the same bytes. Layout 1,
 * without packing, is still read. */
#include <stdlib.h>
#include <string.h>

#include "env/state.h"
#include "env/vec_pack.h"
#include "env/vec_parts.h"
#include "util/little.h"

enum { MAGIC = 0x56585336 /* "6SXV" */, LAYOUT = 2, LAYOUT_PLAIN = 1, LAST_NONE = 3 };

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
static const little_run header_form[] = {
    {4, 1}, {2, 2}, {4, 3}, {2, 1}, {1, 10}, {4, 5}, /* up to `executed` */
    {1, 4}, {4, 4}, {1, 4}, {4, 4}, {1, 4},  {4, 4}, {1, 4}, {4, 4}, {0, 0}};

static void put_header(uint8_t *out, header h) {
  little_structs(&h, 1, sizeof h, header_form);
  memcpy(out, &h, sizeof h);
}

static header get_header(const uint8_t *in) {
  header h;
  memcpy(&h, in, sizeof h);
  little_structs(&h, 1, sizeof h, header_form);
  return h;
}

/* The generator of starts is nothing but numbers of 32 bits. */
static void noop_little(void *noop, size_t size) {
  little_numbers(noop, size / sizeof(uint32_t), sizeof(uint32_t));
}

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
  p.env_size = sixer_env_state_size(m->env, h->flags);
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
              .layout = LAYOUT_PLAIN,
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

size_t sixer_vec_state_bound(const sixer_vec *vec, int flags) {
  size_t bound = 0;
  for (int i = 0; i < vec->count; i++) {
    const vec_member *m = &vec->members[i];
    size_t c = console_size(m), pixels = pixels_size(m), raw = preprocess_raw_size(m->pre);
    size_t size =
        sizeof(header) + sixer_env_state_size(m->env, flags & SIXER_SAVE_CONTROLLER) +
        sizeof m->noop +
        pack_bound(vec->obs_size + 2 * (pixels > c ? pixels : c) + (raw > 2 * c ? raw : 2 * c));
    if (size > bound) bound = size;
  }
  return bound;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static void save_member(const sixer_vec *vec, const vec_member *m, int flags, uint8_t *out) {
  if (flags & SIXER_SAVE_PLAIN) {
    sixer_env_save(m->env, flags & SIXER_SAVE_CONTROLLER, out);
    return;
  }
  header h = describe(vec, m, flags);
  parts p = layout(vec, m, &h);
  const cartridge *cart = &m->env->rom->cart;
  put_header(out, h);
  sixer_env_save(m->env, h.flags, out + p.env);
  if (h.flags & SIXER_SAVE_CONTROLLER) {
    memcpy(out + p.noop, &m->noop, sizeof m->noop);
    noop_little(out + p.noop, sizeof m->noop);
  }
  vec_member_observation(vec, m, out + p.stack);
  int current = m->env->m.current;
  for (int i = 0; i < 2; i++) {
    const picture_source *s = &m->pictures.buffer[current ^ i];
    const void *bytes = h.kind[i] == PICTURE_REPLAY ? (const void *)s->start : s->pixels;
    if (h.kind[i] != PICTURE_BLACK) memcpy(out + p.buffer[i], bytes, buffer_size(m, h.kind[i]));
    if (h.kind[i] == PICTURE_REPLAY) console_little(cart, out + p.buffer[i]);
  }
  if (h.last_frames == 0) memcpy(out + p.last, m->last.raw, last_size(m, 0));
  for (int i = 0; h.last_frames != LAST_NONE && i < h.last_frames; i++) {
    uint8_t *at = out + p.last + (size_t)i * console_size(m);
    memcpy(at, m->last.start[i], console_size(m));
    console_little(cart, at);
  }
}

static sixer_err check_ready(const sixer_vec *vec, const int32_t *envs, int count,
                             sixer_error *error) {
  for (int i = 0; i < count; i++) {
    if (!vec->members[envs[i]].ready)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d was never reset", envs[i]);
  }
  return SIXER_OK;
}

/* What resembles what, from the stack on: a picture the one before it, a console too. */
enum { RANGES_MAX = 5 };
static int find_ranges(const sixer_vec *vec, const vec_member *m, const header *h, const parts *p,
                       pack_range ranges[RANGES_MAX]) {
  const size_t c = console_size(m), colors = SCREEN_WIDTH * (size_t)m->pre->channels;
  int count = 0;
  ranges[count++] = (pack_range){0, vec->picture_size};
  for (int i = 0; i < 2; i++) {
    const bool after = i == 1 && h->kind[0] == PICTURE_REPLAY;
    const size_t distance = h->kind[i] == PICTURE_PIXELS ? SCREEN_WIDTH : after ? c : 0;
    ranges[count++] = (pack_range){p->buffer[i] - p->stack, distance};
  }
  ranges[count++] = (pack_range){p->last - p->stack, h->last_frames == 0            ? colors
                                                     : h->kind[1] == PICTURE_REPLAY ? c
                                                                                    : 0};
  return count;
}

/* In the stack, what is left resembles itself a row higher, and what is left then a pixel to the left. */
static void find_steps(const vec_member *m, pack_range steps[2]) {
  const size_t pixel = (size_t)m->pre->channels;
  steps[0] = (pack_range){0, (size_t)m->pre->width * pixel};
  steps[1] = (pack_range){0, pixel};
}

/* Pack a state; `differ` has room for everything from the stack on. `out` may be NULL. Returns its size. */
static size_t pack_state(const sixer_vec *vec, const vec_member *m, const uint8_t *state,
                         uint8_t *differ, uint8_t *out) {
  header h = get_header(state);
  const parts p = layout(vec, m, &h);
  size_t at = p.noop;
  if (out) memcpy(out, state, at);
  if (h.flags & SIXER_SAVE_CONTROLLER) {
    vec_noop noop;
    memcpy(&noop, state + p.noop, sizeof noop);
    noop_little(&noop, sizeof noop);
    uint32_t numbers[2] = {noop.draws > VEC_DRAWS_MAX ? 0 : noop.seed, noop.draws};
    noop_little(numbers, sizeof numbers);
    if (out) memcpy(out + at, numbers, sizeof numbers);
    at += sizeof numbers;
    if (noop.draws > VEC_DRAWS_MAX) {
      if (out) memcpy(out + at, state + p.noop, sizeof noop.mt);
      at += sizeof noop.mt;
    }
  }
  pack_range ranges[RANGES_MAX], steps[2];
  const int count = find_ranges(vec, m, &h, &p, ranges);
  find_steps(m, steps);
  const size_t size = p.total - p.stack;
  memcpy(differ, state + p.stack, size);
  pack_differ(differ, size, ranges, count);
  for (int i = 0; i < 2; i++) pack_differ(differ, vec->obs_size, &steps[i], 1);
  at += pack_runs(differ, size, out ? out + at : NULL);
  h.layout = LAYOUT;
  h.size = (uint32_t)at;
  if (out) put_header(out, h);
  return at;
}

/* A state of a member, packed, in memory of its own; NULL if there is none. */
static uint8_t *make_packed(const sixer_vec *vec, const vec_member *m, int flags, size_t *size) {
  const header h = describe(vec, m, flags);
  const parts p = layout(vec, m, &h);
  uint8_t *state = malloc(p.total), *differ = malloc(p.total - p.stack);
  uint8_t *packed = malloc(p.stack + pack_bound(p.total - p.stack));
  if (state && differ && packed) {
    save_member(vec, m, flags, state);
    *size = pack_state(vec, m, state, differ, packed);
  } else {
    free(packed);
    packed = NULL;
  }
  free(state);
  free(differ);
  return packed;
}

size_t sixer_vec_state_size(const sixer_vec *vec, int env, int flags) {
  if (env < 0 || env >= vec->count || vec->members[env].busy) return 0;
  const vec_member *m = &vec->members[env];
  if (flags & SIXER_SAVE_PLAIN) return sixer_env_state_size(m->env, flags & SIXER_SAVE_CONTROLLER);
  if (!m->ready) return sixer_vec_state_bound(vec, flags); /* it has nothing to save yet */
  size_t size = 0;
  uint8_t *packed = make_packed(vec, m, flags, &size);
  free(packed);
  return size;
}

sixer_err sixer_vec_save(sixer_vec *vec, const int32_t *envs, int count, int flags,
                         void *const *states, const size_t *sizes, sixer_error *error) {
  sixer_err err = vec_check_list(vec, "save", envs, count, false, error);
  if (!err) err = check_ready(vec, envs, count, error);
  if (err || count < 1) return err;
  uint8_t **made = calloc((size_t)count, sizeof *made);
  size_t *needed = calloc((size_t)count, sizeof *needed);
  if (!made || !needed) err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for states");
  for (int i = 0; i < count && !err; i++) {
    const vec_member *m = &vec->members[envs[i]];
    if (flags & SIXER_SAVE_PLAIN) {
      needed[i] = sixer_env_state_size(m->env, flags & SIXER_SAVE_CONTROLLER);
      made[i] = malloc(needed[i]);
      if (made[i]) save_member(vec, m, flags, made[i]);
    } else {
      made[i] = make_packed(vec, m, flags, &needed[i]);
    }
    if (!made[i])
      err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for states");
    else if (sizes[i] < needed[i])
      err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                       "the state of env %d (entry %d) has %zu bytes and room for %zu", envs[i], i,
                       needed[i], sizes[i]);
  }
  for (int i = 0; i < count && !err; i++) memcpy(states[i], made[i], needed[i]);
  for (int i = 0; made && i < count; i++) free(made[i]);
  free(made);
  free(needed);
  return err;
}

/* ---- Loading --------------------------------------------------------------------------------------------------- */

/* Can a frame be drawn from this console? It must be at the start of a frame and safe to run. */
static bool start_fits(const vec_member *m, const uint8_t *bytes) {
  console c;
  memcpy(&c, bytes, sizeof c);
  console_little(&m->env->rom->cart, &c);
  return !c.tia.partial && env_console_fits(m->env, &c);
}

static bool input_fits(const console_input *input) {
  for (int i = 0; i < 4; i++) {
    if (input->ohms[i] < OHMS_INFINITE) return false;
  }
  return !((input->fire[0] | input->fire[1]) & 0x7F);
}

static bool parts_fit(const sixer_vec *vec, const vec_member *m, const header *h,
                      const uint8_t *in) {
  parts p = layout(vec, m, h);
  if (h->flags & SIXER_SAVE_CONTROLLER) {
    vec_noop noop;
    memcpy(&noop, in + p.noop, sizeof noop);
    noop_little(&noop, sizeof noop);
    if (noop.mt.index > MT_WORDS) return false;
  }
  for (int i = 0; i < 2; i++) {
    if (h->kind[i] == PICTURE_REPLAY && !start_fits(m, in + p.buffer[i])) return false;
  }
  for (int i = 0; h->last_frames != LAST_NONE && i < h->last_frames; i++) {
    if (!start_fits(m, in + p.last + (size_t)i * console_size(m))) return false;
  }
  for (int i = 0; i < 2; i++) {
    if (!input_fits(&h->input[i]) || !input_fits(&h->last_input[i])) return false;
  }
  return h->over <= 1 && h->terminated <= 1 && h->truncated <= 1 && h->end <= SIXER_END_STUCK &&
         h->elapsed >= 0 && h->executed >= 0 && h->executed < SIXER_ACTION_COUNT;
}

/* Unpack a state whose header is `h`; NULL if there is no memory, or (with `fits` false) if the sizes of its parts are
 * wrong. */
static uint8_t *unpack_state(const sixer_vec *vec, const vec_member *m, const header *h,
                             const uint8_t *in, size_t size, bool *fits) {
  const parts p = layout(vec, m, h);
  const bool generators = h->flags & SIXER_SAVE_CONTROLLER;
  vec_noop noop = {.draws = VEC_DRAWS_MANY};
  uint32_t numbers[2] = {0, VEC_DRAWS_MANY};
  size_t at = p.noop;
  *fits = false;
  if (size < h->size || h->size < at) return NULL;
  if (generators && h->layout != LAYOUT_PLAIN) {
    if (h->size - at < sizeof numbers) return NULL;
    memcpy(numbers, in + at, sizeof numbers);
    noop_little(numbers, sizeof numbers);
    at += sizeof numbers;
    if (numbers[1] > VEC_DRAWS_MANY) return NULL;
    if (numbers[1] <= VEC_DRAWS_MAX) vec_noop_seed(&noop, numbers[0], numbers[1]);
  }
  if (generators && numbers[1] == VEC_DRAWS_MANY) {
    if (h->size - at < sizeof noop.mt) return NULL;
    memcpy(&noop.mt, in + at, sizeof noop.mt);
    noop_little(&noop.mt, sizeof noop.mt);
    at += sizeof noop.mt;
  }
  const size_t rest = p.total - p.stack;
  if (h->layout == LAYOUT_PLAIN && h->size - at != rest) return NULL;
  *fits = true;
  uint8_t *state = malloc(p.total);
  if (!state) return NULL;
  memcpy(state, in, p.noop);
  noop_little(&noop, sizeof noop);
  if (generators) memcpy(state + p.noop, &noop, sizeof noop);
  if (h->layout == LAYOUT_PLAIN) {
    memcpy(state + p.stack, in + at, rest);
    return state;
  }
  *fits = unpack_runs(in + at, h->size - at, state + p.stack, rest);
  if (!*fits) {
    free(state);
    return NULL;
  }
  pack_range ranges[RANGES_MAX], steps[2];
  const int count = find_ranges(vec, m, h, &p, ranges);
  find_steps(m, steps);
  for (int i = 1; i >= 0; i--) pack_restore(state + p.stack, vec->obs_size, &steps[i], 1);
  pack_restore(state + p.stack, rest, ranges, count);
  return state;
}

/* Check a state. *unpacked is the state in memory, to be freed; NULL if it is one of an env. */
static sixer_err check_state(const sixer_vec *vec, const vec_member *m, const uint8_t *in,
                             size_t size, uint8_t **unpacked, sixer_error *error) {
  header h;
  *unpacked = NULL;
  if (size < sizeof h)
    return sixer_fail(error, SIXER_ERR_STATE, "%zu bytes are too few for a saved state", size);
  h = get_header(in);
  if (env_state_is(in, size)) {
    if (!env_state_has_picture(in)) return env_state_check(m->env, in, size, error);
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state of a single env has a picture: save it without, for a vec");
  }
  if (h.magic != MAGIC)
    return sixer_fail(error, SIXER_ERR_STATE, "these bytes are not a state of a vec's env");
  if (h.layout != LAYOUT && h.layout != LAYOUT_PLAIN)
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
  const parts p = layout(vec, m, &h);
  /* a state of another game may have parts of other sizes: this check says what is wrong */
  const size_t room = size - sizeof h < p.env_size ? size - sizeof h : p.env_size;
  sixer_err err = env_state_check(m->env, in + sizeof h, room, error);
  if (err) return err;
  bool fits;
  uint8_t *state = unpack_state(vec, m, &h, in, size, &fits);
  if (!state) {
    return fits
               ? sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a state")
               : sixer_fail(error, SIXER_ERR_STATE,
                            "the state is damaged: its %zu bytes are not those of its parts", size);
  }
  if (!parts_fit(vec, m, &h, state)) {
    free(state);
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state is damaged: it holds values that cannot occur");
  }
  *unpacked = state;
  return SIXER_OK;
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

/* Of several players, the state of the env tells who is out and what each did last. */
static void note_loaded_players(const sixer_vec *vec, vec_member *m) {
  for (int k = 0; vec->players > 1 && k < vec->players; k++) {
    m->result.ended[k] = m->over || game_lives_of(m->env->rules, m->env->vars, k) < 0;
    if (k > 0) m->result.more_executed[k - 1] = m->env->seats.executed[k - 1];
  }
}

/* Load the state of a console and a game: what was seen before is not known. */
static void load_plain(const sixer_vec *vec, vec_member *m, const uint8_t *in) {
  env_state_apply(m->env, in, true);
  memset(m->ring, 0, vec->obs_size);
  m->newest = vec->config.stack - 1;
  if (vec->config.obs == SIXER_OBS_RAM)
    memcpy(m->ring + (size_t)m->newest * vec->picture_size, m->env->m.c->ram, vec->picture_size);
  for (int i = 0; i < 2; i++) {
    m->pictures.buffer[i].kind = PICTURE_BLACK;
    m->pictures.buffer[i].here = false;
  }
  if (m->last.start[0]) {
    m->last.frames = 0;
    memset(m->last.raw, 0, preprocess_raw_size(m->pre));
  }
  m->changed = true;
  m->elapsed = m->env->now.episode_frames;
  m->lives = env_lives(m->env);
  m->over = env_end(m->env) != SIXER_END_NONE;
  m->ready = true;
  m->seed = -1;
  m->result = (vec_result){
      .executed = m->env->now.executed, .terminated = env_terminal(m->env), .end = env_end(m->env)};
  note_loaded_players(vec, m);
}

static void load_member(const sixer_vec *vec, vec_member *m, const uint8_t *in) {
  if (env_state_is(in, sizeof(header))) {
    load_plain(vec, m, in);
    return;
  }
  const header h = get_header(in);
  const cartridge *cart = &m->env->rom->cart;
  parts p = layout(vec, m, &h);
  env_state_apply(m->env, in + p.env, true);
  m->env->picture_known = m->env->config.picture;
  if (h.flags & SIXER_SAVE_CONTROLLER) {
    memcpy(&m->noop, in + p.noop, sizeof m->noop);
    noop_little(&m->noop, sizeof m->noop);
  }
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
    if (h.kind[i] == PICTURE_REPLAY) console_little(cart, bytes);
  }
  if (h.last_frames != LAST_NONE) {
    m->last.frames = h.last_frames;
    if (h.last_frames == 0) memcpy(m->last.raw, in + p.last, last_size(m, 0));
    for (int i = 0; i < h.last_frames; i++) {
      m->last.input[i] = h.last_input[i];
      memcpy(m->last.start[i], in + p.last + (size_t)i * console_size(m), console_size(m));
      console_little(cart, m->last.start[i]);
    }
  }
  m->changed = true;
  m->elapsed = h.elapsed;
  m->lives = h.lives;
  m->over = h.over;
  m->ready = true;
  m->seed = -1; /* a seed that was set for the next reset is dropped */
  m->result = (vec_result){.reward = h.reward,
                           .raw_reward = h.raw_reward,
                           .executed = h.executed,
                           .terminated = h.terminated,
                           .truncated = h.truncated,
                           .end = (sixer_end)h.end};
  note_loaded_players(vec, m);
}

sixer_err sixer_vec_load(sixer_vec *vec, const int32_t *envs, int count, const void *const *states,
                         const size_t *sizes, sixer_error *error) {
  sixer_err err = vec_check_list(vec, "load", envs, count, true, error);
  if (err || count < 1) return err;
  uint8_t **unpacked = calloc((size_t)count, sizeof *unpacked);
  if (!unpacked) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for states");
  for (int i = 0; i < count && !err; i++) {
    vec_member *m = &vec->members[envs[i]];
    err = check_state(vec, m, states[i], sizes[i], &unpacked[i], error);
    if (err) {
      err = vec_name_index(error, envs[i], err);
      break;
    }
    header h = {.last_frames = m->last.start[0] ? 0 : LAST_NONE}; /* of a plain state */
    if (unpacked[i]) h = get_header(unpacked[i]);
    if (!reserve(m, h.kind, h.last_frames))
      err =
          sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the pictures of env %d", envs[i]);
  }
  for (int i = 0; i < count && !err; i++) {
    const void *state = unpacked[i] ? unpacked[i] : states[i];
    load_member(vec, &vec->members[envs[i]], state);
  }
  for (int i = 0; i < count; i++) free(unpacked[i]);
  free(unpacked);
  return err;
}

/* ---- Copying --------------------------------------------------------------------------------------------------- */

/* Of several players; remembered actions go with the generators, as in states. */
static void copy_seats(env_seats *to, const env_seats *from, int flags) {
  const env_seats before = *to;
  *to = *from;
  if (flags & SIXER_SAVE_CONTROLLER) return;
  memcpy(to->last_action, before.last_action, sizeof to->last_action);
  memcpy(to->last_strength, before.last_strength, sizeof to->last_strength);
}

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
  copy_seats(&env->seats, &other->seats, flags);
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
  to->changed = true;
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

/* Do both have the same console, variables and screen? One image may be opened under several rules, which may state
 * other cartridge types and other windows. */
static bool plays_like(const sixer_env *a, const sixer_env *b) {
  const sixer_rom *x = a->rom, *y = b->rom;
  if (x == y) return true;
  const sixer_rom_info i = sixer_rom_describe(x), k = sixer_rom_describe(y);
  const bool same_game = i.game && k.game ? !strcmp(i.game, k.game) : i.game == k.game;
  return same_game && !strcmp(x->md5, y->md5) && x->cart.type == y->cart.type &&
         x->cart.xram_size == y->cart.xram_size && a->height == b->height &&
         rom_state_size(x, 0) == rom_state_size(y, 0);
}

static sixer_err check_pairs(sixer_vec *vec, const int32_t *from, const int32_t *to, int count,
                             sixer_error *error) {
  sixer_err err = vec_check_list(vec, "copy from", from, count, false, error);
  if (!err) err = vec_check_list(vec, "copy to", to, count, true, error);
  if (!err) err = check_ready(vec, from, count, error);
  for (int i = 0; i < count && !err; i++) {
    const sixer_env *source = vec->members[from[i]].env, *target = vec->members[to[i]].env;
    const sixer_rom *a = source->rom, *b = target->rom;
    if (!plays_like(source, target)) {
      err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                       "env %d cannot become a copy of env %d: they play %s (%s) and %s (%s)",
                       to[i], from[i], sixer_rom_describe(b).title, sixer_rom_describe(b).type,
                       sixer_rom_describe(a).title, sixer_rom_describe(a).type);
    }
  }
  return err;
}

sixer_err sixer_vec_copy(sixer_vec *vec, const int32_t *from, const int32_t *to, int count,
                         int flags, sixer_error *error) {
  sixer_err err = check_pairs(vec, from, to, count, error);
  if (err || count < 1) return err;
  flags &= SIXER_SAVE_CONTROLLER; /* copies have everything else */
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
