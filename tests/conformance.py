#!/usr/bin/env python3
"""Compare sixer with the reference package ale-py, byte for byte, on generated cartridges and on games.

    .venv/bin/python tests/conformance.py                       # 200 cartridges of every set
    .venv/bin/python tests/conformance.py kernel bank --count 2000 --first 5000
    .venv/bin/python tests/conformance.py games --only breakout,pong

Sets: kernel (random drawing programs), pal (the same for a PAL television), opcodes (random programs), bank (every
cartridge type), types (which type an image is taken for), cpu (the package's other processor), games (every game whose
image the package brings), tetris (published values). Each cartridge is played by both under the same stream of actions
and all rows must be equal. The first difference of an image is shown and the image kept in a folder (--keep). Exit
status: 0 equal, 1 different, 77 the package or the program is missing.

The package accepts an image only under the name of a game that it knows, and applies the rules of that game; sixer is
told the same game with --game. On some input the package ends the whole process, so it always runs in a child process.
"""

import argparse
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS / "reference")]
import ale_trace  # noqa: E402
from generate import banks, kernels  # noqa: E402
from generate.stream import Stream  # noqa: E402

GENERATED_AS = "tetris"
TIME_LIMIT = 120  # seconds for one image


# ---- what is compared ----------------------------------------------------------------------------------------------


def variant(s, steps):
    """Options of one comparison: usually the plain ones, and every other setting now and then."""
    options = ["--steps", str(steps), "--action-seed", str(s.below(1000)), "--seed", str(s.below(1000))]
    if s.chance(50):
        options += ["--hold", str(s.pick((2, 4, 8)))]
    if s.chance(25):
        options += ["--sticky", s.pick(("0.0", "0.5", "0.9", "1.0"))]
    if s.chance(20):
        options += ["--frame-skip", str(s.pick((2, 3, 4, 5)))]
    if s.chance(10):
        options += ["--max-frames", str(s.between(5, 40))]
    if s.chance(30):
        options += ["--columns", s.pick(("rgb", "gray", "sound", "rgb,gray,sound"))]
    if s.chance(15):
        options += ["--system-seed", str(s.below(100000))]
    if s.chance(15):
        options += ["--poke", str(s.between(1, 5)), "--poke-seed", str(s.below(1000))]
    if s.chance(10):
        options += ["--actions", "minimal"]
    return options


def generated(name, seed):
    """The image and the options of one generated cartridge."""
    s = Stream("options", name, seed)
    if name == "kernel":
        options = variant(s, 30)
        if s.chance(15):
            options += ["--color-averaging"]
        return kernels.kernel(seed), options
    if name == "pal":
        return kernels.pal_kernel(seed), variant(s, 30)
    if name == "opcodes":
        return kernels.opcodes(seed), variant(s, 60)
    if name == "cpu":
        image = kernels.kernel(seed) if seed % 2 else kernels.opcodes(seed)
        return image, ["--steps", "30", "--cycle-cpu"]
    if name == "bank":
        kind = banks.TYPES[seed % len(banks.TYPES)]
        return banks.bank_image(kind, seed), variant(s, 40)
    raise KeyError(name)


# Games in which a difference after a restore is known: the reference restores less than we do.
RESTORE_ARTEFACTS = ("yars_revenge", "tic_tac_toe_3d", "miniature_golf", "tetris", "qbert")


def game_variants(game):
    yield []
    yield ["--frame-skip", "4", "--color-averaging"]
    yield ["--actions", "minimal", "--sticky", "0.0", "--hold", "6", "--columns", "rgb,gray,sound"]
    yield ["--life-loss", "--max-frames", "250", "--strengths", "5", "--hold", "3"]
    yield ["--poke", "3", "--system-seed", "77"]
    if game not in RESTORE_ARTEFACTS:
        yield ["--save-restore", "37", "--hold", "4"]


def package_images():
    import ale_py

    return sorted((pathlib.Path(ale_py.__file__).parent / "roms").glob("*.bin"))


def supported_games():
    """Ids of the games that the package has both rules and an image for."""
    from ale_py import ALEInterface

    return [p.stem for p in package_images() if ALEInterface.isSupportedROM(p)]


# ---- running both --------------------------------------------------------------------------------------------------


def in_child(work):
    """Run work(write) in a forked process and return what it wrote, or a line that says how it ended."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read_end)
            signal.alarm(TIME_LIMIT)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 2)
            out = os.fdopen(write_end, "w")
            buffer = io.StringIO()
            try:
                work(buffer.write)
            except RuntimeError as error:
                buffer.write(f"! {error}\n")
            out.write(buffer.getvalue())
            out.close()
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        signaled = os.WIFSIGNALED(status)
        end = f"signal {os.WTERMSIG(status)}" if signaled else f"status {os.WEXITSTATUS(status)}"
        text += f"! ended with {end}\n"
    return text


def reference_trace(path, options):
    return in_child(lambda write: ale_trace.record(ale_trace.parser().parse_args([str(path)] + options), write))


def our_trace(sixer, path, options, game=None):
    command = [str(sixer), "trace", str(path)] + (["--game", game] if game else []) + options
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode() + f"! nothing after {TIME_LIMIT} s\n"
    return run.stdout + (f"! status {run.returncode}: {run.stderr.strip()}\n" if run.returncode else "")


def reference_type(path):
    """The cartridge type as the reference's saved state names it."""

    def work(write):
        from ale_py import ALEInterface, LoggerMode

        ALEInterface.setLoggerMode(LoggerMode.Error)
        ale = ALEInterface()
        ale.loadROM(str(path))
        state = ale.cloneState().serialize()
        at = state.find(b"Cartridge")  # a string with its length in the four bytes before it
        length = int.from_bytes(state[at - 4 : at], "little")
        write(state[at + len("Cartridge") : at + length].decode())

    return in_child(work)


def our_type(sixer, path):
    run = subprocess.run([str(sixer), "info", str(path)], capture_output=True, text=True, timeout=TIME_LIMIT)
    found = re.search(r"^type\W+(\w+)", run.stdout, re.MULTILINE)
    return found.group(1) if found else f"! status {run.returncode}: {run.stderr.strip()}"


# ---- comparing -----------------------------------------------------------------------------------------------------

COLUMNS = ("step", "action", "reward", "lives", "over", "truncated", "frame", "episode_frame", "ram", "screen")


def first_difference(ours, theirs, further=()):
    """None, or a few lines that show the first row in which two traces differ."""
    if ours == theirs:
        return None
    a, b = ours.splitlines(), theirs.splitlines()
    for at in range(max(len(a), len(b))):
        left = a[at] if at < len(a) else "(nothing)"
        right = b[at] if at < len(b) else "(nothing)"
        if left != right:
            names = COLUMNS + tuple(further)
            cells = [
                names[i]
                for i, (x, y) in enumerate(zip(left.split("\t"), right.split("\t")))
                if x != y and i < len(names)
            ]
            where = f" ({', '.join(cells)})" if "\t" in left and "\t" in right else ""
            return f"  line {at + 1}{where}\n    ours   {left}\n    theirs {right}"
    return "  they differ in line ends only"


UNDEFINED = "undefined"  # the reference itself crashed: nothing to compare with


class Comparison:
    def __init__(self, sixer, keep):
        self.sixer, self.keep = pathlib.Path(sixer), pathlib.Path(keep)

    def run(self, job, folder):
        """Compare one job; returns None or a description of the difference."""
        name, item = job
        if name == "games":
            game, options = item
            path, forced, label = game, None, f"{game} {' '.join(options)}"
            theirs = reference_trace(path, options)
            ours = our_trace(self.sixer, path, options, forced)
            return self.report(label, None, options, ours, theirs)
        if name == "types":
            image = banks.any_image(item)
            path = self.place(image, folder)
            theirs, ours = reference_type(path), our_type(self.sixer, path)
            if "ended with signal" in theirs:
                return UNDEFINED
            if theirs.startswith("!") and ours.startswith("!"):  # both refuse it
                return None
            if ours == theirs:
                return None
            return f"types {item}: size {len(image)}: ours {ours.strip()}, theirs {theirs.strip()}" + self.saved(
                f"types-{item}", image
            )
        image, options = generated(name, item)
        path = self.place(image, folder)
        theirs = reference_trace(path, options)
        ours = our_trace(self.sixer, path, options, GENERATED_AS)
        return self.report(f"{name} {item}: {' '.join(options)}", (f"{name}-{item}", image), options, ours, theirs)

    def place(self, image, folder):
        path = pathlib.Path(folder) / f"{GENERATED_AS}.bin"
        path.write_bytes(image)
        return path

    def saved(self, stem, image):
        self.keep.mkdir(parents=True, exist_ok=True)
        path = self.keep / f"{stem}.bin"
        path.write_bytes(image)
        return f"\n  image kept as {path}"

    def report(self, label, image, options, ours, theirs):
        if "! ended with signal" in theirs:
            return UNDEFINED
        further = options[options.index("--columns") + 1].split(",") if "--columns" in options else ()
        shown = first_difference(ours, theirs, further)
        if shown is None:
            return None
        return f"{label}\n{shown}" + (self.saved(*image) if image else "")


# ---- many at once --------------------------------------------------------------------------------------------------


def worker(comparison, jobs, write_end):
    """Do some of the jobs. Result of each: a line '=' (equal) or '~' (undefined), or the lines of a report and '!'."""
    with os.fdopen(write_end, "w") as out, tempfile.TemporaryDirectory() as folder:
        for job in jobs:
            try:
                found = comparison.run(job, folder)
            except Exception:  # noqa: BLE001  a broken comparison is a failure of that image, not of the run
                found = f"{job[0]} {job[1]}: the comparison itself failed\n{traceback.format_exc()}"
            out.write(
                "=\n"
                if found is None
                else "~\n"
                if found == UNDEFINED
                else "".join("-" + line + "\n" for line in found.splitlines()) + "!\n"
            )
            out.flush()


def run_all(comparison, jobs, workers, progress):
    """Run jobs in parallel processes. Returns (number done, how many of them undefined, list of differences)."""
    import selectors

    selector = selectors.DefaultSelector()
    for i in range(min(workers, len(jobs))):
        read_end, write_end = os.pipe()
        if os.fork() == 0:
            try:
                os.close(read_end)
                worker(comparison, jobs[i::workers], write_end)
            finally:
                os._exit(0)
        os.close(write_end)
        selector.register(os.fdopen(read_end), selectors.EVENT_READ, [])
    done, undefined, different, start, drawn = 0, 0, [], time.monotonic(), time.monotonic()
    while selector.get_map():
        for key, _ in selector.select():
            line = key.fileobj.readline()
            if not line:
                selector.unregister(key.fileobj)
                key.fileobj.close()
                continue
            if line.startswith("-"):
                key.data.append(line[1:])
                continue
            done += 1
            undefined += line.startswith("~")
            if line.startswith("!"):
                different.append("".join(key.data))
                key.data.clear()
                sys.stdout.write(("\r\033[K" if progress else "") + "DIFFERENT " + different[-1])
                sys.stdout.flush()
            now = time.monotonic()
            if now - drawn > (0.1 if progress else 30) or (progress and done == len(jobs)):
                left = (len(jobs) - done) * (now - start) / done
                line = f"{done} of {len(jobs)}, {len(different)} different, {left:.0f} s left"
                sys.stderr.write(f"\r\033[K{line}" if progress else f"{line}\n")
                drawn = now
    if progress:
        sys.stderr.write("\n")
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    return done, undefined, different


def main(argv=None):
    sets = ("kernel", "pal", "opcodes", "bank", "types", "cpu", "games")
    build = os.environ.get("SIXER_BUILD", str(TESTS.parent / "build" / "release"))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sets", nargs="*", metavar="SET", help=", ".join(sets))
    p.add_argument("--count", type=int, default=200, help="cartridges of each set")
    p.add_argument("--first", type=int, default=0, help="seed of the first one")
    p.add_argument("--seeds", help="these seeds and no others: 3,17,20-30")
    p.add_argument("--only", help="these games and no others")
    p.add_argument("--steps", type=int, default=300, help="acts per game")
    p.add_argument("--variants", type=int, default=99, help="sets of options per game")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--keep", default=str(pathlib.Path(tempfile.gettempdir()) / "sixer-conformance"))
    p.add_argument("--sixer", default=f"{build}/sixer")
    args = p.parse_args(argv)
    for name in args.sets:
        if name not in sets:
            p.error(f"no set '{name}'; there are {', '.join(sets)}")
    try:
        import ale_py  # noqa: F401
    except ImportError:
        print("SKIPPED: the reference package ale-py is not installed (scripts/setup installs it into .venv)")
        return 77
    if not shutil.which(args.sixer):
        print(f"SKIPPED: there is no program {args.sixer}; build it first")
        return 77

    seeds = range(args.first, args.first + args.count)
    if args.seeds:
        seeds = []
        for part in args.seeds.split(","):
            low, _, high = part.partition("-")
            seeds += range(int(low), int(high or low) + 1)
    jobs = []
    for name in args.sets or sets[:-1]:
        if name == "games":
            games = args.only.split(",") if args.only else supported_games()
            jobs += [
                ("games", (game, ["--steps", str(args.steps)] + v))
                for game in games
                for v in list(game_variants(game))[: args.variants]
            ]
        else:
            jobs += [(name, seed) for seed in seeds]
    done, undefined, different = run_all(Comparison(args.sixer, args.keep), jobs, args.jobs, sys.stderr.isatty())
    print(
        f"{done} of {len(jobs)} comparisons done, {len(different)} different, "
        f"{undefined} on which the reference itself crashes"
    )
    return 1 if different or done < len(jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
