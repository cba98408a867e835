/* A program that plays as an agent: started with a connection as its stdin and stdout, over which it asks for an
 * environment as a client of `sixer serve` does (docs/serve.md). pipe_program.c starts and ends it and carries the
 * messages; pipe.c answers. */
#ifndef SIXER_AGENTS_PIPE_H
#define SIXER_AGENTS_PIPE_H

#include <signal.h>

#include "util/message.h"
#include "util/os_process.h"

enum { PIPE_WORDS = 64, PIPE_SAID = 300 };

typedef struct pipe_program {
  bool started;
  os_talk talk;
  double timeout;                           /* seconds that a request may take; 0: no limit */
  bool late;                                /* it took longer */
  bool stopped;                             /* *stop */
  const volatile sig_atomic_t *const *stop; /* where the agent has it; see agent.h */
  char said[PIPE_SAID];                     /* the end of what it wrote to stderr */
  size_t said_size;
  message_stream stream;
} pipe_program;

/* Start a program; `command` is its words, separated by blanks. A backslash takes the meaning from the character behind
 * it. Looked for in $PATH. */
sixer_err pipe_start(pipe_program *p, const char *command, double timeout, sixer_error *error);

/* The next request. SIXER_ERR_FILE, with the last line that the program wrote to stderr, if there is none. A message
 * that cannot be read is an error too: programs are expected to be right. */
sixer_err pipe_receive(pipe_program *p, message *m, sixer_error *error);

/* Close the connection and wait for the program to end; after a second it is killed. */
void pipe_stop(pipe_program *p);

#endif
