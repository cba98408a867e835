/* The agent `scripted`: the player that was written for one of our own games (scripted_players.h). It shows what good
 * play looks like, and how far from it an agent is that has to find it out. */
#include "agents/agent.h"

#include <stdio.h>

#include "agents/scripted_players.h"

typedef struct scripted {
  sixer_agent base;
  player player;
} scripted;

static const own_game *find_player(const sixer_env *env) {
  const char *id = sixer_rom_describe(sixer_env_rom(env)).game;
  for (int i = 0; id && i < OWN_GAMES; i++) {
    if (!strcmp(own_games[i].name, id)) return &own_games[i];
  }
  return NULL;
}

static bool is_fire(int action) { return action == 1 || action >= 10; }

static bool listed(sixer_list actions, int action) {
  for (int i = 0; i < actions.count; i++) {
    if (actions.items[i] == action) return true;
  }
  return false;
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  scripted *s = (scripted *)agent;
  const own_game *own = find_player(env);
  if (!own) {
    char names[200] = "";
    for (int i = 0; i < OWN_GAMES; i++) {
      size_t used = strlen(names);
      snprintf(names + used, sizeof names - used, "%s%s",
               i == 0               ? ""
               : i == OWN_GAMES - 1 ? " and "
                                    : ", ",
               own_games[i].name);
    }
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "there are scripted players for %s only", names);
  }
  s->player.memory = sixer_env_ram(env);
  s->player.seat = agent->player;
  int wanted = own->play(&s->player);
  s->player.memory = NULL;
  if (!listed(actions, wanted))
    return sixer_fail(error, SIXER_ERR_ACTION, "%s is not one of the actions to choose from",
                      sixer_action_name(wanted));
  s->player.fire = is_fire(wanted);
  *action = wanted;
  return SIXER_OK;
}

static void reset(sixer_agent *agent) { ((scripted *)agent)->player = (player){0}; }

static sixer_err save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  const scripted *s = (const scripted *)agent;
  (void)error;
  sections_put_i64(out, s->player.fire);
  sections_put_i64(out, s->player.wriggle);
  return SIXER_OK;
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  scripted *s = (scripted *)agent;
  (void)env;
  int64_t fire = sections_get_i64(in), wriggle = sections_get_i64(in);
  if (sections_failed(in) || fire < 0 || fire > 1 || wriggle < 0 || wriggle > INT32_MAX - 1)
    return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged");
  s->player = (player){.fire = fire != 0, .wriggle = (int)wriggle};
  return SIXER_OK;
}

static const agent_option no_options[] = {{0}};

const agent_class agent_scripted = {.name = "scripted",
                                    .summary = "a written player, for each of our own games",
                                    .size = sizeof(scripted),
                                    .options = no_options,
                                    .act = act,
                                    .reset = reset,
                                    .save = save,
                                    .load = load};
