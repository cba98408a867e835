/* Options, errors and progress for the subcommands. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "util/replace.h"
#include "util/text.h"
#include "util/os.h"
#include "util/os_terminal.h"
#include "util/os_process.h"

/* A text that may quote a file or its name, fit for a terminal. NULL: no memory. */
static char *clean_text(const char *format, va_list args) {
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0) return NULL;
  text_clean(text);
  return text;
}

int cli_print_error(const char *command_name, int status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = clean_text(format, args);
  va_end(args);
  fprintf(stderr, "sixer %s: %s\n", command_name, text ? text : "out of memory");
  free(text);
  if (status == CLI_USAGE) fprintf(stderr, "try: sixer %s --help\n", command_name);
  return status;
}

void cli_print(FILE *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = clean_text(format, args);
  va_end(args);
  fputs(text ? text : "out of memory\n", to);
  free(text);
}

const char *cli_s(int64_t count) { return count == 1 ? "" : "s"; }

/* The length of the UTF-8 character that the text begins with; 0 if it is none. */
static int utf8_length(const unsigned char *text) {
  static const struct {
    unsigned char mask, head;
    uint32_t lowest; /* what a shorter form could write is not allowed */
  } forms[] = {{0x80, 0, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
  for (int n = 0; n < 4; n++) {
    if ((text[0] & forms[n].mask) != forms[n].head) continue;
    uint32_t code = text[0] & (unsigned char)~forms[n].mask;
    for (int i = 1; i <= n; i++) {
      if ((text[i] & 0xC0) != 0x80) return 0;
      code = code << 6 | (text[i] & 0x3F);
    }
    bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < forms[n].lowest || surrogate || code > 0x10FFFF ? 0 : n + 1;
  }
  return 0;
}

void cli_write_json(FILE *file, const char *text) {
  if (!text) {
    fputs("null", file);
    return;
  }
  fputc('"', file);
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    int length = utf8_length(p);
    if (length == 0) {
      fputs("\\ufffd", file);
      length = 1;
    } else if (*p == '"' || *p == '\\') {
      fprintf(file, "\\%c", *p);
    } else if (*p < 0x20) {
      fprintf(file, "\\u%04x", *p);
    } else {
      fwrite(p, 1, (size_t)length, file);
    }
    p += length;
  }
  fputc('"', file);
}

void cli_print_json(const char *text) { cli_write_json(stdout, text); }

int cli_check_limits(const char *command_name, const cli_limit *limits) {
  for (const cli_limit *l = limits; l->option; l++) {
    if (l->value == INT64_MIN || (l->value >= l->lowest && l->value <= l->highest)) continue;
    if (l->highest == INT64_MAX)
      return cli_error(command_name, CLI_USAGE, "--%s is %lld or more, found %lld", l->option,
                       (long long)l->lowest, (long long)l->value);
    return cli_error(command_name, CLI_USAGE, "--%s is %lld to %lld, found %lld", l->option,
                     (long long)l->lowest, (long long)l->highest, (long long)l->value);
  }
  return CLI_OK;
}

/* Store an option's value. NULL, or what the option takes instead. */
static const char *store(const option_def *o, const char *text) {
  char *end;
  errno = 0;
  switch (o->kind) {
    case OPTION_FLAG: *(bool *)o->target = true; return NULL;
    case OPTION_TEXT: *(const char **)o->target = text; return NULL;
    case OPTION_INT: {
      const char *digits = text + strspn(text, "+-");
      /* 0x10 is 16, but 010 is ten: nobody writes octal */
      long long value = strtoll(text, &end, strncasecmp(digits, "0x", 2) ? 10 : 16);
      if (end == text || *end) return "a whole number";
      if (errno || value == INT64_MIN) return "a whole number below 9.2e18";
      *(int64_t *)o->target = value;
      return NULL;
    }
    case OPTION_REAL: {
      double value = strtod(text, &end);
      if (end == text || *end || !isfinite(value)) return "a number";
      *(double *)o->target = value;
      return NULL;
    }
  }
  return "something else";
}

const char *cli_suggest_command(nearest *close, const char *name) {
  nearest_begin(close, name);
  for (const command *c = cli_commands; c->name; c++)
    nearest_offer(close, c->name, strlen(c->name));
  return nearest_hint(close);
}

static const char *words_of(const char *command_name) {
  for (const command *c = cli_commands; c->name; c++) {
    if (!strcmp(c->name, command_name)) return c->words ? c->words : "";
  }
  return "";
}

int cli_unknown_word(const char *command_name, const char *word) {
  nearest close;
  char list[300];
  size_t n = 0;
  const char *words = words_of(command_name);
  nearest_begin(&close, word);
  nearest_offer_list(&close, words);
  for (; *words && n + 4 < sizeof list; words++) {
    if (*words != '|') {
      list[n++] = *words;
      continue;
    }
    bool last = !strchr(words + 1, '|');
    n += (size_t)snprintf(list + n, sizeof list - n, last ? " or " : ", ");
  }
  list[n] = 0;
  return cli_error(command_name, CLI_USAGE, "the first argument is %s, found '%s'%s", list, word,
                   nearest_hint(&close));
}

/* Say that there is no such option; `name` is without dashes and may go on after `length`. */
static void unknown_option(const char *command_name, const option_def *options, const char *arg,
                           size_t length) {
  char name[NEAREST_LENGTH], known[NEAREST_LENGTH];
  nearest close;
  snprintf(name, sizeof name, "%.*s", (int)(length + 2 < NEAREST_LENGTH ? length + 2 : 0), arg);
  nearest_begin(&close, name);
  for (const option_def *o = options; o->name; o++) {
    int size = snprintf(known, sizeof known, "--%s", o->name);
    nearest_offer(&close, known, (size_t)size);
  }
  cli_error(command_name, CLI_USAGE, "unknown option '%s'%s", arg, nearest_hint(&close));
}

int cli_parse(const char *command_name, const char *description, const option_def *options,
              int argc, char **argv, const char **positional, int max_positional, int *status) {
  int count = 0;
  bool only_positional = false;
  *status = CLI_USAGE;
  for (int i = 0; i < argc; i++) {
    const char *arg = argv[i];
    if (!only_positional && !strcmp(arg, "-o")) arg = "--output";
    if (!only_positional && !strcmp(arg, "-h")) arg = "--help";
    if (only_positional || strncmp(arg, "--", 2) != 0) {
      if (count == max_positional) {
        cli_error(command_name, CLI_USAGE, "unexpected argument '%s'", arg);
        return -1;
      }
      positional[count++] = arg;
      continue;
    }
    if (!arg[2]) {
      only_positional = true;
      continue;
    }
    const char *name = arg + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    if (length == 4 && !strncmp(name, "help", 4)) {
      if (!help_command(equals ? equals + 1 : "text", command_name, description, options)) {
        cli_error(command_name, CLI_USAGE, "--help takes text, man, bash, zsh or tsv, found '%s'",
                  equals + 1);
      } else {
        *status = CLI_OK;
      }
      return -1;
    }
    const option_def *o = options;
    while (o->name && (strlen(o->name) != length || strncmp(o->name, name, length) != 0)) o++;
    if (!o->name) {
      unknown_option(command_name, options, arg, length);
      return -1;
    }
    const char *value = equals ? equals + 1 : NULL;
    if (o->kind == OPTION_FLAG && value) {
      cli_error(command_name, CLI_USAGE, "option --%s takes no value", o->name);
      return -1;
    }
    if (o->kind != OPTION_FLAG && !value) {
      if (i + 1 == argc) {
        cli_error(command_name, CLI_USAGE, "option --%s needs a value: --%s %s", o->name, o->name,
                  o->value_name);
        return -1;
      }
      value = argv[++i];
    }
    const char *wanted = store(o, value);
    if (wanted) {
      cli_error(command_name, CLI_USAGE, "option --%s takes %s, found '%s'", o->name, wanted,
                value);
      return -1;
    }
  }
  *status = CLI_OK;
  return count;
}

int cli_check_output(const char *command_name, const char *path) {
  os_status info;
  bool exists = os_stat(path, &info) == 0;
  if (exists && info.kind != OS_FILE && info.kind != OS_FOLDER) return CLI_OK; /* a device */
  replacement *test = replace_open(path);
  if (!test)
    return cli_error(command_name, CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  replace_abandon(test);
  return CLI_OK;
}

const char *cli_program = "sixer";
const char *cli_program_name(void) {
  return os_last_separator(cli_program) ? cli_program : "sixer";
}

volatile sig_atomic_t cli_interrupted;

static void interrupt(int number) {
  (void)number;
  cli_interrupted = 1;
}

void cli_catch_interrupts(void) { os_on_interrupt(interrupt); }

bool cli_parse_count(const char *text, int64_t *out) {
  char digits[40];
  size_t n = 0;
  for (; *text && n + 1 < sizeof digits; text++) {
    if (*text != '_' && *text != ',') digits[n++] = *text;
  }
  digits[n] = 0;
  char *end;
  double value = strtod(digits, &end);
  double unit = *end == 'k' || *end == 'K'   ? 1e3
                : *end == 'M' || *end == 'm' ? 1e6
                : *end == 'G' || *end == 'g' ? 1e9
                                             : 1;
  if (unit > 1) end++;
  value *= unit;
  if (end == digits || *end || *text || !(value >= 1 && value <= 1e15) || value != floor(value))
    return false;
  *out = (int64_t)value;
  return true;
}

double cli_seconds(void) { return os_seconds(); }
double cli_thread_seconds(void) { return os_thread_seconds(); }

void cli_progress_begin(cli_progress *progress, const char *label) {
  *progress = (cli_progress){cli_seconds(), 0, label, os_is_terminal(OS_STDERR)};
}

void cli_progress_show(cli_progress *progress, double done, double total, const char *note) {
  double now;
  if (!progress->terminal || (now = cli_seconds()) - progress->last_drawn < 0.1) return;
  progress->last_drawn = now;
  char bar[31];
  double share = total > 0 ? done / total : 0;
  for (int i = 0; i < 30; i++) bar[i] = i < 30 * share ? '#' : '.';
  bar[30] = 0;
  fprintf(stderr, "\r%s [%s] %3.0f %%  %.0f s  %s\033[K", progress->label, bar, 100 * share,
          now - progress->start, note ? note : "");
}

void cli_progress_end(cli_progress *progress) {
  if (progress->terminal && progress->last_drawn > 0) fprintf(stderr, "\r\033[K");
}
