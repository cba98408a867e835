/* Running a frame: the loops of the three cores.
 *
 * All of them execute instructions until the frame stops (machine.stop), the processor jams, or FRAME_INSTRUCTIONS were
 * executed. The interpreter and translated code do not count instructions, as no instruction takes less than two
 * cycles: before cycle `until` there cannot be too many. In the rare case that a frame reaches it, the frame is rewound
 * and run again by the interpreter that counts. */
#include "machine/cpu_plain.h"
#include "machine/interp.h"
#include "machine/jit.h"
#include "machine/tia_fast.h"

static uint8_t bus_read(void *m, uint16_t address) { return machine_peek(m, address); }
static void bus_write(void *m, uint16_t address, uint8_t value) { machine_poke(m, address, value); }

/* ---- The plain core -------------------------------------------------------------------------------------------- */

void machine_frame_plain(machine *m) {
  /* the fast cores call this for single frames: use the plain TIA until it ends */
  uint8_t (*read)(machine *, uint16_t) = m->tia_read;
  void (*write)(machine *, uint16_t, uint8_t) = m->tia_write;
  m->tia_read = tia_plain_read;
  m->tia_write = tia_plain_write;
  const cpu_bus bus = {m, bus_read, bus_write, m->config.cycle_cpu};
  tia_begin_frame(m);
  machine_picture(m, m->current); /* rows that are not drawn over stay as they are */
  machine_picture_replaced(m, m->current);
  for (int i = 0; i < FRAME_INSTRUCTIONS && !m->stop && !m->c->jammed; i++)
    cpu_plain_step(m->c, &bus);
  tia_end_frame(m);
  m->tia_read = read;
  m->tia_write = write;
}

/* ---- The fast cores -------------------------------------------------------------------------------------------- */

/* Interpret; instructions that the interpreter does not know are executed by the plain processor. False if the frame
 * has reached cycle `until`. */
static bool run_interpreted(machine *m, const cpu_bus *bus, int32_t until) {
  const console *c = m->c;
  while (!m->stop && !c->jammed) {
    interp_run(m, false, until);
    if (c->cycles >= until) return false;
    if (!m->stop) cpu_plain_step(m->c, bus);
  }
  return true;
}

/* The same with translated code where there is some: code in RAM is interpreted, and so is everything after the guard,
 * which translated code does not look beyond. */
static bool run_translated(machine *m, const cpu_bus *bus, int32_t until) {
  console *c = m->c;
  while (!m->stop && !c->jammed) {
    if (c->cycles >= until) return false;
    if (c->cycles >= m->frame.guard) {
      tia_fast_log_all(m);
      interp_run(m, false, until);
    } else if (!(c->pc & 0x1000)) {
      interp_run(m, true, until);
      if (c->pc & 0x1000) continue;
    } else if (jit_run(m)) {
      continue;
    }
    if (!m->stop && c->cycles < until) cpu_plain_step(c, bus);
  }
  return true;
}

static void run_counted(machine *m, const cpu_bus *bus) {
  for (int left = FRAME_INSTRUCTIONS; left > 0 && !m->stop && !m->c->jammed;) {
    left = interp_run_counted(m, left);
    if (left <= 0 || m->stop) return;
    cpu_plain_step(m->c, bus);
    left--;
  }
}

/* A frame with the fast TIA, which may ask for it to be run again (tia_fast_end). */
static void run_fast(machine *m, bool translated) {
  const cpu_bus bus = {m, bus_read, bus_write, false};
  tia_frame *l = &m->frame;
  do {
    tia_fast_begin(m);
    const int32_t until = m->c->cycles + 2 * FRAME_INSTRUCTIONS;
    if (!l->endless && !(translated ? run_translated : run_interpreted)(m, &bus, until)) {
      l->endless = true;
      tia_fast_rewind(m);
      if (m->hold_endless) {
        m->hold_endless = false;
        return;
      }
      tia_fast_begin(m);
    }
    if (l->endless) {
      run_counted(m, &bus);
      l->endless = m->c->tia.partial && !m->c->jammed;
    }
  } while (!tia_fast_end(m));
}

void machine_frame_interp(machine *m) {
  if (tia_fast_can(m))
    run_fast(m, false);
  else
    machine_frame_plain(m);
}

void machine_frame_jit(machine *m) {
  if (tia_fast_can(m))
    run_fast(m, m->jit && jit_usable(m->jit));
  else
    machine_frame_plain(m);
}
