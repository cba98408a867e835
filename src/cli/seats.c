/* Seats of a game on display: see seats.h. */
#include "cli/seats.h"

#include <inttypes.h>
#include <string.h>

int seats_apply(const char *name, int people_most, const seats_options *o, seats *out,
                sixer_config *config) {
  const bool several = o->players != INT64_MIN || o->against;
  *out = (seats){.players = 1, .people = people_most ? 1 : 0};
  if (!several) {
    if (o->people != INT64_MIN)
      return cli_error(name, CLI_USAGE, "--people is for several players: add --players N");
    return CLI_OK;
  }
  const int64_t players = o->players != INT64_MIN ? o->players : 2;
  if (players < 2 || players > SIXER_PLAYERS_MAX)
    return cli_error(name, CLI_USAGE, "--players is 2 to %d, found %" PRId64, SIXER_PLAYERS_MAX,
                     players);
  int64_t people = o->people != INT64_MIN ? o->people : o->against ? 1 : players;
  if (!people_most) people = 0;
  if (o->people != INT64_MIN && (people < 1 || people > people_most || people > players))
    return cli_error(name, CLI_USAGE, "--people is 1 or %d, found %" PRId64, people_most,
                     o->people);
  if (people > people_most)
    return cli_error(name, CLI_USAGE,
                     "two people can sit at this keyboard: name an agent for the other players, "
                     "--people 2 --against random");
  if (people_most && people < players && !o->against)
    return cli_error(name, CLI_USAGE,
                     "name an agent for the other players with --against (`sixer watch --agents` "
                     "lists them)");
  out->players = config->players = (int)players;
  out->people = (int)people;
  return CLI_OK;
}

sixer_err seats_begin_agents(seats *s, const char *text, sixer_config *config, sixer_error *error) {
  sixer_err err = SIXER_OK;
  s->period = session_frame_skip(text) / (config->frame_skip > 0 ? config->frame_skip : 1);
  if (s->period < 1) s->period = 1;
  for (int i = s->people; !err && i < s->players; i++) {
    err = session_agent(text, config->seed + (uint32_t)i, &s->agents[i], error);
    if (!err) err = sixer_agent_sit(s->agents[i], i, error);
    if (!err) sixer_agent_prepare(s->agents[i], config);
  }
  return err;
}

sixer_err seats_fill(seats *s, sixer_env *env, sixer_list actions, sixer_input *input,
                     sixer_error *error) {
  if (s->players < 2) return SIXER_OK;
  sixer_players_result now = sixer_env_players_result(env);
  int *to[SIXER_PLAYERS_MAX] = {&input->action_a, &input->action_b, &input->action_c,
                                &input->action_d};
  const bool choose = s->left-- <= 0;
  if (choose) s->left = s->period - 1;
  for (int i = 0; i < s->players; i++) {
    sixer_err err = SIXER_OK;
    if (choose && s->agents[i] && !now.ended[i]) /* an episode that is over has no choices */
      err = sixer_agent_act(s->agents[i], env, actions, &s->actions[i], error);
    if (err) return err;
    if (s->agents[i]) *to[i] = s->actions[i];
    if (now.lives[i] < 0) *to[i] = SIXER_ACTION_NOOP;
  }
  for (int i = s->players; i < SIXER_PLAYERS_MAX; i++) *to[i] = SIXER_ACTION_NOOP;
  if (input->strength_a == 0) input->strength_a = 1;
  input->strength_b = input->strength_c = input->strength_d = 1;
  return SIXER_OK;
}

void seats_reset(seats *s) {
  s->left = 0;
  memset(s->actions, 0, sizeof s->actions);
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) {
    if (s->agents[i]) sixer_agent_reset(s->agents[i]);
  }
}

void seats_end(seats *s) {
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) sixer_agent_destroy(s->agents[i]);
  *s = (seats){0};
}

void seats_scores(const seats *s, const sixer_env *env, double single, char *text, size_t size) {
  int n = snprintf(text, size, "%.0f", single);
  if (s->players < 2) return;
  sixer_players_result now = sixer_env_players_result(env);
  for (int i = 1; i < s->players && n < (int)size; i++)
    n += snprintf(text + n, size - (size_t)n, " : %" PRId64, (int64_t)now.score[i]);
}
