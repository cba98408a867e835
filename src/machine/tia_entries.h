/* Entries of the log, compared with those of a known line or run.
 *
 * A line has few entries, but now three and then five, and a processor that has foreseen the wrong end of a loop loses
 * more time than the loop takes. So the version for AVX2 takes eight entries at once and masks those that are not the
 * line's: there is no branch that depends on their number, unless there are more than eight. */
#ifndef SIXER_MACHINE_TIA_ENTRIES_H
#define SIXER_MACHINE_TIA_ENTRIES_H

#include <string.h>

#include "machine/tia_log.h"
#include "machine/tia_words.h"

#if defined(TIA_LINES_AVX2)
enum { EIGHT = 8 };

static inline __m256i get32(const void *from) { return _mm256_loadu_si256(from); }

/* Ones in the first `count` of eight entries, for -EIGHT to RUN_LOG of them. */
static inline __m256i entries_first(int count) {
#define ONES -1, -1, -1, -1, -1, -1, -1, -1
  static const int32_t ones[RUN_LOG + 2 * EIGHT] = {ONES, ONES, ONES, ONES, ONES, ONES, ONES, ONES};
#undef ONES
  _Static_assert(RUN_LOG == 8 * EIGHT, "so many ones");
  return get32(&ones[RUN_LOG - count]);
}

/* Bits that differ between these entries, of which none is before `start`, and known ones. */
static inline __m256i entries_differ(const uint32_t *w, uint32_t start, const uint32_t *known,
                                     int count) {
  const __m256i from = _mm256_set1_epi32((int)start);
#define DIFFER(i) _mm256_xor_si256(_mm256_sub_epi32(get32(w + (i)), from), get32(known + (i)))
  __m256i differ = _mm256_and_si256(DIFFER(0), entries_first(count));
  if (count > EIGHT) {
    differ = _mm256_or_si256(differ, DIFFER(count - EIGHT));
    for (int i = EIGHT; i < count - EIGHT; i += EIGHT) differ = _mm256_or_si256(differ, DIFFER(i));
  }
#undef DIFFER
  return differ;
}

/* Bits that differ between a state and a known one: of the first words, those that matter. */
static inline __m256i state_differs(word16 first, word16 known_first, word16 matters,
                                    const void *rest, const known_rest *known) {
  const __m256i differ = _mm256_zextsi128_si256((__m128i)((first ^ known_first) & matters));
  return _mm256_or_si256(_mm256_xor_si256(get32(rest), get32(known)), differ);
}

/* Not a bool: gcc would make branches of what is to be combined with it. */
static inline int none_differs(__m256i differ) { return _mm256_testz_si256(differ, differ); }
#endif

/* Are these entries, of which none is before `from`, the known ones? */
static inline bool same_entries(const uint32_t *w, uint32_t from, const uint32_t *known,
                                int count) {
#if defined(TIA_LINES_AVX2)
  return none_differs(entries_differ(w, from, known, count));
#else
  const uint64_t both = from | (uint64_t)from << 32;
  int i = 0;
  /* two entries at once: no borrow goes from one to the other */
  for (; i < count - 1; i += 2) {
    uint64_t new, old;
    memcpy(&new, w + i, sizeof new);
    memcpy(&old, known + i, sizeof old);
    if (new - both != old) return false;
  }
  return i >= count || w[i] - from == known[i];
#endif
}

#endif
