/* Roms: reading an image, detecting its cartridge type and its game, finding images by the game's name. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "env/reset_cache.h"
#include "env/env.h"
#include "env/image_search.h"
#include "env/state.h"
#include "util/embedded.h"
#include "util/md5.h"
#include "util/nearest.h"
#include "util/os.h"
#include "util/gz_file.h"

const char *sixer_err_text(sixer_err err) {
  switch (err) {
    case SIXER_OK: return "no error";
    case SIXER_ERR_FILE: return "a file is missing, empty, too large or unreadable";
    case SIXER_ERR_CARTRIDGE: return "no cartridge type fits the image";
    case SIXER_ERR_GAME: return "no such game, or a definition that does not parse";
    case SIXER_ERR_CONFIG: return "a setting is out of range";
    case SIXER_ERR_FLAVOR: return "the game has no such mode or difficulty";
    case SIXER_ERR_ACTION: return "not an action";
    case SIXER_ERR_STATE: return "a saved state that is truncated, foreign or of another version";
    case SIXER_ERR_PICTURE: return "the picture is not known before the next frame";
    case SIXER_ERR_ARGUMENT: return "an index or size is out of range";
    case SIXER_ERR_MEMORY: return "out of memory";
    case SIXER_ERR_TAPE:
      return "a damaged tape, another kind of file, or a replay that differs from the recording";
    case SIXER_ERR_DIVERGED: return "what an agent learned has grown beyond bounds";
  }
  return "unknown error";
}

/* The properties of an image that no definition knows. */
static const game_properties default_properties = {
    .first_line = 34, .lines = 210, .paddle_min = -1, .paddle_max = -1};

/* Cartridges for which the reference has properties but no rules. */
static const struct {
  const char *md5;
  game_properties properties;
} known_properties[] = {
    /* combat */ {"0ef64cdbecccb7049752a3de0b7ade14",
                  {.first_line = 39, .lines = 256, .paddle_min = -1, .paddle_max = -1}},
    /* maze_craze */
    {"ed2218b3075d15eaa34e3356025ccca3",
     {.format = "PAL", .first_line = 34, .lines = 210, .paddle_min = -1, .paddle_max = -1}},
    /* warlords */
    {"cbe5a166550a8129a5e6d374901dffad",
     {.first_line = 34,
      .lines = 210,
      .left_paddles = true,
      .right_paddles = true,
      .paddle_min = -1,
      .paddle_max = -1}},
};

static const char *static_format(const char *format) {
  static const char *const known[] = {"NTSC", "PAL", "PAL60", "SECAM"};
  for (int i = 0; i < 4; i++) {
    if (format && !strcmp(format, known[i])) return known[i];
  }
  return NULL;
}

/* The properties of an image. They outlive the game they come from, so their texts are replaced by static ones. */
static game_properties properties_of(const char *md5, const game *by_md5) {
  if (by_md5) {
    game_properties p = *game_console(by_md5);
    p.format = static_format(p.format);
    if (p.cartridge) p.cartridge = cart_type_name(cart_type_by_name(p.cartridge));
    return p;
  }
  for (size_t i = 0; i < sizeof known_properties / sizeof known_properties[0]; i++) {
    if (!strcmp(known_properties[i].md5, md5)) return known_properties[i].properties;
  }
  return default_properties;
}

/* Does the reference have this game, and so the properties of its image? */
static bool in_reference(const game *g) {
  const char *id = game_gymnasium_id(g);
  return id && strncmp(id, "sixer/", 6) != 0;
}

/* Suggest games with a name like this one: built-in ones and the user's. */
static const char *suggest(nearest *close, const char *name) {
  char folder[4096];
  game_list list;
  nearest_begin(close, name);
  for (int i = 0; i < game_builtin_count(); i++)
    nearest_offer(close, game_builtin_id(i), strlen(game_builtin_id(i)));
  if (game_user_folder(folder, sizeof folder) && !game_list_folder(folder, &list, NULL)) {
    for (int i = 0; i < list.count; i++)
      nearest_offer(close, game_id(list.items[i]), strlen(game_id(list.items[i])));
    game_list_free(&list);
  }
  return nearest_hint(close);
}

/* Choose the rules: those that are asked for, else by the image's MD5, else by its file name. Console properties depend
 * on the MD5 alone. If an image runs under the rules of another game and the reference does not know the image, it gets
 * the default properties, as in the reference. */
static sixer_err find_game(sixer_rom *rom, const char *wanted, sixer_error *error) {
  game *by_md5 = NULL, *chosen = NULL;
  sixer_err err = game_find_md5(rom->md5, &by_md5, error);
  if (err) return err;
  rom->properties = properties_of(rom->md5, by_md5);
  if (wanted) {
    err = game_find_id(wanted, &chosen, error);
    if (!err && !chosen) {
      nearest close;
      err = sixer_fail(error, SIXER_ERR_GAME, "there is no game '%s'%s; `sixer games` lists them",
                       wanted, suggest(&close, wanted));
    }
    if (!err && by_md5 && !in_reference(by_md5) && strcmp(game_id(chosen), game_id(by_md5)) != 0)
      rom->properties = properties_of(rom->md5, NULL);
  } else if (by_md5) {
    rom->game = by_md5;
    return SIXER_OK;
  } else if (rom->stem) {
    char id[256];
    snprintf(id, sizeof id, "%s", rom->stem);
    for (char *c = id; *c; c++) *c = (char)tolower((unsigned char)*c);
    err = game_find_id(id, &chosen, error);
    rom->game_by_name = chosen != NULL;
  }
  rom->game = chosen;
  game_free(by_md5);
  return err;
}

static char *copy_text(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}

/* "games/Pong.bin" gives "Pong". */
static char *stem_of(const char *path) {
  const char *name = os_last_separator(path);
  name = name ? name + 1 : path;
  const char *dot = strrchr(name, '.');
  return copy_text(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

/* Detect the television format by emulation: power the console on once with the default seed. */
static sixer_err detect_format(sixer_rom *rom, sixer_error *error) {
  sixer_config config = sixer_config_default();
  config.core = SIXER_CORE_INTERP;
  sixer_env *env;
  sixer_err err = sixer_env_create(rom, &config, &env, error);
  if (err) return err;
  rom->format = env->format;
  rom->height = env->height;
  sixer_env_destroy(env);
  return SIXER_OK;
}

/* Takes over `image`, also when it fails. `path` is for messages and may be NULL. */
static sixer_err make_rom(uint8_t *image, size_t size, const char *path, const char *stem,
                          const char *game_id_or_null, sixer_rom **out, sixer_error *error) {
  const char *shown = path ? path : stem ? stem : "image";
  sixer_rom *rom = calloc(1, sizeof *rom);
  if (!rom) {
    free(image);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  }
  rom->image = image;
  rom->size = (uint32_t)size;
  rom->stem = stem ? stem_of(stem) : NULL;
  rom->path = path ? copy_text(path, strlen(path)) : NULL;
  rom->resets = reset_cache_make();
  md5_hex(image, size, rom->md5);
  sixer_err err = find_game(rom, game_id_or_null, error);
  rom->last_read = rom->game ? game_last_read(rom->game) : -1;
  if (!err) {
    const char *wanted = rom->properties.cartridge;
    cart_type type = wanted ? cart_type_by_name(wanted) : cart_detect(image, rom->size, rom->md5);
    if (!cart_wire(&rom->cart, image, rom->size, type)) {
      err = wanted ? sixer_fail(error, SIXER_ERR_CARTRIDGE,
                                "%s: %zu bytes do not make a cartridge of type '%s'", shown, size,
                                wanted)
                   : sixer_fail(error, SIXER_ERR_CARTRIDGE,
                                "%s: no cartridge type has %zu bytes (usual are 2048, 4096, 8192, "
                                "16384, 32768)",
                                shown, size);
    }
  }
  if (!err) err = detect_format(rom, error);
  if (err) {
    sixer_rom_close(rom);
    return err;
  }
  *out = rom;
  return SIXER_OK;
}

sixer_err sixer_rom_create(const void *image, size_t size, const char *name, const char *rules,
                           sixer_rom **rom, sixer_error *error) {
  if (size == 0 || size > CART_MAX_IMAGE) {
    return sixer_fail(error, SIXER_ERR_CARTRIDGE, "an image of %zu bytes; a cartridge has 1 to %d",
                      size, CART_MAX_IMAGE);
  }
  uint8_t *copy = malloc(size);
  if (!copy)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an image of %zu bytes", size);
  memcpy(copy, image, size);
  return make_rom(copy, size, NULL, name, rules, rom, error);
}

/* Read a whole file, decompressing it if it is gzip. */
static sixer_err read_image(const char *path, uint8_t **image, size_t *size, sixer_error *error) {
  os_status info;
  if (os_stat(path, &info) == 0 && info.kind == OS_FOLDER) {
    return sixer_fail(error, SIXER_ERR_FILE, "%s is a folder, not a cartridge image", path);
  }
  gzFile file = gz_file_open(path);
  if (!file) return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be opened for reading", path);
  uint8_t *bytes = malloc(CART_MAX_IMAGE + 1);
  int count = bytes ? gzread(file, bytes, CART_MAX_IMAGE + 1) : 0;
  int code = Z_OK;
  gzerror(file, &code);
  gzclose(file);
  if (!bytes) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  sixer_err err = SIXER_OK;
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be read, or its compressed data is damaged",
                     path);
  } else if (count == 0) {
    err = sixer_fail(error, SIXER_ERR_FILE, "%s is empty", path);
  } else if (count > CART_MAX_IMAGE) {
    err = sixer_fail(error, SIXER_ERR_FILE, "%s is larger than %d bytes: not a cartridge image",
                     path, CART_MAX_IMAGE);
  }
  if (err) {
    free(bytes);
    return err;
  }
  *image = bytes;
  *size = (size_t)count;
  return SIXER_OK;
}

/* One of our own games, by its id ("duskrain") or its full name ("sixer/duskrain"). */
static const embedded_file *find_own(const char *id) {
  if (!strncmp(id, "sixer/", 6)) id += 6;
  for (const embedded_file *f = embedded_roms; f->name; f++) {
    const char *name = strrchr(f->name, '/') + 1;
    size_t length = strlen(name) - strlen(".bin");
    if (strlen(id) == length && !strncmp(id, name, length)) return f;
  }
  return NULL;
}

/* Say what is missing for a name that is neither a file nor found: a file, the image of a game, or a game. */
static sixer_err no_image(const char *name, sixer_error *error) {
  game *known = NULL;
  if (strchr(name, '/')) return sixer_fail(error, SIXER_ERR_FILE, "there is no file '%s'", name);
  sixer_err err = game_find_id(name, &known, error);
  if (err) return err;
  if (!known) {
    nearest close;
    return sixer_fail(error, SIXER_ERR_FILE,
                      "there is no file or game '%s'%s; `sixer games` lists the games", name,
                      suggest(&close, name));
  }
  err =
      sixer_fail(error, SIXER_ERR_FILE,
                 "no image of %s: there is no file %s.bin in $SIXER_ROMS, the user's data folder "
                 "or an installed ale_py. If you have the image, `sixer roms import FROM` finds it "
                 "by its content%s",
                 game_title(known), name,
                 in_reference(known) ? "; `pip install ale-py` installs images of its games" : "");
  game_free(known);
  return err;
}

sixer_err sixer_rom_open(const char *path_or_id, const char *rules, sixer_rom **rom,
                         sixer_error *error) {
  uint8_t *image = NULL;
  size_t size = 0;
  char found[4096];
  os_status info;
  const char *path = path_or_id;
  if (os_stat(path, &info) != 0) {
    const embedded_file *own = find_own(path_or_id);
    if (own) return sixer_rom_create(own->text, own->size, path_or_id, rules, rom, error);
    if (!image_search(path_or_id, found, sizeof found)) { return no_image(path_or_id, error); }
    path = found;
  }
  sixer_err err = read_image(path, &image, &size, error);
  return err ? err : make_rom(image, size, path, path, rules, rom, error);
}

void sixer_rom_close(sixer_rom *rom) {
  if (!rom) return;
  game_free(rom->game);
  reset_cache_free(rom->resets);
  free(rom->image);
  free(rom->path);
  free(rom->stem);
  free(rom);
}

/* ---- Properties of a rom --------------------------------------------------------------------------------------- */

sixer_rom_info sixer_rom_describe(const sixer_rom *rom) {
  sixer_rom_info info = {
      .type = cart_type_name(rom->cart.type),
      .format = rom->format,
      .path = rom->path,
      .game = rom->game ? game_id(rom->game) : NULL,
      .title = rom->game   ? game_title(rom->game)
               : rom->stem ? rom->stem
                           : "",
      .game_by_name = rom->game_by_name,
      .paddles = rom->properties.left_paddles || rom->properties.right_paddles,
      .size = rom->size,
      .height = rom->height,
      .width = SCREEN_WIDTH,
      .state_size = (int)rom_state_size(rom, 0),
  };
  memcpy(info.md5, rom->md5, sizeof info.md5);
  return info;
}

static const int all_actions[SIXER_ACTION_COUNT] = {0, 1,  2,  3,  4,  5,  6,  7,  8,
                                                    9, 10, 11, 12, 13, 14, 15, 16, 17};
static const int only_zero[1] = {0};
static const int any_difficulty[4] = {0, 1, 2, 3};

sixer_list rom_all_actions(void) { return (sixer_list){all_actions, SIXER_ACTION_COUNT}; }

sixer_list sixer_rom_modes(const sixer_rom *rom) {
  return rom->game ? game_modes(rom->game) : (sixer_list){only_zero, 1};
}
sixer_list sixer_rom_difficulties(const sixer_rom *rom) {
  return rom->game ? game_difficulties(rom->game) : (sixer_list){any_difficulty, 4};
}
sixer_list sixer_rom_legal_actions(const sixer_rom *rom) {
  return rom->game ? game_legal_actions(rom->game) : (sixer_list){all_actions, SIXER_ACTION_COUNT};
}
sixer_list sixer_rom_minimal_actions(const sixer_rom *rom) {
  return rom->game ? game_minimal_actions(rom->game)
                   : (sixer_list){all_actions, SIXER_ACTION_COUNT};
}
int sixer_rom_default_mode(const sixer_rom *rom) {
  return rom->game ? game_default_mode(rom->game) : 0;
}

int sixer_rom_level_count(const sixer_rom *rom) {
  return rom->game ? game_level_count(rom->game) : 1;
}
