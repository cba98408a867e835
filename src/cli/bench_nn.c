/* `sixer bench nn`: how fast the networks of the deep agents are on this processor.
 *
 * Each row is one set of kernels with a number of threads. The rows are measured in turns, some rounds each, and the
 * best of all rounds counts, so that a busy machine disturbs all of them alike. With one thread times are processor
 * time of the thread; with more they are by the clock, and right only on a machine that is otherwise idle. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/agents.h"

enum { MAX_ROWS = 8 };

typedef struct nn_row {
  const char *kernels; /* NULL: the fastest */
  int threads;
  sixer_network_figures best;
} nn_row;

static void keep(double *best, double value) {
  if (*best == 0 || value < *best) *best = value;
}

static void merge(sixer_network_figures *best, const sixer_network_figures *f) {
  double peak = f->peak > best->peak ? f->peak : best->peak;
  if (!best->kernels[0]) {
    *best = *f;
    return;
  }
  best->peak = peak;
  keep(&best->dqn_update, f->dqn_update);
  keep(&best->pqn_update, f->pqn_update);
  keep(&best->forward_128, f->forward_128);
  keep(&best->act, f->act);
}

/* Percent of what all threads could do. */
static double share(double work, double time, const nn_row *row) {
  return 100 * work / time / (row->best.peak * row->threads);
}

static void print_row(const nn_row *row, bool tsv) {
  const sixer_network_figures *f = &row->best;
  double dqn = share(f->dqn_work, f->dqn_update, row), pqn = share(f->pqn_work, f->pqn_update, row);
  if (tsv)
    printf("%s\t%d\t%.2f\t%.4f\t%.2f\t%.4f\t%.2f\t%.4f\t%.1f\n", f->kernels, row->threads,
           f->peak * 1e-9, f->dqn_update * 1e3, dqn, f->pqn_update * 1e3, pqn, f->forward_128 * 1e3,
           1 / f->act);
  else
    printf("%-8s %7d %10.1f %11.2f %7.1f %% %11.2f %7.1f %% %11.2f %11.0f\n", f->kernels,
           row->threads, f->peak * 1e-9, f->dqn_update * 1e3, dqn, f->pqn_update * 1e3, pqn,
           f->forward_128 * 1e3, 1 / f->act);
}

int bench_nn(int argc, char **argv) {
  int64_t rounds = 30, threads = 2;
  const char *kernels = NULL;
  bool tsv = false;
  const option_def options[] = {
      {"kernels", OPTION_TEXT, &kernels, "NAME", "only avx512, avx2, neon or plain"},
      {"threads", OPTION_INT, &threads, "N",
       "threads of the rows with more than one; 1: no such rows"},
      {"rounds", OPTION_INT, &rounds, "N", "rounds of which the best counts"},
      {"tsv", OPTION_FLAG, &tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *names[1];
  int status,
      count = cli_parse(
          "bench",
          "nn: the networks of the deep agents. Update of DQN (batch 32: two passes, backward, "
          "Adam), update\n"
          "of PQN (batch 128, LayerNorm, RAdam), pass of 128 states, and actions per second at "
          "batch 1.\n"
          "Percent: of the multiply-adds that the threads could make (GFLOP/s of one thread). "
          "One thread is\n"
          "measured in processor time; several by the clock, on an idle machine only.",
          options, argc, argv, names, 1, &status);
  if (count < 0) return status;
  if (count > 0) return cli_error("bench", CLI_USAGE, "nn takes no games, found '%s'", names[0]);
  if (rounds < 1 || rounds > 100000 || threads < 1 || threads > 256)
    return cli_error("bench", CLI_USAGE, "--rounds is 1 to 100000 and --threads 1 to 256");
  static const char *const sets[] = {"avx512", "avx2", "neon"};
  nn_row rows[MAX_ROWS];
  int row_count = 0;
  sixer_error error;
  for (size_t i = 0; i < 3 && !kernels; i++)
    for (int t = 1; t <= (threads > 1 ? 2 : 1); t++)
      rows[row_count++] = (nn_row){.kernels = sets[i], .threads = t == 1 ? 1 : (int)threads};
  for (int t = 1; kernels && t <= (threads > 1 ? 2 : 1); t++)
    rows[row_count++] = (nn_row){.kernels = kernels, .threads = t == 1 ? 1 : (int)threads};
  cli_progress progress;
  cli_progress_begin(&progress, "nn");
  int64_t turns = rounds < 3 ? 1 : 3;
  for (int64_t turn = 0; turn < turns; turn++) {
    for (int i = 0; i < row_count; i++) {
      cli_progress_show(&progress, (double)(turn * row_count + i), (double)(turns * row_count),
                        rows[i].kernels);
      sixer_network_figures f;
      sixer_err err = sixer_network_measure(rows[i].kernels, rows[i].threads,
                                            (int)((rounds + turns - 1) / turns), &f, &error);
      if (err && !kernels && err == SIXER_ERR_ARGUMENT) { /* not on this processor */
        memmove(&rows[i], &rows[i + 1], (size_t)(row_count - i - 1) * sizeof rows[i]);
        row_count--, i--;
        continue;
      }
      if (err) {
        cli_progress_end(&progress);
        return cli_error("bench", CLI_FAILED, "%s", error.message);
      }
      merge(&rows[i].best, &f);
    }
  }
  cli_progress_end(&progress);
  if (!row_count)
    return cli_error("bench", CLI_FAILED,
                     "this processor has none of avx512, avx2 and neon; try --kernels plain, which "
                     "takes minutes");
  if (tsv)
    printf(
        "kernels\tthreads\tpeak_gflops\tdqn_ms\tdqn_percent\tpqn_ms\tpqn_percent\tforward128_ms\t"
        "actions_per_second\n");
  else
    printf("%-8s %7s %10s %11s %9s %11s %9s %11s %11s\n", "kernels", "threads", "GFLOP/s",
           "DQN, ms", "of peak", "PQN, ms", "of peak", "pass 128", "actions/s");
  for (int i = 0; i < row_count; i++) print_row(&rows[i], tsv);
  return CLI_OK;
}
