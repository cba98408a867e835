/* How good five runs on each of three games are: the interquartile mean of their normalized scores,
 * with a 95 % interval from a stratified bootstrap. */
#include <sixer/eval.h>
#include <stdio.h>

int main(void) {
  double scores[] = {0.9, 1.1, 1.0, 1.2, 0.8,  /* the runs on one game */
                     2.0, 2.2, 1.9, 2.1, 2.0,  /* on another */
                     0.1, 0.0, 0.2, 0.1, 0.1}; /* and on a third */
  size_t runs[] = {5, 5, 5};
  sixer_sample sample = {scores, runs, 3};
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval result[SIXER_AGGREGATE_COUNT];
  sixer_error error;
  if (sixer_bootstrap_aggregates(&sample, &settings, result, &error)) return puts(error.message), 1;
  sixer_interval iqm = result[SIXER_AGGREGATE_IQM];
  printf("IQM %.3f, 95 %% interval %.3f to %.3f\n", iqm.value, iqm.low, iqm.high);
}
