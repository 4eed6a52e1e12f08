"""Morgan fingerprints and scikit-learn's forest on a cell line, on the parts of a run of ours; seconds and quality as JSON.

    python3 bench/default_peer.py NCI-H23.zip PREDICTIONS [--threads 2]

PREDICTIONS is what `rayleigh train --predictions` wrote: which graph is in which part. The archive has no SMILES, only
graphs whose node labels are elements and whose edge labels are bond orders; molecules are built from them. Reading the
archive and building molecules is not counted.
"""

import argparse
import csv
import json
import resource
import time
from pathlib import Path

from peer_environment import set_environment

parser = argparse.ArgumentParser(description="fingerprints and a forest on a cell line")
parser.add_argument("data")
parser.add_argument("predictions")
parser.add_argument("--threads", type=int, default=2)
options = parser.parse_args()
set_environment(options.threads)

import multiprocessing  # noqa: E402

import numpy  # noqa: E402
from rdkit import RDLogger  # noqa: E402
from rdkit.Chem import AllChem, DataStructs  # noqa: E402
from scipy.sparse import csc_matrix  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.metrics import average_precision_score, roc_auc_score  # noqa: E402

from forest_peer import molecules_of_graphs  # noqa: E402


def fingerprint(molecule):
    bits = numpy.zeros(2048, dtype=numpy.uint8)
    DataStructs.ConvertToNumpyArray(AllChem.GetMorganFingerprintAsBitVect(molecule, 2, nBits=2048), bits)
    return numpy.packbits(bits)


def fingerprints_of(some):
    return [fingerprint(all_molecules[i]) for i in some]


def processor_seconds():
    """Of this process and of those that it waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def rows_and_labels(path):
    parts = {"train": ([], []), "validation": ([], []), "test": ([], [])}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] in parts:
                parts[row["part"]][0].append(int(row["index"]))
                parts[row["part"]][1].append(int(row["label"]))
    return parts


RDLogger.DisableLog("rdApp.*")
all_molecules = list(molecules_of_graphs(Path(options.data)))
parts = rows_and_labels(options.predictions)
begin, begin_cpu = time.perf_counter(), processor_seconds()
with multiprocessing.get_context("fork").Pool(options.threads) as pool:
    pieces = pool.map(fingerprints_of, numpy.array_split(numpy.arange(len(all_molecules)), 8 * options.threads))
bits = numpy.unpackbits(numpy.stack([row for piece in pieces for row in piece]), axis=1)
made, begin = time.perf_counter() - begin, time.perf_counter()
forest = RandomForestClassifier(n_estimators=300, n_jobs=options.threads, random_state=11)
# Sparse columns give the forest the same trees in a fraction of the time.
forest.fit(csc_matrix(bits[parts["train"][0]], dtype=numpy.float32), parts["train"][1])
result = {"seconds": {"fingerprints": made, "forest": time.perf_counter() - begin},
          "cpu_seconds": processor_seconds() - begin_cpu}
# As most programs call it, with an array: the same trees, of which a fifth is enough to know the time.
begin = time.perf_counter()
RandomForestClassifier(n_estimators=60, n_jobs=options.threads, random_state=11).fit(bits[parts["train"][0]], parts["train"][1])
result["seconds"]["forest_from_array"] = 5 * (time.perf_counter() - begin)
for part in ("validation", "test"):
    rows, truth = parts[part]
    scores = forest.predict_proba(csc_matrix(bits[rows], dtype=numpy.float32))[:, 1]
    result[part] = {"auc": roc_auc_score(truth, scores), "average_precision": average_precision_score(truth, scores)}
print(json.dumps(result))
