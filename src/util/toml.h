/* The small part of TOML that protocols and settings are written in: `key = value` under [section] or
 * [section.name] heads. A value is a
 * string, a number, true or false, or an array of strings or of numbers; `#` starts a comment. Strings have no escapes.
 * A document is a flat list of entries; messages name the file and the line. */
#ifndef SIXER_UTIL_TOML_H
#define SIXER_UTIL_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

typedef enum toml_kind {
  TOML_STRING,
  TOML_NUMBER,
  TOML_BOOL,
  TOML_STRINGS, /* also an empty array */
  TOML_NUMBERS
} toml_kind;

/* Only the member of its kind is set. */
typedef struct toml_value {
  toml_kind kind;
  const char *string;
  double number;
  bool flag;
  const char **strings;
  double *numbers;
  size_t count; /* of strings or numbers */
} toml_value;

typedef struct toml_entry {
  const char *section, *key; /* section "" at the top */
  toml_value value;
  int line;
  bool own; /* from the file itself, not from its base */
} toml_entry;

/* The head of a section, which may have no entries. */
typedef struct toml_head {
  const char *name;
  int line;
} toml_head;

typedef struct toml_document {
  const char *origin; /* file name, for messages */
  toml_head *heads;   /* in the order of the file; the top has none */
  size_t head_count, head_room;
  toml_entry *entries;
  size_t count, room;
} toml_document;

/* Each key is compared with those before it. */
enum { TOML_ENTRIES_MAX = 10000 };

/* Read a text. Everything is allocated from the arena; `origin` is kept. A key that is given twice is an error. */
sixer_err toml_parse(memory_arena *arena, const char *text, const char *origin, toml_document *doc,
                     sixer_error *error);

/* The entry of a key; NULL if there is none. */
toml_entry *toml_find(const toml_document *doc, const char *section, const char *key);

/* Append an entry. Pointers from toml_find() are invalid afterwards. */
sixer_err toml_add(memory_arena *arena, toml_document *doc, toml_entry item, sixer_error *error);

#endif
