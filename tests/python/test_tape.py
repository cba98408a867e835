"""sixer.tapes: what an environment does is recorded, and a replay reproduces it."""

from __future__ import annotations

import itertools
import os
import random
import subprocess

import numpy as np
import pytest
import sixer
import sixer.tapes
import sixer.vector
from conftest import image

#: Settings under which a vector's steps and resets are not those of a single environment of C.
SETTINGS = [
    {},
    {"noop_max": 30, "fire_start": True, "sticky": 0.25},
    {"frame_skip": (2, 5), "random_action": 0.1, "delay_max": 3},
    {"life_loss": "end", "max_frames": 501, "frame_skip": 3},
    {"obs": "ram", "stuck_limit": 300, "life_loss": "info"},
    {"color_averaging": True, "obs": "rgb", "clip_rewards": True},
    {"frame_skip": 1, "full_actions": True, "max_frames": 333},
]


def play(env, luck, steps):
    """Play with everything that can be done to an environment, and return the score."""
    inner = env.unwrapped
    total, saved = 0, None
    for step in range(steps):
        inputs = {}
        if luck.random() < 0.05:
            inputs["switches"] = luck.choice([sixer.Switch.SELECT, sixer.Switch.LEFT])
        if luck.random() < 0.1:
            inputs["other"] = luck.randrange(env.action_space.n)
        info = env.step(luck.randrange(env.action_space.n), **inputs)[4]
        total += info["raw_reward"]
        if luck.random() < 0.02:
            inner.set_ram(luck.randrange(128), luck.randrange(256))
        if luck.random() < 0.05:
            saved = inner.save()
        elif saved is not None and luck.random() < 0.02:
            info = inner.restore(saved)[1]
        if info["end"] is not None:
            env.reset(seed=step if luck.random() < 0.3 else None)
    return total


@pytest.mark.parametrize(
    "number, game", list(enumerate(["duskrain", "berzerk", "double_dunk", "breakout", "atlantis2"]))
)
def test_a_replay_reproduces_the_play(tmp_path, number, game):
    if game != "duskrain":
        image(game)
    for k, settings in enumerate(SETTINGS):
        path = tmp_path / f"{k}.tape"
        luck = random.Random(100 * number + k)
        with sixer.tapes.record(sixer.make(game, **settings), path, by="a test") as env:
            env.reset(seed=k)
            total = play(env, luck, 250)
        tape = sixer.tapes.Tape(path)
        assert (tape.game, tape.by, tape.steps, tape.complete, tape.damage) == (game, "a test", 250, True, None)
        assert tape.verify() == total, settings


def test_one_line_of_play_has_resets_and_no_jumps(tmp_path):
    env = sixer.make("duskrain", max_frames=200)
    with sixer.tapes.record(env, tmp_path / "a.tape") as recorded:
        recorded.reset(seed=3)
        for _ in range(120):
            if recorded.step(1)[3]:
                recorded.reset()
    tape = sixer.tapes.Tape(tmp_path / "a.tape")
    assert tape.resets == 2 and not tape.jumps
    assert (tmp_path / "a.tape").stat().st_size < 6000
    assert [event.kind for event in tape.events()].count("reset") == 2
    assert all(event.result is None and event.action == 1 for event in tape.events() if event.kind == "step")


def test_replay_shows_what_was_seen(tmp_path):
    env = sixer.make("sporefall", size=None, obs="rgb", stack=None, pool="none")
    env.reset(seed=1)
    env.start_tape(tmp_path / "a.tape", by="me")
    seen = [(env.step(step % 3)[0], env.ram(), env.score) for step in range(90)]
    env.end_tape()
    env.step(0)  # not on the tape
    tape = sixer.tapes.Tape(tmp_path / "a.tape")
    steps = (event for event in tape.replay() if event.kind == "step")
    score = 0
    for event, (picture, memory, total) in itertools.zip_longest(steps, seen):
        score += event.result.reward
        assert event.result.frames == 4 and score == total
        assert np.array_equal(tape.picture(), picture) and np.array_equal(tape.ram(), memory)
    env.restore(tape.state())
    assert np.array_equal(env.ram(), seen[-1][1])
    assert "sporefall, 90 steps" in repr(tape)


def test_vectors_have_a_tape_each(tmp_path):
    rewards = np.zeros(3)
    with sixer.vector.make("sporefall", 3, noop_max=10, max_frames=300, threads=2) as envs:
        with pytest.raises(ValueError, match="never reset"):
            envs.start_tape(0, tmp_path / "0.tape")
        envs.reset(seed=1)
        for env in (0, 2):
            envs.start_tape(env, tmp_path / f"{env}.tape")
        with pytest.raises(ValueError, match="recorded already"):
            envs.start_tape(2, tmp_path / "another.tape")
        for step in range(200):
            rewards += envs.step(np.full(3, step % 5))[4]["raw_reward"]
        envs.branch(1, [2])
        envs.step(np.zeros(3, int))
        envs.end_tape(2)
        envs.end_tape(1)  # has none
    for env in (0, 2):  # the other one was ended by close()
        assert sixer.tapes.Tape(tmp_path / f"{env}.tape").verify() >= rewards[env]
    assert sixer.tapes.Tape(tmp_path / "2.tape").jumps


def test_the_program_replays_it(tmp_path):
    with sixer.tapes.record(sixer.make("duskrain", life_loss="end"), tmp_path / "a.tape") as env:
        env.reset(seed=1)
        play(env, random.Random(1), 100)
    places = [sixer.__path__[0] + place for place in ("/../../sixer", "/bin/sixer", "/bin/sixer.exe")]
    program = next(place for place in places if os.path.isfile(place))  # of a build, or of a wheel
    said = subprocess.run([program, "replay", tmp_path / "a.tape"], capture_output=True, text=True, check=True).stdout
    assert "verified" in said
    trimmed = [program, "tape", "trim", tmp_path / "a.tape", "--from", "1", "-o", tmp_path / "b.tape"]
    subprocess.run(trimmed, check=True, capture_output=True)
    sixer.tapes.Tape(tmp_path / "b.tape").verify()


def test_wrong_use(tmp_path):
    path = tmp_path / "a.tape"
    env = sixer.make("duskrain")
    with pytest.raises(ValueError, match="never reset"):
        env.start_tape(path)
    recorded = sixer.tapes.record(env, path)
    recorded.reset(seed=1)
    with pytest.raises(ValueError, match="one flavor"):
        recorded.reset(options={"level": 3})
    recorded.end_tape()
    recorded.end_tape()
    recorded.reset(options={"level": 3})
    before = path.read_bytes()
    for again in (lambda: sixer.tapes.record(env, path), lambda: env.start_tape(path)):
        with pytest.raises(FileExistsError, match="not overwritten"):
            again()
    assert path.read_bytes() == before
    with pytest.raises(OSError, match="cannot be created"):
        env.start_tape(tmp_path / "missing" / "a.tape")
    with pytest.raises(TypeError, match="sixer.make"):
        sixer.tapes.record(recorded, tmp_path / "b.tape")  # type: ignore[arg-type]
    with pytest.raises(OSError, match="cannot be opened"):
        sixer.tapes.Tape(tmp_path / "none.tape")
    with pytest.raises(RuntimeError, match="not being played"):
        sixer.tapes.Tape(path).picture()
    with pytest.raises(ValueError, match="MD5"):
        list(sixer.tapes.Tape(path).replay("sporefall"))


def test_damage_is_said_and_repaired(tmp_path):
    path = tmp_path / "a.tape"
    with sixer.tapes.record(sixer.make("duskrain"), path) as env:
        env.reset(seed=1)
        for _ in range(200):
            env.step(0)
    path.write_bytes(path.read_bytes()[:-7])
    tape = sixer.tapes.Tape(path)
    assert not tape.complete and tape.damage
    with pytest.raises(ValueError, match="cut off"):
        tape.verify()
    tape.repair(tmp_path / "b.tape")
    whole = sixer.tapes.Tape(tmp_path / "b.tape")
    assert whole.complete and whole.seconds == tape.seconds
    whole.verify()


def test_a_full_disk_is_an_error_at_the_end(tmp_path):
    env = sixer.make("duskrain")
    env.reset(seed=1)
    resource = pytest.importorskip("resource", reason="this system has no limit of file sizes")
    import signal

    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    env.start_tape(tmp_path / "a.tape")
    size = (tmp_path / "a.tape").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
    try:
        for _ in range(100):
            env.step(0)
        with pytest.raises(OSError, match="recording stopped"):
            env.end_tape()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, old)
    env.step(0)
