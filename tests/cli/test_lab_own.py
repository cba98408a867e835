#!/usr/bin/env python3
# label: long
"""Agents of the user's own in experiments: a program behind a pipe and a Python class. They play the episodes that a
built-in agent with the same choices plays; they are killed and resumed to the same rows; and a program that dies, is
silent or talks nonsense is a failed run with a sentence, while the others go on."""

import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import ROOT, SIXER, Program  # noqa: E402

PACKAGE = pathlib.Path(SIXER).parent / "python"
TOP = 'protocol = "sixer-levels"\ngames = ["duskrain"]\nframes = "4k"\nevaluation = 1\n'

# always the same action, and what the replies say is added up
CONST = """
import json, sys
def ask(**request):
    print(json.dumps(request), flush=True)
    reply = json.loads(sys.stdin.readline() or "null")
    if not reply: sys.exit()
    assert reply["ok"], reply
    return reply
game = ask(do="make", game="pong", seed=99, ram=True)
assert game["experiment"] and game["game"] == "duskrain" and 3 in game["actions"], game
log = open(sys.argv[1], "a")
while True:
    state, score = ask(do="reset"), 0
    while not state.get("over"):
        state = ask(do="step", action=3)
        score += state["reward"]
    print(score, state["learning"], state["end"], file=log, flush=True)
"""

AGENTS = """
import random, time
class Drunk:
    screen, ram = "gray", True
    def __init__(self, game):
        self.rng, self.actions, self.total = random.Random(game["seed"]), game["actions"], 0
    def act(self, now):
        assert now["screen"].shape == (210, 160) and now["ram"].shape == (128,)
        self.total += now.get("reward", 0)
        print("chatter that must not come between messages")
        return self.actions[(self.rng.randrange(99) + int(now["ram"].sum()) + self.total) % len(self.actions)]
    def end(self, now):
        self.total += now["reward"]
def sweep(now, game):
    return game["actions"][now["episode_frames"] // 9 % len(game["actions"])]
def broken(now, game):
    raise ValueError("this agent gives up")
"""

BAD = {
    "dies": ("import sys; print('no such weights', file=sys.stderr); sys.exit(3)", "ended: no such weights"),
    "nonsense": ("print('hello world', flush=True); input()", "sent something else"),
    "half": ("import sys; sys.stdout.write('{\"do\"'); sys.stdout.flush()", "the agent's program ended"),
    "bye": ('print(\'{"do": "bye"}\', flush=True); input()', "said bye"),
    "silent": ("import time; time.sleep(100)", "within 0.5 seconds"),
}


def rows(path, label):
    with sqlite3.connect(path) as db:
        query = (
            "SELECT r.seed, e.phase, e.number, e.frames, e.steps, e.score, e.total_frames, e.end, e.lives, e.level "
            "FROM episodes e JOIN runs r ON r.id = e.run_id WHERE r.label = ? ORDER BY 1, 2 DESC, 3"
        )
        return list(db.execute(query, (label,)))


def errors(path):
    with sqlite3.connect(path) as db:
        return dict(db.execute("SELECT label, COALESCE(error, '') FROM runs"))


def test_equal(p):
    p.path("const.py").write_text(CONST)
    p.path("own.toml").write_text(
        TOP + '[agent.const]\naction = "RIGHT"\n'
        f'[agent.mine]\ncommand = ["{sys.executable}", "const.py", "a log"]\n'
        f'[agent.swept]\nagent = "python"\nclass = "agents:sweep"\npython = "{sys.executable}"\n'
        f'[agent.client]\ncommand = "{sys.executable} {ROOT}/examples/serve/client.py"\n'
    )
    p.expect("own", p.run("lab", "run", "own.toml"), 0, "4 of 4 runs are done")
    expected, found = rows(p.path("own.db"), "const"), rows(p.path("own.db"), "mine")
    p.check(len(expected) > 2 and expected == found, f"own: {expected} and {found}")
    p.check(len(rows(p.path("own.db"), "swept")) > 2, "no episodes of the function")
    told = [line.split(maxsplit=2) for line in p.path("a log").read_text().splitlines()]
    scores = [str(int(row[5])) for row in found]
    p.check([line[0] for line in told] == scores, f"told {told}, stored {found}")
    p.check(told[0][1] == "True" and told[-1][1] == "False", f"learning: {told}")


def lab(p, *arguments):
    return subprocess.Popen(
        [SIXER, "lab", *arguments, "--quiet", "--checkpoint-every", "0.05"],
        cwd=p.folder,
        env=p.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_killed(p):
    text = (
        TOP.replace("4k", "12k") + f'[agent.drunk]\nclass = "agents:Drunk"\npython = "{sys.executable}"\n'
        f'[agent.plain]\ncommand = ["{sys.executable}", "const.py", "log2"]\n'
    )
    p.path("whole.toml").write_text('name = "whole"\n' + text)
    start = time.time()
    p.expect("whole", p.run("lab", "run", "whole.toml", "--quiet"), 0, "2 of 2 runs")
    length = time.time() - start
    random.seed(24)
    kills = 0
    for number in range(20):  # stores; a run may end before it is killed
        if kills >= 4:
            break
        name = f"cut{number}"
        p.path(f"{name}.toml").write_text(f'name = "{name}"\n' + text)
        kills += run_killed(p, name, length)
        for label in ("drunk", "plain"):
            a, b = rows(p.path("whole.db"), label), rows(p.path(f"{name}.db"), label)
            p.check(a and a == b, f"{label}: {len(a)} and {len(b)} rows differ after {kills} kills")
    p.check(kills >= 4, f"killed {kills} times only")


def run_killed(p, name, length):
    """Run an experiment and kill it at random moments; how often."""
    kills = 0
    process = lab(p, "run", f"{name}.toml")
    while kills < 4:
        try:
            process.wait(timeout=0.2 + random.random() * 0.5 * length)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL if kills % 2 else signal.SIGINT)
            process.wait(timeout=60)
            kills += 1
            process = lab(p, "resume", f"{name}.db")
    process.wait(timeout=120)
    p.expect(name, p.run("lab", "resume", f"{name}.db"), 0, "2 of 2 runs")
    with sqlite3.connect(p.path(f"{name}.db")) as db:
        print(f"{kills} kills, attempts {db.execute('SELECT label, attempts FROM runs').fetchall()}")
    return kills


def test_bad(p):
    text = TOP + "[agent.random]\n"
    for name, (source, _) in BAD.items():
        p.path(f"{name}.py").write_text(source)
        timeout = 0.5 if name == "silent" else 60
        text += f'[agent.{name}]\ncommand = ["{sys.executable}", "{name}.py"]\ntimeout = {timeout}\n'
    text += '[agent.absent]\ncommand = "no-such-program"\n'
    text += f'[agent.unsaved]\ncommand = ["{sys.executable}", "const.py", "log3"]\nsaves = true\n'
    for name in ("broken", "missing"):
        text += f'[agent.{name}]\nclass = "agents:{name}"\npython = "{sys.executable}"\n'
    p.path("bad.toml").write_text(text)
    p.expect("bad", p.run("lab", "run", "bad.toml", "--quiet"), 1, "9 runs failed", "1 of 10 runs are done")
    found = errors(p.path("bad.db"))
    expected = {name: words for name, (_, words) in BAD.items()}
    expected |= {
        "absent": "cannot be started",
        "unsaved": "cannot be saved",
        "broken": "this agent gives up",
        "missing": "has no attribute",
    }
    for name, words in expected.items():
        p.check(words in found[name], f"{name}: '{found[name]}'")
    for line, words in (
        ('[agent.x]\nagent = "pipe"\n', "name the program"),
        ('[agent.x]\nclass = "nothing"\n', "my_agents:Greedy"),
        ('[agent.x]\ncommand = "a"\nsavse = true\n', "did you mean 'saves'"),
    ):
        p.path("wrong.toml").write_text(TOP + line)
        p.expect(line, p.run("lab", "run", "wrong.toml"), 2, "wrong.toml:", words)


def test_no_program_from_files(p):
    """A checkpoint that somebody sent does not start a program."""
    model = next(p.path("whole.runs").glob("*plain*.checkpoint"))
    p.path("log2").unlink()
    p.expect("watch", p.run("record", model, "-o", "x.tape"), 1, "not started from a file")
    p.check(not p.path("log2").exists(), "a checkpoint started a program")


def test_nothing_is_left(p):
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    names = [line for line in left.splitlines() if str(p.folder) in line or "sixer.lab_agent agents:" in line]
    p.check(not names, f"processes are left: {names}")


def main():
    if not PACKAGE.joinpath("sixer").exists():
        print("skipped: the Python package is not built")
        return 77
    with Program(PYTHONPATH=str(PACKAGE)) as p:
        p.path("agents.py").write_text(AGENTS)
        for test in (test_equal, test_killed, test_bad, test_no_program_from_files, test_nothing_is_left):
            start = time.time()
            test(p)
            print(f"{test.__name__}: {time.time() - start:.1f} s")
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
