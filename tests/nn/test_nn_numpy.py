#!/usr/bin/env python3
# label: long
"""Networks of random shapes against an independent version in NumPy, in double precision: outputs, gradients of all
parameters, and three steps of an optimizer."""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release"))
PROGRAM = BUILD / "tests" / "test_nn_same"
COUNT = int(os.environ.get("SIXER_NN_SHAPES", "24"))
OPTIMIZERS = ("adam", "radam", "rmsprop")


def draw_case(rng, number):
    """A network as a dictionary; the first cases have one feature each, the others random ones."""
    pick = rng.choice
    case = {
        "channels": pick([1, 2, 3, 4]),
        "height": rng.randint(12, 24),
        "width": rng.randint(12, 24),
        "convs": [],
        "norm": pick([0, 0, 1, 2]),
        "norm_epsilon": 1e-3,
        "cosines": pick([0, 0, 5, 64]),
        "hidden": pick([16, 48, 80]),
        "dueling": pick([0, 1]),
        "noisy": pick([0, 1, 2]),
        "sigma0": 0.4,
        "actions": rng.randint(1, 18),
        "atoms": pick([1, 1, 7, 51]),
        "init": pick([0, 1, 2, 3]),
        "batch": rng.randint(1, 20),
        "taus": 0,
    }
    if number < 3:
        case.update(norm=number, cosines=0, dueling=0, noisy=0)
    if case["cosines"]:
        case["taus"] = rng.randint(1, 9)
    height, width = case["height"], case["width"]
    for _ in range(rng.randint(1, 3)):
        kernel = rng.randint(1, min(5, height, width))
        stride = rng.randint(1, 3)
        before, after = rng.randint(0, kernel - 1), rng.randint(0, kernel - 1)
        case["convs"].append((pick([16, 32]), kernel, stride, before, after))
        height = (height + before + after - kernel) // stride + 1
        width = (width + before + after - kernel) // stride + 1
    case["optimizer"] = {
        "kind": number % 3,
        "rate": 1e-3,
        "beta1": 0.9,
        "beta2": pick([0.95, 0.999]),
        "epsilon": 1e-2,
        "before": pick([0, 1]),
        "max_norm": pick([0, 0.3]),
    }
    if OPTIMIZERS[number % 3] == "rmsprop":  # a variance needs both moments from the same numbers
        case["optimizer"].update(beta1=0.95, beta2=0.95)
    return case


def numbers(case):
    o = case["optimizer"]
    out = [case["channels"], case["height"], case["width"], len(case["convs"])]
    for conv in case["convs"]:
        out += conv
    out += [
        case[k]
        for k in (
            "norm",
            "norm_epsilon",
            "cosines",
            "hidden",
            "dueling",
            "noisy",
            "sigma0",
            "actions",
            "atoms",
            "init",
            "batch",
            "taus",
        )
    ]
    out += [o[k] for k in ("kind", "rate", "beta1", "beta2", "epsilon", "before", "max_norm")]
    return [repr(x) for x in out]


# ---- Layers: each returns its output and a function from the derivative by it to that by the input ----------------


def conv(x, w, b, stride, before, after, grads, name):
    x = np.pad(x, ((0, 0), (0, 0), (before, after), (before, after)))
    kernel = w.shape[2]
    windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    y = np.einsum("bchwij,ocij->bohw", windows, w) + b[None, :, None, None]

    def back(dy):
        grads[name + ".weight"] = np.einsum("bohw,bchwij->ocij", dy, windows)
        grads[name + ".bias"] = dy.sum((0, 2, 3))
        dx = np.zeros_like(x)
        for i in range(kernel):
            for j in range(kernel):
                rows = slice(i, i + stride * (dy.shape[2] - 1) + 1, stride)
                columns = slice(j, j + stride * (dy.shape[3] - 1) + 1, stride)
                dx[:, :, rows, columns] += np.einsum("bohw,oc->bchw", dy, w[:, :, i, j])
        return dx[:, :, before : x.shape[2] - after, before : x.shape[3] - after]

    return y, back


def dense(x, p, name, noise, grads):
    w, b = p[name + ".weight"], p[name + ".bias"]
    if name + ".sigma_weight" in p:
        eps_in, eps_out = noise[name]
        eps = np.outer(eps_out, eps_in)
        w = w + p[name + ".sigma_weight"] * eps
        b = b + p[name + ".sigma_bias"] * eps_out
    y = x @ w.T + b

    def back(dy):
        grads[name + ".weight"] = dy.T @ x
        grads[name + ".bias"] = dy.sum(0)
        if name + ".sigma_weight" in p:
            grads[name + ".sigma_weight"] = grads[name + ".weight"] * eps
            grads[name + ".sigma_bias"] = grads[name + ".bias"] * eps_out
        return dy @ w

    return y, back


def norm(z, p, name, axes, epsilon, grads):
    """LayerNorm over the axes; scale and shift have the shape of those."""
    shape = [1] * z.ndim
    for axis in axes:
        shape[axis] = z.shape[axis]
    scale, shift = p[name + ".weight"].reshape(shape), p[name + ".bias"].reshape(shape)
    inverse = 1 / np.sqrt(z.var(axes, keepdims=True) + epsilon)
    x = (z - z.mean(axes, keepdims=True)) * inverse

    def back(dy):
        others = tuple(i for i in range(z.ndim) if i not in axes)
        grads[name + ".weight"] = (dy * x).sum(others).reshape(p[name + ".weight"].shape)
        grads[name + ".bias"] = dy.sum(others).reshape(p[name + ".bias"].shape)
        g = dy * scale
        return inverse * (g - g.mean(axes, keepdims=True) - x * (g * x).mean(axes, keepdims=True))

    return x * scale + shift, back


def relu(x):
    return np.maximum(x, 0), lambda dy: dy * (x > 0)


def passes(case, p, states, taus, noise, d_outputs):
    grads, backs = {}, []
    x = states / 255
    for i, (_, _, stride, before, after) in enumerate(case["convs"]):
        name = f"conv{i + 1}"
        x, back = conv(x, p[name + ".weight"], p[name + ".bias"], stride, before, after, grads, name)
        backs.append(back)
        if case["norm"]:
            axes = (1,) if case["norm"] == 1 else (1, 2, 3)
            x, back = norm(x, p, name + "_norm", axes, case["norm_epsilon"], grads)
            backs.append(back)
        x, back = relu(x)
        backs.append(back)
    trunk_shape = x.shape
    psi = x.reshape(len(x), -1)
    count = case["taus"] or 1
    if case["cosines"]:
        cosines = np.cos(np.pi * np.arange(1, case["cosines"] + 1) * taus.reshape(-1, 1))
        phi, phi_back = dense(cosines, p, "embedding", None, grads)
        phi, phi_relu = relu(phi)
        features = np.repeat(psi, count, axis=0) * phi
    else:
        features = psi
    streams = ["value.", "advantage."] if case["dueling"] else [""]
    heads, d_features = [], 0
    stream_backs = []
    for stream in streams:
        h, back1 = dense(features, p, stream + "hidden", noise, grads)
        back2 = None
        if case["norm"]:
            h, back2 = norm(h, p, stream + "hidden_norm", (1,), case["norm_epsilon"], grads)
        h, back3 = relu(h)
        y, back4 = dense(h, p, stream + "output", noise, grads)
        heads.append(y)
        stream_backs.append((back1, back2, back3, back4))
    rows, actions, atoms = len(features), case["actions"], case["atoms"]
    d = d_outputs.reshape(rows, actions, atoms)
    if case["dueling"]:
        advantage = heads[1].reshape(rows, actions, atoms)
        out = heads[0][:, None, :] + advantage - advantage.mean(1, keepdims=True)
        d_heads = [d.sum(1), (d - d.mean(1, keepdims=True)).reshape(rows, -1)]
    else:
        out, d_heads = heads[0], [d.reshape(rows, -1)]
    for d_head, (back1, back2, back3, back4) in zip(d_heads, stream_backs):
        dh = back3(back4(d_head))
        d_features = d_features + back1(back2(dh) if back2 else dh)
    if case["cosines"]:
        phi_back(phi_relu(d_features * np.repeat(psi, count, axis=0)))
        d_features = (d_features * phi).reshape(len(psi), count, -1).sum(1)
    dx = d_features.reshape(trunk_shape)
    for back in reversed(backs):
        dx = back(dx)
    return out.reshape(-1), grads


def optimize(o, w, g, steps):
    kind, rate, b1, b2, epsilon = OPTIMIZERS[o["kind"]], o["rate"], o["beta1"], o["beta2"], o["epsilon"]
    size = np.sqrt((g**2).sum())
    if o["max_norm"] and size > o["max_norm"]:
        g = g * (o["max_norm"] / size)
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t in range(1, steps + 1):
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        if kind == "rmsprop":
            w = w - rate * g / np.sqrt(v - m * m + epsilon)
            continue
        m_hat, correction = m / (1 - b1**t), np.sqrt(1 - b2**t)
        factor = 1.0
        if kind == "radam":
            limit = 2 / (1 - b2) - 1
            length = limit - 2 * t * b2**t / (1 - b2**t)
            if length <= 5:
                w = w - rate * m_hat
                continue
            factor = np.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
        if o["before"]:
            change = correction * m_hat / (np.sqrt(v) + epsilon)
        else:
            change = m_hat / (np.sqrt(v) / correction + epsilon)
        w = w - rate * factor * change
    return w


# ---- Comparing ----------------------------------------------------------------------------------------------------


def up16(n):
    return (n + 15) // 16 * 16


def noise_of(case, p, flat):
    """The noise of each layer. Inputs of hidden layers count (row, column, channel) in memory."""
    height, width = case["height"], case["width"]
    for _, kernel, stride, before, after in case["convs"]:
        height = (height + before + after - kernel) // stride + 1
        width = (width + before + after - kernel) // stride + 1
    channels = case["convs"][-1][0]
    streams = ["value.", "advantage."] if case["dueling"] else [""]
    out, at = {}, 0
    for layer in ("hidden", "output"):
        for stream in streams:
            outputs, inputs = p[stream + layer + ".weight"].shape
            eps_in = flat[at : at + inputs]
            at += up16(inputs)
            if layer == "hidden":
                eps_in = eps_in.reshape(height, width, channels).transpose(2, 0, 1).reshape(-1)
            out[stream + layer] = (eps_in, flat[at : at + outputs])
            at += up16(outputs)
    return out, at


def worst(a, b):
    return np.abs(a - b).max() / (np.abs(b).max() + 1e-3)


def check(case, folder):
    path = pathlib.Path(folder) / "case.bin"
    run = subprocess.run([str(PROGRAM), "--write", str(path), *numbers(case)], capture_output=True, text=True)
    if run.returncode:
        return [f"the program failed: {run.stderr.strip()}"]
    table = [line.split() for line in run.stdout.splitlines()]
    shapes = {row[0]: (int(row[1]), tuple(map(int, row[2:]))) for row in table}
    total = sum(int(np.prod(shape)) for _, shape in shapes.values())
    data = np.fromfile(path, np.float32).astype(np.float64)
    at = 0

    def take(count):
        nonlocal at
        at += count
        return data[at - count : at]

    def tensors(flat):
        return {name: flat[o : o + int(np.prod(shape))].reshape(shape) for name, (o, shape) in shapes.items()}

    weights = take(total)
    p = tensors(weights)
    batch, rows = case["batch"], case["batch"] * (case["taus"] or 1)
    states = take(batch * case["channels"] * case["height"] * case["width"])
    states = states.reshape(batch, case["channels"], case["height"], case["width"])
    taus = take(rows)
    outputs = rows * case["actions"] * case["atoms"]
    noise = None
    if case["noisy"]:
        noise, used = noise_of(case, p, data[at:])
        take(used)
    d_outputs, got = take(outputs), take(outputs)
    gradients, after = take(total), take(total)
    failures = [] if at == len(data) else [f"the file has {len(data)} numbers, {at} expected"]
    expected, expected_gradients = passes(case, p, states, taus, noise, d_outputs)
    error = worst(got, expected)
    if not error < 1e-5:
        failures.append(f"outputs differ by {error:.2g}")
    for name, values in tensors(gradients).items():
        error = worst(values, expected_gradients[name])
        if not error < 1e-4:
            failures.append(f"gradients of {name} differ by {error:.2g}")
    error = np.abs(after - optimize(case["optimizer"], weights, gradients, 3)).max()
    if not error < 1e-6:
        failures.append(f"weights after 3 steps of {OPTIMIZERS[case['optimizer']['kind']]} differ by {error:.2g}")
    return failures


def main():
    if not PROGRAM.exists():
        print(f"{PROGRAM} is missing: build the tests first")
        return 1
    rng = random.Random(28)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(COUNT):
            case = draw_case(rng, number)
            failures = check(case, folder)
            wrong += bool(failures)
            for failure in failures:
                print(f"case {number}, {case}: {failure}")
    print(f"{COUNT} networks, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
