/* Vectors of environments: many envs stepped together by a pool of threads, with all of the preprocessing.
 *
 * Like sixer.h this header is its own manual. A complete program:
 *
 *     #include <sixer/vec.h>
 *     #include <stdlib.h>
 *
 *     enum { N = 64 };
 *
 *     int main(void) {
 *       sixer_rom *rom;
 *       sixer_vec *vec;
 *       sixer_vec_slot slots[N];
 *       if (sixer_rom_open("breakout", NULL, &rom, NULL)) return 1;
 *       for (int i = 0; i < N; i++) slots[i] = (sixer_vec_slot){rom, SIXER_MODE_DEFAULT, 0};
 *       sixer_vec_config config = sixer_vec_config_default();
 *       if (sixer_vec_create(slots, N, &config, &vec, NULL)) return 1;
 *       int32_t actions[N] = {0}, rewards[N];
 *       uint8_t *obs = malloc(N * sixer_vec_describe(vec).obs_size);
 *       sixer_vec_out out = {.rows = N, .obs = obs, .rewards = rewards};
 *       sixer_vec_reset(vec, NULL, NULL, &out, NULL);
 *       for (int i = 0; i < 1000; i++) sixer_vec_step(vec, actions, NULL, &out, NULL);
 *       sixer_vec_destroy(vec);
 *       sixer_rom_close(rom);
 *     }
 *
 * A *slot* says what is played at one index: envs of different games and flavors may be mixed. An *observation* is a
 * stack of the last few pictures, oldest first, each made of the last two frames of a step. With the default config a
 * vec equals AtariVectorEnv of ale-py 0.12.1 in every byte and number, given the same seeds.
 *
 * Results do not depend on the number of threads. A vec belongs to one calling thread at a time; it runs its own
 * threads inside the calls (and, after sixer_vec_send, between them). Every argument is checked before anything is
 * stepped: an error names the index that caused it and leaves the vec and the caller's arrays as they were. The
 * exception is SIXER_ERR_MEMORY, which can occur in the middle of a step; the vec can then only be destroyed.
 *
 * Threads do not survive fork(): in the child, calls with a vec that has threads (more than one, or after a
 * sixer_vec_send()) are SIXER_ERR_ARGUMENT, and it can be destroyed. */
#ifndef SIXER_VEC_H
#define SIXER_VEC_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Settings -------------------------------------------------------------------------------------------------- */

typedef enum sixer_obs {
  SIXER_OBS_GRAY,    /* one byte per pixel: brightness */
  SIXER_OBS_RGB,     /* three */
  SIXER_OBS_PALETTE, /* one: the console's own color number. Native size and no pooling only */
  SIXER_OBS_RAM,     /* the 128 bytes of console memory; nothing is ever drawn */
} sixer_obs;

/* How the last two frames of a step become one picture. A step of one frame shows that frame. */
typedef enum sixer_pool {
  SIXER_POOL_NONE, /* the last frame */
  SIXER_POOL_MAX,  /* the brighter of the two, per channel; Mnih et al. 2015 */
  SIXER_POOL_MEAN, /* their mean, rounded up */
} sixer_pool;

/* What an action number means. */
typedef enum sixer_actions {
  SIXER_ACTIONS_MINIMAL, /* an index into sixer_rom_minimal_actions() */
  SIXER_ACTIONS_LEGAL,   /* an index into sixer_rom_legal_actions() */
  SIXER_ACTIONS_CODES,   /* a sixer_action, whatever the game */
} sixer_actions;

typedef enum sixer_life_loss {
  SIXER_LIFE_LOSS_PLAIN, /* nothing special */
  SIXER_LIFE_LOSS_INFO,  /* `terminated` is reported, and the episode goes on without a reset */
  SIXER_LIFE_LOSS_END,   /* it ends the episode, and a full reset follows */
} sixer_life_loss;

/* What happens to an env whose episode has ended. The first two are Gymnasium's conventions. */
typedef enum sixer_autoreset {
  /* NextStep: its next step resets it, whatever the action, with reward 0 and no flags. */
  SIXER_AUTORESET_NEXT,
  /* SameStep: it is reset at once. Reward and flags are those of the end, everything else is that of the new episode,
   * and the last observation goes to `final_obs`. */
  SIXER_AUTORESET_SAME,
  /* It waits for sixer_vec_reset(); to step it is an error. */
  SIXER_AUTORESET_OFF,
} sixer_autoreset;

/* Fill with sixer_vec_config_default(), then change what differs; it is copied on creation. */
typedef struct sixer_vec_config {
  uint32_t cookie; /* set by sixer_vec_config_default() and checked */
  /* Of every env. Default: sticky 0, frame_skip 4, max_frames 108000. In a vec some settings mean a little more:
   *   seed         env i starts with seed + i
   *   mode, difficulty  are those of the slots, and ignored here; so is picture, which follows `obs`
   *   max_frames   counts frames since the start of the episode, without those of the start itself
   *   reward_min, reward_max  clamp the sum over the frames of a step
   *   players      each row of actions, strengths, rewards, raw_rewards, lives and executed has an entry per player
   * end_on_life_loss and noop_starts must be off: `life_loss` and `noop_max` below take their place. An episode that
   * ends by stuck_limit is truncated. */
  sixer_config env;
  /* 1..envs, the calling thread included; 0: one per processor, at most one per env. */
  int threads;
  int first_cpu; /* pin the vec's threads to processors from this one on; -1: do not */
  sixer_obs obs;
  sixer_pool pool;
  int height, width; /* of a picture; 84 and 84. 0 and 0: as the console shows it */
  int stack;         /* pictures in an observation; 4 */
  sixer_actions actions;
  /* An episode starts with 0..noop_max-1 NOOP frames, drawn uniformly; 30. 0: none. */
  int noop_max;
  /* In games with FIRE: an episode also starts with a frame of FIRE, which counts as one of the frames above. */
  bool fire_start;
  bool clip_rewards; /* to -1..1, after the sum over the frames of a step */
  sixer_life_loss life_loss;
  sixer_autoreset autoreset;
} sixer_vec_config;

SIXER_API sixer_vec_config sixer_vec_config_default(void);

/* ---- Creation -------------------------------------------------------------------------------------------------- */

typedef struct sixer_vec sixer_vec;

typedef struct sixer_vec_slot {
  const sixer_rom *rom; /* must outlive the vec */
  int mode;             /* SIXER_MODE_DEFAULT, or one of sixer_rom_modes() */
  int difficulty;       /* 0, or one of sixer_rom_difficulties() */
} sixer_vec_slot;

/* Create `count` envs, one per slot; slots and config are copied. Each env is powered on, but must be reset before it
 * is stepped. Pictures of native size need slots whose screens are equally high. */
SIXER_API sixer_err sixer_vec_create(const sixer_vec_slot *slots, int count,
                                     const sixer_vec_config *config, sixer_vec **vec,
                                     sixer_error *error);
SIXER_API void sixer_vec_destroy(sixer_vec *vec); /* NULL is allowed; waits for what is under way */

typedef struct sixer_vec_info {
  int count;       /* envs */
  int players;     /* of each env */
  int threads;     /* really used */
  size_t obs_size; /* bytes of one env's observation */
  /* Its shape: 4 dimensions (stack, height, width, 3), 3 (stack, height, width) or 2 (stack, 128). Unused entries of
   * `shape` are 1. */
  int dims, shape[4];
  size_t env_memory; /* mean bytes of memory that an env takes now, shared parts apart */
  /* Bytes that all of them share now: tables, the threads' working memory, and the memory for translated code, which
   * each thread has for each cartridge that it has played. */
  size_t shared_memory;
} sixer_vec_info;
SIXER_API sixer_vec_info sixer_vec_describe(const sixer_vec *vec);

/* What the action numbers 0, 1, ... of env `env` mean. Lives as long as its rom. */
SIXER_API sixer_list sixer_vec_actions(const sixer_vec *vec, int env);

/* ---- Results --------------------------------------------------------------------------------------------------- */

/* Arrays of the caller's that results are written to, a row per env. Any pointer may be NULL: not wanted. */
typedef struct sixer_vec_out {
  int rows;     /* that each array has room for */
  uint8_t *obs; /* rows of sixer_vec_info.obs_size bytes */
  /* With SIXER_AUTORESET_SAME: the last observation of episodes that ended, or that `life_loss` reports as ended; other
   * rows are not written. */
  uint8_t *final_obs;
  int32_t *rewards;     /* as config says: summed, clamped, clipped */
  int32_t *raw_rewards; /* summed only: what a score is made of */
  uint8_t *terminated;  /* 1: the game, or by `life_loss` a life, is over */
  uint8_t *truncated;   /* 1: cut off by max_frames or stuck_limit, and not terminated */
  uint8_t *ends;        /* a sixer_end: why the episode ended; SIXER_END_NONE while it lasts */
  int32_t *env_ids;     /* which env the row is of */
  int32_t *lives;
  int64_t *frames;         /* of the env since it was created or seeded */
  int32_t *episode_frames; /* since the last reset, those of the start included */
  int32_t *executed;       /* the sixer_action that reached the console in the last frame */
  int32_t *levels;         /* of games with levels: what this episode is played on */
  /* With several players, an entry per player: 1 if the episode has ended for it, because it is out (lives -1) or
   * because it has ended for all. The others should act, and their actions count. */
  uint8_t *ended;
} sixer_vec_out;

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

/* Start new episodes in the envs whose `mask` is not 0 (NULL: in all), and report all envs; row i is env i. An env
 * whose seed is 0 or more is powered on again and seeded with it; with a negative one, or with `seeds` NULL, its
 * generators go on. The first reset of a vec must reset every env. */
SIXER_API sixer_err sixer_vec_reset(sixer_vec *vec, const uint8_t *mask, const int64_t *seeds,
                                    const sixer_vec_out *out, sixer_error *error);

/* Several players (players.h): with config.env.players at 2 or more, actions and strengths have that many entries for
 * each env, and so have the arrays of results that say so. Player k of env i is entry i * players + k. The action of a
 * player that is out is taken as NOOP, whatever it is, as long as it is in range: policies act for all. Observations
 * are common. `terminated` and `truncated` are those of the episode; life_loss must be SIXER_LIFE_LOSS_PLAIN. The
 * modes of slots are those of sixer_rom_player_modes(). In dialect ma, too, `players` must be at least 1. */

/* Step every env by actions[i]; row i is env i. `strengths` are of paddles, NULL: 1 for all. An action out of range
 * is SIXER_ERR_ACTION, except for an env that this step only resets. */
SIXER_API sixer_err sixer_vec_step(sixer_vec *vec, const int32_t *actions, const float *strengths,
                                   const sixer_vec_out *out, sixer_error *error);

/* Step, or reset, only some envs, without waiting: `count` different ones that have nothing under way. */
SIXER_API sixer_err sixer_vec_send(sixer_vec *vec, const int32_t *envs, int count,
                                   const int32_t *actions, const float *strengths,
                                   sixer_error *error);
SIXER_API sixer_err sixer_vec_send_reset(sixer_vec *vec, const int32_t *envs, int count,
                                         const int64_t *seeds, sixer_error *error);

/* Wait for `count` of the envs under way and write a row for each: in the order of their numbers if `count` is all
 * envs of the vec, else in the order in which they finished (see `env_ids`). Asking for more than are under way is an
 * error. As long as an env's result is not received it can do nothing else; the calls above and below that work on
 * all envs, or on that env, are errors. */
SIXER_API sixer_err sixer_vec_recv(sixer_vec *vec, int count, const sixer_vec_out *out,
                                   sixer_error *error);
SIXER_API int sixer_vec_pending(const sixer_vec *vec); /* envs whose result is not received */

/* Report `count` envs as they are, without stepping: row k is of envs[k]. NULL: all. Rewards are 0. */
SIXER_API sixer_err sixer_vec_observe(sixer_vec *vec, const int32_t *envs, int count,
                                      const sixer_vec_out *out, sixer_error *error);

/* ---- Looking at one env ---------------------------------------------------------------------------------------- */

SIXER_API sixer_status sixer_vec_status(const sixer_vec *vec, int env);

/* Its 128 bytes of memory; valid until the next call that changes the vec. */
SIXER_API const uint8_t *sixer_vec_ram(const sixer_vec *vec, int env);

/* Change one of these bytes, index 0 to 127. What is shown follows from the next frame on; with SIXER_OBS_RAM the
 * observation does too. */
SIXER_API sixer_err sixer_vec_set_ram(sixer_vec *vec, int env, int index, uint8_t value,
                                      sixer_error *error);

/* What player B and a person at the console do in the steps of an env from now on, until it is changed: an action
 * (a sixer_action, SIXER_ACTION_NOOP at first), how far its paddle is turned, and the console's switches
 * (SIXER_SWITCH_... of sixer.h). SIXER_ERR_ACTION if there is no such action or switch. */
SIXER_API sixer_err sixer_vec_set_other(sixer_vec *vec, int env, int action_b, float strength_b,
                                        int switches, sixer_error *error);

/* The SIXER_SOUND_SAMPLES samples of its last step, as sixer_env_sound() has them; needs config.env.sound. Valid until
 * the next call that changes the vec. */
SIXER_API const uint8_t *sixer_vec_sound(const sixer_vec *vec, int env);

/* Rows of its screen. sixer_rom_info.height differs from it if the image is NTSC or PAL depending on the system seed.
 * */
SIXER_API int sixer_vec_height(const sixer_vec *vec, int env);

/* Its screen in colors, sixer_vec_height() * 160 * 3 bytes. SIXER_ERR_PICTURE with SIXER_OBS_RAM. */
SIXER_API sixer_err sixer_vec_rgb(sixer_vec *vec, int env, uint8_t *rgb, sixer_error *error);

/* The objects of its last frame, as sixer_env_objects() does; needs config.env.objects. */
SIXER_API int sixer_vec_objects(const sixer_vec *vec, int env, sixer_object *objects, int max);

/* ---- Tapes ----------------------------------------------------------------------------------------------------- */

/* Record on a tape (tape.h) what an env does from now on: steps, resets, loaded states. A tape has the raw rewards and
 * the actions of the game, without clipping, stacking and pooling. Steps that end in the middle because the episode
 * does are recorded as they were; after a reset with a seed, no-ops or FIRE there is a state on the tape. The env must
 * have been reset. One tape at a time: a second one is SIXER_ERR_ARGUMENT. An existing file is refused. */
SIXER_API sixer_err sixer_vec_record(sixer_vec *vec, int env, const char *path, const char *by,
                                     sixer_error *error);

/* End the tape of an env, if there is one. Errors while recording, such as a full disk, do not disturb the steps; the
 * first one is reported here. sixer_vec_destroy() ends all tapes too. */
SIXER_API sixer_err sixer_vec_record_end(sixer_vec *vec, int env, sixer_error *error);

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* A state of a vec's env has everything that determines its next observations, the stack included: a loaded env goes
 * on exactly as the saved one did. It may be loaded into any slot of the same image, in any vec with the same `obs`,
 * `pool`, size and `stack`. With SIXER_SAVE_CONTROLLER in `flags` the state also contains the generators
 * and the remembered sticky action; without it, loading leaves those of the env unchanged, so copies of one env draw
 * different random numbers.
 *
 * Pictures are packed: with a stack of four of 84 x 84 pixels a state has 4,000 to 8,000 bytes, of which the generators
 * take 2,600. A state that is saved again after loading has the same bytes.
 *
 * With SIXER_SAVE_PLAIN the state is that of the console and the game alone, as sixer_env_save() writes it, some 450
 * bytes. States of a single env can be loaded too, if they have no
 * picture. After such a state the observation is black until steps fill it (one of memory has the memory), the screen
 * is unknown until the next step, and max_frames counts from the start of the episode that was saved. */
enum { SIXER_SAVE_PLAIN = 4 };

/* Bytes of a state of the env as it is now; 0 if there is no such env, or no memory. The size depends on the pictures;
 * sixer_vec_state_bound() bytes are enough for any env of this vec at any time. */
SIXER_API size_t sixer_vec_state_size(const sixer_vec *vec, int env, int flags);
SIXER_API size_t sixer_vec_state_bound(const sixer_vec *vec, int flags);

/* Save `count` envs; states[k] points to sizes[k] bytes, at least sixer_vec_state_size(vec, envs[k], flags). */
SIXER_API sixer_err sixer_vec_save(sixer_vec *vec, const int32_t *envs, int count, int flags,
                                   void *const *states, const size_t *sizes, sixer_error *error);

/* Load states[k], of sizes[k] bytes or fewer, into envs[k], for `count` different envs. All states are checked
 * before any is loaded. */
SIXER_API sixer_err sixer_vec_load(sixer_vec *vec, const int32_t *envs, int count,
                                   const void *const *states, const size_t *sizes,
                                   sixer_error *error);

/* Make env to[k] a copy of env from[k], all at once: every source is read as it was before the call. One source may
 * serve many envs. The pairs must play the same image. */
SIXER_API sixer_err sixer_vec_copy(sixer_vec *vec, const int32_t *from, const int32_t *to,
                                   int count, int flags, sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
