/* Who plays which player of a game for several, on display: people at this keyboard first, then agents. */
#ifndef SIXER_CLI_SEATS_H
#define SIXER_CLI_SEATS_H

#include "cli/model_files.h"
#include "cli/session.h"
#include "sixer/players.h"

/* What a command takes. */
typedef struct seats_options {
  int64_t players, people, turn_limit; /* INT64_MIN: not given */
  const char *against;                 /* the agent of all other players; NULL: none was named */
  const char *corrections;             /* names; NULL: the default */
} seats_options;

#define SEATS_OPTIONS_DEFAULT \
  { .players = INT64_MIN, .people = INT64_MIN, .turn_limit = INT64_MIN }

/* The rows of an option table for the rules of several players, which seats_rules() applies. */
#define RULES_OPTIONS(o)                                                                      \
  {"turn-limit", OPTION_INT, &(o).turn_limit, "N",                                            \
   "frames before a player who does not move is fined; 0: no fines, -1: the game's number"},  \
  {                                                                                           \
    "corrections", OPTION_TEXT, &(o).corrections, "NAMES",                                    \
        "of the rules for several players: all, none, or some of start,three,serve,out,reset" \
  }

/* One player's agent; agent NULL: a person. */
typedef struct seat {
  sixer_agent *agent;
  sixer_list actions; /* to choose from */
  int period, left;   /* steps of the env per choice, and until the next */
  int action;         /* that it chose last */
} seat;

typedef struct seats {
  int players; /* 1: an ordinary game, and nothing below counts */
  int people;  /* of the first players */
  seat seat[SIXER_PLAYERS_MAX];
} seats;

/* Fill in what was not given, and check it. `name` is that of the command, `people_most` how many can sit at this
 * keyboard; 0 for an agent's play. CLI_OK, or the status after a message. */
int seats_apply(const char *name, int people_most, const seats_options *o, seats *out,
                sixer_config *config);

/* Frames per choice of an agent: what a checkpoint was trained with, 5 for planners, 1 for all others. */
sixer_err seats_frame_skip(const char *text, int *skip, sixer_error *error);

/* Put turn limit and corrections into a config. CLI_OK, or the status after a message. */
int seats_rules(const char *name, int64_t turn_limit, const char *corrections,
                sixer_config *config);

/* Seat agents, after the people: `first`, if nobody sits here, has the first seat, `others` all other ones. Each is a
 * name with options or the path of a checkpoint. The config is changed to what they look at. Each agent chooses every
 * so many frames as it is made for. Their descriptions are appended to `by`. */
sixer_err seats_begin_agents(seats *s, const char *first, const char *others, const sixer_rom *rom,
                             bool minimal, sixer_config *config, char *by, size_t size,
                             sixer_error *error);

/* Fill the actions of the agents into an input. Players that are out do nothing. */
sixer_err seats_fill(seats *s, sixer_env *env, sixer_input *input, sixer_error *error);

/* The episode is over: tell the agents. */
sixer_err seats_over(seats *s, sixer_env *env, sixer_error *error);

/* A new episode, or a jump to another moment. */
void seats_reset(seats *s);

void seats_end(seats *s);

/* The scores of all players, "12 : 9"; of one player, "12". */
void seats_scores(const seats *s, const sixer_env *env, double single, char *text, size_t size);

#endif
