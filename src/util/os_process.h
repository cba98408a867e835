/* Other processes, and signals to this one. */
#ifndef SIXER_UTIL_OS_PROCESS_H
#define SIXER_UTIL_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Children --------------------------------------------------------------------------------------------------- */

enum { OS_SAME = -1, OS_NOTHING = -2 }; /* the stream of this process; a stream without content */

typedef struct os_spawn_settings {
  int input, output, errors; /* descriptors, or OS_SAME or OS_NOTHING */
  bool own_group;            /* Ctrl-C is not for it */
  bool ends_with_us;         /* it is told to end when this process ends, however it does */
} os_spawn_settings;

/* Start a program that is looked for in $PATH, unless `program` has a separator. Returns a number for the functions
 * below; -1: it cannot be started. With `ends_with_us` a missing program can also show as exit status 127. */
int64_t os_spawn(const char *program, char *const argv[], const os_spawn_settings *s);

/* Wait for a child. 1: it has ended, and *status (may be NULL) is its exit status, or -1 if it was killed; then its
 * number is invalid. 0: it runs, if not told to `block`. -1: there is no such child. */
int os_wait(int64_t child, bool block, int *status);
void os_end(int64_t child, bool at_once); /* ask it to end, or end it */

/* A child that talks with us over its stdin and stdout. */
typedef struct os_talk {
  int64_t child;
  int to, from; /* may be the same descriptor */
  int errors;   /* its stderr, not waited for by os_read(); -1: that of this process */
} os_talk;
bool os_talk_begin(char *const argv[], bool errors, bool own_group, os_talk *out);
ptrdiff_t os_talk_write(const os_talk *t, const void *bytes,
                        size_t size); /* if it is gone, an error */
void os_talk_close(os_talk *t);       /* the connection, not `errors` */

/* The first line that a program prints; false if there is none. Its stderr is dropped. */
bool os_first_line(char *const argv[], char *out, size_t size);

/* Become another program that is looked for in $PATH. Returns only if that fails. */
void os_become(char *const argv[]);

/* A pipe that children do not inherit: [0] is read, [1] written. */
int os_pipe(int ends[2]);

/* Wait until one of the descriptors can be read, or has ended; negative ones are left out. How many, 0 after the time,
 * -1 on an error; which are in `ready`. Standard input may be a terminal. */
int os_wait_readable(const int *files, int count, int milliseconds, bool *ready);

/* Processor seconds: of this process and the children that have ended; of a child (-1: not known). */
double os_process_seconds(void);
double os_child_seconds(int64_t child);

/* ---- Signals ---------------------------------------------------------------------------------------------------- */

typedef void os_handler(int number);

/* Call the handler when the user interrupts the program or somebody ends it; the second time it ends at once. */
void os_on_interrupt(os_handler *handler);

/* While a terminal is in another mode: call the handler every time, and when the terminal is closed. Then restore. */
typedef struct os_handlers {
  void *saved[64];
} os_handlers;
void os_handlers_set(os_handler *handler, os_handlers *before);
void os_handlers_restore(const os_handlers *before);

/* Writing to a pipe that nobody reads, or a file beyond the limit of its size, is an error and not a signal. */
void os_ignore_broken_pipes(void);
void os_ignore_file_limit(void);

/* Stop the whole job, as Ctrl-Z does; returns when the shell lets it go on. Nothing where there are no jobs. */
void os_suspend(void);

#endif
