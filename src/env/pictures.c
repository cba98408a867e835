/* Pictures on demand: see pictures.h for the idea. */
#include "env/pictures.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t visible_pixels(const sixer_env *env) { return (size_t)env->height * SCREEN_WIDTH; }

/* Has the frame drawn every visible row? Rows are drawn from the top, without gaps. */
static bool reaches_all(const sixer_env *env) { return env->m.c->tia.row >= visible_pixels(env); }

sixer_err pictures_make(env_pictures *p, const sixer_rom *rom, sixer_error *error) {
  *p = (env_pictures){.size = sizeof(console) + rom->cart.xram_size};
  /* one block: a console is a few hundred bytes on ordinary cartridges */
  size_t step = (p->size + 15) & ~(size_t)15;
  uint8_t *block = calloc(4, step);
  if (!block) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an environment");
  p->spare = (console *)block;
  p->aside = (console *)(block + step);
  p->buffer[0].start = (console *)(block + 2 * step);
  p->buffer[1].start = (console *)(block + 3 * step);
  return SIXER_OK;
}

/* `spare` and the two starts are parts of one block and are exchanged; the block begins at the lowest address. */
static console *block_of(const env_pictures *p) {
  console *first = p->aside < p->spare ? p->aside : p->spare;
  for (int i = 0; i < 2; i++) {
    if (p->buffer[i].start < first) first = p->buffer[i].start;
  }
  return first;
}

void pictures_free(env_pictures *p) {
  free(block_of(p));
  free(p->buffer[0].pixels);
  free(p->buffer[1].pixels);
  *p = (env_pictures){0};
}

size_t pictures_memory(const env_pictures *p, int height) {
  size_t bytes = 4 * ((p->size + 15) & ~(size_t)15);
  for (int i = 0; i < 2; i++) {
    if (p->buffer[i].pixels) bytes += (size_t)height * SCREEN_WIDTH;
  }
  return bytes;
}

void pictures_clear(sixer_env *env) {
  for (int i = 0; i < 2; i++) {
    env->pictures->buffer[i].kind = PICTURE_BLACK;
    env->pictures->buffer[i].here = true; /* the reset has cleared the lent buffers */
  }
}

void pictures_replaced(sixer_env *env, int which) {
  env->pictures->buffer[which].kind = PICTURE_PIXELS;
  env->pictures->buffer[which].here = true;
}

void pictures_replay(sixer_env *env, const console *start, const console_input *input, int which) {
  machine *m = &env->m;
  env_pictures *p = env->pictures;
  /* save the current console and input */
  console_input input_now = m->input;
  uint8_t current = m->current, audio[sizeof m->audio];
  bool draw = m->draw, stop = m->stop;
  tia_objects *objects = m->objects;
  memcpy(audio, m->audio, sizeof audio);
  memcpy(p->aside, m->c, p->size);

  memcpy(m->c, start, p->size);
  machine_restored(m);
  m->input = *input;
  m->current = (uint8_t)(which ^ 1); /* a frame begins by switching to the other buffer */
  m->draw = true;
  m->objects = NULL;
  env->run_frame(m);
  m->objects = objects;
  /* a loaded state may claim that the frame reaches every row when it does not; the other rows would then show another
   * env's picture */
  if (!reaches_all(env)) {
    memset(m->picture[which], 0, visible_pixels(env));
    machine_picture_replaced(m, which);
  }

  memcpy(m->c, p->aside, p->size);
  machine_restored(m);
  memcpy(m->audio, audio, sizeof audio);
  m->input = input_now;
  m->current = current;
  m->draw = draw;
  m->stop = stop;
}

void pictures_show(sixer_env *env, int which) {
  picture_source *s = &env->pictures->buffer[which];
  if (s->here) return;
  switch (s->kind) {
    case PICTURE_BLACK: memset(env->m.picture[which], 0, visible_pixels(env)); break;
    case PICTURE_REPLAY: pictures_replay(env, s->start, &s->input, which); break;
    case PICTURE_PIXELS: memcpy(env->m.picture[which], s->pixels, visible_pixels(env)); break;
  }
  if (s->kind != PICTURE_REPLAY) machine_picture_replaced(&env->m, which);
  s->here = true;
}

/* Run the rest of an interrupted frame, in the same buffer. */
static void go_on(sixer_env *env) {
  machine *m = &env->m;
  picture_source *s = &env->pictures->buffer[m->current];
  if (reaches_all(env)) {
    m->draw = false; /* all visible rows are drawn */
    env->run_frame(m);
    return;
  }
  pictures_show(env, m->current);
  m->draw = true;
  env->run_frame(m);
  s->kind = PICTURE_PIXELS;
}

void pictures_run_frame(sixer_env *env) {
  machine *m = &env->m;
  env_pictures *p = env->pictures;
  p->went_on = m->c->tia.partial;
  if (p->went_on) {
    go_on(env);
    return;
  }
  int which = m->current ^ 1;
  picture_source *s = &p->buffer[which];
  memcpy(p->spare, m->c, p->size);

  /* after a short frame another one is likely: put the old picture into the buffer, whose last rows it will keep */
  bool ready = s->kind != PICTURE_REPLAY;
  if (ready) pictures_show(env, which);
  m->draw = p->wanted || ready;
  bool drawn_over = m->draw && s->here; /* the rows that this frame does not reach are correct */
  /* an endless frame, which some games have at a reset, is short as a rule: without drawing it is of no use */
  m->hold_endless = !m->draw;
  env->run_frame(m);
  bool held = !m->draw && !m->hold_endless;
  m->hold_endless = false;

  if (!held && reaches_all(env)) {
    console *start = s->start;
    s->start = p->spare;
    p->spare = start;
    s->input = m->input;
    s->kind = PICTURE_REPLAY;
    s->here = m->draw;
    return;
  }
  if (!drawn_over) {
    /* the frame is short, and the old picture under its missing rows is not in the buffer: run the frame again over
     * it */
    s->here = false;
    pictures_show(env, which);
    memcpy(m->c, p->spare, p->size);
    machine_restored(m);
    m->current = (uint8_t)(which ^ 1);
    m->draw = true;
    env->run_frame(m);
    p->redrawn++;
  }
  s->kind = PICTURE_PIXELS;
  s->here = true;
}

bool pictures_keep(sixer_env *env, int which) {
  picture_source *s = &env->pictures->buffer[which];
  bool kept = true;
  if (s->kind == PICTURE_PIXELS && s->here) {
    if (!s->pixels) s->pixels = malloc(visible_pixels(env));
    if (s->pixels)
      memcpy(s->pixels, machine_picture(&env->m, which), visible_pixels(env));
    else
      kept = false, s->kind = PICTURE_BLACK;
  }
  s->here = false;
  return kept;
}

bool pictures_leave(sixer_env *env) {
  bool kept = pictures_keep(env, 0);
  return pictures_keep(env, 1) && kept;
}

bool pictures_reserve(env_pictures *to, const env_pictures *from, int height) {
  bool fits = true;
  for (int i = 0; i < 2; i++) {
    picture_source *s = &to->buffer[i];
    if (from->buffer[i].kind == PICTURE_PIXELS && !s->pixels)
      fits = (s->pixels = malloc((size_t)height * SCREEN_WIDTH)) != NULL && fits;
  }
  return fits;
}

void pictures_copy(env_pictures *to, const env_pictures *from, int height) {
  for (int i = 0; i < 2; i++) {
    picture_source *s = &to->buffer[i];
    const picture_source *o = &from->buffer[i];
    s->kind = o->kind;
    s->here = false;
    s->input = o->input;
    if (o->kind == PICTURE_REPLAY) memcpy(s->start, o->start, from->size);
    if (o->kind == PICTURE_PIXELS) memcpy(s->pixels, o->pixels, (size_t)height * SCREEN_WIDTH);
  }
  to->went_on = from->went_on;
}
