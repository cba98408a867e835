/* Where cartridge images are found: $SIXER_ROMS, the user's data folder, an installed ale_py. */
#ifndef SIXER_ENV_IMAGE_SEARCH_H
#define SIXER_ENV_IMAGE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* The path of NAME.bin in the first place that has it; false if none does. */
bool image_search(const char *name, char *path, size_t size);

/* The folders that are searched, in order; returns how many (at most max). Folders need not exist. */
int image_folders(char (*folders)[4096], int max);

#endif
