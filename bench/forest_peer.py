"""ECFP4 fingerprints and a random forest, what a chemist would try first, on assays of molecules.

    python3 bench/forest_peer.py [--tasks HIV NR-AR SR-p53] [--splits random scaffold] [--seeds 1 2 3]
    python3 bench/forest_peer.py --table

The forest sees the molecules and parts that `rayleigh compare` gives its detectors for the same seeds, and learns from
the training part only. A finished cell is not run again; results go to docs/results/molecules.json, which also holds
our own runs of the same seeds.
"""

import argparse
import csv
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kept_results import KeptResults

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("RAYLEIGH_SHARED", ROOT.parent / "shared"))
RESULTS = KeptResults(ROOT / "docs" / "results" / "molecules.json")
TASKS = {"HIV": ("HIV.csv.gz", "HIV_active"), "NR-AR": ("tox21.csv.gz", "NR-AR"), "SR-p53": ("tox21.csv.gz", "SR-p53")}
SPLITS = {"random": [], "scaffold": ["--split", "scaffold"]}
FOREST = "ECFP4, forest"


def arguments():
    parser = argparse.ArgumentParser(description="fingerprints and a forest on assays of molecules")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--splits", nargs="+", default=list(SPLITS), choices=list(SPLITS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--command", default=str(ROOT / "build" / "rayleigh"))
    parser.add_argument("--table", action="store_true", help="only print what is there")
    return parser.parse_args()


def molecules_of(task):
    """SMILES by row, and a file in which every row has its number as its name."""
    file, column = TASKS[task]
    smiles = {}
    path = Path(tempfile.mkdtemp()) / f"{task}.csv"
    with gzip.open(SHARED / "data" / file, "rt", newline="") as source, open(path, "w", newline="") as target:
        out = csv.writer(target)
        out.writerow(["row", "smiles", column])
        for number, row in enumerate(csv.DictReader(source)):
            if row[column] != "":
                smiles[str(number)] = row["smiles"]
                out.writerow([number, row["smiles"], row[column]])
    return smiles, path


def write_parts(options, task, split, seed, path, predictions):
    """Which molecule is in which part; the parts are those of every detector, the cheapest tells them."""
    command = [options.command, "train", path, "--label-column", TASKS[task][1], "--id-column", "row", "--anomaly-class", "1"]
    command += ["-o", path.parent / "model", "--seed", seed, *SPLITS[split], "--model", "label-counts"]
    command += ["--threads", options.threads, "--predictions", predictions, "--quiet"]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


class Fingerprints:
    """Morgan, radius 2, 2,048 bits; computed once per molecule."""

    def __init__(self, smiles):
        from rdkit import Chem, RDLogger
        from rdkit.Chem import AllChem, DataStructs

        RDLogger.DisableLog("rdApp.*")
        self.smiles = smiles
        self.known = {}
        self.read = Chem.MolFromSmiles
        self.morgan = AllChem.GetMorganFingerprintAsBitVect
        self.fill = DataStructs.ConvertToNumpyArray

    def rows(self, names):
        import numpy

        for name in names:
            if name not in self.known:
                bits = numpy.zeros(2048, dtype=numpy.uint8)
                self.fill(self.morgan(self.read(self.smiles[name]), 2, nBits=2048), bits)
                self.known[name] = numpy.packbits(bits)
        return numpy.unpackbits(numpy.stack([self.known[name] for name in names]), axis=1)


def run_forest(options, fingerprints, predictions, seed):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import average_precision_score, roc_auc_score

    parts = {"train": ([], []), "validation": ([], []), "test": ([], [])}
    with open(predictions, newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] in parts:
                names, labels = parts[row["part"]]
                names.append(row["id"])
                labels.append(int(row["label"]))
    begin = time.perf_counter()
    forest = RandomForestClassifier(n_estimators=300, n_jobs=options.threads, random_state=seed)
    forest.fit(fingerprints.rows(parts["train"][0]), parts["train"][1])
    cell = {"flags": ["n_estimators=300", "radius=2", "bits=2048"]}
    for part in ("validation", "test"):
        names, labels = parts[part]
        scores = forest.predict_proba(fingerprints.rows(names))[:, 1]
        cell[part] = {"auc": roc_auc_score(labels, scores), "average_precision": average_precision_score(labels, scores)}
    cell["seconds"] = round(time.perf_counter() - begin, 1)
    return cell


def mean(cells, metric):
    values = [cell["test"][metric] for cell in cells]
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.mean(values):.4f} ± {spread:.4f}"


def table(results):
    print(f"{'task':<8}{'split':<10}{'detector':<28}{'seeds':<7}{'AUC':<18}average precision")
    for key in dict.fromkeys(name.rsplit("/", 1)[0] for name in results):
        task, split, model = key.split("/")
        cells = [cell for name, cell in results.items() if name.startswith(f"{key}/")]
        print(f"{task:<8}{split:<10}{model:<28}{len(cells):<7}{mean(cells, 'auc'):<18}{mean(cells, 'average_precision')}")


def run_all(options):
    for task in options.tasks:
        smiles, path = molecules_of(task)
        fingerprints = Fingerprints(smiles)
        for split in options.splits:
            for seed in options.seeds:
                key = f"{task}/{split}/{FOREST}/{seed}"
                if key in RESULTS.load():
                    continue
                predictions = path.parent / "predictions.csv"
                write_parts(options, task, split, seed, path, predictions)
                cell = run_forest(options, fingerprints, predictions, seed)
                RESULTS.keep(key, cell)
                print(f"{key}: test AUC {cell['test']['auc']:.4f}, {cell['seconds']} s", file=sys.stderr)


def main():
    options = arguments()
    if not options.table:
        run_all(options)
    table(RESULTS.load())


if __name__ == "__main__":
    main()
