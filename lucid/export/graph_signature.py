"""torch.export.graph_signature: what the inputs and outputs of an exported graph are."""

import dataclasses
import enum
import types

__all__ = [
    "ConstantArgument",
    "CustomObjArgument",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "InputKind",
    "InputSpec",
    "OutputKind",
    "OutputSpec",
    "SymBoolArgument",
    "SymFloatArgument",
    "SymIntArgument",
    "TensorArgument",
    "TokenArgument",
]


@dataclasses.dataclass
class TensorArgument:
    """A tensor: the node of that name."""

    name: str


@dataclasses.dataclass
class TokenArgument:
    """A token that orders effects."""

    name: str


@dataclasses.dataclass
class SymIntArgument:
    """A symbolic int: the node of that name."""

    name: str


@dataclasses.dataclass
class SymFloatArgument:
    """A symbolic float: the node of that name."""

    name: str


@dataclasses.dataclass
class SymBoolArgument:
    """A symbolic bool: the node of that name."""

    name: str


@dataclasses.dataclass
class CustomObjArgument:
    """An object of a class of the program's."""

    name: str
    class_fqn: str
    fake_val: object = None


@dataclasses.dataclass
class ConstantArgument:
    """A number, text or None, which is part of the program."""

    name: str
    value: int | float | bool | str | None


_SYMBOLIC = (SymIntArgument, SymFloatArgument, SymBoolArgument)
_ARGUMENTS = (TensorArgument, *_SYMBOLIC, ConstantArgument, CustomObjArgument, TokenArgument)


class InputKind(enum.Enum):
    """What an input of the graph is."""

    USER_INPUT = enum.auto()
    PARAMETER = enum.auto()
    BUFFER = enum.auto()
    CONSTANT_TENSOR = enum.auto()
    CUSTOM_OBJ = enum.auto()
    TOKEN = enum.auto()


class OutputKind(enum.Enum):
    """What an output of the graph is."""

    USER_OUTPUT = enum.auto()
    LOSS_OUTPUT = enum.auto()
    BUFFER_MUTATION = enum.auto()
    PARAMETER_MUTATION = enum.auto()
    GRADIENT_TO_PARAMETER = enum.auto()
    GRADIENT_TO_USER_INPUT = enum.auto()
    USER_INPUT_MUTATION = enum.auto()
    TOKEN = enum.auto()


@dataclasses.dataclass
class InputSpec:
    """What an input of the graph is, and the name of the parameter, buffer or constant."""

    kind: InputKind
    arg: object
    target: str | None
    persistent: bool | None = None

    def __post_init__(self):
        if self.kind == InputKind.BUFFER and self.persistent is None:
            raise AssertionError("Failed to specify persistent flag on BUFFER.")
        if not isinstance(self.arg, _ARGUMENTS):
            raise AssertionError(f"expected valid arg type, got {type(self.arg)}")

    def __str__(self):
        target = "" if self.target is None else f" target='{self.target}'"
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


@dataclasses.dataclass
class OutputSpec:
    """What an output of the graph is, and the name of what it is the new value or the gradient of."""

    kind: OutputKind
    arg: object
    target: str | None

    def __post_init__(self):
        if not isinstance(self.arg, _ARGUMENTS):
            raise AssertionError(f"expected valid arg type, got {self.arg}")

    def __str__(self):
        target = "" if self.target is None else f" target='{self.target}'"
        return f"{self.arg.name}: {self.kind.name}{target}"


@dataclasses.dataclass
class ExportBackwardSignature:
    """Which outputs are gradients, of what, and which is the loss."""

    gradients_to_parameters: dict
    gradients_to_user_inputs: dict
    loss_output: str


@dataclasses.dataclass
class ExportGraphSignature:
    """ExportGraphSignature(input_specs, output_specs): the inputs and outputs of an exported graph, in order."""

    input_specs: list
    output_specs: list

    def _inputs(self, kind):
        """The names of the parameters, buffers ... that are inputs."""
        return tuple([s.target for s in self.input_specs if s.kind == kind and isinstance(s.target, str)])

    def _places(self, specs, kind, arg=TensorArgument):
        """{name of a node: what it is of}"""
        found = {s.arg.name: s.target for s in specs if s.kind == kind and isinstance(s.arg, arg)}
        return types.MappingProxyType({k: v for k, v in found.items() if isinstance(v, str)})

    @property
    def parameters(self):
        """Names of the parameters."""
        return self._inputs(InputKind.PARAMETER)

    @property
    def buffers(self):
        """Names of the buffers."""
        return self._inputs(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self):
        """Names of the buffers that a state_dict leaves out."""
        found = [s for s in self.input_specs if s.kind == InputKind.BUFFER and s.persistent is False]
        return tuple([s.target for s in found if isinstance(s.target, str)])

    @property
    def lifted_tensor_constants(self):
        """Names of the constants."""
        return self._inputs(InputKind.CONSTANT_TENSOR)

    @property
    def lifted_custom_objs(self):
        """Names of the objects of a program's classes."""
        return self._inputs(InputKind.CUSTOM_OBJ)

    @property
    def user_inputs(self):
        """The caller's inputs: names of nodes, and constants."""
        found = [s.arg for s in self.input_specs if s.kind == InputKind.USER_INPUT]
        return tuple([a.value if isinstance(a, ConstantArgument) else a.name for a in found])

    @property
    def user_outputs(self):
        """The caller's results: names of nodes, and constants."""
        kinds = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
        found = [s.arg for s in self.output_specs if s.kind in kinds]
        return tuple([a.value if isinstance(a, ConstantArgument) else a.name for a in found])

    @property
    def inputs_to_parameters(self):
        """{node: parameter}"""
        return self._places(self.input_specs, InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self):
        """{node: buffer}"""
        return self._places(self.input_specs, InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self):
        """{node: constant}"""
        return self._places(self.input_specs, InputKind.CONSTANT_TENSOR)

    @property
    def inputs_to_lifted_custom_objs(self):
        """{node: object}"""
        return self._places(self.input_specs, InputKind.CUSTOM_OBJ, CustomObjArgument)

    @property
    def buffers_to_mutate(self):
        """{node: the buffer whose new value it is}"""
        return self._places(self.output_specs, OutputKind.BUFFER_MUTATION)

    @property
    def parameters_to_mutate(self):
        """{node: the parameter whose new value it is}"""
        return self._places(self.output_specs, OutputKind.PARAMETER_MUTATION)

    @property
    def user_inputs_to_mutate(self):
        """{node: the input whose new value it is}"""
        return self._places(self.output_specs, OutputKind.USER_INPUT_MUTATION)

    @property
    def backward_signature(self):
        """ExportBackwardSignature of a graph with gradients, else None."""
        losses = [s.arg.name for s in self.output_specs if s.kind == OutputKind.LOSS_OUTPUT]
        if not losses:
            return None
        if len(losses) > 1:
            raise AssertionError("multiple LOSS_OUTPUT specs found")
        return ExportBackwardSignature(
            dict(self._places(self.output_specs, OutputKind.GRADIENT_TO_PARAMETER)),
            dict(self._places(self.output_specs, OutputKind.GRADIENT_TO_USER_INPUT)),
            losses[0],
        )

    @property
    def assertion_dep_token(self):
        """None."""
        return None

    @property
    def input_tokens(self):
        """Names of tokens among the inputs."""
        return tuple([s.arg.name for s in self.input_specs if s.kind == InputKind.TOKEN])

    @property
    def output_tokens(self):
        """Names of tokens among the outputs."""
        return tuple([s.arg.name for s in self.output_specs if s.kind == OutputKind.TOKEN])

    def replace_all_uses(self, old, new):
        """replace_all_uses(old, new): the node `old` is called `new` from now on."""
        for spec in (*self.input_specs, *self.output_specs):
            if isinstance(spec.arg, (TensorArgument, *_SYMBOLIC)) and spec.arg.name == old:
                spec.arg.name = new

    def get_replace_hook(self, replace_inputs=False):
        """get_replace_hook() -> f(old, new, user), for graphs whose outputs (or inputs) are replaced."""

        def _(old, new, user):
            if user.op == "output":
                self.replace_all_uses(old.name, new)
            elif replace_inputs and old.op == "placeholder":
                self.replace_all_uses(old.name, new)

        return _

    def __str__(self):
        inputs = "\n".join(map(str, self.input_specs))
        outputs = "\n".join(map(str, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"
