/* Inspectors: a copy of an env that is played by the core with a log. */
#include "sixer/inspect.h"

#include <stdlib.h>

#include "env/frame_log.h"
#include "machine/opcodes.h"

struct sixer_inspector {
  sixer_env *copy;
  frame_log log;
  sixer_frame_log shown;
};

sixer_err sixer_inspector_create(const sixer_env *env, sixer_inspector **inspector,
                                 sixer_error *error) {
  sixer_inspector *i = calloc(1, sizeof *i);
  if (!i) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an inspector");
  /* the plain core draws into its buffers in any case; what the env does with pictures is not needed */
  sixer_config config = env->config;
  config.core = SIXER_CORE_PLAIN;
  config.picture = config.objects = config.color_averaging = false;
  sixer_err err = sixer_env_create(env->rom, &config, &i->copy, error);
  if (err) {
    free(i);
    return err;
  }
  *inspector = i;
  return SIXER_OK;
}

void sixer_inspector_destroy(sixer_inspector *inspector) {
  if (!inspector) return;
  sixer_env_destroy(inspector->copy);
  free(inspector);
}

/* The copy becomes what the env is, played by the plain core. */
static sixer_err make_copy(sixer_inspector *inspector, const sixer_env *env, sixer_error *error) {
  sixer_env *copy = inspector->copy;
  if (copy->rom != env->rom || copy->seated != env->seated) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the inspector was made for another env: create one for this");
  }
  env_clone(copy, env);
  machine_attach(&copy->m, machine_frame_plain);
  return SIXER_OK;
}

sixer_err sixer_inspector_step(sixer_inspector *inspector, const sixer_env *env, sixer_input input,
                               sixer_result *result, sixer_error *error) {
  sixer_env *copy = inspector->copy;
  frame_log *log = &inspector->log;
  sixer_err err = make_copy(inspector, env, error);
  if (err) return err;
  copy->run_frame = frame_log_run;
  copy->m.notes = log->pixels;
  copy->m.draw = true;
  log->instruction_count = log->write_count = log->line_count = log->clocks = 0;
  err = sixer_env_step_input(copy, input, result);
  copy->m.notes = NULL;
  if (err) {
    return sixer_fail(error, err,
                      "no such action, switch or player: actions are 0..17, and those of players "
                      "that the game does not have are 0");
  }
  sixer_frame_log *s = &inspector->shown;
  *s = (sixer_frame_log){.instructions = log->instructions,
                         .writes = log->writes,
                         .lines = log->lines,
                         .pixels = log->pixels,
                         .screen = machine_picture(&copy->m, copy->m.current),
                         .instruction_count = log->instruction_count,
                         .write_count = log->write_count,
                         .line_count = log->line_count,
                         .first_line = copy->m.config.first_line,
                         .height = copy->height,
                         .clocks = log->clocks};
  for (int i = 0; i < 128; i++) s->memory[i] = log->memory[i];
  for (int i = 0; i < 8; i++) s->registers[i] = log->registers[i];
  return SIXER_OK;
}

const sixer_frame_log *sixer_inspector_log(const sixer_inspector *inspector) {
  return &inspector->shown;
}

sixer_err sixer_inspector_peek(sixer_inspector *inspector, const sixer_env *env, int address,
                               int count, uint8_t *bytes, sixer_error *error) {
  if (address < 0 || count < 0 || address > 0x10000 - count) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%d bytes from address %d: addresses are 0 to 65535", count, address);
  }
  /* a read may switch banks or start a timer: each one has a copy of its own */
  for (int i = 0; i < count; i++) {
    sixer_err err = make_copy(inspector, env, error);
    if (err) return err;
    bytes[i] = machine_peek(&inspector->copy->m, (uint16_t)(address + i));
  }
  return SIXER_OK;
}

int sixer_disassemble(const uint8_t *bytes, int pc, char text[SIXER_INSTRUCTION_TEXT]) {
  _Static_assert(SIXER_INSTRUCTION_TEXT == CPU_TEXT, "one size");
  cpu_disassemble(bytes, (uint16_t)pc, text);
  return cpu_length(bytes[0]);
}
