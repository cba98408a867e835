/* DQN (Mnih et al. 2015): a network predicts the value of every action, and learns to predict the reward plus the
 * discounted value of the best action in the next state, as an older copy of it predicts that.
 *
 *     y = r + gamma max_a Q_target(s', a), or r if the episode ended
 *     loss = Huber(y - Q(s, a)), the mean over a batch
 *
 * "double" lets the online network choose the action a and the target network evaluate it (van Hasselt et al. 2016). */
#include "agents/deep/learner.h"

static void values(deep *d, const float *block, const float *noise, const uint8_t *const *states,
                   int count, deep_stream taus, uint64_t index, float *q) {
  (void)taus;
  (void)index;
  nn_forward(d->net, block, noise, states, count, NULL, 0, q, false);
}

static const float *loss(deep *d) {
  const replay_batch *b = d->batch;
  const int count = b->count, actions = d->action_count;
  const uint8_t *const *next_states = (const uint8_t *const *)b->next_states;

  nn_forward(d->net, d->target, NULL, next_states, count, NULL, 0, d->next_outputs, false);
  const float *chooser = d->next_outputs;
  if (d->o.twice) {
    nn_forward(d->net, d->online, NULL, next_states, count, NULL, 0, d->q, false);
    chooser = d->q;
  }
  for (int i = 0; i < count; i++) {
    int best = deep_argmax(chooser + i * actions, actions);
    d->targets[i] = b->rewards[i] + b->discounts[i] * d->next_outputs[i * actions + best];
  }

  nn_forward(d->net, d->online, NULL, (const uint8_t *const *)b->states, count, NULL, 0, d->outputs,
             true);
  if (d->o.loss == LOSS_HUBER)
    nn_loss_huber(d->outputs, count, actions, b->actions, d->targets, NULL, 1.0f / (float)count,
                  d->losses, d->d_outputs);
  else /* the mean of whole squares */
    nn_loss_squared(d->outputs, count, actions, b->actions, d->targets, NULL, 2.0f / (float)count,
                    d->losses, d->d_outputs);
  return NULL;
}

static const deep_method method = {.values = values, .loss = loss};

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  return deep_create(agent, &method, error);
}

static const agent_option options[] = {DEEP_SCHEDULE("1000000", "20000", "4", "32", "8000"),
                                       DEEP_EXPLORATION("1", "0.01", "250000", "0.001"),
                                       DEEP_TARGET("1", "0"),
                                       {"loss", AGENT_CHOICE, DEEP_FIELD(loss), "squared", 0, 0,
                                        "huber|squared", "huber is linear for errors above 1"},
                                       DEEP_OPTIMIZER("adam", "6.25e-5", "1.5e-4"),
                                       DEEP_NETWORK("nature", "512", "xavier"),
                                       DEEP_OBSERVATION,
                                       {0}};

/* The original sums gradients over the batch and adds 0.01 below the root of RMSProp. With the mean over the batch the
 * same steps need 0.01 / 32^2. */
static const agent_preset presets[] = {
    {"dopamine",
     "memory=1000000,start=20000,period=4,batch=32,target_period=8000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=250000,epsilon_evaluation=0.001,"
     "loss=squared,optimizer=adam,rate=6.25e-5,rate_epsilon=1.5e-4,init=xavier",
     "Castro et al. 2018 and later: Dopamine with Adam, without its padding"},
    {"nature2015",
     "memory=1000000,start=50000,period=4,batch=32,target_period=10000,"
     "epsilon_start=1,epsilon=0.1,epsilon_steps=1000000,epsilon_evaluation=0.05,"
     "loss=huber,optimizer=rmsprop,rate=0.00025,rate_epsilon=9.765625e-6,decay=0.95,"
     "init=torch,padding=one,resize=bilinear,pool=rgb",
     "Mnih et al. 2015 and their program"},
    {"machado2018",
     "memory=1000000,start=50000,period=4,batch=32,target_period=10000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=200000,epsilon_evaluation=0.01,"
     "loss=huber,optimizer=rmsprop,rate=0.00025,rate_epsilon=9.765625e-6,decay=0.95,"
     "init=torch,padding=one,resize=bilinear,pool=rgb",
     "Machado et al. 2018, Table 6"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=250,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,"
     "loss=huber,optimizer=adam,rate=0.001,rate_epsilon=1e-6,init=he,"
     "trunk=quick,size=42,hidden=128",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_dqn = {.name = "dqn",
                               .summary = "learn a network of action values (DQN)",
                               .options = options,
                               .presets = presets,
                               .create = create,
                               DEEP_HOOKS};
