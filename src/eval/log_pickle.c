/* A stack machine for the harmless part of Python's pickles: see log_pickle.h. */
#include "eval/log_pickle.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Instructions by the names of pickletools. */
enum {
  OP_MARK = '(',
  OP_STOP = '.',
  OP_POP = '0',
  OP_BINFLOAT = 'G',
  OP_BININT = 'J',
  OP_BININT1 = 'K',
  OP_BININT2 = 'M',
  OP_NONE = 'N',
  OP_REDUCE = 'R',
  OP_BINSTRING = 'T',
  OP_SHORT_BINSTRING = 'U',
  OP_BINUNICODE = 'X',
  OP_BINBYTES = 'B',
  OP_SHORT_BINBYTES = 'C',
  OP_APPEND = 'a',
  OP_BUILD = 'b',
  OP_GLOBAL = 'c',
  OP_APPENDS = 'e',
  OP_BINGET = 'h',
  OP_LONG_BINGET = 'j',
  OP_BINPUT = 'q',
  OP_LONG_BINPUT = 'r',
  OP_SETITEM = 's',
  OP_TUPLE = 't',
  OP_SETITEMS = 'u',
  OP_EMPTY_TUPLE = ')',
  OP_EMPTY_LIST = ']',
  OP_EMPTY_DICT = '}',
  OP_PROTO = 0x80,
  OP_TUPLE1 = 0x85,
  OP_TUPLE2 = 0x86,
  OP_TUPLE3 = 0x87,
  OP_NEWTRUE = 0x88,
  OP_NEWFALSE = 0x89,
  OP_LONG1 = 0x8a,
  OP_SHORT_BINUNICODE = 0x8c,
  OP_BINUNICODE8 = 0x8d,
  OP_STACK_GLOBAL = 0x93,
  OP_MEMOIZE = 0x94,
  OP_FRAME = 0x95,
};

/* Python's pickler puts at most a thousand values on the stack before it moves them into a container. */
enum { HEIGHT_MAX = 1 << 17 };

/* A growing array of values: the stack, the memo. */
typedef struct value_list {
  pickle_value **items;
  size_t count, room;
} value_list;

typedef struct machine {
  memory_arena *arena;
  const unsigned char *start, *at, *end;
  const unsigned char *instruction; /* the one that is being executed */
  const char *origin;
  sixer_error *error;
  value_list stack, memo;
  size_t *marks; /* heights of the stack */
  size_t mark_count, mark_room;
  pickle_value *fresh; /* values that are allocated together */
  size_t fresh_count;
  bool cut; /* the data end too early */
} machine;

bool pickle_recognize(const char *data, size_t size) {
  return size >= 2 && (unsigned char)data[0] == OP_PROTO && data[1] >= 2 && data[1] <= 5;
}

static sixer_err wrong(machine *m, const char *what) {
  return sixer_fail(m->error, SIXER_ERR_FILE, "%s: byte %zu: %s", m->origin,
                    (size_t)(m->instruction - m->start), what);
}

static sixer_err cut_off(machine *m) {
  return sixer_fail(m->error, SIXER_ERR_FILE,
                    "%s: the pickle breaks off after %zu bytes, so nothing of it can be read; "
                    "copy it again, or name the log of an earlier iteration",
                    m->origin, (size_t)(m->end - m->start));
}

/* ---- arguments ---- */

/* The next bytes; NULL if there are not so many. */
static const unsigned char *take(machine *m, uint64_t size) {
  if (size > (uint64_t)(m->end - m->at)) {
    m->cut = true;
    return NULL;
  }
  const unsigned char *bytes = m->at;
  m->at += size;
  return bytes;
}

/* A little-endian number; 0 if the data end, which `cut` tells. */
static uint64_t take_number(machine *m, int size) {
  const unsigned char *bytes = take(m, (uint64_t)size);
  uint64_t value = 0;
  for (int i = size - 1; bytes && i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/* A number of up to 8 bytes in two's complement. */
static double signed_number(const unsigned char *bytes, size_t size, bool swapped) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | bytes[swapped ? i : size - 1 - i];
  if (size && size < 8 && value >> (8 * size - 1)) value |= ~UINT64_C(0) << 8 * size;
  return (double)(int64_t)value;
}

static double float_number(const unsigned char *bytes, size_t size, bool swapped) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++) bits = bits << 8 | bytes[swapped ? i : size - 1 - i];
  if (size == 8) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  uint32_t half = (uint32_t)bits;
  float value;
  memcpy(&value, &half, sizeof value);
  return value;
}

/* ---- values ---- */

static pickle_value *make(machine *m, pickle_kind kind) {
  enum { TOGETHER = 256 };
  if (!m->fresh_count) {
    m->fresh = arena_alloc(m->arena, TOGETHER * sizeof *m->fresh);
    if (!m->fresh) return NULL;
    m->fresh_count = TOGETHER;
  }
  pickle_value *value = m->fresh++;
  m->fresh_count--;
  value->kind = kind;
  return value;
}

static bool add(memory_arena *arena, pickle_value ***items, size_t *count, size_t *room,
                pickle_value *value) {
  if (*count == *room) {
    size_t more = *room ? 2 * *room : 4;
    pickle_value **copy = arena_alloc(arena, more * sizeof *copy);
    if (!copy) return false;
    if (*count) memcpy(copy, *items, *count * sizeof *copy);
    *items = copy;
    *room = more;
  }
  (*items)[(*count)++] = value;
  return true;
}

/* Push a value; NULL stands for one for which there was no memory. */
static sixer_err push(machine *m, pickle_value *value) {
  if (m->stack.count == HEIGHT_MAX) return wrong(m, "more values on the stack than a log has");
  if (!value || !add(m->arena, &m->stack.items, &m->stack.count, &m->stack.room, value))
    return arena_no_memory(m->error);
  return SIXER_OK;
}

static sixer_err push_number(machine *m, double number) {
  if (m->cut) return cut_off(m);
  pickle_value *value = make(m, PICKLE_NUMBER);
  if (value) value->number = number;
  return push(m, value);
}

static sixer_err push_text(machine *m, uint64_t size) {
  const unsigned char *bytes = m->cut ? NULL : take(m, size);
  if (!bytes) return cut_off(m);
  pickle_value *value = make(m, PICKLE_TEXT);
  if (value) {
    value->text = arena_copy(m->arena, (const char *)bytes, (size_t)size);
    value->size = (size_t)size;
  }
  return push(m, value && value->text ? value : NULL);
}

/* How many values are above the last mark, or on the whole stack. */
static size_t height(const machine *m) {
  return m->stack.count - (m->mark_count ? m->marks[m->mark_count - 1] : 0);
}

/* Values may be taken from above the last mark only. */
static bool has(const machine *m, size_t count) { return height(m) >= count; }

static pickle_value *top(const machine *m, size_t below) {
  return m->stack.items[m->stack.count - 1 - below];
}

/* ---- containers ---- */

static sixer_err set_mark(machine *m) {
  if (m->mark_count == HEIGHT_MAX) return wrong(m, "more values on the stack than a log has");
  if (m->mark_count == m->mark_room) {
    size_t room = m->mark_room ? 2 * m->mark_room : 16;
    size_t *more = arena_alloc(m->arena, room * sizeof *more);
    if (!more) return arena_no_memory(m->error);
    if (m->mark_count) memcpy(more, m->marks, m->mark_count * sizeof *more);
    m->marks = more;
    m->mark_room = room;
  }
  m->marks[m->mark_count++] = m->stack.count;
  return SIXER_OK;
}

/* Move the `count` uppermost values into the container below them. */
static sixer_err fill(machine *m, pickle_kind kind, size_t count) {
  if (!has(m, count + 1) || top(m, count)->kind != kind)
    return wrong(m, kind == PICKLE_LIST ? "values are added to something that is no list"
                                        : "values are added to something that is no dict");
  if (kind == PICKLE_DICT && count % 2) return wrong(m, "a key of a dict has no value");
  pickle_value *container = top(m, count);
  for (size_t i = count; i-- > 0;) {
    if (!add(m->arena, &container->items, &container->count, &container->room, top(m, i)))
      return arena_no_memory(m->error);
  }
  m->stack.count -= count;
  return SIXER_OK;
}

/* Remove the last mark and tell how many values were above it. */
static bool take_mark(machine *m, size_t *count) {
  if (!m->mark_count) return false;
  *count = height(m);
  m->mark_count--;
  return true;
}

static sixer_err fill_from_mark(machine *m, pickle_kind kind) {
  size_t count;
  if (!take_mark(m, &count)) return wrong(m, "an instruction lacks its mark");
  return fill(m, kind, count);
}

static sixer_err make_tuple(machine *m, size_t count) {
  if (!has(m, count)) return wrong(m, "the stack is empty");
  pickle_value *tuple = make(m, PICKLE_TUPLE);
  if (!tuple) return arena_no_memory(m->error);
  for (size_t i = count; i-- > 0;) {
    if (!add(m->arena, &tuple->items, &tuple->count, &tuple->room, top(m, i)))
      return arena_no_memory(m->error);
  }
  m->stack.count -= count;
  return push(m, tuple);
}

/* ---- the memo ---- */

/* Pickles number their values from 0 on, so that no number is larger than the count of bytes. */
static sixer_err put(machine *m, uint64_t number) {
  if (m->cut) return cut_off(m);
  if (!has(m, 1)) return wrong(m, "the stack is empty");
  if (number > (uint64_t)(m->end - m->start)) return wrong(m, "the number of a value is too large");
  while (m->memo.count <= number) {
    if (!add(m->arena, &m->memo.items, &m->memo.count, &m->memo.room, NULL))
      return arena_no_memory(m->error);
  }
  m->memo.items[number] = top(m, 0);
  return SIXER_OK;
}

static sixer_err get(machine *m, uint64_t number) {
  if (m->cut) return cut_off(m);
  if (number >= m->memo.count || !m->memo.items[number])
    return wrong(m, "a value is used before it is made");
  return push(m, m->memo.items[number]);
}

/* ---- NumPy's scalars ---- */

/* The two functions that a pickle may name. */
static sixer_err push_function(machine *m, const char *module, const char *name) {
  bool core = !strcmp(module, "numpy.core.multiarray") || !strcmp(module, "numpy._core.multiarray");
  if (core && !strcmp(name, "scalar")) return push(m, make(m, PICKLE_MAKE_SCALAR));
  if (!strcmp(module, "numpy") && !strcmp(name, "dtype"))
    return push(m, make(m, PICKLE_MAKE_DTYPE));
  char what[400];
  bool collector = !strcmp(module, "collections") && !strcmp(name, "defaultdict");
  snprintf(what, sizeof what,
           "the pickle names %.60s.%.60s, and only numbers, texts, lists, dicts and NumPy scalars "
           "are read; %s",
           module, name,
           collector ? "of Dopamine's files read those in logs/, which have the episodes (those in "
                       "metrics/ have averages only)"
                     : "write the scores as JSON or CSV");
  return wrong(m, what);
}

static sixer_err push_named_function(machine *m) {
  char lines[2][100];
  for (int i = 0; i < 2; i++) {
    const unsigned char *stop = memchr(m->at, '\n', (size_t)(m->end - m->at));
    if (!stop) return cut_off(m);
    snprintf(lines[i], sizeof lines[i], "%.*s", (int)(stop - m->at < 99 ? stop - m->at : 99),
             (const char *)m->at);
    m->at = stop + 1;
  }
  return push_function(m, lines[0], lines[1]);
}

static sixer_err push_stacked_function(machine *m) {
  if (!has(m, 2) || top(m, 0)->kind != PICKLE_TEXT || top(m, 1)->kind != PICKLE_TEXT)
    return wrong(m, "the name of a function is no text");
  m->stack.count -= 2;
  return push_function(m, m->stack.items[m->stack.count]->text,
                       m->stack.items[m->stack.count + 1]->text);
}

/* The number in the bytes of a scalar. */
static bool read_scalar(const pickle_value *dtype, const pickle_value *bytes, double *number) {
  const unsigned char *data = (const unsigned char *)bytes->text;
  const char *code = dtype->text;
  size_t size = strlen(code) == 2 && code[1] >= '1' && code[1] <= '8' ? (size_t)(code[1] - '0') : 0;
  bool power = size == 1 || size == 2 || size == 4 || size == 8;
  if (!power || bytes->size != size) return false;
  if (code[0] == 'f' && size >= 4) {
    *number = float_number(data, size, dtype->swapped);
  } else if (code[0] == 'i' || (code[0] == 'b' && size == 1)) {
    *number = signed_number(data, size, dtype->swapped);
  } else if (code[0] == 'u') {
    *number = signed_number(data, size, dtype->swapped);
    if (*number < 0) *number += ldexp(1, (int)(8 * size));
  } else {
    return false;
  }
  return true;
}

/* Call one of the two functions with a tuple of arguments. */
static sixer_err call(machine *m) {
  if (!has(m, 2) || top(m, 0)->kind != PICKLE_TUPLE)
    return wrong(m, "a call without a function and its arguments");
  const pickle_value *function = top(m, 1), *arguments = top(m, 0);
  pickle_value *const *items = arguments->items;
  m->stack.count -= 2;
  if (function->kind == PICKLE_MAKE_DTYPE && arguments->count && items[0]->kind == PICKLE_TEXT) {
    pickle_value *dtype = make(m, PICKLE_DTYPE);
    if (dtype) dtype->text = items[0]->text;
    return push(m, dtype);
  }
  double number;
  if (function->kind == PICKLE_MAKE_SCALAR && arguments->count == 2 &&
      items[0]->kind == PICKLE_DTYPE && items[1]->kind == PICKLE_TEXT &&
      read_scalar(items[0], items[1], &number))
    return push_number(m, number);
  return wrong(m, "a NumPy scalar that is not a number of up to 8 bytes");
}

/* The state of a dtype is (version, byte order, ...). */
static sixer_err build(machine *m) {
  if (!has(m, 2) || top(m, 1)->kind != PICKLE_DTYPE || top(m, 0)->kind != PICKLE_TUPLE ||
      top(m, 0)->count < 2 || top(m, 0)->items[1]->kind != PICKLE_TEXT)
    return wrong(m, "an object that is neither a number, a text, a list nor a dict");
  top(m, 1)->swapped = !strcmp(top(m, 0)->items[1]->text, ">");
  m->stack.count--;
  return SIXER_OK;
}

/* ---- the machine ---- */

static sixer_err execute(machine *m, int instruction) {
  size_t count;
  switch (instruction) {
    case OP_PROTO: return take(m, 1) ? SIXER_OK : cut_off(m);
    case OP_FRAME: return take(m, 8) ? SIXER_OK : cut_off(m);
    case OP_NONE: return push(m, make(m, PICKLE_NONE));
    case OP_NEWTRUE: return push_number(m, 1);
    case OP_NEWFALSE: return push_number(m, 0);
    case OP_BININT1: return push_number(m, (double)take_number(m, 1));
    case OP_BININT2: return push_number(m, (double)take_number(m, 2));
    case OP_BININT: {
      const unsigned char *bytes = take(m, 4);
      return push_number(m, bytes ? signed_number(bytes, 4, false) : 0);
    }
    case OP_LONG1: {
      size_t size = (size_t)take_number(m, 1);
      if (size > 8) return wrong(m, "a number of more than 8 bytes");
      const unsigned char *bytes = take(m, size);
      return push_number(m, bytes ? signed_number(bytes, size, false) : 0);
    }
    case OP_BINFLOAT: {
      const unsigned char *bytes = take(m, 8); /* these alone are big-endian */
      return push_number(m, bytes ? float_number(bytes, 8, true) : 0);
    }
    case OP_SHORT_BINSTRING:
    case OP_SHORT_BINBYTES:
    case OP_SHORT_BINUNICODE: return push_text(m, take_number(m, 1));
    case OP_BINSTRING:
    case OP_BINBYTES:
    case OP_BINUNICODE: return push_text(m, take_number(m, 4));
    case OP_BINUNICODE8: return push_text(m, take_number(m, 8));
    case OP_EMPTY_LIST: return push(m, make(m, PICKLE_LIST));
    case OP_EMPTY_DICT: return push(m, make(m, PICKLE_DICT));
    case OP_EMPTY_TUPLE: return make_tuple(m, 0);
    case OP_TUPLE1: return make_tuple(m, 1);
    case OP_TUPLE2: return make_tuple(m, 2);
    case OP_TUPLE3: return make_tuple(m, 3);
    case OP_TUPLE:
      return take_mark(m, &count) ? make_tuple(m, count)
                                  : wrong(m, "an instruction lacks its mark");
    case OP_MARK: return set_mark(m);
    case OP_APPEND: return fill(m, PICKLE_LIST, 1);
    case OP_APPENDS: return fill_from_mark(m, PICKLE_LIST);
    case OP_SETITEM: return fill(m, PICKLE_DICT, 2);
    case OP_SETITEMS: return fill_from_mark(m, PICKLE_DICT);
    case OP_POP:
      if (!has(m, 1)) return wrong(m, "the stack is empty");
      m->stack.count--;
      return SIXER_OK;
    case OP_MEMOIZE: return put(m, m->memo.count);
    case OP_BINPUT: return put(m, take_number(m, 1));
    case OP_LONG_BINPUT: return put(m, take_number(m, 4));
    case OP_BINGET: return get(m, take_number(m, 1));
    case OP_LONG_BINGET: return get(m, take_number(m, 4));
    case OP_GLOBAL: return push_named_function(m);
    case OP_STACK_GLOBAL: return push_stacked_function(m);
    case OP_REDUCE: return call(m);
    case OP_BUILD: return build(m);
    default: {
      char what[120];
      snprintf(what, sizeof what,
               "the pickle's instruction 0x%02x is none of those that numbers, texts, lists and "
               "dicts need",
               (unsigned)instruction);
      return wrong(m, what);
    }
  }
}

sixer_err pickle_parse(memory_arena *arena, const char *data, size_t size, const char *origin,
                       const pickle_value **value, sixer_error *error) {
  const unsigned char *bytes = (const unsigned char *)data;
  machine m = {.arena = arena,
               .start = bytes,
               .at = bytes,
               .end = bytes + size,
               .origin = origin,
               .error = error};
  for (;;) {
    m.instruction = m.at;
    if (m.at == m.end) return cut_off(&m);
    int instruction = *m.at++;
    if (instruction == OP_STOP) break;
    sixer_err err = execute(&m, instruction);
    if (err) return err;
  }
  if (m.stack.count != 1 || m.mark_count) return wrong(&m, "the pickle does not make one value");
  if (m.at != m.end) return wrong(&m, "there are bytes after the end of the pickle");
  *value = m.stack.items[0];
  return SIXER_OK;
}

const pickle_value *pickle_get(const pickle_value *dict, const char *key) {
  const pickle_value *found = NULL;
  for (size_t i = 0; dict->kind == PICKLE_DICT && i + 1 < dict->count; i += 2) {
    const pickle_value *name = dict->items[i];
    if (name->kind == PICKLE_TEXT && name->size == strlen(key) && !strcmp(name->text, key))
      found = dict->items[i + 1];
  }
  return found;
}
