/* Files that may be compressed by gzip. */
#ifndef SIXER_UTIL_GZ_FILE_H
#define SIXER_UTIL_GZ_FILE_H

#include <zlib.h>

/* Open a file for gzread(); plain files are read as they are. NULL, with the reason in errno. The path is UTF-8 on
 * every platform, which that of gzopen() is not. */
gzFile gz_file_open(const char *path);

#endif
