"""AtariVectorEnv.xla(): reset and step as functions that JAX can trace, compile and put into loops.

They are ordered callbacks into Python, so they run on the host even if the rest of the program runs on an accelerator.
The environments keep their state here; the handle that is passed in and out only tells JAX the order of the calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

if TYPE_CHECKING:
    from sixer.ale.vector_env import AtariVectorEnv

_INFO = ("env_id", "lives", "frame_number", "episode_frame_number")


def functions(envs: AtariVectorEnv) -> tuple[Any, Callable[..., Any], Callable[..., Any]]:
    """The handle, reset(handle, seed=None, reset_mask=None), and step(handle, actions)."""
    try:
        import jax
        import jax.numpy as jnp
        from jax.experimental import io_callback
    except ImportError as error:
        raise gymnasium.error.DependencyNotInstalled("xla() needs JAX: `pip install jax` brings it") from error
    assert envs.autoreset_mode == gymnasium.vector.AutoresetMode.NEXT_STEP, (
        f"xla() works with autoreset_mode NEXT_STEP, not {envs.autoreset_mode}"
    )

    rows = (envs.batch_size,)
    handle_type = jax.ShapeDtypeStruct((8,), np.uint8)
    obs_type = jax.ShapeDtypeStruct((*rows, *envs.ale.get_observation_shape()), np.uint8)
    info_type = (jax.ShapeDtypeStruct(rows, np.int32),) * len(_INFO)  # a dict would come back sorted
    flag_type = jax.ShapeDtypeStruct(rows, np.bool_)
    reward_type = jax.ShapeDtypeStruct(rows, np.int32)

    def call_reset(handle: Any, ids: Any, seeds: Any) -> Any:
        obs, info = envs.ale.reset(np.asarray(ids), np.asarray(seeds))
        return np.asarray(handle), (obs, tuple(info[name] for name in _INFO))

    def call_step(handle: Any, actions: Any) -> Any:
        *results, info = envs.step(np.asarray(actions))
        return np.asarray(handle), (*results, tuple(info[name] for name in _INFO))

    def reset(
        handle: np.ndarray, seed: np.ndarray | None = None, reset_mask: np.ndarray | None = None
    ) -> tuple[np.ndarray, tuple[np.ndarray, dict[str, np.ndarray]]]:
        ids = np.arange(envs.num_envs, dtype=np.int32)
        if reset_mask is not None:
            mask = np.asarray(reset_mask)  # its number of environments must be known when a program is traced
            assert mask.shape == ids.shape, f"reset_mask has shape {mask.shape}, expected {ids.shape}"
            assert mask.dtype == np.bool_, f"reset_mask has type {mask.dtype}, expected bool"
            ids = ids[mask]
        if seed is None:
            seeds = jnp.full(len(ids), -1, jnp.int32)
        elif isinstance(seed, int):
            seeds = jnp.arange(seed, seed + len(ids), dtype=jnp.int32)
        else:
            seeds = jnp.asarray(seed, jnp.int32)
        assert seeds.shape == ids.shape, f"seed has shape {seeds.shape}, expected {ids.shape}"
        types = (handle_type, (obs_type, info_type))
        handle, (obs, info) = io_callback(call_reset, types, handle, ids, seeds, ordered=True)
        return handle, (obs, dict(zip(_INFO, info, strict=True)))

    def step(handle: Any, actions: Any) -> Any:
        given = jnp.asarray(actions)
        shape, kind = ((*rows, 3), np.float32) if envs.continuous else (rows, np.int32)
        assert given.shape == shape, f"actions have shape {given.shape}, expected {shape}"
        if given.dtype == jnp.int64:
            given = given.astype(jnp.int32)
        assert given.dtype == kind, f"actions have type {given.dtype}, expected {np.dtype(kind)}"
        types = (handle_type, (obs_type, reward_type, flag_type, flag_type, info_type))
        handle, (*results, info) = io_callback(call_step, types, handle, given, ordered=True)
        return handle, (*results, dict(zip(_INFO, info, strict=True)))

    return jnp.asarray(envs.ale.handle()), reset, step
