"""Small sets of games that stand for all of them: Atari-5 (Aitchison, Sweetser, Hutter 2023) and one's own.

Models work on log10(1 + percent of human) and estimate that of the median over 57 games.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sixer._sixer import evaluation as _c
from sixer.eval.published import game_id, game_ids, published_table
from sixer.eval.statistics import Integers, Interval, Reals, _lookup, _reals, _sample, _settings

Folds = Literal["index", "shuffled", "numpy", "paper", "grouped"]
_FOLDS = {"index": 0, "shuffled": 1, "numpy": 2, "paper": 2, "grouped": 3}
_PAPER_SEED = 1982  # of the shuffle in the paper's repository


class Data(NamedTuple):
    """Log scores of algorithms x games (NaN where not reported) and the log of each algorithm's median."""

    x: Reals
    y: Reals
    names: tuple[str, ...]
    games: tuple[str, ...]


class Fit(NamedTuple):
    """Least squares on a set of games; the cv fields are cross-validated, NaN without folds."""

    games: tuple[int, ...]
    coefficients: Reals
    intercept: float
    rows: int  #: that have all of the games
    r2: float
    mae: float
    cv_mse: float
    cv_mae: float
    cv_r2: float
    relative_error: float  #: ln 10 * cv_mae


class Nested(NamedTuple):
    """The result of nested cross-validation."""

    mse: float
    mae: float
    r2: float
    relative_error: float  #: ln 10 * mae
    rows: int  #: that were predicted
    skipped: int  #: that lack a game of the subset which was found without them
    searches: int  #: outer folds
    same: int  #: of them, those that found the games of `whole`
    whole: Fit  #: the best subset of all rows


class Search(NamedTuple):
    """The best subsets, and how many of the others were left out for which reason."""

    fits: list[Fit]
    subsets: int  #: looked at: all of them
    negative: int  #: left out because a coefficient is negative
    unfit: int  #: left out because of too few rows or collinear games
    reference_rank: int  #: 1 is best; 0 if there was no reference or it was left out
    reference_cv_mse: float


class Cost(NamedTuple):
    """What an experiment costs."""

    hours: float
    price: float
    kwh: float
    co2_kg: float


class PredictionError(NamedTuple):
    """How well the score of one game is predicted from others."""

    sd: float  #: standard deviation of log10(1 + percent)
    r2: float  #: 1 - sd**2 / variance over the algorithms; below 0: worse than their mean
    algorithms: int  #: that report all the games


def log_score(percent: npt.ArrayLike) -> Reals:
    """log10(1 + max(0, percent)), element by element."""
    out = _reals(percent, "percent").copy()
    _c.map(0, out)
    return out


def log_score_inverse(value: npt.ArrayLike) -> Reals:
    """10^x - 1, element by element."""
    out = _reals(value, "value").copy()
    _c.map(1, out)
    return out


# ---- the paper's models ----------------------------------------------------------------------------------------------


@functools.cache
def _models() -> dict[str, dict[str, float]]:
    models: dict[str, dict[str, float]] = {}
    for row in published_table("atari5_models.csv"):
        models.setdefault(row["model"], {})[row["game"]] = float(row["coefficient"])
    return models


def _model(name: str) -> dict[str, float]:
    if name not in _models():
        raise ValueError(f"there is no model {name!r}; there are {', '.join(_models())}")
    return _models()[name]


def atari5_models() -> dict[str, dict[str, float]]:
    """The published models: coefficients by game of "atari_1", "atari_3", "atari_5", "atari_10" and the "_val" sets."""
    return {name: dict(model) for name, model in _models().items()}


@functools.cache
def _constants() -> dict[str, tuple[float, float]]:
    """Random and human score of each game, Table 12 of the paper."""
    rows = published_table("reference_scores.csv")
    return {
        row["game"]: (float(row["random_atari5"]), float(row["human_atari5"])) for row in rows if row["human_atari5"]
    }


def _inputs(scores: Mapping[str, npt.ArrayLike], games: Sequence[str], what: str) -> dict[str, Reals]:
    """The human-normalized fractions of the runs of each game."""
    given = dict(zip(game_ids(list(scores)), scores.values(), strict=True))
    if lacking := [game for game in games if game not in given]:
        raise ValueError(f"{what} also needs {', '.join(lacking)}")
    result = {}
    for game in games:
        low, high = _constants()[game]
        runs = np.atleast_1d(_reals(given[game])).ravel()
        if not len(runs) or not np.isfinite(runs).all():
            raise ValueError(f"the scores of {game} must be finite numbers, at least one")
        result[game] = (runs - low) / (high - low)
    return result


def atari5_score(scores: Mapping[str, npt.ArrayLike], model: str = "atari_5") -> float:
    """The estimated median over 57 games, in percent of human, from raw scores (one or more runs) by game."""
    coefficients = _model(model)
    percents = [100 * float(runs.mean()) for runs in _inputs(scores, list(coefficients), model).values()]
    return float(_c.predict(0.0, np.array(list(coefficients.values())), np.array(percents)))


def atari5_interval(
    scores: Mapping[str, npt.ArrayLike],
    model: str = "atari_5",
    *,
    replicates: int = 50_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    of: Literal["both", "runs"] = "both",
) -> Interval:
    """The same with an interval.

    It has two parts: the noise of the runs, by a stratified bootstrap, and the error of the model, cross-validated on
    the algorithms of the paper (`atari5_error`). With of="runs" it is the first part alone, which says nothing of how
    far the median over 57 games is from the estimate.
    """
    if of not in ("both", "runs"):
        raise ValueError(f"an interval is of 'both' or of the 'runs', not {of!r}")
    coefficients = _model(model)
    sample = _sample(_inputs(scores, list(coefficients), model))
    settings = _settings(replicates, confidence, seed, threads, False, 2.0)
    runs = Interval(*_c.bootstrap_model(*sample, np.array(list(coefficients.values())), settings))
    if of == "runs":
        return runs
    return Interval(*_c.model_interval(*runs, atari5_error(model), confidence))


def atari5_error(model: str = "atari_5") -> float:
    """The error of a model: the standard deviation of log10(1 + percent), cross-validated on the paper's algorithms."""
    return float(_c.model_error(tuple(_model(model))))


def atari5_predictions(
    scores: Mapping[str, npt.ArrayLike], source: Literal["atari_5", "atari_10"] = "atari_5"
) -> dict[str, float]:
    """The predicted scores of every game, in percent of human, from the raw scores of five or ten.

    How good they are differs from game to game: atari5_prediction_error().
    """
    if source not in ("atari_5", "atari_10"):
        raise ValueError(f"predictions are from 'atari_5' or 'atari_10', not {source!r}")
    rows = published_table(f"{source.replace('_', '')}_game_models.csv")
    games = [name for name in rows[0] if name not in ("game", "intercept")]
    percents = np.array([100 * float(runs.mean()) for runs in _inputs(scores, games, source).values()])
    return {
        row["game"]: float(
            _c.predict(float(row["intercept"]), np.array([float(row[game]) for game in games]), percents)
        )
        for row in rows
    }


def atari5_prediction_error(game: str, source: Literal["atari_5", "atari_10"] = "atari_5") -> PredictionError:
    """How well the score of a game is predicted from the five or ten, cross-validated on the paper's algorithms.

    A game that is reported by too few of them is a ValueError.
    """
    if source not in ("atari_5", "atari_10"):
        raise ValueError(f"predictions are from 'atari_5' or 'atari_10', not {source!r}")
    return PredictionError(*_c.prediction_error(tuple(_model(source)), game_id(game)))


# ---- searching for subsets -------------------------------------------------------------------------------------------


def atari5_data(by_name: bool = False) -> Data:
    """The data of the paper: 62 algorithms on 57 games, in the order of its Table 8 or sorted by name."""
    x, y, names, games = _c.atari5_data(bool(by_name))
    return Data(
        np.frombuffer(x, np.float64).reshape(len(names), len(games)), np.frombuffer(y, np.float64), names, games
    )


def _data(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Reals, Reals]:
    predictors, targets = _reals(x, "x"), _reals(y, "y")
    if predictors.ndim != 2 or targets.shape != predictors.shape[:1] or not predictors.size:
        raise ValueError(f"x must be rows x games and y have a number per row, not {predictors.shape}, {targets.shape}")
    return predictors, targets


def _numbers(games: Sequence[int] | npt.ArrayLike) -> Integers:
    array = np.asarray(games if len(games) else np.empty(0, np.int64))  # type: ignore[arg-type]
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"games are named by their column's number, not {games!r}")
    return np.ascontiguousarray(array, np.int64)


def _seed(folds: str, seed: int | None) -> int:
    number = (_PAPER_SEED if folds == "paper" else 0) if seed is None else seed
    if not 0 <= number < 2**32:
        raise ValueError(f"seed is {number}; it must be between 0 and {2**32 - 1}")
    return number


def _groups(groups: Sequence[int] | Sequence[str] | None, folds: str) -> Integers | None:
    if (groups is None) == (folds == "grouped"):
        raise ValueError("folds='grouped' and groups, the source of each row, go together")
    if groups is None:
        return None
    return np.ascontiguousarray(np.unique(np.asarray(groups), return_inverse=True)[1].ravel(), np.int64)


def _fit(row: dict[str, Any]) -> Fit:
    return Fit(**{**row, "games": tuple(row["games"]), "coefficients": np.array(row["coefficients"])})


def fit(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    games: Sequence[int],
    *,
    intercept: bool = False,
    folds: Folds = "index",
    fold_count: int = 10,
    seed: int | None = None,
    groups: Sequence[int] | Sequence[str] | None = None,
) -> Fit:
    """Ordinary least squares on the columns `games` of x, over the rows that have them all.

    Args:
        x: rows x games, NaN where not reported.
        y: a target per row.
        games: column numbers.
        intercept: fit a constant too.
        folds: of the cross-validation: row "index" mod fold_count; "shuffled" with the seed; shuffled as "numpy"'s
            RandomState(seed) does; the "paper"'s, for atari5_data(by_name=True); "grouped", so that rows of a group
            are in one fold.
        fold_count: 0 or 1 for no cross-validation.
        seed: of the shuffle.
        groups: the source of each row, for "grouped" folds.
    """
    kind = _lookup(_FOLDS, folds, "folds")
    settings = (intercept, kind, fold_count, _seed(folds, seed), _groups(groups, folds))
    return _fit(_c.fit(*_data(x, y), _numbers(games), *settings))


def search(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    size: int = 5,
    *,
    required: Sequence[int] = (),
    excluded: Sequence[int] = (),
    folds: Folds = "index",
    fold_count: int = 10,
    seed: int | None = None,
    top: int = 1,
    reference: Sequence[int] | None = None,
    threads: int = 0,
    progress: Callable[[float, float], object] | None = None,
    groups: Sequence[int] | Sequence[str] | None = None,
    allow_negative: bool = False,
) -> Search:
    """The best subsets of `size` games: every one is fitted, those with a negative coefficient are left out, the rest
    is ranked by cross-validated squared error. Exhaustive and exact; other Python threads go on meanwhile.

    Args:
        x: rows x games, NaN where not reported.
        y: a target per row.
        size: games in a subset, required ones included.
        required: columns that every subset has.
        excluded: columns that none has.
        folds: see fit(); fold_count and seed too.
        fold_count: number of folds.
        seed: of the shuffle.
        top: how many of the best to return.
        reference: a subset of this size whose rank is wanted.
        threads: 0 for one per processor.
        progress: called now and then with what is done and the total, from another thread.
        groups: the source of each row, for folds="grouped".
        allow_negative: rank subsets with negative coefficients too.
    """
    found = _c.search(
        *_data(x, y),
        size,
        _numbers(required),
        _numbers(excluded),
        _lookup(_FOLDS, folds, "folds"),
        fold_count,
        _seed(folds, seed),
        top,
        None if reference is None else _numbers(reference),
        threads,
        progress,
        _groups(groups, folds),
        allow_negative,
        0,
    )
    return Search(**{**found, "fits": [_fit(row) for row in found["fits"]]})


def nested(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    size: int = 5,
    *,
    outer: int = 10,
    required: Sequence[int] = (),
    excluded: Sequence[int] = (),
    folds: Folds = "index",
    fold_count: int = 10,
    seed: int | None = None,
    threads: int = 0,
    groups: Sequence[int] | Sequence[str] | None = None,
    allow_negative: bool = False,
) -> Nested:
    """The error of search() without its selection bias: each of the `outer` folds is predicted by the subset that a
    search without its rows finds. Arguments are those of search().
    """
    if outer < 2:
        raise ValueError(f"outer is {outer}; at least 2 folds are needed")
    found = _c.search(
        *_data(x, y),
        size,
        _numbers(required),
        _numbers(excluded),
        _lookup(_FOLDS, folds, "folds"),
        fold_count,
        _seed(folds, seed),
        1,
        None,
        threads,
        None,
        _groups(groups, folds),
        allow_negative,
        outer,
    )
    return Nested(**{**found, "whole": _fit(found["whole"])})


def correlate(x: npt.ArrayLike) -> Reals:
    """Pearson correlations of the columns of x, over the rows that have both; NaN where there are fewer than three."""
    array = _reals(x, "x")
    if array.ndim != 2 or not array.size:
        raise ValueError(f"x must be rows x games, not of shape {array.shape}")
    out = np.empty((array.shape[1], array.shape[1]))
    _c.correlate(array, np.zeros(len(array)), out)
    return out


def cost(
    *,
    games: float,
    hours: float,
    runs: float = 1,
    gpu_price: float = 0.0,
    cpu_price: float = 0.0,
    gpu_watts: float = 0.0,
    cpu_watts: float = 0.0,
    co2_per_kwh: float = 0.0,
) -> Cost:
    """What an experiment costs: `hours` of computing per game and run, prices per hour, kilograms of CO2 per kWh."""
    return Cost(*_c.cost(games, runs, hours, gpu_price, cpu_price, gpu_watts, cpu_watts, co2_per_kwh))
