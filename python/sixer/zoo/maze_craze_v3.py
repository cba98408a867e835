"""Maze Craze, for two players.

Who leaves the maze first gets 1. Who is caught by those who roam it gets -1 and is out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixer.zoo._forms import forms
from sixer.zoo.base import Options, ParallelAtariEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack


_VERSIONS = {"robbers": 2, "race": 1, "capture": 12}


def _console(game_version: str = "robbers", visibilty_level: int = 0, **options: Unpack[Options]) -> ParallelAtariEnv:
    """Maze Craze.

    Args:
        game_version: "robbers", "race" or "capture".
        visibilty_level: from 0, all of the maze is seen, to 3, none of it. (The name is spelled as in PettingZoo.)
        **options: those of `sixer.zoo.base.Options`.
    """
    if game_version not in _VERSIONS:
        raise AssertionError(f"game_version must be one of {', '.join(_VERSIONS)}, not {game_version!r}")
    if not 0 <= visibilty_level <= 3:
        raise AssertionError(f"visibilty_level must be 0 to 3 (nothing of the maze is seen), not {visibilty_level!r}")
    mode = 4 * (_VERSIONS[game_version] - 1) + visibilty_level
    return ParallelAtariEnv(game="maze_craze", num_players=2, mode_num=mode, env_name="maze_craze_v3", **options)


raw_env, env, parallel_env = forms(_console)
