/* What an env shows, as values of a message (util/message.h): for `sixer serve` and for agents behind a pipe. */
#ifndef SIXER_ENV_SHOW_H
#define SIXER_ENV_SHOW_H

#include "util/message.h"

#define SHOW_SCREENS "none|gray|rgb|indexed"
typedef enum show_screen { SHOW_NONE, SHOW_GRAY, SHOW_RGB, SHOW_INDEXED } show_screen;

typedef struct show_settings {
  int screen; /* a show_screen */
  bool ram;
} show_settings;

/* What is known about a cartridge: game, md5, actions, flavors, levels. */
void show_rom(message_writer *w, const sixer_rom *rom);

/* Lives, counters, and screen and RAM as asked for. A screen that is not known is left out. */
void show_env(message_writer *w, sixer_env *env, const show_settings *settings);

/* Reward and end of a step. */
void show_result(message_writer *w, const sixer_result *result);

/* "game over", ...; empty while the episode lasts. */
const char *show_end(sixer_end end);

#endif
