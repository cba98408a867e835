/* Reading the small part of TOML that toml.h describes: one pass over the text, without tokens. */
#include "util/toml.h"

#include <string.h>

#include "util/number.h"

typedef struct parser {
  memory_arena *arena;
  const char *at;
  const char *origin;
  int line;
  sixer_error *error;
} parser;

static bool is_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

static void skip_space(parser *p, bool lines) {
  for (;; p->at++) {
    if (*p->at == '#') {
      while (*p->at && *p->at != '\n') p->at++;
    }
    if (*p->at == '\n' && lines) {
      p->line++;
    } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
      return;
    }
  }
}

static sixer_err parse_string(parser *p, const char **out) {
  const char *start = ++p->at;
  while (*p->at && *p->at != '"' && *p->at != '\n' && *p->at != '\\') p->at++;
  if (*p->at != '"')
    return sixer_fail(
        p->error, SIXER_ERR_CONFIG,
        "%s:%d: a string must end with a quote on the same line and hold no backslash", p->origin,
        p->line);
  *out = arena_copy(p->arena, start, (size_t)(p->at++ - start));
  return *out ? SIXER_OK : arena_no_memory(p->error);
}

/* A string, number or boolean. */
static sixer_err parse_scalar(parser *p, toml_value *out) {
  if (*p->at == '"') {
    out->kind = TOML_STRING;
    return parse_string(p, &out->string);
  }
  const char *start = p->at;
  while (is_key(*p->at) || *p->at == '.' || *p->at == '+') p->at++;
  char word[64] = "";
  size_t length = (size_t)(p->at - start);
  if (length < sizeof word) {
    /* underscores may group digits, as in 200_000_000 */
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
      if (start[i] != '_') word[n++] = start[i];
    }
    word[n] = 0;
  }
  if (!strcmp(word, "true") || !strcmp(word, "false")) {
    out->kind = TOML_BOOL;
    out->flag = word[0] == 't';
    return SIXER_OK;
  }
  out->kind = TOML_NUMBER;
  if (!word[0] || !number_read(word, NUMBER_NAN, &out->number))
    return sixer_fail(
        p->error, SIXER_ERR_CONFIG,
        "%s:%d: '%.*s' is not a value; strings are written in quotes, numbers with a point",
        p->origin, p->line, length ? (int)(length < 40 ? length : 40) : 1, start);
  return SIXER_OK;
}

static sixer_err parse_array(parser *p, toml_value *out) {
  size_t room = 0;
  int line = p->line;
  toml_value items = {.kind = TOML_STRINGS};
  p->at++;
  for (bool first = true;; first = false) {
    skip_space(p, true);
    if (*p->at == ']') break;
    toml_value item = {0};
    sixer_err err = parse_scalar(p, &item);
    if (err) return err;
    toml_kind kind = item.kind == TOML_STRING ? TOML_STRINGS : TOML_NUMBERS;
    if (item.kind == TOML_BOOL || (!first && kind != items.kind))
      return sixer_fail(p->error, SIXER_ERR_CONFIG,
                        "%s:%d: an array holds either strings or numbers", p->origin, p->line);
    items.kind = kind;
    if (items.count == room) {
      size_t more = room ? 2 * room : 16;
      const char **strings = arena_alloc(p->arena, more * sizeof *strings);
      double *numbers = arena_alloc(p->arena, more * sizeof *numbers);
      if (!strings || !numbers) return arena_no_memory(p->error);
      if (room) {
        memcpy(strings, items.strings, room * sizeof *strings);
        memcpy(numbers, items.numbers, room * sizeof *numbers);
      }
      items.strings = strings;
      items.numbers = numbers;
      room = more;
    }
    items.strings[items.count] = item.string;
    items.numbers[items.count++] = item.number;
    skip_space(p, true);
    if (*p->at == ',') {
      p->at++;
    } else if (*p->at != ']') {
      return sixer_fail(p->error, SIXER_ERR_CONFIG,
                        "%s:%d: the array of line %d wants ',' or ']' here", p->origin, p->line,
                        line);
    }
  }
  p->at++;
  *out = items;
  return SIXER_OK;
}

toml_entry *toml_find(const toml_document *doc, const char *section, const char *key) {
  for (size_t i = 0; i < doc->count; i++) {
    if (!strcmp(doc->entries[i].section, section) && !strcmp(doc->entries[i].key, key))
      return &doc->entries[i];
  }
  return NULL;
}

sixer_err toml_add(memory_arena *arena, toml_document *doc, toml_entry item, sixer_error *error) {
  if (doc->count == doc->room) {
    size_t room = doc->room ? 2 * doc->room : 64;
    toml_entry *entries = arena_alloc(arena, room * sizeof *entries);
    if (!entries) return arena_no_memory(error);
    if (doc->count) memcpy(entries, doc->entries, doc->count * sizeof *entries);
    doc->entries = entries;
    doc->room = room;
  }
  doc->entries[doc->count++] = item;
  return SIXER_OK;
}

static sixer_err add_head(parser *p, toml_document *doc, const char *name) {
  if (doc->head_count == doc->head_room) {
    size_t room = doc->head_room ? 2 * doc->head_room : 16;
    toml_head *heads = arena_alloc(p->arena, room * sizeof *heads);
    if (!heads) return arena_no_memory(p->error);
    if (doc->head_count) memcpy(heads, doc->heads, doc->head_count * sizeof *heads);
    doc->heads = heads;
    doc->head_room = room;
  }
  for (size_t i = 0; i < doc->head_count; i++) {
    if (!strcmp(doc->heads[i].name, name)) return SIXER_OK; /* its entries go on here */
  }
  doc->heads[doc->head_count++] = (toml_head){name, p->line};
  return SIXER_OK;
}

sixer_err toml_parse(memory_arena *arena, const char *text, const char *origin, toml_document *doc,
                     sixer_error *error) {
  parser p = {arena, text, origin, 1, error};
  const char *section = "";
  *doc = (toml_document){.origin = origin};
  for (;;) {
    skip_space(&p, true);
    if (!*p.at) return SIXER_OK;
    bool head = *p.at == '[';
    const char *start = p.at += head;
    while (is_key(*p.at) || (head && *p.at == '.')) p.at++;
    const char *name = arena_copy(arena, start, (size_t)(p.at - start));
    if (!name) return arena_no_memory(error);
    const size_t length = strcspn(start, "\r\n");
    if (!*name || (head && *p.at != ']'))
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s:%d: expected 'key = value' or '[section]', found '%.*s'", origin,
                        p.line, (int)(length < 20 ? length : 20), start);
    if (head) {
      p.at++;
      section = name;
      sixer_err err = add_head(&p, doc, name);
      if (err) return err;
    } else {
      skip_space(&p, false);
      if (*p.at++ != '=')
        return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: '%s' wants '=' and a value", origin,
                          p.line, name);
      skip_space(&p, false);
      toml_entry item = {.section = section, .key = name, .line = p.line, .own = true};
      sixer_err err = *p.at == '[' ? parse_array(&p, &item.value) : parse_scalar(&p, &item.value);
      if (err) return err;
      if (doc->count == TOML_ENTRIES_MAX)
        return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: more than %d keys in a file", origin,
                          item.line, TOML_ENTRIES_MAX);
      if (toml_find(doc, section, name))
        return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: '%s' is given twice", origin, item.line,
                          name);
      if ((err = toml_add(arena, doc, item, error))) return err;
    }
    skip_space(&p, false);
    if (*p.at && *p.at != '\n')
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s:%d: unexpected text '%.20s' at the end of the line", origin, p.line,
                        p.at);
  }
}
