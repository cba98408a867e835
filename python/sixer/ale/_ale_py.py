"""The names that the reference's compiled module has, for programs that import them from there."""

from __future__ import annotations

import enum

from sixer._sixer import ALEState
from sixer.ale.interface import Action, ALEInterface, LoggerMode
from sixer.ale.vector_env import ALEVectorInterface

__version__ = "0.12.1"
SDL_SUPPORT = True


class AutoresetMode(enum.Enum):
    """When an ended episode is followed by a new one."""

    NextStep = 0
    SameStep = 1


__all__ = ["SDL_SUPPORT", "ALEInterface", "ALEState", "ALEVectorInterface", "Action", "AutoresetMode", "LoggerMode"]

globals().update({member.name: member for kind in (Action, LoggerMode) for member in kind})
