"""Environments under a protocol: what it fixes, and which settings stay free."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sixer.eval import Protocol

_LIFE_LOSS = {"ignored": "ignore", "terminal": "end"}


def find(protocol: str | os.PathLike[str] | Protocol) -> Protocol:
    """A protocol by its name, the path of its file, or itself."""
    from sixer.eval import Protocol as Known
    from sixer.eval import protocol as open_protocol

    return protocol if isinstance(protocol, Known) else open_protocol(protocol)


def fixed(protocol: Protocol, training: bool) -> dict[str, Any]:
    """The settings of `sixer.vector.settings` that a protocol fixes."""
    if protocol.all_flavors:
        raise ValueError(
            f"{protocol.name} is of all flavors of a game; derive a protocol with one of them "
            f'(base = "{protocol.name}", flavors = "mode 4, difficulty 1")'
        )
    lives = protocol.life_loss
    if lives == "terminal-in-training":
        life_loss = "info" if training else "ignore"
    else:
        life_loss = _LIFE_LOSS[lives]
    out: dict[str, Any] = {
        "frame_skip": protocol.frame_skip,
        "sticky": protocol.sticky,
        "full_actions": not protocol.minimal_actions,
        "noop_max": protocol.noop_starts + 1 if protocol.noop_starts else 0,  # 0 to noop_starts frames
        "fire_start": False,
        "life_loss": life_loss,
        "max_frames": protocol.max_frames or None,
        "stuck_limit": protocol.stuck_frames or None,
        "random_action": 0.0,
        "delay_max": 0,
        "scoring": "fixed" if protocol.fixed_scoring else "ale",
    }
    levels = _levels(protocol, training)
    if levels is not None:
        out["level"], out["levels"] = levels
    return out


def _levels(protocol: Protocol, training: bool) -> tuple[int, int] | None:
    first, last = protocol.train_levels if training else protocol.test_levels
    return None if first < 0 else (first, last - first + 1)


def flavor(protocol: Protocol, mode: int | None, difficulty: int) -> tuple[int | None, int]:
    """Mode and difficulty under a protocol; others are a ValueError."""
    wanted = (None if protocol.mode < 0 else protocol.mode, max(protocol.difficulty, 0))
    if mode not in (None, wanted[0]) or difficulty not in (0, wanted[1]):
        raise _conflict(protocol, "flavors", protocol.flavors, f"mode {mode}, difficulty {difficulty}")
    return wanted


def _conflict(protocol: Protocol, name: str, says: Any, found: Any) -> ValueError:
    return ValueError(
        f"{protocol.name} says {name} = {says!r}, found {found!r}: leave it away, or derive a protocol of your "
        f'own (base = "{protocol.name}"), whose scores have a hash of their own'
    )


def merge(protocol: Protocol, training: bool, given: dict[str, Any]) -> dict[str, Any]:
    """The settings of an environment under a protocol. A given one that contradicts it is a ValueError."""
    says = fixed(protocol, training)
    for name, value in given.items():
        if name not in says:
            continue
        found = tuple(value) if isinstance(value, list) else value
        if found != says[name] and not (not found and not says[name]):
            raise _conflict(protocol, name, says[name], value)
    return {**given, **says}


def check_level(protocol: Protocol, training: bool, level: int | None) -> None:
    """A level that is chosen at a reset must be one of the protocol's; others are a ValueError."""
    if level is None:
        return
    first, last = protocol.train_levels if training else protocol.test_levels
    if first < 0 or not first <= level <= last:
        raise _conflict(protocol, "levels", None if first < 0 else (first, last), level)
