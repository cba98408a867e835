"""sixer.zoo: golden digests of PettingZoo's Atari environments, PettingZoo's own tests, and what is ours.

The comparisons with the reference beside us are in test_zoo_live.py.
"""

from __future__ import annotations

import copy
import itertools
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

pettingzoo = pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (tests/reference/requirements.txt)")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import zoo_play  # noqa: E402
from zoo_play import POKES, play, poke  # noqa: E402

import sixer.zoo  # noqa: E402


def ours(name, form="parallel_env", **options):
    """An environment of sixer.zoo; skips where its image is missing."""
    try:
        return getattr(getattr(sixer.zoo, name), form)(**options)
    except FileNotFoundError as error:
        pytest.skip(str(error))


def assert_same(mine, theirs):
    """Two plays show the same, line by line."""
    for number, (line, expected) in enumerate(itertools.zip_longest(mine, theirs)):
        assert line == expected, f"line {number}"


# ---- golden ----


@pytest.mark.parametrize(("name", "options", "seed", "steps", "poked", "expected"), zoo_play.rows())
def test_golden(name, options, seed, steps, poked, expected):
    env = ours(name, **options)
    assert zoo_play.digest(play(env, seed, steps, POKES[name] if poked else None)) == expected


def test_golden_has_all():
    assert {row[0] for row in zoo_play.rows()} == set(sixer.zoo.NAMES)


# ---- PettingZoo's own tests ----


def cycles(request, few, many):
    return many if request.config.getoption("--whole") else few


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sixer.zoo.NAMES)
def test_pettingzoo_parallel_api(name, request):
    from pettingzoo.test import parallel_api_test

    parallel_api_test(ours(name), num_cycles=cycles(request, 20, 1000))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sixer.zoo.NAMES)
def test_pettingzoo_api(name, request):
    from pettingzoo.test import api_test

    api_test(ours(name, "env", obs_type="ram"), num_cycles=cycles(request, 10, 1000))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sixer.zoo.NAMES)
def test_pettingzoo_seeds(name, request):
    from pettingzoo.test import parallel_seed_test, seed_test

    steps = cycles(request, 10, 500)
    seed_test(lambda: ours(name, "env", obs_type="ram"), num_cycles=steps)
    parallel_seed_test(lambda: ours(name, obs_type="ram"), num_cycles=steps)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sixer.zoo.NAMES)
def test_pettingzoo_max_cycles(name):
    from pettingzoo.test import max_cycles_test

    ours(name)
    max_cycles_test(getattr(sixer.zoo, name))


# ---- our own ----


def test_an_error_changes_nothing():
    env, twin = ours("pong_v3", obs_type="ram"), ours("pong_v3", obs_type="ram")
    env.reset(seed=3)
    twin.reset(seed=3)
    for wrong in ({"first_0": 1}, {"first_0": 1, "second_0": 6}, {"second_0": 1}):
        with pytest.raises((KeyError, AssertionError)):
            env.step(wrong)
        good = {"first_0": 2, "second_0": 3}
        for mine, theirs in zip(env.step(good), twin.step(good)):
            assert str(mine) == str(theirs)


def test_states_are_checked():
    low = ours("joust_v3").unwrapped
    low.reset(seed=1)
    state = low.clone_state()
    for wrong in (state[:-1], state[:10], np.zeros(2000, np.uint8), np.zeros(0, np.uint8)):
        with pytest.raises((RuntimeError, ValueError)):
            low.restore_state(wrong)


def test_make():
    for spelling in ("pong_v3", "pong", "pong-v3", "atari/pong-v3", "atari/pong"):
        assert sixer.zoo._full_name(spelling) == "pong_v3"
    ours("pong_v3")
    assert str(sixer.zoo.make("pong", num_players=4)) == "pong_v3"
    assert isinstance(sixer.zoo.make("pong"), pettingzoo.ParallelEnv)
    assert isinstance(sixer.zoo.make("pong", "aec"), pettingzoo.AECEnv)
    with pytest.raises(ValueError, match="there is pong_v3"):
        sixer.zoo.make("pong_v2")
    with pytest.raises(ValueError, match="did you mean boxing"):
        sixer.zoo.make("boxin")
    with pytest.raises(ValueError, match="parallel, aec, raw"):
        sixer.zoo.make("pong", "serial")
    with pytest.raises(AttributeError, match="there is boxing_v2"):
        sixer.zoo.boxing_v1  # noqa: B018
    assert set(sixer.zoo.NAMES) < set(dir(sixer.zoo))


def test_without_pettingzoo():
    program = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'pettingzoo' else find(name, *rest)\n"
        "try:\n    import sixer.zoo\nexcept ImportError as error:\n    print(error)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "sixer.zoo needs pettingzoo" in result.stdout and "pip install sixer[zoo]" in result.stdout


def test_missing_image(tmp_path):
    with pytest.raises(OSError, match=r"rom pong is not installed.*roms/pong\.bin"):
        sixer.zoo.pong_v3.parallel_env(auto_rom_install_path=tmp_path)


def test_folders_of_images(tmp_path):
    image = pathlib.Path(ours("pong_v3").unwrapped.rom_path)
    for place in ("pong.bin", "roms/pong.bin", "ROM/pong/pong.bin"):
        folder = tmp_path / place.replace("/", "_")
        (folder / place).parent.mkdir(parents=True)
        (folder / place).write_bytes(image.read_bytes())
        env = sixer.zoo.pong_v3.parallel_env(auto_rom_install_path=folder)
        assert env.unwrapped.rom_path == str(folder / place)


def test_observations_are_the_callers():
    """An array stays as it is while somebody has it, and all agents see the same one."""
    env = ours("pong_v3", num_players=4)
    observations, _ = env.reset(seed=1)
    kept = []
    for step in range(60):
        assert len({id(obs) for obs in observations.values()}) == 1
        kept.append((observations["first_0"], observations["first_0"].copy()))
        observations = env.step({agent: step % 6 for agent in env.agents})[0]
    assert all((array == copied).all() for array, copied in kept)
    assert len({id(array) for array, _ in kept}) == 60


def test_pickle_and_copy():
    options = {"num_players": 4, "max_cycles": 9, "obs_type": "ram"}
    env = ours("pong_v3", seed=5, **options)
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert twin.possible_agents == env.possible_agents
        assert twin.unwrapped.max_cycles == 9
        assert_same(play(twin, 6, 30), play(ours("pong_v3", **options), 6, 30))


def test_seed_of_the_constructor():
    lines = [list(_unseeded(ours("maze_craze_v3", seed=seed, obs_type="ram"))) for seed in (4, 4, 5)]
    assert lines[0] == lines[1] != lines[2]


def _unseeded(env):
    observations, _ = env.reset()
    yield zoo_play.shown(observations)
    for _ in range(30):
        yield zoo_play.shown(env.step({agent: 1 for agent in env.agents})[0])


def test_render():
    env = ours("combat_tank_v2", render_mode="rgb_array")
    observations, _ = env.reset(seed=1)
    assert (env.render() == observations["first_0"]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        window = ours("pong_v3", render_mode="human")
    window.reset(seed=1)
    window.step({"first_0": 0, "second_0": 0})
    assert window.unwrapped._window is not None
    assert window.render() is None
    window.close()
    assert window.unwrapped._window is None


def test_supersuit():
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")
    env = ours("pong_v3", num_players=2)
    env = supersuit.color_reduction_v0(env, mode="B")
    env = supersuit.resize_v1(env, x_size=84, y_size=84)
    env = supersuit.frame_stack_v1(env, 4)
    envs = supersuit.pettingzoo_env_to_vec_env_v1(env)
    envs = supersuit.concat_vec_envs_v1(envs, 2, num_cpus=0, base_class="gymnasium")
    observations, _ = envs.reset(seed=1)
    assert observations.shape == (4, 84, 84, 4)
    observations, rewards, *_ = envs.step(np.zeros(4, np.int64))
    assert observations.any() and rewards.shape == (4,)


def test_poke_reaches_the_rules():
    """The pokes of the tests above do put players out."""
    env = ours("warlords_v3", obs_type="ram")
    env.reset(seed=1)
    poke(env, 0x6E, 0x40)
    *_, terminations, truncations, _ = env.step({agent: 0 for agent in env.agents})
    assert terminations == {"first_0": False, "second_0": True, "third_0": False, "fourth_0": False}
    assert env.agents == ["first_0", "third_0", "fourth_0"]


def test_order_of_those_who_are_out():
    """Behind the living ones, by name, as PettingZoo's conversions list them."""
    env = ours("warlords_v3", obs_type="ram")
    for bits, order in (
        (0x50, ["first_0", "third_0", "fourth_0", "second_0"]),
        (0xF0, ["first_0", "fourth_0", "second_0", "third_0"]),
    ):
        env.reset(seed=1)
        poke(env, 0x6E, bits)
        observations = env.step({agent: 0 for agent in env.agents})[0]
        assert list(observations) == order
