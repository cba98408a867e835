/* The interpreter in WebAssembly: around the loop of opcodes.
 *
 * The loop (interp_body.h) calls no function, for the sake of the compilers of browsers: it executes instructions that
 * access console memory, plain ROM and the TIA's log. All others it refuses. Here, those that read a chip or store to
 * one are executed, and loops that wait for the timer are shortened; the rest is left to the plain processor. */
#include "machine/interp_parts.h"

#if OS_WASM32

/* At a loop that waits for the timer, which is at pc: add the cycles of all but one of the turns that it makes for
 * certain. */
static void skip_idle(console *c, const uint8_t *code) {
  const int branch = interp_waits(code), turn = 7 + (((c->pc + 5) ^ c->pc) & 0xFF00 ? 1 : 0);
  if (!branch) return;
  const int turns = interp_idle_turns(c, c->cycles, 4, turn, branch);
  if (turns > 1) c->cycles += turn * (turns - 1);
}

static void set_nz(console *c, uint8_t value) {
  c->p = (uint8_t)((c->p & ~(FLAG_N | FLAG_Z)) | (value & FLAG_N) | (value ? 0 : FLAG_Z));
}

/* Compare, as CMP does. */
static void compare(console *c, uint8_t r, uint8_t value) {
  c->p = (uint8_t)((c->p & ~FLAG_C) | (r >= value ? FLAG_C : 0));
  set_nz(c, (uint8_t)(r - value));
}

/* Instructions that read and do nothing else with the operand than use() does. */
static bool only_reads(cpu_operation o) {
  return o == LDA || o == LDX || o == LDY || o == AND || o == ORA || o == EOR || o == CMP ||
         o == CPX || o == CPY || o == BIT;
}
static void use(console *c, cpu_operation operation, uint8_t value) {
  switch (operation) {
    case LDA: set_nz(c, c->a = value); break;
    case LDX: set_nz(c, c->x = value); break;
    case LDY: set_nz(c, c->y = value); break;
    case AND: set_nz(c, c->a &= value); break;
    case ORA: set_nz(c, c->a |= value); break;
    case EOR: set_nz(c, c->a ^= value); break;
    case CMP: compare(c, c->a, value); break;
    case CPX: compare(c, c->x, value); break;
    case CPY: compare(c, c->y, value); break;
    default: /* BIT */
      set_nz(c, c->a & value);
      c->p = (uint8_t)((c->p & ~(FLAG_N | FLAG_V)) | (value & (FLAG_N | FLAG_V)));
      break;
  }
}

/* Execute the refused instruction if it is a read from a chip or a store to one, as most are. False if not, and nothing
 * has happened. */
static bool access_chip(machine *m, const uint8_t *code) {
  console *c = m->c;
  const cpu_opcode o = cpu_opcodes[code[0]];
  const bool stores = o.operation == STA || o.operation == STX || o.operation == STY;
  uint16_t base = (uint16_t)(code[1] | code[2] << 8), address = base;
  switch (o.addressing) {
    case ZPG: base = address = code[1]; break;
    case ZPX: base = address = (uint8_t)(code[1] + c->x); break;
    case ABS: break;
    case ABX: address = (uint16_t)(base + c->x); break;
    case ABY: address = (uint16_t)(base + c->y); break;
    default: return false;
  }
  if (!stores && !only_reads(o.operation)) return false;
  const int length = cpu_length(code[0]);
  int32_t cycles = c->cycles + cpu_cycles[code[0]];
  uint8_t value;
  if (stores) {
    value = o.operation == STA ? c->a : o.operation == STX ? c->x : c->y;
    c->cycles = interp_slow_write(m, address, value, cycles, true);
  } else {
    cycles += ((base ^ address) >> 8) != 0;
    value = interp_slow_read(m, address, code[length - 1], cycles);
    use(c, o.operation, value);
  }
  c->bus = value;
  c->pc = (uint16_t)(c->pc + length);
  return true;
}

void interp_run(machine *m, bool ram_only, int32_t until) {
  console *c = m->c;
  code_run run = {NULL, NULL, 0};
  uint64_t banks = 0;
  while (!m->stop && c->cycles < until && !(ram_only && (c->pc & 0x1000))) {
    if ((uint16_t)(c->pc - run.pc) >= run.end - run.begin || banks != banks_of(c)) {
      run = interp_find_run(m, c->pc);
      banks = banks_of(c);
      if ((uint16_t)(c->pc - run.pc) >= run.end - run.begin) return;
    }
    if (!interp_labels(m, &run, until)) continue;
    const uint8_t *code = run.begin + (uint16_t)(c->pc - run.pc);
    if ((c->pc & 0x1000) && code + 2 < run.end) skip_idle(c, code);
    if (c->cycles >= until || !access_chip(m, code)) return;
  }
}

#endif
