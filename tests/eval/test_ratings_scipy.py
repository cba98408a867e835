"""Ratings equal those of a second implementation, which hands the log-posterior to SciPy's general optimizer and takes
the errors from a numerical Hessian. Skips when NumPy or SciPy are not installed."""

import ctypes as C
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
try:
    import numpy as np
    import scipy.optimize
    import scipy.stats
except ImportError as error:
    print("skipped: %s; install numpy and scipy to compare with them" % error)
    sys.exit(77)
import eval_library as ours

UNIT = 400 / np.log(10)


class Pairing(C.Structure):
    _fields_ = [("a", C.c_int), ("b", C.c_int), ("score", C.c_double), ("game", C.c_int64)]


class Settings(C.Structure):
    _fields_ = [
        ("cookie", C.c_uint32),
        ("prior", C.c_double),
        ("level", C.c_double),
        ("anchor", C.c_int),
        ("confidence", C.c_double),
        ("replicates", C.c_size_t),
        ("seed", C.c_uint64),
    ]


class Rating(C.Structure):
    _fields_ = [(name, C.c_double) for name in ("elo", "low", "high", "error", "points")] + [
        (name, C.c_int64) for name in ("wins", "draws", "losses")
    ]


lib = ours.library()
lib.sixer_ratings_default.restype = Settings
rng = np.random.default_rng(3)
failures = 0


def close(what, mine, other, tolerance):
    global failures
    worst = float(np.max(np.abs(np.asarray(mine) - np.asarray(other))))
    if not worst <= tolerance:
        failures += 1
        print("FAILED %s: off by %g" % (what, worst))


def rate(rows, players, **options):
    settings, out, error = lib.sixer_ratings_default(), (Rating * players)(), ours.Error()
    for name, value in options.items():
        setattr(settings, name, value)
    pairings = (Pairing * len(rows))(*[Pairing(*row) for row in rows])
    code = lib.sixer_ratings_compute(
        pairings, C.c_size_t(len(rows)), C.c_size_t(players), None, C.byref(settings), out, C.byref(error)
    )
    ours.check(code, error)
    return {name: np.array([getattr(item, name) for item in out]) for name, _ in Rating._fields_}


def strengths(rows, players, prior):
    """The maximum of the log-posterior by BFGS, and its Hessian by differences of the gradient."""
    a, b, score = (np.array(column) for column in list(zip(*rows))[:3])

    def loss(t):
        x = t[a] - t[b]
        likelihood = score * x - np.logaddexp(0, x)
        return -likelihood.sum() + prior / 2 * (np.logaddexp(0, t) + np.logaddexp(0, -t)).sum()

    def slope(t):
        rest = score - 1 / (1 + np.exp(t[b] - t[a]))
        result = prior * (1 / (1 + np.exp(-t)) - 0.5)
        np.add.at(result, a, -rest)
        np.add.at(result, b, rest)
        return result

    best = scipy.optimize.minimize(loss, np.zeros(players), jac=slope, method="BFGS", options={"gtol": 1e-10})
    best = scipy.optimize.root(slope, best.x, tol=1e-13)
    width = 1e-5
    hessian = np.array([(slope(best.x + width * e) - slope(best.x - width * e)) / (2 * width) for e in np.eye(players)])
    return best.x, hessian


def tournament(players, games, draws):
    """Random results of players with random strengths; the first games connect everybody."""
    truth = rng.normal(0, 1.2, players)
    rows = []
    for game in range(games):
        a, b = (game, game + 1) if game < players - 1 else rng.choice(players, 2, replace=False)
        win = rng.random() < 1 / (1 + np.exp(truth[b] - truth[a]))
        rows.append((int(a), int(b), 0.5 if rng.random() < draws else float(win), game))
    return rows


CASES = ((2, 12, 0, 1), (3, 40, 0.3, 1), (5, 60, 0.1, 0.2), (8, 400, 0, 3), (20, 300, 0.5, 0.05))
for players, games, draws, prior in CASES:
    rows = tournament(players, games, draws)
    t, hessian = strengths(rows, players, prior)
    covariance = np.linalg.inv(hessian)
    for anchor in (-1, players - 1):
        name = "%d players, anchor %d" % (players, anchor)
        mine = rate(rows, players, prior=prior, anchor=anchor, replicates=0, confidence=0.9)
        zero = np.full(players, 1 / players) if anchor < 0 else np.eye(players)[anchor]
        contrast = np.eye(players) - zero
        close(name, mine["elo"], 1500 + UNIT * contrast @ t, 1e-6)
        errors = UNIT * np.sqrt(np.maximum(np.diag(contrast @ covariance @ contrast.T), 0))
        close(name + ", errors", mine["error"], errors, 1e-4)
        close(name + ", low", mine["low"], mine["elo"] - scipy.stats.norm.ppf(0.95) * errors, 1e-3)
    points = np.zeros(players)
    for a, b, score, _ in rows:
        points[a] += score
        points[b] += 1 - score
    close("points", mine["points"], points, 1e-9)
    close("outcomes", mine["wins"].sum() - mine["losses"].sum(), 0, 0)

# the bootstrap agrees with one of NumPy's within the error of 2,000 replicates
rows = tournament(4, 120, 0.2)
mine = rate(rows, 4, replicates=4000)
values = []
for _ in range(400):
    drawn = [rows[i] for i in rng.integers(len(rows), size=len(rows))]
    t, _ = strengths(drawn, 4, 1)
    values.append(1500 + UNIT * (t - t.mean()))
low, high = np.percentile(values, [2.5, 97.5], axis=0)
spread = np.std(values, axis=0).max()
close("low ends of the bootstrap", mine["low"], low, 0.6 * spread)
close("high ends of the bootstrap", mine["high"], high, 0.6 * spread)

# intervals hold the truth about as often as they say
hits = total = 0
truth = np.array([-1.0, -0.3, 0.4, 0.9])
for trial in range(150):
    rows = []
    for game in range(120):
        a, b = rng.choice(4, 2, replace=False)
        rows.append((int(a), int(b), float(rng.random() < 1 / (1 + np.exp(truth[b] - truth[a]))), game))
    mine = rate(rows, 4, prior=0.1, replicates=0)
    true = 1500 + UNIT * (truth - truth.mean())
    hits += int(((mine["low"] <= true) & (true <= mine["high"])).sum())
    total += 4
close("coverage of 95 % intervals", hits / total, 0.95, 0.03)

sys.exit(1 if failures else 0)
