#!/usr/bin/env python3
"""sixer report: the page, its figures beside those of `sixer eval`, plots and tables alone, folders, bad files."""

import gzip
import html.parser
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

program = os.path.abspath(os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer"))
folder = pathlib.Path(tempfile.mkdtemp())
failures = 0
TWO = ("battle_zone", "name_this_game")  # the best two of `sixer atari5 search`
NASTY = "<script>alert(1)</script>&\"'"


def run(*arguments, command="report", status=0):
    global failures
    done = subprocess.run([program, command, *map(str, arguments)], capture_output=True, text=True, cwd=folder)
    if done.returncode != status:
        failures += 1
        print("FAILED %s: status %d, wanted %d: %s" % (arguments, done.returncode, status, done.stderr))
    return done


def expect(what, found, wanted=True):
    global failures
    if found != wanted:
        failures += 1
        print("FAILED %s: found %r, wanted %r" % (what, found, wanted))


def complains(text, *arguments, status=1):
    done = run(*arguments, status=status)
    expect("%r in the message %r" % (text, done.stderr), text in done.stderr)


class Page(html.parser.HTMLParser):
    """What is in a page; everything that is opened must be closed."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open, self.counts, self.outside = set(), [], [], {}, []
        self.tables, self.marks, self.plot = [], [], None
        self.feed(text)
        expect("elements that were not closed", self.open, [])

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if "id" in values:
            expect("id %s once" % values["id"], values["id"] in self.ids, False)
            self.ids.add(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        for name in ("src", "href", "srcset", "data"):
            if name in values and not values[name].startswith(("#", "data:")):
                self.outside.append(values[name])
        if tag == "svg":
            self.marks.append(0)
        if "mark" in (values.get("class") or "").split():
            self.marks[-1] += 1
        if tag == "tr":
            self.tables.append([])
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        expect("the element that is closed", tag, self.open.pop())

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.tables[-1].append(data)


random.seed(5)
GAMES = "battle_zone double_dunk name_this_game phoenix qbert pong breakout".split()
with open(folder / "scores.csv", "w") as file:
    file.write("agent,game,run,score_18000,score_108000,score\n")
    for agent, factor in (("mine", 1.0), (NASTY.replace('"', '""').join('""'), 0.6)):
        for game in GAMES:
            for seed in range(5):
                score = factor * (100 + 50 * random.random())
                file.write("%s,%s,%d,%.3f,%.3f,%.3f\n" % (agent, game, seed, score / 4, score / 2, score))

common = ("scores.csv", "--protocol", "saber", "--partial", "--against", "rainbow", "--replicates", "2000")
done = run(*common, "--title", NASTY)
text = (folder / "report.html").read_text()
page = Page(text)
expect("the page names no other place", page.outside, [])
expect("no address of a network", re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text), [])
expect("links", [link for link in page.links if link[1:] not in page.ids], [])
expect("every plot has marks", len(page.marks) >= 10 and all(page.marks))
expect("texts of files are escaped", "<script" in text, False)
for part in "protocol warnings aggregates games profiles classes improvement tests atari5 limits".split():
    expect("part " + part, part in page.ids)

# the figures are those of eval
figures = json.loads(run(*common, "--games", "--json", command="eval").stdout)
for row in figures["aggregates"]:
    shown = ["%.2f" % row[key] for key in ("median", "mean", "iqm", "gap")]
    expect("aggregates of " + row["agent"], any(all(cell in line for cell in shown) for line in page.tables))
names = {warning["name"] for warning in figures["warnings"]}
expect("every warning is in the page", [name for name in names if not any(name in line for line in page.tables)], [])

# limits: the scores of these files are halved and quartered
rows = [line.split(",") for line in run(*common, "--only", "limits", "--tables", "csv").stdout.splitlines()]
medians = {(row[0], row[1]): float(row[3]) for row in rows[1:]}
expect("limits", len(medians), 9)
expect("SABER at 5 minutes", round(medians["saber/rainbow", "5 minutes"], 2), 2.35)

# Holm and Benjamini-Hochberg
try:
    import scipy.stats
except ImportError:
    scipy = None
tests = {}
for kind in ("none", "holm", "bh"):
    table = run(*common, "--only", "tests", "--tables", "csv", "--correction", kind).stdout.split("\n\n")[1]
    lines = [line.split(",") for line in table.splitlines()]
    p = lines[0].index("p")
    tests[kind] = [(float(line[-3]), float(line[-2])) for line in lines[1:]]
raw = [p for p, _ in tests["none"]]
expect("tests", len(raw) >= 7)
expect("no correction", [q for _, q in tests["none"]], raw)
order = sorted(range(len(raw)), key=raw.__getitem__)
holm, least = [0.0] * len(raw), 0.0
for rank, i in enumerate(order):
    least = max(least, min(1.0, (len(raw) - rank) * raw[i]))
    holm[i] = least
expect("Holm", max(abs(a - q) for a, (_, q) in zip(holm, tests["holm"])) < 1e-12)
if scipy:
    wanted = scipy.stats.false_discovery_control(raw)
    expect("Benjamini-Hochberg", max(abs(a - q) for a, (_, q) in zip(wanted, tests["bh"])) < 1e-12)

# the command of every figure makes it again
command = re.search(r"<footer><p>Made by</p><pre>(.*?)</pre>", text, re.S).group(1)
expect("the command", html.unescape(command).startswith("sixer report scores.csv --protocol saber --partial"))
again = subprocess.run(
    "PATH=%s:$PATH; %s -o again.html" % (os.path.dirname(program), html.unescape(command)),
    shell=True,
    cwd=folder,
    capture_output=True,
    text=True,
)
expect("the command runs", again.returncode, 0)
expect("the same bytes", (folder / "again.html").read_text(), text)
expect("threads", run(*common, "--title", NASTY, "--threads", 3, "-o", "three.html").returncode, 0)
same = (folder / "three.html").read_text().replace(" --threads 3", "")
expect("the same bytes with other threads", same, text)

# tables and plots alone
latex = run(*common, "--only", "aggregates", "--tables", "latex").stdout
expect("LaTeX", latex.count(r"\toprule") == latex.count(r"\bottomrule") == 2 and r"\&" in latex)
expect("signs that LaTeX has other letters for", r"\textless{}script\textgreater{}" in latex and "<" not in latex)
for table in latex.split(r"\begin{tabular}{")[1:]:
    columns, rows = table.partition("}")[::2]
    rows = [row for row in rows.splitlines() if row.endswith(r"\\")]
    expect("cells of a row", {row.replace(r"\&", "").count("&") + 1 for row in rows}, {len(columns)})
expect("a figure with its interval", bool(re.search(r"& -?\d+\.\d\d \(-?\d+\.\d\d, -?\d+\.\d\d\) &", latex)))
every = run(*common, "--tables", "latex").stdout
expect("sentences as paragraphs", r"\begin{tabular}{lp{0.7\linewidth}}" in every)
needed = ["booktabs.sty", "geometry.sty"]
if shutil.which("pdflatex") and subprocess.run(["kpsewhich", *needed], capture_output=True).returncode == 0:
    head = r"\documentclass{article}\usepackage{booktabs}\usepackage[margin=1cm]{geometry}\begin{document}\tiny"
    (folder / "tables.tex").write_text(head + "\n" + every + "\n\\end{document}\n")
    options = ["-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    made = subprocess.run(["pdflatex", *options], cwd=folder, capture_output=True, text=True, errors="replace")
    expect("LaTeX compiles the tables", made.returncode, 0)
else:
    print("pdflatex or booktabs is not installed: the LaTeX tables were not compiled")
markdown = run(*common, "--only", "classes", "--tables", "markdown").stdout
expect("Markdown", "| agent | failing |" in markdown and "|---|---:|" in markdown)
run(*common, "--plots", "svg", "-o", "plots")
plots = sorted((folder / "plots").iterdir())
expect("plots", len(plots), len(page.marks))
for plot in plots:
    root = xml.etree.ElementTree.parse(plot).getroot()
    marks = [e for e in root.iter() if "mark" in (e.get("class") or "").split()]
    expect("marks of %s" % plot.name, len(marks) > 0)
    inside = [float(e.get("x", 0)) for e in root.iter("{http://www.w3.org/2000/svg}rect")]
    expect("%s within its frame" % plot.name, all(0 <= x <= 760 for x in inside))
if shutil.which("rsvg-convert"):
    run(*common, "--only", "classes", "--plots", "png", "-o", "png")
    run(*common, "--only", "classes", "--plots", "pdf", "-o", "pdf")
    expect("PNG", (folder / "png/classes.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
    expect("PDF", (folder / "pdf/classes.pdf").read_bytes()[:5], b"%PDF-")
else:
    complains("librsvg2-bin", *common, "--only", "classes", "--plots", "png")

# agents with other games: the number of games beside the name, and figures over those that all have
aggregates = run(*common, "--only", "aggregates", "--tables", "csv").stdout
table = [line.rsplit(",", 7) for line in aggregates.split("\n\n")[1].splitlines()]
expect("common games", {row[1] for row in table[1:]}, {str(len(GAMES) - 1)})  # double_dunk has no record
expect("three agents", len(table), 4)
expect("games beside the names", "mine (6 games)" in text and "saber/rainbow (58 games)" in text)

# a folder as CleanRL, Stable-Baselines3 and sixer train leave it
samples = pathlib.Path(__file__).resolve().parents[1] / "data" / "logs"
name = "PongNoFrameskip-v4__ppo_atari__3__1700000000"
shutil.copytree(samples / name, folder / "runs" / name)
(folder / "runs" / "sb3" / "seed4").mkdir(parents=True)
shutil.copy(samples / "sb3" / "seed4.monitor.csv", folder / "runs" / "sb3" / "seed4")
(folder / "runs" / "sb3" / "seed4" / "progress.csv").write_text("time/fps,train/loss\n1,2\n")
line = "dqn\tpong\t1\t%d\t10000\t%d\tdopamine\n"
rows = "".join(line % (k + 1, k % 9) for k in range(120))
(folder / "runs" / "dqn_pong_1.episodes.tsv").write_text("agent\tgame\trun\tepisode\tframes\tscore\tprotocol\n" + rows)
for seed in (1, 2):
    shutil.copytree(samples / "dqn_Pong_1", folder / "runs" / ("c51_Pong_%d" % seed))
    (folder / "runs" / ("c51_Pong_%d" % seed) / "events.out.tfevents.1").write_bytes(b"of an agent")
arguments = ("runs", "--protocol", "dopamine", "--partial", "--replicates", 1000)
run(*arguments, "-o", "runs.html")
runs = Page((folder / "runs.html").read_text())
expect("parts of logs", {"curves", "figure-curve-iqm", "figure-curve-pong"} <= runs.ids)
expect("plots of logs have marks", all(runs.marks))
lines = run(*arguments, "--only", "aggregates", "--tables", "csv").stdout.split("\n\n")[0].splitlines()
expect("agents", sorted(line.split(",")[0] for line in lines[1:]), ["c51", "dqn", "ppo_atari", "sb3"])
tables = run(*arguments, "--only", "curves", "--tables", "csv").stdout.split("\n\n")
lengths = {line.split(",")[0]: line.split(",")[4] for line in tables[2].splitlines()[1:]}
expect("frames of the run of sixer train", lengths["dqn"], "1200000")

# the samples as they are, by one command
run(samples, "--protocol", "dopamine", "--partial", "--replicates", 100, "-o", "samples.html")
page = Page((folder / "samples.html").read_text())
expect("plots of the samples have marks", bool(page.marks) and all(page.marks))
expect("no part without agents", "atari5" in page.ids, False)

# the protocol that the rows name
(folder / "train").mkdir()
source = (folder / "runs" / "dqn_pong_1.episodes.tsv").read_bytes()
(folder / "train" / "dqn_pong_1.episodes.tsv.gz").write_bytes(gzip.compress(source))
for place in ("train", "dqn=train", "dqn=train/*.gz", "train/dqn_pong_1.episodes.tsv.gz"):
    same = run(place, "--partial", "--only", "protocol", "--tables", "csv").stdout
    expect("the protocol of %s" % place, "dopamine@1" in same)
    expect("its agent in %s" % place, "dqn" in run(place, "--partial", "--only", "games", "--tables", "csv").stdout)
(folder / "older.csv").write_text("game,score,protocol\npong,1,nature2015@1\n")
older = run("older.csv", "--partial", "--only", "protocol", "--tables", "csv").stdout
expect("an older version of a protocol", "nature2015@1#" in older)
(folder / "lines.jsonl").write_text('{"game": "pong", "score": 1, "protocol": "atari100k"}\n')
expect("JSON lines", "atari100k@1" in run("lines.jsonl", "--partial", "--only", "protocol", "--tables", "csv").stdout)
mixed = "game,score,run,protocol\npong,1,1,saber\npong,2,2,dopamine\n"
(folder / "mixed.csv").write_text(mixed)
complains(
    "mixed.csv:3: mixed protocols: the score was made under 'dopamine', not under saber", "mixed.csv", "--partial"
)
(folder / "other.csv").write_text("game,score,protocol\npong,1,mine@3#0123456789\n")
complains("made under 'mine@3#0123456789', which is none of the protocols here", "other.csv", "--partial")
(folder / "hash.csv").write_text("game,score,protocol\npong,1,saber@1#0123456789\n")
complains("hash.csv:2: mixed protocols", "hash.csv", "--partial")
(folder / "half.csv").write_text("game,score,run,protocol\npong,1,1,\npong,2,2,saber\n")
page = run("half.csv", "--partial", "--only", "warnings", "--tables", "csv").stdout
expect("rows without a protocol", "1 of 2 rows" in page)

# the model of a user's own protocol is named as such, with its error
run("search", "--size", 2, "--export", "own.toml", command="atari5")
own = "game,score,run\n" + "".join("%s,%d,%d\n" % (g, 5000 + 900 * r, r) for r in (1, 2, 3) for g in TWO)
(folder / "own.csv").write_text(own)
run("own.csv", "--protocol", "./own.toml", "-o", "own.html")
text = (folder / "own.html").read_text()
expect("a model of one's own", "the model of own estimates" in text and "figure-model" in text)
expect("is not Atari-5's", "57 games" in text, False)
row = run("own.csv", "--protocol", "./own.toml", "--only", "model", "--tables", "csv").stdout.splitlines()
row = dict(zip(row[0].split(","), row[1].split(",")))
same = json.loads(run("own.csv", "--protocol", "./own.toml", "--json", command="eval").stdout)["model"][0]
expect(
    "as in sixer eval",
    {k: float(v) for k, v in row.items() if k != "agent"},
    {k: same[k] for k in same if k != "agent"},
)

# bad usage
complains("nothing to report on", "--protocol", "saber", status=2)
complains("The files do not name it. Say --protocol NAME", "scores.csv", status=2)
complains("Say --protocol NAME", "--against", "saber/rainbow", status=2)
complains("there is no part 'game'", *common, "--only", "game", status=2)
complains("--plots is one of svg, png, pdf; found 'gif'", *common, "--plots", "gif", status=2)
complains("choose one of --plots and --tables", *common, "--plots", "svg", "--tables", "csv", status=2)
(folder / "nothing").mkdir()
complains("the folder has no runs", "nothing", "--protocol", "saber")
(folder / "nan.csv").write_text("game,score\npong,1\npong,nan\n")
(folder / "old.html").write_text("old")
complains("nan.csv:3: the score of pong is NaN", "nan.csv", "--protocol", "saber", "--partial", "-o", "old.html")
expect("nothing is half-written", (folder / "old.html").read_text(), "old")
complains("--strict was given", *common, "--strict", "-o", "old.html")
expect("no report after warnings with --strict", (folder / "old.html").read_text(), "old")

shutil.rmtree(folder)
print("%d failures" % failures)
sys.exit(failures > 0)
