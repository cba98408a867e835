"""What make_linear, make_deep and make_lab share: runs kept beside a page, and tables written into it."""

import csv
import gzip
import os
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PUBLISHED = HERE.parent.parent / "data" / "published"
SIXER = pathlib.Path(os.environ.get("SIXER_BUILD", HERE.parent.parent / "build" / "release")) / "sixer"


def read(path):
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if ".tsv" in path.name else ","))


def scores(folder):
    """Rows of scores by (game, run), each a list in order of frames."""
    found = {}
    for path in sorted(folder.glob("*.scores.tsv")):
        for row in read(path):
            found.setdefault((row["game"], int(row["run"])), []).append(row)
    return found


def at(found, game, frames):
    """Scores of all runs of a game at a checkpoint."""
    return [
        float(row["score"])
        for (name, _), rows in sorted(found.items())
        if name == game
        for row in rows
        if int(row["frames"]) == frames
    ]


def number(value):
    return f"{value:,.1f}".removesuffix(".0")


def spread(values):
    return (
        f"{number(statistics.mean(values))} ({number(statistics.stdev(values))})"
        if len(values) > 1
        else number(values[0])
    )


def is_kept(command, kept):
    """Is a run of the queue kept, with a score at its whole length?"""
    name, agent, game, *words, seed = command.split()
    path = kept / name / f"{agent}_{game}_{seed}.scores.tsv"
    rows = read(path) if path.exists() else []
    budget = words[words.index("--frames") + 1] if "--frames" in words else ""
    return bool(rows) and (not budget or int(rows[-1]["frames"]) >= int(budget.removesuffix("M")) * 1_000_000)


def collect(queue, folder, kept):
    """Take over the runs of the queue that have a score. Of one that goes on, what there is up to its last score."""
    for command in queue:
        name, agent, game, *_, seed = command.split()
        stem = f"{agent}_{game}_{seed}"
        source = pathlib.Path(folder) / name
        if not (source / f"{stem}.scores.tsv").exists() or not read(source / f"{stem}.scores.tsv"):
            continue
        episodes = read(source / f"{stem}.episodes.tsv")
        last = int(read(source / f"{stem}.scores.tsv")[-1]["frames"])
        # the episode in which the budget is reached counts
        ends = [int(row["total_frames"]) for row in episodes]
        end = next((frames for frames in ends if frames >= last), ends[-1]) if "--frames" in command else ends[-1]
        target = kept / name
        target.mkdir(parents=True, exist_ok=True)
        (target / f"{stem}.scores.tsv").write_bytes((source / f"{stem}.scores.tsv").read_bytes())
        for kind, column in (("curve", "frames"), ("episodes", "total_frames")):
            header, *lines = (source / f"{stem}.{kind}.tsv").read_text().splitlines(keepends=True)
            place = header.rstrip("\n").split("\t").index(column)
            text = header + "".join(line for line in lines if int(line.split("\t")[place]) <= end)
            if kind == "curve":
                (target / f"{stem}.curve.tsv").write_text(text)
            else:
                with (
                    open(target / f"{stem}.episodes.tsv.gz", "wb") as file,
                    gzip.GzipFile("", "wb", 9, file, mtime=0) as out,
                ):
                    out.write(text.encode())
        record(source / f"{stem}.checkpoint", target / f"{stem}.tape", command, last)


def record(checkpoint, tape, command, frames):
    """One episode of a finished run as a tape, if its checkpoint is still there."""
    words = command.split()
    budget = words[words.index("--frames") + 1] if "--frames" in words else ""
    if budget and frames < int(budget.removesuffix("M")) * 1_000_000:
        return
    if checkpoint.exists() and not tape.exists():
        subprocess.run([SIXER, "record", checkpoint, "-o", tape], check=True, stdout=subprocess.DEVNULL)


def main(arguments, description, script, page_path, kept, queue, tables):
    """The command line of a script that writes the tables of a page."""
    if arguments[:1] == ["--help"]:
        print(description)
        return 0
    if arguments[:1] == ["--queue"]:
        print("\n".join(command for command in queue() if not is_kept(command, kept)))
        return 0
    if arguments[:1] == ["--collect"]:
        collect(queue(), arguments[1], kept)
    page = old = page_path.read_text()
    for name, table in tables.items():
        lines = table()
        if len(lines) == 2:  # a head without rows
            lines = ["No run is kept here."]
        before, rest = page.split(f"<!-- {name}: written by {script} -->\n")
        _, after = rest.split(f"<!-- end of {name} -->")
        page = f"{before}<!-- {name}: written by {script} -->\n" + "\n".join(lines) + f"\n<!-- end of {name} -->{after}"
    if arguments[:1] == ["--check"]:
        if page != old:
            print(f"{page_path.name} does not have the tables of {kept.name}/: run docs/results/{script}")
        return int(page != old)
    page_path.write_text(page)
    return 0
