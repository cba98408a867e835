"""Double Dunk, for two players.

Basketball of two against two. Who waits for two seconds in the choice of a play loses a point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Double Dunk, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="double_dunk", num_players=2, mode_num=16, env_name="double_dunk_v3", **options)


raw_env, env, parallel_env = forms(_console)
