"""AtariEnv: one game as a Gymnasium environment, as the reference's class of this name."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import gymnasium
import numpy as np
from gymnasium import error, spaces, utils
from gymnasium.utils import seeding

from sixer import _protocol
from sixer._sixer import ALEState
from sixer.ale import roms
from sixer.ale.interface import Action, ALEInterface, LoggerMode

if TYPE_CHECKING:
    from sixer.eval import Protocol

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired  # Gymnasium brings it


class AtariEnvStepMetadata(TypedDict):
    """What `info` of a step or reset holds."""

    lives: int
    episode_frame_number: int
    frame_number: int
    seeds: NotRequired[tuple[int, int]]


_KINDS = {"rgb": 2, "grayscale": 3, "ram": 4}  # as ALEInterface._run takes them

# (horizontal, vertical, fire) to action
_BY_DIRECTION = {
    (horizontal, vertical, fire): Action["".join(parts) or "NOOP"]
    for vertical, up in ((-1, "DOWN"), (0, ""), (1, "UP"))
    for horizontal, side in ((-1, "LEFT"), (0, ""), (1, "RIGHT"))
    for fire, button in ((False, ""), (True, "FIRE"))
    for parts in [(up, side, button)]
}


def _check_protocol(protocol: Protocol, kind: str, flavors: bool = True) -> None:
    """Refuse protocols that need what a class does not have; `flavors`: it can play others than the default one."""
    lacks = [
        text
        for needed, text in (
            (protocol.stuck_frames, "an end of episodes without reward"),
            (protocol.fixed_scoring, "corrected scores"),
            (protocol.life_loss != "ignored", "ends of episodes at lost lives"),
            (protocol.train_levels[0] >= 0, "levels"),
            (protocol.all_flavors, "all flavors of a game"),
            (not flavors and (protocol.mode > 0 or protocol.difficulty > 0), f"the flavor {protocol.flavors!r}"),
        )
        if needed
    ]
    if lacks:
        raise ValueError(
            f"{protocol.name} needs {' and '.join(lacks)}, which {kind} does not have; "
            f"sixer.make(game, protocol={protocol.name!r}) does"
        )


class AtariEnv(gymnasium.Env[Any, Any], utils.EzPickle):
    """A game of the Atari 2600 as a Gymnasium environment.

    Pickling and copying make a new environment with the same arguments; use clone_state to copy the state of a game.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}

    def __init__(
        self,
        game: str,
        mode: int | None = None,
        difficulty: int | None = None,
        obs_type: Literal["rgb", "grayscale", "ram"] = "rgb",
        frameskip: tuple[int, int] | int = 4,
        repeat_action_probability: float = 0.25,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        max_num_frames_per_episode: int | None = None,
        render_mode: Literal["human", "rgb_array"] | None = None,
        sound_obs: bool = False,
        *,
        protocol: str | os.PathLike[str] | Protocol | None = None,
    ) -> None:
        """Make an environment. Defaults are those of Machado et al. (2018).

        Args:
          game: id of the game, in snake_case.
          mode: mode of the game; its default if None.
          difficulty: difficulty switches; 0 if None.
          obs_type: "rgb", "grayscale" or "ram".
          frameskip: frames per step, or a range (low, high) from which each step draws, high excluded.
          repeat_action_probability: probability that a frame repeats the action before it.
          full_action_space: all actions of the joystick instead of those that matter in the game.
          continuous: actions are (radius, angle, fire) as in CALE.
          continuous_action_threshold: from where on a continuous component counts as pressed.
          max_num_frames_per_episode: frames after which an episode is truncated.
          render_mode: "human" for a window with sound, "rgb_array" for pictures.
          sound_obs: observations are dicts with the image and the last 512 samples of sound.
          protocol: a protocol of `sixer.eval` (not in the reference): it decides on frame skip, sticky actions, the
            action set, no-op starts, the length of episodes, mode and difficulty. Protocols that need more than this
            class can do, such as saber, are a ValueError; `sixer.make` has all of them.
        """
        self.protocol: Protocol | None = None
        if protocol is not None:
            self.protocol = _protocol.find(protocol)
            _check_protocol(self.protocol, "AtariEnv")
            mode, difficulty = _protocol.flavor(self.protocol, mode, difficulty or 0)
            frameskip = self.protocol.frame_skip
            repeat_action_probability = self.protocol.sticky
            full_action_space = not self.protocol.minimal_actions
            max_num_frames_per_episode = self.protocol.max_frames or None
        if obs_type not in _KINDS:
            raise error.Error(f"Invalid observation type: {obs_type}. Expecting: rgb, grayscale, ram.")
        if type(frameskip) not in (int, tuple):
            raise error.Error(f"Invalid frameskip type: {type(frameskip)}.")
        if isinstance(frameskip, int) and frameskip <= 0:
            raise error.Error(f"Invalid frameskip of {frameskip}, frameskip must be positive.")
        if isinstance(frameskip, tuple):
            if len(frameskip) != 2:
                raise error.Error(f"Invalid stochastic frameskip length of {len(frameskip)}, expected length 2.")
            if frameskip[0] >= frameskip[1]:
                raise error.Error("Invalid stochastic frameskip, lower bound must be strictly less than upper bound.")
            if frameskip[0] <= 0:
                raise error.Error("Invalid stochastic frameskip, lower bound must be positive.")
        if render_mode is not None and render_mode not in ("rgb_array", "human"):
            raise error.Error(f"Render mode {render_mode} not supported (rgb_array, human).")

        utils.EzPickle.__init__(
            self,
            game=game,
            mode=mode,
            difficulty=difficulty,
            obs_type=obs_type,
            frameskip=frameskip,
            repeat_action_probability=repeat_action_probability,
            full_action_space=full_action_space,
            continuous=continuous,
            continuous_action_threshold=continuous_action_threshold,
            max_num_frames_per_episode=max_num_frames_per_episode,
            render_mode=render_mode,
            sound_obs=sound_obs,
            **({} if protocol is None else {"protocol": protocol}),  # without it as in the reference
        )

        self.ale = ALEInterface()
        self._game = game
        self._game_mode = mode
        self._game_difficulty = difficulty
        self._frameskip = frameskip
        self._obs_type = obs_type
        self.render_mode = render_mode
        self.sound_obs = sound_obs

        ALEInterface.setLoggerMode(LoggerMode.Error)
        self.ale.setFloat("repeat_action_probability", repeat_action_probability)
        if max_num_frames_per_episode is not None:
            self.ale.setInt("max_num_frames_per_episode", max_num_frames_per_episode)
        if render_mode == "human":
            self.ale.setBool("display_screen", True)
            self.ale.setBool("sound", True)
        self.ale.setBool("sound_obs", sound_obs)

        self.seed_game()
        self.load_game()

        whole = continuous or full_action_space
        self._action_set = self.ale.getLegalActionSet() if whole else self.ale.getMinimalActionSet()
        self._codes = [action.value for action in self._action_set]
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold
        self.action_space: spaces.Space[Any]
        if continuous:
            low, high = np.array([0.0, -np.pi, 0.0]), np.array([1.0, np.pi, 1.0])
            self.action_space = spaces.Box(low.astype(np.float32), high.astype(np.float32), (3,), np.float32)
        else:
            self.action_space = spaces.Discrete(len(self._action_set))

        height, width = self.ale.getScreenDims()
        self._shape = {"rgb": (height, width, 3), "grayscale": (height, width), "ram": (128,)}[obs_type]
        self._kind = _KINDS[obs_type]
        own = type(self)._get_obs is not AtariEnv._get_obs or type(self)._get_info is not AtariEnv._get_info
        self._direct = render_mode != "human" and not own
        image = spaces.Box(low=0, high=255, shape=self._shape, dtype=np.uint8)
        self.observation_space: spaces.Space[Any] = image
        if sound_obs:
            sound = spaces.Box(low=0, high=255, shape=(self.ale.getAudioSize(),), dtype=np.uint8)
            self.observation_space = spaces.Dict(image=image, sound=sound)

    def seed_game(self, seed: int | None = None) -> tuple[int, int]:
        """Seed the generators of this environment and of the game (at the next load_game)."""
        words = np.random.SeedSequence(seed).generate_state(2)
        self._np_random, _ = seeding.np_random(int(words[0]))
        self.ale.setInt("random_seed", int(words[1].astype(np.int32)))
        return words[0], words[1]

    def load_game(self) -> None:
        """Load the image and choose mode and difficulty."""
        path = roms.get_rom_path(self._game)
        if path is None:
            raise TypeError(f"loadROM(): there is no image of a game {self._game!r}")
        self.ale.loadROM(path)
        if self._game_mode is not None:
            self.ale.setMode(self._game_mode)
        if self._game_difficulty is not None:
            self.ale.setDifficulty(self._game_difficulty)

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, AtariEnvStepMetadata]:
        """Start an episode; with a seed, on a new console."""
        super().reset(seed=seed, options=options)
        seeds = None
        if seed is not None:
            seeds = self.seed_game(seed)
            self.load_game()
        self.ale.reset_game()
        if self.protocol is not None and self.protocol.noop_starts:
            for _ in range(int(self.np_random.integers(self.protocol.noop_starts + 1))):
                self.ale.act(Action.NOOP)
        obs, info = self._get_obs(), self._get_info()
        if seeds is not None:
            info["seeds"] = seeds
        return obs, info

    def step(  # type: ignore[override]
        self, action: int | np.ndarray
    ) -> tuple[Any, float, bool, bool, AtariEnvStepMetadata]:
        """Play one action for `frameskip` frames.

        Args:
            action: index into the action space, or with continuous=True a float32 array (radius, angle, fire).

        Returns:
            observation, reward, terminated, truncated, info
        """
        if self.continuous:
            code, strength = self._continuous(action)
        else:
            code, strength = self._codes[action], 1.0
        frames = self._frameskip
        if isinstance(frames, tuple):
            frames = int(self.np_random.integers(*frames))
        if not self._direct:  # a window shows every frame; a subclass makes its own observations
            total = float(sum(self.ale.act(code, strength) for _ in range(frames)))
            _, terminated, truncated, _ = self.ale._run(code, strength, 0, 0, None)
            return self._get_obs(), total, terminated, truncated, self._get_info()
        image = np.empty(self._shape, np.uint8)
        reward, terminated, truncated, info = self.ale._run(code, strength, frames, self._kind, image)
        if self.sound_obs:
            return {"image": image, "sound": self.ale.getAudio()}, reward, terminated, truncated, info
        return image, reward, terminated, truncated, info

    def _continuous(self, action: Any) -> tuple[int, float]:
        """The joystick's action and the paddle's strength of a continuous action."""
        assert isinstance(action, np.ndarray), f"an action is a float32 array of shape (3,), not {type(action)}"
        assert action.dtype == np.float32 and action.shape == (3,), (
            f"an action is a float32 array of shape (3,), not {action.dtype} of shape {action.shape}"
        )
        threshold = np.float32(self.continuous_action_threshold)
        radius, angle, button = action
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        horizontal = -int(x < -threshold) + int(x > threshold)
        vertical = -int(y < -threshold) + int(y > threshold)
        code = _BY_DIRECTION[horizontal, vertical, bool(button > threshold)].value
        return code, float(radius)

    def render(self) -> np.ndarray | None:
        """The screen in colors for render_mode "rgb_array"; None for "human", whose window is drawn by steps."""
        if self.render_mode == "rgb_array":
            return self.ale.getScreenRGB()
        if self.render_mode == "human":
            return None
        raise error.Error(f"Invalid render mode `{self.render_mode}`. Supported modes: `human`, `rgb_array`.")

    def close(self) -> None:
        """Close the window, if there is one. The game itself can still be stepped."""
        if self.ale._window is not None:
            self.ale._window.close()

    def _get_obs(self) -> Any:
        if self._obs_type == "ram":
            image = self.ale.getRAM()
        elif self._obs_type == "rgb":
            image = self.ale.getScreenRGB()
        else:
            image = self.ale.getScreenGrayscale()
        return {"image": image, "sound": self.ale.getAudio()} if self.sound_obs else image

    def _get_info(self) -> AtariEnvStepMetadata:
        info: AtariEnvStepMetadata = self.ale._info()
        return info

    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """Keys of a keyboard to action indices: w, a, s, d steer, the space bar fires, e does nothing."""
        if self.continuous:
            raise AttributeError(
                "`get_keys_to_action` can't be provided for this Atari environment as `continuous=True`."
            )
        mapping = {}
        for index, action in enumerate(self._action_set):
            keys = [key for name, key in _KEYS if name in action.name]
            mapping[tuple(keys) or ("e",)] = index
        return mapping

    @staticmethod
    def map_action_idx(left_center_right: int, down_center_up: int, fire: bool) -> Action:
        """The action with these components: -1, 0 or 1 for the axes, and the button."""
        try:
            return _BY_DIRECTION[left_center_right, down_center_up, bool(fire)]
        except KeyError:
            raise LookupError(
                "Unexpected action mapping, expected `left_center_right` and `down_center_up` to be in {-1, 0, 1} "
                "and `fire` to only be `True` or `False`. "
                f"Received left_center_right={left_center_right}, down_center_up={down_center_up} and fire={fire}."
            ) from None

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, by index."""
        return [action.name for action in self._action_set]

    def clone_state(self, include_rng: bool = False) -> ALEState:
        """The current state of the game; with `include_rng`, including the generator of sticky actions."""
        return self.ale.cloneState(include_rng=include_rng)

    def restore_state(self, state: ALEState) -> None:
        """Load a state that clone_state returned."""
        self.ale.restoreState(state)


_KEYS = (("UP", "w"), ("DOWN", "s"), ("LEFT", "a"), ("RIGHT", "d"), ("FIRE", " "))
