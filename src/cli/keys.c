/* Keys and what they do: see keys.h. */
#include "cli/keys.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/nearest.h"
#include "util/os.h"

static const char *const command_names[KEYS_COMMANDS] = {"up",
                                                         "down",
                                                         "left",
                                                         "right",
                                                         "fire",
                                                         "b-up",
                                                         "b-down",
                                                         "b-left",
                                                         "b-right",
                                                         "b-fire",
                                                         "select",
                                                         "reset",
                                                         "back",
                                                         "fast",
                                                         "faster",
                                                         "left-difficulty",
                                                         "right-difficulty",
                                                         "color",
                                                         "new-game",
                                                         "mode",
                                                         "mode-back",
                                                         "difficulty",
                                                         "difficulty-back",
                                                         "level",
                                                         "level-back",
                                                         "pause",
                                                         "frame",
                                                         "slot-0",
                                                         "slot-1",
                                                         "slot-2",
                                                         "slot-3",
                                                         "slot-4",
                                                         "slot-5",
                                                         "slot-6",
                                                         "slot-7",
                                                         "slot-8",
                                                         "slot-9",
                                                         "save",
                                                         "load",
                                                         "fullscreen",
                                                         "screenshot",
                                                         "overlay",
                                                         "insight",
                                                         "mute",
                                                         "mouse",
                                                         "release",
                                                         "help",
                                                         "quit"};

static const char *const defaults =
    "up = up, w\ndown = down, s\nleft = left, a\nright = right, d\nfire = space\n"
    "b-up = keypad 8\nb-down = keypad 2, keypad 5\nb-left = keypad 4\nb-right = keypad 6\n"
    "b-fire = keypad 0\n"
    "select = t, F8\nreset = r, F9\nleft-difficulty = [\nright-difficulty = ]\ncolor = b\n"
    "new-game = enter, F1\n"
    "mode = F2\nmode-back = shift F2\ndifficulty = F3\ndifficulty-back = shift F3\n"
    "level = F4\nlevel-back = shift F4\n"
    "pause = p\nframe = .\nback = backspace\n"
    "slot-0 = 0\nslot-1 = 1\nslot-2 = 2\nslot-3 = 3\nslot-4 = 4\n"
    "slot-5 = 5\nslot-6 = 6\nslot-7 = 7\nslot-8 = 8\nslot-9 = 9\n"
    "save = F5\nload = F7\nscreenshot = F12\noverlay = o\ninsight = i\nhelp = h, ?, shift /\nquit "
    "= escape\n"
    "[window]\n"
    "fire = space, left ctrl\nfast = tab\nfaster = `\nfullscreen = F11, alt enter\n"
    "mute = m\nmouse = g\n"
    "[terminal]\n"
    "mode = n, F2\nmode-back = shift n, shift F2\n"
    "difficulty = v, F3\ndifficulty-back = shift v, shift F3\n"
    "level = e, F4\nlevel-back = shift e, shift F4\n"
    "fast = f\nfaster = shift f\nsave = k, F5\nload = l, F7\nscreenshot = c, F12\n"
    "release = x\nquit = q, escape\n";

/* Two people share the keyboard: the left half, and the arrows with what is near them. */
static const char *const for_two =
    "up = w\nleft = a\ndown = s\nright = d\n"
    "b-up = up, keypad 8\nb-left = left, keypad 4\nb-down = down, keypad 2, keypad 5\n"
    "b-right = right, keypad 6\nb-fire = /, keypad 0\n"
    "[window]\nb-fire = right ctrl, /, keypad 0\n";

/* ---- Names of keys --------------------------------------------------------------------------------------------- */

typedef struct key_name {
  const char *name;
  int key;
} key_name;

/* A character stands for itself, so only the others have names, and those that the format needs. */
static const key_name key_names[] = {
    {"space", ' '},
    {"comma", ','},
    {"semicolon", ';'},
    {"enter", KEY_ENTER},
    {"return", KEY_ENTER},
    {"tab", KEY_TAB},
    {"backspace", KEY_BACKSPACE},
    {"escape", KEY_ESCAPE},
    {"esc", KEY_ESCAPE},
    {"delete", KEY_DELETE},
    {"up", KEY_UP},
    {"down", KEY_DOWN},
    {"left", KEY_LEFT},
    {"right", KEY_RIGHT},
    {"home", KEY_HOME},
    {"end", KEY_END},
    {"insert", KEY_INSERT},
    {"page up", KEY_PAGE_UP},
    {"page down", KEY_PAGE_DOWN},
    {"keypad .", KEY_PAD_PERIOD},
    {"keypad /", KEY_PAD_DIVIDE},
    {"keypad *", KEY_PAD_MULTIPLY},
    {"keypad -", KEY_PAD_MINUS},
    {"keypad +", KEY_PAD_PLUS},
    {"keypad enter", KEY_PAD_ENTER},
    {"left ctrl", KEY_LEFT_CTRL},
    {"right ctrl", KEY_RIGHT_CTRL},
    {"left shift", KEY_LEFT_SHIFT},
    {"right shift", KEY_RIGHT_SHIFT},
    {"left alt", KEY_LEFT_ALT},
    {"right alt", KEY_RIGHT_ALT},
};
enum { KEY_NAMES = sizeof key_names / sizeof key_names[0] };

/* The key of a name, 0 if there is none. Capital letters are the same keys as small ones. */
static int find_key(const char *name) {
  int held = 0, number = 0, used = 0;
  for (;;) {
    if (!strncasecmp(name, "shift ", 6) && name[6])
      held |= KEY_SHIFT, name += 6;
    else if (!strncasecmp(name, "alt ", 4) && name[4])
      held |= KEY_ALT, name += 4;
    else
      break;
  }
  if (name[0] > ' ' && name[0] <= '~' && !name[1]) return held | tolower((unsigned char)name[0]);
  for (int i = 0; i < KEY_NAMES; i++) {
    if (!strcasecmp(key_names[i].name, name)) return held | key_names[i].key;
  }
  if ((name[0] == 'f' || name[0] == 'F') && sscanf(name + 1, "%2d%n", &number, &used) == 1 &&
      !name[1 + used] && isdigit((unsigned char)name[1]) && number >= 1 && number <= 12)
    return held | (KEY_F1 + number - 1);
  if (!strncasecmp(name, "keypad ", 7) && isdigit((unsigned char)name[7]) && !name[8])
    return held | (KEY_PAD_0 + name[7] - '0');
  return 0;
}

static void write_key(int key, char *text, size_t size) {
  const char *shift = key & KEY_SHIFT ? "shift " : "", *alt = key & KEY_ALT ? "alt " : "";
  int plain = key & KEY_PLAIN;
  for (int i = 0; i < KEY_NAMES; i++) {
    if (key_names[i].key == plain) {
      snprintf(text, size, "%s%s%s", shift, alt, key_names[i].name);
      return;
    }
  }
  if (plain >= KEY_F1 && plain < KEY_F1 + 12)
    snprintf(text, size, "%s%sF%d", shift, alt, plain - KEY_F1 + 1);
  else if (plain >= KEY_PAD_0 && plain < KEY_PAD_0 + 10)
    snprintf(text, size, "%s%skeypad %d", shift, alt, plain - KEY_PAD_0);
  else
    snprintf(text, size, "%s%s%c", shift, alt, plain);
}

/* ---- Maps ------------------------------------------------------------------------------------------------------ */

static void unbind(key_map *map, int key, int command) {
  int kept = 0;
  for (int i = 0; i < map->count; i++) {
    if (map->bound[i].key != key && map->bound[i].command != command)
      map->bound[kept++] = map->bound[i];
  }
  map->count = kept;
}

key_command keys_find(const key_map *map, int key) {
  for (int exact = 1; exact >= 0; exact--) {
    for (int i = 0; i < map->count; i++) {
      if (map->bound[i].key == (exact ? key : key & KEY_PLAIN))
        return (key_command)map->bound[i].command;
    }
  }
  return DO_NOTHING;
}

void keys_names(const key_map *map, key_command command, char *text, size_t size) {
  size_t at = 0;
  text[0] = 0;
  for (int i = 0; i < map->count && at < size; i++) {
    char name[40];
    if (map->bound[i].command != command) continue;
    write_key(map->bound[i].key, name, sizeof name);
    at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", name);
  }
}

void keys_print(const key_map *map, FILE *out) {
  for (int command = 0; command < KEYS_COMMANDS; command++) {
    char text[400];
    keys_names(map, (key_command)command, text, sizeof text);
    fprintf(out, text[0] ? "%s = %s\n" : "%s =\n", command_names[command], text);
  }
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
  return text;
}

/* What keys_read() reads. `line_of` has for each key the line that gave it to a command, so that a key that is named
 * twice is noticed; a default is not. */
typedef struct reader {
  key_map map;
  const char *origin;
  int line;
  int key_lines[KEYS_MAX], command_lines[KEYS_COMMANDS];
  key_binding named[KEYS_MAX];
  int named_count;
  sixer_error *error;
} reader;

static sixer_err read_key(reader *r, int command, char *name) {
  int key = find_key(name);
  if (!key) {
    nearest close;
    nearest_begin(&close, name);
    for (int i = 0; i < KEY_NAMES; i++)
      nearest_offer(&close, key_names[i].name, strlen(key_names[i].name));
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%s:%d: there is no key '%s'%s; keys are characters and names such as space, "
                      "F5, left ctrl, shift n",
                      r->origin, r->line, name, nearest_hint(&close));
  }
  for (int i = 0; i < r->named_count; i++) {
    if (r->named[i].key != key) continue;
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%s:%d: %s is the key of %s already, by line %d",
                      r->origin, r->line, name, command_names[r->named[i].command],
                      r->key_lines[i]);
  }
  if (r->named_count == KEYS_MAX || r->map.count == KEYS_MAX)
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%s:%d: there are more than %d keys", r->origin,
                      r->line, KEYS_MAX);
  r->key_lines[r->named_count] = r->line;
  r->named[r->named_count++] = (key_binding){(uint16_t)key, (uint8_t)command};
  unbind(&r->map, key, DO_NOTHING);
  r->map.bound[r->map.count++] = (key_binding){(uint16_t)key, (uint8_t)command};
  return SIXER_OK;
}

static sixer_err read_line(reader *r, char *line) {
  char *equals = strchr(line, '=');
  if (!equals)
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%s:%d: '%.60s' is not a line such as fire = space, left ctrl", r->origin,
                      r->line, line);
  *equals = 0;
  char *name = trim(line), *rest = trim(equals + 1);
  int command = 0;
  while (command < KEYS_COMMANDS && strcmp(command_names[command], name) != 0) command++;
  if (command == KEYS_COMMANDS) {
    nearest close;
    nearest_begin(&close, name);
    for (int i = 0; i < KEYS_COMMANDS; i++)
      nearest_offer(&close, command_names[i], strlen(command_names[i]));
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%s:%d: there is no command '%.60s'%s; `sixer play --list-keys` lists them",
                      r->origin, r->line, name, nearest_hint(&close));
  }
  if (r->command_lines[command])
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%s:%d: %s has its keys already, by line %d",
                      r->origin, r->line, name, r->command_lines[command]);
  r->command_lines[command] = r->line;
  unbind(&r->map, 0, command);
  while (*rest) {
    char *comma = strchr(rest, ',');
    if (comma) *comma = 0;
    sixer_err err = read_key(r, command, trim(rest));
    if (err) return err;
    if (!comma) break;
    rest = trim(comma + 1);
    if (!*rest)
      return sixer_fail(r->error, SIXER_ERR_CONFIG,
                        "%s:%d: a key is missing after the last comma; the comma itself is the key "
                        "'comma'",
                        r->origin, r->line);
  }
  return SIXER_OK;
}

/* A new section is a new list: it may name what the lines for both have named. */
static void begin_section(reader *r) {
  r->named_count = 0;
  memset(r->command_lines, 0, sizeof r->command_lines);
}

sixer_err keys_read(key_map *map, bool terminal, const char *text, const char *origin,
                    sixer_error *error) {
  reader r = {.map = *map, .origin = origin, .error = error};
  bool ours = true;
  while (*text) {
    char line[1000];
    size_t length = strcspn(text, "\n");
    r.line++;
    if (length >= sizeof line)
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: the line has more than %zu characters",
                        origin, r.line, sizeof line - 1);
    memcpy(line, text, length);
    line[length] = 0;
    text += length + (text[length] == '\n');
    char *content = trim(line);
    if (!*content || *content == '#') continue;
    if (*content == '[') {
      bool window = !strcmp(content, "[window]");
      if (!window && strcmp(content, "[terminal]") != 0)
        return sixer_fail(error, SIXER_ERR_CONFIG,
                          "%s:%d: there are the sections [window] and [terminal], found '%.60s'",
                          origin, r.line, content);
      ours = terminal ? !window : window;
      begin_section(&r);
      continue;
    }
    /* the other section's lines are checked too, on a map that is dropped */
    key_map before = r.map;
    sixer_err err = read_line(&r, content);
    if (err) return err;
    if (!ours) r.map = before;
  }
  *map = r.map;
  return SIXER_OK;
}

key_map keys_default(bool terminal) {
  key_map map = {.count = 0};
  keys_read(&map, terminal, defaults, "defaults", NULL);
  return map;
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

static sixer_err read_file(key_map *map, bool terminal, const char *path, bool needed,
                           sixer_error *error) {
  FILE *file = os_fopen(path, "r");
  if (!file && errno == ENOENT && !needed) return SIXER_OK;
  if (!file)
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s: cannot be opened: %s (--keys takes a file, or \"fire = x; select = F8\")", path,
        strerror(errno));
  char *text = malloc(KEYS_FILE_MAX + 1);
  size_t size = text ? fread(text, 1, KEYS_FILE_MAX + 1, file) : 0;
  bool broken = ferror(file);
  fclose(file);
  sixer_err err = SIXER_OK;
  if (!text) {
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  } else if (broken || size > KEYS_FILE_MAX) {
    err = sixer_fail(error, SIXER_ERR_FILE,
                     broken ? "%s: cannot be read" : "%s: too large for a file of keys", path);
  } else if (memchr(text, 0, size)) {
    err = sixer_fail(error, SIXER_ERR_CONFIG, "%s: not a text", path);
  } else {
    text[size] = 0;
    err = keys_read(map, terminal, text, path, error);
  }
  free(text);
  return err;
}

sixer_err keys_open(key_map *map, bool terminal, bool two, const char *option, sixer_error *error) {
  char folder[4000], path[4096];
  bool known = os_settings_folder(folder, sizeof folder);
  if (known) snprintf(path, sizeof path, "%s/sixer/keys", folder);
  key_map made = keys_default(terminal);
  sixer_err err = two ? keys_read(&made, terminal, for_two, "for two", error) : SIXER_OK;
  if (!err && known) err = read_file(&made, terminal, path, false, error);
  if (!err && option && strchr(option, '=')) {
    char *lines = strdup(option);
    if (!lines) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
    for (char *c = lines; *c; c++) {
      if (*c == ';') *c = '\n';
    }
    err = keys_read(&made, terminal, lines, "--keys", error);
    free(lines);
  } else if (!err && option) {
    err = read_file(&made, terminal, option, true, error);
  }
  if (!err) *map = made;
  return err;
}

/* ---- Help ------------------------------------------------------------------------------------------------------ */

enum { HELP_BOTH, HELP_WINDOW, HELP_TERMINAL };

/* A line of the help is about up to five commands. A text in place of commands is said as it is. */
typedef struct help_line {
  const char *meaning;
  int where;
  const char *keys;
  int count;
  key_command commands[5];
} help_line;

static const help_line help_lines[] = {
    {"stick", HELP_BOTH, NULL, 4, {DO_UP, DO_LEFT, DO_DOWN, DO_RIGHT}},
    {"button", HELP_BOTH, NULL, 1, {DO_FIRE}},
    {"paddle and its button", HELP_WINDOW, "mouse", 0, {0}},
    {"player B", HELP_BOTH, NULL, 5, {DO_B_UP, DO_B_LEFT, DO_B_RIGHT, DO_B_DOWN, DO_B_FIRE}},
    {"the console's SELECT, RESET", HELP_BOTH, NULL, 2, {DO_SELECT, DO_RESET}},
    {"left, right difficulty", HELP_BOTH, NULL, 2, {DO_LEFT_DIFFICULTY, DO_RIGHT_DIFFICULTY}},
    {"color, black and white", HELP_BOTH, NULL, 1, {DO_COLOR}},
    {"new game", HELP_BOTH, NULL, 1, {DO_NEW_GAME}},
    {"next, previous mode", HELP_BOTH, NULL, 2, {DO_MODE, DO_MODE_BACK}},
    {"next, previous difficulty", HELP_BOTH, NULL, 2, {DO_DIFFICULTY, DO_DIFFICULTY_BACK}},
    {"next, previous level", HELP_BOTH, NULL, 2, {DO_LEVEL, DO_LEVEL_BACK}},
    {"pause, one frame", HELP_BOTH, NULL, 2, {DO_PAUSE, DO_FRAME}},
    {"go back, as long as it is held", HELP_WINDOW, NULL, 1, {DO_BACK}},
    {"go back a second", HELP_TERMINAL, NULL, 1, {DO_BACK}},
    {"4, 16 times as fast, as long as held", HELP_WINDOW, NULL, 2, {DO_FAST, DO_FASTER}},
    {"4, 16 times as fast; again: normal", HELP_TERMINAL, NULL, 2, {DO_FAST, DO_FASTER}},
    {"choose a slot", HELP_BOTH, NULL, 2, {DO_SLOT_0, DO_SLOT_9}},
    {"save to the slot, load from it", HELP_BOTH, NULL, 2, {DO_SAVE, DO_LOAD}},
    {"full screen", HELP_WINDOW, NULL, 1, {DO_FULLSCREEN}},
    {"screenshot", HELP_BOTH, NULL, 1, {DO_SCREENSHOT}},
    {"score and memory", HELP_BOTH, NULL, 1, {DO_OVERLAY}},
    {"predictions of a learner, what it looks at", HELP_BOTH, NULL, 1, {DO_INSIGHT}},
    {"sound off and on", HELP_WINDOW, NULL, 1, {DO_MUTE}},
    {"let the mouse go, take it again (paddles)", HELP_WINDOW, NULL, 1, {DO_MOUSE}},
    {"release everything", HELP_TERMINAL, NULL, 1, {DO_RELEASE}},
    {"these keys", HELP_BOTH, NULL, 1, {DO_HELP}},
    {"back to the shell; `fg` goes on", HELP_TERMINAL, "control Z", 0, {0}},
    {"quit", HELP_BOTH, NULL, 1, {DO_QUIT}},
};

/* Several commands: the first key of each, "up left down right"; one command: all its keys. */
static void write_help_keys(const key_map *map, const help_line *l, char *text, size_t size) {
  size_t at = 0;
  const char *between = l->commands[0] == DO_SLOT_0 ? " to " : l->count > 2 ? " " : ", ";
  text[0] = 0;
  if (l->count == 1) {
    keys_names(map, l->commands[0], text, size);
    return;
  }
  for (int i = 0; i < l->count && at < size; i++) {
    char names[200];
    keys_names(map, l->commands[i], names, sizeof names);
    names[strcspn(names, ",")] = 0;
    const char *name = names;
    /* the word is said once: keypad 8 4 6 2 0 */
    if (i && !strncmp(names, "keypad ", 7)) name += 7;
    if (*name) at += (size_t)snprintf(text + at, size - at, "%s%s", at ? between : "", name);
  }
}

void keys_first(const key_map *map, key_command command, char *text, size_t size) {
  keys_names(map, command, text, size);
  if (!text[0]) snprintf(text, size, "no key");
  char *next = strstr(text, ", ");
  if (next) *next = 0;
}

/* "w a s d, space: player 1   arrows, /: player 2   "; returns its length. */
static size_t greet_two(const key_map *map, char *text, size_t size) {
  static const help_line sticks[] = {
      {"player 1", 0, NULL, 4, {DO_UP, DO_LEFT, DO_DOWN, DO_RIGHT}},
      {"player 2", 0, NULL, 4, {DO_B_UP, DO_B_LEFT, DO_B_DOWN, DO_B_RIGHT}}};
  size_t at = 0;
  for (int i = 0; i < 2 && at < size; i++) {
    char keys[200], fire[200];
    write_help_keys(map, &sticks[i], keys, sizeof keys);
    keys_first(map, i ? DO_B_FIRE : DO_FIRE, fire, sizeof fire);
    at += (size_t)snprintf(text + at, size - at, "%s%s, %s: %s", at ? "   " : "",
                           strcmp(keys, "up left down right") ? keys : "arrows", fire,
                           sticks[i].meaning);
  }
  return at;
}

void keys_greeting(const key_map *map, bool mouse, bool two, char *text, size_t size) {
  static const help_line stick = {"stick", 0, NULL, 4, {DO_UP, DO_LEFT, DO_DOWN, DO_RIGHT}};
  static const struct {
    key_command command;
    const char *meaning;
  } rest[] = {{DO_MOUSE, "let it go"},
              {DO_FIRE, "button"},
              {DO_NEW_GAME, "new game"},
              {DO_HELP, "all keys"},
              {DO_QUIT, "quit"}};
  char keys[200];
  write_help_keys(map, &stick, keys, sizeof keys);
  const char *arrows = strcmp(keys, "up left down right") ? keys : "arrows";
  size_t at = (size_t)snprintf(text, size, "%s", mouse && !two ? "mouse: paddle" : "");
  if (two)
    at = greet_two(map, text, size);
  else if (!mouse && *arrows)
    at += (size_t)snprintf(text, size, "%s: stick", arrows);
  for (size_t i = mouse ? 0 : 1; i < sizeof rest / sizeof rest[0] && at < size; i++) {
    if ((mouse || two) && rest[i].command == DO_FIRE) continue; /* a button of the mouse; said */
    keys_names(map, rest[i].command, keys, sizeof keys);
    if (!keys[0]) continue; /* no key does it */
    keys_first(map, rest[i].command, keys, sizeof keys);
    at +=
        (size_t)snprintf(text + at, size - at, "%s%s: %s", at ? "   " : "", keys, rest[i].meaning);
  }
}

bool keys_help(const key_map *map, bool terminal, int index, char *keys, size_t size,
               const char **meaning) {
  for (size_t i = 0; i < sizeof help_lines / sizeof help_lines[0]; i++) {
    const help_line *l = &help_lines[i];
    if (l->where == (terminal ? HELP_WINDOW : HELP_TERMINAL)) continue;
    if (l->keys)
      snprintf(keys, size, "%s", l->keys);
    else
      write_help_keys(map, l, keys, size);
    if (!keys[0] || index-- > 0) continue; /* a line without keys is left out */
    *meaning = l->meaning;
    return true;
  }
  return false;
}
