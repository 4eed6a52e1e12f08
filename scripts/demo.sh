#!/usr/bin/env bash
# The main job on generated data: make COLORS-3, look at it.
set -euo pipefail
cd "$(dirname "$0")/.."
show() { printf '\n$ %s\n' "$*"; "$@"; }
mkdir -p demo
rm -rf demo/COLORS-3
show build/rayleigh generate colors3 -o demo/COLORS-3 --seed 1
show build/rayleigh inspect demo/COLORS-3 --anomaly-class 10
