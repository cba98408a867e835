# label: long, 15 s
"""Our games in ale-py: under the name of a known game, RAM and screen are equal at every step.

The reference takes any image whose file is named like a game it knows, with that game's rules and with joysticks.
`sixer trace --game` does the same here. Skips if ale-py is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAMES = ["duskrain", "sporefall", "hedgelight", "cragfast", "undervault", "afterglow", "wispherd", "hearthring"]
OPTIONS = [
    ["--hold", "8"],
    ["--hold", "30", "--actions", "full", "--seed", "7", "--action-seed", "5", "--frame-skip", "4"],
]


def rows(command):
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    return [line for line in run.stdout.splitlines() if not line.startswith("#")]


def main():
    try:
        import ale_py  # noqa: F401
    except ImportError:
        print("skipped: ale-py is not installed (pip install ale-py==0.12.1)")
        return 77
    sixer = os.path.join(os.environ.get("SIXER_BUILD", os.path.join(ROOT, "build", "release")), "sixer")
    tracer = os.path.join(ROOT, "tests", "reference", "ale_trace.py")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for game in GAMES:
            image = os.path.join(folder, "tetris.bin")
            shutil.copy(os.path.join(ROOT, "roms", game + ".bin"), image)
            for options in OPTIONS:
                options = options + ["--steps", "2500"]
                theirs = rows([sys.executable, tracer, image] + options)
                ours = rows([sixer, "trace", image, "--game", "tetris"] + options)
                same = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)
                if same is not None or len(ours) != len(theirs) or len(ours) != 2500:
                    print(f"{game} {' '.join(options)}: differs at row {same}")
                    if same is not None:
                        print("ours:  ", ours[same])
                        print("theirs:", theirs[same])
                    failed += 1
    if not failed:
        print(f"{len(GAMES)} games equal ale-py in RAM and screen, 2500 steps under {len(OPTIONS)} settings")
    return 1 if failed else 0


sys.exit(main())
