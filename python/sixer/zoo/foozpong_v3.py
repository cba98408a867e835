"""Video Olympics, Foozpong, for two or four players.

Each side moves three columns of paddles, as in table soccer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo._pong import mode_of
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(num_players: int = 4, **options: Unpack[Options]) -> ParallelAtariEnv:
    """Video Olympics, Foozpong.

    Args:
        num_players: 2 or 4.
        **options: those of `sixer.zoo.base.Options`.
    """
    mode = mode_of("foozpong", num_players)
    name = "foozpong_v3"
    return ParallelAtariEnv(game="pong", num_players=num_players, mode_num=mode, env_name=name, **options)


raw_env, env, parallel_env = forms(_console)
