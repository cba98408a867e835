/* Any bytes as a log file: refused with a message, or read. The checksums of event files are mended first, or nearly
 * all changes would end there.
 *
 * runs: 3000 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/eval.h"
#include "sixer/scores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_crc(char *place, const char *data, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; i++) {
    crc ^= (uint8_t)data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  crc = ~crc;
  crc = (crc >> 15 | crc << 17) + 0xa282ead8;
  memcpy(place, &crc, 4);
}

/* Files that begin with a small number of 8 bytes are taken as records. */
static void mend_records(char *text, size_t size) {
  for (size_t at = 0; size - at >= 16;) {
    uint64_t length;
    memcpy(&length, text + at, 8);
    if (length > size) return;
    put_crc(text + at + 8, text + at, 8);
    if (length > size - at - 16) return;
    put_crc(text + at + 12 + length, text + at + 12, (size_t)length);
    at += 16 + (size_t)length;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sixer_protocol *protocol;
  static sixer_published *published;
  sixer_error error = {SIXER_OK, ""};
  if (!published && (sixer_published_open(&published, &error) ||
                     sixer_protocol_open("dopamine", &protocol, &error)))
    abort();
  char *text = malloc(size + 1);
  if (size) memcpy(text, data, size);
  text[size] = 0;
  mend_records(text, size);
  sixer_scores_config config = sixer_scores_config_default(protocol);
  config.partial = true;
  config.checkpoint = 1000000;
  sixer_scores *scores = NULL;
  if (sixer_scores_create(protocol, published, &config, &scores, &error)) abort();
  if (sixer_scores_parse(scores, text, size, "runs/Pong-v5__a__1__2/events", "agent", &error)) {
    assert(error.message[0]);
  } else {
    assert(sixer_scores_agent_count(scores) >= 1);
    assert(sixer_scores_warning_count(scores) >= 1); /* some games are missing, at least */
  }
  sixer_scores_destroy(scores);
  free(text);
  return 0;
}
