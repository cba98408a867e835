/* The baselines of Bellemare et al. 2013, section 3.1: agents that ignore screen and memory.
 *
 * Random draws an action uniformly at every call. Const always takes the same one. Perturb takes the same one with
 * probability 0.95 and otherwise draws uniformly from all, that one included. The paper's agents choose at every frame,
 * so an env for them has frame_skip 1; `sixer baselines` runs all 37 of them and finds the best. */
#include "agents/agent.h"

#define ACTIONS                                                                               \
  "NOOP|FIRE|UP|RIGHT|LEFT|DOWN|UPRIGHT|UPLEFT|DOWNRIGHT|DOWNLEFT|UPFIRE|RIGHTFIRE|LEFTFIRE|" \
  "DOWNFIRE|UPRIGHTFIRE|UPLEFTFIRE|DOWNRIGHTFIRE|DOWNLEFTFIRE"

typedef struct baseline {
  sixer_agent base;
  int action;
  double epsilon;
} baseline;

static sixer_err draw_action(sixer_agent *agent, sixer_list actions, int *action) {
  *action = actions.items[agent_below(&agent->rng, actions.count)];
  return SIXER_OK;
}

static sixer_err act_random(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                            sixer_error *error) {
  (void)env, (void)error;
  return draw_action(agent, actions, action);
}

static sixer_err act_const(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                           sixer_error *error) {
  (void)env;
  const baseline *b = (const baseline *)agent;
  for (int i = 0; i < actions.count; i++) {
    if (actions.items[i] == b->action) {
      *action = b->action;
      return SIXER_OK;
    }
  }
  return sixer_fail(error, SIXER_ERR_ACTION, "%s is not one of the actions to choose from",
                    sixer_action_name(b->action));
}

static sixer_err act_perturb(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                             sixer_error *error) {
  const baseline *b = (const baseline *)agent;
  if (agent_real(&agent->rng) < b->epsilon) return draw_action(agent, actions, action);
  return act_const(agent, env, actions, action, error);
}

static const agent_option no_options[] = {{0}};

static const agent_option const_options[] = {{"action", AGENT_CHOICE, offsetof(baseline, action),
                                              "NOOP", 0, 0, ACTIONS, "the action to take"},
                                             {0}};

static const agent_option perturb_options[] = {
    {"action", AGENT_CHOICE, offsetof(baseline, action), "NOOP", 0, 0, ACTIONS,
     "the action to take mostly"},
    {"epsilon", AGENT_REAL, offsetof(baseline, epsilon), "0.05", 0, 1, NULL,
     "probability of a uniformly drawn one instead"},
    {0}};

const agent_class agent_random = {.name = "random",
                                  .summary = "an action drawn uniformly at every step",
                                  .size = sizeof(baseline),
                                  .options = no_options,
                                  .act = act_random};

const agent_class agent_const = {.name = "const",
                                 .summary = "always the same action",
                                 .size = sizeof(baseline),
                                 .options = const_options,
                                 .act = act_const};

const agent_class agent_perturb = {.name = "perturb",
                                   .summary = "mostly the same action, now and then a random one",
                                   .size = sizeof(baseline),
                                   .options = perturb_options,
                                   .act = act_perturb};
