/* The learner of the original Ape-X (Horgan et al. 2018): DQN with double Q-learning, dueling streams, three steps and
 * prioritized replay. It can be trained by one process too; `sixer apex` gives it actors.
 *
 *     y = R + gamma^n Q_target(s', argmax_a Q(s', a)), or R if the episode ended
 *     loss = (y - Q(s, a))^2 / 2, weighted against priorities, the mean over a batch
 *
 * The priority of a transition is its loss to the power omega. The paper takes |y - Q|^0.6, which is (2 loss)^0.3; so
 * omega is 0.3 here, and the constant factor does not matter. */
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
  nn_forward(d->net, d->online, NULL, next_states, count, NULL, 0, d->q, false);
  for (int i = 0; i < count; i++) {
    int best = deep_argmax(d->q + i * actions, actions);
    d->targets[i] = b->rewards[i] + b->discounts[i] * d->next_outputs[i * actions + best];
  }
  nn_forward(d->net, d->online, NULL, (const uint8_t *const *)b->states, count, NULL, 0, d->outputs,
             true);
  nn_loss_squared(d->outputs, count, actions, b->actions, d->targets, d->weights,
                  1.0f / (float)count, d->losses, d->d_outputs);
  return NULL;
}

static const deep_method method = {.values = values, .loss = loss};

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  return deep_create(agent, &method, error);
}

static const agent_option options[] = {
    DEEP_SCHEDULE("2000000", "50000", "4", "512", "10000"),
    DEEP_EXPLORATION("1", "0.01", "250000", "0.001"),
    DEEP_PRIORITIES("0.3", "0.4", "0.4", "0", "redraw"),
    DEEP_TARGET("3", "1"),
    DEEP_OPTIMIZER("rmsprop", "6.25e-5", "1.5e-7"),
    DEEP_NETWORK("nature", "512", "torch"),
    {"dueling", AGENT_FLAG, DEEP_FIELD(dueling), "1", 0, 0, NULL,
     "streams of their own for the value and for the advantages"},
    DEEP_OBSERVATION,
    {0}};

static const agent_preset presets[] = {
    {"horgan2018",
     "memory=2000000,start=50000,period=4,batch=512,target_period=10000,"
     "omega=0.3,beta_start=0.4,beta=0.4,beta_steps=0,n=3,double=1,dueling=1,"
     "optimizer=rmsprop,rate=6.25e-5,rate_epsilon=1.5e-7,decay=0.95,max_norm=40,init=torch",
     "Horgan et al. 2018, appendix: target every 2,500 updates; actors with --epsilons ladder"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=250,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,"
     "optimizer=adam,rate=5e-4,rate_epsilon=1e-6,init=he,trunk=quick,size=42,hidden=64",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_apex_dqn = {.name = "apex-dqn",
                                    .summary = "double, dueling, prioritized DQN of Ape-X",
                                    .options = options,
                                    .presets = presets,
                                    .create = create,
                                    DEEP_HOOKS};
