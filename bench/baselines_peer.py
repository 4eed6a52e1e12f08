"""What training of three baselines is measured against: PyTorch programs of ours that compute the same models.

    /usr/bin/python3 bench/baselines_peer.py DATA.zip --model chebynet|gmt|ocgtl [--threads 2] [--time-batches 60]
    /usr/bin/python3 bench/baselines_peer.py --check-golden CASE.safetensors --model NAME

As good as we can make PyTorch without changing what it multiplies: the propagated labels of the first layer are
computed once per dataset, sparse and segment products run through embedding_bag in both directions, the six networks
of OCGTL run as one with batched products, parameters of Adam are one flat vector, no Python loop over graphs.
Prints one JSON object; the rate is that of the median batch. Needs python3-torch and an optimised BLAS.
"""

import argparse
import json
import math
import sys
import time

import peer_environment

BATCH = {"chebynet": 512, "gmt": 128, "ocgtl": 128}


def arguments():
    parser = argparse.ArgumentParser(description="PyTorch as the peer of baselines")
    parser.add_argument("data", nargs="?", help="a TU dataset as .zip")
    parser.add_argument("--model", choices=list(BATCH), required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--time-batches", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check-golden", metavar="FILE", help="compare with a golden case")
    options = parser.parse_args()
    if not options.data and not options.check_golden:
        parser.error("DATA.zip or --check-golden FILE is needed")
    return options


OPTIONS = arguments()
peer_environment.set_environment(OPTIONS.threads)

import numpy  # noqa: E402
import torch  # noqa: E402
from scipy import sparse  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

import tu_data  # noqa: E402
from torch_tools import (  # noqa: E402
    FastDropout,
    SparseProduct,
    compressed,
    flatten_parameters,
    gemm_gflops,
    shuffled_batches,
    weighted_row_sums,
)


class SegmentSum(torch.autograd.Function):
    """The rows of each graph, weighted and added."""

    @staticmethod
    def forward(context, rows, weight, batch):
        context.weight, context.graph = weight, batch["graph"]
        return weighted_row_sums(rows, batch["ptr"], batch["index"], weight)

    @staticmethod
    def backward(context, gradient):
        return gradient.index_select(0, context.graph) * context.weight.unsqueeze(1), None, None


class Batches:
    """A propagation matrix and the first layer's rows, computed once; a batch takes its rows."""

    def __init__(self, graphs, matrix, first):
        self.begin, self.size = graphs.node_ptr[:-1], numpy.diff(graphs.node_ptr)
        self.matrix, self.first = matrix.tocsr().astype(numpy.float32), first.tocsr().astype(numpy.float32)
        self.target = torch.from_numpy(graphs.target)

    def batch(self, chosen):
        size = self.size[chosen]
        ptr = numpy.concatenate([[0], numpy.cumsum(size)])
        rows = tu_data.concatenated_ranges(self.begin[chosen], size)
        block = self.matrix[rows]
        shift = numpy.repeat(ptr[:-1] - self.begin[chosen], size)
        block.indices = (block.indices + numpy.repeat(shift, numpy.diff(block.indptr))).astype(block.indices.dtype)
        first = self.first[rows]
        return {
            "matrix": compressed(block),
            "first": compressed(first),
            "first_back": compressed(first.tocsc()),
            "ptr": torch.from_numpy(ptr),
            "graph": torch.from_numpy(numpy.repeat(numpy.arange(len(chosen)), size)),
            "index": torch.arange(int(ptr[-1])),
            "one": torch.ones(int(ptr[-1])),
            "share": torch.from_numpy(numpy.repeat(1 / size, size).astype(numpy.float32)),
            "size": torch.from_numpy(size),
            "target": self.target[torch.from_numpy(chosen)],
        }


def propagate(x, batch):
    return SparseProduct.apply(x, batch["matrix"], batch["matrix"])  # symmetric


def first_layer(table, batch):
    return SparseProduct.apply(table, batch["first"], batch["first_back"])


def unweighted(graphs):
    adjacency = graphs.adjacency.copy()
    adjacency.data[:] = 1
    return adjacency


class Chebynet(nn.Module):
    def __init__(self, labels, hidden=64, depth=3, dropout=0.5):
        super().__init__()
        self.first = nn.Parameter(torch.randn(depth * labels, hidden) * (2 / (labels + hidden)) ** 0.5)
        self.first_bias = nn.Parameter(torch.zeros(hidden))
        self.second = nn.Linear(depth * hidden, hidden)
        self.out = nn.Linear(hidden, 2)
        self.dropout, self.depth = FastDropout(dropout), depth

    @staticmethod
    def batches(graphs):
        return Batches(graphs, -tu_data.scaled_adjacency(unweighted(graphs))[0], tu_data.label_basis(graphs, 3))

    def forward(self, batch):
        x = self.dropout(torch.relu_(first_layer(self.first, batch) + self.first_bias))
        orders = [x, propagate(x, batch)]
        while len(orders) < self.depth:
            orders.append(2 * propagate(orders[-1], batch) - orders[-2])
        x = torch.relu_(self.second(torch.cat(orders, 1)))
        return self.out(SegmentSum.apply(x, batch["share"], batch))

    def loss(self, batch):
        return functional.cross_entropy(self(batch), batch["target"])

    def load(self, w):
        self.first.data = torch.cat([w[f"conv1.coef.{k}"].T for k in range(3)])
        self.first_bias.data = w["conv1.bias"]
        self.second.weight.data = torch.cat([w[f"conv2.coef.{k}"] for k in range(3)], 1)
        self.second.bias.data = w["conv2.bias"]
        self.out.weight.data, self.out.bias.data = w["out.weight"], w["out.bias"]

    def result(self, batch):
        return "eval/logits", self(batch)


class Attention(nn.Module):
    """Softmax over the queries, as the authors' runs have it, so padded keys need no mask: their values are 0."""

    def __init__(self, source, width, heads):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(source, width) for _ in range(3))
        self.o = nn.Linear(width, width)
        self.heads = heads

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, query, key, value):
        query = self.q(query)
        logits = self.split(query) @ self.split(key).transpose(2, 3) / math.sqrt(query.shape[-1])
        mixed = (torch.softmax(logits, 2) @ self.split(value)).transpose(1, 2).flatten(2)
        out = query + mixed
        return out + torch.relu(self.o(out))


class Gmt(nn.Module):
    def __init__(self, labels, hidden=128, heads=4, seeds=7, dropout=0.5):
        super().__init__()
        wide = 3 * hidden
        self.gcn = nn.ModuleList([nn.Linear(labels if k == 0 else hidden, hidden) for k in range(3)])
        self.pool_g, self.selfatt = Attention(wide, wide, heads), Attention(wide, hidden, heads)
        self.pool_i = Attention(hidden, hidden, heads)
        self.seeds_g = nn.Parameter(torch.randn(1, seeds, wide) * 0.07)
        self.seeds_i = nn.Parameter(torch.randn(1, 1, hidden) * 0.07)
        self.post, self.cls1 = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.cls2, self.cls3 = nn.Linear(hidden, hidden // 2), nn.Linear(hidden // 2, 2)
        self.dropout = FastDropout(dropout)

    @staticmethod
    def batches(graphs):
        loops = unweighted(graphs) + sparse.identity(len(graphs.label), format="csr")
        scaled = tu_data.scaled_adjacency(loops)[0]
        return Batches(graphs, scaled, scaled @ tu_data.one_hot(graphs))

    @staticmethod
    def padded(x, batch):
        graphs, most = len(batch["size"]), int(batch["size"].max())
        place = batch["graph"] * most + batch["index"] - batch["ptr"][:-1].index_select(0, batch["graph"])
        return x.new_zeros(graphs * most, x.shape[1]).index_copy(0, place, x).view(graphs, most, -1)

    def forward(self, batch):
        layers = [torch.relu_(first_layer(self.gcn[0].weight.T, batch) + self.gcn[0].bias)]
        for layer in self.gcn[1:]:
            layers.append(torch.relu_(layer(propagate(layers[-1], batch))))
        nodes = propagate(torch.cat(layers, 1), batch)
        graphs = len(batch["size"])
        key, value = self.padded(self.pool_g.k(nodes), batch), self.padded(self.pool_g.v(nodes), batch)
        x = self.pool_g(self.seeds_g.expand(graphs, -1, -1), key, value)
        x = self.selfatt(x, self.selfatt.k(x), self.selfatt.v(x))
        x = self.pool_i(self.seeds_i.expand(graphs, -1, -1), self.pool_i.k(x), self.pool_i.v(x)).squeeze(1)
        x = self.dropout(torch.relu_(self.cls1(self.post(x))))
        return self.cls3(self.dropout(torch.relu_(self.cls2(x))))

    def loss(self, batch):
        return functional.cross_entropy(self(batch), batch["target"])

    def load(self, w):
        self.load_state_dict(
            {name.replace("pool_g.seeds", "seeds_g").replace("pool_i.seeds", "seeds_i"): w[name] for name in w}
        )

    def result(self, batch):
        return "eval/logits", self(batch)


class Ocgtl(nn.Module):
    """All networks side by side: columns of sparse products, batches of dense ones."""

    def __init__(self, labels, hidden=32, layers=4, views=6):
        super().__init__()
        self.views, self.hidden, self.layers = views, hidden, layers
        uniform = lambda *shape: nn.Parameter(torch.empty(*shape).uniform_(-1, 1) / shape[-2] ** 0.5)
        self.first = uniform(labels, views * hidden)
        self.inner = nn.ParameterList([uniform(views, hidden, hidden) for _ in range(layers - 1)])
        self.second = nn.ParameterList([uniform(views, hidden, hidden) for _ in range(layers)])
        self.project1 = nn.ParameterList([uniform(views, hidden, hidden) for _ in range(layers)])
        self.project2 = nn.ParameterList([uniform(views, hidden, hidden) for _ in range(layers)])
        self.alpha = nn.ParameterList([nn.Parameter(torch.ones(views * hidden)) for _ in range(layers)])
        self.gamma = nn.ParameterList([nn.Parameter(torch.ones(views * hidden)) for _ in range(layers)])
        self.centre = nn.Parameter(torch.randn(layers * hidden))

    @staticmethod
    def batches(graphs):
        loops = unweighted(graphs) + sparse.identity(len(graphs.label), format="csr")
        return Batches(graphs, loops, loops @ tu_data.one_hot(graphs))

    def apart(self, x):
        """rows x (views hidden) as views x rows x hidden."""
        return x.view(len(x), self.views, self.hidden).transpose(0, 1)

    @staticmethod
    def beside(x):
        return x.transpose(0, 1).flatten(1)

    def norm(self, x, alpha, gamma, batch):
        mean = SegmentSum.apply(x, batch["share"], batch).index_select(0, batch["graph"])
        centred = x - alpha * mean
        square = SegmentSum.apply(centred * centred, batch["share"], batch).index_select(0, batch["graph"])
        return gamma * centred / torch.sqrt(square + 1e-8)

    def embed(self, batch):
        pooled = []
        for k in range(self.layers):
            if k == 0:
                inner = self.apart(torch.relu_(first_layer(self.first, batch)))
            else:
                inner = torch.relu_(torch.bmm(self.apart(propagate(x, batch)), self.inner[k - 1]))
            x = self.beside(torch.bmm(inner, self.second[k]))
            x = torch.relu_(self.norm(x, self.alpha[k], self.gamma[k], batch))
            projected = self.beside(torch.relu_(torch.bmm(self.apart(x), self.project1[k])))
            summed = SegmentSum.apply(projected, batch["one"], batch)
            pooled.append(torch.bmm(self.apart(summed), self.project2[k]))
        return torch.cat(pooled, 2)

    def scores(self, batch):
        z = self.embed(batch)
        z = torch.cat([z[:1] + self.centre, z[1:]])
        unit = functional.normalize(z, dim=2)
        cosine = torch.einsum("kgd,lgd->gkl", unit, unit)
        own = torch.eye(self.views, dtype=torch.bool)
        sums = torch.exp(cosine).masked_fill(own, 0).sum(2)
        distance = (z - self.centre).norm(dim=2).T
        return (distance + torch.log(sums) - cosine[:, :, 0])[:, 1:].sum(1)

    def loss(self, batch):
        return self.scores(batch).mean()

    def load(self, w):
        every = range(self.views)
        of = lambda k, name: [w[f"gin.{v}.layer.{k}.{name}"] for v in every]
        self.first.data = torch.cat([m.T for m in of(0, "conv_lin1.weight")], 1)
        for k in range(self.layers):
            if k > 0:
                self.inner[k - 1].data = torch.stack([m.T for m in of(k, "conv_lin1.weight")])
            self.second[k].data = torch.stack([m.T for m in of(k, "conv_lin2.weight")])
            self.project1[k].data = torch.stack([m.T for m in of(k, "proj_lin1.weight")])
            self.project2[k].data = torch.stack([m.T for m in of(k, "proj_lin2.weight")])
            self.alpha[k].data, self.gamma[k].data = torch.cat(of(k, "norm.alpha")), torch.cat(of(k, "norm.gamma"))
        self.centre.data = w["center"].flatten()

    def result(self, batch):
        return "eval/score", self.scores(batch)


MODELS = {"chebynet": Chebynet, "gmt": Gmt, "ocgtl": Ocgtl}
OPTIMISER = {"chebynet": (5e-3, 5e-4), "gmt": (5e-4, 1e-4), "ocgtl": (1e-3, 0)}


def time_batches(model, source, members, options):
    """The rate of the median batch."""
    rate, decay = OPTIMISER[options.model]
    optimizer = torch.optim.Adam(flatten_parameters(model), lr=rate, weight_decay=decay)
    random = numpy.random.default_rng(options.seed)
    rates = []
    for chosen in shuffled_batches(members, BATCH[options.model], random)[: options.time_batches + 2]:
        start = time.perf_counter()
        batch = source.batch(chosen)
        optimizer.zero_grad(set_to_none=False)
        model.loss(batch).backward()
        if options.model == "gmt":
            nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 1.0)
        optimizer.step()
        rates.append(len(chosen) / (time.perf_counter() - start))
    return float(numpy.median(rates[2:]))


def run(options):
    graphs = tu_data.load_tu(options.data)
    source = MODELS[options.model].batches(graphs)
    members = tu_data.stratified_split(graphs.target, options.seed)[0]
    if options.model == "ocgtl":
        members = members[graphs.target[members] == 0]
    model = MODELS[options.model](graphs.num_labels)
    before = gemm_gflops()
    rate = time_batches(model, source, members, options)
    return {
        "model": options.model,
        "threads": options.threads,
        "torch": torch.__version__,
        "median_batch_graphs_per_second": rate,
        "gemm_gflops": max(before, gemm_gflops()),
    }


def check_golden(path, name):
    tensors = tu_data.read_safetensors(path)
    graphs = tu_data.make_graphs(
        tensors["graph/edges"],
        tensors["graph/node_graph"],
        tensors["graph/node_label"],
        tensors["graph/graph_label"],
        int(tensors["graph/num_labels"][0]),
    )
    weights = {key[2:]: torch.from_numpy(value) for key, value in tensors.items() if key.startswith("w/")}
    settings = json.load(open(path.replace(".safetensors", ".json")))["hyperparameters"]
    sizes = {
        "chebynet": lambda: {"hidden": settings["hidden"], "dropout": 0.0},
        "gmt": lambda: {"hidden": settings["hidden"], "heads": settings["heads"], "dropout": 0.0},
        "ocgtl": lambda: {
            "hidden": settings["hidden_dim"],
            "layers": settings["num_layers"],
            "views": settings["num_trans"],
        },
    }
    model = MODELS[name](graphs.num_labels, **sizes[name]())
    model.load(weights)
    key, value = model.result(MODELS[name].batches(graphs).batch(numpy.arange(len(graphs))))
    expected = torch.from_numpy(tensors[key])
    difference = float((value.detach() - expected).abs().max() / expected.abs().max())
    return {"model": name, "difference": difference, "agrees": difference < 1e-4}


def main():
    torch.set_num_threads(OPTIONS.threads)
    torch.manual_seed(OPTIONS.seed)
    result = check_golden(OPTIONS.check_golden, OPTIONS.model) if OPTIONS.check_golden else run(OPTIONS)
    json.dump(result, sys.stdout, indent=1)
    print()
    if not result.get("agrees", True):
        sys.exit("the program differs from the golden case")


if __name__ == "__main__":
    main()
