"""Finding cartridge images and naming games.

Images are looked for in $SIXER_ROMS, in the user's data folder, and in an installed ale_py: the one that this
interpreter would import first, then those that the C library looks for.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib.machinery
from pathlib import Path
from typing import NamedTuple

from sixer import _sixer


class Game(NamedTuple):
    """A game whose rules are known."""

    id: str
    title: str
    gymnasium_name: str | None
    has_old_ids: bool
    md5s: tuple[str, ...]
    built_in: bool  # one of our own, whose image is in the library
    several: bool  # it has rules for several players
    only_several: bool  # and none for one


@functools.cache
def games() -> dict[str, Game]:
    """The built-in games by id."""
    return {item[0]: Game(*item) for item in _sixer.games()}


def user_folders() -> list[Path]:
    """$SIXER_ROMS and the user's data folder, which need not exist."""
    return [path for path in map(Path, _sixer.rom_folders()) if "ale_py" not in path.parts]


def package_folder() -> Path | None:
    """Where the ale_py that this interpreter would import keeps its images."""
    # not importlib.util.find_spec: after sixer.ale.install() that would find sixer.ale
    spec = importlib.machinery.PathFinder.find_spec("ale_py")
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) / "roms" if places else None


def folders() -> list[Path]:
    """Where images are looked for, in order. The folders need not exist."""
    package = package_folder()
    others = [path for path in map(Path, _sixer.rom_folders()) if "ale_py" in path.parts]
    return user_folders() + ([package] if package else []) + others


def find(game: str, md5s: tuple[str, ...] = ()) -> Path | None:
    """The image of a game; with `md5s`, one that has one of them. None if there is none."""
    for folder in folders():
        path = folder / f"{game}.bin"
        if path.is_file() and (not md5s or file_md5(path) in md5s):
            return path
    return None


def file_md5(path: Path) -> str:
    """The MD5 of a file, in hex."""
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


HOW_TO_IMPORT = (
    "import the images you own with `python -m sixer roms import FOLDER`, point SIXER_ROMS at their folder, "
    "or `pip install ale-py`, which brings them along"
)


def missing(game: str) -> FileNotFoundError:
    """The error for a known game without an image."""
    return FileNotFoundError(f"there is no cartridge image of {game!r}: {HOW_TO_IMPORT}")


def unknown(game: str) -> ValueError:
    """The error for a game that nobody knows, with the nearest names."""
    near = difflib.get_close_matches(game.lower(), games(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`python -m sixer games` lists them"
    return ValueError(f"there is no game {game!r}; {hint}")
