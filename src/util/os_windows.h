/* What the files os_windows_*.c share. Windows only. */
#ifndef SIXER_UTIL_OS_WINDOWS_H
#define SIXER_UTIL_OS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Windows' functions take UTF-16. A path becomes absolute with the prefix \\?\ if it is long, which lifts the limit of
 * 260 characters. Freed by free(); NULL with errno: out of memory, or no UTF-8. */
wchar_t *os_windows_path(const char *path);
wchar_t *os_windows_wide(const char *text);
char *os_windows_utf8(const wchar_t *text);

/* Set errno by GetLastError(); returns -1. */
int os_windows_fail(void);

/* Sockets are numbers above all descriptors of the C library. */
enum { OS_WINDOWS_SOCKETS = 1 << 30 };
ptrdiff_t os_windows_receive(int socket, void *bytes, size_t size);
ptrdiff_t os_windows_send(int socket, const void *bytes, size_t size);
int os_windows_close_socket(int socket);
bool os_windows_socket_ready(int socket, bool *ended);

/* Is the console in raw mode, so that reading does not wait? */
bool os_windows_console_ready(void);

#endif
