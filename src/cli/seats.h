/* Who plays which player of a game for several, on display: people at this keyboard first, then agents. */
#ifndef SIXER_CLI_SEATS_H
#define SIXER_CLI_SEATS_H

#include "cli/session.h"
#include "sixer/players.h"

/* What a command takes. */
typedef struct seats_options {
  int64_t players, people; /* INT64_MIN: not given */
  const char *against;     /* the agent of all other players; NULL: none was named */
} seats_options;

#define SEATS_OPTIONS_DEFAULT \
  { .players = INT64_MIN, .people = INT64_MIN }

typedef struct seats {
  int players;                            /* 1: an ordinary game, and nothing below counts */
  int people;                             /* of the first players */
  sixer_agent *agents[SIXER_PLAYERS_MAX]; /* of the others; NULL for people */
  int actions[SIXER_PLAYERS_MAX];         /* that the agents chose last */
  int period, left;                       /* frames per choice, and until the next */
} seats;

/* Fill in what was not given, and check it. `name` is that of the command, `people_most` how many can sit at this
 * keyboard; 0 for an agent's play. CLI_OK, or the status after a message. */
int seats_apply(const char *name, int people_most, const seats_options *o, seats *out,
                sixer_config *config);

/* Seat the agents `text`. The config is changed to what they look at. */
sixer_err seats_begin_agents(seats *s, const char *text, sixer_config *config, sixer_error *error);

/* Fill the actions of the agents into an input. Players that are out do nothing. */
sixer_err seats_fill(seats *s, sixer_env *env, sixer_list actions, sixer_input *input,
                     sixer_error *error);

/* A new episode, or a jump to another moment. */
void seats_reset(seats *s);

void seats_end(seats *s);

/* The scores of all players, "12 : 9"; of one player, "12". */
void seats_scores(const seats *s, const sixer_env *env, double single, char *text, size_t size);

#endif
