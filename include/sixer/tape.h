/* Tapes: recordings of play that can be replayed exactly.
 *
 * A tape is a small file with the image's MD5, the settings and the seed, every action, and for each second of play a
 * digest of what the environment showed (without the screen if the env draws none). Replaying it reproduces pictures,
 * memory, rewards and executed actions, and the digests verify this second by second. An action takes about half a byte
 * if play is random and much less if actions are held. The file is written during play: if the program is killed, it is
 * readable up to the last whole second.
 *
 * Recording goes beside any loop that steps an env:
 *
 *     sixer_recorder *recorder;
 *     sixer_recorder_open("game.tape", env, "my agent, seed 7", &recorder, &error);
 *     while (...) {
 *       sixer_input input = {.action_a = action, .strength_a = 1};
 *       sixer_env_step_input(env, input, &result);
 *       sixer_recorder_step(recorder, input, &result);
 *       if (result.over) {
 *         sixer_env_reset(env);
 *         sixer_recorder_reset(recorder);
 *       }
 *     }
 *     sixer_recorder_close(recorder, &error);
 *
 * and playing back is
 *
 *     sixer_tape_open("game.tape", &tape, &error);
 *     sixer_tape_rom(tape, NULL, &rom, &error);
 *     sixer_tape_env(tape, rom, &env, &error);
 *     while (!sixer_tape_play(tape, env, &event, &error) && event.kind != SIXER_TAPE_END) ...
 *
 * docs/tapes.md defines the format. The rules of sixer.h about errors and threads hold here too. */
#ifndef SIXER_TAPE_H
#define SIXER_TAPE_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Recording ------------------------------------------------------------------------------------------------- */

typedef struct sixer_recorder sixer_recorder;

/* Begin a tape of this env, which must outlive the recorder. An env that has been played before is fine: the tape then
 * begins with its state. `by` says who plays, in one line, and is kept in the tape; NULL is allowed. An existing file
 * is refused: tapes are not overwritten. */
SIXER_API sixer_err sixer_recorder_open(const char *path, sixer_env *env, const char *by,
                                        sixer_recorder **recorder, sixer_error *error);

/* The env has just been stepped with this input and gave this result. Between these calls, change the env only in
 * ways that are recorded: search in another env, or call sixer_recorder_state() after restoring this one. After the
 * first failure, such as a full disk, all calls return the same error; what was written before stays readable. */
SIXER_API sixer_err sixer_recorder_step(sixer_recorder *recorder, sixer_input input,
                                        const sixer_result *result);

/* The env has just been reset, perhaps with a mode or difficulty chosen before. */
SIXER_API sixer_err sixer_recorder_reset(sixer_recorder *recorder);

/* The env was changed in any other way: a state was loaded, memory was written. Its state goes onto the tape. */
SIXER_API sixer_err sixer_recorder_state(sixer_recorder *recorder);

/* Write what is left, and end the tape. The error is that of the first failure. NULL is allowed. */
SIXER_API sixer_err sixer_recorder_close(sixer_recorder *recorder, sixer_error *error);

/* ---- Playing back ---------------------------------------------------------------------------------------------- */

typedef struct sixer_tape sixer_tape;

typedef struct sixer_tape_info {
  char md5[33];        /* of the image */
  const char *game;    /* id of the rules that applied; NULL if none */
  const char *by;      /* who played; "" if not said */
  const char *version; /* of the sixer that recorded */
  int behavior;        /* SIXER_BEHAVIOR of it */
  sixer_config config; /* seed and all */
  int64_t seconds;     /* of play, each with its digest; the last may be shorter */
  int64_t steps, resets;
  bool jumps;         /* states were loaded on the way: the tape is not one line of play */
  bool complete;      /* it was closed properly */
  const char *damage; /* why the tape is readable only up to `seconds`; NULL if it is whole */
  /* SHA-256 of the definition of the game that applied, without comments and white space, in hex; "" if there was none,
   * or if sixer 0.1.0 recorded the tape. */
  char rules[65];
} sixer_tape_info;

/* Open a tape and check the checksums of all its seconds. A tape that ends early or is damaged opens, and plays up to
 * the last good second; see `damage`. */
SIXER_API sixer_err sixer_tape_open(const char *path, sixer_tape **tape, sixer_error *error);
SIXER_API void sixer_tape_close(sixer_tape *tape); /* NULL is allowed */

/* What the tape says about itself. The pointers live as long as the tape. */
SIXER_API sixer_tape_info sixer_tape_describe(const sixer_tape *tape);

/* Open the image that the tape was played on: `path_or_id`, or NULL to look for the tape's game. Refused if its MD5 is
 * another. */
SIXER_API sixer_err sixer_tape_rom(const sixer_tape *tape, const char *path_or_id, sixer_rom **rom,
                                   sixer_error *error);

/* Has the definition of the game changed since the recording? Then rewards, lives and ends may differ although the
 * console does the same. False if the tape does not say. */
SIXER_API bool sixer_tape_rules_changed(const sixer_tape *tape, const sixer_rom *rom);

/* Write the part of the tape that is not damaged to a file, as a tape that is closed. An existing file is replaced once
 * the new one is complete, also if it is the tape's own. */
SIXER_API sixer_err sixer_tape_repair(const sixer_tape *tape, const char *path, sixer_error *error);

/* An env as it was when the recording began. To have sound or another core, use the info's config and create it. */
SIXER_API sixer_err sixer_tape_env(const sixer_tape *tape, const sixer_rom *rom, sixer_env **env,
                                   sixer_error *error);

typedef enum sixer_tape_kind {
  SIXER_TAPE_END,
  SIXER_TAPE_STEP,
  SIXER_TAPE_RESET,
  SIXER_TAPE_STATE,
} sixer_tape_kind;

typedef struct sixer_tape_event {
  sixer_tape_kind kind;
  int64_t second;       /* of play, from 0 */
  bool last;            /* the last event of its second: its digest is checked now */
  sixer_input input;    /* of a step */
  sixer_result result;  /* of a step; filled by sixer_tape_play */
  int mode, difficulty; /* of a reset: the flavor from here on */
  int level, levels;    /* of a reset: the first level and how many, from here on */
  const void *state;    /* of a state: its bytes, until the next event */
  size_t state_size;
} sixer_tape_event;

/* The next event, without playing it. At the end of a damaged tape: SIXER_ERR_TAPE once, then SIXER_TAPE_END. */
SIXER_API sixer_err sixer_tape_next(sixer_tape *tape, sixer_tape_event *event, sixer_error *error);

/* Play the next event on the env. SIXER_ERR_TAPE if a second of play does not reproduce the recorded digest; the
 * message says which. The event has been played all the same, and the next call continues with the one after it. */
SIXER_API sixer_err sixer_tape_play(sixer_tape *tape, sixer_env *env, sixer_tape_event *event,
                                    sixer_error *error);

/* Back to the first event; the env must be a new one too. */
SIXER_API void sixer_tape_rewind(sixer_tape *tape);

/* ---- Starts ---------------------------------------------------------------------------------------------------- */

/* States from which episodes start, drawn from tapes; with tapes of people these are the human starts of Nair et al.
 * 2015. Constant once made, so any number of threads may begin episodes from it. */
typedef struct sixer_starts sixer_starts;

/* Draw `count` moments from the tapes, uniformly over all their steps after which the episode goes on, without
 * replacement; the same seed gives the same moments. All tapes must be of this rom. Fails if they have fewer than
 * `count` such moments or do not replay. */
SIXER_API sixer_err sixer_starts_create(const char *const *tapes, int tape_count,
                                        const sixer_rom *rom, int count, uint32_t seed,
                                        sixer_starts **starts, sixer_error *error);
SIXER_API void sixer_starts_destroy(sixer_starts *starts); /* NULL is allowed */
SIXER_API int sixer_starts_count(const sixer_starts *starts);

/* Begin an episode of the env from a start. The env keeps its generators. Score and episode frames start with
 * the values that they had on the tape: for the score from here on, sum the rewards. */
SIXER_API sixer_err sixer_starts_begin(const sixer_starts *starts, int index, sixer_env *env,
                                       sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
