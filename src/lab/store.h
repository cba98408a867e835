/* The store from inside: a connection to SQLite, statements with their values, and errors in words. See lab.h. */
#ifndef SIXER_LAB_STORE_H
#define SIXER_LAB_STORE_H

#include <pthread.h>
#include <sqlite3.h>

#include "sixer/lab.h"
#include "util/arena.h"
#include "util/error.h"

enum { STORE_VERSION = 1, STORE_PATH = 4096 };

struct sixer_store {
  sqlite3 *db;
  char path[STORE_PATH];   /* of the store */
  char folder[STORE_PATH]; /* that the paths of runs are relative to: the store's own */
  bool can_write;
  pthread_mutex_t lock; /* of the connection: a transaction belongs to one thread */
};

/* Say in words what SQLite reported last, with the path of the store. Never SIXER_OK. */
sixer_err store_fail(const sixer_store *s, sixer_error *error);

/* Prepare a statement and bind its values: one letter of `kinds` for each. i: int64_t, r: double (NaN becomes NULL),
 * t: text, copied (NULL is allowed). The caller finalizes it. */
sixer_err store_prepare(sixer_store *s, sqlite3_stmt **statement, sixer_error *error,
                        const char *sql, const char *kinds, ...);

/* Bind values to a statement that was prepared, from ?1 on; used again and again after sqlite3_reset(). */
void store_bind(sqlite3_stmt *statement, const char *kinds, ...);

/* Run a statement that returns no rows. */
sixer_err store_run(sixer_store *s, sixer_error *error, const char *sql, const char *kinds, ...);

/* Run a statement, and read the first number of its first row; `none` if it has no row or the number is NULL. */
sixer_err store_number(sixer_store *s, int64_t none, int64_t *number, sixer_error *error,
                       const char *sql, const char *kinds, ...);

/* A transaction of this thread: takes the connection's lock and the store's write lock. store_end() commits if `err` is
 * SIXER_OK, else undoes everything; it returns `err`, or why the commit failed. */
sixer_err store_begin(sixer_store *s, sixer_error *error);
sixer_err store_end(sixer_store *s, sixer_err err, sixer_error *error);

/* Text of a column; "" for NULL. Lives until the next step of the statement. */
const char *store_text(sqlite3_stmt *statement, int column);
double store_real(sqlite3_stmt *statement, int column); /* NaN for NULL */

/* Now, as "2026-11-17T04:30:00Z", and as seconds since 1970. */
void store_now(char text[32]);
double store_seconds(void);

#endif
