/* The past of a play, for going back: a compressed state once a second and the inputs between. Going back to a step
 * loads the state before it and plays the inputs after it again, which gives the same bytes. */
#ifndef SIXER_CLI_HISTORY_H
#define SIXER_CLI_HISTORY_H

#include <stdbool.h>

#include "sixer/sixer.h"

typedef struct history history;

/* Keep about so many seconds (states) of the env's past. NULL if there is no memory. */
history *history_create(const sixer_env *env, int seconds);
void history_destroy(history *h);

/* The env was stepped with this input. */
void history_step(history *h, sixer_env *env, sixer_input input);

/* The env was changed otherwise: reset, or a state was loaded. */
void history_jump(history *h, sixer_env *env);

/* Bring the env `steps` back, or as far as there is; what comes after is forgotten. Returns the steps gone back. */
int history_back(history *h, sixer_env *env, int steps);

int64_t history_length(const history *h); /* steps that one can go back */
size_t history_bytes(const history *h);   /* of memory */

#endif
