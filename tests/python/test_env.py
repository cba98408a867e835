"""AtariEnv and the Gymnasium ids, against the reference."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from conftest import GAMES, image
from gymnasium.utils.env_checker import check_env
from sixer import _images
from test_interface import outcome


def equal(left, right):
    """Deep equality, types included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return left == right


def pair(both, game="breakout", **arguments):
    return [module.AtariEnv(game, **arguments) for module in both]


def play(envs, steps=60, seed=5, reset_every=0):
    """Step two environments with the same actions and compare all they return."""
    ref, six = envs
    assert ref.action_space == six.action_space
    assert ref.observation_space == six.observation_space
    assert equal(ref.reset(seed=seed), six.reset(seed=seed))
    ref.action_space.seed(seed)
    for step in range(steps):
        action = ref.action_space.sample()
        results = ref.step(action), six.step(action)
        assert equal(*results), step
        over = results[0][2] or results[0][3]
        if over or (reset_every and step % reset_every == reset_every - 1):
            assert equal(ref.reset(), six.reset())
    assert equal(ref.reset(seed=seed + 1), six.reset(seed=seed + 1))
    action = ref.action_space.sample()
    assert equal(ref.step(action), six.step(action))


OPTIONS = {
    "default": {},
    "grayscale": {"obs_type": "grayscale"},
    "ram": {"obs_type": "ram"},
    "sound": {"sound_obs": True},
    "ram and sound": {"obs_type": "ram", "sound_obs": True},
    "random skip": {"frameskip": (2, 5)},
    "no skip": {"frameskip": 1, "repeat_action_probability": 0.0},
    "all actions": {"full_action_space": True},
    "continuous": {"continuous": True},
    "continuous, full": {"continuous": True, "full_action_space": True, "continuous_action_threshold": 0.3},
    "flavor": {"mode": 4, "difficulty": 1},
    "limit": {"max_num_frames_per_episode": 50},
    "no limit": {"max_num_frames_per_episode": -1},
    "sticky": {"repeat_action_probability": 0.7654321},
    "rgb_array": {"render_mode": "rgb_array"},
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options(both, option):
    image("breakout")
    envs = pair(both, **OPTIONS[option])
    play(envs, reset_every=17)
    assert [env.render_mode for env in envs] == [OPTIONS[option].get("render_mode")] * 2
    if envs[0].render_mode:
        assert equal(envs[0].render(), envs[1].render())


@pytest.mark.parametrize("game", [*GAMES, "lost_luggage", "backgammon"])
def test_games(both, game):
    image(game)
    play(pair(both, game), steps=40)
    play(pair(both, game, continuous=True, obs_type="grayscale"), steps=20)


@pytest.mark.whole
@pytest.mark.parametrize("game", [game.id for game in _images.games().values() if not game.built_in])
def test_all_games(both, game):
    image(game)
    play(pair(both, game), steps=150, reset_every=60)
    play(pair(both, game, continuous=True, sound_obs=True), steps=60)


BAD = [
    {"obs_type": "x"}, {"frameskip": True}, {"frameskip": [1, 2]}, {"frameskip": np.int64(3)}, {"frameskip": 0},
    {"frameskip": -1}, {"frameskip": (1,)}, {"frameskip": (3, 3)}, {"frameskip": (0, 3)}, {"frameskip": 1.0},
    {"render_mode": "x"}, {"mode": 1}, {"mode": -1}, {"mode": 1.0}, {"difficulty": 9}, {"difficulty": "x"},
    {"repeat_action_probability": "x"}, {"repeat_action_probability": None}, {"max_num_frames_per_episode": 1.5},
    {"sound_obs": 1}, {"nonsense": 1},
]  # fmt: skip


@pytest.mark.parametrize("arguments", BAD, ids=str)
def test_bad_arguments(both, arguments):
    messages = []
    for module in both:
        with pytest.raises(Exception) as raised:
            module.AtariEnv("breakout", **arguments)
        messages.append((raised.type, str(raised.value)))
    assert messages[0][0] is messages[1][0]
    if messages[0][0] is gymnasium.error.Error:
        assert messages[0] == messages[1]
    if messages[0][0] is RuntimeError:
        assert messages[1][1].startswith(messages[0][1])


@pytest.mark.parametrize("seed", [-1, np.int64(1), 1.5, True, "x", 2**70, 0])
def test_seeds(both, seed):
    results = [outcome(lambda: env.reset(seed=seed)[1]) for env in pair(both)]
    assert equal(*results)


def test_documented_seeds(six):
    env = six.AtariEnv("breakout")
    assert env.reset(seed=4)[1]["seeds"] == (1490961094, 1819501355)
    assert env.reset(seed=5)[1]["seeds"] == (16823399, 2940995229)
    assert "seeds" not in env.reset()[1]


ACTIONS = [0, 3, 4, -1, -4, -5, np.int64(1), np.uint8(1), 1.0, "x", None, np.array(1), np.array([1]), True]


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_actions(both, action):
    envs = pair(both)
    for env in envs:
        env.reset(seed=1)
    assert equal(*[outcome(lambda: env.step(action)) for env in envs])


CONTINUOUS = [
    np.zeros(3), np.zeros(2, np.float32), [0, 0, 0], 1, None,
    *(np.array(a, np.float32) for a in [(5, 1, 0), (-1, 2, 1), (np.nan, 0, 1), (1, np.nan, np.nan), (0.5, 0, 0.5),
                                         (0.50001, 0, 0.50001), (np.inf, 1, 1), (0.7, 0.7853982, 0)]),
]  # fmt: skip


@pytest.mark.parametrize("action", CONTINUOUS, ids=repr)
def test_continuous_actions(both, action):
    envs = pair(both, continuous=True)
    for env in envs:
        env.reset(seed=1)
    assert equal(*[outcome(lambda: [env.step(action) for _ in range(3)]) for env in envs])


def test_meanings_and_keys(both):
    for game in GAMES:
        image(game)
        for full in (False, True):
            ref, six = pair(both, game, full_action_space=full)
            assert ref.get_action_meanings() == six.get_action_meanings()
            assert list(ref.get_keys_to_action().items()) == list(six.get_keys_to_action().items())
    assert outcome(pair(both, continuous=True)[1].get_keys_to_action) is AttributeError
    ref, six = both
    for horizontal in (-2, -1, 0, 1, 2):
        for vertical in (-1, 0, 1, 3):
            for fire in (False, True, 1, 2):
                arguments = (horizontal, vertical, fire)
                results = [outcome(lambda: m.AtariEnv.map_action_idx(*arguments)) for m in both]
                assert [str(result) for result in results[:1]] == [str(result) for result in results[1:]]


def test_attributes(both):
    ref, six = pair(both)
    for env in (ref, six):
        env.reset(seed=3)
    assert ref.metadata == six.metadata
    for name, value in vars(ref).items():
        assert hasattr(six, name), name
        if isinstance(value, (int, str, float, type(None))):
            assert getattr(six, name) == value, name
    assert equal(ref.np_random.integers(1000, size=5), six.np_random.integers(1000, size=5))


def test_states_of_environments(both):
    envs = pair(both, "ms_pacman")
    play(envs, 20)
    states = [env.clone_state(include_rng=True) for env in envs]
    runs = []
    for env, state in zip(envs, states, strict=True):
        first = [env.step(2)[1:] for _ in range(10)]
        env.restore_state(state)
        runs.append((first, [env.step(2) for _ in range(10)]))
    assert equal(*runs)
    for env in envs:
        assert outcome(lambda: env.clone_state(1)) is TypeError


def test_copies_are_fresh(six):
    env = six.AtariEnv("breakout", mode=4, obs_type="ram")
    env.reset(seed=3)
    for _ in range(5):
        env.step(0)
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert twin is not env and twin.ale.getFrameNumber() == 0
        assert equal(twin.reset(seed=9), six.AtariEnv("breakout", mode=4, obs_type="ram").reset(seed=9))


def test_before_reset_and_after_close(both):
    results = []
    for env in pair(both):
        assert env.step(0)[4]["frame_number"] == 4
        results.append(env.step(0)[1:])
        env.close()
        env.step(0)
        assert outcome(env.render) is gymnasium.error.Error
    assert equal(*results)


def test_unknown_games(both):
    for module in both:
        with pytest.warns(UserWarning, match="Rom nope not supported."), pytest.raises(TypeError):
            module.AtariEnv("nope")


# ---- images ----------------------------------------------------------------------------------------------------------


def test_lists_of_images(both):
    ref, six = both
    assert ref.roms.get_all_rom_ids() == six.roms.get_all_rom_ids()
    for rom in ref.roms.get_all_rom_ids():
        assert ref.roms.get_rom_path(rom).read_bytes() == six.roms.get_rom_path(rom).read_bytes()


def test_image_folders(both, tmp_path, monkeypatch, capsys):
    folders = [tmp_path / "nonexistent", tmp_path / "file", tmp_path / "empty", tmp_path / "wrong"]
    folders[1].write_text("x")
    folders[2].mkdir()
    folders[3].mkdir()
    (folders[3] / "pong.bin").write_text("x")
    for folder in folders:
        monkeypatch.setenv("ALE_ROMS_DIR", str(folder))
        seen = []
        for module in both:
            with pytest.raises(OSError) as raised:
                module.roms.get_rom_path("pong")
            seen.append((raised.type, str(raised.value), capsys.readouterr().out))
        assert seen[0] == seen[1]


def test_images_of_the_user(six, tmp_path, monkeypatch):
    original = six.roms.get_rom_path("pong")
    (tmp_path / "pong.bin").write_bytes(original.read_bytes())
    monkeypatch.setenv("SIXER_ROMS", str(tmp_path))
    assert six.roms.get_rom_path("pong") == tmp_path / "pong.bin"
    (tmp_path / "pong.bin").write_bytes(b"another version")
    assert six.roms.get_rom_path("pong") == original


def test_missing_images_say_what_to_do(six, monkeypatch):
    monkeypatch.setattr(_images, "folders", list)
    with pytest.raises(FileNotFoundError, match="roms import.*SIXER_ROMS.*pip install ale-py"):
        six.AtariEnv("breakout")


# ---- ids -------------------------------------------------------------------------------------------------------------


def registered(package):
    """The ids of a package, in a process of its own because both packages have the same ones."""
    code = (
        f"import gymnasium, {package} as p\n"
        "gymnasium.register_envs(p)\n"
        "for id, s in gymnasium.registry.items():\n"
        "    if p.__name__ in str(s.entry_point):\n"
        "        entry = [(e or '').replace(p.__name__, '') for e in (s.entry_point, s.vector_entry_point)]\n"
        "        print(id, entry, s.kwargs, s.max_episode_steps, s.order_enforce, s.disable_env_checker,\n"
        "              s.nondeterministic, s.reward_threshold, s.namespace, s.name, s.version)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    return run.stdout.splitlines()


def test_ids(ref):
    ids = registered("sixer.ale")
    assert len(ids) == 352
    assert sorted(ids) == sorted(registered("ale_py"))


def test_names(both):
    ref, six = both
    for rom in ref.roms.get_all_rom_ids():
        assert ref.registration.rom_id_to_name(rom) == six.registration.rom_id_to_name(rom)


IDS = ["ALE/Breakout-v5", "ALE/Pong-v5", "ALE/Skiing-v5", "MsPacman-v0", "MsPacman-v4", "PongNoFrameskip-v0",
       "PongNoFrameskip-v4"]  # fmt: skip


@pytest.fixture
def ids(six):
    """The Gymnasium ids, ours again whatever was imported last."""
    six.register_v0_v4_envs()
    six.register_v5_envs()
    return gymnasium


@pytest.mark.parametrize("id", IDS)
def test_check_env(ids, id):
    env = ids.make(id)
    assert type(env.unwrapped).__module__ == "sixer.ale.env"
    check_env(env.unwrapped, skip_render_check=False)


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_check_env_of_all_ids(ids, six):
    ours = [id for id, spec in ids.registry.items() if str(spec.entry_point).startswith("sixer.ale")]
    assert len(ours) == 352
    for id in ours:
        check_env(ids.make(id, render_mode="rgb_array").unwrapped)


def test_arguments_through_make(ids):
    env = ids.make("ALE/Breakout-v5", obs_type="ram", frameskip=1, mode=0, full_action_space=True)
    assert env.observation_space.shape == (128,) and env.action_space.n == 18
    env.reset(seed=1)
    assert env.step(0)[4]["frame_number"] == 1
    assert env.spec.kwargs["mode"] == 0
    with pytest.raises(gymnasium.error.ResetNeeded):
        ids.make("ALE/Breakout-v5").step(0)


def test_human_rendering(six, capfd):
    """In a process of its own, where SDL's dummy drivers stand in for a screen."""
    code = (
        "import sixer.ale as a\n"
        "env = a.AtariEnv('breakout', render_mode='human')\n"
        "env.reset(seed=1)\n"
        "for _ in range(5): result = env.step(0)\n"
        "assert env.render() is None\n"
        "env.close()\n"
        "print(result[4])\n"
    )
    dummy = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **dummy})
    if "SDL2" in run.stderr:
        pytest.skip(run.stderr.splitlines()[-1])
    assert run.returncode == 0, run.stderr
    assert "'frame_number': 20" in run.stdout
