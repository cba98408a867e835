/* Seats of a game on display: see seats.h. */
#include "cli/seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

int seats_rules(const char *name, int64_t turn_limit, const char *corrections,
                sixer_config *config) {
  sixer_error error;
  const cli_limit limits[] = {{"turn-limit", turn_limit, -1, 1000000}, {NULL, 0, 0, 0}};
  int status = cli_check_limits(name, limits);
  if (status) return status;
  if (turn_limit != INT64_MIN) config->turn_limit = (int)turn_limit;
  if (corrections && sixer_corrections_find(corrections, &config->corrections, &error))
    return cli_error(name, CLI_USAGE, "%s", error.message);
  return CLI_OK;
}

int seats_apply(const char *name, int people_most, const seats_options *o, seats *out,
                sixer_config *config) {
  const bool several = o->players != INT64_MIN || o->against;
  *out = (seats){.players = 1, .people = people_most ? 1 : 0};
  if (!several) {
    const char *found = o->people != INT64_MIN       ? "people"
                        : o->turn_limit != INT64_MIN ? "turn-limit"
                        : o->corrections             ? "corrections"
                                                     : NULL;
    if (found)
      return cli_error(name, CLI_USAGE, "--%s is for several players: add --players N", found);
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
  const int status = seats_rules(name, o->turn_limit, o->corrections, config);
  if (status) return status;
  out->players = config->players = (int)players;
  out->people = (int)people;
  return CLI_OK;
}

sixer_err seats_frame_skip(const char *text, int *skip, sixer_error *error) {
  *skip = session_frame_skip(text);
  if (!model_is_file(text)) return SIXER_OK;
  sixer_model *model;
  sixer_err err = sixer_model_open(text, &model, error);
  if (err) return err;
  const char *trained = sixer_model_setting(model, "frame_skip");
  if (trained) *skip = atoi(trained);
  sixer_model_close(model);
  return SIXER_OK;
}

/* What agents are seated with. */
typedef struct seating {
  const sixer_rom *rom;
  sixer_config *config;
  const char
      *colors_of; /* the agent for which colors are averaged, or are not; NULL: nobody cares */
  char *by;       /* descriptions so far */
  size_t size;
} seating;

static void add_description(seating *w, const char *text) {
  const size_t n = strlen(w->by);
  snprintf(w->by + n, w->size - n, "%s%s", n ? " and " : "", text);
}

/* A trained agent, in an env that shows it what it saw in training. */
static sixer_err seat_model(seating *w, seat *at, const char *path, bool described,
                            sixer_error *error) {
  sixer_model *model;
  sixer_config trained, *config = w->config;
  sixer_err err = sixer_model_open(path, &model, error);
  if (err) return err;
  err = sixer_model_config(model, w->rom, &trained, &at->actions, error);
  if (!err && trained.frame_skip % config->frame_skip != 0)
    err = sixer_fail(error, SIXER_ERR_CONFIG,
                     "%.200s was trained with a frame skip of %d, which --frame-skip %d does not "
                     "divide: leave that out",
                     path, trained.frame_skip, config->frame_skip);
  if (!err && w->colors_of && trained.color_averaging != config->color_averaging)
    err = sixer_fail(error, SIXER_ERR_CONFIG,
                     "%.150s was trained %s averaged colors, and %.150s sees the screen %s: they "
                     "cannot look at the same one",
                     path, trained.color_averaging ? "with" : "without", w->colors_of,
                     trained.color_averaging ? "without" : "with them");
  if (!err) err = sixer_model_agent(model, w->rom, &at->agent, error);
  if (!err) {
    at->period = trained.frame_skip / config->frame_skip;
    config->color_averaging = trained.color_averaging;
    w->colors_of = path;
    char about[2000];
    model_describe(model, about, sizeof about);
    if (!described) add_description(w, about);
  }
  sixer_model_close(model);
  return err;
}

static sixer_err seat_named(seating *w, seat *at, const char *text, uint64_t seed, bool described,
                            sixer_error *error) {
  sixer_err err = session_agent(text, seed, &at->agent, error);
  if (err) return err;
  err = session_check_learned(at->agent, text, error);
  if (err) return err;
  const bool averaged = w->config->color_averaging;
  const int skip = session_frame_skip(text), step = w->config->frame_skip;
  at->period = skip > step ? skip / step : 1;
  sixer_agent_prepare(at->agent, w->config);
  if (w->config->color_averaging != averaged) w->colors_of = text;
  if (!described) add_description(w, text);
  return SIXER_OK;
}

sixer_err seats_begin_agents(seats *s, const char *first, const char *others, const sixer_rom *rom,
                             bool minimal, sixer_config *config, char *by, size_t size,
                             sixer_error *error) {
  seating w = {.rom = rom, .config = config, .by = by, .size = size};
  for (int i = s->people; i < s->players; i++) {
    seat *at = &s->seat[i];
    const char *text = i == 0 ? first : others;
    const bool described = i > 1 && i > s->people;
    at->actions = minimal ? sixer_rom_player_actions(rom, config->dialect, s->players)
                          : session_actions(rom, false);
    sixer_err err = model_is_file(text)
                        ? seat_model(&w, at, text, described, error)
                        : seat_named(&w, at, text, config->seed + (uint64_t)i, described, error);
    if (!err) sixer_agent_evaluate(at->agent, true);
    if (!err) err = sixer_agent_sit(at->agent, i, error);
    if (err) return err;
  }
  return SIXER_OK;
}

sixer_err seats_fill(seats *s, sixer_env *env, sixer_input *input, sixer_error *error) {
  if (s->players < 2) return SIXER_OK;
  sixer_players_result now = sixer_env_players_result(env);
  int *to[SIXER_PLAYERS_MAX] = {&input->action_a, &input->action_b, &input->action_c,
                                &input->action_d};
  for (int i = 0; i < s->players; i++) {
    seat *at = &s->seat[i];
    const bool choose = at->agent && at->left-- <= 0;
    if (choose) at->left = at->period - 1;
    if (choose && !now.ended[i]) { /* an episode that is over has no choices */
      sixer_err err = sixer_agent_act(at->agent, env, at->actions, &at->action, error);
      if (err) return err;
    }
    if (at->agent) *to[i] = at->action;
    if (now.lives[i] < 0) *to[i] = SIXER_ACTION_NOOP;
  }
  for (int i = s->players; i < SIXER_PLAYERS_MAX; i++) *to[i] = SIXER_ACTION_NOOP;
  if (input->strength_a == 0) input->strength_a = 1;
  input->strength_b = input->strength_c = input->strength_d = 1;
  return SIXER_OK;
}

sixer_err seats_over(seats *s, sixer_env *env, sixer_error *error) {
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) {
    sixer_err err = s->seat[i].agent ? sixer_agent_end(s->seat[i].agent, env, error) : SIXER_OK;
    if (err) return err;
  }
  return SIXER_OK;
}

void seats_reset(seats *s) {
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) {
    s->seat[i].left = 0;
    s->seat[i].action = SIXER_ACTION_NOOP;
    if (s->seat[i].agent) sixer_agent_reset(s->seat[i].agent);
  }
}

void seats_end(seats *s) {
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) sixer_agent_destroy(s->seat[i].agent);
  *s = (seats){0};
}

void seats_scores(const seats *s, const sixer_env *env, double single, char *text, size_t size) {
  int n = snprintf(text, size, "%.0f", single);
  if (s->players < 2) return;
  sixer_players_result now = sixer_env_players_result(env);
  for (int i = 1; i < s->players && n < (int)size; i++)
    n += snprintf(text + n, size - (size_t)n, " : %" PRId64, (int64_t)now.score[i]);
}
