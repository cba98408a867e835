"""The parallel form of the named environments.

PettingZoo makes it by turning its parallel class into a turn-based one, wrapping that twice and turning it back, which
takes longer than the frame itself. `Parallel` gives the same results, types and order of keys directly. It differs in
one thing: all actions are checked before any has an effect. A step that raises an error changes nothing, where
PettingZoo's environment is left in the middle of a round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from gymnasium import spaces
from pettingzoo import ParallelEnv

from sixer.zoo.base import Array, ParallelAtariEnv, Step


class Parallel(ParallelEnv):  # type: ignore[misc]
    """A game for players who act at the same time, with everything checked.

    Args:
        console: the environment below; `unwrapped` returns it.
    """

    agents: list[str]

    def __init__(self, console: ParallelAtariEnv) -> None:
        self.metadata = {**console.metadata, "is_parallelizable": True}
        self.render_mode = console.render_mode
        self.possible_agents = list(console.possible_agents)
        self._console = console
        self._was_reset = False

    @property
    def unwrapped(self) -> ParallelAtariEnv:
        """The environment below, with `ale`, `clone_state` and so on."""
        return self._console

    def observation_space(self, agent: str) -> spaces.Box:
        """What `agent` sees."""
        return self._console.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:
        """What `agent` can do."""
        return self._console.action_space(agent)

    @property
    def observation_spaces(self) -> dict[str, Any]:
        """What each agent sees."""
        return self._console.observation_spaces

    @property
    def action_spaces(self) -> dict[str, Any]:
        """What each agent can do."""
        return self._console.action_spaces

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Start an episode: observations and infos of all agents.

        Args:
            seed: of the console's random numbers, which otherwise go on. 0 is the clock.
            options: not used.
        """
        result = self._console.reset(seed=seed, options=options)
        self.agents = list(self._console.agents)
        self._was_reset = True
        return result

    def step(self, actions: Mapping[str, int]) -> Step:
        """Play a frame: observations, rewards, terminations, truncations and infos of the agents alive before it.

        Args:
            actions: index of an action for each agent in `agents`.

        Raises:
            KeyError: an agent has no action.
            AssertionError: an action is not in its space.
        """
        if not self._was_reset:
            raise AttributeError("agents cannot be accessed before reset: call reset() first")
        agents, console = self.agents, self._console
        if not agents:
            return {}, defaultdict(int), {}, {}, {}
        rewards = console.play(console.checked(agents, actions))
        obs = console.look()
        truncated = console.frame >= console.max_cycles
        if len(agents) < len(rewards):
            rewards = [rewards[console.numbers[agent]] for agent in agents]
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        if not console.ended:
            seen, terminations = dict.fromkeys(agents, obs), dict.fromkeys(agents, False)
        else:
            terminations = {agent: console.terminations[agent] for agent in agents}
            living = [agent for agent in agents if not terminations[agent]]
            # PettingZoo lists those who are out behind the others, by name
            seen = dict.fromkeys(living + sorted(agent for agent in agents if terminations[agent]), obs)
            self.agents = living
        if truncated:
            self.agents = []
        return seen, defaultdict(int, zip(agents, rewards)), terminations, dict.fromkeys(agents, truncated), infos

    def render(self) -> Array | None:
        """Show the screen in a window (render_mode "human"), or return it ("rgb_array")."""
        if not self._was_reset:
            raise AssertionError("reset() needs to be called before render.")
        return self._console.render()

    def state(self) -> Array:
        """There is no global state, as in PettingZoo's Atari environments: all players see the same screen."""
        if not self._was_reset:
            raise AssertionError("reset() needs to be called before state.")
        state: Array = self._console.state()
        return state

    def close(self) -> None:
        """Close the window, if there is one."""
        self._console.close()

    def __str__(self) -> str:
        return str(self.metadata["name"])
