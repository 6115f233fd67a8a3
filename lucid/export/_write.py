"""An ExportedProgram as torch's .pt2 file: a zip archive of JSON and raw memory."""

import io
import json
import math
import operator

from .._aten.overloads import OpOverload
from .._aten.own_ops import OwnOp
from .._base.device import device
from .._base.dtype import dtype
from .._serial.archive import Writer
from .._tensor.pytree_text import treespec_dumps
from .._tensor.storage import storage_of
from .._tensor.tensor import Tensor, layout, memory_format
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ..nn.parameter import Parameter
from ..serialization import save as save_pickled
from ._codes import DTYPES, FORMATS, LAYOUTS, code_of, device_code, size_code, tensor_code
from ._symbols import in_words, int_oo, symbols_of
from .graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument

SCHEMA_VERSION, OPSET_VERSION = {"major": 8, "minor": 20}, {"aten": 10}


def written(ep, file, name, version, extra_files=None, opset_version=None):
    """Write a program into a file object. name: of the folder that all records are in."""
    archive = Writer(file, name)
    _payload(archive, "data/weights/", "weight_", "model_weights_config.json", ep.state_dict)
    _payload(archive, "data/constants/", "tensor_", "model_constants_config.json", ep.constants)
    archive.record("models/model.json", json.dumps(_program(ep, version, opset_version), allow_nan=False).encode())
    buffer = io.BytesIO()
    if ep.example_inputs is not None:
        save_pickled(ep.example_inputs, buffer)
    archive.record("data/sample_inputs/model.pt", buffer.getvalue())
    for key, value in (extra_files or {}).items():
        archive.record(f"extra/{key}", value if isinstance(value, bytes) else str(value).encode())
    for record, text in {
        "archive_format": "pt2",
        "archive_version": "0",
        ".data/version": "6\n",
        "byteorder": "little",
        ".data/serialization_id": "0" * 40,
    }.items():
        archive.record(record, text.encode())
    archive.finish()


def _payload(archive, folder, prefix, config_file, tensors):
    """Tensors as raw memory, one record for each storage, and a JSON that says how each lies in it."""
    config, records = {}, {}
    for name, t in tensors.items():
        if not isinstance(t, Tensor):
            raise RuntimeError(f"Unsupported constant type: {type(t)}")
        key = id(storage_of(t)), t.dtype
        if key not in records:
            records[key] = f"{prefix}{len(records)}"
            archive.record(folder + records[key], _memory(t))
        config[name] = {
            "path_name": records[key],
            "is_param": isinstance(t, Parameter),
            "use_pickle": False,
            "tensor_meta": tensor_code(t),
        }
    archive.record(folder + config_file, json.dumps({"config": config}).encode())


def _memory(t):
    """The bytes of a tensor's whole storage."""
    return bytes(t.detach().cpu().untyped_storage())


def _program(ep, version, opset_version):
    signature = ep.graph_signature
    graph = _Graph(ep.graph_module, signature)
    call = [_call_entry(e) for e in ep.module_call_graph[:1]]
    return {
        "graph_module": {
            "graph": graph.made,
            "signature": {
                "input_specs": [_input(s, graph) for s in signature.input_specs],
                "output_specs": [_output(s, graph) for s in signature.output_specs],
            },
            "module_call_graph": call,
            "metadata": {},
            "treespec_namedtuple_fields": {},
        },
        "opset_version": dict(opset_version or OPSET_VERSION),
        "range_constraints": {
            repr(k): {"min_val": _bound(r.lower), "max_val": _bound(r.upper)}
            for k, r in ep.range_constraints.items()
            if len(k.terms) == 1 and k.terms[0] == ((symbols_of(k)[0],), 1)
        },
        "schema_version": SCHEMA_VERSION,
        "verifiers": ["TRAINING"],
        "torch_version": version,
        "guards_code": _guards(ep),
    }


def _bound(n):
    return None if n is int_oo else int(n)


def _guards(ep):
    """What must hold of inputs, as texts of their sizes."""
    env = ep._environment
    if env is None:
        return []
    places = {s.name: s.place for s in env.symbols.values()}
    made = [f"{in_words(a, places)} {how} {in_words(b, places)}" for how, a, b in [*env.guards, *env.assumed]]
    for s in env.symbols.values():
        if "size()" in s.place and s.lower > 2:
            made.append(f"{s.place} >= {s.lower}")
        if "size()" in s.place and s.upper is not int_oo:
            made.append(f"{s.place} <= {s.upper}")
    return made


def _call_entry(entry):
    s = entry.signature
    return {
        "fqn": entry.fqn,
        "signature": {
            "inputs": [],
            "outputs": [],
            "in_spec": treespec_dumps(s.in_spec),
            "out_spec": treespec_dumps(s.out_spec),
            "forward_arg_names": s.forward_arg_names,
        },
    }


# ---- the signature


def _constant(value):
    for kind, key in ((bool, "as_bool"), (int, "as_int"), (float, "as_float"), (str, "as_string")):
        if isinstance(value, kind):
            return {key: _number(value)}
    if value is None:
        return {"as_none": True}
    raise NotImplementedError(f"torch.export.save: the constant {value!r}")


def _number(value):
    """A number as JSON has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


def _input(spec, graph):
    name = spec.arg.name
    if spec.kind == InputKind.USER_INPUT:
        if isinstance(spec.arg, ConstantArgument):
            return {"constant_input": {"name": name, "value": _constant(spec.arg.value)}}
        return {"user_input": {"arg": {"as_tensor": {"name": name}}}}
    arg = {"name": name}
    if spec.kind == InputKind.PARAMETER:
        return {"parameter": {"arg": arg, "parameter_name": spec.target}}
    if spec.kind == InputKind.BUFFER:
        return {"buffer": {"arg": arg, "buffer_name": spec.target, "persistent": bool(spec.persistent)}}
    if spec.kind == InputKind.CONSTANT_TENSOR:
        return {"tensor_constant": {"arg": arg, "tensor_constant_name": spec.target}}
    raise NotImplementedError(f"torch.export.save: an input that is {spec.kind}")


_OUTPUTS = {
    OutputKind.BUFFER_MUTATION: ("buffer_mutation", "buffer_name"),
    OutputKind.PARAMETER_MUTATION: ("parameter_mutation", "parameter_name"),
    OutputKind.USER_INPUT_MUTATION: ("user_input_mutation", "user_input_name"),
    OutputKind.GRADIENT_TO_PARAMETER: ("gradient_to_parameter", "parameter_name"),
    OutputKind.GRADIENT_TO_USER_INPUT: ("gradient_to_user_input", "user_input_name"),
}


def _output(spec, graph):
    if spec.kind == OutputKind.USER_OUTPUT:
        if isinstance(spec.arg, ConstantArgument):
            return {"user_output": {"arg": _constant(spec.arg.value)}}
        if isinstance(spec.arg, SymIntArgument):
            return {"user_output": {"arg": {"as_sym_int": {"as_name": spec.arg.name}}}}
        return {"user_output": {"arg": {"as_tensor": {"name": spec.arg.name}}}}
    if spec.kind == OutputKind.LOSS_OUTPUT:
        return {"loss_output": {"arg": {"name": spec.arg.name}}}
    kind, key = _OUTPUTS[spec.kind]
    return {kind: {"arg": {"name": spec.arg.name}, key: spec.target}}


# ---- graphs


class _Graph:
    """A graph, as the file has it: `made`."""

    def __init__(self, module, signature=None):
        self.module = module
        kinds = {s.arg.name: s for s in signature.input_specs} if signature is not None else {}
        self.made = {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}, "sym_int_values": {}}
        self.made |= {"sym_bool_values": {}, "is_single_tensor_return": False, "custom_obj_values": {}}
        self.made["sym_float_values"] = {}
        for node in module.graph.nodes:
            if node.op == "placeholder":
                spec = kinds.get(node.name)
                if spec is not None and isinstance(spec.arg, ConstantArgument):
                    self.made["inputs"].append(_constant(spec.arg.value))
                else:
                    self.made["inputs"].append(self._value(node.name, node.meta["val"]))
            elif node.op == "output":
                self.made["outputs"] = [self.argument(a) for a in node.args[0]]
            elif node.op == "call_function" and node.target is not operator.getitem:
                self.made["nodes"].append(self._node(node))

    def _value(self, name, value):
        """A result by its name, which is noted with what is known of it."""
        if isinstance(value, Tensor):
            self.made["tensor_values"][name] = tensor_code(value)
            return {"as_tensor": {"name": name}}
        if isinstance(value, int) and not isinstance(value, bool):
            self.made["sym_int_values"][name] = size_code(value)
            return {"as_sym_int": {"as_name": name}}
        if value is None:
            return {"as_none": True}
        raise NotImplementedError(f"torch.export.save: a node whose value is a {type(value).__name__}")

    def _node(self, node):
        target = node.target
        if isinstance(target, OpOverload):
            if isinstance(target, OwnOp):
                raise NotImplementedError(
                    f"torch.export.save: {target} is an op of lucid's own, which torch does not have"
                )
            called = f"torch.ops.{target.namespace}.{target._opname}.{target._overloadname}"
            inputs, outputs = self._of_schema(node), self._results(node)
        elif getattr(target, "__module__", "") == "_operator":
            called = f"_operator.{target.__name__}"
            inputs = [self._named(n, a) for n, a in zip("ab", node.args)]
            outputs = [self._value(node.name, node.meta["val"])]
        else:
            called = f"torch.ops.higher_order.{target.name()}"
            inputs = [self._named("", a) for a in node.args]
            outputs = [self._value(n, v) for n, v in zip(_names(node), node.meta["val"])]
        return {
            "target": called,
            "inputs": inputs,
            "outputs": outputs,
            "metadata": _metadata(node),
            "is_hop_single_tensor_return": None,
            "name": node.name,
        }

    def _named(self, name, value, kind=1):
        return {"name": name, "arg": self.argument(value), "kind": kind}

    def _of_schema(self, node):
        arguments = node.target._schema.arguments
        made = [self._named(a.name, value) for a, value in zip(arguments, node.args)]
        return made + [self._named(k, v, 2) for k, v in node.kwargs.items()]

    def _results(self, node):
        returns, value = node.target._schema.returns, node.meta.get("val")
        if not returns:
            return []
        if isinstance(value, (tuple, list)):
            made = [self._value(n, v) for n, v in zip(_names(node), value)]
            if len(returns) == 1:
                return [{"as_tensors": [m["as_tensor"] for m in made]}]
            return made
        return [self._value(node.name, value)]

    def argument(self, value):
        """An argument of a node."""
        if isinstance(value, Node):
            return self._of_node(value)
        if isinstance(value, (list, tuple)):
            return self._of_list(list(value))
        for kind, table, key, what in (
            (dtype, DTYPES, "as_scalar_type", "the type"),
            (memory_format, FORMATS, "as_memory_format", "the format"),
            (layout, LAYOUTS, "as_layout", "the layout"),
        ):
            if isinstance(value, kind):
                return {key: code_of(table, value, what)}
        if isinstance(value, device):
            return {"as_device": device_code(value)}
        if isinstance(value, complex):
            return {"as_complex": {"real": _number(value.real), "imag": _number(value.imag)}}
        return _constant(value)

    def _of_node(self, node):
        if node.op == "get_attr":
            inner = getattr(self.module, node.target)
            if not isinstance(inner, GraphModule):
                raise NotImplementedError(f"torch.export.save: the attribute {node.target}")
            return {"as_graph": {"name": node.target, "graph": _Graph(inner).made}}
        if isinstance(node.meta.get("val"), int):
            return {"as_sym_int": {"as_name": node.name}}
        return {"as_tensor": {"name": node.name}}

    def _of_list(self, values):
        made = [self.argument(v) for v in values]
        keys = {next(iter(m)) for m in made}
        if not keys or keys == {"as_int"}:
            return {"as_ints": [m["as_int"] for m in made]}
        if keys <= {"as_int", "as_sym_int"}:
            return {"as_sym_ints": [m["as_sym_int"] if "as_sym_int" in m else m for m in made]}
        if keys <= {"as_tensor", "as_none"} and len(keys) == 2:
            return {"as_optional_tensors": made}
        if len(keys) == 1 and (key := next(iter(keys))) in ("as_tensor", "as_float", "as_bool", "as_string"):
            return {f"{key}s": [m[key] for m in made]}
        raise NotImplementedError(f"torch.export.save: the list {values}")


def _names(node):
    """Names of a node's results: those of the nodes that take them."""
    found = {u.args[1]: u.name for u in node.users if u.target is operator.getitem}
    return [found.get(i, f"{node.name}_unused_{i}") for i in range(len(node.meta["val"]))]


def _metadata(node):
    made = {}
    if node.stack_trace:
        made["stack_trace"] = node.stack_trace.strip()
    stack = node.meta.get("nn_module_stack")
    if stack:
        made["nn_module_stack"] = ";".join(
            f"{key.replace(chr(39), '').replace('L[self]', 'L__self__')},{path},{kind}"
            for key, (path, kind) in stack.items()
        )
    return made


__all__ = ["written"]
