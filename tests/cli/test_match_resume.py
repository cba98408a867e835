#!/usr/bin/env python3
"""`sixer match --out`: a tournament that is killed or interrupted goes on with --resume and ends like an undisturbed
one, and `sixer report` shows its ratings."""

import csv
import io
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402

AGENTS = ("random", "scripted", "const:action=RIGHT")
GAMES = 3 * 2 * 8

with Program() as program:
    check, expect = program.check, program.expect
    work = ("match", *AGENTS, "wispherd", "--seeds", "8", "--max-frames", "2000", "--json")

    def rows(name):
        return [line for line in program.path(name).read_text().splitlines() if line[:1].isdigit()]

    def stop(name, how):
        """Start a tournament and stop it after its third game; what it printed, and its status."""
        words = (*work, "--jobs", "1", "--out", name)
        with subprocess.Popen([SIXER, *words], cwd=program.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as running:  # fmt: skip
            while running.poll() is None and (not program.path(name).exists() or len(rows(name)) < 3):
                time.sleep(0.001)
            running.send_signal(how)
            _, errors = running.communicate(timeout=60)
        return errors, running.returncode

    whole = program.run(*work, "--out", "whole.tsv", "--scores", "scores.tsv", timeout=120)
    expect("undisturbed", whole, 0)
    check(len(rows("whole.tsv")) == GAMES, "all games are kept")

    for name, how in (("killed.tsv", signal.SIGKILL), ("stopped.tsv", signal.SIGINT)):
        errors, status = stop(name, how)
        played = rows(name)
        check(3 <= len(played) < GAMES, f"{name}: {len(played)} games were played")
        if how == signal.SIGINT:
            told = re.search(r"interrupted: (\d+) of 48 games are in stopped.tsv; .* --resume", errors)
            check(status == 1 and told and int(told[1]) == len(played), f"what was said: {status}, {errors}")
        else:
            with program.path(name).open("a") as file:
                file.write("3\trandom\tscrip")  # as if it was killed while it wrote
        again = program.run(*work, "--jobs", "2", "--out", name, "--resume", timeout=120)
        expect(f"{name} goes on", again, 0)
        check(again.stdout == whole.stdout, f"{name}: the same results")
        check(rows(name)[: len(played)] == played, f"{name}: the games stay")
        check(sorted(rows(name)) == sorted(rows("whole.tsv")), f"{name}: the same games")
    # nothing is left to play; more seeds go on where the first ones ended
    before = program.path("whole.tsv").read_bytes()
    expect("again", program.run(*work, "--out", "whole.tsv", "--resume"), 0)
    check(program.path("whole.tsv").read_bytes() == before, "nothing was added")
    more = program.run(*(word if word != "8" else "9" for word in work), "--out", "whole.tsv", "--resume", timeout=120)
    expect("one seed more", more, 0)
    check(len(rows("whole.tsv")) == GAMES + 6, "six games more")

    # ratings on the page of a report are those of the match
    program.path("duel.toml").write_text(
        'name = "duel"\nbase = "machado2018"\ntitle = "x"\n[games]\nlist = ["wispherd"]\n'
    )
    page = ("report", "scores.tsv", "--protocol", "./duel.toml", "--normalize", "none", "--replicates", "100")
    table = program.run(*page, "--only", "ratings", "--tables", "csv").stdout
    found = {row["agent"]: row for row in csv.DictReader(io.StringIO(table))}
    for row in json.loads(whole.stdout)["ratings"]:
        for key in ("elo", "low", "high", "wins", "draws", "losses", "mean_score", "mean_other"):
            check(abs(float(found[row["agent"]][key]) - row[key]) < 1e-6, f"{key} of {row['agent']}: {found}")
    expect("the page", program.run(*page, "-o", "page.html"), 0)
    text = program.path("page.html").read_text()
    check('<section id="ratings">' in text and 'id="figure-ratings-wispherd"' in text, "a plot of the ratings")
    table = program.path("scores.tsv").read_text().splitlines()
    apart = [line for line in table if "random" not in line and ("scripted" in line or line == table[0])]
    apart += ["wispherd\ta\t1\t3\t1\t9\tb\t2\t1", "wispherd\tb\t1\t2\t1\t9\ta\t3\t2"]
    program.path("apart.tsv").write_text("\n".join(apart) + "\n")
    shown = program.run("report", "apart.tsv", *page[2:], "-o", "apart.html")
    expect("agents that never met", shown, 0)
    text = program.path("apart.html").read_text()
    check("no-ratings" in text and '<section id="ratings">' not in text, "a warning in the place of ratings")

    # wrong input
    short = ("match", "random", "random", "wispherd", "--seeds", "1", "--max-frames", "100")
    expect("the file is there", program.run(*work, "--out", "whole.tsv"), 1, "whole.tsv is there already", "--resume")
    expect("another match", program.run(*short, "--out", "whole.tsv", "--resume"), 1, "of another match")
    expect("resume what", program.run(*short, "--resume"), 2, "add --out FILE")
    expect("no folder", program.run(*short, "--out", "no/x.tsv"), 1, "no/x.tsv: cannot be written")
    whole_lines = program.path("whole.tsv").read_text().splitlines()
    for line, why in (
        ("1\trandom\tscripted\t1\t2\t3\tlimit", "is there twice"),
        ("1\trandom\tnobody\t1\t2\t3\tlimit", "names an agent that does not take part"),
        ("99\trandom\tscripted\t1\t2\t3\tlimit", "is of a seed that is not played"),
        ("1\trandom\tscripted\tx\t2\t3\tlimit", "has a number that is none"),
        ("1\trandom\tscripted\t1\t2\t3\tnever", "has an end that is none"),
        ("1\trandom\tscripted\t1", "has less than 7 columns"),
    ):
        lines = [*whole_lines, line] if "twice" in why else [*whole_lines[:6], line]
        program.path("wrong.tsv").write_text("\n".join(lines) + "\n")
        result = program.run(*(word if word != "8" else "9" for word in work), "--out", "wrong.tsv", "--resume")
        expect(line, result, 1, f"line {len(lines)} {why}")
    sys.exit(1 if program.failures else 0)
