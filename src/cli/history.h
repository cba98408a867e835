/* History for rewinding: a compressed state once a second and the inputs between. Going back to a step
 * loads the state before it and plays the inputs after it again, which gives the same bytes. */
#ifndef SIXER_CLI_HISTORY_H
#define SIXER_CLI_HISTORY_H

#include <stdbool.h>

#include "sixer/sixer.h"

typedef struct history history;

/* Keep the last `seconds` of the env's past, one state per second. NULL if there is no memory. */
history *history_create(const sixer_env *env, int seconds);
void history_destroy(history *h);

/* The env was stepped with this input. */
void history_step(history *h, sixer_env *env, sixer_input input);

/* The env was changed otherwise: reset, or a state was loaded. */
void history_jump(history *h, sixer_env *env);

/* Rewind the env by `steps`, or to the oldest mark; what came after is dropped. Returns the steps rewound. */
int history_back(history *h, sixer_env *env, int steps);

int64_t history_length(const history *h); /* steps that can be rewound */
size_t history_bytes(const history *h);   /* of memory */

#endif
