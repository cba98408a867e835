"""Many environments stepped together, of one game or of several.

    import numpy as np
    import sixer.vector

    envs = sixer.vector.make(["pong", "breakout"], n=64)
    obs, info = envs.reset(seed=1)
    obs, rewards, terminated, truncated, info = envs.step(np.zeros(64, int))

`save`, `restore` and `branch` work on any of the environments; `send` and `recv` step some of them without waiting;
with `obs=`, observations are written directly into an array of the caller.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from sixer import _images, _sixer
from sixer._gymnasium import VectorEnv, spaces
from sixer._pool import Pool

Array = npt.NDArray[Any]
Obs = Literal["gray", "rgb", "palette", "ram"]

#: Why an episode ended, by the numbers of info["end"].
ENDS: tuple[str | None, ...] = _sixer.ENDS

#: What the numbers of an object are. Its kind is 0 or 1 for a player, 2 or 3 for a missile, 4 for the ball; its box
#: is around what was lit, in pixels of the screen; its color is a palette number.
OBJECT_COLUMNS = ("kind", "x", "y", "width", "height", "color")
OBJECTS_MAX = 64


def open_rom(game: str | os.PathLike[str]) -> _sixer.Rom:
    """The image of a game by its id, or of a file by its path."""
    name = os.fsdecode(game)
    if os.path.exists(name):
        return _sixer.Rom(name)
    known = _images.games().get(name.removeprefix("sixer/"))
    if known and known.built_in:
        return _sixer.Rom(known.id)
    path = _images.find(name, known.md5s if known else ()) or _images.find(name)
    if path is None:
        raise _images.missing(name) if known else _images.unknown(name)
    return _sixer.Rom(path)


def settings(
    *,
    obs: Obs = "gray",
    size: tuple[int, int] | None = (84, 84),
    stack: int = 4,
    pool: Literal["max", "mean", "none"] = "max",
    frame_skip: int | tuple[int, int] = 4,
    sticky: float = 0.25,
    full_actions: bool = False,
    noop_max: int = 0,
    fire_start: bool = False,
    clip_rewards: bool = False,
    life_loss: Literal["ignore", "info", "end"] = "ignore",
    max_frames: int | None = 108_000,
    stuck_limit: int | None = None,
    random_action: float = 0.0,
    delay_max: int = 0,
    color_averaging: bool = False,
    objects: bool = False,
    level: int = 0,
    levels: int = 1,
    scoring: Literal["ale", "fixed"] = "ale",
    core: Literal["auto", "plain", "interp", "jit"] = "auto",
) -> dict[str, Any]:
    """Check the settings that all environments share and translate them to those of the C library.

    Args:
        obs: what observations are made of: "gray", "rgb", the console's own "palette" numbers, or its 128 bytes of
            "ram".
        size: (height, width) of a picture; None for the screen as it is. Palette pictures have no other size.
        stack: pictures in an observation, oldest first.
        pool: how the last two frames of a step become a picture: the brighter of both, their mean, or the last.
        frame_skip: frames per step; a pair (low, high) draws from low to high, both included, for each step.
        sticky: probability that a frame repeats the action before it (Machado et al. 2018).
        full_actions: all 18 actions, whatever the game, instead of those that matter in it.
        noop_max: an episode starts with a random number of frames of NOOP, less than this.
        fire_start: an episode starts with FIRE, if the game has that action.
        clip_rewards: rewards are clipped to -1..1; info["raw_reward"] has them before clipping.
        life_loss: what a lost life does: nothing, it is reported as a termination, or it ends the episode.
        max_frames: frames after which an episode is truncated; None for no limit.
        stuck_limit: frames without a reward after which it is truncated; None for no limit.
        random_action: probability that a step plays a random action instead.
        delay_max: an action takes effect after a delay of 0 to this many frames, drawn for each step.
        color_averaging: each frame is blended with the one before it.
        objects: info["objects"] has the boxes of the TIA's objects in the last frame, see OBJECT_COLUMNS.
        level: of games with levels, the first of those that are played.
        levels: how many of them; each episode draws one.
        scoring: rewards as ale-py pays them, or with the corrections of the game's definition.
        core: which implementation of the console runs; all give the same bytes.
    """
    low, high = frame_skip if isinstance(frame_skip, tuple) else (frame_skip, 0)
    if obs in ("ram", "palette"):
        size, pool = None, "none"
    height, width = size or (0, 0)
    return {
        "obs": obs,
        "height": height,
        "width": width,
        "stack": stack,
        "pool": pool,
        "frame_skip": low,
        "frame_skip_max": high,
        "sticky": sticky,
        "actions": "codes" if full_actions else "minimal",
        "noop_max": noop_max,
        "fire_start": fire_start,
        "clip_rewards": clip_rewards,
        "life_loss": "plain" if life_loss == "ignore" else life_loss,
        "max_frames": max_frames or 0,
        "stuck_limit": stuck_limit or 0,
        "random_action": random_action,
        "delay_max": delay_max,
        "color_averaging": color_averaging,
        "objects": objects,
        "level": level,
        "levels": levels,
        "scoring": scoring,
        "core": core,
    }


def make(
    games: str | Sequence[str | tuple[str, int | None, int]],
    n: int | None = None,
    *,
    threads: int = 0,
    autoreset: Literal["next", "same", "off"] = "next",
    **common: Any,
) -> Vector:
    """Make environments.

    Args:
        games: a game by its id or the path of its image, or several; (game, mode, difficulty) chooses a flavor, with
            None for the default mode.
        n: how many environments; several games take turns. None for one of each.
        threads: threads that run them, the caller's included; 0 for one per processor.
        autoreset: what follows the end of an episode: a reset by the "next" step, by the "same" one, or none.
        **common: see `settings`.
    """
    return Vector([games] if isinstance(games, str) else games, n, threads=threads, autoreset=autoreset, **common)


class Vector(VectorEnv):  # type: ignore[misc]
    """Environments stepped together. Where Gymnasium is installed, this is a gymnasium.vector.VectorEnv.

    Arrays that a call returns are never changed by a later one.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    games: list[str] = []
    num_envs: int = 0
    _vec: _sixer.Vec = None  # type: ignore[assignment]  # until __init__ is through

    def __init__(
        self,
        games: Sequence[str | tuple[str, int | None, int]],
        n: int | None = None,
        *,
        threads: int = 0,
        autoreset: Literal["next", "same", "off"] = "next",
        **common: Any,
    ) -> None:
        if not games:
            raise ValueError("no games; name at least one")
        if n is not None and n < 1:
            raise ValueError(f"{n} environments; at least 1")
        flavors = [(game, None, 0) if isinstance(game, (str, os.PathLike)) else game for game in games]
        opened: dict[str, _sixer.Rom] = {}
        for game, _, _ in flavors:
            if game not in opened:
                opened[game] = open_rom(game)
        count = len(flavors) if n is None else n
        chosen = [flavors[i % len(flavors)] for i in range(count)]
        if len(opened) > 1:
            common.setdefault("full_actions", True)  # so that a number means the same in every game
        config = settings(**common)
        config["seed"] = struct.unpack("I", os.urandom(4))[0]
        slots = tuple((opened[game], mode, difficulty) for game, mode, difficulty in chosen)
        self._objects: bool = config["objects"]
        self._vec = _sixer.Vec(slots, threads=threads, autoreset=autoreset, **config)
        #: The game of each environment.
        self.games = [game for game, _, _ in chosen]
        #: How many environments there are.
        self.num_envs = count
        self.autoreset = autoreset
        about = self._vec.describe()
        #: Threads that run them.
        self.threads: int = about["threads"]
        #: The shape of one environment's observation.
        self.obs_shape: tuple[int, ...] = tuple(about["shape"])
        self._action_counts = [len(self._vec.actions(env)) for env in range(count)]
        self._pool = Pool((count, *self.obs_shape))
        self._set_spaces()

    def _set_spaces(self) -> None:
        if spaces is None:
            return
        from gymnasium.vector import AutoresetMode

        modes = {"next": AutoresetMode.NEXT_STEP, "same": AutoresetMode.SAME_STEP, "off": AutoresetMode.DISABLED}
        self.metadata = {"render_modes": [], "autoreset_mode": modes[self.autoreset]}
        self.single_observation_space = spaces.Box(0, 255, self.obs_shape, np.uint8)
        self.observation_space = spaces.Box(0, 255, (self.num_envs, *self.obs_shape), np.uint8)
        self.single_action_space = spaces.Discrete(max(self._action_counts))
        self.action_space = spaces.MultiDiscrete(self._action_counts)

    def __repr__(self) -> str:
        games = sorted(set(self.games))
        return f"<{self.num_envs} environments of {', '.join(games[:3])}{', ...' if len(games) > 3 else ''}>"

    # ---- arrays ----------------------------------------------------------------------------------------------------

    def _columns(self, rows: int, obs: Array | None) -> tuple[Any, ...]:
        """Arrays for results, in the order of the extension."""
        if obs is None:
            obs = self._pool.take() if rows == self.num_envs else np.empty((rows, *self.obs_shape), np.uint8)
        elif not isinstance(obs, np.ndarray) or obs.shape != (rows, *self.obs_shape):
            found = obs.shape if isinstance(obs, np.ndarray) else type(obs)
            raise ValueError(f"obs must be an array of shape {(rows, *self.obs_shape)}, not {found}")
        final = np.zeros((rows, *self.obs_shape), np.uint8) if self.autoreset == "same" else None
        numbers = np.empty((7, rows), np.int32)
        rewards, raw, env_ids, lives, episode_frames, executed, levels = numbers
        flags = np.empty((2, rows), np.bool_)
        ends, frames = np.empty(rows, np.uint8), np.empty(rows, np.int64)
        places = (obs, final, rewards, raw, flags[0], flags[1], ends, env_ids, lives, frames, episode_frames)
        return (*places, executed, levels)

    def _info(self, out: tuple[Any, ...], stepped: bool = False) -> dict[str, Array]:
        info = {
            "lives": out[8],
            "frames": out[9],
            "episode_frames": out[10],
            "executed": out[11],
            "level": out[12],
            "raw_reward": out[3],
            "end": out[6],
            "env_id": out[7],
        }
        if self._objects:
            info["objects"] = self.objects()[out[7]]
        if stepped and out[1] is not None and (out[4] | out[5]).any():
            info["final_obs"] = out[1]
        return info

    def _ids(self, envs: int | Sequence[int] | Array | None) -> Array:
        if envs is None:
            return np.arange(self.num_envs, dtype=np.int32)
        ids = np.atleast_1d(np.asarray(envs))
        if ids.size and (ids.dtype.kind not in "iu" or ids.ndim != 1):
            raise TypeError(f"environments are named by integers, not {envs!r}")
        if ids.size and not (0 <= ids.min() and ids.max() < self.num_envs):
            raise IndexError(f"there is no such environment in {ids.tolist()}; they are 0 to {self.num_envs - 1}")
        return ids.astype(np.int32)

    @staticmethod
    def _actions(actions: Sequence[int] | Array, count: int) -> Array:
        array = np.asarray(actions)
        if array.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, not {array.dtype}")
        if array.shape != (count,):
            raise ValueError(f"actions must have shape ({count},), not {array.shape}")
        return np.ascontiguousarray(array, np.int32)

    @staticmethod
    def _strengths(strengths: Sequence[float] | Array | None, count: int) -> Array | None:
        if strengths is None:
            return None
        array = np.ascontiguousarray(strengths, np.float32)
        if array.shape != (count,):
            raise ValueError(f"strengths must have shape ({count},), not {array.shape}")
        return array

    # ---- steps -----------------------------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int] | Array | None = None,
        mask: Sequence[bool] | Array | None = None,
        obs: Array | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Array]]:
        """Start new episodes.

        Args:
            seed: environment i gets seed + i, or the i-th of several seeds, and starts on a new console. None leaves
                consoles and generators as they are.
            mask: which environments to reset; the others only report. The first reset must be of all.
            obs: array to write observations to.
            options: "reset_mask" does the same as `mask`, for Gymnasium.

        Returns:
            Observations and info of all environments.
        """
        if mask is None and options and "reset_mask" in options:
            mask = options["reset_mask"]
        seeds = None
        if isinstance(seed, (int, np.integer)):
            seeds = np.arange(seed, seed + self.num_envs, dtype=np.int64)
        elif seed is not None:
            seeds = np.ascontiguousarray(seed, np.int64)
            if seeds.shape != (self.num_envs,):
                raise ValueError(f"there must be {self.num_envs} seeds, not an array of shape {seeds.shape}")
        if mask is not None:
            mask = np.ascontiguousarray(mask, np.bool_)
            if mask.shape != (self.num_envs,):
                raise ValueError(f"mask must have shape ({self.num_envs},), not {mask.shape}")
        out = self._columns(self.num_envs, obs)
        self._vec.reset(mask, seeds, out)
        return out[0], self._info(out)

    def step(
        self,
        actions: Sequence[int] | Array,
        *,
        strengths: Sequence[float] | Array | None = None,
        obs: Array | None = None,
    ) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Step every environment.

        Args:
            actions: an action index for each.
            strengths: how far paddles are turned, 0 to 1; None for 1.
            obs: array to write observations to, such as a row of a replay memory.

        Returns:
            observations, rewards, terminated, truncated, info
        """
        out = self._columns(self.num_envs, obs)
        self._vec.step(self._actions(actions, self.num_envs), self._strengths(strengths, self.num_envs), out)
        return out[0], out[2], out[4], out[5], self._info(out, stepped=True)

    def send(
        self,
        actions: Sequence[int] | Array,
        envs: Sequence[int] | Array | None = None,
        *,
        strengths: Sequence[float] | Array | None = None,
    ) -> None:
        """Step some environments (None for all) without waiting for them."""
        ids = self._ids(envs)
        self._vec.send(ids, self._actions(actions, len(ids)), self._strengths(strengths, len(ids)))

    def recv(
        self, count: int | None = None, *, obs: Array | None = None
    ) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Wait for `count` of the environments that were sent (None for all of them).

        If that is all there are, row i is environment i; else rows are in the order in which they finished, and
        info["env_id"] says whose they are.
        """
        rows = self._vec.pending() if count is None else count
        out = self._columns(rows, obs)
        self._vec.recv(rows, out)
        return out[0], out[2], out[4], out[5], self._info(out, stepped=True)

    @property
    def pending(self) -> int:
        """Environments that were sent and not received."""
        return int(self._vec.pending())

    def observe(
        self, envs: int | Sequence[int] | Array | None = None, *, obs: Array | None = None
    ) -> tuple[Array, dict[str, Array]]:
        """Observations and info of some environments as they are."""
        ids = self._ids(envs)
        out = self._columns(len(ids), obs)
        self._vec.observe(ids, out)
        return out[0], self._info(out)

    # ---- states ----------------------------------------------------------------------------------------------------

    def save(self, envs: int | Sequence[int] | Array | None = None, *, luck: bool = True) -> list[bytes]:
        """The states of some environments (None for all), as bytes that may be stored.

        With `luck` the generators and the remembered sticky action are saved too, so that the same actions lead to
        the same future; without it they stay with the environment that loads the state.
        """
        return self._vec.save(self._ids(envs), int(bool(luck)))

    def restore(self, states: Sequence[bytes], envs: int | Sequence[int] | Array | None = None) -> None:
        """Load states into environments of the same game; either all of them or none."""
        self._vec.load(self._ids(envs), list(states))

    def branch(self, source: int | Sequence[int], targets: Sequence[int] | Array, *, luck: bool = False) -> None:
        """Make environments copies of others: of one, or of as many as there are targets.

        Without `luck`, each copy goes on with generators of its own.
        """
        to = self._ids(targets)
        origin = self._ids(source)
        if len(origin) == 1:
            origin = np.repeat(origin, len(to))
        if len(origin) != len(to):
            raise ValueError(f"{len(origin)} sources for {len(to)} targets; give one, or as many")
        self._vec.copy(origin, to, int(bool(luck)))

    # ---- looking at one --------------------------------------------------------------------------------------------

    def action_meanings(self, env: int = 0) -> list[str]:
        """What the action indices of an environment mean."""
        from sixer.ale.interface import Action

        names = [action.name for action in Action]
        return [names[code] for code in self._vec.actions(env)]

    def status(self, env: int) -> dict[str, Any]:
        """Mode, difficulty, lives, frames, score and end of an environment."""
        status = self._vec.status(env)
        status["end"] = ENDS[status["end"]]
        return status

    def ram(self, env: int) -> npt.NDArray[np.uint8]:
        """The 128 bytes of memory of an environment."""
        array = np.empty(128, np.uint8)
        self._vec.ram(env, array)
        return array

    def objects(self) -> npt.NDArray[np.int16]:
        """The objects of the last frame of each environment, (num_envs, OBJECTS_MAX, 6); unused rows have kind -1.

        This needs the setting objects=True.
        """
        array = np.empty((self.num_envs, OBJECTS_MAX, len(OBJECT_COLUMNS)), np.int16)
        for rows, count in zip(array, self._vec.objects(None, array), strict=True):
            rows[count:] = -1
        return array

    def picture(self, env: int) -> npt.NDArray[np.uint8]:
        """The screen of an environment in colors, (height, 160, 3)."""
        array = np.empty((self._vec.height(env), 160, 3), np.uint8)
        self._vec.rgb(env, array)
        return array

    def close(self, **ignored: Any) -> None:
        """End the threads and free the environments. Later calls are errors, but another close()."""
        if self._vec is not None:
            self._vec.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
