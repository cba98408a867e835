/* Copying runs from one store into another. */
#ifndef SIXER_LAB_MERGE_H
#define SIXER_LAB_MERGE_H

#include "lab/store.h"

typedef struct merge_source {
  sixer_store *into;
  const char *folder; /* of the other store, for the runs' files; NULL: they are not copied */
} merge_source;

/* Copy the runs of the store `other`, or only one of them, where they are new or further than here. All or nothing, in
 * the store; files are replaced one by one. `merged` may be NULL. */
sixer_err merge_runs(const merge_source *m, const char *other, int64_t only,
                     sixer_lab_merged *merged, sixer_error *error);

#endif
