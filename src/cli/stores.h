/* Stores of `sixer lab` as result files: the rows of a store under one protocol, as text in the form of `sixer train`.
 * Texts and not files, so that messages and reports name the store. */
#ifndef SIXER_CLI_STORES_H
#define SIXER_CLI_STORES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct store_rows {
  struct store_rows *next;
  const char *path;
  char *protocol;              /* as its rows name it; NULL: it has no rows */
  char *training, *evaluation; /* episodes; NULL: there are none */
  size_t training_size, evaluation_size;
  int runs, done; /* of the store */
  double frames_least,
      frames_most; /* of training, over the scores of the store; 0: there are none */
} store_rows;

/* Is the file a store? */
bool stores_recognize(const char *path);

/* Read those of the files that are stores. `protocol`: name or file, which chooses among the protocols of a store; NULL
 * if none is given. CLI_OK, or another status after a message. */
int stores_read(const char *command_name, const char *const *files, int count, const char *protocol,
                store_rows **stores);
void stores_free(store_rows *stores);

/* The store of this path; NULL if it is an ordinary file. */
const store_rows *stores_find(const store_rows *stores, const char *path);

#endif
