"""The walk: from results to leaves, newest node first, without recursion.

Raw arrays flow along the edges; with create_graph, Tensors do, and the same rules record a graph of their own. Only the
walk that made an array writes to it: a sum of two is new, a leaf keeps an array only when nobody else holds it.
"""

import sys
import traceback
import warnings
from operator import attrgetter

from .._array.numpy.complex_half import added
from .._base.shape import Size, is_dense
from .._base.state import DISPATCH, PROFILE, clock, defaults, grad_enabled, in_fresh_thread, local, set_grad_enabled
from .._tensor.storage import Extra, extra, write
from .._tensor.tensor import Tensor, new_object, wrap
from .autocast import rules_run
from .dispatch import Speller, asked
from .graph import ENDS_PAIR, NEVER, AccumulateGrad, Output, verify
from .hook_results import checked_result, checked_results, refuse_result
from .leaf_gradients import add_sparse, copy_for, keep_as_it_is

_by_seq = attrgetter("seq")
getrefcount = sys.getrefcount


def _references():
    """(references to a gradient that nobody but the walk holds, to the array behind a view of it), as `_accumulate` and
    `_may_keep` count them: how many there are depends on the interpreter."""

    def may_keep(g):
        base = g[0]
        return getrefcount(base)

    def accumulate(e, g, holders=0):
        return getrefcount(g), may_keep(g)

    def walk(grads):
        for e, gi in zip((None,), grads):
            return accumulate(e, gi)

    return walk(([object()],))


_UNSHARED, _UNSHARED_BASE = _references()
_OURS = 1 << 30  # an array that was just made: nobody else has it


# The planner of fused pairs: lucid._fusion puts its own here.
fusion = None


def run(roots, root_grads, keep_graph, create_graph, captures=None):
    """Walk from edges `roots` with their gradients (Tensors).

    captures: edges whose gradients are returned, as a list of Tensors or None; None means every leaf accumulates.
    """
    nodes, waits, special = _plan(roots)
    on_tensors = create_graph or _want_tensors(root_grads)
    if not (special or on_tensors or local.cast_to is not None or captures is not None or local.anomaly):
        buffers = {}
        for edge, g in zip(roots, root_grads):
            if edge.__class__ is AccumulateGrad and edge not in waits:
                _accumulate(edge, g._array, 0)  # the caller's own tensor
            else:
                _send(buffers, edge, g._array)
        _plain_walk(nodes, waits, buffers, keep_graph)
        return None
    if local.walk is not None and local.walk.depth % _WALKS_PER_THREAD == _WALKS_PER_THREAD - 1:
        return in_fresh_thread(lambda: _walk(nodes, waits, roots, root_grads, keep_graph, create_graph, captures))
    return _walk(nodes, waits, roots, root_grads, keep_graph, create_graph, captures)


def _want_tensors(root_grads):
    """Must the rules run on Tensors: of a transform that the graph may not know, or seen by __torch_dispatch__?"""
    return any(g._table.is_transform for g in root_grads) or bool(DISPATCH and asked(root_grads))


_WALKS_PER_THREAD = 20  # a backward inside a backward takes Python frames, of which a thread has a limited number


def _walk(nodes, waits, roots, root_grads, keep_graph, create_graph, captures):
    """run() where nodes want more than their rules, or the gradients are Tensors."""
    on_tensors = create_graph or _want_tensors(root_grads)
    walk = _Walk(nodes, waits, keep_graph, on_tensors, captures)
    walk.frames = {frame for g in root_grads for frame in frames_of(g._table)}
    before, outer = grad_enabled(), local.walk
    walk.depth = 0 if outer is None else outer.depth + 1
    set_grad_enabled(create_graph)
    local.walk, formula = walk, local.in_formula
    keeps, local.keeps_graph, local.in_formula = local.keeps_graph, keep_graph, True
    try:
        if captures is not None:
            walk.narrow()
        for edge, g in zip(roots, root_grads):
            walk.send(edge, g if on_tensors else g._array)
        walk.go()
    finally:
        set_grad_enabled(before)
        local.walk, local.in_formula, local.keeps_graph = outer, formula, keeps
    for callback in walk.callbacks:
        callback()
    return walk.captured() if captures is not None else None


def frames_of(k):
    """The frames of the transforms whose values table k has."""
    while k.is_transform:
        yield k.frame
        k = k.inner


def run_scalar(t):
    """t.backward() for a real scalar with a node: the walk most programs make, with nothing in its way."""
    root = t._node
    nodes, waits, special = _plan((root,))
    if special or DISPATCH or local.cast_to is not None or root.__class__ is Output or root.n_out != 1 or local.anomaly:
        run((root,), (ones_for(t),), False, False)
    else:
        k, d = t._table, t._array
        _plain_walk(nodes, waits, {root: k.ones(d.shape) if d.ndim else k.scalar(1.0)}, False)


def _plan(roots):
    """(nodes newest first, {leaf: how many edges lead to it}, does any node want more than its rule?)"""
    nodes, waits, special, last, sorted_already = [], {}, False, 1 << 62, True
    if len(roots) == 1 and roots[0].__class__ is not Output:
        stack, seen = list(roots), {roots[0]}
    else:
        stack = list(dict.fromkeys([e.node if e.__class__ is Output else e for e in roots]))
        seen = set(stack)
    while stack:
        node = stack.pop()
        if node.needs_care:
            special = True
        if node.__class__ is AccumulateGrad:
            continue
        nodes.append(node)
        if node.seq > last:
            sorted_already = False
        last = node.seq
        for e in node.edges:
            if e is None:
                continue
            if e.__class__ is AccumulateGrad:
                if e in waits:
                    waits[e] += 1
                else:
                    waits[e] = 1
                    if e.needs_care:
                        special = True
                continue
            if e.__class__ is Output:
                e = e.node
            if e not in seen:
                seen.add(e)
                stack.append(e)
    if not sorted_already:
        nodes.sort(key=_by_seq, reverse=True)
    return nodes, waits, special or bool(PROFILE)


def _plain_walk(nodes, waits, buffers, keep):
    """Raw arrays from node to node; no hooks, no captures, nothing to look at on the way."""
    owned, planner = set(), None
    before, local.keeps_graph = local.keeps_graph, keep
    fuses_at = ENDS_PAIR if defaults.fusion else NEVER
    for node in nodes:
        g = buffers.pop(node, None)
        edges = node.edges
        if g is None:
            if planner is not None and node in planner.passed:
                continue
            grads = (None,) * len(edges)
        else:
            pair = None
            marks = node.marks
            if marks >= fuses_at and g.__class__ is not list and g.size >= node.fuses_from:
                planner = planner or fusion(nodes)
                pair = planner.match(node, g)
            if pair is None:
                grads = node.on_arrays(g, edges)
            else:
                grads, edges = _fused_step(node, g, pair, keep, planner.passed)
            if marks and not keep:
                node.free()
        g = None
        for e, gi in zip(edges, grads):
            if e is None:
                continue
            if e.__class__ is AccumulateGrad:
                left = waits[e] - 1
                if left:
                    waits[e] = left
                    if gi is not None:
                        _send(buffers, e, gi, owned)
                elif e in buffers:
                    have = buffers.pop(e)
                    if gi is None:
                        _accumulate(e, have, 0)
                    else:
                        _accumulate(e, added(have, gi), _OURS)
                elif gi is not None:
                    _accumulate(e, gi)
            elif gi is not None:
                if e.__class__ is Output or e.n_out > 1 or e in buffers:
                    _send(buffers, e, gi, owned)
                else:
                    buffers[e] = gi
    local.keeps_graph = before


def _fused_step(node, g, pair, keep, passed):
    """(gradients, edges) of a node and the one it reads, as one rule if that does not decline.

    The node read is then passed over: nothing else leads to it.
    """
    fused, first = pair
    for stale in (node, first):
        if clock.last_write > stale.seq:
            verify(stale)
    node.override_grad_func, node.override_tensor_refs = fused, first.edges
    got = node.override_grad_func(g)
    del node.override_grad_func, node.override_tensor_refs
    if got is None:
        return node.on_arrays(g, node.edges), node.edges
    passed.add(first)
    if not keep:
        first.free()
    return (got,), first.edges


def _send(buffers, e, g, owned=None):
    """Add the raw gradient g to what has arrived at edge e. `owned`: nodes whose buffer this walk made itself."""
    if e.__class__ is Output or e.n_out > 1:
        node, nr = (e.node, e.nr) if e.__class__ is Output else (e, 0)
        slots = buffers.get(node)
        if slots is None:
            slots = buffers[node] = [None] * node.n_out
        slots[nr] = g if slots[nr] is None else slots[nr] + g
        return
    have = buffers.get(e)
    if have is None:
        buffers[e] = g
        return
    if owned is not None:
        k = e.k
        if (
            e in owned
            and k is not None
            and k.aliases
            and have.__class__ is k.array_type
            and have.shape == g.shape
            and (have.dtype == g.dtype and have.ndim)
        ):
            k.of(have).add(have, g, have)
            return
        owned.add(e)
    buffers[e] = added(have, g)


class _Walk:
    def __init__(self, nodes, leaf_waits, keep, create, captures):
        self.nodes, self.waits, self.keep, self.create = nodes, leaf_waits, keep, create
        self.buffers = {}  # node -> gradient, or list of gradients for a node with several outputs
        self.owned = set()  # nodes whose buffer is an array this walk made
        self.captures, self.needed, self.callbacks = captures, None, []
        self.caught = {}  # (node, nr) -> gradient
        self.frames = ()  # of the transforms inside which the walk began
        self.wanted = {}
        for e in captures or ():
            node, nr = (e.node, e.nr) if e.__class__ is Output else (e, 0)
            self.wanted.setdefault(node, set()).add(nr)

    def narrow(self):
        """Keep only nodes on a path to a captured edge."""
        needed, before = set(self.wanted), -1
        freed = any(node.seq == -1 for node in self.nodes)  # those have lost their place in the order
        while before < len(needed) if freed else before < 0:
            before = len(needed)
            for node in reversed(self.nodes):
                for e in node.edges:
                    if e is not None and (e.node if e.__class__ is Output else e) in needed:
                        needed.add(node)
                        break
        self.needed = needed
        self.executes = set()
        for node in self.nodes:
            if node in needed and any(
                e is not None and (e.node if e.__class__ is Output else e) in needed for e in node.edges
            ):
                self.executes.add(node)

    def captured(self):
        found = []
        for e in self.captures:
            key = (e.node, e.nr) if e.__class__ is Output else (e, 0)
            g = self.caught.get(key)
            if g is not None and not isinstance(g, Tensor):
                g = _tensor_of(key[0], g)
            found.append(g)
        return found

    # ---- moving gradients

    def send(self, e, g):
        _send(self.buffers, e, g, None if self.create else self.owned)

    def go(self):
        buffers, waits, keep, create, needed = self.buffers, self.waits, self.keep, self.create, self.needed
        careful = create or needed is not None or local.anomaly or local.cast_to is not None or PROFILE
        for e in list(buffers):
            if e.__class__ is AccumulateGrad and e not in waits:
                self.finish_leaf(e)
        for node in self.nodes:
            g = buffers.pop(node, None)
            edges = node.edges
            if g is None and node.runs_without:
                grads = self.careful_step(node, [None] * node.n_out if node.n_out > 1 else None)
            elif g is None:
                grads = None
            elif careful or node.needs_care:
                grads = self.careful_step(node, g)
            else:
                grads = node.on_arrays(g, edges)
            if grads is not None:
                if not keep:
                    node.free()
                for e, gi in zip(edges, grads):
                    if e is not None and gi is not None:
                        self.send(e, gi)
            gi = grads = g = None
            for e in edges:
                if e is None:
                    continue
                if e.__class__ is AccumulateGrad:
                    left = waits[e] - 1
                    if left:
                        waits[e] = left
                    else:
                        self.finish_leaf(e)

    def finish_leaf(self, e):
        g = self.buffers.pop(e, None)
        if g is None:
            return
        if self.captures is not None:
            if e in self.wanted:
                if e.tensor_hooks:
                    g = self._tensor_hooks(e, 0, g)
                self.caught[e, 0] = g
            return
        if e.tensor_hooks or e.prehooks or self.create:
            g = self._as_tensor(e, g)
            if e.tensor_hooks:
                g = self._tensor_hooks(e, 0, g)
            if e.prehooks:
                g = self._prehooks(e, (g,))[0]
            if self.create:
                _accumulate_tensor(e, g)
            else:
                _accumulate(e, g._array, 0)
        else:
            _accumulate(e, g, _UNSHARED - 2)  # no tuple of gradients holds it here
        if e.post_hooks and e.target() is not None:
            for hook in list(e.post_hooks.values()):
                refuse_result(hook, hook(e.target()), e.target())
        if e.hooks:
            for hook in list(e.hooks.values()):
                hook((), (self._as_tensor(e, g),))

    # ---- everything that is not the plain case

    def _as_tensor(self, node, g):
        return g if isinstance(g, Tensor) else _tensor_of(node, g)

    def _tensor_hooks(self, node, nr, g):
        """g after the hooks of output nr, raw or Tensor as it came; None for an output that was not used."""
        raw = g is not None and not isinstance(g, Tensor)
        if raw:
            g = _tensor_of(node, g)
        hooks = node.tensor_hooks.get(nr) if node.tensor_hooks else None
        for hook in list((hooks or {}).values()):
            got = hook(g)
            if got is not None:
                g = checked_result(hook, got, g)
        return g._array if raw and not self.create else g

    def _prehooks(self, node, gs):
        for hook in list(node.prehooks.values()):
            got = hook(gs)
            if got is not None:
                gs = checked_results(hook, got, gs)
        return gs

    def careful_step(self, node, g):
        """One node with hooks, captures, pruning, create_graph or anomaly mode."""
        many = node.n_out > 1
        gs = list(g) if many else [g]
        if node.tensor_hooks:
            for nr in node.tensor_hooks:
                gs[nr] = self._tensor_hooks(node, nr, gs[nr])
        for nr in self.wanted.get(node, ()):
            if gs[nr] is not None:
                self.caught[node, nr] = gs[nr]
        if node.retained:
            for nr, ref in node.retained.items():
                if ref() is not None and gs[nr] is not None:
                    _retain(ref(), self._as_tensor(node, gs[nr]), self.create)
        if self.needed is not None and node not in self.executes:
            return None
        edges = node.edges
        if self.needed is not None:
            edges = tuple(
                [
                    e if e is not None and (e.node if e.__class__ is Output else e) in self.needed else None
                    for e in edges
                ]
            )
        if node.prehooks:
            before = tuple([None if x is None else self._as_tensor(node, x) for x in gs])
            gs = [x if x is None or self.create else x._array for x in self._prehooks(node, before)]
        g = gs if many else gs[0]
        if local.anomaly:
            grads = self._watched(node, g, edges)
        else:
            grads = (PROFILE[-1].node if PROFILE else rules_run)(node, g, edges, self.create)
        if node.hooks:
            as_tensor = self._as_tensor
            ins = tuple([None if x is None else as_tensor(node, x) for x in grads])
            outs = tuple([None if x is None else as_tensor(node, x) for x in gs])
            for hook in list(node.hooks.values()):
                got = hook(ins, outs)
                if got is not None:
                    ins = checked_results(hook, got, ins)
            grads = [x if x is None or self.create else x._array for x in ins]
        return grads

    def _watched(self, node, g, edges):
        """Anomaly mode: say where a failing or NaN-producing node was made."""
        try:
            grads = rules_run(node, g, edges, self.create)
        except Exception:
            _print_trace(node)
            raise
        if local.check_nan:
            for i, x in enumerate(grads):
                d = x._array if isinstance(x, Tensor) else x
                if d is not None and edges[i] is not None and node.k.of(d).inexact:
                    k = node.k.of(d)
                    if k.is_sparse:
                        k, d = k.dense, k.to_dense(d)
                    if bool(k.to_numpy(k.isnan(d)).any()):
                        _print_trace(node)
                        raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
        return grads


def _tensor_of(node, g):
    """A raw gradient as a Tensor (numpy's scalars become 0-dim arrays)."""
    k = node.k.of(g)
    if k is not node.k and node.k.is_half and (node.op is None or node.op.result == "same"):
        g, k = node.k.cast(g, node.k.dtype), node.k  # a rule's Python floats widen bfloat16
    return wrap(g if g.__class__ is k.array_type else k.asarray(g), k)


def _print_trace(node):
    if node.forward_trace is None:
        warnings.warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
            "during forward pass for more information.",
            stacklevel=2,
        )
    else:
        trace = "".join(traceback.format_list(node.forward_trace))
        warnings.warn(
            f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{trace}", stacklevel=2
        )


# ---- leaves


def _accumulate(e, g, holders=_UNSHARED):
    """variable.grad += g for a raw array. The leaf keeps g itself if no more than `holders` references to it exist."""
    variable = e._variable()
    if variable is None or variable._node is None:  # gone, or frozen since
        return
    m = variable._extra
    if m is None:
        m = variable._extra = Extra()
    have, k = m.grad, variable._table
    if have is None:
        if g.__class__ is not k.array_type:
            if k.of(g).is_sparse or k.is_sparse:
                is_shared = getrefcount(g) > holders
                keep_as_it_is(m, g, k, is_shared)
                return
            g = k.asarray(g)
        elif k.aliases and (
            getrefcount(g) > holders
            or (g.base is not None or g.strides != variable._array.strides)
            and not _may_keep(g, variable._array)
        ):
            g = copy_for(g, variable._array, k)
        if g.dtype is not variable._array.dtype:  # a rule's Python floats widen bfloat16
            g = k.cast(g, k.dtype)
        m.grad = t = new_object(Tensor)
        t._array, t._table, t._node, t._extra = g, k, None, None
    elif have._node is not None:
        m.grad = have + wrap(g, k.of(g))
    elif g.__class__ is not have._array.__class__ and (have._table.is_sparse or k.of(g).is_sparse):
        add_sparse(m, have, g)
    elif have._table.aliases and have._array.ndim:
        have._table.add(have._array, g, have._array)
    else:
        write(have, have._table.add(have._array, g))


def _may_keep(g, like):
    """May a leaf keep this array: nobody else holds its memory, and it is laid out as the leaf is?"""
    base = g.base
    if base is not None and (
        getrefcount(base) > _UNSHARED_BASE or base.__class__ is not g.__class__ or base.size != g.size
    ):
        return False
    return g.strides == like.strides and g.flags.writeable


def _retain(t, g, create):
    """t.grad += g for a non-leaf that retains its gradient."""
    m = extra(t)
    if m.grad is not None:
        m.grad = m.grad + g
    else:
        m.grad = g if create else wrap(g._table.copy(g._array), g._table)


def _accumulate_tensor(e, g):
    variable = e.target()
    if variable is None or variable._node is None:
        return
    m, k = extra(variable), variable._table
    while g._table.is_transform and not g._table.frame.is_function:  # `.grad` keeps no tangent of forward_ad
        g = wrap(g._array.under, g._table.inner)
    if DISPATCH and not grad_enabled() and asked((g, variable)):  # in torch's steps, which modes see
        m.grad = Speller.current.detach(g) if m.grad is None else m.grad.add_(g)
    elif m.grad is None and g._table is k:  # a copy that lies in memory as the variable does, recorded
        shape, strides = g._array.shape, k.strides(variable._array)
        fresh = k.empty_strided(shape, strides) if is_dense(shape, strides) else k.empty(shape)
        m.grad = wrap(fresh, k).copy_(g)
    else:
        m.grad = g if m.grad is None else m.grad + g


# ---- torch's entry points


def ones_for(t, what="grad"):
    """The implicit gradient of a result: a one, for scalars only."""
    if t._array.size != 1:
        raise RuntimeError(f"{what} can be implicitly created only for scalar outputs")
    if not t._table.inexact or t._table.is_complex:
        kind = t._table.dtype.name
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got torch.{kind}")
    if DISPATCH and asked((t,)):
        return Speller.current.ones_like(t)
    ones = t._table.ones(t._array.shape)
    return wrap(t._table.beside(ones, t._array) if t._table.is_transform else ones, t._table)


def prepare_grads(tensors, grads):
    """One gradient Tensor per root; checks shapes and implicit ones."""
    made = []
    if len(tensors) != len(grads):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grads)} gradients")
    for i, (t, g) in enumerate(zip(tensors, grads)):
        if g is None:
            if t._node is None:
                raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
            made.append(ones_for(t))
            continue
        if not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
        if g._array.shape != t._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {Size(g._array.shape)} and output[{i}] "
                f"has a shape of {Size(t._array.shape)}."
            )
        if t._table.is_complex != g._table.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                f"dtype: grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {t.dtype}."
            )
        if g._table is not t._table and not g._table.is_transform and not t._table.is_transform:
            g = g.to(t.dtype)
        made.append(g)
    for i, t in enumerate(tensors):
        if t._node is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    return [t._table.merged([g._table]).adopt(g) if t._table.is_transform else g for t, g in zip(tensors, made)]
