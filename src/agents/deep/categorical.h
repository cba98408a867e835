/* Learning the distribution of returns as probabilities of fixed values (Bellemare, Dabney, Munos 2017): what C51,
 * Rainbow and data-efficient Rainbow share. */
#ifndef SIXER_AGENTS_DEEP_CATEGORICAL_H
#define SIXER_AGENTS_DEEP_CATEGORICAL_H

#include "agents/deep/learner.h"

extern const deep_method categorical_method;

#define DEEP_CATEGORICAL                                                                          \
  {"atoms", AGENT_INT, DEEP_FIELD(atoms), "51", 2, 501, NULL, "values of the distribution"}, {    \
    "v_max", AGENT_REAL, DEEP_FIELD(v_max), "10", 1e-3, 1e6, NULL, "they go from -v_max to v_max" \
  }

#endif
