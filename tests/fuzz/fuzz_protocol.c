/* Any text as a protocol: refused with a message, or a protocol whose description can be read.
 *
 * runs: 3000 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (size) memcpy(text, data, size);
  text[size] = 0;
  sixer_error error = {SIXER_OK, ""};
  sixer_protocol *protocol = NULL;
  if (sixer_protocol_parse(text, "fuzz", &protocol, &error)) {
    assert(error.message[0] && !protocol);
  } else {
    const sixer_protocol_info info = sixer_protocol_describe(protocol);
    for (size_t i = 0; i < info.game_count; i++) {
      sixer_protocol_constant(protocol, "human", info.games[i]);
      sixer_protocol_coefficient(protocol, info.games[i]);
    }
    assert(sixer_protocol_text(protocol));
  }
  sixer_protocol_close(protocol);
  free(text);
  return 0;
}
