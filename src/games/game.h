/* A game: the rules that turn a cartridge into a task. One definition (games/ID.game) says how score, lives and the
 * end are read from memory, how a mode is selected, and which console properties the cartridge needs.
 * docs/games.md is the reference of the language.
 *
 * A `game` is compiled from text, never changes afterwards and may be shared by threads; whoever makes one owns it
 * (a sixer_rom owns its game). What changes while it is played is a small array of integers beside the console's
 * state, so that saving and restoring is a copy. Running the rules cannot fail, allocate or loop forever. */
#ifndef SIXER_GAMES_GAME_H
#define SIXER_GAMES_GAME_H

#include <stdbool.h>
#include <stdint.h>

#include "sixer/sixer.h"

enum { GAME_MAX_VARS = 32, GAME_ACTION_RESET = 40, GAME_MAX_PLAYERS = 4, GAME_DIALECTS = 2 };

/* The console properties that a definition may set; all others have the defaults of an unknown cartridge. The paddle
 * limits go with the rules, everything else with the image: an image that runs under another game's rules (by its
 * file name, or --game) keeps its own properties. */
typedef struct game_properties {
  const char *cartridge;                      /* type, or NULL: detect */
  const char *format;                         /* "NTSC", "PAL", "PAL60", "SECAM", or NULL: detect */
  int first_line, lines;                      /* the visible window: 34 and 210 by default */
  bool left_difficulty_a, right_difficulty_a; /* switches while the format is being detected */
  bool black_and_white;
  bool left_paddles, right_paddles;
  bool swap_ports, swap_paddles;
  bool no_hmove_blanks;
  int paddle_min, paddle_max; /* -1: the common limits */
} game_properties;

typedef struct game game;

/* "NOOP", "FIRE", ... for 0..17; NULL for any other number. */
const char *game_action_name(int action);

/* What the rules can read: RIOT RAM directly, any other address (mem[0xF0EA]) through the console. */
typedef struct game_view {
  const uint8_t *ram;                               /* 128 bytes */
  uint8_t (*peek)(void *machine, uint16_t address); /* NULL: every such byte reads 0 */
  void *machine;
} game_view;

/* What a mode procedure may do to the env (environment reset, step 7). Each call runs frames and the rules. */
typedef struct game_host {
  void *env;
  void (*press_select)(void *env, int frames);
  void (*act)(void *env, int action);
  void (*soft_reset)(void *env);
  uint32_t (*draw)(void *env);                         /* one raw output of the env's generator */
  void (*poke)(void *env, int address, uint8_t value); /* console memory 0x80..0xFF */
  bool (*over)(void *env);             /* the episode has ended, so act() would do nothing */
  void (*wait)(void *env, int frames); /* with nothing pressed */
} game_host;

typedef struct game_outcome {
  int reward;
  bool terminal;
} game_outcome;

/* ---- Making games ---------------------------------------------------------------------------------------------- */

/* Compile a definition. `name` stands for it in messages: "NAME:LINE:COLUMN: reason". */
sixer_err game_compile(const char *name, const char *text, size_t length, game **out,
                       sixer_error *error);
void game_free(game *g); /* NULL is allowed */

/* Find and compile the game with this id, or for the image with this MD5 (32 hex digits): first among those built in,
 * then in the user's folder. SIXER_OK and *out == NULL if nobody knows it. Files of the user that are wrong are passed
 * over, unless the game is not found and one of them seems to be meant: it has the id as its name, or the MD5 in its
 * text. Then its error is returned. */
sixer_err game_find_id(const char *id, game **out, sixer_error *error);
sixer_err game_find_md5(const char *md5_hex, game **out, sixer_error *error);

/* Compile the definition in a file, and refuse it if it claims an id or MD5 of a game that is built in (unless it is
 * that very definition). */
sixer_err game_load_file(const char *path, game **out, sixer_error *error);

/* A definition that was left out of a list. */
typedef struct game_problem {
  char *path;
  sixer_error error;
} game_problem;

/* Several games, in alphabetical order of ids; freed with game_list_free. */
typedef struct game_list {
  game **items;
  int count;
  game_problem *problems;
  int problem_count;
} game_list;
sixer_err game_list_builtin(game_list *list, sixer_error *error);

/* The definitions (*.game) of a folder, each as by game_load_file. One that is wrong, or has the id or an MD5 of an
 * earlier file, is left out and is listed as a problem. A folder that does not exist is an empty one; one that cannot
 * be read is an error. */
sixer_err game_list_folder(const char *folder, game_list *list, sixer_error *error);
void game_list_free(game_list *list);

/* The definitions that are compiled into the library, as text; `index` counts from 0 in alphabetical order of ids. */
int game_builtin_count(void);
const char *game_builtin_text(int index, size_t *length);
const char *game_builtin_id(int index);

/* The user's folder of definitions: $SIXER_GAMES, else "games" in the user's data folder ($XDG_DATA_HOME/sixer or
 * ~/.local/share/sixer). False if there is no such setting. The folder need not exist. */
bool game_user_folder(char *path, size_t size);

/* ---- What a game is -------------------------------------------------------------------------------------------- */

const char *game_id(const game *g);
const char *game_title(const game *g);
/* SHA-256 of the definition without comments, each run of white space as one space: 64 hex digits. Equal hashes mean
 * equal rules. The block `players` is left out of the hash of the rules for one player. */
const char *game_hash(const game *g);
const char *game_gymnasium_name(const game *g); /* "MsPacman" of "ALE/MsPacman-v5" */
/* "ALE/MsPacman-v5"; "sixer/Name-v0" for games that ale-py does not have; "" if all rules are for several players */
const char *game_gymnasium_id(const game *g);
bool game_gymnasium_legacy(const game *g); /* it also has the old ids, "MsPacman-v0" and so on */
int game_md5_count(const game *g);
const char *game_md5_at(const game *g, int index);
const char (*game_md5s(const game *g))[33]; /* all of them, one after the other */
bool game_has_md5(const game *g, const char *md5_hex);
const game_properties *game_console(const game *g);
sixer_list game_modes(const game *g);
int game_default_mode(const game *g);
sixer_list game_difficulties(const game *g);
/* levels are 0..count-1; 1 if the game has no levels to choose from */
int game_level_count(const game *g);
sixer_list game_legal_actions(const game *g);
sixer_list game_minimal_actions(const game *g);
sixer_list game_start_actions(const game *g); /* one frame each; GAME_ACTION_RESET is a switch */
bool game_is_legal(const game *g, int action);

/* How the game keeps its score: the number at which the counter is back at zero, and what one unit of it is worth.
 * Modulus 0 if it has no counter that rolls over. */
typedef struct game_counter {
  int modulus, unit;
} game_counter;
game_counter game_score_counter(const game *g);

/* True if `fixed` scoring can differ from `ale`: the definition has a counter that rolls over, or asks for `fixed`. */
bool game_has_corrections(const game *g);

/* ---- Several players ------------------------------------------------------------------------------------------- */

/* The rules for several players, or NULL if the definition has none. They are a game like any other, whose reward and
 * lives are those of player 1; they live as long as the definition. */
const game *game_players(const game *g);

/* True if a definition has rules for several players only: for one player its reward is 0 and it never ends. */
bool game_only_players(const game *g);

/* Of rules for several players: the modes for so many of them, 1 to 4, in ascending order. */
sixer_list game_player_modes(const game *g, sixer_dialect dialect, int players);

/* For how many players a mode is; 0 if there is no such mode. Four are looked for first, then two, one and three. */
int game_players_of_mode(const game *g, sixer_dialect dialect, int mode);

/* The variable with the turn limit, or -1, and how many frames the definition gives it. */
int game_turn_variable(const game *g);
int game_turn_limit(const game *g);

/* Rewards of the last step and lives now; `seat` counts from 0. */
static inline int game_reward_of(const int32_t *vars, int seat) {
  return seat == 0 ? vars[0] : vars[1 + seat];
}
int game_lives_of(const game *g, const int32_t *vars, int seat);

/* ---- Playing it ------------------------------------------------------------------------------------------------ */

/* The variables: at most GAME_MAX_VARS. Their names are for people (sixer info, tests). */
int game_var_count(const game *g);
const char *game_var_name(const game *g, int index);
int game_var_index(const game *g, const char *name); /* -1 if there is none */

/* Put the variables to their values at construction, and to those at the reset of an episode. */
void game_init(const game *g, int32_t *vars);
void game_reset(const game *g, int32_t *vars);

/* Restore variables from a saved copy. Those that the reference leaves out of its states keep their live value. */
void game_restore(const game *g, int32_t *vars, const int32_t *saved);

/* Run the rules once, after a frame. */
game_outcome game_step(const game *g, int32_t *vars, const game_view *view, sixer_scoring scoring);

/* Corrections that rules for several players ask for: `correct_start` and `correct_serve`. The env's players.h names
 * them, among others. */
enum { GAME_CORRECT_START = 1, GAME_CORRECT_SERVE = 4 };

/* The same under a dialect and with a sum of corrections. game_step() is for rules for one player, which have none. */
game_outcome game_step_players(const game *g, int32_t *vars, const game_view *view,
                               sixer_scoring scoring, sixer_dialect dialect, int corrections);

/* The byte of console memory that the rules read last in a step, 0..127, or -1 if they read none: it stays on the
 * console's data bus. Taken from the text of the rules: branches are not followed. */
int game_last_read(const game *g);

/* Do the rules or the selection of modes read anything but the console's memory? */
bool game_reads_bus(const game *g);

/* Has the game variables that outlive the reset of an episode and that `step` changes? (Others of them are set by the
 * selection of a mode, or never, like turn_limit: the frames before the reset leave them alone.) */
bool game_keeps_vars(const game *g);

/* Would a reset of the episode find the same variables: those that outlive it, and all that these may depend on? */
bool game_same_kept(const game *g, const int32_t *vars, const int32_t *others);

/* Lives and the end as the rules report them now; needs no step. */
int game_lives(const game *g, const int32_t *vars);
bool game_terminal(const game *g, const int32_t *vars);

/* Select a mode and a level, with the presses that the reference makes. The mode is one of game_modes(), the level
 * is in 0..game_level_count()-1. Loops of the procedure always end: after an iteration that has emulated no frame
 * (the episode is over, so no later iteration would either), or once the procedure has used GAME_MAX_SELECT_FRAMES
 * frames, counting an act as one. The reference would hang. */
enum { GAME_MAX_SELECT_FRAMES = 100000 };
void game_select_mode(const game *g, int mode, int level, int32_t *vars, const game_view *view,
                      const game_host *host);
void game_select_players(const game *g, int mode, int level, int32_t *vars, const game_view *view,
                         const game_host *host, sixer_dialect dialect, int corrections);

#endif
