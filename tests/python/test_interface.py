"""ALEInterface against the reference: settings, errors, every method, and long runs under many settings."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import GAMES, image
from sixer import _images

SETTINGS = (
    "cpu system_random_seed random_seed repeat_action_probability frame_skip color_averaging "
    "max_num_frames_per_episode max_num_frames truncate_on_loss_of_life reward_min reward_max paddle_min paddle_max "
    "rom_file record_screen_dir record_sound_filename display_screen sound_obs fragsize run_length_encoding "
    "restricted_action_set send_rgb palette sound freq tiafreq volume clipvol nonsense"
).split()


def outcome(call):
    """What a call returns, or the type of what it raises."""
    try:
        return call()
    except Exception as error:
        return type(error)


def make(module, game="breakout", load=True, **settings):
    ale = module.ALEInterface()
    ale.setInt("random_seed", 123)
    for key, value in settings.items():
        {bool: ale.setBool, int: ale.setInt, float: ale.setFloat, str: ale.setString}[type(value)](key, value)
    if load:
        ale.loadROM(image(game))
    return ale


def shown(ale):
    """All that an interface shows."""
    return [
        ale.getScreen(),
        ale.getScreenRGB(),
        ale.getScreenGrayscale(),
        ale.getRAM(),
        ale.getAudio(),
        ale.lives(),
        ale.getFrameNumber(),
        ale.getEpisodeFrameNumber(),
        ale.game_over(),
        ale.game_over(with_truncation=False),
        ale.game_truncated(),
    ]


def same(left, right):
    return all(np.array_equal(a, b) and type(a) is type(b) for a, b in zip(left, right, strict=True))


def actions(count, seed=0, size=18):
    return np.random.default_rng(seed).integers(size, size=count).tolist()


@pytest.mark.parametrize("key", SETTINGS)
def test_settings_read_the_same(both, key):
    results = []
    for module in both:
        ale = make(module, load=False)
        results.append([getattr(ale, f"get{kind}")(key) for kind in ("Int", "Float", "Bool", "String")])
    assert results[0] == results[1]


VALUES = {
    "Int": [0, 1, -1, 7, 2**31 - 1, -(2**31), 2**31, True, np.int64(5), np.uint8(9), 1.0, "1", None],
    "Float": [
        0.0,
        0.1234567,
        1e-7,
        1e10,
        float("inf"),
        -0.0,
        123456789.0,
        3,
        True,
        np.float32(0.1),
        np.int64(2),
        "1",
        None,
    ],
    "Bool": [True, False, 1, 0, "1", None, np.bool_(True)],
    "String": ["", "low", "high", "z26", "nonsense", "True", "true", "12abc", 1, None],
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("key", [key for key in SETTINGS if key != "nonsense"] + ["nonsense"])
def test_settings_are_set_the_same(both, key, kind):
    for value in VALUES[kind]:
        results = []
        for module in both:
            ale = make(module, load=False)
            result = [outcome(lambda: getattr(ale, f"set{kind}")(key, value))]
            result += [getattr(ale, f"get{other}")(key) for other in VALUES]
            results.append(repr(result))
        assert results[0] == results[1], value


def test_errors_of_settings_say_the_key(six):
    with pytest.raises(RuntimeError, match="The key nonsense you are trying to set does not exist"):
        six.ALEInterface().setInt("nonsense", 1)


CALLS = {
    "act": [(0,), (17,), (18,), (40,), (41,), (2**32 - 1,), (2**32,), (-1,), (1.5,), ("x",), (None,), (True,), (1, 0.5),
            (1, "x"), (1, None), (), (1, 1.0, 1), (np.int64(3),), (np.float64(3),), (np.array(3),), (np.array([3]),)],
    "game_over": [(), (True,), (False,), (1,), (None,), (True, True)],
    "game_truncated": [(), (1,)],
    "setMode": [(0,), (4,), (1,), (-1,), (1.0,), ("x",), (True,), (2**31,), (2**32,), (np.int64(4),), ()],
    "setDifficulty": [(0,), (1,), (4,), (-1,), (1.0,), ("x",), (True,), (2**32,), (np.int64(1),)],
    "setRAM": [(0, 1), (127, 255), (128, 0), (-1, 0), (0, 256), (0, -1), (0, 1.0), (0, np.uint8(3)), (2**40, 0), (0,)],
    "getAvailableModes": [()], "getAvailableDifficulties": [()], "getScreenDims": [()], "getAudioSize": [()],
    "getRAMSize": [()], "lives": [(), (1,)], "getFrameNumber": [()], "getEpisodeFrameNumber": [()],
    "cloneState": [(1,), (None,)], "restoreState": [(None,), (1,)], "restoreSystemState": [(b"",)],
    "saveScreenPNG": [(None,), (pathlib.Path("x.png"),), ("/nonexistent/x.png",)],
    "loadROM": [(None,), (1,)],
    "isSupportedROM": [("/nonexistent",), ("/etc",), (None,), (__file__,)],
    "setLoggerMode": [(2,), (None,), ("Error",)],
}  # fmt: skip


@pytest.mark.parametrize("method", CALLS)
def test_calls_return_or_raise_the_same(both, method):
    ales = [make(module) for module in both]
    for arguments in CALLS[method]:
        results = [outcome(lambda: getattr(ale, method)(*arguments)) for ale in ales]
        assert results[0] == results[1], arguments


@pytest.mark.parametrize("method", ["getScreen", "getScreenRGB", "getScreenGrayscale", "getRAM", "getAudio"])
def test_buffers(both, method):
    ref, six = (make(module) for module in both)
    expected = getattr(ref, method)()
    shape = expected.shape
    good = np.zeros(shape, np.uint8)
    assert getattr(six, method)(good) is None and np.array_equal(good, expected)
    good[:] = 0
    assert getattr(six, method)(buffer=good) is None and np.array_equal(good, expected)
    new = getattr(six, method)()
    assert new is not getattr(six, method)() and new.flags.writeable and new.dtype == np.uint8
    readonly = np.zeros(shape, np.uint8)
    readonly.flags.writeable = False
    bad = [
        np.zeros(shape, np.int8),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.float64),
        np.zeros(shape, bool),
        np.zeros(shape, np.uint8, order="F"),
        np.zeros(tuple(2 * n for n in shape), np.uint8)[tuple(slice(None, None, 2) for _ in shape)],
        np.zeros(tuple(n + 1 for n in shape), np.uint8),
        np.zeros(shape[1:], np.uint8),
        np.zeros((*shape, 1), np.uint8),
        readonly,
        None,
        [1],
        bytearray(512),
        bytearray(128),
    ]
    for buffer in bad:
        results = [outcome(lambda: getattr(ale, method)(buffer)) for ale in (ref, six)]
        assert results[0] == results[1], repr(buffer)[:80]
    for ale in (ref, six):
        with pytest.raises(TypeError, match=r"incompatible function arguments\. The following argument types are supp"):
            getattr(ale, method)(np.zeros(shape, np.int32))


def test_messages_of_wrong_shapes(both):
    for method, shape in (("getScreen", (3, 3)), ("getScreenRGB", (3, 3, 3)), ("getScreenGrayscale", (3, 3))):
        messages = []
        for module in both:
            for array in (np.zeros(shape, np.uint8), np.zeros(7, np.uint8)):
                with pytest.raises(RuntimeError) as raised:
                    getattr(make(module), method)(array)
                messages.append(str(raised.value))
        assert messages[:2] == messages[2:]


def test_before_an_image_is_loaded(both):
    ref, six = (module.ALEInterface() for module in both)
    for method in ("lives", "getLegalActionSet", "getMinimalActionSet"):
        for ale in (ref, six):
            with pytest.raises(RuntimeError, match="^ROM not set$"):
                getattr(ale, method)()
    assert ref.getRAMSize() == six.getRAMSize() == 128
    # the reference's process crashes in these
    for call in (
        six.reset_game, six.game_over, six.game_truncated, six.getScreen, six.getScreenRGB, six.getScreenGrayscale,
        six.getRAM, six.getAudio, six.getFrameNumber, six.getScreenDims, six.cloneState, six.cloneSystemState,
        six.getAvailableModes, six.getAvailableDifficulties, lambda: six.act(0), lambda: six.setRAM(0, 0),
        lambda: six.setMode(0), lambda: six.setDifficulty(0), lambda: six.saveScreenPNG("x.png"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="^ROM not set$"):
            call()
    with pytest.raises(RuntimeError, match="^ROM not set$"):
        six.restoreState(make(both[1]).cloneState())


def test_fatal_cases_are_exceptions(six, tmp_path):
    ale = make(six)
    before = shown(ale)
    with pytest.raises(RuntimeError, match="not found.*SIXER_ROMS"):
        ale.loadROM("/nonexistent/pong.bin")
    (tmp_path / "strange.bin").write_bytes(bytes(4096))
    with pytest.raises(RuntimeError, match="Unable to find a game"):
        ale.loadROM(tmp_path / "strange.bin")
    (tmp_path / "pong.bin").write_bytes(b"")
    with pytest.raises(RuntimeError, match="empty"):
        ale.loadROM(tmp_path / "pong.bin")
    (tmp_path / "pong.bin").write_bytes(bytes(777_777))
    with pytest.raises(RuntimeError, match="larger than"):
        ale.loadROM(tmp_path / "pong.bin")
    with pytest.raises(RuntimeError, match="cannot be used"):
        ale.loadROM(tmp_path)
    with pytest.raises(RuntimeError, match="No ROM"):
        six.ALEInterface().loadROM("")
    with pytest.raises(RuntimeError, match="Invalid action 18"):
        make(six, "ms_pacman").act(18)
    assert same(before, shown(ale)), "a failure changed the running game"
    assert ale.getString("rom_file") == image("breakout")
    ale.loadROM("")  # the last one again
    assert ale.getFrameNumber() == 0


def test_game_by_name_warns(both, tmp_path, capfd):
    (tmp_path / "Tetris.bin").write_bytes(pathlib.Path(image("tetris")).read_bytes()[:-1] + b"\0")
    runs = []
    for module in both:
        module.ALEInterface.setLoggerMode(module.LoggerMode.Warning)
        ale = module.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.loadROM(str(tmp_path / "Tetris.bin"))
        module.ALEInterface.setLoggerMode(module.LoggerMode.Error)
        assert module.ALEInterface.isSupportedROM(tmp_path / "Tetris.bin") is None
        for action in actions(50):
            ale.act(action)
        runs.append(shown(ale))
    assert same(*runs)
    assert "MD5" in capfd.readouterr().err


def test_gzip_is_seen_through(both, tmp_path):
    import gzip

    path = tmp_path / "breakout.bin.gz"
    path.write_bytes(gzip.compress(pathlib.Path(image("breakout")).read_bytes()))
    runs = []
    for module in both:
        ale = module.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.loadROM(path)
        runs.append(shown(ale))
    assert same(*runs)


def test_supported_images(both):
    ref, six = both
    for rom in ref.roms.get_all_rom_ids():
        path = ref.roms.get_rom_path(rom)
        assert ref.ALEInterface.isSupportedROM(path) == six.ALEInterface.isSupportedROM(path)


def test_enumerations(both):
    ref, six = both
    for name in ("Action", "LoggerMode"):
        assert [(m.name, m.value, repr(m), str(m)) for m in getattr(ref, name)] == [
            (m.name, m.value, repr(m), str(m)) for m in getattr(six, name)
        ]
    assert six.Action.FIRE != 1
    for call in (lambda m: m.Action(18), lambda m: int(m.Action.FIRE), lambda m: m.Action["x"]):
        assert outcome(lambda: call(ref)) == outcome(lambda: call(six))


ALL = [
    pytest.param(game, marks=() if game in GAMES else pytest.mark.whole)
    for game in _images.games()
    if not _images.games()[game].built_in
]


@pytest.mark.parametrize("game", ALL)
def test_action_sets(both, game):
    for rom in [game]:
        sets = []
        for module in both:
            ale = make(module, rom)
            sets.append(
                [
                    [a.name for a in ale.getMinimalActionSet()],
                    [a.name for a in ale.getLegalActionSet()],
                    ale.getAvailableModes(),
                    ale.getAvailableDifficulties(),
                    ale.getScreenDims(),
                    ale.lives(),
                ]
            )
        assert sets[0] == sets[1], rom


RUNS = {
    "default": {},
    "sound": {"sound_obs": True},
    "averaging": {"color_averaging": True, "frame_skip": 3},
    "limits": {"max_num_frames_per_episode": 150, "frame_skip": 4, "reward_min": -1, "reward_max": 1},
    "lives": {"truncate_on_loss_of_life": True, "repeat_action_probability": 0.0, "frame_skip": 5},
    "sticky": {"repeat_action_probability": 0.9},
    "over 1": {"repeat_action_probability": 1.5},
    "below 0": {"repeat_action_probability": -0.5},
    "system seed": {"system_random_seed": 77},
    "negative seed": {"random_seed": -5},
    "paddles": {"paddle_min": 100000, "paddle_max": 300000},
    "other cpu": {"cpu": "high"},
    "no skip": {"frame_skip": 0},
    "sound on": {"sound_obs": True, "sound": "true"},
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("game", ["breakout", "ms_pacman", "pong"])
def test_runs(both, game, run):
    if run == "sound on" and os.environ.get("SDL_AUDIODRIVER") != "dummy":
        pytest.skip("the reference opens an audio device (set SDL_AUDIODRIVER=dummy)")
    ref, six = (make(module, game, **RUNS[run]) for module in both)
    assert same(shown(ref), shown(six))
    count = 40 if run == "other cpu" else 400
    for step, action in enumerate(actions(count)):
        strength = (step % 5) / 4
        assert ref.act(action, strength) == six.act(action, strength), step
        if step % 10 == 0:
            assert same(shown(ref), shown(six)), step
        if ref.game_over() and step % 3 == 0:
            ref.reset_game(), six.reset_game()
    assert same(shown(ref), shown(six))


@pytest.mark.parametrize("game", GAMES)
def test_flavors(both, game):
    ref, six = (make(module, game) for module in both)
    for mode in ref.getAvailableModes()[-2:]:
        for difficulty in ref.getAvailableDifficulties():
            for ale in (ref, six):
                ale.setMode(mode)
                ale.setDifficulty(difficulty)
                ale.reset_game()
            for action in actions(30):
                assert ref.act(action) == six.act(action)
            assert same(shown(ref), shown(six)), (mode, difficulty)


def test_a_game_may_change_settings(both):
    results = []
    for module in both:
        ale = make(module, "backgammon", paddle_max=5)
        first = ale.getInt("paddle_max")
        ale.loadROM(image("blackjack"))
        results.append((first, ale.getInt("paddle_max")))
        for action in actions(50):
            ale.act(action)
        results[-1] += (ale.getRAM().tobytes(),)
    assert results[0] == results[1] and results[0][:2] == (1000000, 795000)


def test_settings_wait_for_the_next_load(both):
    runs = []
    for module in both:
        ale = make(module, "breakout", repeat_action_probability=0.5)
        ale.setFloat("repeat_action_probability", 0.0)
        ale.setInt("random_seed", 9)
        rewards = [ale.act(action) for action in actions(200)]
        ale.loadROM(image("breakout"))
        rewards += [ale.act(action) for action in actions(200)]
        runs.append((rewards, ale.getRAM().tobytes()))
    assert runs[0] == runs[1]


def test_codes_above_17(both):
    ref, six = (make(module, "breakout") for module in both)
    for code in [1, 3, 18, 3, 40, 3, 41, 3, 99, 3, 2**32 - 1, 3] * 10:
        assert ref.act(code) == six.act(code)
    assert same(shown(ref), shown(six))
    ref, six = (make(module, "ms_pacman") for module in both)
    for code in [3, 40, 4, 40, 2] * 20:
        assert ref.act(code) == six.act(code)
    assert same(shown(ref), shown(six))


def test_ram_can_be_written(both):
    ref, six = (make(module, "breakout") for module in both)
    for step, action in enumerate(actions(100)):
        for ale in (ref, six):
            ale.setRAM(step, step * 7 % 256)
            assert ale.getRAM()[step] == step * 7 % 256
        assert ref.act(action) == six.act(action)
        assert same(shown(ref), shown(six)), step


def test_png_files_are_equal(both, tmp_path, capfd):
    files = []
    for number, module in enumerate(both):
        ale = make(module, "ms_pacman")
        for action in actions(50):
            ale.act(action)
        ale.saveScreenPNG(str(tmp_path / f"{number}.png"))
        files.append((tmp_path / f"{number}.png").read_bytes())
        ale.saveScreenPNG("/nonexistent/x.png")
    assert files[0] == files[1]
    assert capfd.readouterr().err.count("Could not open /nonexistent/x.png for writing") == 2


@pytest.mark.parametrize("skip", [1, 3])
def test_recorded_screens_are_equal(both, tmp_path, skip):
    runs = []
    for number, module in enumerate(both):
        folder = tmp_path / str(number)
        folder.mkdir()
        ale = make(module, "pong", record_screen_dir=str(folder), frame_skip=skip, sound_obs=True)
        rewards = [ale.act(action) for action in actions(10)]
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        runs.append((rewards, files, ale.getAudio().tobytes(), ale.getRAM().tobytes()))
    assert list(runs[0][1]) == list(runs[1][1])
    assert runs[0] == runs[1]


def test_an_environment_is_used_by_one_thread(six):
    import threading

    ale = make(six, "pong")
    failures, stop = [], threading.Event()

    def play():
        while not stop.is_set():
            try:
                ale.act(0)
            except RuntimeError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    stop.wait(0.3)
    stop.set()
    for thread in threads:
        thread.join()
    assert all("another thread" in failure for failure in failures)


def test_without_gymnasium(tmp_path):
    """The interface alone needs NumPy only."""
    if sys.flags.isolated:
        pytest.skip("this Python ignores PYTHONPATH")
    (tmp_path / "gymnasium.py").write_text("raise ImportError('not here')")
    code = (
        "import sixer, sixer.ale as a\n"
        "ale = a.ALEInterface()\n"
        "try: a.AtariEnv\n"
        "except ImportError as e: assert 'sixer[gymnasium]' in str(e)\n"
        "else: raise SystemExit('AtariEnv is there')\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True)
