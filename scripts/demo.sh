#!/usr/bin/env bash
# The main job on real molecules: the NCI compounds of Debian's rdkit-data, some of them perturbed. Train, measure, screen,
# explain, and show the reports. Without RDKit the same on generated graphs.
set -euo pipefail
cd "$(dirname "$0")/.."
rayleigh=build/rayleigh
show() { printf '\n$ %s\n' "$*"; "$@"; }
# Exit code 4: done, but some rows could not be read. Their reasons are in the table.
show_rows() { show "$@" || [ $? -eq 4 ]; }
verdicts() {
  awk -F, 'NR > 1 { rows++; odd += $5 == 1; failed += $6 == "parse-error" }
    END { printf "%d rows: %d called anomalous (%.1f %%), %d could not be read\n", rows, odd, 100 * odd / rows, failed }' "$1"
}
rm -rf demo
mkdir -p demo

compounds=$(dpkg -L rdkit-data 2>/dev/null | grep 'NCI/first_5K.smi$' || true)
if [ -n "$compounds" ] && echo C | $rayleigh inspect - --input smi --quiet >/dev/null 2>&1; then
  printf 'NCI compounds of %s: 4,000 to learn from, the rest to screen\n' "$compounds"
  head -n 4000 "$compounds" >demo/known.smi
  tail -n +4001 "$compounds" >demo/library.smi
  show_rows $rayleigh inspect demo/known.smi --rows 5
  printf '\nOne compound in twenty becomes an anomaly: each of its bonds is moved elsewhere with probability 0.15.\n'
  show $rayleigh generate perturb demo/known.smi -o demo/known.jsonl --probability 0.15 --seed 1
  show $rayleigh generate perturb demo/library.smi -o demo/new.jsonl --probability 0.15 --seed 2
  known=demo/known.jsonl new=demo/new.jsonl screened=demo/library.smi
  touched=(--touched demo/new.jsonl.touched.csv)
else
  printf 'RDKit or rdkit-data is not there: generated graphs instead of molecules\n'
  show $rayleigh generate molecules -o demo/known.jsonl --graphs 6000 --seed 1
  show $rayleigh generate molecules -o demo/new.jsonl --graphs 1000 --seed 2
  known=demo/known.jsonl new=demo/new.jsonl screened=demo/new.jsonl
  touched=()
  show $rayleigh inspect $known --rows 5
fi
show $rayleigh analyze $known -o demo/analysis
show $rayleigh train $known -o demo/demo.model --report demo/report
show $rayleigh evaluate demo/demo.model $known --split test
show_rows $rayleigh score demo/demo.model $screened -o demo/scores.csv
head -3 demo/scores.csv
verdicts demo/scores.csv
show $rayleigh evaluate demo/demo.model $new
show $rayleigh explain demo/demo.model $new -o demo/why --reference $known "${touched[@]}"
cat <<'TEXT'

Look at:
  demo/analysis/report.html   what the quotients show
  demo/report/report.html     how training went
  demo/why/report.html        which atoms made the scores, drawn
TEXT
