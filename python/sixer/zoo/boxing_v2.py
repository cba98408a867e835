"""Boxing, for two players.

A point for each hit, taken from the other. The first with 100 wins, else the better one after two minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Boxing, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="boxing", num_players=2, mode_num=2, env_name="boxing_v2", **options)


raw_env, env, parallel_env = forms(_console)
