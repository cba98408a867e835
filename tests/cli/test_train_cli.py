"""`sixer train` on games of ours: equal bytes after kills, interruptions and with any number of jobs; rows that `sixer
eval` reads; what is refused, and that nothing is lost then."""
# label: long, 27 s

import filecmp
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer")
failures = []


def run(*arguments, command="train", **more):
    return subprocess.run([PROGRAM, command, *arguments], capture_output=True, text=True, **more)


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def says(arguments, status, text, command="train"):
    done = run(*arguments, command=command)
    check(
        done.returncode == status and text in done.stderr and not done.stdout,
        f"{' '.join(arguments)}: status {done.returncode}, said {done.stderr!r}, not {text!r}",
    )


def read(path):
    with open(path, "rb") as file:
        return file.read()


def rows(path):
    lines = read(path).decode().splitlines()
    heads = lines[0].split("\t")
    return [dict(zip(heads, line.split("\t"), strict=True)) for line in lines[1:]]


def equal_folders(one, other, what):
    """The same files with the same bytes, and no drafts among them."""
    names = sorted(os.listdir(one))
    check(names == sorted(os.listdir(other)), f"{what}: {names} and {sorted(os.listdir(other))}")
    for name in names:
        check(not name.startswith("."), f"{what}: {name} is left")
        if not filecmp.cmp(os.path.join(one, name), os.path.join(other, name), shallow=False):
            check(False, f"{what}: {name} differs")


# agent, game and settings of a short run: training alone, with episodes without learning after it, on levels
RUNS = (
    ["random", "duskrain", "--frames", "120k"],
    [
        "perturb",
        "sporefall",
        "--set",
        "action=FIRE,epsilon=0.3",
        "--protocol",
        "bellemare2013",
        "--episodes",
        "25",
        "--evaluation",
        "12",
    ],
    ["random", "hedgelight", "--protocol", "sixer-levels", "--frames", "30k"],
)


def killed_runs(folder):
    """Kill a run at random moments; resumed to its end it is as one that was left alone."""
    chance = random.Random(1)
    kills = 0
    for number, settings in enumerate(RUNS):
        alone, killed = os.path.join(folder, f"alone{number}"), os.path.join(folder, f"killed{number}")
        start = time.monotonic()
        done = run(*settings, "--out", alone)
        check(done.returncode == 0, f"{settings}: {done.stderr}")
        took = time.monotonic() - start
        for attempt in range(60):
            process = subprocess.Popen(
                [PROGRAM, "train", *settings, "--out", killed, "--resume", "--checkpoint-every", "0.0001"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            try:
                # longer and longer, because a machine that has become busy may not even start it in the first time
                process.wait(chance.uniform(0.05, max(0.3, took / 4)) * (1 + attempt / 10))
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
            said = process.stderr.read().decode()
            process.stderr.close()
            if process.wait() == 0:
                break
            check(process.returncode == -signal.SIGKILL, f"{settings} resumed: {said}")
        else:
            check(False, f"{settings}: never came to its end")
        equal_folders(alone, killed, f"{settings} killed")
        # once more: there is nothing left to do, and nothing changes
        before = {name: read(os.path.join(killed, name)) for name in os.listdir(killed)}
        done = run(*settings, "--out", killed, "--resume")
        check(done.returncode == 0, f"{settings} at its end: {done.stderr}")
        check(
            before == {name: read(os.path.join(killed, name)) for name in os.listdir(killed)},
            f"{settings}: resuming a finished run changed it",
        )
    check(kills >= 3, f"only {kills} kills: the runs are too short for this test")


def interrupted_runs(folder):
    """Ctrl-C ends a run after a checkpoint."""
    out = os.path.join(folder, "ctrl-c")
    for _ in range(20):
        shutil.rmtree(out, ignore_errors=True)
        process = subprocess.Popen(
            [PROGRAM, "train", "random", "duskrain", "--frames", "120k", "--out", out],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not os.path.exists(os.path.join(out, "random_duskrain_1.episodes.tsv")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        if process.returncode != 0:  # otherwise it had ended before the signal came
            break
    check(process.returncode == 1 and "--resume" in said, f"Ctrl-C: {process.returncode}, {said}")
    check(os.path.exists(os.path.join(out, "random_duskrain_1.checkpoint")), "Ctrl-C: no checkpoint")
    done = run("random", "duskrain", "--frames", "120k", "--out", out, "--resume")
    check(done.returncode == 0, f"after Ctrl-C: {done.stderr}")
    equal_folders(os.path.join(folder, "alone0"), out, "interrupted")


def jobs(folder):
    """Any number of jobs, the same bytes; the first trial is the run of that seed alone."""
    settings = ["random", "duskrain", "sporefall", "--frames", "30k", "--trials", "3", "--seed", "5"]
    for count in ("1", "2", "4"):
        done = run(*settings, "--jobs", count, "--out", os.path.join(folder, "jobs" + count), "--json")
        result = json.loads(done.stdout)
        check(done.returncode == 0 and len(result["runs"]) == 6, f"{count} jobs: {done.stderr}")
        check(all(r["finished"] and r["frames"] >= 30000 for r in result["runs"]), f"{count} jobs: {result}")
    equal_folders(os.path.join(folder, "jobs1"), os.path.join(folder, "jobs2"), "1 and 2 jobs")
    equal_folders(os.path.join(folder, "jobs1"), os.path.join(folder, "jobs4"), "1 and 4 jobs")
    one = os.path.join(folder, "one")
    run("random", "duskrain", "--frames", "30k", "--seed", "6", "--out", one)
    for ending in ("checkpoint", "episodes.tsv", "curve.tsv", "scores.tsv"):
        name = "random_duskrain_6." + ending
        check(read(os.path.join(one, name)) == read(os.path.join(folder, "jobs1", name)), f"{name} alone")


def more_training(folder):
    """A run whose budget is raised equals one that had it from the beginning."""
    more = os.path.join(folder, "more")
    for frames in ("50k", "80k", "120k"):
        done = run("random", "duskrain", "--frames", frames, "--out", more, "--resume")
        check(done.returncode == 0, f"more training: {done.stderr}")
    equal_folders(os.path.join(folder, "alone0"), more, "more training")
    done = run("random", "duskrain", "--frames", "50k", "--out", more, "--resume")
    check(done.returncode == 1 and "already trained" in done.stderr, f"less training: {done.stderr}")
    equal_folders(os.path.join(folder, "alone0"), more, "less training")


def what_rows_say(folder):
    out = os.path.join(folder, "alone0")
    episodes = rows(os.path.join(out, "random_duskrain_1.episodes.tsv"))
    total = 0
    for number, row in enumerate(episodes, 1):
        total += int(row["frames"])
        check(row["episode"] == str(number) and row["total_frames"] == str(total), f"episode {number}: {row}")
    check(120000 <= total < 120000 + 18000, f"{total} frames")
    check(total - int(episodes[-1]["frames"]) < 120000, "an episode too many")
    last = [float(row["score"]) for row in episodes[-100:]]
    (score,) = rows(os.path.join(out, "random_duskrain_1.scores.tsv"))
    check(score["frames"] == "120000" and float(score["score"]) == sum(last) / len(last), f"{score}")
    curve = rows(os.path.join(out, "random_duskrain_1.curve.tsv"))
    check(len(curve) == 1 and int(curve[0]["frames"]) >= 100000, f"curve {curve}")
    # levels: trained on some, tested on each of the others
    out = os.path.join(folder, "alone2")
    trained = {int(row["level"]) for row in rows(os.path.join(out, "random_hedgelight_1.episodes.tsv"))}
    tested = [int(row["level"]) for row in rows(os.path.join(out, "random_hedgelight_1.evaluation.tsv"))]
    check(trained <= set(range(200)) and len(trained) > 1, f"trained on {trained}")
    check(tested == list(range(200, 256)), f"tested on {tested}")
    # eval reads scores, episodes and evaluations
    protocol = os.path.join(folder, "short.toml")
    with open(protocol, "w") as file:
        file.write(
            'name = "short"\nbase = "machado2018"\n[games]\nlist = ["duskrain"]\ntuning = []\n[training]\n'
            'length = 60000\ncheckpoints = [30000, 60000]\n[normalization]\ndefault = "none"\n'
            '[constants]\ncolumns = ["random"]\nduskrain = [1.0]\n'
        )
    out = os.path.join(folder, "short")
    done = run("random", "duskrain", "--protocol", protocol, "--trials", "3", "--out", out)
    check(done.returncode == 0, done.stderr)
    scores = rows(os.path.join(out, "scores.tsv"))
    check([row["frames"] for row in scores] == ["30000", "60000"] * 3, f"scores {scores}")
    expected = sum(float(row["score"]) for row in scores if row["frames"] == "60000") / 3
    for name in ("scores.tsv", "random_duskrain_1.episodes.tsv"):
        done = run(os.path.join(out, name), "--protocol", protocol, "--json", command="eval")
        check(done.returncode == 0, f"eval {name}: {done.stderr}")
        if name == "scores.tsv" and done.returncode == 0:
            check(f"{expected:.6g}"[:6] in done.stdout, f"eval: {expected} is not in {done.stdout}")
    done = run(os.path.join(out, "scores.tsv"), "--protocol", "machado2018", command="eval")
    check(done.returncode == 1, "scores of another protocol are accepted")
    # an option that changes the protocol gives it another name and hash
    out = os.path.join(folder, "changed")
    done = run("random", "duskrain", "--sticky", "0", "--frames", "20k", "--out", out)
    row = rows(os.path.join(out, "random_duskrain_1.episodes.tsv"))[0]
    check(row["protocol"].startswith("machado2018-changed@1#"), f"{row['protocol']}")
    check(os.path.exists(os.path.join(out, "machado2018-changed.toml")), "the changed protocol is not kept")


def rows_of_own_games(folder):
    """Scores of our own games beside those of a protocol's games are left out, with a warning."""
    own, both = os.path.join(folder, "own", "scores.tsv"), os.path.join(folder, "both.tsv")
    run("random", "duskrain", "--frames", "2k", "--out", os.path.dirname(own))
    says([own, "--protocol", "machado2018", "--partial"], 1, "it has scores of duskrain: choose a protocol", "eval")
    frames = rows(own)[0]["frames"]
    lines = read(own).decode().replace(f"\t{frames}\t", "\t10000000\t").splitlines(keepends=True)
    with open(both, "w", encoding="utf-8") as file:
        file.writelines([*lines, lines[1].replace("\tduskrain\t", "\tpong\t")])
    done = run(both, "--protocol", "machado2018", "--partial", "--checkpoint", "10000000", "--json", command="eval")
    check(done.returncode == 0 and "not in machado2018: duskrain" in done.stdout + done.stderr, f"{done}")


def bad_input(folder):
    out = os.path.join(folder, "bad")
    common = ["--out", out, "--frames", "10k"]
    says(["sarza", "duskrain", *common], 2, "there is no agent 'sarza'")
    says(["perturb", "duskrain", "--set", "epsilom=1", *common], 2, "did you mean 'epsilon'")
    says(["perturb", "duskrain", "--set", "epsilon=2", *common], 2, "from 0 to 1, found '2'")
    says(["random", "duskrain", "--preset", "none", *common], 2, "no preset 'none'")
    says(["random", "nosuchgame", *common], 1, "nosuchgame")
    says(["random", "duskrain", "--protocol", "machado", *common], 2, "there is no protocol 'machado'")
    says(["random", "duskrain", "--sticky", "2", *common], 2, "sticky = 2 is out of range")
    says(["random", "duskrain", "--actions", "some", *common], 2, 'actions cannot be "some"')
    says(["random", "duskrain", "--mode", "77", *common], 1, "mode")
    says(["random", "duskrain", "--level", "999", *common], 1, "level")
    says(["random", "duskrain", "--frames", "ten"], 2, "--frames is a number such as 10M")
    says(["random", "duskrain", "--frames", "1.5"], 2, "--frames is a number such as 10M")
    says(["random", "duskrain", "--trials", "0", *common], 2, "--trials is 1 to")
    says(["random", "duskrain", "--seed", "0", *common], 2, "--seed is 1 to")
    says(["random", "duskrain", "--checkpoint-every", "0", *common], 2, "--checkpoint-every is above 0")
    says(["random", "duskrain", "--resume", "--force", *common], 2, "give only one of them")
    says(["random", "duskrain", "duskrain", *common], 2, "given twice")
    says(["random"], 2, "name an agent and a game")
    if run("combat", command="games").stdout.split()[-1] == "yes":
        says(["random", "combat", *common], 1, "Combat is for two players or more")
    else:
        print("SKIPPED in part: no image of combat (pip install ale-py)")
    check(not os.path.exists(out), "a refused command has made its folder")
    file = os.path.join(folder, "file")
    with open(file, "w") as made:
        made.write("no folder\n")
    says(["random", "duskrain", "--frames", "10k", "--out", file], 1, "choose another folder")
    says(["random", "duskrain", "--frames", "10k", "--out", "/proc/none"], 1, "choose another folder")
    # nothing is overwritten silently
    done = os.path.join(folder, "alone0")
    says(["random", "duskrain", "--frames", "120k", "--out", done], 1, "--resume continues it")


def foreign_checkpoints(folder):
    """Checkpoints that are damaged or of something else are refused, and stay as they are."""
    out = os.path.join(folder, "foreign")
    good = os.path.join(folder, "alone0", "random_duskrain_1.checkpoint")
    name = os.path.join(out, "random_duskrain_1.")
    arguments = ["random", "duskrain", "--frames", "150k", "--out", out, "--resume"]

    def refused(content, text, arguments=arguments):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(os.path.join(folder, "alone0"), out)
        with open(name + "checkpoint", "wb") as file:
            file.write(content)
        rows_before = read(name + "episodes.tsv")
        done = run(*arguments)
        check(done.returncode == 1 and text in done.stderr, f"{text!r} was not said: {done.stderr!r}")
        check(read(name + "checkpoint") == content, f"{text}: the checkpoint was changed")
        check(read(name + "episodes.tsv") == rows_before, f"{text}: rows were changed")

    content = read(good)
    chance = random.Random(2)
    for _ in range(10):
        at = chance.randrange(len(content))
        refused(content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :], "damaged")
    for _ in range(5):
        refused(content[: chance.randrange(len(content))], "damaged")
    refused(b"", "damaged")
    refused(content + b"x", "damaged")
    refused(read(os.path.join(folder, "one", "random_duskrain_6.checkpoint")), "seed=6, now it is seed=1")
    refused(read(os.path.join(folder, "alone1", "perturb_sporefall_1.checkpoint")), "agent=perturb, now it is")
    refused(read(os.path.join(folder, "jobs1", "random_sporefall_5.checkpoint")), "game=sporefall")
    refused(content, "protocol=machado2018@1", [*arguments, "--sticky", "0"])
    # rows that are not those of the checkpoint
    shutil.rmtree(out)
    shutil.copytree(os.path.join(folder, "alone0"), out)
    with open(name + "episodes.tsv", "r+b") as file:
        file.truncate(1000)
    done = run(*arguments)
    check(done.returncode == 1 and "rows are missing" in done.stderr, f"missing rows: {done.stderr}")
    # two at once; until the first has taken the folder, rows are still missing
    for _ in range(100):
        first = subprocess.Popen(
            [PROGRAM, "train", "random", "duskrain", "--frames", "90M", "--out", out, "--force"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        done = run(*arguments)
        while "rows are missing" in done.stderr and first.poll() is None:
            done = run(*arguments)
        ended = first.poll() is not None  # the second was the first to take it
        first.kill()
        first.wait()
        if not ended:
            break
    check(done.returncode == 1 and "another process" in done.stderr, f"two at once: {done.stderr}")


def models(folder):
    """A checkpoint is a model: shown by info, played and taped by record, refused where it does not fit."""
    model = os.path.join(folder, "alone1", "perturb_sporefall_1.checkpoint")
    tape = os.path.join(folder, "model.tape")
    shown = json.loads(run(model, "--json", command="info").stdout)
    check(
        shown["settings"]["agent"] == "perturb"
        and shown["settings"]["game"] == "sporefall"
        and shown["episodes"] == 25
        and shown["evaluated"] == 0
        and shown["sections"]["env"] > 1000,
        f"{shown}",
    )
    text = run(model, command="info").stdout
    check("options=action=FIRE,epsilon=0.3\n" in text and "25 episodes" in text, text)
    ended = json.loads(run(model[:-10] + "evaluation", "--json", command="info").stdout)
    check(ended["evaluated"] == 12 and "env" not in ended["sections"], f"{ended}")
    done = run(model, "-o", tape, "--episodes", "2", "--seed", "3", command="record")
    check(done.returncode == 0, f"record: {done.stderr}")
    check(run(tape, command="replay").returncode == 0, "the tape of a model is not verified")
    check(b"perturb:action=FIRE,epsilon=0.3, trained for" in read(tape), "the tape does not say who played")
    again = os.path.join(folder, "again.tape")
    run(model, "sporefall", "-o", again, "--episodes", "2", "--seed", "3", command="record")
    check(read(tape) == read(again), "two tapes of a model with the same seed differ")
    says([model, "duskrain", "-o", again, "--force"], 1, "was trained on sporefall", "record")
    says([model, "--minimal", "-o", again], 2, "leave out --minimal", "record")
    says([model[:-10] + "evaluation", "-o", again, "--force"], 1, "no agent", "record")
    content = read(model)
    damaged = os.path.join(folder, "damaged")
    with open(damaged, "wb") as file:
        file.write(content[:5000] + b"?" + content[5001:])
    for command in ("info", "record", "watch"):
        says([damaged] + (["-o", again] if command == "record" else []), 1, "damaged", command)


def settings_file(folder):
    """A file of settings does what the same options do; the command line overrides it; errors name the line."""
    path = os.path.join(folder, "settings.toml")

    def write(text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    out, typed = os.path.join(folder, "settings"), os.path.join(folder, "typed")
    write(
        '# a small run\n[train]\nagent = "perturb"\ngames = ["sporefall"]\nframes = 20_000\nseed = 7\n'
        'max_frames = 2000\nsticky = 0.5\nlabel = "mine"\n\n[agent]\naction = "FIRE"\nepsilon = 0.3\n'
    )
    check(run("--settings", path, "--out", out).returncode == 0, "a file alone")
    options = "--frames 20k --seed 7 --max-frames 2000 --sticky 0.5 --label mine --set action=FIRE,epsilon=0.3".split()
    check(run("perturb", "sporefall", *options, "--out", typed).returncode == 0, "the same, typed")
    equal_folders(typed, out, "settings from a file")
    # the command line is stronger, wherever it stands
    done = run("random", "duskrain", "--settings", path, "--set", "", "--out", out, "--force")
    check(done.returncode == 2 and "random has no option 'action'" in done.stderr, done.stderr)
    options = ["--seed", "9", "--set", "epsilon=0.9", "--frames=10k"]
    check(run(*options, "--settings", path, "--out", out, "--force").returncode == 0, "overridden")
    row = rows(os.path.join(out, "mine_sporefall_9.episodes.tsv"))[0]
    check(row["run"] == "9" and "action=FIRE" in row["settings"] and "epsilon=0.9" in row["settings"], f"{row}")
    check(rows(os.path.join(out, "mine_sporefall_9.scores.tsv"))[-1]["frames"] in ("10000", "12000"), "frames=10k")
    # a preset is weaker than [agent]
    write('[train]\npreset = "machado2018"\nframes = 1000\n[agent]\nalpha = 0.125\n')
    check(run("sarsa", "duskrain", "--settings", path, "--out", out).returncode == 0, "a preset in a file")
    row = rows(os.path.join(out, "sarsa_duskrain_1.episodes.tsv"))[0]
    check("alpha=0.125" in row["settings"] and "features=blob-prost" in row["settings"], f"{row}")
    for text, said in (
        (
            "[train]\nfames = 5\n",
            "settings.toml:2: 'fames' is not a setting of [train] (did you mean 'games', 'frames' or 'tapes'?)",
        ),
        ("[train]\n\nframes = true\n", "settings.toml:3: 'frames' is a text in quotes"),
        ("[train]\nseed = 1.5\n", "settings.toml:2: 'seed' is a whole number, found 1.5"),
        ('[train]\nseed = "one"\n', "settings.toml:2: 'seed' is a whole number, found one"),
        ("[train]\nsticky = [1, 2]\n", "settings.toml:2: 'sticky' is a number, found an array"),
        ('[train]\ngames = "pong"\n', "settings.toml:2: 'games' is an array of names"),
        ("[train]\nresume = true\n", "settings.toml:2: 'resume' belongs on the command line"),
        ("[train]\nseed = 1\nseed = 2\n", "settings.toml:3: 'seed' is given twice"),
        ("[train]\nseed 1\n", "settings.toml:2: 'seed' wants '='"),
        ("seed = 1\n", "settings.toml:1: 'seed' is in []; settings are in [train] or [agent]"),
        ("[agents]\nalpha = 1\n", "settings.toml:2: 'alpha' is in [agents]; settings are in [train] or [agent]"),
        ("[agent]\nlambda = 0.5\nalhpa = 1\n", "settings.toml:3: sarsa has no option 'alhpa' (did you mean 'alpha'"),
        ("[agent]\nalpha = 0.5\nlambda = 2\n", "settings.toml:3: option lambda of sarsa"),
        ('[agent]\npreset = "machado2018"\n', "settings.toml:2: 'preset' belongs into [train]"),
        ('[agent]\nfeatures = "ram,alpha=1"\n', "settings.toml:2: the value of 'features' holds a comma"),
    ):
        says(["sarsa", "duskrain", "--settings", write(text), "--out", out], 2, said)
    says(["sarsa", "duskrain", "--settings", path + ".none"], 2, "settings.toml.none: No such file")
    with open(path, "wb") as file:
        file.write(b"[train]\nseed = 1\n\0")
    says(["sarsa", "duskrain", "--settings", path], 2, "zero byte")


def full_disk(folder):
    """A limit on the size of files stands in for a full disk: the last good checkpoint is kept, and works."""
    out, alone = os.path.join(folder, "full"), os.path.join(folder, "full-alone")
    # short episodes: the rows reach the limit long after the first checkpoints, or before the first
    arguments = ["random", "duskrain", "--frames", "100k", "--max-frames", "100", "--out", out]
    for limit, kept in ((150000, True), (50000, False)):
        done = run(
            *arguments,
            "--force",
            "--checkpoint-every",
            "0.001",
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        check(done.returncode == 1 and "File too large" in done.stderr, f"full disk: {done.stderr}")
        check(kept == ("is kept" in done.stderr), f"full disk, limit {limit}: {done.stderr}")
        check(not [n for n in os.listdir(out) if n.startswith(".")], f"drafts are left: {os.listdir(out)}")
        check(run(*arguments, "--resume").returncode == 0, "after the full disk")
        check(run(*arguments[:-1], alone, "--force").returncode == 0, "beside the full disk")
        equal_folders(alone, out, "after the full disk")


def main():
    with tempfile.TemporaryDirectory() as folder:
        killed_runs(folder)
        interrupted_runs(folder)
        jobs(folder)
        more_training(folder)
        what_rows_say(folder)
        rows_of_own_games(folder)
        bad_input(folder)
        foreign_checkpoints(folder)
        models(folder)
        settings_file(folder)
        full_disk(folder)
    sys.exit(1 if failures else 0)


main()
