"""One environment: `sixer.make`."""

from __future__ import annotations

import enum
import os
import random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from sixer import _protocol, _sixer
from sixer._gymnasium import Env as _Base
from sixer._gymnasium import spaces
from sixer.vector import (
    OBJECT_COLUMNS,
    OBJECTS_MAX,
    SOUND_SAMPLES,
    EnvSettings,
    checked_seed,
    open_rom,
    save_flags,
    settings,
)

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from sixer._window import Window
    from sixer.eval import Protocol


class Switch(enum.IntFlag):
    """The switches of the console, for step(switches=...): RESET and SELECT are pressed, the others are flipped."""

    RESET = 1
    SELECT = 2
    #: the console runs on although the episode has ended
    RUN = 4
    COLOR = 8
    LEFT = 64
    RIGHT = 128


_OPTIONS = ("mode", "difficulty", "level")

Array = npt.NDArray[np.uint8]


def make(
    game: str | os.PathLike[str],
    *,
    mode: int | None = None,
    difficulty: int = 0,
    stack: int | None = 4,
    render_mode: Literal["human", "rgb_array"] | None = None,
    protocol: str | os.PathLike[str] | Protocol | None = None,
    training: bool = True,
    **common: Unpack[EnvSettings],
) -> Env:
    """Make an environment.

    Args:
        game: id of a game, such as "ms_pacman", or the path of a cartridge image.
        mode: mode of the game; its default if None.
        difficulty: difficulty switches.
        stack: pictures in an observation; None for one, without an axis for the stack.
        render_mode: "rgb_array" if render() will be called; "human" shows the game in a window, at its own speed.
        protocol: "saber" or another protocol (`sixer.eval.protocol`), which fixes whatever defines a score. A setting
            that contradicts it is a ValueError; observations and clipping of rewards stay free. `sixer.record` writes
            the scores.
        training: of a protocol, the environment for training, else that for evaluation.
        **common: see `sixer.vector.settings`: obs, size, pool, frame_skip, sticky, full_actions, noop_max, ...
    """
    return Env(
        game,
        mode=mode,
        difficulty=difficulty,
        stack=stack,
        render_mode=render_mode,
        protocol=protocol,
        training=training,
        **common,
    )


class Env(_Base):
    """One game. Where Gymnasium is installed, this is a gymnasium.Env.

    `info` of a step: lives; frames and episode_frames so far; executed, the action that reached the game in the last
    frame (sticky actions may repeat the previous one); level of the episode, in games that have levels; raw_reward,
    before any clipping; end, why the episode ended (ENDS) or None.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 15}
    game: str = ""
    _vec: _sixer.Vec = None  # type: ignore[assignment]  # until __init__ is through

    def __init__(
        self,
        game: str | os.PathLike[str],
        *,
        mode: int | None = None,
        difficulty: int = 0,
        stack: int | None = 4,
        render_mode: Literal["human", "rgb_array"] | None = None,
        protocol: str | os.PathLike[str] | Protocol | None = None,
        training: bool = True,
        **common: Unpack[EnvSettings],
    ) -> None:
        if render_mode not in (None, "human", "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}; it can be 'human', 'rgb_array' or None")
        if render_mode == "human" and common.get("obs") == "ram":
            raise ValueError("with obs='ram' no pictures are drawn: a window needs another obs")
        #: The protocol that the environment was made under; None if it is not stated.
        self.protocol: Protocol | None = None
        self.training = training
        settings_given: dict[str, Any] = dict(common)
        if protocol is not None:
            self.protocol = _protocol.find(protocol)
            mode, difficulty = _protocol.flavor(self.protocol, mode, difficulty)
            settings_given = _protocol.merge(self.protocol, training, settings_given)
        self._arguments: dict[str, Any] = {
            "mode": mode,
            "difficulty": difficulty,
            "stack": stack,
            "render_mode": render_mode,
            **settings_given,
        }
        self._touched = self._life_lost = self._recorded = False
        self._rom = open_rom(game)
        #: The game, as it was asked for.
        self.game = os.fsdecode(game)
        self.render_mode = render_mode
        self._window: Window | None = None
        self._start_console(self._arguments)
        shape = tuple(self._vec.describe()["shape"])
        #: The shape of an observation.
        self.obs_shape: tuple[int, ...] = shape[1:] if stack is None else shape
        self._height: int = self._vec.height(0)
        self._seeds = random.Random()
        if spaces is not None:
            self.observation_space = spaces.Box(0, 255, self.obs_shape, np.uint8)
            self.action_space = spaces.Discrete(len(self._vec.actions(0)))

    def _start_console(self, arguments: dict[str, Any]) -> None:
        """Make a console with these arguments of __init__; if they are wrong, nothing changes."""
        common = {name: value for name, value in arguments.items() if name not in ("mode", "difficulty", "render_mode")}
        config = settings(**{**common, "stack": 1 if arguments["stack"] is None else arguments["stack"]})
        if config["players"] != 1 or config["dialect"] != "sixer":
            raise ValueError(f"this is an environment for one player, not for {config['players']} in dialect "
                             f"{config['dialect']}: sixer.vector.make and sixer.multi have several")  # fmt: skip
        slot = (self._rom, arguments["mode"], arguments["difficulty"])
        self._vec = _sixer.Vec((slot,), threads=1, autoreset="off", **config)
        self._arguments = arguments
        self._one = self._vec.one
        self._other: tuple[int, float, int] = _NOBODY
        self._objects: bool = config["objects"]
        self._reset_once = False

    def _choose_flavor(self, options: dict[str, Any]) -> None:
        if unknown := sorted(set(options) - set(_OPTIONS)):
            raise ValueError(f"reset() has no option {unknown[0]!r}; there are {', '.join(_OPTIONS)}")
        wanted = {**self._arguments, **options}
        if "level" in options:
            wanted["levels"] = 1
        if self.protocol is not None:
            _protocol.flavor(self.protocol, wanted["mode"], wanted["difficulty"])
            _protocol.check_level(self.protocol, self.training, options.get("level"))
        if wanted != self._arguments:
            if self._recorded:
                raise ValueError("a tape has one flavor: end_tape() before mode, difficulty or level change")
            self._start_console(wanted)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: 0 to 2**32 - 1; the game starts on a new console.
            options: "mode", "difficulty" and "level" choose what is played from now on, as in `make`. A change starts
                a new console, whose seed follows from the last one if none is given.

        Under a protocol with "terminal-in-training", a reset without arguments after a lost life goes on with the game.
        """
        if seed is not None:
            seed = checked_seed(seed)
        if options:
            self._choose_flavor(options)
        if self.goes_on(seed, options):
            self._life_lost = False
            return self.observe()
        if spaces is not None:
            super().reset(seed=seed, options=options)
        if seed is not None:
            self._seeds.seed(seed)
        elif not self._reset_once:
            seed = self._seeds.getrandbits(32)
        obs = np.empty(self.obs_shape, np.uint8)
        _, _, _, info = self._one(None, -1 if seed is None else seed, obs)
        if self._objects:
            info["objects"] = self.objects()
        self._reset_once = True
        self._touched = self._life_lost = False
        if self.render_mode == "human":
            self._show()
        return obs, info

    def step(
        self, action: int, strength: float = 1.0, *, other: int = 0, other_strength: float = 1.0, switches: int = 0
    ) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play an action: observation, reward, terminated, truncated, info.

        Args:
            action: index of an action; action_meanings() names them.
            strength: how far a paddle is turned, 0 to 1.
            other: index of the action of player B, in games for two.
            other_strength: how far the paddle of player B is turned.
            switches: the console's switches during the step, a sum of values of `Switch`.
        """
        obs = np.empty(self.obs_shape, np.uint8)
        inputs = (other, other_strength if other else 0.0, switches)
        if inputs != self._other:
            self._set_other(inputs)
        reward, terminated, truncated, info = self.step_into(action, obs, strength)
        return obs, reward, terminated, truncated, info

    def _set_other(self, inputs: tuple[int, float, int]) -> None:
        codes = self._vec.actions(0)
        if not hasattr(inputs[0], "__index__"):
            raise TypeError(f"the action of player B must be an integer, not {inputs[0]!r}")
        if not 0 <= inputs[0] < len(codes):
            raise IndexError(f"action {inputs[0]} of player B; there are 0 to {len(codes) - 1}")
        self._vec.set_other(0, codes[inputs[0]], inputs[1], int(inputs[2]))
        self._other = inputs

    def step_into(self, action: int, obs: Array, strength: float = 1.0) -> tuple[float, bool, bool, dict[str, Any]]:
        """Play an action and write the observation to an array of the caller's: reward, terminated, truncated, info.

        Player B and the switches stay as the last step() had them.
        """
        if obs.shape != self.obs_shape:
            raise ValueError(f"obs must have shape {self.obs_shape}, not {obs.shape}")
        if action is None:  # None means a reset to the extension
            raise TypeError("action must be an integer, not None")
        result = self._one(action, strength, obs)
        self._life_lost = result[1] and result[3]["end"] is None
        if self._objects:
            result[3]["objects"] = self.objects()
        if self.render_mode == "human":
            self._show()
        return result

    def _show(self) -> None:
        """Show the screen for as long as a step takes on the console."""
        if self._window is None:
            from sixer._window import Window

            self._window = Window(f"sixer: {self.game}", self._height, 160)
        skip = self._arguments.get("frame_skip", 4)
        self._window.show(self.picture(), frames=skip if isinstance(skip, int) else skip[1])

    def render(self) -> Array | None:
        """The screen in colors, (height, 160, 3), with render_mode "rgb_array"; else None."""
        return self.picture() if self.render_mode == "rgb_array" else None

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

    def set_ram(self, index: int, value: int) -> None:
        """Change a byte of the memory, index 0 to 127. Pictures show the effect from the next step on."""
        self._touched = True
        self._vec.set_ram(0, index, value)

    def objects(self) -> npt.NDArray[np.int16]:
        """The objects of the last frame, a row each: kind, x, y, width, height, color (vector.OBJECT_COLUMNS).

        This needs the setting objects=True.
        """
        array = np.empty((OBJECTS_MAX, len(OBJECT_COLUMNS)), np.int16)
        (count,) = self._vec.objects(0, array)
        return array[:count]

    def sound(self) -> Array:
        """The sound of the last frame: 512 unsigned samples at 31400 Hz. This needs the setting sound=True."""
        array = np.empty(SOUND_SAMPLES, np.uint8)
        self._vec.sound(0, array)
        return array

    def save(self, *, luck: bool = True, pictures: bool = True) -> bytes:
        """Save the state as bytes.

        Args:
            luck: save the random generators too (2.6 KB): the same actions then have the same results.
            pictures: save the observation too (1 to 5 KB with four pictures). Without it a state is that of the console
                and the game, some 450 bytes; after restore() observations are black until steps fill them.
        """
        return self._vec.save(_FIRST, save_flags(luck, pictures))[0]

    def restore(self, state: bytes) -> tuple[Array, dict[str, Any]]:
        """Load a state that was saved by this or another environment with the same game and observations.

        Returns:
            The observation and info of that state.
        """
        self._touched = True
        self._vec.load(_FIRST, [state])
        self._reset_once = True
        return self.observe()

    def observe(self) -> tuple[Array, dict[str, Any]]:
        """The current observation and info."""
        obs = np.empty(self.obs_shape, np.uint8)
        self._vec.observe(None, (obs, *[None] * 12))
        status = self._vec.status(0)
        info = {name: status[name] for name in ("lives", "frames", "episode_frames", "executed", "level")}
        if self._objects:
            info["objects"] = self.objects()
        return obs, {**info, "raw_reward": 0, "end": _sixer.ENDS[status["end"]]}

    @property
    def was_reset(self) -> bool:
        """Whether there is an episode: reset() or restore() was called."""
        return self._reset_once

    def start_tape(self, path: str | os.PathLike[str], by: str = "") -> None:
        """Record what the environment does from now on (`sixer.tapes`). It must have been reset.

        Args:
            path: a new file. An existing one is a FileExistsError.
            by: who plays, in one line.
        """
        from sixer.tapes import refuse_existing

        refuse_existing(path)
        self._vec.record(0, path, by)
        self._recorded = True

    def end_tape(self) -> None:
        """End the tape, if there is one. An OSError if it could not be written."""
        self._recorded = False
        self._vec.record(0, None, "")

    def branch(self, *, luck: bool = True) -> Env:
        """A new environment that starts from the current state."""
        twin = Env(self.game, **self._arguments)
        twin.protocol, twin.training = self.protocol, self.training
        twin.restore(self.save(luck=luck))
        return twin

    @property
    def follows_protocol(self) -> bool:
        """Whether this episode was played under the protocol from its reset on, without set_ram() and restore()."""
        return self.protocol is not None and not self._touched

    def goes_on(self, seed: int | None = None, options: dict[str, Any] | None = None) -> bool:
        """Whether a reset with these arguments goes on with the game after a lost life."""
        lives = self.protocol is not None and self.protocol.life_loss == "terminal-in-training"
        return lives and self._life_lost and seed is None and not options

    def about(self) -> dict[str, Any]:
        """What is played: game, rom (MD5 of the image), mode, difficulty, level."""
        rom = self._rom.describe()
        status = self._vec.status(0)
        flavor = {name: status[name] for name in ("mode", "difficulty", "level")}
        return {"game": rom["game"] or self.game, "rom": rom["md5"], **flavor}

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
            if self._window is not None:
                self._window.close()
                self._window = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> Literal[False]:
        self.close()
        return False

    def __repr__(self) -> str:
        return f"<sixer.Env {self.game}>"

    def __str__(self) -> str:
        return repr(self)

    def __getstate__(self) -> dict[str, Any]:
        about: dict[str, Any] = {"game": self.game, "arguments": self._arguments}
        about.update(protocol=self.protocol, training=self.training)
        return {**about, "state": self.save() if self._reset_once else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["game"], **state["arguments"])  # type: ignore[misc]
        self.protocol, self.training = state["protocol"], state["training"]
        if state["state"] is not None:
            self.restore(state["state"])


_FIRST = np.zeros(1, np.int32)
_NOBODY = (0, 0.0, 0)
