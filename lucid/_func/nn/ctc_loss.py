"""The connectionist temporal classification loss: ctc_loss, a sum over all alignments of a text with a sequence."""

from ..._backend.core import func_op
from ..._backend.families import Own, not_implemented_error
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.dtype import FLOATING
from ..._tensor.tensor import Tensor
from ..creation.from_data import tensor
from ..pointwise.where import where

LOW = float("-inf")


def _shifted(xp, x, by):
    """x moved by so many places along dimension 1 (to the right, or to the left if negative), -inf where nothing is."""
    n, size = x.shape
    gap = xp.full((n, min(abs(by), size)), LOW)
    if abs(by) >= size:
        return gap
    return xp.cat([gap, xp.slice(x, 1, 0, size - by, 1)] if by > 0 else [xp.slice(x, 1, -by, size, 1), gap], 1)


def _step(xp, paths, skip, direction):
    """Where paths go in one step: they stay, move to the next state, or skip the blank between different labels."""
    low = xp.scalar(LOW)
    far = _shifted(xp, paths, 2) if direction > 0 else _shifted(xp, xp.where(skip, paths, low), -2)
    far = xp.where(skip, far, low) if direction > 0 else far
    return xp.logsumexp(xp.stack([paths, _shifted(xp, paths, direction), far], 0), (0,), False)


def _spread(xp, labels, log_probs):
    """labels (N, L) for every step, and log_probs at them: both (T, N, L)."""
    index = xp.expand(xp.unsqueeze(labels, 0), (log_probs.shape[0], *labels.shape))
    return index, xp.gather(log_probs, 2, index)


def _forwards(xp, emitted, skip, running):
    """(T, N, L): log of the probability of all paths that are in a state after each step; kept after the last one."""
    n, size = skip.shape
    paths = xp.cat([xp.zeros((n, 1)), xp.full((n, size - 1), LOW)], 1)
    found = []
    for step in range(emitted.shape[0]):
        moved = _step(xp, paths, skip, 1) + xp.select(emitted, 0, step)
        paths = xp.where(xp.unsqueeze(xp.select(running, 0, step), 1), moved, paths)
        found.append(paths)
    return xp.stack(found, 0)


def _backwards(xp, emitted, skip, running, last):
    """(T, N, L): log of the probability of what is emitted from each step on by paths that are then in a state."""
    steps = emitted.shape[0]
    ends, paths, found = xp.where(last, xp.scalar(0.0), xp.scalar(LOW)), xp.full(tuple(last.shape), LOW), []
    for step in reversed(range(steps)):
        ending = xp.select(running, 0, step)
        if step + 1 < steps:
            ending = xp.logical_and(ending, xp.logical_not(xp.select(running, 0, step + 1)))
        moved = xp.where(xp.unsqueeze(ending, 1), ends, _step(xp, paths, skip, -1))
        paths = moved + xp.select(emitted, 0, step)
        found.append(paths)
    return xp.stack(found[::-1], 0)


class ctc_losses(Own):
    """(negative log likelihoods (N), log of forward probabilities (T, N, L)).

    labels (N, L): the text with blanks between and around; skip: may a path come from two states before? last: may it
    end here? running (T, N): is the sequence still going on?
    """

    name, node_name, namespace, method, differentiable = "ctc_losses", "CtcLossBackward0", None, False, (0,)
    index_inputs = ("labels", "skip", "last", "running")

    @func_op(5, 2)
    def forward(xp, log_probs, labels, skip, last, running, zero_infinity):
        alpha = _forwards(xp, _spread(xp, labels, log_probs)[1], skip, running)
        ends = xp.where(last, xp.select(alpha, 0, log_probs.shape[0] - 1), xp.scalar(LOW))
        return -xp.logsumexp(ends, (1,), False), alpha

    def grad_log_probs(xp, g, log_probs, labels, skip, last, running, out0, out1, zero_infinity):
        # Graves et al. (2006), equation 16. As in torch log_probs count as the result of a log_softmax, whose gradient
        # is in here already: the one that follows changes nothing, as the sum over classes is 0.
        index, emitted = _spread(xp, labels, log_probs)
        alpha = _forwards(xp, emitted, skip, running) if xp.records else out1
        both = alpha + _backwards(xp, emitted, skip, running, last)
        loss = xp.unsqueeze(xp.unsqueeze(out0, 0), 2)
        none = both == LOW
        share = xp.where(none, xp.scalar(0.0), xp.exp(xp.where(none, both, both - emitted + loss)))
        grad = xp.exp(log_probs) - xp.scatter_add(xp.zeros(tuple(log_probs.shape)), 2, index, share)
        if zero_infinity:
            grad = xp.where(loss == -LOW, xp.scalar(0.0), grad)
        else:
            grad = grad + (loss - loss)  # a text that does not fit has no gradient: nan, as inf - inf is
        return xp.where(xp.unsqueeze(running, 2), grad * xp.unsqueeze(xp.unsqueeze(g, 0), 2), xp.scalar(0.0))


def _lengths(name, given, count, most=None):
    """Lengths as a list of ints."""
    if isinstance(given, Tensor):
        if given._table.inexact or given._table.dtype is dtypes.bool_:
            raise RuntimeError(f"{name} must be integral")
        given = given.tolist()
    given = [given] if isinstance(given, int) else list(given)
    if len(given) != count:
        raise RuntimeError(f"{name} must be of size batch_size")
    for n in given:
        if n < 0 or most is not None and n > most:
            raise RuntimeError(
                f"Expected {name} to have value at {'least 0' if n < 0 else f'most {most}'}, but got "
                f"value {n} (while checking arguments for ctc_loss_allocate_outputs)"
            )
    return given


def _texts(targets, lengths):
    """targets as one list of labels for each sequence."""
    longest = max(lengths, default=0)
    if targets._array.ndim == 1:
        if targets._array.shape[0] != sum(lengths):
            raise RuntimeError(
                f"Expected tensor to have size {sum(lengths)} at dimension 0, but got size {targets._array.shape[0]} "
                "for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)"
            )
        labels = iter(targets.long().tolist())
        return [[next(labels) for _ in range(n)] for n in lengths]
    if targets._array.shape[0] != len(lengths):
        raise RuntimeError(
            f"Expected tensor to have size {len(lengths)} at dimension 0, but got size {targets._array.shape[0]} for "
            "argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)"
        )
    if targets._array.shape[1] < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size {targets._array.shape[1]} "
            "for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)"
        )
    return [row[:n] for row, n in zip(targets.long().tolist(), lengths)]


def _states(texts, blank, device):
    """(labels, skip, last) of the states of each text: blanks around and between its labels."""
    size = 2 * max(map(len, texts), default=0) + 1
    labels, skip, last = [], [], []
    for text in texts:
        row = [blank] * size
        row[1 : 2 * len(text) : 2] = text
        labels.append(row)
        skip.append([s > 2 and s % 2 == 1 and row[s] != row[s - 2] for s in range(size)])
        last.append([s in (2 * len(text), 2 * len(text) - 1) for s in range(size)])
    return (tensor(labels, dtype=dtypes.int64, device=device), tensor(skip, device=device), tensor(last, device=device))


def _losses(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """(the loss of each sequence, the lengths of the texts), for log_probs (T, N, C)."""
    steps, count, classes = log_probs._array.shape
    if log_probs._table.dtype.category != FLOATING or log_probs._table.dtype.itemsize == 2:
        raise not_implemented_error("ctc_loss_cpu", log_probs._table.dtype)
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    inputs = _lengths("input_lengths", input_lengths, count, steps)
    lengths = _lengths("target_lengths", target_lengths, count)
    texts = _texts(targets, lengths)
    labels, skip, last = _states(texts, blank, log_probs.device)
    running = tensor([[t < n for n in inputs] for t in range(steps)], device=log_probs.device)
    return ctc_losses.fn(log_probs, labels, skip, last, running, zero_infinity)[0], lengths


@public("ctc_loss", method=False)
def _torch_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """ctc_loss(...): F.ctc_loss with reduction 0 (none), 1 (mean) or 2 (sum)."""
    batched = log_probs._array.ndim == 3
    losses, lengths = _losses(
        log_probs if batched else log_probs.unsqueeze(1), targets, input_lengths, target_lengths, blank, zero_infinity
    )
    if zero_infinity:
        losses = where(losses == -LOW, losses.new_zeros(()), losses)
    if reduction == 1:
        return (losses / tensor(lengths, dtype=losses.dtype, device=losses.device).clamp_min(1)).mean()
    return losses.sum() if reduction == 2 else losses if batched else losses.squeeze(0)


@public("ctc_loss", namespace="nn.functional")
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False).

    The negative log likelihood of texts when every alignment with a sequence counts (Graves et al. 2006). log_probs
    (T, N, C) or (T, C): log_softmax of each step; targets (N, S), or all texts in one row; lengths of both, as tensors
    or tuples. "mean" divides each loss by the length of its text first. zero_infinity: a text longer than its sequence
    gives 0, not inf. RuntimeError for lengths and sizes that do not fit.
    """
    kinds = {"none": 0, "mean": 1, "sum": 2}
    if reduction not in kinds:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _torch_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, kinds[reduction], zero_infinity)
