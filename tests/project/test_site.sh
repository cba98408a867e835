#!/usr/bin/env bash
# label: long, 35 s
# The site builds without warnings; its links, anchors and search index are complete; in a browser, from disk and
# without a network, the search finds pages and nothing is asked of another host. The checks find mistakes that are
# planted.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${SIXER_BUILD:-build/release}")
skip() { echo "SKIPPED: $1"; exit 77; }
.venv/bin/python -c 'import mkdocs, material, mkdocstrings, markdown_it' 2>/dev/null ||
  skip "the generator of the site is not installed (scripts/setup --site installs it)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
site=$work/site

# no warnings: --strict makes them errors, and nothing else is printed
.venv/bin/python docs/site/build.py --program "$build/sixer" --output "$site" --no-films --work "$work/stage" \
  >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -s "$work/log" ] || { echo "the generator says:"; cat "$work/log"; exit 1; }
.venv/bin/python docs/site/check.py "$site"

# the pages have the lists, tables and programs on the site that they have in the repository
.venv/bin/python - <<'PY'
import pathlib, sys
sys.path.insert(0, "docs/site")
import commonmark
pages = [*pathlib.Path("docs").rglob("*.md"), *pathlib.Path().glob("*.md"), pathlib.Path("tests/README.md")]
wrong = {str(page): found for page in pages if (found := commonmark.difference(page.read_text()))}
assert not wrong, f"CommonMark and the site read these pages differently: {wrong}"
PY

# what has to be there
for page in start tutorials/01-first-steps tutorials/08-add-a-game reference/c/sixer reference/python/sixer.env \
  reference/commands/train games/duskrain games/definitions results/leaderboards console; do
  [ -f "$site/$page.html" ] || { echo "there is no page $page"; exit 1; }
done
grep -q 'id="sixer_env_step"' "$site/reference/c/sixer.html" || { echo "sixer_env_step has no anchor"; exit 1; }
grep -q 'id="sixer.env.Env.step"' "$site/reference/python/sixer.env.html" || { echo "Env.step has no anchor"; exit 1; }
grep -q 'frames of training\|train for N frames' "$site/reference/commands/train.html" ||
  { echo "sixer train has no options"; exit 1; }

# a check that cannot fail is none: a broken link, a broken anchor and a picture of another host are found
cp -r "$site" "$work/broken"
cat >"$work/broken/start.html" <<'END'
<a href="nowhere.html">a</a> <a href="console.html#nowhere">b</a> <img src="https://example.org/c.png" alt="c">
END
if .venv/bin/python docs/site/check.py "$work/broken" >"$work/log" 2>&1; then
  echo "the check does not find planted mistakes"
  exit 1
fi
for what in 'link nowhere.html leads nowhere' 'names no section' 'example.org/c.png from another host'; do
  grep -q "$what" "$work/log" || { echo "the check does not say: $what"; cat "$work/log"; exit 1; }
done

command -v chromium >/dev/null || skip "chromium is not installed; links and search index were checked"
# open a page from disk where no name of a host can be resolved; prints what the page shows
browse() {
  timeout 180 chromium --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/profile" \
    --host-resolver-rules='MAP * ~NOTFOUND' --log-net-log="$work/net.json" --virtual-time-budget=20000 --dump-dom "$1" \
    2>/dev/null
}
# requests that a page made; those of the browser itself have no origin
requests() {
  .venv/bin/python - "$work/net.json" <<'PY'
import json, sys
text = open(sys.argv[1]).read().rstrip()
log = json.loads(text if text.endswith("}") else text.rstrip(",") + "]}")
for event in log["events"]:
    values = event.get("params", {})
    if values.get("url", "").startswith("http") and values.get("initiator", "not an origin") != "not an origin":
        print(values["url"])
PY
}
browse "file://$site/index.html?q=sticky" >"$work/dom"
grep -q '[0-9] matching documents' "$work/dom" || { echo "the search finds nothing from disk"; exit 1; }
[ -z "$(requests)" ] || { echo "the page asks other hosts: $(requests)"; exit 1; }
# the page that plays, if scripts/web has built it: it starts from disk, too
if [ -f "$site/play/sixer.html" ]; then
  node tests/web/site_play.mjs "$site"
else
  echo "the page that plays is not built (scripts/web): left out"
fi
# the measurement itself
echo '<img src="https://example.org/picture.png" alt="">' >"$work/outside.html"
browse "file://$work/outside.html" >/dev/null
requests | grep -q example.org || { echo "requests to other hosts are not noticed"; exit 1; }
echo "the search works from disk, without requests to other hosts"
