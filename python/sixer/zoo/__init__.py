"""The 24 environments of `pettingzoo.atari` for two and four players, on sixer's console.

    from sixer.zoo import pong_v3

    env = pong_v3.parallel_env(num_players=4)
    observations, infos = env.reset(seed=1)
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)

Each module has `parallel_env`, in which all players act at once, `env`, in which they take turns, and `raw_env`, the
same without checks. Names, options, seeds and results are those of PettingZoo 1.27 with multi-agent-ale-py 0.1.12,
neither of whose games need to be installed: images are found where sixer and ale-py keep them.

PettingZoo itself is needed: `pip install sixer[zoo]`.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from types import ModuleType
from typing import Any, Literal

for _package in ("gymnasium", "pettingzoo"):
    if importlib.util.find_spec(_package) is None:
        raise ImportError(f"sixer.zoo needs {_package}, which is not installed: `pip install sixer[zoo]` installs it")

#: the environments
NAMES = (
    "basketball_pong_v3",
    "boxing_v2",
    "combat_plane_v2",
    "combat_tank_v2",
    "double_dunk_v3",
    "entombed_competitive_v3",
    "entombed_cooperative_v3",
    "flag_capture_v2",
    "foozpong_v3",
    "ice_hockey_v2",
    "joust_v3",
    "mario_bros_v3",
    "maze_craze_v3",
    "othello_v3",
    "pong_v3",
    "quadrapong_v4",
    "space_invaders_v2",
    "space_war_v2",
    "surround_v2",
    "tennis_v3",
    "video_checkers_v4",
    "volleyball_pong_v3",
    "warlords_v3",
    "wizard_of_wor_v3",
)

__all__ = ["NAMES", "make", *NAMES]

_FORMS = {"parallel": "parallel_env", "aec": "env", "raw": "raw_env"}


def make(name: str, api: Literal["parallel", "aec", "raw"] = "parallel", **options: Any) -> Any:
    """Make an environment by name.

    Args:
        name: "pong_v3"; or without the version, "pong"; or as PettingZoo's make() takes it, "atari/pong-v3".
        api: "parallel", "aec" (players take turns) or "raw" (the same without checks).
        **options: those of the environment, such as num_players, and of `sixer.zoo.base.Options`.
    """
    if api not in _FORMS:
        raise ValueError(f"there is no api {api!r}; there are {', '.join(_FORMS)}")
    return getattr(_module(_full_name(name)), _FORMS[api])(**options)


def _full_name(name: str) -> str:
    """The name of a module, from any of the spellings; a ValueError with the nearest names if there is none."""
    wanted = name.removeprefix("atari/").replace("-", "_")
    stems = {full.rpartition("_v")[0]: full for full in NAMES}
    found = wanted if wanted in NAMES else stems.get(wanted)
    if found is not None:
        return found
    near = stems.get(wanted.rpartition("_v")[0])
    if near is not None:
        raise ValueError(f"there is no environment {name!r} any more; there is {near}")
    close = difflib.get_close_matches(wanted, [*NAMES, *stems], n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(NAMES)}"
    raise ValueError(f"there is no environment {name!r}; {hint}")


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"sixer.zoo.{name}")


def __getattr__(name: str) -> ModuleType:
    """The modules are imported when they are used."""
    if name in NAMES:
        return _module(name)
    hint = ""
    if not name.startswith("_"):
        try:
            hint = f"; there is {_full_name(name)}"
        except ValueError as error:
            hint = f": {error}"
    raise AttributeError(f"module 'sixer.zoo' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted(__all__)
