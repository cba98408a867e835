"""Scores of episodes as rows of a file that `sixer eval` and `sixer.eval.read_results` read.

    env = sixer.record(sixer.make("pong", protocol="saber"), "scores.tsv", agent="mine", run=1)

The recorder goes directly around the environment; other wrappers go around the recorder. A row is written at the end of
every episode: the scores after each limit of the protocol, its frames, the reason of its end, mode, difficulty and
level, and how it was made: protocol with hash, MD5 of the image, seed, versions.

A row has the protocol's hash only if the episode was played under it from its reset to its end. Otherwise its
protocol is `unstated-protocol`: environments without protocol, episodes that were changed by set_ram() or restore(),
and episodes that a reset broke off. Such rows are read, with the warning of that name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from sixer import _sixer
from sixer._wrappers import VectorWrapper, Wrapper
from sixer.env import Env
from sixer.vector import ENDS, Vector

UNSTATED = "unstated-protocol"

#: Why an episode ended, in the words of `sixer train`; "abandoned" is ours alone.
_ENDS = {"game_over": "game over", "life_lost": "life", "frame_limit": "frame limit"}

#: What SABER keeps: the scores after 5 minutes, after 30, and at the end.
_LIMITS = (18_000, 108_000, 0)


class _Rows:
    """The file and what is the same in all rows."""

    def __init__(
        self, path: str | os.PathLike[str], env: Any, agent: str, run: int, settings: str, limits: Sequence[int]
    ) -> None:
        for name, text in (("agent", agent), ("settings", settings)):
            if any(mark in text for mark in "\t\r\n\"'") or (name == "agent" and not text.strip()):
                raise ValueError(f"{name} is {text!r}; it must be a text without tabs, line ends and quotes")
        self.protocol = None if env.protocol is None else str(env.protocol)
        self.limits = list(env.protocol.limits if env.protocol is not None else limits)
        self._start = f"{agent}\t%s\t{run}"
        self._end = f"{_sixer.VERSION}\t{_sixer.BEHAVIOR}\t{settings or 'python'}"
        self.episodes: dict[str, int] = {}
        self.frames: dict[str, int] = {}
        self._columns = [k for k, limit in enumerate(self.limits) if limit and len(self.limits) > 1]
        scores = [f"score_{self.limits[k]}" for k in self._columns] + ["score"]
        heads = ["agent", "game", "run", "episode", "frames", *scores, "steps", "total_frames", "end", "mode"]
        heads += ["difficulty", "level", "protocol", "rom", "version", "behavior", "settings", "reset_seed"]
        line = "\t".join(heads) + "\n"
        self._file = open(path, "a+", encoding="utf-8", newline="\n")
        self._file.seek(0)
        first = self._file.readline()
        if not first:
            self._file.write(line)
            self._file.flush()
        elif first != line:
            self._file.close()
            raise ValueError(
                f"{os.fsdecode(path)!r} has other columns than these rows; write to a file of their own "
                f"(found {first.strip()[:80]!r})"
            )
        else:
            self._resume(os.fsdecode(path), heads)

    def _resume(self, path: str, heads: list[str]) -> None:
        """Go on counting after the rows of the same run."""
        columns = {name: heads.index(name) for name in ("agent", "game", "run", "episode", "total_frames")}
        text = self._file.read()
        if text and not text.endswith("\n"):
            self._file.close()
            raise ValueError(f"{path!r} breaks off in its last line; remove that line to go on")
        for line in text.splitlines():
            row = line.split("\t")
            game = row[columns["game"]]
            if f"{row[columns['agent']]}\t{game}\t{row[columns['run']]}" == self._start % game:
                self.episodes[game] = int(row[columns["episode"]])
                self.frames[game] = int(row[columns["total_frames"]])

    def write(
        self, about: dict[str, Any], frames: int, steps: int, scores: Any, end: str, stated: bool, seed: int | None
    ) -> None:
        """Write the row of an episode."""
        game = about["game"]
        self.episodes[game] = self.episodes.get(game, 0) + 1
        self.frames[game] = self.frames.get(game, 0) + frames
        # the column `score` is that of the last limit, which has a column of its own too if it is not the end
        values = [f"{scores[k]:.17g}" for k in self._columns]
        row = [self._start % game, self.episodes[game], frames, *values, f"{scores[-1]:.17g}", steps, self.frames[game]]
        row += [
            _ENDS.get(end, end),
            about["mode"],
            about["difficulty"],
            about["level"],
            self.protocol if stated else UNSTATED,
        ]
        row += [about["rom"], self._end, "" if seed is None else seed]
        self._file.write("\t".join(map(str, row)) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Recorder(Wrapper):
    """One environment whose episodes are written to a file; `record` makes it."""

    def __init__(self, env: Env, path: Any, agent: str, run: int, settings: str, limits: Sequence[int]) -> None:
        super().__init__(env)
        self._inner = env
        self._rows = _Rows(path, env, agent, run, settings, limits)
        self._seed: int | None = None
        self._begin()

    def _begin(self) -> None:
        self._steps = self._frames = 0
        self._scores = np.zeros(len(self._rows.limits))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode. One that was not at its end leaves a row with the end "abandoned" and without protocol."""
        goes_on = self._inner.goes_on(seed, options)
        if self._steps and not goes_on:
            self._write("abandoned", False)
        result = self._inner.reset(seed=seed, options=options)
        if seed is not None:
            self._seed = seed
        if not goes_on:
            self._begin()
        return result

    def step(self, action: Any, *more: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        result = self._inner.step(action, *more)
        info = result[4]
        self._steps += 1
        self._frames = int(info["episode_frames"])
        for k, limit in enumerate(self._rows.limits):
            if not limit or self._frames <= limit:
                self._scores[k] += info["raw_reward"]
        if info["end"] is not None:
            self._write(info["end"], self._inner.follows_protocol)
            self._begin()
        return result

    def _write(self, end: str, stated: bool) -> None:
        self._rows.write(self._inner.about(), self._frames, self._steps, self._scores, end, stated, self._seed)

    def close(self) -> None:
        """Close environment and file. An episode that is not at its end leaves no row."""
        self._rows.close()
        self._inner.close()


class VectorRecorder(VectorWrapper):
    """Many environments whose episodes are written to one file, as one run; `record` makes it."""

    def __init__(self, env: Vector, path: Any, agent: str, run: int, settings: str, limits: Sequence[int]) -> None:
        super().__init__(env)
        self._inner = env
        if env.autoreset != "next":
            raise ValueError(f"a recorded vector needs autoreset 'next', not {env.autoreset!r}")
        self._rows = _Rows(path, env, agent, run, settings, limits)
        count = env.num_envs
        self._limits = np.array([limit or np.iinfo(np.int64).max for limit in self._rows.limits])
        self._scores = np.zeros((len(self._limits), count))
        self._frames = np.zeros(count, np.int64)
        self._steps = np.zeros(count, np.int64)
        self._seeds: list[int | None] = [None] * count
        self._ended = np.zeros(count, np.bool_)  # their next step is a reset

    def reset(self, *, seed: Any = None, mask: Any = None, **more: Any) -> tuple[Any, dict[str, Any]]:
        """Start episodes. Those that were not at their end leave a row with the end "abandoned"."""
        chosen = np.ones(self._inner.num_envs, np.bool_) if mask is None else np.asarray(mask, np.bool_)
        for i in np.flatnonzero(chosen & (self._steps > 0)):
            self._write(int(i), "abandoned", False)
        result = self._inner.reset(seed=seed, mask=mask, **more)
        if seed is not None:
            whole = isinstance(seed, (int, np.integer))
            seeds = [int(seed) + i for i in range(self._inner.num_envs)] if whole else list(seed)
            self._seeds = [new if new is not None else old for new, old in zip(seeds, self._seeds, strict=True)]
        self._begin(chosen)
        self._ended[chosen] = False
        return result

    def _begin(self, chosen: Any) -> None:
        self._scores[:, chosen] = 0
        self._frames[chosen] = self._steps[chosen] = 0

    def step(self, actions: Any, **more: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every environment."""
        env = self._inner
        touched = env._touched.copy()
        result = env.step(actions, **more)
        info = result[4]
        playing = ~self._ended  # the others were reset by this step
        over = (info["end"] > 0) & playing
        frames = np.asarray(info["episode_frames"], np.int64)
        self._steps[playing] += 1
        self._frames[playing] = frames[playing]
        within = (frames <= self._limits[:, None]) & playing
        self._scores += np.where(within, np.asarray(info["raw_reward"], float), 0.0)
        for i in np.flatnonzero(over):
            self._write(int(i), str(ENDS[info["end"][i]]), env.protocol is not None and not touched[i])
        self._begin(over)
        env._touched[over] = False
        self._ended = over
        return result

    def _write(self, i: int, end: str, stated: bool) -> None:
        about = self._inner.about(i)
        self._rows.write(
            about, int(self._frames[i]), int(self._steps[i]), self._scores[:, i], end, stated, self._seeds[i]
        )

    def send(self, *arguments: Any, **more: Any) -> None:
        """Not recorded: steps of some environments have no order in which their episodes end."""
        raise NotImplementedError("a recorded vector is stepped as a whole: step() instead of send() and recv()")

    def close(self, **more: Any) -> None:
        """Close environments and file. Episodes that are not at their end leave no rows."""
        self._rows.close()
        self._inner.close(**more)


def record(
    env: Any,
    path: str | os.PathLike[str],
    *,
    agent: str,
    run: int = 1,
    settings: str = "",
    limits: Sequence[int] = _LIMITS,
) -> Any:
    """Write a row for every episode of an environment or a vector.

    Args:
        env: what `sixer.make` or `sixer.vector.make` returned. Wrappers go around the result.
        path: a TSV file; rows are added to it.
        agent: name of the agent in the rows.
        run: number of the run, such as its seed.
        settings: a text about the agent's settings, for the reader of the file.
        limits: frames of play after which scores are taken, 0 for the whole episode; only without a protocol, which
            has its own.
    """
    if list(limits) != sorted(set(limits), key=lambda limit: (limit == 0, limit)) or not limits or min(limits) < 0:
        raise ValueError(f"limits are {list(limits)}; they rise, with 0 for the whole episode last")
    if isinstance(env, Env):
        return Recorder(env, path, agent, run, settings, tuple(limits))
    if isinstance(env, Vector):
        return VectorRecorder(env, path, agent, run, settings, tuple(limits))
    inner = getattr(env, "unwrapped", None)
    if isinstance(inner, (Env, Vector)):
        raise TypeError(
            "a wrapper stands between the recorder and the environment, and could hide rewards and frames from it: "
            "record(sixer.make(...), ...) first, then wrap the result"
        )
    raise TypeError(f"record() takes what sixer.make or sixer.vector.make returned, not {type(env).__name__}")
