"""The Gymnasium ids of the reference: ALE/*-v5, and the old ones of Gym."""

from __future__ import annotations

from typing import Any

import gymnasium

from sixer import _images
from sixer.ale import roms

_MAX_FRAMES = 108_000


def rom_id_to_name(rom: str) -> str:
    """The name of a game in ids: tic_tac_toe_3d gives TicTacToe3D."""
    return rom.title().replace("_", "")


def _register(id: str, game: str, sticky: float, frameskip: int | tuple[int, int], **more: Any) -> None:
    # a program that imports this package wants its environments: replace those that ale_py has registered
    gymnasium.registry.pop(id, None)
    gymnasium.register(
        id=id,
        entry_point="sixer.ale.env:AtariEnv",
        kwargs={
            "game": game,
            "repeat_action_probability": sticky,
            "full_action_space": False,
            "frameskip": frameskip,
            "max_num_frames_per_episode": _MAX_FRAMES,
        },
        **more,
    )


def _games(old: bool) -> list[str]:
    games = {id: game for id, game in _images.games().items() if id not in roms.WITHOUT_RULES}
    return [rom for rom in roms.get_all_rom_ids() if rom in games and (games[rom].has_old_ids or not old)]


def register_v0_v4_envs() -> None:
    """Register the old ids: Pong-v0, Pong-v4, PongNoFrameskip-v0, PongNoFrameskip-v4 and so on."""
    for rom in _games(old=True):
        name = rom_id_to_name(rom)
        for suffix, frameskip in (("", (2, 5)), ("NoFrameskip", 1)):
            for version, sticky in (("v0", 0.25), ("v4", 0.0)):
                _register(f"{name}{suffix}-{version}", rom, sticky, frameskip)


def register_v5_envs() -> None:
    """Register ALE/Pong-v5 and so on."""
    for rom in _games(old=False):
        _register(
            f"ALE/{rom_id_to_name(rom)}-v5",
            rom,
            0.25,
            4,
            vector_entry_point="sixer.ale.vector_env:AtariVectorEnv",
        )
