#!/usr/bin/env python3
"""A folder of logs as a user has them becomes a page, which Chromium opens: no messages on the console, every plot has
marks that can be seen, every link leads somewhere, nothing is wider than a narrow screen, dark is dark. Skips without
Chromium (Debian: chromium)."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if not browser:
    print("skipped: there is no Chromium (Debian: chromium)")
    sys.exit(77)
program = os.path.abspath(os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer"))
folder = pathlib.Path(tempfile.mkdtemp())
failures = 0

LOOK = """<script>
const seen = {plots: [], links: [], wide: 0, paper: getComputedStyle(document.body).backgroundColor};
for (const details of document.querySelectorAll("details")) details.open = true;
for (const svg of document.querySelectorAll("svg")) {
  const box = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll(".mark")];
  const texts = [...svg.querySelectorAll("text")].filter(t => {
    const b = t.getBoundingClientRect();
    return b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
  });
  const good = marks.filter(m => {
    const b = m.getBoundingClientRect(), style = getComputedStyle(m);
    const painted = style.fill !== "none" || style.stroke !== "none";
    return painted && b.width + b.height > 0 && b.left >= box.left - 4 && b.right <= box.right + 4;
  });
  seen.plots.push([svg.parentElement.id, marks.length, good.length, texts.map(t => t.textContent)]);
}
for (const a of document.querySelectorAll("a"))
  seen.links.push([a.getAttribute("href"), !!document.querySelector(a.getAttribute("href"))]);
seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const result = document.createElement("pre");
result.id = "seen";
result.textContent = JSON.stringify(seen);
document.body.append(result);
</script>"""


def expect(what, found, wanted=True):
    global failures
    if found != wanted:
        failures += 1
        print("FAILED %s: found %r, wanted %r" % (what, found, wanted))


def chromium(*arguments):
    line = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    line += ["--user-data-dir=%s" % (folder / "profile"), "--enable-logging=stderr", "--no-first-run"]
    return subprocess.run([*line, *arguments], capture_output=True, text=True, timeout=240)


def look(page, width, *arguments):
    """What the script above sees, at this width, and the messages of the console."""
    copy = folder / "looked.html"
    copy.write_text(page.read_text().replace("</body>", LOOK + "</body>"))
    done = chromium("--window-size=%d,900" % width, "--dump-dom", *arguments, copy.as_uri())
    text = done.stdout.partition('<pre id="seen">')[2].partition("</pre>")[0]
    if not text:
        print("Chromium gave nothing: %s" % done.stderr[-2000:])
        sys.exit(1)
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, letter)
    return json.loads(text), [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


# Stable-Baselines3: runs/AGENT/GAME_SEED/N.monitor.csv with parallel environments; one log is half-written
random.seed(2)
for agent, skill in (("ppo", 1.0), ("dqn", 0.7)):
    for game, scale in (("Pong", 20), ("Breakout", 300), ("Qbert", 9000)):
        for seed in (1, 2, 3):
            for worker in (0, 1):
                path = folder / "runs" / agent / ("%sNoFrameskip-v4_%d" % (game, seed)) / ("%d.monitor.csv" % worker)
                path.parent.mkdir(parents=True, exist_ok=True)
                lines = ['#{"t_start": 1700000000.5, "env_id": "%sNoFrameskip-v4"}\n' % game, "r,l,t\r\n"]
                for k in range(150):
                    score = scale * skill * (k / 150) * random.uniform(0.7, 1.3)
                    lines.append("%.1f,%d,%.2f\r\n" % (score, 7000 + 10 * k, 3.0 * k + worker))
                path.write_text("".join(lines))
cut = folder / "runs/ppo/PongNoFrameskip-v4_2/1.monitor.csv"
cut.write_text(cut.read_text()[:-9])

page = folder / "report.html"
done = subprocess.run(
    [program, "report", "runs", "--protocol", "dopamine", "--partial", "--replicates", "2000", "--against",
     "atari5/dqn-noop", "-o", page],
    capture_output=True, text=True, cwd=folder,
)  # fmt: skip
if done.returncode:
    print("FAILED: %s" % done.stderr)
    sys.exit(1)
text = page.read_text()
for name in ("cut-off", "earlier-checkpoint", "guessed-frames", "unstated-protocol", "missing-games"):
    expect("the warning " + name, "<td>%s</td>" % name in text)

for width, flags in ((1000, ()), (360, ("--blink-settings=preferredColorScheme=0",))):
    seen, console = look(page, width, *flags)
    expect("messages at %d" % width, console, [])
    expect("plots at %d" % width, len(seen["plots"]) >= 13)
    for name, marks, good, outside in seen["plots"]:
        expect("marks of %s at %d" % (name, width), marks > 0 and good == marks)
        expect("texts outside of %s" % name, outside, [])
    expect("links at %d" % width, bool(seen["links"]) and all(found for _, found in seen["links"]))
    expect("wider than the window at %d" % width, seen["wide"] <= 0)
    expect("paper", seen["paper"], "rgb(22, 24, 28)" if flags else "rgb(255, 255, 255)")

# the page itself, without our script, also on paper
done = chromium("--print-to-pdf=%s" % (folder / "page.pdf"), "--no-pdf-header-footer", page.as_uri())
expect("printed", (folder / "page.pdf").read_bytes()[:5], b"%PDF-")
expect("messages of the page", [line for line in done.stderr.splitlines() if ":CONSOLE" in line], [])

if os.environ.get("KEEP"):
    print(folder)
else:
    shutil.rmtree(folder, ignore_errors=True)
print("%d failures" % failures)
sys.exit(failures > 0)
