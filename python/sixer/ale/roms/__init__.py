"""Cartridge images by the id of their game."""

from __future__ import annotations

import functools
import os
import warnings
from pathlib import Path

from sixer import _images

#: Images that the reference knows by their contents but has no rules for. (sixer has: they are for several players.)
WITHOUT_RULES = {
    "combat": "0ef64cdbecccb7049752a3de0b7ade14",
    "joust": "3276c777cbe97cdd2b4a63ffc16b7151",
    "maze_craze": "ed2218b3075d15eaa34e3356025ccca3",
    "warlords": "cbe5a166550a8129a5e6d374901dffad",
}


@functools.cache
def _get_expected_bin_hashes() -> dict[str, str]:
    """MD5 by file name, in the order of file names."""
    hashes = {f"{game.id}.bin": game.md5s[0] for game in _images.games().values() if not game.built_in}
    hashes |= {f"{game}.bin": md5 for game, md5 in WITHOUT_RULES.items()}
    return dict(sorted(hashes.items(), key=lambda item: item[0].replace(".", "~")))


@functools.cache
def get_all_rom_ids() -> list[str]:
    """The ids of the known images, four without rules among them."""
    return [file.removesuffix(".bin") for file in _get_expected_bin_hashes()]


def get_rom_path(name: str) -> Path | None:
    """Where the image of a game is: in $ALE_ROMS_DIR if that is set, else where sixer finds images.

    A game that is not supported gives a warning and None. An image that is missing, or is not the one that was
    expected, is an OSError.
    """
    file = f"{name}.bin"
    expected = _get_expected_bin_hashes().get(file)
    if expected is None:
        warnings.warn(f"Rom {name} not supported.", stacklevel=2)
        return None
    if folder := os.environ.get("ALE_ROMS_DIR"):
        print(f"Loading roms from {folder}...")
        if not os.path.exists(folder):
            raise NotADirectoryError(f"ROM directory {folder} doesn't exist")
        if not os.path.isdir(folder):
            raise NotADirectoryError(f"ROM directory {folder} isn't a directory")
        path = Path(folder) / file
    else:
        found = _images.find(name, (expected,)) or _images.find(name)
        if found is None:
            raise _images.missing(name)
        path = found
    obtained = _images.file_md5(path)
    if obtained != expected:
        raise OSError(
            f"The hash of {file} does not match what was expected!\nExpected ({expected}),\nObtained ({obtained})."
        )
    return path
