"""Errors of sixer.make and sixer.vector say what was found and what is possible; nothing odd is taken in silence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sixer

WRONG_SETTINGS = [
    ({"obs": "foo"}, ValueError, "'foo'.*'gray', 'rgb', 'palette' or 'ram'"),
    ({"pool": "foo"}, ValueError, "'none', 'max' or 'mean'"),
    ({"life_loss": "foo"}, ValueError, "'ignore', 'info' or 'end'"),
    ({"life_loss": "plain"}, ValueError, "'ignore', 'info' or 'end'"),
    ({"scoring": "foo"}, ValueError, "'ale' or 'fixed'"),
    ({"core": "foo"}, ValueError, "'auto', 'plain', 'interp' or 'jit'"),
    ({"size": 84}, TypeError, r"size is 84; .*\(height, width\)"),
    ({"size": (84,)}, TypeError, r"size is \(84,\); .*\(height, width\)"),
    ({"size": ("a", 3)}, TypeError, r"\(height, width\)"),
    ({"frame_skip": (3,)}, TypeError, r"frame_skip is \(3,\); .*\(low, high\)"),
    ({"frame_skip": "4"}, TypeError, r"frame_skip is '4'"),
    ({"sticky": 2}, ValueError, "sticky is 2"),
    ({"stack": 0}, ValueError, "stack of 0"),
    ({"sizes": 3}, TypeError, "sizes"),
    ({"obs": None}, ValueError, "obs is 'None'; it can be 'gray'"),
    ({"pool": 3}, ValueError, "pool is '3'; it can be 'none'"),
    ({"scoring": None}, ValueError, "'ale' or 'fixed'"),
    ({"core": None}, ValueError, "'auto', 'plain', 'interp' or 'jit'"),
    ({"stack": "4"}, TypeError, "stack is '4'; it must be an integer"),
    ({"max_frames": "x"}, TypeError, "max_frames is 'x'; it must be an integer"),
    ({"noop_max": 2.5}, TypeError, "noop_max is 2.5; it must be an integer"),
    ({"sticky": "x"}, TypeError, "sticky is 'x'; it must be a number"),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), WRONG_SETTINGS, ids=str)
def test_settings(wrong, kind, message):
    with pytest.raises(kind, match=message):
        sixer.make("duskrain", **wrong)
    with pytest.raises(kind, match=message):
        sixer.vector.make("duskrain", 2, **wrong)


WRONG_GAMES = [
    ([("duskrain", 0)], TypeError, r"\(game, mode, difficulty\), not \('duskrain', 0\)"),
    (["duskrain", 3], TypeError, "not 3"),
    ([], ValueError, "at least one"),
    (["duskrian"], ValueError, "did you mean 'duskrain'"),
    (3, TypeError, "games is 3; it must be the id of a game"),
    (None, TypeError, "games is None; it must be the id of a game"),
]


@pytest.mark.parametrize(("games", "kind", "message"), WRONG_GAMES, ids=str)
def test_games(games, kind, message):
    with pytest.raises(kind, match=message):
        sixer.vector.make(games, 2)


def test_a_game_by_its_path():
    path = Path(__file__).parents[1] / "cartridges" / "players.bin"
    assert sixer.vector.make(path, 2).num_envs == 2
    assert sixer.make(path).game == str(path)
    with pytest.raises(TypeError, match="named by its id or the path of its image, not None"):
        sixer.make(None)


def test_a_prefix_is_no_part_of_the_name():
    sixer.make("sixer/duskrain").reset(seed=1)
    with pytest.raises(ValueError, match="no game 'duskrian'; did you mean 'duskrain'"):
        sixer.make("sixer/duskrian")


def test_number_of_environments():
    with pytest.raises(TypeError, match="'3'"):
        sixer.vector.make("duskrain", "3")
    with pytest.raises(ValueError, match="0 environments"):
        sixer.vector.make("duskrain", 0)


def test_actions():
    env = sixer.make("duskrain")
    env.reset(seed=1)
    for action in (None, 2.5, "x"):
        with pytest.raises(TypeError, match="action must be an integer"):
            env.step(action)
    with pytest.raises(TypeError, match="action must be an integer, not None"):
        env.step_into(None, np.empty(env.obs_shape, np.uint8))
    with pytest.raises(TypeError, match="player B must be an integer, not None"):
        env.step(0, other=None)
    envs = sixer.vector.make("duskrain", 2)
    envs.reset(seed=1)
    before = envs.save()
    for action in (2**32 + 1, -1, 2**63 - 1, -(2**32)):
        # NumPy 1 on Windows makes 32-bit integers of lists, which the extension itself refuses
        with pytest.raises(IndexError, match=f"no action {action}|action of env 1 is {action};"):
            envs.step([0, action])
        with pytest.raises(IndexError, match=f"no action {action}|action of env 1 is {action};"):
            envs.send([action], [1])
    with pytest.raises(IndexError, match=f"no action {2**63 + 5}"):
        envs.step(np.array([0, 2**63 + 5], np.uint64))
    assert envs.save() == before


def test_seeds():
    envs = sixer.vector.make("duskrain", 2)
    for seed in (-5, 2**32 - 1, 2**40):
        with pytest.raises(ValueError, match=f"seed is {seed}"):
            envs.reset(seed=seed)
    with pytest.raises(ValueError, match="found -2 to 1"):
        envs.reset(seed=[1, -2])
    with pytest.raises(TypeError, match="integers"):
        envs.reset(seed=[0.5, 1.0])
    for seed in ("x", 1.5):
        with pytest.raises(TypeError, match=f"seed must be an integer, or 2 of them, not {seed!r}"):
            envs.reset(seed=seed)
        with pytest.raises(TypeError, match=f"seed must be an integer, not {seed!r}"):
            sixer.make("duskrain").reset(seed=seed)
    assert np.array_equal(sixer.make("duskrain").reset(seed=np.int64(3))[0], sixer.make("duskrain").reset(seed=3)[0])
    first = envs.reset(seed=2**32 - 2)[0]
    assert np.array_equal(first, envs.reset(seed=[2**32 - 2, 2**32 - 1])[0])


def test_a_state_of_another_game():
    other = next(game for game in sixer.games() if game != "duskrain" and _opens(game))
    one, two = sixer.make("duskrain"), sixer.make(other)
    one.reset(seed=1)
    two.reset(seed=1)
    with pytest.raises(ValueError, match="the state is of another game"):
        one.restore(two.save())
    with pytest.raises(ValueError, match="too few"):
        one.restore(b"x")
    with pytest.raises(TypeError, match="bytes"):
        one.restore("x")


def _opens(game):
    try:
        sixer.make(game)
    except (OSError, ValueError):
        return False
    return True


def test_objects_are_in_every_info():
    env = sixer.make("duskrain", objects=True)
    obs = np.empty(env.obs_shape, np.uint8)
    infos = [env.reset(seed=1)[1], env.step(0)[4], env.step_into(0, obs)[3], env.observe()[1]]
    infos.append(env.restore(env.save())[1])
    assert all(info["objects"].shape[1] == len(sixer.vector.OBJECT_COLUMNS) for info in infos)


def test_a_lost_life_has_a_final_observation():
    """With same-step resets, a life loss that is reported as an end has the last observation before it."""
    envs = sixer.vector.make("duskrain", 2, autoreset="same", life_loss="info", sticky=0.0)
    envs.reset(seed=3)
    random = np.random.default_rng(1)
    seen = 0
    for _ in range(3000):
        obs, _, terminated, truncated, info = envs.step(random.integers(0, envs.single_action_space.n, 2))
        for env in np.flatnonzero(terminated & ~truncated & (info["end"] == 0)):
            assert np.array_equal(info["final_obs"][env], obs[env])
            seen += 1
        if seen >= 3:
            return
    pytest.fail(f"only {seen} lives were lost without an end of the game")
