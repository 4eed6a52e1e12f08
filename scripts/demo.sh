#!/usr/bin/env bash
# The main job on generated data: make COLORS-3 and molecules, look at them.
set -euo pipefail
cd "$(dirname "$0")/.."
show() { printf '\n$ %s\n' "$*"; "$@"; }
mkdir -p demo
rm -rf demo/COLORS-3 demo/molecules demo/analysis
show build/rayleigh generate colors3 -o demo/COLORS-3 --seed 1
show build/rayleigh inspect demo/COLORS-3 --anomaly-class 10
show build/rayleigh generate molecules -o demo/molecules --graphs 2000 --seed 1
show build/rayleigh analyze demo/molecules -o demo/analysis
