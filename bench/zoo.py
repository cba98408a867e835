#!/usr/bin/env python3
"""Several players: sixer beside PettingZoo, multi-agent-ale-py and SuperSuit, in one run.

    python3 bench/zoo.py [zoo] [multi] [vector] [--steps N] [--rounds N] [--only NAMES] [--tsv FILE]

zoo     steps per second of the 24 parallel environments: sixer.zoo and pettingzoo.atari on multi-agent-ale-py
multi   acts per second of sixer.multi and multi_agent_ale_py in the 20 games: the act alone, and with its screen
vector  64 environments of two players, pictures of 84 x 84, the last four, two processors: sixer.vector, and
        PettingZoo with SuperSuit's wrappers and vectorizer

Both sides play the same actions from the same seed. They take turns, round after round, and each side's figure is its
best round. Times are processor time, that of child processes included, so that other programs on the machine do not
count; ratios of it are ratios of speed where both sides use the processors alike, as they do here."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import pathlib
import sys
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")) / "python"))
TICKS = os.sysconf("SC_CLK_TCK")

# the 20 games of multi-agent-ale-py for several players; each is played in the first such mode
GAMES = (
    "backgammon boxing combat double_dunk entombed fishing_derby flag_capture ice_hockey joust mario_bros maze_craze "
    "othello pong space_invaders space_war surround tennis video_checkers warlords wizard_of_wor"
).split()


def processor_time() -> float:
    """Seconds of this process, its threads and its living children."""
    total = time.process_time()
    for task in pathlib.Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            fields = pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


def best_times(sides, rounds):
    """The least processor time of each side's function, the sides taking turns."""
    best = [math.inf] * len(sides)
    for _ in range(rounds):
        for index, run in enumerate(sides):
            start = processor_time()
            run()
            best[index] = min(best[index], processor_time() - start)
    return best


def image_folder():
    import ale_py

    return str(pathlib.Path(ale_py.__file__).parent)


def reference_env(name, **options):
    import multi_agent_ale_py

    multi_agent_ale_py.ALEInterface.setLoggerMode("error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(f"pettingzoo.atari.{name}")
    return module.parallel_env(auto_rom_install_path=image_folder(), **options)


class Table:
    """Rows of two rates and their ratio; the last is the geometric mean of the ratios."""

    def __init__(self, title, unit, tsv):
        self.ratios, self.title, self.unit, self.tsv = [], title, unit, tsv
        print(f"\n{title}\n{'':28}{'reference':>12}{'sixer':>12}{'ratio':>9}   {unit}", flush=True)

    def row(self, name, count, times):
        rates = [count / time for time in times]
        self.ratios.append(rates[1] / rates[0])
        print(f"{name:28}{rates[0]:12,.0f}{rates[1]:12,.0f}{self.ratios[-1]:9.2f}", flush=True)
        if self.tsv:
            print(self.title, name, self.unit, f"{rates[0]:.1f}", f"{rates[1]:.1f}", sep="\t", file=self.tsv)

    def end(self):
        if self.ratios:
            mean = math.exp(sum(map(math.log, self.ratios)) / len(self.ratios))
            print(f"{'geometric mean':28}{'':24}{mean:9.2f}", flush=True)


def play_parallel(env, actions, seed=3):
    """Play so many steps; episodes that end are followed by others."""
    env.reset(seed=seed)

    def run():
        for row in actions:
            if not env.agents:
                env.reset()
            env.step(dict(zip(env.agents, row)))

    return run


def bench_zoo(options, tsv):
    import sixer.zoo

    table = Table("zoo", "steps/s", tsv)
    for name in options.only or sixer.zoo.NAMES:
        mine, theirs = getattr(sixer.zoo, name).parallel_env(), reference_env(name)
        draw = np.random.default_rng(1)
        count = int(mine.action_space("first_0").n)
        actions = draw.integers(count, size=(options.steps, len(mine.possible_agents))).tolist()
        sides = [play_parallel(theirs, actions), play_parallel(mine, actions)]
        table.row(name, options.steps, best_times(sides, options.rounds))
    table.end()


def play_acts(module, game, steps, screen):
    """Play a game through the lower interface, in its first mode for several players."""
    ale = module.ALEInterface()
    ale.setLoggerMode("error")
    ale.setFloat(b"repeat_action_probability", 0.0)
    ale.setInt(b"random_seed", 3)
    ale.loadROM(f"{image_folder()}/roms/{game}.bin")
    players = 2 if len(ale.getAvailableModes(2)) else 4
    ale.setMode(ale.getAvailableModes(players)[0])
    ale.reset_game()
    actions = np.random.default_rng(1).integers(18, size=(steps, players)).astype(np.int32)

    def run():
        for row in actions:
            if ale.game_over():
                ale.reset_game()
            ale.act(row)
            if screen:
                ale.getScreenRGB()

    return run


def bench_multi(options, tsv):
    import multi_agent_ale_py

    import sixer.multi

    for screen in (False, True):
        table = Table("multi, with the screen" if screen else "multi", "acts/s", tsv)
        for game in options.only or GAMES:
            sides = [play_acts(module, game, options.steps, screen) for module in (multi_agent_ale_py, sixer.multi)]
            table.row(game, options.steps, best_times(sides, options.rounds))
        table.end()


# environments for two players, over pictures of three heights, two controllers, light and heavy games
TWO_PLAYERS = (
    "pong_v3 boxing_v2 joust_v3 combat_tank_v2 space_invaders_v2 maze_craze_v3 tennis_v3 wizard_of_wor_v3 surround_v2 "
    "mario_bros_v3"
).split()


def supersuit_vector(name, skip):
    import supersuit

    env = reference_env(name, **two_players(name))
    if skip > 1:
        env = supersuit.max_observation_v0(env, 2)
        env = supersuit.frame_skip_v0(env, skip)
    env = supersuit.color_reduction_v0(env, mode="full")
    env = supersuit.resize_v1(env, x_size=84, y_size=84)
    env = supersuit.frame_stack_v1(env, 4)
    env = supersuit.pettingzoo_env_to_vec_env_v1(env)
    return supersuit.concat_vec_envs_v1(env, 64, num_cpus=2, base_class="gymnasium")


def two_players(name):
    return {"num_players": 2} if "pong" in name else {}


def bench_vector(options, tsv):
    import sixer.vector
    import sixer.zoo

    steps = max(10, options.steps // 100)
    table = Table("vector of 64", "environment steps/s", tsv)
    for name in options.only or TWO_PLAYERS:
        for skip in (4, 1):
            theirs = supersuit_vector(name, skip)
            low = getattr(sixer.zoo, name).parallel_env(**two_players(name)).unwrapped
            game = pathlib.Path(low.rom_path).stem
            mine = sixer.vector.make(
                (game, low.mode, 0), n=64, players=2, dialect="ma", threads=2, frame_skip=skip, sticky=0.0, noop_max=0
            )
            theirs.reset(seed=3)
            mine.reset(seed=3)
            count = int(theirs.action_space.n)
            joint = np.random.default_rng(1).integers(count, size=(steps, 64, 2))

            def run_theirs(theirs=theirs, joint=joint):
                for row in joint:
                    theirs.step(row.reshape(128))

            def run_mine(mine=mine, joint=joint):
                for row in joint:
                    mine.step(row)

            times = best_times([run_theirs, run_mine], options.rounds)
            table.row(f"{game}, frame skip {skip}", 64 * steps, times)
            theirs.close()
            mine.close()
    table.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    works = {"zoo": bench_zoo, "multi": bench_multi, "vector": bench_vector}
    parser.add_argument("works", nargs="*", metavar="WORK", help=", ".join(works) + "; all of them by default")
    parser.add_argument("--steps", type=int, default=2000, help="steps of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", type=lambda text: text.split(","), help="environments (zoo, vector) or games (multi)")
    parser.add_argument("--tsv", help="also write the rates to this file")
    options = parser.parse_args()
    for work in options.works:
        if work not in works:
            parser.error(f"there is no {work!r}; there are {', '.join(works)}")
    tsv = open(options.tsv, "w") if options.tsv else None  # noqa: SIM115
    for work in options.works or works:
        works[work](options, tsv)


if __name__ == "__main__":
    main()
