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
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from sixer import _images, _protocol, _sixer
from sixer._gymnasium import AutoresetMode, VectorEnv, spaces
from sixer._pool import Pool

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from sixer.eval import Protocol

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
    if not isinstance(game, (str, os.PathLike)):
        raise TypeError(f"a game is named by its id or the path of its image, not {game!r}")
    name = os.fsdecode(game)
    if os.path.exists(name):
        return _sixer.Rom(name)
    name = name.removeprefix("sixer/")
    known = _images.games().get(name)
    if known and known.built_in:
        return _sixer.Rom(known.id)
    path = _images.find(name, known.md5s if known else ()) or _images.find(name)
    if path is None:
        raise _images.missing(name) if known else _images.unknown(name)
    return _sixer.Rom(path)


def _pair(name: str, value: Any, wanted: str, single: tuple[Any, int] | None = None) -> tuple[int, int]:
    """A pair of integers; `single` is what one integer stands for, if that is possible."""
    if isinstance(value, (tuple, list)):
        pair = tuple(value)
    else:
        pair = single or ()
    if len(pair) != 2 or not all(hasattr(number, "__index__") for number in pair):
        raise TypeError(f"{name} is {value!r}; it must be {wanted}")
    return int(pair[0]), int(pair[1])


def _word(value: Any) -> str:
    """A choice, for the extension to refuse if it is not even a text."""
    return value if isinstance(value, str) else repr(value)


class EnvSettings(TypedDict, total=False):
    """Settings that one environment and many have alike; `settings` describes them."""

    obs: Obs
    size: tuple[int, int] | None
    pool: Literal["max", "mean", "none"]
    frame_skip: int | tuple[int, int]
    sticky: float
    full_actions: bool
    noop_max: int
    fire_start: bool
    clip_rewards: bool
    life_loss: Literal["ignore", "info", "end"]
    max_frames: int | None
    stuck_limit: int | None
    random_action: float
    delay_max: int
    color_averaging: bool
    objects: bool
    sound: bool
    level: int
    levels: int
    scoring: Literal["ale", "fixed"]
    core: Literal["auto", "plain", "interp", "jit"]


class Settings(EnvSettings, total=False):
    """The settings of a vector."""

    stack: int
    players: int
    dialect: Literal["sixer", "ma"]
    turn_limit: int | None
    corrections: str | Sequence[str] | None


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
    sound: bool = False,
    level: int = 0,
    levels: int = 1,
    scoring: Literal["ale", "fixed"] = "ale",
    core: Literal["auto", "plain", "interp", "jit"] = "auto",
    players: int = 1,
    dialect: Literal["sixer", "ma"] = "sixer",
    turn_limit: int | None = None,
    corrections: str | Sequence[str] | None = None,
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
        sound: make the samples of sound(): those of the last frame of a step.
        level: of games with levels, the first of those that are played.
        levels: how many of them; each episode draws one.
        scoring: rewards as ale-py pays them, or with the corrections of the game's definition.
        core: which implementation of the console runs; all give the same bytes.
        players: 2, 3 or 4 for the modes for so many (vectors only): then actions, strengths, rewards, terminated,
            truncated, info["lives"], info["executed"], info["raw_reward"] and info["mask"] have the shape
            (environments, players), and observations are common to the players. The mask says whose actions count.
        dialect: the rules for several players: "sixer", or "ma" for those of multi-agent-ale-py.
        turn_limit: frames before a player that does not move is fined, in games with such a rule; None for the
            game's own number, 0 for no fines.
        corrections: what dialect "sixer" corrects in the rules for several players: names such as ("start", "three"),
            "none", or "all"; None for all of them (sixer.vector.CORRECTIONS lists them).
    """
    for name, number in {"stack": stack, "noop_max": noop_max, "delay_max": delay_max, "level": level, "levels": levels,
                         "max_frames": max_frames or 0, "stuck_limit": stuck_limit or 0, "players": players,
                         "turn_limit": turn_limit or 0}.items():  # fmt: skip
        if not hasattr(number, "__index__"):
            raise TypeError(f"{name} is {number!r}; it must be an integer")
    for name, share in {"sticky": sticky, "random_action": random_action}.items():
        if not hasattr(share, "__float__"):
            raise TypeError(f"{name} is {share!r}; it must be a number")
    low, high = _pair("frame_skip", frame_skip, "a number of frames or a pair (low, high)", (frame_skip, 0))
    if corrections is not None and not isinstance(corrections, str):
        if not isinstance(corrections, Sequence) or not all(isinstance(name, str) for name in corrections):
            raise TypeError(f"corrections is {corrections!r}; it can be names or None (CORRECTIONS lists them)")
        corrections = ",".join(corrections) or "none"
    if obs in ("ram", "palette"):
        size, pool = None, "none"
    if life_loss not in ("ignore", "info", "end"):
        raise ValueError(f"life_loss is {life_loss!r}; it can be 'ignore', 'info' or 'end'")
    height, width = (0, 0) if size is None else _pair("size", size, "a pair (height, width) or None")
    return {
        "obs": _word(obs),
        "height": height,
        "width": width,
        "stack": stack,
        "pool": _word(pool),
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
        "sound": sound,
        "level": level,
        "levels": levels,
        "scoring": _word(scoring),
        "core": _word(core),
        "players": players,
        "dialect": _word(dialect),
        "turn_limit": -1 if turn_limit is None else turn_limit,
        "corrections": corrections,
    }


#: What dialect "sixer" corrects in the rules for several players: the names for `corrections`, and what each does.
CORRECTIONS: dict[str, str] = _sixer.CORRECTIONS

#: Samples of sound in a step, those of its last frame.
SOUND_SAMPLES = 512
MAX_ENVS = 1 << 20  #: of one vector


def save_flags(luck: bool, pictures: bool) -> int:
    """The flags of sixer_vec_save()."""
    return int(bool(luck)) | (0 if pictures else 4)


def checked_actions(actions: Array) -> Array:
    """Action indices as the extension takes them. One that does not fit into 32 bits is an IndexError."""
    if actions.dtype.itemsize > 4 and actions.size and not (0 <= actions.min() and actions.max() < 2**31):
        wrong = next(int(action) for action in actions.flat if not 0 <= action < 2**31)
        raise IndexError(f"there is no action {wrong}; action_meanings() lists them")
    return np.ascontiguousarray(actions, np.int32)


def checked_seed(seed: Any) -> int:
    """The seed of one environment."""
    if not hasattr(seed, "__index__"):
        raise TypeError(f"seed must be an integer, not {seed!r}")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed is {seed}; it must be between 0 and {2**32 - 1}")
    return int(seed)


def checked_seeds(seed: int | Sequence[int | None] | Array, count: int) -> Array:
    """A seed for each of `count` environments; -1 for None."""
    if isinstance(seed, (int, np.integer)):
        if not 0 <= seed <= 2**32 - count:
            raise ValueError(f"seed is {seed}; with {count} environments it must be between 0 and {2**32 - count}")
        return np.arange(seed, int(seed) + count, dtype=np.int64)
    if isinstance(seed, str) or not hasattr(seed, "__iter__"):
        raise TypeError(f"seed must be an integer, or {count} of them, not {seed!r}")
    left_alone = [item is None for item in seed]
    seeds = np.asarray([0 if item is None else item for item in seed])
    if seeds.shape != (count,):
        raise ValueError(f"there must be {count} seeds, not an array of shape {seeds.shape}")
    if seeds.dtype.kind not in "iu":
        raise TypeError(f"seeds must be integers, not {seeds.dtype}")
    if count and not (0 <= seeds.min() and seeds.max() < 2**32):
        raise ValueError(f"seeds must be between 0 and {2**32 - 1}, found {int(seeds.min())} to {int(seeds.max())}")
    return np.where(left_alone, -1, seeds.astype(np.int64))


def _flavor(game: Any) -> tuple[str | os.PathLike[str], int | None, int]:
    """A game with mode and difficulty."""
    if isinstance(game, (str, os.PathLike)):
        return game, None, 0
    if not isinstance(game, tuple) or len(game) != 3:
        raise TypeError(f"a game is an id, a path, or a tuple (game, mode, difficulty), not {game!r}")
    return game


def make(
    games: str | os.PathLike[str] | tuple[str, int | None, int] | Sequence[str | tuple[str, int | None, int]],
    n: int | None = None,
    *,
    threads: int = 0,
    autoreset: Literal["next", "same", "off"] = "next",
    protocol: str | os.PathLike[str] | Protocol | None = None,
    training: bool = True,
    **common: Unpack[Settings],
) -> Vector:
    """Make environments.

    Args:
        games: a game by its id or the path of its image, or several; (game, mode, difficulty) chooses a flavor, with
            None for the default mode.
        n: how many environments; several games take turns. None for one of each.
        threads: threads that run them, the caller's included; 0 for one per processor.
        autoreset: what follows the end of an episode: a reset by the "next" step, by the "same" one, or none.
        protocol: fixes whatever defines a score, as in `sixer.make`; so does `training`.
        training: of a protocol, the environments for training, else those for evaluation.
        **common: see `settings`.
    """
    if isinstance(games, (str, os.PathLike)):
        games = [os.fsdecode(games)]
    elif isinstance(games, tuple) and len(games) == 3 and (games[1] is None or isinstance(games[1], (int, np.integer))):
        games = [games]  # one game with its flavor
    return Vector(
        games,
        n,
        threads=threads,
        autoreset=autoreset,
        protocol=protocol,
        training=training,
        **common,
    )


def make_for_gymnasium(game: str, num_envs: int = 1, **settings: Any) -> Vector:
    """What `gymnasium.make_vec("sixer/Breakout-v0", num_envs=8)` calls."""
    return Vector([game], num_envs, **settings)


class Vector(VectorEnv):
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
        protocol: str | os.PathLike[str] | Protocol | None = None,
        training: bool = True,
        **common: Unpack[Settings],
    ) -> None:
        if isinstance(games, (str, os.PathLike)):
            raise TypeError(f"games is {games!r}; it must be a list of games, such as [{os.fsdecode(games)!r}]")
        if not hasattr(games, "__len__"):
            raise TypeError(f"games is {games!r}; it must be the id of a game, the path of an image, or a list of them")
        if not games:
            raise ValueError("no games; name at least one")
        #: The protocol that the environments were made under; None if it is not stated.
        self.protocol: Protocol | None = None
        self.training = training
        if protocol is not None:
            self.protocol = _protocol.find(protocol)
            common = _protocol.merge(self.protocol, training, dict(common))  # type: ignore[assignment]
        self._arguments: dict[str, Any] = {"threads": threads, "autoreset": autoreset, **common}
        if n is not None and not isinstance(n, (int, np.integer)):
            raise TypeError(f"the number of environments must be an integer, not {n!r}")
        if n is not None and n < 1:
            raise ValueError(f"{n} environments; at least 1")
        flavors = [_flavor(game) for game in games]
        if self.protocol is not None:
            flavors = [(game, *_protocol.flavor(self.protocol, mode, level)) for game, mode, level in flavors]
        opened: dict[Any, _sixer.Rom] = {}
        for game, _, _ in flavors:
            if game not in opened:
                opened[game] = open_rom(game)
        count = len(flavors) if n is None else n
        if count > MAX_ENVS:
            raise ValueError(f"{count} environments; at most {MAX_ENVS}")
        chosen = [flavors[i % len(flavors)] for i in range(count)]
        if len(opened) > 1:
            common.setdefault("full_actions", True)  # so that a number means the same in every game
        config = settings(**common)
        #: How many players each environment has.
        self.players: int = config["players"]
        config["seed"] = struct.unpack("I", os.urandom(4))[0]
        slots = tuple((opened[game], mode, difficulty) for game, mode, difficulty in chosen)
        self._objects: bool = config["objects"]
        self._sound: bool = config["sound"]
        self._flavors = chosen
        self._roms = [opened[game] for game, _, _ in chosen]
        self._touched = np.zeros(count, np.bool_)
        self._reset_once = False
        self._second = False  # did player B act in the last step?
        self._vec = _sixer.Vec(slots, threads=threads, autoreset=_word(autoreset), **config)
        #: The game of each environment.
        self.games = [os.fsdecode(game) for game, _, _ in chosen]
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
        modes = {"next": AutoresetMode.NEXT_STEP, "same": AutoresetMode.SAME_STEP, "off": AutoresetMode.DISABLED}
        self.metadata = {"render_modes": [], "autoreset_mode": modes[self.autoreset]}
        self.single_observation_space = spaces.Box(0, 255, self.obs_shape, np.uint8)
        self.observation_space = spaces.Box(0, 255, (self.num_envs, *self.obs_shape), np.uint8)
        if self.players > 1:
            each = np.repeat(np.array(self._action_counts)[:, None], self.players, axis=1)
            self.single_action_space = spaces.MultiDiscrete(each.max(axis=0))
            self.action_space = spaces.MultiDiscrete(each)
            return
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
        ended = None
        if self.players > 1:
            rewards, raw, lives, executed = np.empty((4, rows, self.players), np.int32)
            ended = np.empty((rows, self.players), np.bool_)
        places = (obs, final, rewards, raw, flags[0], flags[1], ends, env_ids, lives, frames, episode_frames)
        return (*places, executed, levels, ended)

    def _result(self, out: tuple[Any, ...]) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """What a step returns. With several players ends are theirs: a player that is out has terminated."""
        terminated, truncated = out[4], out[5]
        if self.players > 1:
            terminated = out[13] & ~truncated[:, None]
            truncated = np.repeat(truncated[:, None], self.players, axis=1)
        return out[0], out[2], terminated, truncated, self._info(out, stepped=True)

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
        if self.players > 1:
            new = (out[4] | out[5]) if stepped and self.autoreset == "same" else np.zeros(len(out[4]), np.bool_)
            info["mask"] = ~out[13] | new[:, None]
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

    def _each(self, count: int) -> tuple[int, ...]:
        """The shape of what there is for each environment and player."""
        return (count,) if self.players == 1 else (count, self.players)

    def _actions(self, actions: Sequence[int] | Array, count: int) -> Array:
        array = np.asarray(actions)
        if array.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, not {array.dtype}")
        if array.shape != self._each(count):
            raise ValueError(f"actions must have shape {self._each(count)}, not {array.shape}")
        return checked_actions(array)

    def _strengths(self, strengths: Sequence[float] | Array | None, count: int) -> Array | None:
        if strengths is None:
            return None
        array = np.ascontiguousarray(strengths, np.float32)
        if array.shape != self._each(count):
            raise ValueError(f"strengths must have shape {self._each(count)}, not {array.shape}")
        return array

    # ---- steps -----------------------------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | Array | None = None,
        mask: Sequence[bool] | Array | None = None,
        obs: Array | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Array]]:
        """Start new episodes.

        Args:
            seed: environment i gets seed + i, or the i-th of several seeds, and starts on a new console. None, alone
                or among several, leaves consoles and generators as they are.
            mask: which environments to reset; the others only report. The first reset must be of all.
            obs: array to write observations to.
            options: "reset_mask" does the same as `mask`, for Gymnasium.

        Returns:
            Observations and info of all environments.
        """
        if mask is None and options and "reset_mask" in options:
            mask = options["reset_mask"]
        seeds = None if seed is None else checked_seeds(seed, self.num_envs)
        if mask is not None:
            mask = np.ascontiguousarray(mask, np.bool_)
            if mask.shape != (self.num_envs,):
                raise ValueError(f"mask must have shape ({self.num_envs},), not {mask.shape}")
        out = self._columns(self.num_envs, obs)
        self._vec.reset(mask, seeds, out)
        self._touched[slice(None) if mask is None else mask] = False
        self._reset_once = True
        return out[0], self._info(out)

    def step(
        self,
        actions: Sequence[int] | Array,
        *,
        strengths: Sequence[float] | Array | None = None,
        others: Sequence[int] | Array | None = None,
        obs: Array | None = None,
    ) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Step every environment.

        Args:
            actions: an action index for each; with several players, for each environment and player.
            strengths: how far paddles are turned, 0 to 1; None for 1.
            others: the action index of player B for each; None if nobody plays there.
            obs: array to write observations to, such as a row of a replay memory.

        Returns:
            observations, rewards, terminated, truncated, info
        """
        out = self._columns(self.num_envs, obs)
        if others is not None and self.players > 1:
            raise ValueError("others is for one player; with several, give actions for each")
        if others is not None or self._second:
            self._set_others(others)
        self._vec.step(self._actions(actions, self.num_envs), self._strengths(strengths, self.num_envs), out)
        return self._result(out)

    def _set_others(self, others: Sequence[int] | Array | None) -> None:
        """What player B does in the next step."""
        indices = [0] * self.num_envs if others is None else self._actions(others, self.num_envs).tolist()
        for env, index in enumerate(indices):
            codes = self._vec.actions(env)
            if not 0 <= index < len(codes):
                raise IndexError(f"action {index} of player B in environment {env}; there are 0 to {len(codes) - 1}")
            self._vec.set_other(env, codes[index], 1.0 if index else 0.0, 0)
        self._second = others is not None

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
        return self._result(out)

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

    def save(
        self, envs: int | Sequence[int] | Array | None = None, *, luck: bool = True, pictures: bool = True
    ) -> list[bytes]:
        """The states of some environments (None for all), as bytes that may be stored.

        With `luck` the generators and the remembered sticky action are saved too, so that the same actions lead to
        the same future; without it they stay with the environment that loads the state. With `pictures` the
        observation is saved; without, a state has some 450 bytes, and observations are black until steps fill them.
        """
        return self._vec.save(self._ids(envs), save_flags(luck, pictures))

    def restore(self, states: Sequence[bytes], envs: int | Sequence[int] | Array | None = None) -> None:
        """Load states into environments of the same game; either all of them or none."""
        self._vec.load(self._ids(envs), list(states))
        self._touched[self._ids(envs)] = True

    def start_tape(self, env: int, path: str | os.PathLike[str], by: str = "") -> None:
        """Record what an environment does from now on (`sixer.tapes`). It must have been reset.

        Args:
            env: its number. Each may have a tape of its own.
            path: a new file. An existing one is a FileExistsError.
            by: who plays, in one line.
        """
        from sixer.tapes import refuse_existing

        refuse_existing(path)
        self._vec.record(env, path, by)

    def end_tape(self, env: int) -> None:
        """End the tape of an environment, if there is one. An OSError if it could not be written."""
        self._vec.record(env, None, "")

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
        self._touched[to] = True

    # ---- looking at one --------------------------------------------------------------------------------------------

    def action_meanings(self, env: int = 0) -> list[str]:
        """What the action indices of an environment mean."""
        from sixer.ale.interface import Action

        names = [action.name for action in Action]
        return [names[code] for code in self._vec.actions(env)]

    def about(self, env: int) -> dict[str, Any]:
        """What an environment plays: game, rom (MD5 of the image), mode, difficulty, level."""
        rom = self._roms[env].describe()
        status = self._vec.status(env)
        flavor = {name: status[name] for name in ("mode", "difficulty", "level")}
        return {"game": rom["game"] or self.games[env], "rom": rom["md5"], **flavor}

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

    def set_ram(self, env: int, index: int, value: int) -> None:
        """Change a byte of the memory of an environment, index 0 to 127."""
        self._vec.set_ram(env, index, value)
        self._touched[env] = True

    def objects(self) -> npt.NDArray[np.int16]:
        """The objects of the last frame of each environment, (num_envs, OBJECTS_MAX, 6); unused rows have kind -1.

        This needs the setting objects=True.
        """
        if not self._objects:
            raise ValueError("objects are not noted: make the environments with objects=True")
        array = np.empty((self.num_envs, OBJECTS_MAX, len(OBJECT_COLUMNS)), np.int16)
        for rows, count in zip(array, self._vec.objects(None, array), strict=True):
            rows[count:] = -1
        return array

    def sound(self) -> npt.NDArray[np.uint8]:
        """The sound of the last step of each environment, (num_envs, 512): unsigned samples at 31400 Hz.

        This needs the setting sound=True.
        """
        if not self._sound:
            raise ValueError("no sound is made: make the environments with sound=True")
        array = np.empty((self.num_envs, SOUND_SAMPLES), np.uint8)
        for env, samples in enumerate(array):
            self._vec.sound(env, samples)
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

    def __getstate__(self) -> dict[str, Any]:
        if self.pending:
            raise RuntimeError(f"{self.pending} environments were sent and not received; recv() them before pickling")
        states = self.save() if self._reset_once else None
        about = {"flavors": self._flavors, "arguments": self._arguments, "states": states}
        return {**about, "protocol": self.protocol, "training": self.training}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["flavors"], **state["arguments"])  # type: ignore[misc]
        self.protocol, self.training = state["protocol"], state["training"]
        if state["states"] is not None:
            self.reset()
            self.restore(state["states"])
