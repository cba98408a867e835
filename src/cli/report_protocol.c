/* Parts of a report: the protocol in words, and every warning. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/report_parts.h"

const char *report_frames_text(int64_t frames, char text[60]) {
  if (frames % 3600 == 0 && frames < 3600 * 60)
    snprintf(text, 60, "%lld minutes", (long long)frames / 3600);
  else if (frames % 216000 == 0)
    snprintf(text, 60, "%lld hours", (long long)frames / 216000);
  else
    snprintf(text, 60, "%lld frames", (long long)frames);
  return text;
}

sixer_err report_fill_protocol(report *r, sixer_error *error) {
  const evaluation *s = r->s;
  const sixer_protocol_info *i = &s->info;
  static const char *const lives[] = {"losing a life does not end an episode",
                                      "losing a life ends an episode in training only",
                                      "losing a life ends an episode"};
  char ends[200] = "", time[60], scored[240], checkpoint[60];
  if (i->max_frames)
    snprintf(ends, sizeof ends, ", at the latest after %s",
             report_frames_text(i->max_frames, time));
  if (i->stuck_frames) {
    size_t used = strlen(ends);
    snprintf(ends + used, sizeof ends - used, ", or after %s without a reward",
             report_frames_text(i->stuck_frames, time));
  }
  snprintf(checkpoint, sizeof checkpoint, "%lld %s", (long long)s->config.checkpoint,
           i->length_in_episodes ? "episodes" : "frames");
  if (i->score_of == SIXER_SCORE_TRAINING)
    snprintf(scored, sizeof scored,
             "the mean of the last %d episodes of training before %s of training", i->episodes,
             checkpoint);
  else
    snprintf(scored, sizeof scored, "the mean of %d episodes without learning after %s%s",
             i->episodes, checkpoint,
             i->score_of == SIXER_SCORE_BEST_EVALUATION ? ", of the best policy of the run" : "");
  report_part *part = report_add(
      r, "protocol", "Protocol",
      "%s. %zu games. Each frame repeats the action before it with probability %g. The agent has "
      "%s "
      "actions and decides every %d frames; %s. An episode ends with the game%s. The score of a "
      "run "
      "is %s%s%s. The protocol asks for %d runs per game and normalizes by %s.",
      i->title, i->game_count, i->sticky, i->minimal_actions ? "the minimal set of" : "all 18",
      i->frame_skip, lives[i->life_loss], ends, scored,
      s->config.limit ? ", counted up to a play time of " : "",
      s->config.limit ? report_frames_text(s->config.limit, time) : "", i->trials,
      i->normalization);
  if (!part) return report_no_memory(error);
  out *o = part->table;
  char text[300];
  out_table(o, "protocol", NULL, "item|value");
  out_text(o, "protocol");
  snprintf(text, sizeof text, "%s@%d#%s", i->name, i->version, i->hash);
  out_text(o, text);
  out_text(o, "source");
  out_text(o, i->source);
  out_text(o, "normalization");
  out_text(o, s->kind);
  out_text(o, "checkpoint");
  char noted[160];
  snprintf(noted, sizeof noted, "%s%s", checkpoint, evaluation_checkpoint_note(s));
  out_text(o, noted);
  out_text(o, "play that counts");
  out_text(o, s->config.limit ? report_frames_text(s->config.limit, time) : "the whole episode");
  out_text(o, "bootstrap");
  snprintf(text, sizeof text, "%zu stratified replicates, seed %llu, %g %% percentile intervals",
           s->settings.replicates, (unsigned long long)s->settings.seed,
           100 * s->settings.confidence);
  out_text(o, text);
  out_text(o, "program");
  snprintf(text, sizeof text, "sixer %s, behavior %d", SIXER_VERSION, SIXER_BEHAVIOR);
  out_text(o, text);
  return SIXER_OK;
}

sixer_err report_fill_warnings(report *r, sixer_error *error) {
  size_t count = sixer_scores_warning_count(r->s->scores);
  report_part *part =
      report_add(r, "warnings", "Warnings", "%s",
                 count ? "What changes the meaning of the figures below."
                       : "Nothing was found that changes the meaning of the figures below.");
  if (!part) return report_no_memory(error);
  if (count)
    out_table(part->table, "warnings", NULL, "name|what was found, and what it means=text");
  for (size_t i = 0; i < count; i++) {
    sixer_warning warning = sixer_scores_warning(r->s->scores, i);
    out_text(part->table, warning.name);
    out_text(part->table, warning.text);
  }
  return SIXER_OK;
}
