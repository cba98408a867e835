/* Rainbow (Hessel et al. 2018): six improvements of DQN together, and data-efficient Rainbow (DER; van Hasselt, Hessel,
 * Aslanides 2019), the same with a schedule for few steps.
 *
 *     distribution    51 probabilities per action (C51), categorical.c
 *     n steps         rewards of 3 steps before the bootstrap
 *     double          the online network chooses the action that the target network evaluates
 *     priorities      transitions are drawn in proportion to loss^omega; weights correct for it
 *     dueling         logits = value + advantage - mean advantage, in streams of their own
 *     noisy layers    explore instead of epsilon
 *
 * "compact" is the Rainbow of Dopamine: distribution, n steps and priorities only, which bring most of the gain. */
#include "agents/deep/categorical.h"

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  return deep_create(agent, &categorical_method, error);
}

#define DUELING(VALUE)                                              \
  {                                                                 \
    "dueling", AGENT_FLAG, DEEP_FIELD(dueling), VALUE, 0, 0, NULL,  \
        "streams of their own for the value and for the advantages" \
  }

static const agent_option rainbow_options[] = {
    DEEP_SCHEDULE("1000000", "20000", "4", "32", "8000"),
    DEEP_EXPLORATION("0", "0", "0", "0"),
    DEEP_NOISE("0.5", "inputs", "1", "0"),
    DEEP_PRIORITIES("0.5", "0.4", "1", "49980000", "redraw"),
    DEEP_TARGET("3", "1"),
    DEEP_CATEGORICAL,
    DEEP_OPTIMIZER("adam", "6.25e-5", "1.5e-4"),
    DEEP_NETWORK("nature", "512", "torch"),
    DUELING("1"),
    DEEP_OBSERVATION,
    {0}};

static const agent_preset rainbow_presets[] = {
    {"hessel2018",
     "memory=1000000,start=20000,period=4,batch=32,target_period=8000,"
     "epsilon_start=0,epsilon=0,epsilon_steps=0,epsilon_evaluation=0,"
     "sigma0=0.5,sigma_bias=inputs,noise_period=1,noise_evaluation=0,"
     "omega=0.5,beta_start=0.4,beta=1,beta_steps=49980000,invalid=redraw,"
     "n=3,double=1,dueling=1,atoms=51,v_max=10,rate=6.25e-5,rate_epsilon=1.5e-4,init=torch,"
     "resize=bilinear,pool=rgb",
     "Hessel et al. 2018, Table 1"},
    {"saber",
     "memory=1000000,start=80000,period=4,batch=32,target_period=32000,"
     "epsilon_start=1,epsilon=0,epsilon_steps=0,epsilon_evaluation=0,"
     "sigma0=0.1,sigma_bias=outputs,noise_period=4,noise_evaluation=1,"
     "omega=0.5,beta_start=0.4,beta=1,beta_steps=49920000,invalid=shift,"
     "n=3,double=1,dueling=1,atoms=51,v_max=10,rate=6.25e-5,rate_epsilon=1.5e-4,init=torch,"
     "padding=one,resize=bilinear,pool=small",
     "Toromanoff et al. 2019 and their program"},
    {"compact",
     "memory=1000000,start=20000,period=4,batch=32,target_period=8000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=250000,epsilon_evaluation=0.001,sigma0=0,"
     "omega=0.5,beta_start=0.5,beta=0.5,beta_steps=0,invalid=redraw,"
     "n=3,double=0,dueling=0,atoms=51,v_max=10,rate=6.25e-5,rate_epsilon=1.5e-4,init=scaling",
     "Castro et al. 2018: Dopamine, without its padding"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=250,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,sigma0=0.1,v_max=4,"
     "beta_steps=20000,rate=0.001,rate_epsilon=1e-5,trunk=quick,size=42,hidden=64",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_rainbow = {.name = "rainbow",
                                   .summary = "C51 with five more improvements (Rainbow)",
                                   .options = rainbow_options,
                                   .presets = rainbow_presets,
                                   .create = create,
                                   DEEP_HOOKS};

/* ---- Data-efficient Rainbow ------------------------------------------------------------------------------------ */

static const agent_option der_options[] = {DEEP_SCHEDULE("100000", "1600", "1", "32", "2000"),
                                           DEEP_EXPLORATION("0", "0", "0", "0.001"),
                                           DEEP_NOISE("0.1", "outputs", "1", "0"),
                                           DEEP_PRIORITIES("0.5", "0.4", "1", "98400", "shift"),
                                           DEEP_TARGET("20", "1"),
                                           DEEP_CATEGORICAL,
                                           DEEP_OPTIMIZER("adam", "1e-4", "1.5e-4"),
                                           DEEP_NETWORK("small", "256", "torch"),
                                           DUELING("1"),
                                           DEEP_OBSERVATION,
                                           {0}};

static const agent_preset der_presets[] = {
    {"hasselt2019",
     "memory=100000,start=1600,period=1,batch=32,target_period=2000,"
     "epsilon_start=0,epsilon=0,epsilon_steps=0,epsilon_evaluation=0.001,"
     "sigma0=0.1,sigma_bias=outputs,noise_period=1,noise_evaluation=0,"
     "omega=0.5,beta_start=0.4,beta=1,beta_steps=98400,invalid=shift,"
     "n=20,double=1,dueling=1,atoms=51,v_max=10,rate=1e-4,rate_epsilon=1.5e-4,max_norm=10,"
     "trunk=small,hidden=256,init=torch,resize=bilinear,pool=small",
     "van Hasselt et al. 2019"},
    {"agarwal2021",
     "memory=100000,start=1600,period=1,batch=32,target_period=2000,"
     "epsilon_start=1,epsilon=0.01,epsilon_steps=2000,epsilon_evaluation=0.001,"
     "sigma0=0.1,sigma_bias=inputs,noise_period=1,noise_evaluation=1,"
     "omega=0.5,beta_start=0.5,beta=0.5,beta_steps=0,invalid=redraw,"
     "n=10,double=1,dueling=1,atoms=51,v_max=10,rate=1e-4,rate_epsilon=1.5e-4,max_norm=0,"
     "trunk=nature,hidden=512,init=scaling,padding=same,resize=area,pool=gray",
     "Agarwal et al. 2021: Dopamine, 100 published runs per game"},
    {"quick",
     "memory=50000,start=500,period=2,batch=32,target_period=500,gamma=0.95,n=5,"
     "epsilon_start=1,epsilon=0.02,epsilon_steps=4000,epsilon_evaluation=0.01,sigma0=0.1,v_max=4,"
     "beta_steps=20000,rate=0.001,rate_epsilon=1e-5,trunk=quick,size=42,hidden=64",
     "small network and schedule: learns a simple game in a minute"},
    {0}};

const agent_class agent_der = {.name = "der",
                               .summary = "Rainbow for few steps, as in Atari-100k (DER)",
                               .options = der_options,
                               .presets = der_presets,
                               .create = create,
                               DEEP_HOOKS};
