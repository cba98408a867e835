/* Translated code as functions of WebAssembly.
 *
 * WebAssembly has no jumps to arbitrary places: code can leave a `block` towards its end, and begin a `loop` again. So
 * when all code of a translation is written (jit_wasm.c), its jumps are looked at together.
 *
 * The code is divided into *parts*, each of which is entered at its beginning only. They are put into an order in which
 * most jumps lead forward (reverse postorder of a depth-first search): a rare path then lies between the jump to it
 * and the place that it goes back to. A part that is jumped to from an earlier one is preceded by the end of a `block`
 * that begins before the jump. Jumps backward, and through a register, go through one place: a `loop` around
 * everything, which begins with a `br_table` over the parts that such jumps lead to. The local LABEL chooses one.
 *
 * All blocks of a translation become one function of one module, which JavaScript compiles and puts into the table of
 * functions (web/package/lib/code.js). Fixed pieces of code are further functions of the module. A jump to the block of
 * another translation leaves the function: `elsewhere` is where op_run() goes on. */
#include "machine/jit.h"

#if defined(SIXER_JIT) && OS_WASM32

#include <stdlib.h>
#include <string.h>

#include "machine/jit_encoder.h"

/* JavaScript: take a place in the table of functions, 0 if there is none; compile a module and put its function there,
 * false if the browser refuses; give the place back. */
#define FROM_JAVASCRIPT(name) __attribute__((import_module("code"), import_name(name)))
FROM_JAVASCRIPT("take") uint32_t code_take(void);
FROM_JAVASCRIPT("publish") bool code_publish(uint32_t place, const uint8_t *module, size_t size);
FROM_JAVASCRIPT("drop") void code_drop(uint32_t place);

/* The block of another function that code was left for; NULL: code was left for good. */
static const uint8_t *elsewhere;

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static const uint8_t *after_number(const uint8_t *p) {
  while (*p++ & 0x80) continue;
  return p;
}

/* The instruction or mark after this one. */
static const uint8_t *after(const uint8_t *p) {
  switch (*p) {
    case MARK_ENTRY: return p + ENTRY_BYTES;
    case MARK_JUMP:
    case MARK_JUMP_IF:
    case MARK_CALL: return p + JUMP_BYTES;
    case MARK_JUMP_REG: return p + 2;
    case WASM_GET:
    case WASM_SET:
    case WASM_CONST:
    case WASM_CONST64: return after_number(p + 1);
    case WASM_CALL_INDIRECT: return p + 3;
    default: break;
  }
  return *p >= WASM_LOAD && *p <= WASM_STORE_LAST ? after_number(p + 2) : p + 1;
}
static const uint8_t *target_of(const uint8_t *jump) {
  const uint8_t *target;
  memcpy(&target, jump + 1, sizeof target);
  return target;
}
static bool is_jump(const uint8_t *p) { return *p == MARK_JUMP || *p == MARK_JUMP_IF; }
static bool ends_part(const uint8_t *p) {
  return *p == MARK_JUMP || *p == MARK_JUMP_REG || *p == WASM_RETURN;
}
static uint32_t function_of(const uint8_t *entry) {
  uint32_t function;
  memcpy(&function, entry + ENTRY_FUNCTION, sizeof function);
  return function;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

enum { NOWHERE = -1, NO_LABEL = -1 };

typedef struct part {
  const uint8_t *begin;
  int32_t edge, edges; /* parts that it leads to, in builder.edge[] */
  int32_t place;       /* in the order; 0 is the br_table, NOWHERE: not yet found */
  int32_t label;       /* for LABEL */
  int32_t block; /* place before which the block begins that ends here; NOWHERE: there is none */
  bool goes_on; /* the last of its edges is what it does at its end, unless it must say so before */
} part;

/* What a function is made of. */
typedef struct builder {
  const uint8_t *low, *end;   /* code: all that can be meant */
  uint8_t *from;              /* what is published now, up to the end */
  const uint8_t *first_entry; /* code from `low` up to here is fixed pieces */
  const uint8_t *leave;
  uint32_t place; /* of the function in the table */
  uint8_t *marks; /* by byte of code: REACHED, BEGINS */
  size_t mark_count;
  part *parts; /* in the order of memory */
  int32_t count;
  int32_t *edge; /* see part */
  int32_t *order, *stack, *open;
  int32_t labels, depth; /* depth: entries of open[] */
  const uint8_t *pieces[8];
  int piece_count;
  uint8_t *out; /* the module */
  size_t size, room;
  bool failed; /* out of memory */
} builder;

enum { REACHED = 1, BEGINS = 2 };

/* A jump to the block of another function? Such a block has its entry in front of the check of its guard. */
static const uint8_t *foreign_entry(const builder *b, const uint8_t *target) {
  if (target >= b->from || target < b->first_entry) return NULL;
  return *target == MARK_ENTRY ? target : target - GUARD_BYTES;
}
static bool is_entry_of_this(const builder *b, const uint8_t *p) {
  return *p == MARK_ENTRY && p >= b->from;
}

/* The marks of a byte: of fixed pieces first, then of what is published. Other translations have none. */
static size_t marks_before(const builder *b) {
  return b->first_entry < b->from ? (size_t)(b->first_entry - b->low) : (size_t)(b->from - b->low);
}
static uint8_t *mark_of(const builder *b, const uint8_t *p) {
  return b->marks + (p < b->from ? (size_t)(p - b->low) : marks_before(b) + (size_t)(p - b->from));
}

/* Mark what is reached from the places on a list, which grows. Every place on it begins a part. */
static void reach(builder *b, const uint8_t *root, bool entries) {
  const uint8_t **list = (const uint8_t **)b->stack;
  int32_t count = 0;
#define REACH(p_)                       \
  do {                                  \
    const uint8_t *to_ = (p_);          \
    if (!(*mark_of(b, to_) & BEGINS)) { \
      *mark_of(b, to_) |= BEGINS;       \
      list[count++] = to_;              \
    }                                   \
  } while (0)
  REACH(root);
  for (const uint8_t *p = b->from; entries && p < b->end; p = after(p)) {
    if (*p == MARK_ENTRY) REACH(p);
  }
  while (count > 0) {
    const uint8_t *p = list[--count];
    while (!(*mark_of(b, p) & REACHED)) {
      *mark_of(b, p) |= REACHED;
      if (is_jump(p)) REACH(foreign_entry(b, target_of(p)) ? b->leave : target_of(p));
      if (*p == MARK_JUMP_REG && b->leave) REACH(b->leave);
      if (ends_part(p)) break;
      p = after(p);
    }
  }
#undef REACH
}

static int32_t part_at(const builder *b, const uint8_t *p) {
  int32_t low = 0, high = b->count - 1;
  while (low < high) {
    const int32_t middle = (low + high) / 2;
    if (b->parts[middle].begin < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Where the jump at p leads within this function. */
static int32_t part_of_jump(const builder *b, const uint8_t *p) {
  const uint8_t *target = *p == MARK_JUMP_REG ? b->leave : target_of(p);
  return part_at(b, *p != MARK_JUMP_REG && foreign_entry(b, target) ? b->leave : target);
}

/* Divide what was reached into parts, and note what each leads to. */
static void find_parts(builder *b) {
  b->count = 0;
  for (size_t i = 0; i < b->mark_count; i++) {
    if (!(b->marks[i] & BEGINS)) continue;
    const uint8_t *p = i < marks_before(b) ? b->low + i : b->from + (i - marks_before(b));
    b->parts[b->count++] = (part){p, 0, 0, NOWHERE, NO_LABEL, NOWHERE, false};
  }
  int32_t edges = 0;
  for (int32_t i = 0; i < b->count; i++) {
    part *t = &b->parts[i];
    t->edge = edges;
    for (const uint8_t *p = t->begin;;) {
      if (is_jump(p) || (*p == MARK_JUMP_REG && b->leave)) b->edge[edges++] = part_of_jump(b, p);
      if (ends_part(p)) {
        t->goes_on = *p == MARK_JUMP && !foreign_entry(b, target_of(p));
        break;
      }
      p = after(p);
      if (*mark_of(b, p) & BEGINS) {
        b->edge[edges++] = part_at(b, p);
        t->goes_on = true;
        break;
      }
    }
    t->edges = edges - t->edge;
  }
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

/* Search from a part on. What is finished first is put last: order[] is filled from its end. */
static int32_t search(builder *b, int32_t root, int32_t room) {
  int32_t depth = 0;
  if (b->parts[root].place != NOWHERE) return room;
  b->stack[2 * depth] = root, b->stack[2 * depth + 1] = 0, b->parts[root].place = 0, depth++;
  while (depth > 0) {
    const part *t = &b->parts[b->stack[2 * depth - 2]];
    const int32_t next = b->stack[2 * depth - 1]++;
    if (next == t->edges) {
      b->order[--room] = b->stack[2 * --depth];
      continue;
    }
    const int32_t to = b->edge[t->edge + next];
    if (b->parts[to].place != NOWHERE) continue;
    b->parts[to].place = 0;
    b->stack[2 * depth] = to, b->stack[2 * depth + 1] = 0, depth++;
  }
  return room;
}

static void need_label(builder *b, part *t) {
  if (t->label == NO_LABEL) t->label = b->labels++;
}

/* The order of the parts: the root first. order[1] to order[count] are the parts. */
static void find_order(builder *b, const uint8_t *root, bool entries) {
  int32_t room = b->count + 1;
  for (int32_t i = b->count - 1; entries && i >= 0; i--) {
    const uint8_t *p = b->parts[i].begin;
    if (is_entry_of_this(b, p) && p != root) room = search(b, i, room);
  }
  room = search(b, part_at(b, root), room);
  if (room != 1 || b->parts[b->order[1]].begin != root) b->failed = true; /* does not happen */
  for (int32_t i = 1; i <= b->count; i++) b->parts[b->order[i]].place = i;
  b->labels = 0;
  for (int32_t i = 0; entries && i < b->count; i++) {
    if (is_entry_of_this(b, b->parts[i].begin)) need_label(b, &b->parts[i]);
  }
  for (int32_t i = 0; i < b->count; i++) {
    for (int32_t k = 0; k < b->parts[i].edges; k++) {
      part *to = &b->parts[b->edge[b->parts[i].edge + k]];
      if (to->place <= b->parts[i].place) need_label(b, to);
    }
  }
}

/* Where blocks begin. One that ends at a part begins before the first jump to it. Blocks must not overlap in part: one
 * that would begin within another begins where that one does. `stack` has the blocks that matter for those to come:
 * where they begin, and end. */
static void find_blocks(builder *b) {
  int32_t *first = b->open; /* by place: the first jump to it from an earlier one */
  for (int32_t i = 1; i <= b->count; i++)
    first[i] = b->labels && b->parts[b->order[i]].label != NO_LABEL ? 0 : INT32_MAX;
  for (int32_t i = 1; i <= b->count; i++) {
    const part *t = &b->parts[b->order[i]];
    for (int32_t k = 0; k < t->edges; k++) {
      const int32_t to = b->parts[b->edge[t->edge + k]].place;
      /* going on with the next one needs no jump */
      if (to == i + 1 && k == t->edges - 1 && t->goes_on) continue;
      if (to > i && first[to] > i) first[to] = i;
    }
  }
  int32_t depth = 0;
  for (int32_t i = 1; i <= b->count; i++) {
    if (first[i] == INT32_MAX) continue;
    int32_t begin = first[i];
    while (depth > 0 && b->stack[2 * depth - 1] > begin) {
      if (b->stack[2 * depth - 2] < begin) begin = b->stack[2 * depth - 2];
      depth--;
    }
    b->stack[2 * depth] = begin, b->stack[2 * depth + 1] = i, depth++;
    b->parts[b->order[i]].block = begin;
  }
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static void put_bytes(builder *b, const uint8_t *bytes, size_t size) {
  if (b->size + size > b->room) {
    const size_t room = 2 * (b->size + size) + 4096;
    uint8_t *out = b->failed ? NULL : realloc(b->out, room);
    if (!out) {
      b->failed = true;
      return;
    }
    b->out = out;
    b->room = room;
  }
  memcpy(b->out + b->size, bytes, size);
  b->size += size;
}
static void put(builder *b, int byte) { put_bytes(b, &(uint8_t){(uint8_t)byte}, 1); }
static void put_unsigned(builder *b, uint32_t value) {
  for (; value > 0x7F; value >>= 7) put(b, (int)(value & 0x7F) | 0x80);
  put(b, (int)value);
}
static void put_constant(builder *b, int32_t value) {
  put(b, WASM_CONST);
  for (; value < -64 || value > 63; value >>= 7) put(b, (value & 0x7F) | 0x80);
  put(b, value & 0x7F);
}
static void put_local(builder *b, int opcode, int local) { put(b, opcode), put(b, local); }

/* A number of bytes that is known later: it has five digits. */
static size_t begin_sized(builder *b) {
  static const uint8_t digits[5] = {0};
  put_bytes(b, digits, sizeof digits);
  return b->size;
}
static void end_sized(builder *b, size_t begin) {
  if (b->failed) return;
  uint32_t size = (uint32_t)(b->size - begin);
  for (int i = 5; i > 0; i--, size >>= 7)
    b->out[begin - (size_t)i] = (uint8_t)((size & 0x7F) | (i > 1 ? 0x80 : 0));
}

/* Blocks that are open end at the places in open[], the innermost of which is the last one. */
static void put_branch(builder *b, int opcode, int32_t place, int32_t more) {
  int32_t low = 0, high = b->depth - 1;
  while (low < high) {
    const int32_t middle = (low + high) / 2;
    if (b->open[middle] > place)
      low = middle + 1;
    else
      high = middle;
  }
  put(b, opcode), put_unsigned(b, (uint32_t)(b->depth - 1 - low + more));
}
static void put_branch_to_top(builder *b, int32_t more) {
  put(b, WASM_BR), put_unsigned(b, (uint32_t)(b->depth + more));
}

/* Go to a part: `here` is the place of the one that is being written, `more` how many `if` are around. */
static void put_go(builder *b, const part *to, int32_t here, int32_t more) {
  if (to->place > here) {
    put_branch(b, WASM_BR, to->place, more);
    return;
  }
  put_constant(b, to->label), put_local(b, WASM_SET, LABEL);
  put_branch_to_top(b, more);
}

/* Leave for another function: `elsewhere` becomes what follows. */
static void put_elsewhere(builder *b) { put_constant(b, (int32_t)(uintptr_t)&elsewhere); }
static void put_store_elsewhere(builder *b) { put(b, WASM_STORE), put(b, 2), put(b, 0); }

static void put_jump(builder *b, const uint8_t *p, int32_t here) {
  const part *to = &b->parts[part_of_jump(b, p)];
  const uint8_t *entry = foreign_entry(b, target_of(p));
  const bool conditional = *p == MARK_JUMP_IF;
  if (conditional && !entry && to->place > here) {
    put_branch(b, WASM_BR_IF, to->place, 0);
    return;
  }
  if (conditional) put(b, WASM_IF), put(b, WASM_NO_RESULT);
  if (entry) {
    put_elsewhere(b), put_constant(b, (int32_t)(uintptr_t)entry), put_store_elsewhere(b);
  }
  if (conditional || entry || to->place != here + 1) put_go(b, to, here, conditional);
  if (conditional) put(b, WASM_END);
}

/* Through a register, to an entry: of this function, or of another. */
static void put_jump_reg(builder *b, int r, int32_t here) {
  put_local(b, WASM_GET, r), put(b, WASM_LOAD), put(b, 0), put(b, ENTRY_FUNCTION);
  put_constant(b, (int32_t)b->place), put(b, WASM_EQ);
  put(b, WASM_IF), put(b, WASM_NO_RESULT);
  put_local(b, WASM_GET, r), put(b, WASM_LOAD16_U), put(b, 0), put(b, ENTRY_LABEL);
  put_local(b, WASM_SET, LABEL);
  put_branch_to_top(b, 1);
  put(b, WASM_END);
  if (!b->leave) {
    put(b, WASM_UNREACHABLE);
    return;
  }
  put_elsewhere(b), put_local(b, WASM_GET, r), put_store_elsewhere(b);
  put_go(b, &b->parts[part_at(b, b->leave)], here, 0);
}

static int piece_number(builder *b, const uint8_t *piece) {
  int i = 0;
  while (i < b->piece_count && b->pieces[i] != piece) i++;
  if (i == (int)(sizeof b->pieces / sizeof *b->pieces)) b->failed = true;
  if (i == b->piece_count && !b->failed) b->pieces[b->piece_count++] = piece;
  return 1 + i; /* function 0 is the one that C calls */
}

static void put_part(builder *b, const part *t) {
  const uint8_t *p = t->begin, *copied = p;
  for (;;) {
    const uint8_t *next = after(p);
    if (*p >= MARK_ENTRY) {
      put_bytes(b, copied, (size_t)(p - copied));
      copied = next;
    }
    switch (*p) {
      case MARK_JUMP:
      case MARK_JUMP_IF: put_jump(b, p, t->place); break;
      case MARK_JUMP_REG: put_jump_reg(b, p[1], t->place); break;
      case MARK_CALL:
        put(b, WASM_CALL), put_unsigned(b, (uint32_t)piece_number(b, target_of(p)));
        break;
      default: break;
    }
    const bool ends = ends_part(p);
    p = next;
    if (!ends && !(*mark_of(b, p) & BEGINS)) continue;
    put_bytes(b, copied, (size_t)(p - copied));
    if (ends) return;
    const part *follows = &b->parts[part_at(b, p)];
    if (follows->place != t->place + 1) put_go(b, follows, t->place, 0);
    return;
  }
}

/* Begin the blocks that begin before a place, the last to end first. They are in stack[], see put_body(). */
static void put_blocks(builder *b, int32_t *next, int32_t place) {
  while (b->stack[2 * *next] == place) {
    put(b, WASM_BLOCK), put(b, WASM_NO_RESULT);
    b->open[b->depth++] = b->stack[2 * (*next)++ + 1];
  }
}

static int compare_blocks(const void *left, const void *right) {
  const int32_t *a = left, *b = right;
  return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1] ? -1 : 1);
}

static void put_body(builder *b, int parameters) {
  int32_t blocks = 0, next = 0;
  for (int32_t i = 1; i <= b->count; i++) {
    if (b->parts[b->order[i]].block == NOWHERE) continue;
    b->stack[2 * blocks] = b->parts[b->order[i]].block, b->stack[2 * blocks + 1] = i;
    blocks++;
  }
  qsort(b->stack, (size_t)blocks, 2 * sizeof *b->stack, compare_blocks);
  b->stack[2 * blocks] = NOWHERE;
  b->depth = 0;

  const size_t begin = begin_sized(b);
  put(b, 1), put_unsigned(b, (uint32_t)(WASM_LOCALS - parameters)), put(b, WASM_I32);
  if (b->labels) {
    /* the first turn begins with the first part, the others with the one that LABEL says */
    put_constant(b, b->labels), put_local(b, WASM_SET, LABEL);
    put(b, WASM_LOOP), put(b, WASM_NO_RESULT);
  }
  put_blocks(b, &next, 0);
  if (b->labels) {
    const size_t table = (size_t)b->labels;
    int32_t *places = b->stack + 2 * (blocks + 1);
    for (int32_t i = 1; i <= b->count; i++) {
      const part *t = &b->parts[b->order[i]];
      if (t->label != NO_LABEL) places[t->label] = i;
    }
    /* a block of its own around the table ends where the first part begins */
    put(b, WASM_BLOCK), put(b, WASM_NO_RESULT);
    put_local(b, WASM_GET, LABEL);
    put(b, WASM_BR_TABLE), put_unsigned(b, (uint32_t)table);
    for (int32_t i = 0; i < b->labels; i++) {
      int32_t at = b->depth - 1;
      while (b->open[at] != places[i]) at--;
      put_unsigned(b, (uint32_t)(b->depth - 1 - at + 1));
    }
    put_unsigned(b, 0);
    put(b, WASM_END);
  }
  for (int32_t i = 1; i <= b->count; i++) {
    if (b->depth && b->open[b->depth - 1] == i) put(b, WASM_END), b->depth--;
    put_blocks(b, &next, i);
    put_part(b, &b->parts[b->order[i]]);
  }
  if (b->labels) put(b, WASM_END);
  put(b, WASM_UNREACHABLE);
  put(b, WASM_END);
  end_sized(b, begin);
}

/* The function that begins at `root`. Of the one that C calls, all entries of this translation are parts. */
static void put_function(builder *b, const uint8_t *root, bool entries, int parameters) {
  memset(b->marks, 0, b->mark_count);
  reach(b, root, entries);
  find_parts(b);
  find_order(b, root, entries);
  find_blocks(b);
  put_body(b, parameters);
  for (int32_t i = 0; entries && i < b->count; i++) {
    const part *t = &b->parts[i];
    if (is_entry_of_this(b, t->begin))
      memcpy(b->from + (t->begin - b->from) + ENTRY_LABEL, &(uint16_t){(uint16_t)t->label}, 2);
  }
}

static void put_text(builder *b, const char *text) {
  put_unsigned(b, (uint32_t)strlen(text));
  put_bytes(b, (const uint8_t *)text, strlen(text));
}
static void put_type(builder *b, int parameters, int results) {
  put(b, WASM_FUNCTION), put(b, parameters);
  for (int i = 0; i < parameters; i++) put(b, WASM_I32);
  put(b, results);
  for (int i = 0; i < results; i++) put(b, WASM_I32);
}

static void put_module(builder *b, const uint8_t *begin) {
  enum { TYPES = 1, IMPORTS = 2, FUNCTIONS = 3, EXPORTS = 7, CODE = 10 };
  enum { OF_FUNCTION, OF_TABLE, OF_MEMORY };
  static const uint8_t magic[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  put_bytes(b, magic, sizeof magic);
  put(b, TYPES);
  size_t section = begin_sized(b);
  put(b, 3);
  put_type(b, 4, 1), put_type(b, RUN_PARAMETERS, 1), put_type(b, PIECE_PARAMETERS, PIECE_RESULTS);
  end_sized(b, section);
  put(b, IMPORTS);
  section = begin_sized(b);
  put(b, 2);
  put_text(b, "sixer"), put_text(b, "memory"), put(b, OF_MEMORY), put(b, 0), put(b, 0);
  put_text(b, "sixer"), put_text(b, "table"), put(b, OF_TABLE), put(b, WASM_FUNCREF);
  put(b, 0), put(b, 0);
  end_sized(b, section);

  /* functions are known after they were written: that comes first, and is moved */
  const size_t head = b->size;
  const size_t code = begin_sized(b);
  put_function(b, begin, true, RUN_PARAMETERS);
  for (int i = 0; i < b->piece_count; i++) put_function(b, b->pieces[i], false, PIECE_PARAMETERS);
  const size_t bodies = b->size - code;
  uint8_t *copy = b->failed ? NULL : malloc(bodies);
  if (!copy) {
    b->failed = true;
    return;
  }
  memcpy(copy, b->out + code, bodies);
  b->size = head;
  put(b, FUNCTIONS);
  section = begin_sized(b);
  put(b, 1 + b->piece_count), put(b, TYPE_RUN);
  for (int i = 0; i < b->piece_count; i++) put(b, TYPE_PIECE);
  end_sized(b, section);
  put(b, EXPORTS);
  section = begin_sized(b);
  put(b, 1), put_text(b, "run"), put(b, OF_FUNCTION), put(b, 0);
  end_sized(b, section);
  put(b, CODE);
  section = begin_sized(b);
  put(b, 1 + b->piece_count);
  put_bytes(b, copy, bodies);
  end_sized(b, section);
  free(copy);
}

/* ---- Publishing ------------------------------------------------------------------------------------------------- */

static bool take_memory(builder *b) {
  size_t jumps = 4;
  b->mark_count = marks_before(b) + (size_t)(b->end - b->from) + 1;
  for (const uint8_t *p = b->low; p < b->low + marks_before(b); p = after(p))
    jumps += *p >= MARK_ENTRY;
  for (const uint8_t *p = b->from; p < b->end; p = after(p)) jumps += *p >= MARK_ENTRY;
  b->marks = malloc(b->mark_count);
  b->parts = malloc(jumps * sizeof *b->parts);
  b->edge = malloc(2 * jumps * sizeof *b->edge);
  b->order = malloc(jumps * sizeof *b->order);
  b->open = malloc(jumps * sizeof *b->open);
  b->stack = malloc(4 * jumps * sizeof *b->stack);
  return b->marks && b->parts && b->edge && b->order && b->open && b->stack;
}
static void free_memory(builder *b) {
  free(b->marks);
  free(b->parts);
  free(b->edge);
  free(b->order);
  free(b->open);
  free(b->stack);
  free(b->out);
}

bool op_publish(code *k, uint8_t *from, const uint8_t *begin, const uint8_t *leave) {
  builder b = {.low = begin, .from = from, .end = k->at, .leave = leave};
  if (from == k->at) return true;
  b.first_entry = b.low;
  while (b.first_entry < b.end && *b.first_entry != MARK_ENTRY)
    b.first_entry = after(b.first_entry);
  b.place = code_take();
  if (!b.place) return false;
  if (!take_memory(&b)) b.failed = true;
  if (!b.failed) put_module(&b, begin);
  const bool published = !b.failed && code_publish(b.place, b.out, b.size);
  free_memory(&b);
  if (!published) {
    code_drop(b.place);
    return false;
  }
  for (uint8_t *p = from; p < k->at; p += after(p) - p) {
    if (*p == MARK_ENTRY) memcpy(p + ENTRY_FUNCTION, &b.place, sizeof b.place);
  }
  return true;
}

void op_withdraw(uint8_t *memory, size_t size) {
  uint32_t last = 0;
  for (const uint8_t *p = memory; p < memory + size; p = after(p)) {
    if (*p != MARK_ENTRY || function_of(p) == last) continue;
    last = function_of(p);
    code_drop(last);
  }
}

/* Functions are found by the entry: the second argument, or the beginning itself. */
uint32_t op_run(const uint8_t *begin, machine *m, void *arg1, const uint8_t *arg2) {
  const uint8_t *entry = arg2 ? arg2 : begin;
  for (;;) {
    uint32_t (*run)(machine *, void *, const uint8_t *);
    const uint32_t place = function_of(entry);
    memcpy(&run, &place, sizeof run);
    elsewhere = NULL;
    const uint32_t result = run(m, arg1, entry);
    if (!elsewhere) return result;
    entry = elsewhere;
  }
}

#endif
