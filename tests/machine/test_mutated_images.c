/* Real games with bytes changed: the three cores play each of them alike, frame by frame. The images are those that are
 * found on this machine (an installed ale-py, SIXER_ROMS) and our own. A changed image starts at power-on, or goes on
 * from a console of the unchanged game in the middle of play, so that code of all parts of a game is reached.
 *
 * The plain core draws pixel by pixel and takes nearly all of the time. Most runs have a window of a few lines, which
 * makes a frame ten times cheaper for it; the processor, the timer and the cartridge do the same as with a large one.
 *
 *   test_mutated_images               some thousand frames
 *   test_mutated_images FRAMES        so many
 *   test_mutated_images FRAMES FIRST  so many, from run FIRST on */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "machine/cart.h"
#include "sixer/catalog.h"
#include "support/three_cores.h"

enum { MAX_GAMES = 200, MOMENTS = 4, WARM_UP = 1200, RUN_FRAMES = 40, SHOWN = 20 };
enum {
  ENDLESS_FRAMES = 3
}; /* in a row: a program that hangs, and each frame takes five times as long */

static int64_t wanted = 0;
static uint64_t first = 0;

/* A game and consoles from its play. */
typedef struct subject {
  sixer_rom *rom;
  console *moments[MOMENTS];
} subject;

static subject subjects[MAX_GAMES];
static int subject_count, commercial;

/* ---- Games ----------------------------------------------------------------------------------------------------- */

/* The image of the game as a program, with a window. */
static void take(workshop *w, const subject *s, uint64_t number) {
  const sixer_rom *rom = s->rom;
  w->p.number = number;
  w->p.kind = rom->stem;
  w->p.size = (int)rom->size;
  w->p.type = rom->cart.type;
  w->p.pal = rom->format && !strncmp(rom->format, "PAL", 3);
  w->p.first_line = rom->properties.first_line;
  w->p.lines = rom->properties.lines;
  w->p.hmove_blanks = !rom->properties.no_hmove_blanks;
  memcpy(w->p.image, rom->image, rom->size);
}

/* Play the unchanged game with the fastest core and keep consoles on the way. */
static void warm_up(workshop *w, subject *s, uint64_t number) {
  const int jit = CORES - 1;
  take(w, s, number);
  assert_true(cart_wire(&w->cart, w->p.image, (uint32_t)w->p.size, w->p.type));
  plug_in(w);
  for (int i = 0; i < WARM_UP; i++) {
    console_input input = program_input(&w->p, i);
    input.swchb = i > 60 && i < 64 ? 0x3E : 0x3F; /* press reset once, and nothing else */
    run_frame(w, jit, &input, false);
    const int part = WARM_UP / MOMENTS;
    if (i % part != part - 1) continue;
    console *c = malloc(console_size(w));
    assert_non_null(c);
    memcpy(c, w->console[jit].env.m.c, console_size(w));
    s->moments[i / part] = c;
  }
  unplug(w);
}

static void find_games(workshop *w) {
  sixer_catalog *catalog = NULL;
  assert_int_equal(sixer_catalog_open_builtin(&catalog, NULL), SIXER_OK);
  for (int i = 0; i < sixer_catalog_count(catalog) && subject_count < MAX_GAMES; i++) {
    const sixer_game_info info = sixer_catalog_game(catalog, i);
    subject *s = &subjects[subject_count];
    if (sixer_rom_open(info.id, NULL, &s->rom, NULL) || s->rom->size > PROGRAM_MAX) continue;
    commercial += !info.image_inside;
    warm_up(w, s, (uint64_t)subject_count++);
  }
  sixer_catalog_close(catalog);
  printf("%d games, %d of them found outside of the library\n", subject_count, commercial);
}

/* ---- Changing an image ----------------------------------------------------------------------------------------- */

/* Up to some dozens of bytes: anywhere, or near the code that runs first. */
static void change_image(stream *s, uint8_t *image, int size) {
  static const uint8_t telling[] = {0x00, 0x02, 0x20, 0x4C, 0x6C, 0x40, 0x60, 0x85,
                                    0x86, 0x84, 0x91, 0x8D, 0x9D, 0xE6, 0xF6, 0xA7,
                                    0xD0, 0xF0, 0x9A, 0x48, 0xFF, 0x2B};
  for (int n = 1 << below(s, 6); n > 0; n--) {
    const int at = chance(s, 20) ? size - 1 - below(s, size < 256 ? size : 256) : below(s, size);
    switch (below(s, 6)) {
      case 0: image[at] = any_byte(s); break;
      case 1: image[at] ^= (uint8_t)(1 << below(s, 8)); break;
      case 2: image[at] = telling[below(s, COUNT_OF(telling))]; break;
      case 3: image[at] = (uint8_t)(image[at] + between(s, -3, 3)); break;
      case 4: { /* a piece of it elsewhere */
        const int from = below(s, size), most = size - (at > from ? at : from);
        int length = between(s, 2, 40);
        if (length > most) length = most;
        memmove(image + at, image + from, (size_t)length);
        break;
      }
      default: /* a store to a register of the TIA, which is what shows */
        if (at + 1 < size)
          image[at] = BYTE_OF(s, 0x84, 0x85, 0x86), image[at + 1] = (uint8_t)below(s, 0x2D);
    }
  }
}

/* A window: mostly low, so that the plain core has little to draw. In one that is the first line alone, the beam begins
 * before clock 0. */
static void choose_window(stream *s, program *p) {
  if (chance(s, 4)) return;
  if (chance(s, 5)) {
    p->lines = 1;
    p->first_line = 0;
    return;
  }
  p->lines = between(s, 1, 12);
  p->first_line = between(s, 0, 250);
}

/* ---- The test -------------------------------------------------------------------------------------------------- */

/* A changed game for some frames; the number of frames, or 0 if the cores differ. */
static int play(workshop *w, uint64_t number) {
  stream s = {number * RANDOM_STEP};
  draw64(&s);
  const subject *from = &subjects[below(&s, subject_count)];
  take(w, from, number);
  change_image(&s, w->p.image, w->p.size);
  choose_window(&s, &w->p);
  assert_true(cart_wire(&w->cart, w->p.image, (uint32_t)w->p.size, w->p.type));
  plug_in(w);
  const machine *plain = &w->console[PLAIN].env.m;
  const console *moment = from->moments[below(&s, MOMENTS)];
  if (chance(&s, 75) && machine_fits(plain, moment)) share(w, moment);
  int done = 0, endless = 0;
  for (bool wrong = false; done < RUN_FRAMES && endless < ENDLESS_FRAMES; done++) {
    const console_input input = program_input(&w->p, done);
    for (int k = 0; k < CORES && !wrong; k++) {
      run_frame(w, k, &input, true);
      const char *what = k == PLAIN ? NULL : difference(w, k);
      if (!what) continue;
      printf("run %llu (%s, %s), frame %d: %s: %s\n", (unsigned long long)number, w->p.kind,
             cart_type_name(w->p.type), done, cores[k].name, what);
      wrong = true;
    }
    if (!wrong && !machine_fits(plain, plain->c)) {
      printf("run %llu, frame %d: what play left is refused\n", (unsigned long long)number, done);
      wrong = true;
    }
    if (wrong) return unplug(w), 0;
    endless = plain->c->tia.partial ? endless + 1 : 0;
  }
  unplug(w);
  return done;
}

static void changed_games_play_alike(void **state) {
  (void)state;
  workshop *w = workshop_open();
  assert_non_null(w);
  find_games(w);
  int64_t frames = 0, shown = 0;
  int wrong = 0;
  uint64_t number = first;
  for (; frames < wanted && wrong < SHOWN; number++) {
    const int done = play(w, number);
    frames += done;
    wrong += !done;
    if (frames - shown < 100000) continue;
    shown = frames;
    printf("%lld frames, %d differences; next run %llu\n", (long long)frames, wrong,
           (unsigned long long)number + 1);
    fflush(stdout);
  }
  printf("%lld frames of %llu changed images, %d differences\n", (long long)frames,
         (unsigned long long)(number - first), wrong);
  if (!commercial)
    printf("no image was found outside of the library: only our own games were changed\n");
  for (int i = 0; i < subject_count; i++) {
    for (int k = 0; k < MOMENTS; k++) free(subjects[i].moments[k]);
    sixer_rom_close(subjects[i].rom);
  }
  workshop_close(w);
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
#ifdef NDEBUG
  wanted = 6000;
#else
  wanted = 600; /* without optimization, or with the sanitizers */
#endif
  if (argc > 1) wanted = atoll(argv[1]);
  if (argc > 2) first = (uint64_t)atoll(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_games_play_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
