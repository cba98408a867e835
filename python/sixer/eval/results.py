"""Result files and logs of training: the scores of agents under a protocol, checked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np

from sixer._sixer import evaluation as _c
from sixer.eval.protocols import Protocol, protocol as _protocol, protocols
from sixer.eval.statistics import Reals

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]


@dataclass(frozen=True, eq=False)
class Results:
    """Scores that were read from files."""

    protocol: Protocol
    agents: dict[str, dict[str, Reals]]  #: raw scores of the runs, by agent and game
    warnings: tuple[tuple[str, str], ...]  #: name and text of each; docs/evaluation.md lists the names

    def normalized(self, agent: str, by: str | None = None) -> dict[str, Reals]:
        """The runs of an agent, normalized with the protocol's constants. A game without any is a ValueError."""
        if agent not in self.agents:
            raise ValueError(f"there is no agent {agent!r}; there are {', '.join(map(repr, self.agents))}")
        games = self.agents[agent]
        return {game: self.protocol.normalize(runs[:, None], [game], by)[:, 0] for game, runs in games.items()}


def _list(paths: Paths) -> tuple[str, ...]:
    several: Sequence[Path] = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    texts = tuple(os.fspath(path) for path in several)
    for text in texts:
        if not isinstance(text, str) or "\0" in text:
            raise ValueError(f"{text!r} is not the path of a file")
    return texts


def _stated(wanted: list[tuple[str | None, tuple[str, ...]]]) -> str:
    """The protocol that the rows of files name, without its hash: each row is compared with it when it is read."""
    text: str = _c.find_protocol(wanted)
    if not text:
        raise ValueError("which protocol were the scores made under? The files do not name it: give its name")
    name = text.partition("#")[0]
    for found in (name, name.partition("@")[0]):
        try:
            _protocol(found)
        except (ValueError, OSError):
            continue
        return found
    raise ValueError(f"the rows were made under {text!r}, which is none of the protocols here; give its file")


def _wanted(
    files: Paths | Mapping[str, Paths], protocol: str | os.PathLike[str] | Protocol | None
) -> tuple[str, list[tuple[str | None, tuple[str, ...]]]]:
    """The name or path of the protocol, and the files of each agent."""
    if isinstance(protocol, Protocol):
        if protocol.name not in protocols():
            raise ValueError(f"{protocol.name} is not a built-in protocol; give the path of its file")
        protocol = protocol.name
    wanted: list[tuple[str | None, tuple[str, ...]]]
    if isinstance(files, Mapping):
        wanted = [(agent, _list(paths)) for agent, paths in files.items()]
    else:
        wanted = [(None, _list(files))]
        for path in wanted[0][1]:
            if not os.path.exists(path):
                raise FileNotFoundError(f"{path}: there is no such file")
    return _stated(wanted) if protocol is None else os.fspath(protocol), wanted


def read_results(
    files: Paths | Mapping[str, Paths],
    protocol: str | os.PathLike[str] | Protocol | None = None,
    *,
    checkpoint: int | None = None,
    limit: int | None = None,
    partial: bool = False,
    frames_per_step: int | None = None,
) -> Results:
    """Read the files that `sixer eval` reads, with the same checks, scores and warnings.

    Args:
        files: paths, whose agents are those that the files name, else the paths; or a dict from the names of agents to
            their files. In a dict, patterns such as "runs/*.csv" are expanded, the files of a name are the runs of that
            agent, and a folder is one run.
        protocol: a name, the path of a file, or one of the built-in protocols; None for the one that the rows name.
        checkpoint: frames of training (episodes for some protocols); None for the protocol's last.
        limit: frames of play that count, 0 for whole episodes; None for the protocol's last.
        partial: accept agents that lack games of the protocol.
        frames_per_step: for logs that count steps; None guesses by the id of the environment, with a warning.
    """
    name, wanted = _wanted(files, protocol)
    about = _protocol(name)
    for option, value in (("checkpoint", checkpoint), ("limit", limit), ("frames_per_step", frames_per_step)):
        if value is not None and not 0 <= value < 2**31:
            raise ValueError(f"{option} is {value}; it is a number of frames from 0 to {2**31 - 1}")
    agents, warnings = _c.read_results(
        None,
        name,
        wanted,
        -1 if checkpoint is None else checkpoint,
        -1 if limit is None else limit,
        partial,
        frames_per_step or 0,
    )
    scores = {agent: {game: np.frombuffer(runs, np.float64) for game, runs in games.items()} for agent, games in agents}
    return Results(about, scores, tuple(warnings))
