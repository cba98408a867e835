"""Intervals under inter-algorithm normalization keep the range of the agents' means in all replicates. A simulation
with known means shows that these intervals cover what they should, and that ranges drawn anew would not."""

import numpy as np

import sixer.eval as ev

AGENTS, GAMES, RUNS, TRIALS, REPLICATES = 4, 20, 5, 60, 500


def normalized(means, low, high):
    return (means - low) / (high - low)


def test_a_fixed_range_covers():
    rng = np.random.default_rng(1)
    for noise in (0.3, 1.0, 3.0):
        fixed, anew = [], []
        for trial in range(TRIALS):
            means = rng.normal(0, 1, (AGENTS, GAMES))
            truth = normalized(means, means.min(axis=0), means.max(axis=0)).mean(axis=1)
            runs = means[:, None, :] + noise * rng.normal(size=(AGENTS, RUNS, GAMES))
            found = runs.mean(axis=1)
            low, high = ev.score_range(found)
            for agent in range(AGENTS):
                scores = normalized(runs[agent], low, high)
                interval = ev.intervals(scores, replicates=REPLICATES, seed=trial).mean
                fixed.append(interval.low <= truth[agent] <= interval.high)
            # the other way: all agents are drawn together, and the range is that of the replicate
            drawn = rng.integers(0, RUNS, (REPLICATES, AGENTS, RUNS, GAMES))
            replicate = np.take_along_axis(np.broadcast_to(runs, drawn.shape), drawn, axis=2).mean(axis=2)
            ends = replicate.min(axis=1, keepdims=True), replicate.max(axis=1, keepdims=True)
            bounds = np.percentile(normalized(replicate, *ends).mean(axis=2), [2.5, 97.5], axis=0)
            anew.extend((bounds[0] <= truth) & (truth <= bounds[1]))
        assert 0.92 <= np.mean(fixed) <= 1.0, (noise, np.mean(fixed))
        assert np.mean(anew) < np.mean(fixed) - 0.02, (noise, np.mean(anew), np.mean(fixed))
