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
  # An assay of the project's own making; what is active carries a hydrazine.
  awk 'BEGIN {
    split("c1ccccc1 C1CCCCC1 CCCCC c1ccncc1 C1CCNCC1 CC(C)C", core, " ")
    split("O N Cl F C(=O)O OC C#N S(=O)C", end, " ")
    print "smiles,id,active"
    for (i = 0; i < 400; i++) {
      active = i % 5 == 0
      print core[1 + i % 6] end[1 + int(i / 6) % 8] substr("CCCCCCCC", 1, int(i / 48)) (active ? "NN" : "CO") ",m" i "," active
    }
  }' >"$work/assay.csv"
  awk -F, 'NR > 1 && NR % 7 == 0 { print $1, $2 }' "$work/assay.csv" >"$work/library.smi"
  echo "not-a-molecule bad" >>"$work/library.smi"
  RAYLEIGH_MODULES=$(dirname "$(find "$work/prefix" -name librayleigh_molecules.so)") \
    "$work/examples/screen_library" "$work/assay.csv" "$work/library.smi" "$work/screen.model" \
    >"$work/screen_library.txt" 2>"$work/screen_messages.txt"
  grep -q "training was stopped after epoch 2" "$work/screen_messages.txt"
  "$rayleigh" train "$work/assay.csv" -o "$work/whole.model" --atoms detailed --epochs 6 --hidden 16 --seed 3 --quiet >/dev/null
  cmp "$work/screen.model" "$work/whole.model"
  "$rayleigh" score "$work/whole.model" "$work/library.smi" --format json --quiet >"$work/rows.jsonl" || [ $? -eq 4 ]
  python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print("%d,%s,%.17g" % (row["index"], row["id"], row["score"] or 0))' <"$work/rows.jsonl" >"$work/screen_command.txt"
  cmp "$work/screen_library.txt" "$work/screen_command.txt"
  echo "a program that stops, goes on and streams molecules has the model and the scores of the command"
fi
if [ -e "$1/librayleigh_fetch.so" ]; then
  # A port where nobody listens: the module is found, and asks.
  no_proxy=127.0.0.1 "$rayleigh" fetch X --data-dir "$work/data" --base-url http://127.0.0.1:1 2>"$work/fetch.txt" && exit 1
  grep -q 'no connection to 127.0.0.1:1' "$work/fetch.txt"
  echo "the installed command downloads"
fi
echo "$(wc -l <"$work/library.txt") scores of the library and the command are the same"
