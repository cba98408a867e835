/* Settings by name: JavaScript fills web_config in, field by field, and reads configs back. */
#include "web.h"

double web_out[WEB_OUT];
sixer_error web_error;
sixer_vec_config web_config;

static int used;
void web_begin(void) { used = 0; }
void web_put(double value) {
  if (used < WEB_OUT) web_out[used++] = value;
}
void web_put_text(const char *text) { web_put((double)(uintptr_t)text); }
void web_put_list(sixer_list list) {
  web_put((double)(uintptr_t)list.items);
  web_put(list.count);
}

WEB double *web_out_at(void) { return web_out; }
WEB sixer_error *web_error_at(void) { return &web_error; }
WEB const char *web_error_text(int code) { return sixer_err_text((sixer_err)code); }
WEB const char *web_version(void) { return SIXER_VERSION; }
WEB int web_behavior(void) { return SIXER_BEHAVIOR; }

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

/* Of an env: name and kind (int, uint32_t, float, bool or an enum). */
#define ENV_FIELDS(F)       \
  F(core, int)              \
  F(seed, uint32_t)         \
  F(system_seed, uint32_t)  \
  F(sticky, float)          \
  F(frame_skip, int)        \
  F(mode, int)              \
  F(difficulty, int)        \
  F(level, int)             \
  F(levels, int)            \
  F(max_frames, int)        \
  F(end_on_life_loss, bool) \
  F(color_averaging, bool)  \
  F(sound, bool)            \
  F(picture, bool)          \
  F(reward_min, int)        \
  F(reward_max, int)        \
  F(paddle_min, int)        \
  F(paddle_max, int)        \
  F(cycle_cpu, bool)        \
  F(objects, bool)          \
  F(scoring, int)           \
  F(noop_starts, int)       \
  F(random_action, float)   \
  F(frame_skip_max, int)    \
  F(delay_max, int)         \
  F(stuck_limit, int) F(players, int) F(dialect, int) F(turn_limit, int) F(corrections, int)
/* What a vec adds. */
#define VEC_FIELDS(F) \
  F(obs, int)         \
  F(pool, int)        \
  F(height, int)      \
  F(width, int)       \
  F(stack, int)       \
  F(actions, int)     \
  F(noop_max, int) F(fire_start, bool) F(clip_rewards, bool) F(life_loss, int) F(autoreset, int)

#define NAME(name, type) #name,
static const char *const names[] = {ENV_FIELDS(NAME) VEC_FIELDS(NAME) NULL};
#define ONE(name, type) +1
enum { ENV_COUNT = ENV_FIELDS(ONE) };

/* Names by index; NULL after the last. Those of envs come first. */
WEB const char *web_config_name(int index) { return names[index]; }
WEB int web_config_env_names(void) { return ENV_COUNT; }

#define KIND_int         'i'
#define KIND_uint32_t    'u'
#define KIND_float       'f'
#define KIND_bool        'b'
#define KIND(name, type) KIND_##type,
static const char kinds[] = {ENV_FIELDS(KIND) VEC_FIELDS(KIND) 0};
WEB int web_config_kind(int index) { return kinds[index]; }

WEB void web_config_begin(bool vec) {
  web_config = sixer_vec_config_default();
  web_config.threads = 1;
  if (!vec) web_config.env = sixer_config_default();
}

/* JavaScript has checked that the value is of the field's kind. */
WEB void web_config_set(int index, double value) {
  int i = 0;
#define SET(name, type) \
  if (i++ == index) web_config.env.name = (type)value;
  ENV_FIELDS(SET)
#undef SET
#define SET(name, type) \
  if (i++ == index) web_config.name = (type)value;
  VEC_FIELDS(SET)
#undef SET
}

/* All fields of an env's config into web_out. */
static void put_config(const sixer_config *c) {
  web_begin();
#define GET(name, type) web_put((double)c->name);
  ENV_FIELDS(GET)
#undef GET
}

WEB void web_env_config(const sixer_env *env) { put_config(sixer_env_config(env)); }
WEB void web_config_get(void) { put_config(&web_config.env); }
WEB void web_tape_config(const sixer_tape *tape) {
  const sixer_config config = sixer_tape_describe(tape).config;
  put_config(&config);
}

/* The settings of a new env are those of the tape. */
WEB void web_config_of_tape(const sixer_tape *tape) {
  web_config.env = sixer_tape_describe(tape).config;
}
