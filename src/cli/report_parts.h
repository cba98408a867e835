/* What the files that fill the parts of a report share: report_parts.c. A function for each part, in the file of its
 * idea. A part that has nothing to show is not added. */
#ifndef SIXER_CLI_REPORT_PARTS_H
#define SIXER_CLI_REPORT_PARTS_H

#include "cli/report.h"

sixer_err report_fill_aggregates(report *r, sixer_error *error); /* report_aggregates.c */
sixer_err report_fill_games(report *r, sixer_error *error);
sixer_err report_fill_profiles(report *r, sixer_error *error); /* report_profiles.c */
sixer_err report_fill_classes(report *r, sixer_error *error);
sixer_err report_fill_improvement(report *r, sixer_error *error); /* report_tests.c */
sixer_err report_fill_tests(report *r, sixer_error *error);
sixer_err report_fill_atari5(report *r, sixer_error *error); /* report_models.c */
sixer_err report_fill_model(report *r, sixer_error *error);
sixer_err report_fill_limits(report *r, sixer_error *error);   /* report_limits.c */
sixer_err report_fill_ratings(report *r, sixer_error *error);  /* report_ratings.c */
sixer_err report_fill_protocol(report *r, sixer_error *error); /* report_protocol.c */
sixer_err report_fill_warnings(report *r, sixer_error *error);

sixer_err report_no_memory(sixer_error *error);

/* Are scores fractions that are shown as percentages? False for raw ones. */
bool report_is_percent(const evaluation *s);

/* Up to where scales are linear: the lowest class of SABER for records, else 10 %. 0 for raw scores. */
double report_unit(const evaluation *s);

/* Memory for numbers, which lives as long as the evaluation; NULL if there is none. */
double *report_numbers(report *r, size_t count);

/* The agents' names, alone or with the number of games where agents differ in it. */
const char **report_names(report *r);
const char **report_names_with_games(report *r);

/* A time of play in words: "5 minutes". */
const char *report_frames_text(int64_t frames, char text[60]);

/* A score for people: "45.3 %", or a raw number. */
void report_score_text(const evaluation *s, double value, char text[48]);

#endif
