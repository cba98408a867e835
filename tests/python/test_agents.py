"""Agents that play and learn, training runs and models, in Python: the same as the program's, to the byte."""

import json
import math
import os
import subprocess
import threading

import numpy as np
import pytest

import sixer.agents

SETTINGS = dict(preset="machado2018", sticky=0.25)


def program():
    return os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer")


def steps(agent, count):
    """Act, step and learn; what happened."""
    seen = []
    for _ in range(count):
        action = agent.act()
        result = agent.step(action)
        agent.learn()
        seen.append((action, result))
        if result.over:
            agent.reset()
    return seen


def test_loop():
    agent = sixer.agents.Agent("sarsa", "duskrain", **SETTINGS)
    assert agent.status["learns"] and agent.status["features"] <= 1
    seen = steps(agent, 500)
    assert agent.status["steps"] == 500 and agent.status["features"] > 100
    assert {action for action, _ in seen} <= set(agent.actions)
    assert agent.screen().shape == (210, 160)
    assert agent.settings["lambda"] == "0.9"
    twin = sixer.agents.Agent("sarsa", "duskrain", **SETTINGS)
    assert steps(twin, 500) == seen


def test_play_without_learning():
    agent = sixer.agents.Agent("sarsa", "duskrain", max_frames=500, **SETTINGS)
    agent.play(learn=True)
    learned = agent.status["steps"]
    assert learned > 0
    agent.play()
    assert agent.status["steps"] == learned


@pytest.mark.parametrize("name", ["sarsa", "random", "iw1"])
def test_save_and_load(name):
    options = dict(preset="machado2018") if name == "sarsa" else dict(frames=300) if name == "iw1" else {}
    agent = sixer.agents.Agent(name, "duskrain", sticky=0.25, **options)
    steps(agent, 60)
    saved = agent.save()
    future = steps(agent, 60)
    other = sixer.agents.Agent(name, "duskrain", sticky=0.25, **options)
    other.load(saved)
    assert steps(other, 60) == future
    assert other.save() == agent.save()
    state, bytes_ = saved
    for bad in ((state[:-1], bytes_), (state, bytes_[:-1]), (state, b""), (state, bytes_[:20] + b"?" + bytes_[21:])):
        with pytest.raises(ValueError):
            other.load(bad)
    with pytest.raises(ValueError):
        sixer.agents.Agent("const", "duskrain").load(saved)


def test_training_as_the_program(tmp_path):
    arguments = ["--preset", "machado2018", "--frames", "20k", "--seed", "3", "--out", str(tmp_path / "program")]
    done = subprocess.run([program(), "train", "sarsa", "duskrain", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    os.mkdir(tmp_path / "python")
    path = tmp_path / "python" / "sarsa_duskrain_3"
    settings = dict(preset="machado2018", frames=20_000, seed=3, path=path)
    # stopped again and again, and gone on with
    for _ in range(3):
        progress = sixer.agents.train("sarsa", "duskrain", every=700, resume=True, callback=lambda p: False, **settings)
        assert not progress.finished
    progress = sixer.agents.train("sarsa", "duskrain", resume=True, **settings)
    assert progress.finished and progress.frames >= 20_000 and progress.share == 1
    assert [score.at for score in progress.scores] == [20_000]
    assert progress.scores[0].score == pytest.approx(progress.mean)
    for name in os.listdir(tmp_path / "python"):
        assert (tmp_path / "program" / name).read_bytes() == (tmp_path / "python" / name).read_bytes(), name

    settings, info = sixer.agents.model_info(f"{path}.checkpoint")
    assert settings["agent"] == "sarsa" and info.frames == progress.frames and info.mean == progress.mean
    model = sixer.agents.load_model(f"{path}.checkpoint")
    learned = model.status["steps"]
    assert learned == progress.steps and model.status["features"] > 100
    first = model.play()
    assert model.status["steps"] == learned
    assert sixer.agents.load_model(f"{path}.checkpoint", "duskrain").play() == first
    with pytest.raises(ValueError, match="was trained on duskrain"):
        sixer.agents.load_model(f"{path}.checkpoint", "sporefall")
    content = bytearray(open(f"{path}.checkpoint", "rb").read())
    content[len(content) // 2] ^= 4
    damaged = tmp_path / "damaged"
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match="damaged"):
        sixer.agents.load_model(damaged)


def test_evaluation():
    training = sixer.agents.Training(
        "perturb", "sporefall", action="FIRE", protocol="bellemare2013", episodes=3, evaluation=2
    )
    progress = training.progress
    assert math.isnan(progress.mean) and training.settings["sticky"] == "0"
    while not progress.finished:
        progress = training.run(1000)
    assert progress.episodes == 3 and progress.evaluated == 2
    assert progress.scores == (sixer.agents.Score(3, progress.evaluation_mean, 2),)


@pytest.mark.parametrize(
    "settings, text",
    [
        (dict(agent="sarza", game="duskrain"), "there is no agent 'sarza'"),
        (dict(agent="sarsa", game="duskrain", alfa=1), "did you mean 'alpha'"),
        ({"agent": "sarsa", "game": "duskrain", "lambda": 2}, "from 0 to 1, found '2'"),
        (dict(agent="sarsa", game="duskrain", preset="machado"), "no preset 'machado'"),
        (dict(agent="random", game="duskrain", protocol="none"), "there is no protocol"),
        (dict(agent="random", game="duskrain", seed=0), "seed is 1 to"),
        (dict(agent="random", game="duskrain", mode=99), "mode"),
        (dict(agent="random", game="duskrain", frames=-1), "not negative"),
    ],
)
def test_bad_settings(settings, text):
    with pytest.raises(ValueError, match=text):
        sixer.agents.Training(**settings)


def test_unwritable(tmp_path):
    with pytest.raises(OSError, match="cannot be written"):
        sixer.agents.Training("random", "duskrain", path=tmp_path / "none" / "run")


def test_existing(tmp_path):
    """A run that is there is replaced only with force."""
    path = tmp_path / "run"
    sixer.agents.train("random", "duskrain", frames=2000, path=path)
    rows = (tmp_path / "run.episodes.tsv").read_bytes()
    with pytest.raises(FileExistsError, match="resume=True continues"):
        sixer.agents.train("random", "duskrain", frames=1000, seed=7, path=path)
    assert (tmp_path / "run.episodes.tsv").read_bytes() == rows
    sixer.agents.train("random", "duskrain", frames=2000, path=path, resume=True)
    assert (tmp_path / "run.episodes.tsv").read_bytes() == rows
    sixer.agents.train("random", "duskrain", frames=1000, seed=7, path=path, force=True)
    assert (tmp_path / "run.episodes.tsv").read_bytes() != rows


def test_option_values():
    with pytest.raises(ValueError, match="without commas"):
        sixer.agents.Agent("sarsa", "duskrain", features="basic,alpha=0.1")
    agent = sixer.agents.Agent("random", "duskrain")
    for saved in (b"", None, (b"",)):
        with pytest.raises(TypeError, match="pair of bytes"):
            agent.load(saved)


def test_two_threads():
    training = sixer.agents.Training("random", "duskrain", frames=10**9)
    worker = threading.Thread(target=training.run, args=(20_000,))
    worker.start()
    refused = 0
    while worker.is_alive():
        try:
            training.run(0)
        except RuntimeError:
            refused += 1
    worker.join()
    assert refused > 0 and training.progress.steps == 20_000


def test_lists():
    assert "sarsa" in sixer.agents.agents() and "machado2018" in sixer.agents.presets("sarsa")
    assert sixer.agents.presets("random") == {}


SMALL = {"memory": 300, "start": 40, "period": 2, "batch": 4, "trunk": "quick", "size": 20, "hidden": 16}


def safetensors(arrays, change=None, pad=b""):
    """A file as the format has it; `change` edits the description."""
    head, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        numbers = array.tobytes()
        kind = {"float32": "F32", "float64": "F64"}[str(array.dtype)]
        head[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    if change:
        change(head)
    text = json.dumps(head).encode()
    return len(text).to_bytes(8, "little") + text + data + pad


def check_safetensors(checkpoint, network, folder):
    file, copy = folder / "network.safetensors", folder / "copy2.checkpoint"
    sixer.agents.export_network(checkpoint, file)
    exported = file.read_bytes()
    length = int.from_bytes(exported[:8], "little")
    head = json.loads(exported[8 : 8 + length])
    assert head.pop("__metadata__") == {"format": "pt"} and head.keys() == network.keys() and length % 8 == 0
    for name, entry in head.items():
        first, last = entry["data_offsets"]
        numbers = np.frombuffer(exported[8 + length + first : 8 + length + last], "<f4").reshape(entry["shape"])
        assert np.array_equal(numbers, network[name])

    def put(data):
        file.write_bytes(data)
        sixer.agents.import_network(checkpoint, file, copy)

    def again(name):
        sixer.agents.export_network(copy, folder / name)
        return (folder / name).read_bytes()

    put(exported)
    assert again("again.safetensors") == exported
    backward = dict(reversed(network.items()))  # tensors and keys may come in any order
    put(safetensors(backward))
    assert again("again.safetensors") == exported

    def edit(name, **values):
        return lambda head: head[name].update(values)

    bias = network["conv1.bias"]
    offsets = [0, 64]
    copy.unlink()
    for data, message in [
        (safetensors({k: v for k, v in network.items() if k != "conv1.bias"}), "has no array conv1.bias"),
        (safetensors({**network, "extra": bias}), "has an array extra"),
        (safetensors({**network, "conv1.bias": bias[:8]}), r"has the shape \(8\), expected \(16\)"),
        (safetensors({**network, "conv1.bias": bias.astype(float)}), "32-bit floats"),
        (safetensors({**network, "conv1.bias": np.full(16, np.inf, np.float32)}), "not finite"),
        (safetensors(network, edit("conv1.bias", data_offsets=offsets)), "overlap"),
        (safetensors(network, edit("conv1.bias", data_offsets=[10**15, 10**15 + 64])), "does not fit"),
        (safetensors(network, edit("conv1.bias", data_offsets=[64, 0])), "does not fit"),
        (safetensors(network, edit("conv1.bias", data_offsets=[-64, 0])), "few whole numbers"),
        (safetensors(network, edit("conv1.bias", shape=[2, 2, 2, 2, 1])), "few whole numbers"),
        (safetensors(network, edit("conv1.bias", more=1)), "not exactly"),
        (safetensors(network, lambda head: head["conv1.bias"].pop("dtype")), "not exactly"),
        (safetensors(network, lambda head: head.update({"a" * 300: head.pop("conv1.bias")})), "too long"),
        (safetensors(network, pad=b"12345678"), "bytes of numbers"),
        (exported[:-4], "does not fit"),
        (exported[:50], "cut off"),
        (b"\xff" * 8 + exported[8:], "cut off"),
        (exported[:8] + b"{" * length + exported[8 + length :], "not the JSON"),
        (exported[:6], "neither"),
        (b"", "neither"),
    ]:
        with pytest.raises(ValueError, match=message):
            put(data)
    random = np.random.default_rng(1)
    for _ in range(300):  # whatever is changed in the description: an error, or a network of the same shape
        data = bytearray(exported)
        for _ in range(random.integers(1, 4)):
            data[random.integers(0, 8 + length)] = random.integers(0, 256)
        try:
            put(bytes(data))
        except ValueError:
            continue
        assert len(again("again.safetensors")) == len(exported)


def test_networks_as_files(tmp_path):
    sixer.agents.train("dqn", "duskrain", frames=500, path=tmp_path / "run", **SMALL)
    checkpoint, file = tmp_path / "run.checkpoint", tmp_path / "network.npz"
    sixer.agents.export_network(checkpoint, file)
    network = dict(np.load(file))
    assert network["conv1.weight"].shape == (16, 4, 6, 6)
    assert network["output.weight"].shape == (18, 16)

    def put(arrays, save=np.savez):
        save(tmp_path / "changed.npz", **arrays)
        sixer.agents.import_network(checkpoint, tmp_path / "changed.npz", tmp_path / "copy.checkpoint")

    # a constant output is what every state is worth then
    zeros = {name: np.zeros_like(array) for name, array in network.items()}
    zeros["output.bias"][:] = np.arange(18)
    for save in np.savez, np.savez_compressed:
        put(zeros, save)
        model = sixer.agents.load_model(tmp_path / "copy.checkpoint")
        values, frames = model.look()
        kind, at, numbers = model.distribution()
        assert (kind, at.size, numbers.shape) == ("none", 0, (len(values), 0))
        assert model.saliency(4).shape == (4, 4) and (model.saliency(4) >= 0).all()
        assert np.array_equal(values, np.arange(18))
        assert frames.shape == (4, 20, 20)
    for change, message in [
        ({"conv1.bias": None}, "has no array conv1.bias"),
        ({"extra": np.zeros(3, np.float32)}, "has an array extra"),
        ({"conv1.bias": np.zeros(8, np.float32)}, r"has the shape \(8,\), expected \(16\)"),
        ({"conv1.bias": np.zeros(16)}, "32-bit floats"),
        ({"conv1.bias": np.full(16, np.nan, np.float32)}, "not finite"),
    ]:
        arrays = {name: array for name, array in {**network, **change}.items() if array is not None}
        with pytest.raises(ValueError, match=message):
            put(arrays)
    check_safetensors(checkpoint, network, tmp_path)
    with pytest.raises(ValueError, match="no network"):
        sixer.agents.train("sarsa", "duskrain", frames=500, path=tmp_path / "linear")
        sixer.agents.export_network(tmp_path / "linear.checkpoint", file)
    # a linear learner has values, and no frames
    values, frames = sixer.agents.load_model(tmp_path / "linear.checkpoint").look()
    assert values.shape == (18,) and frames.shape == (0, 0, 0)
