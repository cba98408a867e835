/* Sockets of Windows: see os_socket.h. A socket's number is its handle above OS_WINDOWS_SOCKETS. There are no local
 * (Unix) sockets: they would need Windows 10, and their files cannot be told from others. */
#if defined(_WIN32)
#include "util/os_socket.h"

#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>

#include <ws2tcpip.h>

#include <errno.h>
#include <string.h>

#include "util/os.h"
#include "util/os_windows.h"

static SOCKET handle_of(int socket) { return (SOCKET)(socket - OS_WINDOWS_SOCKETS); }

static int fail(void) {
  int code = WSAGetLastError();
  errno = code == WSAEWOULDBLOCK     ? EAGAIN
          : code == WSAETIMEDOUT     ? EAGAIN
          : code == WSAECONNRESET    ? ECONNRESET
          : code == WSAECONNABORTED  ? ECONNRESET
          : code == WSAECONNREFUSED  ? ECONNREFUSED
          : code == WSAEADDRINUSE    ? EADDRINUSE
          : code == WSAEACCES        ? EACCES
          : code == WSAEADDRNOTAVAIL ? EADDRNOTAVAIL
                                     : EIO;
  return -1;
}

/* Winsock may be started any number of times. */
static bool start(void) {
  WSADATA data;
  return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

static int number_of(SOCKET s) {
  if (s == INVALID_SOCKET) return fail();
  if (s < (SOCKET)OS_WINDOWS_SOCKETS) return (int)s + OS_WINDOWS_SOCKETS;
  closesocket(s);
  errno = EMFILE;
  return -1;
}

static int close_failed(SOCKET s) {
  fail();
  int reason = errno;
  if (s != INVALID_SOCKET) closesocket(s);
  errno = reason;
  return -1;
}

/* ---- As descriptors --------------------------------------------------------------------------------------------- */

static int part(size_t size) { return size < 1 << 30 ? (int)size : 1 << 30; }

ptrdiff_t os_windows_receive(int socket, void *bytes, size_t size) {
  int count = recv(handle_of(socket), bytes, part(size), 0);
  return count < 0 ? fail() : count;
}

ptrdiff_t os_windows_send(int socket, const void *bytes, size_t size) {
  int count = send(handle_of(socket), bytes, part(size), 0);
  return count < 0 ? fail() : count;
}

int os_windows_close_socket(int socket) { return closesocket(handle_of(socket)) ? fail() : 0; }

static bool wait_for(SOCKET s, bool writing, double seconds) {
  fd_set set, failed;
  struct timeval limit = {(long)seconds, (long)((seconds - (double)(long)seconds) * 1e6)};
  FD_ZERO(&set);
  FD_ZERO(&failed);
  FD_SET(s, &set);
  FD_SET(s, &failed);
  return select(0, writing ? NULL : &set, writing ? &set : NULL, &failed, &limit) > 0;
}

bool os_windows_socket_ready(int socket, bool *ended) {
  *ended = false;
  return wait_for(handle_of(socket), false, 0);
}

/* ---- Servers ---------------------------------------------------------------------------------------------------- */

int os_listen_local(const char *path) {
  (void)path;
  errno = ENOTSUP;
  return -1;
}

int os_listen_loopback(int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)*port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int size = sizeof address, yes = 1;
  if (!start()) return fail();
  SOCKET s = socket(AF_INET, SOCK_STREAM, 0);
  /* the meaning of SO_REUSEADDR is another here: it would let others take the port */
  if (s != INVALID_SOCKET)
    setsockopt(s, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&yes, sizeof yes);
  if (s == INVALID_SOCKET || bind(s, (const struct sockaddr *)&address, sizeof address) ||
      listen(s, 64) || getsockname(s, (struct sockaddr *)&address, &size))
    return close_failed(s);
  *port = ntohs(address.sin_port);
  return number_of(s);
}

int os_accept(int listener, int milliseconds) {
  if (!wait_for(handle_of(listener), false, milliseconds / 1000.0)) return -1;
  return number_of(accept(handle_of(listener), NULL, NULL));
}

static void set_timeout(SOCKET s, int option, double seconds) {
  DWORD limit = (DWORD)(seconds * 1000);
  if (seconds > 0) setsockopt(s, SOL_SOCKET, option, (const char *)&limit, sizeof limit);
}

void os_socket_settings(int socket, double send_seconds, double receive_seconds) {
  int yes = 1;
  SOCKET s = handle_of(socket);
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof yes);
  set_timeout(s, SO_SNDTIMEO, send_seconds);
  set_timeout(s, SO_RCVTIMEO, receive_seconds);
}

void os_socket_shut(int socket) { shutdown(handle_of(socket), SD_BOTH); }

ptrdiff_t os_send_at_once(int socket, const void *bytes, size_t size) {
  if (!wait_for(handle_of(socket), true, 0)) {
    errno = EAGAIN;
    return -1;
  }
  return os_windows_send(socket, bytes, size);
}

/* ---- Clients ---------------------------------------------------------------------------------------------------- */

bool os_wait_socket(int socket, bool writing, double deadline) {
  double left = deadline - os_seconds();
  return left > 0 && wait_for(handle_of(socket), writing, left);
}

int os_connect_local(const char *path, double deadline) {
  (void)path, (void)deadline;
  errno = ENOTSUP;
  return -1;
}

static int connect_to(const struct addrinfo *to, double deadline) {
  SOCKET s = socket(to->ai_family, to->ai_socktype, to->ai_protocol);
  u_long on = 1;
  int yes = 1, reason = 0, size = sizeof reason;
  if (s == INVALID_SOCKET || ioctlsocket(s, (long)FIONBIO, &on)) return close_failed(s);
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof yes);
  if (!connect(s, to->ai_addr, (int)to->ai_addrlen)) return number_of(s);
  if (WSAGetLastError() != WSAEWOULDBLOCK) return close_failed(s);
  double left = deadline - os_seconds();
  bool ready = left > 0 && wait_for(s, true, left);
  getsockopt(s, SOL_SOCKET, SO_ERROR, (char *)&reason, &size);
  if (ready && !reason) return number_of(s);
  WSASetLastError(reason);
  close_failed(s);
  if (!ready) errno = ETIMEDOUT;
  return -1;
}

int os_connect_host(const char *host, const char *port, double deadline, const char **reason) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
  int s = -1;
  *reason = NULL;
  if (!start()) return fail();
  if (getaddrinfo(host, port, &hints, &list)) {
    *reason = "the name of the host is not known";
    return -1;
  }
  for (const struct addrinfo *i = list; i && s < 0; i = i->ai_next) s = connect_to(i, deadline);
  int kept = errno;
  freeaddrinfo(list);
  errno = kept;
  return s;
}

ptrdiff_t os_send(int socket, const void *bytes, size_t size) {
  return os_windows_send(socket, bytes, size);
}

ptrdiff_t os_receive(int socket, void *bytes, size_t size) {
  return os_windows_receive(socket, bytes, size);
}

bool os_is_address(const char *host) {
  struct in6_addr number;
  return inet_pton(AF_INET, host, &number) == 1 || inet_pton(AF_INET6, host, &number) == 1;
}
#endif
