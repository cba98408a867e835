/* Tapes and their recorders. Files are in the memory of the page (files.js). */
#include "web.h"

sixer_input web_input(void);

/* ---- Recording -------------------------------------------------------------------------------------------------- */

WEB sixer_recorder *web_recorder_open(const char *path, sixer_env *env, const char *by) {
  sixer_recorder *recorder = NULL;
  return sixer_recorder_open(path, env, by, &recorder, &web_error) ? NULL : recorder;
}

/* The step that has just been made: its input is still there, and its result is in web_out. */
static sixer_result last_result(void) {
  return (sixer_result){.reward = (int)web_out[0],
                        .lives = (int)web_out[1],
                        .over = web_out[2] != 0,
                        .terminal = web_out[3] != 0,
                        .truncated = web_out[4] != 0,
                        .end = (sixer_end)web_out[5],
                        .executed = (int)web_out[6],
                        .frames = (int)web_out[7]};
}
WEB int web_recorder_step(sixer_recorder *recorder) {
  const sixer_result result = last_result();
  return sixer_recorder_step(recorder, web_input(), &result);
}
WEB int web_recorder_reset(sixer_recorder *recorder) { return sixer_recorder_reset(recorder); }
WEB int web_recorder_state(sixer_recorder *recorder) { return sixer_recorder_state(recorder); }
WEB int web_recorder_close(sixer_recorder *recorder) {
  return sixer_recorder_close(recorder, &web_error);
}

/* ---- Playing back ----------------------------------------------------------------------------------------------- */

WEB sixer_tape *web_tape_open(const char *path) {
  sixer_tape *tape = NULL;
  return sixer_tape_open(path, &tape, &web_error) ? NULL : tape;
}
WEB void web_tape_close(sixer_tape *tape) { sixer_tape_close(tape); }

WEB void web_tape_info(const sixer_tape *tape) {
  static sixer_tape_info i; /* its texts are read after this */
  i = sixer_tape_describe(tape);
  web_begin();
  web_put_text(i.md5);
  web_put_text(i.game);
  web_put_text(i.by);
  web_put_text(i.version);
  web_put(i.behavior);
  web_put((double)i.seconds);
  web_put((double)i.steps);
  web_put((double)i.resets);
  web_put(i.jumps);
  web_put(i.complete);
  web_put_text(i.damage);
  web_put_text(i.rules);
}

WEB sixer_rom *web_tape_rom(const sixer_tape *tape) {
  sixer_rom *rom = NULL;
  return sixer_tape_rom(tape, NULL, &rom, &web_error) ? NULL : rom;
}
WEB int web_tape_rules_changed(const sixer_tape *tape, const sixer_rom *rom) {
  return sixer_tape_rules_changed(tape, rom);
}
WEB sixer_env *web_tape_env(const sixer_tape *tape, const sixer_rom *rom) {
  sixer_env *env = NULL;
  return sixer_tape_env(tape, rom, &env, &web_error) ? NULL : env;
}
WEB int web_tape_repair(const sixer_tape *tape, const char *path) {
  return sixer_tape_repair(tape, path, &web_error);
}
WEB void web_tape_rewind(sixer_tape *tape) { sixer_tape_rewind(tape); }

/* The next event; played if there is an env. It is in web_out also if it does not reproduce its digest. */
WEB int web_tape_next(sixer_tape *tape, sixer_env *env) {
  sixer_tape_event e = {0};
  sixer_err err =
      env ? sixer_tape_play(tape, env, &e, &web_error) : sixer_tape_next(tape, &e, &web_error);
  const sixer_input *in = &e.input;
  web_begin();
  web_put(e.kind);
  web_put((double)e.second);
  web_put(e.last);
  const double input[] = {in->action_a,   in->action_b,   in->action_c,   in->action_d,
                          in->strength_a, in->strength_b, in->strength_c, in->strength_d,
                          in->switches,   in->frames};
  for (int i = 0; i < 10; i++) web_put(input[i]);
  web_put_result(&e.result);
  web_put(e.mode);
  web_put(e.difficulty);
  web_put(e.level);
  web_put(e.levels);
  web_put((double)(uintptr_t)e.state);
  web_put((double)e.state_size);
  return err;
}
