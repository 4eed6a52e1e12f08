#!/usr/bin/env bash
# All benchmarks, ours and the peer in one run on one machine; prints tables and writes
# build/bench.json. usage: bench/run.sh [load]...   THREADS=2 DATA=NCI-H23.zip to change.
set -euo pipefail
cd "$(dirname "$0")/.."
exec /usr/bin/python3 bench/run.py "$@"
