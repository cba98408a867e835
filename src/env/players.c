/* Several players: which rules apply, how actions are remembered for each of them, and what resets do differently in
 * dialect ma. See sixer/players.h for the two dialects. */
#include "sixer/players.h"

#include <stdio.h>
#include <string.h>

#include "env/act.h"
#include "env/env.h"
#include "util/nearest.h"

/* ---- Rules and modes ------------------------------------------------------------------------------------------- */

const char *sixer_dialect_name(sixer_dialect dialect) {
  return dialect == SIXER_DIALECT_SIXER ? "sixer" : dialect == SIXER_DIALECT_MA ? "ma" : NULL;
}

bool sixer_dialect_find(const char *name, sixer_dialect *dialect) {
  for (int i = SIXER_DIALECT_SIXER; i <= SIXER_DIALECT_MA; i++) {
    if (strcmp(name, sixer_dialect_name((sixer_dialect)i)) != 0) continue;
    *dialect = (sixer_dialect)i;
    return true;
  }
  return false;
}

_Static_assert((int)SIXER_CORRECT_START == GAME_CORRECT_START &&
                   (int)SIXER_CORRECT_SERVE == GAME_CORRECT_SERVE,
               "rules ask for them by the same numbers");

sixer_rule_correction sixer_rule_correction_at(int index) {
  static const sixer_rule_correction all[] = {
      {"start", SIXER_CORRECT_START, "all modes of Warlords start, not only the first"},
      {"three", SIXER_CORRECT_THREE, "modes for three players, in Warlords"},
      {"serve", SIXER_CORRECT_SERVE, "Pong's fine for not serving follows the turn limit"},
      {"out", SIXER_CORRECT_OUT, "players that are out cannot act"},
      {"reset", SIXER_CORRECT_RESET, "no action presses RESET, as 22 of player 2 does otherwise"},
  };
  const int count = sizeof all / sizeof all[0];
  return index >= 0 && index < count ? all[index] : (sixer_rule_correction){NULL, 0, NULL};
}

sixer_err sixer_corrections_find(const char *names, int *corrections, sixer_error *error) {
  int found = 0;
  for (const char *at = names; at;) {
    const size_t length = strcspn(at, ",");
    char word[48];
    snprintf(word, sizeof word, "%.*s", (int)(length < 47 ? length : 47), at);
    nearest close;
    nearest_begin(&close, word);
    nearest_offer_list(&close, "all|none");
    int bit = strcmp(word, "all") ? -1 : SIXER_CORRECT_ALL;
    if (!strcmp(word, "none")) bit = 0;
    for (int i = 0; sixer_rule_correction_at(i).name; i++) {
      const sixer_rule_correction c = sixer_rule_correction_at(i);
      nearest_offer(&close, c.name, strlen(c.name));
      if (!strcmp(c.name, word)) bit = c.bit;
    }
    if (bit < 0)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "there is no correction '%s'%s; there are start, three, serve, out, reset, "
                        "or all, or none",
                        word, nearest_hint(&close));
    found |= bit;
    at = at[length] ? at + length + 1 : NULL;
  }
  *corrections = found;
  return SIXER_OK;
}

/* One player in dialect sixer is what it always was; everything else goes by the rules for several. */
static bool is_seated(sixer_dialect dialect, int players) {
  return dialect == SIXER_DIALECT_MA || players != 1;
}

static const game *players_rules(const sixer_rom *rom) {
  return rom->game ? game_players(rom->game) : NULL;
}

sixer_list sixer_rom_player_modes(const sixer_rom *rom, sixer_dialect dialect, int players) {
  const game *rules = players_rules(rom);
  if (players == 1 && dialect == SIXER_DIALECT_SIXER)
    return rom->game && game_only_players(rom->game) ? (sixer_list){NULL, 0} : sixer_rom_modes(rom);
  if (!rules || !sixer_dialect_name(dialect)) return (sixer_list){NULL, 0};
  return game_player_modes(rules, dialect, players);
}

sixer_list sixer_rom_player_actions(const sixer_rom *rom, sixer_dialect dialect, int players) {
  const game *rules = players_rules(rom);
  return rules && is_seated(dialect, players) ? game_minimal_actions(rules)
                                              : sixer_rom_minimal_actions(rom);
}

int sixer_env_players(const sixer_env *env) { return env->players; }

/* "2 or 4", for messages. */
static const char *list_players(const sixer_rom *rom, sixer_dialect dialect, char text[40]) {
  int found[SIXER_PLAYERS_MAX], count = 0;
  for (int n = 1; n <= SIXER_PLAYERS_MAX; n++) {
    if (sixer_rom_player_modes(rom, dialect, n).count) found[count++] = n;
  }
  text[0] = 0;
  for (int i = 0; i < count; i++) {
    size_t at = strlen(text);
    const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
    snprintf(text + at, 40 - at, "%s%d", between, found[i]);
  }
  return text;
}

static sixer_err bad_mode(const sixer_rom *rom, sixer_dialect dialect, int players, int mode,
                          sixer_error *error) {
  sixer_list modes = sixer_rom_player_modes(rom, dialect, players);
  const game *rules = players_rules(rom);
  const char *title = sixer_rom_describe(rom).title, *name = sixer_dialect_name(dialect);
  int other = rules ? game_players_of_mode(rules, dialect, mode) : 0;
  char text[300] = "";
  size_t at = 0;
  for (int i = 0; i < modes.count && at < sizeof text - 16; i++) {
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ", " : "", modes.items[i]);
    if (at >= sizeof text - 16 && i + 1 < modes.count)
      snprintf(text + at, sizeof text - at, ", ...");
  }
  if (other && other != players) {
    return sixer_fail(error, SIXER_ERR_FLAVOR,
                      "mode %d of %s is for %d player%s, and there %s %d; modes for %d in dialect "
                      "%s: %s",
                      mode, title, other, other == 1 ? "" : "s", players == 1 ? "is" : "are",
                      players, players, name, text);
  }
  return sixer_fail(error, SIXER_ERR_FLAVOR, "%s has no mode %d in dialect %s; for %d player%s: %s",
                    title, mode, name, players, players == 1 ? "" : "s", text);
}

/* Is this a mode for so many players; for any number, if it is 0? */
static sixer_err check_mode(const sixer_rom *rom, sixer_dialect dialect, int players, int mode,
                            sixer_error *error) {
  const game *rules = players_rules(rom);
  if (players == 0) {
    if (game_players_of_mode(rules, dialect, mode)) return SIXER_OK;
    return sixer_fail(error, SIXER_ERR_FLAVOR, "%s has no mode %d for any number of players",
                      sixer_rom_describe(rom).title, mode);
  }
  sixer_list modes = game_player_modes(rules, dialect, players);
  for (int i = 0; i < modes.count; i++) {
    if (modes.items[i] == mode) return SIXER_OK;
  }
  return bad_mode(rom, dialect, players, mode, error);
}

/* Those that apply. No dialect lets an action press RESET by default. */
static int corrections_of(const sixer_config *c) {
  if (c->corrections != SIXER_CORRECTIONS_DEFAULT) return c->corrections;
  return c->dialect == SIXER_DIALECT_MA ? SIXER_CORRECT_RESET : SIXER_CORRECT_ALL;
}

sixer_err env_check_players(const sixer_rom *rom, const sixer_config *c, sixer_error *error) {
  const char *title = sixer_rom_describe(rom).title, *name = sixer_dialect_name(c->dialect);
  char list[40];
  if (!name) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no dialect %d", (int)c->dialect);
  }
  if (c->players < 0 || c->players > SIXER_PLAYERS_MAX ||
      (c->players == 0 && c->dialect != SIXER_DIALECT_MA)) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "players is %d; there are 1 to %d", c->players,
                      SIXER_PLAYERS_MAX);
  }
  if (c->turn_limit < SIXER_TURN_LIMIT_DEFAULT) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "turn_limit is %d; it is a number of frames, 0 for no fines, or %d for the "
                      "game's own number",
                      c->turn_limit, SIXER_TURN_LIMIT_DEFAULT);
  }
  if (c->corrections < SIXER_CORRECTIONS_DEFAULT || c->corrections > SIXER_CORRECT_ALL) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "corrections is %d; it is a sum of bits up to %d",
                      c->corrections, SIXER_CORRECT_ALL);
  }
  if (c->corrections != SIXER_CORRECTIONS_DEFAULT && c->dialect == SIXER_DIALECT_MA) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "dialect ma equals its reference and has no corrections to choose: take "
                      "dialect sixer, or leave them out");
  }
  if (!is_seated(c->dialect, c->players)) return SIXER_OK;
  if (!players_rules(rom)) {
    return sixer_fail(error, SIXER_ERR_FLAVOR,
                      "%s has no rules for several players; `sixer games` lists the games that do",
                      title);
  }
  if (c->players && !sixer_rom_player_modes(rom, c->dialect, c->players).count) {
    return sixer_fail(error, SIXER_ERR_FLAVOR,
                      "%s has no mode for %d player%s in dialect %s, but for %s", title, c->players,
                      c->players == 1 ? "" : "s", name, list_players(rom, c->dialect, list));
  }
  if (c->players == 3 && !(corrections_of(c) & SIXER_CORRECT_THREE)) {
    return sixer_fail(error, SIXER_ERR_FLAVOR,
                      "modes of %s for three players are a correction: name \"three\" among the "
                      "corrections",
                      title);
  }
  if (c->end_on_life_loss) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "end_on_life_loss is for one player: look at the lives of each instead");
  }
  if (c->dialect == SIXER_DIALECT_MA &&
      (c->reward_min != INT32_MIN || c->reward_max != INT32_MAX)) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "dialect ma does not clamp rewards: leave reward_min and reward_max alone");
  }
  if (c->mode == SIXER_MODE_DEFAULT) return SIXER_OK;
  return check_mode(rom, c->dialect, c->players, c->mode, error);
}

sixer_err env_check_mode(const sixer_env *env, int mode, sixer_error *error) {
  return check_mode(env->rom, env->config.dialect, env->config.players, mode, error);
}

bool env_has_mode(const sixer_env *env, int mode) { return !env_check_mode(env, mode, NULL); }

void env_choose_rules(sixer_env *env) {
  env->seated = is_seated(env->config.dialect, env->config.players);
  env->corrections = corrections_of(&env->config);
  env->rules = env->seated ? players_rules(env->rom) : env->rom->game;
  env->last_read = !env->seated ? env->rom->last_read : game_last_read(env->rules);
  env->players = 1;
}

int env_default_mode(const sixer_env *env) {
  if (!env->seated) return sixer_rom_default_mode(env->rom);
  int from = env->config.players ? env->config.players : 1;
  for (int n = from; n <= SIXER_PLAYERS_MAX; n++) {
    sixer_list modes = game_player_modes(env->rules, env->config.dialect, n);
    if (modes.count) return modes.items[0];
  }
  return 0;
}

void env_mode_changed(sixer_env *env) {
  if (!env->seated) return;
  env->players = env->config.players
                     ? env->config.players
                     : game_players_of_mode(env->rules, env->config.dialect, env->now.mode);
}

/* ---- Resets ---------------------------------------------------------------------------------------------------- */

/* In dialect ma the timer's first value is drawn from the generator of the env, once the console has been built. (No
 * cartridge for several players has memory of its own, which would be drawn too.) */
void seats_console_reset(sixer_env *env) {
  memset(env->seats.score, 0, sizeof env->seats.score);
  memset(env->seats.reward, 0, sizeof env->seats.reward);
  memset(env->seats.executed, 0, sizeof env->seats.executed);
  env->seats.frames = 0;
  if (env->config.dialect == SIXER_DIALECT_MA && env->seated_up)
    env->m.c->riot.value = (uint8_t)(25 + mt_next(&env->control.rng) % 75);
}

/* In dialect ma player 2 takes the starting actions, too, between two frames without actions. */
void seats_finish_reset(sixer_env *env) {
  if (env->config.dialect != SIXER_DIALECT_MA) return;
  sixer_list start = game_start_actions(env->rules);
  env_emulate(env, 0, ACTION_B, 1, 1, 1);
  for (int i = 0; i < start.count; i++) {
    if (start.items[i] != ACTION_RESET) env_emulate(env, 0, start.items[i] + ACTION_B, 1, 1, 1);
  }
  env_emulate(env, 0, ACTION_B, 1, 1, 1);
}

/* ---- Acts ------------------------------------------------------------------------------------------------------ */

void seats_begin(sixer_env *env) {
  memset(env->seats.reward, 0, sizeof env->seats.reward);
  env->seats.frames = 0;
}

/* The remembered action of a player, and its strength. Those of the first two are where envs for one player have them;
 * that of player 2 is 18 more there. */
static void remember(sixer_env *env, int player, int action, float strength) {
  if (player < 2) {
    env->control.last_action[player] = action + (player == 1 ? ACTION_B : 0);
    env->control.last_strength[player] = strength;
  } else {
    env->seats.last_action[player - 2] = action;
    env->seats.last_strength[player - 2] = strength;
  }
}

static int remembered(const sixer_env *env, int player) {
  return player == 0   ? env->control.last_action[0]
         : player == 1 ? env->control.last_action[1] - ACTION_B
                       : env->seats.last_action[player - 2];
}

int seats_one_frame(sixer_env *env, const sixer_input *input, bool arrived) {
  const int actions[] = {input->action_a, input->action_b, input->action_c, input->action_d};
  const float strengths[] = {input->strength_a, input->strength_b, input->strength_c,
                             input->strength_d};
  const bool ma = env->config.dialect == SIXER_DIALECT_MA;
  const double p = env->config.sticky;
  const int players = env->players;
  /* ale-py draws at least twice, dialect ma once for each player */
  for (int i = 0; i < (ma || players > 2 ? players : 2); i++) {
    bool fresh = mt_real(&env->control.rng) >= p && arrived;
    if (fresh && i < players) remember(env, i, actions[i], ma ? 1 : strengths[i]);
  }
  for (int i = players; i < SIXER_PLAYERS_MAX; i++) remember(env, i, 0, 1);
  if (!(input->switches & SIXER_SWITCH_RUN) && env_end(env) != SIXER_END_NONE) return 0;

  int done[SIXER_PLAYERS_MAX];
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) {
    int action = remembered(env, i);
    done[i] = env_is_legal(env, action) ? action : 0;
  }
  for (int i = 0; i < 2; i++) {
    if (env->paddles) env_turn_paddle(env, 2 + i, done[2 + i], env->seats.last_strength[i]);
    env->seats.held[i] = env_buttons(done[2 + i]);
  }
  env->switches = input->switches;
  const float *strength = env->control.last_strength;
  env_emulate(env, done[0], done[1] + ACTION_B, strength[0], strength[1], 1);
  env->switches = 0;
  env->seats.held[0] = env->seats.held[1] = 0;
  env_count_frame(env);
  env->seats.frames++;

  bool rewarded = false;
  for (int i = 0; i < players; i++) {
    int reward = game_reward_of(env->vars, i);
    rewarded |= reward != 0;
    env->seats.reward[i] += reward;
    if (i > 0) env->seats.score[i - 1] += reward;
    if (i > 0) env->seats.executed[i - 1] = done[i];
  }
  env->now.executed = done[0];
  if (rewarded)
    env->now.since_reward = 0;
  else if (env->now.since_reward < INT32_MAX)
    env->now.since_reward++;
  env->now.score += env->now.reward;
  return env->now.reward;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

bool seats_barred(const sixer_env *env, int player) {
  return env->seated && env->corrections & SIXER_CORRECT_OUT &&
         game_lives_of(env->rules, env->vars, player) < 0;
}

sixer_err seats_check(const sixer_env *env, const sixer_input *input, sixer_error *error) {
  const int actions[] = {input->action_a, input->action_b, input->action_c, input->action_d};
  for (int i = 0; i < SIXER_PLAYERS_MAX; i++) {
    if (actions[i] < 0 || actions[i] >= SIXER_ACTION_COUNT) {
      return sixer_fail(error, SIXER_ERR_ACTION, "player %d has action %d; actions are 0 to %d",
                        i + 1, actions[i], SIXER_ACTION_COUNT - 1);
    }
    if (i >= env->players && actions[i] != 0) {
      return sixer_fail(error, SIXER_ERR_ACTION,
                        "player %d has an action, but mode %d is for %d player%s", i + 1,
                        env->now.mode, env->players, env->players == 1 ? "" : "s");
    }
    if (i < env->players && actions[i] != 0 && seats_barred(env, i)) {
      return sixer_fail(error, SIXER_ERR_ACTION,
                        "player %d is out and has action %s; until the next reset it must be NOOP",
                        i + 1, sixer_action_name(actions[i]));
    }
  }
  return SIXER_OK;
}

sixer_err sixer_env_step_players_input(sixer_env *env, sixer_input input,
                                       sixer_players_result *result, sixer_error *error) {
  sixer_err err = seats_check(env, &input, error);
  if (err) return err;
  if (input.switches & ~SIXER_SWITCH_ALL || input.frames < 0) {
    return sixer_fail(error, SIXER_ERR_ACTION, "there are no switches %d, or %d frames are too few",
                      input.switches, input.frames);
  }
  sixer_result one;
  err = sixer_env_step_input(env, input, &one);
  if (err) return sixer_fail(error, err, "these actions cannot be played");
  if (!result) return SIXER_OK;
  *result = sixer_env_players_result(env);
  if (!env->seated) {
    result->reward[0] = one.reward;
    result->frames = one.frames;
  }
  return SIXER_OK;
}

/* The input of a joint action; false if there are not as many actions as players. */
static sixer_err make_input(const sixer_env *env, const int *actions, int count, sixer_input *input,
                            sixer_error *error) {
  if (count != env->players) {
    return sixer_fail(error, SIXER_ERR_ACTION,
                      "mode %d is for %d player%s and takes as many actions, found %d",
                      env->now.mode, env->players, env->players == 1 ? "" : "s", count);
  }
  int given[SIXER_PLAYERS_MAX] = {0};
  memcpy(given, actions, (size_t)count * sizeof *actions);
  const bool resets = count > 1 && given[1] == ACTION_RESET - ACTION_B && !env->paddles &&
                      !(env->corrections & SIXER_CORRECT_RESET);
  if (resets) given[1] = SIXER_ACTION_NOOP;
  float others = env->seated ? 1 : 0; /* of an env with one player, as by sixer_env_step() */
  *input = (sixer_input){.switches = resets ? SIXER_SWITCH_RESET : 0,
                         .action_a = given[0],
                         .action_b = given[1],
                         .action_c = given[2],
                         .action_d = given[3],
                         .strength_a = 1,
                         .strength_b = others,
                         .strength_c = others,
                         .strength_d = others};
  return SIXER_OK;
}

sixer_err sixer_env_check_actions(const sixer_env *env, const int *actions, int count,
                                  sixer_error *error) {
  sixer_input input;
  sixer_err err = make_input(env, actions, count, &input, error);
  return err ? err : seats_check(env, &input, error);
}

sixer_err sixer_env_step_players(sixer_env *env, const int *actions, int count,
                                 sixer_players_result *result, sixer_error *error) {
  sixer_input input;
  sixer_err err = make_input(env, actions, count, &input, error);
  return err ? err : sixer_env_step_players_input(env, input, result, error);
}

static int clamped(const sixer_config *config, int64_t reward) {
  return reward < config->reward_min   ? config->reward_min
         : reward > config->reward_max ? config->reward_max
                                       : (int)reward;
}

sixer_players_result sixer_env_players_result(const sixer_env *env) {
  sixer_end end = env_end(env);
  sixer_players_result r = {.players = env->players,
                            .over = end != SIXER_END_NONE,
                            .terminal = env_terminal(env),
                            .truncated = env_truncated(env),
                            .end = end,
                            .frames = env->seats.frames};
  for (int i = 0; i < env->players; i++) {
    r.reward[i] = clamped(&env->config, env->seats.reward[i]);
    r.lives[i] = env->seated ? game_lives_of(env->rules, env->vars, i) : env_lives(env);
    r.ended[i] = r.over || r.lives[i] < 0;
    r.executed[i] = i == 0 ? env->now.executed : env->seats.executed[i - 1];
    r.score[i] = i == 0 ? env->now.score : env->seats.score[i - 1];
  }
  return r;
}
