#!/usr/bin/env python3
"""Four actors of Ape-X beside one, by the clock: two runs, their rows and a plot.

    bench/apex_actors.py [SECONDS] [FOLDER]   train for so many seconds (300) with one actor, then with four; write
                                              rows and plot into the folder (docs/benchmarks/apex), print a table
    bench/apex_actors.py 0 [FOLDER]           draw the plot of the rows that are there, and print the table

Actors are held to 120 frames per second, twice real time, as slow machines or consoles would play (`--pace`). So it is
playing that limits, and not the learner: on one fast machine the opposite is true. Both runs are synchronized and have
the same settings and the same number of updates per step. The machine must have some 60 % of a core to spare all the
time: if the four have not played about four times the frames of the one, it had not, and the plot says nothing.
"""

import json
import math
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACE, COUNTS, WINDOW = 120, (1, 4), 10
COMMAND = ["apex", "local", "rainbow", "duskrain", "--preset", "quick", "--set", "period=4,batch=16"]
COMMAND += ["--pace", str(PACE), "--frames", "100M"]
Row = dict[str, float]
FIELDS = ("frames", "updates", "replay_ratio", "staleness", "seconds")


def train(actors: int, seconds: float, folder: pathlib.Path) -> tuple[list[list[str]], dict[str, float]]:
    """Rows of episodes with the second at which each was there, and the result of the run."""
    program = str(ROOT / "build/release/sixer")
    command = [program, *COMMAND, "--actors", str(actors), "--out", str(folder), "--quiet", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    path, begun, rows = folder / "rainbow_duskrain_1.episodes.tsv", time.monotonic(), []
    while time.monotonic() - begun < seconds:
        time.sleep(0.25)
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        names = lines[0].split("\t") if lines else []
        for line in lines[1 + len(rows) :]:
            row = dict(zip(names, line.split("\t"), strict=True))
            rows.append([str(actors), f"{time.monotonic() - begun:.1f}", row["total_frames"], row["score"]])
    process.send_signal(signal.SIGINT)
    return rows, json.loads(process.communicate(timeout=120)[0])


def run(seconds: float, folder: pathlib.Path) -> tuple[list[Row], list[Row]]:
    """Rows of episodes and of runs, which are written too."""
    rows, runs = [["actors", "seconds", "total_frames", "score"]], [["actors", *FIELDS]]
    with tempfile.TemporaryDirectory() as temporary:
        for actors in COUNTS:
            more, result = train(actors, seconds, pathlib.Path(temporary) / str(actors))
            rows += more
            runs.append([str(actors), *(f"{result[name]:.6g}" for name in FIELDS)])
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in (("actors.tsv", rows), ("runs.tsv", runs)):
        (folder / name).write_text("".join("\t".join(row) + "\n" for row in table))
    return read(folder)


def read(folder: pathlib.Path) -> tuple[list[Row], list[Row]]:
    made = []
    for name in ("actors.tsv", "runs.tsv"):
        first, *lines = [line.split("\t") for line in (folder / name).read_text().splitlines()]
        made.append([dict(zip(first, map(float, line), strict=True)) for line in lines])
    return made[0], made[1]


def curve(rows: list[Row], actors: int) -> list[tuple[float, float]]:
    """The mean score of the last episodes, by seconds."""
    own = [row for row in rows if row["actors"] == actors]
    means = []
    for i in range(len(own)):
        last = [row["score"] for row in own[max(0, i + 1 - WINDOW) : i + 1]]
        means.append((own[i]["seconds"], sum(last) / len(last)))
    return means


def steps(most: float) -> list[float]:
    """Round numbers from 0 on, four to eight of them, the last not below `most`."""
    unit = 10.0 ** math.floor(math.log10(most / 4))
    step = next(unit * k for k in (1, 2, 5, 10) if most <= 7 * unit * k)
    return [step * i for i in range(math.ceil(most / step) + 1)]


def draw(rows: list[Row]) -> str:
    curves = {actors: curve(rows, actors) for actors in COUNTS}
    minutes = steps(max(second for points in curves.values() for second, _ in points) / 60)
    scores = steps(max(mean for points in curves.values() for _, mean in points))

    def place(second: float, mean: float) -> tuple[float, float]:
        return 60 + 520 * second / 60 / minutes[-1], 270 - 240 * mean / scores[-1]

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" font-family="sans-serif" font-size="13">\n']
    out.append('<rect width="640" height="320" fill="white"/>\n')
    for score in scores:
        y = place(0, score)[1]
        out.append(f'<path d="M60 {y:.1f}H580" stroke="#ddd"/>\n')
        out.append(f'<text x="54" y="{y + 4:.1f}" text-anchor="end">{score:g}</text>\n')
    for minute in minutes:
        out.append(f'<text x="{place(60 * minute, 0)[0]:.1f}" y="288" text-anchor="middle">{minute:g}</text>\n')
    out.append('<path d="M60 30V270H580" fill="none" stroke="#444"/>\n')
    out.append('<text x="320" y="310" text-anchor="middle">minutes by the clock</text>\n')
    out.append(f'<text x="60" y="16">mean score of the last {WINDOW} episodes, duskrain</text>\n')
    for (actors, points), color in zip(curves.items(), ("#0072B2", "#D55E00"), strict=True):
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>\n')
        x, y = place(*points[-1])
        text = "1 actor" if actors == 1 else f"{actors} actors"
        out.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="{color}">{text}</text>\n')
    out.append("</svg>\n")
    return "".join(out)


def main() -> None:
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/benchmarks/apex"
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 300
    rows, runs = run(seconds, folder) if seconds > 0 else read(folder)
    print("| actors | frames | updates | last mean score | replay ratio | updates stale | seconds |")
    print("|---" * 7 + "|")
    for r in runs:
        means = curve(rows, int(r["actors"]))
        counts = f"{r['actors']:.0f} | {r['frames']:,.0f} | {r['updates']:,.0f} | {means[-1][1] if means else 0:.2f}"
        print(f"| {counts} | {r['replay_ratio']:.1f} | {r['staleness']:.0f} | {r['seconds']:.0f} |")
    if all(curve(rows, actors) for actors in COUNTS):
        (folder / "actors.svg").write_text(draw(rows))


if __name__ == "__main__":
    main()
