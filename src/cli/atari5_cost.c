/* sixer atari5 cost: what an experiment costs on 57 games and on the small sets. */
#include <math.h>

#include "cli/atari5.h"
#include "cli/cli.h"

int atari5_cost(const atari5_options *opt, out *o) {
  double hours = opt->hours;
  if (isnan(hours)) {
    if (isnan(opt->fps))
      return cli_error(atari5_name, CLI_USAGE,
                       "cost needs --hours per game and run, or --fps (frames per second)");
    hours = opt->frames / opt->fps / 3600;
  }
  if (!(hours > 0) || !(opt->runs >= 1) || !(opt->gpu_price >= 0) || !(opt->cpu_price >= 0) ||
      !(opt->gpu_watts >= 0) || !(opt->cpu_watts >= 0) || !(opt->co2 >= 0))
    return cli_error(atari5_name, CLI_USAGE,
                     "hours and runs must be positive, and no price or power negative");
  static const struct {
    const char *label;
    double games;
  } sets[] = {{"atari57", 57}, {"atari10", 10}, {"atari5", 5}, {"atari3", 3}, {"atari1", 1}};
  out_table(o, "cost", "cost of one experiment", "set|games|runs|hours|price|kwh|co2_kg");
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    sixer_cost_input input = {sets[i].games,  opt->runs,      hours,          opt->gpu_price,
                              opt->cpu_price, opt->gpu_watts, opt->cpu_watts, opt->co2};
    sixer_cost cost = sixer_cost_estimate(&input);
    out_text(o, sets[i].label);
    out_number(o, sets[i].games, 0);
    out_number(o, opt->runs, 0);
    out_number(o, cost.hours, 1);
    out_number(o, cost.price, 2);
    out_number(o, cost.kwh, 1);
    out_number(o, cost.co2_kg, 1);
  }
  out_print(o, stdout);
  return CLI_OK;
}
