/* Observing the first frames of a reset: see reset_observer.h for the idea. */
#include "env/reset_observer.h"

#include <stdlib.h>
#include <string.h>

#include "machine/cpu_plain.h"
#include "machine/tia_fast.h"

/* A machine that notes its accesses to memory, timer and sound. */
typedef struct observer {
  machine m;
  kept_console c;
  bool read[RAM_BYTES], written[RAM_BYTES]; /* read: before it was written */
  bool timer_read, timer_set;
  bool audio_written[AUDIO_BYTES];
} observer;

/* ---- Noting ---------------------------------------------------------------------------------------------------- */

static bool is_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
static bool is_timer(uint16_t address) { return (address & 0x1284) == 0x0284; }

static uint8_t observed_read(void *context, uint16_t address) {
  observer *o = context;
  machine *m = &o->m;
  if (address & 0x1000) {
    const uint8_t *page = m->pages[(address >> CART_PAGE_SHIFT) & (CART_PAGES - 1)];
    if (page) return m->c->bus = page[address & 63]; /* the cartridge does not notice */
  }
  if (is_ram(address) && !o->written[address & 0x7F]) o->read[address & 0x7F] = true;
  if (is_timer(address) && !o->timer_set) o->timer_read = true;
  return machine_peek(m, address);
}

static void observed_write(void *context, uint16_t address, uint8_t value) {
  observer *o = context;
  if (is_ram(address)) o->written[address & 0x7F] = true;
  if (is_timer(address) && address & 0x10) o->timer_set = true;
  int reg = address & 0x3F;
  if (!(address & 0x1080) && reg >= AUDC0 && reg <= AUDV1) o->audio_written[reg - AUDC0] = true;
  machine_poke(&o->m, address, value);
}

/* Of how many values from before the reset is it still open whether they are read? */
static int open_count(const observer *o) {
  int count = !o->timer_set && !o->timer_read;
  for (int i = 0; i < RAM_BYTES; i++) count += !o->written[i] && !o->read[i];
  for (int i = 0; i < AUDIO_BYTES; i++) count += !o->audio_written[i];
  return count;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

/* False if the fast TIA cannot run the frame. */
static bool observe_frame(observer *o, const frame_start *f) {
  machine *m = &o->m;
  const cpu_bus bus = {o, observed_read, observed_write, false};
  memcpy(m->c, f->c.bytes, sizeof f->c.bytes);
  machine_restored(m);
  m->input = f->input;
  if (!tia_fast_can(m)) return false;
  do {
    tia_fast_begin(m);
    for (int i = 0; i < FRAME_INSTRUCTIONS && !m->stop && !m->c->jammed; i++)
      cpu_plain_step(m->c, &bus);
  } while (!tia_fast_end(m));
  return true;
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

static bool observe_frames(observer *o, const frame_start *frames, int count) {
  int before = open_count(o);
  for (int i = 0; i < count; i++) {
    if (!observe_frame(o, &frames[i]) || !follows(o, kept(&frames[i + 1].c))) return false;
    const int now = open_count(o);
    if (now == 0 || now == before) break;
    before = now;
  }
  return true;
}

bool reset_observe(const sixer_env *env, const frame_start *frames, int count, reset_reads *reads) {
  observer *o = calloc(1, sizeof *o);
  if (!o) return false;
  /* The working memory of the env is borrowed: between frames nothing in it is needed. A machine without hints, that
   * draws nothing, looks lines up among the known ones and learns none (OFTEN_DRAWN in tia_known.c), so those of the
   * env stay as they are. */
  machine *m = &o->m;
  m->cart = env->m.cart;
  m->config = env->m.config;
  m->c = (console *)(void *)o->c.bytes;
  m->frame.expected = NEVER;
  machine_lend(m, env->m.picture, env->m.work);
  machine_attach(m, machine_frame_interp);
  const bool fits = observe_frames(o, frames, count);
  for (int i = 0; i < RAM_BYTES; i++) reads->ram[i] = o->read[i] || !o->written[i];
  for (int i = 0; i < AUDIO_BYTES; i++) reads->audio[i] = !o->audio_written[i];
  reads->timer = o->timer_read || !o->timer_set;
  free(o);
  return fits;
}
