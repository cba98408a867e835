/* Writers of pictures: any pixels and sizes that callers may have, to a device.
 *
 * runs: 300 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/gif.h"
#include "util/png.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4) return 0;
  const int width = 1 + data[0], height = 1 + data[1] % 64, pictures = 1 + data[2] % 6;
  const size_t pixels = (size_t)width * (size_t)height;
  uint8_t *bytes = malloc(3 * pixels);
  uint32_t colors[256];
  for (int i = 0; i < 256; i++) colors[i] = (uint32_t)i * 0x010203u ^ data[3];
  for (size_t i = 0; i < 3 * pixels; i++)
    bytes[i] = data[4 + i % (size - 3) - (i % (size - 3) == size - 4)];
  bool written = png_write("/dev/null", bytes, width, height);
  gif *g = gif_create("/dev/null", width, height, colors);
  for (int i = 0; g && i < pictures; i++) {
    /* change a part from picture to picture, sometimes nothing */
    const size_t at = (size_t)data[(size_t)i % size] * pixels / 256;
    memset(bytes + at, data[size - 1 - (size_t)i % size], (pixels - at) / 3);
    gif_add(g, bytes, data[(size_t)i % size]);
  }
  if (g && data[3] & 1)
    gif_abandon(g);
  else if (g)
    written = gif_close(g) && written;
  (void)written;
  free(bytes);
  return 0;
}
