/* `sixer lab status`: how far the runs of a store are. It reads the table of runs
 * and no episodes, of which there may be millions. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/lab.h"
#include "cli/out.h"

typedef struct listing {
  out *o;
  bool all; /* else those that run or failed */
} listing;

static bool add_run(void *context, const sixer_lab_run *run) {
  listing *l = context;
  if (!l->all && strcmp(run->state, "running") != 0 && strcmp(run->state, "failed") != 0 &&
      strcmp(run->state, "missing") != 0)
    return true;
  out_int(l->o, run->id);
  out_text(l->o, run->label);
  out_text(l->o, run->game);
  out_int(l->o, run->seed);
  out_text(l->o, run->state);
  out_number(l->o, 100 * run->share, 1);
  out_int(l->o, run->frames);
  out_int(l->o, run->episodes);
  out_number(l->o, run->mean, 1);
  out_number(l->o, run->evaluation_mean, 1);
  out_number(l->o, run->score, 1);
  out_number(l->o, run->seconds, 0);
  out_text(l->o, run->error);
  return true;
}

int lab_print_status(const lab_options *options, sixer_store *store) {
  sixer_lab_counts c;
  sixer_error error;
  if (sixer_lab_count(store, &c, &error)) return cli_error("lab", CLI_FAILED, "%s", error.message);
  out *o = out_create(options->json ? OUT_JSON : OUT_TABLE);
  out_number_value(o, "runs", NULL, c.waiting + c.running + c.done + c.failed + c.missing + c.away,
                   0);
  out_number_value(o, "done", "done", c.done, 0);
  out_number_value(o, "running", c.running ? "running" : NULL, c.running, 0);
  out_number_value(o, "waiting", c.waiting ? "waiting" : NULL, c.waiting, 0);
  out_number_value(o, "failed", c.failed ? "failed" : NULL, c.failed, 0);
  out_number_value(o, "missing", c.missing ? "without an image" : NULL, c.missing, 0);
  out_number_value(o, "away", c.away ? "away" : NULL, c.away, 0);
  out_number_value(o, "percent", "percent", 100 * c.share, 1);
  out_number_value(o, "frames", "frames", (double)c.frames, 0);
  out_number_value(o, "episodes", "episodes", (double)c.episodes, 0);
  listing l = {o, options->runs || options->json};
  if (l.all || c.running || c.failed || c.missing)
    out_table(o, "table", l.all ? "Runs" : "Runs that are worked on or have a problem",
              "run|agent|game|seed|state|percent|frames|episodes|score=mean|evaluation|result|"
              "seconds|error");
  sixer_err err = SIXER_OK;
  if (l.all || c.running || c.failed || c.missing)
    err = sixer_lab_each(store, NULL, add_run, &l, &error);
  if (!err) out_print(o, stdout);
  out_destroy(o);
  return err ? cli_error("lab", CLI_FAILED, "%s", error.message) : CLI_OK;
}

int lab_status(const lab_options *o, const char *path) {
  sixer_store *store;
  sixer_error error;
  if (sixer_store_open(path, SIXER_STORE_READ, &store, &error))
    return cli_error("lab", CLI_FAILED, "%s", error.message);
  int status = lab_print_status(o, store);
  sixer_store_close(store);
  return status;
}
