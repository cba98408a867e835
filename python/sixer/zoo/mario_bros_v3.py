"""Mario Bros., for two players.

Two plumbers, with and against each other, each with its own score. A player without lives is out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Mario Bros., for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="mario_bros", num_players=2, mode_num=2, env_name="mario_bros_v3", **options)


raw_env, env, parallel_env = forms(_console)
