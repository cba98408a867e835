"""Protocols: everything that defines how a score is made, in one text file with a hash."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sixer._sixer import evaluation as _c
from sixer.eval.published import game_ids
from sixer.eval.statistics import Reals, Scale, _reals, normalize

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KINDS: dict[str, Scale] = {"human": "range", "record": "absolute", "random": "random", "relative": "absolute"}


@dataclass(frozen=True, eq=False)
class Protocol:
    """A resolved protocol. Those with equal hashes are equal: their scores can be compared. What the fields mean is in
    docs/evaluation.md.
    """

    name: str
    version: int
    title: str
    source: str
    base: str | None  #: the protocol it was derived from
    hash: str  #: SHA-256, in hex, of `text`
    text: str  #: the resolved protocol in canonical form
    games: tuple[str, ...]
    tuning: tuple[str, ...]  #: games on which settings may be chosen
    flavors: str
    sticky: float
    minimal_actions: bool
    frame_skip: int
    noop_starts: int
    life_loss: str  #: "ignored", "terminal-in-training" or "terminal"
    max_frames: int  #: per episode; 0: no limit
    stuck_frames: int  #: without reward; 0: no limit
    fixed_scoring: bool
    length_in_episodes: bool  #: else length and checkpoints are in frames
    length: int
    checkpoints: tuple[int, ...]
    score_of: str  #: "training", "evaluation" or "best-evaluation"
    episodes: int  #: averaged for a score
    include_crossing: bool
    limits: tuple[int, ...]  #: frames of play after which an episode's score is taken; 0: at its end
    trials: int
    significance: float
    aggregate: str
    normalization: str  #: the default
    endless: float  #: what play without end counts in a mean; NaN: it cannot occur
    model: dict[str, float]  #: coefficients by game, if the protocol has a model
    all_flavors: bool  #: every mode and difficulty of a game, not one of them
    mode: int  #: -1: the game's default
    difficulty: int  #: -1: the game's default
    evaluation_interval: int  #: frames (or episodes) of training between evaluations; 0: none during training
    evaluation_length: int  #: of each evaluation during training; 0: `episodes` episodes
    test_epsilon: float  #: share of random actions in evaluation episodes; NaN: not stated
    planning_budget: int  #: simulated frames per decision; 0: no planner
    model_target: str | None  #: what the model estimates: "median", "mean" or "iqm"
    model_error: float  #: of the model, in log10(1 + percent); NaN: not stated
    train_levels: tuple[int, int]  #: first and last level of training, in games that have levels; -1: none
    test_levels: tuple[int, int]
    constants: dict[str, dict[str, float]]  #: by column ("random", "human", "record"), then by game

    def __str__(self) -> str:
        return f"{self.name}@{self.version}#{self.hash}"

    def __eq__(self, other: object) -> bool:
        return self.hash == other.hash if isinstance(other, Protocol) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def _ids(self, games: Sequence[str] | None) -> Sequence[str]:
        """The ids of games; a protocol may have games that are in no paper."""
        if games is None or (
            not isinstance(games, str) and len(set(games)) == len(games) and set(games) <= set(self.games)
        ):
            return self.games if games is None else games
        return game_ids(games)

    def constant(self, column: str, games: Sequence[str] | None = None) -> Reals:
        """The constants of a column for some games (None for the protocol's), NaN where there is none."""
        if column not in self.constants:
            raise ValueError(f"{self.name} has no constants {column!r}; it has {', '.join(self.constants) or 'none'}")
        ids = self._ids(games)
        return np.array([self.constants[column].get(game, np.nan) for game in ids])

    def normalize(
        self,
        scores: npt.ArrayLike,
        games: Sequence[str] | None = None,
        by: str | None = None,
        *,
        relative_to: npt.ArrayLike | None = None,
        missing: Literal["error", "nan", "drop"] = "error",
    ) -> Reals:
        """Normalize raw scores with the protocol's constants.

        Args:
            scores: one or more runs; the last axis is that of the games.
            games: the games of that axis, in any of the usual spellings; None for the protocol's, in its order.
            by: "human", "record", "random" or "relative"; None for the protocol's own.
            relative_to: the scores of another agent on the same games, for by="relative".
            missing: what to do about games without a constant (or with an empty range): raise a ValueError that names
                them, put NaN, or drop their columns.
        """
        raw = _reals(scores)
        ids = self._ids(games)
        if raw.ndim == 0 or raw.shape[-1] != len(ids):
            raise ValueError(f"there are {len(ids)} games, and scores have the shape {raw.shape}")
        kind = by or ("relative" if relative_to is not None else self.normalization)
        if kind not in _KINDS:
            raise ValueError(
                f"{self.name} cannot normalize by {kind!r}: choose human, record, random or relative "
                "(inter_algorithm() and normalize() do the others)"
            )
        low = self.constant("random", ids)
        if kind == "relative":
            if relative_to is None:
                raise ValueError("by='relative' needs the other agent's scores, relative_to")
            high = np.broadcast_to(_reals(relative_to, "relative_to"), low.shape)
        else:
            high = low if kind == "random" else self.constant(kind, ids)
        empty = low == 0 if kind == "random" else low == high
        lacks = np.isnan(low) | np.isnan(high) | np.isinf(high) | empty
        if lacks.any() and missing == "error":
            names = ", ".join(game for game, lack in zip(ids, lacks, strict=True) if lack)
            raise ValueError(
                f"{self.name} has no usable constants for {kind} normalization of {names}; "
                "missing='drop' leaves them out"
            )
        kept = ~lacks
        part = normalize(raw[..., kept], low[kept], high[kept], _KINDS[kind])
        if missing == "drop" or not lacks.any():
            return part
        out = np.full(raw.shape, np.nan)
        out[..., kept] = part
        return out


def _make(about: dict[str, Any]) -> Protocol:
    table = tomllib.loads(about["text"]).get("constants", {})
    columns = table.pop("columns", [])
    constants = {
        column: {game: float(row[i]) for game, row in table.items() if row[i] == row[i]}
        for i, column in enumerate(columns)
    }
    return Protocol(**about, constants=constants)


def protocols() -> tuple[str, ...]:
    """The names of the built-in protocols."""
    names: tuple[str, ...] = _c.protocol_names()
    return names


def protocol(name: str | os.PathLike[str]) -> Protocol:
    """A built-in protocol by name ("saber", "saber@1"), or a file of one's own by its path.

    A path has a "/" or ends in ".toml"; the file may name a base and say only what differs.
    """
    text = os.fspath(name)
    if not isinstance(text, str):
        raise TypeError(f"a protocol is named by a str or a path, not {name!r}")
    if isinstance(name, os.PathLike) and "/" not in text and not text.endswith(".toml"):
        text = os.path.join(".", text)
    if ("/" in text or text.endswith(".toml")) and not os.path.isfile(text):
        raise FileNotFoundError(f"there is no protocol file {text!r}; the built-in ones are {', '.join(protocols())}")
    return _make(_c.protocol(text, None))


def parse_protocol(text: str, origin: str = "protocol") -> Protocol:
    """A protocol from text in memory; `origin` stands for the path in messages."""
    return _make(_c.protocol(origin, text))
