"""Agents that play and learn, and training runs with checkpoints.

import sixer.agents

agent = sixer.agents.Agent("sarsa", "duskrain", preset="machado2018", sticky=0.25)
score = agent.play(learn=True)                       # one episode

result = sixer.agents.train("sarsa", "duskrain", preset="machado2018", frames=50_000, path="runs/duskrain-1")
print(result.mean, result.scores)

model = sixer.agents.load_model("runs/duskrain-1.checkpoint")
print(model.play())                                  # one episode by the trained agent
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixer import _sixer
from sixer.vector import open_rom

__all__ = [
    "Agent",
    "Progress",
    "Score",
    "Step",
    "Training",
    "agents",
    "export_network",
    "import_network",
    "load_model",
    "model_info",
    "presets",
    "train",
]


class Step(NamedTuple):
    """The result of a step."""

    reward: int
    over: bool
    terminal: bool
    lives: int
    frames: int
    executed: int


class Score(NamedTuple):
    """A score by the protocol's rule: after so many frames (or episodes) of training, the mean of so many episodes."""

    at: int
    score: float
    episodes: int


@dataclass(frozen=True)
class Progress:
    """How far a run is. `mean` is that of the last 100 episodes of training, nan before the first has ended."""

    frames: int
    steps: int
    episodes: int
    share: float
    mean: float
    averaged: int
    best: float
    last: float
    trained: bool
    finished: bool
    evaluated: int
    evaluation_mean: float
    scores: tuple[Score, ...] = ()


def agents() -> dict[str, dict[str, str]]:
    """The agents by name, each with its options and their defaults."""
    return {name: dict(options) for name, _, options in _sixer.agents()}


def presets(agent: str) -> dict[str, str]:
    """The presets of an agent by name, each with the options that it stands for."""
    return {name: options for name, options, _ in _sixer.presets(agent)}


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _options(preset: str | None, options: dict[str, Any]) -> str:
    named = ([("preset", preset)] if preset is not None else []) + list(options.items())
    for name, value in named:
        if "," in _text(value):
            raise ValueError(f"option {name} is one value without commas, found {_text(value)!r}")
    return ",".join(f"{name}={_text(value)}" for name, value in named)


def _rom(game: Any) -> _sixer.Rom:
    return game if isinstance(game, _sixer.Rom) else open_rom(game)


def _settings(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


class Agent:
    """An agent with its own environment. `game` is an id, or the path of an image. Further keywords are options of the
    agent.

    The loop is: act, step, learn (if it is to learn); reset when the episode is over. `play` runs it for one episode.
    """

    def __init__(
        self,
        name: str,
        game: Any,
        *,
        seed: int = 1,
        preset: str | None = None,
        sticky: float = 0.0,
        frame_skip: int = 5,
        mode: int | None = None,
        difficulty: int = 0,
        max_frames: int = 18000,
        minimal: bool = False,
        **options: Any,
    ) -> None:
        self._rom = _rom(game)
        self._make(
            name=name,
            options=_options(preset, options),
            model="",
            seed=seed,
            sticky=sticky,
            frame_skip=frame_skip,
            mode=-1 if mode is None else mode,
            difficulty=difficulty,
            max_frames=max_frames,
            minimal=minimal,
        )

    def _make(self, **settings: Any) -> None:
        if not 0 <= settings["seed"] < 2**32:
            raise ValueError(f"seed is 0 to 4294967295, found {settings['seed']}")
        self._agent = _sixer.Agent(rom=self._rom, **settings)

    @classmethod
    def _from_model(cls, path: str | os.PathLike[str], game: Any, seed: int) -> Agent:
        self = cls.__new__(cls)
        self._rom = _rom(model_info(path)[0]["game"] if game is None else game)
        self._make(
            name="",
            options="",
            model=path,
            seed=seed,
            sticky=0.0,
            frame_skip=1,
            mode=-1,
            difficulty=0,
            max_frames=0,
            minimal=False,
        )
        return self

    def act(self) -> int:
        """The action that the agent chooses. Neither the agent nor the game changes."""
        return self._agent.act()

    def step(self, action: int) -> Step:
        """Play an action."""
        return Step(*self._agent.step(action))

    def learn(self) -> None:
        """Learn from the last step. Agents that do not learn ignore this."""
        self._agent.learn()

    def reset(self) -> None:
        """Begin a new episode; what was learned stays."""
        self._agent.reset()

    def play(self, *, learn: bool = False) -> int:
        """Play the episode to its end, start the next one, and return the score of the one that ended."""
        over = bool(self._agent.status()["over"])
        while not over:
            over = self.step(self.act()).over
            if learn:
                self.learn()
        score = int(self._agent.status()["score"])
        self.reset()
        return score

    def save(self) -> tuple[bytes, bytes]:
        """Save game and agent as bytes, at any point of an episode."""
        return self._agent.save()

    def load(self, saved: tuple[bytes, bytes]) -> None:
        """Load what `save` returned. Name, options and game of the agent must be the same."""
        if not isinstance(saved, tuple) or len(saved) != 2:
            raise TypeError(f"load() takes the pair of bytes that save() returned, found {type(saved).__name__}")
        self._agent.load(*saved)

    @property
    def settings(self) -> dict[str, str]:
        """All options with their values."""
        text = self._agent.settings()
        return dict(item.split("=", 1) for item in text.split(",")) if text else {}

    @property
    def status(self) -> dict[str, Any]:
        """Score, frames and lives of the episode, and how much was learned."""
        return self._agent.status()

    def look(self) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """What a learner predicts here, a value for each of `actions`, and what its network sees: frames by rows by
        columns, oldest first. A linear learner has no network: the array of frames is empty."""
        values, pixels, *shape = self._agent.look()
        return np.array(values), np.frombuffer(pixels, np.uint8).reshape(shape)

    def distribution(self) -> tuple[str, NDArray[np.float32], NDArray[np.float32]]:
        """The distribution of the return that the network predicts here: ("atoms", values, probabilities) for c51,
        rainbow and der, ("quantiles", probabilities, values) for iqn and rainbow-iqn, with one row per action, or
        ("none", ...) with empty arrays if it predicts values only."""
        kind, at, numbers, points = self._agent.distribution()
        rows = np.frombuffer(numbers, np.float32).reshape(len(self.actions), points)
        return kind, np.frombuffer(at, np.float32), rows

    def saliency(self, cells: int = 12) -> NDArray[np.float32]:
        """How much the predicted values change if a spot of the frames is blurred: cells x cells numbers, half the sum
        of the squared changes of all values (Greydanus et al. 2018). One pass of the network for each."""
        return np.frombuffer(self._agent.saliency(cells), np.float32).reshape(cells, cells)

    @property
    def actions(self) -> list[int]:
        """The actions that the agent chooses from."""
        return self._agent.actions()

    def screen(self) -> NDArray[np.uint8]:
        """The screen in palette bytes, rows by columns."""
        array = np.empty((self._rom.describe()["height"], 160), np.uint8)
        self._agent.screen(array)
        return array


class Training:
    """A training run: the same as `sixer train` does, with the same files and the same bytes.

    `path` begins the names of its files (runs/pong-1 gives runs/pong-1.checkpoint and so on); without it nothing is
    written. With `resume` it goes on from the last checkpoint, or from the start if there is none. A run that is there
    already is not replaced without `force`. `threads` is how many an agent with a network may use; results do not
    depend on it.
    """

    def __init__(
        self,
        agent: str,
        game: Any,
        *,
        preset: str | None = None,
        protocol: str | os.PathLike[str] = "machado2018",
        seed: int = 1,
        frames: int = 0,
        episodes: int = 0,
        evaluation: int | None = None,
        mode: int | None = None,
        difficulty: int = 0,
        level: int | None = None,
        levels: int = 1,
        path: str | os.PathLike[str] | None = None,
        resume: bool = False,
        force: bool = False,
        label: str | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        if path is not None and not resume and not force:
            for name in (f"{os.fsdecode(path)}.{ending}" for ending in ("checkpoint", "episodes.tsv")):
                if os.path.lexists(name):
                    raise FileExistsError(
                        f"{name} exists already: resume=True continues the run, force=True replaces it, and another "
                        "path keeps both"
                    )
        if not 1 <= seed < 2**31:
            raise ValueError(f"seed is 1 to 2147483647, found {seed}")
        self._train = _sixer.Training(
            rom=_rom(game),
            agent=agent,
            options=_options(preset, options),
            label=agent if label is None else label,
            protocol=os.fspath(protocol),
            seed=seed,
            mode=-1 if mode is None else mode,
            difficulty=difficulty,
            level=-1 if level is None else level,
            levels=levels,
            frames=frames,
            episodes=episodes,
            evaluation=-1 if evaluation is None else evaluation,
            path="" if path is None else path,
            resume=resume,
            threads=threads,
        )

    def run(self, steps: int) -> Progress:
        """Go on for at most so many decisions."""
        self._train.run(steps)
        return self.progress

    def save(self) -> None:
        """Write a checkpoint."""
        self._train.save()

    @property
    def progress(self) -> Progress:
        return Progress(**self._train.progress(), scores=tuple(Score(*row) for row in self._train.scores()))

    @property
    def settings(self) -> dict[str, str]:
        """All settings that the result depends on."""
        return _settings(self._train.settings())


def train(
    agent: str,
    game: Any,
    *,
    callback: Callable[[Progress], object] | None = None,
    every: int = 20_000,
    **settings: Any,
) -> Progress:
    """Train to the end. `callback` is called after every so many decisions; if it returns False the run is saved and
    stopped. Other keywords are those of `Training`."""
    training = Training(agent, game, **settings)
    progress = training.progress
    while not progress.finished:
        progress = training.run(every)
        if callback is not None and callback(progress) is False:
            training.save()
            break
    return progress


def model_info(path: str | os.PathLike[str]) -> tuple[dict[str, str], Progress]:
    """The settings of a checkpoint and how far its training was."""
    text, progress = _sixer.model(path)
    return _settings(text), Progress(**progress)


def export_network(path: str | os.PathLike[str], output: str | os.PathLike[str]) -> None:
    """Write the network of a checkpoint with PyTorch's names and shapes: in the safetensors format if the name ends in
    .safetensors, else as a NumPy file (.npz)."""
    _sixer.model_network(path, None, output)


def import_network(
    path: str | os.PathLike[str], weights: str | os.PathLike[str], output: str | os.PathLike[str]
) -> None:
    """Copy a checkpoint to `output` with the network of such a file."""
    _sixer.model_network(path, weights, output)


def load_model(path: str | os.PathLike[str], game: Any = None, *, seed: int = 1) -> Agent:
    """The agent of a checkpoint with what it has learned, at a game like that of its training."""
    return Agent._from_model(path, game, seed)
