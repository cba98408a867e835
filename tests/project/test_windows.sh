#!/usr/bin/env bash
# The build for Windows, run by Wine: the same digests, tapes, checkpoints and tables as on Linux, paths with blanks,
# umlauts and emoji, long paths, CRLF files, children, pipes and sockets, a read-only folder, the window.
#
# label: whole, 900 s
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() { echo "skipped: $1"; exit 77; }
command -v x86_64-w64-mingw32-gcc-posix >/dev/null || skip "mingw-w64 is not installed (scripts/setup --windows)"
command -v wine >/dev/null || skip "wine is not installed (scripts/setup --windows)"
scripts/windows-libraries || skip "the libraries for Windows cannot be built (scripts/windows-libraries)"
linux=${SIXER_BUILD:-$PWD/build/release}/sixer
[ -x "$linux" ] || skip "there is no build for Linux to compare with"

cmake --preset windows >/dev/null
cmake --build --preset windows --target sixer_program sixer_shared sixer_static -j "$(nproc)" >/dev/null
windows=$PWD/build/windows/sixer.exe
work=$(mktemp -d)
trap 'wineserver -k 2>/dev/null || true; WINEPREFIX=$work/wine-window wineserver -k 2>/dev/null || true
      rm -rf "$work"' EXIT
export WINEPREFIX=$work/wine WINEDEBUG=-all XDG_DATA_HOME=$work/data
wine wineboot -i >/dev/null 2>&1 || skip "wine cannot make its folder"
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
run() { wine "$windows" "$@"; }
roms=$(echo "$PWD"/.venv/lib/python3*/site-packages/ale_py/roms)
[ -d "$roms" ] && export SIXER_ROMS=$roms

# ---- no other libraries than those of Windows
x86_64-w64-mingw32-objdump -p "$windows" | sed -n 's/.*DLL Name: //p' | sort >"$work/dlls"
own='kernel32|msvcrt|ws2_32|shell32|psapi|advapi32|user32|gdi32|winmm|imm32|ole32|oleaut32|version|setupapi|cfgmgr32'
if grep -viE "^($own)\.dll\$" "$work/dlls"; then fail "sixer.exe needs libraries that Windows does not have"; fi

# ---- digests: every game, the cores jit and interp; plain on our own
compare_traces() { # CORE STEPS GAMES...
  local core=$1 steps=$2 game ours theirs
  shift 2
  local options=(--core "$core" --steps "$steps" --hold 3 --save-restore 97 --columns "rgb,gray,sound" --every 5)
  for game in "$@"; do
    ours=$("$linux" trace "$game" "${options[@]}" | tail -n 1)
    theirs=$(run trace "$game" "${options[@]}" | tail -n 1)
    [ "$ours" = "$theirs" ] || fail "$game, $core: $theirs instead of $ours"
  done
}
games=(duskrain sporefall undervault)
compare_traces plain 100 "${games[@]}"
if [ -d "$roms" ]; then
  for image in "$roms"/*.bin; do games+=("$(basename "$image" .bin)"); done
else
  echo "no ale_py: only our own games are compared"
fi
compare_traces jit 300 "${games[@]}"
compare_traces interp 100 "${games[@]}"
echo "${#games[@]} games have the same digests"

# ---- the same bytes, in a folder with blanks, umlauts and emoji
odd="$work/Spiele für Zoë 🎮 und andere"
mkdir -p "$odd/linux" "$odd/windows"
same() { # WHAT FILE
  cmp -s "$odd/linux/$2" "$odd/windows/$2" || fail "$1: $2 differs"
}
cat >"$work/small.toml" <<'TOML'
name = "small"
protocol = "machado2018"
games = ["duskrain"]
trials = 1
frames = "5k"

[agent.random]
TOML
sed -i 's/$/\r/' "$work/small.toml" # as an editor of Windows would write it
for side in linux windows; do
  program=("$linux")
  [ $side = linux ] || program=(run)
  (
    set -e
    cd "$odd/$side"
    "${program[@]}" record random duskrain --max-frames 600 --seed 3 -o "Täpe 🎲.tape"
    "${program[@]}" train sarsa duskrain --frames 20k --out "Läufe"
    "${program[@]}" train dqn duskrain --preset quick --frames 8k --out deep
    "${program[@]}" plan uct duskrain --simulations 5 --decisions 20 --out plan
    "${program[@]}" baselines duskrain --episodes 1 --max-frames 600 --once --only random --jobs 1 --tsv >baselines.tsv
    "${program[@]}" match random const wispherd --seeds 1 --max-frames 600 --jobs 1 >match.txt
    "${program[@]}" games --json >games.json
    for paper in bellemare2013 machado2018 saber atari5; do "${program[@]}" papers $paper; done >papers.txt
    "${program[@]}" tape info "Täpe 🎲.tape" >tape.txt
    "${program[@]}" info duskrain >info.txt
    "${program[@]}" lab run "$work/small.toml" --store small.db --jobs 1 --quiet
    "${program[@]}" lab export small.db -o exported
  ) >"$work/$side.log" 2>&1 || { tail -n 3 "$work/$side.log"; fail "$side: a command ended with an error"; }
done
same tape "Täpe 🎲.tape"
for file in baselines.tsv match.txt games.json papers.txt tape.txt info.txt exported/episodes.csv; do
  same "a table" $file
done
(cd "$odd/linux" && find Läufe deep plan -type f | sort) >"$work/files"
[ "$(wc -l <"$work/files")" -ge 6 ] || fail "training has written too few files"
while read -r file; do
  # the table of a plan has the seconds that it took
  case $file in plan/*.json) ;; *) same "training and planning" "$file" ;; esac
done <"$work/files"
(cd "$odd/windows" && run replay "../linux/Täpe 🎲.tape" >/dev/null) || fail "a tape of Linux does not replay"
(cd "$odd/linux" && "$linux" replay "../windows/Täpe 🎲.tape" >/dev/null) || fail "a tape of Windows does not replay"
(cd "$odd/windows" && run replay "Täpe 🎲.tape" --video "Film 🎬.gif" >/dev/null) || fail "no film"
(cd "$odd/linux" && "$linux" replay "Täpe 🎲.tape" --video "Film 🎬.gif" >/dev/null)
same film "Film 🎬.gif"
(cd "$odd/windows" && run info ../linux/Läufe/sarsa_duskrain_1.checkpoint >/dev/null) ||
  fail "a checkpoint of Linux is not read"

# ---- backslashes, and a path of more than 260 bytes
(cd "$odd" && run replay "windows\\Täpe 🎲.tape" >/dev/null) || fail "a path with backslashes"
long=$odd
for i in 1 2 3 4 5 6; do long="$long/a folder with a rather long name, number $i of six"; done
mkdir -p "$long"
run record random duskrain --max-frames 60 -o "$long/tape.tape" >/dev/null || fail "a path of ${#long} bytes"
run replay "$long/tape.tape" >/dev/null || fail "a path of ${#long} bytes is not read"

# ---- CRLF files
printf 'agent,game,score\r\na,pong,1\r\na,breakout,2\r\n' >"$work/scores.csv"
for side in linux windows; do
  program=("$linux")
  [ $side = linux ] || program=(run)
  rule=(--protocol nature2015 --partial --replicates 100)
  "${program[@]}" eval "$work/scores.csv" "${rule[@]}" --json >"$work/eval-$side" 2>"$work/eval-$side.err" ||
    fail "$side: eval of a CRLF file: $(tail -n 1 "$work/eval-$side.err")"
  (cd "$odd/$side" && "${program[@]}" report "$work/scores.csv" "${rule[@]}" -o "Bericht ü.html") >/dev/null 2>&1 ||
    fail "$side: report"
  grep -q '</html>' "$odd/$side/Bericht ü.html" || fail "$side: the page of the report is not whole"
done
cmp -s "$work/eval-linux" "$work/eval-windows" || fail "eval of a CRLF file differs"

# ---- serve: over pipes, and over a socket
printf '{"do": "make", "game": "duskrain", "ram": true}\n{"do": "step", "action": 1}\n' >"$work/requests"
"$linux" serve <"$work/requests" >"$work/serve-linux"
run serve <"$work/requests" >"$work/serve-windows"
cmp -s "$work/serve-linux" "$work/serve-windows" || fail "serve over pipes"
run bench serve --steps 200 --rounds 1 --tsv >/dev/null || fail "bench serve: a child over pipes"

# ---- a folder where nobody may write: all that only reads works, all that writes says so
mkdir "$odd/fixed ü"
cp "$windows" "$odd/fixed ü/sixer.exe"
cp "$odd/linux/Täpe 🎲.tape" "$odd/fixed ü/"
chmod a-w "$odd/fixed ü"
fixed() { (cd "$odd/fixed ü" && wine sixer.exe "$@"); }
fixed replay "Täpe 🎲.tape" >/dev/null || fail "a read-only installation does not replay"
[ "$(fixed trace duskrain --steps 100 | tail -n 1)" = "$("$linux" trace duskrain --steps 100 | tail -n 1)" ] ||
  fail "a read-only installation does not play"
if [ "$(id -u)" -ne 0 ]; then # the administrator may write everywhere
  if fixed record random duskrain --max-frames 60 -o new.tape 2>"$work/refused"; then fail "it wrote there"; fi
  grep -q "new.tape" "$work/refused" || fail "a refused file is not named"
fi
if run record random duskrain --max-frames 60 -o "$work/no such folder/x.tape" 2>"$work/refused"; then
  fail "a tape in a folder that does not exist"
fi
grep -q "no such folder" "$work/refused" || fail "a missing folder is not named: $(cat "$work/refused")"
chmod u+w "$odd/fixed ü"

# ---- playing: without a terminal it refuses; the window shows what that of Linux shows
if run play duskrain --terminal </dev/null >"$work/terminal" 2>&1; then fail "play --terminal without a terminal"; fi
grep -q "needs a terminal" "$work/terminal" || fail "play --terminal says: $(cat "$work/terminal")"
if [ ! -f build/libraries/windows/lib/libSDL2.a ]; then
  echo "SDL2 for Windows was not built: the window is not tried"
elif ! command -v xvfb-run >/dev/null; then
  echo "Xvfb is not installed: the window is not tried"
else
  printf '%s\n' '0 clock 0.004' '20 key down Space' '30 key up Space' '40 key down Left' '60 key up Left' \
    '100 dump picture.ppm' '120 quit' >"$work/script"
  for side in linux windows; do
    program=("$linux")
    [ $side = linux ] || program=(wine "$windows") # in a folder of its own: Wine's desktop here has no display
    (cd "$odd/$side" && WINEPREFIX=$work/wine-window SDL_AUDIODRIVER=dummy SIXER_PLAY_SCRIPT="$work/script" \
      timeout 300 \
      xvfb-run -a "${program[@]}" play hedgelight --scale 2 --record "Fenster ü.tape") >"$work/window" 2>&1 ||
      fail "$side: the window: $(tail -n 2 "$work/window")"
  done
  same "what the window shows" picture.ppm
  same "a tape of the window" "Fenster ü.tape"
fi

# ---- bad input says so, with the same status
for arguments in "" "nonsense" "trace" "trace nosuchgame" "replay nosuch.tape" "train sarsa nosuchgame"; do
  # shellcheck disable=SC2086
  "$linux" $arguments >/dev/null 2>"$work/error-linux" && a=0 || a=$?
  # shellcheck disable=SC2086
  run $arguments >/dev/null 2>"$work/error-windows" && b=0 || b=$?
  [ "$a" = "$b" ] || fail "status of 'sixer $arguments': $b instead of $a"
  cmp -s "$work/error-linux" "$work/error-windows" || fail "message of 'sixer $arguments'"
done
exit $((failures > 0))
