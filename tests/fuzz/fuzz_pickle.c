/* Any bytes as a pickle, alone and as a log of Dopamine: refused with a message, or values whose parts can be looked
 * at.
 *
 * runs: 4000 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "eval/log_pickle.h"
#include "sixer/eval.h"
#include "sixer/scores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Look at a value and what it holds directly. */
static void look(const pickle_value *value) {
  bool holds =
      value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE || value->kind == PICKLE_DICT;
  if (value->kind == PICKLE_TEXT) assert(!value->text[value->size]);
  assert(value->kind != PICKLE_DICT || value->count % 2 == 0);
  for (size_t i = 0; holds && i < value->count; i++) assert(value->items[i]->kind <= PICKLE_DTYPE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sixer_protocol *protocols[2]; /* one scores training, the other evaluations */
  static sixer_published *published;
  sixer_error error = {SIXER_OK, ""};
  if (!published && (sixer_published_open(&published, &error) ||
                     sixer_protocol_open("dopamine", &protocols[0], &error) ||
                     sixer_protocol_open("nature2015", &protocols[1], &error)))
    abort();
  char *text = malloc(size + 1);
  if (size) memcpy(text, data, size);
  text[size] = 0;

  memory_arena arena = {0};
  const pickle_value *value;
  if (pickle_parse(&arena, text, size, "pickle", &value, &error)) {
    assert(error.message[0]);
  } else {
    look(value);
    for (size_t i = 0; value->kind == PICKLE_DICT && i < value->count; i++) look(value->items[i]);
  }
  arena_free(&arena);

  for (int i = 0; i < 2; i++) {
    sixer_scores_config config = sixer_scores_config_default(protocols[i]);
    config.partial = true;
    if (!i) config.checkpoint = 1000000;
    sixer_scores *scores = NULL;
    if (sixer_scores_create(protocols[i], published, &config, &scores, &error)) abort();
    if (sixer_scores_parse(scores, text, size, "runs/dqn_Pong/1/logs/log_3", "agent", &error))
      assert(error.message[0]);
    else
      assert(sixer_scores_agent_count(scores) >= 1);
    sixer_scores_destroy(scores);
  }
  free(text);
  return 0;
}
