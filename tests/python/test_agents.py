"""Agents that play and learn, training runs and models, in Python: the same as the program's, to the byte."""

import math
import os
import subprocess
import threading

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
