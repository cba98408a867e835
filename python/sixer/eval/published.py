"""Published results: the tables of the papers, which are part of the library, and also files of the package."""

from __future__ import annotations

import csv
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sixer._sixer import evaluation as _c


@dataclass(frozen=True, eq=False)
class Result:
    """One published result: the raw scores of an agent on many games."""

    id: str
    agent: str  #: as the source calls it
    source: str
    protocol: str | None  #: under which it was made; None if not known or mixed
    license: str  #: of the numbers: "MIT", "CC-BY-SA-4.0" or "facts" (transcribed from a paper)
    limit: int  #: frames of play that count; 0: all
    frames: int  #: of training; 0 if not known
    trials: int  #: over which deviations were taken; 0 if not known
    games: tuple[str, ...]
    means: npt.NDArray[np.float64]  #: infinite for play without end
    sds: npt.NDArray[np.float64]  #: NaN where not published

    def scores(self, games: Sequence[str] | None = None) -> npt.NDArray[np.float64]:
        """The scores of some games, in their order; a ValueError names those that were not published."""
        if games is None:
            return self.means
        place = {game: i for i, game in enumerate(self.games)}
        ids = game_ids(games)
        if lacking := [game for game in ids if game not in place]:
            raise ValueError(f"{self.id} was published without {', '.join(lacking)}")
        return self.means[[place[game] for game in ids]]


def _make(row: dict[str, Any]) -> Result:
    for name in ("means", "sds"):
        row[name] = np.frombuffer(row[name], np.float64)
    return Result(**row)


@functools.cache
def _all() -> dict[str, Result]:
    return {row["id"]: _make(row) for row in _c.published()}


def published_ids() -> tuple[str, ...]:
    """The ids of all published results, such as "saber/rainbow@30min"."""
    return tuple(_all())


def published(name: str, protocol: str | None = None) -> Result:
    """A published result by id, or by a short name such as "rainbow"; then the one of `protocol` is preferred.

    If several remain, the ValueError lists them.
    """
    found = _all().get(name)
    return found if found is not None else _make(_c.published_find(name, protocol))


def published_table(file: str) -> list[dict[str, str]]:
    """A table of data/published/ by its file name, such as "games.csv": a dict of texts for each row."""
    data = _c.published_file(file)
    if data is None:
        raise FileNotFoundError(f"there is no published table {file!r}; `sixer.eval.folder()` has them all")
    return list(csv.DictReader(data.decode().splitlines()))


def folder() -> Path:
    """Where the files are: protocols/, and data/published/ with its NOTICE of sources and licenses."""
    share = Path(__file__).resolve().parents[1] / "share"
    # a build folder links to the source tree, which has them at its root
    return share if share.is_dir() else Path(__file__).resolve().parents[3]


def game_ids(names: Sequence[str]) -> tuple[str, ...]:
    """The ids of games in any spelling of the papers or of Gymnasium ("Ms. Pac-Man", "ALE/MsPacman-v5").

    Unknown ones are a ValueError, and so is a game that is named twice.
    """
    if isinstance(names, str):
        raise TypeError("games are a sequence of names, not one name")
    ids = _c.published_games(list(names))
    if unknown := [name for name, found in zip(names, ids, strict=True) if found is None]:
        raise ValueError(f"there are no games {', '.join(map(repr, unknown))} in the published tables")
    if twice := sorted({found for found in ids if ids.count(found) > 1}):
        raise ValueError(f"named twice: {', '.join(twice)}")
    return tuple(ids)


def game_id(name: str) -> str:
    """The id of one game; see game_ids."""
    return game_ids([name])[0]
