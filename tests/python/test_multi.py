"""sixer.multi: the names of multi_agent_ale_py, and its errors as exceptions. tests/players.py compares the numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import sixer.multi
import sixer.vector
from sixer import _images

NAMES = """act allLives cloneState cloneSystemState decodeState deleteState encodeState encodeStateLen game_over
getAvailableDifficulties getAvailableModes getBool getEpisodeFrameNumber getFloat getFrameNumber getInt
getLegalActionSet
getMinimalActionSet getRAM getRAMSize getScreen getScreenDims getScreenGrayscale getScreenRGB getString isSupportedRom
lives loadROM loadState numPlayersActive reset_game restoreState restoreSystemState saveScreenPNG saveState setBool
setDifficulty setFloat setInt setLoggerMode setMode setRAM setString Logger""".split()


def image(game: str) -> str:
    path = _images.find(game)
    if path is None:
        pytest.skip(f"no image of {game} (pip install ale-py)")
    return str(path)


def load(game: str, mode: int | None = None, seed: int = 3, **settings: int | float) -> sixer.multi.ALEInterface:
    ale = sixer.multi.ALEInterface()
    ale.setInt(b"random_seed", seed)
    for key, value in settings.items():
        (ale.setFloat if isinstance(value, float) else ale.setInt)(key, value)
    ale.loadROM(image(game))
    if mode is not None:
        ale.setMode(mode)
    ale.reset_game()
    return ale


def test_names() -> None:
    assert [name for name in NAMES if not hasattr(sixer.multi.ALEInterface, name)] == []


def test_shapes() -> None:
    ale = load("pong")
    assert ale.getAvailableModes(1).tolist() == [1, 2]
    assert len(ale.getAvailableModes(2)) == 22 and len(ale.getAvailableModes(4)) == 26
    assert ale.getAvailableModes(3).tolist() == [] and 4 in ale.getAvailableModes(2)
    assert ale.numPlayersActive() == 1
    assert ale.act(0).tolist() == [0]
    ale.setMode(5)
    assert ale.numPlayersActive() == 4  # at once, although the console changes with the next reset
    ale.reset_game()
    rewards = ale.act(np.array([3, 4, 1, 0]))
    assert rewards.dtype == np.int32 and rewards.shape == (4,)
    assert ale.allLives().tolist() == [0, 0, 0, 0] and ale.lives() == 0
    assert ale.getScreenDims() == (160, 210) and ale.getScreen().shape == (160 * 210,)
    assert ale.getScreenRGB().shape == (210, 160, 3) and ale.getScreenGrayscale().shape == (210, 160, 1)
    assert ale.getRAM().shape == (128,) and ale.getRAMSize() == 128
    assert ale.getMinimalActionSet().dtype == np.int32
    assert ale.getMinimalActionSet().tolist() == [0, 1, 3, 4, 11, 12]
    assert not ale.game_over()
    assert load("combat").getScreenDims() == (160, 256)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([1], "expected action of length 2 for game mode, got action of length 1"),
        (1, "expected action of length 2 for game mode, got action of length 1"),
        ([], "expected action of length 2 for game mode, got action of length 0"),
        ([1, 2, 3], "expected action of length 2 for game mode, got action of length 3"),
        (list(range(9)), "expected action of length 2 for game mode, got action of length 9"),
        ([1, 18], "player 2 has action 18; actions are 0 to 17"),
        ([0, 22], "player 2 has action 22; actions are 0 to 17"),
        ([-3, 0], "player 1 has action -1; actions are 0 to 17"),
    ],
)
def test_wrong_actions(actions: object, message: str) -> None:
    ale = load("boxing", 2)
    before = ale.getFrameNumber()
    with pytest.raises(RuntimeError, match=message):
        ale.act(actions)
    assert ale.getFrameNumber() == before


def test_wrong_calls(tmp_path: Path) -> None:
    ale = sixer.multi.ALEInterface()
    for call in (ale.reset_game, ale.game_over, ale.allLives, ale.getRAM, ale.numPlayersActive, ale.getScreenDims):
        with pytest.raises(RuntimeError, match="ROM not set"):
            call()
    with pytest.raises(RuntimeError, match="cannot be read"):
        ale.loadROM("/nowhere/pong.bin")
    with pytest.raises(RuntimeError, match="No ROM File"):
        ale.loadROM("")
    with pytest.raises(RuntimeError, match="no rules for several players"):
        ale.loadROM(image("breakout"))
    for wrong in (
        lambda: ale.setInt("nope", 1),
        lambda: ale.setFloat("frame_skip", 1.0),
        lambda: ale.setBool("cpu", 1),
    ):
        with pytest.raises(RuntimeError, match="does not exist or has incorrect value type"):
            wrong()
    assert ale.getInt("nope") == -1 and ale.getString("nope") == b"" and not ale.getBool("nope")
    ale = load("boxing")
    with pytest.raises(RuntimeError, match="has no mode 7"):
        ale.setMode(7)
    with pytest.raises(RuntimeError, match="no difficulty 9"):
        ale.setDifficulty(9)
    for players in (0, 5, -1):
        with pytest.raises(RuntimeError, match="1 to 4 players"):
            ale.getAvailableModes(players)
    with pytest.raises(RuntimeError, match="Index out of bounds"):
        ale.setRAM(128, 0)
    with pytest.raises(RuntimeError, match="Invalid ram value"):
        ale.setRAM(0, 256)
    with pytest.raises(RuntimeError, match="not a saved state"):
        ale.restoreState(77)
    with pytest.raises(RuntimeError, match="without a saveState"):
        ale.loadState()
    ale.setString("record_screen_dir", str(tmp_path))
    with pytest.raises(RuntimeError, match="no record_screen_dir"):
        ale.loadROM(image("boxing"))


def test_states() -> None:
    ale = load("warlords", 1, repeat_action_probability=0.0)  # remembered actions are not part of a state

    def play(steps: int) -> list[bytes]:
        seen = []
        for step in range(steps):
            ale.act([(step * 7 + player * 3) % 18 for player in range(4)])
            seen.append(ale.getRAM().tobytes())
        return seen

    play(20)
    handle = ale.cloneSystemState()
    first = play(30)
    before, screen = ale.getRAM(), ale.getScreen()
    frame = ale.getFrameNumber()
    encoded = ale.encodeState(handle)
    assert encoded.dtype == np.uint8 and len(encoded) == ale.encodeStateLen(handle)
    ale.restoreState(ale.decodeState(encoded))
    # neither screen nor memory show the state before the next frame, but the counters do
    assert (ale.getRAM() == before).all() and (ale.getScreen() == screen).all()
    assert ale.getFrameNumber() == frame - 30
    second = play(30)
    assert first == second
    ale.deleteState(handle)
    with pytest.raises(RuntimeError):
        ale.restoreState(handle)
    encoded[-1] ^= 255
    with pytest.raises(RuntimeError, match="state"):
        ale.restoreState(ale.decodeState(encoded[:-1]))
    ale.saveState()
    play(3)
    ale.loadState()


def test_seeds() -> None:
    assert (load("combat", seed=-5).getRAM() == load("combat", seed=2**32 - 5).getRAM()).all()
    same = [load("combat", seed=9).getRAM().tobytes() for _ in range(2)]
    assert same[0] == same[1]
    assert load("combat", seed=10).getRAM().tobytes() != same[0]


def test_install() -> None:
    image("pong")
    names = ("multi_agent_ale_py", "multi_agent_ale_py.ale_python_interface")
    kept = {name: sys.modules.pop(name, None) for name in names}
    try:
        sixer.multi.install()
        import multi_agent_ale_py

        assert multi_agent_ale_py.ALEInterface is sixer.multi.ALEInterface
        assert (Path(multi_agent_ale_py.__file__).parent / "pong.bin").is_file()
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


def test_vector() -> None:
    image("pong")
    envs = sixer.vector.make("pong", 3, players=2, sticky=0.0)
    obs, info = envs.reset(seed=1)
    assert obs.shape == (3, 4, 84, 84) and info["lives"].shape == (3, 2) and info["mask"].all()
    obs, rewards, terminated, truncated, info = envs.step(np.zeros((3, 2), int))
    assert rewards.shape == terminated.shape == truncated.shape == info["mask"].shape == (3, 2)
    with pytest.raises(ValueError, match=r"actions must have shape \(3, 2\), not \(3,\)"):
        envs.step([0, 0, 0])
    with pytest.raises(IndexError, match="the action of player 2 of env 1 is 6; it has 0 to 5"):
        envs.step([[0, 0], [0, 6], [0, 0]])
    with pytest.raises(ValueError, match="no mode for 3 players"):
        sixer.vector.make("pong", 2, players=3)
    with pytest.raises(ValueError, match="dialect"):
        sixer.vector.make("pong", 2, players=2, dialect="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="for one player"):
        sixer.make("pong", players=2)  # type: ignore[call-arg]


MEN = [cell for first in (0x80, 0x89, 0x92, 0x9B) for cell in range(first, first + 8)]


@pytest.mark.parametrize(
    ("game", "mode", "board", "rewards"),
    [
        ("backgammon", 3, {0x80: 0xF1, 0x81: 15}, [1]),
        ("backgammon", 3, {0x8E: 15, 0x81: 0xF1}, [-1]),
        ("backgammon", 4, {0x80: 0xF1, 0x81: 15}, [1, -1]),
        ("backgammon", 4, {0x8E: 15, 0x81: 0xF1}, [-1, 1]),
        ("video_checkers", 1, {0x80: 0x10}, [1]),
        ("video_checkers", 10, {0x80: 0x10}, [1, -1]),
        ("video_checkers", 12, {0x80: 0x10}, [-1]),
    ],
)
def test_won_boards(game: str, mode: int, board: dict[int, int], rewards: list[int]) -> None:
    """Random play does not end like this. The rewards are those of multi-agent-ale-py 0.1.12 on the same boards."""
    ale = sixer.multi.ALEInterface()
    ale.setInt("random_seed", 4)
    ale.loadROM(image(game))
    if game == "backgammon":
        ale.setDifficulty(3)
    ale.setMode(mode)
    ale.reset_game()
    idle = [0] * ale.numPlayersActive()
    for _ in range(3):
        assert not ale.act(idle).any()
    for cell in range(0x80, 0x9C) if game == "backgammon" else MEN:
        ale.setRAM(cell & 0x7F, board.get(cell, 0))
    assert ale.act(idle).tolist() == rewards and ale.game_over()
    assert not ale.act(idle).any()


def test_corrections():
    """By name, in vectors: without "start" Warlords' mode for two stays on its selection screen."""
    try:
        envs = {names: sixer.vector.make("warlords", 1, players=2, obs="ram", corrections=names)
                for names in (None, "all", ("start",), "none", ("three", "out"))}  # fmt: skip
    except FileNotFoundError as error:
        pytest.skip(str(error))
    rams = {names: vector.reset(seed=1)[0].tobytes() for names, vector in envs.items()}
    assert rams[None] == rams["all"] == rams[("start",)] != rams["none"] == rams[("three", "out")]
    assert "start" in sixer.vector.CORRECTIONS
    sixer.vector.make("warlords", 1, players=3, corrections=("three",)).close()
    with pytest.raises(ValueError, match='name "three"'):
        sixer.vector.make("warlords", 1, players=3, corrections=())
    with pytest.raises(ValueError, match="did you mean 'three'"):
        sixer.vector.make("warlords", 1, players=3, corrections="thre")
    with pytest.raises(ValueError, match="no corrections to choose"):
        sixer.vector.make("warlords", 1, players=2, dialect="ma", corrections="none")
    with pytest.raises(TypeError, match="corrections is 5"):
        sixer.vector.make("warlords", 1, players=2, corrections=5)
    with pytest.raises(ValueError, match="turn_limit is -2"):
        sixer.vector.make("warlords", 1, players=2, turn_limit=-2)
