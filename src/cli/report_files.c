/* Which files a report is made of, and the plots that it writes. A folder stands for all runs in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/report.h"
#include "util/gz_file.h"
#include "util/os.h"
#include "util/os_process.h"
#include "util/replace.h"
#include "util/sort.h"

struct file_text {
  struct file_text *next;
  char text[];
};

enum { DEPTH_MAX = 8 };

/* ---- finding runs ---- */

static char *keep(report_files *found, const char *first, const char *between, const char *second) {
  size_t size = strlen(first) + strlen(between) + strlen(second) + 1;
  struct file_text *made = malloc(sizeof *made + size);
  if (!made) return NULL;
  snprintf(made->text, size, "%s%s%s", first, between, second);
  made->next = found->texts;
  found->texts = made;
  return made->text;
}

static bool add(report_files *found, const char *argument) {
  if (found->count == found->room) {
    int room = found->room ? 2 * found->room : 64;
    const char **more = realloc(found->files, (size_t)room * sizeof *more);
    if (!more) return false;
    found->files = more;
    found->room = room;
  }
  if (argument) found->files[found->count++] = argument;
  return argument != NULL;
}

void report_files_end(report_files *found) {
  while (found->texts) {
    struct file_text *next = found->texts->next;
    free(found->texts);
    found->texts = next;
  }
  free(found->files);
  *found = (report_files){0};
}

static bool ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), n = strlen(ending);
  return length >= n && !strcmp(name + length - n, ending);
}

/* Logs that are a run together with the others in their folder. */
static bool is_folder_log(const char *name) {
  return strstr(name, ".tfevents.") || ends_with(name, "monitor.csv");
}

/* The agent of a run of CleanRL, whose folder is ENV__AGENT__SEED__TIME; NULL if it is another folder. */
static const char *cleanrl_agent(report_files *found, const char *folder) {
  const char *name = os_last_separator(folder);
  name = name ? name + 1 : folder;
  const char *agent = strstr(name, "__"), *end = agent ? strstr(agent + 2, "__") : NULL;
  if (!end || end == agent + 2) return NULL;
  char *text = keep(found, agent + 2, "", "");
  if (text) text[end - agent - 2] = 0;
  return text;
}

/* Dopamine's log_N. */
static bool is_dopamine_log(const char *name) {
  size_t digits = strncmp(name, "log_", 4) ? 0 : strspn(name + 4, "0123456789");
  return digits && !name[4 + digits];
}

/* The agent of a run of Dopamine in a folder such as dqn_Pong_1: what stands before the game. The folder's name if it
 * names no game, or nothing else. */
static const char *dopamine_agent(report_files *found, const sixer_published *published,
                                  const char *folder) {
  static const char separators[] = "_-.=, ";
  for (const char *start = folder; *start; start += strspn(start, separators)) {
    for (const char *end = start; *end;) {
      end += strspn(end, separators);
      end += strcspn(end, separators);
      char game[100];
      if (end - start >= (int)sizeof game) break;
      snprintf(game, sizeof game, "%.*s", (int)(end - start), start);
      if (!sixer_published_game(published, game) || start == folder) continue;
      char *agent = keep(found, folder, "", "");
      size_t length = (size_t)(start - folder);
      while (length && strchr(separators, folder[length - 1])) length--;
      if (agent) agent[length] = 0;
      return agent;
    }
    start += strcspn(start, separators);
  }
  return folder;
}

/* The agent in the first row of a table of `sixer train`; NULL if there is none. */
static const char *agent_of_table(report_files *found, const char *path) {
  char head[4000], row[8000];
  gzFile file = gz_file_open(path);
  const char *agent = NULL;
  if (file && gzgets(file, head, sizeof head) && !strncmp(head, "agent\t", 6) &&
      gzgets(file, row, sizeof row)) {
    row[strcspn(row, "\t\n")] = 0;
    if (*row && !strpbrk(row, "/=")) agent = keep(found, row, "", "");
  }
  if (file) gzclose(file);
  return agent;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder, sorted; NULL ends the list. NULL if it cannot be read, with errno. */
static char **list_folder(const char *path) {
  os_folder *folder = os_folder_open(path);
  size_t count = 0, room = 16;
  char **names = folder ? malloc(room * sizeof *names) : NULL;
  for (const char *entry; names && (entry = os_folder_next(folder));) {
    if (entry[0] == '.') continue;
    if (count + 2 > room) {
      char **more = realloc(names, 2 * room * sizeof *names);
      if (!more) break;
      names = more;
      room *= 2;
    }
    names[count] = strdup(entry);
    count += names[count] != NULL;
  }
  os_folder_close(folder);
  if (!names) return NULL;
  sort_stable(names, count, sizeof *names, compare_names);
  names[count] = NULL;
  return names;
}

/* Does the folder belong to Dopamine? Its event files have averages only, its logs/ the episodes. */
static bool is_dopamine_run(const char *path) {
  char logs[4096];
  os_status about;
  snprintf(logs, sizeof logs, "%.4000s/logs", path);
  char **names = !os_stat(logs, &about) && about.kind == OS_FOLDER ? list_folder(logs) : NULL;
  bool found = false;
  for (char **n = names; n && *n; n++) {
    found |= is_dopamine_log(*n);
    free(*n);
  }
  free(names);
  return found || ends_with(path, "/metrics/tensorboard");
}

/* Look for runs in a folder. `group` is the name of the folder below the one that the user named: the agent of runs
 * that name none. *status stays CLI_OK unless there is an error. */
static int find_runs(const char *command_name, const sixer_published *published,
                     report_files *found, const char *path, const char *group, int depth) {
  char **names = list_folder(path);
  if (!names) return cli_error(command_name, CLI_FAILED, "%s: %s", path, strerror(errno));
  int status = CLI_OK;
  bool logs = false, dopamine = false, good = true;
  for (char **n = names; *n; n++) {
    logs |= is_folder_log(*n);
    dopamine |= is_dopamine_log(*n);
  }
  if (dopamine) {
    const char *agent = dopamine_agent(found, published, group);
    good = agent && add(found, keep(found, agent, "=", path));
  } else if (logs && !is_dopamine_run(path)) {
    const char *agent = cleanrl_agent(found, path);
    good = add(found, keep(found, agent ? agent : group, "=", path));
  }
  for (char **n = names; !status && good && *n; n++) {
    os_status about;
    const char *full = keep(found, path, ends_with(path, "/") ? "" : "/", *n);
    if (!full || os_stat(full, &about)) continue;
    if (about.kind == OS_FOLDER && depth < DEPTH_MAX) {
      status = find_runs(command_name, published, found, full, depth ? group : *n, depth + 1);
      /* the group's name is used by what was found in the folder */
    } else if (ends_with(*n, ".episodes.tsv") || ends_with(*n, ".episodes.tsv.gz")) {
      const char *agent = agent_of_table(found, full);
      good = add(found, keep(found, agent ? agent : group, "=", full));
    } else if (!logs && (ends_with(*n, ".jsonl") || ends_with(*n, ".csv"))) {
      /* beside logs, tables are something else, such as the progress.csv of Stable-Baselines3 */
      good = add(found, keep(found, group, "=", full));
    }
  }
  for (char **n = names; *n; n++) free(*n);
  free(names);
  return status ? status : good ? CLI_OK : cli_error(command_name, CLI_FAILED, "out of memory");
}

/* Has the folder logs of its own? Then it is one run, as in `sixer eval`. */
int report_find_files(const char *command_name, const char *const *arguments, int count,
                      const sixer_published *published, report_files *found) {
  *found = (report_files){0};
  for (int i = 0; i < count; i++) {
    os_status about;
    if (os_stat(arguments[i], &about) || about.kind != OS_FOLDER) {
      if (!add(found, arguments[i])) return cli_error(command_name, CLI_FAILED, "out of memory");
      continue;
    }
    char *path = keep(found, arguments[i], "", "");
    for (size_t n = path ? strlen(path) : 0; n > 1 && path[n - 1] == '/'; n--) path[n - 1] = 0;
    const char *last = path ? os_last_separator(path) : NULL;
    char *group = path ? keep(found, last && last[1] ? last + 1 : path, "", "") : NULL;
    if (!group) return cli_error(command_name, CLI_FAILED, "out of memory");
    for (char *p = group; *p; p++) {
      if (*p == '/' || *p == '=') *p = '_';
    }
    int before = found->count, status = find_runs(command_name, published, found, path, group, 0);
    if (status) return status;
    if (found->count == before)
      return cli_error(command_name, CLI_FAILED,
                       "%s: the folder has no runs: no *.episodes.tsv, *monitor.csv, *.tfevents.*, "
                       "logs/log_N, *.jsonl or *.csv in it or in its folders; name the files",
                       arguments[i]);
  }
  return CLI_OK;
}

/* ---- writing plots ---- */

/* Convert an SVG file with rsvg-convert. */
static int convert(const char *command_name, const char *form, const char *svg, const char *path) {
  char *const arguments[] = {
      "rsvg-convert", "-f",         (char *)form, "-z", !strcmp(form, "png") ? "2" : "1",
      "-o",           (char *)path, (char *)svg,  NULL};
  int status = 0;
  const os_spawn_settings same = {.input = OS_SAME, .output = OS_SAME, .errors = OS_SAME};
  int64_t child = os_spawn(arguments[0], arguments, &same);
  if (child < 0)
    return cli_error(command_name, CLI_FAILED,
                     "--plots %s needs the program rsvg-convert, which was not found (Debian: "
                     "librsvg2-bin); --plots svg needs nothing",
                     form);
  if (os_wait(child, true, &status) < 0 || status)
    return cli_error(command_name, CLI_FAILED, "rsvg-convert could not convert %s", svg);
  return CLI_OK;
}

static int write_plot(const report *r, const report_plot *p, const char *form, const char *folder) {
  const char *command_name = r->s->command;
  bool svg = !strcmp(form, "svg");
  char path[4096], source[OS_PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s.%s", folder, p->name, form) >= (int)sizeof path)
    return cli_error(command_name, CLI_USAGE, "the name of the folder is too long");
  replacement *made = svg ? replace_open(path) : replace_reserve(path);
  if (!made) return cli_error(command_name, CLI_FAILED, "%s: %s", path, strerror(errno));
  int status = CLI_OK;
  if (svg) {
    plot_write(p->drawn, true, made->file);
    fputc('\n', made->file);
  } else {
    FILE *file = os_temporary_file(os_temporary_place(), "sixer-plot", source, sizeof source);
    bool created = file != NULL;
    if (file) plot_write(p->drawn, true, file);
    if (!file || fclose(file))
      status = cli_error(command_name, CLI_FAILED, "%s: %s", source, strerror(errno));
    if (!status) status = convert(command_name, form, source, made->temporary);
    if (created) os_unlink(source);
  }
  if (status) {
    replace_abandon(made);
    return status;
  }
  if (!replace_commit(made))
    return cli_error(command_name, CLI_FAILED, "%s: %s", path, strerror(errno));
  return CLI_OK;
}

int report_write_plots(const report *r, const char *form, const char *folder) {
  int status = CLI_OK;
  size_t written = 0;
  if (os_mkdir(folder) && errno != EEXIST)
    return cli_error(r->s->command, CLI_FAILED, "%s: %s", folder, strerror(errno));
  for (size_t i = 0; i < r->count; i++) {
    for (size_t k = 0; !status && k < r->parts[i].plot_count; k++) {
      status = write_plot(r, &r->parts[i].plots[k], form, folder);
      written += !status;
    }
  }
  if (!status && !written)
    return cli_error(r->s->command, CLI_FAILED, "there is no plot in the parts that were chosen");
  if (!status) printf("%zu plots in %s\n", written, folder);
  return status;
}
