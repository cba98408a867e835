/* sixer: an Arcade Learning Environment. The Atari 2600 as a task for an agent.
 *
 * This header is the whole public interface of the environment, in reading order, and its manual. What is not
 * here is not public. A complete program:
 *
 *     #include <sixer/sixer.h>
 *     #include <stdio.h>
 *
 *     int main(int argc, char **argv) {
 *       sixer_error error;
 *       sixer_rom *rom;
 *       sixer_env *env;
 *       if (argc < 2 || sixer_rom_open(argv[1], NULL, &rom, &error)) return 1;
 *       sixer_config config = sixer_config_default();
 *       if (sixer_env_create(rom, &config, &env, &error)) return puts(error.message), 1;
 *       sixer_result result = {0};
 *       for (int i = 0, score = 0; i < 1000 && !result.over; i++) {
 *         sixer_env_step(env, i % SIXER_ACTION_COUNT, &result);
 *         printf("%d\n", score += result.reward);
 *       }
 *       sixer_env_destroy(env);
 *       sixer_rom_close(rom);
 *     }
 *
 * Five nouns: a *rom* is what never changes (image, cartridge type, rules of the game) and may be shared by any
 * number of threads; an *env* plays it, and belongs to one thread at a time; a *state* is a snapshot of an
 * env: plain bytes that can be copied, stored and loaded; a *vec* is many envs stepped together (vec.h); an *agent*
 * chooses actions (agents.h).
 *
 * With default settings an env equals ale-py 0.12.1 in every byte it shows: screen, RAM, rewards, lives, ends,
 * counters, random draws. Everything that behaves differently is an option that is off by
 * default.
 *
 * Functions that can fail return a sixer_err, zero for success, and leave their results alone on failure. Those with
 * a `sixer_error *` parameter also explain themselves there; NULL is allowed. The library never prints, never exits,
 * and has no mutable globals. */
#ifndef SIXER_H
#define SIXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) || defined(SIXER_HIDDEN) /* names of a DLL: cmake/libraries.cmake */
#define SIXER_API
#else
#define SIXER_API __attribute__((visibility("default")))
#endif

#define SIXER_VERSION "0.2.0"

/* The behavior number is raised whenever any golden digest changes: a score means nothing without it. */
#define SIXER_BEHAVIOR 1

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

typedef enum sixer_err {
  SIXER_OK = 0,
  SIXER_ERR_FILE,      /* a file is missing, empty, too large or unreadable */
  SIXER_ERR_CARTRIDGE, /* no cartridge type fits the image */
  SIXER_ERR_GAME,      /* no such game, or a definition that does not parse */
  SIXER_ERR_CONFIG,    /* a setting out of range, or a config not made by sixer_config_default() */
  SIXER_ERR_FLAVOR,    /* the game has no such mode or difficulty */
  SIXER_ERR_ACTION,    /* not an action */
  SIXER_ERR_STATE,     /* a saved state that is truncated, foreign, or of another version */
  SIXER_ERR_PICTURE,   /* the screen was asked for and is not known (see SIXER_SAVE_PICTURE) */
  SIXER_ERR_ARGUMENT,  /* an index or size out of range */
  SIXER_ERR_MEMORY,    /* out of memory */
  SIXER_ERR_TAPE,      /* a tape is damaged or foreign, or does not replay as recorded (tape.h) */
  SIXER_ERR_DIVERGED,  /* what an agent learned has grown beyond bounds (agents.h) */
} sixer_err;

typedef struct sixer_error {
  sixer_err code;
  char message[500]; /* one sentence: what was found and what to try; ends with a zero byte */
} sixer_error;

/* A short description of a code, for where there is no sixer_error. Static; never NULL. */
SIXER_API const char *sixer_err_text(sixer_err err);

/* ---- Cartridges ------------------------------------------------------------------------------------------------ */

typedef struct sixer_rom sixer_rom;

/* Open a cartridge image. `path_or_id` is a path (gzip-compressed files are decompressed), or the id of a game
 * ("breakout"). The image of a game is looked for in the library itself (our own games), in $SIXER_ROMS, in the user's
 * data folder, and in an installed ale_py. `game` names the rules to use; NULL chooses them by the MD5 of the image,
 * else by the file name without its extension, as the reference does. An image without rules runs, but its reward is
 * always 0 and it never ends. The rom does not change after this call and must outlive its envs. */
SIXER_API sixer_err sixer_rom_open(const char *path_or_id, const char *game, sixer_rom **rom,
                                   sixer_error *error);

/* The same from bytes in memory, which are copied. `name` takes the place of the file's stem; may be NULL. */
SIXER_API sixer_err sixer_rom_create(const void *image, size_t size, const char *name,
                                     const char *game, sixer_rom **rom, sixer_error *error);
SIXER_API void sixer_rom_close(sixer_rom *rom); /* NULL is allowed */

typedef struct sixer_rom_info {
  char md5[33];     /* of the image, in hex */
  const char *type; /* cartridge type: "4K", "F8SC", ... */
  /* "NTSC", "PAL", "PAL60" or "SECAM", as detected with the default system seed. */
  const char *format;
  const char *path;  /* where the image came from; NULL if from memory */
  const char *game;  /* id of the game whose rules apply; NULL if none */
  const char *title; /* of that game; the image's stem if none */
  bool game_by_name; /* the rules were chosen by the file's stem, not by MD5 */
  bool paddles;      /* the game is steered by a paddle */
  size_t size;       /* of the image, in bytes */
  /* Of the screen, in pixels; width is always 160. The height is the format's: sixer_env_height() has that of an env,
   * which differs if the format depends on the system seed. */
  int height, width;
  int state_size; /* bytes of a saved console + game */
} sixer_rom_info;

/* What is known about a rom. The pointers live as long as the rom. */
SIXER_API sixer_rom_info sixer_rom_describe(const sixer_rom *rom);

/* The flavors and actions of the rom's game: a list and its length. They live as long as the rom. */
typedef struct sixer_list {
  const int *items;
  int count;
} sixer_list;

/* The first mode is not always the default. Of a difficulty, bit 0 sets the left switch to A and bit 1 the right
 * one. */
SIXER_API sixer_list sixer_rom_modes(const sixer_rom *rom);
SIXER_API sixer_list sixer_rom_difficulties(const sixer_rom *rom);
SIXER_API sixer_list sixer_rom_legal_actions(const sixer_rom *rom);
SIXER_API sixer_list sixer_rom_minimal_actions(const sixer_rom *rom);
SIXER_API int sixer_rom_default_mode(const sixer_rom *rom);

/* Levels are 0 .. count - 1; the count is 1 if there is no choice. */
SIXER_API int sixer_rom_level_count(const sixer_rom *rom);

/* ---- Actions --------------------------------------------------------------------------------------------------- */

/* The 18 positions of a joystick with its button, in the order that the field uses. For paddle games, actions with
 * RIGHT and LEFT turn the paddle and actions with FIRE press its button. */
typedef enum sixer_action {
  SIXER_ACTION_NOOP,
  SIXER_ACTION_FIRE,
  SIXER_ACTION_UP,
  SIXER_ACTION_RIGHT,
  SIXER_ACTION_LEFT,
  SIXER_ACTION_DOWN,
  SIXER_ACTION_UPRIGHT,
  SIXER_ACTION_UPLEFT,
  SIXER_ACTION_DOWNRIGHT,
  SIXER_ACTION_DOWNLEFT,
  SIXER_ACTION_UPFIRE,
  SIXER_ACTION_RIGHTFIRE,
  SIXER_ACTION_LEFTFIRE,
  SIXER_ACTION_DOWNFIRE,
  SIXER_ACTION_UPRIGHTFIRE,
  SIXER_ACTION_UPLEFTFIRE,
  SIXER_ACTION_DOWNRIGHTFIRE,
  SIXER_ACTION_DOWNLEFTFIRE,
  SIXER_ACTION_COUNT
} sixer_action;

/* "NOOP", "FIRE", ...; NULL if there is no such action. Static. */
SIXER_API const char *sixer_action_name(int action);

/* ---- Environments ---------------------------------------------------------------------------------------------- */

typedef enum sixer_core {
  SIXER_CORE_AUTO,   /* $SIXER_CORE if set, else the fastest there is */
  SIXER_CORE_PLAIN,  /* one color clock after the other: slow, short, the reference of the tests */
  SIXER_CORE_INTERP, /* portable and fast */
  SIXER_CORE_JIT,    /* translated to machine code where that is possible, otherwise as INTERP */
} sixer_core;

typedef enum sixer_scoring {
  SIXER_SCORING_ALE,   /* rewards exactly as the reference pays them */
  SIXER_SCORING_FIXED, /* with the corrections that the game's definition lists */
} sixer_scoring;

#define SIXER_MODE_DEFAULT (-1)

/* Whose rules an env with several players follows (players.h). */
typedef enum sixer_dialect {
  SIXER_DIALECT_SIXER, /* ale-py's generators, resets and mode numbers, with our corrections */
  SIXER_DIALECT_MA,    /* multi-agent-ale-py 0.1.12 in every byte that it shows */
} sixer_dialect;

#define SIXER_PLAYERS_MAX        4
#define SIXER_TURN_LIMIT_DEFAULT (-1)

/* As a config's corrections: those of the dialect. */
#define SIXER_CORRECTIONS_DEFAULT (-1)

/* Settings of an env. Fill with sixer_config_default(), then change what differs; it is copied on creation. */
typedef struct sixer_config {
  uint32_t cookie; /* set by sixer_config_default() and checked */
  sixer_core core; /* all cores give the same bytes */
  /* Seed of the env's own random draws: sticky actions, some modes, the extra randomness below. */
  uint32_t seed;
  uint32_t system_seed; /* of the console's memory at power-on; 4753849 as in the reference */
  /* Probability that a frame repeats the previous action; 0.25, Machado et al. 2018. */
  float sticky;
  int frame_skip; /* frames per step, up to 10000; 1 as in the reference */
  int mode;       /* SIXER_MODE_DEFAULT, or one of sixer_rom_modes() */
  int difficulty; /* 0 as at power-on, or one of sixer_rom_difficulties() */
  int level;      /* of games with levels: the first of those that episodes are played on; 0 */
  int levels;     /* how many: each reset draws from level .. level + levels - 1; 1 */
  int max_frames; /* frames per episode before it is cut off; 0: no limit */
  bool end_on_life_loss; /* cut the episode off when a life is lost */
  bool color_averaging;  /* blend each picture with the one before it */
  bool sound;            /* make the samples of sixer_env_sound() */
  bool picture;          /* draw; if off, the screen is never known, and nothing else changes */
  int reward_min, reward_max; /* the reward of a step is clamped to this range */
  int paddle_min, paddle_max; /* ohms; -1: the game's own limits */
  /* Use the reference's other processor model, which runs cycle by cycle (its setting `cpu`). Plain core only. */
  bool cycle_cpu;
  bool objects; /* note the objects of each frame for sixer_env_objects(); not by the plain core */
  sixer_scoring scoring; /* SIXER_SCORING_ALE */

  /* Extra randomness, off by default. Each kind has its own generator: turning one on does not change the draws of the
   * others. All draws are uniform. */

  /* Each reset is followed by 0..noop_starts NOOP frames, at most 10000; Mnih et al. 2015. */
  int noop_starts;
  /* Probability per step that a random legal action replaces the given one. */
  float random_action;
  /* If above frame_skip: each step lasts frame_skip..frame_skip_max frames. */
  int frame_skip_max;
  /* The action takes effect after 0..delay_max frames of the step. */
  int delay_max;

  /* Frames without a reward before an episode counts as stuck; 0: no limit. SABER uses 18000. */
  int stuck_limit;

  /* Several players: players.h. */

  /* 1, or as many as the game has modes for: 2, 3 or 4. In dialect ma 0 is possible too: then the mode decides. */
  int players;
  sixer_dialect dialect; /* SIXER_DIALECT_SIXER */
  /* Frames before a player who does not move is fined, in games with such a rule: SIXER_TURN_LIMIT_DEFAULT for the
   * game's own number, 0 for no fines. */
  int turn_limit;
  /* What is corrected in the rules for several players, a sum of SIXER_CORRECT_..., 0 for nothing;
   * SIXER_CORRECTIONS_DEFAULT: everything. Dialect ma equals its reference, so it takes the default only. */
  int corrections;
} sixer_config;

SIXER_API sixer_config sixer_config_default(void);

typedef struct sixer_env sixer_env;

/* Create an env, power the console on and reset it once, as the reference does when it loads an image. The rom must
 * outlive the env. An unknown mode or difficulty is an error that lists the available ones. */
SIXER_API sixer_err sixer_env_create(const sixer_rom *rom, const sixer_config *config,
                                     sixer_env **env, sixer_error *error);
SIXER_API void sixer_env_destroy(sixer_env *env); /* NULL is allowed */

/* Start a new episode. The console's memory, the generators and the total frame count live on. Cannot fail. */
SIXER_API void sixer_env_reset(sixer_env *env);

/* Choose the flavor of the next episode, as at the console's switches; applied by the next reset. */
SIXER_API sixer_err sixer_env_set_mode(sixer_env *env, int mode, sixer_error *error);
SIXER_API sixer_err sixer_env_set_difficulty(sixer_env *env, int difficulty, sixer_error *error);

/* Choose the levels of the episodes to come, `count` of them from `first` on, as `level` and `levels` of the config. */
SIXER_API sixer_err sixer_env_set_levels(sixer_env *env, int first, int count, sixer_error *error);

typedef enum sixer_end {
  SIXER_END_NONE,
  SIXER_END_GAME_OVER,
  SIXER_END_LIFE,        /* a life was lost and end_on_life_loss is on */
  SIXER_END_FRAME_LIMIT, /* max_frames */
  SIXER_END_STUCK,       /* stuck_limit */
} sixer_end;

typedef struct sixer_result {
  int reward;     /* sum over the frames of the step, then clamped */
  int lives;      /* as the game's rules report them */
  bool over;      /* the episode has ended, for whatever reason; steps do nothing until a reset */
  bool terminal;  /* the game itself is over */
  bool truncated; /* it was cut off: life loss, frame limit or stuck limit */
  sixer_end end;  /* why */
  /* The action of player A in the last frame, after sticky actions and other randomness. */
  int executed;
  int frames; /* emulated in this step */
} sixer_result;

/* Advance by one action: frame_skip frames, or fewer if the episode ends inside them. SIXER_ERR_ACTION, and nothing
 * changed, if `action` is not in 0..17. One env, one thread; envs may share a rom. `result` may be NULL. */
SIXER_API sixer_err sixer_env_step(sixer_env *env, int action, sixer_result *result);

/* The same for two players and paddles turned at less than full speed: strengths are 0..1 (the reference does not
 * check, nor do we), used by paddle games only. */
typedef struct sixer_input {
  int action_a, action_b;
  float strength_a, strength_b;
  int switches; /* SIXER_SWITCH_...; 0: nobody touches the console */
  /* Cut the step off after so many frames, with nothing drawn for the rest, as vectors do at the end of an episode; 0:
   * the step is as long as the settings say. */
  int frames;
  /* Of players 3 and 4 (players.h); 0 in all other games. */
  int action_c, action_d;
  float strength_c, strength_d;
} sixer_input;

/* The switches of the console, as a person works them during a step, without sticky actions and other randomness. RESET
 * and SELECT are pressed; the others are flipped from where the env has them: the difficulties that were chosen, and
 * color unless the game asks for black and white. With these, every variant of a game can be reached as on a console.
 * Rewards and lives are still those of the rules of the mode that the episode began with. An episode that has ended
 * does nothing in a step until a reset, except with SIXER_SWITCH_RUN: then the console runs on, as it does when it
 * waits for RESET, and `over` of the result says whether the rules still see an end. */
enum {
  SIXER_SWITCH_RESET = 1,
  SIXER_SWITCH_SELECT = 2,
  SIXER_SWITCH_RUN = 4,
  SIXER_SWITCH_COLOR = 8,
  SIXER_SWITCH_LEFT = 64,   /* difficulty of the left player */
  SIXER_SWITCH_RIGHT = 128, /* difficulty of the right player */
  SIXER_SWITCH_ALL = 207
};

/* SIXER_ERR_ACTION, and nothing changed, if an action is not in 0..17, a switch does not exist, `frames` is below 0, or
 * a player that the game does not have does something. The result is that of player 1 (players.h). */
SIXER_API sixer_err sixer_env_step_input(sixer_env *env, sixer_input input, sixer_result *result);

/* What an env was made of: the rom, and the settings as they were given. Both live as long as the env. */
SIXER_API const sixer_rom *sixer_env_rom(const sixer_env *env);
SIXER_API const sixer_config *sixer_env_config(const sixer_env *env);

/* ---- What an env shows ----------------------------------------------------------------------------------------- */

typedef struct sixer_status {
  int mode, difficulty;
  int level; /* that this episode is played on */
  int lives;
  int64_t frames;     /* since creation; the reference's getFrameNumber */
  int episode_frames; /* since the last reset */
  int64_t score;      /* sum of the rewards of this episode, before clamping */
  bool over, terminal, truncated;
  sixer_end end;
  int executed; /* last executed action of player A */
} sixer_status;
SIXER_API sixer_status sixer_env_status(const sixer_env *env);

/* The screen, one palette byte per pixel, `height` rows of 160. Valid until the next call that changes the env.
 * NULL if the picture is not known: after restoring a state without SIXER_SAVE_PICTURE, until the next frame; always
 * if config.picture is off. */
SIXER_API const uint8_t *sixer_env_screen(sixer_env *env);
SIXER_API int sixer_env_height(const sixer_env *env);

/* The screen in colors: height * 160 * 3 bytes, and in gray: height * 160 bytes. SIXER_ERR_PICTURE as above. */
SIXER_API sixer_err sixer_env_rgb(sixer_env *env, uint8_t *rgb);
SIXER_API sixer_err sixer_env_gray(sixer_env *env, uint8_t *gray);

/* The colors of palette bytes on this env's television: 256 entries 0xRRGGBB. Lives as long as the env. */
SIXER_API const uint32_t *sixer_env_palette(const sixer_env *env);

/* The 128 bytes of console memory, addresses 0x80..0xFF, as of the last frame. Same lifetime as the screen. */
SIXER_API const uint8_t *sixer_env_ram(const sixer_env *env);
SIXER_API sixer_err sixer_env_set_ram(sixer_env *env, int index, uint8_t value);

/* 512 samples of the last step, unsigned 8 bit at 31400 Hz; zeros unless config.sound. */
#define SIXER_SOUND_SAMPLES 512
SIXER_API const uint8_t *sixer_env_sound(const sixer_env *env);

/* The objects of the last frame as boxes around their lit pixels, in the order of their first rows: what players,
 * missiles and ball were used for. Needs config.objects. Returns how many there are; at most `max` are written, and
 * never more than SIXER_OBJECTS_MAX. */
#define SIXER_OBJECTS_MAX 64
typedef enum sixer_object_kind {
  SIXER_OBJECT_PLAYER0,
  SIXER_OBJECT_PLAYER1,
  SIXER_OBJECT_MISSILE0,
  SIXER_OBJECT_MISSILE1,
  SIXER_OBJECT_BALL,
} sixer_object_kind;
typedef struct sixer_object {
  int16_t kind; /* a sixer_object_kind */
  int16_t x, y, width, height;
  int16_t color; /* palette byte of the first row */
} sixer_object;
SIXER_API int sixer_env_objects(const sixer_env *env, sixer_object *objects, int max);

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* A state is plain bytes: it may be copied, stored in a file, sent to another machine, and loaded into any env of the
 * same image. It always contains console and game. SIXER_SAVE_CONTROLLER adds the env's generators and the remembered
 * sticky action; without it, loading leaves those of the env unchanged. SIXER_SAVE_PICTURE adds the picture; without
 * it, or if the picture was not known when saving, the screen is unknown after loading until the next frame. Envs with
 * and without pictures can load each other's states. */
enum { SIXER_SAVE_CONTROLLER = 1, SIXER_SAVE_PICTURE = 2 };

SIXER_API size_t sixer_env_state_size(const sixer_env *env, int flags);

/* Write a state of exactly sixer_env_state_size(env, flags) bytes. */
SIXER_API void sixer_env_save(const sixer_env *env, int flags, void *state);

/* Load a state saved with any flags. SIXER_ERR_STATE, and nothing changed, if it is damaged or of another image. */
SIXER_API sixer_err sixer_env_load(sixer_env *env, const void *state, size_t size,
                                   sixer_error *error);

/* Write the screen as a PNG file, 320 pixels wide (pixels are twice as wide as high). */
SIXER_API sixer_err sixer_env_save_png(sixer_env *env, const char *path, sixer_error *error);

/* ---- Translated code ------------------------------------------------------------------------------------------- */

/* List the machine code that the core jit has made of the cartridge so far, with the instructions that it was made of:
 * docs/translator.md. `line` gets one line at a time, without a newline. SIXER_ERR_CONFIG if nothing is translated:
 * another core runs, the cartridge's type is not translated, or there is no translator for this processor. */
SIXER_API sixer_err sixer_env_list_code(const sixer_env *env,
                                        void (*line)(void *context, const char *text),
                                        void *context, sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
