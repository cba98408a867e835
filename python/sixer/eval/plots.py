"""Plots for notebooks, with matplotlib: what `sixer report` shows, from the same functions.

Each function draws on an Axes, or on a new one, and returns it. Agents are a dict from names to normalized scores.
Colors can be told apart with any kind of color vision (after Okabe and Ito 2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sixer.eval.curves import CurveScores, curve_intervals
from sixer.eval.statistics import (
    ProfileKind,
    Scores,
    classes,
    improvement_interval,
    intervals,
    profile_intervals,
)

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#111111")
_DASHES = ("-", "--", ":", "-.")


def _axes(ax: Any, **size: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "the plots of sixer.eval need matplotlib: pip install matplotlib (`sixer report` needs nothing)"
        ) from error
    return plt.subplots(layout="constrained", **size)[1]


def _color(i: int) -> dict[str, Any]:
    return {"color": COLORS[i % len(COLORS)], "linestyle": _DASHES[i // len(COLORS) % len(_DASHES)]}


def _percent(axis: Any) -> None:
    axis.set_major_formatter(lambda value, _: f"{100 * value:g} %")


def _frames(value: float, _: Any) -> str:
    """200M, 50k"""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def _label(aggregate: str) -> str:
    return {"iqm": "IQM"}.get(aggregate, aggregate.replace("_", " "))


def _rows(ax: Any, names: list[str]) -> None:
    """Names of rows, the first one on top, with room above and below."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)


def _legend_above(ax: Any, agents: int) -> None:
    """A legend where it covers no bars."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=min(agents, 4), frameon=False)


def plot_aggregates(agents: Mapping[str, Scores], aggregate: str = "iqm", *, ax: Any = None, **settings: Any) -> Any:
    """One aggregate of every agent with its interval. `settings` are those of intervals()."""
    ax = _axes(ax, figsize=(6, 0.5 * len(agents) + 1.2))
    for i, (name, scores) in enumerate(agents.items()):
        value, low, high = getattr(intervals(scores, **settings), aggregate)
        ax.plot([low, high], [i, i], linewidth=2, color=COLORS[i % len(COLORS)])
        ax.plot([value], [i], "o", color=COLORS[i % len(COLORS)], label=name)
    _rows(ax, list(agents))
    ax.set_xlabel(f"{_label(aggregate)}, normalized")
    _percent(ax.xaxis)
    return ax


def plot_profiles(
    agents: Mapping[str, Scores],
    points: npt.ArrayLike | None = None,
    kind: ProfileKind = "runs",
    *,
    ax: Any = None,
    **settings: Any,
) -> Any:
    """The score distribution of every agent with its band. `settings` are those of profile_intervals()."""
    at = np.linspace(0, 8, 161) if points is None else np.asarray(points, np.float64)
    ax = _axes(ax)
    for i, (name, scores) in enumerate(agents.items()):
        band = profile_intervals(scores, at, kind, **settings)
        ax.fill_between(at, band.low, band.high, alpha=0.2, color=COLORS[i % len(COLORS)], linewidth=0)
        ax.plot(at, band.value, label=name, **_color(i))
    ax.set_xlabel("normalized score x")
    what = {"runs": "share of runs above x", "games": "share of games above x"}
    ax.set_ylabel(what.get(kind, "share of games at x or more"))
    _percent(ax.xaxis)
    _percent(ax.yaxis)
    ax.legend()
    return ax


def plot_curves(
    agents: Mapping[str, CurveScores], frames: npt.ArrayLike, aggregate: str = "iqm", *, ax: Any = None, **settings: Any
) -> Any:
    """An aggregate of curves (runs x games x points) over frames, with bands. `settings` are those of
    curve_intervals()."""
    at = np.asarray(frames, np.float64)
    ax = _axes(ax)
    for i, (name, scores) in enumerate(agents.items()):
        band = curve_intervals(scores, aggregate, **settings)
        ax.fill_between(at, band.low, band.high, alpha=0.2, color=COLORS[i % len(COLORS)], linewidth=0)
        ax.plot(at, band.value, label=name, **_color(i))
    ax.set_xlabel("frames of training")
    ax.xaxis.set_major_formatter(_frames)
    ax.set_ylabel(_label(aggregate))
    ax.legend()
    return ax


def plot_games(agents: Mapping[str, Mapping[str, npt.ArrayLike]], *, linear: float = 0.1, ax: Any = None) -> Any:
    """The mean of every game as bars. Agents are dicts with the normalized runs of each game; the scale is linear up to
    `linear` and logarithmic beyond."""
    games = list(dict.fromkeys(game for scores in agents.values() for game in scores))
    ax = _axes(ax, figsize=(7, max(2.0, 0.13 * len(games) * (len(agents) + 0.6))))
    thick = 0.8 / max(1, len(agents))
    for i, (name, scores) in enumerate(agents.items()):
        rows = [games.index(game) - 0.4 + thick * (i + 0.5) for game in scores]
        means = [float(np.mean(np.asarray(runs, np.float64))) for runs in scores.values()]
        ax.barh(rows, means, height=0.92 * thick, color=COLORS[i % len(COLORS)], label=name)
    _rows(ax, games)
    ax.set_xscale("symlog", linthresh=linear)
    _percent(ax.xaxis)
    ax.set_xlabel("normalized score")
    _legend_above(ax, len(agents))
    return ax


def plot_classes(agents: Mapping[str, npt.ArrayLike], *, ax: Any = None) -> Any:
    """How many games fall into each of SABER's classes. Agents have one normalized score per game."""
    ax = _axes(ax)
    thick = 0.8 / max(1, len(agents))
    names: list[str] = []
    for i, (name, scores) in enumerate(agents.items()):
        counts = classes(scores)
        names = list(counts)
        rows = [k - 0.4 + thick * (i + 0.5) for k in range(len(names))]
        ax.bar(rows, list(counts.values()), width=0.92 * thick, color=COLORS[i % len(COLORS)], label=name)
    ax.set_xticks(range(len(names)), names)
    ax.set_ylabel("games")
    _legend_above(ax, len(agents))
    return ax


def plot_improvement(agents: Mapping[str, Scores], *, ax: Any = None, **settings: Any) -> Any:
    """The probability of improvement of every pair, with its interval. `settings`: those of improvement_interval()."""
    names = list(agents)
    pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :]]
    ax = _axes(ax, figsize=(6, 0.5 * len(pairs) + 1.2))
    for i, (x, y) in enumerate(pairs):
        value, low, high = improvement_interval(agents[x], agents[y], **settings)
        ax.plot([low, high], [i, i], linewidth=2, color=COLORS[0])
        ax.plot([value], [i], "o", color=COLORS[0])
    ax.axvline(0.5, color="#888888", linewidth=1, linestyle="--")
    _rows(ax, [f"{x} > {y}" for x, y in pairs])
    ax.set_xlim(0, 1)
    ax.set_xlabel("P(first > second)")
    return ax
