"""What the spectral benchmark is measured against: scipy.sparse and numpy on the same set.

    python3 bench/spectral_peer.py DATA.zip [--threads N] [--order 6] [--repeat 3]

Label quotients and label basis are computed for the whole set at once on the block-diagonal Laplacian
(no Python loop over graphs); spectra take one numpy.linalg.eigvalsh per graph, as there is no
batched call for graphs of different size, once in one process and once shared among N processes.
Prints one JSON object with seconds, each the best of the repetitions. Needs python3-numpy, python3-scipy.
"""

import argparse
import json
import os
import sys
import time
import zipfile


def arguments():
    parser = argparse.ArgumentParser(description="scipy and numpy as peers of the spectral benchmark")
    parser.add_argument("data", help="a TU dataset as .zip")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--order", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def column(archive, name, suffix, numpy):
    for entry in archive.namelist():
        if os.path.basename(entry) == f"{name}_{suffix}.txt":
            text = archive.read(entry).decode().replace(",", " ")
            return numpy.array(text.split(), dtype=numpy.int64)
    sys.exit(f"no {name}_{suffix}.txt in the archive")


def load(path, numpy, sparse):
    """Adjacency over all nodes, graph of each node, dense label ids."""
    with zipfile.ZipFile(path) as archive:
        suffix = "_graph_indicator.txt"
        entry = next(e for e in archive.namelist() if e.endswith(suffix))
        name = os.path.basename(entry)[: -len(suffix)]
        edges = column(archive, name, "A", numpy).reshape(-1, 2) - 1
        graph = column(archive, name, "graph_indicator", numpy) - 1
        words = column(archive, name, "node_labels", numpy)
    count = len(graph)
    edges = edges[edges[:, 0] != edges[:, 1]]
    both = numpy.concatenate([edges, edges[:, ::-1]])
    adjacency = sparse.csr_matrix((numpy.ones(len(both)), (both[:, 0], both[:, 1])), (count, count))
    adjacency.sum_duplicates()
    adjacency.data[:] = 1.0
    return adjacency, graph, numpy.unique(words, return_inverse=True)[1]


def scaled_adjacency(adjacency, numpy, sparse):
    """D^-1/2 A D^-1/2 and the mask of nodes with neighbours."""
    degree = numpy.asarray(adjacency.sum(axis=1)).ravel()
    scale = numpy.divide(1.0, numpy.sqrt(degree), out=numpy.zeros_like(degree), where=degree > 0)
    diagonal = sparse.diags(scale)
    return (diagonal @ adjacency @ diagonal).tocsr(), degree > 0


def label_quotients(adjacency, graph, label, numpy, sparse):
    """x'Lx / x'x of every label column of every graph: diagonal of B'LB with one column a (graph, label)."""
    scaled, connected = scaled_adjacency(adjacency, numpy, sparse)
    key = graph * (label.max() + 1) + label
    present, position = numpy.unique(key, return_inverse=True)
    count = len(label)
    one_hot = sparse.csr_matrix(
        (numpy.ones(count), position, numpy.arange(count + 1)), (count, len(present))
    )
    laplacian = sparse.diags(connected.astype(float)) - scaled
    numerator = numpy.asarray(one_hot.multiply(laplacian @ one_hot).sum(axis=0)).ravel()
    return numerator / numpy.bincount(position)


def label_basis(adjacency, label, order, numpy, sparse):
    """T_k(L - I) onehot for k = 0 … order, as one sparse matrix each, in single precision."""
    shifted = -scaled_adjacency(adjacency, numpy, sparse)[0].astype(numpy.float32)
    count = len(label)
    one_hot = sparse.csr_matrix(
        (numpy.ones(count, numpy.float32), label, numpy.arange(count + 1)), (count, label.max() + 1)
    )
    basis = [one_hot, shifted @ one_hot]
    doubled = 2 * shifted
    for _ in range(2, order + 1):
        basis.append(doubled @ basis[-1] - basis[-2])
    return basis


def spectra(blocks, numpy):
    return [numpy.linalg.eigvalsh(block) for block in blocks]


def dense_laplacians(adjacency, graph, numpy, sparse):
    """One dense normalised Laplacian a graph; preparing them is not part of the measured time."""
    scaled, connected = scaled_adjacency(adjacency, numpy, sparse)
    laplacian = (sparse.diags(connected.astype(float)) - scaled).tocsr()
    bounds = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(graph))])
    blocks = []
    for begin, end in zip(bounds[:-1], bounds[1:]):
        if end > begin:
            first, last = laplacian.indptr[begin], laplacian.indptr[end]
            block = numpy.zeros((end - begin, end - begin))
            rows = numpy.repeat(
                numpy.arange(end - begin), numpy.diff(laplacian.indptr[begin : end + 1])
            )
            block[rows, laplacian.indices[first:last] - begin] = laplacian.data[first:last]
            blocks.append(block)
    return blocks


def best(repeat, work):
    seconds = []
    result = None
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


SHARED_BLOCKS = []


def spectra_part(bounds):
    import numpy

    return len(spectra(SHARED_BLOCKS[bounds[0] : bounds[1]], numpy))


def spectra_in_processes(blocks, threads, repeat):
    """The blocks reach the workers by fork, so only the eigenvalues are measured. Must come before this process
    itself calls LAPACK: a fork after OpenMP has started its threads hangs."""
    import multiprocessing

    SHARED_BLOCKS[:] = blocks
    cuts = [len(blocks) * part // (4 * threads) for part in range(4 * threads + 1)]
    with multiprocessing.get_context("fork").Pool(threads) as pool:
        return best(repeat, lambda: pool.map(spectra_part, list(zip(cuts[:-1], cuts[1:])), 1))[0]


def main():
    options = arguments()
    # scipy.sparse knows no threads, and a second one only slows down LAPACK on matrices of 26 rows: processes share
    # the work instead.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    import numpy
    import scipy
    from scipy import sparse

    adjacency, graph, label = load(options.data, numpy, sparse)
    quotient_seconds, quotients = best(
        options.repeat, lambda: label_quotients(adjacency, graph, label, numpy, sparse)
    )
    basis_seconds, basis = best(
        options.repeat, lambda: label_basis(adjacency, label, options.order, numpy, sparse)
    )
    blocks = dense_laplacians(adjacency, graph, numpy, sparse)
    in_processes = spectra_in_processes(blocks, options.threads, options.repeat)
    spectra_seconds, values = best(options.repeat, lambda: spectra(blocks, numpy))
    result = {
        "peer": f"scipy {scipy.__version__}, numpy {numpy.__version__}",
        "threads": options.threads,
        "graphs": len(blocks),
        "nodes": len(label),
        "checksums": {
            "label_quotients": float(quotients.sum()),
            "basis_nonzeros": int(sum(matrix.nnz for matrix in basis)),
            "basis_square_sum": float(sum((m.data.astype(float) ** 2).sum() for m in basis)),
            "spectra_square_sum": float(sum((v**2).sum() for v in values)),
        },
        "seconds": {
            "label_quotients": quotient_seconds,
            "label_basis": basis_seconds,
            "spectra": spectra_seconds,
            "spectra_in_processes": in_processes,
        },
    }
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
