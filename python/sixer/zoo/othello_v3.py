"""Othello, for two players.

The board game. A reward is the change of the difference in stones; who waits for ten seconds loses a point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Othello, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="othello", num_players=2, mode_num=4, env_name="othello_v3", **options)


raw_env, env, parallel_env = forms(_console)
