/* Any bytes as a file of settings (TOML): refused with a message that names the file, or read into the options of a
 * command and the options of an agent.
 *
 * runs: 3000 */
#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fuzz/fuzz_memory_file.h"

static char said[2000];

/* In the place of cli_error(): what it would print is kept. */
__attribute__((format(printf, 3, 4))) static int keep_message(const char *name, int status,
                                                              const char *format, ...) {
  va_list values;
  assert(name && status != CLI_OK);
  va_start(values, format);
  vsnprintf(said, sizeof said, format, values);
  va_end(values);
  return status;
}

#undef cli_error
#define cli_error keep_message
#include "cli/settings_file.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool force = false;
  int64_t trials = 0;
  double rate = 0;
  const char *preset = "none";
  const option_def options[] = {{"preset", OPTION_TEXT, &preset, "NAME", "a text"},
                                {"trials", OPTION_INT, &trials, "N", "a number"},
                                {"step-rate", OPTION_REAL, &rate, "X", "another"},
                                {"force", OPTION_FLAG, &force, NULL, "a flag"},
                                {"resume", OPTION_FLAG, &force, NULL, "on the command line only"},
                                {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  static const char *const left_out[] = {"resume", NULL};
  settings_file s = {0};
  said[0] = 0;
  const int status = settings_file_read(&s, fuzz_file(data, size), "train", options, left_out);
  if (status) {
    assert(said[0]);
  } else {
    assert(s.options && strlen(s.options) < 3000 && isfinite(rate) && strlen(preset) <= size + 4);
    for (size_t i = 0; i < s.game_count; i++) assert(strlen(s.games[i]) <= size);
    if (size % 16 == 0) settings_file_agent_line(&s, "random", NULL);
  }
  settings_file_free(&s);
  return 0;
}
