/* What the commands that play share. */
#include "cli/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"

#include "util/error.h"

env_options env_options_default(void) {
  return (env_options){.seed = 1,
                       .frame_skip = 1,
                       .mode = INT64_MIN,
                       .difficulty = INT64_MIN,
                       .levels = 1,
                       .sticky = 0,
                       .scoring = "ale"};
}

int env_options_apply(const env_options *o, const char *command_name, sixer_config *config) {
  const cli_limit limits[] = {{"frame-skip", o->frame_skip, 1, 10000},
                              {"max-frames", o->max_frames, 0, INT32_MAX},
                              {"noop-starts", o->noop_starts, 0, 10000},
                              {"seed", o->seed, 0, UINT32_MAX},
                              {"level", o->level, 0, 1000000},
                              {"levels", o->levels, 1, 1000000},
                              {"mode", o->mode, 0, 255},
                              {"difficulty", o->difficulty, 0, 3},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits(command_name, limits);
  if (status) return status;
  if (!(o->sticky >= 0 && o->sticky <= 1))
    return cli_error(command_name, CLI_USAGE, "--sticky is a probability, 0 to 1, found %g",
                     o->sticky);
  bool fixed = !strcmp(o->scoring, "fixed");
  if (!fixed && strcmp(o->scoring, "ale") != 0)
    return cli_error(command_name, CLI_USAGE, "--scoring is ale or fixed, found '%s'", o->scoring);
  *config = sixer_config_default();
  config->seed = (uint32_t)o->seed;
  config->sticky = (float)o->sticky;
  config->frame_skip = (int)o->frame_skip;
  config->max_frames = (int)o->max_frames;
  config->level = (int)o->level;
  config->levels = (int)o->levels;
  config->noop_starts = (int)o->noop_starts;
  if (fixed) config->scoring = SIXER_SCORING_FIXED;
  if (o->mode != INT64_MIN) config->mode = (int)o->mode;
  if (o->difficulty != INT64_MIN) config->difficulty = (int)o->difficulty;
  return CLI_OK;
}

sixer_err session_agent(const char *text, uint64_t seed, sixer_agent **agent, sixer_error *error) {
  char name[100];
  size_t length = strcspn(text, ":");
  snprintf(name, sizeof name, "%.*s", (int)(length < 99 ? length : 99), text);
  return sixer_agent_create(name, text[length] ? text + length + 1 : NULL, seed, agent, error);
}

sixer_err session_check_learned(const sixer_agent *agent, const char *text, sixer_error *error) {
  const int length = (int)strcspn(text, ":");
  const bool program = !strncmp(text, "pipe:", 5) || !strncmp(text, "python:", 7);
  if (!sixer_agent_learns(agent) || program) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "%.*s has learned nothing yet: name a checkpoint of `sixer train`",
                    length < 40 ? length : 40, text);
}

int session_frame_skip(const char *agent) {
  size_t length = strcspn(agent, ":");
  char name[100];
  snprintf(name, sizeof name, "%.*s", (int)(length < 99 ? length : 99), agent);
  /* what all planners have, and nobody else: a number of threads that search */
  for (int k = 0; sixer_agent_option_at(name, k).name; k++) {
    if (!strcmp(sixer_agent_option_at(name, k).name, "jobs")) return PLAN_FRAME_SKIP;
  }
  return 1;
}

void session_list_agents(FILE *out) {
  for (int i = 0; sixer_agent_at(i).name; i++) {
    sixer_agent_info info = sixer_agent_at(i);
    fprintf(out, "%-12s %s\n", info.name, info.summary);
    for (int k = 0; sixer_agent_option_at(info.name, k).name; k++) {
      sixer_agent_option o = sixer_agent_option_at(info.name, k);
      fprintf(
          out, "  %s=%s%*s %s\n", o.name, o.value,
          (int)(20 - strlen(o.name) - strlen(o.value) > 0 ? 20 - strlen(o.name) - strlen(o.value)
                                                          : 0),
          "", o.help);
    }
  }
}

bool session_print_problems(const sixer_catalog *catalog) {
  int i = 0;
  for (; catalog && sixer_catalog_problem(catalog, i); i++)
    cli_print(stderr, "%s\n", sixer_catalog_problem(catalog, i));
  return i > 0;
}

sixer_list session_actions(const sixer_rom *rom, bool minimal) {
  static const int all[SIXER_ACTION_COUNT] = {0, 1,  2,  3,  4,  5,  6,  7,  8,
                                              9, 10, 11, 12, 13, 14, 15, 16, 17};
  return minimal ? sixer_rom_minimal_actions(rom) : (sixer_list){all, SIXER_ACTION_COUNT};
}

bool session_data_path(const char *name, char *path, size_t size) {
  char data[4000];
  if (!os_data_folder(data, sizeof data)) return false;
  int n = snprintf(path, size, "%s/sixer/%s", data, name);
  if (n < 0 || (size_t)n >= size) return false;
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    bool made = os_mkdir(path) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return true;
}

double session_frame_rate(const char *format) {
  bool pal = !strcmp(format, "PAL") || !strcmp(format, "SECAM");
  return pal ? 3546894.0 / (228 * 312) : 3579545.0 / (228 * 262);
}
