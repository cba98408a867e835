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

/* One case per opcode. */
#define NEXT goto next
#define OPCODE(op) \
  case op:         \
    cycles += cpu_cycles[op];
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
  bus = op;               \
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
#define ALU_ROWS(base_, what)                    \
  READS((base_) + 0x01, INDIRECT_X(), what);     \
  READS_ZP((base_) + 0x05, ZP(), what);          \
  IMMEDIATE((base_) + 0x09, what);               \
  READS((base_) + 0x0D, ABSOLUTE(), what);       \
  READS_X((base_) + 0x11, INDIRECT_Y(), what);   \
  READS_ZP((base_) + 0x15, ZP_INDEXED(x), what); \
  READS_X((base_) + 0x19, ABS_INDEXED(y), what); \
  READS_X((base_) + 0x1D, ABS_INDEXED(x), what)
#define SHIFT_ROWS(base_, what)                             \
  MODIFIES((base_) + 0x06, ZP(), what, THEN_NZ());          \
  MODIFIES((base_) + 0x0E, ABSOLUTE(), what, THEN_NZ());    \
  MODIFIES((base_) + 0x16, ZP_INDEXED(x), what, THEN_NZ()); \
  MODIFIES((base_) + 0x1E, ABS_INDEXED(x), what, THEN_NZ())
#define COMBINED_ROWS(base_, what, then)                \
  MODIFIES((base_) + 0x03, INDIRECT_X(), what, then);   \
  MODIFIES((base_) + 0x07, ZP(), what, then);           \
  MODIFIES((base_) + 0x0F, ABSOLUTE(), what, then);     \
  MODIFIES((base_) + 0x13, INDIRECT_Y(), what, then);   \
  MODIFIES((base_) + 0x17, ZP_INDEXED(x), what, then);  \
  MODIFIES((base_) + 0x1B, ABS_INDEXED(y), what, then); \
  MODIFIES((base_) + 0x1F, ABS_INDEXED(x), what, then)

#define HIGH() ((uint8_t)((address >> 8) + 1))
#define PUSH(value, last_read_)                             \
  do {                                                      \
    WRITE_AFTER((uint16_t)(0x100 | sp), value, last_read_); \
    sp--;                                                   \
  } while (0)

#define PC() ((uint16_t)(run.pc + (code - run.begin)))
#define GO_TO(target) \
  do {                \
    pc = (target);    \
    goto jump;        \
  } while (0)

/* Interpret. If instructions are not counted, until the frame stops, one must be executed plainly, or cycle `until`; else as
 * interp_run() says. */
static inline __attribute__((always_inline)) int interpret(machine *m, int left, bool memory_only,
                                                           bool counted, int32_t until) {
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
    if (counted && turns > (left - 4) / 2) turns = (left - 4) / 2;
    if (turns > 1) {
      left -= 2 * (turns - 1);
      cycles += turn * (turns - 1);
    }
  }
  if (!counted && cycles >= until) GO_TO(target);
  const uint8_t *there = code + 2 + (int8_t)code[1];
  if (there < run.begin || there >= run.end || target < run.pc) GO_TO(target);
  code = there;
}

next:
  if (counted && --left <= 0) goto leave;
  if (code < run.end) goto execute;
  pc = PC();
  goto arrive;

jump:
  if (counted && --left <= 0) {
    run = (code_run){ram, ram, pc};
    code = ram;
    goto leave;
  }
  if ((uint16_t)(pc - run.pc) < run.end - run.begin && (counted || cycles < until)) {
    code = run.begin + (uint16_t)(pc - run.pc);
    goto execute;
  }
arrive:
  if (m->stop || (!counted && cycles >= until)) {
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
  switch (code[0]) {
    ALU_ROWS(0x00, DO_ORA());
    ALU_ROWS(0x20, DO_AND());
    ALU_ROWS(0x40, DO_EOR());
    ALU_ROWS(0x60, DO_ADC());
    ALU_ROWS(0xA0, DO_LDA());
    ALU_ROWS(0xC0, DO_CMP());
    ALU_ROWS(0xE0, DO_SBC());
    SHIFT_ROWS(0x00, DO_ASL());
    SHIFT_ROWS(0x20, DO_ROL());
    SHIFT_ROWS(0x40, DO_LSR());
    SHIFT_ROWS(0x60, DO_ROR());
    SHIFT_ROWS(0xC0, DO_DEC());
    SHIFT_ROWS(0xE0, DO_INC());
    COMBINED_ROWS(0x00, DO_ASL(), THEN_SLO());
    COMBINED_ROWS(0x20, DO_ROL(), THEN_RLA());
    COMBINED_ROWS(0x40, DO_LSR(), THEN_SRE());
    COMBINED_ROWS(0x60, DO_ROR(), THEN_RRA());
    COMBINED_ROWS(0xC0, DO_DEC(), THEN_DCP());
    COMBINED_ROWS(0xE0, DO_INC(), THEN_ISB());
    ACCUMULATOR(0x0A, DO_ASL());
    ACCUMULATOR(0x2A, DO_ROL());
    ACCUMULATOR(0x4A, DO_LSR());
    ACCUMULATOR(0x6A, DO_ROR());

    STORES(0x81, INDIRECT_X(), a);
    STORES_ZP(0x85, ZP(), a);
    STORES(0x8D, ABSOLUTE(), a);
    STORES(0x91, INDIRECT_Y(), a);
    STORES_ZP(0x95, ZP_INDEXED(x), a);
    STORES(0x99, ABS_INDEXED(y), a);
    STORES(0x9D, ABS_INDEXED(x), a);
    STORES_ZP(0x86, ZP(), x);
    STORES(0x8E, ABSOLUTE(), x);
    STORES_ZP(0x96, ZP_INDEXED(y), x);
    STORES_ZP(0x84, ZP(), y);
    STORES(0x8C, ABSOLUTE(), y);
    STORES_ZP(0x94, ZP_INDEXED(x), y);
    STORES(0x83, INDIRECT_X(), a & x);
    STORES_ZP(0x87, ZP(), a & x);
    STORES(0x8F, ABSOLUTE(), a & x);
    STORES_ZP(0x97, ZP_INDEXED(y), a & x);
    STORES(0x93, INDIRECT_Y(), a & x & HIGH());
    STORES(0x9F, ABS_INDEXED(y), a & x & HIGH());
    STORES(0x9E, ABS_INDEXED(y), x & HIGH());
    STORES(0x9C, ABS_INDEXED(x), y & HIGH());
    STORES(0x9B, ABS_INDEXED(y), (sp = a & x) & HIGH());

    IMMEDIATE(0xA2, DO_LDX());
    READS_ZP(0xA6, ZP(), DO_LDX());
    READS(0xAE, ABSOLUTE(), DO_LDX());
    READS_ZP(0xB6, ZP_INDEXED(y), DO_LDX());
    READS_X(0xBE, ABS_INDEXED(y), DO_LDX());
    IMMEDIATE(0xA0, DO_LDY());
    READS_ZP(0xA4, ZP(), DO_LDY());
    READS(0xAC, ABSOLUTE(), DO_LDY());
    READS_ZP(0xB4, ZP_INDEXED(x), DO_LDY());
    READS_X(0xBC, ABS_INDEXED(x), DO_LDY());
    READS(0xA3, INDIRECT_X(), DO_LAX());
    READS_ZP(0xA7, ZP(), DO_LAX());
    READS(0xAF, ABSOLUTE(), DO_LAX());
    READS_X(0xB3, INDIRECT_Y(), DO_LAX());
    READS_ZP(0xB7, ZP_INDEXED(y), DO_LAX());
    READS_X(0xBF, ABS_INDEXED(y), DO_LAX());
    READS_X(0xBB, ABS_INDEXED(y), DO_LAS());
    IMMEDIATE(0xE0, DO_CPX());
    READS_ZP(0xE4, ZP(), DO_CPX());
    READS(0xEC, ABSOLUTE(), DO_CPX());
    IMMEDIATE(0xC0, DO_CPY());
    READS_ZP(0xC4, ZP(), DO_CPY());
    READS(0xCC, ABSOLUTE(), DO_CPY());
    READS_ZP(0x24, ZP(), DO_BIT());
    READS(0x2C, ABSOLUTE(), DO_BIT());

    IMMEDIATE(0x0B, DO_ANC());
    IMMEDIATE(0x2B, DO_ANC());
    IMMEDIATE(0x4B, DO_ASR());
    IMMEDIATE(0x6B, DO_ARR());
    IMMEDIATE(0x8B, DO_ANE());
    IMMEDIATE(0xAB, DO_LXA());
    IMMEDIATE(0xCB, DO_SBX());
    IMMEDIATE(0xEB, DO_SBC());
    IMMEDIATE(0x80, DO_NOP());
    IMMEDIATE(0x82, DO_NOP());
    IMMEDIATE(0x89, DO_NOP());
    IMMEDIATE(0xC2, DO_NOP());
    IMMEDIATE(0xE2, DO_NOP());
    READS_ZP(0x04, ZP(), DO_NOP());
    READS_ZP(0x44, ZP(), DO_NOP());
    READS_ZP(0x64, ZP(), DO_NOP());
    READS_ZP(0x14, ZP_INDEXED(x), DO_NOP());
    READS_ZP(0x34, ZP_INDEXED(x), DO_NOP());
    READS_ZP(0x54, ZP_INDEXED(x), DO_NOP());
    READS_ZP(0x74, ZP_INDEXED(x), DO_NOP());
    READS_ZP(0xD4, ZP_INDEXED(x), DO_NOP());
    READS_ZP(0xF4, ZP_INDEXED(x), DO_NOP());
    READS(0x0C, ABSOLUTE(), DO_NOP());
    READS_X(0x1C, ABS_INDEXED(x), DO_NOP());
    READS_X(0x3C, ABS_INDEXED(x), DO_NOP());
    READS_X(0x5C, ABS_INDEXED(x), DO_NOP());
    READS_X(0x7C, ABS_INDEXED(x), DO_NOP());
    READS_X(0xDC, ABS_INDEXED(x), DO_NOP());
    READS_X(0xFC, ABS_INDEXED(x), DO_NOP());
    IMPLIED(0x1A, DO_NOP());
    IMPLIED(0x3A, DO_NOP());
    IMPLIED(0x5A, DO_NOP());
    IMPLIED(0x7A, DO_NOP());
    IMPLIED(0xDA, DO_NOP());
    IMPLIED(0xEA, DO_NOP());
    IMPLIED(0xFA, DO_NOP());

    IMPLIED(0x18, carry = 0);
    IMPLIED(0x38, carry = 1);
    IMPLIED(0x58, rest &= (uint8_t)~FLAG_I);
    IMPLIED(0x78, rest |= FLAG_I);
    IMPLIED(0xB8, v = 0);
    IMPLIED(0xD8, rest &= (uint8_t)~FLAG_D);
    IMPLIED(0xF8, rest |= FLAG_D);
    IMPLIED(0xAA, NZ(x = a));
    IMPLIED(0xA8, NZ(y = a));
    IMPLIED(0x8A, NZ(a = x));
    IMPLIED(0x98, NZ(a = y));
    IMPLIED(0xBA, NZ(x = sp));
    IMPLIED(0x9A, sp = x);
    IMPLIED(0xE8, NZ(++x));
    IMPLIED(0xCA, NZ(--x));
    IMPLIED(0xC8, NZ(++y));
    IMPLIED(0x88, NZ(--y));

    BRANCHES(0x10, !NEGATIVE());
    BRANCHES(0x30, NEGATIVE());
    BRANCHES(0x50, !v);
    BRANCHES(0x70, v);
    BRANCHES(0x90, !carry);
    BRANCHES(0xB0, carry);
    BRANCHES(0xD0, !ZERO());
    BRANCHES(0xF0, ZERO());

    OPCODE(0x4C) /* JMP */ bus = code[2];
    GO_TO((uint16_t)(code[1] | code[2] << 8));
    OPCODE(0x6C) /* JMP () */
    ABSOLUTE();
    READ(address);
    address2 = data;
    READ((uint16_t)((address & 0xFF00) | ((address + 1) & 0xFF)));
    GO_TO((uint16_t)(address2 | data << 8));
    OPCODE(0x20) { /* JSR */
      uint8_t low = code[1];
      pc = (uint16_t)(PC() + 2);
      bus = low;
      READ((uint16_t)(0x100 | sp));
      PUSH((uint8_t)(pc >> 8), true);
      PUSH((uint8_t)pc, false);
      bus = code[2]; /* read last: in memory, the pushes may have changed it */
      GO_TO((uint16_t)(low | bus << 8));
    }
    OPCODE(0x60) /* RTS */
    bus = 0x60;
    READ((uint16_t)(0x100 | sp));
    READ((uint16_t)(0x100 | (uint8_t)(sp + 1)));
    address2 = data;
    READ((uint16_t)(0x100 | (uint8_t)(sp + 2)));
    sp += 2;
    address = (uint16_t)(address2 | data << 8);
    READ(address);
    GO_TO((uint16_t)(address + 1));
    OPCODE(0x48) /* PHA */
    code++;
    PUSH(a, true);
    NEXT;
    OPCODE(0x08) /* PHP */
    code++;
    PUSH(PACK_P(), true);
    NEXT;
    OPCODE(0x68) /* PLA */
    bus = 0x68;
    code++;
    READ((uint16_t)(0x100 | sp));
    sp++;
    READ((uint16_t)(0x100 | sp));
    NZ(a = data);
    NEXT;
    OPCODE(0x28) /* PLP */
    bus = 0x28;
    code++;
    READ((uint16_t)(0x100 | sp));
    sp++;
    READ((uint16_t)(0x100 | sp));
    UNPACK_P(data);
    NEXT;
    default: /* BRK, RTI and the opcodes that jam: rare enough for the plain processor */
      goto leave;
  }

leave:
  c->a = a, c->x = x, c->y = y, c->sp = sp, c->bus = bus;
  c->p = PACK_P();
  c->pc = PC();
  c->cycles = cycles;
  return left;
}

int interp_run(machine *m, int left, bool memory_only) {
  return interpret(m, left, memory_only, true, 0);
}

/* A frame in which every instruction is counted. */
static void run_counted(machine *m, const cpu_bus *bus) {
  for (int left = FRAME_INSTRUCTIONS; left > 0 && !m->stop && !m->c->jammed;) {
    left = interp_run(m, left, false);
    if (left > 0 && !m->stop) {
      cpu_plain_step(m->c, bus);
      left--;
    }
  }
}

/* A frame in which none is: false if there may be too many. */
static bool run_uncounted(machine *m, const cpu_bus *bus) {
  const int32_t until = m->c->cycles + 2 * FRAME_INSTRUCTIONS; /* none takes less than two */
  while (!m->stop && !m->c->jammed) {
    interpret(m, 1, false, false, until);
    if (m->c->cycles >= until) return false;
    if (!m->stop) cpu_plain_step(m->c, bus);
  }
  return true;
}

void machine_frame_interp(machine *m) {
  const cpu_bus bus = {m, bus_read, bus_write, false};
  if (!tia_fast_can(m)) {
    machine_frame_plain(m);
    return;
  }
  for (;;) {
    tia_fast_begin(m);
    if (m->line.endless) {
      run_counted(m, &bus);
      m->line.endless = m->c->tia.partial;
    } else if (!run_uncounted(m, &bus)) {
      m->line.endless = true;
      tia_fast_rewind(m);
      continue;
    }
    if (tia_fast_end(m)) return;
  }
}
