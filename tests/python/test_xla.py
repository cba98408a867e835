"""AtariVectorEnv.xla(), where JAX is installed: the same as step() and reset(), compiled and in loops too."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import image

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy


def pair(six, count=3, **arguments):
    image("breakout")
    return [six.AtariVectorEnv("breakout", count, **arguments) for _ in range(2)]


def equal(left, right):
    return all(
        np.array_equal(a, b) if not isinstance(a, dict) else list(a) == list(b) and equal(a.values(), b.values())
        for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("compiled", [False, True])
def test_as_the_plain_functions(six, compiled):
    plain, traced = pair(six)
    handle, reset, step = traced.xla()
    assert traced.is_xla_registered and handle.shape == (8,) and handle.dtype == np.uint8
    handle, first = reset(handle, seed=jnp.array([3, 4, 5]))
    assert equal(first, plain.reset(seed=np.array([3, 4, 5])))
    if compiled:
        step = jax.jit(step)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = rng.integers(0, 4, 3)
        handle, results = step(handle, jnp.asarray(actions))
        other = plain.step(actions)
        results = (*results[:4], {name: results[4][name] for name in other[4]})  # compiled programs sort dicts
        assert equal(results, other)


def test_loops(six):
    plain, traced = pair(six)
    handle, reset, step = traced.xla()
    handle, _ = reset(handle, seed=1)
    plain.reset(seed=1)
    actions = np.random.default_rng(1).integers(0, 4, (50, 3)).astype(np.int32)

    def body(handle, action):
        handle, (_, rewards, _, _, info) = step(handle, action)
        return handle, (rewards, info["frame_number"])

    _, (rewards, frames) = jax.jit(lambda h: jax.lax.scan(body, h, actions))(handle)
    others = [plain.step(action) for action in actions]
    assert np.array_equal(rewards, [other[1] for other in others])
    assert np.array_equal(frames, [other[4]["frame_number"] for other in others])


def test_masks_and_continuous_actions(six):
    plain, traced = pair(six, continuous=True)
    handle, reset, step = traced.xla()
    handle, _ = reset(handle, seed=2)
    plain.reset(seed=2)
    actions = np.random.default_rng(1).uniform(0, 1, (3, 3)).astype(np.float32)
    assert equal(step(handle, actions)[1], plain.step(actions))
    mask = np.array([True, False, True])
    seeds = np.array([8, 9])
    assert equal(reset(handle, seeds, mask)[1], plain.reset(seed=seeds, options={"reset_mask": mask}))


def test_what_is_refused(six):
    _, traced = pair(six)
    handle, reset, step = traced.xla()
    for call in (
        lambda: reset(handle, seed=jnp.array([1, 2])),
        lambda: reset(handle, reset_mask=np.array([1, 0, 1])),
        lambda: reset(handle, reset_mask=np.array([True])),
        lambda: step(handle, jnp.zeros(2, jnp.int32)),
        lambda: step(handle, jnp.zeros(3)),
        lambda: six.AtariVectorEnv("breakout", 2, autoreset_mode="SameStep").xla(),
    ):
        with pytest.raises(AssertionError):
            call()


def test_against_the_reference(both):
    pytest.importorskip("chex", reason="the reference's xla() needs chex")
    image("breakout")
    runs = []
    for module in both:
        envs = module.AtariVectorEnv("breakout", 3, episodic_life=True)
        handle, reset, step = envs.xla()
        handle, first = reset(handle, seed=5)
        run = [first]
        for i in range(40):
            handle, results = step(handle, jnp.full(3, i % 4, jnp.int32))
            run.append(results)
        runs.append(run)
    for left, right in zip(*runs, strict=True):
        assert equal(left, right)
