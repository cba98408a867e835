"""ALEState and the saving and restoring of games, against the reference."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest
from conftest import GAMES
from test_interface import actions, image, make, outcome, same, shown


def fields(state):
    return (state.getFrameNumber(), state.getEpisodeFrameNumber(), state.getDifficulty(), state.getCurrentMode())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("include_rng", [False, True])
def test_restored_games_go_on_the_same(both, game, include_rng):
    ref, six = (make(module, game, sound_obs=True) for module in both)
    for ale in (ref, six):
        for action in actions(60):
            ale.act(action)
    states = [ale.cloneState(include_rng=include_rng) for ale in (ref, six)]
    assert fields(states[0]) == fields(states[1])
    for step, action in enumerate(actions(80, seed=1)):
        assert ref.act(action) == six.act(action)
        if step % 25 == 7:
            ref.restoreState(states[0]), six.restoreState(states[1])
            # the old picture stays until the next frame, in both
            assert same(shown(ref), shown(six)), step
            assert states[1] == six.cloneState(include_rng=include_rng)
            if step % 2:
                ref.restoreState(states[0]), six.restoreState(states[1])
        assert same(shown(ref), shown(six)), step


@pytest.mark.parametrize("averaging", [False, True])
def test_the_old_picture_is_shown_in_all_ways(both, averaging, tmp_path):
    files, runs = [], []
    for number, module in enumerate(both):
        ale = make(module, "pong", color_averaging=averaging)
        state = ale.cloneState()
        for action in actions(40):
            ale.act(action)
        ale.restoreState(state)
        runs.append(shown(ale))
        ale.saveScreenPNG(str(tmp_path / f"{number}.png"))
        files.append((tmp_path / f"{number}.png").read_bytes())
        ale.restoreState(state)
        runs.append(shown(ale))
        ale.act(0)
        runs.append(shown(ale))
    assert files[0] == files[1]
    for left, right in zip(runs[:3], runs[3:], strict=True):
        assert same(left, right)


def test_sticky_memory_is_not_saved(both):
    """After a restore the repeated action is the live one, also with include_rng."""
    runs = []
    for module in both:
        ale = make(module, "breakout", repeat_action_probability=0.8)
        ale.act(1)
        states = [ale.cloneState(), ale.cloneSystemState()]
        trace = []
        for state in states:
            for action in (3, 4, 3, 4):
                for _ in range(5):
                    ale.act(action)
                ale.restoreState(state)
                for _ in range(6):
                    ale.act(0)
                    trace.append(ale.getRAM().tobytes())
        runs.append(trace)
    assert runs[0] == runs[1]


def test_ends_and_flavors_are_saved(both):
    runs = []
    for module in both:
        ale = make(module, "breakout", max_num_frames_per_episode=50)
        ale.setMode(4)
        ale.setDifficulty(1)
        ale.reset_game()
        for action in actions(45):
            ale.act(action)
        state = ale.cloneState()
        ale.setMode(0)
        ale.setDifficulty(0)
        ale.reset_game()
        trace = [fields(state)]
        ale.restoreState(state)
        for action in actions(10):
            trace.append((ale.act(action), ale.game_over(), ale.game_truncated(), ale.getEpisodeFrameNumber()))
        ale.reset_game()
        trace.append(ale.getRAM().tobytes())
        runs.append(trace)
    assert runs[0] == runs[1]


def test_states_of_other_interfaces(six):
    """A state goes into any interface of the same image."""
    one, other = make(six, "pong"), make(six, "pong", random_seed=99)
    for action in actions(50):
        one.act(action)
    other.restoreState(one.cloneSystemState())
    other.act(0), one.act(0)
    assert np.array_equal(one.getScreen(), other.getScreen())
    with pytest.raises(RuntimeError, match="MD5|another game"):
        other.restoreState(make(six, "breakout").cloneState())


def test_default_state(both):
    ref, six = (module.ALEState() for module in both)
    assert ref.serialize() == six.serialize()
    assert fields(ref) == fields(six)


def test_comparisons(both):
    for module in both:
        ale = make(module, "tetris")
        state, again, with_rng = ale.cloneState(), ale.cloneState(), ale.cloneState(True)
        assert state == again and state.equals(again) and not state != again
        assert state != with_rng
        assert hash(state) == hash(state)
        ale.act(0)
        assert state != ale.cloneState()
        for other in (3, None, "x", ale):
            with pytest.raises(TypeError):
                state == other  # noqa: B015
            with pytest.raises(TypeError):
                state.equals(other)
        with pytest.raises(TypeError):
            state < again  # noqa: B015


def test_serialized_and_copied(six):
    ale = make(six, "pitfall2")
    for action in actions(20):
        ale.act(action)
    for state in (ale.cloneState(), ale.cloneState(True)):
        for twin in (
            six.ALEState(state.serialize()),
            pickle.loads(pickle.dumps(state)),
            pickle.loads(pickle.dumps(state, protocol=2)),
            copy.copy(state),
            copy.deepcopy(state),
            six.ALEState(state, state.serialize()[28:-8]),
        ):
            assert twin == state and fields(twin) == fields(state) and twin.serialize() == state.serialize()
            ale.act(1)
            ale.restoreState(twin)
            assert ale.cloneState(state == ale.cloneState(True)) == state


@pytest.mark.parametrize("arguments", [(b"",), (b"abcdabcdabcd",), ("x",), (None,), (1, b""), (b"", b"")])
def test_bad_states(both, arguments):
    ref, six = both
    expected = outcome(lambda: ref.ALEState(*arguments))
    found = outcome(lambda: six.ALEState(*arguments))
    assert found is (RuntimeError if expected is SystemError else expected)


def test_damaged_states_change_nothing(six):
    ale = make(six, "breakout")
    for action in actions(30):
        ale.act(action)
    before, good = shown(ale), ale.cloneState(True)
    blob = good.serialize()[28:-8]
    rng = np.random.default_rng(0)
    refused = 0
    for trial in range(300):
        if trial < 20:
            bad = blob[: int(rng.integers(len(blob)))]
        else:
            array = np.frombuffer(blob, np.uint8).copy()
            array[rng.integers(len(array), size=3)] = rng.integers(256, size=3)
            bad = array.tobytes()
        try:
            ale.restoreState(six.ALEState(good, bad))
            for action in actions(3):
                ale.act(action)
            ale.restoreState(good)
        except RuntimeError:
            refused += 1
    assert refused >= 20
    ale.restoreState(good)
    assert np.array_equal(ale.getRAM(), before[3])
    for empty in (six.ALEState(), six.ALEState(good, b""), six.ALEState(good, b"junk" * 100)):
        with pytest.raises(RuntimeError):
            ale.restoreState(empty)
    # fields that the game cannot have
    data = bytearray(good.serialize())
    for offset in range(0, 24, 4):
        wrong = data.copy()
        wrong[offset : offset + 4] = b"\xff\xff\xff\xff"
        with pytest.raises(RuntimeError):
            ale.restoreState(six.ALEState(bytes(wrong)))


def fill_by_init(six, state, data):
    state.__init__(data)
    return state


def fill_by_init_with_blob(six, state, data):
    state.__init__(state, data[28:-8])
    return state


def fill_by_setstate(six, state, data):
    state.__setstate__(data)
    return state


def rebuild_by_reduce(six, state, data):
    make_again, arguments, _ = state.__reduce_ex__(2)[:3]
    twin = make_again(*arguments)
    twin.__setstate__(data)
    return twin


def rebuild_by_pickle(six, state, data):
    return pickle.loads(pickle.dumps(state).replace(state.serialize(), data))


def rebuild_by_copy(six, state, data):
    copied = copy.copy(state)
    copied.__setstate__(data)
    return copy.deepcopy(copied)


def derive(six, state, data):
    class Derived(six.ALEState):
        def __new__(cls, *arguments):
            return super().__new__(cls, *arguments)

    return Derived(data)


def derive_and_lie(six, state, data):
    class Liar(six.ALEState):
        maker = blob = None

        def __eq__(self, other):
            return True

        __hash__ = six.ALEState.__hash__
        serialize = __getstate__ = lambda self: state.serialize()

    return Liar(state, data[28:-8])


FORGERIES = [
    fill_by_init,
    fill_by_init_with_blob,
    fill_by_setstate,
    rebuild_by_reduce,
    rebuild_by_pickle,
    rebuild_by_copy,
    derive,
    derive_and_lie,
    lambda six, state, data: six.ALEState(data),
    lambda six, state, data: six.ALEState(state, data[28:-8]),
]


@pytest.mark.parametrize("forge", FORGERIES)
@pytest.mark.parametrize("include_rng", [False, True])
def test_states_from_outside_are_checked(six, forge, include_rng):
    """An interface restores the states that it has made without checking them. No other state can pass for one of them,
    also not one that was filled again: one impossible byte is found."""
    ale = make(six, "pong")
    for action in actions(30):
        ale.act(action)
    good = ale.cloneState(include_rng).serialize()
    console = len(ale.cloneState().serialize()) - 8 - 336
    assert good[console + 10] & 0x30 == 0x30  # bits of the processor's status that are always set
    bad = bytearray(good)
    bad[console + 10] = 0
    ale.restoreState(forge(six, ale.cloneState(include_rng), good))
    before = ale.cloneState(True)
    with pytest.raises(RuntimeError, match="damaged"):
        ale.restoreState(forge(six, ale.cloneState(include_rng), bytes(bad)))
    assert ale.cloneState(True) == before


def test_what_marks_a_state_is_out_of_reach(six):
    ale = make(six, "pong")
    state = ale.cloneState()
    assert gc.get_referents(state) == [] and not hasattr(state, "__dict__")
    for name in ("maker", "blob", "fields", "__class__"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(state, name, type("Other", (six.ALEState,), {}))
        with pytest.raises((AttributeError, TypeError)):
            object.__setattr__(state, name, None)
    if hasattr(copy, "replace"):
        with pytest.raises(TypeError):
            copy.replace(state, blob=b"")


def test_states_of_the_image_before(six):
    """The states of an interface are not its own any more when it has loaded another image, or has been set up anew."""
    ale = make(six, "pong")
    for action in actions(30):
        ale.act(action)
    state = ale.cloneState(True)
    expected = ale.getRAM()
    ale.setBool("color_averaging", True)
    ale.loadROM(image("pong"))
    ale.restoreState(state)  # of the same image: checked, and it fits
    assert np.array_equal(ale.getRAM(), expected)
    ale.loadROM(image("breakout"))
    with pytest.raises(RuntimeError, match="another game"):
        ale.restoreState(state)
