/* Weights and traces of sets whose features are bits and all pairs of bits: RAM (1,024 bits) and BASS (1,792).
 *
 * With 450 bits set, 100,000 features are active. Two exact shortcuts keep them from being visited at every step.
 *
 * Groups. Weights begin at zero, so two features that were always active together have equal weights and traces. Bits
 * that have had equal values at every step so far form a group; one record stands for all pairs of bits between two
 * groups, and counts as often as there are such pairs. When the bits of a group differ for the first time, the group
 * splits and its records are copied. Of 1,024 bits of RAM, games use 270 to 830 groups.
 *
 * Incremental sums. A replacing trace of a feature that stays active is, from the first choice of an action on, the
 * same for all such features: 1 when the action is chosen, less by gamma * lambda at each step after. So its weight
 * grows by the growth of one number per action, `gain`. Two sums per action over the active records (of their weights
 * if the action was not chosen since they became active; else of what is left when `gain` is taken away) give Q
 * without visiting them. A record is visited when it becomes active or inactive. Then its weights are brought up to
 * date, and a mask says in which of the last steps its traces were set, as in traces by cohort: a trace that was set at
 * step s adds alpha * delta * (gamma * lambda)^(t - s) at each step t until it is cut off, a sum that all features of
 * that step share (`tails`).
 *
 * A step of the learner is
 *
 *     count = pair_store_look(store, bits);     // the new screen; active features
 *     pair_store_values(store, q);              // with the weights from before the update
 *     pair_store_update(store, alpha * delta);  // of the step before; then ask for the values again
 *     pair_store_choose(store, action);
 *
 * pair_store_update() is left out on the first screen of an episode, and pair_store_begin() comes before it. Sums are
 * doubles, made in an order that depends on the bits alone and started again in each episode; weights are floats. */
#ifndef SIXER_AGENTS_LINEAR_PAIRS_H
#define SIXER_AGENTS_LINEAR_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/sections.h"

enum { PAIR_ACTIONS = 18, PAIR_BITS_MAX = 2048, PAIR_WINDOW_MAX = 60 };

typedef struct pair_store pair_store;

/* `bits` is a multiple of 64. A trace decays by `decay` and is cut off after `window` steps, the one in which it is set
 * included. NULL: no memory. */
pair_store *pair_store_create(int bits, double decay, int window);
void pair_store_destroy(pair_store *s); /* NULL is allowed */

void pair_store_begin(pair_store *s);
bool pair_store_traced(const pair_store *s); /* an action was chosen since */

/* The bits of the next screen, the first in the lowest bit. Returns the active features, -1 if there is no memory. */
int64_t pair_store_look(pair_store *s, const uint64_t *bits);
void pair_store_values(const pair_store *s, double values[PAIR_ACTIONS]);
void pair_store_update(pair_store *s, double alpha_delta);
void pair_store_choose(pair_store *s, int action);

/* The weight of a pair of bits, or of one bit if they are equal, for an action: for tests and inspection; slow. Only
 * right after pair_store_begin(), when no trace is left. */
float pair_store_weight(const pair_store *s, int bit, int other, int action);

int pair_store_groups(const pair_store *s);
size_t pair_store_memory(const pair_store *s); /* bytes */

/* All of it, in the middle of an episode, as a section "agent.pairs". */
void pair_store_put(const pair_store *s, sections_writer *w);
bool pair_store_get(pair_store *s, sections_reader *r); /* false: the reader has the reason */

#endif
