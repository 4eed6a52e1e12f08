"""How the cost of training RQGNN grows with nodes, labels, order and hidden width: one factor at a time on
generated graphs (random trees with a ring for every eight nodes), one thread.

    /usr/bin/python3 bench/growth.py

Writes docs/results/growth.json and the plot docs/images/growth.svg.
"""

import json
import random
import subprocess
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "build" / "bench" / "train_bench"
USUAL = {"nodes": 26, "labels": 50, "depth": 6, "hidden": 64}
VALUES = {
    "nodes": [8, 16, 26, 64, 128, 256, 512],
    "labels": [4, 12, 25, 50, 100, 200],
    "depth": [2, 4, 6, 8, 12, 16],
    "hidden": [16, 32, 48, 64, 96, 128, 192, 256],
}
TITLES = {"nodes": "nodes a graph", "labels": "node labels", "depth": "order K", "hidden": "hidden width"}
ALL_NODES = 400_000
BLUE, GREY = "#2b6cb0", "#888888"


def write_graphs(path, nodes, labels):
    """About ALL_NODES nodes. Labels are as uneven as those of molecules: label i about half as often as i / 2."""
    draw = random.Random(1)
    weights = [1 / (1 + i) ** 2 for i in range(labels)]
    with open(path, "w") as file:
        for graph in range(max(60, ALL_NODES // nodes)):
            edges = [[draw.randrange(max(0, i - 4), i), i] for i in range(1, nodes)]
            known = {tuple(edge) for edge in edges}
            for _ in range(nodes // 8):
                pair = tuple(sorted(draw.sample(range(nodes), 2)))
                if pair not in known:
                    known.add(pair)
                    edges.append(list(pair))
            words = [str(word) for word in draw.choices(range(labels), weights, k=nodes)]
            if graph == 0:  # every label occurs
                words = [str(i % labels) for i in range(nodes)]
            line = {"nodes": nodes, "edges": edges, "node_labels": words, "label": str(int(graph % 10 == 0))}
            file.write(json.dumps(line) + "\n")


def measure(factor, value, folder):
    setting = {**USUAL, factor: value}
    data = folder / f"{setting['nodes']}-{setting['labels']}.jsonl"
    if not data.exists():
        write_graphs(data, setting["nodes"], setting["labels"])
    command = [BENCH, data, "--profile", "published", "--threads", 1, "--epochs", 4, "--depth", setting["depth"], "--hidden", setting["hidden"]]
    out = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True)
    report = json.loads(out.stdout)
    seconds = 1 / (report["best_epoch_graphs_per_second"] * report["nodes_per_graph"])
    return {factor: value, "nanoseconds_per_node": 1e9 * seconds, "gemm_gflops": report["gemm_gflops"],
            "peak_megabytes": report["peak_megabytes"]}


def plot(result):
    figure, axes = pyplot.subplots(1, 4, figsize=(11, 2.9))
    for axis, (factor, points) in zip(axes, result.items()):
        axis.plot([p[factor] for p in points], [p["nanoseconds_per_node"] for p in points], "o-", color=BLUE, markersize=4)
        axis.axvline(USUAL[factor], color=GREY, linewidth=0.8, linestyle=":")
        axis.set_xlabel(TITLES[factor])
        axis.set_ylim(0, 1.08 * max(p["nanoseconds_per_node"] for p in points))
        axis.set_xlim(left=0)
        axis.grid(color="#dddddd", linewidth=0.6)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("ns a node, training")
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "images" / "growth.svg", metadata={"Date": None})


def main():
    with tempfile.TemporaryDirectory() as folder:
        result = {f: [measure(f, value, Path(folder)) for value in values] for f, values in VALUES.items()}
    (ROOT / "docs" / "results" / "growth.json").write_text(json.dumps({"usual": USUAL, **result}, indent=1) + "\n")
    plot(result)
    for factor, points in result.items():
        print(f"{TITLES[factor]:<16}" + "  ".join(f"{p[factor]}: {p['nanoseconds_per_node']:.0f} ns" for p in points))


if __name__ == "__main__":
    main()
