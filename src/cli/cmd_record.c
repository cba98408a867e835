/* `sixer record`: let an agent play and record a tape. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/image.h"
#include "cli/model_files.h"
#include "cli/session.h"
#include "cli/tape_output.h"
#include "sixer/tape.h"

typedef struct record_job {
  int64_t episodes, steps; /* limits; 0: none */
  int64_t played, done;    /* episodes, steps */
  double total;            /* score */
  bool interrupted;
} record_job;

static int play(record_job *job, sixer_env *env, sixer_agent *agent, sixer_list actions,
                sixer_recorder *recorder) {
  sixer_error error = {SIXER_OK, ""};
  cli_progress progress;
  cli_progress_begin(&progress, "record");
  sixer_err err = SIXER_OK;
  while (!err) {
    sixer_input input = {.strength_a = 1};
    sixer_result result;
    err = sixer_agent_act(agent, env, actions, &input.action_a, &error);
    if (err) break;
    sixer_env_step_input(env, input, &result);
    err = sixer_recorder_step(recorder, input, &result);
    job->done++;
    job->total += result.reward;
    if (result.over) job->played++;
    if ((job->episodes && job->played >= job->episodes) || (job->steps && job->done >= job->steps))
      break;
    if (cli_interrupted) {
      job->interrupted = true;
      break;
    }
    if (result.over && !err) {
      sixer_env_reset(env);
      sixer_agent_reset(agent);
      err = sixer_recorder_reset(recorder);
    }
    cli_progress_show(&progress, job->steps ? (double)job->done : (double)job->played,
                      job->steps ? (double)job->steps : (double)job->episodes, NULL);
  }
  cli_progress_end(&progress);
  sixer_err closing = sixer_recorder_close(recorder, &error);
  if (err || closing) return cli_error("record", CLI_FAILED, "%s", error.message);
  if (job->interrupted) return cli_error("record", CLI_FAILED, "interrupted; the tape was closed");
  return CLI_OK;
}

static int record(int argc, char **argv, env_options env_settings, const sixer_model *model) {
  record_job job = {.episodes = 1};
  bool minimal = false, force = false, json = false;
  const char *output = NULL, *arguments[2];
  const option_def options[] = {
      {"output", OPTION_TEXT, &output, "FILE", "the tape to write"},
      {"episodes", OPTION_INT, &job.episodes, "N", "episodes to play; 0 is no limit"},
      {"steps", OPTION_INT, &job.steps, "N", "stop after N actions; 0 is no limit"},
      {"minimal", OPTION_FLAG, &minimal, NULL, "choose from the actions the game uses, not all 18"},
      {"force", OPTION_FLAG, &force, NULL, "replace an existing tape"},
      {"json", OPTION_FLAG, &json, NULL, "print the result as JSON"},
      ENV_OPTIONS(env_settings),
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse(
          "record",
          "Let an agent play and record a tape: settings, actions and digests, "
          "from which `sixer replay` reproduces everything.\n\n"
          "AGENT is a name, or a name with options. `sixer watch --agents` "
          "lists them. Agents that plan decide every 5 frames, as in `sixer plan`, all others at "
          "every frame; --frame-skip changes that. MODEL is a checkpoint of `sixer train`: the "
          "agent "
          "plays with what it has learned, in an environment like that of "
          "its training; options override its settings.\n\n"
          "  sixer record random pong -o pong.tape\n"
          "  sixer record perturb:action=UP freeway -o f.tape --episodes 5\n"
          "  sixer record runs/sarsa_pong_1.checkpoint -o trained.tape",
          options, argc, argv, arguments, 2, &status);
  if (count < 0) return status;
  bool trained = count > 0 && model_is_file(arguments[0]);
  if (count == 1 && !trained)
    return cli_error("record", CLI_USAGE,
                     "'%s' is no checkpoint%s; for an agent, name the GAME too", arguments[0],
                     os_access(arguments[0], OS_EXISTS) ? " (there is no such file)" : "");
  if (count < 2 && !trained)
    return cli_error("record", CLI_USAGE, "name an AGENT and a GAME, or a MODEL");
  if (trained && (status = model_check_actions("record", model, minimal))) return status;
  if (!output) return cli_error("record", CLI_USAGE, "name the tape to write: -o FILE");
  if (job.episodes < 0 || job.steps < 0 || (!job.episodes && !job.steps))
    return cli_error("record", CLI_USAGE, "--episodes and --steps are 0 or more, and not both 0");
  if (env_settings.frame_skip == INT64_MIN)
    env_settings.frame_skip = session_frame_skip(arguments[0]);
  sixer_config config;
  status = env_options_apply(&env_settings, "record", &config);
  if (status) return status;

  sixer_error error;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_agent *agent = NULL;
  sixer_recorder *recorder;
  sixer_list actions;
  char by[5000];
  snprintf(by, sizeof by, "%s", arguments[0]);
  tape_output place = {0};
  sixer_err err;
  if (trained) {
    model_describe(model, by, sizeof by);
    err = model_rom("record", model, count > 1 ? arguments[1] : NULL, env_settings.game, &rom,
                    &error);
    if (!err) err = model_apply(model, rom, &config, &actions, &error);
    if (!err) err = sixer_model_agent(model, rom, &agent, &error);
  } else {
    err = session_agent(arguments[0], config.seed, &agent, &error);
    if (!err) err = image_open("record", arguments[1], env_settings.game, IMAGE_WARN, &rom, &error);
    if (!err) sixer_agent_prepare(agent, &config);
    if (!err) actions = session_actions(rom, minimal);
  }
  config.picture = true; /* the tape has digests of it */
  if (!err) err = sixer_env_create(rom, &config, &env, &error);
  if (!err) err = tape_output_begin(&place, output, force, &error);
  if (!err) err = sixer_recorder_open(place.path, env, by, &recorder, &error);
  if (err) {
    status = cli_error("record", CLI_FAILED, "%s", error.message);
    if (place.beside) tape_output_end(&place, false, 0, NULL);
  } else {
    cli_catch_interrupts();
    status = play(&job, env, agent, actions, recorder);
    if (tape_output_end(&place, !status, job.done, &error))
      status = cli_error("record", CLI_FAILED, "%s", error.message);
    double mean = job.played ? job.total / (double)job.played : job.total;
    if (!status && json)
      printf("{\"tape\": "), cli_print_json(output),
          printf(", \"episodes\": %" PRId64 ", \"steps\": %" PRId64 ", \"frames\": %" PRId64
                 ", \"mean_score\": %.17g}\n",
                 job.played, job.done, sixer_env_status(env).frames, mean);
    else if (!status)
      cli_print(stdout,
                "%s: %" PRId64 " episode%s, %" PRId64 " step%s, %" PRId64 " frame%s, %s %g%s\n",
                output, job.played, cli_s(job.played), job.done, cli_s(job.done),
                sixer_env_status(env).frames, cli_s(sixer_env_status(env).frames),
                job.played ? "mean score" : "score", mean,
                job.played ? "" : " of an episode that has not ended");
  }
  sixer_env_destroy(env);
  sixer_agent_destroy(agent);
  sixer_rom_close(rom);
  return status;
}

int cmd_record(int argc, char **argv) {
  env_options env_settings = env_options_default();
  env_settings.frame_skip = INT64_MIN; /* what the agent is made for */
  sixer_model *model = NULL;
  int status = model_find("record", argc, argv, &env_settings, &model);
  if (!status) status = record(argc, argv, env_settings, model);
  sixer_model_close(model);
  return status;
}
