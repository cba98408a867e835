"""`bench/compare --deep`: networks of the deep agents beside JAX and oneDNN, in turn in one run.

One thread is measured in processor time, two threads by the clock, so that other work on the machine counts little in
the first and much in the second. Each contender runs in pieces of a few seconds, in turns, and its best piece counts.
"""

import csv
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
JAX = "jax==0.10.2"
ONEDNN = ["libdnnl-dev", "libdnnl2", "ocl-icd-libopencl1"]  # Debian; the last is what the second is linked with
TURNS, SECONDS = 4, 3

# work, threads, contender, text, and the two goals: the ratio that is wanted at least, and a good one
RATIOS = [
    ("dqn", 1, "onednn", "DQN update, batch 32, against oneDNN", 1.25, 1.4),
    ("dqn", 1, "jax", "DQN update, batch 32, against JAX", 1.5, 1.75),
    ("pqn", 1, "jax", "PQN update, batch 128, against JAX", 2.5, 3),
    ("act", 1, "jax", "actions at batch 1, against JAX", None, None),
    ("dqn", 2, "onednn", "DQN update, batch 32, against oneDNN", None, None),
    ("dqn", 2, "jax", "DQN update, batch 32, against JAX", None, None),
    ("pqn", 2, "jax", "PQN update, batch 128, against JAX", None, None),
    ("act", 2, "jax", "actions at batch 1, against JAX", 2, 2.7),
]


def install_jax(venv):
    """True if JAX is in the virtual environment now."""
    done = venv / ("have-" + JAX.replace("=", "-"))
    if not done.exists():
        result = subprocess.run([venv / "bin/pip", "install", "-q", JAX], capture_output=True, text=True)
        if result.returncode:
            print(f"compare: {JAX} cannot be installed and is left out", file=sys.stderr)
            return False
        done.touch()
    return True


def build_onednn(build):
    """The program that measures oneDNN, with Debian's packages unpacked beside it (they are not installed), and the
    folder of its libraries; None if it cannot be made."""
    folder = build / "compare-onednn"
    program, libraries = folder / "deep_onednn", folder / "usr/lib/x86_64-linux-gnu"
    source = HERE / "deep_onednn.cpp"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program, libraries
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if not (folder / "usr/include/dnnl.hpp").exists():
            subprocess.run(["apt-get", "download", "-q", *ONEDNN], cwd=folder, check=True, capture_output=True)
            for package in folder.glob("*.deb"):
                subprocess.run(["dpkg", "-x", package, folder], check=True)
        command = ["g++", "-std=c++14", "-O3", "-march=native", "-fopenmp", "-fno-math-errno", source, "-o", program]
        command += [f"-I{folder}/usr/include", f"-L{libraries}", "-ldnnl", f"-Wl,-rpath-link,{libraries}"]
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"compare: oneDNN cannot be had and is left out: {error}", file=sys.stderr)
        return None
    return program, libraries


def read(out):
    return dict(line.split() for line in out.splitlines() if len(line.split()) == 2)


class Deep:
    def __init__(self, program, venv, build, quick=False):
        self.program, self.python = program, venv / "bin/python"
        self.turns, self.seconds, self.rounds = (1, 0.3, 3) if quick else (TURNS, SECONDS, 24)
        self.pieces, self.updates = (1, 5) if quick else (6, 40)
        self.sets, self.training = {}, []
        self.jax, self.onednn = install_jax(venv), build_onednn(build)
        self.best, self.versions, self.shares = {}, {}, {}

    def keep(self, who, work, threads, seconds):
        key = (who, work, threads)
        self.best[key] = min(self.best.get(key, 1e9), float(seconds))

    def run_sixer(self, threads):
        command = [self.program, "bench", "nn", "--tsv", "--rounds", str(self.rounds), "--threads", str(threads)]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for row in csv.DictReader(out.splitlines(), delimiter="\t"):
            if int(row["threads"]) != threads:
                continue
            self.keep("sixer", "dqn", threads, float(row["dqn_ms"]) / 1e3)
            if threads == 1:
                self.sets[row["kernels"]] = min(self.sets.get(row["kernels"], 1e9), float(row["dqn_ms"]))
            self.keep("sixer", "pqn", threads, float(row["pqn_ms"]) / 1e3)
            self.keep("sixer", "act", threads, 1 / float(row["actions_per_second"]))
            share = float(row["dqn_percent"]), float(row["peak_gflops"])
            if threads == 1:
                self.shares[row["kernels"]] = max(self.shares.get(row["kernels"], (0.0, 0.0)), share)

    def run_jax(self, threads):
        if not self.jax:
            return
        command = [self.python, HERE / "deep_jax.py", str(threads), str(self.seconds)]
        out = read(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        self.versions["JAX"] = out["version"]
        for work in ("dqn", "pqn", "act"):
            self.keep("jax", work, threads, out[work])

    def run_onednn(self, threads):
        if not self.onednn:
            return
        program, libraries = self.onednn
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "LD_LIBRARY_PATH": str(libraries)}
        command = [program, str(threads), str(self.seconds)]
        out = read(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
        self.versions["oneDNN"] = out["version"]
        self.keep("onednn", "dqn", threads, out["dqn"])

    def measure(self):
        for turn in range(self.turns):
            for threads in (1, 2):
                for run in (self.run_sixer, self.run_jax, self.run_onednn):
                    if sys.stderr.isatty():
                        name = run.__name__[4:]
                        text = f"turn {turn + 1} of {self.turns}: {name}, {threads} threads"
                        print(f"\r{text} \033[K", end="", file=sys.stderr)
                    run(threads)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)

        self.measure_training()

    def measure_training(self):
        """Whole training, as a share of what the passes of its network alone would allow."""
        command = [self.program, "bench", "deep", "--tsv", "--pieces", str(self.pieces), "--updates", str(self.updates)]
        out = subprocess.run(command, capture_output=True, text=True)
        if out.returncode and "pong" in out.stderr:  # its image is not there
            out = subprocess.run([*command, "duskrain"], capture_output=True, text=True)
        if out.returncode:
            print(f"compare: training was not measured: {out.stderr.strip()}", file=sys.stderr)
        self.training = list(csv.DictReader(out.stdout.splitlines(), delimiter="\t"))

    def rows(self):
        """(text, threads, ours and theirs in seconds, ratio, least, good) for what was measured."""
        out = []
        for work, threads, who, text, least, good in RATIOS:
            theirs = self.best.get((who, work, threads))
            if theirs:
                ours = self.best["sixer", work, threads]
                out.append((text, threads, ours, theirs, theirs / ours, least, good))
        return out


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def write(deep, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "deep.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["program", "work", "threads", "milliseconds"])
        for (who, work, threads), seconds in sorted(deep.best.items()):
            out.writerow([who, work, threads, f"{1e3 * seconds:.4f}"])
    version = subprocess.run([deep.program, "--version"], capture_output=True, text=True).stdout.strip()
    others = ", ".join(f"{name} {number}" for name, number in sorted(deep.versions.items()))
    with open(folder / "deep.md", "w") as file:
        file.write(f"""# Networks beside JAX and oneDNN

Written by `bench/compare --deep`, {time.strftime("%d %B %Y")}: {version}, {others}, {processor()}, {os.cpu_count()}
processors, kernels {" and ".join(deep.shares)}, load {os.getloadavg()[0]:.1f} at the end. All contenders are
measured in turn in one
run, in {deep.turns} pieces each, of which the best counts. One thread: processor time. Two threads: time by the clock,
which other work on the machine lengthens. "*n* x" means that sixer is *n* times as fast.

The network is that of Mnih et al. 2015 with 18 actions. The update of DQN is a target pass, an online pass, Huber loss,
backward pass and Adam with a batch of 32; PQN: a pass with LayerNorm, backward pass, clipping and RAdam with 128.
JAX is jitted, with arrays on the device and donated buffers; oneDNN chooses its layouts.

| work | threads | sixer, ms | other, ms | result |
|---|---|---|---|---|
""")
        for text, threads, ours, theirs, ratio, _, _ in deep.rows():
            file.write(f"| {text} | {threads} | {1e3 * ours:.3g} | {1e3 * theirs:.3g} | {ratio:.2f} x |\n")
        two = deep.best["sixer", "dqn", 1] / deep.best["sixer", "dqn", 2]
        parts = [f"{share:.1f} % with {name} ({peak:.1f} GFLOP/s)" for name, (share, peak) in deep.shares.items()]
        file.write(f"""
Of the multiply-adds that the processor could make in that time (its measured peak in parentheses), the update of DQN on
one thread makes {", ".join(parts)}. Two threads are {two:.2f} times as fast as one.
""")
        if {"avx2", "avx512"} <= deep.sets.keys():
            file.write(
                f"It takes {deep.sets['avx2'] / deep.sets['avx512']:.2f} times as long with AVX2 as with AVX-512.\n"
            )
        file.write("""
## Whole training

By `sixer bench deep`: training in turns with the passes of its network alone. The share is what training reaches of the
speed that those passes would allow.

| agent | game | threads | frames/s | an update of training, ms | its passes alone, ms | share |
|---|---|---|---|---|---|---|
""")
        for row in deep.training:
            speed, whole, passes = (float(row[key]) for key in ("frames_per_second", "training_ms", "passes_ms"))
            text = f"| {row['agent']} | {row['game']} | {row['threads']} | {speed:,.0f} | {whole:.2f} | {passes:.2f} |"
            file.write(f"{text} {float(row['share']):.1f} % |\n")
        file.write("\nAll times of networks are in [deep.csv](deep.csv).\n")


def run(program, venv, build, output, quick=False):
    if not shutil.which("g++"):
        print("compare: g++ is missing, so oneDNN is left out (apt-get install g++)", file=sys.stderr)
    deep = Deep(program, venv, build, quick)
    deep.measure()
    write(deep, output)
    print(f"{'work':40s} {'threads':>7s} {'sixer':>10s} {'other':>10s} {'ratio':>7s} {'least':>6s} {'good':>6s}")
    for text, threads, ours, theirs, ratio, least, good in deep.rows():
        verdict = "" if least is None else "good" if ratio >= good else "enough" if ratio >= least else "missed"
        times = f"{1e3 * ours:7.3f} ms {1e3 * theirs:7.3f} ms"
        print(f"{text:40s} {threads:7d} {times} {ratio:6.2f}x {least or '':6} {good or '':6} {verdict}")
    for name, (share, peak) in deep.shares.items():
        print(f"share of the peak of one thread: {share:.1f} % of {peak:.1f} GFLOP/s ({name})")
    if {"avx2", "avx512"} <= deep.sets.keys():
        longer = deep.sets["avx2"] / deep.sets["avx512"]
        print(f"AVX2 takes {longer:.2f} times as long as AVX-512 (at most 1.15, good: 1.05)")
    two = deep.best["sixer", "dqn", 1] / deep.best["sixer", "dqn", 2]
    print(f"two threads against one, DQN update: {two:.2f}x (at least 1.75, good: 1.95)")
    for row in deep.training:
        text = f"{row['agent']} training on {row['game']}, {row['threads']} threads"
        print(f"{text}: {float(row['share']):.1f} % of what its passes alone would allow (at least 85, good: 95)")
