#!/bin/sh
# Fuzzes every reader for SECONDS each (default 60), starting from fuzz/corpus.
# usage: fuzz/run.sh [SECONDS]
# New inputs and findings stay in the build folder; exit 1 when a target found something.
set -eu
seconds=${1:-60}
cd "$(dirname "$0")/.."
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_tu fuzz_zip fuzz_jsonl fuzz_molecules fuzz_model

failed=""
for target in tu zip jsonl molecules model; do
  work=build-fuzz/corpus/$target
  found=build-fuzz/findings/$target
  mkdir -p "$work" "$found"
  log=build-fuzz/fuzz_$target.log
  length=4096
  [ $target != model ] || length=16384
  echo "fuzz_$target: $seconds s"
  if build-fuzz/fuzz/fuzz_$target -max_total_time="$seconds" -max_len="$length" -timeout=10 \
      -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" \
      -dict=fuzz/$target.dict "$work" "fuzz/corpus/$target" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "fuzz_$target: nothing found in $runs inputs, $edges code edges reached"
  else
    failed="$failed fuzz_$target"
    echo "fuzz_$target: FOUND SOMETHING, inputs in $found, log in $log:"
    grep -E 'broken promise|ERROR:|runtime error|SUMMARY|Test unit written' "$log" | head -n 8 || tail -n 8 "$log"
  fi
done
if [ -n "$failed" ]; then
  echo "findings in:$failed"
  exit 1
fi
