/* Sarsa(lambda) with linear function approximation (Bellemare et al. 2013; Machado et al. 2018).
 *
 * One step, in the order of the program that the authors of 2018 published:
 *
 *     phi, Q(phi, .), a        the state, its values and the action drawn for it
 *     traces decay; those of phi and a become 1
 *     stop if a value has grown beyond 10^8
 *     execute a, observe the reward r and the next state phi'
 *     Q(phi', .) with the old weights; a' is drawn from it; 0 if the episode is over, for whatever reason
 *     delta = r + gamma * Q(phi', a') - Q(phi, a)
 *     w += alpha / (most features active in a state so far) * delta * trace
 *     phi, a = phi', a'; Q(phi, .) with the new weights
 *
 * A reward of 1 is the size of the first reward that was not zero. Actions are drawn epsilon-greedily: one of the
 * best, within a tolerance, then with probability epsilon any. weights.h says how traces are kept. */
#include <math.h>
#include <string.h>

#include "agents/linear/features.h"
#include "agents/linear/pairs.h"
#include "agents/linear/weights.h"
#include "util/os.h"

typedef struct sarsa {
  sixer_agent base;
  /* options */
  feature_settings features;
  double alpha, lambda, gamma, epsilon, cutoff, tie, initial;
  int traces; /* 0 replacing, 1 accumulating */
  bool clear_other, divide_alpha, scale_rewards, eager;
  /* what the learner consists of */
  feature_set *set;
  weights w;
  pair_store *pairs; /* instead of w, for sets of pairs of bits */
  bool bound;        /* to a list of actions: w or pairs was created */
  int action_count;
  int actions[SIXER_ACTION_COUNT];
  /* what it has learned beside the weights */
  int64_t steps;
  int max_active;
  double reward_unit; /* 0: not known yet */
  /* the present state */
  bool known;  /* active features, q and `lane` belong to the env at frame `frame` */
  bool chosen; /* `lane` was given out by act */
  int lane;    /* position of the action in the list */
  int64_t frame;
  uint32_t kept; /* features before the last choice that was not learned from; 0: none new */
  int active;    /* features */
  double q[SIXER_ACTION_COUNT];
  feature_list raw;
  double value, delta;
  double features_time, learning_time;
} sarsa;

static double seconds(void) { return os_seconds(); }

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a learner");
}

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  sarsa *s = (sarsa *)agent;
  s->max_active = 1;
  s->features.no_files = agent->no_files;
  return feature_set_create(&s->features, &s->set, error);
}

static void destroy(sixer_agent *agent) {
  sarsa *s = (sarsa *)agent;
  feature_set_destroy(s->set);
  weights_destroy(&s->w);
  pair_store_destroy(s->pairs);
  feature_list_free(&s->raw);
}

static void prepare(const sixer_agent *agent, sixer_config *config) {
  const sarsa *s = (const sarsa *)agent;
  const feature_class *class = feature_class_at(s->features.set);
  config->picture = !class->ram;
  config->color_averaging = s->features.averaging && !class->ram;
}

/* ---- Weights, by feature or by pairs of bits -------------------------------------------------------------------- */

/* Pairs of bits have a store of their own, which knows the usual traces only. */
static bool wants_pairs(const sarsa *s) {
  return s->set->class->pair_bits && !s->features.bias && s->traces == 0 && !s->clear_other &&
         !s->eager && s->initial == 0 &&
         weights_window(s->gamma * s->lambda, s->cutoff) <= PAIR_WINDOW_MAX;
}

static sixer_err store_create(sarsa *s, int count, sixer_error *error) {
  double decay = s->gamma * s->lambda;
  if (wants_pairs(s)) {
    s->pairs = pair_store_create(s->set->class->pair_bits, decay, weights_window(decay, s->cutoff));
    return s->pairs ? SIXER_OK : out_of_memory(error);
  }
  weights_settings settings = {.decay = decay,
                               .cutoff = s->cutoff,
                               .initial = (float)s->initial,
                               .eager = s->eager,
                               .accumulate = s->traces == 1,
                               .clear_other = s->clear_other,
                               .counts = s->set->class->counts,
                               .numbered = !s->set->class->dense,
                               .max_count = s->set->class->max_count,
                               .set = WEIGHTS_BEST};
  sixer_err err = weights_create(&s->w, &settings, count, error);
  if (err) weights_destroy(&s->w);
  return err;
}

/* All traces end. */
static void store_begin(sarsa *s) {
  if (s->pairs)
    pair_store_begin(s->pairs);
  else
    weights_begin(&s->w);
}

/* Look at the env: how many features are active, and the values q. */
static sixer_err store_look(sarsa *s, sixer_env *env, sixer_error *error) {
  const feature_class *class = s->set->class;
  double began = seconds(), found;
  sixer_err err;
  if (s->pairs) {
    uint64_t bits[PAIR_BITS_MAX / 64];
    err = class->look(s->set, env, bits, error);
    if (err) return err;
    found = seconds();
    s->active = (int)pair_store_look(s->pairs, bits);
    if (s->active < 0) return out_of_memory(error);
    pair_store_values(s->pairs, s->q);
  } else {
    s->raw.count = 0;
    err = class->active(s->set, env, &s->raw, error);
    if (err) return err;
    found = seconds();
    if (s->raw.failed || !weights_grow(&s->w, s->set->count) || !weights_visit(&s->w, &s->raw))
      return out_of_memory(error);
    s->active = s->w.phi.count;
    memcpy(s->q, s->w.q, sizeof s->q);
  }
  s->features_time += found - began;
  s->learning_time += seconds() - found;
  return SIXER_OK;
}

/* The action `lane` is taken: its traces are set. */
static bool store_take(sarsa *s, int lane) {
  if (!s->pairs) return weights_take(&s->w, lane);
  pair_store_choose(s->pairs, lane);
  return true;
}

/* The same, ahead of time: lazy traces are set while the records of the active features are still in the cache. If the
 * action is not learned from after all, its traces have changed no weight. */
static void store_take_early(sarsa *s, int lane) {
  if (!s->pairs && !s->w.settings.eager) weights_take(&s->w, lane);
}

/* Weights change by `change` times their traces; q follows if a state was looked at since store_take(). */
static void store_update(sarsa *s, double change, bool looked) {
  if (s->pairs) {
    pair_store_update(s->pairs, change);
    if (looked) pair_store_values(s->pairs, s->q);
  } else {
    weights_update(&s->w, change, looked);
    if (looked) memcpy(s->q, s->w.q, sizeof s->q);
  }
}

/* The first choice fixes the list of actions: weights have a lane for each of its positions. */
static sixer_err bind_actions(sarsa *s, sixer_list actions, sixer_error *error) {
  if (s->bound) {
    if (actions.count == s->action_count &&
        !memcmp(actions.items, s->actions, (size_t)actions.count * sizeof(int)))
      return SIXER_OK;
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "this learner has values for another list of actions: %d of them, found %d",
                      s->action_count, actions.count);
  }
  sixer_err err = store_create(s, actions.count, error);
  if (err) return err;
  memcpy(s->actions, actions.items, (size_t)actions.count * sizeof(int));
  s->action_count = actions.count;
  s->bound = true;
  return SIXER_OK;
}

/* ---- Acting and learning --------------------------------------------------------------------------------------- */

/* Features that were first seen in a state that was not learned from are forgotten again, so that playing does not
 * change what was learned. */
static void forget_new(sarsa *s) {
  if (s->kept && s->set->class->forget && !s->pairs) {
    weights_forget(&s->w, s->kept);
    s->set->class->forget(s->set, s->kept);
  }
  s->kept = 0;
}

static void reset(sixer_agent *agent) {
  sarsa *s = (sarsa *)agent;
  forget_new(s);
  if (s->bound) store_begin(s);
  if (s->set->class->begin) s->set->class->begin(s->set);
  s->known = s->chosen = false;
}

/* An action by its position: one of the best, or with probability epsilon any. Always two draws, or three. */
static int choose(sarsa *s) {
  const double *q = s->q;
  const int count = s->action_count;
  int best = 0, ties = 0, equal[WEIGHTS_LANES] = {0};
  for (int a = 1; a < count; a++) {
    if (q[a] > q[best]) best = a;
  }
  for (int a = 0; a < count; a++) {
    if (fabs(q[a] - q[best]) < s->tie || a == best) equal[ties++] = a;
  }
  int lane = equal[agent_below(&s->base.rng, ties)];
  if (agent_real(&s->base.rng) < s->epsilon) lane = agent_below(&s->base.rng, count);
  return lane;
}

/* Look at the env as it stands: its features, their values, an action. */
static sixer_err look(sarsa *s, sixer_env *env, sixer_error *error) {
  sixer_err err = store_look(s, env, error);
  if (err) return err;
  s->lane = choose(s);
  s->value = s->q[s->lane];
  s->frame = sixer_env_status(env).frames;
  s->known = true;
  s->chosen = false;
  return SIXER_OK;
}

/* Look at the env as it stands, unless its values are known. What is new is forgotten again if no learning follows. */
static sixer_err look_once(sarsa *s, sixer_env *env, sixer_list actions, sixer_error *error) {
  sixer_err err = bind_actions(s, actions, error);
  if (err) return err;
  if (s->known && s->frame == sixer_env_status(env).frames) return SIXER_OK;
  forget_new(s);
  if (!s->pairs || pair_store_traced(s->pairs)) store_begin(s);
  uint32_t before = s->set->count;
  s->known = false;
  err = look(s, env, error);
  s->kept = before; /* id 0 is never new */
  return err;
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  sarsa *s = (sarsa *)agent;
  sixer_err err = look_once(s, env, actions, error);
  if (err) return err;
  s->chosen = true;
  *action = s->actions[s->lane];
  return SIXER_OK;
}

/* The values of all actions. The choice is drawn with them and waits for act. */
static sixer_err show_values(sixer_agent *agent, sixer_env *env, sixer_list actions,
                             sixer_agent_view *view, sixer_error *error) {
  sarsa *s = (sarsa *)agent;
  sixer_err err = look_once(s, env, actions, error);
  if (err) return err;
  *view = (sixer_agent_view){.actions = s->action_count};
  memcpy(view->values, s->q, (size_t)s->action_count * sizeof *s->q);
  return SIXER_OK;
}

static sixer_err diverged(const sarsa *s, sixer_error *error) {
  for (int a = 0; a < s->action_count; a++) {
    if (!(fabs(s->q[a]) <= 1e8))
      return sixer_fail(error, SIXER_ERR_DIVERGED,
                        "learning has diverged at step %lld: the value of %s is %g; a smaller "
                        "alpha may help",
                        (long long)s->steps, sixer_action_name(s->actions[a]), s->q[a]);
  }
  return SIXER_OK;
}

static sixer_err learn(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                       sixer_error *error) {
  sarsa *s = (sarsa *)agent;
  if (!s->known || !s->chosen)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "there is no choice to learn from: call sixer_agent_act() before the step");
  double began = seconds();
  sixer_err err = diverged(s, error);
  if (err) return err;
  s->kept = 0;
  s->known = s->chosen = false;
  const double q = s->q[s->lane];
  const int active = s->active;
  if (!store_take(s, s->lane)) return out_of_memory(error);
  if (s->reward_unit == 0 && result->reward != 0)
    s->reward_unit = s->scale_rewards ? fabs((double)result->reward) : 1;
  double reward = s->reward_unit != 0 ? result->reward / s->reward_unit : 0;
  s->learning_time += seconds() - began;

  double next = 0;
  if (!result->over) {
    err = look(s, env, error);
    if (err) return err;
    next = s->value;
  }
  began = seconds();
  if (active > s->max_active) s->max_active = active;
  s->delta = reward + s->gamma * next - q;
  store_update(s, s->alpha / (s->divide_alpha ? s->max_active : 1) * s->delta, !result->over);
  if (result->over)
    store_begin(s);
  else
    store_take_early(s, s->lane);
  s->steps++;
  s->learning_time += seconds() - began;
  return SIXER_OK;
}

static sixer_agent_progress learned(const sixer_agent *agent) {
  const sarsa *s = (const sarsa *)agent;
  const feature_class *class = s->set->class;
  int64_t features = class->dense ? s->w.visited : s->set->count;
  if (s->pairs) {
    int64_t groups = pair_store_groups(s->pairs);
    features = groups * (groups + 1) / 2;
  }
  return (sixer_agent_progress){
      .steps = s->steps,
      .features = features,
      .memory = (int64_t)((s->pairs ? pair_store_memory(s->pairs) : weights_memory(&s->w)) +
                          (class->memory ? class->memory(s->set) : 0)),
      .active = s->active,
      .max_active = s->max_active,
      .reward_unit = s->reward_unit,
      .value = s->value,
      .error = s->delta,
      .features_time = s->features_time,
      .learning_time = s->learning_time};
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static sixer_err save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  const sarsa *s = (const sarsa *)agent;
  sections_put_u64(out, s->bound);
  if (!s->bound) return SIXER_OK;
  /* what belongs to a state is zero if there is none, so that equal learners are equal bytes */
  sections_put_u64(out, (uint64_t)s->action_count);
  for (int a = 0; a < s->action_count; a++) {
    sections_put_i64(out, s->actions[a]);
    sections_put_f64(out, s->known ? s->q[a] : 0);
  }
  sections_put_i64(out, s->steps);
  sections_put_i64(out, s->max_active);
  sections_put_i64(out, s->known ? s->active : 0);
  sections_put_f64(out, s->reward_unit);
  sections_put_u64(out, s->known);
  sections_put_u64(out, s->chosen);
  sections_put_u64(out, s->known ? (uint64_t)s->lane : 0);
  sections_put_i64(out, s->known ? s->frame : 0);
  sections_put_u64(out, s->kept);
  sections_put_f64(out, s->known ? s->value : 0);
  sections_put_f64(out, s->delta);
  sixer_err err = s->set->class->save ? s->set->class->save(s->set, out, error) : SIXER_OK;
  if (err) return err;
  if (s->pairs)
    pair_store_put(s->pairs, out);
  else
    weights_save(&s->w, out);
  return SIXER_OK;
}

/* As after creation. */
static void unlearn(sarsa *s) {
  weights_destroy(&s->w);
  pair_store_destroy(s->pairs);
  s->pairs = NULL;
  if (s->set->class->forget) s->set->class->forget(s->set, 1);
  s->bound = s->known = s->chosen = false;
  s->steps = 0;
  s->max_active = 1;
  s->reward_unit = 0;
  s->kept = 0;
}

static sixer_err load_state(sarsa *s, sections_reader *in, sixer_error *error) {
  if (!sections_get_u64(in)) return SIXER_OK; /* it was saved before its first step */
  uint64_t lanes = sections_get_u64(in);
  int actions[SIXER_ACTION_COUNT] = {0};
  double q[SIXER_ACTION_COUNT] = {0};
  bool fits = lanes >= 1 && lanes <= SIXER_ACTION_COUNT;
  for (uint64_t a = 0; fits && a < lanes; a++) {
    int64_t action = sections_get_i64(in);
    fits = action >= 0 && action < SIXER_ACTION_COUNT;
    actions[a] = fits ? (int)action : 0;
    q[a] = sections_get_f64(in);
    fits = fits && isfinite(q[a]);
  }
  int64_t steps = sections_get_i64(in), most = sections_get_i64(in);
  int64_t active = sections_get_i64(in);
  double unit = sections_get_f64(in);
  uint64_t known = sections_get_u64(in), chosen = sections_get_u64(in);
  uint64_t lane = sections_get_u64(in);
  int64_t frame = sections_get_i64(in);
  uint64_t kept = sections_get_u64(in);
  double value = sections_get_f64(in), delta = sections_get_f64(in);
  fits = fits && !sections_failed(in) && !sections_left(in) && steps >= 0 &&
         steps <= AGENT_COUNT_MAX && most >= 1 && most <= INT32_MAX && active >= 0 &&
         active <= INT32_MAX && unit >= 0 && unit < 1e15 && known <= 1 && chosen <= known &&
         lane < lanes && frame >= 0;
  if (!fits) return sixer_fail(error, SIXER_ERR_STATE, "the state of the saved agent is damaged");
  sixer_err err = bind_actions(s, (sixer_list){actions, (int)lanes}, error);
  if (!err && s->set->class->load) err = s->set->class->load(s->set, in, error);
  if (err) return err;
  if (s->pairs) {
    if (!sections_find(in, "agent.pairs") || !pair_store_get(s->pairs, in))
      return sixer_fail(error, SIXER_ERR_STATE, "the weights of the saved agent are damaged: %s",
                        sections_reason(in) ? sections_reason(in) : "they are missing");
  } else {
    if (!weights_grow(&s->w, s->set->count)) return out_of_memory(error);
    err = weights_load(&s->w, in, error);
    if (err) return err;
  }
  if (kept > s->set->count || (!s->pairs && known && s->w.phi.count != active))
    return sixer_fail(error, SIXER_ERR_STATE, "the state of the saved agent is damaged");
  s->steps = steps;
  s->max_active = (int)most;
  s->active = (int)active;
  memcpy(s->q, q, sizeof s->q);
  s->reward_unit = unit;
  s->known = known;
  s->chosen = chosen;
  s->lane = (int)lane;
  s->frame = frame;
  s->kept = (uint32_t)kept;
  s->value = value;
  s->delta = delta;
  return SIXER_OK;
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  (void)env;
  sarsa *s = (sarsa *)agent;
  unlearn(s);
  sixer_err err = load_state(s, in, error);
  if (err) unlearn(s);
  return err;
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

#define FIELD(name) offsetof(sarsa, name)

static const agent_option options[] = {
    {"features", AGENT_CHOICE, FIELD(features.set), "blob-prost", 0, 0, FEATURE_SETS,
     "what it sees"},
    {"alpha", AGENT_REAL, FIELD(alpha), "0.5", 0, 1000, NULL, "step size"},
    {"lambda", AGENT_REAL, FIELD(lambda), "0.9", 0, 1, NULL, "decay of traces beside gamma"},
    {"gamma", AGENT_REAL, FIELD(gamma), "0.99", 0, 1, NULL, "discount per decision"},
    {"epsilon", AGENT_REAL, FIELD(epsilon), "0.01", 0, 1, NULL,
     "probability of a uniformly drawn action"},
    {"cutoff", AGENT_REAL, FIELD(cutoff), "0.01", 0, 1, NULL, "traces below it are zero"},
    {"traces", AGENT_CHOICE, FIELD(traces), "replacing", 0, 0, "replacing|accumulating",
     "what a visit does to a trace"},
    {"trace_clear_other_actions", AGENT_FLAG, FIELD(clear_other), "0", 0, 0, NULL,
     "a visit clears the traces of actions not taken"},
    {"divide_alpha", AGENT_FLAG, FIELD(divide_alpha), "1", 0, 0, NULL,
     "divide alpha by the most features active so far"},
    {"scale_rewards", AGENT_FLAG, FIELD(scale_rewards), "1", 0, 0, NULL,
     "the first reward that is not zero counts as 1"},
    {"initial", AGENT_REAL, FIELD(initial), "0", -1e6, 1e6, NULL,
     "weight of features not seen yet; above 0 is optimistic"},
    {"tie", AGENT_REAL, FIELD(tie), "1e-6", 0, 1, NULL, "values closer than this are equal"},
    {"eager", AGENT_FLAG, FIELD(eager), "0", 0, 0, NULL,
     "store every trace (slow; equal but for rounding)"},
    {"averaging", AGENT_FLAG, FIELD(features.averaging), "1", 0, 0, NULL,
     "blend each picture with the one before it"},
    {"neighborhood", AGENT_INT, FIELD(features.neighborhood), "6", 1, 32, NULL,
     "blob-prost: pixels this close are one blob"},
    {"basic_ignores_color", AGENT_FLAG, FIELD(features.basic_ignores_color), "0", 0, 0, NULL,
     "blob-prost: basic features without color, as in the authors' program"},
    {"bias", AGENT_FLAG, FIELD(features.bias), "0", 0, 0, NULL,
     "basic, bass, disco, lsh, ram: one more feature, always active"},
    FEATURE_SET_OPTIONS(sarsa, features),
    {0}};

static const agent_preset presets[] = {
    {"machado2018",
     "features=blob-prost,alpha=0.5,lambda=0.9,gamma=0.99,epsilon=0.01,cutoff=0.01,averaging=1",
     "Machado et al. 2018, Table 7"},
    {"machado2018-program",
     "features=blob-prost,alpha=0.5,lambda=0.9,gamma=0.99,epsilon=0.01,cutoff=0.01,averaging=1,"
     "basic_ignores_color=1",
     "the same with what the authors' program does beside the paper"},
    {"bellemare2013-basic",
     "features=basic,alpha=0.5,lambda=0.9,gamma=0.999,epsilon=0.05,cutoff=0.01,averaging=0",
     "Bellemare et al. 2013, appendix C"},
    {"bellemare2013-bass",
     "features=bass,alpha=0.5,lambda=0.9,gamma=0.999,epsilon=0.05,cutoff=0.01,averaging=0",
     "Bellemare et al. 2013, appendix C"},
    {"bellemare2013-disco",
     "features=disco,alpha=0.1,lambda=0.9,gamma=0.999,epsilon=0.05,cutoff=0.01,averaging=0",
     "Bellemare et al. 2013, appendix C"},
    {"bellemare2013-lsh",
     "features=lsh,alpha=0.5,lambda=0.5,gamma=0.999,epsilon=0.05,cutoff=0.01,averaging=0",
     "Bellemare et al. 2013, appendix C"},
    {"bellemare2013-ram",
     "features=ram,alpha=0.2,lambda=0.5,gamma=0.999,epsilon=0.05,cutoff=0.01,averaging=0",
     "Bellemare et al. 2013, appendix C"},
    {"liang2016-b-pros",
     "features=b-pros,alpha=0.5,lambda=0.9,gamma=0.99,epsilon=0.01,cutoff=0.01,averaging=1",
     "Liang et al. 2016; values as in Machado et al. 2018, Table 7"},
    {"liang2016-b-prost",
     "features=b-prost,alpha=0.5,lambda=0.9,gamma=0.99,epsilon=0.01,cutoff=0.01,averaging=1",
     "Liang et al. 2016; values as in Machado et al. 2018, Table 7"},
    {0}};

const agent_class agent_sarsa = {.name = "sarsa",
                                 .summary = "learn by Sarsa(lambda) with linear features",
                                 .size = sizeof(sarsa),
                                 .options = options,
                                 .presets = presets,
                                 .create = create,
                                 .act = act,
                                 .reset = reset,
                                 .prepare = prepare,
                                 .learn = learn,
                                 .learned = learned,
                                 .look = show_values,
                                 .save = save,
                                 .load = load,
                                 .destroy = destroy};
