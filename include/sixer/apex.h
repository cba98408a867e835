/* Ape-X: many actors play, one learner updates the network (Horgan et al. 2018; as in Toromanoff et al. 2019).
 *
 *     learner    copies the blocks of steps that actors write into its replay memory, updates, publishes weights
 *     actor      plays with the newest weights that it has fetched, and writes blocks of steps
 *     store      where they meet: a Redis server, or the memory of one process
 *
 *     sixer_apex_settings settings = sixer_apex_settings_default();
 *     settings.train.agent = "rainbow";  // any agent with a replay memory; rom, protocol, seed, path as in train.h
 *     settings.server = "unix:/run/redis.sock";
 *     settings.actors = 4;
 *     sixer_apex_learner *learner;
 *     if (sixer_apex_learner_create(&settings, &learner, &error)) return puts(error.message), 1;
 *     while (!sixer_apex_learner_progress(learner).finished) sixer_apex_learner_run(learner, 0.1, &error);
 *
 * and in other processes, on any machine, with nothing but the address:
 *
 *     sixer_apex_actor_create(&settings, -1, &actor, &error);  // takes a slice that is free
 *     while (!sixer_apex_actor_progress(actor).finished) sixer_apex_actor_run(actor, 0.1, &error);
 *
 * Synchronized, the run is a function of its settings: the learner's update after T steps uses exactly the first T
 * steps, and an actor at step s acts with exactly the weights that belong to s. Otherwise (free-running) nobody waits.
 * docs/apex.md has the whole story. */
#ifndef SIXER_APEX_H
#define SIXER_APEX_H

#include "sixer/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What actors and learner of one process share instead of a server. */
typedef struct sixer_apex_memory sixer_apex_memory;
SIXER_API sixer_apex_memory *sixer_apex_memory_create(void); /* NULL if there is no memory */
SIXER_API void sixer_apex_memory_destroy(sixer_apex_memory *memory); /* the last; NULL is allowed */

/* Fill with sixer_apex_settings_default(), then change what differs. Texts are copied. */
typedef struct sixer_apex_settings {
  uint32_t cookie;
  sixer_train_settings
      train; /* of the learner; actors find all of it in the store, except `threads` */
  /* Where they meet: redis://HOST[:PORT][/DATABASE], rediss:// (TLS) or unix:PATH; or `memory`. */
  const char *server;
  sixer_apex_memory *memory;
  const char *password_file; /* NULL: the environment variable SIXER_REDIS_PASSWORD, if it is set */
  const char *authority;     /* certificates for rediss://, a file; NULL: those of the system */
  const char *run;           /* name of the run in the server: letters, digits, -, _ and . */
  double timeout;            /* seconds that a call of the server may take; 5 */
  double patience;           /* seconds that a server may be away before a run gives up; 60 */
  bool resume; /* learner: continue from its checkpoint and from the server's blocks */
  bool reset;  /* learner: remove what the server has under the name of the run */
  /* What decides the result, beside the settings of training. */
  int actors;        /* 1 */
  int block;         /* steps of a block; 32 */
  int fetch;         /* steps between fetches of weights; 400 */
  int lead;          /* synchronized: steps that actors may be ahead of the learner; 800 */
  bool synchronized; /* at most 4 actors; true */
  bool priorities; /* actors compute the first priority of a step; else it is the largest so far */
  bool
      saber; /* the server has a record of every transition and the tree of priorities, as in the program of the SABER
                 paper, to compare; else blocks. docs/apex.md says what it does not do */
  bool ladder; /* actor i explores with epsilon 0.4^(1 + 7 i / (actors - 1)), Horgan et al. 2018 */
  int64_t
      updates; /* the run ends after so many, if not before by frames or episodes; 0: no limit */
  double pace; /* actor: frames per second that it plays at most, 60 being real time; 0: no limit */
  const char *image; /* actor: the cartridge image; NULL: it is found by the game's name */
} sixer_apex_settings;

SIXER_API sixer_apex_settings sixer_apex_settings_default(void);

/* Settings with which a synchronized actor and its learner give what the agent gives in one process, bit for bit:
 * blocks of `period` steps, weights after every update, no lead. `period` is the agent's option. */
SIXER_API sixer_err sixer_apex_lockstep(sixer_apex_settings *settings, sixer_error *error);

/* Is there a client for Redis? The program has one if hiredis was found when it was built; the libraries have none, so
 * that they depend on nothing more. */
SIXER_API bool sixer_apex_has_redis(void);

/* ---- The learner ----------------------------------------------------------------------------------------------- */

typedef struct sixer_apex_learner sixer_apex_learner;

/* Begin a run, or continue it (settings->resume). The server must not evict keys and must have room for the blocks.
 * SIXER_ERR_STATE if it has another learner, or keys of another run under this name. */
SIXER_API sixer_err sixer_apex_learner_create(const sixer_apex_settings *settings,
                                              sixer_apex_learner **learner, sixer_error *error);

/* Work for about so many seconds, or until the run has ended. A server that went away is waited for
 * (settings->patience); one that came back empty gets a new start from what the learner has. */
SIXER_API sixer_err sixer_apex_learner_run(sixer_apex_learner *learner, double seconds,
                                           sixer_error *error);
SIXER_API sixer_err sixer_apex_learner_save(sixer_apex_learner *learner, sixer_error *error);
SIXER_API void sixer_apex_learner_destroy(sixer_apex_learner *learner);       /* NULL is allowed */
SIXER_API sixer_train *sixer_apex_learner_train(sixer_apex_learner *learner); /* to look at */

typedef struct sixer_apex_progress {
  sixer_train_progress
      train; /* frames, episodes and scores of all actors, as far as they were copied */
  int64_t updates;
  int64_t steps;        /* T: updates follow one another every `period` of them */
  int64_t version;      /* the last that was published */
  int64_t published;    /* how many were, since creation */
  int alive;            /* actors */
  int64_t held, memory; /* steps in the replay memory, and how many there can be */
  double staleness;     /* updates by which the weights of arriving steps were old, lately */
  double replay_ratio;  /* transitions drawn per step played */
  double loss;
  int64_t store_bytes;               /* memory of the server; 0: not known */
  double store_step;                 /* bytes of a step in the server */
  bool connected, waiting, finished; /* waiting: for steps of actors */
} sixer_apex_progress;
SIXER_API sixer_apex_progress sixer_apex_learner_progress(const sixer_apex_learner *learner);

/* ---- Actors ---------------------------------------------------------------------------------------------------- */

typedef struct sixer_apex_actor sixer_apex_actor;

/* Take part in a run as actor `index`, or as one that is missing if that is -1. Waits for a learner (patience). An
 * actor that comes back takes its slice again. */
SIXER_API sixer_err sixer_apex_actor_create(const sixer_apex_settings *settings, int index,
                                            sixer_apex_actor **actor, sixer_error *error);
SIXER_API sixer_err sixer_apex_actor_run(sixer_apex_actor *actor, double seconds,
                                         sixer_error *error);
SIXER_API void sixer_apex_actor_destroy(sixer_apex_actor *actor); /* NULL is allowed */

typedef struct sixer_apex_actor_state {
  int index;
  int64_t steps, frames, episodes, blocks; /* since creation */
  int64_t version;                         /* of its weights */
  double last;                             /* score of its last episode; NaN before */
  const char *game;
  bool connected, waiting, finished;
} sixer_apex_actor_state;
SIXER_API sixer_apex_actor_state sixer_apex_actor_progress(const sixer_apex_actor *actor);

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* What a server and the blocks of Ape-X can carry; `sixer bench apex`. Rates are per second by the clock, times are
 * seconds of processor time, if nothing else is said. A batch has 32 transitions of 7 frames. */
typedef struct sixer_apex_figures {
  double append_rate, append_time; /* steps that 4 actors encode and write; of an actor per step */
  double block_bytes, step_bytes;  /* per step: that are sent, and that the server's memory takes */
  /* drawn through the server; of the learner and of the server per batch */
  double batch_rate, batch_time, batch_server_time;
  /* from the learner's copy, while it follows 4 actors; of a batch, and of following per step */
  double copy_rate, copy_time, follow_time;
  /* the same in the layout of the SABER paper: a record of every transition, priorities in the server */
  double saber_append_rate, saber_batch_rate, saber_batch_time, saber_server_time, saber_step_bytes;
  double weights_time, weights_wait; /* by the clock: until 10 actors have 30 MB of weights; the
                                        longest wait of another client meanwhile */
} sixer_apex_figures;

/* Measure for so many seconds per figure with steps of random play. Everything in the server under the run names
 * "bench", "bench-saber" and "bench-weights" is replaced; give it a server of its own. The password is in
 * $SIXER_REDIS_PASSWORD. */
SIXER_API sixer_err sixer_apex_measure(const char *server, const sixer_rom *rom, double seconds,
                                       sixer_apex_figures *figures, sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
