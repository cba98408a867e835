/* Settings of a command from a file: see settings_file.h. */
#include "cli/settings_file.h"

#include <math.h>
#include <string.h>

#include "sixer/agents.h"
#include "util/nearest.h"
#include "util/number.h"

enum { OPTIONS_SIZE = 3000 };

typedef struct reader {
  settings_file *s;
  const char *path, *command;
  const option_def *options;
  const char *const *left_out;
} reader;

/* In TOML both spellings are common. */
static bool same_name(const char *a, const char *b) {
  for (; *a && *b; a++, b++) {
    if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_'))) return false;
  }
  return *a == *b;
}

static bool is_left_out(const reader *r, const char *name) {
  for (const char *const *l = r->left_out; *l; l++) {
    if (same_name(*l, name)) return true;
  }
  return false;
}

static int unknown_key(const reader *r, const toml_entry *e) {
  nearest close;
  nearest_begin(&close, e->key);
  nearest_offer_list(&close, "agent|games");
  for (const option_def *o = r->options; o->name; o++) {
    if (!is_left_out(r, o->name)) nearest_offer(&close, o->name, strlen(o->name));
  }
  return cli_error(r->command, CLI_USAGE, "%s:%d: '%s' is not a setting of [%s]%s", r->path,
                   e->line, e->key, r->command, nearest_hint(&close));
}

/* A value as it would be written on the command line; NULL if it is an array. */
static const char *text_of(const reader *r, const toml_value *v) {
  char number[32];
  switch (v->kind) {
    case TOML_STRING: return v->string;
    case TOML_BOOL: return v->flag ? "1" : "0";
    case TOML_NUMBER:
      number_text(v->number, number);
      return arena_copy(&r->s->arena, number, strlen(number));
    default: return NULL;
  }
}

static int wrong_value(const reader *r, const toml_entry *e, const char *wanted) {
  const char *found = text_of(r, &e->value);
  return cli_error(r->command, CLI_USAGE, "%s:%d: '%s' is %s, found %s", r->path, e->line, e->key,
                   wanted, found ? found : "an array");
}

static int store_option(const reader *r, const option_def *o, const toml_entry *e) {
  const toml_value *v = &e->value;
  switch (o->kind) {
    case OPTION_FLAG:
      if (v->kind != TOML_BOOL) return wrong_value(r, e, "true or false");
      *(bool *)o->target = v->flag;
      return CLI_OK;
    case OPTION_INT:
      if (v->kind != TOML_NUMBER || v->number != floor(v->number) || fabs(v->number) > 1e15)
        return wrong_value(r, e, "a whole number");
      *(int64_t *)o->target = (int64_t)v->number;
      return CLI_OK;
    case OPTION_REAL:
      if (v->kind != TOML_NUMBER || !isfinite(v->number)) return wrong_value(r, e, "a number");
      *(double *)o->target = v->number;
      return CLI_OK;
    case OPTION_TEXT: break;
  }
  const char *text = v->kind == TOML_BOOL ? NULL : text_of(r, v);
  if (!text) return wrong_value(r, e, "a text in quotes");
  *(const char **)o->target = text;
  return CLI_OK;
}

static int read_command_entry(const reader *r, const toml_entry *e) {
  if (!strcmp(e->key, "agent")) {
    if (e->value.kind != TOML_STRING) return wrong_value(r, e, "the name of an agent in quotes");
    r->s->agent = e->value.string;
    return CLI_OK;
  }
  if (!strcmp(e->key, "games")) {
    if (e->value.kind != TOML_STRINGS || !e->value.count)
      return wrong_value(r, e, "an array of names, as in [\"pong\", \"freeway\"]");
    r->s->games = e->value.strings;
    r->s->game_count = e->value.count;
    return CLI_OK;
  }
  if (is_left_out(r, e->key))
    return cli_error(r->command, CLI_USAGE, "%s:%d: '%s' belongs on the command line, as --%s",
                     r->path, e->line, e->key, e->key);
  const option_def *o = r->options;
  while (o->name && !same_name(o->name, e->key)) o++;
  return o->name ? store_option(r, o, e) : unknown_key(r, e);
}

/* Append "name=value" to the options of the agent. */
static int read_agent_entry(const reader *r, const toml_entry *e, char *options) {
  const char *text = text_of(r, &e->value);
  if (!text) return wrong_value(r, e, "a single value");
  if (!strcmp(e->key, "preset"))
    return cli_error(r->command, CLI_USAGE, "%s:%d: 'preset' belongs into [%s]", r->path, e->line,
                     r->command);
  if (strchr(text, ','))
    return cli_error(r->command, CLI_USAGE, "%s:%d: the value of '%s' holds a comma", r->path,
                     e->line, e->key);
  size_t at = strlen(options);
  int n = snprintf(options + at, OPTIONS_SIZE - at, "%s%s=%s", at ? "," : "", e->key, text);
  if ((size_t)n >= OPTIONS_SIZE - at)
    return cli_error(r->command, CLI_USAGE, "%s:%d: the options of [agent] are too long", r->path,
                     e->line);
  return CLI_OK;
}

int settings_file_read(settings_file *s, const char *path, const char *name,
                       const option_def *options, const char *const *left_out) {
  *s = (settings_file){.options = ""};
  reader r = {s, path, name, options, left_out};
  char *text;
  size_t size;
  sixer_error error;
  if (arena_read_file(&s->arena, path, &text, &size, &error) ||
      toml_parse(&s->arena, text, path, &s->doc, &error))
    return cli_error(name, CLI_USAGE, "%s", error.message);
  if (strlen(text) != size)
    return cli_error(name, CLI_USAGE, "%s: not a text: it holds a zero byte", path);
  char *agent = arena_alloc(&s->arena, OPTIONS_SIZE);
  if (!agent) return cli_error(name, CLI_FAILED, "out of memory");
  for (size_t i = 0; i < s->doc.count; i++) {
    const toml_entry *e = &s->doc.entries[i];
    int status;
    if (!strcmp(e->section, name))
      status = read_command_entry(&r, e);
    else if (!strcmp(e->section, "agent"))
      status = read_agent_entry(&r, e, agent);
    else
      status = cli_error(name, CLI_USAGE, "%s:%d: '%s' is in [%s]; settings are in [%s] or [agent]",
                         path, e->line, e->key, e->section, name);
    if (status) return status;
  }
  s->options = agent;
  return CLI_OK;
}

void settings_file_free(settings_file *s) { arena_free(&s->arena); }

int settings_file_agent_line(const settings_file *s, const char *agent, const char *preset) {
  char options[OPTIONS_SIZE + 100];
  int at = snprintf(options, 100, "%s%.80s", preset ? "preset=" : "", preset ? preset : "");
  const char *from = s->options;
  for (size_t i = 0; i < s->doc.count; i++) {
    if (strcmp(s->doc.entries[i].section, "agent") != 0) continue;
    size_t length = strcspn(from, ",");
    at += snprintf(options + at, sizeof options - (size_t)at, "%s%.*s", at ? "," : "", (int)length,
                   from);
    from += length + (from[length] == ',');
    sixer_agent *tried;
    sixer_error error;
    if (sixer_agent_create(agent, options, 1, &tried, &error)) return s->doc.entries[i].line;
    sixer_agent_destroy(tried);
  }
  return 0;
}
