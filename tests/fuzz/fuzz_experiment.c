/* Any bytes as an experiment (TOML): refused with a message that names the file, or read into a list of agents whose
 * numbers are those that an experiment can have. The options of agents are tried, and protocols are opened.
 *
 * runs: 500 */
#include <assert.h>
#include <string.h>

#include "fuzz/fuzz_memory_file.h"
#include "lab/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  experiment e = {0};
  int64_t runs = 0;
  if (experiment_open(fuzz_file(data, size), &e, &error)) {
    assert(error.message[0]);
    return 0;
  }
  assert(e.protocol && e.name && e.agent_count);
  for (size_t i = 0; i < e.agent_count; i++) {
    const experiment_agent *a = &e.agents[i];
    assert(a->label[0] && a->name[0] && a->game_count && a->trials > 0);
    assert(a->frames >= 0 && a->episodes >= 0);
    runs += a->trials * (int64_t)a->game_count;
  }
  assert(runs <= EXPERIMENT_RUNS);
  experiment_close(&e);
  return 0;
}
