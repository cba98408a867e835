#!/usr/bin/env python3
"""Bad input that trying the program found: each has a message that says what was found, and nothing is lost."""

import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402

SMALL = "trunk=quick,hidden=16,size=24,memory=100,start=8,batch=4"


def test_escapes(p):
    """Names in a file of scores do not reach the terminal as control sequences."""
    p.path("names.csv").write_bytes(b'game,score,agent\npong,3,"a\x1b[31mb"\n')
    result = p.expect("escapes", p.run("eval", "names.csv", "--protocol", "saber", "--partial"), 0, "missing-games")
    p.check("\x1b" not in result.stderr + result.stdout, "eval prints an escape sequence of a file")
    result = p.expect("command", p.run("de\x1b[31mmo"), 2, "there is no command")
    p.check("\x1b" not in result.stderr, "an unknown command is printed as it is")


def test_names(p):
    """Neither do names of files, whatever is done with these."""
    name = "a\x1b[31mb"
    made = [
        p.run("record", "random", "duskrain", "--steps", "60", "-o", f"{name}.tape"),
        p.run("replay", f"{name}.tape"),
        p.run("replay", f"{name}.tape", "--video", f"{name}.gif"),
        p.run("tape", "trim", f"{name}.tape", "--to", "0.5", "-o", f"{name}2.tape"),
        p.run("tape", "repair", f"{name}.tape", "-o", f"{name}3.tape"),
        p.run("train", "random", "duskrain", "--frames", "2000", "--out", name),
        p.run("info", f"{name}/random_duskrain_1.checkpoint"),
        p.run("lab", "import", f"{name}.db", name),
        p.run("lab", "status", f"{name}.db"),
        p.run("games", "check", f"{name}.tape"),
    ]
    said = "".join(r.stdout + r.stderr for r in made)
    p.check(said.count("a?[31mb") >= 8, f"the names of the files are not said:\n{said}")
    p.check("\x1b" not in said, f"a name is printed as it is:\n{said}")


def test_games(p):
    p.path("no-games").mkdir()
    p.expect("no definitions", p.run("games", "check", "no-games"), 1, "has no definitions")


def test_protocols(p):
    train = p.run("train", "random", "duskrain", "--sticky", "2")
    p.expect("sticky", train, 2, "sixer train: sticky = 2 is out of range: 0 to 1", never=["the options"])
    p.path("scores.csv").write_text("game,score,agent\npong,3,a\n")
    os.mkfifo(p.path("pipe.toml"))
    for arguments in (("eval", "scores.csv"), ("train", "random", "duskrain", "--frames", "100")):
        p.expect("a pipe", p.run(*arguments, "--protocol", "./pipe.toml", timeout=20), 2, "a protocol is a file")
        p.expect("a near name", p.run(*arguments, "--protocol", "sabre"), 2, "did you mean 'saber'")
    p.path("nan.csv").write_text("game,score,agent\npong,nan,a\n")
    p.path("large.csv").write_text("game,score,agent\npong,1e308,a\n")
    p.expect("1e308", p.run("eval", "large.csv", "--protocol", "saber"), 1, "no game counts to 1e15", never=["inf"])
    p.expect("NaN", p.run("eval", "nan.csv", "--protocol", "saber"), 1, "leave the row out", never=["score_row"])


def test_runs(p):
    train = ("train", "dqn", "sporefall", "--frames", "600", "--seed", "3", "--evaluation", "0")
    p.expect("train", p.run(*train, "--set", SMALL), 0)
    changed = p.run(*train, "--set", f"{SMALL},rate=0.1", "--resume")
    p.expect("another rate", changed, 1, "it has rate=", "now it is rate=0.1", never=["memory=100"])
    rows = p.path("runs/dqn_sporefall_3.episodes.tsv")
    kept = rows.read_bytes()
    rows.unlink()
    longer = (*train[:4], "900", *train[5:], "--set", SMALL, "--resume")
    p.expect("missing rows", p.run(*longer), 1, "episodes.tsv is missing", "--force")
    rows.write_bytes(kept)
    p.expect("label", p.run("train", "random", "duskrain", "--label", ".hid", "--frames", "2000"), 0)
    p.check(p.path("runs/-hid_duskrain_1.scores.tsv").exists(), "the files of a label with a dot are hidden")
    p.check(".hid" in p.path("runs/scores.tsv").read_text(), "the scores of all runs lack a label with a dot")
    p.path("file").write_text("")
    p.expect("--out", p.run("train", "random", "duskrain", "--out", "file"), 1, "Not a directory")


def test_files(p):
    for command in ("record", "watch"):
        output = ("-o", "k.tape") if command == "record" else ()
        p.expect(command, p.run(command, "runs/nosuch.checkpoint", *output), 2, "no such file")
    p.path("folder").mkdir()
    p.expect("a store", p.run("lab", "status", "folder"), 1, "is a folder")
    head = 'name = "e"\nprotocol = "sixer-levels"\nframes = 100\n'
    p.path("empty.toml").write_text(head + "games = []\n[agent.random]\n")
    p.expect("no games", p.run("lab", "run", "empty.toml"), 2, "an empty array")
    p.path("head.toml").write_text(head + 'games = ["duskrain"]\n[agent.a b]\nagent = "random"\n')
    p.expect("a head", p.run("lab", "run", "head.toml"), 2, "found 'agent.a b]'", never=["ra'"])


def test_films(p):
    experiment = 'name = "f"\nprotocol = "sixer-levels"\ngames = ["duskrain"]\nframes = 400\n[agent.random]\n'
    p.path("f.toml").write_text(experiment)
    p.expect("lab run", p.run("lab", "run", "f.toml"), 0)
    with sqlite3.connect(p.path("f.db")) as store:
        store.execute("UPDATE runs SET label = 'x\x1b[31my'")
    store.close()
    result = p.run("lab", "films", "f.db", "-o", "films")
    p.check("\x1b" not in result.stdout + result.stderr, "lab films prints an escape sequence of a store")


def test_silent_program(p):
    """Ctrl-C and SIGTERM are noticed while an agent's program says nothing, and the run goes on later."""

    def interrupted(*arguments):
        with p.start(*arguments) as process:
            time.sleep(1.5)
            process.terminate()
            out, err = process.communicate(timeout=30)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    train = ("train", "pipe", "duskrain", "--set", "command=sleep 1000", "--frames", "100", "--out", "pipes")
    p.expect("train", interrupted(*train), 1, "stopped while waiting for the agent's program")
    head = 'name = "s"\nprotocol = "sixer-levels"\ngames = ["duskrain"]\nframes = 100\n'
    p.path("s.toml").write_text(head + '[agent.mine]\ncommand = "sleep 1000"\n')
    p.expect("lab run", interrupted("lab", "run", "s.toml"), 1, "lab resume s.db")
    with sqlite3.connect(p.path("s.db")) as store:
        states = store.execute("SELECT state FROM runs").fetchall()
    store.close()
    p.check(states == [("waiting",)], f"an interrupted run is {states}")


def test_file_limit(p):
    """A limit on file sizes is an error like a full disk, for every command that writes."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    result = p.run("record", "random", "duskrain", "-o", "full.tape", "--episodes", "30", preexec_fn=limited)
    p.expect("record", result, 1, "the tape is good up to here: File too large")
    p.expect("demo", p.run("demo", "--output", "full.png", preexec_fn=limited), 1, "full.png")
    p.check(not p.path("full.png").exists(), "demo leaves half of a picture")


with Program() as program:
    tests = (test_escapes, test_names, test_games, test_protocols, test_runs, test_files)
    for test in (*tests, test_films, test_silent_program, test_file_limit):
        test(program)
    sys.exit(program.finish())
