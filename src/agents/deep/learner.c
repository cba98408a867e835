/* What DQN and its descendants share. See learner.h. */
#include "agents/deep/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/real.h"

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a learner");
}

/* ---- Random numbers -------------------------------------------------------------------------------------------- */

uint64_t deep_stream_seed(const deep *d, deep_stream stream) {
  return random_mix(d->base.rng + ((uint64_t)stream + 1) * RANDOM_STEP);
}

uint64_t deep_random(const deep *d, deep_stream stream, uint64_t index) {
  return random_mix(deep_stream_seed(d, stream) + (index + 1) * RANDOM_STEP);
}

static double uniform(uint64_t bits) { return (double)(bits >> 11) / 9007199254740992.0; }

const float *deep_noise(deep *d, int which, deep_stream stream, uint64_t index) {
  if (!(d->o.sigma0 > 0)) return NULL;
  nn_draw_noise(d->net, d->noise[which], deep_stream_seed(d, stream), index);
  return d->noise[which];
}

void deep_draw_taus(const deep *d, deep_stream stream, uint64_t index, int batch, int count,
                    int stride, float *taus) {
  uint64_t seed = deep_random(d, stream, index);
  for (int i = 0; i < batch; i++) {
    for (int k = 0; k < count; k++) {
      uint64_t bits = random_mix(seed + (uint64_t)(i * count + k + 1) * RANDOM_STEP);
      /* (23 random bits + 1/2) / 2^23: exact in a float, and neither 0 nor 1 */
      taus[i * stride + k] = ((float)(bits >> 41) + 0.5f) * 0x1p-23f;
    }
  }
}

int deep_argmax(const float *values, int count) {
  int best = 0;
  for (int i = 1; i < count; i++) {
    if (values[i] > values[best]) best = i;
  }
  return best;
}

/* ---- Creation -------------------------------------------------------------------------------------------------- */

static observe_settings observe_settings_of(const deep *d) {
  return (observe_settings){.width = (int)d->o.size,
                            .height = (int)d->o.size,
                            .resize = (observe_resize)d->o.resize,
                            .pool = (observe_pool)d->o.pool};
}

sixer_err deep_create(sixer_agent *agent, const deep_method *method, sixer_error *error) {
  deep *d = (deep *)agent;
  const deep_options *o = &d->o;
  d->method = method;
  const char *name = agent->class->name;
  const bool remembers = o->memory > 0;
  if (remembers && o->batch > o->memory)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a batch of %lld is larger than the memory of %s, %lld steps",
                      (long long)o->batch, name, (long long)o->memory);
  if (remembers && (o->start < o->n + 1 || o->memory < o->n + DEEP_STACK + 1))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "n=%lld needs a start of at least %lld steps and a memory of at least %lld",
                      (long long)o->n, (long long)o->n + 1, (long long)o->n + DEEP_STACK + 1);
  if (o->hidden % 16)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "option hidden of %s is a multiple of 16, found %lld", name,
                      (long long)o->hidden);
  observe_settings s = observe_settings_of(d);
  sixer_err err = observe_create(&s, &d->observer, error);
  if (err) return err;
  d->stack = calloc(DEEP_STACK, (size_t)(o->size * o->size));
  if (!d->stack) return out_of_memory(error);
  deep_unlearn(d);
  return SIXER_OK;
}

/* Everything that deep_bind() makes. */
static void unbind(deep *d) {
  float **arrays[] = {&d->outputs,  &d->next_outputs, &d->d_outputs, &d->q,         &d->targets,
                      &d->losses,   &d->weights,      &d->taus,      &d->next_taus, &d->noise[0],
                      &d->noise[1], &d->noise[2],     &d->points,    &d->points_at};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    free(*arrays[i]);
    *arrays[i] = NULL;
  }
  free(d->priorities);
  d->priorities = NULL;
  nn_block_destroy(d->online);
  nn_block_destroy(d->target);
  nn_block_destroy(d->composed);
  nn_optimizer_destroy(&d->optimizer);
  nn_destroy(d->net);
  replay_batch_destroy(d->batch);
  replay_destroy(d->replay);
  d->online = d->target = d->composed = NULL;
  d->optimizer = (nn_optimizer){0};
  d->net = NULL;
  d->batch = NULL;
  d->replay = NULL;
  d->bound = false;
}

void deep_unlearn(deep *d) {
  unbind(d);
  memset(d->stack, 0, (size_t)(DEEP_STACK * d->o.size * d->o.size));
  d->steps = d->updates = d->played = d->refilled = 0;
  d->loss = d->value = d->last_epsilon = 0;
  d->first = true;
  d->seen = d->chosen = false;
  d->composed_index = d->composed_updates = -1;
}

void deep_destroy(sixer_agent *agent) {
  deep *d = (deep *)agent;
  unbind(d);
  observe_destroy(d->observer);
  free(d->stack);
}

void deep_prepare(const sixer_agent *agent, sixer_config *config) {
  observe_prepare(((const deep *)agent)->observer, config);
}

/* ---- The network ----------------------------------------------------------------------------------------------- */

static void describe_trunk(const deep_options *o, nn_spec *spec) {
  /* {filters, kernel, stride} */
  static const nn_conv nature[] = {{32, 8, 4, 0, 0}, {64, 4, 2, 0, 0}, {64, 3, 1, 0, 0}};
  static const nn_conv small[] = {{32, 5, 5, 0, 0}, {64, 5, 5, 0, 0}};
  static const nn_conv quick[] = {{16, 6, 3, 0, 0}, {32, 4, 2, 0, 0}};
  const nn_conv *from = o->trunk == TRUNK_NATURE ? nature : o->trunk == TRUNK_SMALL ? small : quick;
  spec->convs = o->trunk == TRUNK_NATURE ? 3 : 2;
  int size = spec->height;
  for (int i = 0; i < spec->convs; i++) {
    nn_conv *c = &spec->conv[i];
    *c = from[i];
    if (o->padding == PADDING_SAME) nn_same_padding(size, c);
    if (o->padding == PADDING_ONE && i == 0) c->pad_before = c->pad_after = 1;
    size = (size + c->pad_before + c->pad_after - c->kernel) / c->stride + 1;
  }
}

static nn_spec describe_network(const deep *d) {
  const deep_options *o = &d->o;
  static const nn_init inits[] = {NN_INIT_TORCH, NN_INIT_XAVIER, NN_INIT_SCALING, NN_INIT_HE};
  nn_spec spec = {.channels = DEEP_STACK,
                  .height = (int)o->size,
                  .width = (int)o->size,
                  .hidden = (int)o->hidden,
                  .dueling = o->dueling,
                  .sigma0 = (float)o->sigma0,
                  .actions = d->action_count,
                  .atoms = 1,
                  .init = inits[o->init]};
  if (o->sigma0 > 0) spec.noisy = o->sigma_bias ? NN_NOISY_OUTPUTS : NN_NOISY_INPUTS;
  describe_trunk(o, &spec);
  if (d->method->describe) d->method->describe(d, &spec);
  return spec;
}

static nn_optimizer describe_optimizer(const deep_options *o) {
  bool adam = o->optimizer != DEEP_RMSPROP;
  nn_optimizer_kind kind = o->optimizer == DEEP_RADAM ? NN_RADAM : adam ? NN_ADAM : NN_RMSPROP;
  return (nn_optimizer){.kind = kind,
                        .rate = (float)o->rate,
                        .beta1 = adam ? 0.9f : (float)o->decay,
                        .beta2 = adam ? 0.999f : (float)o->decay,
                        .epsilon = (float)o->rate_epsilon,
                        .epsilon_before_correction = o->optimizer == DEEP_ADAM_TF,
                        .max_norm = (float)o->max_norm};
}

/* ---- Binding to a list of actions ------------------------------------------------------------------------------ */

static bool make_arrays(deep *d, int max_batch, int max_taus) {
  size_t states = (size_t)max_batch, samples = states * (size_t)(max_taus ? max_taus : 1);
  const nn_spec *spec = nn_net_spec(d->net);
  size_t outputs = samples * (size_t)(spec->actions * spec->atoms);
  size_t targets = states * (size_t)(spec->atoms > 1 ? spec->atoms : max_taus ? max_taus : 1);
  d->outputs = calloc(outputs, sizeof(float));
  d->next_outputs = calloc(outputs, sizeof(float));
  d->d_outputs = calloc(outputs, sizeof(float));
  d->q = calloc(samples * (size_t)spec->actions, sizeof(float));
  d->targets = calloc(targets, sizeof(float));
  d->losses = calloc(states, sizeof(float));
  d->weights = calloc(states, sizeof(float));
  d->taus = calloc(samples, sizeof(float));
  d->next_taus = calloc(samples, sizeof(float));
  d->priorities = calloc(states, sizeof(double));
  d->point_count = d->method->points ? d->method->points(d) : 0;
  d->points = calloc((size_t)(spec->actions * d->point_count + 1), sizeof(float));
  d->points_at = calloc((size_t)d->point_count + 1, sizeof(float));
  bool made = d->outputs && d->next_outputs && d->d_outputs && d->q && d->targets && d->losses &&
              d->weights && d->taus && d->next_taus && d->priorities && d->points && d->points_at;
  for (int i = 0; i < 3 && d->o.sigma0 > 0; i++) {
    d->noise[i] = calloc(nn_noise_floats(d->net) + 1, sizeof(float));
    made = made && d->noise[i];
  }
  return made;
}

static sixer_err make_memory(deep *d, sixer_error *error) {
  const deep_options *o = &d->o;
  replay_settings s = replay_settings_default();
  s.capacity = o->memory;
  s.width = s.height = (int)o->size;
  s.stack = DEEP_STACK;
  s.actions = d->action_count; /* a saved step with another action would be out of bounds */
  s.n = (int)o->n;
  s.gamma = o->gamma;
  s.prioritized = o->omega > 0;
  s.invalid = o->invalid ? REPLAY_SHIFT : REPLAY_REDRAW;
  s.seed = deep_stream_seed(d, DEEP_BATCH);
  if (d->slices) s.slices = d->slices;
  if (d->remote) s.capacity = s.slices * (s.stack + s.n);
  sixer_err err = replay_create(&s, &d->replay, error);
  if (err) return err;
  d->batch = replay_batch_create(d->replay, (int)o->batch);
  return d->batch ? SIXER_OK : out_of_memory(error);
}

static sixer_err make(deep *d, sixer_error *error) {
  const deep_options *o = &d->o;
  bool plays_only = d->base.evaluating;
  int64_t taus = o->taus;
  if (o->target_taus + o->choice_taus > taus) taus = o->target_taus + o->choice_taus;
  int64_t states = o->envs > o->batch ? o->envs : o->batch;
  int max_batch = plays_only ? 1 : (int)states, max_taus = o->cosines ? (int)taus : 0;
  nn_spec spec = describe_network(d);
  sixer_err err = nn_check(&spec, error);
  if (err) return err;
  nn_options options = {.max_batch = max_batch, .max_taus = max_taus, .threads = d->base.threads};
  err = nn_create(&spec, &options, &d->net, error);
  if (err) return err;
  d->online = nn_block_create(d->net);
  if (!d->online || !make_arrays(d, max_batch, max_taus)) return out_of_memory(error);
  if (o->sigma0 > 0 && !(d->composed = nn_block_create(d->net))) return out_of_memory(error);
  nn_initialize(d->net, d->online, deep_stream_seed(d, DEEP_WEIGHTS));
  if (plays_only) return SIXER_OK;
  d->optimizer = describe_optimizer(o);
  err = nn_optimizer_create(d->net, &d->optimizer, error);
  if (err || o->memory == 0) return err;
  d->target = nn_block_create(d->net);
  if (!d->target) return out_of_memory(error);
  nn_block_copy(d->net, d->target, d->online);
  return make_memory(d, error);
}

sixer_err deep_bind(deep *d, sixer_list actions, sixer_error *error) {
  if (d->bound) {
    if (actions.count == d->action_count &&
        !memcmp(actions.items, d->actions, (size_t)actions.count * sizeof(int)))
      return SIXER_OK;
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "this learner has values for another list of actions: %d of them, found %d",
                      d->action_count, actions.count);
  }
  memcpy(d->actions, actions.items, (size_t)actions.count * sizeof(int));
  d->action_count = actions.count;
  sixer_err err = make(d, error);
  if (err) {
    unbind(d);
    return err;
  }
  d->bound = true;
  return SIXER_OK;
}

sixer_err deep_bind_agent(sixer_agent *agent, sixer_list actions, sixer_error *error) {
  return deep_bind((deep *)agent, actions, error);
}

/* ---- Seeing and acting ----------------------------------------------------------------------------------------- */

static uint8_t *newest(const deep *d) {
  return d->stack + (size_t)(DEEP_STACK - 1) * (size_t)(d->o.size * d->o.size);
}

static bool has_seen(const deep *d, const sixer_status *status) {
  return d->seen && d->seen_frames == status->frames &&
         d->seen_episode_frames == status->episode_frames;
}

/* Append what the env shows to the stack. */
static sixer_err look(deep *d, sixer_env *env, bool first, sixer_error *error) {
  size_t frame = (size_t)(d->o.size * d->o.size);
  if (first)
    memset(d->stack, 0, (DEEP_STACK - 1) * frame);
  else
    memmove(d->stack, d->stack + frame, (DEEP_STACK - 1) * frame);
  d->seen = d->chosen = false;
  sixer_err err = observe_frame(d->observer, env, first, newest(d), error);
  if (err) return err;
  sixer_status status = sixer_env_status(env);
  d->seen = true;
  d->seen_frames = status.frames;
  d->seen_episode_frames = status.episode_frames;
  return SIXER_OK;
}

void deep_reset(sixer_agent *agent) {
  deep *d = (deep *)agent;
  /* the newest frame stays: if only a life was lost, it is the first of what follows */
  memset(d->stack, 0, (DEEP_STACK - 1) * (size_t)(d->o.size * d->o.size));
  d->first = true;
  d->chosen = false;
}

/* Evaluations may play in another env, whose frames count anew: what was seen is not the first of an episode there. */
void deep_evaluate(sixer_agent *agent) {
  deep *d = (deep *)agent;
  if (d->first) d->seen = d->chosen = false;
}

/* A value that moves from `start` to `end` in `length` steps from the first update on. */
static double annealed(double start, double end, int64_t step, int64_t begin, int64_t length) {
  if (step < begin) return start;
  if (step - begin >= length) return end;
  return start + (end - start) * ((double)(step - begin) / (double)length);
}

double deep_epsilon(const deep *d) {
  const deep_options *o = &d->o;
  if (d->base.evaluating)
    return isnan(d->base.test_epsilon) ? o->epsilon_evaluation : d->base.test_epsilon;
  return annealed(o->epsilon_start, o->epsilon, d->steps, o->start, o->epsilon_steps);
}

/* The parameters to act with, and *noise. */
static const float *acting(deep *d, const float **noise) {
  const deep_options *o = &d->o;
  bool evaluating = d->base.evaluating;
  *noise = NULL;
  if (!(o->sigma0 > 0) || (evaluating && !o->noise_evaluation)) return d->online;
  int64_t index = evaluating ? d->played : d->steps / o->noise_period;
  deep_stream stream = evaluating ? DEEP_NOISE_PLAY : DEEP_NOISE_ACT;
  if (evaluating || o->noise_period == 1) {
    *noise = deep_noise(d, 0, stream, (uint64_t)index);
    return d->online;
  }
  if (d->composed_index != index || d->composed_updates != d->updates) {
    nn_compose(d->net, d->online, deep_noise(d, 0, stream, (uint64_t)index), d->composed);
    d->composed_index = index;
    d->composed_updates = d->updates;
  }
  return d->composed;
}

static void choose(deep *d) {
  bool evaluating = d->base.evaluating;
  uint64_t index = (uint64_t)(evaluating ? d->played : d->steps);
  deep_stream stream = evaluating ? DEEP_PLAY : DEEP_ACT;
  d->last_epsilon = deep_epsilon(d);
  if (uniform(deep_random(d, stream, 2 * index)) < d->last_epsilon) {
    uint64_t bits = deep_random(d, stream, 2 * index + 1);
    d->lane = (int)((bits >> 32) * (uint64_t)d->action_count >> 32);
  } else {
    const float *noise, *block = acting(d, &noise);
    const uint8_t *state = d->stack;
    d->method->values(d, block, noise, &state, 1, evaluating ? DEEP_TAUS_PLAY : DEEP_TAUS_ACT,
                      index, d->q);
    d->lane = deep_argmax(d->q, d->action_count);
    if (!evaluating) d->value += 0.01 * ((double)d->q[d->lane] - d->value);
  }
  if (evaluating) d->played++;
  d->chosen = true;
}

sixer_err deep_stand_before(deep *d, sixer_env *env, sixer_list actions, sixer_error *error) {
  sixer_err err = deep_bind(d, actions, error);
  if (err) return err;
  sixer_status status = sixer_env_status(env);
  if (has_seen(d, &status)) return SIXER_OK;
  err = look(d, env, d->first, error);
  if (d->base.evaluating) d->first = false;
  return err;
}

sixer_err deep_act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                   sixer_error *error) {
  deep *d = (deep *)agent;
  sixer_err err = deep_stand_before(d, env, actions, error);
  if (err) return err;
  if (!d->chosen) choose(d);
  *action = d->actions[d->lane];
  return SIXER_OK;
}

/* ---- Learning -------------------------------------------------------------------------------------------------- */

static double power(double x, double exponent) {
  if (exponent == 0.5) return sqrt(x);
  return x > 0 ? real_exp(exponent * real_log(x)) : 0;
}

/* Weights that correct for priorities: (probability)^-beta, the largest of the batch 1 (Schaul et al. 2016). */
static void weigh(deep *d) {
  const deep_options *o = &d->o;
  const replay_batch *b = d->batch;
  double beta = annealed(o->beta_start, o->beta, d->steps, o->start, o->beta_steps), least = 1;
  for (int i = 0; i < b->count; i++) {
    if (b->probabilities[i] < least) least = b->probabilities[i];
  }
  for (int i = 0; i < b->count; i++)
    d->weights[i] = o->omega > 0 ? (float)power(least / b->probabilities[i], beta) : 1;
}

double deep_priority(const deep *d, float loss) { return power((double)loss + 1e-10, d->o.omega); }

static void decode_sample(void *context, int k, int thread) {
  (void)thread;
  const deep *d = context;
  replay_decode(d->replay, d->batch, k);
}

sixer_err deep_update(deep *d, sixer_error *error) {
  const deep_options *o = &d->o;
  bool drawn = d->source ? d->source->draw(d->source, &d->batch)
                         : replay_draw(d->replay, d->batch, (int)o->batch, (uint64_t)d->updates);
  if (!drawn)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the replay memory has no complete transition after %lld steps",
                      (long long)d->steps);
  replay_batch *b = d->batch;
  if (!d->source) nn_run(d->net, decode_sample, d, b->count);
  weigh(d);
  const float *noise = d->method->loss(d);
  double mean = 0;
  for (int i = 0; i < b->count; i++) mean += (double)d->losses[i];
  mean /= b->count;
  if (!isfinite(mean))
    return sixer_fail(
        error, SIXER_ERR_DIVERGED,
        "learning has diverged at step %lld: the loss of update %lld is %g; a smaller "
        "rate may help",
        (long long)d->steps, (long long)d->updates, mean);
  nn_update(d->net, &d->optimizer, d->online, noise, d->d_outputs);
  if (o->omega > 0) {
    for (int i = 0; i < b->count; i++) d->priorities[i] = deep_priority(d, d->losses[i]);
    if (d->source)
      d->source->set(d->source, b, d->priorities);
    else
      replay_set_priorities(d->replay, b->steps, d->priorities, b->count);
  }
  d->loss += (d->updates ? 0.01 : 1) * (mean - d->loss);
  d->updates++;
  return SIXER_OK;
}

/* Has the memory as many steps as the first update needs? After a checkpoint without memory it is filled again. */
static bool deep_learning(const deep *d) {
  int64_t least = d->refilled && d->o.start > d->o.memory ? d->o.memory : d->o.start;
  return d->steps - d->refilled >= least;
}

sixer_err deep_learn(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                     sixer_error *error) {
  deep *d = (deep *)agent;
  const deep_options *o = &d->o;
  if (!d->chosen)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "there is no choice to learn from: call sixer_agent_act() before the step");
  if (!d->replay)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "this %s was loaded to play: it has no memory to learn from",
                      agent->class->name);
  int reward = result->reward;
  if (o->clip_rewards) reward = reward > 0 ? 1 : reward < 0 ? -1 : 0;
  replay_add(d->replay, &(replay_step){.frame = newest(d),
                                       .action = d->lane,
                                       .reward = (float)reward,
                                       .first = d->first,
                                       .terminal = result->over});
  d->first = d->chosen = false;
  d->steps++;
  sixer_err err = look(d, env, false, error);
  if (!err && deep_learning(d) && d->steps % o->period == 0) err = deep_update(d, error);
  if (!err && d->steps % o->target_period == 0) nn_block_copy(d->net, d->target, d->online);
  return err;
}

int deep_repeat(sixer_agent *agent) {
  deep *d = (deep *)agent;
  if (!d->replay || !d->updates) return 0;
  const float *noise = d->method->loss(d);
  nn_update(d->net, &d->optimizer, d->online, noise, d->d_outputs);
  return 1;
}

sixer_agent_progress deep_learned(const sixer_agent *agent) {
  const deep *d = (const deep *)agent;
  sixer_agent_progress p = {.steps = d->steps,
                            .updates = d->updates,
                            .reward_unit = 1,
                            .refilled = d->refilled,
                            .value = d->value,
                            .loss = d->loss,
                            .epsilon = d->last_epsilon};
  if (d->net) {
    p.kernels = nn_set_name(nn_net_set(d->net));
    size_t blocks = 1 + (d->optimizer.first ? 2 : 0) + (d->target ? 1 : 0) + (d->composed ? 1 : 0);
    p.memory = (int64_t)(blocks * nn_block_floats(d->net) * sizeof(float));
  }
  if (d->replay) {
    replay_use use = replay_memory(d->replay);
    p.memory += (int64_t)(use.frames + use.steps + use.tree);
  }
  return p;
}
