/* Corrections of p values for the number of tests: sixer/eval.h. */
#include <math.h>
#include <stdlib.h>

#include "sixer/eval.h"
#include "util/error.h"
#include "util/sort.h"

typedef struct ranked {
  double p;
  size_t index;
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

sixer_err sixer_p_adjust(sixer_correction correction, const double *p, size_t count, double *out,
                         sixer_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (!(p[i] >= 0 && p[i] <= 1))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "p value %zu is %g; it must be from 0 to 1", i,
                        p[i]);
  }
  ranked *order = malloc((count + 1) * sizeof *order);
  if (!order) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  for (size_t i = 0; i < count; i++) order[i] = (ranked){p[i], i};
  sort_stable(order, count, sizeof *order, compare_ranked);
  double last = 0;
  switch (correction) {
    case SIXER_CORRECTION_HOLM:
      /* the smallest counts `count` times, the next once less; never less than the one before */
      for (size_t i = 0; i < count; i++) {
        last = fmax(last, fmin(1, (double)(count - i) * order[i].p));
        out[order[i].index] = last;
      }
      break;
    case SIXER_CORRECTION_BH:
      /* the i-th of the sorted values counts count / i times; never more than the one behind */
      last = 1;
      for (size_t i = count; i-- > 0;) {
        last = fmin(last, order[i].p * (double)count / (double)(i + 1));
        out[order[i].index] = last;
      }
      break;
    default:
      for (size_t i = 0; i < count; i++) out[order[i].index] = order[i].p;
      break;
  }
  free(order);
  return SIXER_OK;
}
