"""ALEInterface with the names that users of ale_py know: settings and images here, running games in C."""

from __future__ import annotations

import enum
import hashlib
import os
import re
import struct
import sys
import time
from pathlib import Path
from typing import Any, NoReturn, overload

import numpy as np
import numpy.typing as npt

from sixer import _images, _sixer
from sixer._sixer import ALEState
from sixer.ale.roms import WITHOUT_RULES

Array = npt.NDArray[np.uint8]

#: How the reference's messages about arguments begin; programs test for it.
UNFIT = "incompatible function arguments. The following argument types are supported:"


class _PlainEnum(enum.Enum):
    """An enumeration whose members show as their names."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    __str__ = __repr__


class Action(_PlainEnum):
    """The 18 positions of a joystick with its button. Not integers: use `.value` where a number is wanted."""

    NOOP = 0
    FIRE = 1
    UP = 2
    RIGHT = 3
    LEFT = 4
    DOWN = 5
    UPRIGHT = 6
    UPLEFT = 7
    DOWNRIGHT = 8
    DOWNLEFT = 9
    UPFIRE = 10
    RIGHTFIRE = 11
    LEFTFIRE = 12
    DOWNFIRE = 13
    UPRIGHTFIRE = 14
    UPLEFTFIRE = 15
    DOWNRIGHTFIRE = 16
    DOWNLEFTFIRE = 17


class LoggerMode(_PlainEnum):
    """From which level on messages are written to stderr."""

    Info = 0
    Warning = 1
    Error = 2


_ACTIONS = list(Action)

# Settings are kept as text, as in the reference: a float that is read back may have lost digits.
_TYPED: dict[str, tuple[type, str]] = {
    "cpu": (str, "low"),
    "system_random_seed": (int, "4753849"),
    "random_seed": (int, "-1"),
    "repeat_action_probability": (float, "0.25"),
    "frame_skip": (int, "1"),
    "color_averaging": (bool, "0"),
    "max_num_frames_per_episode": (int, "0"),
    "max_num_frames": (int, "0"),
    "truncate_on_loss_of_life": (bool, "0"),
    "reward_min": (int, "-2147483648"),
    "reward_max": (int, "2147483647"),
    "paddle_min": (int, "-1"),
    "paddle_max": (int, "-1"),
    "rom_file": (str, ""),
    "record_screen_dir": (str, ""),
    "record_sound_filename": (str, ""),
    "display_screen": (bool, "0"),
    "sound_obs": (bool, "0"),
    "run_length_encoding": (bool, "1"),
    "restricted_action_set": (bool, "0"),
    "send_rgb": (bool, "0"),
}
_UNTYPED: dict[str, str] = {
    "palette": "standard",
    "sound": "false",
    "freq": "31400",
    "tiafreq": "31400",
    "volume": "100",
    "clipvol": "true",
    "fragsize": "64",
}
# What the reference puts back whenever a setting was changed: a palette it does not have, numbers out of range.
_PALETTES = ("standard", "z26", "user")
_RANGES = {"freq": range(48001), "tiafreq": range(48001), "volume": range(101)}
_NOTHING: Any = object()


def _float32(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _leading_int(text: str) -> int:
    match = re.match(r"\s*[+-]?\d+", text)
    return int(match[0]) if match else 0


def _leading_float(text: str) -> float:
    number = r"\s*[+-]?(nan|inf(inity)?|\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?)"
    match = re.match(number, text, re.IGNORECASE)
    return float(match[0]) if match else 0.0


def _wrong(method: str, wants: str, got: Any) -> NoReturn:
    raise TypeError(f"{method}(): {UNFIT} it wants {wants}, not {type(got)}")


class ALEInterface(_sixer.Ale):
    """One console with one cartridge, with the methods of the reference's class of this name.

    Settings (setInt and so on) take effect at the next loadROM. Reads of the screen, the memory and the sound return a
    new array, or fill `buffer` and return None.
    """

    _logger_mode = LoggerMode.Info

    def __init__(self) -> None:
        self._settings = {key: default for key, (_, default) in _TYPED.items()} | _UNTYPED
        self._image: tuple[Any, _sixer.Rom] | None = None
        self._window: Any = None
        self._played = False

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object; pickle what cloneState() returns instead")

    # ---- settings --------------------------------------------------------------------------------------------------

    def _get(self, method: str, key: str) -> str | None:
        if not isinstance(key, str):
            _wrong(method, "the name of a setting", key)
        return self._settings.get(key)

    def _set(self, method: str, key: str, kind: type, text: str) -> None:
        if not isinstance(key, str):
            _wrong(method, "the name of a setting", key)
        if key not in _UNTYPED and (key not in _TYPED or _TYPED[key][0] is not kind):
            raise RuntimeError(f"The key {key} you are trying to set does not exist or has incorrect value type.")
        self._settings[key] = text
        if self._settings["palette"] not in _PALETTES:
            self._settings["palette"] = "standard"
        for name, fine in _RANGES.items():
            if _leading_int(self._settings[name]) not in fine:
                self._settings[name] = _UNTYPED[name]

    def getString(self, key: str, /) -> str:
        """A setting as it is kept; "" if there is none of that name."""
        text = self._get("getString", key)
        return "" if text is None else text

    def getInt(self, key: str, /) -> int:
        """A setting as an integer; -1 if there is none of that name."""
        text = self._get("getInt", key)
        return -1 if text is None else _leading_int(text)

    def getFloat(self, key: str, /) -> float:
        """A setting as a float; -1.0 if there is none of that name."""
        text = self._get("getFloat", key)
        return -1.0 if text is None else _float32(_leading_float(text))

    def getBool(self, key: str, /) -> bool:
        """A setting as a bool; False if there is none of that name."""
        text = self._get("getBool", key)
        return text in ("1", "true") or (text == "True" and key in _UNTYPED)

    def setString(self, key: str, value: str, /) -> None:
        """Change a setting that is a text."""
        if not isinstance(value, str):
            _wrong("setString", "a str", value)
        self._set("setString", key, str, value)

    def setInt(self, key: str, value: int, /) -> None:
        """Change a setting that is an integer."""
        try:
            number = value.__index__()
        except AttributeError:
            _wrong("setInt", "an int", value)
        if not -(2**31) <= number < 2**31:
            raise TypeError(f"setInt(): {UNFIT} it wants an int of 32 bits, not {value}")
        self._set("setInt", key, int, str(int(number)))

    def setFloat(self, key: str, value: float, /) -> None:
        """Change a setting that is a float; six digits of it are kept."""
        if isinstance(value, (str, bytes)):
            _wrong("setFloat", "a number", value)
        try:
            number = float(value)
        except TypeError:
            _wrong("setFloat", "a number", value)
        self._set("setFloat", key, float, f"{_float32(number):g}")

    def setBool(self, key: str, value: bool, /) -> None:
        """Change a setting that is a bool."""
        if not isinstance(value, bool):
            _wrong("setBool", "a bool", value)
        self._set("setBool", key, bool, "1" if value else "0")

    @staticmethod
    def setLoggerMode(mode: LoggerMode, /) -> None:
        """Write messages from this level on to stderr. For all interfaces of the process."""
        try:
            ALEInterface._logger_mode = LoggerMode(mode)
        except ValueError:
            _wrong("setLoggerMode", "a LoggerMode", mode)

    @staticmethod
    def _log(mode: LoggerMode, message: str) -> None:
        if mode.value >= ALEInterface._logger_mode.value:
            print(message, file=sys.stderr)

    # ---- images ----------------------------------------------------------------------------------------------------

    @staticmethod
    def isSupportedROM(path: str | os.PathLike[str], /) -> str | None:
        """The id of the game if the file is a known image of it, else None."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            _wrong("isSupportedROM", "a path", path)
        file = Path(os.fsdecode(path))
        if not file.exists():
            raise RuntimeError("ROM file doesn't exist")
        try:
            md5 = hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()
        except OSError as error:
            raise RuntimeError(f"{file} cannot be read: {error.strerror}") from None
        known = (game.id for game in _images.games().values() if md5 in game.md5s)
        return next((game for game in known if game not in WITHOUT_RULES), None)

    def _open(self, path: str) -> _sixer.Rom:
        """The image, opened again only if the file has changed."""
        try:
            status = os.stat(path)
        except OSError:
            raise RuntimeError(f"ROM file {path!r} not found: {_images.HOW_TO_IMPORT}") from None
        key = (path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if self._image is None or self._image[0] != key:
            try:
                rom = _sixer.Rom(path)
            except (OSError, ValueError) as error:
                raise RuntimeError(f"ROM file {path!r} cannot be used: {error}") from None
            self._image = (key, rom)
        return self._image[1]

    def loadROM(self, path: str | os.PathLike[str], /) -> None:
        """Load a cartridge image with the present settings and start it. An empty path loads the last one again."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            _wrong("loadROM", "a path", path)
        name = os.fsdecode(path) or self._settings["rom_file"]
        if not name:
            raise RuntimeError("No ROM File specified: give loadROM() the path of a cartridge image")
        rom = self._open(name)
        about = rom.describe()
        game = about["game"]
        if game is None or game in WITHOUT_RULES:
            raise RuntimeError(
                f"Unable to find a game for the ROM {name!r} (MD5 {about['md5']}): "
                "it is none of the supported ones, see roms.get_all_rom_ids()"
            )
        if about["game_by_name"]:
            self._log(LoggerMode.Warning, f"{name}: MD5 {about['md5']} is unknown; taken for {game} by its name")
        settings = dict(self._settings, rom_file=name)
        if game in _PADDLE_MAX:
            settings["paddle_max"] = str(_PADDLE_MAX[game])
        show = settings["display_screen"] == "1"
        if show and self._window is None:
            from sixer._window import Window

            self._window = Window(f"sixer: {about['title']}", about["height"], about["width"])
        self._build(rom, settings)
        self._settings = settings
        if show:
            self.act = self._act_and_show  # type: ignore[method-assign]
        self._log(LoggerMode.Info, f"sixer: {about['title']}, {about['type']}, {about['format']}, MD5 {about['md5']}")

    def _act_and_show(self, action: int | Action, paddle_strength: float = 1.0) -> int:
        """act() with a window."""
        reward = super().act(action, paddle_strength)
        self._window.show(self.getScreenRGB(), self._samples())
        return reward

    def _samples(self) -> Array:
        """What the window plays; getAudio() is silent then, as in the reference."""
        samples = np.empty(512, np.uint8)
        self._audio(samples)
        return samples

    def _build(self, rom: _sixer.Rom, settings: dict[str, str]) -> None:
        self._played = settings["sound"] in ("1", "true", "True")
        number = {key: _leading_int(settings[key]) for key, (kind, _) in _TYPED.items() if kind in (int, bool)}
        seed = number["random_seed"]
        self._load(
            rom=rom,
            seed=(int(time.time()) if seed == -1 else seed) & 0xFFFFFFFF,
            system_seed=number["system_random_seed"] & 0xFFFFFFFF,
            sticky=_float32(_leading_float(settings["repeat_action_probability"])),
            frame_skip=max(1, number["frame_skip"]),
            max_frames=max(0, number["max_num_frames_per_episode"]),
            life_loss=bool(number["truncate_on_loss_of_life"]),
            color_averaging=bool(number["color_averaging"]),
            sound=bool(number["sound_obs"]) or self._played,
            reward_min=number["reward_min"],
            reward_max=number["reward_max"],
            paddle_min=number["paddle_min"],
            paddle_max=number["paddle_max"],
            cycle_cpu=settings["cpu"] != "low",
            record_screens=settings["record_screen_dir"],
        )

    # ---- actions ---------------------------------------------------------------------------------------------------

    def getLegalActionSet(self) -> list[Action]:
        """The actions that the game accepts."""
        return [_ACTIONS[code] for code in self._actions(False)]

    def getMinimalActionSet(self) -> list[Action]:
        """The actions that make a difference in the game."""
        return [_ACTIONS[code] for code in self._actions(True)]

    # ---- what it shows ---------------------------------------------------------------------------------------------

    @overload
    def getScreen(self) -> Array: ...
    @overload
    def getScreen(self, buffer: Array) -> None: ...
    def getScreen(self, buffer: Array = _NOTHING) -> Array | None:
        """The screen, (height, 160) palette bytes."""
        if buffer is _NOTHING:
            buffer = np.empty(self.getScreenDims(), np.uint8)
            self._screen(buffer)
            return buffer
        self._screen(buffer)
        return None

    @overload
    def getScreenRGB(self) -> Array: ...
    @overload
    def getScreenRGB(self, buffer: Array) -> None: ...
    def getScreenRGB(self, buffer: Array = _NOTHING) -> Array | None:
        """The screen in colors, (height, 160, 3)."""
        if buffer is _NOTHING:
            buffer = np.empty((*self.getScreenDims(), 3), np.uint8)
            self._rgb(buffer)
            return buffer
        self._rgb(buffer)
        return None

    @overload
    def getScreenGrayscale(self) -> Array: ...
    @overload
    def getScreenGrayscale(self, buffer: Array) -> None: ...
    def getScreenGrayscale(self, buffer: Array = _NOTHING) -> Array | None:
        """The screen in grays, (height, 160)."""
        if buffer is _NOTHING:
            buffer = np.empty(self.getScreenDims(), np.uint8)
            self._gray(buffer)
            return buffer
        self._gray(buffer)
        return None

    @overload
    def getRAM(self) -> Array: ...
    @overload
    def getRAM(self, buffer: Array) -> None: ...
    def getRAM(self, buffer: Array = _NOTHING) -> Array | None:
        """The console's memory, 128 bytes."""
        if buffer is _NOTHING:
            buffer = np.empty(128, np.uint8)
            self._ram(buffer)
            return buffer
        self._ram(buffer)
        return None

    @overload
    def getAudio(self) -> Array: ...
    @overload
    def getAudio(self, buffer: Array) -> None: ...
    def getAudio(self, buffer: Array = _NOTHING) -> Array | None:
        """The 512 samples of the last act; zeros unless the setting sound_obs is on."""
        if buffer is _NOTHING:
            buffer = np.empty(512, np.uint8)
            self._audio(buffer)
            if self._played:
                buffer[:] = 0
            return buffer
        self._audio(buffer)
        if self._played:
            buffer[:] = 0
        return None

    def getRAMSize(self) -> int:
        """128."""
        return 128

    def getAudioSize(self) -> int:
        """512."""
        return 512

    def saveScreenPNG(self, path: str, /) -> None:
        """Write the screen as a PNG file, 320 pixels wide. If that fails, say so on stderr."""
        if not isinstance(path, str):
            _wrong("saveScreenPNG", "a str", path)
        if not self._save_png(path):
            print(f"Could not open {path} for writing", file=sys.stderr)

    # ---- states ----------------------------------------------------------------------------------------------------

    def cloneState(self, include_rng: bool = False) -> ALEState:
        """The current state: console, game and counters; with `include_rng`, the generator of sticky actions too."""
        if not isinstance(include_rng, bool):
            _wrong("cloneState", "a bool as include_rng", include_rng)
        return self._clone(include_rng)

    def cloneSystemState(self) -> ALEState:
        """The same as cloneState(include_rng=True)."""
        return self._clone(True)


# Games that change a setting when they are loaded, as in the reference.
_PADDLE_MAX = {"backgammon": 1000000, "blackjack": 795000}
