/* What a vec is made of; internal to src/env. vec.c has its calls, vec_member.c the life of one env in it, vec_state.c
 * what is saved and copied. */
#ifndef SIXER_ENV_VEC_PARTS_H
#define SIXER_ENV_VEC_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "env/pictures.h"
#include "env/preprocess.h"
#include "sixer/vec.h"
#include "util/threads.h"

/* What each thread has of its own and lends to the env that it works on. */
typedef struct vec_thread {
  env_scratch buffers;
  preprocess_scratch pre;
  uint8_t *kept; /* a screen that a later frame would change */
  uint32_t rows; /* numbers that the TIA has given to rows when a picture was last made */
} vec_thread;

/* The picture of the last observation before its resize: a step that ends in its last frame pools it once more. Kept as
 * the one or two frames that it was made of, or as its bytes if these cannot be drawn again. */
typedef struct vec_last {
  int frames; /* 1 or 2; 0: `raw` */
  console *start[2];
  console_input input[2];
  uint8_t *raw; /* allocated once needed */
} vec_last;

typedef enum vec_task { TASK_NONE, TASK_STEP, TASK_RESET, TASK_REPORT } vec_task;

/* What a step came to. */
typedef struct vec_result {
  int32_t reward, raw_reward, executed;
  bool terminated, truncated;
  sixer_end end;
} vec_result;

/* An env of one game and flavor as it is after power-on and a reset. Where that does not depend on the seed, envs are
 * made and seeded by copying it. */
typedef struct vec_model {
  const sixer_rom *rom;
  int mode, difficulty;
  sixer_env *env;
  env_pictures pictures;
  bool seedless;
} vec_model;

typedef struct vec_member {
  sixer_env *env;
  const vec_model *model;
  const preprocess *pre;
  env_pictures pictures;
  sixer_list actions;
  vec_last last;
  uint8_t *ring; /* the stack, a ring of pictures */
  int newest;    /* its last one */
  mt19937 noop;
  int32_t elapsed;   /* frames since the start of the episode */
  int32_t lives;     /* at the end of the last step */
  bool ready;        /* it was reset or loaded */
  bool over;         /* the episode has ended */
  vec_result result; /* of the last step */
  /* what is to be done */
  vec_task task;
  int32_t action;
  float strength;
  int64_t seed;       /* for the next reset; negative: none */
  bool busy;          /* sent and not received */
  bool has_final;     /* `final` is of this step */
  uint8_t *final_obs; /* allocated once needed: results that wait for a receiver */
} vec_member;

struct sixer_vec {
  sixer_vec_config config;
  int count, threads;
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
  atomic_bool failed; /* out of memory in the middle */

  /* what the threads work on in a call: member numbers (NULL: all), and where results go */
  const int32_t *list;
  const sixer_vec_out *out;

  /* sent and not received */
  int pending;
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  int32_t *done; /* finished and waiting for a receiver */
  int done_count;
  const sixer_vec_out *receiver; /* rows that finished envs may write to ... */
  int rows_taken, rows_wanted;   /* ... so many of them are given out */
  int rows_written;
  int32_t *sent; /* room for a list of all envs */
};

/* ---- vec_member.c ---------------------------------------------------------------------------------------------- */

/* Create the model of a slot's game and flavor, and an env of it; buffers are lent by thread 0. */
sixer_err vec_model_create(sixer_vec *vec, vec_model *model, const sixer_vec_slot *slot,
                           sixer_error *error);
void vec_model_destroy(vec_model *model);
sixer_err vec_member_create(sixer_vec *vec, int index, const vec_model *model, sixer_error *error);
void vec_member_destroy(vec_member *m);
size_t vec_member_memory(const sixer_vec *vec, const vec_member *m);

/* Do the member's task. With SIXER_AUTORESET_SAME the last observation of an episode goes to `final_obs`, if that is
 * not NULL. */
void vec_member_work(sixer_vec *vec, vec_member *m, vec_thread *thread, uint8_t *final_obs);

/* Write the member's results to a row. */
void vec_member_report(const sixer_vec *vec, int index, const sixer_vec_out *out, int row);

/* The member's observation, oldest picture first. */
void vec_member_observation(const sixer_vec *vec, const vec_member *m, uint8_t *obs);

/* ---- vec.c ----------------------------------------------------------------------------------------------------- */

/* Put "env 3: " before the message of an error. */
sixer_err vec_name_index(sixer_error *error, int index, sixer_err err);

/* Are these `count` envs of the vec with nothing under way? `distinct`: and all different. */
sixer_err vec_check_list(sixer_vec *vec, const char *what, const int32_t *envs, int count,
                         bool distinct, sixer_error *error);

#endif
