"""Tennis, for two players.

A set of tennis, a reward for each point and game. Who does not serve within three seconds loses a point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Tennis, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="tennis", num_players=2, mode_num=2, env_name="tennis_v3", **options)


raw_env, env, parallel_env = forms(_console)
