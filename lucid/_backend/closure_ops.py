"""The closure form of an op: forward works on Tensors and returns each result with a function that gives its gradients.

    class mul(Operation):
        @func_op(2)
        def forward(self, a, b):
            self.result = Tensor(a.data * b.data)
            def grad():
                return self.result.grad * b.data, self.result.grad * a.data
            return self.result, grad

    mul()(a, b)

It works in one graph with the built-in ops; its node is named `<Name>Backward`. It stops at first order.
"""

import copy

from .._base.state import local, set_grad_enabled
from .._tensor.storage import extra
from .._tensor.tensor import Tensor, wrap
from .graph import SECOND_BACKWARD, BackwardOperation, Output, record
from .registry import PAIR_ENDS
from .rules import cast_gradient, unbroadcast


class ClosureNode(BackwardOperation):
    """The graph node of one call of an op in the closure form."""

    __slots__ = ("call", "results", "grad_funcs", "inputs")

    def on_arrays(self, g, edges):
        if self.seq == -1:
            raise RuntimeError(SECOND_BACKWARD)
        before = local.grad
        set_grad_enabled(False)  # for the user's code
        try:
            return self._total(g, edges)
        finally:
            set_grad_enabled(before)

    def _total(self, g, edges):
        gs = g if self.n_out > 1 else [g]
        total = [None] * len(self.inputs)
        for result, grad_func, one in zip(self.results, self.grad_funcs, gs):
            if one is None or grad_func is None:
                continue
            for i, got in enumerate(self._gradients(result, grad_func, one)):
                if got is not None and edges[i] is not None:
                    total[i] = got if total[i] is None else total[i] + got
        return total

    def _gradients(self, result, grad_func, g):
        """What grad_func returns while result.grad holds g, in the inputs' shapes and types."""
        m = extra(result)
        before, m.grad = m.grad, wrap(self.k.asarray(g), self.k.of(g))
        try:
            returned = grad_func()
        finally:
            m.grad = before
        returned = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
        if len(returned) != len(self.inputs):
            raise ValueError(
                f"{self.op.__name__}: its gradient function must return {len(self.inputs)} gradients, one per input, "
                f"but returned {len(returned)}"
            )
        return [None if r is None else self._fitted(r, shape, k) for r, (shape, k) in zip(returned, self.inputs)]

    def _fitted(self, r, shape, k):
        d = r._array if isinstance(r, Tensor) else self.k.asarray(r)
        if d.shape != shape:
            d = unbroadcast(self.k, d, shape)
        return cast_gradient(self.k.of(d), d, k)

    def on_tensors(self, g, edges):
        raise RuntimeError(
            f"{self.op.__name__} is declared in the closure form, which has first derivatives only: declare it with "
            "grad_<input>(xp, g, ...) rules to differentiate it twice"
        )

    def free(self):
        self.results = self.grad_funcs = ()
        self.seq = -1


def declare_closure_op(cls, declared):
    """Make instances of cls callable; the kernel stays the user's."""
    cls.name, cls.n_in, cls.n_ret, cls.has_gradient = cls.__name__, declared.n_in, declared.n_ret, declared.has_gradient
    node = type(f"{cls.__name__}Backward", (ClosureNode,), {"__slots__": (), "op": cls, "__module__": cls.__module__})
    if cls.name in PAIR_ENDS:
        node.ends_pair_from(PAIR_ENDS[cls.name])

    def call(self, *args, **kwargs):
        return _run(self, declared, node, args, kwargs)

    cls.__call__, cls.forward, cls.Node = call, declared.forward, node
    cls.fn = staticmethod(lambda *args, **kwargs: cls()(*args, **kwargs))


def _run(self, declared, node_class, args, kwargs):
    """One call: the user's forward outside the graph, then the record."""
    name = type(self).__name__
    if "_called" in self.__dict__:  # what an earlier call left on the instance is still wanted by its gradients
        self = copy.copy(self)
    self._called = True
    tensors = _tensor_inputs(name, declared.n_in, args)
    before = local.grad
    set_grad_enabled(False)
    try:
        returned = declared.forward(self, *args, **kwargs)
    finally:
        set_grad_enabled(before)
    pairs = _pairs(name, declared.n_ret, returned)
    results = [r for r, _ in pairs]
    if declared.has_gradient:
        _refuse_lost_tangents(name, tensors, [r for r, grad in pairs if grad is not None])
    if declared.has_gradient and before and any(t._node is not None for t in tensors):
        node = record(
            node_class,
            tensors[0]._table,
            tuple([t._node for t in tensors]),
            n_out=len(results),
            call=self,
            results=results,
            grad_funcs=[g for _, g in pairs],
            inputs=[(t._array.shape, t._table) for t in tensors],
        )
        # an input that is given back stays what it is: the result is another tensor of the same memory
        results = [r.detach() if any(r is t for t in tensors) else r for r in results]
        for i, r in enumerate(results):
            if r._table.inexact:
                r._node = node if i == 0 else Output(node, i)
    single = declared.n_ret == 1 or declared.n_ret is None and _is_pair(returned)
    return results[0] if single else tuple(results)


def _refuse_lost_tangents(name, tensors, results):
    """A forward on `.data` has no tangent to give: an error in place of a derivative of 0."""
    live = [r for r in results if r._table.inexact]
    if live and any(_tangent(t) is not None for t in tensors) and all(_tangent(r) is None for r in live):
        raise NotImplementedError(f"{name} is declared in the closure form and computes on .data: no forward mode")


def _tangent(t):
    return getattr(t._array, "tangent", None)


def _tensor_inputs(name, n_in, args):
    """The leading arguments that are tensors, as many as declared."""
    found = []
    for a in args:
        if not isinstance(a, Tensor):
            break
        found.append(a)
    if n_in is not None:
        if len(found) < n_in:
            raise ValueError(f"{name}: expected {n_in} tensor inputs, got {len(found)}")
        found = found[:n_in]
    if not found:
        raise ValueError(f"{name}: expected at least 1 tensor input, got 0")
    return found


def _is_pair(returned):
    return (
        isinstance(returned, tuple)
        and len(returned) == 2
        and isinstance(returned[0], Tensor)
        and not isinstance(returned[1], (tuple, Tensor))
    )


def _pairs(name, n_ret, returned):
    """[(result, gradient function)] from what forward returned; ValueError for another count than declared."""
    pairs = [returned] if _is_pair(returned) else list(returned) if isinstance(returned, (tuple, list)) else [returned]
    pairs = [p if isinstance(p, tuple) else (p, None) for p in pairs]
    if n_ret is not None and len(pairs) != n_ret:
        raise ValueError(f"{name}: expected {n_ret} results, got {len(pairs)}")
    for p in pairs:
        if len(p) != 2 or not isinstance(p[0], Tensor):
            raise ValueError(
                f"{name}: forward must return (Tensor, gradient function) pairs, got {type(p[0]).__name__}"
            )
    return pairs
