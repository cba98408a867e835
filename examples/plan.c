/* An agent that plans: UCT plays the beginning of a game, deciding every five frames.
 *
 *     build/release/examples/plan [GAME] */
#include <sixer/agents.h>
#include <stdio.h>

int main(int argc, char **argv) {
  sixer_error error;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_agent *agent = NULL;
  sixer_config config = sixer_config_default();
  config.sticky = 0;      /* as in Bellemare et al. 2013 */
  config.frame_skip = 5;  /* a decision every five frames */
  config.picture = false; /* UCT uses no pictures */
  if (sixer_rom_open(argc > 1 ? argv[1] : "sporefall", NULL, &rom, &error) ||
      sixer_env_create(rom, &config, &env, &error) ||
      sixer_agent_create("uct", "simulations=20,horizon=60", 1, &agent, &error)) {
    fprintf(stderr, "plan: %s\n", error.message);
    sixer_env_destroy(env);
    sixer_rom_close(rom);
    return 1;
  }

  sixer_list actions = sixer_rom_minimal_actions(rom);
  sixer_result result = {0};
  int64_t searched = 0;
  for (int i = 0; i < 60 && !result.over; i++) {
    int action;
    if (sixer_agent_act(agent, env, actions, &action, &error)) {
      fprintf(stderr, "plan: %s\n", error.message);
      break;
    }
    sixer_env_step(env, action, &result);
    searched += sixer_agent_last(agent).frames;
    if (result.reward)
      printf("decision %2d: %-9s %+d\n", i, sixer_action_name(action), result.reward);
  }
  printf("score %lld after %d frames; %lld frames searched\n",
         (long long)sixer_env_status(env).score, sixer_env_status(env).episode_frames,
         (long long)searched);

  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return 0;
}
