"""Our detectors beside ECFP4 fingerprints and random forests, what a chemist would try first, on the same parts.

    python3 bench/forest_peer.py [--tasks …] [--splits random scaffold] [--seeds 1 2 3] [--methods …]
    python3 bench/forest_peer.py --table | --markdown | --check

Every method sees the parts that `rayleigh train` makes for the same seed, learns from the training part, and has the
threshold of its macro-F1 chosen on the validation part. A finished run is not made again; results go to
docs/results/default_detector.json. On a scaffold split the seed moves the method, not the parts.

The cell lines have no SMILES, only graphs: labels are the symbols of the elements in alphabetical order, edge labels
the orders of bonds. Molecules are built of them for RDKit; elements that are rare in the sets stay apart by isotopes.
"""

import argparse
import csv
import gzip
import itertools
import json
import math
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
RESULTS = KeptResults(ROOT / "docs" / "results" / "default_detector.json")
CELL_LINES = ["NCI-H23", "MCF-7", "MOLT-4", "SN12C"]
ASSAYS = {"HIV": ("HIV.csv.gz", "HIV_active"), "SR-p53": ("tox21.csv.gz", "SR-p53"), "NR-AR": ("tox21.csv.gz", "NR-AR")}
SPLITS = {"random": [], "scaffold": ["--split", "scaffold"]}
FORESTS = {
    "forest": {"n_estimators": 300},
    "forest-tuned": {"n_estimators": 500, "min_samples_leaf": 2, "class_weight": "balanced"},
}
ELEMENTS = {8: "C", 38: "O", 33: "N", 47: "S", 11: "Cl", 18: "F", 7: "Br", 40: "P", 25: "I", 50: "Si", 5: "B"}
TITLES = {"rayleigh": "`rayleigh`", "forest": "ECFP4, 300 trees", "forest-tuned": "ECFP4, tuned forest"}
METRICS = ["auc", "average_precision", "macro_f1_tuned"]


def arguments():
    parser = argparse.ArgumentParser(description="our detectors beside fingerprints and forests")
    parser.add_argument("--tasks", nargs="+", default=[*CELL_LINES, *ASSAYS], choices=[*CELL_LINES, *ASSAYS])
    parser.add_argument("--splits", nargs="+", default=list(SPLITS), choices=list(SPLITS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--methods", nargs="+", default=[*FORESTS, "rayleigh"],
                        help="forest, forest-tuned, or a detector with settings, trees:tree-depth=8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--command", default=str(ROOT / "build" / "rayleigh"))
    parser.add_argument("--results", type=Path, help="file for the results in place of the one in docs/results")
    parser.add_argument("--part", default="test", choices=["validation", "test"], help="part that the table shows")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    parser.add_argument("--markdown", action="store_true", help="print what is there as docs/accuracy.md and README.md have it")
    parser.add_argument("--check", action="store_true", help="only look whether these pages have it")
    return parser.parse_args()


class Task:
    """A set as a file for the command, and its fingerprints."""

    def __init__(self, name, folder):
        self.name = name
        self.bits = None
        if name in CELL_LINES:
            self.path = SHARED / "data" / f"{name}.zip"
            self.flags = []
            return
        file, column = ASSAYS[name]
        self.path = Path(folder) / f"{name}.csv"
        self.flags = ["--label-column", column, "--id-column", "row", "--anomaly-class", "1"]
        self.smiles = {}
        with gzip.open(SHARED / "data" / file, "rt", newline="") as source, open(self.path, "w", newline="") as target:
            out = csv.writer(target)
            out.writerow(["row", "smiles", column])
            for number, row in enumerate(csv.DictReader(source)):
                if row[column] != "":
                    self.smiles[str(number)] = row["smiles"]
                    out.writerow([number, row["smiles"], row[column]])

    def fingerprints(self, rows):
        """Of rows of the predictions: Morgan, radius 2, 2,048 bits; computed once per set. Sparse columns give the
        forest the same trees in a seventh of the time."""
        import numpy
        from scipy.sparse import csc_matrix

        if self.bits is None:
            begin = time.perf_counter()
            self.bits = self.all_fingerprints()
            self.seconds = time.perf_counter() - begin
        bits = numpy.unpackbits(numpy.stack([self.bits[self.key(row)] for row in rows]), axis=1)
        return csc_matrix(bits, dtype=numpy.float32)

    def key(self, row):
        return int(row["index"]) if self.name in CELL_LINES else row["id"]

    def all_fingerprints(self):
        import numpy
        from rdkit import Chem, RDLogger
        from rdkit.Chem import AllChem, DataStructs

        RDLogger.DisableLog("rdApp.*")

        def packed(molecule):
            bits = numpy.zeros(2048, dtype=numpy.uint8)
            DataStructs.ConvertToNumpyArray(AllChem.GetMorganFingerprintAsBitVect(molecule, 2, nBits=2048), bits)
            return numpy.packbits(bits)

        if self.name in CELL_LINES:
            return {number: packed(molecule) for number, molecule in enumerate(molecules_of_graphs(self.path))}
        # What RDKit cannot read the command leaves out too.
        read = ((name, Chem.MolFromSmiles(smiles)) for name, smiles in self.smiles.items())
        return {name: packed(molecule) for name, molecule in read if molecule is not None}


def molecules_of_graphs(path):
    import zipfile

    from rdkit import Chem
    from tu_data import column

    with zipfile.ZipFile(path) as archive:
        name = path.stem
        edges = column(archive, name, "A").reshape(-1, 2) - 1
        node_graph = column(archive, name, "graph_indicator") - 1
        labels = column(archive, name, "node_labels")
        orders = column(archive, name, "edge_labels")
    bond_type = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}
    count = int(node_graph[-1]) + 1
    molecules = [Chem.RWMol() for _ in range(count)]
    number = []
    for graph, label in zip(node_graph, labels):
        atom = Chem.Atom(ELEMENTS.get(int(label), "Xe"))
        if int(label) not in ELEMENTS:
            atom.SetIsotope(int(label) + 1)
        number.append(molecules[graph].AddAtom(atom))
    for (a, b), order in zip(edges, orders):
        if a < b:
            molecules[node_graph[a]].AddBond(number[a], number[b], bond_type[int(order)])
    for molecule in molecules:
        molecule.UpdatePropertyCache(strict=False)
        Chem.SanitizeMol(molecule, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES, catchErrors=True)
        yield molecule


def run_command(options, task, split, seed, model, *flags):
    name, *settings = model.split(":")
    command = [options.command, "train", task.path, *task.flags, "--seed", seed, *SPLITS[split], "--model", name]
    for setting in settings:
        key, _, value = setting.partition("=")
        command += [f"--{key}", value] if value else [f"--{key}"]
    with tempfile.TemporaryDirectory() as folder:
        command += ["-o", Path(folder) / "model", "--threads", options.threads, "--format", "json", "--quiet", *flags]
        out = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(out.stdout)


def best_threshold(labels, scores):
    """Of the highest macro-F1, halfway between two scores."""
    import numpy

    order = numpy.argsort(-scores, kind="stable")
    hit = numpy.cumsum(labels[order])
    called = numpy.arange(1, len(labels) + 1)
    positives, count = labels.sum(), len(labels)
    own = 2 * hit / (called + positives)
    true_normal = (count - positives) - (called - hit)
    other = 2 * true_normal / numpy.maximum(1, (count - called) + (count - positives))
    sums = own + other
    sorted_scores = scores[order]
    sums[:-1][sorted_scores[:-1] == sorted_scores[1:]] = -1
    best = int(sums.argmax())
    return (sorted_scores[best] + sorted_scores[best + 1]) / 2 if best + 1 < count else sorted_scores[best] - 1


def run_forest(options, task, predictions, seed, settings):
    import numpy
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

    parts = {"train": [], "validation": [], "test": []}
    with open(predictions, newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] in parts:
                parts[row["part"]].append(row)
    labels = {part: numpy.array([int(row["label"]) for row in rows]) for part, rows in parts.items()}
    bits = {part: task.fingerprints(rows) for part, rows in parts.items()}
    begin = time.perf_counter()
    forest = RandomForestClassifier(n_jobs=options.threads, random_state=seed, **settings)
    forest.fit(bits["train"], labels["train"])
    fitted = time.perf_counter() - begin
    scores = {part: forest.predict_proba(bits[part])[:, 1] for part in ("validation", "test")}
    threshold = best_threshold(labels["validation"], scores["validation"])
    cell = {"seconds": {"fingerprints": round(task.seconds, 1), "fit": round(fitted, 1)}}
    for part, own in scores.items():
        cell[part] = {
            "auc": roc_auc_score(labels[part], own),
            "average_precision": average_precision_score(labels[part], own),
            "macro_f1_tuned": f1_score(labels[part], own >= threshold, average="macro"),
            "calibration_error": calibration_error(labels[part], own),
            "top_100": top_hundred(labels[part], own),
        }
    return cell


def calibration_error(labels, probabilities, bins=10):
    """Expected calibration error over bins of as many graphs each."""
    import numpy

    order = numpy.argsort(probabilities, kind="stable")
    pieces = numpy.array_split(order, bins)
    return sum(len(p) * abs(labels[p].mean() - probabilities[p].mean()) for p in pieces) / len(labels)


def top_hundred(labels, probabilities):
    import numpy

    best = numpy.argsort(-probabilities, kind="stable")[:100]
    return {"expected": float(probabilities[best].sum()), "found": int(labels[best].sum())}


def run_ours(options, task, split, seed, model):
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        predictions = Path(folder) / "predictions.csv"
        result = run_command(options, task, split, seed, model, "--predictions", predictions)
        rows = list(csv.DictReader(open(predictions, newline="")))
    cell = {"seconds": result["seconds"], "epochs": result["epochs_run"], "best_epoch": result["best_epoch"]}
    if "blend" in result:
        cell["blend"] = result["blend"]
    cell["validation"] = {key: result["validation"][key] for key in METRICS if key in result["validation"]}
    cell["test"] = {key: result["test"][key] for key in METRICS}
    for part in ("validation", "test"):
        own = [row for row in rows if row["part"] == part]
        labels = numpy.array([int(row["label"]) for row in own])
        probabilities = numpy.array([float(row["probability"]) for row in own])
        cell[part]["calibration_error"] = calibration_error(labels, probabilities)
        cell[part]["top_100"] = top_hundred(labels, probabilities)
    return cell


def run_all(options):
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tasks:
            task = None
            splits = ["random"] if name in CELL_LINES else options.splits
            for split, seed, method in itertools.product(splits, options.seeds, options.methods):
                key = f"{name}/{split}/{method}/{seed}"
                if "macro_f1_tuned" in RESULTS.load().get(key, {}).get("test", {}):
                    continue
                task = task or Task(name, folder)
                if method in FORESTS:
                    predictions = Path(folder) / "predictions.csv"
                    run_command(options, task, split, seed, "label-counts", "--predictions", predictions)
                    cell = run_forest(options, task, predictions, seed, FORESTS[method])
                else:
                    cell = run_ours(options, task, split, seed, method)
                RESULTS.keep(key, cell)
                test = cell[options.part]
                print(f"{key}: {options.part} {test['auc']:.4f} {test['average_precision']:.4f}", file=sys.stderr, flush=True)


def by_group(results, part):
    """{(task, split): {method: {seed: cell of the part}}}"""
    groups = {}
    for key, cell in results.items():
        task, split, method, seed = key.rsplit("/", 3)
        groups.setdefault((task, split), {}).setdefault(method, {})[int(seed)] = cell[part]
    return groups


# Two-sided 97.5 % points of Student's t for 1, 2, … degrees of freedom.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120]


def interval(values):
    if len(values) < 2:
        return float("nan")
    return STUDENT[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))


def table(options):
    groups = by_group(RESULTS.load(), options.part)
    print(f"{'task':<9}{'split':<10}{'method':<28}{'seeds':<8}{'AUC':<8}{'AP':<8}{'F1':<8}paired differences to it of ours (rayleigh)")
    for (task, split), methods in groups.items():
        ours = methods.get("rayleigh", {})
        for method, cells in methods.items():
            means = [statistics.mean(c.get(m, float("nan")) for c in cells.values()) for m in METRICS]
            line = f"{task:<9}{split:<10}{method:<28}{len(cells):<8}" + "".join(f"{m:<8.4f}" for m in means)
            common = sorted(set(ours) & set(cells))
            if method != "rayleigh" and common:
                for m in METRICS:
                    differences = [ours[s][m] - cells[s][m] for s in common if m in ours[s] and m in cells[s]]
                    line += f"{statistics.mean(differences):+.4f} ± {interval(differences):.4f}  " if differences else "–  "
            print(line)


def three_numbers(cells):
    means = [statistics.mean(cell[m] for cell in cells) if all(m in cell for cell in cells) else None for m in METRICS]
    return " / ".join("–" if mean is None else f"{mean:.3f}" for mean in means)


def difference(ours, theirs):
    """Ours minus theirs over the seeds that both have, with 95 % intervals of the mean where there are several."""
    common = sorted(set(ours) & set(theirs))
    words = []
    for metric in METRICS:
        values = [ours[s][metric] - theirs[s][metric] for s in common if metric in ours[s] and metric in theirs[s]]
        width = interval(values)
        words.append("–" if not values else f"{statistics.mean(values):+.3f}" + ("" if math.isnan(width) else f" ± {width:.3f}"))
    return " / ".join(words), len(common)


def ordered_groups(results, part):
    """(title, {method: {seed: cell}}) of the tasks that are there, in the order of the pages."""
    groups = by_group(results, part)
    order = [(task, "random") for task in CELL_LINES] + [(task, split) for task in ASSAYS for split in SPLITS]
    for task, split in order:
        if (task, split) in groups:
            yield (task if task in CELL_LINES else f"{task}, {split}"), groups[task, split]


def long_table(results, part):
    """As docs/accuracy.md has it."""
    lines = ["| task | | seeds | AUC / average precision / tuned macro-F1 | `rayleigh` minus it |", "|---|---|---|---|---|"]
    for name, methods in ordered_groups(results, part):
        for method, title in TITLES.items():
            cells = methods.get(method)
            if cells:
                words = difference(methods.get("rayleigh", {}), cells)[0] if method != "rayleigh" else ""
                lines.append(f"| {name} | {title} | {len(cells)} | {three_numbers(list(cells.values()))} | {words} |")
                name = ""
    return "\n".join(lines)


def short_table(results, part):
    """As the README has it: means over seeds that all methods have, the best in bold."""
    lines = ["| AUC / average precision | `rayleigh` | ECFP4, 300 trees | ECFP4, tuned forest |", "|---|---|---|---|"]
    for name, methods in ordered_groups(results, part):
        seeds = sorted(set.intersection(*(set(methods.get(m, {})) for m in TITLES)))
        if not seeds:
            continue
        means = {m: [statistics.mean(methods[m][s][metric] for s in seeds) for metric in METRICS[:2]] for m in TITLES}
        best = [max(round(own[i], 3) for own in means.values()) for i in range(2)]
        cells = [" / ".join(f"**{x:.3f}**" if round(x, 3) == top else f"{x:.3f}" for x, top in zip(means[m], best)) for m in TITLES]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def check_pages():
    """Whether the pages show what the results file has."""
    results = RESULTS.load()
    wrong = [page for page, table in (("docs/accuracy.md", long_table), ("README.md", short_table))
             if table(results, "test") not in (ROOT / page).read_text()]
    for page in wrong:
        print(f"{page}: its table of the default and the forests is not that of docs/results/default_detector.json; "
              "bench/forest_peer.py --markdown prints both", file=sys.stderr)
    return not wrong


def summary(options):
    """Over the tasks: where ours is ahead, the mean of the paired differences, and how far probabilities can be trusted."""
    groups = dict(ordered_groups(RESULTS.load(), options.part))
    for forest in FORESTS:
        differences = {m: [] for m in METRICS}
        variances = {m: [] for m in METRICS}  # of each task's mean, over its seeds
        ahead = 0
        errors, expected, found, runs = [0.0, 0.0], [0.0, 0.0], [0, 0], 0
        for methods in groups.values():
            ours, theirs = methods.get("rayleigh", {}), methods.get(forest, {})
            common = sorted(set(ours) & set(theirs))
            if not common:
                continue
            means = {m: statistics.mean(ours[s][m] - theirs[s][m] for s in common) for m in METRICS}
            for m in METRICS:
                differences[m].append(means[m])
                if len(common) > 1:
                    variances[m].append(statistics.variance(ours[s][m] - theirs[s][m] for s in common) / len(common))
            ahead += means["auc"] > 0 and means["average_precision"] > 0
            for s in common:
                runs += 1
                for i, cell in enumerate((ours[s], theirs[s])):
                    errors[i] += cell["calibration_error"]
                    expected[i] += cell["top_100"]["expected"]
                    found[i] += cell["top_100"]["found"]
        tasks = len(differences["auc"])
        if not tasks:
            continue
        print(f"\nrayleigh minus {forest}, {tasks} tasks: ahead in AUC and average precision on {ahead}")
        for m, d in differences.items():
            over_seeds = 1.96 * math.sqrt(sum(variances[m])) / tasks
            print(f"  {m:<18} {statistics.mean(d):+.4f}, 95 %: ± {over_seeds:.4f} for these tasks (other seeds), ± {interval(d):.4f} for other tasks")
        print(f"  expected calibration error {errors[0] / runs:.4f}, theirs {errors[1] / runs:.4f}; among the best 100 of a test part "
              f"{expected[0] / runs:.1f} expected and {found[0] / runs:.1f} found, theirs {expected[1] / runs:.1f} and {found[1] / runs:.1f}")


def main():
    global RESULTS
    options = arguments()
    if options.results:
        RESULTS = KeptResults(options.results)
    if options.check:
        sys.exit(not check_pages())
    if options.markdown:
        results = RESULTS.load()
        print(f"{long_table(results, options.part)}\n\n{short_table(results, options.part)}")
        return
    if not options.table:
        run_all(options)
    table(options)
    summary(options)


if __name__ == "__main__":
    main()
