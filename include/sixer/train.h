/* Training: an agent learns a game under a protocol; episodes, scores and checkpoints are written to files.
 *
 *     sixer_protocol *protocol;
 *     sixer_protocol_open("machado2018", &protocol, &error);
 *     sixer_train_settings settings = sixer_train_settings_default();
 *     settings.agent = "sarsa";
 *     settings.options = "preset=machado2018";
 *     settings.rom = rom;
 *     settings.protocol = protocol;
 *     settings.frames = 10000000;
 *     settings.path = "runs/pong-1";  // runs/pong-1.checkpoint, runs/pong-1.episodes.tsv, ...
 *     sixer_train *train;
 *     if (sixer_train_create(&settings, &train, &error)) return puts(error.message), 1;
 *     while (!sixer_train_progress_of(train).finished) {
 *       if (sixer_train_run(train, 10000, &error)) return puts(error.message), 1;
 *       sixer_train_save(train, &error);  // as often as you like
 *     }
 *     sixer_train_destroy(train);
 *
 * A run is a function of its settings: rows and checkpoints have the same bytes however the work is cut into pieces,
 * and whether or not it was killed and resumed in between. Training ends with the episode in which the budget is
 * reached. If the protocol scores episodes without learning, they are played after that, and again if the budget is
 * raised later. If it has evaluations during training, they are played at the ends of episodes; the best network so
 * far is kept, and is what plays the episodes after training.
 *
 * Agents that do not learn take part too: they play. A run belongs to one thread at a time; runs may share rom and
 * protocol. docs/training.md describes the files. */
#ifndef SIXER_TRAIN_H
#define SIXER_TRAIN_H

#include <signal.h>

#include "sixer/agents.h"
#include "sixer/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of a run. Fill with sixer_train_settings_default(), then change what differs. Texts are copied; rom and
 * protocol must outlive the run. */
typedef struct sixer_train_settings {
  uint32_t cookie;                /* set by sixer_train_settings_default() and checked */
  const char *agent;              /* name of the agent */
  const char *options;            /* its options, as of sixer_agent_create(); NULL: the defaults */
  const char *label;              /* the agent's name in the rows; NULL: `agent` */
  const sixer_rom *rom;           /* the game */
  const sixer_protocol *protocol; /* stickiness, actions, frame skip, limits, what is scored */
  /* 1 or more: the env's seed is 2 * seed and the agent's 2 * seed - 1, as in Machado et al. 2018. */
  uint32_t seed;
  int mode;       /* SIXER_MODE_DEFAULT, or one of sixer_rom_modes() */
  int difficulty; /* 0 as at power-on */
  int level;      /* of games with levels: the first of training; -1: as the protocol says */
  int levels;     /* how many */
  /* Budget of training: whichever is reached first; 0: no limit. Both 0: the length that the protocol gives. */
  int64_t frames, episodes;
  int evaluation;   /* episodes without learning afterwards; -1: as many as the protocol scores */
  const char *path; /* how the names of the files begin; NULL: nothing is written */
  /* That the agent may use; 1. Results do not depend on it. */
  int threads;
  /* Leave the replay memory out of checkpoints, which makes them small. A run that is resumed from such a checkpoint
   * fills its memory again before it goes on learning, and is then another run than one that was never interrupted. */
  bool refill;
  const char *tapes; /* folder for tapes of all episodes without learning; NULL: none */
  /* If not NULL: when *stop becomes nonzero, a run that waits for an agent's program fails at once. */
  const volatile sig_atomic_t *stop;
} sixer_train_settings;

SIXER_API sixer_train_settings sixer_train_settings_default(void);

typedef struct sixer_train sixer_train;

/* Begin a run. Its row files are created, those of an earlier run with the same `path` replaced, and its checkpoints
 * removed. All settings are checked first: SIXER_ERR_ARGUMENT for an unknown agent or option or an impossible value,
 * SIXER_ERR_FILE if files cannot be written. */
SIXER_API sixer_err sixer_train_create(const sixer_train_settings *settings, sixer_train **train,
                                       sixer_error *error);

/* Go on with the run whose checkpoint is at `path`: from its last checkpoint, or from the start if there is none yet.
 * Rows that were written after the checkpoint are removed. The settings must be those of the run; only the budget may
 * differ. SIXER_ERR_STATE if the checkpoint is damaged, of other settings or of another version: nothing is changed. */
SIXER_API sixer_err sixer_train_resume(const sixer_train_settings *settings, sixer_train **train,
                                       sixer_error *error);
SIXER_API void sixer_train_destroy(sixer_train *train); /* NULL is allowed; saves nothing */

/* Go on for at most `steps` decisions. It returns earlier when everything is done. The checkpoint at the end of
 * training is written here; all others are the caller's to ask for. After an error the run can only be
 * destroyed; the last checkpoint is still valid. */
SIXER_API sixer_err sixer_train_run(sixer_train *train, int64_t steps, sixer_error *error);

/* Write a checkpoint, and the rows before it safely to the disk. On failure the last checkpoint is kept. */
SIXER_API sixer_err sixer_train_save(sixer_train *train, sixer_error *error);

typedef struct sixer_train_progress {
  int64_t frames, steps, episodes; /* of training */
  int64_t frames_budget, episodes_budget;
  double share; /* of the training that is done, 0 to 1 */
  /* Mean score of the last 100 episodes, or of all if there are fewer; NaN before the first has ended. */
  double mean;
  double best;               /* highest score of an episode; NaN likewise */
  double last;               /* score of the last episode; NaN likewise */
  int averaged;              /* episodes in `mean` */
  bool trained;              /* the budget of training is reached */
  bool finished;             /* and the episodes without learning are played */
  int evaluation, evaluated; /* episodes without learning: how many to play, how many played */
  double evaluation_mean;    /* NaN before the first has ended */
  int64_t evaluation_frames; /* played without learning */
  /* Evaluations during training that have ended, the best mean score of one and that of the last; NaN without any. */
  int64_t tests;
  double best_test, last_test;
  int64_t
      refilled; /* steps of training at which the memory began to be filled again; 0: it never was */
} sixer_train_progress;
SIXER_API sixer_train_progress sixer_train_progress_of(const sixer_train *train);

/* A score by the protocol's rule: one for every checkpoint of the protocol that was reached, one at the end of
 * training. By index from 0; false after the last. */
typedef struct sixer_train_score {
  int64_t at;                     /* frames of training (episodes if the protocol counts them) */
  double score[SIXER_LIMITS_MAX]; /* after each of the protocol's play times */
  int episodes;                   /* averaged */
} sixer_train_score;
SIXER_API bool sixer_train_score_at(const sixer_train *train, int index, sixer_train_score *score);

/* The agent and the env of a run, to look at: changing them changes the run. They live as long as it does. */
SIXER_API sixer_agent *sixer_train_agent(sixer_train *train);
SIXER_API sixer_env *sixer_train_env(sixer_train *train);

/* All settings that decide the result, one "name=value" per line. Lives as long as the run. */
SIXER_API const char *sixer_train_text(const sixer_train *train);

/* ---- Models ---------------------------------------------------------------------------------------------------- */

/* A checkpoint is also a model: the agent as it was, to play with. */
typedef struct sixer_model sixer_model;

/* Open a checkpoint. The whole file is checked. */
SIXER_API sixer_err sixer_model_open(const char *path, sixer_model **model, sixer_error *error);
SIXER_API void sixer_model_close(sixer_model *model); /* NULL is allowed */

/* A setting by name ("agent", "options", "game", "rom", "protocol", "seed", ...); NULL if there is none. All of them as
 * text with sixer_model_text(). They live as long as the model. */
SIXER_API const char *sixer_model_setting(const sixer_model *model, const char *name);
SIXER_API const char *sixer_model_text(const sixer_model *model);

/* How far the training was. */
SIXER_API sixer_train_progress sixer_model_progress(const sixer_model *model);

/* The sections of the file by index: name and size in bytes; NULL after the last. */
SIXER_API const char *sixer_model_section(const sixer_model *model, int index, uint64_t *size);

/* Settings of an env like the one that the agent was trained in, and the actions that it chooses from. The rom must be
 * of the same image: another is refused with SIXER_ERR_STATE. The list lives as long as the rom. */
SIXER_API sixer_err sixer_model_config(const sixer_model *model, const sixer_rom *rom,
                                       sixer_config *config, sixer_list *actions,
                                       sixer_error *error);

/* Write the network of a model with one array of 32-bit floats per tensor, named and shaped as in PyTorch
 * ("conv1.weight", 32 x 4 x 8 x 8); docs/agents/networks.md lists them. The file is in the safetensors format if its
 * name ends in .safetensors, else a NumPy archive (.npz). SIXER_ERR_STATE if the model has no network. A file at `path`
 * is replaced. */
SIXER_API sixer_err sixer_model_export(const sixer_model *model, const char *path,
                                       sixer_error *error);

/* Copy a model to `path` with the network of such a file, of either form. Missing and extra arrays, other shapes and
 * numbers that are not finite are refused with SIXER_ERR_STATE, and nothing is written. The target network becomes the
 * same. */
SIXER_API sixer_err sixer_model_import(const sixer_model *model, const char *weights,
                                       const char *path, sixer_error *error);

/* The agent with what it has learned, at the start of an episode. The caller destroys it. */
SIXER_API sixer_err sixer_model_agent(const sixer_model *model, const sixer_rom *rom,
                                      sixer_agent **agent, sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
