/* Several players: two to four agents in one game, each with its own actions, rewards, lives and end.
 *
 * 20 of the games have modes for two or four players. An env gets them by its config, and is stepped with one action
 * for each player:
 *
 *     #include <sixer/players.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       sixer_error error;
 *       sixer_rom *rom;
 *       sixer_env *env;
 *       if (sixer_rom_open("pong", NULL, &rom, &error)) return puts(error.message), 1;
 *       sixer_config config = sixer_config_default();
 *       config.players = 4;
 *       if (sixer_env_create(rom, &config, &env, &error)) return puts(error.message), 1;
 *       sixer_players_result result = {0};
 *       for (int i = 0; i < 1000 && !result.over; i++) {
 *         int actions[4] = {SIXER_ACTION_LEFT, SIXER_ACTION_RIGHT, SIXER_ACTION_FIRE, SIXER_ACTION_NOOP};
 *         sixer_env_step_players(env, actions, 4, &result, &error);
 *         printf("%d %d %d %d\n", result.reward[0], result.reward[1], result.reward[2], result.reward[3]);
 *       }
 *       sixer_env_destroy(env);
 *       sixer_rom_close(rom);
 *     }
 *
 * Everything else is as in sixer.h: reset, screen, memory, states, tapes. What has one value there (reward, lives,
 * score, executed action) is that of player 1.
 *
 * There are two dialects. SIXER_DIALECT_MA equals multi-agent-ale-py 0.1.12 in every byte that it shows: one generator
 * for console and sticky actions, seeded twice; resets that end with the starting actions of player 2; paddles 3 and 4
 * centered in all games; the manuals' mode numbers; no clamped rewards; other rules for one player, too. In this
 * dialect `mode` may be changed to one for another number of players. SIXER_DIALECT_SIXER, the default, has ale-py's
 * two generators, resets and mode numbers (which count from 0 where the manual counts from 1), and the corrections
 * below, all of them or those that the config names.
 *
 * With one player and SIXER_DIALECT_SIXER an env is exactly what sixer.h describes. */
#ifndef SIXER_PLAYERS_H
#define SIXER_PLAYERS_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Modes ----------------------------------------------------------------------------------------------------- */

/* The modes for so many players, 1 to 4. Empty if there are none. The first one is the default. With one player and
 * SIXER_DIALECT_SIXER these are sixer_rom_modes(). The list lives as long as the rom. */
SIXER_API sixer_list sixer_rom_player_modes(const sixer_rom *rom, sixer_dialect dialect,
                                            int players);

/* The actions that do something in these modes; all players have the same. */
SIXER_API sixer_list sixer_rom_player_actions(const sixer_rom *rom, sixer_dialect dialect,
                                              int players);

/* How many players the present mode has: as many actions a step takes. In dialect ma, sixer_env_set_mode() changes it
 * at once, although the console changes with the next reset only, as in the reference. */
SIXER_API int sixer_env_players(const sixer_env *env);

/* "sixer" or "ma"; NULL if there is no such dialect. Static. And back: false if there is no such name. */
SIXER_API const char *sixer_dialect_name(sixer_dialect dialect);
SIXER_API bool sixer_dialect_find(const char *name, sixer_dialect *dialect);

/* ---- Corrections ----------------------------------------------------------------------------------------------- */

/* What dialect sixer does better than the reference. */
enum {
  /* "start": all modes of Warlords start. In the reference only the first one does: the cartridge ignores RESET for
   * some frames after SELECT. */
  SIXER_CORRECT_START = 1,
  /* "three": modes for three players (Warlords). The reference does not have them. */
  SIXER_CORRECT_THREE = 2,
  /* "serve": Pong's fine for not serving follows `turn_limit`; in the reference it is always 120 frames. */
  SIXER_CORRECT_SERVE = 4,
  /* "out": a player that is out cannot act; in the reference its actions reach the console. */
  SIXER_CORRECT_OUT = 8,
  /* "reset": no action presses the console's RESET. In the reference action 22 of player 2 does, with joysticks; it is
   * taken by sixer_env_step_players() then, and presses RESET in all frames of the step. */
  SIXER_CORRECT_RESET = 16,
  SIXER_CORRECT_ALL = 31
};

/* A correction; `name` NULL: there are no more. Static. */
typedef struct sixer_rule_correction {
  const char *name;
  int bit;
  const char *summary; /* what is different with it, in a line */
} sixer_rule_correction;
SIXER_API sixer_rule_correction sixer_rule_correction_at(int index);

/* The sum of corrections from their names with commas between, "start,three"; or "all", or "none". SIXER_ERR_ARGUMENT,
 * with the nearest name, if there is no such correction. */
SIXER_API sixer_err sixer_corrections_find(const char *names, int *corrections, sixer_error *error);

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

/* What a step gave each player. Of the arrays, the first `players` entries count; the others are 0. */
typedef struct sixer_players_result {
  int players;
  int reward[SIXER_PLAYERS_MAX]; /* sum over the frames of the step; clamped in dialect sixer */
  /* As the rules report them. -1: the player is out; 0: it plays its last life, or the game has no lives. */
  int lives[SIXER_PLAYERS_MAX];
  bool ended[SIXER_PLAYERS_MAX];    /* for this player: it is out, or the episode is over */
  int executed[SIXER_PLAYERS_MAX];  /* action in the last frame, after sticky actions */
  int64_t score[SIXER_PLAYERS_MAX]; /* sum of the rewards of this episode, before clamping */
  bool over;                        /* the episode has ended for all */
  bool terminal, truncated;         /* as in sixer_result */
  sixer_end end;
  int frames; /* emulated in this step */
} sixer_players_result;

/* Advance by one action for each player. SIXER_ERR_ACTION, and nothing changed, if `count` is not the number of
 * players, an action is not in 0..17, or, with the correction "out", a player that is out (lives -1) is given another
 * action than NOOP. `result` and `error` may be NULL. */
SIXER_API sixer_err sixer_env_step_players(sixer_env *env, const int *actions, int count,
                                           sixer_players_result *result, sixer_error *error);

/* The same for an input of sixer_env_step_input(): paddles turned at less than full speed (dialect sixer), switches of
 * the console, steps that are cut off. Actions of players that the mode does not have must be NOOP. */
SIXER_API sixer_err sixer_env_step_players_input(sixer_env *env, sixer_input input,
                                                 sixer_players_result *result, sixer_error *error);

/* Would a step with these actions be accepted? Changes nothing. */
SIXER_API sixer_err sixer_env_check_actions(const sixer_env *env, const int *actions, int count,
                                            sixer_error *error);

/* The result of the last step once more; after a reset, rewards and frames are 0. An env for one player in dialect
 * sixer does not keep them: they are always 0 here. */
SIXER_API sixer_players_result sixer_env_players_result(const sixer_env *env);

#ifdef __cplusplus
}
#endif
#endif
