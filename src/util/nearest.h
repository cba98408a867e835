/* Which of the known names did somebody mean? Offer every name there is, then ask for a hint to put behind an error
 * message:
 *
 *     nearest close;
 *     nearest_begin(&close, word);
 *     for (...) nearest_offer(&close, name, strlen(name));
 *     fail("there is no game '%s'%s", word, nearest_hint(&close));
 *
 * Distance is the number of letters inserted, dropped, changed or swapped with their neighbor. A name is near if fewer
 * than half of its letters differ, or if one of the two begins with the other. */
#ifndef SIXER_UTIL_NEAREST_H
#define SIXER_UTIL_NEAREST_H

#include <stddef.h>

enum { NEAREST_NAMES = 3, NEAREST_LENGTH = 48 };

typedef struct nearest {
  const char *word;
  int count;
  int distance[NEAREST_NAMES]; /* ascending; of equals, the one offered first */
  char name[NEAREST_NAMES][NEAREST_LENGTH];
  char hint[NEAREST_NAMES * (NEAREST_LENGTH + 8) + 24];
} nearest;

void nearest_begin(nearest *n, const char *word);
/* A name of `length` bytes; longer ones than NEAREST_LENGTH - 1 are not suggested. */
void nearest_offer(nearest *n, const char *name, size_t length);
/* The words of a list "one|two|three". */
void nearest_offer_list(nearest *n, const char *words);
/* " (did you mean 'a', 'b' or 'c'?)", or an empty text if nothing is near. Lives as long as `n`. */
const char *nearest_hint(nearest *n);

#endif
