/* Sockets of Linux and macOS: see os_socket.h. */
#if !defined(_WIN32)
#include "util/os_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/os.h"

_Static_assert(sizeof((struct sockaddr_un *)0)->sun_path > 100, "room for paths");

#if defined(MSG_NOSIGNAL)
enum { NO_SIGNAL = MSG_NOSIGNAL };
#else
enum { NO_SIGNAL = 0 }; /* a setting of the socket there */
#endif

static int make_socket(int family) {
  int s = socket(family, SOCK_STREAM, 0);
  if (s < 0) return -1;
  fcntl(s, F_SETFD, FD_CLOEXEC);
#if !defined(MSG_NOSIGNAL)
  int yes = 1;
  setsockopt(s, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  return s;
}

static int close_failed(int s) {
  int reason = errno;
  if (s >= 0) close(s);
  errno = reason;
  return -1;
}

static bool local_address(const char *path, struct sockaddr_un *out) {
  *out = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (strlen(path) < sizeof out->sun_path) {
    memcpy(out->sun_path, path, strlen(path) + 1);
    return true;
  }
  errno = ENAMETOOLONG;
  return false;
}

/* ---- Servers ---------------------------------------------------------------------------------------------------- */

int os_listen_local(const char *path) {
  struct sockaddr_un address;
  if (!local_address(path, &address)) return -1;
  int s = make_socket(AF_UNIX);
  mode_t before = umask(0077); /* only this user can connect */
  bool bound = s >= 0 && !bind(s, (const struct sockaddr *)(const void *)&address, sizeof address);
  umask(before);
  return bound && !listen(s, 64) ? s : close_failed(s);
}

int os_listen_loopback(int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)*port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int yes = 1, s = make_socket(AF_INET);
  if (s >= 0) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (s < 0 || bind(s, (const struct sockaddr *)(const void *)&address, sizeof address) ||
      listen(s, 64) || getsockname(s, (struct sockaddr *)(void *)&address, &size))
    return close_failed(s);
  *port = ntohs(address.sin_port);
  return s;
}

int os_accept(int listener, int milliseconds) {
  struct pollfd wait = {.fd = listener, .events = POLLIN};
  if (poll(&wait, 1, milliseconds) < 1) return -1;
  return accept(listener, NULL, NULL);
}

static void set_timeout(int s, int option, double seconds) {
  struct timeval limit = {(time_t)seconds,
                          (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)};
  if (seconds > 0) setsockopt(s, SOL_SOCKET, option, &limit, sizeof limit);
}

void os_socket_settings(int socket, double send_seconds, double receive_seconds) {
  int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* fails on local sockets */
  set_timeout(socket, SO_SNDTIMEO, send_seconds);
  set_timeout(socket, SO_RCVTIMEO, receive_seconds);
}

void os_socket_shut(int socket) { shutdown(socket, SHUT_RDWR); }

ptrdiff_t os_send_at_once(int socket, const void *bytes, size_t size) {
  return send(socket, bytes, size, NO_SIGNAL | MSG_DONTWAIT);
}

/* ---- Clients ---------------------------------------------------------------------------------------------------- */

bool os_wait_socket(int socket, bool writing, double deadline) {
  for (;;) {
    double left = deadline - os_seconds();
    if (left <= 0) return false;
    struct pollfd p = {.fd = socket, .events = writing ? POLLOUT : POLLIN};
    int ready = poll(&p, 1, (int)(left * 1000) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

static int connect_to(const struct sockaddr *to, socklen_t size, double deadline) {
  int s = make_socket(to->sa_family), one = 1, reason = 0;
  if (s < 0 || fcntl(s, F_SETFL, O_NONBLOCK)) return close_failed(s);
  socklen_t length = sizeof reason;
  if (to->sa_family != AF_UNIX) setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (!connect(s, to, size)) return s;
  if (errno == EINPROGRESS && os_wait_socket(s, true, deadline)) {
    if (!getsockopt(s, SOL_SOCKET, SO_ERROR, &reason, &length) && !reason) return s;
    errno = reason;
  } else if (errno == EINPROGRESS) {
    errno = ETIMEDOUT;
  }
  return close_failed(s);
}

int os_connect_local(const char *path, double deadline) {
  struct sockaddr_un to;
  if (!local_address(path, &to)) return -1;
  return connect_to((const struct sockaddr *)(const void *)&to, sizeof to, deadline);
}

int os_connect_host(const char *host, const char *port, double deadline, const char **reason) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
  int s = -1, failed = getaddrinfo(host, port, &hints, &list);
  *reason = failed ? gai_strerror(failed) : NULL;
  if (failed) return -1;
  for (const struct addrinfo *i = list; i && s < 0; i = i->ai_next)
    s = connect_to(i->ai_addr, i->ai_addrlen, deadline);
  int kept = errno;
  freeaddrinfo(list);
  errno = kept;
  return s;
}

ptrdiff_t os_send(int socket, const void *bytes, size_t size) {
  return send(socket, bytes, size, NO_SIGNAL);
}

ptrdiff_t os_receive(int socket, void *bytes, size_t size) { return recv(socket, bytes, size, 0); }

bool os_is_address(const char *host) {
  struct in6_addr number;
  return inet_pton(AF_INET, host, &number) == 1 || inet_pton(AF_INET6, host, &number) == 1;
}
#endif
