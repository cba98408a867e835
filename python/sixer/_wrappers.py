"""Base classes of wrappers: those of Gymnasium, or what is needed of them where it is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sixer import _gymnasium

if TYPE_CHECKING:
    import gymnasium

    Wrapper = gymnasium.Wrapper[Any, Any, Any, Any]
    VectorWrapper = gymnasium.vector.VectorWrapper
elif _gymnasium.spaces is None:

    class Wrapper:
        """What is needed of gymnasium.Wrapper where Gymnasium is not installed."""

        def __init__(self, env: Any) -> None:
            self.env = env

        def __getattr__(self, name: str) -> Any:
            if name in ("env", "_inner"):
                raise AttributeError(name)
            return getattr(self.env, name)

    VectorWrapper = Wrapper
else:
    import gymnasium

    Wrapper = gymnasium.Wrapper
    if hasattr(gymnasium.vector, "VectorWrapper"):
        VectorWrapper = gymnasium.vector.VectorWrapper
    else:  # Gymnasium 0.29
        VectorWrapper = gymnasium.vector.VectorEnvWrapper
