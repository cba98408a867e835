"""The games of the cartridge Video Olympics, of which Pong is one: their modes for two and for four players."""

from __future__ import annotations

_MODES = {
    2: {
        "classic": 4,
        "two_paddles": 10,
        "soccer": 14,
        "foozpong": 19,
        "hockey": 27,
        "handball": 35,
        "volleyball": 39,
        "basketball": 45,
    },
    4: {
        "classic": 6,
        "two_paddles": 11,
        "soccer": 16,
        "foozpong": 21,
        "hockey": 29,
        "quadrapong": 33,
        "handball": 37,
        "volleyball": 41,
        "basketball": 49,
    },
}


def mode_of(version: str, players: int) -> int:
    """The mode of a game for so many players; an AssertionError if there is none."""
    if players not in _MODES:
        raise AssertionError(f"pong only supports 2 or 4 players, not {players!r}")
    modes = _MODES[players]
    if version not in modes:
        raise AssertionError(f"there is no pong {version!r} for {players} players; there are {', '.join(modes)}")
    return modes[version]
