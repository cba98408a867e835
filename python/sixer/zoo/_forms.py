"""The three forms of an environment, from the function that makes its console."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

from pettingzoo import AECEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from sixer.zoo.base import ParallelAtariEnv
from sixer.zoo.parallel import Parallel

Options = ParamSpec("Options")


def forms(
    console: Callable[Options, ParallelAtariEnv],
) -> tuple[Callable[Options, AECEnv], Callable[Options, AECEnv], Callable[Options, Parallel]]:
    """raw_env, env and parallel_env of a game, as PettingZoo's modules have them.

    raw_env is the turn-based form, env the same with checks of actions and of the order of calls, and parallel_env is
    the form in which all players act at once.
    """

    def raw_env(*args: Options.args, **kwargs: Options.kwargs) -> Any:
        return parallel_to_aec_wrapper(console(*args, **kwargs))

    def env(*args: Options.args, **kwargs: Options.kwargs) -> Any:
        return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(*args, **kwargs)))

    def parallel_env(*args: Options.args, **kwargs: Options.kwargs) -> Parallel:
        return Parallel(console(*args, **kwargs))

    for form, what in ((raw_env, "turn-based"), (env, "turn-based and checked"), (parallel_env, "parallel")):
        form.__doc__ = f"The {what} form. {console.__doc__}"
        form.__module__ = console.__module__
    return raw_env, env, parallel_env
