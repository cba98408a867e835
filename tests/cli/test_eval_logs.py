#!/usr/bin/env python3
"""Logs of other libraries in `sixer eval`: formats, runs of one agent in many files, warnings, and bad files."""

import collections
import gzip
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

program = os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer")
folder = pathlib.Path(tempfile.mkdtemp())
failures = 0


def write(name, text):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def run(*arguments):
    line = [os.path.abspath(program), "eval", *map(str, arguments), "--protocol", "dopamine", "--partial"]
    return subprocess.run(line, capture_output=True, text=True, cwd=folder)


def expect(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print("FAILED %s: found %r, wanted %r" % (what, found, wanted))


def scores(*arguments):
    """{agent: (runs, mean of Pong)}, names of the warnings"""
    global failures
    done = run(*arguments, "--games", "--json", "--checkpoint", "1M")
    if done.returncode:
        failures += 1
        print("FAILED %s: %s" % (arguments, done.stderr))
        return {}, set()
    result = json.loads(done.stdout)
    return {g["agent"]: (g["runs"], g["score"]) for g in result["games"]}, {w["name"] for w in result["warnings"]}


def complains(text, *arguments):
    global failures
    done = run(*arguments, "--checkpoint", "1M")
    if done.returncode != 1 or text not in done.stderr:
        failures += 1
        print("FAILED %s: status %d, and not %r but %s" % (arguments, done.returncode, text, done.stderr))


def monitor(rows, game='"PongNoFrameskip-v4"', start=1700000000.25):
    """As Stable-Baselines3 writes it: the lines of its csv.DictWriter end with CR and LF."""
    head = '#{"t_start": %r, "env_id": %s}\nr,l,t,lives\r\n' % (start, game)
    return head + "".join("%r,%d,%r,3\r\n" % row for row in rows)


# monitor files: 100 episodes of 10,000 frames reach the checkpoint
one = monitor([(float(i % 7), 10000, i + 0.5) for i in range(120)])
mean = sum(i % 7 for i in range(100)) / 100
write("sb3/seed1.monitor.csv", one)
write("sb3/seed2.monitor.csv", monitor([(5.0, 10000, i + 0.5) for i in range(120)]))
found, warned = scores("ppo=sb3/*.csv")
expect("two seeds", found, {"ppo": (2, round((mean + 5) / 2, 9))})
expect("warnings", {"unstated-protocol", "guessed-frames", "fewer-trials"} <= warned, True)
expect("no episodes are missing", warned & {"few-episodes", "cut-off", "missing-seeds"}, set())
found, warned = scores("sb3/seed2.monitor.csv", "--frames-per-step", 4)
expect(
    "4 frames per step: 25 episodes to the checkpoint",
    (found, "few-episodes" in warned, "guessed-frames" in warned),
    ({"sb3/seed2.monitor.csv": (1, 5)}, True, False),
)

# parallel environments are one run, in the order of time: the second file has the later half
write("parallel/s1/0.monitor.csv", monitor([(1.0, 10000, i + 0.5) for i in range(60)]))
write("parallel/s1/1.monitor.csv", monitor([(3.0, 10000, i + 60.5) for i in range(60)]))
expect("one run of two files", scores("a=parallel/s1")[0], {"a": (1, (60 + 3 * 40) / 100)})
write("parallel/s1/1.monitor.csv", monitor([(3.0, 10000, i + 0.5) for i in range(120)]))
write("parallel/s1/0.monitor.csv", monitor([(1.0, 10000, i + 0.5) for i in range(120)]))
found, warned = scores("a=parallel/s1/*.csv")
expect("files one by one are runs", (found, "parallel-files" in warned), ({"a": (2, 2)}, True))

# JSON and CSV with steps of the agent
rows = [
    {
        "env_id": "ALE/Pong-v5",
        "episodic_return": float(i),
        "global_step": 2500 * (i + 1),
        "seed": 7,
        "x": [1, {"a": "]"}],
    }
    for i in range(100)
]
lines = "".join(json.dumps(row) + "\n" for row in rows)
for name, text in (
    ("lines.jsonl", lines),
    ("array.json", json.dumps(rows, indent=1)),
    (
        "steps.csv",
        "env_id,episodic_return,global_step\n"
        + "".join("ALE/Pong-v5,%d,%d\n" % (i, 2500 * (i + 1)) for i in range(100)),
    ),
):
    found, warned = scores("a=" + write(name, text))
    expect(name, (found, "guessed-frames" in warned, "few-episodes" in warned), ({"a": (1, 49.5)}, True, False))
expect(
    "escapes",
    scores(write("escapes.json", json.dumps([{"game": "pong", "score": 1, "agent": 'é"\n'}])))[0],
    {'é"\n': (1, 1)},
)

# files that the libraries have written: tests/data/logs/make_logs.py
samples = pathlib.Path(__file__).resolve().parents[1] / "data" / "logs"
expected = {100: sum(i % 21 - 20 for i in range(100)) / 100}
found, warned = scores(samples / "sb3" / "seed4.monitor.csv", "--agent", "sb3")
expect("a file of Monitor", (found, "few-episodes" in warned), ({"sb3": (1, expected[100])}, False))
event_folder = samples / "PongNoFrameskip-v4__ppo_atari__3__1700000000"
event_bytes = next(event_folder.iterdir()).read_bytes()
found, warned = scores(event_folder)
expect(
    "an event file",
    (found, "few-episodes" in warned, "cut-off" in warned),
    ({"ppo_atari": (1, expected[100])}, False, False),
)
sums = [-20 + i + sum(k % 3 for k in range(10)) / 10 for i in range(11)]
found, warned = scores(samples / "dqn_Pong_1")
expect("a log of Dopamine", (found, "guessed-frames" in warned), ({"dqn": (1, round(sums[0], 9))}, True))
complains("collections.defaultdict", samples / "dqn_Pong_1" / "metrics" / "pickle" / "pickle_10.pkl")
complains("averages only", samples / "dqn_Pong_1" / "metrics" / "tensorboard")
for seed in (1, 2):
    write("runs/ALE/Pong-v5__ppo__%d__17/events.out.tfevents.1" % seed, event_bytes)
expect("seeds of CleanRL", scores("ppo=runs/ALE/*")[0], {"ppo": (2, expected[100])})
cut = "runs/Pong-v5__a__1__17/events.out.tfevents.1"
for size in (len(event_bytes) - 1, len(event_bytes) - 17, len(event_bytes) - 100):
    write(cut, event_bytes[:size])
    found, warned = scores(cut)
    expect("cut after %d bytes" % size, (found, "cut-off" in warned), ({"a": (1, expected[100])}, True))
write(cut, event_bytes[: len(event_bytes) // 2])
complains("before the checkpoint at 1000000", cut)
write(cut, event_bytes[:1000] + bytes([event_bytes[1000] ^ 1]) + event_bytes[1001:])
complains("the file is damaged", cut)
write(cut, event_bytes[:40])
complains("no scalars charts/episodic_return", cut)
write(cut, event_bytes.replace(b"episodic_return", b"episodic_retURN"))
complains("is damaged", cut)
complains("names no game", "a=" + write("events.out.tfevents.1", event_bytes))

# half-written files: what is complete is used, and what is missing is not hidden
for name, text in (
    ("cut.jsonl", lines + '{"env_id": "ALE/Po'),
    ("cut.json", json.dumps(rows)[:-1]),
    ("cut.monitor.csv", one + "1"),
):
    found, warned = scores("a=" + write(name, text))
    expect(name, (list(found), "cut-off" in warned), (["a"], True))
complains("before the checkpoint at 1000000", write("short.jsonl", lines[: len(lines) // 2]))
complains("no complete object", write("none.json", '[{"game": "po'))
complains("not complete JSON", write("head.monitor.csv", '#{"t_start": 1'))

# seeds and agents
write("mixed/a.csv", "game,score\npong,1\n")
write("mixed/seed5.csv", "game,score\npong,3\n")
found, warned = scores("a=mixed/*.csv")
expect("a file without a seed", (found, "missing-seeds" in warned), ({"a": (2, 2)}, True))
write("names/a.csv", "game,score,agent\npong,1,x\n")
write("names/b.csv", "game,score,agent\npong,3,y\n")
found, warned = scores("a=names/*.csv", "b=mixed/a.csv")
expect("other names", (found, "mixed-agents" in warned), ({"a": (2, 2), "b": (1, 1)}, True))
complains("several agents", "a=" + write("two.csv", "game,score,agent\npong,1,x\npong,1,y\n"))
complains("given twice (also in", "a=sb3/seed1.monitor.csv", "a=" + write("again/seed1.csv", one))
complains("the seed is missing", write("seeds.csv", "game,score,seed\npong,1,1\npong,2,\n"))
complains("steps of pong fall", write("falls.csv", "game,return,step\npong,1,200000\npong,2,100000\npong,2,300000\n"))
complains("no file matches", "a=nowhere/*.csv")
complains("no logs", "a=names")
complains("named twice", "a=names/a.csv", "a=names/a.csv")
complains("those of the files before are not", "a=names/a.csv", "a=sb3/seed1.monitor.csv")

# bad contents
complains(
    "nan.jsonl:2: the score of pong is NaN",
    write("nan.jsonl", '{"game": "pong", "score": 1}\n{"game": "pong", "score": NaN}\n'),
)
complains("bad.json:2: not JSON: ',' or '}'", write("bad.json", '[\n{"game": "pong" "score": 1}]'))
complains("does not name its game", write("none.monitor.csv", monitor([(1.0, 1, 1.0)], game="null")))
complains("l is missing", write("l.monitor.csv", '#{"t_start": 1, "env_id": "Pong-v4"}\nr,t\n1,2\n'))

# Dopamine: everything up to iteration N is in logs/log_N
LENGTH = 25000


def dopamine(iterations, number=float, **changes):
    """The data of its Logger: ten episodes of 25,000 steps make an iteration of a million frames."""
    data = {}
    for i in range(iterations):
        returns = [number(10 * i + k) for k in range(10)]
        data["iteration_%d" % i] = {
            "train_episode_lengths": [LENGTH] * 10,
            "train_episode_returns": returns,
            "train_average_return": [sum(returns) / 10],
            "eval_episode_lengths": [LENGTH] * 4,
            "eval_episode_returns": [number(abs(i - k)) for k in range(4)],
            **changes,
        }
    return data


for protocol in range(2, 6):
    for path in ("dqn/Pong/%d/logs", "dqn_Pong_seed%d/logs", "dqn/pong-%d/logs", "ALE/dqn_Pong-v5_%d"):
        base = "d%d/%s" % (protocol, path)
        for seed in (1, 2):
            for last in (0, 9, 10):  # the numbers are not in the order of the alphabet
                content = pickle.dumps(dopamine(last + 1, lambda x, s=seed: float(x * s)), protocol)
                write(base % seed + "/log_%d" % last, content)
        # 1M frames: the first ten episodes, with a mean of 4.5
        where = (base % 1).removesuffix("/logs")
        expect("Dopamine, protocol %d, %s" % (protocol, where), scores(where)[0], {"dqn": (1, 4.5)})
        where = (base % 0).removesuffix("/logs").replace("0", "*")
        expect("two seeds of Dopamine, " + where, scores("a=" + where)[0], {"a": (2, 6.75)})
found, warned = scores("d5/dqn/Pong/1/logs/log_9")
expect("a guess of frames", ("guessed-frames" in warned, "unstated-protocol" in warned), (True, True))
# the last evaluation, under a protocol that scores evaluations: iteration 10 has 10, 9, 8, 7
done = subprocess.run(
    [os.path.abspath(program), "eval", "d5/dqn/Pong/1", "--protocol=nature2015", "--partial", "--games", "--json"],
    capture_output=True,
    text=True,
    cwd=folder,
)
result = json.loads(done.stdout)
expect("an evaluation of Dopamine", result["games"][0]["score"], 8.5)
expect("which one", any("iteration 10" in w["text"] for w in result["warnings"]), True)

try:
    import numpy
except ImportError:
    print("skipped: NumPy's scalars, because NumPy is not there")
else:
    kinds = "float64 float32 int64 int32 uint16 int8 uint8 uint64".split()
    for kind in kinds:
        log = pickle.dumps(dopamine(1, getattr(numpy, kind)), 4)
        expect("NumPy's " + kind, scores(write("n/Pong/logs/log_0", log))[0], {"n": (1, 4.5)})
        negative = [getattr(numpy, kind)(0)] * 5 + [getattr(numpy, kind)(-3 if kind[0] != "u" else 3)] * 5
        log = pickle.dumps(dopamine(1, float, train_episode_returns=negative), 4)
        wanted = 1.5 if kind[0] == "u" else -1.5
        expect("negative " + kind, scores(write("n/Pong/logs/log_0", log))[0], {"n": (1, wanted)})
    swapped = [numpy.dtype(">f8").type(2.5)] * 10
    log = pickle.dumps(dopamine(1, float, train_episode_returns=swapped), 4)
    expect("another byte order", scores(write("n/Pong/logs/log_0", log))[0], {"n": (1, 2.5)})
    complains("numpy", write("n/Pong/logs/log_0", pickle.dumps({"iteration_0": numpy.zeros(3)})))

# the folder of a run has event files too, which have averages only
write("mix/c51_Pong_1/logs/log_0", pickle.dumps(dopamine(1)))
write("mix/c51_Pong_1/events.out.tfevents.17", event_bytes)
expect("logs before events", scores("mix/c51_Pong_1")[0], {"c51": (1, 4.5)})

# a pickle is a program: nothing of it is run
complains("os.system", write("x/Pong/log_0", b"\x80\x02cos\nsystem\nU\x04touch\x85R."))
complains("posix.system", write("x/Pong/log_0", pickle.dumps(os.system)))
complains("collections.defaultdict", write("x/Pong/log_0", pickle.dumps(collections.defaultdict(list, a=[1]))))
complains("metrics/ have averages only", "x/Pong/log_0")
complains("breaks off", write("x/Pong/log_0", b"\x80\x02cos"))
complains("not a log of Dopamine", write("x/Pong/log_0", pickle.dumps([1, 2])))
complains("instruction 0x69", write("x/Pong/log_0", b"\x80\x02(iabc\ndef\n."))
complains("more than 8 bytes", write("x/Pong/log_0", pickle.dumps({"iteration_0": 1 << 80})))
complains("too large", write("x/Pong/log_0", b"\x80\x02}r\xff\xff\xff\x7f."))
complains("before it is made", write("x/Pong/log_0", b"\x80\x02h\x05."))
for op in (b"]", b"(", b"]\x94", b"N"):
    complains("more values on the stack", write("x/Pong/log_0", b"\x80\x04" + op * 200_000))
complains("after the end", write("x/Pong/log_0", b"\x80\x02}.}"))
complains("names no game", write("dqn_PongDeterministic-v4/log_0", pickle.dumps(dopamine(1))))
complains("does not see the screen", write("dqn_Pong-ram-v4_1/log_0", pickle.dumps(dopamine(1))))
complains("names no game", write("x/log_0", pickle.dumps(dopamine(1))))
loop = []
loop.append(loop)
complains("iteration 0: the return", write("x/Pong/log_0", pickle.dumps(dopamine(1, train_episode_returns=loop * 10))))
shared = [1.0] * 2000
big = {"iteration_%d" % i: {"train_episode_returns": shared, "train_episode_lengths": shared} for i in range(2000)}
complains("share their lists", write("x/Pong/log_0", pickle.dumps(big)))
for text, wrong in (
    ("NaN", dict(train_episode_returns=[float("nan")] * 10)),
    ("infinite", dict(train_episode_returns=[float("inf")] * 10)),
    ("not a number", dict(train_episode_returns=["1"] * 10)),
    ("not as many lengths", dict(train_episode_returns=[1.0] * 9)),
    ("not a number of steps", dict(train_episode_lengths=[-1] * 10)),
    ("not in lists", dict(train_episode_lengths=3)),
):
    complains("iteration 0: ", write("x/Pong/log_0", pickle.dumps(dopamine(1, **wrong))))
    complains(text, "x/Pong/log_0")
gap = dopamine(4)
del gap["iteration_1"]
complains("iteration 1 is missing", write("x/Pong/log_0", pickle.dumps(gap)))
complains("before the checkpoint", write("x/Pong/log_0", pickle.dumps(dopamine(1, train_episode_lengths=[1] * 10))))
whole = pickle.dumps(dopamine(2), 5)
for size in [*range(2, 40), *range(40, len(whole), 29)]:
    complains("breaks off", write("x/Pong/log_0", whole[:size]))

# gzip-compressed tables, and folders of `sixer train`
table = "agent\tgame\tseed\tepisode\tscore\tframes\n" + "".join(
    "dqn\tpong\t%d\t%d\t%d\t10000\n" % (seed, i, i % 7) for seed in (1, 2) for i in range(120)
)
write("train/a.episodes.tsv.gz", gzip.compress(table.encode()))
expect("a folder of compressed episodes", scores("dqn=train")[0], {"dqn": (2, round(mean, 9))})
expect("a compressed file", scores("train/a.episodes.tsv.gz")[0], {"dqn": (2, round(mean, 9))})
complains("data break off", write("cut.tsv.gz", gzip.compress(table.encode())[:-20]))
broken = bytearray(gzip.compress(table.encode()))
broken[-7] ^= 1
complains("data are damaged", write("broken.tsv.gz", bytes(broken)))

print("%d failures" % failures)
sys.exit(failures != 0)
