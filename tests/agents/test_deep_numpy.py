#!/usr/bin/env python3
"""One whole update of every learner with a network, computed again in NumPy with 64-bit floats.

test_deep writes parameters, batch, noise and quantile samples before an update, and parameters and moments after it.
Here are the networks, losses, gradients, optimizers and priorities as their papers define them. The results must agree
to 1e-5 of the largest number of each tensor.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

BUILD = Path(os.environ.get("SIXER_BUILD", "build/release"))
TOLERANCE = 1e-5


# ---- Reading ---------------------------------------------------------------------------------------------------------


class Dump:
    """What test_deep has written: arrays by name, tensors of the network, strides and paddings of convolutions."""

    def __init__(self, path: str) -> None:
        data = Path(path).read_bytes()
        self.arrays: dict[str, np.ndarray] = {}
        self.tensors: dict[str, tuple[tuple[int, ...], int]] = {}
        self.convs: list[tuple[int, int, int]] = []
        at = 0
        while at < len(data):
            end = data.index(b"\n", at)
            words = data[at:end].decode().split()
            at = end + 1
            if words[0].startswith("tensor:"):
                self.tensors[words[0][7:]] = (tuple(map(int, words[2:-2])), int(words[-1]))
            elif words[1] == "stride":
                self.convs.append((int(words[2]), int(words[3]), int(words[4])))
            else:
                shape, dtype = tuple(map(int, words[2:])), np.dtype(words[1])
                count = int(np.prod(shape))
                self.arrays[words[0]] = np.frombuffer(data, dtype, count, at).reshape(shape).copy()
                at += count * dtype.itemsize

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def block(self, name: str) -> dict[str, np.ndarray]:
        """The tensors of a block of parameters, as 64-bit floats."""
        flat = self.arrays[name].astype(np.float64)
        return {t: flat[at : at + int(np.prod(shape))].reshape(shape) for t, (shape, at) in self.tensors.items()}


# ---- The network -----------------------------------------------------------------------------------------------------


def round_up(n: int) -> int:
    return (n + 15) // 16 * 16


class Network:
    """Forward and backward pass of one block of parameters."""

    def __init__(self, dump: Dump, block: dict[str, np.ndarray], noise: np.ndarray | None) -> None:
        self.dump, self.block = dump, block
        self.dueling = "value.hidden.weight" in block
        self.streams = ["value.", "advantage."] if self.dueling else [""]
        self.noise: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.used = dict(block)
        self.gradients: dict[str, np.ndarray] = {}
        if noise is not None:
            self._mix(noise.astype(np.float64))

    def _mix(self, noise: np.ndarray) -> None:
        """Weights are mean + sigma f(v) f(u), biases mean + sigma f(v). The noise of inputs that come from convolutions
        is stored by (row, column, channel)."""
        at = 0
        layers = [s + "hidden" for s in self.streams] + [s + "output" for s in self.streams]
        for layer in layers:
            outputs, inputs = self.block[layer + ".weight"].shape
            u = noise[at : at + inputs]
            at += round_up(inputs)
            v = noise[at : at + outputs]
            at += round_up(outputs)
            if layer.endswith("hidden"):
                channels, rows, columns = self.features
                u = u.reshape(rows, columns, channels).transpose(2, 0, 1).reshape(-1)
            self.noise[layer] = (u, v)
            for part, sample in (".weight", np.outer(v, u)), (".bias", v):
                self.used[layer + part] = self.block[layer + part] + self.block[layer + ".sigma_" + part[1:]] * sample
        assert at == len(noise)

    @property
    def features(self) -> tuple[int, int, int]:
        size = self.dump["states"].shape[-1]
        for i, (stride, before, after) in enumerate(self.dump.convs):
            filters, _, kernel, _ = self.block[f"conv{i + 1}.weight"].shape
            size = (size + before + after - kernel) // stride + 1
        return filters, size, size

    def forward(self, states: np.ndarray, taus: np.ndarray | None = None) -> np.ndarray:
        """Outputs [batch, taus or 1, actions, atoms]."""
        self.inputs, self.masks = [], []
        x = states.astype(np.float64) / 255
        for i, (stride, before, after) in enumerate(self.dump.convs):
            weight, bias = self.used[f"conv{i + 1}.weight"], self.used[f"conv{i + 1}.bias"]
            x = np.pad(x, ((0, 0), (0, 0), (before, after), (before, after)))
            self.inputs.append(x)
            kernel = weight.shape[2]
            windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]
            x = np.einsum("bcyxij,fcij->bfyx", windows, weight) + bias[:, None, None]
            self.masks.append(x > 0)
            x = np.maximum(x, 0)
        self.trunk_shape = x.shape
        psi = x.reshape(len(x), -1)
        self.psi = psi[:, None]
        self.phi = None
        if taus is not None:
            weight, bias = self.used["embedding.weight"], self.used["embedding.bias"]
            self.cosines = np.cos(np.pi * np.arange(1, weight.shape[1] + 1) * taus[:, :, None].astype(np.float64))
            phi = self.cosines @ weight.T + bias
            self.phi_mask = phi > 0
            self.phi = np.maximum(phi, 0)
        self.x = self.psi if self.phi is None else self.psi * self.phi
        self.hidden, outputs = [], []
        for s in self.streams:
            hidden = np.maximum(self.x @ self.used[s + "hidden.weight"].T + self.used[s + "hidden.bias"], 0)
            self.hidden.append(hidden)
            outputs.append(hidden @ self.used[s + "output.weight"].T + self.used[s + "output.bias"])
        actions = int(self.dump["numbers"][0])
        out = outputs[-1].reshape(*outputs[-1].shape[:2], actions, -1)
        if self.dueling:
            out = outputs[0][:, :, None, :] + out - out.mean(2, keepdims=True)
        return out

    def _dense(self, layer: str, x: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Gradients of a dense layer; returns that of its inputs."""
        x2, d2 = x.reshape(-1, x.shape[-1]), d.reshape(-1, d.shape[-1])
        self.gradients[layer + ".weight"], self.gradients[layer + ".bias"] = d2.T @ x2, d2.sum(0)
        if layer in self.noise:
            u, v = self.noise[layer]
            self.gradients[layer + ".sigma_weight"] = self.gradients[layer + ".weight"] * np.outer(v, u)
            self.gradients[layer + ".sigma_bias"] = self.gradients[layer + ".bias"] * v
        return d @ self.used[layer + ".weight"]

    def backward(self, d: np.ndarray) -> dict[str, np.ndarray]:
        """Gradients by the derivative of the loss by the outputs of the last forward pass."""
        parts = [d.reshape(*d.shape[:2], -1)]
        if self.dueling:
            parts = [d.sum(2), (d - d.mean(2, keepdims=True)).reshape(*d.shape[:2], -1)]
        dx = np.zeros_like(self.x)
        for s, hidden, part in zip(self.streams, self.hidden, parts, strict=True):
            dh = self._dense(s + "output", hidden, part) * (hidden > 0)
            dx = dx + self._dense(s + "hidden", self.x, dh)
        if self.phi is not None:
            self._dense("embedding", self.cosines, dx * self.psi * self.phi_mask)
            dx = dx * self.phi
        dy = dx.sum(1).reshape(self.trunk_shape)
        for i in reversed(range(len(self.dump.convs))):
            stride, before, _ = self.dump.convs[i]
            weight, x = self.used[f"conv{i + 1}.weight"], self.inputs[i]
            dy = dy * self.masks[i]
            kernel = weight.shape[2]
            windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]
            self.gradients[f"conv{i + 1}.weight"] = np.einsum("bcyxij,bfyx->fcij", windows, dy)
            self.gradients[f"conv{i + 1}.bias"] = dy.sum((0, 2, 3))
            below = np.zeros_like(x)
            for y in range(dy.shape[2]):
                for z in range(dy.shape[3]):
                    below[:, :, y * stride : y * stride + kernel, z * stride : z * stride + kernel] += np.einsum(
                        "bf,fcij->bcij", dy[:, :, y, z], weight
                    )
            if i:
                size = self.masks[i - 1].shape[2]
                dy = below[:, :, before : before + size, before : before + size]
        return self.gradients


# ---- Losses ----------------------------------------------------------------------------------------------------------


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def dqn_loss(d: Dump, o: dict[str, str], w: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rows, online, target = np.arange(len(w)), d.block("online_before"), d.block("target_before")
    next_q = Network(d, target, None).forward(d["next_states"])[:, 0, :, 0]
    best = next_q.argmax(1)
    if o["double"] == "1":
        best = Network(d, online, None).forward(d["next_states"])[:, 0, :, 0].argmax(1)
    y = d["rewards"] + d["discounts"] * next_q[rows, best]
    net = Network(d, online, None)
    q = net.forward(d["states"])[:, 0, :, 0]
    error = q[rows, d["actions"]] - y
    dq = np.zeros_like(q)
    if o["loss"] == "huber":
        losses = np.where(abs(error) <= 1, error**2 / 2, abs(error) - 0.5)
        dq[rows, d["actions"]] = np.clip(error, -1, 1) / len(w)
    else:
        losses = error**2 / 2
        dq[rows, d["actions"]] = 2 * error / len(w)
    return losses, net.backward(dq[:, None, :, None])


def noise(d: Dump, name: str) -> np.ndarray | None:
    return d.arrays.get("noise_" + name)


def categorical_loss(d: Dump, o: dict[str, str], w: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rows, online, target = np.arange(len(w)), d.block("online_before"), d.block("target_before")
    atoms, v_max = int(o["atoms"]), float(o["v_max"])
    z = np.linspace(-v_max, v_max, atoms)
    gap = z[1] - z[0]
    p = softmax(Network(d, target, noise(d, "target")).forward(d["next_states"])[:, 0])
    chooser = p
    if o["double"] == "1":
        chooser = softmax(Network(d, online, noise(d, "choice")).forward(d["next_states"])[:, 0])
    p = p[rows, (chooser @ z).argmax(1)]
    m = np.zeros((len(w), atoms))
    for i in rows:
        for j in range(atoms):
            place = (np.clip(d["rewards"][i] + d["discounts"][i] * z[j], -v_max, v_max) + v_max) / gap
            # each value keeps the share 1 - distance of what lies within one gap of it
            m[i] += p[i, j] * np.clip(1 - abs(place - np.arange(atoms)), 0, 1)
    net = Network(d, online, noise(d, "online"))
    logits = net.forward(d["states"])
    q = softmax(logits[rows, 0, d["actions"]])
    losses = -(m * np.log(q)).sum(1)
    dl = np.zeros_like(logits)
    dl[rows, 0, d["actions"]] = (q * m.sum(1, keepdims=True) - m) * (w / len(w))[:, None]
    return losses, net.backward(dl)


def quantile_loss(d: Dump, o: dict[str, str], w: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rows, online, target = np.arange(len(w)), d.block("online_before"), d.block("target_before")
    wanted = int(o["target_taus"])
    z = Network(d, target, noise(d, "target")).forward(d["next_states"], d["next_taus"])[..., 0]
    if o["double"] == "1":
        chooser = Network(d, online, noise(d, "choice")).forward(d["next_states"], d["choice_taus"])[..., 0]
    else:
        chooser = z[:, wanted:]
    best = chooser.mean(1).argmax(1)
    y = d["rewards"][:, None] + d["discounts"][:, None] * z[rows, :wanted, best]
    net = Network(d, online, noise(d, "online"))
    out = net.forward(d["states"], d["taus"])
    q = out[rows, :, d["actions"], 0]
    delta = y[:, None, :] - q[:, :, None]  # [batch, i, j]
    huber = np.where(abs(delta) <= 1, delta**2 / 2, abs(delta) - 0.5)
    side = abs(d["taus"][:, :, None].astype(np.float64) - (delta < 0))
    losses = (side * huber).mean(2).sum(1)
    dq = -(side * np.clip(delta, -1, 1)).mean(2) * (w / len(w))[:, None]
    d_out = np.zeros_like(out)
    d_out[rows, :, d["actions"], 0] = dq
    return losses, net.backward(d_out)


# ---- The update ------------------------------------------------------------------------------------------------------


def optimize(d: Dump, o: dict[str, str], gradients: dict[str, np.ndarray]) -> tuple[dict, dict, dict]:
    """Parameters and moments after a step."""
    w, m, v = d.block("online_before"), d.block("moment1_before"), d.block("moment2_before")
    steps = int(d["numbers"][3]) + 1
    norm = np.sqrt(sum((g**2).sum() for g in gradients.values()))
    most = float(o["max_norm"])
    rate, epsilon = float(o["rate"]), float(o["rate_epsilon"])
    for name in w:
        g = gradients[name] * (most / norm if 0 < most < norm else 1)
        if o["optimizer"] == "rmsprop":
            decay = float(o["decay"])
            m[name] = decay * m[name] + (1 - decay) * g
            v[name] = decay * v[name] + (1 - decay) * g**2
            w[name] = w[name] - rate * g / np.sqrt(v[name] - m[name] ** 2 + epsilon)
            continue
        m[name] = 0.9 * m[name] + 0.1 * g
        v[name] = 0.999 * v[name] + 0.001 * g**2
        one, two = 1 - 0.9**steps, 1 - 0.999**steps
        if o["optimizer"] == "adam-tf":
            w[name] = w[name] - rate * np.sqrt(two) / one * m[name] / (np.sqrt(v[name]) + epsilon)
        else:
            w[name] = w[name] - rate * (m[name] / one) / (np.sqrt(v[name] / two) + epsilon)
    return w, m, v


def weights(d: Dump, o: dict[str, str]) -> np.ndarray:
    p = d["probabilities"]
    if float(o.get("omega", "0")) == 0:
        return np.ones(len(p))
    done = (d["numbers"][1] - int(o["start"])) / max(int(o["beta_steps"]), 1)
    start, end = float(o["beta_start"]), float(o["beta"])
    beta = end if int(o["beta_steps"]) == 0 or done >= 1 else start + (end - start) * max(done, 0)
    w = (1 / p) ** beta
    return w / w.max()


def settings_of(agent: str, options: str) -> dict[str, str]:
    """All options of an agent, from the program's list of defaults."""
    text = subprocess.run([BUILD / "sixer", "train", "--list"], capture_output=True, text=True, check=True).stdout
    found: dict[str, str] = {}
    inside = False
    for line in text.splitlines():
        if line and not line.startswith(" "):
            inside = line.split()[0] == agent
        elif inside and "=" in line.split()[0]:
            name, value = line.split()[0].split("=", 1)
            found[name] = value
    assert found, f"no options of {agent} in the list:\n{text}"
    found.update(item.split("=", 1) for item in options.split(","))
    return found


def check(agent: str, options: str, updates: int, loss) -> None:
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([BUILD / "tests" / "test_deep", "dump", agent, options, str(updates), file.name], check=True)
        d = Dump(file.name)
    o = settings_of(agent, options)
    w = weights(d, o)
    losses, gradients = loss(d, o, w)
    assert set(gradients) == set(d.tensors), set(gradients) ^ set(d.tensors)
    expected = dict(zip(("online", "moment1", "moment2"), optimize(d, o, gradients), strict=True))
    worst = 0.0

    def compare(what: str, ours: np.ndarray, theirs: np.ndarray, scale: float) -> None:
        nonlocal worst
        difference = float(abs(ours - theirs).max()) / scale
        worst = max(worst, difference)
        if not difference <= TOLERANCE:
            sys.exit(f"{agent} {options}: {what} differs by {difference:.2g} of its size")

    compare("losses", losses, d["losses"], float(abs(losses).max()))
    if float(o.get("omega", "0")):
        priorities = (losses + 1e-10) ** float(o["omega"])
        compare("priorities", priorities, d["priorities"], float(priorities.max()))
    moved = 0.0
    for block, tensors in expected.items():
        after, before = d.block(block + "_after"), d.block(block + "_before")
        for name, tensor in tensors.items():
            scale = float(abs(tensor).max())
            if scale > 0:
                compare(f"{block} {name}", tensor, after[name], scale)
            if block == "online":
                step = float(abs(tensor - before[name]).max())
                moved = max(moved, step)
                # the change itself, not only what it is added to; 32-bit parameters have 24 bits
                if step > 0:
                    error = float(abs((tensor - before[name]) - (after[name] - before[name])).max())
                    assert error <= 1e-3 * step + 1e-7 * scale, (
                        f"{agent}: the step of {name} differs by {error / step:.2g}"
                    )
    assert moved > 1e-4, "nothing was learned"
    assert np.array_equal(d["target_before"], d["target_after"])
    print(f"{agent:12} {options}: losses {losses.mean():.4f}, largest difference {worst:.1e}")


SMALL = "memory=300,start=40,period=2,batch=4,target_period=20,trunk=quick,size=20,hidden=16,rate=0.001"
QUANTILES = ",taus=4,target_taus=3,choice_taus=5,cosines=16"


def main() -> None:
    check("dqn", SMALL, 7, dqn_loss)
    check("dqn", SMALL + ",double=1,n=3,optimizer=adam-tf", 12, dqn_loss)
    check("dqn", SMALL + ",loss=huber,optimizer=rmsprop,rate_epsilon=1e-5,padding=same", 9, dqn_loss)
    check("c51", SMALL, 11, categorical_loss)
    check("rainbow", SMALL, 7, categorical_loss)
    check("rainbow", SMALL + ",sigma0=0,double=0,dueling=0,beta_start=0.5,beta=0.5,padding=one", 8, categorical_loss)
    check("der", SMALL + ",n=5,max_norm=0.1", 10, categorical_loss)
    check("iqn", SMALL + QUANTILES, 7, quantile_loss)
    check("rainbow-iqn", SMALL + QUANTILES + ",omega=0.2", 9, quantile_loss)


if __name__ == "__main__":
    main()
