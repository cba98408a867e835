"""AtariVectorEnv and ALEVectorInterface, against the reference."""

from __future__ import annotations

import gc
import importlib.util
import pickle

import gymnasium
import numpy as np
import pytest
from conftest import GAMES, image
from gymnasium.vector import AutoresetMode
from test_env import equal
from test_interface import outcome


def pair(both, game="breakout", count=3, **arguments):
    image(game)
    return [module.AtariVectorEnv(game, count, **arguments) for module in both]


def compare(left, right):
    """Results of a step: equal, but for the rows of final_obs that mean nothing."""
    left, right = list(left), list(right)
    infos = left.pop(), right.pop()
    finals = [info.pop("final_obs", None) for info in infos]
    assert equal(left, right)
    assert equal(*infos)
    assert (finals[0] is None) == (finals[1] is None)
    if finals[0] is not None:
        ended = left[2] | left[3]
        assert finals[0].shape == finals[1].shape and finals[0].dtype == finals[1].dtype
        assert np.array_equal(finals[0][ended], finals[1][ended])


def play(envs, steps=40, seed=7):
    ref, six = envs
    for space in ("single_action_space", "action_space", "single_observation_space", "observation_space"):
        assert getattr(ref, space) == getattr(six, space), space
    assert equal(ref.reset(seed=seed), six.reset(seed=seed))
    ref.action_space.seed(seed)
    for _ in range(steps):
        action = ref.action_space.sample()
        compare(ref.step(action), six.step(action))


OPTIONS = {
    "default": {},
    "same step": {"autoreset_mode": "SameStep", "max_num_frames_per_episode": 40},
    "same step, lives": {"autoreset_mode": AutoresetMode.SAME_STEP, "episodic_life": True, "frameskip": 6},
    "next step": {"max_num_frames_per_episode": 30},
    "no limit at all": {"max_num_frames_per_episode": 0},
    "no limit, same step": {"max_num_frames_per_episode": -3, "autoreset_mode": "SameStep"},
    "lives": {"episodic_life": True, "frameskip": 8},
    "life info": {"life_loss_info": True, "frameskip": 8},
    "colors": {"grayscale": False, "img_height": 64, "img_width": 96},
    "native": {"img_height": 210, "img_width": 160, "stack_num": 1},
    "larger": {"img_height": 300, "img_width": 84, "stack_num": 2},
    "half": {"img_height": 105, "img_width": 80, "stack_num": 3},
    "no pooling": {"maxpool": False, "frameskip": 1},
    "no start": {"noop_max": 0, "use_fire_reset": False},
    "negative start": {"noop_max": -4},
    "raw rewards": {"reward_clipping": False, "full_action_space": True},
    "sticky": {"repeat_action_probability": 0.25},
    "very sticky": {"repeat_action_probability": 1.5},
    "continuous": {"continuous": True},
    "continuous, threshold": {"continuous": True, "continuous_action_threshold": 0.9, "full_action_space": True},
    "one thread": {"num_threads": 1},
    "many threads": {"num_threads": 9, "thread_affinity_offset": 0},
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options(both, option):
    play(pair(both, **OPTIONS[option]))


# their own start is played with actions, which are a frame each in a vector whatever its frameskip
STARTED_BY_ACTIONS = ["berzerk", "double_dunk"]
# test_env.py compares all of these; the whole suite does so with vectors, too
IN_SUITE = ["breakout", "pitfall2", "lost_luggage", *STARTED_BY_ACTIONS]


@pytest.mark.parametrize(
    "game",
    [*IN_SUITE, *(pytest.param(game, marks=pytest.mark.whole) for game in GAMES if game not in IN_SUITE)],
)
def test_games(both, game):
    play(pair(both, game, 2), 25)


def test_partial_resets(both):
    ref, six = pair(both)
    play([ref, six], 5)
    for mask in ([True, False, True], [False, False, False], [True, True, True], [False, True, False]):
        options = {"reset_mask": np.array(mask)}
        for seed in (None, 5, np.arange(sum(mask)) + 9):
            if sum(mask) == 0 and seed is not None:
                continue
            assert equal(ref.reset(seed=seed, options=options), six.reset(seed=seed, options=options))
            action = ref.action_space.sample()
            compare(ref.step(action), six.step(action))


SEEDS = [True, -1, -5, np.int64(1), [1, 2], 1.5, "x", np.array([1, 2, 3]), np.array([1]), np.array([1.0, 2.0, 3.0]),
         2**31, 2**31 - 1, np.array([2**31, 1, 2]), np.array([[1, 2, 3]]), 2**40,
         np.array([0, 5, 0], np.int32)]  # fmt: skip


def test_seeds(both):
    ref, six = pair(both)
    for seed in SEEDS:
        results = [outcome(lambda: env.reset(seed=seed)) for env in (ref, six)]
        unseeded = isinstance(seed, int) and seed < 0
        assert unseeded or equal(*results), seed


MASKS = [[True, False, True], np.array([1, 0, 1]), np.array([True]), np.array([[True, False, True]]), None]


def test_masks(both):
    ref, six = pair(both)
    good = {"reset_mask": np.array([True, False, True])}
    for env in (ref, six):
        with pytest.raises(RuntimeError, match="The first reset.. must reset every environment .got 2 of 3."):
            env.reset(options=good)
        env.reset(seed=1)
    for mask in MASKS:
        messages = []
        for env in (ref, six):
            with pytest.raises((TypeError, ValueError)) as raised:
                env.reset(options={"reset_mask": mask})
            messages.append((raised.type, str(raised.value)))
        assert messages[0] == messages[1]
    for options in ({"x": 1}, {}, [], None):
        assert equal(ref.reset(seed=1, options=options), six.reset(seed=1, options=options))
    for env in pair(both, batch_size=2):
        env.reset(seed=1)
        with pytest.raises(ValueError):
            env.reset(options=good)


BAD_ACTIONS = [[0, 0, 0], np.array([0]), np.zeros(3), np.zeros(3, np.int8), np.zeros(3, np.uint64),
               np.zeros((1, 3), int), (0, 0, 0), 0, np.array([True, False, True])]  # fmt: skip


def test_bad_actions(both):
    for env in pair(both):
        assert outcome(lambda: env.step(np.zeros(3, int))) is RuntimeError
        assert outcome(lambda: env.send(np.zeros(3, int))) is RuntimeError
        env.reset(seed=1)
        for action in BAD_ACTIONS:
            assert outcome(lambda: env.step(action)) is AssertionError, action
    for env in pair(both, continuous=True):
        env.reset(seed=1)
        for action in (np.zeros((3, 3)), np.zeros((3, 2), np.float32), np.zeros(9, np.float32), [[0, 0, 0]] * 3):
            assert outcome(lambda: env.step(action)) is AssertionError, action


def test_invalid_action_ids(six):
    """The reference waits forever."""
    image("breakout")
    for batch in (0, 2):
        env = six.AtariVectorEnv("breakout", 3, batch_size=batch)
        env.reset(seed=1)
        size = batch or 3
        with pytest.raises(IndexError, match="9"):
            env.step(np.array([0, 9, 1][:size]))
        env.step(np.zeros(size, int))  # and goes on
    env = six.AtariVectorEnv("skiing", 1, continuous=True)
    env.reset(seed=1)
    with pytest.raises(IndexError):
        env.step(np.array([[1, 0, 1]], np.float32))


BAD_ARGUMENTS = [
    {"num_envs": -1}, {"num_envs": 2.0}, {"frameskip": 0}, {"frameskip": (1, 2)}, {"frameskip": True}, {"mode": 1},
    {"autoreset_mode": "x"}, {"autoreset_mode": AutoresetMode.DISABLED}, {"autoreset_mode": 3}, {"grayscale": 1},
    {"batch_size": -1}, {"stack_num": -1}, {"img_height": -1}, {"img_width": -2}, {"repeat_action_probability": "x"},
    {"max_num_frames_per_episode": 1.5}, {"num_threads": 1.5}, {"full_action_space": 1}, {"noop_max": 1.0},
    {"continuous": 1}, {"reward_clipping": None}, {"game": "nope"},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Rom nope")
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments(both, arguments):
    image("breakout")
    results = [outcome(lambda: m.AtariVectorEnv(**{"game": "breakout", "num_envs": 2, **arguments})) for m in both]
    assert results[0] is results[1]


@pytest.mark.parametrize(
    "arguments", [{"num_envs": 0}, {"stack_num": 0}, {"img_height": 0}, {"batch_size": 5}], ids=str
)
def test_arguments_that_hang_the_reference(six, arguments):
    image("breakout")
    with pytest.raises(ValueError):
        six.AtariVectorEnv(**{"game": "breakout", "num_envs": 2, **arguments})


def test_send_and_recv(both):
    ref, six = pair(both)
    assert equal(ref.reset(seed=3), six.reset(seed=3))
    for step in range(20):
        action = np.full(3, step % 4)
        for env in (ref, six):
            assert env.send(action) is None
        compare(ref.recv(), six.recv())
    with pytest.raises(RuntimeError, match="under way"):
        six.recv()
    six.send(action)
    obs, info = six.reset(seed=3)  # what was sent is forgotten
    assert equal(obs, ref.reset(seed=3)[0])


def test_batches(six):
    """Whatever the order in which they finish, each environment does what it does alone."""
    image("pong")
    count, batch, steps = 5, 2, 40
    alone = six.AtariVectorEnv("pong", count)
    histories = [alone.reset(seed=11)[0].copy()]
    for step in range(steps):
        histories.append(alone.step(np.full(count, step % 6))[0].copy())
    env = six.AtariVectorEnv("pong", count, batch_size=batch)
    obs, info = env.reset(seed=11)
    received = np.zeros(count, int)  # results of each environment; the first is of its reset
    while received.max() < steps:
        assert obs.shape[0] == len(info["env_id"]) == batch
        for row, who in enumerate(info["env_id"]):
            assert np.array_equal(obs[row], histories[received[who]][who])
            received[who] += 1
        obs, _, _, _, info = env.step((received[info["env_id"]] - 1) % 6)
    assert received.min() > 0


def test_observations_stay_what_they_were(six):
    image("pong")
    env = six.AtariVectorEnv("pong", 2)
    first, _ = env.reset(seed=1)
    kept = [first]
    copies = [first.copy()]
    views = []
    for _ in range(30):
        obs = env.step(np.array([2, 3]))[0]
        views.append(obs[1, 3])
        kept.append(obs)
        copies.append(obs.copy())
    del obs
    assert all(map(np.array_equal, kept, copies))
    frames = [view.copy() for view in views]
    del kept, first
    for _ in range(20):
        env.step(np.array([2, 3]))
    assert all(map(np.array_equal, views, frames)), "a view was overwritten"


def test_memory_is_used_again(six):
    image("pong")
    env = six.AtariVectorEnv("pong", 2)
    env.reset(seed=1)
    addresses = set()
    for _ in range(30):
        obs, *_ = env.step(np.array([2, 3]))
        addresses.add(obs.ctypes.data)
    assert len(addresses) <= 3


def test_gymnasium_vector(both, six):
    six.register_v5_envs()
    env = gymnasium.make_vec("ALE/Pong-v5", num_envs=2)
    assert type(env.unwrapped) is six.AtariVectorEnv
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    ref = both[0].AtariVectorEnv("pong", 2, repeat_action_probability=0.25)
    assert equal(ref.reset(seed=1), env.reset(seed=1))
    for _ in range(10):
        compare(ref.step(np.array([1, 2])), env.step(np.array([1, 2])))
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        gymnasium.make_vec("ALE/Pong-v5", num_envs=2, max_num_frames_per_episode=40)
    )
    wrapped.reset(seed=1)
    infos = [wrapped.step(np.array([0, 0]))[4] for _ in range(15)]
    assert any("episode" in info for info in infos)


def test_the_rest(both):
    for env in pair(both):
        assert outcome(env.render) is NotImplementedError
        assert outcome(lambda: env.get_attr("x")) is AttributeError
        assert outcome(lambda: env.call("x")) is AttributeError
        assert outcome(lambda: pickle.dumps(env)) is TypeError
        if importlib.util.find_spec("jax") is None:  # else test_xla.py has it
            assert outcome(env.xla) is gymnasium.error.DependencyNotInstalled
        assert str(env) == "AtariVectorEnv(num_envs=3)"
        env.reset(seed=1)
        env.close()
        env.step(np.zeros(3, int))
    ref, six = both
    for module in both:
        first = module.AtariVectorEnv("breakout", 1)
        module.AtariVectorEnv("breakout", 1, autoreset_mode="SameStep")
        assert first.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_the_lower_level(both):
    path = image("breakout")
    interfaces = [module.ALEVectorInterface(path, 2, 4, 3, 60, 50, False) for module in both]
    ref, six = interfaces
    assert ref.get_observation_shape() == six.get_observation_shape() == (3, 60, 50, 3)
    assert ref.get_num_envs() == six.get_num_envs() == 2
    assert [a.name for a in ref.get_action_set()] == [a.name for a in six.get_action_set()]
    assert ref.handle().shape == six.handle().shape and six.handle().dtype == np.uint8
    calls = [
        lambda v: v.send([0, 0], [1.0, 1.0]),
        lambda v: v.reset([0, 0], [1, 1]),
        lambda v: v.reset([0, 2], [1, 1]),
        lambda v: v.reset([-1, 0], [1, 1]),
        lambda v: v.reset([0, 1], [1]),
        lambda v: v.reset([0], [1]),
        lambda v: v.reset([1, 0], [4, 5]),
        lambda v: v.send([0, 1], [1.0, 0.5]),
        lambda v: v.recv(),
        lambda v: v.send([0], [1.0]),
        lambda v: v.send([0, 0], [1.0]),
        lambda v: v.send([0.5, 0], [1.0, 1.0]),
        lambda v: v.send(np.array([2, 3]), np.array([0.25, 1.0])),
        lambda v: v.recv(),
        lambda v: v.reset([1], [-1]),
        lambda v: v.reset([], []),
        lambda v: pickle.dumps(v),
    ]
    for number, call in enumerate(calls):
        results = [outcome(lambda: call(v)) for v in interfaces]
        assert equal(*results), number


def test_many_are_made_and_freed(six):
    image("pong")
    for _ in range(20):
        env = six.AtariVectorEnv("pong", 3, num_threads=2)
        env.reset(seed=1)
        env.send(np.zeros(3, int))  # dropped while it runs
        del env
    gc.collect()
