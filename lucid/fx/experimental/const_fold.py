"""What depends on constants alone, computed once."""

import re

from ..._tensor.tensor import Tensor
from ...nn.modules.container import ParameterList
from ...nn.parameter import Parameter
from .._symbolic_trace import symbolic_trace
from ..graph_module import GraphModule
from ..names import library
from ..node import map_arg
from ..passes.split_module import split_module

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A GraphModule that runs const_subgraph before its first call and keeps the results as parameters."""

    def __init__(
        self,
        root,
        graph,
        const_subgraph=None,
        fx_const_folded_attrs_name=None,
        device_for_folded_attrs="cuda",
    ):
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args, **kwargs):
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args)

    def run_folding(self):
        """Compute the constants."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True
        found = self.const_subgraph_module()
        made = ParameterList([self._parameter(x) for x in found]) if isinstance(found, tuple) else None
        setattr(self, self.fx_const_folded_attrs_name, self._parameter(found) if made is None else made)

    def _parameter(self, x):
        if isinstance(x, Tensor):
            return Parameter(x.detach().clone(), requires_grad=x.requires_grad)
        made = library().tensor([x], dtype=library().float32, device=self.device_for_folded_attrs)
        return Parameter(made, requires_grad=False)


def _inline_module(gm, inline_mod_name, run_dce=True):
    """Put the nodes of the GraphModule that gm calls by that name in the place of the call; {its nodes: gm's}."""
    inner = gm.get_submodule(inline_mod_name)
    if not isinstance(inner, GraphModule):
        raise AssertionError(f"Expected GraphModule, got {type(inner)}")
    call = next((n for n in gm.graph.nodes if (n.op, n.target) == ("call_module", inline_mod_name)), None)
    if call is None:
        raise AssertionError(f"Could not find call_module node for {inline_mod_name}")
    here, given = {}, iter(call.args)

    def copied(node):
        here[node].meta = node.meta.copy()
        return here[node]

    for node in inner.graph.nodes:
        if node.op == "placeholder":
            here[node] = call.kwargs[node.name] if node.name in call.kwargs else next(given)
        elif node.op == "output":
            _hand_results_on(gm, call, map_arg(node.args[0], copied), here)
        else:
            with gm.graph.inserting_before(call):
                made = gm.graph.node_copy(node, copied)
            here[node] = made
    gm.graph.erase_node(call)
    if run_dce:
        gm.graph.eliminate_dead_code()
    return here


def _hand_results_on(gm, call, results, here):
    """What used the call's result uses the inner nodes."""
    if not isinstance(results, (list, tuple)):
        call.replace_all_uses_with(results)
        return
    for user in list(call.users):
        here[user] = results[user.args[1]]
        user.replace_all_uses_with(results[user.args[1]])
        gm.graph.erase_node(user)


def get_unique_attr_name_in_module(mod_traced, name):
    """get_unique_attr_name_in_module(module, name) -> str: a legal name that the module has not yet."""
    name = re.sub("[^0-9a-zA-Z_]+", "_", name)
    name = f"_{name}" if name[0].isdigit() else name
    while hasattr(mod_traced, name):
        found = re.match(r"(.*)_(\d+)$", name)
        name = f"{name}_1" if found is None else f"{found[1]}_{int(found[2]) + 1}"
    return name


def _has_effects(module):
    for node in module.graph.nodes:
        if node.op == "call_function" and node.is_impure():
            return True
        if node.op == "call_module" and isinstance(inner := module.get_submodule(node.target), GraphModule):
            return _has_effects(inner)
    return False


def _constant_nodes(traced, skip):
    found = {}
    for node in traced.graph.nodes:
        if node.op in ("placeholder", "output") or not all(n in found for n in node.all_input_nodes):
            continue
        if skip and skip(node) or node.is_impure():
            continue
        inner = traced.get_submodule(node.target) if node.op == "call_module" else None
        if not (isinstance(inner, GraphModule) and _has_effects(inner)):
            found[node] = None
    return found


def split_const_subgraphs(module, skip_folding_node_fn=None, device_for_folded_attrs="cpu"):
    """split_const_subgraphs(module, skip_folding_node_fn=None) -> FoldedGraphModule that computes what depends on
    parameters and buffers alone in its first call. skip_folding_node_fn(node): is it to be computed each time?
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant = _constant_nodes(traced, skip_folding_node_fn)
    if all(node.op == "get_attr" for node in constant):
        return FoldedGraphModule(traced, traced.graph)
    split = split_module(traced, module, lambda node: 0 if node in constant else 1)
    parts = [getattr(split, name, None) for name in ("submod_0", "submod_1")]
    for part in parts[::-1]:
        for node in part.graph.nodes if part is not None else ():
            if node.op == "call_module":
                setattr(split, node.target, getattr(part, node.target))
    call = next(n for n in split.graph.nodes if (n.op, n.target) == ("call_module", "submod_0"))
    constants = GraphModule(split, parts[0].graph)
    many = _read_from_root(constants.graph, call.args)
    name = get_unique_attr_name_in_module(traced, "_FX_CONST_FOLDED_ATTRS")
    setattr(split, name, ParameterList() if many else Parameter())
    with split.graph.inserting_before(call):
        folded = split.graph.get_attr(name)
    folded.meta = call.meta.copy()
    call.replace_all_uses_with(folded)
    if parts[1] is not None:
        _inline_module(split, "submod_1")
    split.graph.eliminate_dead_code()
    return FoldedGraphModule(split, split.graph, constants.graph, name, device_for_folded_attrs)


def _read_from_root(graph, args):
    """Inputs of the constants' graph become members of the root; has it several results?"""
    for node, given in zip(graph.find_nodes(op="placeholder"), args):
        if given.op != "get_attr":
            raise AssertionError(f"Expected get_attr, got {given.op}")
        with graph.inserting_before(node):
            made = graph.get_attr(given.target)
        made.meta = node.meta.copy()
        node.replace_all_uses_with(made)
        graph.erase_node(node)
    return isinstance(graph.output_node().args[0], tuple)
