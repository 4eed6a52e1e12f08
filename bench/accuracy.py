"""Trains a grid of datasets, profiles and seeds and keeps every result; a finished cell is not run again.

    python3 bench/accuracy.py [--data NCI-H23 SN12C MOLT-4 MCF-7] [--runs published paper rayleigh] [--seeds 1 2 3 4 5]
    python3 bench/accuracy.py --runs peer duplicates --data NCI-H23
    python3 bench/accuracy.py --table

A run is a name and the flags it stands for (RUNS below); `peer` is PyTorch (rqgnn_peer.py) on the splits of
`published`, from the same start values. The split moves with the seed. Results go to docs/results/accuracy.json: metrics, split and settings
only. `--table` prints means beside the paper's figures, and the paired difference of `published` and its peer.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from kept_results import KeptResults

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("RAYLEIGH_SHARED", ROOT.parent / "shared"))
RESULTS = KeptResults(ROOT / "docs" / "results" / "accuracy.json")
DATASETS = ["NCI-H23", "SN12C", "MOLT-4", "MCF-7"]
RUNS = {
    "published": ["--profile", "published"],
    "paper": ["--profile", "paper"],
    "rayleigh": ["--profile", "rayleigh"],
    "duplicates": ["--profile", "published", "--split-group", "duplicates"],
    "peer": [],
}
# Table 1 of the paper, one run each: AUC, macro-F1.
PAPER = {"NCI-H23": (0.868, 0.7214), "SN12C": (0.8861, 0.766), "MOLT-4": (0.8316, 0.724), "MCF-7": (0.8354, 0.7394)}
METRICS = ["auc", "average_precision", "macro_f1", "macro_f1_tuned"]


def arguments():
    parser = argparse.ArgumentParser(description="accuracy of the profiles over datasets and seeds")
    parser.add_argument("--data", nargs="+", default=DATASETS)
    parser.add_argument("--runs", nargs="+", default=["published", "paper", "rayleigh"], choices=list(RUNS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--command", default=str(ROOT / "build" / "rayleigh"))
    parser.add_argument("--table", action="store_true", help="only print what is there")
    return parser.parse_args()


def run_json(command):
    out = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(out.stdout)


def export_split(options, data, seed, folder):
    """Three files with the graphs of the parts of our split, training, validation and test, and folder/model with
    the start values: an epoch at learning rate 0."""
    predictions = folder / "predictions.csv"
    command = [options.command, "train", data, "-o", folder / "model", "--seed", seed, *RUNS["published"]]
    run_json([*command, "--epochs", 1, "--lr", 0, "--predictions", predictions, "--format", "json", "--quiet"])
    members = {"train": [], "validation": [], "test": []}
    with open(predictions, newline="") as file:
        for row in csv.DictReader(file):
            members[row["part"]].append(row["index"])
    for part, graphs in members.items():
        (folder / part).write_text("\n".join(graphs) + "\n")
    return [folder / part for part in members]


def run_peer(options, data, seed):
    with tempfile.TemporaryDirectory() as folder:
        files = export_split(options, data, seed, Path(folder))
        command = ["/usr/bin/python3", ROOT / "bench" / "rqgnn_peer.py", data, "--style", "fast", "--seed", seed]
        command += ["--start", Path(folder) / "model"]
        report = run_json([*command, "--threads", options.threads, "--split-files", *files])
    return {key: report[key] for key in ("epochs_run", "best_epoch", "validation", "test", "torch")}


def run_cell(options, data, run, seed):
    if run == "peer":
        return run_peer(options, SHARED / "data" / f"{data}.zip", seed)
    with tempfile.TemporaryDirectory() as folder:
        command = [options.command, "train", SHARED / "data" / f"{data}.zip", "-o", Path(folder) / "model", "--seed", seed]
        command += [*RUNS[run], "--threads", options.threads, "--format", "json", "--quiet"]
        report = run_json(command)
    kept = {key: report[key] for key in ("split", "epochs_run", "best_epoch", "validation", "test")}
    kept["flags"] = RUNS[run]
    return kept


def mean(cells, part, metric):
    values = [cell[part][metric] for cell in cells if cell[part][metric] is not None]
    if not values:
        return ""
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.mean(values):.4f} ± {spread:.4f}"


def print_paired(results, data):
    """Our `published` minus its peer, seed by seed."""
    differences = []
    for key, cell in results.items():
        ours = results.get(key.replace("/peer/", "/published/"))
        if key.startswith(f"{data}/peer/") and ours:
            differences.append(ours["test"]["auc"] - cell["test"]["auc"])
    if differences:
        spread = statistics.stdev(differences) if len(differences) > 1 else 0
        print(f"{data:<9}published - peer, AUC, {len(differences)} seeds: {statistics.mean(differences):+.4f} ± {spread:.4f}")


def table(results):
    print(f"{'data':<9}{'run':<16}{'seeds':<7}" + "".join(f"{metric:<20}" for metric in METRICS))
    runs = sorted({key.split("/")[1] for key in results}, key=lambda r: list(RUNS).index(r) if r in RUNS else 99)
    for data in DATASETS:
        if data in PAPER:
            print(f"{data:<9}{'the paper':<16}{'':<7}{PAPER[data][0]:<20}{'':<20}{PAPER[data][1]:<20}")
        for run in runs:
            cells = [cell for key, cell in results.items() if key.startswith(f"{data}/{run}/")]
            if cells:
                print(f"{data:<9}{run:<16}{len(cells):<7}" + "".join(f"{mean(cells, 'test', m):<20}" for m in METRICS))
        print_paired(results, data)


def main():
    options = arguments()
    if not options.table:
        for run in options.runs:
            for data in options.data:
                for seed in options.seeds:
                    key = f"{data}/{run}/{seed}"
                    if key in RESULTS.load():
                        continue
                    cell = run_cell(options, data, run, seed)
                    RESULTS.keep(key, cell)
                    tuned = cell["test"]["macro_f1_tuned"]
                    print(f"{key}: test AUC {cell['test']['auc']:.4f}, tuned macro-F1 {tuned:.4f}", file=sys.stderr)
    table(RESULTS.load())


if __name__ == "__main__":
    main()
