"""sixer: an Arcade Learning Environment in C, bit-exact with ale-py and fast.

    import sixer

    env = sixer.make("breakout")
    obs, info = env.reset(seed=1)
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())

In Gymnasium, `gymnasium.register_envs(sixer)` registers ids such as "sixer/Duskrain-v0" and "sixer/Breakout-v0".

`sixer.make` makes one environment, `sixer.vector.make` many that are stepped together. `sixer.ale` replaces the package
`ale_py`: change the import to `import sixer.ale as ale_py` and nothing else.
"""

from __future__ import annotations

from sixer import tapes, vector
from sixer._gymnasium import register as _register
from sixer._images import games as _games
from sixer._sixer import BEHAVIOR as __behavior__
from sixer._sixer import VERSION as __version__
from sixer.env import Env, Switch, make
from sixer.recorder import record
from sixer.vector import ENDS, Vector

__all__ = [
    "ENDS",
    "Env",
    "Switch",
    "Vector",
    "__behavior__",
    "__version__",
    "games",
    "make",
    "record",
    "tapes",
    "vector",
]


def games() -> list[str]:
    """The ids of the games whose rules are known.

    The images of our own games come with the package; those of the others are the user's to bring.
    """
    return list(_games())


_register(_games().values())
