/* Running the 37 baseline policies of 2013 on games, on all processors; shared by `baselines` and `demo`. */
#ifndef SIXER_CLI_BASELINE_RUN_H
#define SIXER_CLI_BASELINE_RUN_H

#include "cli/session.h"

/* Policies are numbered: 0 Random, 1..18 Const of action 0..17, 19..36 Perturb of action 0..17. Two more play
 * the winners again with new seeds, because the best of 18 noisy means is biased upward: 37 the best Const, 38 the best
 * Perturb. */
enum {
  POLICY_RANDOM = 0,
  POLICY_CONST = 1,
  POLICY_PERTURB = 19,
  POLICIES = 37,
  POLICY_CONST_AGAIN = 37,
  POLICY_PERTURB_AGAIN = 38,
  POLICIES_ALL = 39
};

typedef struct policy_result {
  int wanted, done;    /* episodes */
  double sum, squares; /* of the scores */
  double lowest, highest;
  int64_t frames;
} policy_result;

typedef struct baseline_game {
  sixer_rom *rom;
  const char *id; /* as the user called it */
  policy_result policies[POLICIES_ALL];
  int best_const, best_perturb; /* actions; -1: not known yet */
} baseline_game;

typedef struct baseline_settings {
  sixer_config config; /* seed and all; pictures are not drawn */
  int episodes;        /* of Random and each Perturb; of each Const too if it can vary */
  bool again;          /* play the winners again with fresh seeds */
  const char *only;    /* "random", "const" or "perturb": the only policies to play; NULL: all */
  bool each_level;     /* episodes take the config's levels in turn instead of drawing them */
  int jobs;            /* 0: all processors */
  /* File of finished episodes: read first, so that an interrupted run continues, then appended to. NULL: none. */
  const char *store;
  const char *label; /* of the progress bar */
} baseline_settings;

/* Fill the results of all games. Episodes are numbered and seeded one by one, so that results do not depend on the
 * number of processors nor on interruptions. The games' roms are open and their other fields zero. */
sixer_err baseline_run(baseline_game *games, int count, const baseline_settings *settings,
                       sixer_error *error);

double policy_mean(const policy_result *p);
double policy_deviation(const policy_result *p);          /* of the scores; 0 for one episode */
double policy_error(const policy_result *p);              /* standard error of the mean */
const char *policy_name(int policy);                      /* "random", "const", "perturb" */
int policy_action(const baseline_game *game, int policy); /* -1: Random */

#endif
