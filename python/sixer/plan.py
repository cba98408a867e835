"""Play games with the agents of the library: planners, which search with the emulator as their model, and baselines.

import sixer.plan

def show(d):
    print(d["decision"], d["action"], d["score"], d["nodes"], d["depth"])

result = sixer.plan.play("sporefall", "uct", simulations=20, horizon=60, decisions=50, callback=show)
print(result.score)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sixer import _sixer
from sixer.agents import _options, _rom, agents

__all__ = ["Result", "agents", "play"]


@dataclass(frozen=True)
class Result:
    """An episode: its score, how many frames it lasted, why it ended (None: it was stopped), and each action."""

    score: int
    frames: int
    end: str | None
    actions: tuple[int, ...]


def play(
    game: Any,
    agent: str = "uct",
    *,
    seed: int = 1,
    decisions: int | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    sticky: float = 0.0,
    frame_skip: int = 5,
    mode: int | None = None,
    difficulty: int = 0,
    max_frames: int = 18000,
    minimal: bool = False,
    **options: Any,
) -> Result:
    """Play an episode of a game (an id, or the path of an image) with an agent.

    Further keywords are options of the agent (`agents()` lists them). After each decision `callback` gets a dict: the
    decision's number, the action, reward and score, and what the search took (frames, nodes, depth, seconds, ...). If
    it returns False, the episode is stopped. Unless the budget is time, the same arguments give the same episode, in
    Python and with `sixer plan`.
    """
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed is 0 to 4294967295, found {seed}")
    score, frames, end, actions = _sixer.plan(
        rom=_rom(game),
        agent=agent,
        options=_options(None, options),
        seed=seed,
        sticky=sticky,
        frame_skip=frame_skip,
        mode=-1 if mode is None else mode,
        difficulty=difficulty,
        max_frames=max_frames,
        minimal=minimal,
        decisions=-1 if decisions is None else decisions,
        callback=callback,
    )
    return Result(score, frames, end, tuple(actions))
