/* Scores while playing: what an episode had scored after each time limit, and the mean over the
 * last episodes before a checkpoint. The caller plays and passes the frames and rewards of
 * each step. */
#include <math.h>

#include "eval/eval_table.h"

void sixer_tally_begin(sixer_tally *tally, const int *limits, size_t limit_count) {
  *tally =
      (sixer_tally){.limit_count = limit_count < SIXER_LIMITS_MAX ? limit_count : SIXER_LIMITS_MAX};
  for (size_t i = 0; i < tally->limit_count; i++) tally->limits[i] = limits[i];
}

void sixer_tally_step(sixer_tally *tally, int frames, double reward) {
  tally->frames += frames;
  if (reward == 0) return;
  tally->last_reward_frame = tally->frames;
  for (size_t i = 0; i < tally->limit_count; i++) {
    if (!tally->limits[i] || tally->frames <= tally->limits[i]) tally->score[i] += reward;
  }
}

bool sixer_tally_stuck(const sixer_tally *tally, int stuck_frames) {
  return stuck_frames > 0 && tally->frames - tally->last_reward_frame >= stuck_frames;
}

double sixer_reward_unroll(double reward) {
  if (!(reward < -900000) || isinf(reward)) return reward;
  double power = 1e6;
  while (power < -reward) power *= 10;
  return reward + power;
}

sixer_err sixer_checkpoint_mean(const int64_t *frames, const double *scores, size_t count,
                                int64_t checkpoint, bool in_episodes, bool include_crossing,
                                size_t episodes, double *mean, size_t *averaged,
                                sixer_error *error) {
  if (checkpoint < 1 || !episodes)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a checkpoint and a number of episodes above 0 are needed");
  int64_t played = 0;
  size_t end = 0;
  while (end < count && played < checkpoint) {
    if (!in_episodes && frames[end] < 0)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "episode %zu has %lld frames", end,
                        (long long)frames[end]);
    played += in_episodes ? 1 : frames[end];
    end++;
  }
  if (played < checkpoint)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the run ends after %lld %s, before the checkpoint at %lld; train longer or "
                      "ask for an earlier one",
                      (long long)played, in_episodes ? "episodes" : "frames",
                      (long long)checkpoint);
  /* the episode that passes the total: it ends beyond the checkpoint, unless it ends right on it */
  if (!include_crossing && played > checkpoint) end--;
  size_t start = end > episodes ? end - episodes : 0;
  if (start == end)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "no episode ended before the checkpoint at %lld; the first one is longer than that",
        (long long)checkpoint);
  double sum = 0;
  for (size_t i = start; i < end; i++) {
    if (isnan(scores[i]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "the score of episode %zu is NaN", i);
    sum += scores[i];
  }
  *mean = sum / (double)(end - start);
  *averaged = end - start;
  return SIXER_OK;
}
