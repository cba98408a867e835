/* The terminal as a device. What is printed are the escape sequences of xterm, on Windows too. */
#ifndef SIXER_UTIL_OS_TERMINAL_H
#define SIXER_UTIL_OS_TERMINAL_H

#include <stdbool.h>

bool os_is_terminal(int file); /* OS_STDIN, OS_STDOUT or OS_STDERR */

/* Size in characters; false, and nothing is changed, if it is not known. */
bool os_terminal_size(int file, int *columns, int *lines);

/* The mode of the terminal on stdin. In raw mode every key is read at once and unchanged; os_read() does not wait. */
typedef struct os_terminal_mode {
  _Alignas(8) unsigned char saved[128];
} os_terminal_mode;
bool os_terminal_read_mode(os_terminal_mode *out);
void os_terminal_raw(const os_terminal_mode *before);
void os_terminal_restore(const os_terminal_mode *before);

/* Wait until stdout takes more, for a while. */
void os_terminal_wait_output(void);

#endif
