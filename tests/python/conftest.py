"""Fixtures of the Python tests.

Most cases are run twice, with ale_py and with sixer.ale, and compared. Both packages claim the same Gymnasium ids, so
ids are looked up in a copy of each registry.
"""

from __future__ import annotations

import types

import pytest

try:
    import ale_py
except ImportError:
    ale_py = None

import sixer.ale

GAMES = ["breakout", "ms_pacman", "pong", "tetris", "adventure", "air_raid", "skiing", "pitfall2"]
"""A sample that covers paddles, joysticks, swapped paddles, an interrupted frame, a random mode selection, PAL, games
with nine actions, and a DPC cartridge."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "whole: takes minutes; skipped unless --whole is given")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--whole"):
        for item in items:
            if "whole" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes: run with --whole"))


@pytest.fixture(scope="session")
def ref() -> types.ModuleType:
    """The reference package."""
    if ale_py is None:
        pytest.skip("ale_py is not installed, so there is nothing to compare with")
    if ale_py.__version__ != "0.12.1":
        pytest.skip(f"ale_py is {ale_py.__version__}; comparisons are with 0.12.1")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    return ale_py


@pytest.fixture(scope="session")
def six() -> types.ModuleType:
    """Our replacement for it."""
    sixer.ale.ALEInterface.setLoggerMode(sixer.ale.LoggerMode.Error)
    return sixer.ale


@pytest.fixture(scope="session")
def both(ref: types.ModuleType, six: types.ModuleType) -> tuple[types.ModuleType, types.ModuleType]:
    """The two, reference first."""
    return ref, six


def image(game: str) -> str:
    """The path of a game's cartridge image; skips where there is none."""
    try:
        path = sixer.ale.roms.get_rom_path(game)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    return str(path)
