"""A window for render_mode="human": the screen at 60 frames a second, with sound.

It needs the SDL2 library of the system, or the one that pygame brings along, and is used through ctypes so that the
package itself depends on neither.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import glob
import importlib.util
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

_INIT_AUDIO, _INIT_VIDEO = 0x10, 0x20
_CENTERED = 0x2FFF0000
_RESIZABLE = 0x20
_RGB24 = 0x17101803
_STREAMING = 1
_AUDIO_U8 = 0x0008
_EVENT_QUIT = 0x100
_FRAME = 1 / 60


class _AudioSpec(ctypes.Structure):
    _fields_ = [
        ("freq", ctypes.c_int),
        ("format", ctypes.c_uint16),
        ("channels", ctypes.c_uint8),
        ("silence", ctypes.c_uint8),
        ("samples", ctypes.c_uint16),
        ("padding", ctypes.c_uint16),
        ("size", ctypes.c_uint32),
        ("callback", ctypes.c_void_p),
        ("userdata", ctypes.c_void_p),
    ]


def _load() -> ctypes.CDLL:
    names = [ctypes.util.find_library("SDL2"), "libSDL2-2.0.so.0", "libSDL2.dylib", "SDL2.dll"]
    spec = importlib.util.find_spec("pygame")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        names += glob.glob(str(folder.parent / "pygame.libs" / "libSDL2-2*")) + glob.glob(str(folder / "*SDL2.dll"))
    for name in names:
        if name:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    raise ImportError(
        "a window needs the SDL2 library, which was not found: install it (Debian: libsdl2-2.0-0), or `pip install "
        "pygame`, or use render_mode='rgb_array'"
    )


class Window:
    """A window of the screen's size times `scale`."""

    def __init__(self, title: str, height: int, width: int, scale: int = 3, frequency: int = 30720) -> None:
        self._sdl = sdl = _load()
        for name in ("SDL_CreateWindow", "SDL_CreateRenderer", "SDL_CreateTexture"):
            getattr(sdl, name).restype = ctypes.c_void_p
        sdl.SDL_GetError.restype = ctypes.c_char_p
        self._window = self._renderer = self._texture = None
        self._width = width
        self._audio = 0
        self._next = time.monotonic()
        if sdl.SDL_InitSubSystem(_INIT_VIDEO) != 0:
            raise RuntimeError(f"no window: {self._error()}; use render_mode='rgb_array' where there is no screen")
        # pixels of the console are twice as wide as they are high
        self._window = sdl.SDL_CreateWindow(
            title.encode(), _CENTERED, _CENTERED, 2 * width * scale, height * scale, _RESIZABLE
        )
        self._renderer = sdl.SDL_CreateRenderer(ctypes.c_void_p(self._window), -1, 0) if self._window else None
        if self._renderer:
            renderer = ctypes.c_void_p(self._renderer)
            sdl.SDL_RenderSetLogicalSize(renderer, 2 * width, height)
            self._texture = sdl.SDL_CreateTexture(renderer, _RGB24, _STREAMING, width, height)
        if not self._texture:
            message = self._error()
            self.close()
            raise RuntimeError(f"no window: {message}")
        if sdl.SDL_InitSubSystem(_INIT_AUDIO) == 0:  # a machine without sound still shows the game
            wanted = _AudioSpec(freq=frequency, format=_AUDIO_U8, channels=1, samples=512)
            self._audio = sdl.SDL_OpenAudioDevice(None, 0, ctypes.byref(wanted), None, 0)
            if self._audio:
                sdl.SDL_PauseAudioDevice(self._audio, 0)

    def _error(self) -> str:
        return (self._sdl.SDL_GetError() or b"").decode(errors="replace")

    def show(self, rgb: npt.NDArray[np.uint8], sound: npt.NDArray[np.uint8] | None = None, *, frames: int = 1) -> None:
        """Show a picture, play its samples, and wait until the time of so many frames is over."""
        if self._window is None:
            return
        sdl, renderer = self._sdl, ctypes.c_void_p(self._renderer)
        texture = ctypes.c_void_p(self._texture)
        sdl.SDL_UpdateTexture(texture, None, rgb.ctypes.data_as(ctypes.c_void_p), 3 * self._width)
        sdl.SDL_RenderClear(renderer)
        sdl.SDL_RenderCopy(renderer, texture, None, None)
        sdl.SDL_RenderPresent(renderer)
        if sound is not None and self._audio and sdl.SDL_GetQueuedAudioSize(self._audio) < 8 * len(sound):
            sdl.SDL_QueueAudio(self._audio, sound.ctypes.data_as(ctypes.c_void_p), len(sound))
        event = (ctypes.c_uint32 * 32)()
        while sdl.SDL_PollEvent(ctypes.byref(event)):
            if event[0] == _EVENT_QUIT:
                self.close()
                return
        now = time.monotonic()
        self._next = max(self._next + frames * _FRAME, now - frames * _FRAME)
        if self._next > now:
            time.sleep(self._next - now)

    def close(self) -> None:
        """Close the window. The game can go on without it."""
        sdl = self._sdl
        if self._audio:
            sdl.SDL_CloseAudioDevice(self._audio)
            self._audio = 0
        for destroy, name in (("SDL_DestroyTexture", "_texture"), ("SDL_DestroyRenderer", "_renderer"),
                              ("SDL_DestroyWindow", "_window")):  # fmt: skip
            if getattr(self, name):
                getattr(sdl, destroy)(ctypes.c_void_p(getattr(self, name)))
                setattr(self, name, None)
