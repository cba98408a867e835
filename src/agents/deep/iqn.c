/* IQN (Dabney et al. 2018): the network is given a number tau between 0 and 1 and predicts that quantile of the return.
 * Rainbow-IQN (Toromanoff et al. 2019) adds n steps, double, priorities, dueling and noisy layers.
 *
 *     Z_tau(s, a)   a quantile of the return; tau enters as 64 cosines, which scale the trunk's outputs
 *     a*            = argmax_a of the mean of K samples Z_tau(s', a)
 *     delta_ij      = R + gamma^n Z_target,tau'_j(s', a*) - Z_tau_i(s, a)
 *     loss          = sum over i of the mean over j of |tau_i - [delta_ij < 0]| Huber(delta_ij)
 *
 * The numbers of samples are the options taus (N, of i), target_taus (N', of j) and choice_taus (K). */
#include "agents/deep/learner.h"

static void describe(const deep *d, nn_spec *spec) { spec->cosines = (int)d->o.cosines; }

/* The mean of samples first .. first + count - 1 of each action: z[batch][stride][actions] to q[batch][actions]. */
static void average(const deep *d, const float *z, int batch, int stride, int first, int count,
                    float *q) {
  const int actions = d->action_count;
  for (int i = 0; i < batch; i++) {
    for (int a = 0; a < actions; a++) {
      float sum = 0;
      for (int k = first; k < first + count; k++) sum += z[(i * stride + k) * actions + a];
      q[i * actions + a] = sum / (float)count;
    }
  }
}

static void values(deep *d, const float *block, const float *noise, const uint8_t *const *states,
                   int count, deep_stream stream, uint64_t index, float *q) {
  const int samples = (int)d->o.choice_taus;
  deep_draw_taus(d, stream, index, count, samples, samples, d->next_taus);
  nn_forward(d->net, block, noise, states, count, d->next_taus, samples, d->outputs, false);
  average(d, d->outputs, count, samples, 0, samples, q);
}

/* Samples of the target network for the next states, into d->targets[count][target_taus]. */
static void find_targets(deep *d) {
  const replay_batch *b = d->batch;
  const int count = b->count, actions = d->action_count;
  const int wanted = (int)d->o.target_taus, choice = d->o.twice ? 0 : (int)d->o.choice_taus;
  const int samples = wanted + choice;
  const uint8_t *const *next_states = (const uint8_t *const *)b->next_states;
  const uint64_t update = (uint64_t)d->updates;

  if (d->o.twice)
    values(d, d->online, deep_noise(d, 0, DEEP_NOISE_CHOICE, update), next_states, count,
           DEEP_TAUS_CHOICE, update, d->q);
  /* unless the online network has chosen, further samples of the same pass choose the action */
  deep_draw_taus(d, DEEP_TAUS_TARGET, update, count, wanted, samples, d->next_taus);
  deep_draw_taus(d, DEEP_TAUS_CHOICE, update, count, choice, samples, d->next_taus + wanted);
  nn_forward(d->net, d->target, deep_noise(d, 1, DEEP_NOISE_TARGET, update), next_states, count,
             d->next_taus, samples, d->next_outputs, false);
  if (!d->o.twice) average(d, d->next_outputs, count, samples, wanted, choice, d->q);
  for (int i = 0; i < count; i++) {
    int best = deep_argmax(d->q + i * actions, actions);
    for (int k = 0; k < wanted; k++) {
      float z = d->next_outputs[(i * samples + k) * actions + best];
      d->targets[i * wanted + k] = b->rewards[i] + b->discounts[i] * z;
    }
  }
}

static const float *loss(deep *d) {
  const replay_batch *b = d->batch;
  const int count = b->count, samples = (int)d->o.taus;
  const uint64_t update = (uint64_t)d->updates;
  find_targets(d);
  const float *noise = deep_noise(d, 2, DEEP_NOISE_ONLINE, update);
  deep_draw_taus(d, DEEP_TAUS_ONLINE, update, count, samples, samples, d->taus);
  nn_forward(d->net, d->online, noise, (const uint8_t *const *)b->states, count, d->taus, samples,
             d->outputs, true);
  nn_loss_quantile(d->outputs, count, samples, d->action_count, d->taus, b->actions, d->targets,
                   (int)d->o.target_taus, d->weights, 1.0f / (float)count, 1.0f, d->losses,
                   d->d_outputs);
  return noise;
}

/* As many quantiles as choose an action, evenly spread. */
static void distribution(deep *d, const uint8_t *state) {
  const int samples = (int)d->o.choice_taus;
  const uint8_t *const states[] = {state};
  for (int i = 0; i < samples; i++) d->points_at[i] = ((float)i + 0.5f) / (float)samples;
  nn_forward(d->net, d->online, NULL, states, 1, d->points_at, samples, d->outputs, false);
  for (int a = 0; a < d->action_count; a++) {
    for (int i = 0; i < samples; i++)
      d->points[a * samples + i] = d->outputs[i * d->action_count + a];
  }
}

static int points(const deep *d) { return (int)d->o.choice_taus; }

static const deep_method method = {.describe = describe,
                                   .values = values,
                                   .loss = loss,
                                   .distribution = distribution,
                                   .points = points,
                                   .kind = SIXER_DISTRIBUTION_QUANTILES};

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  return deep_create(agent, &method, error);
}

#define QUANTILES                                                                                \
  {"taus", AGENT_INT, DEEP_FIELD(taus), "64", 1, 200, NULL, "quantile samples of a prediction"}, \
      {"target_taus", AGENT_INT, DEEP_FIELD(target_taus), "64", 1, 200, NULL, "of its target"},  \
      {"choice_taus", AGENT_INT, DEEP_FIELD(choice_taus),     "32", 1,                           \
       200,           NULL,      "and for choosing an action"},                                  \
  {                                                                                              \
    "cosines", AGENT_INT, DEEP_FIELD(cosines), "64", 16, 512, NULL,                              \
        "by which a sample enters the network; a multiple of 16"                                 \
  }

static const agent_option iqn_options[] = {DEEP_SCHEDULE("1000000", "20000", "4", "32", "8000"),
                                           DEEP_EXPLORATION("1", "0.01", "250000", "0.001"),
                                           DEEP_TARGET("3", "0"),
                                           QUANTILES,
                                           DEEP_OPTIMIZER("adam", "5e-5", "3.125e-4"),
                                           DEEP_NETWORK("nature", "512", "scaling"),
                                           DEEP_OBSERVATION,
                                           {0}};

static const agent_preset iqn_presets[] = {
    {"dopamine",
     "memory=1000000,start=20000,period=4,batch=32,target_period=8000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=250000,epsilon_evaluation=0.001,n=3,double=0,"
     "taus=64,target_taus=64,choice_taus=32,rate=5e-5,rate_epsilon=3.125e-4,init=scaling",
     "Castro et al. 2018: Dopamine, without its padding"},
    {"dabney2018",
     "memory=1000000,start=50000,period=4,batch=32,target_period=10000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=1000000,epsilon_evaluation=0.001,n=1,double=0,"
     "taus=64,target_taus=64,choice_taus=32,rate=5e-5,rate_epsilon=3.125e-4,"
     "init=torch,resize=bilinear,pool=rgb",
     "Dabney et al. 2018"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=250,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,"
     "taus=8,target_taus=8,choice_taus=8,cosines=16,"
     "rate=5e-4,rate_epsilon=1e-5,init=he,trunk=quick,size=42,hidden=64",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_iqn = {.name = "iqn",
                               .summary = "learn quantiles of the return (IQN)",
                               .options = iqn_options,
                               .presets = iqn_presets,
                               .create = create,
                               DEEP_HOOKS};

/* ---- Rainbow-IQN ----------------------------------------------------------------------------------------------- */

static const agent_option rainbow_iqn_options[] = {
    DEEP_SCHEDULE("1000000", "80000", "4", "32", "32000"),
    DEEP_EXPLORATION("1", "0", "0", "0"),
    DEEP_NOISE("0.1", "outputs", "4", "1"),
    DEEP_PRIORITIES("0.2", "0.4", "1", "49920000", "shift"),
    DEEP_TARGET("3", "1"),
    QUANTILES,
    DEEP_OPTIMIZER("adam", "5e-5", "3.125e-4"),
    DEEP_NETWORK("nature", "512", "torch"),
    {"dueling", AGENT_FLAG, DEEP_FIELD(dueling), "1", 0, 0, NULL,
     "streams of their own for the value and for the advantages"},
    DEEP_OBSERVATION,
    {0}};

#define SABER                                                                                 \
  "memory=1000000,start=80000,period=4,batch=32,target_period=32000,"                         \
  "epsilon_start=1,epsilon=0,epsilon_steps=0,epsilon_evaluation=0,"                           \
  "sigma0=0.1,sigma_bias=outputs,noise_period=4,noise_evaluation=1,"                          \
  "omega=0.2,beta_start=0.4,beta=1,beta_steps=49920000,invalid=shift,n=3,double=1,dueling=1," \
  "rate=5e-5,init=torch,padding=one,resize=bilinear,pool=small"

/* The loss is a sum over samples, so that with an eighth of them gradients are an eighth, and so is what Adam divides
 * them by, but for rate_epsilon. That is larger than the rest for nearly all weights: left as it is, they would learn
 * eight times as slowly. */
static const agent_preset rainbow_iqn_presets[] = {
    {"saber", SABER ",taus=64,target_taus=64,choice_taus=32,rate_epsilon=3.125e-4",
     "Toromanoff et al. 2019 and their program"},
    {"saber-8", SABER ",taus=8,target_taus=8,choice_taus=8,rate_epsilon=3.90625e-5",
     "the same with 8 quantile samples: a sixth of the work"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=250,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,noise_period=1,"
     "sigma0=0.1,"
     "beta_steps=20000,taus=8,target_taus=8,choice_taus=8,cosines=16,"
     "rate=0.001,rate_epsilon=1e-5,trunk=quick,size=42,hidden=64",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_rainbow_iqn = {.name = "rainbow-iqn",
                                       .summary = "Rainbow with quantiles (Rainbow-IQN)",
                                       .options = rainbow_iqn_options,
                                       .presets = rainbow_iqn_presets,
                                       .create = create,
                                       DEEP_HOOKS};
