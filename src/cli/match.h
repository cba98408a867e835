/* A tournament: agents play a game against each other. match.c plays it, cmd_match.c is the command. */
#ifndef SIXER_CLI_MATCH_H
#define SIXER_CLI_MATCH_H

#include "cli/cli.h"
#include "sixer/players.h"
#include "sixer/ratings.h"
#include "sixer/train.h"

enum { MATCH_AGENTS_MAX = 64 };

/* Somebody who takes part. */
typedef struct match_agent {
  const char *text;   /* as it was given: "uct:frames=1000", or the path of a checkpoint */
  char name[100];     /* for tables; differs from all others */
  sixer_model *model; /* a trained one; else NULL */
  sixer_list actions; /* to choose from */
} match_agent;

/* A game between two agents. Agent `first` has players 1 and 3, `second` has 2 and 4. */
typedef struct match_game {
  int first, second;
  uint32_t seed;
  int64_t score[2]; /* sums of the rewards of their players */
  int frames;
  sixer_end end;
  bool played; /* it has a result */
} match_game;

struct match_log; /* match_log.h */

typedef struct match {
  const sixer_rom *rom;
  sixer_config config; /* the seed is that of each game */
  int players;
  match_agent *agents;
  int agent_count;
  match_game *games;
  int game_count;
  int jobs;
  struct match_log *log; /* where games are kept; NULL: nowhere */
} match;

/* Fill in who plays whom: every two agents, on `seeds` seeds from `first` on, each with both sides. False if memory is
 * out. */
bool match_arrange(match *m, int seeds, uint32_t first);

/* Play all games that have no result yet. A game is a function of its seed and its agents, so the results do not depend
 * on `jobs`. On failure, or if cli_interrupted is set, `*failed` is the number of the first game that failed or was not
 * played. */
sixer_err match_play(match *m, int *failed, sixer_error *error);

/* 1, 0.5 or 0: what the first agent of a game got. */
double match_score(const match_game *game);

#endif
