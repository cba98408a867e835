/* The parts of `sixer serve` that its files share, and what the fuzzer speaks with. */
#ifndef SIXER_LAB_SERVE_H
#define SIXER_LAB_SERVE_H

#include "env/show.h"
#include "sixer/serve.h"
#include "sixer/vec.h"

/* A client's connection and what it has made. */
typedef struct serve_session {
  sixer_serve_settings settings;
  message_stream stream;
  message request;
  message_writer reply;
  sixer_rom *rom;
  show_settings show;
  sixer_env *env; /* one of these two, or none yet */
  sixer_vec *vec;
  /* of a vector: arrays for what a step reports, and the observations' size */
  sixer_vec_out out;
  int64_t *numbers; /* 2 per env: actions or seeds of a request */
  int32_t *ints;
  bool bye;
} serve_session;

/* Serve a client over any stream; `s->stream` and `s->settings` are filled. Frees everything. */
sixer_err serve_session_run(serve_session *s, sixer_error *error);

/* Vectors: serve_vec.c. Each fills the reply. */
sixer_err serve_vec_make(serve_session *s, sixer_rom *rom, int count, const sixer_config *config,
                         sixer_error *error);
sixer_err serve_vec_reset(serve_session *s, sixer_error *error);
sixer_err serve_vec_step(serve_session *s, sixer_error *error);
sixer_err serve_vec_look(serve_session *s, sixer_error *error);
sixer_err serve_vec_save(serve_session *s, sixer_error *error);
sixer_err serve_vec_load(serve_session *s, sixer_error *error);
void serve_vec_free(serve_session *s);

/* Settings of "make" that belong to vectors only. */
#define SERVE_VEC_KEYS                                                                         \
  "|count|height|width|stack|pool|threads|actions|noop_max|fire_start|clip_rewards|life_loss|" \
  "autoreset"

#endif
