#!/usr/bin/env bash
# Installs the build into a temporary prefix and builds and runs projects that only know that.
# The example's scores must be those of the command.
# usage: test.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null
for project in "$here" "$here/../../examples"; do
  name=$(basename "$project")
  cmake -S "$project" -B "$work/$name" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build "$work/$name" >/dev/null
done
"$work/package/consumer" "$work"
rayleigh="$work/prefix/bin/rayleigh"
"$rayleigh" --version
"$rayleigh" generate molecules -o "$work/new.jsonl" --graphs 200 --seed 2 --quiet
"$work/examples/score_graphs" "$work/model" "$work/new.jsonl" >"$work/library.txt"
"$rayleigh" score "$work/model" "$work/new.jsonl" --format json --quiet |
  python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print("%.17g %.17g %d" % (row["score"], row["probability"], row["anomalous"]))' >"$work/command.txt"
cmp "$work/library.txt" "$work/command.txt"
if [ -e "$1/librayleigh_molecules.so" ]; then
  echo CCO | "$rayleigh" inspect - --input smi --format json --quiet | grep -q '"total_nodes": 3'
  echo "the installed command reads molecules"
fi
if [ -e "$1/librayleigh_fetch.so" ]; then
  # A port where nobody listens: the module is found, and asks.
  no_proxy=127.0.0.1 "$rayleigh" fetch X --data-dir "$work/data" --base-url http://127.0.0.1:1 2>"$work/fetch.txt" && exit 1
  grep -q 'no connection to 127.0.0.1:1' "$work/fetch.txt"
  echo "the installed command downloads"
fi
echo "$(wc -l <"$work/library.txt") scores of the library and the command are the same"
