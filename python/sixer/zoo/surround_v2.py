"""Surround, for two players.

Two trails that nobody may touch. Each crash is a point for the other, taken from who crashed; ten of them win.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _console(**options: Unpack[Options]) -> ParallelAtariEnv:
    """Surround, for two players. The options are those of `sixer.zoo.base.Options`."""
    return ParallelAtariEnv(game="surround", num_players=2, mode_num=1, env_name="surround_v2", **options)


raw_env, env, parallel_env = forms(_console)
