"""Video Olympics, Quadrapong, for four players.

A goal at each side of the screen, four players in two teams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Video Olympics, Quadrapong, for four players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="pong", num_players=4, mode_num=33, env_name="quadrapong_v4", **options)


raw_env, env, parallel_env = forms(_console)
