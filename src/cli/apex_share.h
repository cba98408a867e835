/* What Ape-X costs beside training in one process, in processor time: `sixer bench apex --share`. */
#ifndef SIXER_CLI_APEX_SHARE_H
#define SIXER_CLI_APEX_SHARE_H

#include "sixer/apex.h"

typedef struct share_work {
  const char *agent, *options;
  int64_t period;          /* its steps between updates */
  int64_t pieces, updates; /* pieces of so many updates, in turns */
  bool priorities;         /* that actors compute */
} share_work;

/* Seconds of processor time per update of the network. */
typedef struct share_figures {
  double single;                 /* the agent in one process */
  double learner, actor, server; /* one synchronized actor beside the learner */
} share_figures;

/* Train both on one game, with a server at `url` that is the process `server`. */
sixer_err share_measure(const share_work *work, const char *url, int64_t server,
                        const sixer_rom *rom, share_figures *figures, sixer_error *error);

#endif
