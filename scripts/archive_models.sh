#!/usr/bin/env bash
# Keeps one small model of every detector and of every profile of rqgnn, with what it scores, so that later versions
# can show that they read it and compute the same.
# usage: scripts/archive_models.sh RAYLEIGH FOLDER     (RAYLEIGH: the command that makes them, with tests/ beside it)
set -euo pipefail
rayleigh=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
"$rayleigh" generate molecules -o "$work/known.jsonl" --graphs 300 --anomalous 0.2 --seed 7 --quiet
"$rayleigh" generate molecules -o "$work/new.jsonl" --graphs 20 --anomalous 0.2 --seed 8 --quiet

# Small ones: a file is to be read, not to be good.
small() {
  case "$1" in
    rqgnn-published* | rqgnn-paper*) echo --hidden 8 --depth 3 --max-labels 60 ;;
    rqgnn* | rayleigh) echo --hidden 8 --depth 3 --form-labels 40 --max-labels 60 ;;
    glocalkd | himnet) echo --hidden 16 --out 8 ;;
    gmt) echo --hidden 16 ;;
    igad) echo --hidden 16 ;;
    novelty) echo --references 30 --max-labels 40 ;;
    size | label-counts | trees | linear) ;;
    *) echo --hidden 8 ;;
  esac
}
keep() {
  local name=$1
  shift
  # shellcheck disable=SC2046
  "$rayleigh" train "$work/known.jsonl" -o "$folder/$name.model" $(small "$name") "$@" --epochs 3 --seed 3 --threads 1 \
    --quiet >/dev/null
  "$rayleigh" score "$folder/$name.model" "$work/new.jsonl" -o "$folder/$name.csv" --threads 1 --quiet
}
for profile in rayleigh published paper; do
  for isa in baseline avx2 avx512; do
    keep "rqgnn-$profile-$isa" --model rqgnn --profile $profile --isa $isa || rm -f "$folder/rqgnn-$profile-$isa".*
  done
done
keep rqgnn-ensemble --model rqgnn --ensemble 2 --isa baseline
"$rayleigh" models --format json | sed -n 's/.*"name": "\(.*\)".*/\1/p' | while read -r model; do
  [ "$model" = rqgnn ] || [ "$model" = ecfp-forest ] || keep "$model" --model "$model" --isa baseline
done
# Fingerprints of graphs that no chemistry has read are known to the tests only.
RAYLEIGH_ARCHIVE=$folder "$(dirname "$rayleigh")/tests/test_learn" --gtest_also_run_disabled_tests \
  --gtest_filter='ArchiveOfDetectors.DISABLED_MakesThoseThatNeedFingerprints' >/dev/null
