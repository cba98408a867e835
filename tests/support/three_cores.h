/* A console on each of the three cores, for running one program on all of them and comparing the bytes. */
#ifndef TESTS_THREE_CORES_H
#define TESTS_THREE_CORES_H

#include <stdio.h>
#include <stdlib.h>

#include "env/env.h"
#include "machine/tia_paint.h"
#include "support/random_programs.h"

enum { PLAIN = 0 };

static const struct {
  const char *name;
  machine_core *frame;
} cores[] = {
    {"plain", machine_frame_plain}, {"interp", machine_frame_interp}, {"jit", machine_frame_jit}};
enum { CORES = COUNT_OF(cores) };

/* A console of each core, and what it is lent. Line caches live on from program to program, as they do in a vector of
 * different games; translators are made anew. */
typedef struct bench_console {
  sixer_env env;
  env_scratch scratch;
  bool known[2]; /* the fast cores do not draw everything: is the buffer the plain core's? */
} bench_console;

typedef struct workshop {
  bench_console console[CORES];
  console *saved;
  program p;
  cartridge cart;
} workshop;

static inline size_t console_size(const workshop *w) { return sizeof(console) + w->cart.xram_size; }

static inline void plug_in(workshop *w) {
  for (int k = 0; k < CORES; k++) {
    bench_console *b = &w->console[k];
    machine *m = &b->env.m;
    console *c = m->c;
    b->env = (sixer_env){.run_frame = cores[k].frame};
    m->c = c;
    memset(c, 0, console_size(w));
    m->cart = &w->cart;
    m->config = (machine_config){.first_line = w->p.first_line,
                                 .lines = w->p.lines,
                                 .max_lines = w->p.pal ? 342 : 290,
                                 .color_loss = w->p.pal,
                                 .hmove_blanks = w->p.hmove_blanks};
    machine_attach(m, cores[k].frame);
    env_lend(&b->env, &b->scratch);
    /* lines are painted in one of the ways that this processor has */
    if (m->work) m->work->tables.painter = (int)(w->p.number % (tia_best_painter() + 1u));
    memset(b->scratch.picture[0], 0, 2 * SCREEN_WIDTH * SCREEN_MAX_LINES);
    b->known[0] = b->known[1] = true;
    m->input = program_input(&w->p, 0);
    machine_power_on(m, (uint32_t)w->p.number);
    machine_reset(m);
  }
}

static inline void unplug(workshop *w) {
  for (int k = 0; k < CORES; k++) {
    env_scratch *s = &w->console[k].scratch, jits = {.jits = s->jits, .jit_count = s->jit_count};
    env_scratch_free(&jits);
    s->jits = NULL;
    s->jit_count = 0;
  }
}

/* One frame; `draw` says what a fast core is asked for, and the plain one always draws. */
static inline void run_frame(workshop *w, int k, const console_input *input, bool draw) {
  bench_console *b = &w->console[k];
  machine *m = &b->env.m;
  bool goes_on = m->c->tia.partial;
  m->input = *input;
  m->draw = draw;
  b->env.run_frame(m);
  bool all = !goes_on && m->c->tia.row >= (uint32_t)(w->p.lines * SCREEN_WIDTH);
  if (!draw)
    b->known[m->current] = false;
  else if (all)
    b->known[m->current] = true;
  m->c->bus = m->c->ram[127]; /* as the environment leaves it */
}

/* Give all cores this console and the sound and pictures of the plain one. */
static inline void share(workshop *w, const console *from) {
  const machine *plain = &w->console[PLAIN].env.m;
  for (int k = 0; k < CORES; k++) {
    bench_console *b = &w->console[k];
    machine *m = &b->env.m;
    memcpy(m->c, from, console_size(w));
    memcpy(m->audio, plain->audio, sizeof m->audio);
    m->current = plain->current;
    for (int i = 0; i < 2; i++) {
      if (k != PLAIN)
        memcpy(m->picture[i], machine_picture(plain, i), SCREEN_WIDTH * SCREEN_MAX_LINES);
      machine_picture_replaced(m, i);
      b->known[i] = true;
    }
    machine_restored(m);
  }
}

/* What differs between a core and the plain one, in words; NULL if nothing does. */
static inline const char *difference(const workshop *w, int k) {
  static char text[200];
  const bench_console *b = &w->console[k];
  const machine *m = &b->env.m, *plain = &w->console[PLAIN].env.m;
  const uint8_t *mine = (const uint8_t *)m->c, *theirs = (const uint8_t *)plain->c;
  const bool consoles_differ = memcmp(mine, theirs, console_size(w)) != 0;
  for (size_t i = 0; consoles_differ && i < console_size(w); i++) {
    if (mine[i] == theirs[i]) continue;
    const char *part = i >= offsetof(console, xram)   ? "cartridge memory"
                       : i >= offsetof(console, ram)  ? "memory"
                       : i >= offsetof(console, bank) ? "banks or chip"
                       : i >= offsetof(console, tia)  ? "TIA"
                       : i >= offsetof(console, riot) ? "RIOT"
                                                      : "processor";
    snprintf(text, sizeof text, "byte %zu of the console (%s) is %02x, not %02x", i, part, mine[i],
             theirs[i]);
    return text;
  }
  if (memcmp(m->audio, plain->audio, sizeof m->audio) != 0) return "sound registers differ";
  if (m->current != plain->current) return "another picture is drawn";
  const int pixels = w->p.lines * SCREEN_WIDTH;
  for (int which = 0; which < 2; which++) {
    const uint8_t *ours = machine_picture(m, which), *right = machine_picture(plain, which);
    if (!b->known[which] || !memcmp(ours, right, (size_t)pixels)) continue;
    for (int i = 0; i < pixels; i++) {
      uint8_t one = ours[i], other = right[i];
      if (one == other) continue;
      snprintf(text, sizeof text, "row %d, pixel %d of the %s picture is %02x, not %02x",
               i / SCREEN_WIDTH, i % SCREEN_WIDTH, which == m->current ? "newest" : "older", one,
               other);
      return text;
    }
  }
  return NULL;
}

static inline void workshop_close(workshop *w) {
  for (int k = 0; w && k < CORES; k++) {
    env_scratch_free(&w->console[k].scratch);
    free(w->console[k].env.m.c);
  }
  if (w) free(w->saved);
  free(w);
}

/* NULL: no memory. */
static inline workshop *workshop_open(void) {
  const size_t most = sizeof(console) + CART_MAX_XRAM; /* memory of the largest cartridge */
  workshop *w = calloc(1, sizeof *w);
  bool fits = w && (w->saved = calloc(1, most)) != NULL;
  for (int k = 0; fits && k < CORES; k++) {
    fits = env_scratch_make(&w->console[k].scratch, false, 1, NULL) == SIXER_OK &&
           (w->console[k].env.m.c = calloc(1, most)) != NULL;
  }
  if (fits) return w;
  workshop_close(w);
  return NULL;
}

#endif
