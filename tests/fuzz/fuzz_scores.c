/* Any text as a result file and as a score table: refused with a message, or read; the scores can then be normalized.
 *
 * runs: 1500 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_memory_file.h"
#include "sixer/eval.h"
#include "sixer/scores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sixer_protocol *protocols[2];
static sixer_published *published;

static void read_results(const sixer_protocol *protocol, const char *text, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  sixer_scores *scores = NULL;
  const sixer_scores_config config = sixer_scores_config_default(protocol);
  if (sixer_scores_create(protocol, published, &config, &scores, &error)) abort();
  if (sixer_scores_parse(scores, text, size, "fuzz", "agent", &error)) {
    assert(error.message[0]);
  } else {
    const size_t games = sixer_protocol_describe(protocol).game_count;
    double *low = calloc(games, sizeof *low), *high = calloc(games, sizeof *high);
    sixer_scale scale;
    sixer_scores_constants(scores, "human", NULL, 0, &scale, low, high, &error);
    for (size_t a = 0; a < sixer_scores_agent_count(scores); a++) {
      const sixer_agent_scores s = sixer_scores_agent(scores, a);
      for (size_t g = 0; g < games; g++) {
        for (size_t r = 0; r < s.runs[g]; r++) (void)*(volatile const double *)&s.scores[g][r];
      }
    }
    for (size_t i = 0; i < sixer_scores_warning_count(scores); i++)
      assert(sixer_scores_warning(scores, i).text);
    free(low);
    free(high);
  }
  sixer_scores_destroy(scores);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!published) {
    sixer_error error;
    if (sixer_published_open(&published, &error) ||
        sixer_protocol_open(sixer_protocol_names()[0], &protocols[0], &error) ||
        sixer_protocol_open(sixer_protocol_names()[1], &protocols[1], &error))
      abort();
  }
  char *text = malloc(size + 1);
  if (size) memcpy(text, data, size);
  text[size] = 0;
  for (int i = 0; i < 2; i++) read_results(protocols[i], text, size);
  sixer_error error = {SIXER_OK, ""};
  sixer_score_table *table = NULL;
  sixer_score_table_config config = sixer_score_table_config_default();
  config.percent = size & 1;
  config.min_games = 1;
  if (sixer_score_table_read(fuzz_file(data, size), published, &config, &table, &error))
    assert(error.message[0]);
  else
    sixer_score_table_exclude_sparse(table, 1, &error);
  sixer_score_table_destroy(table);
  free(text);
  return 0;
}
