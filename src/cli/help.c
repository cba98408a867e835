/* Help of a command, in the forms that people, troff and shells read. */
#include "cli/help.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 80, LEFT = 25 };

static const command *find_command(const char *name) {
  for (const command *c = cli_commands; c->name; c++) {
    if (!strcmp(c->name, name)) return c;
  }
  return NULL;
}

/* The default of an option as text; empty if there is none to show. */
static void default_of(const option_def *o, char *text, size_t size) {
  text[0] = 0;
  switch (o->kind) {
    case OPTION_FLAG: break;
    case OPTION_INT:
      if (*(int64_t *)o->target != INT64_MIN)
        snprintf(text, size, "%" PRId64, *(int64_t *)o->target);
      break;
    case OPTION_REAL:
      if (!isnan(*(double *)o->target)) {
        double value = *(double *)o->target;
        bool whole = value == floor(value) && fabs(value) < 1e15;
        snprintf(text, size, whole ? "%.0f" : "%g", value);
      }
      break;
    case OPTION_TEXT:
      if (*(const char **)o->target) snprintf(text, size, "%s", *(const char **)o->target);
      break;
  }
}

static const char *short_form(const option_def *o) {
  return !strcmp(o->name, "output") ? "-o, " : !strcmp(o->name, "help") ? "-h, " : "";
}

/* Print words from column `at` on. Lines are broken before column 80 and continue at column `indent`. */
static void wrap_words(const char *text, int size, int indent, int at) {
  const char *end = text + size;
  for (bool first = true; text < end; first = false) {
    int length = 0;
    while (text + length < end && text[length] != ' ') length++;
    if (!first && at + 1 + length >= COLUMNS) {
      printf("\n%*s", indent, "");
      at = indent;
    } else if (!first) {
      at += printf(" ");
    }
    at += printf("%.*s", length, text);
    for (text += length; text < end && *text == ' ';) text++;
  }
}

/* A line that begins with a space keeps its form. If it is too long, its last column (what follows two or more spaces)
 * is wrapped. */
static void wrap_example(const char *line, int size) {
  int column = (int)strspn(line, " ");
  for (int i = column + 2; i < size; i++) {
    if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ') column = i;
  }
  if (size < COLUMNS) column = size;
  wrap_words(line + column, size - column, column, printf("%.*s", column, line));
}

/* Paragraphs are separated by empty lines. Other line breaks count as spaces, except before a line that begins with a
 * space. */
static void wrap_text(const char *text) {
  while (*text) {
    int size = (int)strcspn(text, "\n");
    if (size == 0 || *text == ' ') {
      wrap_example(text, size);
    } else {
      while (text[size] == '\n' && text[size + 1] && !strchr(" \n", text[size + 1]))
        size += 1 + (int)strcspn(text + size + 1, "\n");
      char paragraph[4000];
      snprintf(paragraph, sizeof paragraph, "%.*s", size, text);
      for (char *c = paragraph; *c; c++) {
        if (*c == '\n') *c = ' ';
      }
      wrap_words(paragraph, (int)strlen(paragraph), 0, 0);
    }
    putchar('\n');
    text += size + (text[size] == '\n');
  }
}

static const option_def help_option = {"help", OPTION_FLAG, NULL, NULL, "show this help"};

static void text_option(const option_def *o) {
  char left[80], value[200], help[1000];
  snprintf(left, sizeof left, "%s--%s%s%s", short_form(o), o->name, o->value_name ? " " : "",
           o->value_name ? o->value_name : "");
  default_of(o, value, sizeof value);
  snprintf(help, sizeof help, value[0] ? "%s [%s]" : "%s", o->help, value);
  int at = printf("  %s", left);
  if (at >= LEFT) {
    printf("\n%*s", LEFT, "");
  } else {
    printf("%*s", LEFT - at, "");
  }
  wrap_words(help, (int)strlen(help), LEFT, LEFT);
  putchar('\n');
}

static void text_form(const command *c, const char *description, const option_def *options) {
  printf("usage: sixer %s%s%s [options]\n\n", c->name, c->arguments[0] ? " " : "", c->arguments);
  wrap_text(description);
  printf("\noptions:\n");
  for (const option_def *o = options; o->name; o++) text_option(o);
  text_option(&help_option);
}

/* ---- Manual ---------------------------------------------------------------------------------------------------- */

/* troff interprets backslashes, and dots and quotes at the start of a line. */
static void man_text(const char *text) {
  bool start = true;
  for (; *text; text++) {
    if (start && (*text == '.' || *text == '\'')) printf("\\&");
    if (*text == '\\')
      printf("\\\\");
    else if (*text == '-')
      printf("\\-");
    else
      putchar(*text);
    start = *text == '\n';
  }
}

static void man_description(const char *text) {
  /* indented lines are tables or commands: they keep their form */
  bool filled = true;
  while (*text) {
    size_t length = strcspn(text, "\n");
    char line[500];
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    if (length == 0) {
      if (!filled) printf(".fi\n");
      filled = true;
      printf(".PP\n");
    } else {
      if (line[0] == ' ' && filled) printf(".nf\n");
      if (line[0] != ' ' && !filled) printf(".fi\n");
      filled = line[0] != ' ';
      man_text(line);
      putchar('\n');
    }
    text += length + (text[length] == '\n');
  }
  if (!filled) printf(".fi\n");
}

static void man_form(const command *c, const char *description, const option_def *options) {
  printf(".SS \"sixer %s %s\"\n", c->name, c->arguments);
  man_description(description);
  for (const option_def *o = options; o->name; o++) {
    char value[200];
    default_of(o, value, sizeof value);
    printf(".TP\n.B %s\\-\\-", short_form(o)[0] ? "\\-o, " : "");
    man_text(o->name);
    if (o->value_name) {
      printf(" \\fI");
      man_text(o->value_name);
      printf("\\fR");
    }
    putchar('\n');
    man_text(o->help);
    if (value[0]) {
      printf(" [");
      man_text(value);
      putchar(']');
    }
    putchar('\n');
  }
}

/* ---- Completions ----------------------------------------------------------------------------------------------- */

/* What the shell completes for an argument, by its name in the help. */
static const char *kind_of(const char *value_name) {
  static const struct {
    const char *word, *kind;
  } kinds[] = {{"AGENT", "agents"}, {"GAME", "games"}, {"ROM", "games"}, {"ID", "games"}};
  for (size_t i = 0; value_name && i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strstr(value_name, kinds[i].word)) return kinds[i].kind;
  }
  return value_name && (strstr(value_name, "DIR") || strstr(value_name, "FOLDER")) ? "folders"
                                                                                   : "files";
}

/* What the first argument can be, separated by spaces. */
static void print_words(const command *c) {
  for (const char *w = c->words ? c->words : ""; *w; w++) putchar(*w == '|' ? ' ' : *w);
  if (strcmp(c->name, "help") != 0) return;
  for (const command *other = cli_commands; other->name; other++) printf(" %s", other->name);
}

/* The command's branch in the completion script's case statement: its options, the kinds of its arguments, and the kind
 * of each option's value. cmd_help.c prints the rest of the script. */
static void bash_form(const command *c, const option_def *options) {
  printf("    %s)\n      options=\"", c->name);
  for (const option_def *o = options; o->name; o++) printf("--%s ", o->name);
  printf("--help\"\n      arguments=\"");
  bool agents = strstr(c->arguments, "AGENT") != NULL;
  bool games = strstr(c->arguments, "GAME") || strstr(c->arguments, "ROM");
  printf("%s%s%sfiles\"\n      words=\"", c->words ? "words " : "", agents ? "agents " : "",
         games ? "games " : "");
  print_words(c);
  printf("\"\n");
  printf("      case $previous in\n");
  for (const option_def *o = options; o->name; o++) {
    if (o->value_name)
      printf("        --%s%s) value=%s ;;\n", o->name, short_form(o)[0] ? "|-o" : "",
             o->kind == OPTION_TEXT ? kind_of(o->value_name) : "nothing");
  }
  printf("      esac\n      ;;\n");
}

static void zsh_text(const char *text) {
  for (; *text; text++) {
    if (strchr("'", *text))
      printf("'\\''");
    else if (strchr("[]:\\", *text))
      printf("\\%c", *text);
    else
      putchar(*text);
  }
}

static void zsh_form(const command *c, const option_def *options) {
  printf("    %s)\n      _arguments -s \\\n", c->name);
  for (const option_def *o = options; o->name; o++) {
    printf("        '--%s%s[", o->name, o->value_name ? "=" : "");
    zsh_text(o->help);
    putchar(']');
    if (o->value_name) {
      const char *kind = o->kind == OPTION_TEXT ? kind_of(o->value_name) : "nothing";
      putchar(':');
      zsh_text(o->value_name);
      printf(":_sixer_%s", kind);
    }
    printf("' \\\n");
  }
  bool agents = strstr(c->arguments, "AGENT") != NULL;
  bool games = strstr(c->arguments, "GAME") || strstr(c->arguments, "ROM");
  if (c->words) {
    printf("        '1: :(");
    print_words(c);
    printf(")' \\\n");
  }
  printf("        '--help[show help]' '*: :_sixer_%s'\n      ;;\n", agents && games ? "agents_games"
                                                                    : games         ? "games"
                                                                                    : "files");
}

static void tsv_form(const command *c, const option_def *options) {
  for (const option_def *o = options; o->name; o++) {
    char value[200];
    default_of(o, value, sizeof value);
    printf("%s\t%s\t%s\t%s\t%s\n", c->name, o->name, o->value_name ? o->value_name : "", value,
           o->help);
  }
}

bool help_command(const char *form, const char *name, const char *description,
                  const option_def *options) {
  const command unlisted = {name, "", "", NULL, NULL};
  const command *c = find_command(name);
  if (!c) c = &unlisted;
  if (!strcmp(form, "text"))
    text_form(c, description, options);
  else if (!strcmp(form, "man"))
    man_form(c, description, options);
  else if (!strcmp(form, "bash"))
    bash_form(c, options);
  else if (!strcmp(form, "zsh"))
    zsh_form(c, options);
  else if (!strcmp(form, "tsv"))
    tsv_form(c, options);
  else
    return false;
  return true;
}
