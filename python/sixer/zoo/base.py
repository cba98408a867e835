"""The console as an environment of PettingZoo: the class below the 24 named environments.

`ParallelAtariEnv` is what `pettingzoo.atari.base_atari_env` calls by that name: one step is one frame, all players act
at once, there are no sticky actions and no frame skip; whatever preprocessing a learner wants is left to wrappers such
as SuperSuit's. Rules, rewards, lives and random draws are those of multi-agent-ale-py (`sixer.multi`).
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import gymnasium.logger
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from sixer import _images, multi

if TYPE_CHECKING:
    from sixer._window import Window

Array = npt.NDArray[np.uint8]
ObsType = Literal["rgb_image", "grayscale_image", "ram"]

_AGENTS = ("first_0", "second_0", "third_0", "fourth_0")
_OBSERVATIONS = ("rgb_image", "grayscale_image", "ram")
_NOTHING = np.int32(0)  # the reward of most frames
#: observations, rewards, terminations, truncations and infos, by agent
Step = tuple[dict[str, Array], dict[str, Any], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class Options(TypedDict, total=False):
    """What every environment takes, whatever the game."""

    #: of the console's random numbers until reset() is given one; None: another one every time
    seed: int | None
    #: what players see: the screen, "rgb_image" or "grayscale_image", or the console's memory, "ram"
    obs_type: ObsType
    #: all 18 actions instead of those that the game uses
    full_action_space: bool
    #: steps after which an episode is truncated
    max_cycles: int
    #: "human": a window; "rgb_array": render() returns the screen
    render_mode: str | None
    #: a folder with GAME.bin, roms/GAME.bin or ROM/GAME/GAME.bin; None: wherever sixer and ale-py keep images
    auto_rom_install_path: str | os.PathLike[str] | None


def find_image(game: str, folder: str | os.PathLike[str] | None) -> Path:
    """The cartridge image of a game.

    Raises:
        FileNotFoundError: there is none; the message says where images are looked for.
    """
    if folder is None:
        known = _images.games().get(game)
        path = _images.find(game, known.md5s if known else ()) or _images.find(game)
        if path is None:
            raise _images.missing(game)
        return path
    names = (f"{game}.bin", f"roms/{game}.bin", f"ROM/{game}/{game}.bin")
    for path in (Path(folder, name) for name in names):
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"rom {game} is not installed: auto_rom_install_path={os.fspath(folder)!r} has none of "
        f"{', '.join(names)}; without that argument images are found where sixer keeps them ({_images.HOW_TO_IMPORT})"
    )


class ParallelAtariEnv(ParallelEnv, EzPickle):  # type: ignore[misc]
    """A game for one, two or four players who act at the same time.

    Args:
        game: id of the game, such as "pong".
        num_players: 1, 2 or 4.
        mode_num: mode of the game by multi-agent-ale-py's numbers; None: its first mode for so many players.
        env_name: name in `metadata`.
        seed: see `Options`, as for the other arguments.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: str,
        num_players: int,
        mode_num: int | None = None,
        seed: int | None = None,
        obs_type: ObsType = "rgb_image",
        full_action_space: bool = False,
        env_name: str | None = None,
        max_cycles: int = 100000,
        render_mode: str | None = None,
        auto_rom_install_path: str | os.PathLike[str] | None = None,
    ) -> None:
        EzPickle.__init__(
            self,
            game=game,
            num_players=num_players,
            mode_num=mode_num,
            seed=seed,
            obs_type=obs_type,
            full_action_space=full_action_space,
            env_name=env_name,
            max_cycles=max_cycles,
            render_mode=render_mode,
            auto_rom_install_path=auto_rom_install_path,
        )
        if obs_type not in _OBSERVATIONS:
            raise AssertionError(f"obs_type must be one of {', '.join(map(repr, _OBSERVATIONS))}, not {obs_type!r}")
        self.obs_type = obs_type
        self.full_action_space = full_action_space
        self.num_players = num_players
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.rom_path = str(find_image(game, auto_rom_install_path))
        self.metadata = {
            "render_modes": ["human", "rgb_array"],
            "name": env_name if env_name is not None else f"custom_{game}",
            "render_fps": 60,
        }
        self.frame = 0
        self._window: Window | None = None

        self.ale = multi.ALEInterface()
        self.ale.setFloat(b"repeat_action_probability", 0.0)
        self._set_seed(seed)
        self.ale.loadROM(self.rom_path)
        modes: list[int] = self.ale.getAvailableModes(num_players).tolist() if num_players in (1, 2, 4) else []
        if not modes:
            raise AssertionError(f"{game} has no mode for {num_players!r} players")
        if mode_num is not None and mode_num not in modes:
            there = ", ".join(map(str, modes))
            raise AssertionError(f"mode {mode_num} of {game} is not one for {num_players} players; those are {there}")
        self.mode = modes[0] if mode_num is None else mode_num
        self.ale.setMode(self.mode)

        self._set_spaces()
        self.possible_agents = list(_AGENTS[:num_players])
        self.numbers = {agent: number for number, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.terminations = {agent: False for agent in self.possible_agents}
        self.ended = False
        # the console below sixer.multi, which fills arrays that are made once
        self._act = self.ale._env.step
        self._rewards, self._lives = array("i", [0] * num_players), array("i", [0] * num_players)

    def _set_spaces(self) -> None:
        agents = _AGENTS[: self.num_players]
        self.action_mapping = np.arange(18) if self.full_action_space else np.asarray(self.ale.getMinimalActionSet())
        self._codes: list[int] = self.action_mapping.tolist()
        width, height = self.ale.getScreenDims()
        channels = {"rgb_image": (height, width, 3), "grayscale_image": (height, width, 1), "ram": (128,)}
        space = spaces.Box(0, 255, channels[self.obs_type], np.uint8)
        self.action_spaces = {agent: spaces.Discrete(len(self._codes)) for agent in agents}
        self.observation_spaces = {agent: space for agent in agents}
        look = {"rgb_image": "getScreenRGB", "grayscale_image": "getScreenGrayscale", "ram": "getRAM"}
        self.look = getattr(self.ale, look[self.obs_type])

    def _set_seed(self, seed: int | None) -> None:
        """Seed the console's generator, from the next load on. A seed of 0 is the clock."""
        self.np_random, used = seeding.np_random(seed)
        value = used % 2**32
        self.ale.setInt(b"random_seed", value - 2**32 if value >= 2**31 else value)

    def observation_space(self, agent: str) -> spaces.Box:
        """What `agent` sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """What `agent` can do."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Start an episode: observations and infos of all agents.

        Args:
            seed: of the console's random numbers, which otherwise go on. 0 is the clock.
            options: not used.
        """
        if seed is not None:
            self._set_seed(seed)
            self.ale.loadROM(self.rom_path)
            self.ale.setMode(self.mode)
        self.ale.reset_game()
        self.frame = 0
        self.agents = list(self.possible_agents)
        self.terminations = dict.fromkeys(self.agents, False)
        self.ended = False
        obs = self.look()
        return dict.fromkeys(self.agents, obs), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> Step:
        """Play a frame: observations, rewards, terminations, truncations and infos of the agents alive before it.

        Args:
            actions: index of an action for each agent. Agents without one, and those that are out, do what index 0
                stands for, which is FIRE in Wizard of Wor and Video Checkers and NOOP elsewhere.
        """
        codes, agents = self._codes, self.agents
        acts = [codes[0]] * self.num_players
        for agent in agents:
            if agent in actions:
                acts[self.numbers[agent]] = codes[int(actions[agent])]
        rewards = self.play(acts)
        obs = self.look()
        return (
            dict.fromkeys(agents, obs),
            {agent: rewards[self.numbers[agent]] for agent in agents},
            {agent: self.terminations[agent] for agent in agents},
            dict.fromkeys(agents, self.frame >= self.max_cycles),
            {agent: {} for agent in agents},
        )

    def checked(self, agents: Sequence[str], actions: Mapping[str, int]) -> list[int]:
        """The console's actions of all players, from those of the agents that play, or an error.

        Raises:
            KeyError: an agent has no action.
            AssertionError: an action is not in its space.
        """
        codes, numbers = self._codes, self.numbers
        acts = [codes[0]] * self.num_players
        for agent in agents:
            action = actions[agent]
            # the case of a plain integer is written out: Discrete.contains() takes as long as a tenth of a frame
            if not (type(action) is int and 0 <= action < len(codes)) and action not in self.action_spaces[agent]:
                raise AssertionError(
                    f"action is not in action space: {agent} has {action!r}, there are 0 to {len(codes) - 1}"
                )
            acts[numbers[agent]] = codes[int(action)]
        return acts

    def play(self, acts: list[int]) -> list[Any]:
        """Play a frame with an action of the console for each player, and return the reward of each.

        `frame`, `terminations` and `agents` are then those after it, and `ended` says whether anybody is out.
        """
        over = True in self._act(acts, self._rewards, self._lives)
        self.frame += 1
        if over or min(self._lives) < 0:
            self.ended = True
            self.terminations = {agent: over or self._lives[n] < 0 for agent, n in self.numbers.items()}
            self.agents = [agent for agent in self.agents if not self.terminations[agent]]
        elif self.ended:
            self.ended = False
            self.terminations = dict.fromkeys(self.possible_agents, False)
        if self.render_mode == "human":
            self.render()
        return [np.int32(reward) if reward else _NOTHING for reward in self._rewards]

    def render(self) -> Array | None:
        """Show the screen in a window ("human"), or return it ("rgb_array")."""
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        if self.render_mode not in self.metadata["render_modes"]:
            raise AssertionError(f"{self.render_mode} is not a valid render mode; there are human and rgb_array")
        picture: Array = self.ale.getScreenRGB()
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            from sixer._window import Window

            self._window = Window(f"sixer: {self.metadata['name']}", picture.shape[0], picture.shape[1])
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def clone_state(self) -> Array:
        """The state of console and game, without the random generator and without what PettingZoo counts."""
        return self._encode(self.ale.cloneState())

    def restore_state(self, state: Array) -> None:
        """Go back to a state of clone_state(). What is seen is the old screen until the next step."""
        self._restore(state, self.ale.restoreState)

    def clone_full_state(self) -> Array:
        """The state of clone_state() with the random generator."""
        return self._encode(self.ale.cloneSystemState())

    def restore_full_state(self, state: Array) -> None:
        """Go back to a state of clone_full_state()."""
        self._restore(state, self.ale.restoreSystemState)

    def _encode(self, handle: Any) -> Array:
        encoded: Array = self.ale.encodeState(handle)
        self.ale.deleteState(handle)
        return encoded

    def _restore(self, state: Array, restore: Callable[[Any], None]) -> None:
        handle = self.ale.decodeState(state)
        restore(handle)
        self.ale.deleteState(handle)


def BaseAtariEnv(**arguments: Any) -> AECEnv:
    """`ParallelAtariEnv` in the turn-based form, with the same arguments."""
    return parallel_to_aec_wrapper(ParallelAtariEnv(**arguments))
