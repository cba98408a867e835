"""The network of a trained agent in NumPy, JAX and PyTorch: the same values as the program's.

    python examples/load_network.py [CHECKPOINT]

It needs NumPy. JAX (pip install jax) and PyTorch (pip install torch) are used if they are installed. Without a
checkpoint it trains a small DQN for a moment. It reads networks of `dqn`, which have no noise and one stream.
"""

import json
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
import sixer.agents

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
path = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "run.checkpoint"
if len(sys.argv) < 2:
    sixer.agents.train("dqn", "duskrain", preset="quick", frames=4000, path=folder / "run")


def read_safetensors(file):
    """What safetensors.numpy.load_file(file) gives: a length, a description in JSON, the numbers."""
    data = Path(file).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    head = json.loads(data[8 : 8 + length])
    head.pop("__metadata__", None)
    arrays = {}
    for name, entry in head.items():
        first, last = entry["data_offsets"]
        numbers = np.frombuffer(data[8 + length + first : 8 + length + last], "<f4")
        arrays[name] = numbers.reshape(entry["shape"]).copy()
    return arrays


sixer.agents.export_network(path, folder / "network.safetensors")
sixer.agents.export_network(path, folder / "network.npz")
weights = read_safetensors(folder / "network.safetensors")
archive = dict(np.load(folder / "network.npz"))
assert weights.keys() == archive.keys() and all((weights[name] == archive[name]).all() for name in weights)

settings, _ = sixer.agents.model_info(path)
options = dict(item.split("=") for item in settings["options"].split(","))
strides = {"nature": (4, 2, 1), "small": (5, 5), "quick": (3, 2)}[options["trunk"]]
assert options["padding"] == "none", "this example does not pad"

# play a little, and keep what the agent saw and predicted
agent = sixer.agents.load_model(path)
states, values = [], []
for _ in range(100):
    q, frames = agent.look()
    states.append(frames)
    values.append(q)
    if agent.step(agent.act()).over:
        agent.reset()
states, values = np.array(states), np.array(values)


def numpy_network(x):
    """Convolutions with ReLU, a hidden layer with ReLU, the outputs."""
    x = x.astype(np.float32) / 255
    for i, stride in enumerate(strides, 1):
        w, b = weights[f"conv{i}.weight"], weights[f"conv{i}.bias"]
        windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
        x = np.maximum(np.einsum("bcyxij,fcij->bfyx", windows, w, optimize=True) + b[:, None, None], 0)
    x = np.maximum(x.reshape(len(x), -1) @ weights["hidden.weight"].T + weights["hidden.bias"], 0)
    return x @ weights["output.weight"].T + weights["output.bias"]


print(f"values from {values.min():.3f} to {values.max():.3f}")
print(f"NumPy and the program differ by at most {abs(numpy_network(states) - values).max():.1e}")

try:
    import jax
except ImportError:
    print("JAX is not installed")
else:

    def jax_network(w, x):
        x = x.astype("float32") / 255
        for i, stride in enumerate(strides, 1):
            x = jax.lax.conv_general_dilated(x, w[f"conv{i}.weight"], (stride, stride), "VALID")
            x = jax.nn.relu(x + w[f"conv{i}.bias"][:, None, None])
        x = jax.nn.relu(x.reshape(len(x), -1) @ w["hidden.weight"].T + w["hidden.bias"])
        return x @ w["output.weight"].T + w["output.bias"]

    theirs = np.array(jax.jit(jax_network)(weights, states))
    print(f"JAX and the program differ by at most {abs(theirs - values).max():.1e}")

try:
    import torch
except ImportError:
    print("PyTorch is not installed")
    sys.exit()


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for i, stride in enumerate(strides, 1):
            filters, channels, kernel, _ = weights[f"conv{i}.weight"].shape
            setattr(self, f"conv{i}", torch.nn.Conv2d(channels, filters, kernel, stride))
        self.hidden = torch.nn.Linear(*reversed(weights["hidden.weight"].shape))
        self.output = torch.nn.Linear(*reversed(weights["output.weight"].shape))

    def forward(self, x):
        x = x.float() / 255
        for i in range(1, len(strides) + 1):
            x = torch.relu(getattr(self, f"conv{i}")(x))
        return self.output(torch.relu(self.hidden(x.flatten(1))))


network = Network()
network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})  # names and shapes fit
with torch.no_grad():
    theirs = network(torch.from_numpy(states)).numpy()
print(f"PyTorch and the program differ by at most {abs(theirs - values).max():.1e}")
