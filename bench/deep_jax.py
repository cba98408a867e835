"""The contender of `bench/compare --deep` in JAX: the same networks, losses and optimizers as `sixer bench nn`, jitted,
NHWC, with donated buffers and arrays that are on the device already.

    deep_jax.py THREADS SECONDS     with one thread processor time of the whole process, else time by the clock

Prints the best times: work and seconds, a line each.
"""

import os
import sys
import time

threads, limit = int(sys.argv[1]), float(sys.argv[2])
if threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

clock = time.process_time if threads == 1 else time.perf_counter
ACTIONS = 18
CONVOLUTIONS = ((8, 4, 4, 32), (4, 2, 32, 64), (3, 1, 64, 64))  # kernel, stride, inputs, filters


def parameters(seed, norm):
    rng = np.random.default_rng(seed)

    def layer(shape):
        bound = 1 / np.sqrt(np.prod(shape[:-1]))
        w, b = rng.uniform(-bound, bound, shape), rng.uniform(-bound, bound, shape[-1])
        return {"w": jnp.array(w, jnp.float32), "b": jnp.array(b, jnp.float32)}

    layers = [layer((k, k, inputs, filters)) for k, _, inputs, filters in CONVOLUTIONS]
    layers += [layer((3136, 512)), layer((512, ACTIONS))]
    if norm:
        for part in layers[:-1]:
            part["scale"], part["shift"] = jnp.ones_like(part["b"]), jnp.zeros_like(part["b"])
    return layers


def activate(x, part):
    if "scale" in part:  # LayerNorm over the channels, as Flax has it
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        x = (x - mean) * jax.lax.rsqrt(variance + 1e-6) * part["scale"] + part["shift"]
    return jax.nn.relu(x)


def values(layers, states):
    x = states.astype(jnp.float32) / 255
    for part, (_, stride, _, _) in zip(layers, CONVOLUTIONS):
        x = jax.lax.conv_general_dilated(
            x, part["w"], (stride, stride), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = activate(x + part["b"], part)
    x = activate(x.reshape(len(x), -1) @ layers[3]["w"] + layers[3]["b"], layers[3])
    return x @ layers[4]["w"] + layers[4]["b"]


def moments(m, v, gradients):
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradients)
    return m, jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradients)


def dqn_update(online, m, v, step, target, states, following, actions, rewards):
    """Target pass, online pass, Huber loss, backward pass, Adam."""

    def loss(layers):
        q = jnp.take_along_axis(values(layers, states), actions[:, None], 1)[:, 0]
        goal = rewards + 0.99 * jax.lax.stop_gradient(values(target, following)).max(1)
        error = jnp.abs(q - goal)
        return jnp.where(error < 1, 0.5 * error**2, error - 0.5).mean()

    gradients = jax.grad(loss)(online)
    step += 1
    m, v = moments(m, v, gradients)
    rate, root = 6.25e-5 / (1 - 0.9**step), jnp.sqrt(1 - 0.999**step)
    online = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) / root + 1.5e-4), online, m, v)
    return online, m, v, step


def pqn_update(online, m, v, step, states, actions, goals):
    """Pass with LayerNorm, squares, backward pass, clipping to a norm of 10, RAdam."""

    def loss(layers):
        q = jnp.take_along_axis(values(layers, states), actions[:, None], 1)[:, 0]
        return 0.5 * ((q - goals) ** 2).mean()

    gradients = jax.grad(loss)(online)
    norm = jnp.sqrt(sum((g * g).sum() for g in jax.tree.leaves(gradients)))
    gradients = jax.tree.map(lambda g: g * jnp.minimum(1, 10 / norm), gradients)
    step += 1
    m, v = moments(m, v, gradients)
    power = 0.999**step
    longest = 2 / (1 - 0.999) - 1
    length = longest - 2 * step * power / (1 - power)
    r = jnp.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * jnp.maximum(length, 5)))
    rate, root = 2.5e-4 / (1 - 0.9**step), jnp.sqrt(1 - power)
    online = jax.tree.map(
        lambda w, m, v: w - rate * m * jnp.where(length > 5, r * root / (jnp.sqrt(v) + 1e-8), 1), online, m, v
    )
    return online, m, v, step


def best(call, least=5):
    """The shortest of as many calls as fit into the time, at least `least`, after two to compile and warm up."""
    call(), call()
    shortest, end, count = 1e9, time.perf_counter() + limit, 0
    while time.perf_counter() < end or count < least:
        begin = clock()
        call()
        shortest = min(shortest, clock() - begin)
        count += 1
    return shortest


def updater(function, norm, *data):
    layers = parameters(1, norm)
    zeros = jax.tree.map(jnp.zeros_like, layers)
    state = [layers, zeros, jax.tree.map(jnp.zeros_like, layers), jnp.float32(0)]
    compiled = jax.jit(function, donate_argnums=(0, 1, 2))

    def call():
        state[:] = compiled(*state, *data)
        jax.block_until_ready(state)

    return call


def main():
    rng = np.random.default_rng(2)
    states = jnp.array(rng.integers(0, 256, (256, 84, 84, 4), np.uint8))
    actions = jnp.array(rng.integers(0, ACTIONS, 128))
    rewards = jnp.zeros(128, jnp.float32)
    target = parameters(3, False)
    update = updater(dqn_update, False, target, states[:32], states[32:64], actions[:32], rewards[:32])
    print(f"dqn {best(update):.9f}")
    print(f"pqn {best(updater(pqn_update, True, states[:128], actions, rewards)):.9f}")
    forward = jax.jit(values)
    print(f"act {best(lambda: forward(target, states[:1]).block_until_ready()):.9f}")
    print(f"version {jax.__version__}")


main()
