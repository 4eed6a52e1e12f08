"""XGBoost on the rows that trees_bench wrote: seconds of training, and how good the margins are, as JSON.

    python3 bench/trees_peer.py PREFIX ROUNDS SEED THREADS OPTIONS

OPTIONS is the JSON of the options of ours, so that both have the same depth, rounds, chains, shares and penalties.
"""

import json
import sys
import time

from peer_environment import set_environment

prefix, rounds, seed, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
options = json.loads(sys.argv[5])
set_environment(threads)

import numpy  # noqa: E402
import xgboost  # noqa: E402
from scipy import sparse  # noqa: E402
from sklearn.metrics import average_precision_score, roc_auc_score  # noqa: E402


def numbers(name, kind):
    return numpy.fromfile(f"{prefix}.{name}", dtype=kind)


row_ptr, columns = numbers("row_ptr", numpy.uint32), numbers("columns", numpy.uint32)
labels, parts = numbers("labels", numpy.int8), numbers("parts", numpy.uint8)
matrix = sparse.csr_matrix((numbers("values", numpy.float32), columns.astype(numpy.int32), row_ptr.astype(numpy.int64)))
begin = time.perf_counter()
data = [xgboost.DMatrix(matrix[parts == part], label=labels[parts == part], nthread=threads) for part in range(3)]
made = time.perf_counter() - begin
parameters = {
    "objective": "binary:logistic", "tree_method": "hist", "max_bin": options["bins"], "max_depth": options["depth"],
    "eta": options["shrinkage"], "lambda": options["lambda"], "min_child_weight": options["least_slope"],
    "colsample_bynode": options["columns"], "subsample": options["rows"], "nthread": threads,
    "base_score": float(labels[parts == 0].mean()),
}
margins, seconds, cpu = [0.0, 0.0, 0.0], 0.0, 0.0
for chain in range(options["chains"]):
    begin, begin_cpu = time.perf_counter(), time.process_time()
    model = xgboost.train(dict(parameters, seed=seed * options["chains"] + chain), data[0], rounds)
    seconds += time.perf_counter() - begin
    cpu += time.process_time() - begin_cpu
    for part in (1, 2):
        margins[part] = margins[part] + model.predict(data[part], output_margin=True)
result = {"xgboost": xgboost.__version__, "seconds": seconds, "cpu_seconds": cpu, "matrix_seconds": made, "threads": threads,
          "rounds": rounds}
for part, name in ((1, "validation"), (2, "test")):
    truth = labels[parts == part]
    result[name] = {"auc": roc_auc_score(truth, margins[part]), "average_precision": average_precision_score(truth, margins[part])}
print(json.dumps(result))
