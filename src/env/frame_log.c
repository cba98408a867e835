/* The plain core with a log of everything that it does in a frame.
 *
 * It is a core like the others (machine_core) and gives the same bytes. The processor runs over a bus that notes
 * instructions and writes before it passes them on; the plain TIA notes what made the pixels that it draws. */
#include "env/frame_log.h"

#include <stddef.h>
#include <string.h>

#include "machine/cpu_plain.h"
#include "machine/tia.h"

/* The log whose pixels are noted. */
static frame_log *log_of(const machine *m) {
  return (frame_log *)((char *)m->notes - offsetof(frame_log, pixels));
}

/* ---- Registers of the TIA -------------------------------------------------------------------------------------- */

/* What the registers must have been told, as far as the chip still knows. */
static void begin_registers(const machine *m, uint8_t *r) {
  const tia_state *t = &m->c->tia;
  memset(r, 0, 64);
  r[VBLANK] = t->vblank;
  r[CTRLPF] = t->ctrlpf;
  for (int i = 0; i < 2; i++) {
    r[NUSIZ0 + i] = t->look.nusiz[i];
    r[REFP0 + i] = (uint8_t)(t->refp[i] << 3);
    r[GRP0 + i] = t->grp[i];
    r[ENAM0 + i] = (uint8_t)(t->enam[i] << 1);
    r[VDELP0 + i] = t->vdel[i];
    r[RESMP0 + i] = (uint8_t)(t->resmp[i] << 1);
  }
  r[ENABL] = (uint8_t)(t->enabl << 1);
  r[VDELBL] = t->vdel_bl;
  for (int i = 0; i < 3; i++) r[PF0 + i] = t->look.pf[i];
  for (int i = 0; i < 4; i++) r[COLUP0 + i] = t->look.color[i];
  for (int i = 0; i < 5; i++) r[HMP0 + i] = (uint8_t)(t->hm[i] << 4);
  for (int i = 0; i < 6; i++) r[AUDC0 + i] = m->audio[i];
}

static bool strobe(int reg) {
  return reg == WSYNC || reg == RSYNC || (reg >= RESP0 && reg <= RESBL) || reg >= HMOVE;
}

/* Note the TIA at the ends of all lines that are over by now. */
static void finish_lines(machine *m, int32_t clock) {
  frame_log *log = log_of(m);
  const tia_state *t = &m->c->tia;
  while (log->line_count < LOG_LINES && (log->line_count + 1) * LINE_CLOCKS <= clock) {
    sixer_log_line *line = &log->lines[log->line_count++];
    memcpy(line->registers, log->tia, sizeof line->registers);
    memcpy(line->position, t->look.pos, sizeof line->position);
    line->pad = 0;
    line->collisions = t->collisions;
  }
}

/* ---- The bus --------------------------------------------------------------------------------------------------- */

static int32_t now(const machine *m) { return tia_clock(m->c) - m->c->tia.frame_start; }

static uint8_t logged_read(void *context, uint16_t address) {
  machine *m = context;
  frame_log *log = log_of(m);
  uint8_t value = machine_peek(m, address);
  sixer_log_instruction *i = &log->instructions[log->instruction_count];
  if (log->fetched < 3 && address == (uint16_t)(i->pc + log->fetched))
    i->bytes[log->fetched++] = value;
  return value;
}

static void logged_write(void *context, uint16_t address, uint8_t value) {
  machine *m = context;
  frame_log *log = log_of(m);
  const uint16_t a = address & 0x1FFF;
  const int32_t clock = now(m);
  finish_lines(m, clock);
  if (log->write_count < LOG_WRITES) {
    const bool tia = !(a & 0x1080), memory = (a & 0x1280) == 0x80;
    sixer_log_write *w = &log->writes[log->write_count++];
    *w = (sixer_log_write){clock, clock, log->instruction_count, a, value, 0};
    if (tia) {
      w->address = a & 0x3F;
      w->effect += tia_write_delay(w->address, clock % LINE_CLOCKS);
      if (!strobe(w->address)) log->tia[w->address] = value;
      if (w->address == HMCLR) memset(log->tia + HMP0, 0, 5);
    } else if (memory) {
      w->address = 0x80 | (a & 0x7F);
      w->old = m->c->ram[a & 0x7F];
    }
  }
  machine_poke(m, address, value);
}

/* ---- The core -------------------------------------------------------------------------------------------------- */

void frame_log_run(machine *m) {
  frame_log *log = log_of(m);
  console *c = m->c;
  const cpu_bus bus = {m, logged_read, logged_write, m->config.cycle_cpu};
  m->tia_read = tia_plain_read;
  m->tia_write = tia_plain_write;
  tia_begin_frame(m);
  log->instruction_count = log->write_count = log->line_count = 0;
  memcpy(log->memory, c->ram, sizeof log->memory);
  begin_registers(m, log->tia);
  for (int i = 0; i < SCREEN_WIDTH * SCREEN_MAX_LINES; i++) log->pixels[i] = NOTE_BLANK << 8;
  while (log->instruction_count < LOG_INSTRUCTIONS && !m->stop && !c->jammed) {
    log->instructions[log->instruction_count] = (sixer_log_instruction){
        now(m), log->write_count, c->pc, c->bank[0], c->a, c->x, c->y, c->sp, c->p, {0}};
    log->fetched = 0;
    cpu_plain_step(c, &bus);
    log->instruction_count++;
  }
  finish_lines(m, now(m));
  log->clocks = now(m);
  const uint8_t registers[8] = {
      c->a, c->x, c->y, c->sp, c->p, (uint8_t)c->pc, (uint8_t)(c->pc >> 8), 0};
  memcpy(log->registers, registers, sizeof registers);
  tia_end_frame(m);
}
