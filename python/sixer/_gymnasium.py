"""Gymnasium, if it is installed: base classes of the environments, and their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sixer._images import Game

spaces: Any
Env: Any
VectorEnv: Any

try:
    import gymnasium
except ImportError:
    spaces = None
    Env = VectorEnv = object
else:
    spaces = gymnasium.spaces
    Env = gymnasium.Env
    VectorEnv = gymnasium.vector.VectorEnv


def register(games: Iterable[Game]) -> None:
    """Register sixer/Breakout-v0 and so on: the environments of sixer.make with its defaults."""
    if spaces is None:
        return
    for game in games:
        id = f"sixer/{game.gymnasium_name or game.id.title().replace('_', '')}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(id=id, entry_point="sixer.env:Env", kwargs={"game": game.id})
