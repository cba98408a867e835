/* sixer atari5 models: the games and coefficients of the paper's models. */
#include "cli/atari5.h"
#include "cli/cli.h"

int atari5_models(const sixer_published *published, out *o) {
  size_t count;
  const sixer_subset_model *models = sixer_published_models(published, &count);
  out_table(o, "models",
            "models of the paper (Table 9): 10^(sum of coefficient * log10(1 + percent)) - 1",
            "model|game|coefficient");
  for (const sixer_subset_model *m = models; m < models + count; m++) {
    if (m->target) continue; /* predicts a single game: Tables 10 and 11 */
    for (size_t i = 0; i < m->size; i++) {
      out_text(o, m->name);
      out_text(o, m->games[i]);
      out_number(o, m->coefficients[i], 4);
    }
  }
  out_print(o, stdout);
  return CLI_OK;
}
