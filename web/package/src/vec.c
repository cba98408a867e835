/* Vectors. The arrays of results are made once, when the vec is created, and reused by every call. */
#include "web.h"

typedef struct web_vec {
  sixer_vec *vec;
  sixer_vec_out out;
  sixer_vec_slot *slots;
  int count;
} web_vec;

WEB web_vec *web_vec_begin(int count) {
  web_vec *v = count > 0 ? calloc(1, sizeof *v) : NULL;
  if (v) v->slots = calloc((size_t)count, sizeof *v->slots);
  if (!v || !v->slots) {
    free(v);
    sixer_fail(&web_error, count > 0 ? SIXER_ERR_MEMORY : SIXER_ERR_ARGUMENT,
               count > 0 ? "out of memory for %d envs" : "%d envs: a vec has at least one", count);
    return NULL;
  }
  v->count = count;
  return v;
}

WEB void web_vec_slot(web_vec *v, int index, const sixer_rom *rom, int mode, int difficulty) {
  v->slots[index] = (sixer_vec_slot){rom, mode, difficulty};
}

WEB void web_vec_destroy(web_vec *v) {
  if (!v) return;
  sixer_vec_destroy(v->vec);
  free(v->slots);
  free(v->out.obs);
  free(v->out.final_obs);
  free(v->out.frames);
  free(v->out.rewards);
  free(v->out.terminated);
  free(v);
}

/* With the config that was filled in. Everything is freed if it fails. */
WEB int web_vec_create(web_vec *v) {
  sixer_err err = sixer_vec_create(v->slots, v->count, &web_config, &v->vec, &web_error);
  if (!err) {
    const sixer_vec_info info = sixer_vec_describe(v->vec);
    const size_t n = (size_t)v->count, all = n * (size_t)info.players;
    sixer_vec_out *o = &v->out;
    o->rows = v->count;
    o->obs = calloc(n, info.obs_size);
    o->final_obs = calloc(n, info.obs_size);
    o->frames = calloc(n, sizeof *o->frames);
    o->rewards = calloc(4 * all + 2 * n, sizeof *o->rewards);
    o->terminated = calloc(3 * n + all, 1);
    if (!o->obs || !o->final_obs || !o->frames || !o->rewards || !o->terminated) {
      err = sixer_fail(&web_error, SIXER_ERR_MEMORY, "out of memory for the results of %d envs",
                       v->count);
    } else {
      o->raw_rewards = o->rewards + all;
      o->lives = o->raw_rewards + all;
      o->executed = o->lives + all;
      o->episode_frames = o->executed + all;
      o->levels = o->episode_frames + n;
      o->truncated = o->terminated + n;
      o->ends = o->truncated + n;
      o->ended = o->ends + n;
    }
  }
  if (err) web_vec_destroy(v);
  return err;
}

WEB void web_vec_info(const web_vec *v) {
  const sixer_vec_info info = sixer_vec_describe(v->vec);
  const sixer_vec_out *o = &v->out;
  web_begin();
  web_put(info.players);
  web_put((double)info.obs_size);
  web_put(info.dims);
  for (int i = 0; i < 4; i++) web_put(info.shape[i]);
  const void *arrays[] = {o->obs,       o->final_obs, o->rewards, o->raw_rewards, o->terminated,
                          o->truncated, o->ends,      o->lives,   o->frames,      o->episode_frames,
                          o->executed,  o->levels,    o->ended};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) web_put((double)(uintptr_t)arrays[i]);
}

WEB void web_vec_actions(const web_vec *v, int env) {
  web_begin();
  web_put_list(sixer_vec_actions(v->vec, env));
}
WEB int web_vec_reset(web_vec *v, const uint8_t *mask, const int64_t *seeds) {
  return sixer_vec_reset(v->vec, mask, seeds, &v->out, &web_error);
}
WEB int web_vec_step(web_vec *v, const int32_t *actions, const float *strengths) {
  return sixer_vec_step(v->vec, actions, strengths, &v->out, &web_error);
}
WEB int web_vec_observe(web_vec *v) {
  return sixer_vec_observe(v->vec, NULL, v->count, &v->out, &web_error);
}
WEB const sixer_vec *web_vec_inside(const web_vec *v) { return v->vec; }
WEB const uint8_t *web_vec_ram(const web_vec *v, int env) { return sixer_vec_ram(v->vec, env); }
WEB int web_vec_height(const web_vec *v, int env) { return sixer_vec_height(v->vec, env); }
WEB int web_vec_rgb(web_vec *v, int env, uint8_t *rgb) {
  return sixer_vec_rgb(v->vec, env, rgb, &web_error);
}
WEB int web_vec_state_size(const web_vec *v, int env, int flags) {
  return (int)sixer_vec_state_size(v->vec, env, flags);
}
WEB int web_vec_save(web_vec *v, int env, int flags, void *state, size_t size) {
  const int32_t envs[] = {env};
  return sixer_vec_save(v->vec, envs, 1, flags, &state, &size, &web_error);
}
WEB int web_vec_load(web_vec *v, int env, const void *state, size_t size) {
  const int32_t envs[] = {env};
  return sixer_vec_load(v->vec, envs, 1, &state, &size, &web_error);
}
