"""Space Invaders, for two players.

Two cannons against the invaders. Each player is rewarded for what it shoots; they share their lives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(
    alternating_control: bool = False,
    moving_shields: bool = True,
    zigzaging_bombs: bool = False,
    fast_bomb: bool = False,
    invisible_invaders: bool = False,
    **options: Unpack[Options],
) -> ParallelAtariEnv:
    """Space Invaders.

    Args:
        alternating_control: whether the players take turns at one cannon.
        moving_shields: whether the shields move.
        zigzaging_bombs: whether bombs fall in zigzag. (The name is spelled as in PettingZoo.)
        fast_bomb: whether bombs fall fast.
        invisible_invaders: whether invaders are seen only when one is hit.
        **options: those of `sixer.zoo.base.Options`.
    """
    switches = (moving_shields, zigzaging_bombs, fast_bomb, invisible_invaders, alternating_control)
    mode = 33 + sum(bool(switch) << bit for bit, switch in enumerate(switches))
    name = "space_invaders_v2"
    return ParallelAtariEnv(game="space_invaders", num_players=2, mode_num=mode, env_name=name, **options)


raw_env, env, parallel_env = forms(_console)
