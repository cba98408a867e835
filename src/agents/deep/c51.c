/* C51 (Bellemare, Dabney, Munos: A Distributional Perspective on Reinforcement Learning, 2017): DQN that learns the
 * distribution of returns over 51 values instead of its mean. categorical.c has the loss. */
#include "agents/deep/categorical.h"

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  return deep_create(agent, &categorical_method, error);
}

static const agent_option options[] = {DEEP_SCHEDULE("1000000", "20000", "4", "32", "8000"),
                                       DEEP_EXPLORATION("1", "0.01", "250000", "0.001"),
                                       DEEP_TARGET("1", "0"),
                                       DEEP_CATEGORICAL,
                                       DEEP_OPTIMIZER("adam", "0.00025", "3.125e-4"),
                                       DEEP_NETWORK("nature", "512", "scaling"),
                                       DEEP_OBSERVATION,
                                       {0}};

static const agent_preset presets[] = {
    {"dopamine",
     "memory=1000000,start=20000,period=4,batch=32,target_period=8000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=250000,epsilon_evaluation=0.001,"
     "atoms=51,v_max=10,optimizer=adam,rate=0.00025,rate_epsilon=3.125e-4,init=scaling",
     "Castro et al. 2018: Dopamine, without its padding"},
    {"bellemare2017",
     "memory=1000000,start=50000,period=4,batch=32,target_period=10000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=1000000,epsilon_evaluation=0.001,"
     "atoms=51,v_max=10,optimizer=adam,rate=0.00025,rate_epsilon=3.125e-4,"
     "init=torch,resize=bilinear,pool=rgb",
     "Bellemare et al. 2017, section 5"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=250,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,"
     "optimizer=adam,rate=0.001,rate_epsilon=1e-5,init=he,v_max=4,trunk=quick,size=42,hidden=128",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_c51 = {.name = "c51",
                               .summary = "learn the distribution of returns over 51 values (C51)",
                               .options = options,
                               .presets = presets,
                               .create = create,
                               DEEP_HOOKS};
