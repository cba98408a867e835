"""Joust, for two players.

Two riders on ostriches, with and against each other, each with its own score. A player without lives is out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Joust, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="joust", num_players=2, mode_num=1, env_name="joust_v3", **options)


raw_env, env, parallel_env = forms(_console)
