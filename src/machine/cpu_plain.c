/* The 6507, one instruction at a time. The table of opcodes.c gives the operation and the addressing mode of an
 * opcode; a switch executes the operation.
 *
 * The default processor adds the cycles of the whole instruction before its first data access, so all its
 * accesses happen at the last cycle. The other one (`cycle_exact`) adds one cycle before each access and makes
 * the dummy accesses of the real chip. Results are the same, times are not. docs/console.md, section 3. */
#include "machine/cpu_plain.h"

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

static uint8_t with_nz(uint8_t p, uint8_t value) {
  return (uint8_t)((p & ~(FLAG_N | FLAG_Z)) | (value & FLAG_N) | (value ? 0 : FLAG_Z));
}

static uint8_t with(uint8_t p, uint8_t flag, bool on) {
  return (uint8_t)(on ? p | flag : p & ~flag);
}

static int from_bcd(int byte) { return 10 * (byte >> 4) + (byte & 15); }
static uint8_t to_bcd(int value) { return (uint8_t)((value % 100 / 10) << 4 | value % 10); }

uint8_t cpu_adc(uint8_t a, uint8_t m, uint8_t *p) {
  uint8_t result;
  if (*p & FLAG_D) {
    int sum = from_bcd(a) + from_bcd(m) + (*p & FLAG_C);
    result = to_bcd(sum & 0xFF);
    *p = with(*p, FLAG_V, ((a ^ result) & 0x80) && ((result ^ m) & 0x80));
    *p = with(*p, FLAG_C, sum > 99);
  } else {
    int sum = a + m + (*p & FLAG_C);
    result = (uint8_t)sum;
    *p = with(*p, FLAG_V, (a ^ result) & (m ^ result) & 0x80);
    *p = with(*p, FLAG_C, sum > 0xFF);
  }
  *p = with_nz(*p, result);
  return result;
}

uint8_t cpu_sbc(uint8_t a, uint8_t m, uint8_t *p) {
  if (!(*p & FLAG_D)) return cpu_adc(a, (uint8_t)~m, p);
  int borrow = !(*p & FLAG_C), difference = from_bcd(a) - from_bcd(m) - borrow;
  if (difference < 0) difference += 100;
  /* digits above 9 can leave it negative: the reference then reads in front of its table */
  uint8_t result = difference >= 0 ? to_bcd(difference) : (uint8_t)from_bcd(256 + difference);
  *p = with(*p, FLAG_C, a >= m + borrow);
  *p = with(*p, FLAG_V, ((a ^ result) & 0x80) && ((result ^ m) & 0x80));
  *p = with_nz(*p, result);
  return result;
}

uint8_t cpu_arr(uint8_t a, uint8_t m, uint8_t *p) {
  uint8_t v = a & m, carry = *p & FLAG_C, result = (uint8_t)(v >> 1 | carry << 7);
  *p = with_nz(*p, result);
  if (!(*p & FLAG_D)) {
    *p = with(*p, FLAG_C, result & 0x40);
    *p = with(*p, FLAG_V, (result >> 6 ^ result >> 5) & 1);
    return result;
  }
  *p = with(*p, FLAG_V, (v ^ result) & 0x40);
  if ((v & 15) + (v & 1) > 5) result = (uint8_t)((result & 0xF0) | ((result + 6) & 15));
  *p = with(*p, FLAG_C, (v & 0xF0) + (v & 0x10) > 0x50);
  return (uint8_t)(*p & FLAG_C ? result + 0x60 : result);
}

/* ---- Accesses -------------------------------------------------------------------------------------------------- */

static uint8_t rd(console *c, const cpu_bus *bus, uint16_t address) {
  if (bus->cycle_exact) c->cycles++;
  uint8_t value = bus->read(bus->context, address);
  c->last_read = 1;
  return value;
}

static void wr(console *c, const cpu_bus *bus, uint16_t address, uint8_t value) {
  if (bus->cycle_exact) c->cycles++;
  bus->write(bus->context, address, value);
  c->last_read = 0;
}

/* A read that the real chip makes and whose value it does not use. */
static void dummy(console *c, const cpu_bus *bus, uint16_t address) {
  if (bus->cycle_exact) rd(c, bus, address);
}

static uint8_t fetch(console *c, const cpu_bus *bus) { return rd(c, bus, c->pc++); }

static uint16_t fetch_word(console *c, const cpu_bus *bus) {
  uint16_t low = fetch(c, bus);
  return (uint16_t)(low | fetch(c, bus) << 8);
}

static void push(console *c, const cpu_bus *bus, uint8_t value) {
  wr(c, bus, 0x100 | c->sp--, value);
}
static uint8_t pull(console *c, const cpu_bus *bus) { return rd(c, bus, 0x100 | ++c->sp); }
static void peek_stack(console *c, const cpu_bus *bus) { rd(c, bus, 0x100 | c->sp); }

static uint16_t pointer(console *c, const cpu_bus *bus, uint16_t zero_page) {
  uint16_t low = rd(c, bus, zero_page);
  uint16_t next = bus->cycle_exact ? (zero_page + 1) & 0xFF : zero_page + 1;
  return (uint16_t)(low | rd(c, bus, next) << 8);
}

/* Add an index to an address. If a page is crossed, instructions that only read take one more cycle, in which the
 * real chip reads at the address without the carry; other instructions always spend that cycle. */
static uint16_t indexed(console *c, const cpu_bus *bus, uint16_t base, uint8_t index,
                        bool reads_only) {
  uint16_t address = (uint16_t)(base + index);
  bool crossed = (base ^ address) & 0xFF00;
  if (crossed || !reads_only) dummy(c, bus, (uint16_t)((base & 0xFF00) | (address & 0xFF)));
  if (crossed && reads_only && !bus->cycle_exact) c->cycles++;
  return address;
}

static uint16_t effective(console *c, const cpu_bus *bus, cpu_addressing how, bool reads_only) {
  uint8_t zero_page;
  switch (how) {
    case ZPG: return fetch(c, bus);
    case ZPX:
    case ZPY:
      zero_page = fetch(c, bus);
      dummy(c, bus, zero_page);
      return (uint8_t)(zero_page + (how == ZPX ? c->x : c->y));
    case ABS: return fetch_word(c, bus);
    case ABX: return indexed(c, bus, fetch_word(c, bus), c->x, reads_only);
    case ABY: return indexed(c, bus, fetch_word(c, bus), c->y, reads_only);
    case IZX:
      zero_page = fetch(c, bus);
      dummy(c, bus, zero_page);
      return pointer(c, bus, (uint8_t)(zero_page + c->x));
    case IZY: return indexed(c, bus, pointer(c, bus, fetch(c, bus)), c->y, reads_only);
    default: return 0;
  }
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

static void set_nz(console *c, uint8_t value) { c->p = with_nz(c->p, value); }

static void compare(console *c, uint8_t reg, uint8_t m) {
  c->p = with(c->p, FLAG_C, reg >= m);
  set_nz(c, (uint8_t)(reg - m));
}

static void branch(console *c, const cpu_bus *bus, bool taken) {
  int8_t by = (int8_t)fetch(c, bus);
  if (!taken) return;
  uint16_t target = (uint16_t)(c->pc + by);
  bool crossed = (target ^ c->pc) & 0xFF00;
  dummy(c, bus, c->pc);
  if (crossed) dummy(c, bus, (uint16_t)((c->pc & 0xFF00) | (target & 0xFF)));
  if (!bus->cycle_exact) c->cycles += crossed ? 2 : 1;
  c->pc = target;
}

static bool condition(const console *c, cpu_operation op) {
  switch (op) {
    case BPL: return !(c->p & FLAG_N);
    case BMI: return c->p & FLAG_N;
    case BVC: return !(c->p & FLAG_V);
    case BVS: return c->p & FLAG_V;
    case BCC: return !(c->p & FLAG_C);
    case BCS: return c->p & FLAG_C;
    case BNE: return !(c->p & FLAG_Z);
    default: return c->p & FLAG_Z; /* BEQ */
  }
}

/* The value that a read-modify-write instruction writes back. Shifts set the carry. */
static uint8_t modify(console *c, cpu_operation op, uint8_t m) {
  uint8_t carry = c->p & FLAG_C, result = m;
  switch (op) {
    case ASL:
    case SLO: result = (uint8_t)(m << 1), carry = m >> 7; break;
    case ROL:
    case RLA: result = (uint8_t)(m << 1 | carry), carry = m >> 7; break;
    case LSR:
    case SRE: result = m >> 1, carry = m & 1; break;
    case ROR:
    case RRA: result = (uint8_t)(m >> 1 | carry << 7), carry = m & 1; break;
    case INC:
    case ISB: result = (uint8_t)(m + 1); break;
    default: result = (uint8_t)(m - 1); break; /* DEC, DCP */
  }
  c->p = with(c->p, FLAG_C, carry);
  return result;
}

/* What is done with the new value: the undocumented operations combine it with A, the others set N and Z. */
static void after_modify(console *c, cpu_operation op, uint8_t m) {
  switch (op) {
    case SLO: set_nz(c, c->a |= m); break;
    case RLA: set_nz(c, c->a &= m); break;
    case SRE: set_nz(c, c->a ^= m); break;
    case RRA: c->a = cpu_adc(c->a, m, &c->p); break;
    case ISB: c->a = cpu_sbc(c->a, m, &c->p); break;
    case DCP: compare(c, c->a, m); break;
    default: set_nz(c, m); break;
  }
}

static bool is_modify(cpu_operation op) {
  switch (op) {
    case ASL:
    case ROL:
    case LSR:
    case ROR:
    case INC:
    case DEC:
    case SLO:
    case RLA:
    case SRE:
    case RRA:
    case ISB:
    case DCP: return true;
    default: return false;
  }
}

static bool is_store(cpu_operation op) {
  switch (op) {
    case STA:
    case STX:
    case STY:
    case SAX:
    case SHA:
    case SHS:
    case SHX:
    case SHY: return true;
    default: return false;
  }
}

/* The value that a store writes. SHA, SHS, SHX and SHY combine it with the high byte of the address plus 1. */
static uint8_t stored(console *c, cpu_operation op, uint16_t address) {
  uint8_t high = (uint8_t)((address >> 8) + 1);
  switch (op) {
    case STA: return c->a;
    case STX: return c->x;
    case STY: return c->y;
    case SAX: return c->a & c->x;
    case SHS: c->sp = c->a & c->x; return c->a & c->x & high;
    case SHA: return c->a & c->x & high;
    case SHX: return c->x & high;
    default: return c->y & high; /* SHY */
  }
}

/* Operations that read an operand m. */
static void use(console *c, cpu_operation op, uint8_t m) {
  switch (op) {
    case LDA: set_nz(c, c->a = m); break;
    case LDX: set_nz(c, c->x = m); break;
    case LDY: set_nz(c, c->y = m); break;
    case LAX: set_nz(c, c->a = c->x = m); break;
    case LAS: set_nz(c, c->a = c->x = c->sp = m & c->sp); break;
    case AND: set_nz(c, c->a &= m); break;
    case ORA: set_nz(c, c->a |= m); break;
    case EOR: set_nz(c, c->a ^= m); break;
    case ADC: c->a = cpu_adc(c->a, m, &c->p); break;
    case SBC: c->a = cpu_sbc(c->a, m, &c->p); break;
    case CMP: compare(c, c->a, m); break;
    case CPX: compare(c, c->x, m); break;
    case CPY: compare(c, c->y, m); break;
    case BIT:
      c->p = (uint8_t)((c->p & ~(FLAG_N | FLAG_V)) | (m & (FLAG_N | FLAG_V)));
      c->p = with(c->p, FLAG_Z, !(c->a & m));
      break;
    case ANC:
      set_nz(c, c->a &= m);
      c->p = with(c->p, FLAG_C, c->a & 0x80);
      break;
    case ASR:
      c->a &= m;
      c->p = with(c->p, FLAG_C, c->a & 1);
      set_nz(c, c->a >>= 1);
      break;
    case ARR: c->a = cpu_arr(c->a, m, &c->p); break;
    case ANE: set_nz(c, c->a = (c->a | 0xEE) & c->x & m); break;
    case LXA: set_nz(c, c->a = c->x = (c->a | 0xEE) & m); break;
    case SBX: {
      int difference = (c->a & c->x) - m;
      c->p = with(c->p, FLAG_C, difference >= 0);
      set_nz(c, c->x = (uint8_t)difference);
      break;
    }
    default: break; /* NOP */
  }
}

/* Operations without an operand, other than those of flow(). */
static void implied(console *c, cpu_operation op) {
  switch (op) {
    case CLC: c->p &= (uint8_t)~FLAG_C; break;
    case SEC: c->p |= FLAG_C; break;
    case CLI: c->p &= (uint8_t)~FLAG_I; break;
    case SEI: c->p |= FLAG_I; break;
    case CLD: c->p &= (uint8_t)~FLAG_D; break;
    case SED: c->p |= FLAG_D; break;
    case CLV: c->p &= (uint8_t)~FLAG_V; break;
    case TAX: set_nz(c, c->x = c->a); break;
    case TAY: set_nz(c, c->y = c->a); break;
    case TXA: set_nz(c, c->a = c->x); break;
    case TYA: set_nz(c, c->a = c->y); break;
    case TSX: set_nz(c, c->x = c->sp); break;
    case TXS: c->sp = c->x; break;
    case INX: set_nz(c, ++c->x); break;
    case DEX: set_nz(c, --c->x); break;
    case INY: set_nz(c, ++c->y); break;
    case DEY: set_nz(c, --c->y); break;
    default: break; /* NOP */
  }
}

/* Jumps, the stack and JAM. Returns true if the operation was one of them. */
static bool flow(console *c, const cpu_bus *bus, cpu_operation op, cpu_addressing how) {
  uint16_t low;
  switch (op) {
    case BRK:
      fetch(c, bus);
      push(c, bus, (uint8_t)(c->pc >> 8));
      push(c, bus, (uint8_t)c->pc);
      push(c, bus, c->p | 0x30);
      c->p |= FLAG_I;
      low = rd(c, bus, 0xFFFE);
      c->pc = (uint16_t)(low | rd(c, bus, 0xFFFF) << 8);
      return true;
    case JSR:
      low = fetch(c, bus);
      peek_stack(c, bus);
      push(c, bus, (uint8_t)(c->pc >> 8));
      push(c, bus, (uint8_t)c->pc);
      c->pc = (uint16_t)(low | rd(c, bus, c->pc) << 8);
      return true;
    case JMP: {
      uint16_t address = fetch_word(c, bus);
      if (how == IND) {
        low = rd(c, bus, address);
        address = (uint16_t)((address & 0xFF00) | ((address + 1) & 0xFF));
        address = (uint16_t)(low | rd(c, bus, address) << 8);
      }
      c->pc = address;
      return true;
    }
    case RTS:
      dummy(c, bus, c->pc);
      peek_stack(c, bus);
      low = pull(c, bus);
      c->pc = (uint16_t)(low | pull(c, bus) << 8);
      fetch(c, bus);
      return true;
    case RTI:
      dummy(c, bus, c->pc);
      peek_stack(c, bus);
      c->p = pull(c, bus) | 0x30;
      low = pull(c, bus);
      c->pc = (uint16_t)(low | pull(c, bus) << 8);
      return true;
    case PHA:
    case PHP:
      dummy(c, bus, c->pc);
      push(c, bus, op == PHA ? c->a : c->p | 0x30);
      return true;
    case PLA:
      dummy(c, bus, c->pc);
      peek_stack(c, bus);
      set_nz(c, c->a = pull(c, bus));
      return true;
    case PLP:
      dummy(c, bus, c->pc);
      peek_stack(c, bus);
      c->p = pull(c, bus) | 0x30;
      return true;
    case JAM: c->jammed = 1; return true;
    default: return false;
  }
}

void cpu_plain_step(console *c, const cpu_bus *bus) {
  uint8_t code = fetch(c, bus);
  cpu_operation op = cpu_opcodes[code].operation;
  cpu_addressing how = cpu_opcodes[code].addressing;
  if (!bus->cycle_exact) c->cycles += cpu_cycles[code];
  if (flow(c, bus, op, how)) return;
  if (how == REL) {
    branch(c, bus, condition(c, op));
  } else if (how == IMP) {
    dummy(c, bus, c->pc);
    implied(c, op);
  } else if (how == ACC) {
    dummy(c, bus, c->pc);
    c->a = modify(c, op, c->a);
    set_nz(c, c->a);
  } else if (how == IMM) {
    use(c, op, fetch(c, bus));
  } else if (is_store(op)) {
    uint16_t address = effective(c, bus, how, false);
    wr(c, bus, address, stored(c, op, address));
  } else if (is_modify(op)) {
    uint16_t address = effective(c, bus, how, false);
    uint8_t old = rd(c, bus, address), value = modify(c, op, old);
    if (bus->cycle_exact) wr(c, bus, address, old);
    wr(c, bus, address, value);
    after_modify(c, op, value);
  } else {
    use(c, op, rd(c, bus, effective(c, bus, how, true)));
  }
}
