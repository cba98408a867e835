/* See gz_file.h. */
#include "util/gz_file.h"

#include <errno.h>

#include "util/os.h"

gzFile gz_file_open(const char *path) {
  int descriptor = os_open(path, OS_READ);
  gzFile file = descriptor < 0 ? NULL : gzdopen(descriptor, "rb");
  if (!file && descriptor >= 0) {
    os_close(descriptor);
    errno = ENOMEM;
  }
  return file;
}
