/* Speaking with an agent in another process or language: docs/serve.md is the protocol.
 *
 *     sixer_serve_settings settings = sixer_serve_settings_default();
 *     if (sixer_serve_talk(connection, connection, &settings, &error)) puts(error.message);
 *
 * One call serves one client: it makes environments as the client asks, plays them, and frees everything when the
 * client goes. Any number of calls can be under way in different threads. */
#ifndef SIXER_SERVE_H
#define SIXER_SERVE_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SIXER_SERVE_PROTOCOL 1

/* Fill with sixer_serve_settings_default(), then change what differs. */
typedef struct sixer_serve_settings {
  uint32_t cookie;  /* set by sixer_serve_settings_default() and checked */
  const char *game; /* id or path of the game if the client names none; NULL: it must */
  bool
      paths; /* the client may name files; if off, only ids of games. Off: a client reads no files */
  int max_envs;       /* of a client's vector; 1024 */
  int64_t max_bytes;  /* of a message from the client; 1 MiB */
  int64_t max_memory; /* bytes that a vector's observations may take; 256 MiB */
} sixer_serve_settings;

SIXER_API sixer_serve_settings sixer_serve_settings_default(void);

/* Serve one client until it says "bye" or closes its side. Requests are read from the descriptor `in`, replies go to
 * `out`, which may be the same; neither is closed. A request that cannot be fulfilled is answered by a message with
 * "ok": false and a sentence, and the connection goes on. SIXER_ERR_FILE if the client is gone in the middle of a
 * message or does not read, SIXER_ERR_ARGUMENT after a message that is too large; time limits are those of the
 * descriptors. The caller should ignore SIGPIPE. */
SIXER_API sixer_err sixer_serve_talk(int in, int out, const sixer_serve_settings *settings,
                                     sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
