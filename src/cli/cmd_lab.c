/* `sixer lab`: experiments of many runs in a store, resumed after any interruption. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/lab.h"
#include "cli/lab_display.h"
#include "cli/out.h"
#include "util/os.h"
#include "util/os_process.h"
#include "util/replace.h"
#include "util/sort.h"

static int failed(const sixer_error *error) {
  bool usage = error->code == SIXER_ERR_CONFIG || error->code == SIXER_ERR_ARGUMENT;
  return cli_error("lab", usage ? CLI_USAGE : CLI_FAILED, "%s", error->message);
}

/* ---- Working --------------------------------------------------------------------------------------------------- */

static bool print_failure(void *context, const sixer_lab_run *run) {
  int *left = context;
  if ((*left)-- <= 0) return false;
  printf("  %s %s %" PRId64 ": %s\n", run->label, run->game, run->seed,
         run->error ? run->error : "");
  return true;
}

static void list_problems(sixer_store *store, const char *state, const char *title, int count) {
  enum { LISTED = 20 };
  if (!count) return;
  int left = LISTED;
  printf("%d run%s %s:\n", count, cli_s(count), title);
  sixer_lab_each(store, state, print_failure, &left, NULL);
  if (count > LISTED) printf("  and %d more (lab status --runs lists all)\n", count - LISTED);
}

typedef struct mean_row {
  char label[64], game[64];
  int count;
  double sum, best;
} mean_row;

typedef struct mean_table {
  mean_row *rows;
  size_t count;
  bool failed;
} mean_table;

static bool add_mean(void *context, const sixer_lab_run *run) {
  mean_table *t = context;
  if (isnan(run->score)) return true;
  mean_row *row = NULL;
  for (size_t i = t->count; i-- > 0 && !row;) {
    if (!strcmp(t->rows[i].label, run->label) && !strcmp(t->rows[i].game, run->game))
      row = &t->rows[i];
  }
  if (!row) {
    mean_row *more = realloc(t->rows, (t->count + 1) * sizeof *more);
    if (!more) return !(t->failed = true);
    t->rows = more;
    row = &t->rows[t->count++];
    *row = (mean_row){.best = -INFINITY};
    snprintf(row->label, sizeof row->label, "%.63s", run->label);
    snprintf(row->game, sizeof row->game, "%.63s", run->game);
  }
  row->count++;
  row->sum += run->score;
  if (run->score > row->best) row->best = run->score;
  return true;
}

static int by_game(const void *a, const void *b) {
  const mean_row *x = a, *y = b;
  int order = strcmp(x->game, y->game);
  if (order) return order;
  double difference = y->sum / y->count - x->sum / x->count;
  return difference > 0 ? 1 : difference < 0 ? -1 : strcmp(x->label, y->label);
}

/* Mean scores of what is done, best first in each game. */
static void print_means(sixer_store *store) {
  mean_table t = {0};
  if (sixer_lab_each(store, "done", add_mean, &t, NULL) || !t.count) {
    free(t.rows);
    return;
  }
  sort_stable(t.rows, t.count, sizeof *t.rows, by_game);
  out *o = out_create(OUT_TABLE);
  out_table(o, "scores", "Scores by the protocol, means over the runs that are done",
            "game|agent|runs|mean|best");
  for (size_t i = 0; i < t.count; i++) {
    out_text(o, i && !strcmp(t.rows[i].game, t.rows[i - 1].game) ? "" : t.rows[i].game);
    out_text(o, t.rows[i].label);
    out_int(o, t.rows[i].count);
    out_number(o, t.rows[i].sum / t.rows[i].count, 1);
    out_number(o, t.rows[i].best, 1);
  }
  out_print(o, stdout);
  out_destroy(o);
  free(t.rows);
}

static int conclude(sixer_store *store, const char *path, const sixer_lab_result *result) {
  sixer_lab_counts c;
  sixer_error error;
  if (sixer_lab_count(store, &c, &error)) return failed(&error);
  print_means(store);
  list_problems(store, "failed", "failed", c.failed);
  list_problems(store, "missing", "without a cartridge image", c.missing);
  int total = c.waiting + c.running + c.done + c.failed + c.missing + c.away;
  cli_print(stdout, "%d of %d runs are done, %" PRId64 " frames, %" PRId64 " episodes: %s\n",
            c.done, total, c.frames, c.episodes, path);
  if (c.failed)
    cli_print(stdout, "%s lab retry %s puts the failed runs in the queue again\n",
              cli_program_name(), path);
  if (result->stopped) {
    fflush(stdout);
    cli_print(stderr, "sixer lab: interrupted; everything is saved: `%s lab resume %s` goes on\n",
              cli_program_name(), path);
    return CLI_FAILED;
  }
  if (c.running)
    printf("%d run%s worked on by another program\n", c.running, c.running == 1 ? " is" : "s are");
  return c.failed || c.missing ? CLI_FAILED : CLI_OK;
}

static int work(const lab_options *o, sixer_store *store, const char *path) {
  lab_display display;
  sixer_lab_settings settings = sixer_lab_settings_default();
  sixer_lab_result result = {0};
  sixer_error error;
  lab_display_begin(&display, o->quiet || o->json);
  settings.jobs = (int)o->jobs;
  settings.threads = (int)o->threads;
  settings.checkpoint_every = o->checkpoint_every;
  settings.only = o->only;
  settings.stop = &cli_interrupted;
  settings.show = lab_display_show;
  settings.ended = lab_display_ended;
  settings.context = &display;
  cli_catch_interrupts();
  sixer_err err = sixer_lab_work(store, &settings, &result, &error);
  lab_display_end(&display);
  if (err) return failed(&error);
  if (o->json) {
    int status = lab_print_status(o, store);
    return status ? status : result.stopped || result.failed ? CLI_FAILED : CLI_OK;
  }
  return conclude(store, path, &result);
}

/* The runs of the store as tasks of a Ray cluster: the Python package does it (python/sixer/lab_ray.py). It takes the
 * place of this process. */
static int work_with_ray(const lab_options *o, const char *path) {
  const char *python = os_getenv("SIXER_PYTHON");
  char self[4200], threads[24];
  if (os_program_path(self, sizeof self)) os_setenv("SIXER_PROGRAM", self, false);
  if (!python || !*python) python = os_python_name;
  snprintf(threads, sizeof threads, "%" PRId64, o->threads > 0 ? o->threads : 1);
  fflush(stdout);
  char *const argv[] = {(char *)python, "-m",        "sixer.lab_ray", (char *)path, "--address",
                        (char *)o->ray, "--threads", threads,         NULL};
  os_become(argv);
  return cli_error("lab", CLI_FAILED,
                   "%s cannot be started: %s; $SIXER_PYTHON names the interpreter "
                   "that has sixer and ray",
                   python, strerror(errno));
}

static int run_experiment(const lab_options *o, const char *path) {
  char store_path[4200];
  sixer_error error;
  sixer_store *store = NULL;
  sixer_lab_added added;
  char name[64];
  if (sixer_lab_name(path, name, sizeof name, &error)) return failed(&error);
  if (o->store)
    snprintf(store_path, sizeof store_path, "%.4100s", o->store);
  else
    snprintf(store_path, sizeof store_path, "%s.db", name);
  if (sixer_store_open(store_path, SIXER_STORE_CREATE, &store, &error)) return failed(&error);
  int status = CLI_OK;
  if (sixer_lab_add(store, path, &added, &error)) {
    status = failed(&error);
  } else {
    if (!o->json && !o->quiet)
      cli_print(stderr, "%s: %d run%s, %d of them new; the store is %s\n", added.name, added.runs,
                cli_s(added.runs), added.added, store_path);
    if (added.missing)
      cli_print(stderr,
                "sixer lab: warning: %d run%s cannot start without a cartridge image; the others "
                "run. %s\n",
                added.missing, cli_s(added.missing), added.gap);
    if (!o->ray) status = work(o, store, store_path);
  }
  sixer_store_close(store);
  return !status && o->ray ? work_with_ray(o, store_path) : status;
}

static int resume(const lab_options *o, const char *path) {
  sixer_store *store;
  sixer_error error;
  if (sixer_store_open(path, SIXER_STORE_WRITE, &store, &error)) return failed(&error);
  int status = o->ray ? CLI_OK : work(o, store, path);
  sixer_store_close(store);
  return o->ray ? work_with_ray(o, path) : status;
}

/* ---- Other actions --------------------------------------------------------------------------------------------- */

static int retry(const lab_options *o, const char *path) {
  sixer_store *store;
  sixer_error error;
  int count = 0;
  if (sixer_store_open(path, SIXER_STORE_WRITE, &store, &error)) return failed(&error);
  int status = sixer_lab_retry(store, o->fresh, &count, &error) ? failed(&error) : CLI_OK;
  if (!status)
    printf("%d run%s wait again; `%s lab resume %s` works on them\n", count, cli_s(count),
           cli_program_name(), path);
  sixer_store_close(store);
  return status;
}

static int export_store(const lab_options *o, const char *path) {
  sixer_store *store;
  sixer_error error;
  if (!o->output) return cli_error("lab", CLI_USAGE, "name the folder to export to: -o DIR");
  if (sixer_store_open(path, SIXER_STORE_READ, &store, &error)) return failed(&error);
  int status = CLI_OK;
  if (sixer_lab_export(store, o->output, o->json ? SIXER_LAB_JSON : SIXER_LAB_CSV, &error))
    status = failed(&error);
  sixer_store_close(store);
  if (!status) cli_print(stdout, "%s: tables, and result files for `sixer eval`\n", o->output);
  return status;
}

static void print_merged(const char *from, const sixer_lab_merged *m) {
  cli_print(stdout, "%s: %d run%s added, %d replaced, %d already there\n", from, m->added,
            cli_s(m->added), m->replaced, m->kept);
}

static int join(const char *path, const char *const *others, int count, bool folders) {
  sixer_store *store;
  sixer_error error;
  if (!count)
    return cli_error("lab", CLI_USAGE,
                     folders ? "name the folder to import" : "name the stores to merge");
  if (sixer_store_open(path, SIXER_STORE_CREATE, &store, &error)) return failed(&error);
  int status = CLI_OK;
  for (int i = 0; i < count && !status; i++) {
    sixer_lab_merged merged;
    sixer_err err = folders ? sixer_lab_import(store, others[i], &merged, &error)
                            : sixer_lab_merge(store, others[i], &merged, &error);
    if (err)
      status = failed(&error);
    else
      print_merged(others[i], &merged);
  }
  sixer_store_close(store);
  return status;
}

static int split(const lab_options *o, const char *path, const char *number) {
  sixer_store *store;
  sixer_error error;
  char *end;
  int64_t run = strtoll(number, &end, 10);
  if (*end || run < 1)
    return cli_error("lab", CLI_USAGE, "'%s' is not the number of a run", number);
  if (!o->output) return cli_error("lab", CLI_USAGE, "name the store to write: -o FILE");
  if (sixer_store_open(path, SIXER_STORE_WRITE, &store, &error)) return failed(&error);
  int status = sixer_lab_split(store, run, o->output, &error) ? failed(&error) : CLI_OK;
  sixer_store_close(store);
  return status;
}

/* ---- Slurm ----------------------------------------------------------------------------------------------------- */

typedef struct run_list {
  int64_t *ids;
  size_t count;
} run_list;

static bool collect(void *context, const sixer_lab_run *run) {
  run_list *list = context;
  int64_t *more = realloc(list->ids, (list->count + 1) * sizeof *more);
  if (!more) return false;
  list->ids = more;
  list->ids[list->count++] = run->id;
  return true;
}

static int write_script(const lab_options *o, const char *path) {
  sixer_store *store;
  sixer_error error;
  run_list list = {0};
  if (!o->slurm) return cli_error("lab", CLI_USAGE, "say for which scheduler: --slurm");
  if (sixer_store_open(path, SIXER_STORE_READ, &store, &error)) return failed(&error);
  sixer_err err = sixer_lab_each(store, "waiting", collect, &list, &error);
  sixer_store_close(store);
  if (err) return failed(&error);
  if (!list.count) {
    free(list.ids);
    return cli_error("lab", CLI_FAILED, "%s has no waiting runs", path);
  }
  replacement *r = replace_open(o->output ? o->output : "/dev/stdout");
  int status = CLI_OK;
  if (r) {
    fprintf(r->file,
            "#!/bin/bash\n"
            "# One task for each waiting run of %s, made by `sixer lab script --slurm`. Submit "
            "with sbatch; a task\n"
            "# that is killed goes on from its last checkpoint when it is submitted again. "
            "Afterwards:\n"
            "#   sixer lab merge %s %s.pieces/*.db\n"
            "#SBATCH --job-name=sixer\n#SBATCH --array=0-%zu\n#SBATCH --cpus-per-task=1\n"
            "#SBATCH --requeue\nset -eu\nruns=(",
            path, path, path, list.count - 1);
    for (size_t i = 0; i < list.count; i++)
      fprintf(r->file, "%s%" PRId64, i ? " " : "", list.ids[i]);
    fprintf(r->file,
            ")\nrun=${runs[$SLURM_ARRAY_TASK_ID]}\nmkdir -p '%s.pieces'\n"
            "piece='%s.pieces'/$run.db\n"
            "[ -e \"$piece\" ] || sixer lab split '%s' \"$run\" -o \"$piece\"\n"
            "exec sixer lab resume \"$piece\" --jobs 1 --quiet\n",
            path, path, path);
    if (!replace_commit(r)) r = NULL;
  }
  if (!r)
    status = cli_error("lab", CLI_FAILED, "%s: cannot be written: %s", o->output, strerror(errno));
  free(list.ids);
  return status;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static const char description[] =
    "Run experiments of many agents, games and trials, kept in a store: one SQLite file. Ctrl-C, a "
    "crash or a power failure costs at most the last minute; `resume` goes on to the results of an "
    "undisturbed run. Several programs can work on one store at a time.\n\n"
    "  sixer lab run first.toml               run an experiment; results go to first.db\n"
    "  sixer lab resume first.db              go on after an interruption\n"
    "  sixer lab run first.toml --ray auto    the same on a Ray cluster\n"
    "  sixer lab status first.db              how far it is; --runs lists every run\n"
    "  sixer lab retry first.db               put failed runs in the queue again\n"
    "  sixer lab export first.db -o results   tables, and files for `sixer eval`\n"
    "  sixer lab import second.db results     the way back\n"
    "  sixer lab merge first.db other.db      join stores\n"
    "  sixer lab split first.db 17 -o 17.db   take one run elsewhere; merge brings it back\n"
    "  sixer lab script first.db --slurm -o job.sh\n"
    "  sixer lab films first.db -o films      tapes and films of the best agent of each game\n\n"
    "docs/lab.md describes experiment files, docs/store.md the tables of a store.";

static int check_numbers(const lab_options *o) {
  const cli_limit limits[] = {{"jobs", o->jobs, 0, 256},
                              {"threads", o->threads, 0, 256},
                              {"only", o->only, 0, INT64_MAX},
                              {"episodes", o->episodes, 1, 1000},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits("lab", limits);
  if (!status && !(o->checkpoint_every > 0))
    status = cli_error("lab", CLI_USAGE, "--checkpoint-every is above 0 seconds, found %g",
                       o->checkpoint_every);
  return status;
}

int cmd_lab(int argc, char **argv) {
  enum { MAX_ARGUMENTS = 4096 };
  lab_options o = {.checkpoint_every = 30, .episodes = 3};
  static const char *arguments[MAX_ARGUMENTS];
  const option_def options[] = {
      {"store", OPTION_TEXT, &o.store, "FILE", "run: the store; NAME.db if it is not given"},
      {"jobs", OPTION_INT, &o.jobs, "N", "runs at the same time; 0: as many as processors"},
      {"threads", OPTION_INT, &o.threads, "N",
       "threads of each run's agent, if it can use them; 0: the processors that the jobs leave"},
      {"checkpoint-every", OPTION_REAL, &o.checkpoint_every, "S", "seconds between checkpoints"},
      {"only", OPTION_INT, &o.only, "RUN", "resume: work on this run only"},
      {"ray", OPTION_TEXT, &o.ray, "ADDRESS",
       "run, resume: as tasks of a Ray cluster; auto: one that runs here; without ADDRESS: a new "
       "one on this machine"},
      {"quiet", OPTION_FLAG, &o.quiet, NULL, "run, resume: show failures only"},
      {"runs", OPTION_FLAG, &o.runs, NULL, "status: list every run"},
      {"fresh", OPTION_FLAG, &o.fresh, NULL, "retry: from the beginning, without the old files"},
      {"slurm", OPTION_FLAG, &o.slurm, NULL, "script: an array job for Slurm"},
      {"episodes", OPTION_INT, &o.episodes, "N", "films: play N episodes and film the best"},
      {"output", OPTION_TEXT, &o.output, "PATH", "export, films: a folder; split, script: a file"},
      {"json", OPTION_FLAG, &o.json, NULL, "print or export JSON"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  /* the address is optional: what follows is one only if it looks like neither an option nor a file */
  for (int i = 0; i < argc; i++) {
    static char alone[] = "--ray=local";
    if (strcmp(argv[i], "--ray") != 0) continue;
    if (i + 1 == argc || argv[i + 1][0] == '-' || strstr(argv[i + 1], ".toml") ||
        strstr(argv[i + 1], ".db"))
      argv[i] = alone;
  }
  int status,
      count = cli_parse("lab", description, options, argc, argv, arguments, MAX_ARGUMENTS, &status);
  if (count < 0) return status;
  if (!count)
    return cli_error("lab", CLI_USAGE, "say what to do, as in: sixer lab run EXPERIMENT.toml");
  if ((status = check_numbers(&o))) return status;
  const char *word = arguments[0], *path = count > 1 ? arguments[1] : NULL;
  bool run = !strcmp(word, "run"), merging = !strcmp(word, "merge"),
       importing = !strcmp(word, "import"), splitting = !strcmp(word, "split");
  static const char *const known[] = {"resume", "status", "retry", "export", "script", "films"};
  bool other = false;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) other |= !strcmp(word, known[i]);
  if (!run && !merging && !importing && !splitting && !other) return cli_unknown_word("lab", word);
  if (!path)
    return cli_error("lab", CLI_USAGE, run ? "name the experiment file" : "name the store");
  if (merging || importing) return join(path, arguments + 2, count - 2, importing);
  if (splitting) {
    if (count != 3) return cli_error("lab", CLI_USAGE, "name the store and the number of one run");
    return split(&o, path, arguments[2]);
  }
  if (count > 2) return cli_error("lab", CLI_USAGE, "unexpected argument '%s'", arguments[2]);
  if (run) return run_experiment(&o, path);
  if (!strcmp(word, "resume")) return resume(&o, path);
  if (!strcmp(word, "status")) return lab_status(&o, path);
  if (!strcmp(word, "retry")) return retry(&o, path);
  if (!strcmp(word, "export")) return export_store(&o, path);
  if (!strcmp(word, "films")) return lab_films(&o, path);
  return write_script(&o, path);
}
