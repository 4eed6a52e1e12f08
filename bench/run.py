"""Runs the benchmarks and prints a table each: ours, the peer, the ratio, and how far it is from the limit."""
import csv
import gzip
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
SHARED = Path(os.environ.get("RAYLEIGH_SHARED", ROOT.parent / "shared"))
THREADS = int(os.environ.get("THREADS", "2"))
PYTHON = "/usr/bin/python3"
ALLOCATOR = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"


def data_path():
    """NCI-H23 where it is there, else generated molecules of the same size."""
    chosen = os.environ.get("DATA")
    if chosen:
        return Path(chosen)
    real = SHARED / "data" / "NCI-H23.zip"
    if real.exists():
        return real
    zipped = BUILD / "bench-molecules.zip"
    if not zipped.exists():
        folder = BUILD / "bench-molecules"
        subprocess.run([BUILD / "rayleigh", "generate", "molecules", "--graphs", "37348", "-o", folder], check=True)
        subprocess.run(["zip", "-qr", zipped.name, folder.name], cwd=BUILD, check=True)
    return zipped


def median_seconds(command, repeats=5):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def run_json(*command):
    environment = dict(os.environ, OMP_NUM_THREADS=str(THREADS), OPENBLAS_NUM_THREADS=str(THREADS))
    if "avx512f" in Path("/proc/cpuinfo").read_text():
        environment["OPENBLAS_CORETYPE"] = "SkylakeX"
    out = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, env=environment, text=True)
    return json.loads(out.stdout)


def table(title, rows):
    """rows: (what, seconds, note)."""
    print(f"\n{title}")
    for what, seconds, note in rows:
        print(f"  {what:<44} {seconds:9.3f} s   {note}")


def bench_load(data):
    ours = run_json(BUILD / "bench" / "load_bench", data, THREADS, 7)
    one = run_json(BUILD / "bench" / "load_bench", data, 1, 5)
    unzip = median_seconds(f"unzip -p '{data}' | wc -l")
    peer = run_json(PYTHON, ROOT / "bench" / "load_peer.py", data)
    ratio_unzip = ours["seconds"] / unzip
    ratio_numpy = peer["seconds"] / ours["seconds"]
    table(
        f"load {data.name}: {ours['graphs']:,} graphs, {ours['memory_bytes'] / 1e6:.1f} MB in memory (median of 7)",
        [
            (f"rayleigh, {THREADS} threads", ours["seconds"], f"{ratio_unzip:.2f} x unzip"),
            ("rayleigh, 1 thread", one["seconds"], ""),
            ("unzip -p | wc -l", unzip, ""),
            (f"numpy {peer['numpy']} loadtxt, already unpacked", peer["seconds"], f"rayleigh is {ratio_numpy:.1f} x faster"),
        ],
    )
    return {"ours": ours, "ours_1_thread": one, "unzip_seconds": unzip, "numpy": peer,
            "ratio_to_unzip": ratio_unzip, "times_faster_than_numpy": ratio_numpy}


def best_of_turns(first, second, turns=3):
    """Runs two commands in turns, so that a busy moment of the machine meets both, and keeps the best seconds of each."""
    results = [(run_json(*first), run_json(*second)) for _ in range(turns)]
    best = []
    for side in zip(*results):
        kept = dict(side[-1])
        kept["seconds"] = {key: min(run["seconds"][key] for run in side) for key in kept["seconds"]}
        best.append(kept)
    return best


def bench_spectral(data):
    ours, peer = best_of_turns(
        (BUILD / "bench" / "spectral_bench", data, "--threads", THREADS, "--repeat", 9),
        (PYTHON, ROOT / "bench" / "spectral_peer.py", data, "--threads", THREADS, "--repeat", 3),
    )
    for name in ("label_quotients", "spectra_square_sum"):
        mine, theirs = ours["checksums"][name], peer["checksums"][name]
        if abs(mine - theirs) > 1e-6 * abs(theirs):
            sys.exit(f"the peer computes something else: {name} {mine} and {theirs}")
    a, b = ours["seconds"], peer["seconds"]
    linear = (b["label_quotients"] + b["label_basis"]) / (a["label_quotients"] + a["label_basis"])
    best = min(b["spectra"], b["spectra_in_processes"])
    table(
        f"spectral, {ours['graphs']:,} graphs, {ours['nodes']:,} nodes, peak {ours['peak_megabytes']:.0f} MB ({peer['peer']})",
        [
            ("label quotients", a["label_quotients"], f"scipy.sparse {b['label_quotients']:.3f} s: {b['label_quotients'] / a['label_quotients']:.1f} x"),
            ("label basis, orders 0 to 6", a["label_basis"], f"scipy.sparse {b['label_basis']:.3f} s: {b['label_basis'] / a['label_basis']:.1f} x"),
            ("both", a["label_quotients"] + a["label_basis"], f"{linear:.1f} x faster"),
            ("full spectra", a["spectra"], f"numpy.linalg.eigvalsh {best:.3f} s: {best / a['spectra']:.1f} x"),
        ],
    )
    begin = time.perf_counter()
    subprocess.run([BUILD / "rayleigh", "analyze", data, "-o", BUILD / "bench-analysis", "--threads", str(THREADS), "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    whole = time.perf_counter() - begin
    print(f"  {'rayleigh analyze, everything':<44} {whole:9.3f} s")
    return {"ours": ours, "peer": peer, "times_faster_linear": linear, "times_faster_spectra": best / a["spectra"], "analyze_seconds": whole}


FLOP_PER_NODE = 28e3  # one hidden x hidden product and a few sparse rows, forward and backward


def whole_process_milliseconds(data):
    """Start of the command, model and one graph read, one score printed."""
    folder = BUILD / "bench-one"
    subprocess.run([BUILD / "rayleigh", "generate", "molecules", "-o", folder / "one.jsonl", "--graphs", "1", "--quiet"], check=True)
    model = folder / "model"
    subprocess.run([BUILD / "rayleigh", "train", data, "-o", model, "--profile", "published", "--epochs", "1", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    command = f"{BUILD / 'rayleigh'} score {model} {folder / 'one.jsonl'} --quiet || true"
    return 1000 * median_seconds(command, 15)


def roofline_of(run):
    """Training graphs per second if every FLOP ran at the rate of a large product."""
    return run["gemm_gflops"] * 1e9 / (FLOP_PER_NODE * run["nodes_per_graph"])


def share_of(run):
    return run["median_epoch_graphs_per_second"] / roofline_of(run)


def bench_rqgnn(data):
    """Training and scoring, profile published, against PyTorch in both styles."""
    (BUILD / "bench-one").mkdir(exist_ok=True)
    bench, peer = BUILD / "bench" / "train_bench", ROOT / "bench" / "rqgnn_peer.py"
    fast = [PYTHON, peer, data, "--style", "fast", "--threads", THREADS, "--time-batches", 120]
    default = run_json(bench, data, "--threads", THREADS, "--epochs", 20)
    ours = [bench, data, "--threads", THREADS, "--epochs", 20, "--profile", "published"]
    runs = [(run_json(*ours), run_json(*fast)) for _ in range(3)]
    # Medians of epochs and batches: a busy moment of the machine says nothing about the program.
    mine = max((run[0] for run in runs), key=lambda r: r["median_epoch_graphs_per_second"])
    torch = max((run[1] for run in runs), key=lambda r: r["median_batch_graphs_per_second"])
    published = run_json(PYTHON, peer, data, "--style", "published", "--threads", THREADS, "--time-batches", 6)
    rate, torch_rate = mine["median_epoch_graphs_per_second"], torch["median_batch_graphs_per_second"]
    published_rate = published["median_batch_graphs_per_second"]
    roofline = roofline_of(mine)
    process = whole_process_milliseconds(data)
    print(f"\ntraining RQGNN, profile published, {mine['graphs']:,} graphs, batches of 512, {THREADS} threads")
    rows = [
        ("rayleigh", rate, f"{100 * rate / roofline:.0f} % of the roofline of {roofline:,.0f}"),
        ("PyTorch, as good as we can make it", torch_rate,
         f"rayleigh is {rate / torch_rate:.1f} x faster"),
        ("PyTorch, built like the published pipeline", published_rate,
         f"rayleigh is {rate / published_rate:.0f} x faster"),
    ]
    for what, value, note in rows:
        print(f"  {what:<44} {value:9,.0f} graphs/s   {note}")
    print(f"  {'scoring from memory':<44} {mine['score_graphs_per_second']:9,.0f} graphs/s   "
          f"{mine['score_graphs_per_second'] / rate:.1f} x the training rate")
    print(f"  {'model load and first score':<44} {mine['first_score_milliseconds']:9.2f} ms         whole process {process:.0f} ms")
    print(f"  {'load + prepare':<44} {sum(mine['seconds'].values()):9.2f} s          peak memory {mine['peak_megabytes']:.0f} MB")
    print(f"  {'products, GFLOP/s':<44} oneDNN {mine['gemm_gflops']:.0f}, PyTorch {torch['gemm_gflops']:.0f}")
    print(f"  {'default profile, rayleigh':<44} {default['median_epoch_graphs_per_second']:9,.0f} graphs/s   "
          f"scoring {default['score_graphs_per_second']:,.0f}, peak memory {default['peak_megabytes']:.0f} MB")
    return {"ours": mine, "default_profile": default, "torch_fast": torch, "torch_published": published, "roofline_graphs_per_second": roofline,
            "roofline_share": rate / roofline,
            "roofline_share_of_all_runs": [share_of(run[0]) for run in runs], "whole_process_milliseconds": process}


# Multiplications of dense products, of a node and of a graph, forward; training does three times as many, and each
# comes with an addition. First layers on labels, sparse products and everything elementwise are left out, so the
# share tells how far a model is from living on products alone.
DENSE = {
    "chebynet": (3 * 64 * 64, 64 * 2),
    "bernnet": (0, 0),
    "gmt": (2 * 128**2 + 2 * 28 * 384, 7 * 2 * 384**2 + 7 * (3 * 384 * 128 + 3 * 128**2) + 3 * 128**2 + 128 * 64),
    "gmixup": (9 * 64**2, 64**2 + 64 * 2),
    "igad": (64 * 32 + 128 * 64, 64 * 32 + 48 * 32),
    "ocgin": (11 * 32**2, 4 * 32**2),
    "ocgtl": (6 * 11 * 32**2, 6 * 4 * 32**2),
    # Clusters: half and a quarter of the 229 nodes of the largest graph of NCI-H23.
    "tvgnn": (32**2 + 2 * 32 * 114 + 114**2, 114 * (2 * 32**2 + 2 * 32 * 57 + 57**2) + 114**2 * (32 + 57) + 57 * 32 * (57 + 32)),
    # The teacher has no backward pass.
    "glocalkd": ((512**2 + 512 * 256) * 4 / 3, 0),
    "himnet": (512**2 + 512 * 256 + 512 * 64 + 4 * 256, 0),
}
# Epochs and training graphs of a measurement: enough for a second or two.
SHORT = {"gmt": (3, 4000), "ocgtl": (3, 8000), "tvgnn": (3, 3000), "glocalkd": (3, 3000), "himnet": (3, 3000)}
PEERS = ["chebynet", "gmt", "ocgtl"]


def dense_flop(model, nodes):
    node, graph = DENSE[model]
    return 6 * (node * nodes + graph)


def baselines():
    """All detectors but those with a benchmark of their own, and the yardsticks, which do not train in steps."""
    detectors = run_json(BUILD / "rayleigh", "models", "--format", "json")
    own = ("rqgnn", "rayleigh", "trees", "linear")
    return [detector["name"] for detector in detectors if detector["name"] not in own and not detector["yardstick"]]


def bench_baselines(data):
    """Training rates of all baselines; PyTorch beside three of them, ours and theirs in turn."""
    bench, peer = BUILD / "bench" / "train_bench", ROOT / "bench" / "baselines_peer.py"
    print(f"\ntraining the baselines, batches of their authors, {THREADS} threads")
    result = {}
    for model in baselines():
        epochs, graphs = SHORT.get(model, (5, 0))
        ours = [bench, data, "--model", model, "--threads", THREADS, "--epochs", epochs, "--train-graphs", graphs]
        theirs = [PYTHON, peer, data, "--model", model, "--threads", THREADS]
        turns = [(run_json(*ours), run_json(*theirs) if model in PEERS else None) for _ in range(3 if model in PEERS else 1)]
        mine = max((turn[0] for turn in turns), key=lambda r: r["median_epoch_graphs_per_second"])
        rate = mine["median_epoch_graphs_per_second"]
        result[model] = {"ours": mine}
        note = ""
        if model in DENSE:
            share = rate * dense_flop(model, mine["nodes_per_graph"]) / (mine["gemm_gflops"] * 1e9)
            note = f"{100 * share:3.0f} % of the product rate"
            result[model]["product_share"] = share
        if model in PEERS:
            torch = max((turn[1] for turn in turns), key=lambda r: r["median_batch_graphs_per_second"])
            ratio = rate / torch["median_batch_graphs_per_second"]
            note += f"; PyTorch {torch['median_batch_graphs_per_second']:,.0f}: rayleigh is {ratio:.1f} x faster"
            result[model].update(torch=torch, ratio=ratio)
        print(f"  {model:<12} {rate:9,.0f} graphs/s   {note}", flush=True)
    return result


def measured(*command):
    """Wall and processor seconds, peak memory in MB, and what was printed."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):  # 4: some rows failed
        raise subprocess.CalledProcessError(process.returncode, command)
    return {"seconds": time.perf_counter() - begin, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_megabytes": usage.ru_maxrss / 1024, "out": out}


def repeated_lines(lines, count, file):
    with open(file, "w") as out:
        for begin in range(0, count, len(lines)):
            out.writelines(lines[:min(len(lines), count - begin)])
    return file


def bench_screening(_):
    """SMILES to scores, beside RDKit reading the same SMILES from memory, in turns; and the memory of long inputs."""
    table = SHARED / "data" / "HIV.csv.gz"
    if not table.exists() or not (BUILD / "librayleigh_molecules.so").exists():
        print(f"\nscreening: left out, needs RDKit and {table}")
        return None
    folder = BUILD / "bench-screen"
    folder.mkdir(exist_ok=True)
    with gzip.open(table, "rt", newline="") as text:
        lines = [f"{row['smiles']} m{number}\n" for number, row in enumerate(csv.DictReader(text))]
    library, model = repeated_lines(lines, len(lines), folder / "hiv.smi"), folder / "hiv.model"
    subprocess.run([BUILD / "rayleigh", "train", table, "--label-column", "HIV_active", "-o", model, "--epochs", "1", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    os.environ["RAYLEIGH_MODULES"] = str(BUILD)
    screen = [BUILD / "rayleigh", "score", model, "--threads", THREADS, "--quiet", "-o", folder / "scores.csv"]
    parse = [BUILD / "bench" / "screen_bench", library, THREADS, 1]
    preload = ["env", f"LD_PRELOAD={ALLOCATOR}", *parse] if Path(ALLOCATOR).exists() else parse
    turns = [(measured(*screen, library), measured(*parse), measured(*preload)) for _ in range(7)]
    ours = min(turn[0]["seconds"] for turn in turns)
    with_ours = min(json.loads(turn[2]["out"])["seconds"] for turn in turns)
    alone = min(json.loads(turn[1]["out"])["seconds"] for turn in turns)
    cpu = min(turn[1]["cpu_seconds"] for turn in turns) / min(turn[0]["cpu_seconds"] for turn in turns)
    print(f"\nscreening {len(lines):,} SMILES of HIV, {THREADS} threads, best of {len(turns)} turns")
    print(f"  {'RDKit reading SMILES, from memory':<44} {len(lines) / alone:9,.0f} molecules/s")
    print(f"  {'rayleigh score, whole process':<44} {len(lines) / ours:9,.0f} molecules/s   "
          f"{100 * alone / ours:.0f} % of reading alone; by processor time {100 * cpu:.0f} %")
    print(f"  {'RDKit reading SMILES, with our allocator':<44} {len(lines) / with_ours:9,.0f} molecules/s   "
          f"of which rayleigh has {100 * with_ours / ours:.0f} %")
    peaks = {}
    for count in (50_000, 2_000_000):
        run = measured(*screen, repeated_lines(lines, count, folder / "long.smi"))
        peaks[count] = run["peak_megabytes"]
        print(f"  {f'{count:,} lines':<44} {count / run['seconds']:9,.0f} molecules/s   peak {peaks[count]:.0f} MB")
    (folder / "long.smi").unlink()
    print(f"  {'memory, 2,000,000 lines to 50,000':<44} {peaks[2_000_000] / peaks[50_000]:9.2f} x")
    return {"molecules": len(lines), "seconds": ours, "reading_alone_seconds": alone, "share_of_reading_alone": alone / ours,
            "share_by_processor_time": cpu, "reading_alone_with_our_allocator_seconds": with_ours, "peak_megabytes": peaks}


TREE_TASKS = {"NCI-H23": ("NCI-H23.zip", None), "SR-p53": ("tox21.csv.gz", "SR-p53")}


def average_precisions(runs):
    """Means over seeds, of the validation and the test part."""
    return {part: statistics.mean(run[part]["average_precision"] for run in runs) for part in ("validation", "test")}


def bench_trees(_):
    """Boosting on the same quotient rows beside XGBoost, the same options, each with the number of threads it is fastest with."""
    bench, peer = BUILD / "bench" / "trees_bench", ROOT / "bench" / "trees_peer.py"
    # Enough to tell; all 300 would take XGBoost a quarter of an hour.
    rounds, seeds, short = int(os.environ.get("ROUNDS", "40")), [1, 2], 2
    result = {"rounds": rounds, "seeds": seeds}
    print(f"\nboosted trees on quotient rows, {rounds} rounds of 3 trees, seeds {seeds}")
    for task, (file, column) in TREE_TASKS.items():
        data = SHARED / "data" / file
        if not data.exists():
            print(f"  {task}: left out, needs {data}")
            continue
        prefix = BUILD / f"bench-trees-{task}"
        label = [column] if column else []
        first = run_json(bench, data, THREADS, short, 1, prefix, *label)
        options = json.dumps(first["options"])
        counts = range(1, THREADS + 1)
        ours_threads = min(counts, key=lambda n: run_json(bench, data, n, short, 1, "-", *label)["seconds"])
        peer_threads = min(counts, key=lambda n: run_json(PYTHON, peer, prefix, short, 1, n, options)["seconds"])
        ours = [run_json(bench, data, ours_threads, rounds, seed, "-", *label) for seed in seeds]
        theirs = [run_json(PYTHON, peer, prefix, rounds, seed, peer_threads, options) for seed in seeds]
        seconds, peer_seconds = (min(run["seconds"] for run in runs) for runs in (ours, theirs))
        cpu, peer_cpu = (min(run["cpu_seconds"] for run in runs) for runs in (ours, theirs))
        mine, other = average_precisions(ours), average_precisions(theirs)
        print(f"  {task}: {first['rows']:,} rows to learn from, {first['columns']:,} columns")
        for name, threads, wall, processor, quality, note in (
                ("rayleigh", ours_threads, seconds, cpu, mine, f"{peer_seconds / seconds:.1f} x faster, by processor time {peer_cpu / cpu:.1f} x"),
                (f"XGBoost {theirs[0]['xgboost']} hist", peer_threads, peer_seconds, peer_cpu, other, "")):
            print(f"    {name + (', 1 thread' if threads == 1 else f', {threads} threads'):<28} {wall:8.2f} s, processor {processor:8.2f} s   {note}")
            print(f"      average precision: validation {quality['validation']:.4f}, test {quality['test']:.4f}", flush=True)
        result[task] = {"ours": ours, "xgboost": theirs, "times_faster": peer_seconds / seconds, "times_faster_by_processor_time": peer_cpu / cpu,
                        "average_precision": mine, "average_precision_xgboost": other}
        for piece in BUILD.glob(f"bench-trees-{task}.*"):
            piece.unlink()
    return result


def bench_default(data):
    """The default detector from data to model, beside fingerprints and scikit-learn's forest on the same parts; and scoring from memory."""
    folder = BUILD / "bench-default"
    folder.mkdir(exist_ok=True)
    model, predictions = folder / "default.model", folder / "predictions.csv"
    train = [BUILD / "rayleigh", "train", data, "-o", model, "--seed", 11, "--threads", THREADS, "--predictions", predictions,
             "--format", "json", "--quiet"]
    ours = measured(*train)
    report = json.loads(ours.pop("out"))
    ours.update(seconds_of=report["seconds"], validation=report["validation"], test=report["test"])
    scoring = run_json(BUILD / "bench" / "score_bench", model, data, THREADS, 5)
    print(f"\nthe default on {data.name}, {THREADS} threads")
    print(f"  {'rayleigh train, whole process':<44} {ours['seconds']:9.1f} s   processor {ours['cpu_seconds']:.1f} s, "
          f"peak {ours['peak_megabytes']:.0f} MB, test AUC {report['test']['auc']:.4f}, average precision {report['test']['average_precision']:.4f}")
    result = {"ours": ours, "scoring": scoring}
    if data.name == "NCI-H23.zip":
        forest = run_json(PYTHON, ROOT / "bench" / "default_peer.py", data, predictions, "--threads", THREADS)
        both = forest["seconds"]["fingerprints"] + forest["seconds"]["forest"]
        print(f"  {'fingerprints + 300 trees, sparse columns':<44} {both:9.1f} s   processor {forest['cpu_seconds']:.1f} s, "
              f"test AUC {forest['test']['auc']:.4f}, average precision {forest['test']['average_precision']:.4f}")
        array = forest["seconds"]["fingerprints"] + forest["seconds"]["forest_from_array"]
        print(f"  {'the same from an array, as usually called':<44} {array:9.1f} s   ours to it {ours['seconds'] / array:.2f} x")
        print(f"  {'ours to theirs':<44} {ours['seconds'] / both:9.2f} x   by processor time {ours['cpu_seconds'] / forest['cpu_seconds']:.2f} x")
        result.update(forest=forest, ratio=ours["seconds"] / both, ratio_by_processor_time=ours["cpu_seconds"] / forest["cpu_seconds"])
    print(f"  {'scoring from memory':<44} {scoring['graphs_per_second']:9,.0f} graphs/s   "
          f"processor {scoring['cpu_microseconds_per_graph']:.1f} us per graph")
    return result


def bench_session(_):
    """Generated molecules one by one through a scoring session, the default detector."""
    folder = BUILD / "bench-session"
    folder.mkdir(exist_ok=True)
    graphs, model = folder / "molecules.jsonl", folder / "molecules.model"
    subprocess.run([BUILD / "rayleigh", "generate", "molecules", "--graphs", "2000", "-o", graphs, "--quiet"], check=True)
    subprocess.run([BUILD / "rayleigh", "train", graphs, "-o", model, "--epochs", "10", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    ours = run_json(BUILD / "bench" / "session_bench", model, graphs, 1, 5)
    print(f"\none graph through a session, 1 thread, {ours['nodes'] / ours['graphs']:.0f} nodes in the mean")
    print(f"  {'median':<44} {ours['median_us']:9.1f} us")
    print(f"  {'99th percentile':<44} {ours['p99_us']:9.1f} us")
    return ours


def bench_molecules(_):
    """Accuracy beside fingerprints and a forest; runs that docs/results has are kept, missing ones are made (about 20 minutes for all)."""
    if not (SHARED / "data" / "HIV.csv.gz").exists():
        print(f"\nmolecules: left out, needs {SHARED / 'data'}")
        return None
    print("\naccuracy on molecules, beside ECFP4 fingerprints with a random forest", flush=True)
    subprocess.run([PYTHON, ROOT / "bench" / "forest_peer.py"], check=True)
    return None


BENCHES = {"load": bench_load, "spectral": bench_spectral, "rqgnn": bench_rqgnn, "baselines": bench_baselines, "screening": bench_screening,
           "session": bench_session, "trees": bench_trees, "default": bench_default, "molecules": bench_molecules}


def main():
    names = sys.argv[1:] or list(BENCHES)
    data = data_path()
    result = {
        "data": data.name,
        "threads": THREADS,
        "cpu": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?"),
        "cores": os.cpu_count(),
        "load_average_before": os.getloadavg()[0],
    }
    print(f"{result['cpu']}, {result['cores']} cores, load average {result['load_average_before']:.2f} before the run")
    for name in names:
        result[name] = BENCHES[name](data)
    (BUILD / "bench.json").write_text(json.dumps(result, indent=1) + "\n")
    print(f"\nfigures: {BUILD.name}/bench.json; repeat with: THREADS={THREADS} make bench")


if __name__ == "__main__":
    main()
