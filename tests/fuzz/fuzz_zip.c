/* Any bytes as a zip archive: members are found and unpacked within the sizes that they state, or refused.
 *
 * runs: 5000 */
#include <assert.h>
#include <stdlib.h>

#include "util/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { MEMBERS = 64, LARGEST = 1 << 18 };
  size_t position = 0;
  zip_member member;
  const char *error = NULL;
  zip_is(data, size);
  for (int i = 0; i < MEMBERS && zip_next(data, size, &position, &member, &error); i++) {
    if (member.size > LARGEST) continue;
    uint8_t *contents = malloc(member.size ? member.size : 1);
    const char *problem = zip_read(data, size, &member, contents);
    assert(!problem || problem[0]);
    (void)problem;
    free(contents);
  }
  return 0;
}
