#!/usr/bin/env python3
"""One whole update of PQN, computed again in NumPy with 64-bit floats: values, targets, loss, gradients, clipping and
RAdam, as the paper defines them. test_pqn writes what goes into the update and what comes out of it. The results must
agree to 1e-5 of the largest number of each tensor."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("SKIPPED: NumPy is not installed")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nn"))
from test_nn_numpy import passes  # noqa: E402

BUILD = Path(os.environ.get("SIXER_BUILD", "build/release"))
ENVS, STEPS, ACTIONS = 3, 7, 4
TINY = "envs=3,rollout=7,epochs=1,batch=21,trunk=quick,size=20,hidden=16"
TOLERANCE = 1e-5


def check(rounds, norm, settings):
    options = {"lambda": 0.65, "gamma": 0.99, "rate": 1e-3, "max_norm": 10.0, **settings}
    text = ",".join([TINY, f"norm={norm}", *(f"{name}={value}" for name, value in options.items())])
    with tempfile.NamedTemporaryFile() as file:
        command = [BUILD / "tests" / "test_pqn", "dump", file.name, str(rounds), text]
        table = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        data = Path(file.name).read_bytes()
    rows = [line.split() for line in table if line]
    shapes = {row[0]: (int(row[1]), tuple(map(int, row[2:]))) for row in rows}
    total = sum(int(np.prod(shape)) for _, shape in shapes.values())
    at = 0

    def take(kind, *shape):
        nonlocal at
        count = int(np.prod(shape))
        array = np.frombuffer(data, kind, count, at).reshape(shape)
        at += count * array.itemsize
        return array

    def block():
        flat = take("f4", total).astype(np.float64)
        return {name: flat[o : o + int(np.prod(shape))].reshape(shape) for name, (o, shape) in shapes.items()}

    w, m, v = block(), block(), block()
    states = take("u1", STEPS + 1, ENVS, 4, 20, 20).astype(np.float64)
    lanes, rewards = take("i4", STEPS, ENVS), np.sign(take("i4", STEPS, ENVS))
    ends = take("u1", STEPS, ENVS)
    after = block(), block(), block()
    assert at == len(data)

    strides = (3, 2)  # of the trunk `quick`
    convs = [(None, None, stride, 0, 0) for stride in strides]
    network = {"convs": convs, "norm": {"none": 0, "channels": 1, "layer": 2}[norm], "norm_epsilon": 1e-6}
    network.update(taus=0, cosines=0, dueling=0, actions=ACTIONS, atoms=1)

    def values(batch, d_outputs):
        out, gradients = passes(network, w, batch, None, None, d_outputs)
        return out.reshape(-1, ACTIONS), gradients

    everything = states.reshape(-1, 4, 20, 20)
    q = values(everything, np.zeros(len(everything) * ACTIONS))[0].reshape(STEPS + 1, ENVS, ACTIONS)
    goal, targets = None, np.zeros((STEPS, ENVS))
    for t in reversed(range(STEPS)):
        best = q[t + 1].max(1)
        if goal is not None:
            best = (1 - options["lambda"]) * best + options["lambda"] * goal
        goal = rewards[t] + options["gamma"] * best * (1 - ends[t])
        targets[t] = goal
    taken = np.take_along_axis(q[:STEPS], lanes[:, :, None], 2)[:, :, 0]
    d = np.zeros((STEPS * ENVS, ACTIONS))
    d[np.arange(STEPS * ENVS), lanes.reshape(-1)] = (taken - targets).reshape(-1) / (STEPS * ENVS)
    gradients = values(everything[: STEPS * ENVS], d)[1]

    length = np.sqrt(sum((g**2).sum() for g in gradients.values()))
    scale = min(1.0, options["max_norm"] / length)
    limit, power = 2 / (1 - 0.999) - 1, 0.999**rounds
    rho = limit - 2 * rounds * power / (1 - power)
    worst = 0.0
    for name in shapes:
        g = gradients[name] * scale
        m[name], v[name] = 0.9 * m[name] + 0.1 * g, 0.999 * v[name] + 0.001 * g**2
        change = m[name] / (1 - 0.9**rounds)
        if rho > 5:
            r = np.sqrt((rho - 4) * (rho - 2) * limit / ((limit - 4) * (limit - 2) * rho))
            change = change * r / (np.sqrt(v[name] / (1 - power)) + 1e-8)
        step = options["rate"] * change
        for what, ours, theirs in ("weights", w[name] - step, 0), ("mean", m[name], 1), ("square", v[name], 2):
            size = abs(ours).max()
            difference = abs(ours - after[theirs][name]).max() / size if size else 0.0
            worst = max(worst, difference)
            if not difference <= TOLERANCE * (2 if what == "square" else 1):  # a square doubles what differs
                sys.exit(f"norm={norm}, update {rounds}: {what} of {name} differ by {difference:.2g} of their size")
        moved = after[0][name] - w[name]
        assert abs(moved + step).max() <= 1e-3 * abs(step).max() + 1e-7 * abs(w[name]).max(), f"the step of {name}"
    print(f"norm={norm}, update {rounds}: gradients {length:.3f} long, largest difference {worst:.1e}")


def main():
    check(1, "channels", {})
    check(9, "channels", {"max_norm": 0.01})
    check(7, "layer", {"lambda": 0.3, "gamma": 0.9})
    check(12, "none", {"lambda": 1})


if __name__ == "__main__":
    main()
