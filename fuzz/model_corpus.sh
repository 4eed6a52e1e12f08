#!/bin/sh
# Makes fuzz/corpus/model anew: the smallest model of every profile, as this version writes it.
# usage: fuzz/model_corpus.sh [COMMAND]     (default build/rayleigh)
# Needed when the format of model files changes; reproducers of findings stay.
set -eu
cd "$(dirname "$0")/.."
command=${1:-build/rayleigh}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do
  label=$((i % 3 == 0))
  echo "{\"label\":$label,\"node_labels\":[\"a\",\"b\"],\"edges\":[[0,1]],\"edge_labels\":[$((1 + i % 2))]}"
done >"$work/d.jsonl"
mkdir -p fuzz/corpus/model
for profile in rayleigh published paper; do
  "$command" train "$work/d.jsonl" -o "fuzz/corpus/model/$profile" --profile $profile --epochs 1 \
    --hidden 1 --width 2 --depth 1 --max-labels 2 --form-labels 2 --split 50/40/10 --isa baseline \
    --quiet >/dev/null
done
ls -l fuzz/corpus/model
