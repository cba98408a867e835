/* Opening images, and comparing their names with their content: see image.h. */
#include "cli/image.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/session.h"
#include "util/error.h"
#include "util/os.h"

/* The id of the game that a file name promises: "roms/Pong.bin" gives "pong", "sixer/duskrain" gives "duskrain". */
static void promised_id(const char *path, char *id, size_t size) {
  const char *slash = os_last_separator(path), *name = slash ? slash + 1 : path;
  const char *dot = strchr(name, '.');
  int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
  snprintf(id, size, "%.*s", length, name);
  for (char *c = id; *c; c++) *c = (char)tolower((unsigned char)*c);
}

/* What is known about the image with this MD5 and the name `id`. */
typedef struct verdict {
  bool is_game;     /* there is a game with this id */
  bool has_md5;     /* and the image is one of its */
  char content[64]; /* the game that has the image, or nothing */
} verdict;

static void look_up(const sixer_catalog *catalog, const char *id, const char *md5, verdict *v) {
  for (int i = 0; catalog && i < sixer_catalog_count(catalog); i++) {
    sixer_game_info game = sixer_catalog_game(catalog, i);
    bool named = !strcmp(game.id, id), has = false;
    for (int k = 0; k < game.md5_count; k++) has |= !strcmp(game.md5s[k], md5);
    v->is_game |= named;
    v->has_md5 |= named && has;
    if (has) snprintf(v->content, sizeof v->content, "%s", game.id);
  }
}

static sixer_err compare(const char *command_name, const char *path, const char *rules,
                         image_rule rule, const sixer_rom *rom, sixer_error *error) {
  sixer_rom_info info = sixer_rom_describe(rom);
  char id[256], text[700];
  promised_id(rules ? rules : info.path ? info.path : path, id, sizeof id);
  if (!rules && info.game && !info.game_by_name && !strcmp(info.game, id)) return SIXER_OK;

  verdict v = {0};
  sixer_catalog *catalog = NULL;
  if (!sixer_catalog_open_builtin(&catalog, NULL)) look_up(catalog, id, info.md5, &v);
  sixer_catalog_close(catalog);
  if (!sixer_catalog_open(NULL, &catalog, NULL)) {
    look_up(catalog, id, info.md5, &v);
    sixer_catalog_close(catalog);
  }
  if (!v.is_game || v.has_md5) return SIXER_OK;
  int length = snprintf(text, sizeof text, "%.300s: the MD5 %s is not one of the game '%.60s'",
                        info.path ? info.path : path, info.md5, id);
  if (v.content[0])
    length += snprintf(text + length, sizeof text - (size_t)length, " but of '%s'", v.content);
  snprintf(text + length, sizeof text - (size_t)length,
           ": the rules of '%.60s' apply, and scores cannot be compared with those of '%.60s' "
           "(`sixer roms verify` checks your images)",
           info.game ? info.game : "no game", id);
  if (rule == IMAGE_REFUSE) return sixer_fail(error, SIXER_ERR_GAME, "%s", text);
  fprintf(stderr, "sixer %s: warning: %s\n", command_name, text);
  return SIXER_OK;
}

sixer_err image_open(const char *command_name, const char *path_or_id, const char *rules,
                     image_rule rule, sixer_rom **rom, sixer_error *error) {
  sixer_rom *opened;
  sixer_err err = sixer_rom_open(path_or_id, rules, &opened, error);
  if (err) return err;
  err = compare(command_name, path_or_id, rules, rule, opened, error);
  if (err)
    sixer_rom_close(opened);
  else
    *rom = opened;
  return err;
}
