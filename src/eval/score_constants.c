/* The constants that scores are normalized by, for each game of the protocol. */
#include <math.h>
#include <string.h>

#include "eval/scores.h"

sixer_err sixer_scores_constants(sixer_scores *s, const char *kind,
                                 const sixer_agent_scores *others, size_t other_count,
                                 sixer_scale *scale, double *low, double *high,
                                 sixer_error *error) {
  size_t games = s->info.game_count, left_out = 0;
  char lacking[400] = "";
  bool human = !strcmp(kind, "human") || !strcmp(kind, "scripted"),
       record = !strcmp(kind, "record"), random = !strcmp(kind, "random");
  bool inter = !strcmp(kind, "inter-algorithm"), baseline = !strcmp(kind, "baseline");
  bool relative = !strcmp(kind, "relative"), none = !strcmp(kind, "none");
  if (!human && !record && !random && !inter && !baseline && !relative && !none)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "there is no normalization '%.40s'; choose from human, record, scripted, random, "
        "inter-algorithm, baseline, "
        "relative, none",
        kind);
  if ((baseline || relative) && !other_count)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        baseline
            ? "baseline normalization needs the scores of the baseline policies (--baselines "
              "FILE); %s "
              "publishes only the best of them"
            : "%s: relative normalization needs the agent to compare with (--relative-to NAME)",
        s->info.name);
  *scale = record || relative ? SIXER_SCALE_ABSOLUTE
           : random           ? SIXER_SCALE_RANDOM
           : inter            ? SIXER_SCALE_INTER
                              : SIXER_SCALE_RANGE;
  bool missing_column = true;
  for (size_t g = 0; g < games; g++) {
    const char *game = s->info.games[g];
    low[g] = high[g] = NAN;
    if (none) {
      low[g] = 0;
      high[g] = 1;
    } else if (inter || baseline) {
      size_t count = inter ? s->agent_count : other_count;
      for (size_t a = 0; a < count; a++) {
        double mean = inter ? s->agents[a].means[g] : others[a].means[g];
        if (inter && isnan(mean)) {
          low[g] = high[g] =
              NAN; /* an agent lacks this game, so the range of all agents is unknown */
          break;
        }
        if (isnan(mean)) continue;
        if (isinf(mean))
          return sixer_fail(error, SIXER_ERR_ARGUMENT,
                            "%s: %s plays without end, which has no place in a range",
                            inter ? s->agents[a].name : others[a].name, game);
        low[g] = isnan(low[g]) ? mean : fmin(low[g], mean);
        high[g] = isnan(high[g]) ? mean : fmax(high[g], mean);
      }
    } else {
      low[g] = sixer_protocol_constant(s->protocol, "random", game);
      high[g] = relative ? others[0].means[g]
                : random ? low[g]
                         : sixer_protocol_constant(s->protocol, kind, game);
      if (isinf(high[g])) high[g] = NAN;
    }
    missing_column &= isnan(low[g]) || isnan(high[g]);
    bool empty = *scale != SIXER_SCALE_INTER && (random ? low[g] == 0 : low[g] == high[g]);
    if (isnan(low[g]) || isnan(high[g]) || empty) {
      low[g] = high[g] = NAN;
      left_out++;
      scores_append_name(lacking, sizeof lacking, game);
    }
  }
  if (missing_column)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%s has no constants for %s normalization; --normalize chooses another",
                      s->info.name, kind);
  if (left_out)
    return scores_warn(s, error, "no-constant",
                       "%zu of the %zu games of %s have no usable constants for %s "
                       "normalization and are left out: %s",
                       left_out, games, s->info.name, kind, lacking);
  return SIXER_OK;
}
