/* PNG files by libpng: no filter, zlib's default level, no extra chunks. */
#include "util/png.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_file(FILE *file, const uint8_t *rgb, int width, int height) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, file);
  png_set_filter(png, 0, PNG_FILTER_NONE);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < height; y++) png_write_row(png, rgb + (size_t)y * (size_t)width * 3);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

bool png_write(const char *path, const uint8_t *rgb, int width, int height) {
  size_t length = strlen(path) + 8;
  char *temporary = malloc(length);
  if (!temporary) return false;
  snprintf(temporary, length, "%s.part", path);
  FILE *file = fopen(temporary, "wb");
  bool ok = file && write_file(file, rgb, width, height);
  if (file) ok = fclose(file) == 0 && ok;
  if (ok) ok = rename(temporary, path) == 0;
  if (!ok && file) remove(temporary);
  free(temporary);
  return ok;
}
