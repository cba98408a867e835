/* A cache of resets: see reset_cache.h for the idea. A reset here means all frames up to the start of the game. */
#include "env/reset_cache.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "env/pictures.h"
#include "env/reset_observer.h"

enum {
  MAX_KNOWN = 96, /* entries of a rom: more than the 75 values that a reset may give the timer */
  /* Recordings in vain before recording stops. A hit allows one more, and so does a miss where only the timer was
   * another: that will be a hit once its 75 values are known. */
  PATIENCE = 6
};

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

/* What a reset depends on besides the console. */
typedef struct reset_settings {
  int32_t mode, difficulty, level, scoring;
  int32_t paddle_min, paddle_max, paddles;
  int32_t first_line, lines, max_lines, color_loss, hmove_blanks;
  int32_t seated, dialect, players; /* which rules; how the reset ends; which paddles there are */
  int32_t corrections;
} reset_settings;

static kept_console pack(const console *c) {
  kept_console k;
  memcpy(k.bytes, c, sizeof k.bytes);
  return k;
}

typedef struct known_reset {
  reset_settings settings;
  int32_t vars_before[GAME_MAX_VARS]; /* the rules' variables: some may outlive a reset */
  kept_console reset;                 /* the console when it was reset ... */
  uint8_t audio_before[AUDIO_BYTES];  /* ... and its sound registers */
  reset_reads reads;                  /* what is compared of memory, timer and sound */
  /* where it leads to */
  frame_start last[2], end; /* the beginnings of the last two frames, and the end */
  bool drawable;            /* both pictures can be drawn from the last two frames ... */
  uint8_t *pixels;          /* ... else they are here, the newer one first; NULL: not drawn */
  int32_t vars[GAME_MAX_VARS];
  int32_t reward, paddle[2], frames, episode_frames;
  uint8_t audio[AUDIO_BYTES];
  uint8_t turned; /* the number of frames was odd */
} known_reset;

struct reset_cache {
  pthread_mutex_t lock;
  int count, next; /* known; and which of them is replaced next, once all places are taken */
  int64_t misses, hits, recorded;
  int64_t near; /* misses where an entry differed in the timer alone */
  known_reset *known[MAX_KNOWN];
};

static void free_known(known_reset *k) {
  if (k) free(k->pixels);
  free(k);
}

struct reset_cache *reset_cache_make(void) {
  struct reset_cache *b = calloc(1, sizeof *b);
  if (b) pthread_mutex_init(&b->lock, NULL);
  return b;
}

void reset_cache_free(struct reset_cache *b) {
  if (!b) return;
  for (int i = 0; i < b->count; i++) free_known(b->known[i]);
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
  return (reset_settings){.mode = env->now.mode,
                          .difficulty = env->now.difficulty,
                          .level = env->now.level,
                          .scoring = env->config.scoring,
                          .paddle_min = env->paddle_min,
                          .paddle_max = env->paddle_max,
                          .paddles = env->paddles,
                          .first_line = c->first_line,
                          .lines = c->lines,
                          .max_lines = c->max_lines,
                          .color_loss = c->color_loss,
                          .hmove_blanks = c->hmove_blanks,
                          .seated = env->seated,
                          .dialect = env->config.dialect,
                          .players = env->players,
                          .corrections = env->corrections};
}

/* A copy without memory and timer, which are compared byte by byte, and without the count of draws, which a program
 * cannot read. */
static void mask_console(console *masked, const console *c) {
  memcpy(masked, c, offsetof(console, ram));
  masked->draws = 0;
  masked->riot.value = 0;
}

static bool timer_fits(const known_reset *k, const sixer_env *env) {
  return !k->reads.timer || kept(&k->reset)->riot.value == env->m.c->riot.value;
}

/* Does the entry fit, the timer apart? */
static bool rest_fits(const known_reset *k, const sixer_env *env, const reset_settings *settings,
                      const console *masked) {
  const console *c = env->m.c;
  if (env->pictures && !k->drawable && !k->pixels) return false;
  console known;
  mask_console(&known, kept(&k->reset));
  if (memcmp(&k->settings, settings, sizeof *settings) != 0 ||
      memcmp(&known, masked, offsetof(console, ram)) != 0)
    return false;
  if (env->rules && !game_same_kept(env->rules, k->vars_before, env->vars)) return false;
  for (int i = 0; i < RAM_BYTES; i++) {
    if (k->reads.ram[i] && kept(&k->reset)->ram[i] != c->ram[i]) return false;
  }
  for (int i = 0; i < AUDIO_BYTES; i++) {
    if (k->reads.audio[i] && k->audio_before[i] != env->m.audio[i]) return false;
  }
  return true;
}

/* The entry for the reset that the env is at. NULL if there is none; *near: one differs in the timer alone. */
static const known_reset *find(const struct reset_cache *b, const sixer_env *env, bool *near) {
  reset_settings settings = settings_of(env);
  console masked;
  mask_console(&masked, env->m.c);
  for (int i = 0; i < b->count; i++) {
    if (timer_fits(b->known[i], env) && rest_fits(b->known[i], env, &settings, &masked))
      return b->known[i];
  }
  *near = false;
  for (int i = 0; i < b->count && !*near; i++)
    *near = rest_fits(b->known[i], env, &settings, &masked);
  return NULL;
}

/* ---- Hits ------------------------------------------------------------------------------------------------------ */

/* The console at the beginning of a recorded frame, for the reset that began with `reset`. */
static void console_at(console *c, const frame_start *m, const console *reset) {
  memcpy(c, m->c.bytes, sizeof *c);
  c->draws = reset->draws;
}

/* The pictures at the end: the last two frames, to be drawn when somebody looks, or the pixels that were kept. */
static void set_pictures(sixer_env *env, const known_reset *k, const console *reset) {
  const size_t size = (size_t)env->height * SCREEN_WIDTH;
  for (int i = 0; i < 2; i++) {
    const int which = env->m.current ^ (i == 0);
    picture_source *s = &env->pictures->buffer[which];
    if (k->drawable) {
      console_at(s->start, &k->last[i], reset);
      s->input = k->last[i].input;
      s->kind = PICTURE_REPLAY;
      s->here = false;
    } else {
      memcpy(env->m.picture[which], k->pixels + (i == 0 ? size : 0), size);
      machine_picture_replaced(&env->m, which);
      pictures_replaced(env, which);
    }
  }
  env->pictures->went_on = kept(&k->last[1].c)->tia.partial;
}

static void go_to_end(sixer_env *env, const known_reset *k) {
  machine *m = &env->m;
  console reset;
  memcpy(&reset, m->c, sizeof reset);
  uint8_t current = m->current ^ k->turned;
  m->current = current;
  if (env->pictures) set_pictures(env, k, &reset);
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
  env->seats.last_action[0] = env->seats.last_action[1] = 0;
  m->c->bus = m->c->ram[RAM_BYTES - 1];
  env->picture_known = env->config.picture;
  env->blended = false;
}

bool reset_cache_load(sixer_env *env) {
  if (!can_cache(env)) return false;
  struct reset_cache *b = env->rom->resets;
  bool near;
  pthread_mutex_lock(&b->lock);
  const known_reset *k = find(b, env, &near);
  if (k) {
    b->hits++;
    go_to_end(env, k); /* it may be replaced as soon as the lock is open */
  } else {
    b->misses++;
    b->near += near;
  }
  pthread_mutex_unlock(&b->lock);
  return k != NULL;
}

/* ---- Recording ------------------------------------------------------------------------------------------------- */

struct reset_record {
  kept_console reset;
  episode now;
  controller control;
  int32_t vars[GAME_MAX_VARS];
  uint8_t current, audio[AUDIO_BYTES];
  int reset_at; /* frames before the game's variables were reset */
  int count;
  frame_start first[OBSERVED + 1], last[2]; /* the beginnings of frames; the last ones in turn */
};

void reset_record_begin(sixer_env *env) {
  if (!can_cache(env)) return;
  struct reset_cache *b = env->rom->resets;
  /* the first resets are those of opening the rom and creating an env: many programs make no others */
  pthread_mutex_lock(&b->lock);
  bool worth = b->misses > 2 && b->recorded < PATIENCE + b->hits + b->near;
  if (worth) b->recorded++;
  pthread_mutex_unlock(&b->lock);
  struct reset_record *w = worth ? malloc(sizeof *w) : NULL;
  if (!w) return;
  w->reset = pack(env->m.c);
  w->now = env->now;
  w->control = env->control;
  memcpy(w->vars, env->vars, sizeof w->vars);
  w->current = env->m.current;
  memcpy(w->audio, env->m.audio, sizeof w->audio);
  w->reset_at = OBSERVED; /* or later: without rules it never is */
  w->count = 0;
  env->recording = w;
}

static frame_start start_of(const sixer_env *env) {
  return (frame_start){pack(env->m.c), env->m.input};
}

void reset_record_frame(sixer_env *env) {
  struct reset_record *w = env->recording;
  const frame_start now = start_of(env);
  if (w->count <= OBSERVED) w->first[w->count] = now;
  w->last[w->count & 1] = now;
  w->count++;
}

void reset_record_game(sixer_env *env) {
  if (env->recording) env->recording->reset_at = env->recording->count;
}

/* Do the last two frames reach every row, so that both pictures can be drawn from them alone? */
static bool can_draw(const sixer_env *env, const struct reset_record *w) {
  uint32_t all = (uint32_t)(env->height * SCREEN_WIDTH);
  const tia_state *moments[3] = {&kept(&w->last[w->count & 1].c)->tia,
                                 &kept(&w->last[(w->count + 1) & 1].c)->tia, &env->m.c->tia};
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

/* Both pictures as they are, the newer one first. The reset has begun with black ones. */
static uint8_t *copy_pictures(sixer_env *env) {
  const size_t size = (size_t)env->height * SCREEN_WIDTH;
  uint8_t *pixels = malloc(2 * size);
  for (int i = 0; pixels && i < 2; i++) {
    pictures_show(env, env->m.current ^ i);
    memcpy(pixels + (size_t)i * size, machine_picture(&env->m, env->m.current ^ i), size);
  }
  return pixels;
}

/* How many of the recorded frames to observe. What the rules read before the game's variables are reset has no effect,
 * so they may be left out of account that long; with variables that outlive the reset and are changed by the rules,
 * these read what the first frame has left. */
static int to_observe(const sixer_env *env, const struct reset_record *w) {
  int frames = env->rules && game_keeps_vars(env->rules) ? 1 : w->reset_at;
  if (frames > OBSERVED) frames = OBSERVED;
  return frames < w->count ? frames : w->count;
}

/* Make an entry of a recording; false if the reset cannot be cached. */
static bool learn(sixer_env *env, const struct reset_record *w, known_reset *k) {
  if (w->count < 2 || !same_generators(env, w)) return false;
  if (env->rules && game_reads_bus(env->rules)) return false;
  if (!reset_observe(env, w->first, to_observe(env, w), &k->reads)) return false;
  k->drawable = can_draw(env, w);
  if (!k->drawable && env->pictures && !(k->pixels = copy_pictures(env))) return false;
  k->settings = settings_of(env);
  k->reset = w->reset;
  memcpy(k->vars_before, w->vars, sizeof k->vars_before);
  memcpy(k->audio_before, w->audio, sizeof k->audio_before);
  for (int i = 0; i < 2; i++) k->last[i] = w->last[(w->count + i) & 1];
  k->end = start_of(env);
  memcpy(k->vars, env->vars, sizeof k->vars);
  k->reward = env->now.reward;
  k->paddle[0] = env->now.paddle[0];
  k->paddle[1] = env->now.paddle[1];
  k->frames = (int32_t)(env->now.frames - w->now.frames);
  k->episode_frames = env->now.episode_frames - w->now.episode_frames;
  memcpy(k->audio, env->m.audio, sizeof k->audio);
  k->turned = env->m.current ^ w->current;
  return true;
}

void reset_record_end(sixer_env *env) {
  struct reset_record *w = env->recording;
  if (!w) return;
  env->recording = NULL;
  struct reset_cache *b = env->rom->resets;
  if (w->count <= OBSERVED) w->first[w->count] = start_of(env);
  known_reset *k = calloc(1, sizeof *k);
  if (k && learn(env, w, k)) {
    pthread_mutex_lock(&b->lock);
    int at = b->count < MAX_KNOWN ? b->count++ : b->next++ % MAX_KNOWN;
    known_reset *old = b->known[at];
    b->known[at] = k;
    k = old;
    pthread_mutex_unlock(&b->lock);
  }
  free_known(k);
  free(w);
}
