/* A cache of resets: see reset_cache.h for the idea. A reset here means all frames up to the start of the game. */
#include "env/reset_cache.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "env/pictures.h"
#include "machine/cart.h"
#include "machine/cpu_plain.h"
#include "machine/tia.h"

enum {
  OBSERVED = 8,   /* first frames that are executed once more, at most */
  MAX_KNOWN = 96, /* entries of a rom: more than the 75 values that a reset may give the timer */
  PATIENCE = 24,  /* recordings without a hit before recording stops; every hit allows one more */
  RAM_BYTES = 128,
  AUDIO = 6
};

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

/* What a reset depends on besides the console. */
typedef struct reset_settings {
  int32_t mode, difficulty, level, scoring;
  int32_t paddle_min, paddle_max, paddles;
  int32_t first_line, lines, max_lines, color_loss, hmove_blanks;
} reset_settings;

/* A console of a cartridge without memory, as bytes. */
typedef struct kept_console {
  _Alignas(console) uint8_t bytes[sizeof(console)];
} kept_console;

static const console *unpack(const kept_console *kept) {
  return (const console *)(const void *)kept->bytes;
}

static kept_console pack(const console *c) {
  kept_console kept;
  memcpy(kept.bytes, c, sizeof kept.bytes);
  return kept;
}

/* The console at the beginning of a frame. */
typedef struct frame_start {
  kept_console c;
  console_input input; /* of the frame */
} frame_start;

typedef struct known_reset {
  reset_settings settings;
  /* The console when it was reset. Of its memory only the bytes in `read` are compared: they were read before they were
   * written, or not written within the observed frames. */
  kept_console reset;
  bool read[RAM_BYTES],
      audio_kept[AUDIO]; /* these bytes count: they were read, or not written soon */
  bool reads_timer;      /* the timer counts too: it was read before it was set, or not set soon */
  /* where it leads to */
  frame_start last[2], end; /* the beginnings of the last two frames, and the end */
  int32_t vars[GAME_MAX_VARS];
  int32_t reward, paddle[2], frames, episode_frames;
  uint8_t audio_before[AUDIO], audio[AUDIO];
  uint8_t turned; /* the number of frames was odd */
} known_reset;

struct reset_cache {
  pthread_mutex_t lock;
  int count, next; /* known; and which of them is replaced next, once all places are taken */
  int64_t misses, hits, recorded;
  known_reset *known[MAX_KNOWN];
};

struct reset_cache *reset_cache_make(void) {
  struct reset_cache *b = calloc(1, sizeof *b);
  if (b) pthread_mutex_init(&b->lock, NULL);
  return b;
}

void reset_cache_free(struct reset_cache *b) {
  if (!b) return;
  for (int i = 0; i < b->count; i++) free(b->known[i]);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

int64_t reset_cache_hits(const sixer_rom *rom) {
  struct reset_cache *b = rom->resets;
  if (!b) return 0;
  pthread_mutex_lock(&b->lock);
  int64_t hits = b->hits;
  pthread_mutex_unlock(&b->lock);
  return hits;
}

/* Memory on the cartridge is filled at random by every reset, so results differ each time. The plain core is the
 * reference for the others and emulates everything. */
static bool can_cache(const sixer_env *env) {
  return env->rom->resets && env->rom->cart.xram_size == 0 && !env->objects &&
         env->run_frame != machine_frame_plain;
}

static reset_settings settings_of(const sixer_env *env) {
  const machine_config *c = &env->m.config;
  return (reset_settings){env->now.mode,   env->now.difficulty, env->now.level, env->config.scoring,
                          env->paddle_min, env->paddle_max,     env->paddles,   c->first_line,
                          c->lines,        c->max_lines,        c->color_loss,  c->hmove_blanks};
}

/* A copy without memory and timer, which are compared byte by byte, and without the count of draws, which a program
 * cannot read. */
static void mask_console(console *masked, const console *c) {
  memcpy(masked, c, offsetof(console, ram));
  masked->draws = 0;
  masked->riot.value = 0;
}

static bool fits(const known_reset *k, const sixer_env *env, const reset_settings *settings,
                 const console *masked) {
  const console *c = env->m.c;
  if (k->reads_timer && unpack(&k->reset)->riot.value != c->riot.value) return false;
  console known;
  mask_console(&known, unpack(&k->reset));
  if (memcmp(&k->settings, settings, sizeof *settings) != 0 ||
      memcmp(&known, masked, offsetof(console, ram)) != 0)
    return false;
  for (int i = 0; i < RAM_BYTES; i++) {
    if (k->read[i] && unpack(&k->reset)->ram[i] != c->ram[i]) return false;
  }
  for (int i = 0; i < AUDIO; i++) {
    if (k->audio_kept[i] && k->audio_before[i] != env->m.audio[i]) return false;
  }
  return true;
}

static const known_reset *find(const struct reset_cache *b, const sixer_env *env) {
  reset_settings settings = settings_of(env);
  console masked;
  mask_console(&masked, env->m.c);
  for (int i = 0; i < b->count; i++) {
    if (fits(b->known[i], env, &settings, &masked)) return b->known[i];
  }
  return NULL;
}

/* ---- Hits ------------------------------------------------------------------------------------------------------ */

/* The console at the beginning of a recorded frame, for the reset that began with `reset`. */
static void console_at(console *c, const frame_start *m, const console *reset) {
  memcpy(c, m->c.bytes, sizeof *c);
  c->draws = reset->draws;
}

/* The pictures show the last two frames, which cover what the others drew (fill_pictures). */
static void note_pictures(sixer_env *env, const frame_start last[2], const console *reset) {
  for (int i = 0; i < 2; i++) {
    picture_source *s = &env->pictures->buffer[env->m.current ^ (i == 0)];
    console_at(s->start, &last[i], reset);
    s->input = last[i].input;
    s->kind = PICTURE_REPLAY;
    s->here = false;
  }
  env->pictures->went_on = false;
}

static void go_to_end(sixer_env *env, const known_reset *k) {
  machine *m = &env->m;
  console reset;
  memcpy(&reset, m->c, sizeof reset);
  uint8_t current = m->current ^ k->turned;
  m->current = current;
  if (env->pictures) note_pictures(env, k->last, &reset);
  console_at(m->c, &k->end, &reset);
  machine_restored(m);
  m->current = current;
  m->input = k->end.input;
  memcpy(m->audio, k->audio, sizeof k->audio);
  memcpy(env->vars, k->vars, sizeof env->vars);
  env->now.reward = k->reward;
  env->now.paddle[0] = k->paddle[0];
  env->now.paddle[1] = k->paddle[1];
  env->now.frames += k->frames;
  env->now.episode_frames += k->episode_frames;
  env->control.last_action[0] = 0;
  env->control.last_action[1] = ACTION_B;
  m->c->bus = m->c->ram[RAM_BYTES - 1];
  env->picture_known = env->config.picture;
  env->blended = false;
}

bool reset_cache_load(sixer_env *env) {
  if (!can_cache(env)) return false;
  struct reset_cache *b = env->rom->resets;
  known_reset copy;
  pthread_mutex_lock(&b->lock);
  const known_reset *k = find(b, env);
  if (k) {
    memcpy(&copy, k, sizeof copy); /* it may be replaced as soon as the lock is open */
    b->hits++;
  } else {
    b->misses++;
  }
  pthread_mutex_unlock(&b->lock);
  if (k) go_to_end(env, &copy);
  return k != NULL;
}

/* ---- Recording ------------------------------------------------------------------------------------------------- */

struct reset_record {
  kept_console reset;
  episode now;
  controller control;
  uint8_t current, audio[AUDIO];
  int reset_at; /* frames before the game's variables were reset */
  int count;
  frame_start first[OBSERVED + 1], last[2]; /* the beginnings of frames; the last ones in turn */
};

void reset_record_begin(sixer_env *env) {
  if (!can_cache(env)) return;
  struct reset_cache *b = env->rom->resets;
  /* the first resets are those of opening the rom and creating an env: many programs make no others */
  pthread_mutex_lock(&b->lock);
  bool worth = b->misses > 2 && b->recorded < PATIENCE + b->hits;
  if (worth) b->recorded++;
  pthread_mutex_unlock(&b->lock);
  struct reset_record *w = worth ? malloc(sizeof *w) : NULL;
  if (!w) return;
  w->reset = pack(env->m.c);
  w->now = env->now;
  w->control = env->control;
  w->current = env->m.current;
  memcpy(w->audio, env->m.audio, sizeof w->audio);
  w->reset_at = OBSERVED; /* or later: without rules it never is */
  w->count = 0;
  env->recording = w;
}

void reset_record_frame(sixer_env *env) {
  struct reset_record *w = env->recording;
  const frame_start now = {pack(env->m.c), env->m.input};
  if (w->count <= OBSERVED) w->first[w->count] = now;
  w->last[w->count & 1] = now;
  w->count++;
}

void reset_record_game(sixer_env *env) {
  if (env->recording) env->recording->reset_at = env->recording->count;
}

/* A machine with the plain core that notes its accesses to memory, timer and sound. */
typedef struct observer {
  machine m;
  bool read[RAM_BYTES], written[RAM_BYTES]; /* read: before it was written */
  bool timer_read, timer_set;
  bool audio_written[AUDIO];
} observer;

static bool is_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
static bool is_timer(uint16_t address) { return (address & 0x1284) == 0x0284; }

static uint8_t observed_read(void *context, uint16_t address) {
  observer *o = context;
  if (is_ram(address) && !o->written[address & 0x7F]) o->read[address & 0x7F] = true;
  if (is_timer(address) && !o->timer_set) o->timer_read = true;
  return machine_peek(&o->m, address);
}

static void observed_write(void *context, uint16_t address, uint8_t value) {
  observer *o = context;
  if (is_ram(address)) o->written[address & 0x7F] = true;
  if (is_timer(address) && address & 0x10) o->timer_set = true;
  int reg = address & 0x3F;
  if (!(address & 0x1080) && reg >= AUDC0 && reg <= AUDV1) o->audio_written[reg - AUDC0] = true;
  machine_poke(&o->m, address, value);
}

static void observe_frame(observer *o, const frame_start *f) {
  machine *m = &o->m;
  const cpu_bus bus = {o, observed_read, observed_write, false};
  memcpy(m->c, f->c.bytes, sizeof f->c.bytes);
  machine_restored(m);
  m->input = f->input;
  tia_begin_frame(m);
  for (int i = 0; i < FRAME_INSTRUCTIONS && !m->stop && !m->c->jammed; i++)
    cpu_plain_step(m->c, &bus);
  tia_end_frame(m);
}

/* Does the recorded frame `next` begin where the observer is? Between two frames the environment may have changed
 * memory (as a function of what was read before, so such bytes count as written) and the byte on the bus, which is
 * visible only if the next instruction is fetched from the TIA's addresses. Anything else means that the recording
 * cannot be used. */
static bool follows(observer *o, const console *next) {
  if (memcmp(&o->m.c->cycles, &next->cycles, offsetof(console, bus)) != 0) return false;
  size_t after = offsetof(console, jammed);
  if (memcmp((const uint8_t *)o->m.c + after, (const uint8_t *)next + after,
             offsetof(console, ram) - after) != 0)
    return false;
  for (int i = 0; i < RAM_BYTES; i++) o->written[i] |= o->m.c->ram[i] != next->ram[i];
  return (next->pc & 0x1080) != 0;
}

/* Has everything been written, so that nothing from before the reset is left? */
static bool is_settled(const observer *o) {
  for (int i = 0; i < RAM_BYTES; i++) {
    if (!o->written[i]) return false;
  }
  for (int i = 0; i < AUDIO; i++) {
    if (!o->audio_written[i]) return false;
  }
  return o->timer_set;
}

/* Observation stops: what was not written may still be read later, so it counts as read. */
static void settle(observer *o) {
  for (int i = 0; i < RAM_BYTES; i++) o->read[i] |= !o->written[i];
  o->timer_read |= !o->timer_set;
}

/* Execute the first recorded frames once more. False if they differ from the recording. */
static bool observe(observer *o, const sixer_env *env, const struct reset_record *w) {
  /* what the rules read before the game's variables are reset has no effect */
  int frames = w->reset_at < OBSERVED ? w->reset_at : OBSERVED;
  if (frames > w->count) frames = w->count;
  for (int i = 0; i < frames && !is_settled(o); i++) {
    observe_frame(o, &w->first[i]);
    if (!follows(o, i + 1 < w->count ? unpack(&w->first[i + 1].c) : env->m.c)) return false;
  }
  settle(o);
  return true;
}

/* Do the last two frames reach every row, so that both pictures can be drawn from them alone? */
static bool fill_pictures(const sixer_env *env, const struct reset_record *w) {
  uint32_t all = (uint32_t)(env->height * SCREEN_WIDTH);
  const tia_state *moments[3] = {&unpack(&w->last[w->count & 1].c)->tia,
                                 &unpack(&w->last[(w->count + 1) & 1].c)->tia, &env->m.c->tia};
  for (int i = 0; i < 3; i++) {
    if (moments[i]->partial || (i > 0 && moments[i]->row < all)) return false;
  }
  return true;
}

static bool same_generators(const sixer_env *env, const struct reset_record *w) {
  controller before = w->control;
  memcpy(before.last_action, env->control.last_action, sizeof before.last_action);
  return memcmp(&before, &env->control, sizeof before) == 0;
}

/* Make an entry of a recording; false if the reset cannot be cached. */
static bool learn(const sixer_env *env, const struct reset_record *w, known_reset *k) {
  if (w->count < 2 || !same_generators(env, w) || !fill_pictures(env, w)) return false;
  const game *g = env->rom->game;
  if (g && (game_reads_bus(g) || game_keeps_vars(g))) return false;
  observer *o = calloc(1, sizeof *o);
  uint8_t *pictures = calloc(2, SCREEN_WIDTH * SCREEN_MAX_LINES);
  console *c = calloc(1, sizeof *c);
  bool learned = o && pictures && c;
  if (learned) {
    o->m.cart = env->m.cart;
    o->m.config = env->m.config;
    o->m.c = c;
    o->m.picture[0] = pictures;
    o->m.picture[1] = pictures + SCREEN_WIDTH * SCREEN_MAX_LINES;
    machine_attach(&o->m, machine_frame_plain);
    learned = (unpack(&w->reset)->pc & 0x1080) != 0 && observe(o, env, w);
  }
  if (learned) {
    k->settings = settings_of(env);
    k->reset = w->reset;
    memcpy(k->read, o->read, sizeof k->read);
    k->reads_timer = o->timer_read;
    for (int i = 0; i < AUDIO; i++) k->audio_kept[i] = !o->audio_written[i];
    memcpy(k->audio_before, w->audio, sizeof k->audio_before);
    for (int i = 0; i < 2; i++) k->last[i] = w->last[(w->count + i) & 1];
    k->end.c = pack(env->m.c);
    k->end.input = env->m.input;
    memcpy(k->vars, env->vars, sizeof k->vars);
    k->reward = env->now.reward;
    k->paddle[0] = env->now.paddle[0];
    k->paddle[1] = env->now.paddle[1];
    k->frames = (int32_t)(env->now.frames - w->now.frames);
    k->episode_frames = env->now.episode_frames - w->now.episode_frames;
    memcpy(k->audio, env->m.audio, sizeof k->audio);
    k->turned = env->m.current ^ w->current;
  }
  free(c);
  free(pictures);
  free(o);
  return learned;
}

void reset_record_end(sixer_env *env) {
  struct reset_record *w = env->recording;
  if (!w) return;
  env->recording = NULL;
  struct reset_cache *b = env->rom->resets;
  known_reset *k = calloc(1, sizeof *k);
  if (k && learn(env, w, k)) {
    pthread_mutex_lock(&b->lock);
    int at = b->count < MAX_KNOWN ? b->count++ : b->next++ % MAX_KNOWN;
    known_reset *old = b->known[at];
    b->known[at] = k;
    k = old;
    pthread_mutex_unlock(&b->lock);
  }
  free(k);
  free(w);
}
