/* Suggestions for misspelled names. */
#include "util/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Letters to change between two words, without regard to case (optimal string alignment). */
static int distance_of(const char *a, size_t n, const char *b, size_t m) {
  int rows[3][NEAREST_LENGTH + 1];
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= m; j++) above[j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    row[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
      int best = above[j - 1] + (x != y);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
          y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      row[j] = best;
    }
    int *spare = before;
    before = above, above = row, row = spare;
  }
  return above[m];
}

void nearest_begin(nearest *n, const char *word) { *n = (nearest){.word = word}; }

void nearest_offer(nearest *n, const char *name, size_t length) {
  size_t given = strlen(n->word);
  if (length == 0 || length >= NEAREST_LENGTH || given == 0 || given >= NEAREST_LENGTH) return;
  int distance = distance_of(n->word, given, name, length);
  size_t shorter = given < length ? given : length, longer = given < length ? length : given;
  bool begins = shorter >= 2 && !strncmp(n->word, name, shorter);
  if (!begins && (size_t)(2 * distance) >= longer) return;
  if (begins) distance = 1; /* "space" for "space_invaders" is as good as one wrong letter */
  int at = n->count;
  while (at > 0 && n->distance[at - 1] > distance) at--;
  if (at == NEAREST_NAMES) return;
  int last = n->count < NEAREST_NAMES ? n->count++ : NEAREST_NAMES - 1;
  for (int i = last; i > at; i--) {
    n->distance[i] = n->distance[i - 1];
    memcpy(n->name[i], n->name[i - 1], NEAREST_LENGTH);
  }
  n->distance[at] = distance;
  memcpy(n->name[at], name, length);
  n->name[at][length] = 0;
}

void nearest_offer_list(nearest *n, const char *words) {
  while (words && *words) {
    size_t length = strcspn(words, "|");
    nearest_offer(n, words, length);
    words += length + (words[length] == '|');
  }
}

const char *nearest_hint(nearest *n) {
  size_t at = 0;
  n->hint[0] = 0;
  for (int i = 0; i < n->count; i++) {
    const char *before = i == 0 ? " (did you mean " : i == n->count - 1 ? " or " : ", ";
    at += (size_t)snprintf(n->hint + at, sizeof n->hint - at, "%s'%s'", before, n->name[i]);
  }
  if (n->count) snprintf(n->hint + at, sizeof n->hint - at, "?)");
  return n->hint;
}
