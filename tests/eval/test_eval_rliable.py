# label: long
"""Point estimates equal rliable's and Welch tests SciPy's on random data to 1e-9; intervals agree within their own
resampling error. Skips when NumPy, SciPy or rliable are not installed."""

import itertools
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
try:
    import numpy as np
    import scipy.stats
    from rliable import library as rly
    from rliable import metrics
except (ImportError, TypeError) as error:  # arch, under rliable, fails with a TypeError where pandas is too new
    print("skipped: %s; install numpy, scipy, rliable and 'pandas<3' to compare with them" % error)
    sys.exit(77)
import eval_library as ours

lib = ours.library()
rng = np.random.default_rng(7)
failures = 0


def close(what, mine, other, tolerance=1e-9):
    global failures
    worst = float(np.max(np.abs(np.asarray(mine) - np.asarray(other))))
    if not worst <= tolerance:
        failures += 1
        print("FAILED %s: off by %g" % (what, worst))


def matrices():
    """Runs x games: odd and even sizes, ties, negative and huge scores."""
    for runs, games in ((5, 57), (3, 26), (1, 10), (10, 1), (2, 2), (7, 61), (100, 5)):
        yield rng.normal(1, 2, (runs, games))
        yield np.exp(rng.normal(0, 3, (runs, games)))
        yield rng.integers(-2, 3, (runs, games)).astype(float)


# ---- point estimates ----
for scores in matrices():
    mine, shape = ours.aggregates(lib, scores), str(scores.shape)
    scale = max(1, float(np.abs(scores).max()))
    close("mean " + shape, mine["mean"], metrics.aggregate_mean(scores), 1e-9 * scale)
    close("median " + shape, mine["median"], metrics.aggregate_median(scores), 1e-9 * scale)
    close("iqm " + shape, mine["iqm"], metrics.aggregate_iqm(scores), 1e-9 * scale)
    close("gap " + shape, mine["optimality_gap"], metrics.aggregate_optimality_gap(scores))
    points = np.concatenate([np.linspace(-3, 8, 41), scores.ravel()[:20]])
    close(
        "profile of runs " + shape,
        ours.profile(lib, scores, 0, points),
        [rly.run_score_deviation(scores, x) for x in points],
    )
    close(
        "profile of games " + shape,
        ours.profile(lib, scores, 1, points),
        [rly.mean_score_deviation(scores, x) for x in points],
    )

for a, b in itertools.product((3, 5, 10), (3, 8)):
    for draw in (lambda n: rng.normal(0, 1, (n, 12)), lambda n: rng.integers(0, 3, (n, 12)).astype(float)):
        x, y = draw(a), draw(b)
        close("probability of improvement", ours.improvement(lib, x, y), metrics.probability_of_improvement(x, y))

# ---- Welch ----
for _ in range(300):
    a = rng.normal(rng.normal(), np.exp(rng.normal(0, 2)), rng.integers(2, 40))
    b = rng.normal(rng.normal(), np.exp(rng.normal(0, 2)), rng.integers(2, 40))
    t, df, p = ours.welch(lib, a, b)
    other = scipy.stats.ttest_ind(a, b, equal_var=False)
    close("Welch t", t, other.statistic, 1e-9 * max(1, abs(other.statistic)))
    close("Welch df", df, other.df, 1e-9 * other.df)
    close("Welch p", p, other.pvalue)
for df in (1, 1.5, 2, 7.3, 60, 101, 1e4, 1e6, 1e9):
    for t in (1e-3, 0.5, 1.9, 2.1, 4, 9, 40):
        exact = 2 * scipy.stats.t.sf(t, df)
        close("Student's t, %g, %g" % (t, df), lib.sixer_student_p(t, df), exact, 1e-9 * exact + 1e-300)

# ---- intervals ----
# rliable draws its own 2,000 replicates, so its intervals differ from ours by chance. By how much is measured with
# twenty seeds of ours: rliable's end points must lie within five standard deviations of ours with 50,000 replicates.
scores = rng.normal(1, 1, (5, 20)) + rng.normal(0, 2, (1, 20))
functions = {
    "mean": metrics.aggregate_mean,
    "median": metrics.aggregate_median,
    "iqm": metrics.aggregate_iqm,
    "optimality_gap": metrics.aggregate_optimality_gap,
}
names = list(functions)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _, theirs = rly.get_interval_estimates(
        {"a": scores},
        lambda x: np.array([f(x) for f in functions.values()]),
        reps=2000,
        random_state=np.random.RandomState(3),
    )
fine = ours.bootstrap(lib, scores)
rough = [ours.bootstrap(lib, scores, 2000, seed) for seed in range(1, 21)]
for i, name in enumerate(names):
    for end in (0, 1):
        spread = np.std([r[name][1 + end] for r in rough])
        difference = abs(theirs["a"][end][i] - fine[name][1 + end])
        print(
            "%-15s %s end: ours %.5f, rliable %.5f, resampling error %.5f"
            % (name, ("lower", "upper")[end], fine[name][1 + end], theirs["a"][end][i], spread)
        )
        if not difference <= 5 * spread:
            failures += 1
            print("FAILED interval of %s: apart by %g, five errors are %g" % (name, difference, 5 * spread))

points = np.linspace(-1, 4, 11)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _, bands = rly.create_performance_profile({"a": scores}, points, reps=2000)
rough = np.array([ours.profile_bands(lib, scores, 0, points, 2000, seed) for seed in range(1, 21)])
fine = ours.profile_bands(lib, scores, 0, points, 50000)
for end in (0, 1):
    # shares are multiples of 1 / 100: an end point may be one of these away
    limit = 5 * rough[:, :, end].std(0) + 1 / scores.size + 1e-9
    if not (np.abs(bands["a"][end] - fine[:, end]) <= limit).all():
        failures += 1
        print("FAILED bands of the profile", bands["a"][end], fine[:, end])

print("rliable and SciPy: %s" % ("%d failures" % failures if failures else "all equal"))
sys.exit(1 if failures else 0)
