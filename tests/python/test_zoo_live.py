"""sixer.zoo beside PettingZoo's Atari environments on multi-agent-ale-py: everything that they show is the same."""

from __future__ import annotations

import itertools
import pathlib
import sys
import warnings

import numpy as np
import pytest

for package in ("pettingzoo", "multi_agent_ale_py", "ale_py", "pygame"):
    pytest.importorskip(package, reason=f"{package} is not installed (tests/reference/requirements.txt)")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import zoo_play  # noqa: E402
from zoo_play import OPTIONS, POKES, play, play_turns, reference  # noqa: E402

import sixer.zoo  # noqa: E402
from sixer.zoo import base  # noqa: E402

whole = pytest.mark.whole
SAMPLE = ("boxing_v2", "maze_craze_v3", "warlords_v3")
EVERY = [pytest.param(name, marks=() if name in SAMPLE else whole) for name in sixer.zoo.NAMES]
FORMS = ("parallel_env", "env", "raw_env")


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


@pytest.mark.parametrize("name", EVERY)
def test_spaces_and_names(name):
    for options in [{}, {"full_action_space": True, "obs_type": "ram", "render_mode": "rgb_array", "max_cycles": 7}]:
        for form in FORMS:
            mine, theirs = ours(name, form, **options), reference(name, form, **options)
            assert mine.possible_agents == theirs.possible_agents
            assert mine.metadata == theirs.metadata
            assert str(mine) == str(theirs)
            assert mine.render_mode == theirs.render_mode
            assert mine.max_num_agents == theirs.max_num_agents
            for agent in theirs.possible_agents:
                assert mine.action_space(agent) == theirs.action_space(agent)
                assert mine.observation_space(agent) == theirs.observation_space(agent)
            low, reference_low = mine.unwrapped, theirs.unwrapped
            assert low.metadata == reference_low.metadata
            for item in ("mode", "num_players", "max_cycles", "obs_type", "full_action_space"):
                assert getattr(low, item) == getattr(reference_low, item)
            assert low.action_mapping.tolist() == reference_low.action_mapping.tolist()


@pytest.mark.parametrize("name", EVERY)
def test_play(name):
    for number, options in enumerate([{}, *OPTIONS.get(name, [])]):
        seed = 7 + number
        assert_same(play(ours(name, **options), seed, 200), play(reference(name, **options), seed, 200))


@whole
@pytest.mark.parametrize("seed", [1, 2**31 - 1, 2**31 + 5, 2**32 + 9, 2**70 + 3])
@pytest.mark.parametrize("name", sixer.zoo.NAMES)
def test_long_play(name, seed):
    assert_same(play(ours(name), seed, 4000), play(reference(name), seed, 4000))


@pytest.mark.parametrize("name", POKES)
def test_players_go_out(name):
    options = {"max_cycles": 60}
    for order in ([*POKES[name]], [*reversed(POKES[name])]):
        assert_same(play(ours(name, **options), 3, 90, order), play(reference(name, **options), 3, 90, order))


@pytest.mark.parametrize("name", POKES)
@pytest.mark.parametrize("form", ["env", "raw_env"])
def test_turns(name, form):
    options = {"max_cycles": 50}
    for pokes in (None, POKES[name]):
        mine, theirs = ours(name, form, **options), reference(name, form, **options)
        assert_same(play_turns(mine, 4, 400, pokes), play_turns(theirs, 4, 400, pokes))


@whole
@pytest.mark.parametrize("name", sixer.zoo.NAMES)
def test_turns_of_all(name):
    assert_same(play_turns(ours(name, "env"), 5, 1500), play_turns(reference(name, "env"), 5, 1500))


def test_all_who_go_out_at_once():
    """Players in every combination leave on one frame: the order of keys, agents, and what a dead one's action does."""
    mine, theirs = ours("warlords_v3", obs_type="ram"), reference("warlords_v3", obs_type="ram")
    for bits in (1, 2, 6, 7, 9, 13, 15):
        assert_same(play(mine, 9, 20, [(0x6E, bits << 4)]), play(theirs, 9, 20, [(0x6E, bits << 4)]))


def outcome(call):
    """The exception that a call raises, without its text, or what it returns; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except OSError:
            result = "OSError"  # ours is the kind of it that says that a file is missing
        except Exception as error:
            result = type(error).__name__
    return result, [warning.category.__name__ for warning in caught]


WRONG_OPTIONS = [
    ("pong_v3", {"num_players": 3}),
    ("pong_v3", {"num_players": 1}),
    ("pong_v3", {"game_version": "chess"}),
    ("pong_v3", {"game_version": "quadrapong"}),
    ("pong_v3", {"frameskip": 4}),
    ("pong_v3", {"game": "boxing"}),
    ("pong_v3", {"mode_num": 4}),
    ("pong_v3", {"env_name": "x"}),
    ("pong_v3", {"obs_type": "screen"}),
    ("pong_v3", {"seed": -1}),
    ("pong_v3", {"seed": "1"}),
    ("pong_v3", {"auto_rom_install_path": "/nowhere"}),
    ("foozpong_v3", {"num_players": 3}),
    ("volleyball_pong_v3", {"num_players": 0}),
    ("basketball_pong_v3", {"num_players": 8}),
    ("quadrapong_v4", {"num_players": 4}),
    ("boxing_v2", {"num_players": 2}),
    ("combat_plane_v2", {"game_version": "tank"}),
    ("maze_craze_v3", {"game_version": "x"}),
    ("maze_craze_v3", {"visibilty_level": 4}),
    ("maze_craze_v3", {"visibilty_level": "3"}),
]


@pytest.mark.parametrize(("name", "options"), WRONG_OPTIONS)
def test_wrong_options(name, options):
    ours(name)
    path = {} if "auto_rom_install_path" in options else {"auto_rom_install_path": None}
    mine = outcome(lambda: getattr(sixer.zoo, name).parallel_env(**path, **options))
    assert mine == outcome(lambda: reference(name, **options))
    assert isinstance(mine[0], str)


def test_wrong_calls():
    def pair(**options):
        return ours("pong_v3", **options), reference("pong_v3", **options)

    def both(call, *envs):
        mine, theirs = (outcome(lambda env=env: call(env)) for env in envs)
        assert mine == theirs

    before = pair(obs_type="ram")
    for call in (
        lambda env: env.agents,
        lambda env: env.num_agents,
        lambda env: env.step({}),
        lambda env: env.step({"first_0": 0, "second_0": 0}),
        lambda env: env.render(),
        lambda env: env.state(),
        lambda env: env.close(),
        lambda env: env.reset(seed=-1),
        lambda env: env.reset(seed=1.5),
        lambda env: env.reset(seed="1"),
        lambda env: env.action_space("third_0"),
    ):
        both(call, *before)
    for actions in (
        {"first_0": 0},
        {"first_0": 6, "second_0": 0},
        {"first_0": 0, "second_0": -1},
        {"first_0": None, "second_0": 0},
        {"first_0": "1", "second_0": 0},
        {"first_0": 1.0, "second_0": 0},
        {"first_0": np.array([1]), "second_0": 0},
        {},
        [0, 0],
    ):
        for env in before:
            env.reset()
        both(lambda env, actions=actions: env.step(actions), *before)
        assert [env.unwrapped.frame for env in before] == [0, 0]
    for env in before:
        env.reset(seed=2)
    both(lambda env: env.state(), *before)
    both(lambda env: env.render(), *before)
    both(lambda env: [list(part.items()) for part in env.step({"first_0": np.int64(1), "second_0": True})[1:]], *before)
    both(lambda env: list(env.step({"first_0": 1, "second_0": 1, "third_0": 99})[1]), *before)
    odd = pair(render_mode="odd")
    for env in odd:
        env.reset(seed=2)
    both(lambda env: env.render(), *odd)


def test_raw_steps():
    """The class below the wrappers: missing actions are index 0, truncated agents stay."""
    for name in ("video_checkers_v4", "pong_v3"):
        options = {"max_cycles": 4, "obs_type": "ram"}
        mine, theirs = (env.unwrapped for env in (ours(name, **options), reference(name, **options)))
        assert str(mine.reset(seed=5)) == str(theirs.reset(seed=5))
        for actions in ({}, {"first_0": 1}, {"second_0": -1}, {"first_0": 2.0}, {"x": 3}, {"first_0": np.uint8(3)}):
            assert str(mine.step(actions)) == str(theirs.step(actions))
            assert mine.agents == theirs.agents
            assert mine.frame == theirs.frame
        for env in (mine, theirs):
            with pytest.raises(IndexError):
                env.step({"first_0": 18})


def test_a_class_for_any_game():
    from pettingzoo.atari.base_atari_env import ParallelAtariEnv

    folder = str(pathlib.Path(sys.modules["ale_py"].__file__).parent)
    games = (("backgammon", 2, None), ("fishing_derby", 2, 2), ("pong", 1, None), ("warlords", 4, None))
    for game, players, mode in games:
        options = {"num_players": players, "mode_num": mode, "obs_type": "ram"}
        mine = base.ParallelAtariEnv(game, **options)
        theirs = ParallelAtariEnv(game, auto_rom_install_path=folder, **options)
        assert (mine.mode, mine.metadata) == (theirs.mode, theirs.metadata)
        assert_same(play(mine, 11, 100), play(theirs, 11, 100))
    for game, players, mode in (("pong", 2, 6), ("pong", 3, None), ("boxing", 4, None), ("boxing", 2, 77)):
        with pytest.raises(AssertionError, match="players"):
            base.ParallelAtariEnv(game, players, mode)


@pytest.mark.parametrize("full", [False, True])
def test_states(full):
    """What follows a restored state is what follows it in the reference."""
    results = []
    for env in (ours("joust_v3", obs_type="ram"), reference("joust_v3", obs_type="ram")):
        low = env.unwrapped
        env.reset(seed=8)
        draw = zoo_play.numbers(8)
        seen = []

        def run(steps, env=env, seen=seen, draw=draw):
            for _ in range(steps):
                step = env.step({agent: next(draw) % 18 for agent in env.agents})
                seen.append(zoo_play.shown(step[0]) + [zoo_play.spelled(step[1])])

        run(30)
        state = low.clone_full_state() if full else low.clone_state()
        assert isinstance(state, np.ndarray) and state.dtype == np.uint8 and state.ndim == 1
        run(50)
        (low.restore_full_state if full else low.restore_state)(state)
        run(50)
        results.append(seen)
    assert results[0] == results[1]
