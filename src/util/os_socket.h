/* Sockets: of `sixer serve` and of the Redis client. Descriptors are for os_read(), os_write() and os_close() too. */
#ifndef SIXER_UTIL_OS_SOCKET_H
#define SIXER_UTIL_OS_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OS_LOCAL_PATH_MAX = 107 }; /* bytes of the path of a local socket */

/* ---- Servers ---------------------------------------------------------------------------------------------------- */

/* Listen on a local (Unix) socket that only this user can connect to; on the loopback interface (*port 0: any free one,
 * which is returned). A descriptor, or -1. */
int os_listen_local(const char *path);
int os_listen_loopback(int *port);

/* Wait for a client; -1: none came within the time. */
int os_accept(int listener, int milliseconds);

/* Send small messages at once; give up sending and receiving after so many seconds (0: never). */
void os_socket_settings(int socket, double send_seconds, double receive_seconds);
void os_socket_shut(int socket); /* wakes who waits for it */

/* Send what can be sent at once, and never end the program by a signal. */
ptrdiff_t os_send_at_once(int socket, const void *bytes, size_t size);

/* ---- Clients: sockets that never wait --------------------------------------------------------------------------- */

/* Connect until `deadline` (of os_seconds()). -1 with errno; os_connect_host() can also set *reason to a text. */
int os_connect_local(const char *path, double deadline);
int os_connect_host(const char *host, const char *port, double deadline, const char **reason);

/* Bytes that were sent or received; -1 with EAGAIN: wait first. */
ptrdiff_t os_send(int socket, const void *bytes, size_t size);
ptrdiff_t os_receive(int socket, void *bytes, size_t size);
bool os_wait_socket(int socket, bool writing, double deadline); /* false at the deadline */

/* Is this a number of IPv4 or IPv6 and not a name? */
bool os_is_address(const char *host);

#endif
