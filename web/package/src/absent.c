/* What a browser does not have: other programs. And files, which JavaScript keeps in its memory (lib/files.js). */
#include <errno.h>
#include <stdarg.h>

#include "agents/pipe.h"
#include "util/error.h"

sixer_err pipe_start(pipe_program *p, const char *command, double timeout, sixer_error *error) {
  (void)p, (void)timeout;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "%s: programs cannot be started from a page; choose an agent of the library",
                    command);
}
sixer_err pipe_receive(pipe_program *p, message *m, sixer_error *error) {
  (void)p, (void)m;
  return sixer_fail(error, SIXER_ERR_ARGUMENT, "there is no program to receive from");
}
void pipe_stop(pipe_program *p) { (void)p; }

/* The C library's own open() knows no files when there is no glue of Emscripten. */
__attribute__((import_module("files"), import_name("open"))) int files_open(const char *path,
                                                                            int flags);
long __syscall_open(const char *path, long flags, ...);
long __syscall_open(const char *path, long flags, ...) { return files_open(path, (int)flags); }
