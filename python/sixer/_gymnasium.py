"""Gymnasium, if it is installed: base classes of the environments, and their ids.

Type checkers see Gymnasium's classes as the bases, so that misspelled methods are found and an environment can be given
to whatever takes a gymnasium.Env.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gymnasium
    import numpy as np
    import numpy.typing as npt

    from sixer._images import Game

    Env = gymnasium.Env[npt.NDArray[np.uint8], int]
    VectorEnv = gymnasium.vector.VectorEnv[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
    spaces: Any = gymnasium.spaces
    AutoresetMode = gymnasium.vector.AutoresetMode
else:
    try:
        import gymnasium
    except ImportError:
        spaces = None
        Env = VectorEnv = object
    else:
        spaces = gymnasium.spaces
        Env = gymnasium.Env
        VectorEnv = gymnasium.vector.VectorEnv

    if spaces is not None and hasattr(gymnasium.vector, "AutoresetMode"):
        AutoresetMode = gymnasium.vector.AutoresetMode
    else:

        class AutoresetMode(enum.Enum):
            """When an ended episode is followed by a new one. Gymnasium has this class from 1.1 on."""

            NEXT_STEP = "NextStep"
            SAME_STEP = "SameStep"
            DISABLED = "Disabled"


def register(games: Iterable[Game]) -> None:
    """Register sixer/Breakout-v0 and so on: the environments of sixer.make with its defaults."""
    if spaces is None:
        return
    for game in games:
        if game.only_several:
            continue
        id = f"sixer/{game.gymnasium_name or game.id.title().replace('_', '')}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(
                id=id,
                entry_point="sixer.env:Env",
                vector_entry_point="sixer.vector:make_for_gymnasium",
                kwargs={"game": game.id},
            )
