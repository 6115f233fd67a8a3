"""AdaptiveLogSoftmaxWithLoss: a softmax over many classes, cheap for the frequent ones."""

import collections
import itertools

from .. import functional as F
from .._ops import ops
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = collections.namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """AdaptiveLogSoftmaxWithLoss(in_features, n_classes, cutoffs, div_value=4.0, head_bias=False) (Grave et al. 2017).

    Classes, sorted by frequency, are cut into a shortlist and clusters; each cluster has one entry in the head and a
    smaller projection of its own. forward(input (N, in_features), target (N)) gives (log probabilities (N), mean loss).
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, cutoffs + [n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (first, end) in enumerate(itertools.pairwise(self.cutoffs), 1):
            hidden = int(in_features // div_value**i)
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **made), Linear(hidden, end - first, bias=False, **made)
                )
            )

    def reset_parameters(self):
        """Draw all weights anew."""
        self.head.reset_parameters()
        for to_hidden, to_classes in self.tail:
            to_hidden.reset_parameters()
            to_classes.reset_parameters()

    def forward(self, input_, target_):
        """(log probability of each target, their negated mean)"""
        dims = target_.dim()
        if dims > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if dims and input_.size(0) != target_.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != dims + 1:
            raise RuntimeError(
                f"{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with size {input_.size()}"
            )
        input, target = (input_, target_) if dims else (input_.unsqueeze(0), target_.unsqueeze(0))
        used, batch = 0, target.size(0)
        output, places = input.new_zeros(batch), target.new_empty(batch)
        for i, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            inside = (target >= low) & (target < high)
            rows = inside.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            used += rows.numel()
            if i == 0:
                places.index_copy_(0, rows, target[inside])
                continue
            places.index_fill_(0, rows, self.shortlist_size + i - 1)
            logs = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
            output.index_copy_(0, rows, logs.gather(1, (target[inside] - low).unsqueeze(1)).squeeze(1))
        if used != batch:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output += F.log_softmax(self.head(input), dim=1).gather(1, places.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if dims else output.squeeze(0), loss)

    def _get_full_log_prob(self, input, head_output):
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        n = self.shortlist_size
        out[:, :n] = head[:, :n]
        for i, (first, end) in enumerate(itertools.pairwise(self.cutoffs)):
            out[:, first:end] = F.log_softmax(self.tail[i](input), dim=1) + head[:, n + i].unsqueeze(1)
        return out

    def log_prob(self, input):
        """log_prob(input (N, in_features)) -> (N, n_classes)"""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        """predict(input (N, in_features)) -> the likeliest class of each, (N); clusters are computed only where
        needed."""
        head = self.head(input)
        best = ops.argmax(head, dim=1)
        rare = best >= self.shortlist_size
        if not rare.any():
            return best
        if rare.all():
            return ops.argmax(self._get_full_log_prob(input, head), dim=1)
        best[rare] = ops.argmax(self._get_full_log_prob(input[rare], head[rare]), dim=1)
        return best
