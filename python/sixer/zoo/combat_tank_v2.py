"""Combat with tanks, for two players.

A point for each hit, taken from the other.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


_MODES = {(False, False): 1, (False, True): 8, (True, False): 10, (True, True): 13}  # invisible, billiard


def _console(
    has_maze: bool = True, is_invisible: bool = False, billiard_hit: bool = True, **options: Unpack[Options]
) -> ParallelAtariEnv:
    """Combat with tanks.

    Args:
        has_maze: whether there are walls.
        is_invisible: whether tanks are seen only when they shoot, hit or touch a wall.
        billiard_hit: whether shells bounce off walls, and must before they count.
        **options: those of `sixer.zoo.base.Options`.
    """
    if not (has_maze or is_invisible or billiard_hit):
        warnings.warn("combat_tank is the plain game: consider has_maze, is_invisible and billiard_hit", stacklevel=3)
    mode = _MODES[bool(is_invisible), bool(billiard_hit)] + (1 if has_maze else 0)
    return ParallelAtariEnv(game="combat", num_players=2, mode_num=mode, env_name="combat_tank_v2", **options)


raw_env, env, parallel_env = forms(_console)
