"""The protocol of one-class papers: learn from 80 % of the normal graphs, tell the rest of them from the anomalous ones.

    python3 bench/one_class.py ENZYMES.zip PROTEINS.zip --models novelty ocgin size --seeds 1 2 3 4 5 [--classes 1]

Each class of a set is the anomaly in turn. No label is shown to training: of the normal graphs that it gets, 15 % are its
validation part. Prints the mean test AUC of every set and class, and with --output writes every run as JSON. A method that
is not done after --seconds is measured as it is then.
"""

import argparse
import bisect
import csv
import json
import os
import random
import subprocess
import tempfile
import zipfile

parser = argparse.ArgumentParser(description="the protocol of one-class papers")
parser.add_argument("data", nargs="+")
parser.add_argument("--command", default="build/rayleigh")
parser.add_argument("--models", nargs="+", default=["novelty"])
parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
parser.add_argument("--classes", nargs="+", help="only these classes")
parser.add_argument("--flags", default="", help="further flags of training")
parser.add_argument("--seconds", type=int, help="time budget of a run")
parser.add_argument("--threads", default="1")
parser.add_argument("--output")
options = parser.parse_args()


def classes_of(path):
    archive = zipfile.ZipFile(path)
    (name,) = [n for n in archive.namelist() if n.endswith("_graph_labels.txt")]
    return archive.read(name).decode().split()


def parts_of(labels, anomalous, seed):
    normal = [g for g, label in enumerate(labels) if label != anomalous]
    random.Random(seed).shuffle(normal)
    known = len(normal) * 4 // 5
    train = known * 85 // 100
    rest = [g for g, label in enumerate(labels) if label == anomalous]
    return normal[:train], normal[train:known], normal[known:] + rest


def auc(scores, anomalous):
    normal = sorted(s for s, a in zip(scores, anomalous) if not a)
    wins = sum(
        (bisect.bisect_left(normal, s) + bisect.bisect_right(normal, s)) / 2 for s, a in zip(scores, anomalous) if a
    )
    return wins / (len(normal) * sum(anomalous))


def run(path, labels, anomalous, model, seed, folder):
    files = []
    for name, part in zip(("train", "validation", "test"), parts_of(labels, anomalous, seed)):
        files.append(os.path.join(folder, name))
        with open(files[-1], "w") as file:
            file.write("".join(f"{g}\n" for g in part))
    predictions = os.path.join(folder, "predictions.csv")
    command = [options.command, "train", path, "-o", os.path.join(folder, "m"), "--model", model, "--unlabelled"]
    command += ["--split-files", *files, "--predictions", predictions, "--seed", str(seed), "--quiet"]
    command += ["--threads", options.threads, "--format", "json", *options.flags.split()]
    if options.seconds:
        command += ["--time-budget", f"{options.seconds}s"]
    seconds = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["seconds"]
    with open(predictions, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == "test"]
    scores = [float(row["score"]) for row in rows]
    value = auc(scores, [labels[int(row["index"])] == anomalous for row in rows])
    return {"auc": value, "seconds": seconds["prepare"] + seconds["train"] + seconds["evaluate"]}


results = []
for path in options.data:
    labels = classes_of(path)
    for anomalous in sorted(set(labels)):
        if options.classes and anomalous not in options.classes:
            continue
        for model in options.models:
            name = os.path.basename(path).removesuffix(".zip")
            runs = []
            for seed in options.seeds:
                with tempfile.TemporaryDirectory() as folder:
                    runs.append(run(path, labels, anomalous, model, seed, folder))
                results.append({"data": name, "anomalous": anomalous, "model": model, "seed": seed, **runs[-1]})
            mean = sum(r["auc"] for r in runs) / len(runs)
            time = sum(r["seconds"] for r in runs) / len(runs)
            print(f"{name:14} {anomalous:>4} {model:10} {mean:.3f}  {time:6.1f} s", flush=True)
            if options.output:
                with open(options.output, "w") as file:
                    json.dump(results, file, indent=1)
                    file.write("\n")
