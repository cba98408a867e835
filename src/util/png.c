/* PNG files by libpng: no filter, zlib's default level, no extra chunks. */
#include "util/png.h"

#include <png.h>

#include "util/replace.h"

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
  replacement *r = replace_open(path);
  if (!r) return false;
  r->durable = false; /* a film may be thousands of pictures, and each can be made again */
  if (write_file(r->file, rgb, width, height)) return replace_commit(r);
  replace_abandon(r);
  return false;
}
