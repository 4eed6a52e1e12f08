"""Reads what the Python peers need: TU archives, splits, safetensors; and the weight-free part of RQGNN in scipy.

Needs python3-numpy and python3-scipy.
"""

import json
import os
import sys
import zipfile
from dataclasses import dataclass

import numpy
from scipy import sparse


@dataclass
class Graphs:
    """Many graphs as one block-diagonal graph; nodes of a graph are consecutive."""

    adjacency: sparse.csr_matrix  # an edge listed twice has the value 2
    node_ptr: numpy.ndarray  # first node of every graph, one more at the end
    label: numpy.ndarray  # dense label id of every node
    num_labels: int
    target: numpy.ndarray  # 1 for the anomalies

    def __len__(self):
        return len(self.target)


def make_graphs(edges, node_graph, label, target, num_labels):
    """Edges are directed entries (both directions or one), self loops are dropped; nodes are ordered by graph."""
    count = len(label)
    edges = edges[edges[:, 0] != edges[:, 1]]
    directed = sparse.csr_matrix((numpy.ones(len(edges), numpy.float32), (edges[:, 0], edges[:, 1])), (count, count))
    sizes = numpy.bincount(node_graph, minlength=len(target))
    node_ptr = numpy.concatenate([[0], numpy.cumsum(sizes)])
    return Graphs(directed.maximum(directed.T).tocsr(), node_ptr, label, num_labels, target)


def column(archive, name, suffix):
    for entry in archive.namelist():
        if os.path.basename(entry) == f"{name}_{suffix}.txt":
            text = archive.read(entry).decode().replace(",", " ")
            return numpy.array(text.split(), dtype=numpy.int64)
    sys.exit(f"no {name}_{suffix}.txt in the archive")


def load_tu(path):
    """A TU archive; the rarer graph label is the anomaly."""
    with zipfile.ZipFile(path) as archive:
        suffix = "_graph_indicator.txt"
        entry = next(e for e in archive.namelist() if e.endswith(suffix))
        name = os.path.basename(entry)[: -len(suffix)]
        edges = column(archive, name, "A").reshape(-1, 2) - 1
        node_graph = column(archive, name, "graph_indicator") - 1
        words, label = numpy.unique(column(archive, name, "node_labels"), return_inverse=True)
        classes, counts = numpy.unique(column(archive, name, "graph_labels"), return_counts=True)
        target = column(archive, name, "graph_labels") == classes[counts.argmin()]
    graphs = make_graphs(edges, node_graph, label, target.astype(numpy.int64), len(words))
    graphs.label_words = words
    return graphs


def concatenated_ranges(begin, length):
    """begin[0] … begin[0]+length[0]-1, begin[1] … as one array."""
    ends = numpy.cumsum(length)
    return numpy.arange(ends[-1]) + numpy.repeat(begin - (ends - length), length)


def select(graphs, chosen):
    """The chosen graphs, in that order."""
    sizes = numpy.diff(graphs.node_ptr)[chosen]
    nodes = concatenated_ranges(graphs.node_ptr[chosen], sizes)
    adjacency = graphs.adjacency[nodes][:, nodes].tocsr()
    node_ptr = numpy.concatenate([[0], numpy.cumsum(sizes)])
    return Graphs(adjacency, node_ptr, graphs.label[nodes], graphs.num_labels, graphs.target[chosen])


def stratified_split(target, seed):
    """Train, validation, test: the first 70 %, the next 15 % and the rest of every class after a shuffle."""
    random = numpy.random.default_rng(seed)
    parts = ([], [], [])
    for value in (0, 1):
        members = random.permutation(numpy.flatnonzero(target == value))
        cuts = int(0.7 * len(members)), int(0.85 * len(members))
        for part, piece in zip(parts, numpy.split(members, cuts)):
            part.append(piece)
    return [numpy.concatenate(part) for part in parts]


def read_split(paths):
    return [numpy.loadtxt(path, dtype=numpy.int64, ndmin=1) for path in paths]


def read_metadata(path):
    """The words that a safetensors file holds beside its tensors."""
    with open(path, "rb") as file:
        return json.loads(file.read(int.from_bytes(file.read(8), "little")))["__metadata__"]


def read_safetensors(path):
    """All tensors of a file by name."""
    types = {"F32": numpy.float32, "F64": numpy.float64, "I64": numpy.int64}
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = numpy.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"]).copy()
    return tensors


def scaled_adjacency(adjacency):
    """D^-1/2 A D^-1/2 with 1/sqrt(0) = 0, and the mask of nodes with neighbours."""
    degree = numpy.asarray(adjacency.sum(axis=1)).ravel()
    scale = numpy.divide(1.0, numpy.sqrt(degree), out=numpy.zeros(len(degree)), where=degree > 0)
    diagonal = sparse.diags(scale)
    return (diagonal @ adjacency @ diagonal).tocsr(), degree > 0


def one_hot(graphs):
    count = len(graphs.label)
    ones = numpy.ones(count, numpy.float32)
    return sparse.csr_matrix((ones, graphs.label, numpy.arange(count + 1)), (count, graphs.num_labels))


def label_quadratic_forms(graphs):
    """x'Lx of every label column of every graph (graphs x labels); an isolated node has diagonal 0."""
    scaled, connected = scaled_adjacency(graphs.adjacency)
    entries = (sparse.diags(connected.astype(float)) - scaled).tocoo()
    same = graphs.label[entries.row] == graphs.label[entries.col]
    graph = numpy.repeat(numpy.arange(len(graphs)), numpy.diff(graphs.node_ptr))
    key = graph[entries.row[same]] * graphs.num_labels + graphs.label[entries.row[same]]
    size = len(graphs) * graphs.num_labels
    return numpy.bincount(key, entries.data[same], size).reshape(len(graphs), -1).astype(numpy.float32)


def label_basis(graphs, orders):
    """T_k(L - I) onehot for k = 0 … orders-1 side by side: nodes x (orders * labels), sparse."""
    unweighted = graphs.adjacency.copy()
    unweighted.data[:] = 1
    shifted = -scaled_adjacency(unweighted)[0]
    blocks = [one_hot(graphs), shifted @ one_hot(graphs)]
    while len(blocks) < orders:
        blocks.append(2 * (shifted @ blocks[-1]) - blocks[-2])
    basis = sparse.hstack(blocks[:orders], format="csr", dtype=numpy.float32)
    basis.sort_indices()
    return basis
