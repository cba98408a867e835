"""A drop-in replacement for the package ale_py, version 0.12.1: the same names, settings, errors and numbers.

    import gymnasium
    import sixer.ale as ale_py

    gymnasium.register_envs(ale_py)
    env = gymnasium.make("ALE/Breakout-v5")

A library that imports ale_py itself registers the same ids for ale_py's environments. `sixer.ale.install()`, before
or after such an import, makes this package stand in for ale_py in the whole process.

What ends the process in ale_py (a missing image, an unknown game, a wrong action) is an exception here.
"""

from __future__ import annotations

import importlib as _importlib
import os as _os
import sys as _sys
from typing import TYPE_CHECKING, Any

from sixer._sixer import ALEState
from sixer.ale import roms as roms
from sixer.ale.interface import Action, ALEInterface, LoggerMode

#: Version of ale_py whose behavior this package has.
__version__ = "0.12.1"

#: Where this package is.
packagedir = _os.path.dirname(_os.path.abspath(__file__))

#: Windows are shown and sounds are played where the system has the SDL2 library.
SDL_SUPPORT = True

__all__ = [
    "Action",
    "ALEInterface",
    "ALEState",
    "LoggerMode",
    "SDL_SUPPORT",
]

try:
    import gymnasium as _gymnasium
except ImportError:
    _gymnasium = None  # type: ignore[assignment]

if TYPE_CHECKING or _gymnasium is not None:
    from sixer.ale import _ale_py as _ale_py
    from sixer.ale import registration as registration
    from sixer.ale.env import AtariEnv, AtariEnvStepMetadata
    from sixer.ale.registration import register_v0_v4_envs, register_v5_envs
    from sixer.ale.vector_env import ALEVectorInterface, AtariVectorEnv

    __all__ += ["AtariEnv", "AtariEnvStepMetadata", "AtariVectorEnv", "ALEVectorInterface"]

    register_v0_v4_envs()
    register_v5_envs()
else:
    _NEED_GYMNASIUM = {"AtariEnv", "AtariEnvStepMetadata", "AtariVectorEnv", "ALEVectorInterface"}
    _NEED_GYMNASIUM |= {"_ale_py", "env", "vector_env", "registration", "register_v0_v4_envs", "register_v5_envs"}

    def __getattr__(name: str) -> Any:
        if name in _NEED_GYMNASIUM:
            raise ImportError(f"sixer.ale.{name} needs Gymnasium; `pip install sixer[gymnasium]` brings it")
        raise AttributeError(f"module 'sixer.ale' has no attribute {name!r}")


def install() -> None:
    """Stand in for ale_py in the whole process: `import ale_py` gives this package from now on, and its ids are
    registered again if ale_py has taken them.

    Names that another module has already imported from ale_py stay as they are; call this before such imports.
    """
    for name in [name for name in _sys.modules if name == "ale_py" or name.startswith("ale_py.")]:
        del _sys.modules[name]
    _sys.modules["ale_py"] = _sys.modules[__name__]
    for part in ("_ale_py", "env", "registration", "roms", "vector_env"):
        if part == "roms" or _gymnasium is not None:
            _sys.modules[f"ale_py.{part}"] = _importlib.import_module(f"{__name__}.{part}")
    if _gymnasium is not None:
        register_v0_v4_envs()
        register_v5_envs()
