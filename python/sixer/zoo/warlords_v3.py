"""Warlords, for four players.

Four castles and a fireball. Who loses its king gets -1 and is out; the last one gets 1, and the episode ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Warlords, for four players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="warlords", num_players=4, mode_num=1, env_name="warlords_v3", **options)


raw_env, env, parallel_env = forms(_console)
