"""sixer.make and sixer.vector."""

from __future__ import annotations

import copy
import ctypes
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
import zlib

import gymnasium
import numpy as np
import pytest
import sixer
import sixer.vector
from conftest import image
from gymnasium.utils.env_checker import check_env
from test_env import equal


def test_make_equals_the_reference_preprocessing(six):
    """With its settings, one environment of ours is one of AtariVectorEnv's."""
    image("breakout")
    ref = six.AtariVectorEnv("breakout", 1, repeat_action_probability=0.25)
    env = sixer.make("breakout", noop_max=30, fire_start=True, clip_rewards=True)
    assert np.array_equal(ref.reset(seed=3)[0][0], env.reset(seed=3)[0])
    for step in range(80):
        expected = ref.step(np.array([step % 4]))
        obs, reward, terminated, truncated, info = env.step(step % 4)
        assert np.array_equal(obs, expected[0][0])
        assert (reward, terminated, truncated) == tuple(column[0] for column in expected[1:4])
        assert info["lives"] == expected[4]["lives"][0]
        assert info["episode_frames"] == expected[4]["episode_frame_number"][0]


@pytest.mark.parametrize(
    "settings, shape",
    [
        ({}, (4, 84, 84)),
        ({"stack": None}, (84, 84)),
        ({"stack": 1}, (1, 84, 84)),
        ({"size": None, "stack": 2}, (2, 210, 160)),
        ({"obs": "rgb", "size": (60, 70), "stack": None}, (60, 70, 3)),
        ({"obs": "ram"}, (4, 128)),
        ({"obs": "ram", "stack": None}, (128,)),
        ({"obs": "palette", "stack": None}, (210, 160)),
        ({"pool": "mean"}, (4, 84, 84)),
        ({"frame_skip": (2, 5), "random_action": 0.1, "delay_max": 2}, (4, 84, 84)),
        ({"full_actions": True, "scoring": "fixed", "color_averaging": True}, (4, 84, 84)),
    ],
)
def test_observations(settings, shape):
    image("breakout")
    env = sixer.make("breakout", **settings)
    assert env.observation_space.shape == env.obs_shape == shape
    obs, info = env.reset(seed=1)
    assert obs.shape == shape and obs.dtype == np.uint8
    for _ in range(5):
        obs, *_ = env.step(1)
    assert env.observation_space.contains(obs) and obs.any()
    assert env.action_space.n == (18 if settings.get("full_actions") else 4)
    again = sixer.make("breakout", **settings)
    again.reset(seed=1)
    for _ in range(5):
        twin, *_ = again.step(1)
    assert np.array_equal(obs, twin), "the same seed, another game"


@pytest.mark.filterwarnings("ignore")
def test_it_is_a_gymnasium_environment():
    image("pong")
    env = sixer.make("pong", render_mode="rgb_array")
    check_env(env, skip_render_check=True)
    env.reset(seed=1)
    assert env.render().shape == (210, 160, 3)
    wrapped = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.wrappers.TimeLimit(sixer.make("pong"), 5))
    wrapped.reset(seed=1)
    for _ in range(5):
        *_, info = wrapped.step(0)
    assert info["episode"]["l"] == 5


def test_info():
    image("breakout")
    env = sixer.make("breakout", sticky=0.0, max_frames=40, clip_rewards=True)
    _, info = env.reset(seed=1)
    first = {"lives": 5, "frames": 0, "episode_frames": 0, "executed": 0, "level": 0, "raw_reward": 0, "end": None}
    assert info == first
    for _ in range(9):
        _, _, terminated, truncated, info = env.step(2)
        assert info["executed"] == 3 and info["end"] is None and not (terminated or truncated)
    _, _, terminated, truncated, info = env.step(2)
    assert truncated and not terminated and info["end"] == "frame_limit"
    with pytest.raises(ValueError, match="reset"):
        env.step(2)
    env.reset()
    env.step(2)


def test_executed_actions_under_stickiness():
    image("pong")
    env = sixer.make("pong", sticky=0.5, frame_skip=1, obs="ram")
    env.reset(seed=4)
    codes = [env.step(step % 2)[4]["executed"] for step in range(400)]
    repeated = sum(code != step % 2 for step, code in enumerate(codes))
    assert 60 < repeated < 200


def test_save_restore_branch():
    image("ms_pacman")
    env = sixer.make("ms_pacman")
    env.reset(seed=2)
    for step in range(30):
        env.step(step % 9)
    state = env.save()
    here = env.observe()[0]
    future = [env.step(step % 9) for step in range(40)]
    obs, info = env.restore(state)
    assert np.array_equal(obs, here)
    assert equal(future, [env.step(step % 9) for step in range(40)])
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env.branch()):
        assert np.array_equal(twin.observe()[0], env.observe()[0])
        state = env.save()
        ahead = [twin.step(step % 9) for step in range(20)]
        assert equal(ahead, [env.step(step % 9) for step in range(20)])
        env.restore(state)
    assert env.score == int(env.score) >= 0


@pytest.mark.parametrize("settings", [{}, {"obs": "rgb", "size": None}, {"obs": "ram"}, {"noop_max": 30, "stack": 1}])
@pytest.mark.parametrize("game", ["duskrain", "breakout", "pitfall2"])
def test_states_are_small_and_canonical(game, settings):
    if game != "duskrain":
        image(game)
    env, other = sixer.make(game, **settings), sixer.make(game, **settings)
    env.reset(seed=2)
    luck = np.random.default_rng(1)
    small = settings.get("size", 84) is not None
    for _ in range(60):
        info = env.step(int(luck.integers(env.action_space.n)))[4]
        if info["end"]:
            env.reset()
        for kept in (True, False):
            state = env.save(luck=kept)
            assert len(state) < (20_000 if not small else 8_000 if kept else 5_000)
            env.restore(state)
            assert env.save(luck=kept) == state
        other.restore(env.save())
        assert other.save() == env.save()
    many = sixer.vector.make(game, 2, noop_max=1, threads=1)
    many.reset(seed=1)
    # the generator of starts is then saved as it is; it does not depend on the game
    for step in range(5000 if game == "duskrain" and settings.get("stack") == 1 else 1):
        many.reset()
        if step in (0, 4094, 4095, 4096, 4999):
            states = many.save()
            many.restore(states)
            assert many.save() == states, step


def test_states_of_earlier_versions_are_read():
    """A state of layout 1, and what came after it."""
    data = pathlib.Path(__file__).parents[1] / "data" / "states" / "duskrain_layout_1.bin"
    env = sixer.make("duskrain", size=(12, 12), stack=2, noop_max=5)
    env.restore(data.read_bytes())
    last = [env.step(step % 3)[0] for step in range(20)][-1]
    assert (zlib.crc32(last.tobytes()), env.score, zlib.crc32(env.ram().tobytes())) == (3888943845, 0, 821919238)
    env.reset()
    assert (env.observe()[1]["frames"], zlib.crc32(env.ram().tobytes())) == (248, 1921131428)
    state = env.save()
    env.restore(state)
    assert env.save() == state
    with pytest.raises(ValueError, match="damaged"):
        env.restore(data.read_bytes()[:-1])


def test_caller_arrays():
    image("pong")
    env = sixer.make("pong")
    env.reset(seed=1)
    memory = np.zeros((10, *env.obs_shape), np.uint8)
    for step in range(10):
        reward, terminated, truncated, info = env.step_into(0, memory[step])
    assert memory[9].any() and not np.array_equal(memory[0], memory[9])
    for bad in (memory, memory[0, :2], memory[0].astype(np.int8), np.asfortranarray(memory[0]), memory[0, :, :, ::-1]):
        with pytest.raises((TypeError, ValueError)):
            env.step_into(0, bad)
    envs = sixer.vector.make("pong", 3)
    memory = np.zeros((5, 3, *envs.obs_shape), np.uint8)
    obs, _ = envs.reset(seed=1, obs=memory[0])
    assert obs.base is memory
    for step in range(1, 5):
        assert envs.step([0, 1, 2], obs=memory[step])[0].base is memory
    assert not np.array_equal(memory[1], memory[4])
    for bad in (memory, np.zeros((3, 4, 84, 84)), np.zeros((3, 4, 84, 85), np.uint8), [1]):
        with pytest.raises((TypeError, ValueError)):
            envs.step([0, 1, 2], obs=bad)


def test_errors_of_one(tmp_path):
    image("breakout")
    with pytest.raises(ValueError, match="did you mean 'breakout'"):
        sixer.make("brekout")
    with pytest.raises(ValueError, match="lists them"):
        sixer.make("zzzzzzzzzz")
    with pytest.raises(ValueError, match="available: 0, 4"):
        sixer.make("breakout", mode=3)
    with pytest.raises(ValueError, match="difficulty 7"):
        sixer.make("breakout", difficulty=7)
    for settings in (
        {"sticky": 1.5}, {"frame_skip": 0}, {"stack": 0}, {"obs": "x"}, {"pool": "x"}, {"life_loss": "x"},
        {"core": "x"}, {"scoring": "x"}, {"size": (-1, 5)}, {"frame_skip": (5, 2)}, {"render_mode": "x"},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            sixer.make("breakout", **settings)
    with pytest.raises(TypeError):
        sixer.make("breakout", nonsense=1)
    with pytest.raises(TypeError):
        sixer.make("breakout", stack="x")
    env = sixer.make("breakout")
    with pytest.raises((ValueError, RuntimeError), match="reset"):
        env.step(0)
    env.reset(seed=1)
    for action, kind in ((4, IndexError), (-1, IndexError), (1.0, TypeError), ("x", TypeError), (None, TypeError)):
        with pytest.raises(kind):
            env.step(action)
    with pytest.raises((ValueError, gymnasium.error.Error)):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="state"):
        env.restore(b"junk")
    with pytest.raises(ValueError):
        env.restore(env.save()[:-1])
    with pytest.raises(TypeError):
        env.restore("x")
    other = sixer.make("pong")
    other.reset(seed=1)
    with pytest.raises(ValueError):
        env.restore(other.save())
    env.close()
    env.close()
    for call in (env.reset, lambda: env.step(0), env.save, env.ram):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    (tmp_path / "x.bin").write_bytes(b"")
    with pytest.raises(OSError, match="empty"):
        sixer.make(tmp_path / "x.bin")


def test_an_unknown_image_runs(tmp_path):
    """Any cartridge runs: without rules it pays nothing and never ends."""
    image("tetris")
    data = open(image("tetris"), "rb").read()
    (tmp_path / "unknown.bin").write_bytes(data[:-1] + b"\1")
    env = sixer.make(tmp_path / "unknown.bin")
    env.reset(seed=1)
    for _ in range(20):
        _, reward, terminated, truncated, _ = env.step(0)
        assert reward == 0 and not terminated and not truncated


# ---- vectors ---------------------------------------------------------------------------------------------------------


def test_a_vector_equals_its_environments():
    image("pong"), image("breakout")
    games = ["pong", ("breakout", 4, 1), "pong"]
    envs = sixer.vector.make(games, 5, threads=3, autoreset="off")
    alone = []
    for index in range(5):
        game, mode, difficulty = [("pong", None, 0), ("breakout", 4, 1), ("pong", None, 0)][index % 3]
        alone.append(sixer.make(game, mode=mode, difficulty=difficulty, full_actions=True))
    obs, _ = envs.reset(seed=10)
    for index, env in enumerate(alone):
        assert np.array_equal(obs[index], env.reset(seed=10 + index)[0])
    for step in range(50):
        actions = (np.arange(5) + step) % 18
        obs, rewards, terminated, truncated, info = envs.step(actions)
        for index, env in enumerate(alone):
            expected = env.step(int(actions[index]))
            assert np.array_equal(obs[index], expected[0])
            assert (rewards[index], terminated[index], truncated[index]) == expected[1:4]
            for name in ("lives", "frames", "episode_frames", "executed", "raw_reward"):
                assert info[name][index] == expected[4][name]
    assert envs.games == ["pong", "breakout", "pong", "pong", "breakout"]
    assert envs.action_meanings(1) == alone[1].action_meanings()
    assert np.array_equal(envs.ram(3), alone[3].ram())
    assert np.array_equal(envs.picture(3), alone[3].picture())
    assert envs.status(1)["mode"] == 4 and envs.status(1)["end"] is None


def test_vector_states():
    image("pong")
    envs = sixer.vector.make("pong", 6)
    envs.reset(seed=1)
    for step in range(30):
        envs.step(np.full(6, step % 6))
    states = envs.save()
    here = envs.observe()[0].copy()
    future = [envs.step(np.full(6, step % 6))[:2] for step in range(20)]
    envs.restore(states)
    assert np.array_equal(envs.observe()[0], here)
    assert equal(future, [envs.step(np.full(6, step % 6))[:2] for step in range(20)])
    # a part of them, elsewhere
    envs.restore([states[2]], [5])
    assert np.array_equal(envs.observe(5)[0][0], here[2])
    envs.branch(5, [0, 1])
    assert all(np.array_equal(row, here[2]) for row in envs.observe([0, 1, 5])[0])
    envs.branch([0, 3], [3, 0], luck=True)  # all at once: they change places
    assert np.array_equal(envs.observe(3)[0][0], here[2])
    with pytest.raises(ValueError, match="2 sources for 3"):
        envs.branch([0, 1], [2, 3, 4])
    with pytest.raises(ValueError):
        envs.restore(states, [0])
    with pytest.raises(ValueError):
        envs.restore([states[0], b"junk"], [0, 1])
    with pytest.raises(IndexError):
        envs.save([6])


def test_luck():
    """Copies share their luck only if asked to."""
    image("pong")
    for luck in (True, False):
        envs = sixer.vector.make("pong", 2, sticky=0.5, obs="ram")
        envs.reset(seed=[1, 2])
        envs.branch(0, [1], luck=luck)
        same = True
        for step in range(200):
            obs, *_ = envs.step([step % 6] * 2)
            same = same and np.array_equal(obs[0], obs[1])
        assert same == luck


def test_asynchronous():
    image("pong")
    envs, twin = sixer.vector.make("pong", 4, threads=2), sixer.vector.make("pong", 4)
    envs.reset(seed=1), twin.reset(seed=1)
    for _ in range(20):
        expected = twin.step([2, 3, 2, 3])
        envs.send([2, 3], [0, 1])
        envs.send([2, 3], [2, 3])
        assert envs.pending == 4
        rows = {}
        for _ in range(4):
            obs, rewards, _, _, info = envs.recv(1)
            rows[int(info["env_id"][0])] = obs[0]
        assert sorted(rows) == [0, 1, 2, 3] and envs.pending == 0
        assert all(np.array_equal(rows[env], expected[0][env]) for env in rows)
    envs.send([0] * 4)
    assert list(envs.recv()[4]["env_id"]) == [0, 1, 2, 3]
    envs.send([1], [2])
    for call in (lambda: envs.send([1], [2]), lambda: envs.step([0] * 4), lambda: envs.recv(2), envs.save):
        with pytest.raises(ValueError):
            call()
    envs.recv(1)
    envs.step([0] * 4)


@pytest.mark.parametrize("autoreset", ["next", "same", "off"])
def test_autoreset(autoreset):
    image("breakout")
    envs = sixer.vector.make("breakout", 2, max_frames=20, autoreset=autoreset)
    envs.reset(seed=1)
    for _ in range(4):
        *_, info = envs.step([0, 0])
        assert "final_obs" not in info
    obs, _, terminated, truncated, info = envs.step([0, 0])
    assert truncated.all() and not terminated.any()
    assert [sixer.ENDS[end] for end in info["end"]] == ["frame_limit"] * 2
    if autoreset == "same":
        assert info["final_obs"].shape == obs.shape and not np.array_equal(info["final_obs"], obs)
        assert list(info["episode_frames"]) == [0, 0]
    elif autoreset == "next":
        obs, rewards, terminated, truncated, info = envs.step([0, 0])
        assert not truncated.any() and list(info["episode_frames"]) == [0, 0]
    else:
        with pytest.raises(ValueError, match="reset"):
            envs.step([0, 0])
        envs.reset(mask=[True, False])
        with pytest.raises(ValueError):
            envs.step([0, 0])
        envs.reset(mask=[False, True])
        envs.step([0, 0])


def test_errors_of_vectors():
    image("pong")
    for call in (
        lambda: sixer.vector.make([]),
        lambda: sixer.vector.make("pong", 0),
        lambda: sixer.vector.make("nope"),
        lambda: sixer.vector.make("pong", autoreset="x"),
        lambda: sixer.vector.make(["pong", "air_raid"], size=None),
    ):
        with pytest.raises(ValueError):
            call()
    envs = sixer.vector.make("pong", 2)
    with pytest.raises(ValueError, match="reset"):
        envs.step([0, 0])
    with pytest.raises(ValueError, match="reset"):
        envs.reset(mask=[True, False])
    envs.reset(seed=1)
    for actions, kind in (
        ([0], ValueError),
        ([0, 0, 0], ValueError),
        ([0.0, 1.0], TypeError),
        ([0, 9], IndexError),
        (0, ValueError),
    ):
        with pytest.raises(kind):
            envs.step(actions)
    for seed in ([1], [1, 2, 3]):
        with pytest.raises(ValueError):
            envs.reset(seed=seed)
    with pytest.raises(IndexError):
        envs.observe(2)
    with pytest.raises(IndexError):
        envs.ram(-1)
    with envs:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        envs.step([0, 0])


def test_threads_do_not_matter():
    image("ms_pacman")
    digests = []
    for threads in (1, 2, 5):
        envs = sixer.vector.make("ms_pacman", 5, threads=threads)
        envs.reset(seed=3)
        total = np.zeros((5, 4, 84, 84), np.int64)
        for step in range(25):
            total += envs.step(np.arange(5) * step % 9)[0]
        digests.append(total)
    assert np.array_equal(digests[0], digests[1]) and np.array_equal(digests[0], digests[2])


def test_the_lock_is_released():
    """While environments run, another Python thread does too."""
    image("pong")
    envs = sixer.vector.make("pong", 8, threads=1)
    envs.reset(seed=1)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)  # gives the lock back

    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nothing is taken away: only a released lock lets the other thread run
    try:
        thread.start()
        before = counted[0]
        for _ in range(2000):  # steps are short: the other thread may miss many of them
            envs.step([0] * 8)
            if counted[0] > before:
                break
        progress = counted[0] - before
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert progress > 0


def test_two_threads_in_one_vector():
    image("pong")
    envs = sixer.vector.make("pong", 4)
    envs.reset(seed=1)
    failures = []

    def play():
        for _ in range(100):
            try:
                envs.step([0] * 4)
            except RuntimeError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in failure for failure in failures)


# ---- processes and memory --------------------------------------------------------------------------------------------

CHILD = """
import multiprocessing, sys
import numpy as np
import sixer, sixer.vector

def play(seed):
    env = sixer.make("pong", obs="ram")
    env.reset(seed=seed)
    for step in range(50):
        obs, *_ = env.step(step % 6)
    envs = sixer.vector.make("pong", 3, threads=2, obs="ram")
    envs.reset(seed=seed)
    total = sum(int(envs.step([1, 2, 3])[0].sum()) for _ in range(20))
    return obs.tobytes(), total

if __name__ == "__main__":
    here = [play(seed) for seed in range(3)]
    kept = sixer.vector.make("pong", 3, threads=2)  # threads that a forked child does not have
    kept.reset(seed=1)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(play, range(3)) == here
    kept.step([0, 0, 0])
    print("ok")
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(tmp_path, method):
    image("pong")
    (tmp_path / "child.py").write_text(CHILD)
    run = subprocess.run(
        [sys.executable, str(tmp_path / "child.py"), method],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ,
    )
    assert run.stdout == "ok\n", run.stderr


FORKED = """
import os
import sixer, sixer.vector

one = sixer.make("duskrain")
alone, envs = sixer.vector.make("duskrain", 2, threads=1), sixer.vector.make("duskrain", 4, threads=2)
for each in (one, alone, envs):
    each.reset(seed=1)
child = os.fork()
if child == 0:
    one.step(1)
    alone.step([1, 1])
    for call in (lambda: envs.step([1] * 4), lambda: envs.send([1] * 4), lambda: envs.recv(1), lambda: envs.save()):
        try:
            call()
        except RuntimeError as error:
            assert "forked" in str(error)
        else:
            os._exit(1)
    envs.close()
    del one, alone, envs
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
envs.step([1] * 4)
print("ok")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
def test_environments_of_the_parent():
    """A forked child may use environments without threads. For the others it gets an error: it does not have their
    threads, and waiting for them would never end."""
    run = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout == "ok\n", run.stderr


def resident() -> int:
    """Bytes of this process in memory. The C library keeps about 8 MB of freed memory, so make it give that back
    first."""
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_memory_stays_flat(six):
    """Short here; the long version runs with --whole."""
    check_memory(six, steps=20_000, creations=200)


@pytest.mark.whole
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_memory_stays_flat_for_long(six):
    check_memory(six, steps=1_000_000, creations=10_000)


def check_memory(six, steps, creations):
    path = image("pong")
    env = sixer.make("pong", obs="ram", frame_skip=1)
    env.reset(seed=1)

    def step(count):
        for _ in range(count):
            _, _, terminated, truncated, _ = env.step(1)
            if terminated or truncated:
                env.reset()

    def create(count):
        for number in range(count):
            if number % 3 == 0:
                ale = six.ALEInterface()
                ale.loadROM(path)
                ale.cloneState(True).serialize()
            elif number % 3 == 1:
                sixer.make("pong").reset(seed=number)
            else:
                envs = sixer.vector.make("pong", 2, threads=2)
                envs.reset(seed=number)
                envs.restore(envs.save())

    step(steps // 10), create(max(30, creations // 10))  # pools and caches fill
    before = resident()
    step(steps)
    after_steps = resident()
    create(creations)
    after_creations = resident()
    assert after_steps - before < 2 << 20
    assert after_creations - after_steps < 1 << 20


def test_as_a_program():
    run = subprocess.run([sys.executable, "-m", "sixer", "--version"], capture_output=True, text=True, env=os.environ)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"sixer {sixer.__version__}, behavior {sixer.__behavior__}")
    run = subprocess.run([sys.executable, "-m", "sixer", "nonsense"], capture_output=True, text=True, env=os.environ)
    assert run.returncode == 2 and "nonsense" in run.stderr


def test_names_that_old_versions_of_gymnasium_lack():
    """What test_python_versions.sh does with Gymnasium 0.29, without installing it: newer names are hidden."""
    code = (
        "import gymnasium\n"
        "vector = gymnasium.vector\n"
        "if hasattr(vector, 'VectorWrapper'):\n"
        "    vector.VectorEnvWrapper = vector.VectorWrapper\n"
        "for place, name in ((vector, 'VectorWrapper'), (vector, 'AutoresetMode'), (gymnasium, 'register_envs')):\n"
        "    if hasattr(place, name):\n"
        "        delattr(place, name)\n"
    )
    code += (pathlib.Path(__file__).parent / "old_gymnasium.py").read_text().replace("from __future__", "# from", 1)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
    assert run.returncode == 0, run.stderr
    assert "works" in run.stdout


# ---- objects ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["pong", "breakout", "ms_pacman", "space_invaders", "sporefall"])
def test_objects_are_where_the_picture_shows_them(game):
    """Most boxes have pixels of their color in the first row; some are behind the playfield, like paddles in walls."""
    if game != "sporefall":
        image(game)
    env = sixer.make(game, objects=True, obs="palette", stack=None)
    env.reset(seed=1)
    seen = found = 0
    for step in range(150):
        screen, _, terminated, truncated, info = env.step(step // 3 % 3)
        objects = info["objects"]
        assert objects.dtype == np.int16 and objects.shape[1] == len(sixer.vector.OBJECT_COLUMNS)
        for kind, x, y, width, height, color in objects.tolist():
            assert 0 <= kind <= 4 and x >= 0 and y >= 0 and x + width <= 160 and y + height <= screen.shape[0]
            assert width > 0 and height > 0
            seen += 1
            found += color in screen[y, x : x + width]
        if terminated or truncated:
            env.reset()
    assert seen > 100 and found > 0.6 * seen


def test_objects_of_pong():
    image("pong")
    env = sixer.make("pong", objects=True, obs="palette", stack=None, sticky=0.0)
    env.reset(seed=1)
    for _ in range(120):
        screen, *_, info = env.step(0)
    boxes = {kind: box for kind, *box in info["objects"].tolist()}
    assert {0, 1} <= set(boxes), "two players"
    for x, y, width, height, color in (boxes[0], boxes[1]):
        assert (screen[y : y + height, x : x + width] == color).all() and (width, height) == (4, 16)
    before = boxes[1][1]
    moved = set()
    for step in range(40):
        *_, info = env.step(2 + step // 20)
        moved |= {y for kind, _, y, *_ in info["objects"].tolist() if kind == 1}
    assert len(moved | {before}) > 5, "the paddle moves"


def test_objects_do_not_depend_on_the_core():
    image("space_invaders")
    runs = []
    for core in ("interp", "jit"):
        envs = sixer.vector.make("space_invaders", 3, objects=True, obs="ram", core=core)
        _, info = envs.reset(seed=3)
        runs.append([info["objects"]] + [envs.step([1, 2, 3])[4]["objects"] for _ in range(40)])
    assert equal(*runs)
    assert runs[0][0].shape == (3, sixer.vector.OBJECTS_MAX, 6) and (runs[0][0] == -1).any()
    with pytest.raises(ValueError, match="plain core"):
        sixer.make("space_invaders", objects=True, core="plain")


def test_levels():
    """The level played is reported; each episode draws from the range; one outside is refused with the range."""
    env = sixer.make("hedgelight", obs="ram", stack=None, level=200, levels=56, max_frames=20)
    seen = set()
    for episode in range(40):
        obs, info = env.reset(seed=5 if episode == 0 else None)
        assert 200 <= info["level"] <= 255 and obs[1] == info["level"] == env.observe()[1]["level"]
        seen.add(info["level"])
    assert len(seen) > 10
    envs = sixer.vector.make("hedgelight", n=16, obs="ram", stack=1, level=3, levels=4, max_frames=40, autoreset="same")
    obs, info = envs.reset(seed=1)
    levels = [info["level"]]
    for _ in range(30):
        obs, _, _, _, info = envs.step(np.zeros(16, int))
        assert np.array_equal(obs[:, 0, 1], info["level"])
        levels.append(info["level"])
    assert set(np.unique(levels)) == {3, 4, 5, 6}
    with pytest.raises(ValueError, match="0 to 255"):
        sixer.make("hedgelight", level=250, levels=10)
    with pytest.raises(ValueError, match="0 to 255"):
        sixer.make("hedgelight", level=-1)


def test_vectors_can_be_pickled():
    envs = sixer.vector.make(["duskrain", ("duskrain", None, 0)], 5, life_loss="info", autoreset="same", threads=1)
    assert repr(pickle.loads(pickle.dumps(envs))) == repr(envs)
    envs.reset(seed=3)
    random = np.random.default_rng(0)
    for _ in range(100):
        envs.step(random.integers(0, 4, 5))
    twin = pickle.loads(pickle.dumps(envs))
    for _ in range(200):
        actions = random.integers(0, 4, 5)
        one, two = envs.step(actions), twin.step(actions)
        assert equal(one, two)
    assert envs.save() == twin.save()
    envs.send(np.zeros(5, int))
    with pytest.raises(RuntimeError, match="5 environments were sent"):
        pickle.dumps(envs)
    envs.recv()


def test_gymnasium_makes_our_vectors():
    if not hasattr(gymnasium.vector, "AutoresetMode"):
        pytest.skip("Gymnasium before 1.1 makes vectors of its own")
    envs = gymnasium.make_vec("sixer/Duskrain-v0", num_envs=3, size=(42, 42))
    assert isinstance(envs.unwrapped, sixer.vector.Vector)
    first = envs.reset(seed=[1, 2, 3])[0]
    assert first.shape == (3, 4, 42, 42)
    again = envs.reset(seed=[1, None, 3])[0]
    assert np.array_equal(first[[0, 2]], again[[0, 2]])


def test_options_of_reset():
    env, twin = sixer.make("hedgelight"), sixer.make("hedgelight")
    for each in (env, twin):
        assert each.reset(seed=1, options={"level": 7, "difficulty": 1})[1]["level"] == 7
        assert each.reset()[1]["level"] == 7
    first, info = env.reset(options={"level": 3})
    assert info["level"] == 3
    assert np.array_equal(first, twin.reset(options={"level": 3})[0])  # its seed follows from the last one
    assert np.array_equal(first, sixer.make("hedgelight", level=3, difficulty=1).reset(seed=5)[0])
    for wrong, message in (({"lvl": 3}, "'lvl'.*mode, difficulty, level"), ({"level": 999}, "0 to 255"),
                           ({"mode": 77}, "no mode 77"), ({"difficulty": 9}, "no difficulty 9")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            env.reset(options=wrong)
    assert env.reset()[1]["level"] == 3  # as before the errors
    assert pickle.loads(pickle.dumps(env)).reset()[1]["level"] == 3


def test_a_window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = sixer.make("duskrain", render_mode="human", frame_skip=2)
    try:
        env.reset(seed=1)
    except ImportError as missing:
        pytest.skip(str(missing))
    plain = sixer.make("duskrain", frame_skip=2)
    plain.reset(seed=1)
    for _ in range(5):
        assert np.array_equal(env.step(0)[0], plain.step(0)[0])
    assert env.render() is None
    env.close()
    with pytest.raises(ValueError, match="another obs"):
        sixer.make("duskrain", render_mode="human", obs="ram")


SETTINGS_OF_STATES = [{}, {"obs": "ram"}, {"obs": "rgb", "size": None}, {"frame_skip": 1}, {"color_averaging": True},
                      {"pool": "none"}, {"frame_skip": (2, 5)}, {"noop_max": 30, "fire_start": True}]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS_OF_STATES, ids=str)
def test_states_are_canonical(settings):
    """What is loaded is saved again with the same bytes, by another environment too."""
    env, other = sixer.make("duskrain", **settings), sixer.make("duskrain", **settings)
    env.reset(seed=1)
    other.reset(seed=9)
    for steps in (0, 1, 2, 7, 60):
        for step in range(steps):
            if any(env.step(step % 3)[2:4]):
                env.reset()
        other.step(1)
        state = env.save()
        other.restore(state)
        assert other.save() == state


def test_memory_can_be_changed():
    env, twin = sixer.make("duskrain", sticky=0.0), sixer.make("duskrain", sticky=0.0)
    env.reset(seed=1)
    twin.reset(seed=1)
    env.set_ram(100, 77)
    assert env.ram()[100] == 77
    env.set_ram(100, int(twin.ram()[100]))
    for _ in range(20):
        assert np.array_equal(env.step(1)[0], twin.step(1)[0])
    for wrong in ((128, 0), (-1, 0), (0, 256), (0, -1)):
        with pytest.raises((ValueError, TypeError)):
            env.set_ram(*wrong)
    envs = sixer.vector.make("duskrain", 2)
    envs.reset(seed=1)
    envs.set_ram(1, 5, 200)
    assert envs.ram(1)[5] == 200
    envs.send([0, 0])
    with pytest.raises(ValueError, match="under way|pending|sent"):
        envs.set_ram(1, 5, 0)
    envs.recv()


def test_plain_states_are_small_and_continue():
    """A state without pictures is that of the console: small, canonical, and play goes on from it as it did."""
    with sixer.make("duskrain", noop_max=0) as env, sixer.make("duskrain", noop_max=0) as other:
        env.reset(seed=1)
        other.reset(seed=2)
        for step in range(50):
            env.step(step % 4)
        small, lucky, full = env.save(luck=False, pictures=False), env.save(pictures=False), env.save()
        assert len(small) < 512 and len(small) < len(lucky) < len(full) < 8000
        obs, info = other.restore(lucky)
        assert not obs.any() and info["frames"] == env.observe()[1]["frames"]
        assert other.save(pictures=False) == lucky
        with pytest.raises(RuntimeError, match="picture"):
            other.picture()
        for step in range(30):
            expected, found = env.step(step % 7 % 4), other.step(step % 7 % 4)
            assert expected[1:4] == found[1:4] and np.array_equal(env.ram(), other.ram())
        # the stack has been filled with the pictures that the first has
        assert np.array_equal(expected[0], found[0]) and np.array_equal(env.picture(), other.picture())
        # every byte of the head is checked, and so is every cut
        for at in range(0, 100, 3):
            damaged = bytearray(lucky)
            damaged[at] ^= 0x80
            try:
                other.restore(bytes(damaged))
            except ValueError:
                pass
            other.step(0) if not other.observe()[1]["end"] else other.reset()
        with pytest.raises(ValueError):
            other.restore(lucky[:-1])
    with sixer.make("duskrain", obs="ram", stack=2) as ram:
        ram.reset(seed=3)
        obs, _ = ram.restore(small)
        assert obs[1].any() and not obs[0].any()


def test_sound():
    with sixer.make("duskrain", sound=True, frame_skip=1) as env:
        env.reset(seed=1)
        heard = set()
        for step in range(300):
            env.step(step // 7 % 4)
            heard.update(env.sound().tolist())
        assert env.sound().shape == (512,) and len(heard) > 2
    with sixer.Vector(["duskrain"], 2, sound=True, frame_skip=1) as vector:
        vector.reset(seed=[1, 2])
        for step in range(50):
            vector.step([step // 7 % 4, 0])
        assert vector.sound().shape == (2, 512) and vector.sound().any()


def test_what_was_not_asked_for_is_an_error():
    with sixer.make("duskrain") as env, sixer.Vector(["duskrain"], 2) as vector:
        for plain in (env, vector):
            plain.reset(seed=1)
            with pytest.raises(ValueError, match="sound=True"):
                plain.sound()
            with pytest.raises(ValueError, match="objects=True"):
                plain.objects()


def sticks(folder):
    """A cartridge whose byte 1 of memory is what the joysticks' port reads: 4 bits for player A, 4 for player B."""
    program = "78D8A2FF9A A9028500 850285028502 A9008500 A2F8 8502 AD80024581 8509 CAD0F4 E680 AD80028581 4C05F0"
    code = bytes.fromhex(program)
    path = folder / "sticks.bin"
    path.write_bytes(code + bytes([0xEA]) * (0xFFC - len(code)) + b"\x00\xf0\xea\xea")
    return path


def test_two_players(tmp_path):
    """What player B does reaches the console, in one environment and in many, and only in its own step."""
    up, right = 2, 3
    with sixer.make(sticks(tmp_path), sticky=0.0, frame_skip=2) as env:
        env.reset(seed=1)
        for action, other, port in ((0, 0, 0xFF), (up, 0, 0xEF), (0, right, 0xF7), (up, right, 0xE7), (0, 0, 0xFF)):
            env.step(action, other=other)
            assert env.ram()[1] == port
        with pytest.raises(IndexError, match="player B"):
            env.step(0, other=99)
        with pytest.raises(IndexError, match="switches"):
            env.step(0, switches=16)
    with sixer.Vector([str(sticks(tmp_path))], 2, sticky=0.0, frame_skip=2) as vector:
        vector.reset(seed=[1, 2])
        vector.step([0, up], others=[right, up])
        assert [int(vector.ram(env)[1]) for env in (0, 1)] == [0xF7, 0xEE]
        vector.step([0, up])
        assert [int(vector.ram(env)[1]) for env in (0, 1)] == [0xFF, 0xEF]
        with pytest.raises(IndexError, match="player B"):
            vector.step([0, 0], others=[0, 77])


def test_modes_of_several_players():
    """One game with its mode and difficulty, or a list of such; three names are three games."""
    flavor = ("hearthring", 13, 1)
    for games in (flavor, [flavor]):
        with sixer.vector.make(games, 2, players=4) as vector:
            assert vector.games == ["hearthring", "hearthring"]
            vector.reset(seed=1)
            assert [(vector.status(env)["mode"], vector.status(env)["difficulty"]) for env in (0, 1)] == [(13, 1)] * 2
    with sixer.vector.make(("sporefall", None, 0)) as vector:
        assert vector.num_envs == 1
    with sixer.vector.make(("sporefall", "duskrain", "wispherd")) as vector:
        assert vector.num_envs == 3
    with pytest.raises(ValueError, match="mode 13 of Hearthring is for 4 players, and there are 2"):
        sixer.vector.make(flavor, players=2)


def test_arrays_of_players():
    """Rewards are written to integers only; a wrong number of actions is told as it is."""
    env = sixer._sixer.Players()
    env.load(sixer._sixer.Rom("hearthring"), 4, "sixer", -1, 0, 1, 2, 0.0, 1, 0, -1, False, -1, -1, False)
    numbers = np.full(4, 7, np.int32)
    assert env.step([0] * 4, numbers, None) == (False, False) and not numbers.any()
    for wrong in (np.zeros(4, np.float32), np.zeros(4, np.uint32), np.zeros(3, np.int32), np.zeros(4, np.int64)):
        with pytest.raises(TypeError, match="an array of int32 for 4 players"):
            env.step([0] * 4, wrong, None)
    with pytest.raises(ValueError, match="found 200"):
        env.step([0] * 200, numbers, None)


def test_switches():
    """SELECT goes through the variants of a game; the episode's end does not stop the console."""
    image("space_invaders")
    with sixer.make("space_invaders", sticky=0.0, frame_skip=1, obs="ram", stack=None) as env:
        env.reset(seed=1)
        seen = {int(env.ram()[0x5C])}
        for press in range(40):
            env.step(0, switches=sixer.Switch.SELECT | sixer.Switch.RUN if press % 20 < 6 else sixer.Switch.RUN)
            seen.add(int(env.ram()[0x5C]))
        assert len(seen) >= 2


def test_a_single_game_is_not_taken_for_a_list_of_letters():
    with pytest.raises(TypeError, match=r"must be a list of games, such as \['pong'\]"):
        sixer.Vector("pong", 2)  # type: ignore[arg-type]
