/* The interpreter: the portable fast core. It draws with the fast TIA.
 *
 * It has two forms: with labels, in this file and interp_body.h, and as functions (interp_tail.c), for clang.
 *
 * Registers and flags are local variables. The program counter is a pointer to the instruction; it is valid
 * within a *run*, a stretch of memory that can be read without side effects and is contiguous in the host's
 * memory too. Reads of console memory and of plain cartridge pages load the byte; all other accesses go through
 * the bus of console.c. An instruction that is not entirely within a run (next to a hotspot, at the TIA's
 * addresses) is executed by the plain processor. Of a loop that only waits for the timer, most turns are skipped:
 * their cycles are added at once. */
#include "machine/interp_parts.h"

/* FE has two banks of 4K, told apart by bit 13 of the address. */
static inline const uint8_t *fe_bank(const machine *m, uint16_t address) {
  return m->cart->image + (address & 0x2000 ? 0 : 4096);
}

/* The bytes of the instruction at pc, if three can be read without side effects; NULL otherwise. */
static inline const uint8_t *code_at(const machine *m, uint16_t pc) {
  if (pc & 0x1000) {
    if (m->cart->type == CART_FE)
      return (pc & 0xFFF) < 0xFFE ? fe_bank(m, pc) + (pc & 0xFFF) : NULL;
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

code_run interp_find_run(const machine *m, uint16_t pc) {
  /* pages on both sides; code beyond is found as another run */
#if OS_WASM32
  enum { REACH = CART_PAGES };
#else
  enum { REACH = 16 };
#endif
  const uint8_t *code = code_at(m, pc);
  if (!code) return (code_run){m->c->ram, m->c->ram, pc};
  if (!(pc & 0x1000)) {
    uint16_t first = pc & (uint16_t)~0x7F; /* console memory */
    return (code_run){m->c->ram, m->c->ram + 126, first};
  }
  if (m->cart->type == CART_FE) {
    const uint8_t *bank = fe_bank(m, pc);
    return (code_run){bank, bank + 4096 - 2, pc & 0xF000};
  }
  int index = (pc >> CART_PAGE_SHIFT) & (CART_PAGES - 1), first = index, last = index;
  const uint8_t *page = m->pages[index];
  if (!page) /* the last page, up to its hotspots */
    return (code_run){m->tail, m->tail + m->tail_size - 2, (uint16_t)(pc & ~63)};
  while (first > 0 && index - first < REACH &&
         m->pages[first - 1] == page - 64 * (index - first + 1))
    first--;
  while (last < CART_PAGES - 1 && last - index < REACH &&
         m->pages[last + 1] == page + 64 * (last - index + 1))
    last++;
  /* an instruction may begin in the last two bytes if the next page is contiguous */
  bool more = last < CART_PAGES - 1 && m->pages[last + 1] == page + 64 * (last - index + 1);
  return (code_run){page - 64 * (index - first), page + 64 * (last - index + 1) - (more ? 0 : 2),
                    (uint16_t)((pc & ~63) - 64 * (index - first))};
}

int interp_waits(const uint8_t *code) {
  const cpu_opcode load = cpu_opcodes[code[0]];
  const uint8_t branch = code[3];
  /* the branch goes back to the load, and the address is INTIM or INSTAT */
  if (code[4] != 0xFB || (code[1] & 0x84) != 0x84 || (code[2] & 0x12) != 0x02) return 0;
  if (load.addressing != ABS) return 0;
  const bool status = code[1] & 1;
  switch (load.operation) {
    case BIT: return status && branch == OPCODE_BPL ? branch : 0;
    case LDA:
    case LDX:
    case LDY:
      if (branch == OPCODE_BPL) return branch;
      return !status && (branch == OPCODE_BNE || branch == OPCODE_BMI) ? branch : 0;
    default: return 0;
  }
}

int interp_idle_turns(const console *c, int32_t now, int first, int cycles, int branch) {
  const riot_state *r = &c->riot;
  const int floor =
      branch == OPCODE_BMI ? 0x7F : 0; /* the loop continues while INTIM is above it */
  int32_t passed = cycle_sub(now + first - 1, r->set_cycle);
  if (passed < 0 || r->value - 1 - (passed >> r->shift) <= floor) return 0;
  if (branch == OPCODE_BPL && r->value - 1 - (passed >> r->shift) >= 0x80) return 0;
  int32_t until = ((int32_t)(r->value - 1 - floor) << r->shift) - passed;
  return until > 0 ? (until + cycles - 1) / cycles : 0;
}

/* ---- The interpreter ------------------------------------------------------------------------------------------- */

uint8_t interp_slow_read(machine *m, uint16_t address, uint8_t bus, int32_t cycles) {
  console *c = m->c;
  c->bus = bus;
  c->cycles = cycles;
  return machine_peek(m, address);
}

int32_t interp_slow_write(machine *m, uint16_t address, uint8_t value, int32_t cycles,
                          bool last_read) {
  console *c = m->c;
  c->cycles = cycles;
  c->last_read = last_read;
  if (!(address & 0x1080) && m->tia_direct) /* the TIA */
    tia_fast_write(m, address, value);
  else
    machine_poke(m, address, value);
  return c->cycles;
}

/* In WebAssembly, the function with the labels calls no other one. The compilers of browsers keep what is used after a
 * call on the stack all the time, in a loop of this size: nearly everything, if there is a single call. So an
 * instruction with any other access than the usual ones is refused: what it has changed is taken back (REFUSE), and the
 * plain processor executes it. */
#define CARRY carry
#define V     v
#define REST  rest
#define SP    sp

/* Make both runs empty, so that NEXT and jumps look for the code again. */
#define FORGET_RUNS() (run.end = run.begin, other.end = other.begin)

#define LOOK_AT_BANKS(address)                                    \
  do {                                                            \
    if (((address) | watched) & 0x1000 && banks_of(c) != banks) { \
      FORGET_RUNS();                                              \
      pages = m->pages;                                           \
      banks = banks_of(c);                                        \
    }                                                             \
  } while (0)

#if OS_WASM32
#define REFUSE() goto refuse
#define NEED_RAM(address_)                       \
  do {                                           \
    if (((address_)&0x1280) != 0x0080) REFUSE(); \
  } while (0)
#define NEED_STACK() NEED_RAM((sp - 1) & 0xFF & sp) /* both of the bytes that JSR pushes */
/* A combined operation may be one that adds, after it has written. */
#define NEED_MODIFY(op)                             \
  do {                                              \
    NEED_RAM(address);                              \
    if (((op)&3) == 3 && (REST & FLAG_D)) REFUSE(); \
  } while (0)
#define SLOW_READ(a_)             REFUSE()
#define SLOW_WRITE(a_, v_, last_) REFUSE()
#else
#define NEED_RAM(address_) ((void)0)
#define NEED_STACK()       ((void)0)
#define NEED_MODIFY(op)    ((void)0)
#define SLOW_READ(a_)                            \
  do {                                           \
    data = interp_slow_read(m, a_, bus, cycles); \
    LOOK_AT_BANKS(a_);                           \
  } while (0)
#define SLOW_WRITE(a_, v_, last_read_)                         \
  do {                                                         \
    cycles = interp_slow_write(m, a_, v_, cycles, last_read_); \
    LOOK_AT_BANKS(a_);                                         \
    TEST_STOP();                                               \
  } while (0)
/* After a write that stops the frame: empty runs make NEXT leave after this instruction. */
#define TEST_STOP()             \
  do {                          \
    if (m->stop) FORGET_RUNS(); \
  } while (0)
#endif

/* Read into `data`. `bus` is the byte that was transferred before, and then the one that was read. */
#define READ(address_)                                         \
  do {                                                         \
    uint16_t a_ = (address_);                                  \
    const uint8_t *page_;                                      \
    if ((a_ & 0x1280) == 0x0080)                               \
      data = ram[a_ & 0x7F];                                   \
    else if ((a_ & 0x1000) && (page_ = pages[(a_ >> 6) & 63])) \
      data = page_[a_ & 63];                                   \
    else                                                       \
      SLOW_READ(a_);                                           \
    bus = data;                                                \
  } while (0)
#define READ_ZP(address_)    \
  do {                       \
    uint8_t a_ = (address_); \
    if (a_ & 0x80)           \
      data = ram[a_ & 0x7F]; \
    else                     \
      SLOW_READ(a_);         \
    bus = data;              \
  } while (0)

#define WRITE_AFTER(address_, value_, last_read_) \
  do {                                            \
    uint16_t a_ = (address_);                     \
    NEED_RAM(a_);                                 \
    uint8_t v_ = (value_);                        \
    if ((a_ & 0x1280) == 0x0080)                  \
      ram[a_ & 0x7F] = v_;                        \
    else                                          \
      SLOW_WRITE(a_, v_, last_read_);             \
    bus = v_;                                     \
  } while (0)
#define WRITE(address_, value_) WRITE_AFTER(address_, value_, true)

/* A zero-page write: to console memory, to the TIA's log, or WSYNC. */
#define WRITE_ZP(address_, value_)                         \
  do {                                                     \
    uint8_t z_ = (address_), b_ = (value_);                \
    if (z_ & 0x80) {                                       \
      ram[z_ & 0x7F] = b_;                                 \
      bus = b_;                                            \
    } else if (watched || cycles >= m->frame.note_until) { \
      WRITE(z_, b_);                                       \
    } else if (tia_kind_of[z_ & 0x3F] != TIA_CALL) {       \
      tia_fast_note(m, z_ & 0x3F, b_, cycles);             \
      bus = b_;                                            \
    } else if ((z_ & 0x3F) == WSYNC) {                     \
      cycles = tia_line_end(&m->frame, cycles);            \
      bus = b_;                                            \
    } else {                                               \
      WRITE(z_, b_);                                       \
    }                                                      \
  } while (0)

/* Effective addresses. They set `bus` to the last operand byte that was fetched, as the reference does. */
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

#if OS_WASM32
#define DECIMAL(f) REFUSE()
#else
#define DECIMAL(f)             \
  do {                         \
    uint8_t flags_ = PACK_P(); \
    a = f(a, data, &flags_);   \
    UNPACK_P(flags_);          \
  } while (0)
#endif
#define DO_ADC()        \
  do {                  \
    if (REST & FLAG_D)  \
      DECIMAL(cpu_adc); \
    else                \
      ADD(data);        \
  } while (0)
#define DO_SBC()           \
  do {                     \
    if (REST & FLAG_D)     \
      DECIMAL(cpu_sbc);    \
    else                   \
      ADD((uint8_t)~data); \
  } while (0)
#define DO_ARR() DECIMAL(cpu_arr)

/* One label per opcode, named by its two digits. Each ends with a jump of its own to the next opcode, so that the
 * host predicts it separately for each opcode. WebAssembly has no such jumps: there, all of them go through one
 * switch, which is what compilers would make of them too. */
#if OS_WASM32
#define NEXT                        \
  do {                              \
    if (code >= run.end) goto fall; \
    goto execute;                   \
  } while (0)
#else
#define NEXT                                \
  do {                                      \
    if (COUNTED && --left <= 0) goto leave; \
    if (code >= run.end) goto fall;         \
    goto *places[code[0]];                  \
  } while (0)
#endif
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
  NEED_MODIFY(0x##op);                 \
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

#define PUSH(value, last_read_)                             \
  do {                                                      \
    WRITE_AFTER((uint16_t)(0x100 | sp), value, last_read_); \
    sp--;                                                   \
  } while (0)

/* A push by PHA and PHP, which write once. The stack is mapped like the zero page, unless the cartridge watches
 * all addresses. */
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

#define PC() ((uint16_t)((uintptr_t)code + bias))
#define GO_TO(target) \
  do {                \
    pc = (target);    \
    goto jump;        \
  } while (0)

/* Compiled twice, since labels cannot be shared, unless interp_tail.c does the rest. Counting costs time, and most
 * frames do without it (frame.c). In WebAssembly the plain processor runs the few others, which makes the download
 * smaller. */
#if OS_WASM32

int interp_run_counted(machine *m, int left) { return (void)m, left; }

#else

#define INTERPRET interpret_counted
#define COUNTED   true
#include "machine/interp_body.h"

int interp_run_counted(machine *m, int left) { return interpret_counted(m, false, NEVER, left); }

#endif

#ifdef INTERP_TAIL_CALLS

void interp_run(machine *m, bool ram_only, int32_t until) { interp_run_calls(m, ram_only, until); }

#else

#undef INTERPRET
#undef COUNTED
#define INTERPRET interpret
#define COUNTED   false
#include "machine/interp_body.h"

#if !OS_WASM32

void interp_run(machine *m, bool ram_only, int32_t until) {
  interpret(m, ram_only, until, FRAME_INSTRUCTIONS);
}
#endif

#endif
