"""Many environments of one game stepped together: the reference's ALEVectorInterface and AtariVectorEnv."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from gymnasium import error
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from sixer import _protocol, _sixer
from sixer._gymnasium import AutoresetMode
from sixer._pool import Pool
from sixer.ale import roms
from sixer.ale.env import _BY_DIRECTION, AtariEnv, _check_protocol
from sixer.ale.interface import UNFIT, Action
from sixer.vector import MAX_ENVS, checked_actions

if TYPE_CHECKING:
    from sixer.eval import Protocol

__all__ = ["ALEVectorInterface", "AtariEnv", "AtariVectorEnv"]

_AUTORESET = {"NextStep": "next", "SameStep": "same"}


def _check(name: str, value: Any, kind: type) -> Any:
    """Check that arguments have exactly the types that the reference takes: no int for a bool, no float for an int."""
    if kind is int and not isinstance(value, bool) and hasattr(value, "__index__"):
        value = value.__index__()
    if kind is float and not isinstance(value, (str, bytes)) and hasattr(value, "__float__"):
        value = float(value)
    if not isinstance(value, kind):
        wrong = f"{name} must be of type {kind.__name__}, not {type(value).__name__}"
        raise TypeError(f"{UNFIT} {wrong}")
    return value


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise ValueError(f"{name} is {value}; it must be at least {least}")
    return value


class ALEVectorInterface:
    """Environments of one cartridge image, stepped together by a pool of threads.

    Observations are stacks of the last pictures, (stack_num, height, width) or with three colors at the end. Actions
    are indices into get_action_set(). With a batch_size below num_envs, recv() returns the environments that finish
    first.
    """

    def __init__(
        self,
        rom_path: str | os.PathLike[str],
        num_envs: int,
        frame_skip: int = 4,
        stack_num: int = 4,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        maxpool: bool = True,
        noop_max: int = 30,
        use_fire_reset: bool = True,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        max_episode_steps: int = 108000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        autoreset_mode: str = "NextStep",
    ) -> None:
        if not isinstance(rom_path, (str, bytes, os.PathLike)):
            raise TypeError(f"rom_path must be a path, not {type(rom_path).__name__}")
        if not isinstance(autoreset_mode, str):
            raise TypeError(f"autoreset_mode must be of type str, not {type(autoreset_mode).__name__}")
        if autoreset_mode not in _AUTORESET:
            raise ValueError(f"Invalid autoreset_mode: {autoreset_mode}")
        self._num_envs = _at_least("num_envs", _check("num_envs", num_envs, int), 1)
        if self._num_envs > MAX_ENVS:
            raise ValueError(f"num_envs is at most {MAX_ENVS}, found {num_envs}")
        batch_size = _check("batch_size", batch_size, int)
        self._batch = batch_size if batch_size > 0 else self._num_envs
        if self._batch > self._num_envs:
            raise ValueError(f"batch_size is {batch_size}, more than the {num_envs} environments")
        self._limit = _check("max_episode_steps", max_episode_steps, int)
        self._same_step = autoreset_mode == "SameStep"
        # with a limit of 0 or less an episode is over before its first step
        self._never_lasts = self._limit <= 0 and not self._same_step
        sticky = _check("repeat_action_probability", repeat_action_probability, float)
        full = _check("full_action_space", full_action_space, bool)
        episodic = _check("episodic_life", episodic_life, bool)
        life_info = _check("life_loss_info", life_loss_info, bool)
        threads = _check("num_threads", num_threads, int)
        threads = min(threads if threads > 0 else self._batch, os.cpu_count() or 1, self._num_envs)
        settings = {
            "seed": struct.unpack("I", os.urandom(4))[0],
            "sticky": 0.0 if sticky < 0 else sticky if sticky < 1 else 1.0,
            "frame_skip": _at_least("frame_skip", _check("frame_skip", frame_skip, int), 1),
            "max_frames": max(1, self._limit),
            "threads": threads,
            "first_cpu": max(-1, _check("thread_affinity_offset", thread_affinity_offset, int)),
            "height": _at_least("img_height", _check("img_height", img_height, int), 1),
            "width": _at_least("img_width", _check("img_width", img_width, int), 1),
            "stack": _at_least("stack_num", _check("stack_num", stack_num, int), 1),
            "noop_max": max(0, _check("noop_max", noop_max, int)),
            "fire_start": _check("use_fire_reset", use_fire_reset, bool),
            "clip_rewards": _check("reward_clipping", reward_clipping, bool),
            "obs": "gray" if _check("grayscale", grayscale, bool) else "rgb",
            "pool": "max" if _check("maxpool", maxpool, bool) else "none",
            "actions": "legal" if full else "minimal",
            "life_loss": "end" if episodic else "info" if life_info else "plain",
            "autoreset": _AUTORESET[autoreset_mode],
        }
        path = os.fsdecode(rom_path)
        try:
            rom = _sixer.Rom(path)
        except (OSError, ValueError) as problem:
            raise RuntimeError(f"ROM file {path!r} cannot be used: {problem}") from None
        if rom.describe()["game"] is None:
            raise RuntimeError(f"Unable to find a game for the ROM {path!r}; see roms.get_all_rom_ids()")
        self._vec = _sixer.Vec(((rom, None, 0),) * self._num_envs, **settings)
        self._shape = tuple(self._vec.describe()["shape"])
        self._action_set = [list(Action)[code] for code in self._vec.actions(0)]
        self._rows: np.ndarray | None = None  # env of each row of the last batch
        self._obs = Pool((self._batch, *self._shape))
        self._final = Pool((self._batch, *self._shape))

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")

    def _columns(self, rows: int) -> tuple[Any, ...]:
        """Arrays for the results of so many rows, in the order that the extension wants."""
        whole = rows == self._batch
        obs = self._obs.take() if whole else np.empty((rows, *self._shape), np.uint8)
        final = (self._final.take() if whole else np.empty_like(obs)) if self._same_step else None
        numbers = np.empty((4, rows), np.int32)
        flags = np.empty((2, rows), np.bool_)
        frames = np.empty(rows, np.int64)
        return (
            obs,
            final,
            numbers[0],
            None,
            flags[0],
            flags[1],
            None,
            numbers[1],
            numbers[2],
            frames,
            numbers[3],
            None,
        )

    @staticmethod
    def _info(out: tuple[Any, ...]) -> dict[str, np.ndarray]:
        return {
            "env_id": out[7],
            "lives": out[8],
            "frame_number": out[9].astype(np.int32),
            "episode_frame_number": out[10],
        }

    def _result(self, out: tuple[Any, ...]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        obs, final, rewards, _, terminated, truncated, _, env_ids, *_ = out
        self._rows = env_ids.copy()
        if self._never_lasts:
            truncated[:] = True
        info = self._info(out)
        if final is not None and (terminated.any() or truncated.any()):
            info["final_obs"] = final
        return obs, rewards, terminated, truncated, info

    def reset(
        self, env_ids: Sequence[int] | np.ndarray, seeds: Sequence[int] | np.ndarray, /
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Start episodes in these environments; a negative seed leaves the generators alone."""
        ids, numbers = self._int32s("reset", env_ids), self._int32s("reset", seeds)
        if len(ids) != len(numbers):
            raise ValueError("env_ids and seeds must have same size")
        chosen: set[int] = set()
        for env in ids:
            if not 0 <= env < self._num_envs:
                raise IndexError(f"reset env_id {env} is out of range [0, {self._num_envs})")
            if env in chosen:
                raise ValueError(f"reset has a duplicate env_id={env}")
            chosen.add(env)
        if self._rows is None and len(ids) < self._num_envs:
            raise RuntimeError(f"The first reset() must reset every environment (got {len(ids)} of {self._num_envs})")
        mask = np.zeros(self._num_envs, np.uint8)
        table = np.full(self._num_envs, -1, np.int64)
        mask[ids] = 1
        table[ids] = numbers
        self._drop_pending()
        if self._batch == self._num_envs:
            out = self._columns(self._num_envs)
            self._vec.reset(mask, table, out)
        else:
            if len(ids) < self._num_envs:
                raise ValueError("partial resets need batch_size == num_envs")
            out = self._columns(self._batch)
            self._vec.send_reset(np.arange(self._num_envs, dtype=np.int32), table)
            self._vec.recv(self._batch, out)
        self._rows = out[7].copy()
        return out[0], self._info(out)

    def _drop_pending(self) -> None:
        """Wait for the steps that are under way and drop their results."""
        if pending := self._vec.pending():
            self._vec.recv(pending, ())

    @staticmethod
    def _int32s(method: str, values: Sequence[int] | np.ndarray) -> np.ndarray:
        """A sequence of 32-bit integers as an array; anything else is a TypeError."""
        array = np.asarray(values)
        if array.size == 0:
            return np.zeros(0, np.int32)
        if array.ndim != 1 or array.dtype.kind not in "iub":
            raise TypeError(f"{method}() takes sequences of integers, not {values!r}")
        if array.min() < -(2**31) or array.max() >= 2**31:
            raise TypeError(f"{method}() takes integers of 32 bits, not {values!r}")
        return array.astype(np.int32, copy=False)

    def send(self, action_ids: Sequence[int], paddle_strengths: Sequence[float], /) -> None:
        """Step the environments of the last batch, row by row, without waiting for them."""
        actions = self._int32s("send", action_ids)
        try:
            strengths = np.ascontiguousarray(paddle_strengths, np.float32)
        except (TypeError, ValueError):
            raise TypeError(f"send() takes a sequence of floats, not {paddle_strengths!r}") from None
        if len(actions) != len(strengths):
            raise ValueError("action_ids and paddle_strengths must have same size")
        self._send(actions, strengths)

    def _check_actions(self, actions: np.ndarray) -> np.ndarray:
        if self._rows is None:
            raise RuntimeError("send() called before reset(); there are no environments to step yet")
        if len(actions) != len(self._rows):
            raise ValueError(f"Expected {len(self._rows)} actions, got {len(actions)}")
        return self._rows

    def _send(self, actions: np.ndarray, strengths: np.ndarray | None) -> None:
        rows = self._check_actions(actions)
        if self._never_lasts:
            self._vec.send_reset(rows, None)
        else:
            self._vec.send(rows, np.ascontiguousarray(actions, np.int32), strengths)

    def recv(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Wait for a batch: observations, rewards, terminations, truncations, info."""
        out = self._columns(self._batch)
        try:
            self._vec.recv(self._batch, out)
        except (ValueError, IndexError) as problem:
            raise RuntimeError(f"recv() without enough environments under way: {problem}") from None
        return self._result(out)

    def _step(self, actions: np.ndarray, strengths: np.ndarray | None) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """send() and recv() in one."""
        if self._batch < self._num_envs or self._never_lasts or self._vec.pending():
            self._send(actions, strengths)
            return self.recv()
        self._check_actions(actions)
        out = self._columns(self._num_envs)
        self._vec.step(np.ascontiguousarray(actions, np.int32), strengths, out)
        return self._result(out)

    def get_action_set(self) -> list[Action]:
        """The actions that indices stand for."""
        return list(self._action_set)

    def get_num_envs(self) -> int:
        """The number of environments."""
        return self._num_envs

    def get_observation_shape(self) -> tuple[int, ...]:
        """The shape of one environment's observation."""
        return self._shape

    def handle(self) -> np.ndarray:
        """Eight bytes that identify this object."""
        return np.frombuffer(bytearray(struct.pack("Q", id(self))), np.uint8)


class AtariVectorEnv(VectorEnv):
    """Environments of one game as a Gymnasium vector, with the usual preprocessing."""

    metadata: dict[str, Any] = {}

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        max_num_frames_per_episode: int = 108000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        stack_num: int = 4,
        frameskip: int = 4,
        maxpool: bool = True,
        noop_max: int = 30,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        use_fire_reset: bool = True,
        protocol: str | os.PathLike[str] | Protocol | None = None,
    ) -> None:
        """Make environments.

        Args:
            game: id of the game, in snake_case.
            num_envs: how many environments.
            batch_size: how many of them a step returns; 0 for all.
            num_threads: threads that run them; 0 for one per processor.
            thread_affinity_offset: pin the threads to processors from this one on; -1 not to.
            max_num_frames_per_episode: frames after which an episode is truncated.
            repeat_action_probability: probability that a frame repeats the action before it.
            full_action_space: all actions of the joystick instead of those that matter in the game.
            continuous: actions are (radius, angle, fire).
            continuous_action_threshold: from where on a continuous component counts as pressed.
            autoreset_mode: when an ended episode is followed by a new one, NEXT_STEP or SAME_STEP.
            img_height: rows of a picture.
            img_width: columns of a picture.
            grayscale: gray instead of colors.
            stack_num: pictures in an observation.
            frameskip: frames per step.
            maxpool: a picture is the brighter of the last two frames, pixel by pixel.
            noop_max: an episode starts with less than so many frames of NOOP, drawn at random.
            episodic_life: a lost life ends the episode.
            life_loss_info: a lost life is reported as a termination, and the episode goes on.
            reward_clipping: rewards are clipped to -1..1.
            use_fire_reset: an episode starts with FIRE, where the game knows it.
            protocol: a protocol of `sixer.eval` (not in the reference): it decides on frame skip, sticky actions, the
                action set, no-op starts, lost lives, FIRE at the start and the length of episodes. Rewards are clipped
                unless reward_clipping is False. Protocols that need more than this class can do, such as saber, are a
                ValueError; `sixer.vector.make` has all of them.
        """
        self.protocol: Protocol | None = None
        if protocol is not None:
            self.protocol = _protocol.find(protocol)
            _check_protocol(self.protocol, "AtariVectorEnv", flavors=False)
            frameskip = self.protocol.frame_skip
            repeat_action_probability = self.protocol.sticky
            full_action_space = not self.protocol.minimal_actions
            max_num_frames_per_episode = self.protocol.max_frames or 2**31 - 1
            noop_max = self.protocol.noop_starts + 1 if self.protocol.noop_starts else 0
            episodic_life = life_loss_info = use_fire_reset = False
        rom_path = roms.get_rom_path(game)
        assert rom_path is not None, (
            f'{game} is not a ROM name, it should be snake_case not camel-case, i.e., "ms_pacman" not "MsPacman"'
        )
        if type(frameskip) is not int:
            raise error.Error(f"Invalid frameskip type: {type(frameskip)}.")
        if frameskip <= 0:
            raise error.Error(f"Invalid frameskip of {frameskip}, frameskip must be positive.")
        self.ale = ALEVectorInterface(
            rom_path=rom_path,
            num_envs=num_envs,
            frame_skip=frameskip,
            stack_num=stack_num,
            img_height=img_height,
            img_width=img_width,
            grayscale=grayscale,
            maxpool=maxpool,
            noop_max=noop_max,
            use_fire_reset=use_fire_reset,
            episodic_life=episodic_life,
            life_loss_info=life_loss_info,
            reward_clipping=reward_clipping,
            max_episode_steps=max_num_frames_per_episode,
            repeat_action_probability=repeat_action_probability,
            full_action_space=_check("continuous", continuous, bool) or full_action_space,
            batch_size=_at_least("batch_size", _check("batch_size", batch_size, int), 0),
            num_threads=num_threads,
            thread_affinity_offset=thread_affinity_offset,
            autoreset_mode=autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode,
        )
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold
        self.grayscale = grayscale
        self.map_action_idx = np.zeros((3, 3, 2), np.int32)
        for (horizontal, vertical, fire), action in _BY_DIRECTION.items():
            self.map_action_idx[horizontal + 1, vertical + 1, int(fire)] = action.value

        shape = self.ale.get_observation_shape()
        self.single_observation_space = Box(low=0, high=255, shape=shape, dtype=np.uint8)
        self.single_action_space: Any
        if continuous:
            low, high = np.array([0.0, -np.pi, 0.0]), np.array([1.0, np.pi, 1.0])
            self.single_action_space = Box(low.astype(np.float32), high.astype(np.float32), (3,), np.float32)
        else:
            self.single_action_space = Discrete(len(self.ale.get_action_set()))
        self.batch_size = batch_size or num_envs
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata["autoreset_mode"] = self.autoreset_mode
        self.observation_space = batch_space(self.single_observation_space, self.batch_size)
        self.action_space = batch_space(self.single_action_space, self.batch_size)
        self.is_xla_registered = False

    def reset(
        self, *, seed: int | np.ndarray | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Start new episodes.

        Args:
            seed: an integer seeds the environments that are reset with consecutive numbers from it on; an array
                holds one seed for each of them.
            options: "reset_mask", a bool array of shape (num_envs,), chooses the environments to reset. The others
                report where they are. This needs batch_size == num_envs and an earlier reset of all.

        Returns:
            Observations and info of all environments.
        """
        if options and "reset_mask" in options:
            mask = options["reset_mask"]
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
                raise TypeError(
                    f"`reset_mask` must be a boolean numpy array, got {type(mask)} "
                    f"with dtype {getattr(mask, 'dtype', None)}"
                )
            if mask.shape != (self.num_envs,):
                raise ValueError(f"`reset_mask` must have shape ({self.num_envs},), got {mask.shape}")
            ids = np.flatnonzero(mask)
            if len(ids) < self.num_envs and self.batch_size != self.num_envs:
                raise ValueError(
                    "Partial reset is not supported for async mode where batch_size < num_envs "
                    f"(got batch_size={self.batch_size}, num_envs={self.num_envs})"
                )
        else:
            ids = np.arange(self.num_envs)
        if seed is None:
            seeds = np.full(len(ids), -1)
        elif isinstance(seed, int):
            seeds = np.arange(seed, seed + len(ids))
        elif isinstance(seed, np.ndarray):
            if seed.shape != ids.shape:
                raise ValueError(
                    "`seed` must have one entry per sub-environment being reset, "
                    f"expected shape {ids.shape}, got {seed.shape}"
                )
            seeds = seed
        else:
            raise TypeError("Unsupported seed type")
        return self.ale.reset(ids, seeds)

    def _convert(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Action indices and paddle strengths of the user's actions."""
        assert isinstance(actions, np.ndarray), f"actions must be a NumPy array, not {type(actions)}"
        if not self.continuous:
            assert actions.dtype in (np.int32, np.int64), f"actions must be int32 or int64, not {actions.dtype}"
            assert actions.shape == (self.batch_size,), f"{actions.shape=}, {self.batch_size=}"
            return checked_actions(actions), None
        assert actions.dtype == np.float32, f"actions must be float32, not {actions.dtype}"
        assert actions.shape == (self.batch_size, 3), f"{actions.shape=}, {self.batch_size=}"
        threshold = np.float32(self.continuous_action_threshold)
        radius = np.ascontiguousarray(actions[:, 0])
        x, y = radius * np.cos(actions[:, 1]), radius * np.sin(actions[:, 1])
        horizontal = (x > threshold).astype(int) - (x < -threshold) + 1
        vertical = (y > threshold).astype(int) - (y < -threshold) + 1
        fire = (actions[:, 2] > threshold).astype(int)
        return self.map_action_idx[horizontal, vertical, fire], radius

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Step the environments of the last batch: observations, rewards, terminations, truncations, info."""
        return self.ale._step(*self._convert(actions))

    def send(self, actions: np.ndarray) -> None:
        """Step the environments of the last batch without waiting for them."""
        self.ale._send(*self._convert(actions))

    def recv(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Wait for the next batch."""
        return self.ale.recv()

    def xla(self) -> tuple[Any, Callable[..., Any], Callable[..., Any]]:
        """Reset and step for programs of JAX: a handle, reset(handle, seed, reset_mask) and step(handle, actions).

        Both return the handle and what reset() and step() of this class return. Needs NEXT_STEP autoresets.
        """
        from sixer.ale import _xla

        functions = _xla.functions(self)
        self.is_xla_registered = True
        return functions
