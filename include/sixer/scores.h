/* Scores of agents under a protocol, read from result files and from published results, and checked.
 *
 * A mistake in a file (a game twice, a NaN, another protocol) is an error that names the line. Something that changes
 * the meaning of a figure (missing games, results of another protocol) is a warning with a name. A complete program,
 * which prints the mean score of each agent of a file on each game:
 *
 *     #include <sixer/scores.h>
 *     #include <stdio.h>
 *
 *     int main(int argc, char **argv) {
 *       sixer_error error;
 *       sixer_protocol *protocol;
 *       sixer_published *published;
 *       sixer_scores *scores;
 *       if (argc < 2 || sixer_protocol_open("saber", &protocol, &error)) return 1;
 *       if (sixer_published_open(&published, &error)) return 1;
 *       sixer_scores_config config = sixer_scores_config_default(protocol);
 *       config.partial = true;
 *       if (sixer_scores_create(protocol, published, &config, &scores, &error) ||
 *           sixer_scores_read(scores, argv[1], "me", &error))
 *         return puts(error.message), 1;
 *       sixer_protocol_info info = sixer_protocol_describe(protocol);
 *       for (size_t i = 0; i < sixer_scores_agent_count(scores); i++) {
 *         sixer_agent_scores agent = sixer_scores_agent(scores, i);
 *         for (size_t g = 0; g < info.game_count; g++)
 *           if (agent.runs[g]) printf("%s %s %g\n", agent.name, info.games[g], agent.means[g]);
 *       }
 *       sixer_scores_destroy(scores);
 *       sixer_published_close(published);
 *       sixer_protocol_close(protocol);
 *     }
 */
#ifndef SIXER_SCORES_H
#define SIXER_SCORES_H

#include "sixer/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sixer_scores sixer_scores;

/* Which scores are wanted. Fill with sixer_scores_config_default(), then change what differs. */
typedef struct sixer_scores_config {
  uint32_t cookie;    /* set by sixer_scores_config_default() and checked */
  int64_t checkpoint; /* frames of training (episodes for some protocols); the protocol's last */
  int limit;          /* frames of play that count; 0: the whole episode. The protocol's last */
  bool partial;       /* accept agents that lack games of the protocol; false */
  /* frames of a step, for log files that count steps; 0: guessed by the id of the environment, with a warning; 0 */
  int frames_per_step;
} sixer_scores_config;

SIXER_API sixer_scores_config sixer_scores_config_default(const sixer_protocol *protocol);

/* Create an empty collection. Protocol and published results must outlive it. SIXER_ERR_CONFIG if the protocol
 * reports no scores at that checkpoint or limit. */
SIXER_API sixer_err sixer_scores_create(const sixer_protocol *protocol,
                                        const sixer_published *published,
                                        const sixer_scores_config *config, sixer_scores **scores,
                                        sixer_error *error);
SIXER_API void sixer_scores_destroy(sixer_scores *scores); /* NULL is allowed */

/* Add the agents of a result file: CSV or TSV, JSON or JSON lines (keys are columns), or a log of Stable-Baselines3,
 * CleanRL or Dopamine; docs/evaluation.md says how logs are read. Gzip-compressed files are decompressed while
 * reading. A folder with logs is read as one run. The columns game and score are needed. Optional are agent, run,
 * frames or frames_millions, limit and protocol, and score_18000 and the like: the score after that many frames of
 * play. With a column `episode`, rows are episodes, which are averaged as the protocol says. Under a protocol with
 * levels a column `level` does the same: episodes on levels of the test make the score, those on levels of training
 * are kept beside it. Rows without an agent belong to `default_agent`. After an error the collection can only be
 * destroyed. */
SIXER_API sixer_err sixer_scores_read(sixer_scores *scores, const char *path,
                                      const char *default_agent, sixer_error *error);

/* Read files as the runs of one agent. Patterns are expanded as by a shell (`*`, `?`, `[...]`); a folder is one run.
 * Files that do not name a seed are numbered in the order of their names. */
SIXER_API sixer_err sixer_scores_read_runs(sixer_scores *scores, const char *agent,
                                           const char *const *patterns, size_t count,
                                           sixer_error *error);

/* The protocol that the rows of result files name, such as "saber@1#7c05f4d1": the first that is found in the heads of
 * the files; "" in `text` if none names one. Patterns are those of sixer_scores_read_runs(). */
SIXER_API sixer_err sixer_scores_find_protocol(const char *const *patterns, size_t count,
                                               char *text, size_t size, sixer_error *error);

/* The same as sixer_scores_read() from text in memory; `origin` stands for the path in messages. */
SIXER_API sixer_err sixer_scores_parse(sixer_scores *scores, const char *text, size_t size,
                                       const char *origin, const char *default_agent,
                                       sixer_error *error);

/* Add a published result, by a name as for sixer_published_find(). */
SIXER_API sixer_err sixer_scores_add_published(sixer_scores *scores, const char *name,
                                               sixer_error *error);

/* One agent's raw scores. The arrays have an entry for each game of the protocol, in its order; they live as long as
 * the collection. */
typedef struct sixer_agent_scores {
  const char *name;
  const sixer_result_set *published; /* NULL if from a file */
  const size_t *runs;                /* 0 where there is no score */
  const double *const *scores;       /* of each run */
  const double *means;               /* NaN where there is none; infinite if any run is */
  const double *sds, *sizes;         /* for tests; size 0 where no deviation is known */
  const double *trained;             /* means on the levels of training; NaN where there is none */
} sixer_agent_scores;

SIXER_API size_t sixer_scores_agent_count(const sixer_scores *scores);
SIXER_API sixer_agent_scores sixer_scores_agent(const sixer_scores *scores, size_t index);

/* The constants of a normalization for each game of the protocol; NaN where there are none, with a warning. `kind` is
 * "human", "record", "scripted", "random", "inter-algorithm", "none", "baseline" (the range of the agents in
 * `others`) or "relative" (to the first agent in `others`). `others` may be NULL if `other_count` is 0. */
SIXER_API sixer_err sixer_scores_constants(sixer_scores *scores, const char *kind,
                                           const sixer_agent_scores *others, size_t other_count,
                                           sixer_scale *scale, double *low, double *high,
                                           sixer_error *error);

typedef struct sixer_warning {
  const char *name; /* "missing-games", "mixed-protocols", ... */
  const char *text; /* a sentence: what was found and what it means */
} sixer_warning;

/* The warnings so far. The pointers live as long as the collection. */
SIXER_API size_t sixer_scores_warning_count(const sixer_scores *scores);
SIXER_API sixer_warning sixer_scores_warning(const sixer_scores *scores, size_t index);

/* Add a warning of the caller's own. `name` is static, `text` is copied. */
SIXER_API sixer_err sixer_scores_warn(sixer_scores *scores, const char *name, const char *text,
                                      sixer_error *error);

/* ---- Score tables ---------------------------------------------------------------------------- */

/* Scores of many algorithms on many games: data for sixer_subset_search() and sixer_subset_fit(). */
typedef struct sixer_score_table sixer_score_table;

/* How a file becomes a table. Fill with sixer_score_table_config_default(), then change what differs. */
typedef struct sixer_score_table_config {
  uint32_t cookie; /* set by sixer_score_table_config_default() and checked */
  /* a file with the columns game, random and human; NULL: Table 12 of the Atari-5 paper */
  const char *constants;
  bool percent;     /* scores are percentages already, and constants are not used; false */
  bool by_name;     /* sort the algorithms by name, else they keep the order of the file; false */
  size_t min_games; /* algorithms with scores of fewer games are left out, with a warning; 40 */
  sixer_aggregate target; /* of an algorithm's percentages: median (the default), mean or IQM */
  const char *group; /* column with the source of an algorithm, for grouped folds; NULL: none */
} sixer_score_table_config;

SIXER_API sixer_score_table_config sixer_score_table_config_default(void);

/* Read a file with the columns algorithm (or agent), game and score: one row for each pair. */
SIXER_API sixer_err sixer_score_table_read(const char *path, const sixer_published *published,
                                           const sixer_score_table_config *config,
                                           sixer_score_table **table, sixer_error *error);

/* The data of sixer_published_atari5() as a table, with another target if one is wanted. Its groups are the files of
 * the paper's repository, each of one paper or collection. `published` must outlive it. */
SIXER_API sixer_err sixer_score_table_published(const sixer_published *published, bool by_name,
                                                sixer_aggregate target, sixer_score_table **table,
                                                sixer_error *error);
SIXER_API void sixer_score_table_destroy(sixer_score_table *table); /* NULL is allowed */

/* Mark the games that have scores of fewer than `min_algorithms` algorithms, with a warning for each. */
SIXER_API sixer_err sixer_score_table_exclude_sparse(sixer_score_table *table,
                                                     size_t min_algorithms, sixer_error *error);

typedef struct sixer_score_table_info {
  sixer_regression_data data; /* log scores, and the log score of each algorithm's median */
  const char *const *names;   /* of the algorithms: data.rows */
  const char *const *games;   /* data.games */
  const bool *excluded;       /* one per game; NULL before sixer_score_table_exclude_sparse() */
  const double *low, *high;   /* random and human score of each game: 0 and 100 of percentages */
  size_t groups;              /* how many groups there are; 0: the data has none */
} sixer_score_table_info;

/* What is in a table. The pointers live as long as the table. */
SIXER_API sixer_score_table_info sixer_score_table_describe(const sixer_score_table *table);

/* The warnings so far. The pointers live as long as the table. */
SIXER_API size_t sixer_score_table_warning_count(const sixer_score_table *table);
SIXER_API sixer_warning sixer_score_table_warning(const sixer_score_table *table, size_t index);

#ifdef __cplusplus
}
#endif
#endif
