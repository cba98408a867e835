/* See apex_link.h. */
#include "agents/deep/apex_link.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SIXER_HAVE_TLS
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

#include "util/error.h"
#include "util/os.h"
#include "util/os_socket.h"

/* ---- Addresses ------------------------------------------------------------------------------------------------- */

static sixer_err bad_url(const char *url, const char *why, sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "'%.200s' is no address of a server: %s. It is redis://HOST[:PORT][/DATABASE], "
                    "rediss://... for TLS, or unix:PATH",
                    url, why);
}

static bool all_digits(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (!isdigit((unsigned char)text[i])) return false;
  }
  return size > 0;
}

/* HOST[:PORT][/DATABASE]; the host may be [an IPv6 address]. */
static sixer_err parse_host(const char *url, const char *at, link_address *a, sixer_error *error) {
  size_t whole = strcspn(at, "/"), host = strcspn(at, ":/");
  const char *name = at;
  if (*at == '[') {
    const char *end = strchr(at, ']');
    if (!end || (size_t)(end - at) >= whole) return bad_url(url, "a ']' is missing", error);
    name = at + 1;
    host = (size_t)(end - at) + 1;
  }
  size_t length = name == at ? host : host - 2;
  if (!length || length >= sizeof a->host) return bad_url(url, "it has no host", error);
  memcpy(a->host, name, length);
  a->host[length] = 0;
  if (at[host] == ':') {
    size_t digits = whole - host - 1;
    long port = strtol(at + host + 1, NULL, 10);
    if (!all_digits(at + host + 1, digits) || digits > 5 || port < 1 || port > 65535)
      return bad_url(url, "its port is 1 to 65535", error);
    snprintf(a->port, sizeof a->port, "%ld", port);
  } else if (host != whole) {
    return bad_url(url, "something follows the host", error);
  }
  if (at[whole] == '/' && at[whole + 1]) {
    const char *database = at + whole + 1;
    if (!all_digits(database, strlen(database)) || strlen(database) > 4)
      return bad_url(url, "its database is a number", error);
    a->database = (int)strtol(database, NULL, 10);
  }
  return SIXER_OK;
}

sixer_err link_parse(const char *url, link_address *a, sixer_error *error) {
  *a = (link_address){.port = "6379", .timeout = 5};
  if (strchr(url, '@') && strncmp(url, "unix:", 5) != 0)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a password does not belong into an address, which others can read: put it "
                      "into a file (--password-file) or into the variable SIXER_REDIS_PASSWORD");
  if (!strncmp(url, "unix:", 5)) {
    const char *path = url + 5;
    if (!strncmp(path, "//", 2)) path += 2;
    if (!*path || strlen(path) >= sizeof a->path)
      return bad_url(url, "the path of a socket has 1 to 107 characters", error);
    snprintf(a->path, sizeof a->path, "%s", path);
    return SIXER_OK;
  }
  if (!strncmp(url, "redis://", 8)) return parse_host(url, url + 8, a, error);
  if (!strncmp(url, "rediss://", 9)) {
    a->tls = true;
#ifndef SIXER_HAVE_TLS
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "this build has no TLS for rediss://: install OpenSSL (Debian: libssl-dev) and "
        "build again, or reach the server through a tunnel");
#endif
    return parse_host(url, url + 9, a, error);
  }
  return bad_url(url, "it begins with none of those", error);
}

sixer_err link_password(const char *file, link_address *a, sixer_error *error) {
  const char *text = os_getenv("SIXER_REDIS_PASSWORD");
  if (!file) {
    if (text && strlen(text) >= sizeof a->password)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "SIXER_REDIS_PASSWORD is too long");
    snprintf(a->password, sizeof a->password, "%s", text ? text : "");
    return SIXER_OK;
  }
  FILE *in = os_fopen(file, "re");
  if (!in)
    return sixer_fail(error, SIXER_ERR_FILE, "the password file %.200s cannot be read: %s", file,
                      strerror(errno));
  bool read = fgets(a->password, sizeof a->password, in) != NULL;
  fclose(in);
  if (!read) return sixer_fail(error, SIXER_ERR_FILE, "the password file %.200s is empty", file);
  a->password[strcspn(a->password, "\r\n")] = 0;
  return SIXER_OK;
}

#ifdef SIXER_HAVE_REDIS

/* ---- Sockets with deadlines ------------------------------------------------------------------------------------ */

struct redis_link {
  link_address address;
  int socket; /* -1: none */
  redisReader *reader;
  char *out; /* collected commands */
  size_t out_size, out_room, read;
  bool failed;         /* no memory for a command */
  bool greeting;       /* nothing was answered yet */
  char piece[1 << 16]; /* what has just been received */
#ifdef SIXER_HAVE_TLS
  SSL_CTX *context;
  SSL *tls;
#endif
};

static void where(const redis_link *l, char *text, size_t size) {
  if (l->address.path[0])
    snprintf(text, size, "unix:%.107s", l->address.path);
  else
    snprintf(text, size, "%.100s:%s", l->address.host, l->address.port);
}

static bool gone(redis_link *l, sixer_error *error, const char *why) {
  char place[200];
  where(l, place, sizeof place);
  sixer_fail(error, SIXER_ERR_FILE, "the Redis server at %s: %s", place, why);
  link_drop(l);
  return false;
}

/* The connection was closed, or the answer is none. At its begin, that is what a server with TLS does. */
static bool closed(redis_link *l, sixer_error *error, const char *why) {
  char text[200];
  bool plain = l->greeting && !l->address.tls && l->address.host[0];
  snprintf(text, sizeof text, "%s%s", why, plain ? "; does it want TLS (rediss://)?" : "");
  return gone(l, error, text);
}

static bool timed_out(redis_link *l, sixer_error *error) {
  char why[60];
  snprintf(why, sizeof why, "no answer within %g seconds", l->address.timeout);
  return gone(l, error, why);
}

static bool connect_socket(redis_link *l, double deadline, sixer_error *error) {
  const link_address *a = &l->address;
  const char *reason = NULL;
  l->socket = a->path[0] ? os_connect_local(a->path, deadline)
                         : os_connect_host(a->host, a->port, deadline, &reason);
  if (reason) return gone(l, error, reason);
  if (l->socket >= 0) return true;
  char why[200];
  snprintf(why, sizeof why, "%s; is it running, and is that its address?", strerror(errno));
  return gone(l, error, why);
}

#ifdef SIXER_HAVE_TLS
/* A plain server waits for the end of a line that TLS does not send, or closes. */
static const char plain_hint[] =
    "; if it is a server that does not speak TLS, its address is redis://";

static bool tls_failed(redis_link *l, sixer_error *error, const char *what) {
  char why[300], detail[160] = "";
  unsigned long code = ERR_get_error();
  long verified = l->tls ? SSL_get_verify_result(l->tls) : X509_V_OK;
  if (verified != X509_V_OK)
    snprintf(detail, sizeof detail, "%s", X509_verify_cert_error_string(verified));
  else if (code)
    ERR_error_string_n(code, detail, sizeof detail);
  snprintf(why, sizeof why, "%s: %s%s", what, detail[0] ? detail : "the connection was closed",
           verified == X509_V_OK && l->tls && !SSL_is_init_finished(l->tls) ? plain_hint : "");
  return gone(l, error, why);
}

/* Wait for what an operation of OpenSSL wants; false if it has failed. */
static bool tls_wait(redis_link *l, int result, double deadline, bool *late) {
  int kind = SSL_get_error(l->tls, result);
  if (kind != SSL_ERROR_WANT_READ && kind != SSL_ERROR_WANT_WRITE) return false;
  *late = !os_wait_socket(l->socket, kind == SSL_ERROR_WANT_WRITE, deadline);
  return true;
}

static bool begin_tls(redis_link *l, double deadline, sixer_error *error) {
  const link_address *a = &l->address;
  l->context = SSL_CTX_new(TLS_client_method());
  bool trusted = l->context && SSL_CTX_set_min_proto_version(l->context, TLS1_2_VERSION) &&
                 (a->authority[0] ? SSL_CTX_load_verify_locations(l->context, a->authority, NULL)
                                  : SSL_CTX_set_default_verify_paths(l->context));
  if (!trusted) return tls_failed(l, error, "the certificates cannot be read");
  SSL_CTX_set_verify(l->context, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_mode(l->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  l->tls = SSL_new(l->context);
  bool numeric = os_is_address(a->host);
  bool named = l->tls && (numeric ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(l->tls), a->host)
                                  : SSL_set1_host(l->tls, a->host) &&
                                        SSL_set_tlsext_host_name(l->tls, a->host));
  if (!named || !SSL_set_fd(l->tls, l->socket)) return tls_failed(l, error, "TLS");
  for (int result; (result = SSL_connect(l->tls)) != 1;) {
    bool late = false;
    if (!tls_wait(l, result, deadline, &late)) return tls_failed(l, error, "TLS was refused");
    if (!late) continue;
    char why[160];
    snprintf(why, sizeof why, "no answer within %g seconds%s", a->timeout, plain_hint);
    return gone(l, error, why);
  }
  return true;
}
#endif

static bool send_all(redis_link *l, double deadline, sixer_error *error) {
  size_t at = 0;
  while (at < l->out_size) {
#ifdef SIXER_HAVE_TLS
    if (l->tls) {
      int sent = SSL_write(l->tls, l->out + at,
                           (int)(l->out_size - at < 1 << 20 ? l->out_size - at : 1 << 20));
      bool late = false;
      if (sent > 0)
        at += (size_t)sent;
      else if (!tls_wait(l, sent, deadline, &late))
        return tls_failed(l, error, "the connection was lost");
      if (late) return timed_out(l, error);
      continue;
    }
#endif
    ptrdiff_t sent = os_send(l->socket, l->out + at, l->out_size - at);
    if (sent > 0)
      at += (size_t)sent;
    else if (sent < 0 && errno == EAGAIN) {
      if (!os_wait_socket(l->socket, true, deadline)) return timed_out(l, error);
    } else if (sent < 0 && errno != EINTR)
      return gone(l, error, strerror(errno));
  }
  l->out_size = 0;
  return true;
}

static bool receive(redis_link *l, double deadline, sixer_error *error) {
  for (;;) {
    ptrdiff_t got;
#ifdef SIXER_HAVE_TLS
    if (l->tls) {
      got = SSL_read(l->tls, l->piece, sizeof l->piece);
      bool late = false;
      if (got <= 0) {
        if (!tls_wait(l, (int)got, deadline, &late))
          return tls_failed(l, error, "the connection was lost");
        if (late) return timed_out(l, error);
        continue;
      }
    } else
#endif
    {
      got = os_receive(l->socket, l->piece, sizeof l->piece);
      if (got == 0) return closed(l, error, "it has closed the connection");
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) {
        if (!os_wait_socket(l->socket, false, deadline)) return timed_out(l, error);
        continue;
      }
      if (got < 0) return closed(l, error, strerror(errno));
    }
    l->read += (size_t)got;
    if (l->read > LINK_REPLY_MAX) return gone(l, error, "its answer is too long");
    if (redisReaderFeed(l->reader, l->piece, (size_t)got) != REDIS_OK)
      return gone(l, error, "its answer cannot be read");
    return true;
  }
}

/* ---- Connections ----------------------------------------------------------------------------------------------- */

redis_link *link_create(const link_address *address) {
  redis_link *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->address = *address;
  l->socket = -1;
  return l;
}

void link_drop(redis_link *l) {
#ifdef SIXER_HAVE_TLS
  SSL_free(l->tls);
  SSL_CTX_free(l->context);
  l->tls = NULL;
  l->context = NULL;
#endif
  if (l->socket >= 0) os_close(l->socket);
  if (l->reader) redisReaderFree(l->reader);
  l->socket = -1;
  l->reader = NULL;
  l->out_size = l->read = 0;
  l->failed = false;
}

void link_destroy(redis_link *l) {
  if (!l) return;
  link_drop(l);
  free(l->out);
  os_forget(l->address.password, sizeof l->address.password);
  free(l);
}

bool link_connected(const redis_link *l) { return l->socket >= 0; }

bool link_ready(redis_link *l, sixer_error *error) {
  if (l->socket >= 0) return true;
  double deadline = os_seconds() + l->address.timeout;
  l->reader = redisReaderCreate();
  if (!l->reader) return gone(l, error, "out of memory");
  l->reader->maxbuf = 1 << 20; /* its buffer is kept: 16 KB are too few for a pipeline of blocks */
#if HIREDIS_MAJOR >= 1
  l->reader->maxelements = LINK_ELEMENTS;
#endif
  if (!connect_socket(l, deadline, error)) return false;
#ifdef SIXER_HAVE_TLS
  if (l->address.tls && !begin_tls(l, deadline, error)) return false;
#endif
  char database[12];
  int commands = 0;
  if (l->address.password[0]) {
    link_add(l, "AUTH", l->address.password, NULL);
    commands++;
  }
  if (l->address.database) {
    snprintf(database, sizeof database, "%d", l->address.database);
    link_add(l, "SELECT", database, NULL);
    commands++;
  }
  link_add(l, "PING", NULL);
  l->greeting = true;
  bool ready = link_skip(l, commands + 1, error);
  l->greeting = false;
  if (!ready) link_drop(l);
  return ready;
}

/* ---- Commands and replies -------------------------------------------------------------------------------------- */

void link_add_sized(redis_link *l, int count, const char **arguments, const size_t *sizes) {
  char *command = NULL;
  int size = redisFormatCommandArgv(&command, count, arguments, sizes);
  if (size >= 0 && l->out_size + (size_t)size > l->out_room) {
    size_t room = 2 * (l->out_size + (size_t)size);
    char *more = realloc(l->out, room);
    if (more) {
      l->out = more;
      l->out_room = room;
    }
  }
  if (size < 0 || l->out_size + (size_t)size > l->out_room) {
    l->failed = true;
  } else {
    memcpy(l->out + l->out_size, command, (size_t)size);
    l->out_size += (size_t)size;
  }
  redisFreeCommand(command);
}

void link_add(redis_link *l, const char *first, ...) {
  const char *arguments[32];
  size_t sizes[32];
  int count = 0;
  va_list list;
  va_start(list, first);
  for (const char *a = first; a && count < 32; a = va_arg(list, const char *)) {
    arguments[count] = a;
    sizes[count++] = strlen(a);
  }
  va_end(list);
  link_add_sized(l, count, arguments, sizes);
}

bool link_reply(redis_link *l, redisReply **reply, sixer_error *error) {
  *reply = NULL;
  if (l->socket < 0) return gone(l, error, "it is not connected");
  if (l->failed) return gone(l, error, "out of memory for a command");
  double deadline = os_seconds() + l->address.timeout;
  if (l->out_size && !send_all(l, deadline, error)) return false;
  for (;;) {
    void *found = NULL;
    if (redisReaderGetReply(l->reader, &found) != REDIS_OK)
      return closed(l, error, "its answer is none of Redis; is this a Redis server?");
    if (found) {
      *reply = found;
      l->read = 0;
      return true;
    }
    /* later versions of hiredis nest answers without a limit, and free them by recursion */
    if (l->reader->ridx > LINK_DEPTH) return gone(l, error, "its answer is nested too deeply");
    if (!receive(l, deadline, error)) return false;
  }
}

/* An error of the server in words that help. Those that end a run keep the connection. */
static void server_error(const redis_link *l, const char *text, sixer_error *error) {
  char place[200];
  where(l, place, sizeof place);
  const char *hint = "";
  if (!strncmp(text, "NOAUTH", 6)) hint = "; give its password with --password-file FILE";
  if (!strncmp(text, "WRONGPASS", 9) || !strncmp(text, "ERR AUTH", 8))
    hint = "; is it the right password?";
  if (!strncmp(text, "OOM", 3) || !strncmp(text, "EXECABORT", 9))
    hint = "; its memory is full (maxmemory): give it more, or the run a smaller memory";
  sixer_fail(error, SIXER_ERR_STATE, "the Redis server at %s says: %.200s%s", place, text, hint);
}

bool link_expect(redis_link *l, int type, redisReply **reply, sixer_error *error) {
  if (!link_reply(l, reply, error)) return false;
  if ((*reply)->type == type) return true;
  if ((*reply)->type == REDIS_REPLY_ERROR)
    server_error(l, (*reply)->str, error);
  else
    sixer_fail(error, SIXER_ERR_STATE, "the Redis server gave an answer of kind %d instead of %d",
               (*reply)->type, type);
  freeReplyObject(*reply);
  *reply = NULL;
  /* what follows in the pipeline would be mistaken for other answers */
  link_drop(l);
  return false;
}

bool link_skip(redis_link *l, int count, sixer_error *error) {
  for (int i = 0; i < count; i++) {
    redisReply *reply;
    if (!link_reply(l, &reply, error)) return false;
    bool failed = reply->type == REDIS_REPLY_ERROR;
    if (failed) server_error(l, reply->str, error);
    freeReplyObject(reply);
    if (failed) {
      link_drop(l);
      return false;
    }
  }
  return true;
}

#endif
