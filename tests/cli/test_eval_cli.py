"""`sixer eval` and `sixer atari5` from the command line: figures, forms of output, exit status, and messages for bad
input. Needs the standard library only."""

import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

build = os.environ.get("SIXER_BUILD", "build/release")
program = os.path.join(build, "sixer")
folder = tempfile.TemporaryDirectory()
failures = 0


def path(name, text=None):
    full = os.path.join(folder.name, name)
    if text is not None:
        with open(full, "w") as file:
            file.write(text)
    return full


def run(*arguments, status=0, program=program, **options):
    global failures
    done = subprocess.run([program] + [str(a) for a in arguments], capture_output=True, text=True, **options)
    if done.returncode != status:
        failures += 1
        print(
            "FAILED %s: status %d, not %d\n%s" % (" ".join(map(str, arguments)), done.returncode, status, done.stderr)
        )
    if status and done.stdout:
        failures += 1
        print("FAILED %s: it failed and yet printed\n%s" % (" ".join(map(str, arguments)), done.stdout))
    return done


def data(*arguments, **options):
    text = run(*arguments, "--json", **options).stdout
    return json.loads(text) if text else {}


def expect(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print("FAILED %s: found %r, wanted %r" % (what, found, wanted))


def complains(text, *arguments, status=2):
    global failures
    done = run(*arguments, status=status)
    if text not in done.stderr:
        failures += 1
        print("FAILED %s: the message does not say %r:\n%s" % (" ".join(map(str, arguments)), text, done.stderr))


def warnings(result):
    return {w["name"] for w in result["warnings"]}


# ---- published agents under the protocols of their papers ----
saber = data("eval", "--protocol", "saber", "--against", "rainbow,rainbow_iqn")
expect("SABER medians", [round(a["median"], 2) for a in saber["aggregates"]], [2.83, 3.13])
expect("SABER classes", [list(c.values())[1:] for c in saber["classes"]], [[17, 22, 7, 9, 3], [13, 24, 6, 11, 4]])
expect("SABER warnings", {"no-constant", "endless", "untested"} <= warnings(saber), True)
thirty = data("eval", "--protocol", "saber", "--against", "rainbow@30min", "--limit", "30min")
expect("SABER at 30 minutes", [round(a["median"], 2) for a in thirty["aggregates"]], [2.61])
expect("no mixed limits", "mixed-limits" in warnings(thirty), False)
machado = data("eval", "--protocol", "machado2018", "--against", "dqn,sarsa_blobprost")
expect(
    "DQN and Sarsa, higher and lower",
    [machado["comparisons"][0][k] for k in ("games", "better", "worse")],
    [59, 30, 29],
)
relative = data("eval", "--protocol", "saber", "--against", "rainbow_iqn", "--relative-to", "rainbow", "--games")
expect("relative to Rainbow", relative["normalization"], "relative")
expect("endless Rainbow is no measure", [g["normalized"] for g in relative["games"] if g["game"] == "atlantis"], [None])

# the protocol's hash goes with every score
shown = run("eval", "--show", "saber").stdout
text = shown.split("\n\n", 1)[1]
digest = hashlib.sha256(text.encode()).hexdigest()
expect("the hash of the text", digest in shown.split("\n\n", 1)[0], True)
expect("the hash in the results", saber["protocol"], "saber@1#" + digest)
expect(
    "protocols",
    [p["name"] for p in data("eval", "--protocols")["protocols"]],
    "atari100k atari5 atari57 bellemare2013 dopamine machado2018 nature2015 saber sixer-levels".split(),
)
expect("published results", len(data("eval", "--list")["published"]), 98)

# ---- an agent of one's own: five runs on five games ----
rows = ["game,run,score"]
for i, (game, score) in enumerate(
    (("battle_zone", 40000), ("double_dunk", -10), ("name_this_game", 9000), ("phoenix", 12000), ("qbert", 15000))
):
    rows += ["%s,%d,%g" % (game, r, score * (1 + 0.01 * ((7 * r + 3 * i) % 5))) for r in range(5)]
mine = path("mine.csv", "\n".join(rows) + "\n")
result = data("eval", mine, "--protocol", "atari5", "--agent", "mine", "--against", "rainbow-noop", "--profile", "runs")
first, second = result["aggregates"]
expect("name", first["agent"], "mine")
expect("interval", first["iqm_low"] < first["iqm"] < first["iqm_high"], True)
expect("no interval of a single number", second["iqm_low"], None)
expect("Atari-5 of Rainbow", round(result["model"][1]["score"], 1), 225.1)
expect("mixed protocols", "mixed-protocols" in warnings(result), True)
expect("profile", [p["share"] for p in result["profile"] if p["agent"] == "mine" and p["x"] in (0, 8)], [1, 0])
outputs = {run("eval", mine, "--protocol", "atari5", "--json", "--threads", n).stdout for n in (1, 2, 5)}
expect("the same bytes for any number of threads", len(outputs), 1)
expect("another seed", run("eval", mine, "--protocol", "atari5", "--json", "--seed", 1).stdout in outputs, False)
tsv = run("eval", mine, "--protocol", "atari5", "--tsv").stdout.split("\n")
head = tsv.index("# table\taggregates") + 1
expect("TSV", dict(zip(tsv[head].split("\t"), tsv[head + 1].split("\t")))["games"], "5")
table = run("eval", mine, "--protocol", "atari5")
expect("table", "Atari-5 score" in table.stdout and "warning" not in table.stdout, True)
stated = path("stated.csv", "\n".join([rows[0] + ",protocol"] + [row + ",atari5@1" for row in rows[1:]]) + "\n")
run("eval", stated, "--protocol", "atari5", "--strict")
complains("unstated-protocol", "eval", mine, "--protocol", "atari5", "--strict", status=1)

# the interval of an estimate holds the noise of the runs and the error of the model, each shown by its name
row = result["model"][0]
expect("error of the model", round(row["model_error"], 3), 0.058)
expect("parts of an interval", row["low"] < row["runs_low"] < row["score"] < row["runs_high"] < row["high"], True)
expect("and of the model alone", row["low"] < row["model_low"] < row["score"] < row["model_high"] < row["high"], True)
expect("one run", result["model"][1]["runs_low"] is None and result["model"][1]["low"] is not None, True)

# published results are those of the chosen limit and checkpoint, or an error
for limit, medians in (("5min", [2.35, 2.61]), ("30min", [2.61, 2.81]), ("none", [2.83, 3.13])):
    got = data("eval", "--protocol", "saber", "--against", "rainbow,rainbow_iqn", "--limit", limit, "--replicates", 10)
    expect(f"medians after {limit}", [round(a["median"], 2) for a in got["aggregates"]], medians)
complains("was not published at 10000000", "eval", "--protocol", "saber", "--against", "rainbow", "--checkpoint", "10M")
expect(
    "a checkpoint that was published",
    data("eval", "--protocol", "machado2018", "--against", "dqn", "--checkpoint", "10M")["aggregates"][0]["agent"],
    "machado2018/dqn@10M",
)

# means beside runs
expect("means beside runs", "means-beside-runs" in warnings(result), True)
flat_means = data("eval", mine, "--protocol", "atari5", "--against", "rainbow-noop", "--means")
expect("all means", "means-beside-runs" in warnings(flat_means), False)
expect("as many numbers as games", [a["runs"] for a in flat_means["aggregates"]], [5, 5])

# rows of our own games beside those of the protocol are left out by name; a file that has nothing else is an error
mixed = ("duskrain,5,sixer-levels", "sixer/Sporefall-v0,3,", "wispherd,4,", "pong,3,machado2018")
ours = path("ours.csv", "\n".join(("game,score,protocol", *mixed, "")))
got = data("eval", ours, "--protocol", "machado2018", "--partial", "--games")
expect("games that count", [g["game"] for g in got["games"]], ["pong"])
expect(
    "games that do not",
    [w["text"].split(": ")[1] for w in got["warnings"] if w["name"] == "other-games"],
    ["duskrain, sporefall, wispherd"],
)
complains(
    "choose a protocol with these games",
    "eval",
    path("own.csv", "game,score\nduskrain,5\n"),
    "--protocol",
    "machado2018",
    status=1,
)

# names of other tasks, misspelled games, columns in other case
complains(
    "another task than the game",
    "eval",
    path("d.csv", "game,score\nPongDeterministic-v4,3\n"),
    "--protocol",
    "saber",
    status=1,
)
complains(
    "another task than the game", "eval", path("r.csv", "game,score\nPong-ram-v0,3\n"), "--protocol", "saber", status=1
)
complains("did you mean 'pong'", "eval", path("p.csv", "game,score\npogn,3\n"), "--protocol", "saber", status=1)
upper = path("upper.csv", (open(mine).read().replace("game,run,score", "Game,Run,Score", 1)))
expect("case of columns", data("eval", upper, "--protocol", "atari5")["aggregates"][0]["runs"], 25)
odd = path(
    "odd.toml",
    'name = "odd"\nbase = "atari100k"\n[games]\nlist = ["pong", "pogn"]\n'
    '[constants]\ncolumns = ["random", "human"]\npong = [-20, 14]\npogn = [-20, 14]\n',
)
odd_result = data("eval", path("odd.csv", "game,score\npong,3\n"), "--protocol", odd, "--partial")
expect("a misspelled game of a protocol", "unknown-game" in warnings(odd_result), True)

# numbers of a search are numbers, in full; a search that finds nothing says which filter left nothing
found = data("atari5", "search", "--size", 2, "--require", " pong , qbert")["subsets"][0]
expect("rank", found["rank"], 1)
expect("coefficients", all(isinstance(c, float) and c != round(c, 4) for c in found["coefficients"]), True)
complains("did you mean 'pong'", "atari5", "search", "--size", 2, "--require", "pogn")
# a model that cannot be a protocol is not written, and what was there stays
quoted = [f'a{a},g{g}"x,{(a + 1) * (3 + g + (a * 7 + g * 5) % 11) / 10}' for a in range(60) for g in range(3)]
quoted = path("quoted.csv", "algorithm,game,score\n" + "\n".join(quoted) + "\n")
kept = path("kept.toml", "old\n")
options = ("--percent", "--size", 1, "--min-games", 3, "--allow-negative", "--export", kept)
complains("kept.toml:", "atari5", "search", quoted, *options)
expect("a file that was there", open(kept).read(), "old\n")
for option in (("--min-games", 30), ("--percent",), ("--constants", "own.csv"), ("--group", "source")):
    complains(f"{option[0]} is about a file of scores", "atari5", "search", *option)
complains("--min-games is about a file of scores", "atari5", "score", mine, "--min-games", 30)
complains("both --require and --exclude name pong", "atari5", "search", "--require", "pong", "--exclude", "pong")
complains("--require names pong twice", "atari5", "search", "--require", "pong,pong")
complains("--require names surround, which fewer than 40 algorithms", "atari5", "search", "--require", "surround")
complains("--require names 2 games, a subset has 1", "atari5", "search", "--size", 1, "--require", "pong,qbert")
published = pathlib.Path(__file__).resolve().parents[2] / "data/published/atari5_scores.csv"
complains("--min-algorithms lowers that", "atari5", "search", published, "--size", 2, status=1)

# a protocol of one's own, by name of a base and what differs
own = path("own.toml", 'name = "own"\nbase = "atari5"\n[environment]\nsticky = 0\n')
expect("own protocol", data("eval", mine, "--protocol", own)["protocol"].startswith("own@1#"), True)
stamped = path(
    "stamped.csv",
    "game,score,protocol\n"
    + "".join(
        "%s,1,%s\n" % (g, result["protocol"])
        for g in ("battle_zone", "double_dunk", "name_this_game", "phoenix", "qbert")
    ),
)
run("eval", stamped, "--protocol", "atari5")
complains("mixed protocols", "eval", stamped, "--protocol", own, status=1)
complains(
    "belongs to a built-in protocol",
    "eval",
    mine,
    "--protocol",
    path("thief.toml", 'name = "saber"\nbase = "saber"\n[environment]\nsticky = 0\n'),
)

# levels: those of the test make the score, those of training the gap
levels = ["game,agent,run,level,score,protocol"]
for game, random, scripted in (
    ("afterglow", 48.4, 6152),
    ("cragfast", 0.3, 16088.9),
    ("duskrain", 37, 1402.4),
    ("hedgelight", 35.2, 470.1),
    ("sporefall", 75, 479),
    ("undervault", 29.8, 9108),
):
    for run_number in range(5):
        for level in range(200, 256):
            name, score = game.capitalize(), (random + scripted) / 2
            levels.append("sixer/%s-v0,half,%d,%d,%g,sixer-levels" % (name, run_number, level, score))
        for level in (0, 7, 199):
            score = random + 0.75 * (scripted - random)
            levels.append("%s,half,%d,%d,%g,sixer-levels" % (game, run_number, level, score))
half = data("eval", path("levels.csv", "\n".join(levels) + "\n"), "--protocol", "sixer-levels", "--strict")
expect(
    "half of what the scripted player gets", [round(half["aggregates"][0][k], 3) for k in ("iqm", "median")], [50, 50]
)
expect("the gap", [round(row["gap_percent"], 2) for row in half["levels"]], [25] * 6)
complains(
    "level 256 is not one of sixer-levels",
    "eval",
    path("beyond.csv", "game,level,score\nduskrain,256,1\n"),
    "--protocol",
    "sixer-levels",
    status=1,
)

# baselines: low and high are the extremes of the policies in a file
policies = path(
    "policies.csv",
    "game,agent,score\n"
    + "".join(
        "%s,p%d,%g\n" % (g, k, v)
        for g in ("battle_zone", "double_dunk", "name_this_game", "phoenix", "qbert")
        for k, v in enumerate((-100, 0, 300))
    ),
)
flat = path("flat.csv", "game,score\nbattle_zone,100\ndouble_dunk,100\nname_this_game,100\nphoenix,100\nqbert,100\n")
expect("baseline", data("eval", flat, "--protocol", "atari5", "--baselines", policies)["aggregates"][0]["median"], 50)

# ---- what goes wrong ----
complains("nothing to evaluate", "eval")
complains("which protocol", "eval", mine)
complains("there is no protocol 'sabre'", "eval", mine, "--protocol", "sabre")
complains("no published result 'rainbw'", "eval", mine, "--protocol", "saber", "--against", "rainbw", "--partial")
complains("lacks 56 of the 61 games", "eval", mine, "--protocol", "saber", status=1)
complains("missing-games", "eval", mine, "--protocol", "saber", "--partial", "--strict", status=1)
complains("No such file", "eval", path("nowhere.csv"), "--protocol", "atari5", status=1)
complains("NaN", "eval", path("nan.csv", "game,score\nqbert,nan\n"), "--protocol", "atari5", status=1)
complains(
    "there is no game 'chess'", "eval", path("chess.csv", "game,score\nchess,1\n"), "--protocol", "atari5", status=1
)
complains("given twice", "eval", path("twice.csv", "game,score\nqbert,1\nqbert,1\n"), "--protocol", "atari5", status=1)
complains("no constants for record", "eval", mine, "--protocol", "atari5", "--normalize", "record")
complains("there is no normalization", "eval", mine, "--protocol", "atari5", "--normalize", "martian")
complains("--baselines FILE", "eval", mine, "--protocol", "atari5", "--normalize", "baseline")
complains("keeps no scores after", "eval", mine, "--protocol", "atari5", "--limit", "5min")
complains("reports no scores at", "eval", mine, "--protocol", "atari5", "--checkpoint", "3M")
complains("one of --json and --tsv", "eval", mine, "--protocol", "atari5", "--json", "--tsv")
complains("confidence", "eval", mine, "--protocol", "atari5", "--confidence", "2")
complains("--profile wants", "eval", mine, "--protocol", "atari5", "--profile", "left")
one = data("eval", flat, "--protocol", "atari5")
expect("one run", "one-run" in warnings(one), True)

# ---- atari5 ----
score = data("atari5", "score", mine, "--games")
expect("score", score["scores"][0]["atari_5"], result["model"][0]["score"])
expect("no Atari-10 from five games", score["scores"][0]["atari_10"], None)
expect("predictions", len(score["predictions"]), 57)
expect(
    "a game predicts itself",
    [abs(p["predicted"] - p["actual"]) < 1e-6 for p in score["predictions"] if p["game"] == "qbert"],
    [True],
)
# beside every estimate its interval, with both parts; beside every predicted game its interval and R2
row = next(i for i in score["intervals"] if i["model"] == "atari_5")
expect("models with intervals", [i["model"] for i in score["intervals"]], ["atari_1", "atari_3", "atari_5"])
same = ("score", "runs_low", "runs_high", "low", "high", "model_low", "model_high", "model_error")
expect("the interval of `sixer eval`", [row[k] for k in same], [result["model"][0][k] for k in same])
for p in score["predictions"]:
    inside = p["low"] <= p["predicted"] <= p["high"]
    expect("interval of %s" % p["game"], inside and p["r2"] <= 1 and p["algorithms"] > 10, True)
expect("an input needs no prediction", [p["r2"] for p in score["predictions"] if p["game"] == "qbert"], [1])
complains("no model can be computed", "atari5", "score", path("pong.csv", "game,score\npong,21\n"), status=1)
best = "battle_zone double_dunk name_this_game phoenix qbert"
search = data("atari5", "search")
expect(
    "search",
    (search["search"][0]["subsets"], search["search"][0]["reference_rank"], search["subsets"][0]["games"]),
    (3819816, 1, best),
)
coefficients = [round(c, 4) for c in search["subsets"][0]["coefficients"]]
expect("coefficients", coefficients, [0.3820, 0.0679, 0.3108, 0.1241, 0.0805])

# the paper's data as a file of one's own gives the same
published = path("published.csv")
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/published")
with open(os.path.join(root, "atari5_algorithms.csv")) as file:
    order = {r["algorithm"]: i for i, r in enumerate(csv.DictReader(file))}
everything = []
for name in ("atari5_scores.csv", "atari5_scores_paperswithcode.csv"):
    with open(os.path.join(root, name)) as file:
        everything += list(csv.reader(file))[1:]
everything.sort(key=lambda r: order[r[0]])
with open(published, "w", newline="") as file:
    csv.writer(file).writerows([["algorithm", "game", "score"]] + everything)
again = data("atari5", "search", published, "--top", "1", "--size", "3")
same = data("atari5", "search", "--top", "1", "--size", "3")
expect("own file", again["subsets"], same["subsets"])
nest = data("atari5", "nest", "--folds", "paper")
expect(
    "nest",
    [(n["set"], round(n["cv_r2"], 3), round(n["relative_error"], 1)) for n in nest["subsets"]],
    [
        ("best-5", 0.984, 10.4),
        ("best-3", 0.976, 13.7),
        ("best-1", 0.864, 27.4),
        ("validation-3", 0.952, 17.1),
        ("validation-5", 0.972, 14.3),
        ("best-10", 0.992, 7.2),
    ],
)
splits = data("atari5", "search", "--size", "2", "--reference", "battle_zone,name_this_game", "--splits", "3")
expect("splits", splits["splits"][0]["splits"], 3)
expect("structure", data("atari5", "structure")["correlations"][0]["other"], "ms_pacman")
expect("errors", sum(t["algorithms"] for t in data("atari5", "errors")["types"]), 44)
cost = data("atari5", "cost", "--hours", "240", "--gpu-price", "2.48", "--cpu-price", "0.134")["cost"]
expect("cost", [int(c["price"]) for c in cost if c["set"] == "atari57"], [35759])
expect("models", len(data("atari5", "models")["models"]), 27)
complains("what to do", "atari5")
complains("found 'dance'", "atari5", "dance")
complains("score needs a result file", "atari5", "score")
complains("there is no game 'chess'", "atari5", "search", "--require", "chess")
complains("--folds wants", "atari5", "search", "--folds", "some")
complains("the columns algorithm, game and score", "atari5", "search", flat, status=1)
complains("--constants FILE", "atari5", "search", path("own.csv", "algorithm,game,score\na,chess,1\n"), status=1)
complains("a second score", "atari5", "search", path("dup.csv", "algorithm,game,score\na,pong,1\na,pong,1\n"), status=1)
complains("not a finite number", "atari5", "search", path("nan2.csv", "algorithm,game,score\na,pong,nan\n"), status=1)
complains("--hours", "atari5", "cost")
for command in ("eval", "atari5"):
    expect("help", "usage: sixer " + command in run(command, "--help").stdout, True)

other = data("eval", mine, "--protocol", "atari5", "--normalize", "none")
expect("other normalization", (other["constants"], "other-normalization" in warnings(other)), ("none", True))
expect(
    "interval of the model", result["model"][0]["low"] < result["model"][0]["score"] < result["model"][0]["high"], True
)

# ---- the example ----
example = run(program=os.path.join(build, "examples", "evaluate")).stdout
expect("example", example.startswith("IQM 1.022"), True)

# ---- installed, far from the source tree ----
prefix = path("prefix")
done = subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True, text=True)
if done.returncode:
    failures += 1
    print("FAILED cmake --install\n" + done.stderr)
else:
    installed = os.path.join(prefix, "bin", "sixer")
    found = run("eval", "--protocol", "saber", "--against", "rainbow", "--json", program=installed, cwd="/").stdout
    expect("installed", round(json.loads(found)["aggregates"][0]["median"], 2), 2.83)
    for name in ("protocols/saber.toml", "data/published/NOTICE", "data/published/atari5_scores_paperswithcode.csv"):
        expect(name, os.path.exists(os.path.join(prefix, "share", "sixer", name)), True)

print("%d failures" % failures if failures else "all as it should be")
sys.exit(1 if failures else 0)
