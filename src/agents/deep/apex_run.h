/* What learner and actors of Ape-X share: settings, the text that describes a run, the store. See sixer/apex.h. */
#ifndef SIXER_AGENTS_DEEP_APEX_RUN_H
#define SIXER_AGENTS_DEEP_APEX_RUN_H

#include "agents/deep/apex_block.h"
#include "agents/deep/apex_store.h"
#include "agents/deep/learner.h"
#include "agents/train_parts.h"
#include "sixer/apex.h"

struct sixer_apex_memory {
  apex_memory *memory;
};

/* The settings that decide the result. */
typedef struct apex_rules {
  int actors, block, fetch, lead;
  bool synchronized, priorities, ladder;
  bool saber; /* the layout of the SABER paper */
} apex_rules;

sixer_err apex_check(const sixer_apex_settings *s, sixer_error *error);
apex_rules apex_rules_of(const sixer_apex_settings *s);
/* Do the rules fit the agent and each other? */
sixer_err apex_check_rules(const apex_rules *rules, const deep *d, sixer_error *error);
void apex_print_rules(const apex_rules *rules, char *text, size_t size); /* a line */
bool apex_parse_rules(const char *text, apex_rules *rules);              /* false: it is none */

/* The agent of a run; NULL, with an error, if it is none that Ape-X can train. */
deep *apex_deep(sixer_train *t, sixer_error *error);

apex_form apex_form_of(const deep *d, const apex_rules *rules);
/* Blocks of an actor that a store keeps: those of its slice of the replay memory, and some on their way. */
int64_t apex_ring(const apex_rules *rules, int64_t memory);

sixer_err apex_open_store(const sixer_apex_settings *s, apex_store **store, sixer_error *error);

double apex_clock(void); /* seconds, monotonic */
void apex_pause(double seconds);
/* The pause of one who waits since *since (0: since now) and asks again: an eighth of what it has waited, but not less
 * than `least`. So it asks seldom, and comes late by little. */
void apex_wait(double *since, double least);

#endif
