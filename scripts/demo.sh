#!/usr/bin/env bash
# The main job on generated data: make graphs, look at them, train, measure, score, and show the report.
set -euo pipefail
cd "$(dirname "$0")/.."
show() { printf '\n$ %s\n' "$*"; "$@"; }
rm -rf demo
mkdir -p demo
show build/rayleigh generate molecules -o demo/molecules --graphs 6000 --seed 1
show build/rayleigh inspect demo/molecules --rows 5
show build/rayleigh analyze demo/molecules -o demo/analysis
show build/rayleigh train demo/molecules -o demo/molecules.model --report demo/report
show build/rayleigh evaluate demo/molecules.model demo/molecules --split test
show build/rayleigh generate molecules -o demo/new.jsonl --graphs 1000 --seed 2
printf '\n$ build/rayleigh score demo/molecules.model demo/new.jsonl > demo/scores.csv\n'
build/rayleigh score demo/molecules.model demo/new.jsonl >demo/scores.csv
head -4 demo/scores.csv
printf '\nLook at:\n  demo/analysis/report.html   what the quotients show\n  demo/report/report.html     how training went\n'
