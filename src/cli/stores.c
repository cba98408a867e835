/* Stores of `sixer lab` as result files: see stores.h. The store is exported to a folder that is removed at once. */
#include "cli/stores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "sixer/eval.h"
#include "sixer/lab.h"
#include "util/os.h"

bool stores_recognize(const char *path) {
  static const char magic[] = "SQLite format 3";
  char head[sizeof magic] = "";
  FILE *file = os_fopen(path, "rb");
  if (!file) return false;
  bool whole = fread(head, 1, sizeof head, file) == sizeof head;
  fclose(file);
  return whole && !memcmp(head, magic, sizeof magic);
}

/* A whole file; NULL if it is not there or there is no memory. */
static char *read_text(const char *folder, const char *kind, const char *protocol, size_t *size) {
  char path[600];
  snprintf(path, sizeof path, "%.300s/%s%s%.100s.tsv", folder, kind, *protocol ? "-" : "",
           protocol);
  FILE *file = os_fopen(path, "rb");
  long length = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
  char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (text) {
    rewind(file);
    *size = fread(text, 1, (size_t)length, file);
    text[*size] = 0;
  }
  if (file) fclose(file);
  return text;
}

/* The number of a column in a table with tabs; -1: it has no such column. */
static int find_column(const char *text, const char *column) {
  size_t length = strlen(column);
  for (int at = 0;; at++) {
    size_t n = strcspn(text, "\t\n");
    if (n == length && !strncmp(text, column, n)) return at;
    if (text[n] != '\t') return -1;
    text += n + 1;
  }
}

/* The row after the one that begins here; NULL: there is none. */
static const char *next_row(const char *row) {
  row = strchr(row, '\n');
  return row && row[1] ? row + 1 : NULL;
}

/* A field of a row; it ends with a tab or a line break. */
static const char *field_of(const char *row, int column) {
  for (; column > 0; column--) {
    row += strcspn(row, "\t\n");
    row += *row == '\t';
  }
  return row;
}

/* The field under a column of the first row; the caller frees it. NULL: there is none. */
static char *first_field(const char *text, const char *name) {
  int column = find_column(text, name);
  const char *row = next_row(text), *field = row && column >= 0 ? field_of(row, column) : NULL;
  return field ? os_strndup(field, strcspn(field, "\t\n")) : NULL;
}

/* The frames of training behind the last score of each run; scores at earlier checkpoints are not counted as such. */
static void find_frames(const char *scores, store_rows *rows) {
  int frames = find_column(scores, "frames"), run = find_column(scores, "run");
  for (const char *row = next_row(scores), *after; frames >= 0 && run >= 0 && row; row = after) {
    after = next_row(row);
    /* agent, game and run are the first columns, so that rows of a run begin alike */
    size_t same = (size_t)(field_of(row, run + 1) - row);
    if (after && !strncmp(row, after, same)) continue;
    double count = strtod(field_of(row, frames), NULL);
    if (!rows->frames_least || count < rows->frames_least) rows->frames_least = count;
    if (count > rows->frames_most) rows->frames_most = count;
  }
}

/* The protocols of an export: it has a file for each if there are several. */
static void list_protocols(const char *folder, char *list, size_t size) {
  os_folder *found = os_folder_open(folder);
  *list = 0;
  for (const char *entry; found && (entry = os_folder_next(found));) {
    const char *end = strstr(entry, ".tsv");
    if (strncmp(entry, "scores-", 7) != 0 || !end) continue;
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.*s", used ? ", " : "", (int)(end - entry - 7),
             entry + 7);
  }
  os_folder_close(found);
}

static void remove_folder(const char *folder) {
  os_folder *found = os_folder_open(folder);
  for (const char *entry; found && (entry = os_folder_next(found));) {
    char path[2 * OS_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, entry);
    if (entry[0] != '.') os_unlink(path);
  }
  os_folder_close(found);
  os_rmdir(folder);
}

/* The rows of an export, of the only protocol or of the one that is asked for. */
static int read_export(const char *command_name, const char *folder, const char *protocol,
                       store_rows *rows) {
  char list[300];
  size_t size;
  list_protocols(folder, list, sizeof list);
  const char *suffix = *list ? protocol : "";
  if (!suffix)
    return cli_error(command_name, CLI_USAGE,
                     "%s: the store has runs of several protocols: %s; choose one with --protocol",
                     rows->path, list);
  char *scores = read_text(folder, "scores", suffix, &size);
  rows->training = read_text(folder, "episodes", suffix, &rows->training_size);
  rows->evaluation = read_text(folder, "evaluation", suffix, &rows->evaluation_size);
  const char *any = scores ? scores : rows->training ? rows->training : rows->evaluation;
  if (any) rows->protocol = first_field(any, "protocol");
  if (scores) find_frames(scores, rows);
  free(scores);
  if (any && rows->protocol) return CLI_OK;
  return *list
             ? cli_error(command_name, CLI_FAILED,
                         "%s: the store has no runs under '%s'; it has some under %s", rows->path,
                         suffix, list)
             : cli_error(command_name, CLI_FAILED,
                         "%s: the store has no finished episodes yet; `sixer lab status %s` shows "
                         "how far it is",
                         rows->path, rows->path);
}

int stores_read(const char *command_name, const char *const *files, int count, const char *protocol,
                store_rows **stores) {
  int status = CLI_OK;
  char chosen[100];
  *stores = NULL;
  /* a protocol may be a file; one that cannot be opened is reported where it is used */
  sixer_protocol *opened = NULL;
  if (protocol && !sixer_protocol_open(protocol, &opened, NULL)) {
    snprintf(chosen, sizeof chosen, "%s", sixer_protocol_describe(opened).name);
    protocol = chosen;
    sixer_protocol_close(opened);
  }
  for (int i = 0; !status && i < count; i++) {
    if (!stores_recognize(files[i])) continue;
    char folder[OS_PATH_MAX];
    sixer_store *store = NULL;
    sixer_error error;
    store_rows *rows = calloc(1, sizeof *rows);
    if (!rows) return cli_error(command_name, CLI_FAILED, "out of memory");
    rows->path = files[i];
    rows->next = *stores;
    *stores = rows;
    if (!os_temporary_folder("sixer-store", folder, sizeof folder))
      return cli_error(command_name, CLI_FAILED, "%s: %s", os_temporary_place(), strerror(errno));
    sixer_lab_counts counts;
    if (sixer_store_open(files[i], SIXER_STORE_READ, &store, &error) ||
        sixer_lab_count(store, &counts, &error) ||
        sixer_lab_export(store, folder, SIXER_LAB_CSV, &error))
      status = cli_error(command_name, CLI_FAILED, "%s", error.message);
    sixer_store_close(store);
    if (!status) {
      rows->done = counts.done;
      rows->runs = counts.waiting + counts.running + counts.done + counts.failed + counts.missing +
                   counts.away;
    }
    if (!status) status = read_export(command_name, folder, protocol, rows);
    remove_folder(folder);
  }
  return status;
}

void stores_free(store_rows *stores) {
  while (stores) {
    store_rows *next = stores->next;
    free(stores->protocol);
    free(stores->training);
    free(stores->evaluation);
    free(stores);
    stores = next;
  }
}

const store_rows *stores_find(const store_rows *stores, const char *path) {
  while (stores && strcmp(stores->path, path) != 0) stores = stores->next;
  return stores;
}
