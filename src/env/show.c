/* What an env shows, as values of a message. docs/serve.md describes them. */
#include "env/show.h"

#include <string.h>

static void put_list(message_writer *w, const char *key, sixer_list list) {
  message_put_ints(w, key, list.items, (size_t)list.count);
}

void show_rom(message_writer *w, const sixer_rom *rom) {
  sixer_rom_info info = sixer_rom_describe(rom);
  message_put_text(w, "game", info.game ? info.game : "");
  message_put_text(w, "md5", info.md5);
  put_list(w, "actions", sixer_rom_minimal_actions(rom));
  put_list(w, "legal", sixer_rom_legal_actions(rom));
  put_list(w, "modes", sixer_rom_modes(rom));
  put_list(w, "difficulties", sixer_rom_difficulties(rom));
  message_put_int(w, "default_mode", sixer_rom_default_mode(rom));
  message_put_int(w, "levels", sixer_rom_level_count(rom));
}

static void put_screen(message_writer *w, sixer_env *env, int kind) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen) return;
  size_t size = (size_t)sixer_env_height(env) * 160 * (kind == SHOW_RGB ? 3 : 1);
  uint8_t *room = message_put_room(w, "screen", size);
  if (!room) return;
  if (kind == SHOW_INDEXED)
    memcpy(room, screen, size);
  else if (kind == SHOW_GRAY)
    sixer_env_gray(env, room);
  else
    sixer_env_rgb(env, room);
  message_pack_bytes(w, size);
}

void show_env(message_writer *w, sixer_env *env, const show_settings *settings) {
  sixer_status status = sixer_env_status(env);
  message_put_int(w, "lives", status.lives);
  message_put_int(w, "frames", status.frames);
  message_put_int(w, "episode_frames", status.episode_frames);
  message_put_int(w, "level", status.level);
  if (settings->screen != SHOW_NONE) put_screen(w, env, settings->screen);
  if (settings->ram) message_put_bytes(w, "ram", sixer_env_ram(env), 128);
}

const char *show_end(sixer_end end) {
  static const char *const words[] = {"", "game over", "life", "frame limit", "stuck"};
  return (unsigned)end < sizeof words / sizeof words[0] ? words[end] : "";
}

void show_result(message_writer *w, const sixer_result *result) {
  message_put_int(w, "reward", result->reward);
  message_put_flag(w, "over", result->over);
  if (!result->over) return;
  message_put_flag(w, "truncated", result->truncated);
  message_put_text(w, "end", show_end(result->end));
}
