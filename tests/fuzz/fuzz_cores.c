/* The three cores on images and consoles that the fuzzer chooses: after each frame console, picture and sound registers
 * are the same bytes.
 *
 * An input: number of a random program (2 bytes), frames and window (1), changes of its image (up to 0xFF's worth),
 * then changes of the console after the first frame, as far as machine_fits() accepts it. Most windows have few lines:
 * the plain core draws pixel by pixel.
 *
 * runs: 150 */
#include <assert.h>

#include "fuzz/fuzz_edits.h"
#include "support/three_cores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static workshop *w;

static void run_and_compare(int frame) {
  const console_input input = program_input(&w->p, frame);
  for (int k = 0; k < CORES; k++) {
    run_frame(w, k, &input, true);
    const char *what = k == PLAIN ? NULL : difference(w, k);
    if (what) {
      fprintf(stderr, "program %llu: %s: %s\n", (unsigned long long)w->p.number, cores[k].name,
              what);
      abort();
    }
  }
  const machine *m = &w->console[PLAIN].env.m;
  if (!machine_fits(m, m->c)) {
    fprintf(stderr, "what play left is refused\n");
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!w && !(w = workshop_open())) abort();
  if (size < 4) return 0;
  program_make(&w->p, (uint64_t)(data[0] | data[1] << 8));
  const int frames = 1 + data[2] % 4, window = data[2] / 4 % 16;
  if (window < 15) {
    w->p.first_line += 12 * window;
    w->p.lines = 1 + window;
  }
  const size_t of_image = data[3] < size - 4 ? data[3] : size - 4;
  fuzz_edit(w->p.image, (size_t)w->p.size, data + 4, of_image);
  if (!cart_wire(&w->cart, w->p.image, (uint32_t)w->p.size, w->p.type)) return 0;
  plug_in(w);
  run_and_compare(0);
  if (size - 4 > of_image) {
    console *c = w->saved;
    const machine *plain = &w->console[PLAIN].env.m;
    memcpy(c, plain->c, console_size(w));
    fuzz_edit((uint8_t *)c, sizeof *c, data + 4 + of_image, size - 4 - of_image);
    if (machine_fits(plain, c)) {
      for (int k = 0; k < CORES; k++) {
        machine *m = &w->console[k].env.m;
        memcpy(m->c, c, console_size(w));
        machine_restored(m);
      }
    }
  }
  for (int frame = 1; frame < frames; frame++) run_and_compare(frame);
  unplug(w);
  return 0;
}
