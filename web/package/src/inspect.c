/* Inspectors. JavaScript reads the log where it is; its entries have fixed sizes. */
#include "web.h"

sixer_input web_input(void);

_Static_assert(sizeof(sixer_log_instruction) == 20, "read by inspect.js");
_Static_assert(sizeof(sixer_log_write) == 16, "read by inspect.js");
_Static_assert(sizeof(sixer_log_line) == 72, "read by inspect.js");

WEB sixer_inspector *web_inspector_create(const sixer_env *env) {
  sixer_inspector *inspector = NULL;
  return sixer_inspector_create(env, &inspector, &web_error) ? NULL : inspector;
}
WEB void web_inspector_destroy(sixer_inspector *inspector) { sixer_inspector_destroy(inspector); }

/* Log what a step with the input that JavaScript has filled in would do. */
WEB int web_inspector_step(sixer_inspector *inspector, const sixer_env *env) {
  sixer_result result;
  sixer_err err = sixer_inspector_step(inspector, env, web_input(), &result, &web_error);
  if (err) return err;
  const sixer_frame_log *l = sixer_inspector_log(inspector);
  web_begin();
  const void *arrays[] = {l->instructions, l->writes, l->lines,    l->pixels,
                          l->screen,       l->memory, l->registers};
  for (int i = 0; i < 7; i++) web_put((double)(uintptr_t)arrays[i]);
  web_put(l->instruction_count);
  web_put(l->write_count);
  web_put(l->line_count);
  web_put(l->first_line);
  web_put(l->height);
  web_put(l->clocks);
  return SIXER_OK;
}

WEB int web_inspector_peek(sixer_inspector *inspector, const sixer_env *env, int address, int count,
                           uint8_t *bytes) {
  return sixer_inspector_peek(inspector, env, address, count, bytes, &web_error);
}
WEB int web_disassemble(const uint8_t *bytes, int pc, char *text) {
  return sixer_disassemble(bytes, pc, text);
}
