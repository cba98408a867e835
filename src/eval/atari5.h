/* The models of the Atari-5 paper (Aitchison, Sweetser, Hutter 2023), read from the published tables. */
#ifndef SIXER_EVAL_ATARI5_H
#define SIXER_EVAL_ATARI5_H

#include "util/arena.h"
#include "sixer/eval.h"

/* Read Tables 9 to 11 in the order that sixer_published_models() promises. The models live in the arena and point into
 * text that also lives there. */
sixer_err eval_atari5_models(memory_arena *arena, sixer_subset_model **models, size_t *count,
                             sixer_error *error);

#endif
