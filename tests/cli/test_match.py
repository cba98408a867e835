#!/usr/bin/env python3
"""`sixer match`: sides, seeds, ratings, agents of every kind on both sides, several players, and wrong input. Skips
where ale-py's images are not installed."""

import csv
import importlib.machinery
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402

spec = importlib.machinery.PathFinder.find_spec("ale_py")
images = pathlib.Path(spec.submodule_search_locations[0]) / "roms" if spec else None
if not images or not (images / "pong.bin").is_file():
    print("skip: ale-py and its images are not installed")
    sys.exit(77)

# fires and turns left; notes which player it is and what it was paid
PIPE = """
import json, sys
def ask(**request):
    print(json.dumps(request), flush=True)
    reply = json.loads(sys.stdin.readline() or "null")
    if not reply: sys.exit()
    assert reply["ok"], reply
    return reply
game = ask(do="make", game="pong", ram=True)
while True:
    state, score = ask(do="reset"), 0
    while not state.get("over"):
        state = ask(do="step", action=12)
        score += state["reward"]
    print(game["player"], game["players"], score, file=open(sys.argv[1], "a"), flush=True)
"""


def elo(games, names, prior=1.0):
    """The ratings of Bradley and Terry by plain ascent: a second implementation."""
    t = {name: 0.0 for name in names}
    for _ in range(20000):
        slope = {name: prior * (0.5 - 1 / (1 + math.exp(-t[name]))) for name in names}
        for g in games:
            a, b = g["first"], g["second"]
            won = (g["first_score"] > g["second_score"]) + (g["first_score"] == g["second_score"]) / 2
            rest = won - 1 / (1 + math.exp(t[b] - t[a]))
            slope[a] += rest
            slope[b] -= rest
        for name in names:
            t[name] += 0.2 * slope[name] / (1 + len(games) / len(names))
    mean = sum(t.values()) / len(t)
    return {name: 1500 + 400 / math.log(10) * (value - mean) for name, value in t.items()}


with Program(SIXER_ROMS=str(images)) as program:
    check, expect = program.check, program.expect

    def match(*words, status=0):
        result = program.run("match", *words, timeout=120)
        expect(" ".join(words), result, status)
        return json.loads(result.stdout) if status == 0 and "--json" in words else result

    # sides and seeds; one result whatever the number of jobs
    short = ("--seeds", "3", "--seed", "5", "--max-frames", "600", "--frame-skip", "4", "--json")
    agents = ("random", "const:action=FIRE", "random")
    found = match(*agents, "pong", *short, "--jobs", "1")
    again = match(*agents, "pong", *short, "--jobs", "3")
    check(found == again, "the same results with one job and three")
    names = ["random", "const:action=FIRE", "random #2"]
    check(sorted(row["agent"] for row in found["ratings"]) == sorted(names), "names of the agents")
    sides = sorted((g["seed"], g["first"], g["second"]) for g in found["games"])
    wanted = sorted((seed, a, b) for seed in (5, 6, 7) for a in names for b in names if a != b)
    check(sides == wanted, "every two agents have both sides on every seed")
    ratings = {row["agent"]: row for row in found["ratings"]}
    for name, value in elo(found["games"], names).items():
        check(abs(ratings[name]["elo"] - value) < 0.01, f"rating of {name}: {ratings[name]['elo']}, not {value}")
        check(ratings[name]["low"] <= value <= ratings[name]["high"], f"interval of {name}")
        own = [g for g in found["games"] if name in (g["first"], g["second"])]
        check(ratings[name]["games"] == len(own) == 12, f"games of {name}")
    order = [row["elo"] for row in found["ratings"]]
    check(order == sorted(order, reverse=True), "the best one comes first")
    other = match(*agents, "pong", *short, "--replicates", "200", "--anchor", "random")
    anchored = {row["agent"]: row for row in other["ratings"]}
    check(anchored["random"]["elo"] == 1500 and anchored["random"]["standard_error"] == 0, "the anchor")
    check(other["games"] == found["games"], "ratings do not change the games")

    # planners and programs play either side
    one = ("--seeds", "1", "--json", "--max-frames")
    planned = match("uct:frames=600,horizon=100", "const:action=LEFT", "pong", *one, "700")
    (pair,) = planned["pairs"]
    check(pair["points_first"] == 1 and pair["points_second"] == 1, f"uct wins from both sides: {planned['games']}")
    program.path("agent.py").write_text(PIPE)
    log = program.path("log")
    command = f"pipe:command={sys.executable} {program.path('agent.py')} {log}"
    piped = match(command, "random", "pong", *one, "800", "--jobs", "1")
    told = sorted(tuple(map(int, line.split())) for line in log.read_text().splitlines())
    first, second = (next(g for g in piped["games"] if (g["first"] == "random") == last) for last in (False, True))
    check(told == [(0, 2, first["first_score"]), (1, 2, second["second_score"])], f"what the program was told: {told}")

    # a trained model
    trained = program.run("train", "sarsa", "pong", "--frames", "2000", "--out", "runs/s", timeout=120)
    models = sorted(program.folder.rglob("*.checkpoint"))
    if check(bool(models), f"a checkpoint: {trained.stderr}"):
        played = match(str(models[0]), "random", "pong", *one, "300")
        check(models[0].stem in [row["agent"] for row in played["ratings"]], "a model is called by its file")

    # two models that were trained with other frame skips: --frame-skip decides, as the message says
    for skip in (4, 5):
        words = ("sarsa", "pong", "--frames", "500", "--frame-skip", str(skip), "--out", f"runs/skip{skip}")
        program.run("train", *words, timeout=120)
    pair = [str(program.path(f"runs/skip{skip}/sarsa_pong_1.checkpoint")) for skip in (4, 5)]
    apart = program.run("match", *pair, "pong", *one, "100")
    first, second = "sarsa_pong_1 was trained with a frame skip of 4", "sarsa_pong_1 #2 with 5"
    expect("other frame skips", apart, 2, first, second, "name one with --frame-skip")
    for skip in (3, 5):
        played = match(*pair, "pong", *one, "100", "--frame-skip", str(skip))
        check(f"frame skip {skip}," in played["settings"], f"--frame-skip {skip} of two models: {played['settings']}")

    # four players, tables, files
    four = match("random", "const:action=FIRE", "warlords", "--players", "4", *one, "400")
    check(four["players"] == 4 and len(four["games"]) == 2, "four players")
    idle = ("random", "const:action=NOOP", "pong", "--seeds", "1", "--max-frames", "300")
    table = match(*idle, "--scores", "scores.tsv")
    check("Ratings" in table.stdout and "Games" not in table.stdout, "a table without the games")
    rows = list(csv.DictReader(program.path("scores.tsv").open(), delimiter="\t"))
    check([row["agent"] for row in rows] == [idle[0], idle[1], idle[1], idle[0]], "score rows")
    program.path("duel.toml").write_text('name = "duel"\nbase = "machado2018"\ntitle = "x"\n[games]\nlist = ["pong"]\n')
    read = program.run("eval", "scores.tsv", "--protocol", "./duel.toml", "--normalize", "none")
    expect("eval reads the scores", read, 0, "random", "const:action=NOOP", "comparisons")
    tsv = match(*idle, "--tsv")
    check("first_score" in tsv.stdout, "games as TSV")

    # wrong input
    for words, text in (
        (("random", "pong"), "name two agents or more"),
        (("random", "rando", "pong"), "did you mean 'random'"),
        (("random", "dqn", "pong"), "name a checkpoint"),
        (("random", "random", "breakout"), "no rules for several players"),
        (("random", "random", "pong", "--mode", "200"), "for 2 players: 2, 3"),
        (("random", "random", "pong", "--players", "3"), "2 or 4"),
        (("random", "random", "boxing", "--players", "4"), "4 players"),
        (("random", "random", "pong", "--anchor", "randon"), "did you mean 'random'"),
        (("random", "random", "pong", "--prior", "0"), "--prior is above 0"),
        (("random", "random", "pong", "--seeds", "0"), "--seeds"),
        (("random", "random", "pong", "--replicates", "1"), "--replicates is 0 (none) or 2 and more"),
        (("random", "random", "pong", "--sticky", "2"), "--sticky is a probability"),
    ):
        expect(" ".join(words), program.run("match", *words), 2, text)
    program.path("broken.checkpoint").write_text("no checkpoint")
    program.path("random").write_text("a file called like an agent")
    for name, text in (("broken.checkpoint", "is not a checkpoint"), ("runs/none", "cannot be read: No such file")):
        expect(name, program.run("match", "random", name, "pong"), 1, name, text)
    expect("a wrong action", program.run("match", "random", "const:action=UP", "pong"), 1, "seed 1", "UP")
    gone = program.run("match", "random", "pipe:command=false", "pong", "--seeds", "1")
    expect("a program that ends", gone, 1, "against pipe:command=false")
    sys.exit(1 if program.failures else 0)
