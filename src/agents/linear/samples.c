/* Screens of a game: see samples.h. */
#include "agents/linear/samples.h"

#include "agents/agent.h"
#include "sixer/tape.h"

enum { HAND_OVER = 500, STRETCHES = 200 };
static const double perturbation = 0.05;

typedef struct sampler {
  sixer_env *env;
  uint64_t rng;
  sixer_list actions;
  sixer_starts *starts;
  int64_t stretch; /* decisions from a moment of a tape; 0: until the episode is over */
  int action;      /* of Perturb play */
  int64_t hand_over, decisions;
} sampler;

static sixer_err begin_stretch(sampler *s, sixer_error *error) {
  sixer_err err = SIXER_OK;
  s->decisions = 0;
  sixer_env_reset(s->env);
  if (s->starts) {
    s->hand_over = 0;
    err = sixer_starts_begin(s->starts, agent_below(&s->rng, STRETCHES), s->env, error);
  } else {
    s->action = s->actions.items[agent_below(&s->rng, s->actions.count)];
    s->hand_over = agent_below(&s->rng, HAND_OVER + 1);
  }
  return err;
}

static int choose(sampler *s) {
  bool perturb = s->decisions++ < s->hand_over && agent_real(&s->rng) >= perturbation;
  return perturb ? s->action : s->actions.items[agent_below(&s->rng, s->actions.count)];
}

static sixer_err play(sampler *s, int64_t screens, sample_visit *visit, void *context,
                      sixer_error *error) {
  bool first = true;
  for (int64_t i = 0; i < screens;) {
    if (first) {
      sixer_err err = begin_stretch(s, error);
      if (err) return err;
    }
    sixer_result result;
    sixer_env_step(s->env, choose(s), &result);
    const uint8_t *screen = sixer_env_screen(s->env);
    if (screen) {
      if (!visit(context, screen, sixer_env_height(s->env), first)) return SIXER_OK;
      i++;
    }
    first = result.over || (s->stretch && s->decisions >= s->stretch);
  }
  return SIXER_OK;
}

sixer_err sample_screens(const sixer_rom *rom, const sample_settings *settings, sample_visit *visit,
                         void *context, sixer_error *error) {
  sampler s = {.rng = settings->seed, .actions = sixer_rom_legal_actions(rom)};
  sixer_config config = settings->config;
  config.seed = (uint32_t)agent_draw(&s.rng);
  config.picture = true;
  if (!config.max_frames) config.max_frames = 18000;
  sixer_err err = sixer_env_create(rom, &config, &s.env, error);
  if (!err && settings->tape_count > 0) {
    err = sixer_starts_create(settings->tapes, settings->tape_count, rom, STRETCHES,
                              (uint32_t)agent_draw(&s.rng), &s.starts, error);
    s.stretch = (settings->screens + STRETCHES - 1) / STRETCHES;
  }
  if (!err) err = play(&s, settings->screens, visit, context, error);
  sixer_starts_destroy(s.starts);
  sixer_env_destroy(s.env);
  return err;
}
