"""Tapes: recordings of play that are replayed and verified.

    env = sixer.tapes.record(sixer.make("duskrain"), "play.tape", by="my agent")
    obs, info = env.reset(seed=1)
    for _ in range(100):
        env.step(env.action_space.sample())
    env.close()

    tape = sixer.tapes.Tape("play.tape")
    for event in tape.replay():
        print(event.second, event.action, event.result)

A tape has every action and, for each second of play, a digest of screen, memory and rewards, which a replay must
reproduce (docs/tapes.md). `sixer replay` makes films and datasets of tapes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sixer import _sixer
from sixer._wrappers import Wrapper
from sixer.env import Env, Switch
from sixer.vector import open_rom


class Result(NamedTuple):
    """What a step led to, before any clipping."""

    reward: int
    lives: int
    terminated: bool
    truncated: bool
    #: why the episode ended (`sixer.vector.ENDS`); None while it goes on
    end: str | None
    #: the action in effect on the last frame
    executed: int
    frames: int


class Event(NamedTuple):
    """Something that happened on a tape. Actions are codes of the joystick's 18 positions (`sixer.ale.Action`)."""

    kind: Literal["step", "reset", "state"]
    second: int
    action: int
    strength: float
    other: int
    other_strength: float
    switches: Switch
    #: frames after which the step was cut off, because the episode of a vector or of `sixer.make` ended; 0: it was not
    cut: int
    #: of a reset: mode, difficulty, first level and how many levels, from here on; -1 is the game's default mode
    flavor: tuple[int, int, int, int]
    #: of a step in a replay
    result: Result | None


_KINDS: tuple[Literal["step", "reset", "state"], ...] = ("step", "step", "reset", "state")


def _event(raw: _sixer.TapeEvent) -> Event:
    kind, second, (action, other, strength, other_strength, switches, cut), result, flavor = raw
    found = None if result is None else Result(*result)
    return Event(_KINDS[kind], second, action, strength, other, other_strength, Switch(switches), cut, flavor, found)


class Tape:
    """A tape that is read from a file.

    A tape that is damaged or was not closed can be read up to its last whole second: `damage` says so, and events()
    and replay() raise a ValueError there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._tape = _sixer.Tape(path)
        self._playing = False
        about = self._tape.describe()
        self.path = os.fsdecode(path)
        #: id of the game whose rules applied; None if there was none
        self.game: str | None = about["game"]
        #: MD5 of the image
        self.md5: str = about["md5"]
        #: who played
        self.by: str = about["by"]
        #: version and behavior number of the sixer that recorded
        self.version: str = about["version"]
        self.behavior: int = about["behavior"]
        #: the settings of the recorded environment, with the names of sixer_config in C
        self.settings: dict[str, Any] = about["settings"]
        self.seconds: int = about["seconds"]
        self.steps: int = about["steps"]
        self.resets: int = about["resets"]
        #: states were loaded on the way: the tape is not one line of play
        self.jumps: bool = about["jumps"]
        #: it was closed properly
        self.complete: bool = about["complete"]
        #: why only `seconds` can be read; None if the tape is whole
        self.damage: str | None = about["damage"]

    def events(self) -> Iterator[Event]:
        """Read the events without playing them. No image is needed."""
        self._tape.start(None)
        self._playing = False
        return self._all()

    def replay(self, rom: str | os.PathLike[str] | None = None) -> Iterator[Event]:
        """Play the tape, and give each event after it was played.

        In the loop picture(), ram() and state() show the console. Where a second does not reproduce its digest, a
        ValueError names it.

        Args:
            rom: the path of the image, if it is not found by the tape's game.
        """
        if rom is None and self.game is None:
            raise ValueError(f"{self.path}: played on an image without rules, MD5 {self.md5}: name its file with rom=")
        self._tape.start(open_rom(rom if rom is not None else self.game or ""))
        self._playing = True
        return self._all()

    def _all(self) -> Iterator[Event]:
        while (raw := self._tape.next()) is not None:
            yield _event(raw)

    def verify(self, rom: str | os.PathLike[str] | None = None) -> int:
        """Play the whole tape, and return the sum of its rewards. A ValueError if a second differs, or is damaged."""
        return sum(event.result.reward for event in self.replay(rom) if event.result is not None)

    def picture(self) -> npt.NDArray[np.uint8]:
        """The screen of a replay in colors, (height, 160, 3)."""
        array = np.empty((self._tape.height(), 160, 3), np.uint8)
        self._tape.look(0, array)
        return array

    def ram(self) -> npt.NDArray[np.uint8]:
        """The 128 bytes of memory of a replay."""
        array = np.empty(128, np.uint8)
        self._tape.look(1, array)
        return array

    def state(self, *, luck: bool = True) -> bytes:
        """The state of a replay, for Env.restore(): to start an episode from a moment on the tape."""
        return self._tape.state(int(bool(luck)))

    def repair(self, path: str | os.PathLike[str]) -> None:
        """Write a whole tape of the part that is not damaged. An existing file is replaced."""
        self._tape.repair(path)

    def __repr__(self) -> str:
        return f"<sixer.tapes.Tape {self.path}: {self.game}, {self.steps} steps>"


class Recorded(Wrapper):
    """An environment that is recorded; `record` makes it."""

    def __init__(self, env: Env, path: str | os.PathLike[str], by: str) -> None:
        super().__init__(env)
        self._inner = env
        self._path: str | os.PathLike[str] | None = path
        self._by = by
        if env.was_reset:
            self._begin()

    def _begin(self) -> None:
        if self._path is not None:
            self._inner.start_tape(self._path, self._by)
            self._path = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode. The tape begins with the first."""
        result = self._inner.reset(seed=seed, options=options)
        self._begin()
        return result

    def step(self, action: int, *more: Any, **inputs: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        return self._inner.step(action, *more, **inputs)

    def end_tape(self) -> None:
        """End the tape; the environment can be used on. An OSError if the tape could not be written."""
        self._path = None
        self._inner.end_tape()

    def close(self) -> None:
        """End the tape and close the environment. An OSError if the tape could not be written."""
        try:
            self.end_tape()
        finally:
            self._inner.close()

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, *error: Any) -> Literal[False]:
        self.close()
        return False


def record(env: Env, path: str | os.PathLike[str], *, by: str = "") -> Recorded:
    """Record what an environment does on a tape.

    Args:
        env: what `sixer.make` returned. Other wrappers go around the result. For vectors there is Vector.start_tape().
        path: a new file. An existing one is a FileExistsError.
        by: who plays, in one line.

    Returns:
        The environment, in a wrapper whose close() ends the tape.
    """
    if not isinstance(env, Env):
        raise TypeError(
            f"record() takes what sixer.make returned, not {type(env).__name__}; "
            "put other wrappers around the result, and use start_tape() of a vector"
        )
    refuse_existing(path)
    return Recorded(env, path, by)


def refuse_existing(path: str | os.PathLike[str]) -> None:
    """Tapes are not overwritten: raise a FileExistsError if there is a file."""
    if os.path.lexists(path):
        name = os.fsdecode(path)
        raise FileExistsError(f"{name} is there already, and tapes are not overwritten: choose another name")
