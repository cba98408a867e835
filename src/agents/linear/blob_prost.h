/* Blob-PROST features without an env, for tests and inspection; see blob_prost.c. */
#ifndef SIXER_AGENTS_LINEAR_BLOB_PROST_H
#define SIXER_AGENTS_LINEAR_BLOB_PROST_H

#include "agents/linear/features.h"

/* What `active` does, for a screen of `height` rows of 160 palette bytes. */
sixer_err blob_prost_screen(feature_set *set, const uint8_t *screen, int height, feature_list *list,
                            sixer_error *error);

/* The index of a feature in the paper's numbering: 0 .. 115,000,640. */
uint32_t blob_prost_index(const feature_set *set, uint32_t id);

#endif
