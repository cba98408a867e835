#!/usr/bin/env python3
"""Record what the reference package ale-py does under a seeded stream of actions, as `sixer trace` does for ours.

    .venv/bin/python tests/reference/ale_trace.py tetris --steps 2000 --action-seed 7

Two implementations agree when they print the same bytes. The package is a black box here: it is imported and
called, nothing else. ROM is an image file, named like a game that the package knows (it takes the rules from the
file's name), or the id of a game whose image the package brings along.

The first group of options is the common one, whose values all stand in the header. The second group asks for more
than that (further columns, bytes poked into memory, paddles turned slowly, other seeds); one of these appears in the
header only when it is given.
"""

import argparse
import hashlib
import pathlib
import sys
import zlib

MASK64 = (1 << 64) - 1
SYSTEM_SEED = 4753849
COLUMNS = ("rgb", "gray", "sound")
# The options of the second group, in the order in which the header shows them.
EXTRA = (
    "columns",
    "system_seed",
    "poke",
    "poke_seed",
    "strengths",
    "paddle_min",
    "paddle_max",
    "reward_min",
    "reward_max",
    "cycle_cpu",
)


class SplitMix:
    """splitmix64: a 64-bit state, one 64-bit value per draw."""

    def __init__(self, seed):
        self.state = seed & MASK64

    def draw(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK64
        return z ^ (z >> 31)


class Inputs:
    """The actions, and the strengths that go with them: one draw of each stream per act."""

    def __init__(self, options, actions):
        self.actions, self.hold, self.action = actions, options.hold, None
        self.stream = SplitMix(options.action_seed)
        self.strengths = None if options.strengths is None else SplitMix(options.strengths)

    def next(self):
        z = self.stream.draw()
        if self.action is None or (z & 0xFFFF) % self.hold == 0:
            self.action = self.actions[(z >> 32) % len(self.actions)]
        strength = 1.0 if self.strengths is None else (self.strengths.draw() >> 40) / 2.0**24
        return self.action, strength


def column_list(text):
    names = text.split(",")
    for name in names:
        if name not in COLUMNS:
            raise argparse.ArgumentTypeError(f"no column '{name}'; there are {', '.join(COLUMNS)}")
    return text


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rom")
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--action-seed", type=int, default=1)
    p.add_argument("--hold", type=int, default=1)
    p.add_argument("--actions", choices=("full", "minimal"), default="full")
    p.add_argument("--mode", type=int)
    p.add_argument("--difficulty", type=int)
    p.add_argument("--sticky", type=float, default=0.25)
    p.add_argument("--frame-skip", type=int, default=1)
    p.add_argument("--max-frames", type=int, default=0)
    p.add_argument("--color-averaging", action="store_true")
    p.add_argument("--life-loss", action="store_true")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--save-restore", type=int, default=0)
    p.add_argument("--columns", type=column_list, help="further columns: rgb,gray,sound")
    p.add_argument("--system-seed", type=int, help=f"of the console's memory at power-on; {SYSTEM_SEED}")
    p.add_argument("--poke", type=int, metavar="N", help="before every Nth step write one byte of memory")
    p.add_argument("--poke-seed", type=int, help="of the stream of these bytes; 1")
    p.add_argument(
        "--strengths", type=int, metavar="SEED", help="of a stream of paddle strengths; without it all are 1"
    )
    p.add_argument("--paddle-min", type=int)
    p.add_argument("--paddle-max", type=int)
    p.add_argument("--reward-min", type=int)
    p.add_argument("--reward-max", type=int)
    p.add_argument("--cycle-cpu", action="store_true", default=None, help="the package's other processor")
    return p


def image_path(rom):
    """A file, or the image that the package has under that id."""
    path = pathlib.Path(rom)
    if path.is_file():
        return path
    import ale_py

    return pathlib.Path(ale_py.__file__).parent / "roms" / f"{rom}.bin"


def open_game(options):
    from ale_py import ALEInterface, LoggerMode

    ALEInterface.setLoggerMode(LoggerMode.Error)
    ale = ALEInterface()
    ale.setInt("random_seed", options.seed)
    ale.setInt("system_random_seed", SYSTEM_SEED if options.system_seed is None else options.system_seed)
    ale.setFloat("repeat_action_probability", options.sticky)
    ale.setInt("frame_skip", options.frame_skip)
    ale.setInt("max_num_frames_per_episode", options.max_frames)
    ale.setBool("color_averaging", options.color_averaging)
    ale.setBool("truncate_on_loss_of_life", options.life_loss)
    ale.setBool("sound_obs", "sound" in (options.columns or "").split(","))
    for name in ("paddle_min", "paddle_max", "reward_min", "reward_max"):
        if getattr(options, name) is not None:
            ale.setInt(name, getattr(options, name))
    if options.cycle_cpu:
        ale.setString("cpu", "high")
    ale.loadROM(str(image_path(options.rom)))
    if options.mode is not None:
        ale.setMode(options.mode)
    if options.difficulty is not None:
        ale.setDifficulty(options.difficulty)
    if options.mode is not None or options.difficulty is not None:
        ale.reset_game()
    return ale


def header(options):
    image = image_path(options.rom).read_bytes()
    yield f"# rom {hashlib.md5(image).hexdigest()}\n"
    for name, value in vars(options).items():
        if name == "rom" or name in EXTRA:
            continue
        text = "default" if value is None else int(value) if isinstance(value, bool) else value
        yield f"# {name.replace('_', '-')} {text}\n"
    for name in EXTRA:
        value = getattr(options, name)
        if value is not None:
            yield f"# {name.replace('_', '-')} {int(value) if isinstance(value, bool) else value}\n"


def crc(array):
    return f"{zlib.crc32(array.tobytes()):08x}"


def record(options, write):
    """Play `options.steps` acts and hand the trace to `write`, line by line."""
    ale = open_game(options)
    actions = ale.getLegalActionSet() if options.actions == "full" else ale.getMinimalActionSet()
    inputs = Inputs(options, [a.value if hasattr(a, "value") else int(a) for a in actions])
    pokes = SplitMix(1 if options.poke_seed is None else options.poke_seed)
    show = {"rgb": ale.getScreenRGB, "gray": ale.getScreenGrayscale, "sound": ale.getAudio}
    further = [show[name] for name in options.columns.split(",")] if options.columns else []
    for line in header(options):
        write(line)
    digest = 0
    for step in range(1, options.steps + 1):
        if options.save_restore and step % options.save_restore == 0:
            saved = ale.cloneState()
            for _ in range(10):
                ale.act(*inputs.next())
            ale.restoreState(saved)
        if options.poke and step % options.poke == 0:
            z = pokes.draw()
            ale.setRAM((z >> 32) % 128, z & 0xFF)
        action, strength = inputs.next()
        reward = ale.act(action, strength)
        over = ale.game_over()
        if step % options.every == 0:
            row = [
                step,
                action,
                int(reward),
                ale.lives(),
                int(over),
                int(ale.game_truncated()),
                ale.getFrameNumber(),
                ale.getEpisodeFrameNumber(),
                crc(ale.getRAM()),
                crc(ale.getScreen()),
            ]
            row += [crc(get()) for get in further]
            line = "\t".join(map(str, row)) + "\n"
            digest = zlib.crc32(line.encode(), digest)
            write(line)
        if over:
            ale.reset_game()
    write(f"# digest {digest:08x}\n")


if __name__ == "__main__":
    record(parser().parse_args(), sys.stdout.write)
