#!/usr/bin/env python3
# label: long, 10 s
"""`sixer watch` and `sixer play` with several players: trained models, planners and programs against each other, at
the rates at which they were made to choose. What they play equals `sixer match`."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402

# fires and turns left; notes which player it is, how many steps there were and what it was paid
PIPE = """
import json, sys
def ask(**request):
    print(json.dumps(request), flush=True)
    reply = json.loads(sys.stdin.readline() or "null")
    if not reply: sys.exit()
    assert reply["ok"], reply
    return reply
game = ask(do="make", game="wispherd", ram=True)
while True:
    state, score, steps = ask(do="reset"), 0, 0
    while not state.get("over"):
        state = ask(do="step", action=12)
        score += state["reward"]
        steps += 1
    print(game["player"], game["players"], score, steps, file=open(sys.argv[1], "a"), flush=True)
"""

SELECT = 4  # frames of an episode that the selection of Wispherd's mode takes

with Program() as program:
    check, expect = program.check, program.expect

    def train(agent, name, *words):
        program.run("train", agent, "wispherd", *words, "--out", f"runs/{name}", timeout=120)
        found = sorted(program.path(f"runs/{name}").glob("*.checkpoint"))
        check(len(found) == 1, f"a checkpoint of {agent}")
        return str(found[0])

    def watch(*words):
        """Steps and scores of one episode, which is filmed."""
        result = program.run("watch", *words, "--episodes", "1", "--video", "last.png", timeout=120)
        expect(" ".join(words), result, 0)
        found = re.search(r": (\d+) steps, 1 episode ended, score ([-\d: ]+)", result.stdout)
        check(bool(found), f"scores of all players: {result.stdout}")
        return int(found[1]), tuple(map(int, found[2].split(":")))

    def match(*words):
        """Frames and scores of the games, by who was player 1."""
        result = program.run("match", *words, "--json", timeout=120)
        expect(" ".join(words), result, 0)
        games = json.loads(result.stdout)["games"]
        return {(g["first"], g["seed"]): (g["frames"], (g["first_score"], g["second_score"])) for g in games}

    # linear and deep, each with its own frame skip, observation and colors
    sarsa = train("sarsa", "linear", "--frames", "6000", "--frame-skip", "5")
    small = "trunk=quick,size=20,hidden=16,memory=2000,start=200,batch=8,period=4,target_period=100"
    dqn = train("dqn", "deep", "--frames", "2400", "--frame-skip", "4", "--set", small)
    limit = ("--max-frames", "1500")
    same = (*limit, "--level", "0", "--levels", "256", "--sticky", "0", "--noop-starts", "0")
    other = "scripted"
    for model, skip in ((sarsa, 5), (dqn, 4)):
        name = pathlib.Path(model).stem
        games = match(model, other, "wispherd", *limit, "--seeds", "2", "--frame-skip", str(skip))
        check(len({score for score in games.values()}) > 2, f"something happens: {games}")
        for seed in ("1", "2"):
            every = (*same, "--seed", seed, "--frame-skip", str(skip))
            frames, scores = games[name, int(seed)]
            found = watch(model, "--against", other, *every)
            check(found == (-(-(frames - SELECT) // skip), scores), f"{name} as player 1: {found}, not {games}")
            frames, scores = games[other, int(seed)]
            found = watch(other, "wispherd", "--against", model, *every)
            check(found == (-(-(frames - SELECT) // skip), scores), f"{name} as player 2: {found}, not {games}")
        # an agent that does not look at the rate: a frame per step, the model chooses at its own rate nevertheless
        games = match(model, "const:action=RIGHT", "wispherd", *limit, "--seeds", "1")
        for agents, key in (((model, "wispherd"), name), (("const:action=RIGHT", "wispherd"), "const:action=RIGHT")):
            rest = "const:action=RIGHT" if key == name else model
            frames, scores = games[key, 1]
            found = watch(*agents, "--against", rest, *same)
            check(found == (frames - SELECT, scores), f"{agents} against {rest}: {found}, in the match {games}")

    # one frame per step where the rates differ, and a planner beside a model
    gray = train("sarsa", "gray", "--frames", "500", "--frame-skip", "5", "--set", "features=ram")
    steps, scores = watch(dqn, "wispherd", "--against", gray, "--max-frames", "400")
    check(steps == 400 - SELECT and len(scores) == 2, f"rates of 4 and 5: {steps} steps")
    steps, scores = watch("uct:frames=200,horizon=40", "wispherd", "--against", sarsa, "--max-frames", "100")
    check(steps == 20, f"a planner and a model, both every 5 frames: {steps} steps")
    steps, scores = watch("random", "hearthring", "--players", "4", "--against", "scripted", "--max-frames", "200")
    check(len(scores) == 4, f"four players: {scores}")

    # a tape says who played, and repeats it
    seconds = ("--episodes", "1", "--max-frames", "400", "--video", "last.png")
    program.run("watch", "const:action=FIRE", "wispherd", "--against", dqn, *seconds, "--record", "a.tape")
    told = program.run("tape", "info", "a.tape")
    expect("the tape names the model", told, 0, "const:action=FIRE and dqn:", "trained for")
    expect("and can be played again", program.run("replay", "a.tape"), 0, f"{400 - SELECT} steps")

    # a program is told the end and its last reward
    program.path("agent.py").write_text(PIPE)
    log = program.path("log")
    command = f"pipe:command={sys.executable} {program.path('agent.py')} {log}"
    steps, scores = watch("const:action=FIRE", "wispherd", "--against", command, "--max-frames", "900")
    told = ["1", "2", str(scores[1]), str(900 - SELECT)]
    check(log.read_text().split() == told, f"the program saw {log.read_text()}, not {told}")

    # wrong input
    for words, status, text in (
        (("const:action=FIRE", "wispherd", "--against", dqn, "--frame-skip", "3"), 1, "trained with a frame skip of 4"),
        (("const:action=FIRE", "wispherd", "--against", "runs/none.checkpoint"), 1, "none.checkpoint"),
        (("const:action=FIRE", "wispherd", "--against", "dqn"), 1, "name a checkpoint"),
        (("const:action=FIRE", "wispherd", "--against", "randon"), 1, "did you mean 'random'"),
        (("a.tape", "--against", "random"), 2, "a tape knows its players"),
        ((sarsa, "--against", "random", "--mode", "0"), 1, "mode 0 of Wispherd is for 1 player, and there are 2"),
    ):
        expect(" ".join(words), program.run("watch", *words, "--video", "x.png", timeout=60), status, text)
    sys.exit(1 if program.failures else 0)
