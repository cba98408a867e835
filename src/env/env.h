/* The structs of roms and environments, and the functions that files of src/env share. Internal to the library. */
#ifndef SIXER_ENV_ENV_H
#define SIXER_ENV_ENV_H

#include "env/palette.h"
#include "games/game.h"
#include "machine/audio.h"
#include "machine/machine.h"
#include "sixer/sixer.h"
#include "util/error.h"

struct sixer_rom {
  uint8_t *image;
  uint32_t size;
  char md5[33];
  char *path; /* NULL if from memory */
  char *stem; /* file name without folder and ending */
  cartridge cart;
  game_properties properties;
  game *game; /* rules; NULL if none */
  bool game_by_name;
  int last_read;              /* byte of memory that the rules read last in a step; -1: none */
  struct reset_cache *resets; /* the only part that changes; it has a lock */
  /* the television format and the rows of the screen that are found with the default system seed */
  const char *format;
  int height;
};

sixer_list rom_all_actions(void); /* 0..17 */

/* A small generator for the sources of randomness that are ours; splitmix64. */
typedef struct draw_stream {
  uint64_t state;
} draw_stream;

/* The random numbers and the remembered actions that decide, besides the agent, what is executed next. Saved with a
 * state only on request. */
typedef struct controller {
  mt19937 rng;
  int32_t last_action[2]; /* for sticky actions: as given, even if the game does not use them */
  float last_strength[2];
  draw_stream noop, replace, skip, delay, level;
} controller;

/* The counters that are saved together with the console and the game's variables. */
typedef struct episode {
  int64_t frames; /* since creation */
  int64_t score;  /* of this episode */
  int32_t episode_frames;
  int32_t since_reward; /* frames, for the stuck limit */
  int32_t mode, difficulty;
  int32_t paddle[2]; /* ohms */
  int32_t reward;    /* of the last frame */
  int32_t executed;  /* last action of player A that reached the console */
  int32_t level, pad;
} episode;

/* What an env of the rules for several players has beyond the others (players.c); all zero in other envs. */
typedef struct env_seats {
  int32_t paddle[2]; /* ohms of paddles 3 and 4 */
  int32_t last_action[2];
  float last_strength[2];                  /* remembered actions of players 3 and 4 */
  uint8_t held[2];                         /* what they press in the present frame */
  int32_t executed[SIXER_PLAYERS_MAX - 1]; /* of players 2 to 4 */
  int64_t score[SIXER_PLAYERS_MAX - 1];
  int64_t reward[SIXER_PLAYERS_MAX]; /* of the step so far */
  int32_t frames;                    /* of the last step */
} env_seats;

/* What an env needs only while it runs: buffers that envs of one thread can share. None of it is state: what the
 * picture buffers hold is recorded in env.pictures, from which it can be restored. */
typedef struct env_scratch {
  uint8_t *picture[2];   /* SCREEN_WIDTH * SCREEN_MAX_LINES each */
  uint8_t *screen;       /* one more, for blends; NULL if none is wanted */
  struct tia_work *work; /* working memory of the fast TIA; pictures are in the same pages */
  size_t size;           /* bytes of both */
  struct jit **jits; /* translators, one for each cartridge that was played with these buffers */
  int jit_count;
  _Atomic size_t jit_memory; /* bytes of them; read while another thread plays */
} env_scratch;

/* For `envs` that share them. */
sixer_err env_scratch_make(env_scratch *scratch, bool screen, int envs, sixer_error *error);
void env_scratch_free(env_scratch *scratch);
size_t env_scratch_size(bool screen, int envs); /* bytes, without those of the translators */

struct env_pictures;

struct sixer_env {
  const sixer_rom *rom;
  sixer_config config;
  machine m;
  machine_core *run_frame;
  const game *rules; /* of the rom's game: for one player or for several; NULL if none */
  episode now;
  int32_t vars[GAME_MAX_VARS];
  controller control;
  bool seated; /* the rules are those for several players: players.h */
  bool
      seated_up; /* the console has been built: from now on dialect ma draws from its one generator */
  int players;   /* of the present mode; 1 if not seated */
  int corrections; /* SIXER_CORRECT_... that apply */
  int last_read;   /* as sixer_rom.last_read, of `rules` */
  env_seats seats;
  int32_t paddle_min, paddle_max;
  bool paddles;       /* steered by paddles rather than joysticks */
  int switches;       /* SIXER_SWITCH_... while a frame of a step runs, else 0 */
  int start_skip;     /* frames of each action that the game's own reset takes */
  int max_lives;      /* lives of the game before it was ever played */
  bool two_pictures;  /* somebody looks at the last two frames of each step: draw both at once */
  bool picture_known; /* false after a state without picture was loaded */
  bool blended;       /* `screen` holds the blend of the two pictures */
  int height;         /* rows of the screen */
  const char *format;
  palette colors;
  const blend_table *blend; /* with color averaging */
  uint8_t *screen;          /* with color averaging */
  env_scratch own;          /* empty if lent */
  blend_table *own_blend;
  struct env_pictures *pictures; /* what the picture buffers hold; NULL if config.picture is off */
  struct env_pictures *own_pictures;
  tia_objects *objects;           /* NULL unless config.objects */
  struct reset_record *recording; /* of the reset that is being emulated; NULL: none */
  audio_state audio;
  uint8_t sound[SIXER_SOUND_SAMPLES];
};

/* ---- env.c ----------------------------------------------------------------------------------------------------- */

/* Create an env that uses the caller's buffers: `scratch` first, later those given to env_lend(). `pictures` tracks
 * what the picture buffers hold (NULL if config.picture is off). With color averaging the caller sets env->blend. The
 * actions that a game's own reset takes (Berzerk, Double Dunk) have one frame each, whatever the frame skip: so it is
 * in the vectors of the reference, while its single environment repeats them frame_skip times. */
sixer_err env_create_lent(const sixer_rom *rom, const sixer_config *config, env_scratch *scratch,
                          struct env_pictures *pictures, sixer_env **out, sixer_error *error);

/* The same, but instead of being powered on it is made a clone of `like`. */
sixer_err env_create_like(const sixer_env *like, const sixer_config *config, env_scratch *scratch,
                          struct env_pictures *pictures, sixer_env **out, sixer_error *error);

/* Copy everything that can change from one env to another, except the pictures. Both must play the same rom with the
 * same settings, except for the seed. */
void env_clone(sixer_env *to, const sixer_env *from);
void env_lend(sixer_env *env, env_scratch *scratch);

/* Check a config without creating anything. */
sixer_err env_check_config(const sixer_rom *rom, const sixer_config *config, sixer_error *error);

/* Power on, seed and reset once. The env is then as if it had been created with that seed. */
void env_boot(sixer_env *env, uint32_t seed);

/* The same as sixer_env_screen(), but rows of it may be elsewhere: machine_rows_of() finds them. */
const uint8_t *env_screen_rows(sixer_env *env);

/* The frame before the one that sixer_env_screen() shows, as palette bytes, without color averaging. The screen must be
 * known. */
const uint8_t *env_screen_before(sixer_env *env);

/* A frame of the episode is over. The counter of an episode stays at its greatest value. */
static inline void env_count_frame(sixer_env *env) {
  env->now.frames++;
  if (env->now.episode_frames < INT32_MAX) env->now.episode_frames++;
}

/* ---- players.c: several players -------------------------------------------------------------------------------- */

/* Is this player out, and must it do nothing? */
bool seats_barred(const sixer_env *env, int player);

/* Choose the rules of a new env by its config, which has been checked. */
void env_choose_rules(sixer_env *env);
sixer_err env_check_players(const sixer_rom *rom, const sixer_config *config, sixer_error *error);

/* The modes that an env of this config may have, and its default mode. */
bool env_has_mode(const sixer_env *env, int mode);
int env_default_mode(const sixer_env *env);
sixer_err env_check_mode(const sixer_env *env, int mode, sixer_error *error);

/* The mode has changed: so may the number of players. */
void env_mode_changed(sixer_env *env);

/* What acts do differently: the beginning, one frame (as act_one_frame), an act while a mode is selected. */
void seats_begin(sixer_env *env);
int seats_one_frame(sixer_env *env, const sixer_input *input, bool arrived);

/* The console was reset; what a reset ends with in dialect ma. */
void seats_console_reset(sixer_env *env);
void seats_finish_reset(sixer_env *env);

/* Are there as many actions as players? `out` must be idle in dialect sixer. */
sixer_err seats_check(const sixer_env *env, const sixer_input *input, sixer_error *error);

/* ---- frames.c: running frames under inputs --------------------------------------------------------------------- */

enum { ACTION_B = 18, ACTION_RESET = 40 };

/* Turn a paddle, 0 to 3, as an action says; and the bits of what it presses. */
void env_turn_paddle(sixer_env *env, int paddle, int action, double strength);
uint8_t env_buttons(int action);

/* Set the inputs to nothing pressed, as before the first frame. */
void env_release_inputs(sixer_env *env);

/* Run frames with these actions, and the game's rules after each frame. Resets and acts (act.h) use this. */
void env_emulate(sixer_env *env, int action_a, int action_b, double strength_a, double strength_b,
                 int frames);
void env_press_select(sixer_env *env, int frames);
void env_soft_reset(sixer_env *env);
void env_center_paddles(sixer_env *env);

/* Run one frame of the console and nothing else. */
void env_run_frame(sixer_env *env);

bool env_is_legal(const sixer_env *env, int action);
int env_lives(const sixer_env *env);
bool env_terminal(const sixer_env *env);
bool env_truncated(const sixer_env *env); /* cut off; may be true beside terminal */
sixer_end env_end(const sixer_env *env);  /* why the episode is over; SIXER_END_NONE if it is not */

uint32_t stream_draw(draw_stream *stream);
int stream_below(draw_stream *stream, int count); /* uniform in 0..count-1 */
double stream_real(draw_stream *stream);

/* Seed all generators of the env and forget the remembered action, as at creation. */
void env_seed(sixer_env *env, uint32_t seed);

#endif
