"""Normalization, aggregates, bootstrap intervals and tests.

Sources: Bellemare et al. 2013 (score distributions, paired comparisons), SABER 2019 (records, classes), Agarwal et al.
2021 (IQM, optimality gap, profiles, probability of improvement, stratified bootstrap).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sixer._sixer import evaluation as _c

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Scores of one agent: an array of runs x games, or a dict with the runs of each game, which need not be equally many.
#: An array of one dimension is one run of each game.
Scores = npt.ArrayLike | Mapping[str, npt.ArrayLike]
Scale = Literal["range", "absolute", "random", "inter"]
ProfileKind = Literal["runs", "games", "at-least"]

#: The names of the aggregates, in their order.
AGGREGATES = ("mean", "median", "iqm", "optimality_gap", "capped_mean")
#: The classes of SABER: below 1 %, 10 %, 50 %, 100 %, and the rest.
CLASSES = ("failing", "poor", "medium", "fair", "superhuman")

_SCALES = {"range": 0, "absolute": 1, "random": 2, "inter": 3}
_PROFILES = {"runs": 0, "games": 1, "at-least": 2}


class Interval(NamedTuple):
    """A figure and its percentile interval."""

    value: float
    low: float
    high: float


class Aggregates(NamedTuple):
    """What one agent's scores come to."""

    mean: Any
    median: Any
    iqm: Any
    optimality_gap: Any
    capped_mean: Any


class Profile(NamedTuple):
    """A profile with point-wise bands; each is an array with an entry per point."""

    value: Reals
    low: Reals
    high: Reals


class Comparison(NamedTuple):
    """In how many games the first agent is higher, lower, equal."""

    better: int
    worse: int
    equal: int


class Welch(NamedTuple):
    """Welch's t-test: t is positive if the first mean is larger, p is two-tailed."""

    t: float
    df: float
    p: float


class PairedTable(NamedTuple):
    """In how many games the agent of the row is significantly better than that of the column, and how many could not
    be tested because one of the two has fewer than two runs there."""

    better: Integers
    untested: Integers


def _lookup(table: Mapping[str, int], name: str, what: str) -> int:
    if name not in table:
        raise ValueError(f"{what} is {name!r}; it can be {', '.join(map(repr, table))}")
    return table[name]


def _reals(values: npt.ArrayLike, what: str = "scores") -> Reals:
    """A C-contiguous array of float64; raises an error if an element is not a number."""
    try:
        array = np.asarray(values)
    except ValueError:  # NumPy's message speaks of inhomogeneous shapes
        raise ValueError(f"{what} are not a rectangle; give games with unequal runs as a dict") from None
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{what} must be numbers, not {array.dtype}")
    return np.ascontiguousarray(array, np.float64)


def _sample(scores: Scores) -> tuple[Reals, Integers]:
    """Scores game after game, and how many belong to each."""
    if isinstance(scores, Mapping):
        games = [np.atleast_1d(_reals(game, f"the scores of {name}")) for name, game in scores.items()]
        if any(game.ndim != 1 for game in games):
            raise ValueError("the runs of a game must be an array of one dimension")
        return np.concatenate(games or [np.empty(0)]), np.array([len(game) for game in games], np.int64)
    array = _reals(scores)
    if array.ndim == 1:
        return array, np.ones(len(array), np.int64)
    if array.ndim != 2:
        raise ValueError(f"scores must be an array of runs x games, not one of shape {array.shape}")
    return np.ascontiguousarray(array.T).ravel(), np.full(array.shape[1], array.shape[0], np.int64)


def _settings(
    replicates: int,
    confidence: float,
    seed: int,
    threads: int,
    resample_games: bool,
    cap: float,
    chosen: int = (1 << len(AGGREGATES)) - 1,
    values: Reals | None = None,
) -> tuple[Any, ...]:
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed is {seed}; it must be between 0 and {2**64 - 1}")
    return (replicates, confidence, seed, threads, resample_games, cap, chosen, values)


# ---- normalization ---------------------------------------------------------------------------------------------------


def normalize(
    scores: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike | None = None, scale: Scale = "range"
) -> Reals:
    """Normalized scores, element by element; the arguments are broadcast together. Protocol.normalize knows constants.

    Args:
        scores: raw scores; infinite ones (play without end) stay infinite.
        low: what counts as 0, such as the score of random play.
        high: what counts as 1, such as a human's score; not used by "random".
        scale: "range" (s - low) / (high - low), "absolute" (s - low) / |high - low| for world records and other agents,
            "random" s / |low| of Bellemare et al. 2013, "inter" as "range" and 1 where low equals high.
    """
    kind = _lookup(_SCALES, scale, "scale")
    if high is None:
        if scale != "random":
            raise ValueError(f"scale {scale!r} needs high")
        high = low
    arrays = np.broadcast_arrays(_reals(scores), _reals(low, "low"), _reals(high, "high"))
    s, lows, highs = (np.ascontiguousarray(array) for array in arrays)
    out = np.empty(arrays[0].shape, np.float64)
    _c.normalize(kind, s, lows, highs, out)
    return out


def score_range(scores: npt.ArrayLike) -> tuple[Reals, Reals]:
    """The lowest and the highest score of each game over several agents or policies (agents x games)."""
    array = _reals(scores)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"scores must be an array of agents x games, not one of shape {array.shape}")
    low, high = np.empty(array.shape[1]), np.empty(array.shape[1])
    _c.range(array, low, high)
    return low, high


def inter_algorithm(scores: npt.ArrayLike) -> Reals:
    """Scores of several agents (agents x games) within the range of them all; 1 where all are equal."""
    return normalize(scores, *score_range(scores), scale="inter")


# ---- aggregates ------------------------------------------------------------------------------------------------------


def aggregates(scores: Scores, cap: float = 2.0) -> Aggregates:
    """All aggregates of normalized scores.

    Args:
        scores: see the top of the page.
        cap: of the capped mean, and what an infinite score counts (SABER: 200 %); NaN makes these errors.
    """
    return Aggregates(*_c.aggregates(*_sample(scores), cap))


def mean(scores: Scores, cap: float = 2.0) -> float:
    """The mean of the games' means."""
    return float(aggregates(scores, cap).mean)


def median(scores: Scores, cap: float = 2.0) -> float:
    """The median of the games' means."""
    return float(aggregates(scores, cap).median)


def iqm(scores: Scores, cap: float = 2.0) -> float:
    """The interquartile mean: all runs pooled, a quarter (rounded down) dropped at each end, the mean of the rest."""
    return float(aggregates(scores, cap).iqm)


def optimality_gap(scores: Scores) -> float:
    """1 - mean of min(score, 1) over all runs."""
    return float(aggregates(scores).optimality_gap)


def capped_mean(scores: Scores, cap: float = 2.0) -> float:
    """The mean of the games' means, each counting `cap` at most."""
    return float(aggregates(scores, cap).capped_mean)


def intervals(
    scores: Scores,
    *,
    replicates: int = 50_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    resample_games: bool = False,
    cap: float = 2.0,
) -> Aggregates:
    """All aggregates as intervals, by the stratified bootstrap: each replicate resamples the runs of every game.

    Args:
        scores: see the top of the page. Games with a single run never vary, which makes intervals too narrow.
        replicates: of the bootstrap.
        confidence: of the percentile intervals.
        seed: the same gives the same bytes, for any number of threads.
        threads: 0 for one per processor. Other Python threads go on meanwhile.
        resample_games: also draw the games.
        cap: as for aggregates().
    """
    settings = _settings(replicates, confidence, seed, threads, resample_games, cap)
    return Aggregates(*(Interval(*item) for item in _c.bootstrap_aggregates(*_sample(scores), settings)))


def bootstrap(
    scores: Scores,
    aggregate: str = "iqm",
    *,
    replicates: int = 50_000,
    seed: int = 0,
    threads: int = 0,
    resample_games: bool = False,
    cap: float = 2.0,
) -> Reals:
    """The value of one aggregate (AGGREGATES) in every replicate of the stratified bootstrap."""
    number = _lookup({name: i for i, name in enumerate(AGGREGATES)}, aggregate, "aggregate")
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}; it must be at least 1")
    values = np.empty(replicates)
    settings = _settings(replicates, 0.95, seed, threads, resample_games, cap, 1 << number, values)
    _c.bootstrap_aggregates(*_sample(scores), settings)
    return values


def classes(scores: npt.ArrayLike) -> dict[str, int]:
    """How many games fall into each of SABER's CLASSES, from one normalized score per game."""
    return dict(zip(CLASSES, _c.classes(_reals(scores).ravel()), strict=True))


def histogram(scores: npt.ArrayLike, edges: npt.ArrayLike) -> Integers:
    """How many scores lie below the first edge, between each edge (included) and the next, and from the last on."""
    bounds = _reals(edges, "edges").ravel()
    out = np.empty(len(bounds) + 1, np.int64)
    _c.histogram(_reals(scores).ravel(), bounds, out)
    return out


def profile(scores: Scores, points: npt.ArrayLike, kind: ProfileKind = "runs") -> Reals:
    """A score distribution at some points.

    Args:
        scores: see the top of the page.
        points: where.
        kind: the share of "runs" above a point (performance profile), of "games" whose mean is above it, or of games
            whose mean is "at-least" it (score distribution of Bellemare et al. 2013).
    """
    at = _reals(points, "points").ravel()
    out = np.empty(len(at))
    _c.profile(*_sample(scores), _lookup(_PROFILES, kind, "kind"), at, out)
    return out


def profile_intervals(
    scores: Scores,
    points: npt.ArrayLike,
    kind: ProfileKind = "runs",
    *,
    replicates: int = 2_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    resample_games: bool = False,
) -> Profile:
    """A profile with point-wise bands by the stratified bootstrap; see intervals()."""
    at = _reals(points, "points").ravel()
    out = np.empty((len(at), 3))
    settings = _settings(replicates, confidence, seed, threads, resample_games, 2.0)
    _c.bootstrap_profile(*_sample(scores), _lookup(_PROFILES, kind, "kind"), at, settings, out)
    return Profile(*np.ascontiguousarray(out.T))


def _same_games(x: Scores, y: Scores) -> None:
    if isinstance(x, Mapping) and isinstance(y, Mapping) and list(x) != list(y):
        odd = sorted(set(x) ^ set(y)) or ["in another order"]
        raise ValueError(f"both agents must have the same games in the same order: {', '.join(odd)}")


def improvement(x: Scores, y: Scores) -> float:
    """Probability of improvement P(X > Y): per game the share of pairs of runs that x wins, ties half; the mean."""
    _same_games(x, y)
    return float(_c.improvement(*_sample(x), *_sample(y)))


def improvement_interval(
    x: Scores,
    y: Scores,
    *,
    replicates: int = 2_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    resample_games: bool = False,
) -> Interval:
    """The same with an interval: x and y are drawn independently."""
    _same_games(x, y)
    settings = _settings(replicates, confidence, seed, threads, resample_games, 2.0)
    return Interval(*_c.bootstrap_improvement(*_sample(x), *_sample(y), settings))


def compare(a: npt.ArrayLike, b: npt.ArrayLike) -> Comparison:
    """In how many games a is higher, lower, equal; one score per game of each."""
    return Comparison(*_c.compare(_reals(a).ravel(), _reals(b).ravel()))


# ---- tests -----------------------------------------------------------------------------------------------------------


def welch(a: npt.ArrayLike, b: npt.ArrayLike) -> Welch:
    """Welch's t-test of two samples of at least two scores each."""
    return Welch(*_c.welch_samples(_reals(a).ravel(), _reals(b).ravel()))


def welch_from_stats(mean1: float, sd1: float, n1: float, mean2: float, sd2: float, n2: float) -> Welch:
    """Welch's t-test from means, standard deviations (with n - 1) and numbers of runs."""
    return Welch(*_c.welch(mean1, sd1, n1, mean2, sd2, n2))


def student_p(t: float, df: float) -> float:
    """The two-tailed p of Student's t."""
    return float(_c.student_p(t, df))


def welch_table(
    means: npt.ArrayLike, sds: npt.ArrayLike, sizes: npt.ArrayLike, significance: float = 0.05
) -> PairedTable:
    """The paired-comparison table of Bellemare et al. 2013 from agents x games means, deviations and numbers of runs.

    `sds` and `sizes` are broadcast to the shape of `means`. Games with fewer than two runs are counted as untested.
    """
    m = _reals(means, "means")
    if m.ndim != 2 or m.size == 0:
        raise ValueError(f"means must be an array of agents x games, not one of shape {m.shape}")
    s = np.ascontiguousarray(np.broadcast_to(_reals(sds, "sds"), m.shape))
    n = np.ascontiguousarray(np.broadcast_to(_reals(sizes, "sizes"), m.shape))
    better, untested = (np.empty((len(m), len(m)), np.int64) for _ in range(2))
    _c.welch_table(m, s, n, len(m), significance, better, untested)
    return PairedTable(better, untested)


def paired_comparison(agents: Mapping[str, Scores] | Sequence[Scores], significance: float = 0.05) -> PairedTable:
    """The same from the scores of the runs; rows and columns are the agents in their order."""
    samples = [_sample(scores) for scores in (agents.values() if isinstance(agents, Mapping) else agents)]
    if not samples:
        raise ValueError("there are no agents to compare")
    if len({len(runs) for _, runs in samples}) != 1:
        raise ValueError("all agents must have the same games")
    rows = [np.split(scores, np.cumsum(runs)[:-1]) for scores, runs in samples]
    means = [[game.mean() if len(game) else np.nan for game in row] for row in rows]
    sds = [[game.std(ddof=1) if len(game) > 1 else 0.0 for game in row] for row in rows]
    return welch_table(means, sds, [runs for _, runs in samples], significance)
