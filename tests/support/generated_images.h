/* The generated images (tests/generate) for the tests in C: a list of files in the folder IMAGES_DIR, and a stream of
 * random numbers. */
#ifndef TESTS_GENERATED_IMAGES_H
#define TESTS_GENERATED_IMAGES_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/random.h"

enum { MAX_IMAGES = 200, MAX_PATH = 600 };

typedef struct image_list {
  char paths[MAX_IMAGES][MAX_PATH];
  int count;
} image_list;

static inline int compare_paths(const void *a, const void *b) { return strcmp(a, b); }

/* The images in a folder, by name; an empty list if the folder is missing. Free it. */
static inline image_list *list_images(const char *folder) {
  image_list *list = calloc(1, sizeof *list);
  DIR *directory = opendir(folder);
  for (struct dirent *entry;
       directory && (entry = readdir(directory)) && list->count < MAX_IMAGES;) {
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 4, ".bin") != 0) continue;
    snprintf(list->paths[list->count++], MAX_PATH, "%s/%s", folder, entry->d_name);
  }
  if (directory) closedir(directory);
  qsort(list->paths, (size_t)list->count, MAX_PATH, compare_paths);
  return list;
}

static inline uint64_t draw(uint64_t *state) { return random_next(state); }

static inline int below(uint64_t *state, int n) { return (int)((draw(state) >> 32) % (uint64_t)n); }

#endif
