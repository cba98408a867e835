/* The three cores agree: random programs (random_programs.h) are run by all of them, and after every frame the
 * consoles, the pictures and the registers of the sound must be the same bytes.
 *
 *   test_programs               a few thousand programs
 *   test_programs COUNT         so many
 *   test_programs COUNT FIRST   so many from number FIRST on: to see one again, COUNT is 1 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "env/env.h"
#include "machine/tia_paint.h"
#include "support/random_programs.h"

enum { FRAMES = 5, PLAIN = 0, SHOWN = 20 };

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

static int wanted = 0, first = 0;

static size_t console_size(const workshop *w) { return sizeof(console) + w->cart.xram_size; }

static void plug_in(workshop *w) {
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

static void unplug(workshop *w) {
  for (int k = 0; k < CORES; k++) {
    env_scratch *s = &w->console[k].scratch, jits = {.jits = s->jits, .jit_count = s->jit_count};
    env_scratch_free(&jits);
    s->jits = NULL;
    s->jit_count = 0;
  }
}

/* One frame; `draw` says what a fast core is asked for, and the plain one always draws. */
static void run_frame(workshop *w, int k, const console_input *input, bool draw) {
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

/* What differs between a core and the plain one, in words; NULL if nothing does. */
static const char *difference(const workshop *w, int k) {
  static char text[200];
  const bench_console *b = &w->console[k];
  const machine *m = &b->env.m, *plain = &w->console[PLAIN].env.m;
  const uint8_t *mine = (const uint8_t *)m->c, *theirs = (const uint8_t *)plain->c;
  for (size_t i = 0; i < console_size(w); i++) {
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
  for (int which = 0; which < 2; which++) {
    for (int i = 0; b->known[which] && i < w->p.lines * SCREEN_WIDTH; i++) {
      uint8_t one = m->picture[which][i], other = plain->picture[which][i];
      if (one == other) continue;
      snprintf(text, sizeof text, "row %d, pixel %d of the %s picture is %02x, not %02x",
               i / SCREEN_WIDTH, i % SCREEN_WIDTH, which == m->current ? "newest" : "older", one,
               other);
      return text;
    }
  }
  return NULL;
}

/* Run a program on every core; how many of them differ. */
static int compare(workshop *w, uint64_t number) {
  program_make(&w->p, number);
  assert_true(cart_wire(&w->cart, w->p.image, (uint32_t)w->p.size, w->p.type));
  plug_in(w);
  stream s = {number ^ 0x5DEECE66Du};
  draw64(&s);
  int drawing = below(&s, 4); /* 0: now and then, else always */
  int again = chance(&s, 15) ? below(&s, FRAMES) : -1;
  bool wrong[CORES] = {false};
  for (int frame = 0; frame < FRAMES; frame++) {
    console_input input = program_input(&w->p, frame);
    bool draw = drawing > 0 || chance(&s, 50);
    run_frame(w, PLAIN, &input, true);
    for (int k = PLAIN + 1; k < CORES; k++) {
      if (wrong[k]) continue;
      machine *m = &w->console[k].env.m;
      if (frame == again) { /* back to where it was, and once more */
        uint8_t current = m->current, audio[sizeof m->audio];
        memcpy(w->saved, m->c, console_size(w));
        memcpy(audio, m->audio, sizeof audio);
        run_frame(w, k, &input, false);
        w->console[k].known[0] = w->console[k].known[1] = false;
        memcpy(m->c, w->saved, console_size(w));
        memcpy(m->audio, audio, sizeof audio);
        m->current = current;
        machine_restored(m);
      }
      run_frame(w, k, &input, draw);
      const char *what = difference(w, k);
      if (!what) continue;
      wrong[k] = true;
      printf("program %llu (%s, %s): %s after frame %d: %s\n", (unsigned long long)number,
             w->p.kind, cart_type_name(w->p.type), cores[k].name, frame, what);
    }
  }
  unplug(w);
  int count = 0;
  for (int k = 0; k < CORES; k++) count += wrong[k];
  return count;
}

static void test_cores_agree(void **state) {
  (void)state;
  workshop *w = calloc(1, sizeof *w);
  assert_non_null(w);
  size_t most = sizeof(console) + 32768; /* memory of the largest cartridge */
  w->saved = calloc(1, most);
  for (int k = 0; k < CORES; k++) {
    assert_int_equal(env_scratch_make(&w->console[k].scratch, false, NULL), SIXER_OK);
    w->console[k].env.m.c = calloc(1, most);
    assert_non_null(w->console[k].env.m.c);
  }
  int different = 0, done = 0;
  for (; done < wanted && different < SHOWN; done++) {
    different += compare(w, (uint64_t)first + (uint64_t)done);
    if (wanted >= 20000 && (done + 1) % 10000 == 0) {
      printf("%d programs, %d differences\n", done + 1, different);
      fflush(stdout);
    }
  }
  printf("%d programs, %d differences\n", done, different);
  for (int k = 0; k < CORES; k++) {
    env_scratch_free(&w->console[k].scratch);
    free(w->console[k].env.m.c);
  }
  free(w->saved);
  free(w);
  assert_int_equal(different, 0);
}

int main(int argc, char **argv) {
#ifdef NDEBUG
  wanted = 2000;
#else
  wanted = 250; /* without optimization, or with the sanitizers */
#endif
  if (argc > 1) wanted = atoi(argv[1]);
  if (argc > 2) first = atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cores_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
