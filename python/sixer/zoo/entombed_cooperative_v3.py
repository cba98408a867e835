"""Entombed, for two players.

Two flee through a scrolling maze. Both get a point for each stage of it that they reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Entombed, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="entombed", num_players=2, mode_num=3, env_name="entombed_cooperative_v3", **options)


raw_env, env, parallel_env = forms(_console)
