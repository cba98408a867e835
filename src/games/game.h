/* A game: the rules that turn a cartridge into a task. One definition (games/ID.game) says how score, lives and the
 * end are read from memory, how a mode is selected, and which console properties the cartridge needs.
 *
 * A `game` is compiled from text once, never changes and may be shared by threads. What changes while it is played is
 * a small array of integers beside the console's state, so that saving and restoring is a copy. Running the rules
 * cannot fail, allocate or loop for ever. */
#ifndef SIXER_GAMES_GAME_H
#define SIXER_GAMES_GAME_H

#include <stdbool.h>
#include <stdint.h>

#include "sixer/sixer.h"

enum { GAME_MAX_VARS = 32 };

/* The console properties that a definition may set; all others have the defaults of an unknown cartridge. */
typedef struct game_properties {
  const char *cartridge;                /* type, or NULL: detect */
  const char *format;                   /* "NTSC", "PAL", "PAL60", "SECAM", or NULL: detect */
  int first_line, lines;                /* the visible window: 34 and 210 by default */
  bool left_difficulty_a, right_difficulty_a; /* switches while the format is being detected */
  bool black_and_white;
  bool left_paddles, right_paddles;
  bool swap_ports, swap_paddles;
  bool no_hmove_blanks;
  int paddle_min, paddle_max;           /* -1: the common limits */
} game_properties;

typedef struct game game;

/* Where the rules look. RIOT RAM is read straight; any other address (mem[0xF0EA]) through the console. */
typedef struct game_view {
  const uint8_t *ram; /* 128 bytes */
  uint8_t (*peek)(void *machine, uint16_t address);
  void *machine;
} game_view;

/* What a mode procedure may do to the env (environment reset, step 7). Each call runs frames and the rules. */
typedef struct game_host {
  void *env;
  void (*press_select)(void *env, int frames);
  void (*act)(void *env, int action);
  void (*soft_reset)(void *env);
  uint32_t (*draw)(void *env);                        /* one raw output of the env's generator */
  void (*poke)(void *env, int address, uint8_t value);/* console memory 0x80..0xFF */
  bool (*over)(void *env);                            /* the episode has ended, so act() would do nothing */
} game_host;

typedef struct game_outcome {
  int reward;
  bool terminal;
} game_outcome;

/* Known games: built in, and those of a folder of definitions. */
const game *game_by_id(const char *id);
const game *game_by_md5(const char *md5_hex);
int game_count(void);
const game *game_at(int index); /* in alphabetical order of ids */

const char *game_id(const game *g);
const char *game_title(const game *g);
const game_properties *game_console(const game *g);
sixer_list game_modes(const game *g);
int game_default_mode(const game *g);
sixer_list game_difficulties(const game *g);
sixer_list game_legal_actions(const game *g);
sixer_list game_minimal_actions(const game *g);
sixer_list game_start_actions(const game *g); /* one frame each; 40 is the console's RESET switch */
int game_var_count(const game *g);

/* Put the variables to their values at construction, and to those at the reset of an episode. */
void game_init(const game *g, int32_t *vars);
void game_reset(const game *g, int32_t *vars);

/* Run the rules once, after a frame. */
game_outcome game_step(const game *g, int32_t *vars, const game_view *view, sixer_scoring scoring);

/* Lives as the rules report them now; needs no step. */
int game_lives(const game *g, const int32_t *vars);

/* Terminal flag now, without a step. */
bool game_terminal(const game *g, const int32_t *vars);

/* Select a mode, with the presses that the reference makes. The mode is one of game_modes(). */
void game_select_mode(const game *g, int mode, int32_t *vars, const game_view *view, const game_host *host);

#endif
