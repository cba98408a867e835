"""Flag Capture, for two players.

Two search a field for a flag: a point for who finds it. 99 points end the game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Flag Capture, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="flag_capture", num_players=2, mode_num=1, env_name="flag_capture_v2", **options)


raw_env, env, parallel_env = forms(_console)
