/* SABER (Toromanoff et al. 2019): medians, means and classes of record-normalized scores. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/papers.h"

enum { GAMES_MAX = 64 };

typedef struct normalized {
  const char *games[GAMES_MAX];
  double scores[GAMES_MAX]; /* fractions; infinite: play without end */
  size_t count;
} normalized;

typedef struct summary {
  double median, mean; /* percent */
  size_t classes[SIXER_CLASS_COUNT];
} summary;

/* A published result relative to the range from `random` to another constant of the protocol. Games without constants
 * are left out, and one game by name. */
static normalized normalize(paper_builder *b, const sixer_protocol *saber, const char *id,
                            const char *high, const char *without) {
  normalized out = {.count = 0};
  const sixer_result_set *set;
  if (b->err || !paper_ok(b, sixer_published_find(b->published, id, NULL, &set, b->error)))
    return out;
  for (size_t i = 0; i < set->count && out.count < GAMES_MAX; i++) {
    double l = sixer_protocol_constant(saber, "random", set->games[i]),
           h = sixer_protocol_constant(saber, high, set->games[i]);
    if (isnan(l) || isnan(h) || (without && !strcmp(without, set->games[i]))) continue;
    out.games[out.count] = set->games[i];
    if (!paper_ok(b, sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &set->means[i], &l, &h, 1,
                                            &out.scores[out.count++], b->error)))
      break;
  }
  return out;
}

static summary summarize(paper_builder *b, const normalized *n) {
  summary s = {NAN, NAN, {0}};
  double out[SIXER_AGGREGATE_COUNT];
  size_t runs[GAMES_MAX];
  for (size_t i = 0; i < n->count; i++) runs[i] = 1;
  sixer_sample sample = {n->scores, runs, n->count};
  if (b->err || !paper_ok(b, sixer_aggregates_compute(&sample, 2, out, b->error)) ||
      !paper_ok(b, sixer_classes_count(n->scores, n->count, s.classes, b->error)))
    return s;
  s.median = 100 * out[SIXER_AGGREGATE_MEDIAN];
  s.mean = 100 * out[SIXER_AGGREGATE_MEAN];
  return s;
}

static summary result(paper_builder *b, const sixer_protocol *saber, const char *id) {
  normalized n = normalize(b, saber, id, "record", NULL);
  return summarize(b, &n);
}

static double score_of(const normalized *n, const char *game) {
  for (size_t i = 0; i < n->count; i++) {
    if (!strcmp(n->games[i], game)) return n->scores[i];
  }
  return NAN;
}

static double raw_score(paper_builder *b, const char *id, const char *game) {
  const sixer_result_set *set;
  if (b->err || !paper_ok(b, sixer_published_find(b->published, id, NULL, &set, b->error)))
    return NAN;
  for (size_t i = 0; i < set->count; i++) {
    if (!strcmp(set->games[i], game)) return set->means[i];
  }
  return NAN;
}

static void tables(paper_builder *b, const sixer_protocol *saber) {
  summary original = result(b, saber, "atari5/rainbow-noop"),
          half_hour = result(b, saber, "saber/rainbow@30min");
  paper_item(b, "table", 2, "Original Rainbow, and Rainbow with the recommended settings",
             "The original's scores are those of the Atari-5 data (53 of 58 games), the others "
             "those of Table 7 at 30 minutes.");
  const struct {
    const char *label;
    const summary *s;
  } rows[] = {{"original Rainbow", &original}, {"Rainbow, 30 min", &half_hour}};
  for (size_t i = 0; i < 2; i++) {
    paper_figure(b, rows[i].s->median, 2, "%s, median", rows[i].label);
    paper_figure(b, rows[i].s->mean, 2, "%s, mean", rows[i].label);
    paper_figure(b, (double)rows[i].s->classes[SIXER_CLASS_SUPERHUMAN], 0, "%s, superhuman",
                 rows[i].label);
  }

  static const struct {
    const char *label, *id;
  } times[] = {{"Rainbow, 5 min", "saber/rainbow@5min"},
               {"Rainbow, 30 min", "saber/rainbow@30min"},
               {"Rainbow, no limit", "saber/rainbow"},
               {"Rainbow-IQN, 5 min", "saber/rainbow_iqn@5min"},
               {"Rainbow-IQN, 30 min", "saber/rainbow_iqn@30min"},
               {"Rainbow-IQN, no limit", "saber/rainbow_iqn"}};
  paper_item(b, "table", 3, "Evaluation time",
             "Table 7. The means and superhuman counts of the printed table are lost in the text "
             "that the data was made from.");
  for (size_t i = 0; i < 6; i++) {
    summary s = result(b, saber, times[i].id);
    paper_figure(b, s.median, 2, "%s, median", times[i].label);
    paper_figure(b, s.mean, 2, "%s, mean", times[i].label);
    paper_figure(b, (double)s.classes[SIXER_CLASS_SUPERHUMAN], 0, "%s, superhuman", times[i].label);
  }

  static const char *const games[] = {"asterix", "ms_pacman", "space_invaders"};
  paper_item(b, "table", 4, "One actor beside ten", "Table 6 at 200M; the runs with ten are data.");
  for (size_t i = 0; i < 3; i++)
    paper_figure(b, raw_score(b, "saber/rainbow_iqn", games[i]), 2, "%s, one actor", games[i]);

  paper_item(b, "text", 0, "Figures in the text", "From the tables above and Table 5.");
  normalized records = normalize(b, saber, "saber/world_record", "human", NULL);
  summary human = summarize(b, &records);
  paper_figure(b, human.median / 1000, 1,
               "records in percent of the beginner, median in thousands (section 2.3)");
  paper_figure(b, human.mean / 1000, 1,
               "records in percent of the beginner, mean in thousands (section 2.3)");
  paper_figure(b, original.median - half_hour.median, 2,
               "median of original Rainbow above that of Rainbow at 30 min (section 5.1)");
  normalized dqn = normalize(b, saber, "machado2018/dqn", "record", NULL),
             rainbow = normalize(b, saber, "saber/rainbow@5min", "record", "air_raid"),
             beginner = {.count = 0};
  sixer_protocol *atari57 = NULL;
  if (paper_ok(b, sixer_protocol_open("atari57", &atari57, b->error)))
    beginner = normalize(b, atari57, "atari5/rainbow-noop", "human", NULL);
  sixer_protocol_close(atari57);
  paper_figure(b, summarize(b, &rainbow).median - summarize(b, &dqn).median, 2,
               "median of Rainbow above that of DQN at 5 min (section 5.1)");
  summary first = summarize(b, &beginner);
  paper_figure(b, first.median, 0,
               "original Rainbow in percent of the beginner, median, approximate (section 2.3)");
  paper_figure(b, first.mean, 0,
               "original Rainbow in percent of the beginner, mean, approximate (section 2.3)");
}

/* A figure per checkpoint. */
static void curve(paper_builder *b, const sixer_protocol *saber, const char *label,
                  const char *agent, bool minutes) {
  static const int millions[] = {10, 50, 100, 200};
  for (size_t i = 0; i < 4; i++) {
    char id[80];
    snprintf(id, sizeof id, "%s%s%s", agent, minutes ? "@5min" : "",
             i == 3   ? ""
             : i == 2 ? "@100M"
             : i == 1 ? "@50M"
                      : "@10M");
    paper_figure(b, result(b, saber, id).median, 2, "%s at %dM", label, millions[i]);
  }
}

static void class_rows(paper_builder *b, const sixer_protocol *saber, const char *label,
                       const char *id) {
  summary s = result(b, saber, id);
  for (int c = 0; c < SIXER_CLASS_COUNT; c++)
    paper_figure(b, (double)s.classes[c], 0, "%s, %s", label, sixer_class_name(c));
}

/* A figure per game, in percent. Play without end counts as 200 %, as in the paper's plots. */
static void game_rows(paper_builder *b, const normalized *n, const char *label) {
  for (size_t i = 0; i < n->count; i++)
    paper_figure(b, isinf(n->scores[i]) ? 200 : 100 * n->scores[i], 2, "%s, %s", n->games[i],
                 label);
}

static void plots(paper_builder *b, const sixer_protocol *saber) {
  normalized records = normalize(b, saber, "saber/world_record", "human", NULL);
  paper_item(b, "figure", 2, "World records in percent of the beginner", "Table 5.");
  game_rows(b, &records, "percent");

  paper_item(b, "figure", 3, "Medians over training",
             "Table 6 for Rainbow-IQN; of Rainbow only 200M is published.");
  curve(b, saber, "Rainbow-IQN", "saber/rainbow_iqn", false);
  paper_figure(b, result(b, saber, "saber/rainbow").median, 2, "Rainbow at 200M");

  paper_item(b, "figure", 4, "Classes of the 58 games", "Table 7.");
  class_rows(b, saber, "Rainbow", "saber/rainbow");
  class_rows(b, saber, "Rainbow-IQN", "saber/rainbow_iqn");

  paper_item(b, "figure", 5, "Medians over training at 5 minutes, with DQN",
             "DQN from Machado et al.'s Table 9 (57 games), Rainbow-IQN from Table 8; of Rainbow "
             "only 200M is published.");
  static const char *const dqn[] = {"machado2018/dqn@10M", "machado2018/dqn@50M",
                                    "machado2018/dqn@100M", "machado2018/dqn"};
  static const int millions[] = {10, 50, 100, 200};
  for (size_t i = 0; i < 4; i++)
    paper_figure(b, result(b, saber, dqn[i]).median, 2, "DQN at %dM", millions[i]);
  curve(b, saber, "Rainbow-IQN", "saber/rainbow_iqn", true);
  paper_figure(b, result(b, saber, "saber/rainbow@5min").median, 2, "Rainbow at 200M");

  paper_item(b, "figure", 7, "Classes of original Rainbow, and with the recommended settings",
             "53 games of the original are published, 58 of the other.");
  class_rows(b, saber, "original Rainbow", "atari5/rainbow-noop");
  class_rows(b, saber, "Rainbow, 30 min", "saber/rainbow@30min");

  normalized original = normalize(b, saber, "atari5/rainbow-noop", "record", NULL),
             half_hour = normalize(b, saber, "saber/rainbow@30min", "record", NULL),
             rainbow = normalize(b, saber, "saber/rainbow", "record", NULL),
             iqn = normalize(b, saber, "saber/rainbow_iqn", "record", NULL);
  paper_item(b, "figure", 8, "Original Rainbow and Rainbow at 30 minutes, per game",
             "In percent of the record.");
  game_rows(b, &original, "original");
  game_rows(b, &half_hour, "30 min");

  paper_item(b, "figure", 9, "Classes of Rainbow-IQN by evaluation time", "Table 7.");
  class_rows(b, saber, "5 min", "saber/rainbow_iqn@5min");
  class_rows(b, saber, "30 min", "saber/rainbow_iqn@30min");
  class_rows(b, saber, "no limit", "saber/rainbow_iqn");

  paper_item(b, "figure", 10, "Rainbow and Rainbow-IQN, per game",
             "In percent of the record; play without end counts as 200 %.");
  game_rows(b, &rainbow, "Rainbow");
  game_rows(b, &iqn, "Rainbow-IQN");

  paper_item(b, "figure", 11, "Rainbow-IQN in percent of Rainbow",
             "Equation 2. As in the paper, games that are superhuman in Rainbow are left out, and "
             "Asteroids; so are games in which Rainbow equals the random agent.");
  for (size_t i = 0; i < iqn.count; i++) {
    const char *game = iqn.games[i];
    double random = sixer_protocol_constant(saber, "random", game);
    double base = raw_score(b, "saber/rainbow", game),
           raw = raw_score(b, "saber/rainbow_iqn", game), z;
    if (!(score_of(&rainbow, game) < 1) || isinf(raw) || base == random) continue;
    if (!paper_ok(
            b, sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &raw, &random, &base, 1, &z, b->error)))
      return;
    paper_figure(b, 100 * z, 1, "%s", game);
  }
}

void paper_saber(paper_builder *b) {
  sixer_protocol *saber = NULL;
  if (!paper_ok(b, sixer_protocol_open("saber", &saber, b->error))) return;
  tables(b, saber);
  plots(b, saber);
  sixer_protocol_close(saber);
}
