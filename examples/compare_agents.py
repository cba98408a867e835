"""Is one agent better than another? Five runs of two simple ones on six games, with intervals and tests.

python examples/compare_agents.py
"""

import numpy as np
import sixer.eval as ev
import sixer.vector

GAMES = ["afterglow", "cragfast", "duskrain", "hedgelight", "sporefall", "undervault"]
RUNS, STEPS = 5, 150


def play(choose) -> np.ndarray:
    """The sum of rewards of each run on each game: runs x games."""
    envs = sixer.vector.make(GAMES, n=RUNS * len(GAMES), obs="ram", stack=1, max_frames=2000)
    envs.reset(seed=1)
    total = np.zeros(envs.num_envs)
    for _ in range(STEPS):
        total += envs.step(choose(envs.num_envs))[1]
    return total.reshape(RUNS, len(GAMES))  # environment i plays game i mod 6


rng = np.random.default_rng(0)
scores = {
    "random": play(lambda n: rng.integers(18, size=n)),
    "idle": play(lambda n: np.zeros(n, int)),
}
means = np.array([runs.mean(0) for runs in scores.values()])
low, high = ev.score_range(means)
for name, runs in scores.items():
    normalized = ev.normalize(runs, low, high, "inter")  # within the range of the compared agents
    iqm = ev.intervals(normalized, replicates=2000).iqm
    print(f"{name}: IQM {iqm.value:.2f}, 95 % from {iqm.low:.2f} to {iqm.high:.2f}")
better = ev.improvement_interval(scores["random"], scores["idle"])
value, low, high = (100 * x for x in (better.value, better.low, better.high))
print(f"random beats idle in {value:.0f} % of pairs of runs ({low:.0f} to {high:.0f})")
table = ev.paired_comparison(scores).better
print(f"significantly better in {table[0, 1]} games, worse in {table[1, 0]}, of {len(GAMES)}")
