"""Runs the benchmarks and prints a table each: ours, the peer, the ratio, the aim."""
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
            (f"rayleigh, {THREADS} threads", ours["seconds"], f"{ratio_unzip:.2f} x unzip (aim <= 2.0)"),
            ("rayleigh, 1 thread", one["seconds"], ""),
            ("unzip -p | wc -l", unzip, ""),
            ("numpy.loadtxt, unpacking left out", peer["seconds"], f"rayleigh is {ratio_numpy:.0f} x faster (aim >= 20)"),
        ],
    )
    return {"ours": ours, "ours_1_thread": one, "unzip_seconds": unzip, "numpy": peer,
            "ratio_to_unzip": ratio_unzip, "times_faster_than_numpy": ratio_numpy}


BENCHES = {"load": bench_load}


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
