"""One environment: `sixer.make`."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from sixer import _sixer
from sixer._gymnasium import Env as _Base
from sixer._gymnasium import spaces
from sixer.vector import OBJECT_COLUMNS, OBJECTS_MAX, open_rom, settings

Array = npt.NDArray[np.uint8]


def make(
    game: str | os.PathLike[str],
    *,
    mode: int | None = None,
    difficulty: int = 0,
    stack: int | None = 4,
    render_mode: Literal["rgb_array"] | None = None,
    **common: Any,
) -> Env:
    """Make an environment.

    Args:
        game: id of a game, such as "ms_pacman", or the path of a cartridge image.
        mode: mode of the game; its default if None.
        difficulty: difficulty switches.
        stack: pictures in an observation; None for one, without an axis for the stack.
        render_mode: "rgb_array" if render() will be called.
        **common: see `sixer.vector.settings`: obs, size, pool, frame_skip, sticky, full_actions, noop_max, ...
    """
    return Env(game, mode=mode, difficulty=difficulty, stack=stack, render_mode=render_mode, **common)


class Env(_Base):  # type: ignore[misc]
    """One game. Where Gymnasium is installed, this is a gymnasium.Env.

    `info` of a step: lives; frames and episode_frames so far; executed, the action that reached the game in the last
    frame (sticky actions may repeat the previous one); level of the episode, in games that have levels; raw_reward,
    before any clipping; end, why the episode ended (ENDS) or None.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 15}
    game: str = ""
    _vec: _sixer.Vec = None  # type: ignore[assignment]  # until __init__ is through

    def __init__(
        self,
        game: str | os.PathLike[str],
        *,
        mode: int | None = None,
        difficulty: int = 0,
        stack: int | None = 4,
        render_mode: Literal["rgb_array"] | None = None,
        **common: Any,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}; it can be 'rgb_array' or None")
        self._arguments = {"mode": mode, "difficulty": difficulty, "stack": stack, "render_mode": render_mode, **common}
        #: The game, as it was asked for.
        self.game = os.fsdecode(game)
        self.render_mode = render_mode
        rom = open_rom(game)
        config = settings(stack=1 if stack is None else stack, **common)
        self._vec = _sixer.Vec(((rom, mode, difficulty),), threads=1, autoreset="off", **config)
        shape = tuple(self._vec.describe()["shape"])
        #: The shape of an observation.
        self.obs_shape: tuple[int, ...] = shape[1:] if stack is None else shape
        self._height: int = self._vec.height(0)
        self._one = self._vec.one
        self._objects: bool = config["objects"]
        self._reset_once = False
        if spaces is not None:
            self.observation_space = spaces.Box(0, 255, self.obs_shape, np.uint8)
            self.action_space = spaces.Discrete(len(self._vec.actions(0)))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start an episode; with a seed (0 to 2**32 - 1), on a new console."""
        if spaces is not None:
            super().reset(seed=seed, options=options)
        if seed is None and not self._reset_once:
            seed = int.from_bytes(os.urandom(4), "little")
        elif seed is not None and not 0 <= seed < 2**32:
            raise ValueError(f"seed is {seed}; it must be between 0 and {2**32 - 1}")
        obs = np.empty(self.obs_shape, np.uint8)
        _, _, _, info = self._one(None, -1 if seed is None else seed, obs)
        if self._objects:
            info["objects"] = self.objects()
        self._reset_once = True
        return obs, info

    def step(self, action: int, strength: float = 1.0) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play an action: observation, reward, terminated, truncated, info.

        Args:
            action: index of an action; action_meanings() names them.
            strength: how far a paddle is turned, 0 to 1.
        """
        obs = np.empty(self.obs_shape, np.uint8)
        reward, terminated, truncated, info = self._one(action, strength, obs)
        if self._objects:
            info["objects"] = self.objects()
        return obs, reward, terminated, truncated, info

    def step_into(self, action: int, obs: Array, strength: float = 1.0) -> tuple[float, bool, bool, dict[str, Any]]:
        """Play an action and write the observation to an array of the caller's: reward, terminated, truncated, info."""
        if obs.shape != self.obs_shape:
            raise ValueError(f"obs must have shape {self.obs_shape}, not {obs.shape}")
        return self._one(action, strength, obs)

    def render(self) -> Array | None:
        """The screen in colors, (height, 160, 3); None without a render_mode."""
        return None if self.render_mode is None else self.picture()

    def picture(self) -> Array:
        """The screen in colors, (height, 160, 3)."""
        array = np.empty((self._height, 160, 3), np.uint8)
        self._vec.rgb(0, array)
        return array

    def ram(self) -> Array:
        """The console's 128 bytes of memory."""
        array = np.empty(128, np.uint8)
        self._vec.ram(0, array)
        return array

    def objects(self) -> npt.NDArray[np.int16]:
        """The objects of the last frame, a row each: kind, x, y, width, height, color (vector.OBJECT_COLUMNS).

        This needs the setting objects=True.
        """
        array = np.empty((OBJECTS_MAX, len(OBJECT_COLUMNS)), np.int16)
        (count,) = self._vec.objects(0, array)
        return array[:count]

    def save(self, *, luck: bool = True) -> bytes:
        """Save the state as bytes. With `luck`, the random generators too: the same actions then have the same
        results."""
        return self._vec.save(_FIRST, int(bool(luck)))[0]

    def restore(self, state: bytes) -> tuple[Array, dict[str, Any]]:
        """Load a state that was saved by this or another environment with the same game and observations.

        Returns:
            The observation and info of that state.
        """
        self._vec.load(_FIRST, [state])
        self._reset_once = True
        return self.observe()

    def observe(self) -> tuple[Array, dict[str, Any]]:
        """The current observation and info."""
        obs = np.empty(self.obs_shape, np.uint8)
        self._vec.observe(None, (obs, *[None] * 12))
        status = self._vec.status(0)
        info = {name: status[name] for name in ("lives", "frames", "episode_frames", "executed", "level")}
        return obs, {**info, "raw_reward": 0, "end": _sixer.ENDS[status["end"]]}

    def branch(self, *, luck: bool = True) -> Env:
        """A new environment that starts from the current state."""
        twin = Env(self.game, **self._arguments)
        twin.restore(self.save(luck=luck))
        return twin

    def action_meanings(self) -> list[str]:
        """What the action indices mean."""
        from sixer.ale.interface import Action

        names = [action.name for action in Action]
        return [names[code] for code in self._vec.actions(0)]

    get_action_meanings = action_meanings

    @property
    def score(self) -> int:
        """The sum of the rewards of this episode, before any clipping."""
        return int(self._vec.status(0)["score"])

    def close(self) -> None:
        """Free the environment. Later calls are errors, but another close()."""
        if self._vec is not None:
            self._vec.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sixer.Env {self.game}>"

    def __str__(self) -> str:
        return repr(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "arguments": self._arguments, "state": self.save() if self._reset_once else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["game"], **state["arguments"])  # type: ignore[misc]
        if state["state"] is not None:
            self.restore(state["state"])


_FIRST = np.zeros(1, np.int32)
