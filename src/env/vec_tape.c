/* Tapes of a vec's envs. A vec runs the frames of a step itself, and leaves out those after the end of an episode, so
 * its steps are not always those of sixer_env_step_input(): such a step says on the tape after how many frames it was
 * cut off. */
#include "env/vec_parts.h"

void vec_tape_state(vec_member *m) {
  sixer_recorder_state(m->recorder); /* a failure is kept in the recorder, here and below */
  m->changed = false;
}

void vec_tape_step(vec_member *m, sixer_input input, const env_act *act, int32_t before) {
  const sixer_env *env = m->env;
  const sixer_status now = sixer_env_status(env);
  const sixer_result result = {.reward = act->reward < INT32_MIN   ? INT32_MIN
                                         : act->reward > INT32_MAX ? INT32_MAX
                                                                   : (int)act->reward,
                               .lives = now.lives,
                               .over = now.over,
                               .terminal = now.terminal,
                               .truncated = now.truncated,
                               .end = now.end,
                               .executed = now.executed,
                               .frames = now.episode_frames - before};
  if (act->left > 0) input.frames = act->frames - act->left;
  sixer_recorder_step(m->recorder, input, &result);
}

void vec_tape_reset(vec_member *m, bool plain) {
  if (plain && !m->changed)
    sixer_recorder_reset(m->recorder);
  else
    vec_tape_state(m);
}

static vec_member *member(sixer_vec *vec, int env, sixer_err *err, sixer_error *error) {
  int32_t list = env;
  *err = vec_check_list(vec, "record", &list, 1, false, error);
  return *err ? NULL : &vec->members[env];
}

sixer_err sixer_vec_record(sixer_vec *vec, int env, const char *path, const char *by,
                           sixer_error *error) {
  sixer_err err;
  vec_member *m = member(vec, env, &err, error);
  if (err) return err;
  if (!m->ready)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d was never reset: a tape begins after that",
                      env);
  if (m->recorder)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d is being recorded already", env);
  env_lend(m->env, &vec->scratch[0].buffers);
  err = sixer_recorder_open(path, m->env, by, &m->recorder, error);
  if (err) m->recorder = NULL;
  m->changed = false;
  if (m->env->pictures && !pictures_leave(m->env)) {
    atomic_store(&vec->failed, true);
    if (!err) err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the pictures of an env");
  }
  return err;
}

sixer_err vec_tape_end(sixer_vec *vec, vec_member *m, sixer_error *error) {
  if (!m->recorder) return SIXER_OK;
  env_lend(m->env, &vec->scratch[0].buffers);
  if (m->changed) vec_tape_state(m);
  sixer_err err = sixer_recorder_close(m->recorder, error);
  m->recorder = NULL;
  if (m->env->pictures && !pictures_leave(m->env)) atomic_store(&vec->failed, true);
  return err;
}

sixer_err sixer_vec_record_end(sixer_vec *vec, int env, sixer_error *error) {
  sixer_err err;
  vec_member *m = member(vec, env, &err, error);
  return err ? err : vec_tape_end(vec, m, error);
}
