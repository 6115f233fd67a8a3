"""torch.export.exported_program: a program captured whole, as a graph and what its inputs and outputs are."""

import copy
import dataclasses
import types
from typing import NamedTuple

from ..fx.graph_module import GraphModule
from ._decompose import decomposed, default_decompositions
from ._unlift import unlifted
from .graph_signature import InputKind

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature", "default_decompositions"]


@dataclasses.dataclass
class ModuleCallSignature:
    """What a module's call takes and gives."""

    inputs: list
    outputs: list
    in_spec: object
    out_spec: object
    forward_arg_names: list | None = None

    def replace_all_uses_with(self, original_node, new_node):
        """replace_all_uses_with(old, new): one node's name for another's."""
        for argument in (*self.inputs, *self.outputs):
            if argument.name == original_node.name:
                argument.name = new_node.name


@dataclasses.dataclass
class ModuleCallEntry:
    """A module of the program, by its name, and its signature if that was to be kept."""

    fqn: str
    signature: ModuleCallSignature | None = None


class CallSpec(NamedTuple):
    """The structure of inputs and results."""

    in_spec: object
    out_spec: object


class Verifier:
    """What checks a program's graph: that each op is one of ATen's, or of the program's own."""

    dialect = "TRAINING"

    def check(self, ep):
        """check(program): ValueError where the signature and the graph do not go together."""
        holes = [n.name for n in ep.graph.nodes if n.op == "placeholder"]
        named = [s.arg.name for s in ep.graph_signature.input_specs]
        if holes != named:
            raise ValueError(f"the signature's inputs are {named}, those of the graph {holes}")


class ExportedProgram:
    """A program that export captured: graph, graph_signature, state_dict, constants; `module()` runs it."""

    def __init__(
        self,
        root,
        graph,
        graph_signature,
        state_dict,
        range_constraints,
        module_call_graph,
        example_inputs=None,
        constants=None,
        *,
        verifiers=None,
        environment=None,
    ):
        graph._codegen = type(graph)()._codegen
        self._graph_module = GraphModule(root, graph, "GraphModule")
        self._graph_signature, self._state_dict = graph_signature, state_dict
        self._range_constraints, self._module_call_graph = range_constraints, module_call_graph
        self._example_inputs, self._constants = example_inputs, constants or {}
        self._verifiers = verifiers or [Verifier]
        self._environment = environment  # the symbols of its sizes, and what was asked of them
        self.validate()

    @property
    def graph_module(self):
        """The graph as a module, whose inputs are parameters, buffers, constants and then the caller's."""
        return self._graph_module

    @property
    def graph(self):
        """The graph."""
        return self._graph_module.graph

    @property
    def graph_signature(self):
        """What the graph's inputs and outputs are."""
        return self._graph_signature

    @property
    def state_dict(self):
        """Parameters and buffers by name."""
        return self._state_dict

    @property
    def range_constraints(self):
        """The sizes that each symbol may have."""
        return self._range_constraints

    @property
    def module_call_graph(self):
        """The modules of the program."""
        return self._module_call_graph

    @property
    def example_inputs(self):
        """(args, kwargs) of the call that was captured."""
        return self._example_inputs

    @example_inputs.setter
    def example_inputs(self, value):
        if value is None:
            self._example_inputs = None
            return
        if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple)):
            raise ValueError("Example inputs should be a tuple of (args, kwargs), args a tuple and kwargs a dict")
        self._example_inputs = value

    @property
    def call_spec(self):
        """The structure of inputs and results."""
        signature = self._module_call_graph[0].signature
        return CallSpec(signature.in_spec, signature.out_spec)

    @property
    def verifier(self):
        """The class that checks the graph."""
        return self._verifiers[0]

    @property
    def verifiers(self):
        """The classes that check the graph."""
        return self._verifiers

    @property
    def dialect(self):
        """Which ops the graph is made of."""
        return self.verifier.dialect

    @property
    def constants(self):
        """Tensors that are neither parameters nor buffers of a state_dict, by name."""
        return self._constants

    @property
    def tensor_constants(self):
        """constants"""
        return self._constants

    def parameters(self):
        """parameters() -> iterator"""
        for _, p in self.named_parameters():
            yield p

    def named_parameters(self):
        """named_parameters() -> iterator of (name, parameter)"""
        for name in self.graph_signature.parameters:
            yield name, self.state_dict[name]

    def buffers(self):
        """buffers() -> iterator"""
        for _, b in self.named_buffers():
            yield b

    def named_buffers(self):
        """named_buffers() -> iterator of (name, buffer)"""
        hidden = set(self.graph_signature.non_persistent_buffers)
        for name in self.graph_signature.buffers:
            yield name, self.constants[name] if name in hidden else self.state_dict[name]

    def _num_lifted_params_buffers(self):
        kinds = [s.kind for s in self.graph_signature.input_specs]
        return kinds.index(InputKind.USER_INPUT) if InputKind.USER_INPUT in kinds else len(kinds)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self):
        module = self.graph_module.print_readable(print_output=False, colored=False).replace("\n", "\n    ")
        signature = str(self.graph_signature).replace("\n", "\n    ")
        return (
            f"ExportedProgram:\n    {module}\nGraph signature: {signature}\n"
            f"Range constraints: {self.range_constraints}\n"
        )

    def module(self, check_guards=True):
        """module(check_guards=True) -> GraphModule with the program's parameters and buffers: a call has eager's
        results; one with inputs that the program was not exported for raises."""
        module = unlifted(self, check_guards)

        def train(self, mode=True):
            raise NotImplementedError("Calling train() is not supported yet.")

        def evaluate(self, mode=True):
            raise NotImplementedError("Calling eval() is not supported yet.")

        module.train = types.MethodType(train, module)
        module.eval = types.MethodType(evaluate, module)
        return module

    def run_decompositions(self, decomp_table=None, decompose_custom_triton_ops=False):
        """run_decompositions(decomp_table=None) -> ExportedProgram without writes, its ops taken apart by a table, by
        default into the core ATen ops; {} keeps what is no composite."""
        return decomposed(self, default_decompositions() if decomp_table is None else decomp_table)

    def _update(self, graph_module, graph_signature, *, state_dict=None, constants=None, verifiers=None):
        """A program with another graph."""
        return ExportedProgram(
            graph_module,
            graph_module.graph,
            graph_signature,
            self.state_dict if state_dict is None else state_dict,
            copy.deepcopy(self.range_constraints),
            copy.deepcopy(self.module_call_graph),
            self.example_inputs,
            self.constants if constants is None else constants,
            verifiers=verifiers or self._verifiers,
            environment=self._environment,
        )

    def validate(self):
        """validate(): ValueError where the parts do not go together."""
        for verifier in self._verifiers:
            verifier().check(self)

    _validate = validate
