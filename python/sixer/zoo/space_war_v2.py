"""Space War, for two players.

A duel of two ships. A point for each hit, taken from the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Space War, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="space_war", num_players=2, mode_num=1, env_name="space_war_v2", **options)


raw_env, env, parallel_env = forms(_console)
