"""Selective checkpointing: contexts in which a policy says which ops' results are kept and which are computed again."""

import collections
import enum

from .._aten.overloads import HigherOrderOperator, OpOverload, OpOverloadPacket, aten
from .._tensor.pytree import tree_map
from .._tensor.tensor import Tensor
from ._python_dispatch import TorchDispatchMode


class CheckpointPolicy(enum.Enum):
    """What becomes of an op's result: it is kept for backward (SAVE; CPU_OFFLOAD, where it already is), or computed
    again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVED = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
_AGAIN, _TAKEN = object(), object()
_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)


class SelectiveCheckpointContext:
    """What a policy is told: is_recompute (is it the second run?) and op_output."""

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute, self.op_output = is_recompute, op_output


def _is_ignored(func):
    return func is aten("detach.default")


class _Kept:
    """A value, and what was written to it when it was kept."""

    def __init__(self, value):
        self.is_tensor = isinstance(value, Tensor)
        self.value = value.detach() if self.is_tensor else value
        self.version = value._version if self.is_tensor else None

    def taken(self, mutable):
        """The value; RuntimeError if it was written since."""
        if self.is_tensor and not mutable and self.value._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value


class _Keeping(TorchDispatchMode):
    """The first run."""

    def __init__(self, policy, kept):
        super().__init__()
        self.policy, self.kept, self.counts = policy, kept, collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if _is_ignored(func):
            return out
        place = self.counts[func]
        self.counts[func] += 1
        policy = self.policy(SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **kwargs)
        if isinstance(policy, bool):
            policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
        self.kept[func][place] = tree_map(_Kept, out) if policy in _SAVED else _AGAIN
        return out


class _Giving(TorchDispatchMode):
    """The second run: what was kept is given, in the order of the first."""

    def __init__(self, kept, mutable):
        super().__init__()
        self.kept, self.mutable, self.counts = kept, mutable, collections.Counter()

    def __enter__(self):
        self.counts.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if _is_ignored(func):
            return func(*args, **(kwargs or {}))
        place = self.counts[func]
        self.counts[func] += 1
        if func not in self.kept:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {_MISMATCH}")
        entry = self.kept[func].get(place)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {place} encountered during backward but not found in storage. {_MISMATCH}"
            )
        if entry is _TAKEN:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        if entry is _AGAIN:
            return func(*args, **(kwargs or {}))
        self.kept[func][place] = _TAKEN
        return tree_map(lambda k: k.taken(self.mutable), entry)


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """create_selective_checkpoint_contexts(policy) -> two contexts for checkpoint's context_fn.

    policy(ctx, op, *args, **kwargs) gives a CheckpointPolicy for each op that runs; or it is a list of the ops
    (`torch.ops.aten.mm.default`) whose results are kept. ValueError for what is no overload, TypeError for others.
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, (OpOverload, HigherOrderOperator)):
                more = (
                    "Please update the OpOverloadPacket to a specific OpOverload."
                    "For example, if you have `torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                    if isinstance(op, OpOverloadPacket)
                    else ""
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {more}"
                )

        def policy(ctx, op, *args, **kwargs):
            saved = op in policy_fn_or_list
            return CheckpointPolicy.MUST_SAVE if saved else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept = collections.defaultdict(dict)
    return _Keeping(policy, kept), _Giving(kept, allow_cache_entry_mutation)
