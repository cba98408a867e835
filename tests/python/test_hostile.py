"""Callers that mean harm: arguments whose conversion closes the environment or lets another thread in, arrays that are
changed while they are used, forks at the wrong moment, a second import. None may end the process."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import sixer.agents
from sixer import _sixer


def make(count=1, **settings):
    rom = _sixer.Rom("sporefall")
    vec = _sixer.Vec(((rom, None, 0),) * count, threads=1, **settings)
    size = int(np.prod(vec.describe()["shape"]))
    obs = np.empty((count, size), np.uint8)
    vec.reset(None, None, (obs,))
    return vec, obs


class Closes:
    """A number that closes the environments when it is converted."""

    def __init__(self, vec):
        self.vec = vec
        self.error = None

    def convert(self):
        try:
            self.vec.close()
        except RuntimeError as error:
            self.error = error

    def __index__(self):
        self.convert()
        return 0

    def __float__(self):
        self.convert()
        return 1.0


def test_arguments_that_close():
    calls = [
        lambda vec, bad, obs: vec.one(bad, 1.0, obs),
        lambda vec, bad, obs: vec.one(0, bad, obs),
        lambda vec, bad, obs: vec.one(None, bad, obs),
        lambda vec, bad, obs: vec.actions(bad),
        lambda vec, bad, obs: vec.status(bad),
        lambda vec, bad, obs: vec.height(bad),
        lambda vec, bad, obs: vec.ram(bad, np.empty(128, np.uint8)),
        lambda vec, bad, obs: vec.rgb(bad, np.empty(300 * 160 * 3, np.uint8)),
        lambda vec, bad, obs: vec.objects(bad, np.empty(64 * 6, np.int16)),
        lambda vec, bad, obs: vec.save(np.zeros(1, np.int32), bad),
        lambda vec, bad, obs: vec.copy(np.zeros(0, np.int32), np.zeros(0, np.int32), bad),
        lambda vec, bad, obs: vec.recv(bad, (obs,)),
    ]
    for call in calls:
        vec, obs = make()
        bad = Closes(vec)
        call(vec, bad, obs)
        assert "another call is not done" in str(bad.error)
        vec.one(0, 1.0, obs)  # it is free again
        vec.close()
        with pytest.raises(RuntimeError, match="closed"):
            vec.one(0, 1.0, obs)


def test_a_failed_call_leaves_it_free():
    vec, obs = make()
    for bad in ("x", None, 1.5, 2**40):
        with pytest.raises((TypeError, IndexError)):
            vec.status(bad)
    with pytest.raises(IndexError):
        vec.one(99, 1.0, obs)
    vec.one(0, 1.0, obs)


def test_ale_arguments_that_load_again():
    ale = _sixer.Ale()
    load = {
        "rom": _sixer.Rom("sporefall"),
        "seed": 1,
        "system_seed": 1,
        "sticky": 0.0,
        "frame_skip": 1,
        "max_frames": 0,
        "life_loss": False,
        "color_averaging": False,
        "sound": False,
        "reward_min": -1000,
        "reward_max": 1000,
        "paddle_min": -1,
        "paddle_max": -1,
        "cycle_cpu": False,
        "record_screens": None,
    }
    ale._load(**load)

    class Loads:
        error = None

        def convert(self):
            try:
                ale._load(**dict(load, seed=7, frame_skip=2))
            except RuntimeError as error:
                self.error = error

        def __index__(self):
            self.convert()
            return 0

        def __float__(self):
            self.convert()
            return 1.0

    for call in (
        lambda bad: ale.act(bad),
        lambda bad: ale.act(0, bad),
        lambda bad: ale._run(bad, 1.0, 1, 0, None),
        lambda bad: ale._run(0, bad, 1, 0, None),
        lambda bad: ale.setMode(bad),
        lambda bad: ale.setDifficulty(bad),
        lambda bad: ale.setRAM(bad, 0),
    ):
        bad = Loads()
        call(bad)
        assert "another call is not done" in str(bad.error)
    ale.act(0)


def test_actions_that_change():
    """Another thread writes to the array of actions while it is read. Each is read once, so the step is of the action
    that was checked."""
    vec, obs = make(16)
    actions, stop = np.zeros(16, np.int32), threading.Event()

    def disturb():
        while not stop.is_set():
            actions[:] = 2**30
            actions[:] = 0

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(300):
            try:
                vec.step(actions, None, (obs,))
            except IndexError:
                pass
    finally:
        stop.set()
        thread.join()


def test_fork_after_send():
    code = """
        import os, signal
        import numpy as np
        from sixer import _sixer
        rom = _sixer.Rom("sporefall")
        vec = _sixer.Vec(((rom, None, 0),) * 2, threads=1)
        obs = np.empty((2, int(np.prod(vec.describe()["shape"]))), np.uint8)
        vec.reset(None, None, (obs,))
        vec.send(np.array([0, 1], np.int32), np.zeros(2, np.int32), None)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            try:
                vec.recv(2, (obs,))
            except RuntimeError as error:
                os._exit(0 if "forked" in str(error) else 2)
            os._exit(3)
        _, status = os.waitpid(child, 0)
        vec.recv(2, (obs,))
        raise SystemExit(os.waitstatus_to_exitcode(status))
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], timeout=120, check=False)
    assert result.returncode == 0


def test_a_second_import():
    """Types of two imports of the extension are separate, and both go on working."""
    first = _sixer.Rom("sporefall")
    spec = importlib.util.spec_from_file_location("sixer._sixer", _sixer.__file__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again is not _sixer and again.Rom is not _sixer.Rom
    second = again.Rom("sporefall")
    for module, own, other in ((_sixer, first, second), (again, second, first)):
        vec = module.Vec(((own, None, 0),), threads=1)
        obs = np.empty(int(np.prod(vec.describe()["shape"])), np.uint8)
        assert vec.one(None, -1, obs)[3]["lives"] >= 0
        with pytest.raises(TypeError):
            module.Vec(((other, None, 0),), threads=1)
    del again, second
    vec, obs = make()
    assert "episode_frames" in vec.one(0, 1.0, obs)[3]


def test_a_subinterpreter():
    code = """
        import sys
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            print("there are no subinterpreters")
            raise SystemExit(0)
        from sixer import _sixer
        rom = _sixer.Rom("sporefall")
        other = interpreters.create()
        try:
            interpreters.run_string(other, "import sys; sys.path[:] = %r; from sixer import _sixer; "
                                    "_sixer.Rom('sporefall')" % (sys.path,))
        except interpreters.RunFailedError as error:  # NumPy may not load twice; the extension must
            if "_sixer" in str(error):
                raise
        interpreters.destroy(other)
        vec = _sixer.Vec(((rom, None, 0),), threads=1)
        assert vec.describe()["count"] == 1
        vec.close()
    """
    environment = dict(os.environ)
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], timeout=120, check=False, env=environment)
    assert result.returncode == 0


def test_states_of_others():
    """A state with any byte changed is refused or played; bytes that are no state are refused."""
    vec, obs = make()
    one = np.zeros(1, np.int32)
    (state,) = vec.save(one, 1)
    random = np.random.default_rng(5)
    refused = 0
    for _ in range(400):
        damaged = bytearray(state)
        for at in random.integers(0, 700, random.integers(1, 4)):
            damaged[at] = random.integers(0, 256)
        try:
            vec.load(one, [bytes(damaged)])
        except ValueError:
            refused += 1
            continue
        vec.one(0, 1.0, obs)
    assert refused > 0
    for junk in (b"", b"\0" * 10, os.urandom(5000)):
        with pytest.raises(ValueError):
            vec.load(one, [junk])
    vec.load(one, [state])


def test_sizes_that_change_while_they_are_used():
    """The numbers of runs are checked, and then used without the interpreter's lock."""
    program = """
        import threading
        import numpy as np
        from sixer import _sixer
        runs = np.full(40, 25, np.int64)
        scores = np.random.default_rng(1).normal(size=1000)
        stop = False

        def change():
            while not stop:
                runs[3] = 1 << 40
                runs[3] = 25

        thread = threading.Thread(target=change)
        thread.start()
        results = 0
        for seed in range(300):
            try:
                _sixer.evaluation.bootstrap_aggregates(scores, runs, (200, 0.95, seed, 1, True, 2.0, 255, None))
                results += 1
            except ValueError:
                pass
        stop = True
        thread.join()
        print("done")
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0 and result.stdout == "done\n", result.stderr


def test_an_agent_in_two_threads():
    """Whoever comes second gets an error, whatever is called."""
    agent = sixer.agents.Agent("dqn", "sporefall", trunk="quick", hidden=16, size=24, memory=100, start=8, batch=4)
    saved = agent.save()
    calls = [
        agent.act,
        agent.learn,
        agent.save,
        agent.look,
        agent.reset,
        lambda: agent.load(saved),
        lambda: agent.step(1),
        lambda: agent.status,
        lambda: agent.screen,
        lambda: agent.settings,
        lambda: agent.actions,
    ]
    stop = threading.Event()

    def work(order):
        while not stop.is_set():
            for call in order:
                try:
                    call()
                except (RuntimeError, ValueError):
                    pass

    threads = [threading.Thread(target=work, args=(order,)) for order in (calls, calls[::-1], calls[5:] + calls[:5])]
    for thread in threads:
        thread.start()
    time.sleep(1)
    stop.set()
    for thread in threads:
        thread.join()
    agent.load(saved)
    assert agent.step(agent.act()).frames > 0


def test_a_training_run_in_two_threads(tmp_path):
    run = sixer.agents.Training("sarsa", "sporefall", frames=10**6, path=tmp_path / "run", features="ram")
    refused = []

    def work():
        for _ in range(20):
            try:
                run.run(50)
                run.save()
            except RuntimeError as error:
                refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.save()
    saved = sixer.agents.model_info(tmp_path / "run.checkpoint")[1]
    assert run.progress.steps > 0 and saved.steps == run.progress.steps
