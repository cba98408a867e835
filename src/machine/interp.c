/* The fast, portable core: an interpreter over memory that can be read directly, and the fast TIA.
 *
 * Registers and flags live in local variables, and so does the program counter: as a pointer to the instruction, which
 * holds as long as the program stays in a run of such memory. Reads of console memory and of cartridge pages that do not notice go
 * straight to the bytes; everything else goes through the bus of console.c. An instruction that does not lie in such
 * memory as a whole (next to a hotspot, in the TIA's addresses) is executed by the plain processor. A loop that only
 * waits for the timer is not executed at all: it is jumped over. */
#include <string.h>

#include "machine/cart.h"
#include "machine/cpu_plain.h"
#include "machine/interp.h"
#include "machine/riot.h"
#include "machine/tia_fast.h"

static uint8_t bus_read(void *m, uint16_t address) { return machine_peek(m, address); }
static void bus_write(void *m, uint16_t address, uint8_t value) { machine_poke(m, address, value); }

/* The bytes of the instruction at pc, if three can be read without anybody noticing; NULL otherwise. */
static inline const uint8_t *code_at(const machine *m, uint16_t pc) {
  if (pc & 0x1000) {
    int index = (pc >> CART_PAGE_SHIFT) & (CART_PAGES - 1), offset = pc & 63;
    const uint8_t *page = m->pages[index];
    if (!page) {
      bool quiet = index == CART_PAGES - 1 && offset + 3 <= m->tail_size;
      return quiet ? m->tail + offset : NULL;
    }
    if (offset > 61 && m->pages[(index + 1) & (CART_PAGES - 1)] != page + 64) return NULL;
    return page + offset;
  }
  if ((pc & 0x0280) == 0x0080 && (pc & 0x7F) < 126) return m->c->ram + (pc & 0x7F);
  return NULL;
}

/* A run of bytes that can be fetched like that: those from `begin`, which is at address `pc`, to before `end`. The last two
 * are not in it, so that three bytes can be read everywhere. */
typedef struct code_run {
  const uint8_t *begin, *end;
  uint16_t pc;
} code_run;

static code_run find_run(const machine *m, uint16_t pc) {
  enum { REACH = 16 /* pages to both sides; farther off, another run is found */ };
  const uint8_t *code = code_at(m, pc);
  if (!code) return (code_run){m->c->ram, m->c->ram, pc};
  if (!(pc & 0x1000)) {
    uint16_t first = pc & (uint16_t)~0x7F; /* console memory */
    return (code_run){m->c->ram, m->c->ram + 126, first};
  }
  int index = (pc >> CART_PAGE_SHIFT) & (CART_PAGES - 1), first = index, last = index;
  const uint8_t *page = m->pages[index];
  if (!page) /* before the hotspots of the last page */
    return (code_run){m->tail, m->tail + m->tail_size - 2, (uint16_t)(pc & ~63)};
  while (first > 0 && index - first < REACH &&
         m->pages[first - 1] == page - 64 * (index - first + 1))
    first--;
  while (last < CART_PAGES - 1 && last - index < REACH &&
         m->pages[last + 1] == page + 64 * (last - index + 1))
    last++;
  /* an instruction may begin in the last two bytes if more of the same follows */
  bool more = last < CART_PAGES - 1 && m->pages[last + 1] == page + 64 * (last - index + 1);
  return (code_run){page - 64 * (index - first), page + 64 * (last - index + 1) - (more ? 0 : 2),
                    (uint16_t)((pc & ~63) - 64 * (index - first))};
}

int interp_waits(const uint8_t *code) {
  enum { LDY = 0xAC, LDA, LDX, BIT = 0x2C, BPL = 0x10, BMI = 0x30, BNE = 0xD0 };
  if (code[4] != 0xFB || (code[1] & 0x84) != 0x84 || (code[2] & 0x12) != 0x02) return 0;
  bool status = code[1] & 1;
  if (code[0] == BIT) return status && code[3] == BPL ? BPL : 0;
  if (code[0] != LDA && code[0] != LDX && code[0] != LDY) return 0;
  if (code[3] == BPL) return BPL;
  return !status && (code[3] == BNE || code[3] == BMI) ? code[3] : 0;
}

int interp_idle_turns(const console *c, int32_t now, int first, int cycles, int branch) {
  const riot_state *r = &c->riot;
  const int floor = branch == 0x30 ? 0x7F : 0; /* it shows more than that all the time */
  int32_t passed = now + first - 1 - r->set_cycle;
  if (passed < 0 || r->value - 1 - (passed >> r->shift) <= floor) return 0;
  if (branch == 0x10 && r->value - 1 - (passed >> r->shift) >= 0x80) return 0;
  int32_t until = ((int32_t)(r->value - 1 - floor) << r->shift) - passed;
  return until > 0 ? (until + cycles - 1) / cycles : 0;
}

/* ---- The interpreter ------------------------------------------------------------------------------------------- */

/* Accesses beyond memory and plain ROM. `bus` is what the access finds on the data bus. */
static uint8_t slow_read(machine *m, uint16_t address, uint8_t bus, int32_t cycles) {
  console *c = m->c;
  c->bus = bus;
  c->cycles = cycles;
  return machine_peek(m, address);
}

static int32_t slow_write(machine *m, uint16_t address, uint8_t value, int32_t cycles,
                          bool last_read) {
  console *c = m->c;
  c->cycles = cycles;
  c->last_read = last_read;
  if (!(address & 0x1080) && m->tia_direct)
    tia_fast_write(m, address, value);
  else
    machine_poke(m, address, value);
  return c->cycles;
}

/* N and Z are kept as a result: Z if its low byte is 0, N if bit 7 or bit 8 is set. */
#define ZERO()     (!(nz & 0xFF))
#define NEGATIVE() (nz & 0x180)
#define PACK_P() \
  ((uint8_t)((NEGATIVE() ? 0x80 : 0) | v | 0x30 | rest | (ZERO() ? FLAG_Z : 0) | carry))
#define UNPACK_P(value)                               \
  do {                                                \
    uint8_t p_ = (value);                             \
    nz = (p_ & FLAG_Z ? 0u : 1u) | (p_ & 0x80u) << 1; \
    v = p_ & FLAG_V;                                  \
    rest = p_ & (FLAG_D | FLAG_I);                    \
    carry = p_ & FLAG_C;                              \
  } while (0)

#define NZ(value) (nz = (value))

/* Read into `data`; `bus` must hold the byte transferred before. An access to the cartridge that is not plain may change
 * what it shows, so the run of code ends there; where the cartridge listens to all addresses (`watched`), any other access may. */
#define READ(address_)                                                    \
  do {                                                                    \
    uint16_t a_ = (address_);                                             \
    const uint8_t *page_;                                                 \
    if ((a_ & 0x1280) == 0x0080)                                          \
      data = ram[a_ & 0x7F];                                              \
    else if ((a_ & 0x1000) && (page_ = pages[(a_ >> 6) & 63]))            \
      data = page_[a_ & 63];                                              \
    else {                                                                \
      data = slow_read(m, a_, bus, cycles);                               \
      if ((a_ | watched) & 0x1000) run.end = run.begin, pages = m->pages; \
    }                                                                     \
    bus = data;                                                           \
  } while (0)
#define READ_ZP(address_)                                 \
  do {                                                    \
    uint8_t a_ = (address_);                              \
    if (a_ & 0x80)                                        \
      data = ram[a_ & 0x7F];                              \
    else {                                                \
      data = slow_read(m, a_, bus, cycles);               \
      if (watched) run.end = run.begin, pages = m->pages; \
    }                                                     \
    bus = data;                                           \
  } while (0)

/* The frame ends with the instruction: as if the run of code did. */
#define TEST_STOP()                   \
  do {                                \
    if (m->stop) run.end = run.begin; \
  } while (0)

#define WRITE_AFTER(address_, value_, last_read_)                         \
  do {                                                                    \
    uint16_t a_ = (address_);                                             \
    uint8_t v_ = (value_);                                                \
    if ((a_ & 0x1280) == 0x0080)                                          \
      ram[a_ & 0x7F] = v_;                                                \
    else {                                                                \
      cycles = slow_write(m, a_, v_, cycles, last_read_);                 \
      if ((a_ | watched) & 0x1000) run.end = run.begin, pages = m->pages; \
      TEST_STOP();                                                        \
    }                                                                     \
    bus = v_;                                                             \
  } while (0)
#define WRITE(address_, value_) WRITE_AFTER(address_, value_, true)

/* Zero page: memory, the TIA's log, or a wait for the end of the line. */
#define WRITE_ZP(address_, value_)                        \
  do {                                                    \
    uint8_t z_ = (address_), b_ = (value_);               \
    if (z_ & 0x80) {                                      \
      ram[z_ & 0x7F] = b_;                                \
      bus = b_;                                           \
    } else if (watched || cycles >= m->line.note_until) { \
      WRITE(z_, b_);                                      \
    } else if (tia_kind_of[z_ & 0x3F] != TIA_CALL) {      \
      tia_fast_note(m, z_ & 0x3F, b_, cycles);            \
      bus = b_;                                           \
    } else if ((z_ & 0x3F) == WSYNC) {                    \
      cycles = tia_line_end(&m->line, cycles);            \
      bus = b_;                                           \
    } else {                                              \
      WRITE(z_, b_);                                      \
    }                                                     \
  } while (0)

/* Effective addresses; they leave on the bus what the reference leaves there. */
#define ZP()          (address = code[1], bus = code[1], code += 2)
#define ZP_INDEXED(r) (address = (uint8_t)(code[1] + (r)), bus = code[1], code += 2)
#define ABSOLUTE()    (address = (uint16_t)(code[1] | code[2] << 8), bus = code[2], code += 3)
#define ABS_INDEXED(r)                                                                         \
  (base = (uint16_t)(code[1] | code[2] << 8), address = (uint16_t)(base + (r)), bus = code[2], \
   code += 3)
#define CROSSED() (cycles += ((base ^ address) >> 8) != 0)
#define POINTER(zero_page)                                       \
  do {                                                           \
    uint16_t zp_ = (zero_page);                                  \
    bus = code[1];                                               \
    if (zp_ >= 0x80 && zp_ < 0xFF) {                             \
      base = (uint16_t)(ram[zp_ - 0x80] | ram[zp_ - 0x7F] << 8); \
      bus = ram[zp_ - 0x7F];                                     \
      break;                                                     \
    }                                                            \
    READ(zp_);                                                   \
    uint8_t low_ = data;                                         \
    READ((uint16_t)(zp_ + 1));                                   \
    base = (uint16_t)(low_ | data << 8);                         \
  } while (0)
#define INDIRECT_X()                 \
  do {                               \
    POINTER((uint8_t)(code[1] + x)); \
    address = base;                  \
    code += 2;                       \
  } while (0)
#define INDIRECT_Y()                \
  do {                              \
    POINTER(code[1]);               \
    address = (uint16_t)(base + y); \
    code += 2;                      \
  } while (0)

/* What instructions do with `data`. */
#define DO_LDA()   NZ(a = data)
#define DO_LDX()   NZ(x = data)
#define DO_LDY()   NZ(y = data)
#define DO_LAX()   NZ(a = x = data)
#define DO_AND()   NZ(a &= data)
#define DO_ORA()   NZ(a |= data)
#define DO_EOR()   NZ(a ^= data)
#define DO_NOP()   ((void)0)
#define DO_LAS()   NZ(a = x = sp = data & sp)
#define DO_BIT()   (nz = (a & data) | (data & 0x80) << 1, v = data & FLAG_V)
#define COMPARE(r) (carry = (r) >= data, nz = (uint8_t)((r)-data))
#define DO_CMP()   COMPARE(a)
#define DO_CPX()   COMPARE(x)
#define DO_CPY()   COMPARE(y)
#define DECIMAL(f)             \
  do {                         \
    uint8_t flags_ = PACK_P(); \
    a = f(a, data, &flags_);   \
    UNPACK_P(flags_);          \
  } while (0)
#define ADD(operand)                                     \
  do {                                                   \
    uint8_t o_ = (operand);                              \
    unsigned sum_ = (unsigned)a + o_ + carry;            \
    v = (uint8_t)((~(a ^ o_) & (a ^ sum_) & 0x80) >> 1); \
    carry = (uint8_t)(sum_ >> 8);                        \
    NZ(a = (uint8_t)sum_);                               \
  } while (0)
#define DO_ADC()        \
  do {                  \
    if (rest & FLAG_D)  \
      DECIMAL(cpu_adc); \
    else                \
      ADD(data);        \
  } while (0)
#define DO_SBC()           \
  do {                     \
    if (rest & FLAG_D)     \
      DECIMAL(cpu_sbc);    \
    else                   \
      ADD((uint8_t)~data); \
  } while (0)
#define DO_ARR() DECIMAL(cpu_arr)
#define DO_ANC() (NZ(a &= data), carry = a >> 7)
#define DO_ASR() (a &= data, carry = a & 1, NZ(a >>= 1))
#define DO_ANE() NZ(a = (a | 0xEE) & x & data)
#define DO_LXA() NZ(a = x = (a | 0xEE) & data)
#define DO_SBX() (carry = (a & x) >= data, NZ(x = (uint8_t)((a & x) - data)))

/* Read-modify-write: change `data`. */
#define DO_ASL()   (carry = data >> 7, data = (uint8_t)(data << 1))
#define DO_LSR()   (carry = data & 1, data >>= 1)
#define DO_ROL()   (address2 = carry, carry = data >> 7, data = (uint8_t)(data << 1 | address2))
#define DO_ROR()   (address2 = carry, carry = data & 1, data = (uint8_t)(data >> 1 | address2 << 7))
#define DO_INC()   (data++)
#define DO_DEC()   (data--)
#define THEN_NZ()  NZ(data)
#define THEN_SLO() NZ(a |= data)
#define THEN_RLA() NZ(a &= data)
#define THEN_SRE() NZ(a ^= data)
#define THEN_RRA() DO_ADC()
#define THEN_ISB() DO_SBC()
#define THEN_DCP() COMPARE(a)

/* One place per opcode, named by its two digits. Each goes on to the next one by itself, so that the processor can learn
 * what usually follows. */
#define NEXT                        \
  do {                              \
    if (code >= run.end) goto fall; \
    goto *places[code[0]];          \
  } while (0)
#define OPCODE(digits) op_##digits : cycles += cpu_cycles[0x##digits];
#define READS(op, mode, what) \
  OPCODE(op)                  \
  mode;                       \
  READ(address);              \
  what;                       \
  NEXT
#define READS_X(op, mode, what) \
  OPCODE(op)                    \
  mode;                         \
  CROSSED();                    \
  READ(address);                \
  what;                         \
  NEXT
#define READS_ZP(op, mode, what) \
  OPCODE(op)                     \
  mode;                          \
  READ_ZP((uint8_t)address);     \
  what;                          \
  NEXT
#define IMMEDIATE(op, what) \
  OPCODE(op)                \
  data = bus = code[1];     \
  code += 2;                \
  what;                     \
  NEXT
#define STORES(op, mode, value) \
  OPCODE(op)                    \
  mode;                         \
  WRITE(address, value);        \
  NEXT
#define STORES_ZP(op, mode, value)   \
  OPCODE(op)                         \
  mode;                              \
  WRITE_ZP((uint8_t)address, value); \
  NEXT
#define MODIFIES(op, mode, what, then) \
  OPCODE(op)                           \
  mode;                                \
  READ(address);                       \
  what;                                \
  WRITE(address, data);                \
  then;                                \
  NEXT
#define IMPLIED(op, what) \
  OPCODE(op)              \
  bus = 0x##op;           \
  code++;                 \
  what;                   \
  NEXT
#define ACCUMULATOR(op, what) IMPLIED(op, (data = a, what, NZ(a = data)))
#define BRANCHES(op, condition) \
  OPCODE(op)                    \
  bus = code[1];                \
  if (condition) goto branch;   \
  code += 2;                    \
  NEXT

/* The columns of the opcode table that follow one pattern. */
#define ALU_ROWS(r, s, what)           \
  READS(r##1, INDIRECT_X(), what);     \
  READS_ZP(r##5, ZP(), what);          \
  IMMEDIATE(r##9, what);               \
  READS(r##D, ABSOLUTE(), what);       \
  READS_X(s##1, INDIRECT_Y(), what);   \
  READS_ZP(s##5, ZP_INDEXED(x), what); \
  READS_X(s##9, ABS_INDEXED(y), what); \
  READS_X(s##D, ABS_INDEXED(x), what)
#define SHIFT_ROWS(r, s, what)                    \
  MODIFIES(r##6, ZP(), what, THEN_NZ());          \
  MODIFIES(r##E, ABSOLUTE(), what, THEN_NZ());    \
  MODIFIES(s##6, ZP_INDEXED(x), what, THEN_NZ()); \
  MODIFIES(s##E, ABS_INDEXED(x), what, THEN_NZ())
#define COMBINED_ROWS(r, s, what, then)       \
  MODIFIES(r##3, INDIRECT_X(), what, then);   \
  MODIFIES(r##7, ZP(), what, then);           \
  MODIFIES(r##F, ABSOLUTE(), what, then);     \
  MODIFIES(s##3, INDIRECT_Y(), what, then);   \
  MODIFIES(s##7, ZP_INDEXED(x), what, then);  \
  MODIFIES(s##B, ABS_INDEXED(y), what, then); \
  MODIFIES(s##F, ABS_INDEXED(x), what, then)

#define HIGH() ((uint8_t)((address >> 8) + 1))
#define PUSH(value, last_read_)                             \
  do {                                                      \
    WRITE_AFTER((uint16_t)(0x100 | sp), value, last_read_); \
    sp--;                                                   \
  } while (0)

/* The only write of an instruction: the stack is the zero page, unless the cartridge looks closer. */
#define PUSH_ALONE(value) \
  do {                    \
    uint8_t p_ = (value); \
    if (watched)          \
      PUSH(p_, true);     \
    else {                \
      WRITE_ZP(sp, p_);   \
      sp--;               \
    }                     \
  } while (0)

#define PC() ((uint16_t)(run.pc + (code - run.begin)))
#define GO_TO(target) \
  do {                \
    pc = (target);    \
    goto jump;        \
  } while (0)

void interp_run(machine *m, bool memory_only, int32_t until) {
#define ROW(r)                                                                                   \
  &&op_##r##0, &&op_##r##1, &&op_##r##2, &&op_##r##3, &&op_##r##4, &&op_##r##5, &&op_##r##6,     \
      &&op_##r##7, &&op_##r##8, &&op_##r##9, &&op_##r##A, &&op_##r##B, &&op_##r##C, &&op_##r##D, \
      &&op_##r##E, &&op_##r##F
  static const void *const places[256] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5),
                                          ROW(6), ROW(7), ROW(8), ROW(9), ROW(A), ROW(B),
                                          ROW(C), ROW(D), ROW(E), ROW(F)};
  const uint16_t outside = memory_only ? 0x1000 : 0;
  const uint16_t watched = m->tia_direct ? 0 : 0x1000;
  console *c = m->c;
  uint8_t *const ram = c->ram;
  const uint8_t *const *pages = m->pages;
  int32_t cycles = c->cycles;
  uint16_t pc = c->pc, address = 0, base = 0;
  uint8_t a = c->a, x = c->x, y = c->y, sp = c->sp, bus = c->bus;
  uint8_t v, rest, carry, data = 0, address2 = 0;
  unsigned nz;
  const uint8_t *code = ram;
  code_run run = {ram, ram, 0};
  UNPACK_P(c->p);
  goto arrive;

branch : {
  uint16_t after = (uint16_t)(PC() + 2), target = (uint16_t)(after + (int8_t)code[1]);
  int crossed = ((target ^ after) >> 8) != 0;
  cycles += 1 + crossed;
  /* a wait for the timer: pass the turns that find it running */
  if (code[1] == 0xFB && code - 3 >= run.begin && (target & 0x1000) && interp_waits(code - 3)) {
    int turn = 7 + crossed, turns = interp_idle_turns(c, cycles, 4, turn, code[0]);
    if (turns > 1) cycles += turn * (turns - 1);
  }
  if (cycles >= until) GO_TO(target);
  const uint8_t *there = code + 2 + (int8_t)code[1];
  if (there < run.begin || there >= run.end || target < run.pc) GO_TO(target);
  code = there;
}

  NEXT;

fall: /* out of the run */
  pc = PC();
  goto arrive;

jump:
  if ((uint16_t)(pc - run.pc) < run.end - run.begin && cycles < until) {
    code = run.begin + (uint16_t)(pc - run.pc);
    goto execute;
  }
arrive:
  if (m->stop || cycles >= until) {
    run = (code_run){ram, ram, pc};
    code = ram;
    goto leave;
  }
  pages = m->pages;
  run = find_run(m, pc);
  code = run.begin + (uint16_t)(pc - run.pc);
  if ((pc & outside) || code >= run.end) {
    run = (code_run){ram, ram, pc};
    code = ram;
    goto leave;
  }
execute:
  goto *places[code[0]];
  ALU_ROWS(0, 1, DO_ORA());
  ALU_ROWS(2, 3, DO_AND());
  ALU_ROWS(4, 5, DO_EOR());
  ALU_ROWS(6, 7, DO_ADC());
  ALU_ROWS(A, B, DO_LDA());
  ALU_ROWS(C, D, DO_CMP());
  ALU_ROWS(E, F, DO_SBC());
  SHIFT_ROWS(0, 1, DO_ASL());
  SHIFT_ROWS(2, 3, DO_ROL());
  SHIFT_ROWS(4, 5, DO_LSR());
  SHIFT_ROWS(6, 7, DO_ROR());
  SHIFT_ROWS(C, D, DO_DEC());
  SHIFT_ROWS(E, F, DO_INC());
  COMBINED_ROWS(0, 1, DO_ASL(), THEN_SLO());
  COMBINED_ROWS(2, 3, DO_ROL(), THEN_RLA());
  COMBINED_ROWS(4, 5, DO_LSR(), THEN_SRE());
  COMBINED_ROWS(6, 7, DO_ROR(), THEN_RRA());
  COMBINED_ROWS(C, D, DO_DEC(), THEN_DCP());
  COMBINED_ROWS(E, F, DO_INC(), THEN_ISB());
  ACCUMULATOR(0A, DO_ASL());
  ACCUMULATOR(2A, DO_ROL());
  ACCUMULATOR(4A, DO_LSR());
  ACCUMULATOR(6A, DO_ROR());

  STORES(81, INDIRECT_X(), a);
  STORES_ZP(85, ZP(), a);
  STORES(8D, ABSOLUTE(), a);
  STORES(91, INDIRECT_Y(), a);
  STORES_ZP(95, ZP_INDEXED(x), a);
  STORES(99, ABS_INDEXED(y), a);
  STORES(9D, ABS_INDEXED(x), a);
  STORES_ZP(86, ZP(), x);
  STORES(8E, ABSOLUTE(), x);
  STORES_ZP(96, ZP_INDEXED(y), x);
  STORES_ZP(84, ZP(), y);
  STORES(8C, ABSOLUTE(), y);
  STORES_ZP(94, ZP_INDEXED(x), y);
  STORES(83, INDIRECT_X(), a & x);
  STORES_ZP(87, ZP(), a & x);
  STORES(8F, ABSOLUTE(), a & x);
  STORES_ZP(97, ZP_INDEXED(y), a & x);
  STORES(93, INDIRECT_Y(), a & x & HIGH());
  STORES(9F, ABS_INDEXED(y), a & x & HIGH());
  STORES(9E, ABS_INDEXED(y), x & HIGH());
  STORES(9C, ABS_INDEXED(x), y & HIGH());
  STORES(9B, ABS_INDEXED(y), (sp = a & x) & HIGH());

  IMMEDIATE(A2, DO_LDX());
  READS_ZP(A6, ZP(), DO_LDX());
  READS(AE, ABSOLUTE(), DO_LDX());
  READS_ZP(B6, ZP_INDEXED(y), DO_LDX());
  READS_X(BE, ABS_INDEXED(y), DO_LDX());
  IMMEDIATE(A0, DO_LDY());
  READS_ZP(A4, ZP(), DO_LDY());
  READS(AC, ABSOLUTE(), DO_LDY());
  READS_ZP(B4, ZP_INDEXED(x), DO_LDY());
  READS_X(BC, ABS_INDEXED(x), DO_LDY());
  READS(A3, INDIRECT_X(), DO_LAX());
  READS_ZP(A7, ZP(), DO_LAX());
  READS(AF, ABSOLUTE(), DO_LAX());
  READS_X(B3, INDIRECT_Y(), DO_LAX());
  READS_ZP(B7, ZP_INDEXED(y), DO_LAX());
  READS_X(BF, ABS_INDEXED(y), DO_LAX());
  READS_X(BB, ABS_INDEXED(y), DO_LAS());
  IMMEDIATE(E0, DO_CPX());
  READS_ZP(E4, ZP(), DO_CPX());
  READS(EC, ABSOLUTE(), DO_CPX());
  IMMEDIATE(C0, DO_CPY());
  READS_ZP(C4, ZP(), DO_CPY());
  READS(CC, ABSOLUTE(), DO_CPY());
  READS_ZP(24, ZP(), DO_BIT());
  READS(2C, ABSOLUTE(), DO_BIT());

  IMMEDIATE(0B, DO_ANC());
  IMMEDIATE(2B, DO_ANC());
  IMMEDIATE(4B, DO_ASR());
  IMMEDIATE(6B, DO_ARR());
  IMMEDIATE(8B, DO_ANE());
  IMMEDIATE(AB, DO_LXA());
  IMMEDIATE(CB, DO_SBX());
  IMMEDIATE(EB, DO_SBC());
  IMMEDIATE(80, DO_NOP());
  IMMEDIATE(82, DO_NOP());
  IMMEDIATE(89, DO_NOP());
  IMMEDIATE(C2, DO_NOP());
  IMMEDIATE(E2, DO_NOP());
  READS_ZP(04, ZP(), DO_NOP());
  READS_ZP(44, ZP(), DO_NOP());
  READS_ZP(64, ZP(), DO_NOP());
  READS_ZP(14, ZP_INDEXED(x), DO_NOP());
  READS_ZP(34, ZP_INDEXED(x), DO_NOP());
  READS_ZP(54, ZP_INDEXED(x), DO_NOP());
  READS_ZP(74, ZP_INDEXED(x), DO_NOP());
  READS_ZP(D4, ZP_INDEXED(x), DO_NOP());
  READS_ZP(F4, ZP_INDEXED(x), DO_NOP());
  READS(0C, ABSOLUTE(), DO_NOP());
  READS_X(1C, ABS_INDEXED(x), DO_NOP());
  READS_X(3C, ABS_INDEXED(x), DO_NOP());
  READS_X(5C, ABS_INDEXED(x), DO_NOP());
  READS_X(7C, ABS_INDEXED(x), DO_NOP());
  READS_X(DC, ABS_INDEXED(x), DO_NOP());
  READS_X(FC, ABS_INDEXED(x), DO_NOP());
  IMPLIED(1A, DO_NOP());
  IMPLIED(3A, DO_NOP());
  IMPLIED(5A, DO_NOP());
  IMPLIED(7A, DO_NOP());
  IMPLIED(DA, DO_NOP());
  IMPLIED(EA, DO_NOP());
  IMPLIED(FA, DO_NOP());

  IMPLIED(18, carry = 0);
  IMPLIED(38, carry = 1);
  IMPLIED(58, rest &= (uint8_t)~FLAG_I);
  IMPLIED(78, rest |= FLAG_I);
  IMPLIED(B8, v = 0);
  IMPLIED(D8, rest &= (uint8_t)~FLAG_D);
  IMPLIED(F8, rest |= FLAG_D);
  IMPLIED(AA, NZ(x = a));
  IMPLIED(A8, NZ(y = a));
  IMPLIED(8A, NZ(a = x));
  IMPLIED(98, NZ(a = y));
  IMPLIED(BA, NZ(x = sp));
  IMPLIED(9A, sp = x);
  IMPLIED(E8, NZ(++x));
  IMPLIED(CA, NZ(--x));
  IMPLIED(C8, NZ(++y));
  IMPLIED(88, NZ(--y));

  BRANCHES(10, !NEGATIVE());
  BRANCHES(30, NEGATIVE());
  BRANCHES(50, !v);
  BRANCHES(70, v);
  BRANCHES(90, !carry);
  BRANCHES(B0, carry);
  BRANCHES(D0, !ZERO());
  BRANCHES(F0, ZERO());

  OPCODE(4C) /* JMP */ bus = code[2];
  GO_TO((uint16_t)(code[1] | code[2] << 8));
  OPCODE(6C) /* JMP () */
  ABSOLUTE();
  READ(address);
  address2 = data;
  READ((uint16_t)((address & 0xFF00) | ((address + 1) & 0xFF)));
  GO_TO((uint16_t)(address2 | data << 8));
  OPCODE(20) { /* JSR */
    uint8_t low = code[1];
    pc = (uint16_t)(PC() + 2);
    bus = low;
    READ((uint16_t)(0x100 | sp));
    PUSH((uint8_t)(pc >> 8), true);
    PUSH((uint8_t)pc, false);
    bus = code[2]; /* read last: in memory, the pushes may have changed it */
    GO_TO((uint16_t)(low | bus << 8));
  }
  OPCODE(60) /* RTS */
  bus = 0x60;
  READ((uint16_t)(0x100 | sp));
  READ((uint16_t)(0x100 | (uint8_t)(sp + 1)));
  address2 = data;
  READ((uint16_t)(0x100 | (uint8_t)(sp + 2)));
  sp += 2;
  address = (uint16_t)(address2 | data << 8);
  READ(address);
  GO_TO((uint16_t)(address + 1));
  OPCODE(48) /* PHA */
  code++;
  PUSH_ALONE(a);
  NEXT;
  OPCODE(08) /* PHP */
  code++;
  PUSH_ALONE(PACK_P());
  NEXT;
  OPCODE(68) /* PLA */
  bus = 0x68;
  code++;
  READ((uint16_t)(0x100 | sp));
  sp++;
  READ((uint16_t)(0x100 | sp));
  NZ(a = data);
  NEXT;
  OPCODE(28) /* PLP */
  bus = 0x28;
  code++;
  READ((uint16_t)(0x100 | sp));
  sp++;
  READ((uint16_t)(0x100 | sp));
  UNPACK_P(data);
  NEXT;
/* BRK, RTI and the opcodes that jam: rare enough for the plain processor */
op_00:
op_02:
op_12:
op_22:
op_32:
op_40:
op_42:
op_52:
op_62:
op_72:
op_92:
op_B2:
op_D2:
op_F2:
  goto leave;

leave:
  c->a = a, c->x = x, c->y = y, c->sp = sp, c->bus = bus;
  c->p = PACK_P();
  c->pc = PC();
  c->cycles = cycles;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

static bool run_frame(machine *m, const cpu_bus *bus) {
  const int32_t until = interp_limit(m);
  while (!m->stop && !m->c->jammed) {
    interp_run(m, false, until);
    if (m->c->cycles >= until) return false;
    if (!m->stop) cpu_plain_step(m->c, bus);
  }
  return true;
}

void interp_frame(machine *m, interp_runner *run) {
  const cpu_bus bus = {m, bus_read, bus_write, false};
  tia_line *l = &m->line;
  for (;;) {
    tia_fast_begin(m);
    if (l->endless) {
      for (int i = 0; i < FRAME_INSTRUCTIONS && !m->stop && !m->c->jammed; i++)
        cpu_plain_step(m->c, &bus);
      l->endless = m->c->tia.partial && !m->c->jammed;
    } else if (!run(m, &bus)) {
      l->endless = true;
      tia_fast_rewind(m);
      continue;
    }
    if (tia_fast_end(m)) return;
  }
}

void machine_frame_interp(machine *m) {
  if (tia_fast_can(m))
    interp_frame(m, run_frame);
  else
    machine_frame_plain(m);
}
