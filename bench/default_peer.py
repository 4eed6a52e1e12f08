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
import zipfile

from peer_environment import set_environment

parser = argparse.ArgumentParser(description="fingerprints and a forest on a cell line")
parser.add_argument("data")
parser.add_argument("predictions")
parser.add_argument("--threads", type=int, default=2)
options = parser.parse_args()
set_environment(options.threads)

import multiprocessing  # noqa: E402

import numpy  # noqa: E402
from rdkit import Chem, RDLogger  # noqa: E402
from rdkit.Chem import AllChem, DataStructs  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.metrics import average_precision_score, roc_auc_score  # noqa: E402

from tu_data import column  # noqa: E402

# Labels are the elements of all cell lines in the order of the alphabet.
ELEMENTS = {7: "Br", 8: "C", 11: "Cl", 18: "F", 25: "I", 33: "N", 38: "O", 40: "P", 47: "S", 50: "Si"}
BONDS = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}


def molecules(path):
    """Of every graph; an element that is not in the table is a heavy atom without a name."""
    name = path.split("/")[-1].split(".")[0]
    with zipfile.ZipFile(path) as archive:
        edges = column(archive, name, "A").reshape(-1, 2) - 1
        orders = column(archive, name, "edge_labels")
        labels = column(archive, name, "node_labels")
        graph = column(archive, name, "graph_indicator") - 1
    first = numpy.searchsorted(graph, numpy.arange(graph[-1] + 2))
    edge_graph = graph[edges[:, 0]]
    by_graph = numpy.argsort(edge_graph, kind="stable")
    edge_ptr = numpy.searchsorted(edge_graph[by_graph], numpy.arange(graph[-1] + 2))
    made = []
    for g in range(graph[-1] + 1):
        molecule = Chem.RWMol()
        for label in labels[first[g]:first[g + 1]]:
            molecule.AddAtom(Chem.Atom(ELEMENTS.get(int(label), "*")))
        for e in by_graph[edge_ptr[g]:edge_ptr[g + 1]]:
            a, b = (int(end - first[g]) for end in edges[e])
            if a < b:
                molecule.AddBond(a, b, BONDS.get(int(orders[e]), Chem.BondType.SINGLE))
        Chem.SanitizeMol(molecule, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES, catchErrors=True)
        molecule.UpdatePropertyCache(strict=False)
        made.append(molecule)
    return made


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
all_molecules = molecules(options.data)
parts = rows_and_labels(options.predictions)
begin, begin_cpu = time.perf_counter(), processor_seconds()
with multiprocessing.get_context("fork").Pool(options.threads) as pool:
    pieces = pool.map(fingerprints_of, numpy.array_split(numpy.arange(len(all_molecules)), 8 * options.threads))
bits = numpy.unpackbits(numpy.stack([row for piece in pieces for row in piece]), axis=1)
made, begin = time.perf_counter() - begin, time.perf_counter()
forest = RandomForestClassifier(n_estimators=300, n_jobs=options.threads, random_state=11)
forest.fit(bits[parts["train"][0]], parts["train"][1])
result = {"seconds": {"fingerprints": made, "forest": time.perf_counter() - begin},
          "cpu_seconds": processor_seconds() - begin_cpu}
for part in ("validation", "test"):
    rows, truth = parts[part]
    scores = forest.predict_proba(bits[rows])[:, 1]
    result[part] = {"auc": roc_auc_score(truth, scores), "average_precision": average_precision_score(truth, scores)}
print(json.dumps(result))
