"""Video Olympics (Pong), for two or four players.

A point for each goal, taken from the other side. Who does not serve within two seconds loses a point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo._pong import mode_of
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(num_players: int = 2, game_version: str = "classic", **options: Unpack[Options]) -> ParallelAtariEnv:
    """Video Olympics (Pong).

    Args:
        num_players: 2 or 4.
        game_version: "classic", "two_paddles", "soccer", "foozpong", "hockey", "handball", "volleyball" or
            "basketball"; for four players also "quadrapong".
        **options: those of `sixer.zoo.base.Options`.
    """
    mode = mode_of(game_version, num_players)
    return ParallelAtariEnv(game="pong", num_players=num_players, mode_num=mode, env_name="pong_v3", **options)


raw_env, env, parallel_env = forms(_console)
