"""A drop-in replacement for the package multi_agent_ale_py, version 0.1.12: the same names, settings and numbers.

    import sixer.multi

    sixer.multi.install()                 # before pettingzoo.atari is imported
    from pettingzoo.atari import pong_v3  # finds the images that ale_py brings along

or, without PettingZoo,

    import sixer.multi as multi_agent_ale_py

    ale = multi_agent_ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.loadROM("pong.bin")
    ale.setMode(4)
    ale.reset_game()
    rewards = ale.act([2, 5])

Everything that the package shows is equal: memory, screen, rewards, lives, ends, counters and random draws. What ends
the process there (an unknown mode, difficulty or setting, a missing image, a wrong action) is a RuntimeError here. Only
the 20 games with rules for several players can be loaded, `record_screen_dir` and `display_screen` are refused, and
saved states have sixer's own bytes.
"""

from __future__ import annotations

import os
import re
import struct
import sys
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sixer import _images, _sixer

__all__ = ["ALEInterface", "install"]

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]
Key = str | bytes

# Settings are kept as text, as in the reference: a float that is read back may have lost digits.
_TYPED: dict[str, tuple[type, str]] = {
    "cpu": (str, "low"),
    "random_seed": (int, "0"),
    "repeat_action_probability": (float, "0.25"),
    "frame_skip": (int, "1"),
    "color_averaging": (bool, "0"),
    "max_num_frames_per_episode": (int, "0"),
    "max_num_frames": (int, "0"),
    "max_turn_time": (int, "-1"),
    "paddle_min": (int, "-1"),
    "paddle_max": (int, "-1"),
    "rom_file": (str, ""),
    "record_screen_dir": (str, ""),
    "record_sound_filename": (str, ""),
    "display_screen": (bool, "0"),
    "run_length_encoding": (bool, "1"),
    "restricted_action_set": (bool, "0"),
    "send_rgb": (bool, "0"),
    "sound": (bool, "0"),
    "freq": (int, "31400"),
    "tiafreq": (int, "31400"),
    "volume": (int, "100"),
    "fragsize": (int, "64"),
}

#: Games whose rules change a setting when they are loaded.
_PADDLE_MAX = {"backgammon": "1000000"}


def _text(key: Key) -> str:
    return key.decode() if isinstance(key, bytes) else str(key)


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _leading_int(text: str) -> int:
    match = re.match(r"\s*[+-]?\d+", text)
    return int(match[0]) if match else 0


class ALEInterface:
    """One console with one cartridge and one to four players, with the methods of the reference's class of this name.

    Settings (setInt and so on) take effect at the next loadROM. Reads of the screen and the memory return a new array,
    or fill the one that is given and return it.
    """

    class Logger:
        """Levels of messages. sixer.multi writes none."""

        Info = 0
        Warning = 1
        Error = 2

    def __init__(self) -> None:
        self._settings = {key: default for key, (_, default) in _TYPED.items()}
        self._env = _sixer.Players()
        self._image: tuple[Any, _sixer.Rom] | None = None
        self._rom: _sixer.Rom | None = None
        self._height = 210
        self._states: dict[int, bytes] = {}
        self._next_state = 1
        self._stack: list[bytes] = []

    @staticmethod
    def setLoggerMode(mode: str | int) -> None:
        """Accepted for compatibility: 0, 1, 2, "info", "warning" or "error"."""
        assert mode in (0, 1, 2, "info", "warning", "error"), (
            "Invalid Mode! Mode must be one of 0: info, 1: warning, 2: error"
        )

    # ---- settings --------------------------------------------------------------------------------------------------

    def _set(self, key: Key, kind: type, text: str) -> None:
        name = _text(key)
        if name not in _TYPED or _TYPED[name][0] is not kind:
            raise RuntimeError(f"The key {name} you are trying to set does not exist or has incorrect value type.")
        self._settings[name] = text

    def getString(self, key: Key) -> bytes:
        """A setting as it is kept; b"" if there is none of that name."""
        return self._settings.get(_text(key), "").encode()

    def getInt(self, key: Key) -> int:
        """A setting as an integer; -1 if there is none of that name."""
        return _leading_int(self._settings.get(_text(key), "-1"))

    def getBool(self, key: Key) -> bool:
        """A setting as a bool; False if there is none of that name."""
        return self._settings.get(_text(key)) in ("1", "true")

    def getFloat(self, key: Key) -> float:
        """A setting as a float; -1.0 if there is none of that name."""
        return _float32(float(self._settings.get(_text(key), "-1")))

    def setString(self, key: Key, value: str | bytes) -> None:
        """Change a setting that is a text."""
        self._set(key, str, _text(value))

    def setInt(self, key: Key, value: int) -> None:
        """Change a setting that is an integer; only its low 32 bits count."""
        low = int(value) & 0xFFFFFFFF
        self._set(key, int, str(low - 2**32 if low >= 2**31 else low))

    def setBool(self, key: Key, value: bool) -> None:
        """Change a setting that is a bool."""
        self._set(key, bool, "1" if value else "0")

    def setFloat(self, key: Key, value: float) -> None:
        """Change a setting that is a float; six digits of it are kept."""
        self._set(key, float, f"{_float32(float(value)):g}")

    # ---- images ----------------------------------------------------------------------------------------------------

    def _open(self, path: str) -> _sixer.Rom:
        """The image, opened again only if the file has changed."""
        try:
            about = os.stat(path)
        except OSError as error:
            raise RuntimeError(f"ROM file {path!r} cannot be read: {error.strerror}") from None
        key = (path, about.st_mtime_ns, about.st_size, about.st_ino)
        if self._image is None or self._image[0] != key:
            try:
                self._image = (key, _sixer.Rom(path))
            except (OSError, ValueError) as error:
                raise RuntimeError(f"ROM file {path!r} cannot be used: {error}") from None
        return self._image[1]

    def loadROM(self, path: str | bytes | os.PathLike[str] = "") -> None:
        """Load a cartridge image with the present settings and start it in its default mode."""
        name = os.fsdecode(path) or self._settings["rom_file"]
        if not name:
            raise RuntimeError("No ROM File specified: give loadROM() the path of a cartridge image")
        rom = self._open(name)
        about = rom.describe()
        if not (rom.player_modes("ma", 1) or rom.player_modes("ma", 2)):
            raise RuntimeError(
                f"{about['title']} ({name}) has no rules for several players; sixer.ale plays the games for one"
            )
        settings = dict(self._settings, rom_file=name)
        for key in ("record_screen_dir", "record_sound_filename"):
            if settings[key]:
                raise RuntimeError(f"sixer.multi has no {key}: use saveScreenPNG(), or record a tape with sixer")
        if settings["display_screen"] == "1":
            raise RuntimeError("sixer.multi opens no window: use PettingZoo's render_mode, or `sixer watch`")
        if about["game"] in _PADDLE_MAX:
            settings["paddle_max"] = _PADDLE_MAX[about["game"]]
        number = {key: _leading_int(settings[key]) for key, (kind, _) in _TYPED.items() if kind in (int, bool)}
        limit = number["max_turn_time"]
        try:
            self._env.load(
                rom=rom,
                players=0,
                dialect="ma",
                mode=-1,
                difficulty=0,
                seed=(number["random_seed"] or int(time.time())) & 0xFFFFFFFF,
                system_seed=0,
                sticky=_float32(float(settings["repeat_action_probability"])),
                frame_skip=max(1, number["frame_skip"]),
                max_frames=max(0, number["max_num_frames_per_episode"]),
                turn_limit=-1 if limit == -1 else max(0, limit),
                color_averaging=bool(number["color_averaging"]),
                paddle_min=number["paddle_min"],
                paddle_max=number["paddle_max"],
                cycle_cpu=settings["cpu"] != "low",
            )
        except ValueError as error:
            raise RuntimeError(str(error)) from None
        self._settings = settings
        self._rom = rom
        self._height = int(self._env.status()["height"])

    def isSupportedRom(self) -> bool:
        """Whether the loaded image is one of the games."""
        return self._loaded().describe()["game"] is not None

    def _loaded(self) -> _sixer.Rom:
        if self._rom is None:
            raise RuntimeError("ROM not set: load an image first")
        return self._rom

    # ---- players, modes, actions -----------------------------------------------------------------------------------

    def numPlayersActive(self) -> int:
        """How many players the chosen mode has."""
        return self._env.count()

    def getAvailableModes(self, num_players: int = 1) -> Numbers:
        """The modes for so many players, 1 to 4."""
        if num_players not in (1, 2, 3, 4):
            raise RuntimeError(f"there are modes for 1 to 4 players, not for {num_players}")
        return np.array(self._loaded().player_modes("ma", int(num_players)), np.int32)

    def getAvailableDifficulties(self) -> Numbers:
        """The settings of the difficulty switches."""
        return np.array(self._loaded().difficulties(), np.int32)

    def setMode(self, mode: int) -> None:
        """Choose the mode of the next episode, and with it the number of players."""
        self._choose(self._env.set_mode, mode)

    def setDifficulty(self, difficulty: int) -> None:
        """Set the difficulty switches."""
        self._choose(self._env.set_difficulty, difficulty)

    def _choose(self, choose: Any, value: int) -> None:
        self._loaded()
        try:
            choose(int(value))
        except (ValueError, TypeError) as error:
            raise RuntimeError(str(error)) from None

    def getLegalActionSet(self) -> Numbers:
        """The actions that the game accepts: all 18."""
        return np.array(self._loaded().legal_actions(), np.int32)

    def getMinimalActionSet(self) -> Numbers:
        """The actions that make a difference in the game."""
        return np.array(self._loaded().player_actions("ma", 2), np.int32)

    # ---- playing ---------------------------------------------------------------------------------------------------

    def act(self, actions: Any) -> Numbers:
        """One action for each player, for frame_skip frames; the reward of each."""
        env = self._env
        players = env.count()
        rewards = np.empty(players, np.int32)
        try:
            env.step(actions, rewards, None)
        except ValueError as error:
            given = len(actions) if hasattr(actions, "__len__") else 1
            if given != players:
                raise RuntimeError(
                    f"expected action of length {players} for game mode, got action of length {given}"
                ) from None
            raise RuntimeError(str(error)) from None
        return rewards

    def reset_game(self) -> None:
        """Start a new episode."""
        self._env.reset()

    def game_over(self) -> bool:
        """Whether the episode has ended: by the rules, or by max_num_frames_per_episode."""
        return self._env.over()

    def allLives(self) -> Numbers:
        """The lives of each player; -1 if it is out."""
        lives = np.empty(self._env.count(), np.int32)
        self._env.lives(lives)
        return lives

    def lives(self) -> np.int32:
        """The lives of player 1."""
        return np.int32(self.allLives()[0])

    def getFrameNumber(self) -> int:
        """Frames since the image was loaded."""
        return int(self._env.status()["frames"])

    def getEpisodeFrameNumber(self) -> int:
        """Frames since the last reset."""
        return int(self._env.status()["episode_frames"])

    # ---- what it shows ---------------------------------------------------------------------------------------------

    def getScreenDims(self) -> tuple[int, int]:
        """(width, height) of the screen."""
        self._loaded()
        return 160, self._height

    def getScreen(self, screen_data: Bytes | None = None) -> Bytes:
        """The screen's palette bytes, row by row in one dimension."""
        data = np.empty(160 * self._height, np.uint8) if screen_data is None else screen_data
        self._env.screen(data)
        return data

    def getScreenRGB(self, screen_data: Bytes | None = None) -> Bytes:
        """The screen in colors, (height, 160, 3)."""
        data = np.empty((self._height, 160, 3), np.uint8) if screen_data is None else screen_data
        self._env.rgb(data)
        return data

    def getScreenGrayscale(self, screen_data: Bytes | None = None) -> Bytes:
        """The screen in grays, (height, 160, 1)."""
        data = np.empty((self._height, 160, 1), np.uint8) if screen_data is None else screen_data
        self._env.gray(data)
        return data

    def getRAMSize(self) -> int:
        """128."""
        return 128

    def getRAM(self, ram: Bytes | None = None) -> Bytes:
        """The console's memory, 128 bytes."""
        data = np.empty(128, np.uint8) if ram is None else ram
        self._env.ram(data)
        return data

    def setRAM(self, index: int, value: int) -> None:
        """Write a byte of the console's memory."""
        if not 0 <= index < 128:
            raise RuntimeError("Index out of bounds.")
        if not 0 <= value < 256:
            raise RuntimeError("Invalid ram value.")
        self._env.set_ram(int(index), int(value))

    def saveScreenPNG(self, filename: Key) -> None:
        """Write the screen as a PNG file, 320 pixels wide."""
        if not self._env.save_png(_text(filename)):
            raise RuntimeError(f"{_text(filename)!r} cannot be written")

    # ---- states ----------------------------------------------------------------------------------------------------

    def _keep(self, state: bytes) -> int:
        handle = self._next_state
        self._next_state += 1
        self._states[handle] = state
        return handle

    def _state(self, handle: int) -> bytes:
        try:
            return self._states[handle]
        except (KeyError, TypeError):
            raise RuntimeError(f"{handle!r} is not a saved state, or it was deleted") from None

    def _restore(self, state: bytes) -> None:
        try:
            self._env.restore_ma(state)
        except ValueError as error:
            raise RuntimeError(str(error)) from None

    def cloneState(self) -> int:
        """Save the state without the generator; returns a handle."""
        return self._keep(self._env.save_ma(False))

    def cloneSystemState(self) -> int:
        """Save the state with the generator; returns a handle."""
        return self._keep(self._env.save_ma(True))

    def restoreState(self, state: int) -> None:
        """Load a saved state. Screen and memory show the old ones until the next frame, as in the reference."""
        self._restore(self._state(state))

    def restoreSystemState(self, state: int) -> None:
        """The same as restoreState."""
        self._restore(self._state(state))

    def deleteState(self, state: int) -> None:
        """Forget a saved state."""
        self._state(state)
        del self._states[state]

    def encodeStateLen(self, state: int) -> int:
        """How many bytes a saved state has."""
        return len(self._state(state))

    def encodeState(self, state: int, buf: Bytes | None = None) -> Bytes:
        """A saved state as an array of bytes."""
        data = np.frombuffer(self._state(state), np.uint8)
        if buf is None:
            return data.copy()
        buf[:] = data
        return buf

    def decodeState(self, serialized: Bytes) -> int:
        """A saved state from an array of bytes; returns a handle. The bytes are checked when they are restored."""
        return self._keep(np.asarray(serialized, np.uint8).tobytes())

    def saveState(self) -> None:
        """Put the state on a stack."""
        self._stack.append(self._env.save_ma(False))

    def loadState(self) -> None:
        """Take the state from the top of the stack and load it."""
        if not self._stack:
            raise RuntimeError("loadState() without a saveState() before it")
        self._restore(self._stack.pop())


def _image_folder() -> Path:
    """The folder with most images of the 20 games. PettingZoo looks beside the module's file."""
    games = [game for game in _images.games() if _images.games()[game].several]
    folders = _images.folders()
    return max(folders, key=lambda folder: sum((folder / f"{game}.bin").is_file() for game in games))


def install() -> None:
    """Make this module stand in for multi_agent_ale_py in the whole process."""
    module = types.ModuleType("multi_agent_ale_py", __doc__)
    inner = types.ModuleType("multi_agent_ale_py.ale_python_interface", __doc__)
    module.__file__ = str(_image_folder() / "multi_agent_ale_py.py")
    module.__path__ = []
    module.__dict__["__version__"] = "0.1.12"
    for each in (module, inner):
        each.__dict__["ALEInterface"] = ALEInterface
    module.__dict__["ale_python_interface"] = inner
    sys.modules["multi_agent_ale_py"] = module
    sys.modules["multi_agent_ale_py.ale_python_interface"] = inner
