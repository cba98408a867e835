"""Learning curves, and bootstrap intervals of any statistic.

Curves of several runs and games at common points are an array of runs x games x points, or a dict with an array of
runs x points for each game.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sixer._sixer import evaluation as _c
from sixer.eval.protocols import Protocol, protocol as _protocol
from sixer.eval.results import Paths, _wanted
from sixer.eval.statistics import AGGREGATES, Integers, Interval, Profile, Reals, _lookup, _reals

#: Curves of one agent: an array of runs x games x points, or a dict with runs x points for each game.
CurveScores = npt.ArrayLike | Mapping[str, npt.ArrayLike]
IntervalKind = Literal["percentile", "basic", "bca"]
Correction = Literal["none", "holm", "bh"]

_KINDS = {"percentile": 0, "basic": 1, "bca": 2}
_CORRECTIONS = {"none": 0, "holm": 1, "bh": 2}


@dataclass(frozen=True, eq=False)
class Curve:
    """What one run did in the course of its training."""

    run: str  #: its seed or number
    frames: Reals  #: of training up to each point
    scores: Reals  #: of the episode that ended there, or the mean that the file has
    episodes: bool  #: points are episodes; else they are means already

    def sample(self, points: npt.ArrayLike, window: int = 100) -> Reals:
        """The mean of the last `window` episodes at rising points. NaN before the first episode's end and after the
        run's last point."""
        at = _reals(points, "points").ravel()
        out = np.empty(len(at))
        _c.curve_sample(self.frames, self.scores, self.episodes, window, at, out)
        return out


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves that were read from files."""

    protocol: Protocol
    agents: dict[str, dict[str, list[Curve]]]  #: by agent and game
    warnings: tuple[tuple[str, str], ...]  #: name and text of each

    def sample(
        self, agent: str, points: npt.ArrayLike, window: int = 100, normalize: str | bool | None = None
    ) -> dict[str, Reals]:
        """Runs x points of each game of an agent, input for the functions below.

        Args:
            agent: whose curves.
            points: frames of training, rising. A point that a run does not have is a ValueError: nothing is computed
                over fewer runs than there are.
            window: episodes of the running mean.
            normalize: the kind of normalization, True for the protocol's; None for raw scores.
        """
        if agent not in self.agents:
            raise ValueError(f"there is no agent {agent!r}; there are {', '.join(map(repr, self.agents))}")
        result = {}
        for game, runs in self.agents[agent].items():
            rows = np.array([run.sample(points, window) for run in runs])
            for run, row in zip(runs, rows, strict=True):
                if np.isnan(row).any():
                    raise ValueError(
                        f"run {run.run!r} of {agent} on {game} has scores from {run.frames[0]:.0f} to "
                        f"{run.frames[-1]:.0f} frames only; choose points within"
                    )
            if normalize:
                kind = None if normalize is True else normalize
                rows = self.protocol.normalize(rows.reshape(-1, 1), [game], kind).reshape(rows.shape)
            result[game] = rows
        return result


def read_curves(
    files: Paths | Mapping[str, Paths],
    protocol: str | os.PathLike[str] | Protocol | None = None,
    *,
    limit: int | None = None,
    frames_per_step: int | None = None,
) -> Curves:
    """Read learning curves from logs and result files; the arguments are those of read_results().

    Episodes and logs (Stable-Baselines3, CleanRL, Dopamine, `*.episodes.tsv` of `sixer train`) give a point per
    episode; tables with frames of training, such as `*.curve.tsv`, give their means.
    """
    name, wanted = _wanted(files, protocol)
    for option, value in (("limit", limit), ("frames_per_step", frames_per_step)):
        if value is not None and not 0 <= value < 2**31:
            raise ValueError(f"{option} is {value}; it is a number of frames from 0 to {2**31 - 1}")
    found, warnings = _c.read_curves(name, wanted, -1 if limit is None else limit, frames_per_step or 0)
    agents: dict[str, dict[str, list[Curve]]] = {}
    for agent, game, run, episodes, frames, scores in found:
        curve = Curve(run, np.frombuffer(frames, np.float64), np.frombuffer(scores, np.float64), bool(episodes))
        agents.setdefault(agent, {}).setdefault(game, []).append(curve)
    return Curves(_protocol(name), agents, tuple(warnings))


def _set(scores: CurveScores) -> tuple[Reals, Integers, int]:
    """Scores run after run, game after game; runs of each game; points."""
    if isinstance(scores, Mapping):
        games = [_reals(game, f"the curves of {name}") for name, game in scores.items()]
        if not games or any(game.ndim != 2 or game.shape[1] != games[0].shape[1] for game in games):
            raise ValueError("the curves of a game must be an array of runs x points, the same points in all")
        runs = np.array([len(game) for game in games], np.int64)
        return np.concatenate([game.ravel() for game in games]), runs, games[0].shape[1]
    array = _reals(scores)
    if array.ndim != 3 or not array.size:
        raise ValueError(f"curves must be an array of runs x games x points, not one of shape {array.shape}")
    runs = np.full(array.shape[1], array.shape[0], np.int64)
    return np.ascontiguousarray(array.transpose(1, 0, 2)).ravel(), runs, array.shape[2]


def curve_intervals(
    scores: CurveScores,
    aggregate: str = "iqm",
    *,
    replicates: int = 2_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    cap: float = 2.0,
) -> Profile:
    """An aggregate (AGGREGATES) at every point, with point-wise bands: whole runs are drawn. See intervals()."""
    number = _lookup({name: i for i, name in enumerate(AGGREGATES)}, aggregate, "aggregate")
    values, runs, points = _set(scores)
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed is {seed}; it must be between 0 and {2**64 - 1}")
    out = np.empty((points, 3))
    _c.curves_aggregate(values, runs, points, number, replicates, confidence, seed, threads, cap, out)
    return Profile(*np.ascontiguousarray(out.T))


def area_under_curve(frames: npt.ArrayLike, scores: npt.ArrayLike) -> Any:
    """The mean height of curves: the area by the trapezoidal rule over the length. The last dimension of `scores` are
    the points; the result has the others."""
    at, array = _reals(frames, "frames").ravel(), _reals(scores)
    rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    areas = np.array([_c.curve_area(at, np.ascontiguousarray(row)) for row in rows])
    return float(areas[0]) if array.ndim < 2 else areas.reshape(array.shape[:-1])


def frames_to_reach(frames: npt.ArrayLike, scores: npt.ArrayLike, level: float) -> Any:
    """The frames at which curves first reach a level, on straight lines between the points; infinite if they never do.
    The last dimension of `scores` are the points; the result has the others."""
    at, array = _reals(frames, "frames").ravel(), _reals(scores)
    rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    reached = np.array([_c.curve_reach(at, np.ascontiguousarray(row), level) for row in rows])
    return float(reached[0]) if array.ndim < 2 else reached.reshape(array.shape[:-1])


# ---- any statistic ---------------------------------------------------------------------------------------------------


def statistic_interval(
    scores: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    statistic: Callable[[Any], Any],
    *,
    kind: IntervalKind = "percentile",
    replicates: int = 2_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The interval of any statistic by the stratified bootstrap: each replicate draws the runs of every game anew.

    Args:
        scores: an array of runs x games or runs x games x points, or a dict with the runs (x points) of each game.
        statistic: is called with the same kind of object and returns a number or an array of numbers.
        kind: "percentile", "basic", or "bca" (bias-corrected and accelerated), as in SciPy's bootstrap(). The bounds
            of the latter are NaN where it is not defined.
        replicates: of the bootstrap. The draws are those of intervals() with the same seed.
        confidence: of the interval.
        seed: the same gives the same bytes.

    Returns:
        An Interval of numbers, or of arrays if the statistic returns one.
    """
    number = _lookup(_KINDS, kind, "kind")
    if replicates < 2:
        raise ValueError(f"replicates is {replicates}; it must be at least 2")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed is {seed}; it must be between 0 and {2**64 - 1}")
    if isinstance(scores, Mapping):
        names = list(scores)
        games = [np.atleast_1d(_reals(scores[name], f"the scores of {name}")) for name in names]
    else:
        array = _reals(scores)
        if array.ndim not in (2, 3) or not array.size:
            raise ValueError(f"scores must be an array of runs x games (x points), not one of shape {array.shape}")
        names = []
        games = [np.ascontiguousarray(array[:, g]) for g in range(array.shape[1])]
    if not games or any(len(game) == 0 for game in games):
        raise ValueError("there are no scores, or a game has no runs")
    if any(np.isnan(game).any() for game in games):
        raise ValueError("scores have a NaN; leave the run out if there is none")
    runs = np.array([len(game) for game in games], np.int64)
    starts = np.concatenate([[0], np.cumsum(runs)])

    def value_of(chosen: list[Reals]) -> Reals:
        sample = dict(zip(names, chosen, strict=True)) if names else np.stack(chosen, axis=1)
        return np.asarray(statistic(sample), np.float64)

    value = value_of(games)
    shape, flat = value.shape, value.ravel()
    drawn = np.empty((1, starts[-1]), np.int64)
    values = np.empty((flat.size, replicates))
    for r in range(replicates):
        _c.bootstrap_draw(runs, seed, r, drawn)
        rows = [game[drawn[0, starts[g] : starts[g + 1]]] for g, game in enumerate(games)]
        values[:, r] = value_of(rows).ravel()
    left_out = np.zeros((flat.size, starts[-1]))
    if kind == "bca":
        if not names:  # an array without one run of one game is no rectangle
            raise ValueError("a BCa interval leaves out single runs: give the scores as a dict, game by game")
        for g, game in enumerate(games):
            for k in range(len(game)) if len(game) > 1 else ():
                rows = [*games[:g], np.delete(game, k, axis=0), *games[g + 1 :]]
                left_out[:, starts[g] + k] = value_of(rows).ravel()
    made = np.array(
        [
            _c.interval(
                number,
                float(flat[i]),
                np.ascontiguousarray(values[i]),
                np.ascontiguousarray(left_out[i]),
                runs,
                confidence,
            )
            for i in range(flat.size)
        ]
    )
    if not shape:
        return Interval(*(float(x) for x in made[0]))
    return Interval(*(made[:, i].reshape(shape) for i in range(3)))  # type: ignore[arg-type]


def adjust_p(p: npt.ArrayLike, correction: Correction = "holm") -> Reals:
    """p values corrected for the number of tests: "holm" (Holm 1979), "bh" (Benjamini and Hochberg 1995) or "none"."""
    array = _reals(p, "p values")
    out = np.empty(array.shape)
    _c.p_adjust(_lookup(_CORRECTIONS, correction, "correction"), array, out)
    return out
