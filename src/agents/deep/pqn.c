/* PQN, parallelized Q-network (Gallici et al. 2024): Q-learning without replay memory and without target network. Many
 * environments play at once, and the network learns from what they just played. Normalized layers keep it stable.
 *
 *     repeat:
 *       for t = 0 .. rollout-1, in all environments: choose epsilon-greedily by Q(s_t, .), play, observe r_t and s_t+1
 *       G_T-1 = r_T-1 + gamma max_a Q(s_T, a), then backwards
 *       G_t = r_t + gamma ((1 - lambda) max_a Q(s_t+1, a) + lambda G_t+1), or r_t if the episode ended
 *       `epochs` times: shuffle all (s_t, a_t, G_t) into batches; for each batch
 *         one step of the optimizer on the mean of (Q(s, a) - G)^2 / 2
 *
 * The values in G are those by which the actions were chosen; the network does not change while it plays.
 *
 * What playing a single environment takes (sixer watch, evaluation) is shared with DQN, and so are the options of the
 * network. Random numbers are functions of (seed, stream, index), where the index counts the choices of all
 * environments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/learner.h"
#include "util/error.h"
#include "util/os.h"
#include "util/os_memory.h"

typedef struct pqn {
  deep d;      /* d.steps are choices of all environments */
  int at;      /* steps played since the last update; `rollout`: an update is under way */
  int batches; /* batches of that update that are done */
  /* what was played: [rollout + 1][envs] observations, [rollout][envs] of the rest */
  uint8_t *observations;
  int32_t *lanes;
  float *rewards, *best; /* best: the largest value of the state in which it acted */
  uint8_t *ends;
  float *targets;   /* G */
  float *q;         /* [envs][actions] */
  float *last_best; /* of the states after the last step */
  uint32_t *order;  /* the samples of this epoch, shuffled */
  /* of a batch */
  const uint8_t **states;
  int *batch_actions;
  float *batch_targets;
  double learning_time; /* seconds in passes of the network */
} pqn;

/* Streams beyond those of learner.h; never change their numbers. */
enum { STREAM_SHUFFLE = 100 };

static double seconds(void) { return os_seconds(); }

static size_t observation_size(const pqn *p) {
  return (size_t)(DEEP_STACK * p->d.o.size * p->d.o.size);
}

static int64_t samples(const pqn *p) { return p->d.o.envs * p->d.o.rollout; }

/* ---- Creation -------------------------------------------------------------------------------------------------- */

static void describe_network(const deep *d, nn_spec *spec) {
  static const nn_norm norms[] = {NN_NORM_NONE, NN_NORM_CHANNELS, NN_NORM_LAYER};
  spec->norm = norms[d->o.norm];
  spec->norm_epsilon = 1e-6f;
}

static void values(deep *d, const float *block, const float *noise, const uint8_t *const *states,
                   int count, deep_stream taus, uint64_t index, float *q) {
  (void)taus;
  (void)index;
  nn_forward(d->net, block, noise, states, count, NULL, 0, q, false);
}

static const deep_method method = {.describe = describe_network, .values = values};

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  const deep_options *o = &((pqn *)agent)->d.o;
  if (o->envs * o->rollout % o->batch)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "envs x rollout = %lld steps are not a whole number of batches of %lld",
                      (long long)(o->envs * o->rollout), (long long)o->batch);
  if (o->epochs > o->batch)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%lld epochs need batches of at least as many",
                      (long long)o->epochs);
  return deep_create(agent, &method, error);
}

static void free_rollout(pqn *p) {
  os_aligned_free(p->observations);
  p->observations = NULL;
  void **arrays[] = {(void **)&p->lanes,         (void **)&p->rewards,      (void **)&p->best,
                     (void **)&p->ends,          (void **)&p->targets,      (void **)&p->q,
                     (void **)&p->last_best,     (void **)&p->order,        (void **)&p->states,
                     (void **)&p->batch_actions, (void **)&p->batch_targets};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    free(*arrays[i]);
    *arrays[i] = NULL;
  }
}

static void destroy(sixer_agent *agent) {
  free_rollout((pqn *)agent);
  deep_destroy(agent);
}

static sixer_err bind(sixer_agent *agent, sixer_list actions, sixer_error *error) {
  pqn *p = (pqn *)agent;
  sixer_err err = deep_bind(&p->d, actions, error);
  if (err || p->observations) return err;
  size_t envs = (size_t)p->d.o.envs, all = (size_t)samples(p), batch = (size_t)p->d.o.batch;
  size_t states = batch > envs ? batch : envs;
  /* whole vectors of bytes, aligned: the vector then copies with wide stores */
  p->observations = os_aligned((all + envs) * observation_size(p));
  p->lanes = calloc(all, sizeof *p->lanes);
  p->rewards = calloc(all, sizeof *p->rewards);
  p->best = calloc(all, sizeof *p->best);
  p->ends = calloc(all, sizeof *p->ends);
  p->targets = calloc(all, sizeof *p->targets);
  p->q = calloc(envs * (size_t)actions.count, sizeof *p->q);
  p->last_best = calloc(envs, sizeof *p->last_best);
  p->order = calloc(all, sizeof *p->order);
  p->states = calloc(states, sizeof *p->states);
  p->batch_actions = calloc(batch, sizeof *p->batch_actions);
  p->batch_targets = calloc(batch, sizeof *p->batch_targets);
  if (p->observations && p->lanes && p->rewards && p->best && p->ends && p->targets && p->q &&
      p->last_best && p->order && p->states && p->batch_actions && p->batch_targets)
    return SIXER_OK;
  free_rollout(p);
  return sixer_fail(error, SIXER_ERR_MEMORY,
                    "out of memory for %lld steps of %lld environments: %.0f MB; choose fewer",
                    (long long)p->d.o.rollout, (long long)p->d.o.envs,
                    (double)((all + envs) * observation_size(p)) * 1e-6);
}

static int describe_vector(const sixer_agent *agent, sixer_vec_config *config) {
  const deep_options *o = &((const pqn *)agent)->d.o;
  config->obs = SIXER_OBS_GRAY;
  config->pool = SIXER_POOL_MAX;
  config->height = config->width = (int)o->size;
  config->stack = DEEP_STACK;
  return (int)o->envs;
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

static uint8_t *observations_at(const pqn *p, int t) {
  return p->observations + (size_t)t * (size_t)p->d.o.envs * observation_size(p);
}

static uint8_t *room(sixer_agent *agent, bool next) {
  pqn *p = (pqn *)agent;
  return observations_at(p, p->at + next);
}

/* Values of all actions in the states of step t, and the best of each. */
static void evaluate(pqn *p, int t, float *best) {
  const int envs = (int)p->d.o.envs, actions = p->d.action_count;
  double began = seconds();
  for (int i = 0; i < envs; i++)
    p->states[i] = observations_at(p, t) + (size_t)i * observation_size(p);
  nn_forward(p->d.net, p->d.online, NULL, p->states, envs, NULL, 0, p->q, false);
  p->learning_time += seconds() - began;
  for (int i = 0; i < envs; i++)
    best[i] = p->q[i * actions + deep_argmax(p->q + i * actions, actions)];
}

static void act(sixer_agent *agent, int32_t *lanes) {
  pqn *p = (pqn *)agent;
  deep *d = &p->d;
  const int envs = (int)d->o.envs, actions = d->action_count;
  int32_t *chosen = p->lanes + p->at * envs;
  evaluate(p, p->at, p->best + p->at * envs);
  d->last_epsilon = deep_epsilon(d);
  double sum = 0;
  for (int i = 0; i < envs; i++) {
    const uint64_t index = (uint64_t)(d->steps + i);
    if (random_unit(deep_random(d, DEEP_ACT, 2 * index)) < d->last_epsilon) {
      uint64_t bits = deep_random(d, DEEP_ACT, 2 * index + 1);
      chosen[i] = (int32_t)((bits >> 32) * (uint64_t)actions >> 32);
    } else {
      chosen[i] = deep_argmax(p->q + i * actions, actions);
    }
    sum += (double)p->best[p->at * envs + i];
  }
  d->value += 0.1 * (sum / envs - d->value);
  memcpy(lanes, chosen, (size_t)envs * sizeof *lanes);
}

static void learn_step(sixer_agent *agent, const int32_t *rewards, const uint8_t *ends) {
  pqn *p = (pqn *)agent;
  const int envs = (int)p->d.o.envs;
  for (int i = 0; i < envs; i++) {
    int reward = rewards[i];
    if (p->d.o.clip_rewards) reward = reward > 0 ? 1 : reward < 0 ? -1 : 0;
    p->rewards[p->at * envs + i] = (float)reward;
    p->ends[p->at * envs + i] = ends[i];
  }
  p->at++;
  p->d.steps += envs;
}

/* ---- Learning -------------------------------------------------------------------------------------------------- */

/* G of all steps, from the last to the first. */
static void find_targets(pqn *p) {
  const int envs = (int)p->d.o.envs, last = (int)p->d.o.rollout - 1;
  const float gamma = (float)p->d.o.gamma, lambda = (float)p->d.o.lambda;
  evaluate(p, last + 1, p->last_best);
  for (int t = last; t >= 0; t--) {
    for (int i = 0; i < envs; i++) {
      const int k = t * envs + i;
      float next = t == last ? p->last_best[i] : p->best[k + envs];
      if (t < last) next += lambda * (p->targets[k + envs] - next);
      p->targets[k] = p->ends[k] ? p->rewards[k] : p->rewards[k] + gamma * next;
    }
  }
}

static void shuffle(pqn *p, int64_t epoch) {
  const int64_t count = samples(p);
  uint64_t state = deep_random(&p->d, (deep_stream)STREAM_SHUFFLE,
                               (uint64_t)(p->d.steps / count * p->d.o.epochs + epoch));
  for (int64_t i = 0; i < count; i++) p->order[i] = (uint32_t)i;
  for (int64_t i = count - 1; i > 0; i--) {
    int64_t k = random_below(&state, (int)i + 1);
    uint32_t other = p->order[i];
    p->order[i] = p->order[k];
    p->order[k] = other;
  }
}

static bool updating(const sixer_agent *agent) {
  const pqn *p = (const pqn *)agent;
  return p->at == p->d.o.rollout;
}

static bool resting(const sixer_agent *agent) { return ((const pqn *)agent)->at == 0; }

static sixer_err update(sixer_agent *agent, sixer_error *error) {
  pqn *p = (pqn *)agent;
  deep *d = &p->d;
  const int batch = (int)d->o.batch, actions = d->action_count;
  const int64_t per_epoch = samples(p) / batch;
  if (p->batches == 0) find_targets(p);
  if (p->batches % per_epoch == 0) shuffle(p, p->batches / per_epoch);
  const uint32_t *order = p->order + p->batches % per_epoch * batch;
  for (int i = 0; i < batch; i++) {
    p->states[i] = p->observations + order[i] * observation_size(p);
    p->batch_actions[i] = p->lanes[order[i]];
    p->batch_targets[i] = p->targets[order[i]];
  }
  double began = seconds();
  nn_forward(d->net, d->online, NULL, p->states, batch, NULL, 0, d->outputs, true);
  nn_loss_squared(d->outputs, batch, actions, p->batch_actions, p->batch_targets, NULL,
                  1.0f / (float)batch, d->losses, d->d_outputs);
  double mean = 0;
  for (int i = 0; i < batch; i++) mean += (double)d->losses[i];
  mean /= batch;
  if (!isfinite(mean))
    return sixer_fail(error, SIXER_ERR_DIVERGED,
                      "learning has diverged at step %lld: the loss of update %lld is %g; a "
                      "smaller rate may help",
                      (long long)d->steps, (long long)d->updates, mean);
  nn_update(d->net, &d->optimizer, d->online, NULL, d->d_outputs);
  p->learning_time += seconds() - began;
  d->loss += (d->updates ? 0.01 : 1) * (mean - d->loss);
  d->updates++;
  if (++p->batches < per_epoch * d->o.epochs) return SIXER_OK;
  /* the last states are the first of what is played next */
  memcpy(observations_at(p, 0), observations_at(p, (int)d->o.rollout),
         (size_t)d->o.envs * observation_size(p));
  p->at = p->batches = 0;
  return SIXER_OK;
}

static int repeat(sixer_agent *agent) {
  pqn *p = (pqn *)agent;
  deep *d = &p->d;
  const int batch = (int)d->o.batch;
  if (!p->observations || !d->updates) return 0;
  for (int t = 0; t <= d->o.rollout; t++) evaluate(p, t, p->last_best);
  const int count = (int)(samples(p) / batch * d->o.epochs);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < batch; k++)
      p->states[k] = p->observations + p->order[(i * batch + k) % samples(p)] * observation_size(p);
    nn_forward(d->net, d->online, NULL, p->states, batch, NULL, 0, d->outputs, true);
    nn_update(d->net, &d->optimizer, d->online, NULL, d->d_outputs);
  }
  return count;
}

/* ---- The agent ------------------------------------------------------------------------------------------------- */

static sixer_err learn_alone(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                             sixer_error *error) {
  (void)agent;
  (void)env;
  (void)result;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "pqn learns from many environments at once: train it with sixer_train_create() "
                    "or `sixer train`");
}

static sixer_agent_progress learned(const sixer_agent *agent) {
  const pqn *p = (const pqn *)agent;
  sixer_agent_progress progress = deep_learned(agent);
  progress.learning_time = p->learning_time;
  if (p->observations)
    progress.memory +=
        (int64_t)((size_t)(samples(p) + p->d.o.envs) * observation_size(p)) + samples(p) * 21;
  return progress;
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  pqn *p = (pqn *)agent;
  p->at = p->batches = 0;
  return deep_load(agent, env, in, error);
}

static const agent_option options[] = {
    {"envs", AGENT_INT, DEEP_FIELD(envs), "128", 1, 4096, NULL, "environments that play at once"},
    {"rollout", AGENT_INT, DEEP_FIELD(rollout), "32", 1, 4096, NULL,
     "steps of each environment between two updates"},
    {"epochs", AGENT_INT, DEEP_FIELD(epochs), "2", 1, 100, NULL,
     "times that an update goes through the steps"},
    {"batch", AGENT_INT, DEEP_FIELD(batch), "128", 1, 4096, NULL,
     "steps per step of the optimizer"},
    {"lambda", AGENT_REAL, DEEP_FIELD(lambda), "0.65", 0, 1, NULL,
     "how far targets look ahead: 0 one step, 1 to the end of the rollout"},
    {"gamma", AGENT_REAL, DEEP_FIELD(gamma), "0.99", 0, 1, NULL, "discount per step"},
    {"epsilon_start", AGENT_REAL, DEEP_FIELD(epsilon_start), "1", 0, 1, NULL,
     "probability of a uniformly drawn action at first"},
    {"epsilon", AGENT_REAL, DEEP_FIELD(epsilon), "0.001", 0, 1, NULL, "and in the end"},
    {"epsilon_steps", AGENT_INT, DEEP_FIELD(epsilon_steps), "250000", 0, 1e10, NULL,
     "steps of all environments until then"},
    {"epsilon_evaluation", AGENT_REAL, DEEP_FIELD(epsilon_evaluation), "0.001", 0, 1, NULL,
     "and when it is evaluated"},
    {"optimizer", AGENT_CHOICE, DEEP_FIELD(optimizer), "radam", 0, 0, DEEP_OPTIMIZERS,
     DEEP_OPTIMIZERS_HELP},
    {"rate", AGENT_REAL, DEEP_FIELD(rate), "2.5e-4", 1e-12, 1, NULL, "learning rate"},
    {"rate_epsilon", AGENT_REAL, DEEP_FIELD(rate_epsilon), "1e-8", 0, 1, NULL,
     "added to the root of squared gradients"},
    {"decay", AGENT_REAL, DEEP_FIELD(decay), "0.95", 0, 0.9999, NULL, "of the means of rmsprop"},
    {"max_norm", AGENT_REAL, DEEP_FIELD(max_norm), "10", 0, 1e6, NULL,
     "longer gradients are shortened to this norm; 0: none are"},
    DEEP_NETWORK("nature", "512", "he"),
    {"norm", AGENT_CHOICE, DEEP_FIELD(norm), "channels", 0, 0, "none|channels|layer",
     "layers are normalized over the channels of a position, or over all of a layer"},
    {"size", AGENT_INT, DEEP_FIELD(size), "84", 20, 84, NULL, "rows and columns of a frame"},
    {"clip_rewards", AGENT_FLAG, DEEP_FIELD(clip_rewards), "1", 0, 0, NULL,
     "rewards count as -1, 0 or 1"},
    {0}};

/* The published runs lower epsilon in the first tenth of the training. */
static const agent_preset presets[] = {
    {"gallici2024",
     "envs=128,rollout=32,epochs=2,batch=128,lambda=0.65,gamma=0.99,epsilon_start=1,epsilon=0.001,"
     "epsilon_steps=5000000,optimizer=radam,rate=2.5e-4,max_norm=10,norm=channels,init=he",
     "Gallici et al. 2024, for 200M frames"},
    {"10M", "epsilon_steps=250000", "the same, exploring for a tenth of 10M frames: the defaults"},
    {"quick",
     "envs=16,rollout=8,epochs=4,batch=32,gamma=0.97,epsilon_start=1,epsilon=0.02,"
     "epsilon_steps=8000,rate=5e-4,trunk=quick,size=42,hidden=128",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

static const agent_vector vector = {.describe = describe_vector,
                                    .bind = bind,
                                    .room = room,
                                    .act = act,
                                    .learn = learn_step,
                                    .updating = updating,
                                    .update = update,
                                    .resting = resting};

const agent_class agent_pqn = {
    .name = "pqn",
    .summary = "learn a network of action values from many environments at once (PQN)",
    .size = sizeof(pqn),
    .options = options,
    .presets = presets,
    .create = create,
    .act = deep_act,
    .reset = deep_reset,
    .prepare = deep_prepare,
    .learn = learn_alone,
    .learned = learned,
    .vector = &vector,
    .repeat = repeat,
    .look = deep_look,
    .saliency = deep_saliency,
    .evaluate = deep_evaluate,
    .save = deep_save,
    .load = load,
    .destroy = destroy};
