/* The structs of a vec; internal to src/env. vec.c has the public calls, vec_member.c the episodes, steps and
 * observations of one env, vec_state.c saving, loading and copying. */
#ifndef SIXER_ENV_VEC_PARTS_H
#define SIXER_ENV_VEC_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "env/act.h"
#include "env/pictures.h"
#include "env/preprocess.h"
#include "sixer/tape.h"
#include "sixer/vec.h"
#include "util/threads.h"

/* Buffers of one thread, lent to the env that it works on. */
typedef struct vec_thread {
  env_scratch buffers;
  preprocess_scratch pre;
  uint8_t *kept; /* copy of a screen that the next frame would overwrite */
  uint32_t rows; /* newest row stamp of the TIA when the last picture was made */
} vec_thread;

/* The picture of the last observation, before it was resized. It is needed again if the next step ends in its last
 * frame: the reference then pools it with the frame before that one. Kept as the one or two frames that it was made of,
 * or as pixels if these frames cannot be drawn again. */
typedef struct vec_last {
  int frames; /* 1 or 2; 0: the pixels are in `raw` */
  console *start[2];
  console_input input[2];
  uint8_t *raw; /* allocated on first use */
} vec_last;

typedef enum vec_task { TASK_NONE, TASK_STEP, TASK_RESET, TASK_REPORT } vec_task;

/* The result of a step. */
typedef struct vec_result {
  int32_t reward, raw_reward, executed;
  /* of players 2 and up, and whether the episode has ended for each player */
  int32_t more_rewards[SIXER_PLAYERS_MAX - 1], more_raw[SIXER_PLAYERS_MAX - 1],
      more_executed[SIXER_PLAYERS_MAX - 1];
  bool ended[SIXER_PLAYERS_MAX];
  bool terminated, truncated;
  sixer_end end;
} vec_result;

/* An env of one game and flavor, powered on and reset. If its state does not depend on the seed (`seedless`), members
 * are created and seeded by copying it. */
typedef struct vec_model {
  const sixer_rom *rom;
  int mode, difficulty;
  sixer_env *env;
  env_pictures pictures;
  bool seedless;
} vec_model;

/* The generator that draws the number of no-ops at the start of episodes. It is saved as its seed and the number of
 * draws, if these are few; VEC_DRAWS_MANY: it is not known any more. */
typedef struct vec_noop {
  mt19937 mt;
  uint32_t seed, draws;
} vec_noop;
enum { VEC_DRAWS_MAX = 4096, VEC_DRAWS_MANY = VEC_DRAWS_MAX + 1 };

typedef struct vec_member {
  sixer_env *env;
  const vec_model *model;
  const preprocess *pre;
  env_pictures pictures;
  sixer_list actions;
  vec_last last;
  uint8_t *ring; /* the stacked pictures, a ring buffer */
  int newest;    /* index of the newest picture */
  vec_noop noop;
  int32_t elapsed;   /* frames since the start of the episode */
  int32_t lives;     /* at the end of the last step */
  bool ready;        /* it was reset or loaded at least once */
  bool over;         /* the episode has ended */
  vec_result result; /* of the last step */
  vec_task task;     /* what the thread that takes the member will do */
  int32_t action;
  float strength;
  int32_t more_actions[SIXER_PLAYERS_MAX - 1]; /* of players 2 and up, if there are several */
  float more_strengths[SIXER_PLAYERS_MAX - 1];
  int32_t action_b; /* of player B, held from step to step; and the console's switches */
  float strength_b;
  int32_t switches;
  int64_t seed;   /* for the next reset; negative: none */
  bool busy;      /* sent and not received */
  bool has_final; /* `final_obs` is the last observation of the episode that ended in this step */
  uint8_t *final_obs;       /* kept until it is received; allocated on first use */
  sixer_recorder *recorder; /* NULL: no tape */
  bool changed;             /* the env was changed, and the tape does not know it yet */
} vec_member;

struct sixer_vec {
  sixer_vec_config config;
  int count, threads;
  int players; /* of each env */
  size_t picture_size, obs_size;
  int shape[4], dims;
  vec_member *members;
  vec_model *models;
  int model_count;
  preprocess *pres; /* one per height of screens */
  int pre_count;
  blend_table *blends[4]; /* by format */
  const char *blend_formats[4];
  vec_thread *scratch; /* one per thread */
  thread_pool *pool;
  atomic_bool failed; /* a thread ran out of memory */

  /* the call that the threads work on: numbers of members (NULL: all), and where results go */
  const int32_t *list;
  const sixer_vec_out *out;

  int pending; /* members that were sent and not received */
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  int32_t *done; /* members that are finished and wait for a receiver */
  int done_count;
  const sixer_vec_out *receiver; /* where a waiting receiver wants its rows; NULL: nobody waits */
  int rows_wanted;               /* rows that the receiver asked for */
  int rows_taken;                /* of these, given to a member */
  int rows_written;              /* of these, complete */
  int32_t *sent;                 /* room for a list of all members */
};

/* ---- vec_member.c ---------------------------------------------------------------------------------------------- */

/* Create the model of a slot's game and flavor, with the buffers of thread 0. */
sixer_err vec_model_create(sixer_vec *vec, vec_model *model, const sixer_vec_slot *slot,
                           sixer_error *error);
void vec_model_destroy(vec_model *model);
sixer_err vec_member_create(sixer_vec *vec, int index, const vec_model *model, sixer_error *error);
void vec_member_destroy(vec_member *m);
size_t vec_member_memory(const sixer_vec *vec, const vec_member *m);

/* As after so many draws with this seed; at most VEC_DRAWS_MAX. */
void vec_noop_seed(vec_noop *rng, uint32_t seed, uint32_t draws);

/* Do the member's task. With SIXER_AUTORESET_SAME the last observation of an episode goes to `final_obs`, if that is
 * not NULL. */
void vec_member_work(sixer_vec *vec, vec_member *m, vec_thread *thread, uint8_t *final_obs);

/* Write the member's results to a row. */
void vec_member_report(const sixer_vec *vec, int index, const sixer_vec_out *out, int row);

/* The member's observation, oldest picture first. */
void vec_member_observation(const sixer_vec *vec, const vec_member *m, uint8_t *obs);

/* ---- vec_tape.c ------------------------------------------------------------------------------------------------ */

/* For members with a recorder, while a thread has lent them its buffers. A step has run, of which act->left frames were
 * left out because the episode ended; `before`: episode_frames before it. */
void vec_tape_step(vec_member *m, sixer_input input, const env_act *act, int32_t before);

/* A reset has run. `plain`: it was sixer_env_reset() alone, and would be the same in an env outside of a vec. */
void vec_tape_reset(vec_member *m, bool plain);

/* The env was changed in another way. */
void vec_tape_state(vec_member *m);

/* End the tape, if there is one. */
sixer_err vec_tape_end(sixer_vec *vec, vec_member *m, sixer_error *error);

/* ---- vec.c ----------------------------------------------------------------------------------------------------- */

/* Put "env INDEX: " before the message of an error. */
sixer_err vec_name_index(sixer_error *error, int index, sixer_err err);

/* Check that these are `count` numbers of members, none of them busy. `distinct`: and that no number appears twice. */
sixer_err vec_check_list(sixer_vec *vec, const char *what, const int32_t *envs, int count,
                         bool distinct, sixer_error *error);

#endif
