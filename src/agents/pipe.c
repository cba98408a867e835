/* Agents that are programs of their own: `pipe` runs a command, `python` a function or class of a Python module.
 *
 * The program is a client of `sixer serve`: it asks for an environment, resets and steps it (docs/serve.md). Here the
 * experiment has the environment, so requests are answered when the experiment gets there. A step is the agent's
 * choice; its reply is sent when the next choice is wanted, or the episode has ended. Between two steps of an
 * experiment the program therefore waits, for the reply to a reset or a step.
 *
 * That is when checkpoints are made. A program that can be saved says so in its "hello". When the experiment saves, its
 * reply is {"checkpoint": true}; the program sends "checkpoint" with its state as bytes, and the reply to that is the
 * one it was waiting for. A program that is started again gets these bytes in the reply to its "hello", and asks for
 * that reply by "resume". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/pipe.h"
#include "env/show.h"
#include "sixer/players.h"
#include "sixer/serve.h"

/* What the program waits for. */
typedef enum waiting { WAITS_NOT, WAITS_RESET, WAITS_STEP } waiting;

typedef struct pipe_link {
  pipe_program program;
  message request;
  message_writer reply;
  show_settings show;
  waiting waits;
  bool saves;   /* the program can be saved */
  bool begun;   /* an episode is under way: its first step was asked for */
  int64_t seen; /* score of the episode at the last choice */
  char *state;  /* of a checkpoint, until the program has asked for it */
  size_t state_size;
} pipe_link;

typedef struct pipe_agent {
  sixer_agent base;
  /* options */
  char command[AGENT_TEXT_SIZE], class_name[AGENT_TEXT_SIZE], python[AGENT_TEXT_SIZE];
  double timeout;
  bool saves;
  pipe_link *link;
} pipe_agent;

/* The score so far of the player for whom the program plays. */
static int64_t score_of(const pipe_agent *a, const sixer_env *env) {
  return a->base.player ? sixer_env_players_result(env).score[a->base.player]
                        : sixer_env_status(env).score;
}

/* ---- Replies --------------------------------------------------------------------------------------------------- */

static void begin(pipe_link *k) {
  message_begin(&k->reply, k->program.stream.packed);
  message_put_flag(&k->reply, "ok", true);
}

static sixer_err send_reply(pipe_link *k, sixer_error *error) {
  sixer_err err = message_end(&k->reply, error);
  if (err) return err;
  if (!message_send(&k->program.stream, &k->reply, error)) return SIXER_OK;
  /* it is gone; the reason is behind what it sent before */
  return pipe_receive(&k->program, &k->request, error)
             ? SIXER_ERR_FILE
             : sixer_fail(error, SIXER_ERR_FILE, "the agent's program ended");
}

static sixer_err refuse(pipe_link *k, const char *why, sixer_error *error) {
  message_begin(&k->reply, k->program.stream.packed);
  message_put_flag(&k->reply, "ok", false);
  message_put_text(&k->reply, "error", why);
  return send_reply(k, error);
}

/* The reply that the program waits for, with the env as it is now. */
static sixer_err answer(pipe_agent *a, sixer_env *env, sixer_error *error) {
  pipe_link *k = a->link;
  begin(k);
  if (k->waits == WAITS_STEP) {
    message_put_int(&k->reply, "reward", score_of(a, env) - k->seen);
    message_put_flag(&k->reply, "over", false);
  }
  message_put_flag(&k->reply, "learning", !a->base.evaluating);
  show_env(&k->reply, env, &k->show);
  k->seen = score_of(a, env);
  k->waits = WAITS_NOT;
  return send_reply(k, error);
}

/* The episode is over: the last reply to a step. */
static sixer_err answer_end(pipe_agent *a, sixer_env *env, sixer_error *error) {
  pipe_link *k = a->link;
  sixer_status status = sixer_env_status(env);
  if (!k || k->waits != WAITS_STEP) return SIXER_OK;
  begin(k);
  message_put_int(&k->reply, "reward", score_of(a, env) - k->seen);
  message_put_flag(&k->reply, "over", true);
  message_put_flag(&k->reply, "truncated", status.truncated);
  message_put_text(&k->reply, "end", status.over ? show_end(status.end) : "life");
  message_put_flag(&k->reply, "learning", !a->base.evaluating);
  show_env(&k->reply, env, &k->show);
  k->seen = score_of(a, env);
  k->waits = WAITS_NOT;
  k->begun = false;
  return send_reply(k, error);
}

/* ---- Requests -------------------------------------------------------------------------------------------------- */

static sixer_err do_hello(pipe_link *k, sixer_error *error) {
  sixer_error inner;
  int64_t version = SIXER_SERVE_PROTOCOL;
  if (message_get_int(&k->request, "protocol", 1, INT32_MAX, &version, &inner) ||
      message_get_flag(&k->request, "saves", &k->saves, &inner))
    return refuse(k, inner.message, error);
  if (version != SIXER_SERVE_PROTOCOL) return refuse(k, "this is protocol 1", error);
  begin(k);
  message_put_int(&k->reply, "protocol", SIXER_SERVE_PROTOCOL);
  message_put_text(&k->reply, "version", SIXER_VERSION);
  message_put_int(&k->reply, "behavior", SIXER_BEHAVIOR);
  message_put_flag(&k->reply, "experiment", true);
  if (k->state) message_put_bytes(&k->reply, "state", k->state, k->state_size);
  return send_reply(k, error);
}

/* The experiment has made the environment; of the request, what is shown matters. */
static sixer_err do_make(pipe_agent *a, sixer_env *env, sixer_list actions, sixer_error *error) {
  pipe_link *k = a->link;
  sixer_error inner;
  show_settings show = {SHOW_NONE, false};
  if (message_find(&k->request, "count"))
    return refuse(k, "an experiment has one environment, not a vector", error);
  if (message_get_choice(&k->request, "screen", SHOW_SCREENS, &show.screen, &inner) ||
      message_get_flag(&k->request, "ram", &show.ram, &inner))
    return refuse(k, inner.message, error);
  k->show = show;
  const sixer_config *config = sixer_env_config(env);
  begin(k);
  sixer_rom_info info = sixer_rom_describe(sixer_env_rom(env));
  message_put_flag(&k->reply, "experiment", true);
  message_put_text(&k->reply, "game", info.game ? info.game : "");
  message_put_text(&k->reply, "md5", info.md5);
  message_put_ints(&k->reply, "actions", actions.items, (size_t)actions.count);
  message_put_int(&k->reply, "players", sixer_env_players(env));
  message_put_int(&k->reply, "player", a->base.player);
  message_put_int(&k->reply, "frame_skip", config->frame_skip);
  message_put_number(&k->reply, "sticky", (double)config->sticky);
  message_put_int(&k->reply, "seed", (int64_t)(a->base.rng & INT32_MAX));
  message_put_int(&k->reply, "height", sixer_env_height(env));
  message_put_int(&k->reply, "width", 160);
  show_env(&k->reply, env, &k->show);
  return send_reply(k, error);
}

static sixer_err take_action(pipe_link *k, sixer_list actions, int *action, bool *taken,
                             sixer_error *error) {
  sixer_error inner;
  int64_t wanted = -1;
  if (message_get_int(&k->request, "action", 0, SIXER_ACTION_COUNT - 1, &wanted, &inner))
    return refuse(k, inner.message, error);
  for (int i = 0; i < actions.count; i++) *taken |= actions.items[i] == wanted;
  if (!*taken) return refuse(k, "that is not one of the actions to choose from", error);
  *action = (int)wanted;
  k->waits = WAITS_STEP;
  k->begun = true;
  return SIXER_OK;
}

/* A reset, answered at once if the episode is new; else it is a mistake. */
static sixer_err do_reset(pipe_agent *a, sixer_env *env, sixer_error *error) {
  pipe_link *k = a->link;
  if (k->begun)
    return refuse(k, "the experiment decides when an episode ends: step until it is over", error);
  k->waits = WAITS_RESET;
  return answer(a, env, error);
}

/* Answer one request; *taken if it was a step. */
static sixer_err serve(pipe_agent *a, sixer_env *env, sixer_list actions, int *action, bool *taken,
                       sixer_error *error) {
  pipe_link *k = a->link;
  const char *word = "";
  sixer_error inner;
  sixer_err err = pipe_receive(&k->program, &k->request, error);
  if (err) return err;
  if (message_get_text(&k->request, "do", &word, &inner)) return refuse(k, inner.message, error);
  if (!strcmp(word, "step")) return take_action(k, actions, action, taken, error);
  if (!strcmp(word, "reset")) return do_reset(a, env, error);
  if (!strcmp(word, "hello")) return do_hello(k, error);
  if (!strcmp(word, "make")) return do_make(a, env, actions, error);
  if (!strcmp(word, "look")) {
    begin(k);
    show_env(&k->reply, env, &k->show);
    return send_reply(k, error);
  }
  if (!strcmp(word, "bye"))
    return sixer_fail(error, SIXER_ERR_FILE, "the agent's program said bye before the end");
  return refuse(k, "an experiment answers hello, make, reset, step and look", error);
}

/* ---- The agent ------------------------------------------------------------------------------------------------- */

static void destroy(sixer_agent *agent) {
  pipe_agent *a = (pipe_agent *)agent;
  if (!a->link) return;
  pipe_stop(&a->link->program);
  message_free(&a->link->request);
  message_writer_free(&a->link->reply);
  free(a->link->state);
  free(a->link);
  a->link = NULL;
}

/* The command of `python` is made of its options. A blank in a name is escaped. */
static void python_command(const pipe_agent *a, char *out, size_t size) {
  snprintf(out, size, "%s -m sixer.lab_agent %s", a->python, a->class_name);
}

static sixer_err start(pipe_agent *a, sixer_error *error) {
  if (a->link) return SIXER_OK;
  char command[2 * AGENT_TEXT_SIZE + 40];
  snprintf(command, sizeof command, "%s", a->command);
  if (a->class_name[0]) python_command(a, command, sizeof command);
  a->link = calloc(1, sizeof *a->link);
  if (!a->link) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an agent");
  sixer_err err = pipe_start(&a->link->program, command, a->timeout, error);
  a->link->program.stop = &a->base.stop;
  return err;
}

static sixer_err create_pipe(sixer_agent *agent, sixer_error *error) {
  pipe_agent *a = (pipe_agent *)agent;
  if (a->command[strspn(a->command, " ")]) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "name the program: option command, as in \"python3 my_agent.py\"");
}

static sixer_err create_python(sixer_agent *agent, sixer_error *error) {
  pipe_agent *a = (pipe_agent *)agent;
  const char *colon = strchr(a->class_name, ':');
  if (colon && colon != a->class_name && colon[1] && !strchr(a->class_name, ' ')) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "name the function or class: option class, as in \"my_agents:Greedy\", found "
                    "'%.100s'",
                    a->class_name);
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  pipe_agent *a = (pipe_agent *)agent;
  sixer_err err = start(a, error);
  if (!err && a->link->waits != WAITS_NOT) err = answer(a, env, error);
  for (bool taken = false; !err && !taken;) err = serve(a, env, actions, action, &taken, error);
  return err;
}

static sixer_err learn(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                       sixer_error *error) {
  return result->over ? answer_end((pipe_agent *)agent, env, error) : SIXER_OK;
}

static sixer_err ended(sixer_agent *agent, sixer_env *env, sixer_error *error) {
  return answer_end((pipe_agent *)agent, env, error);
}

/* Where nobody reported the end of an episode, the program learns of it without the last reward. */
static void reset(sixer_agent *agent) {
  pipe_link *k = ((pipe_agent *)agent)->link;
  if (!k) return;
  k->begun = false;
  k->seen = 0;
  if (k->waits != WAITS_STEP) return;
  sixer_error error;
  begin(k);
  message_put_int(&k->reply, "reward", 0);
  message_put_flag(&k->reply, "over", true);
  k->waits = WAITS_NOT;
  send_reply(k, &error); /* a failure is that of the next request */
}

/* The picture is drawn only if the program may look at it; that is known later than it is needed. */
static void prepare(const sixer_agent *agent, sixer_config *config) {
  (void)agent;
  config->picture = true;
}

static sixer_agent_progress learned(const sixer_agent *agent) {
  (void)agent;
  return (sixer_agent_progress){0};
}

/* ---- Checkpoints ----------------------------------------------------------------------------------------------- */

/* Read requests until the program waits for a reset or a step. Nothing else can come between two episodes but looks,
 * for which there is no env here. */
static sixer_err wait_for_reset(pipe_link *k, sixer_error *error) {
  while (k->waits == WAITS_NOT) {
    const char *word = "";
    sixer_error inner;
    sixer_err err = pipe_receive(&k->program, &k->request, error);
    if (err) return err;
    if (!message_get_text(&k->request, "do", &word, &inner) && !strcmp(word, "reset"))
      k->waits = WAITS_RESET;
    else if ((err = refuse(k, "the episode is over: reset comes next", error)))
      return err;
  }
  return SIXER_OK;
}

static sixer_err save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  pipe_agent *a = (pipe_agent *)(uintptr_t)agent;
  pipe_link *k = a->link;
  const uint8_t *state = NULL;
  size_t size = 0;
  /* a program that has not been started yet has no state */
  bool has_state = a->saves && k;
  sections_put_i64(out, has_state);
  if (!has_state) return SIXER_OK;
  if (!k->saves)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the agent's program cannot be saved: it did not say so in its hello (option "
                      "saves)");
  sixer_err err = wait_for_reset(k, error);
  if (err) return err;
  begin(k);
  message_put_flag(&k->reply, "checkpoint", true);
  if ((err = send_reply(k, error)) || (err = pipe_receive(&k->program, &k->request, error)))
    return err;
  const char *word = "";
  sixer_error inner;
  if (message_get_text(&k->request, "do", &word, &inner) || strcmp(word, "checkpoint") != 0 ||
      message_get_bytes(&k->request, "state", &state, &size, &inner) || !state)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the agent's program was asked for a checkpoint and sent '%.40s'", word);
  sections_put_i64(out, k->waits);
  sections_put_i64(out, k->begun);
  sections_put_i64(out, k->seen);
  sections_put_i64(out, k->show.screen);
  sections_put_i64(out, k->show.ram);
  sections_put_i64(out, (int64_t)size);
  sections_put(out, state, size);
  return SIXER_OK;
}

/* Start the program and let it ask for its state; it then waits for what it waited for. */
static sixer_err restore(pipe_agent *a, waiting waits, sixer_error *error) {
  pipe_link *k = a->link;
  for (;;) {
    const char *word = "";
    sixer_error inner;
    sixer_err err = pipe_receive(&k->program, &k->request, error);
    if (err) return err;
    if (message_get_text(&k->request, "do", &word, &inner)) word = "";
    if (!strcmp(word, "resume")) break;
    err = strcmp(word, "hello") != 0
              ? refuse(k, "a resumed program asks for hello, then resume", error)
              : do_hello(k, error);
    if (err) return err;
  }
  free(k->state);
  k->state = NULL;
  k->waits = waits;
  return SIXER_OK;
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  pipe_agent *a = (pipe_agent *)agent;
  (void)env;
  int64_t has_state = sections_get_i64(in);
  if (!sections_failed(in) && !has_state) {
    if (a->saves) return SIXER_OK;
    return sixer_fail(error, SIXER_ERR_STATE,
                      "an agent behind a pipe that cannot be saved cannot go on from a checkpoint");
  }
  int64_t waits = sections_get_i64(in), begun = sections_get_i64(in), seen = sections_get_i64(in),
          screen = sections_get_i64(in), ram = sections_get_i64(in), size = sections_get_i64(in);
  if (sections_failed(in) || has_state != 1 || waits < WAITS_RESET || waits > WAITS_STEP ||
      begun < 0 || begun > 1 || screen < SHOW_NONE || screen > SHOW_INDEXED || ram < 0 || ram > 1 ||
      seen < -AGENT_COUNT_MAX || seen > AGENT_COUNT_MAX || size < 0 ||
      (uint64_t)size > sections_left(in))
    return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged");
  destroy(agent); /* a program that has begun cannot be put back */
  sixer_err err = start(a, error);
  if (err) return err;
  pipe_link *k = a->link;
  k->state = malloc((size_t)size + 1);
  if (!k->state) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a saved agent");
  sections_get(in, k->state, (size_t)size);
  k->state_size = (size_t)size;
  k->show = (show_settings){(int)screen, ram != 0};
  k->begun = begun != 0;
  k->seen = seen;
  return restore(a, (waiting)waits, error);
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

static const agent_option pipe_options[] = {
    {"command", AGENT_TEXT, offsetof(pipe_agent, command), "", 0, 0, NULL,
     "the program and its arguments, separated by blanks"},
    {"saves", AGENT_FLAG, offsetof(pipe_agent, saves), "0", 0, 0, NULL,
     "the program can be saved, so that runs go on from checkpoints"},
    {"timeout", AGENT_REAL, offsetof(pipe_agent, timeout), "600", 0, 1e6, NULL,
     "seconds that a choice may take; 0: no limit"},
    {0}};

static const agent_option python_options[] = {
    {"class", AGENT_TEXT, offsetof(pipe_agent, class_name), "", 0, 0, NULL,
     "MODULE:NAME of a function or class"},
    {"python", AGENT_TEXT, offsetof(pipe_agent, python), "python3", 0, 0, NULL,
     "the interpreter, which has the package sixer"},
    {"saves", AGENT_FLAG, offsetof(pipe_agent, saves), "1", 0, 0, NULL,
     "its state is saved (save and load, or pickle), so that runs go on from checkpoints"},
    {"timeout", AGENT_REAL, offsetof(pipe_agent, timeout), "600", 0, 1e6, NULL,
     "seconds that a choice may take; 0: no limit"},
    {0}};

#define COMMON                                                                                \
  .size = sizeof(pipe_agent), .act = act, .reset = reset, .prepare = prepare, .learn = learn, \
  .learned = learned, .ended = ended, .save = save, .load = load, .destroy = destroy

const agent_class agent_pipe = {.name = "pipe",
                                .summary = "a program of your own, in any language",
                                .options = pipe_options,
                                .create = create_pipe,
                                COMMON};

const agent_class agent_python = {.name = "python",
                                  .summary = "a function or class of your own, in Python",
                                  .options = python_options,
                                  .create = create_python,
                                  COMMON};
