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

#include "support/three_cores.h"

enum { FRAMES = 5, SHOWN = 20 };

static int wanted = 0, first = 0;

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
  workshop *w = workshop_open();
  assert_non_null(w);
  int different = 0, done = 0;
  for (; done < wanted && different < SHOWN; done++) {
    different += compare(w, (uint64_t)first + (uint64_t)done);
    if (wanted >= 20000 && (done + 1) % 10000 == 0) {
      printf("%d programs, %d differences\n", done + 1, different);
      fflush(stdout);
    }
  }
  printf("%d programs, %d differences\n", done, different);
  workshop_close(w);
  assert_int_equal(different, 0);
}

/* Rows whose known line, by the console's guesses, is not in tables for one machine. */
static int rows_beyond(const machine *m) {
  int count = 0;
  for (int y = 0; y < SCREEN_MAX_LINES; y++)
    count += m->hints.known_row[y] >= 1u << tia_sizes_for(1).known;
  return count;
}

/* A console that plays with tables of lines of two sizes in turn, and forgets its guesses on the way. */
static void test_tables_of_two_sizes(void **state) {
  (void)state;
  enum { PROGRAMS = 40, TURNS = 4 };
  const int k = 1; /* interp */
  workshop *w = workshop_open();
  env_scratch larger;
  assert_non_null(w);
  assert_int_equal(env_scratch_make(&larger, false, TIA_MANY, NULL), SIXER_OK);
  assert_true(tia_sizes_for(TIA_MANY).known > tia_sizes_for(1).known);
  int beyond = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    program_make(&w->p, (uint64_t)(first + i));
    assert_true(cart_wire(&w->cart, w->p.image, (uint32_t)w->p.size, w->p.type));
    plug_in(w);
    bench_console *b = &w->console[k];
    for (int frame = 0; frame < TURNS * FRAMES; frame++) {
      const bool large = frame / FRAMES % 2;
      if (frame % FRAMES == 0) {
        beyond += rows_beyond(&b->env.m);
        env_lend(&b->env, large ? &larger : &b->scratch);
        b->known[0] = b->known[1] = false; /* other buffers */
        assert_int_equal(rows_beyond(&b->env.m), 0);
      }
      const console_input input = program_input(&w->p, frame);
      run_frame(w, PLAIN, &input, true);
      run_frame(w, k, &input, true);
      const char *what = difference(w, k);
      if (what) fail_msg("program %d, frame %d: %s", first + i, frame, what);
    }
    unplug(w);
  }
  assert_true(beyond > 0);
  env_scratch_free(&larger);
  workshop_close(w);
}

int main(int argc, char **argv) {
#ifdef NDEBUG
  wanted = 800;
#else
  wanted = 250; /* without optimization, or with the sanitizers */
#endif
  if (argc > 1) wanted = atoi(argv[1]);
  if (argc > 2) first = atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cores_agree),
                                     cmocka_unit_test(test_tables_of_two_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
