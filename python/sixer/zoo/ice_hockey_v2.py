"""Ice Hockey, for two players.

Three minutes of two against two. A point for each goal, taken from the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Ice Hockey, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="ice_hockey", num_players=2, mode_num=1, env_name="ice_hockey_v2", **options)


raw_env, env, parallel_env = forms(_console)
