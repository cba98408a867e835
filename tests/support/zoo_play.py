"""Environments of PettingZoo's kind played at random: digests of everything that they show, and comparisons of two.

Actions come from a generator of our own (splitmix64), so that a digest does not depend on NumPy's. `python3
tests/support/zoo_play.py` writes tests/golden/zoo.tsv from PettingZoo on multi-agent-ale-py.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pathlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "zoo.tsv"

# Options of each environment that are played besides the defaults; between them every option has another value.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "basketball_pong_v3": [{"num_players": 4}],
    "boxing_v2": [{"obs_type": "ram"}, {"obs_type": "grayscale_image", "full_action_space": True}],
    "combat_plane_v2": [{"game_version": "jet"}, {"guided_missile": False}],
    "combat_tank_v2": [{"has_maze": False}, {"is_invisible": True}, {"billiard_hit": False}],
    "entombed_cooperative_v3": [{"obs_type": "ram"}],
    "flag_capture_v2": [{"full_action_space": True}],
    "foozpong_v3": [{"num_players": 2}],
    "joust_v3": [{"obs_type": "grayscale_image"}],
    "maze_craze_v3": [{"game_version": "race", "visibilty_level": 3}, {"game_version": "capture"}],
    "pong_v3": [
        {"num_players": 4, "game_version": "quadrapong"},
        {"game_version": "soccer", "full_action_space": True},
        {"num_players": 4, "game_version": "two_paddles", "max_cycles": 40},
    ],
    "space_invaders_v2": [
        {"alternating_control": True, "moving_shields": False},
        {"zigzaging_bombs": True, "fast_bomb": True, "invisible_invaders": True},
    ],
    "volleyball_pong_v3": [{"num_players": 2}],
    "warlords_v3": [{"obs_type": "ram"}],
    "wizard_of_wor_v3": [{"full_action_space": True, "obs_type": "ram"}],
}

# Bytes that the rules read, by game: (index into the memory, value) puts players out one by one.
POKES = {
    "joust_v3": [(0x02, 0xFF), (0x01, 0xFF)],
    "maze_craze_v3": [(0x6A, 0x40), (0x6B, 0x40)],
    "mario_bros_v3": [(0x08, 0), (0x07, 0)],
    "warlords_v3": [(0x6E, 0x40), (0x6E, 0x50), (0x6E, 0xF0)],
    "boxing_v2": [(0x12, 0x99), (0x12, 0xC0)],
    "pong_v3": [(0x0E, 7), (0x0D, 21)],
}


def numbers(seed: int) -> Iterator[int]:
    """Random 31-bit numbers."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield (z ^ z >> 31) >> 33


def poke(env: Any, index: int, value: int) -> None:
    """Change a byte of the console's memory."""
    env.unwrapped.ale.setRAM(index, value)


def shown(observations: dict[str, Any]) -> list[str]:
    """Digests of what the agents see, in order; the same array is read once."""
    digests: dict[int, str] = {}
    for obs in observations.values():
        if id(obs) not in digests:
            text = f"{obs.shape} {obs.dtype}".encode()
            digests[id(obs)] = hashlib.blake2b(text + obs.tobytes(), digest_size=8).hexdigest()
    return [f"{agent} {digests[id(obs)]}" for agent, obs in observations.items()]


def spelled(values: dict[str, Any]) -> str:
    """A dictionary with its type and those of its values, without NumPy's spelling of them, which has changed."""
    items = ", ".join(f"{agent} {type(value).__name__} {value!s}" for agent, value in values.items())
    return f"{type(values).__name__}({items})"


def play(env: Any, seed: int, steps: int, pokes: list[tuple[int, int]] | None = None) -> Iterator[str]:
    """Play at random from reset(seed=seed): a line of everything that each call shows.

    After the end of an episode comes a reset without a seed. Every 7th step, a byte of `pokes` is set in turn.
    """
    draw = numbers(seed)
    observations, infos = env.reset(seed=seed)
    yield f"reset {shown(observations)} {infos} {env.agents}"
    pending = list(pokes or [])
    for count in range(steps):
        if not env.agents:
            observations, infos = env.reset()
            yield f"reset {shown(observations)} {infos} {env.agents}"
        if pending and count % 7 == 6:
            poke(env, *pending.pop(0))
        actions = {agent: next(draw) % int(env.action_space(agent).n) for agent in env.agents}
        observations, *others = env.step(actions)
        yield f"{shown(observations)} {' '.join(map(spelled, others))} {env.agents}"


def play_turns(env: Any, seed: int, turns: int, pokes: list[tuple[int, int]] | None = None) -> Iterator[str]:
    """The same for the turn-based form, until the episode ends or so many turns have passed."""
    draw = numbers(seed)
    env.reset(seed=seed)
    pending = list(pokes or [])
    for count, agent in enumerate(env.agent_iter(turns)):
        if pending and count % 14 == 13:
            poke(env, *pending.pop(0))
        obs, reward, terminated, truncated, info = env.last()
        yield f"{agent} {shown({agent: obs})} {reward!r} {terminated} {truncated} {info} {env.agents} {env.rewards}"
        env.step(None if terminated or truncated else next(draw) % int(env.action_space(agent).n))
    yield f"{env.agents} {env.terminations} {env.truncations}"


def digest(lines: Iterator[str]) -> str:
    """A digest of all lines."""
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def reference(name: str, form: str = "parallel_env", **options: Any) -> Any:
    """PettingZoo's environment with ale-py's images."""
    import ale_py
    import multi_agent_ale_py

    multi_agent_ale_py.ALEInterface.setLoggerMode("error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        module = importlib.import_module(f"pettingzoo.atari.{name}")
    folder = str(pathlib.Path(ale_py.__file__).parent)
    return getattr(module, form)(**{"auto_rom_install_path": folder, **options})


def rows() -> list[tuple[str, dict[str, Any], int, int, bool, str]]:
    """The golden table: name, options, seed, steps, whether bytes are poked, digest."""
    table = []
    for line in GOLDEN.read_text().splitlines():
        if line and not line.startswith("#"):
            name, options, seed, steps, poked, expected = line.split("\t")
            table.append((name, json.loads(options), int(seed), int(steps), poked == "poked", expected))
    return table


def main() -> None:
    """Write the golden table."""
    sys.path.insert(0, "build/release/python")
    import sixer.zoo

    lines = [
        "# PettingZoo 1.27.0 on multi-agent-ale-py 0.1.12 (tests/support/zoo_play.py writes and reads this).",
        "# environment, options, seed, steps, poked or plain, digest of everything that is shown",
    ]
    for number, name in enumerate(sixer.zoo.NAMES):
        for variant, options in enumerate([{}, *OPTIONS.get(name, [])]):
            seed = 100 * number + variant + 1
            for poked in (False, True) if name in POKES and not variant else (False,):
                env = reference(name, **options)
                found = digest(play(env, seed, 240, POKES[name] if poked else None))
                fields = (name, json.dumps(options), str(seed), "240", "poked" if poked else "plain", found)
                lines.append("\t".join(fields))
                print(*fields, flush=True)
    GOLDEN.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
