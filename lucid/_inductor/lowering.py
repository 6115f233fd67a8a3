"""A graph of ATen calls as loop bodies: each call's own rules are run on arrays that are loops.

What has no loops is left to the engine: the word that has none (a matrix product, a convolution), or the whole call.
"""

from .._aten.overloads import OpOverload
from .._codegen import loop_words
from .._codegen.loops import Call, Input, LoopArray, NotALoop, Result, broadcast_index, counted
from .._modes.fake import faking
from .._modes.torch_dispatch import disable_modes
from .._tensor import pytree
from .._tensor.tensor import Tensor, wrap
from ..autograd.grad_mode import no_grad
from ..fx.node import Node
from .lowerings import LOWERINGS


def shaped_like(t):
    """A LoopArray that owns memory laid out like a tensor."""
    k = loop_words.table(t.dtype, t.device)
    return LoopArray(k, tuple(map(int, t.shape)), tuple(map(int, t.stride())))


class Lowered:
    """A graph as loops. inputs: the LoopArrays of its arguments (None for numbers); outputs: LoopArrays, numbers, None.

    values: an example of each argument; numbers among them are what the graph is specialised to. words: element type ->
    the words of the text that will be written.
    """

    def __init__(self, module, values, words=None):
        self.module, self.values, self.inputs, self.constants, self.words = module, values, [], [], words
        self.writes = []  # (input, what it is to hold when the graph has run)
        self.draws = []  # results of calls that draw random numbers, in the order in which they are to do so
        self.why = {}  # {node name: why it has no loops}
        self._env, self._checked = {}, set()
        with no_grad(), disable_modes(), faking(loop_words.table):
            self.outputs = self._run()

    def _run(self):
        given = iter(self.values)
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                self._env[node] = self._input(next(given))
            elif node.op == "get_attr":
                self._env[node] = self._constant(node)
            elif node.op == "output":
                leaves = pytree.tree_leaves(node.args[0], is_leaf=lambda x: x is None)
                return [_kept(self._laid_out(x)) for x in leaves]
            else:
                self._env[node] = self._call(node)
                self._settle(node)
        raise AssertionError("a graph without an output")

    def _laid_out(self, leaf):
        """A result, which lies in memory as the trace saw it."""
        found, seen = self._read(leaf), leaf.meta.get("val") if isinstance(leaf, Node) else None
        if not isinstance(found, Tensor) or not isinstance(seen, Tensor):
            return found
        array, strides = found._array, tuple(map(int, seen.stride()))
        same = [n < 2 or a == b for n, a, b in zip(array.shape, array.strides, strides)]
        if all(same) or 0 in strides:
            return found
        return wrap(array.k.with_strides(array, strides), array.k)

    def _read(self, x):
        return pytree.tree_map_only(Node, self._env.__getitem__, x)

    def _input(self, value):
        if not isinstance(value, Tensor):
            self.inputs.append(None)
            return value
        array = shaped_like(value)
        array.source = Input(len(self.inputs))
        self.inputs.append(array)
        return wrap(array, array.k)

    def _constant(self, node):
        value = self.module
        for name in node.target.split("."):
            value = getattr(value, name)
        if not isinstance(value, Tensor):
            return value
        array = shaped_like(value)
        array.source = Input(len(self.values) + len(self.constants))
        self.constants.append(value)
        return wrap(array, array.k)

    def _write(self, target, value):
        """A write to an argument, which is done last."""
        into, given = target._array, value._array
        value = given
        if given.owner is not given or given.dtype is not into.dtype or given.strides != into.strides or given.source:
            value = into.k.new(into.shape, into.strides)
            value.body = lambda ops, i: ops.sibling(into.dtype).cast(
                given.at(ops, broadcast_index(i, given.shape)), into.dtype
            )
        value.stored = True
        self.writes.append((into, value))
        return wrap(value, value.k)

    # ---- calls

    def _call(self, node):
        args, kwargs = self._read(node.args), self._read(node.kwargs)
        target = node.target
        if not isinstance(target, OpOverload):
            return target(*args, **kwargs)
        if target._opname == "copy_" and isinstance(args[0]._array.source, Input):
            return self._write(*args[:2])
        if not must_call(target):
            try:
                found = self._by_rules(target, args, kwargs)
                _check(found, node.meta.get("val"), self.words, self._checked)
                return found
            except Exception as why:  # whatever a rule stumbles over that sees no numbers, the engine has the op
                self.why[node.name] = f"{type(why).__name__}: {why}"
        found = _engine_call(node, target, args, kwargs)
        if "nondeterministic_seeded" in target._tags:
            self.draws.append(pytree.tree_leaves(found)[0]._array)
        return found

    def _by_rules(self, target, args, kwargs):
        """What a call gives by a lowering of its own, or by the op's rules."""
        own = LOWERINGS.get(target._opname)
        if own is None or args and isinstance(args[0], Tensor) and args[0].dtype.itemsize < 4:
            return target.compute(*args, **kwargs)
        return own(*target._schema.bound(args, kwargs, False))

    def _settle(self, node):
        """Keep what several calls read and is not quickly computed again, and what is at the end of a long formula: the
        kernel that makes it may have it for itself, but nobody has to say it all once more."""
        for t in pytree.tree_leaves(self._env[node]):
            if not isinstance(t, Tensor) or t._array.owner.is_kept:
                continue
            effort = counted(t._array.owner)
            if len(node.users) > 1 and not effort.is_cheap or sum(effort.words.values()) > LONG:
                t._array.owner.stored = True


LONG = 48  # words


def must_call(target):
    """Is an op the engine's affair whatever its rules say: random numbers, memory that nobody filled?"""
    return "nondeterministic_seeded" in target._tags or target._opname in _ENGINE


_ENGINE = frozenset("empty empty_strided empty_like new_empty new_empty_strided empty_permuted".split())


def _check(found, expected, words, checked):
    """NotALoop where a result was not said or cannot be written, or is not what the trace saw."""
    seen = pytree.tree_leaves(found)
    for t in seen:
        if isinstance(t, Tensor):
            if not isinstance(t._array, LoopArray):
                raise NotALoop("a result with data")
            _check_body(t._array.owner, words, checked)
    for t, other in zip(seen, pytree.tree_leaves(expected)):
        if isinstance(other, Tensor) and (t.dtype is not other.dtype or tuple(t.shape) != tuple(other.shape)):
            raise NotALoop(f"a result of type {t.dtype} and shape {tuple(t.shape)}")


def _check_body(array, words, checked):
    """NotALoop where an array, or what a call keeps to compute it from, cannot be written. checked: those that can."""
    waiting = [array]
    while waiting:
        array = waiting.pop()
        if array in checked or isinstance(array.source, (Input, Result)) or not array.size:
            continue
        checked.add(array)
        waiting += [a for a, _ in counted(array, words).loads]


def _engine_call(node, target, args, kwargs):
    """The call of an op as it is."""
    for t in pytree.tree_leaves((args, kwargs)):
        _kept(t)
    call, expected = Call(target, None, args, kwargs), node.meta["val"]
    if isinstance(expected, Tensor):
        return _made(expected, Result(call, None))
    if isinstance(expected, (tuple, list)):
        return [_made(t, Result(call, i)) if isinstance(t, Tensor) else t for i, t in enumerate(expected)]
    raise NotALoop(f"{target}, which gives no tensor")


def _made(like, source):
    array = shaped_like(like)
    array.source = source
    return wrap(array, array.k)


def _kept(x):
    """The LoopArray of a tensor, with memory behind it; other things as they are."""
    if not isinstance(x, Tensor):
        return x
    if not x._array.owner.is_kept:
        x._array.owner.stored = True
    return x._array
