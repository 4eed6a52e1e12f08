"""What the PyTorch peers share: sparse products by embedding_bag in both directions, a faster dropout, one flat
parameter vector for Adam, shuffled batches, the rate of a product. Set the environment (peer_environment.py) first.
"""

import time

import torch
from torch import nn
from torch.nn import functional


def weighted_row_sums(table, ptr, index, weight):
    """A sparse matrix in CSR form times a dense table."""
    return functional.embedding_bag(index, table, ptr, mode="sum", per_sample_weights=weight, include_last_offset=True)


class SparseProduct(torch.autograd.Function):
    """Phi @ table with Phi given in CSR form for the way forth and in CSC form for the way back."""

    @staticmethod
    def forward(context, table, by_row, by_column):
        context.by_column = by_column
        return weighted_row_sums(table, *by_row)

    @staticmethod
    def backward(context, gradient):
        return weighted_row_sums(gradient, *context.by_column), None, None


class FastDropout(nn.Dropout):
    """As nn.Dropout, but a third of its time: numbers are compared instead of drawn from Bernoulli."""

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        return x * torch.rand_like(x).ge_(self.p).div_(1 - self.p)


def compressed(matrix):
    return tuple(torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data))


def flatten_parameters(model):
    """Lets all parameters and their gradients live in one vector each, so that Adam is a handful of calls."""
    parameters = list(model.parameters())
    flat = nn.Parameter(torch.cat([parameter.detach().flatten() for parameter in parameters]))
    flat.grad = torch.zeros_like(flat)
    begin = 0
    for parameter in parameters:
        end = begin + parameter.numel()
        parameter.data = flat.data[begin:end].view_as(parameter)
        parameter.grad = flat.grad[begin:end].view_as(parameter)
        begin = end
    return [flat]


def shuffled_batches(members, size, random):
    order = random.permutation(members)
    return [order[begin : begin + size] for begin in range(0, len(order), size)]


def gemm_gflops(rows=15000, width=64, repeat=50):
    left, right = torch.randn(rows, width), torch.randn(width, width)
    out = torch.empty(rows, width)
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        torch.mm(left, right, out=out)
        best = min(best, time.perf_counter() - start)
    return 2e-9 * rows * width * width / best
