"""What training RQGNN (profile published) is measured against: two PyTorch programs that compute the same model.

    /usr/bin/python3 bench/rqgnn_peer.py DATA.zip --style published|fast [--threads 2] [--epochs 100] [--batch 512]
        [--seed 10] [--split-files TRAIN VAL TEST] [--start MODEL] [--max-graphs N] [--time-batches N]
    /usr/bin/python3 bench/rqgnn_peer.py --check-golden CASE.safetensors

published  is built like the authors' pipeline: every batch is rebuilt in every epoch (lil_matrix, scipy Laplacian,
           dense one-hot features), four Chebyshev convolutions gather and scatter per order, the pooling loops over
           graphs.
fast       is as good as we can make PyTorch: label basis and quadratic forms once per dataset, node layers on the
           distinct labels, the filter bank merged into one matrix, sparse and segment products by embedding_bag in
           both directions, one flat parameter vector for Adam, no Python loop over graphs.

--start takes the weights of a model file of ours (profile published), so that only the implementation differs.
Prints one JSON object. Rates count training graphs per second of training (evaluation left out; rebuilding batches
counts). OpenMP threads suffer badly when another process wants a core, so the rate of the median batch or of the
fastest epoch is given as well. Needs python3-torch, python3-scipy, python3-sklearn and an optimised BLAS
(libopenblas0-openmp): with the reference BLAS the products are some thirty times slower; "gemm_gflops" tells.
"""

import argparse
import copy
import json
import sys
import time

import peer_environment

FILTERS, ORDERS, HIDDEN, DROPOUT = 4, 6, 64, 0.4
BETA, GAMMA, RATE, PATIENCE = 0.999, 1.5, 5e-3, 50


def arguments():
    parser = argparse.ArgumentParser(description="PyTorch as the peer of RQGNN training")
    parser.add_argument("data", nargs="?", help="a TU dataset as .zip")
    parser.add_argument("--style", choices=["published", "fast"], default="fast")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--split-files", nargs=3, metavar=("TRAIN", "VAL", "TEST"), help="0-based graph indices")
    parser.add_argument("--start", metavar="MODEL", help="start from the weights of this file")
    parser.add_argument("--max-graphs", type=int, help="a random part of the dataset")
    parser.add_argument("--time-batches", type=int, help="only measure the rate over so many batches")
    parser.add_argument("--check-golden", metavar="FILE", help="compare both styles with a golden case")
    options = parser.parse_args()
    if not options.data and not options.check_golden:
        parser.error("DATA.zip or --check-golden FILE is needed")
    if options.split_files and options.max_graphs:
        parser.error("--max-graphs does not go with --split-files")
    return options


OPTIONS = arguments()
peer_environment.set_environment(OPTIONS.threads)

import numpy  # noqa: E402
import torch  # noqa: E402
from scipy import sparse  # noqa: E402
from scipy.sparse import csgraph  # noqa: E402
from sklearn import metrics  # noqa: E402
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


class Network(nn.Module):
    """Parameters, graph branches and classifier of both styles; a subclass provides mix(batch) and pool(…)."""

    def __init__(self, labels, hidden=HIDDEN, dropout=DROPOUT):
        super().__init__()
        self.node_lin1, self.node_lin2 = nn.Linear(labels, labels), nn.Linear(labels, labels)
        self.mix_lin1, self.mix_lin2 = nn.Linear(FILTERS * labels, hidden), nn.Linear(hidden, hidden)
        self.attn_lin1, self.attn_lin2 = nn.Linear(labels, hidden), nn.Linear(hidden, hidden)
        self.explicit_lin1, self.explicit_lin2 = nn.Linear(labels, hidden), nn.Linear(hidden, hidden)
        self.bn = nn.BatchNorm1d(2 * hidden)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(2 * hidden, 2)
        coefficients = torch.empty(FILTERS, ORDERS, labels, labels)  # (out, in); never trained
        self.register_buffer("coefficients", coefficients.uniform_(-1, 1) * (6 / (2 * labels)) ** 0.5)
        self.register_buffer("filter_bias", torch.zeros(FILTERS, labels))

    def label_layers(self, x):
        return functional.leaky_relu(self.node_lin2(functional.leaky_relu(self.node_lin1(x))))

    def forward(self, batch):
        query = functional.leaky_relu(self.attn_lin2(functional.leaky_relu(self.attn_lin1(batch["forms"]))))
        explicit = functional.leaky_relu(self.explicit_lin2(self.explicit_lin1(batch["forms"])))
        mixed = functional.leaky_relu_(self.mix(batch))
        nodes = functional.leaky_relu_(self.mix_lin2(mixed))
        embedding = torch.cat([self.pool(nodes, query, batch), explicit], 1)
        return self.classifier(self.dropout(self.bn(embedding)))


class PublishedNetwork(Network):
    """Layer by layer on all nodes, as the authors' code does, gradients of the filters it never trains included."""

    def __init__(self, labels, hidden=HIDDEN, dropout=DROPOUT):
        super().__init__(labels, hidden, dropout)
        self.coefficients.requires_grad_(True)
        self.filter_bias.requires_grad_(True)

    def convolve(self, x, edges, number):
        """One Chebyshev convolution: every order gathers along the edges and scatters to the nodes."""
        source, target = edges
        degree = torch.zeros(len(x)).index_add_(0, target, torch.ones(len(target)))
        scale = torch.where(degree > 0, degree.rsqrt(), torch.zeros(()))
        weight = -(scale[source] * scale[target]).unsqueeze(1)

        def propagate(values):
            return torch.zeros_like(values).index_add(0, target, weight * values.index_select(0, source))

        matrices = self.coefficients[number]
        before, current = x, propagate(x)
        out = before @ matrices[0].T + current @ matrices[1].T
        for matrix in matrices[2:]:
            before, current = current, 2 * propagate(current) - before
            out = out + current @ matrix.T
        return out + self.filter_bias[number]

    def mix(self, batch):
        x = self.label_layers(batch["features"])
        return self.mix_lin1(torch.cat([self.convolve(x, batch["edges"], i) for i in range(FILTERS)], 1))

    def pool(self, nodes, query, batch):
        pooled = []
        for graph, (begin, end) in enumerate(zip(batch["ptr"][:-1], batch["ptr"][1:])):
            own = nodes[begin:end]
            pooled.append((own @ query[graph]) @ own)
        return torch.stack(pooled)


class PublishedBatches:
    """Every batch is assembled from its graphs whenever it is asked for."""

    def __init__(self, graphs):
        self.labels = graphs.num_labels
        self.target = torch.from_numpy(graphs.target)
        self.blocks, self.label = [], []
        for begin, end in zip(graphs.node_ptr[:-1], graphs.node_ptr[1:]):
            rows = graphs.adjacency.indptr[begin : end + 1]
            source = numpy.repeat(numpy.arange(end - begin), numpy.diff(rows))
            block = numpy.zeros((end - begin, end - begin), numpy.float32)
            block[source, graphs.adjacency.indices[rows[0] : rows[-1]] - begin] = graphs.adjacency.data[rows[0] : rows[-1]]
            self.blocks.append(sparse.csr_matrix(block))
            self.label.append(graphs.label[begin:end])

    def adjacency(self, chosen, ptr):
        matrix = sparse.lil_matrix((ptr[-1], ptr[-1]), dtype=numpy.float32)
        for graph, begin, end in zip(chosen, ptr[:-1], ptr[1:]):
            matrix[begin:end, begin:end] = self.blocks[graph]
        return matrix.tocsr()

    def forms(self, adjacency, features, ptr):
        laplacian = csgraph.laplacian(adjacency, normed=True).tocsr()
        rows = []
        for begin, end in zip(ptr[:-1], ptr[1:]):
            own = features[begin:end]
            rows.append(numpy.diagonal(own.T @ (laplacian[begin:end, begin:end] @ own)))
        return numpy.array(rows, numpy.float32)

    def batch(self, chosen):
        ptr = numpy.concatenate([[0], numpy.cumsum([len(self.label[graph]) for graph in chosen])])
        features = numpy.zeros((ptr[-1], self.labels), numpy.float32)
        features[numpy.arange(ptr[-1]), numpy.concatenate([self.label[graph] for graph in chosen])] = 1
        adjacency = self.adjacency(chosen, ptr)
        edges = numpy.array(adjacency.nonzero(), numpy.int64)
        return {
            "ptr": ptr.tolist(),
            "features": torch.from_numpy(features),
            "edges": torch.from_numpy(edges),
            "forms": torch.from_numpy(self.forms(adjacency, features, ptr)),
            "target": self.target[chosen],
        }


class QuadraticPool(torch.autograd.Function):
    """P_g = sum over the nodes j of graph g of <h_j, v_g> h_j."""

    @staticmethod
    def forward(context, nodes, query, ptr, graph, index):
        spread = query.index_select(0, graph)
        score = (nodes * spread).sum(1)
        context.save_for_backward(nodes, spread, score, ptr, graph, index)
        return weighted_row_sums(nodes, ptr, index, score)

    @staticmethod
    def backward(context, gradient):
        nodes, spread, score, ptr, graph, index = context.saved_tensors
        back = gradient.index_select(0, graph)
        share = (nodes * back).sum(1)
        to_query = weighted_row_sums(nodes, ptr, index, share)
        to_nodes = back.mul_(score.unsqueeze(1)).addcmul_(spread, share.unsqueeze(1))
        return to_nodes, to_query, None, None, None


class FastNetwork(Network):
    """The same function through the label basis: node layers on the labels, one merged filter matrix."""

    def __init__(self, labels, hidden=HIDDEN, dropout=DROPOUT):
        super().__init__(labels, hidden, dropout)
        self.dropout = FastDropout(dropout)
        self.register_buffer("identity", torch.eye(labels), persistent=False)
        self.merge_filters()

    def merge_filters(self):
        """The filters as one matrix: row (order, in), column (filter, out)."""
        labels = self.coefficients.shape[-1]
        self.stacked = self.coefficients.permute(1, 3, 0, 2).reshape(ORDERS * labels, FILTERS * labels).contiguous()

    def mix(self, batch):
        table = self.label_layers(self.identity)
        merged = (self.stacked @ self.mix_lin1.weight.T).view(ORDERS, len(table), -1)
        theta = torch.matmul(table, merged).flatten(0, 1)
        bias = functional.linear(self.filter_bias.flatten(), self.mix_lin1.weight, self.mix_lin1.bias)
        return SparseProduct.apply(theta, batch["by_row"], batch["by_column"]).add_(bias)

    def pool(self, nodes, query, batch):
        return QuadraticPool.apply(nodes, query, batch["ptr"], batch["graph"], batch["index"])


class FastBatches:
    """Everything that does not depend on weights is computed once; a batch takes its rows."""

    def __init__(self, graphs):
        self.begin, self.size = graphs.node_ptr[:-1], numpy.diff(graphs.node_ptr)
        self.basis = tu_data.label_basis(graphs, ORDERS)
        self.forms = torch.from_numpy(tu_data.label_quadratic_forms(graphs))
        self.target = torch.from_numpy(graphs.target)

    def batch(self, chosen):
        size = self.size[chosen]
        ptr = numpy.concatenate([[0], numpy.cumsum(size)])
        basis = self.basis[tu_data.concatenated_ranges(self.begin[chosen], size)]
        picked = torch.from_numpy(chosen)
        return {
            "by_row": compressed(basis),
            "by_column": compressed(basis.tocsc()),
            "ptr": torch.from_numpy(ptr),
            "graph": torch.from_numpy(numpy.repeat(numpy.arange(len(chosen)), size)),
            "index": torch.arange(ptr[-1]),
            "forms": self.forms.index_select(0, picked),
            "target": self.target.index_select(0, picked),
        }


STYLES = {"published": (PublishedNetwork, PublishedBatches), "fast": (FastNetwork, FastBatches)}


def class_weights(counts):
    weights = [(1 - BETA) / (1 - BETA ** float(count)) for count in counts]
    return torch.tensor([2 * weight / sum(weights) for weight in weights], dtype=torch.float32)


def focal_loss(logits, target, weights):
    """Class-balanced focal loss, a sigmoid per class, mean over the graphs."""
    signed = logits * (2 * functional.one_hot(target, 2) - 1)
    terms = torch.exp(GAMMA * functional.logsigmoid(-signed)) * functional.logsigmoid(signed)
    return -(weights[target] * terms.sum(1)).mean()


def make_optimizer(model, style):
    parameters = flatten_parameters(model) if style == "fast" else list(model.parameters())
    return torch.optim.Adam(parameters, lr=RATE)


def train_batch(model, optimizer, source, chosen, weights):
    batch = source.batch(chosen)
    optimizer.zero_grad(set_to_none=False)
    focal_loss(model(batch), batch["target"], weights).backward()
    optimizer.step()


@torch.no_grad()
def scores(model, source, members, size):
    """p(anomaly) of every graph."""
    model.eval()
    parts = []
    for begin in range(0, len(members), size):
        logits = model(source.batch(members[begin : begin + size]))
        parts.append(torch.sigmoid(logits[:, 1] - logits[:, 0]))
    model.train()
    return torch.cat(parts).numpy()


def macro_f1(target, predicted):
    return float(metrics.f1_score(target, predicted, average="macro", zero_division=0))


def best_threshold(target, score):
    """The threshold with the best macro-F1; the candidates lie half way between neighbouring scores."""
    order = numpy.argsort(-score, kind="stable")
    sorted_score, hit = score[order].astype(float), numpy.cumsum(target[order])
    called, positives, count = numpy.arange(1, len(score) + 1), target.sum(), len(score)
    f1_anomaly = 2 * hit / (called + positives)
    right_normal = (count - positives) - (called - hit)
    f1_normal = 2 * right_normal / numpy.maximum((count - called) + (count - positives), 1)
    following = numpy.append(sorted_score[1:], -numpy.inf)
    quality = numpy.where(following < sorted_score, f1_anomaly + f1_normal, -1)
    place = int(quality.argmax())
    return float((sorted_score[place] + max(following[place], 0.0)) / 2)


def measure(target, score):
    return {
        "auc": float(metrics.roc_auc_score(target, score)),
        "average_precision": float(metrics.average_precision_score(target, score)),
        "macro_f1": macro_f1(target, score > 0.5),
    }


def train(model, source, split, weights, options):
    """Trains with early stopping; the model ends as in its best epoch. Graphs trained, seconds, best rate, details."""
    members, validation, _ = split
    target = source.target.numpy()[validation]
    optimizer = make_optimizer(model, options.style)
    random = numpy.random.default_rng(options.seed)
    best, best_epoch, best_state, idle, seconds = None, 0, None, 0, []
    for epoch in range(1, options.epochs + 1):
        start = time.perf_counter()
        for chosen in shuffled_batches(members, options.batch, random):
            train_batch(model, optimizer, source, chosen, weights)
        seconds.append(time.perf_counter() - start)
        result = measure(target, scores(model, source, validation, options.batch))
        idle = 0 if best is None or result["macro_f1"] >= best["macro_f1"] else idle + 1
        if best is None or (result["macro_f1"], result["auc"]) >= (best["macro_f1"], best["auc"]):
            best, best_epoch, best_state = result, epoch, copy.deepcopy(model.state_dict())
        shown = {key: round(value, 4) for key, value in result.items()}
        print(f"epoch {epoch}: {len(members) / seconds[-1]:.0f} graphs/s, {shown}", file=sys.stderr)
        if idle > PATIENCE:
            break
    model.load_state_dict(best_state)
    details = {"epochs_run": epoch, "best_epoch": best_epoch, "validation": best}
    return len(members) * epoch, sum(seconds), len(members) / min(seconds), details


def test(model, source, split, size):
    target = source.target.numpy()
    threshold = best_threshold(target[split[1]], scores(model, source, split[1], size))
    score = scores(model, source, split[2], size)
    tuned = macro_f1(target[split[2]], score >= threshold)
    return {**measure(target[split[2]], score), "macro_f1_tuned": tuned, "threshold": threshold}


def time_batches(model, source, members, weights, options, warm_up=2):
    """Graphs trained, seconds and the rate of the median batch over the given number of batches."""
    optimizer = make_optimizer(model, options.style)
    random = numpy.random.default_rng(options.seed)
    batches, seconds = [], []
    while len(batches) < warm_up + options.time_batches:
        batches += shuffled_batches(members, options.batch, random)
    batches = batches[: warm_up + options.time_batches]
    for chosen in batches:
        start = time.perf_counter()
        train_batch(model, optimizer, source, chosen, weights)
        seconds.append(time.perf_counter() - start)
    timed = numpy.array([len(chosen) for chosen in batches[warm_up:]]), numpy.array(seconds[warm_up:])
    return int(timed[0].sum()), float(timed[1].sum()), float(numpy.median(timed[0] / timed[1]))


def run(options):
    result = {"style": options.style, "torch": torch.__version__, "threads": options.threads}
    graphs = tu_data.load_tu(options.data)
    if options.max_graphs and options.max_graphs < len(graphs):
        chosen = numpy.random.default_rng(options.seed).permutation(len(graphs))[: options.max_graphs]
        graphs = tu_data.select(graphs, chosen)
    if options.split_files:
        split = tu_data.read_split(options.split_files)
    else:
        split = tu_data.stratified_split(graphs.target, options.seed)
    network, batches = STYLES[options.style]
    start = time.perf_counter()
    source = batches(graphs)
    prepare_seconds = time.perf_counter() - start
    torch.manual_seed(options.seed)
    model = network(graphs.num_labels)
    if options.start:
        start_from(model, options.start, graphs.label_words)
    weights = class_weights(numpy.bincount(graphs.target[split[0]], minlength=2))
    result["graphs"] = len(graphs)
    gemm_before = gemm_gflops()
    details = {}
    if options.time_batches:
        trained, seconds, rate = time_batches(model, source, split[0], weights, options)
        details["median_batch_graphs_per_second"] = rate
    else:
        trained, seconds, rate, details = train(model, source, split, weights, options)
        details["fastest_epoch_graphs_per_second"] = rate
        details["test"] = test(model, source, split, options.batch)
    result["train_graphs_per_second"] = trained / seconds
    gemm_after = gemm_gflops()
    result["gemm_gflops"] = max(gemm_before, gemm_after)
    result["gemm_gflops_before_after"] = [gemm_before, gemm_after]
    result["seconds"] = {"prepare": prepare_seconds, "train": seconds}
    return {**result, **details}


def start_from(model, path, words):
    """Weights of a model file of ours, which numbers labels by its own vocabulary."""
    tensors, metadata = tu_data.read_safetensors(path), tu_data.read_metadata(path)
    ours = [entry[3] for entry in json.loads(metadata["rayleigh"])["vocabularies"][0]["entries"]]
    place = [ours.index(str(word)) for word in words]
    labels, state = len(words), {"bn.num_batches_tracked": model.bn.num_batches_tracked}
    names = {"bn.gamma": "bn.weight", "bn.beta": "bn.bias"}
    for name, values in tensors.items():
        name = name.partition("/")[2]
        if name.endswith("_lin1.weight") and not name.startswith("mix"):
            values = values[:, place]  # columns are labels
        if name.startswith("filters"):
            continue
        state[names.get(name, name)] = torch.from_numpy(values.squeeze() if values.shape[0] == 1 else values.copy())
    weight = tensors["member.0/filters.weight"].reshape(ORDERS, labels, FILTERS, labels)
    state["coefficients"] = torch.from_numpy(weight.transpose(2, 0, 3, 1).copy())
    state["filter_bias"] = torch.from_numpy(tensors["member.0/filters.bias"].copy()).view(model.filter_bias.shape)
    model.load_state_dict(state)
    if hasattr(model, "merge_filters"):
        model.merge_filters()


def golden_model(network, tensors):
    """A network with the weights of a golden case (its dropout is 0) and what a golden case calls them."""
    labels, hidden = int(tensors["graph/num_labels"][0]), len(tensors["w/mix_lin2.bias"])
    model = network(labels, hidden, 0.0)
    renamed = {"bn.gamma": "bn.weight", "bn.beta": "bn.bias"}
    state = {"bn.num_batches_tracked": model.bn.num_batches_tracked}
    for name, values in tensors.items():
        group, _, rest = name.partition("/")
        if group in ("w", "buf"):
            state[renamed.get(rest, rest)] = torch.from_numpy(values)
    for key, form in (("coefficients", "frozen/cheb.{0}.coef.{1}"), ("filter_bias", "frozen/cheb.{0}.bias")):
        shape = model.state_dict()[key].shape
        parts = [tensors[form.format(i, k)] for i in range(FILTERS) for k in range(ORDERS if len(shape) == 4 else 1)]
        state[key] = torch.from_numpy(numpy.stack(parts)).view(shape)
    model.load_state_dict(state)
    if hasattr(model, "merge_filters"):
        model.merge_filters()
    return model, {value: key for key, value in renamed.items()}


def golden_differences(style, tensors):
    """Largest difference over largest value, for logits and loss, and for the worst gradient."""

    def distance(values, name):
        return float(numpy.abs(values.detach().numpy() - tensors[name]).max() / numpy.abs(tensors[name]).max())

    network, batches = STYLES[style]
    target, labels = tensors["graph/graph_label"], int(tensors["graph/num_labels"][0])
    graphs = tu_data.make_graphs(
        tensors["graph/edges"], tensors["graph/node_graph"], tensors["graph/node_label"], target, labels
    )
    batch = batches(graphs).batch(numpy.arange(len(target)))
    model, names = golden_model(network, tensors)
    model.eval()
    result = {
        "eval_logits": distance(model(batch), "eval/logits"),
        "forms": distance(batch["forms"], "eval/xLx"),
    }
    model.train()
    make_optimizer(model, style)
    logits = model(batch)
    loss = focal_loss(logits, batch["target"], class_weights([900, 100]))
    loss.backward()
    result["train_logits"] = distance(logits, "train/logits")
    result["train_loss"] = distance(loss.view(1), "train/loss")
    gradients = {
        name: distance(parameter.grad, f"grad/{names.get(name, name)}") for name, parameter in model.named_parameters()
    }
    worst = max(gradients, key=gradients.get)
    return {**result, "gradient": gradients[worst], "worst_gradient": worst}


def check_golden(path):
    tensors = tu_data.read_safetensors(path)
    result = {style: golden_differences(style, tensors) for style in STYLES}
    result["agrees"] = all(
        value <= (1e-4 if key == "gradient" else 1e-5)
        for style in STYLES
        for key, value in result[style].items()
        if key != "worst_gradient"
    )
    return result


def main():
    torch.set_num_threads(OPTIONS.threads)
    torch.manual_seed(OPTIONS.seed)
    result = check_golden(OPTIONS.check_golden) if OPTIONS.check_golden else run(OPTIONS)
    json.dump(result, sys.stdout, indent=1)
    print()
    if not result.get("agrees", True):
        sys.exit("the styles differ from the golden case")


if __name__ == "__main__":
    main()
