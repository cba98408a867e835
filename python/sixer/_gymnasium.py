"""Base classes from Gymnasium where it is installed, and plain ones where not."""

from __future__ import annotations

from typing import Any

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
