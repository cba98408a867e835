"""Video Checkers, for two players.

The board game. 1 for who wins and -1 for who loses; who waits for ten seconds loses a point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Video Checkers, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="video_checkers", num_players=2, mode_num=10, env_name="video_checkers_v4", **options)


raw_env, env, parallel_env = forms(_console)
