#!/usr/bin/env bash
# `sixer bench nn` and `bench deep`: their tables are complete, and wrong options are refused with a reason. Times are
# not checked.
set -euo pipefail
sixer=${SIXER_BUILD:-build/release}/sixer
fail() { echo "$1"; exit 1; }

rows=$("$sixer" bench nn --rounds 1 --threads 2 --tsv)
echo "$rows"
head -1 <<<"$rows" | grep -q $'^kernels\tthreads\tpeak_gflops\tdqn_ms\tdqn_percent\tpqn_ms' || fail "the head is wrong"
awk -F'\t' '
  NR > 1 { n++; if (NF != 9) bad = 1; for (i = 2; i <= 9; i++) if (!($i > 0)) bad = 1 }
  END { exit bad || n < 2 }' <<<"$rows" || fail "a row is missing, or a figure is not above 0"

small="trunk=quick,size=20,hidden=16,batch=8"
for agent in "dqn memory=300,start=40" "rainbow memory=300,start=40" "pqn envs=4,rollout=4"; do
  options="${agent#* },$small"
  rows=$("$sixer" bench deep duskrain --agent "${agent% *}" --set "$options" --pieces 1 --updates 3 --threads 2 --tsv)
  echo "$rows"
  awk -F'\t' '
    NR == 1 { bad = $0 !~ /^agent\tgame\tthreads\tframes_per_second\ttraining_ms\tpasses_ms\tshare/ }
    NR > 1 { n++; if (NF != 8) bad = 1; for (i = 3; i <= 8; i++) if (!($i > 0)) bad = 1 }
    END { exit bad || n != 2 }' <<<"$rows" || fail "bench deep: a row is missing, or a figure is not above 0"
done

work=nn
expect() { # status, words in the message, arguments
  local status=0 out
  out=$("$sixer" bench $work "${@:3}" 2>&1 >/dev/null) || status=$?
  [ "$status" = "$1" ] || fail "bench $work ${*:3}: status $status instead of $1"
  grep -q -- "$2" <<<"$out" || fail "bench $work ${*:3}: '$out' does not say '$2'"
}
expect 2 "--rounds is 1" --rounds 0
expect 2 "takes no games" pong
expect 1 "cannot run the kernels 'sse'" --kernels sse --rounds 1
SIXER_NN=sse "$sixer" bench nn --rounds 1 >/dev/null 2>&1 || fail "bench nn names its kernels itself"
work=deep
expect 2 "agent, which is missing" --preset quick
expect 2 "--pieces" --pieces 0
expect 1 "no network that it trains" duskrain --agent random --updates 1
