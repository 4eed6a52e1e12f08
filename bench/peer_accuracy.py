"""Trains PyTorch (rqgnn_peer.py) on the splits and from the start values of our profile `published`, seed by seed, and
compares the two: what `rayleigh compare` cannot do, as its detectors are ours.

    python3 bench/peer_accuracy.py [--data NCI-H23 SN12C MOLT-4 MCF-7] [--seeds 1 2 3 4 5]
    python3 bench/peer_accuracy.py --table

Results go to docs/results/accuracy.json, where a finished cell is not run again; it also holds our own runs of the same
seeds, which `--table` subtracts.
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


def arguments():
    parser = argparse.ArgumentParser(description="PyTorch beside our profile published")
    parser.add_argument("--data", nargs="+", default=DATASETS)
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
    command = [options.command, "train", data, "-o", folder / "model", "--seed", seed, "--profile", "published"]
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


def main():
    options = arguments()
    for data in [] if options.table else options.data:
        for seed in options.seeds:
            key = f"{data}/peer/{seed}"
            if key not in RESULTS.load():
                cell = run_peer(options, SHARED / "data" / f"{data}.zip", seed)
                RESULTS.keep(key, cell)
                print(f"{key}: test AUC {cell['test']['auc']:.4f}", file=sys.stderr)
    for data in options.data:
        print_paired(RESULTS.load(), data)


if __name__ == "__main__":
    main()
