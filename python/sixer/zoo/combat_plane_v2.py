"""Combat with airplanes, for two players.

A point for each hit, taken from the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


_MODES = {"bi-plane": 15, "jet": 21}


def _console(
    game_version: str = "bi-plane", guided_missile: bool = True, **options: Unpack[Options]
) -> ParallelAtariEnv:
    """Combat with airplanes.

    Args:
        game_version: "bi-plane" or "jet".
        guided_missile: whether missiles can be steered after the shot.
        **options: those of `sixer.zoo.base.Options`.
    """
    if game_version not in _MODES:
        raise AssertionError(f"game_version must be either 'jet' or 'bi-plane', not {game_version!r}")
    mode = _MODES[game_version] + (0 if guided_missile else 1)
    return ParallelAtariEnv(game="combat", num_players=2, mode_num=mode, env_name="combat_plane_v2", **options)


raw_env, env, parallel_env = forms(_console)
