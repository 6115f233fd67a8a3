"""An ExportedProgram of a .pt2 file. Nothing that the file says is run: ops, operators and structures are looked up."""

import io
import json
import operator
import re

from .._aten.overloads import OpOverload, packet
from .._base.symbolic import SymInt
from .._higher_order_ops.cond import cond_op
from .._higher_order_ops.wrap_with_modes import wrap_with_set_grad_enabled
from .._serial.archive import Reader
from .._subclasses.fake_tensor import FakeTensorMode
from .._tensor.pytree_text import treespec_loads
from .._tensor.tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..serialization import load as load_pickled
from . import graph_signature as gs
from ._again import fake_with
from ._codes import DTYPES, FORMATS, LAYOUTS, Unreadable, read_device, read_expression
from ._read_guards import read_guard
from ._sizes import ranges_of
from ._symbols import Environment, ValueRanges, int_oo, symbols_of
from ._write import OPSET_VERSION, SCHEMA_VERSION
from .exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature

_TARGET = re.compile(r"torch\.ops\.(\w+)\.(\w+)\.(\w+)")
_OPERATORS = "add sub mul floordiv mod neg pow truediv eq ne lt le gt ge".split()
_OPERATORS = {f"_operator.{name}": getattr(operator, name) for name in _OPERATORS}
_FUNCTIONS = {"torch.ops.higher_order.cond": cond_op}
_FUNCTIONS["torch.ops.higher_order.wrap_with_set_grad_enabled"] = wrap_with_set_grad_enabled
_LARGEST = 1 << 62


def read(file, extra_files=None, expected_opset_version=None):
    """The program in a file object."""
    archive = Reader(file)
    if not archive.has("archive_version"):
        raise Unreadable("the file is no .pt2 archive: it has no record archive_version")
    version = archive.record("archive_version").decode()
    if version != "0":
        raise ValueError(f"Saved archive version {version} does not match our current archive version 0.")
    for name in extra_files or {}:
        if archive.has(f"extra/{name}"):
            extra_files[name] = archive.record(f"extra/{name}").decode()
    try:
        data = json.loads(archive.record("models/model.json"))
        return _Program(data, archive, expected_opset_version or OPSET_VERSION).program()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration, RecursionError) as e:
        if isinstance(e, NotImplementedError) or type(e) is ValueError and "version" in str(e):
            raise
        raise Unreadable(f"the file's program cannot be read: {type(e).__name__}: {str(e)[:200]}") from e


class _Program:
    """One program's JSON, and the archive that it is in."""

    def __init__(self, data, archive, opset):
        self.data, self.archive = data, archive
        major = data["schema_version"]["major"]
        if major != SCHEMA_VERSION["major"]:
            raise ValueError(
                f"Serialized schema version {data['schema_version']} does not match our current {SCHEMA_VERSION}."
            )
        for name, version in data["opset_version"].items():
            if name in opset and version != opset[name]:
                raise NotImplementedError(
                    f"We don't have a way to map opset version {version} of {name} to version {opset[name]}"
                )
        self.fakes, self.env = FakeTensorMode(), Environment()
        self.ranges = {
            name: ValueRanges(int(r["min_val"] or 0), int_oo if r["max_val"] is None else int(r["max_val"]))
            for name, r in data["range_constraints"].items()
        }

    def program(self):
        """The ExportedProgram."""
        inner = self.data["graph_module"]
        module = self._graph(inner["graph"], list(map(_input_name, inner["signature"]["input_specs"])))
        inputs = [_input(s) for s in inner["signature"]["input_specs"]]
        outputs = [_output(s) for s in inner["signature"]["output_specs"]]
        self._places(module, inputs)
        calls = [_call(e) for e in inner["module_call_graph"]]
        places = {s.place: s.expression for s in self.env.symbols.values()}
        places |= self.other_places
        for text in self.data.get("guards_code") or []:
            read_guard(text, places, self.env)
        return ExportedProgram(
            root=module,
            graph=module.graph,
            graph_signature=gs.ExportGraphSignature(inputs, outputs),
            state_dict=self._payload("data/weights/", "model_weights_config.json"),
            range_constraints=ranges_of(module.graph, self.env),
            module_call_graph=calls,
            example_inputs=self._examples(),
            constants=self._payload("data/constants/", "model_constants_config.json"),
            environment=self.env,
        )

    # ---- tensors

    def _payload(self, folder, config):
        found, records = {}, {}
        for name, meta in json.loads(self.archive.record(folder + config))["config"].items():
            path = folder + meta["path_name"]
            if meta.get("use_pickle"):
                found[name] = load_pickled(io.BytesIO(self.archive.record(path)), weights_only=True)
                continue
            t = _laid_out(path, self.archive, records, meta["tensor_meta"])
            grad = bool(meta["tensor_meta"]["requires_grad"])
            found[name] = Parameter(t, requires_grad=grad) if meta["is_param"] else t
        return found

    def _examples(self):
        record = (
            self.archive.record("data/sample_inputs/model.pt")
            if self.archive.has("data/sample_inputs/model.pt")
            else b""
        )
        if not record:
            return None
        try:
            found = load_pickled(io.BytesIO(record), weights_only=True)
        except Exception:  # noqa: BLE001 - inputs of the program's own classes: nothing but an example is lost
            return None
        return found if isinstance(found, tuple) and len(found) == 2 else None

    def _looks(self, meta):
        """A fake tensor of what is said of one."""
        sizes = [self._size(n) for n in meta["sizes"]]
        strides = [self._size(n) for n in meta["strides"]]
        return fake_with(self.fakes, sizes, strides, DTYPES[meta["dtype"]], read_device(meta["device"]))

    def _size(self, n):
        if "as_int" in n:
            return int(n["as_int"])
        expression = read_expression(n["as_expr"]["expr_str"])
        hint = (n["as_expr"].get("hint") or {}).get("as_int")
        for name in symbols_of(expression):
            if name not in self.env.symbols:
                r = self.ranges.get(name, ValueRanges(0, int_oo))
                made = self.env.add(name, "DYNAMIC", None, r.lower, r.upper)
                self.env.hints[name] = made.hint = hint if expression == made.expression and hint else 2
        return self.env.size(expression)

    def _places(self, module, specs):
        """Let each symbol know the size of an input that it is read from."""
        self.other_places = {}
        holes = {n.name: n for n in module.graph.nodes if n.op == "placeholder"}
        for spec in specs:
            value = holes[spec.arg.name].meta.get("val")
            if spec.kind != gs.InputKind.USER_INPUT or not isinstance(value, Tensor):
                continue
            for i, n in enumerate(value.shape):
                place = f"L['{spec.arg.name}'].size()[{i}]"
                if not isinstance(n, SymInt):
                    continue
                self.other_places[place] = n.expression
                for s in self.env.symbols.values():
                    if s.expression == n.expression and "size()" not in s.place:
                        s.place = place

    # ---- graphs

    def _graph(self, data, names=None):
        return _Reading(self, data, names).module()


def _laid_out(path, archive, records, meta):
    """A tensor whose elements lie in a record as the file says."""
    dtype = DTYPES[meta["dtype"]]
    if (path, dtype) not in records:
        records[path, dtype] = archive.record(path)
    memory = records[path, dtype]
    sizes, strides = [_plain(n) for n in meta["sizes"]], [_plain(n) for n in meta["strides"]]
    offset = _plain(meta["storage_offset"])
    return from_memory(memory, dtype, sizes, strides, offset, read_device(meta["device"]), records, path)


def _plain(n):
    n = n["as_int"]
    if type(n) is not int or not 0 <= n < _LARGEST:
        raise Unreadable(f"{n!r} is no size, stride or place of a tensor's")
    return n


def from_memory(memory, dtype, sizes, strides, offset, place, records, path):
    """A tensor of raw memory, which other tensors of the record share."""
    from .._func.creation.from_data import frombuffer

    if len(sizes) != len(strides):
        raise Unreadable("a tensor has as many strides as sizes")
    last = offset + sum([(n - 1) * s for n, s in zip(sizes, strides)])
    if 0 not in sizes and (last + 1) * dtype.itemsize > len(memory):
        raise Unreadable(f"the record {path} has {len(memory)} bytes, which are too few for a tensor of sizes {sizes}")
    key = path, dtype, "tensor"
    if key not in records:
        n = len(memory) // dtype.itemsize
        records[key] = frombuffer(bytearray(memory), dtype=dtype, count=n) if n else None
    whole = records[key]
    if whole is None or 0 in sizes:
        from .._func.creation.gfunc import empty

        return empty(sizes, dtype=dtype, device=place)
    return whole.as_strided(sizes, strides, offset).to(place)


class _Reading:
    """One graph."""

    def __init__(self, program, data, names):
        self.program, self.data = program, data
        self.graph, self.root, self.env = Graph(), Module(), {}
        for i, value in enumerate(data["inputs"]):
            self._hole(i, value, names)
        for node in data["nodes"]:
            self._node(node)
        outputs = [self.argument(a) for a in data["outputs"]]
        self.graph.output(tuple(outputs))

    def module(self):
        """The graph as a module."""
        return GraphModule(self.root, self.graph, "GraphModule")

    def _looks(self, name):
        if name in self.data["tensor_values"]:
            return self.program._looks(self.data["tensor_values"][name])
        if name in self.data["sym_int_values"]:
            return self.program._size(self.data["sym_int_values"][name])
        raise Unreadable(f"the graph says nothing of the value {name}")

    def _hole(self, i, value, names):
        if "as_tensor" in value:
            name = value["as_tensor"]["name"]
            looks = self._looks(name)
        elif "as_sym_int" in value:
            raise NotImplementedError("torch.export.load: an input that is a symbolic number")
        else:
            name, looks = names[i], self.argument(value)
        node = self.graph.placeholder(_identifier(name))
        node.name = node.target
        node.meta["val"] = looks
        self.env[name] = node

    def _node(self, data):
        target = _target(data["target"])
        args, kwargs = self._arguments(target, data["inputs"])
        outputs = data["outputs"]
        name = data.get("name") or None
        results = _result_names(outputs)
        single = not isinstance(results, list)
        if single and not _is_function(target):
            name = results or name
        if target is cond_op:
            args = (*args[:3], tuple(args[3]))
        node = self.graph.create_node("call_function", target, args, kwargs, name=name and _identifier(name))
        if text := (data.get("metadata") or {}).get("stack_trace"):
            node.meta["stack_trace"] = f"{text}\n"
        node.meta["nn_module_stack"] = _stack((data.get("metadata") or {}).get("nn_module_stack"))
        if single and not _is_function(target):
            if results is not None:
                node.meta["val"] = self._looks(results)
                self.env[results] = node
            return
        self._items(node, [results] if single else results)

    def _items(self, node, names):
        looks = [None if n is None else self._looks(n) for n in names]
        node.meta["val"] = tuple(looks)
        for i, (name, value) in enumerate(zip(names, looks)):
            if name is None or "_unused_" in name:
                continue
            item = self.graph.create_node("call_function", operator.getitem, (node, i), {}, name=_identifier(name))
            item.meta["val"], item.meta["nn_module_stack"] = value, node.meta["nn_module_stack"]
            self.env[name] = item

    def _arguments(self, target, inputs):
        args, kwargs = [], {}
        schema = {a.name: a for a in target._schema.arguments} if isinstance(target, OpOverload) else {}
        for given in inputs:
            value = self.argument(given["arg"])
            name, kind = given["name"], given.get("kind")
            if schema and name not in schema:
                raise Unreadable(f"{target} has no argument {name}")
            if kind == 2 or schema and schema[name].kwarg_only:
                kwargs[name] = value
            elif schema and list(schema)[len(args)] != name:
                kwargs[name] = value
            else:
                args.append(value)
        return tuple(args), kwargs

    def argument(self, data):
        """The argument of a node that the file says."""
        ((key, value),) = data.items()
        read = _PLAIN.get(key)
        if read is not None:
            return read(value)
        if key == "as_tensor":
            return self.env[value["name"]]
        if key == "as_tensors":
            return [self.env[v["name"]] for v in value]
        if key in ("as_sym_int", "as_sym_float", "as_sym_bool"):
            return self.env[value["as_name"]] if "as_name" in value else next(iter(value.values()))
        if key == "as_sym_ints":
            return [self.env[v["as_name"]] if "as_name" in v else int(v["as_int"]) for v in value]
        if key == "as_optional_tensors":
            return [self.env[v["as_tensor"]["name"]] if "as_tensor" in v else None for v in value]
        if key == "as_optional_tensor":
            return self.env[value["as_tensor"]["name"]] if "as_tensor" in value else None
        if key == "as_graph":
            return self._submodule(value)
        raise NotImplementedError(f"torch.export.load: an argument of kind {key}")

    def _submodule(self, data):
        name = _identifier(data["name"])
        if not hasattr(self.root, name):
            setattr(self.root, name, self.program._graph(data["graph"]))
        return self.graph.create_node("get_attr", name, (), {}, name=name)


def _number(value):
    return float(value)


_PLAIN = {
    "as_none": lambda v: None,
    "as_int": int,
    "as_ints": lambda v: [int(n) for n in v],
    "as_float": _number,
    "as_floats": lambda v: [float(n) for n in v],
    "as_string": str,
    "as_strings": lambda v: [str(s) for s in v],
    "as_bool": bool,
    "as_bools": lambda v: [bool(b) for b in v],
    "as_scalar_type": DTYPES.__getitem__,
    "as_memory_format": FORMATS.__getitem__,
    "as_layout": LAYOUTS.__getitem__,
    "as_device": read_device,
    "as_complex": lambda v: complex(float(v["real"]), float(v["imag"])),
}


def _stack(text):
    """{key: (path, class)} of the modules in which a node is."""
    parts = [part.split(",") for part in (text or "").split(";")]
    return {p[0]: (p[1], p[2]) for p in parts if len(p) == 3}


def _identifier(name):
    """A name that may stand in code; Unreadable for any other text."""
    if not isinstance(name, str) or not name.isidentifier():
        raise Unreadable(f"{name!r} is no name of a value")
    return name


def _is_function(target):
    """Is it an operator that takes functions, whose results are always several?"""
    return target in _FUNCTIONS.values()


def _target(text):
    if text in _OPERATORS:
        return _OPERATORS[text]
    if text in _FUNCTIONS:
        return _FUNCTIONS[text]
    found = _TARGET.fullmatch(text)
    op = packet(found[1], found[2]) if found else None
    if op is None or found[3] not in op.overloads():
        raise NotImplementedError(f"torch.export.load: lucid has no {text}")
    return getattr(op, found[3])


def _result_names(outputs):
    """The name of the only result; a list of names of several; None where there is none."""
    if not outputs:
        return None
    if len(outputs) == 1:
        ((key, value),) = outputs[0].items()
        if key == "as_tensors":
            return [v["name"] for v in value]
        return None if key == "as_none" else value["name"] if key == "as_tensor" else value["as_name"]
    return [None if "as_none" in o else o["as_tensor"]["name"] if "as_tensor" in o else o["as_sym_int"]["as_name"]
            for o in outputs]  # fmt: skip


# ---- the signature


def _input_name(spec):
    ((kind, data),) = spec.items()
    if kind == "constant_input":
        return data["name"]
    return data["arg"]["as_tensor"]["name"] if kind == "user_input" else data["arg"]["name"]


def _input(spec):
    ((kind, data),) = spec.items()
    name = _identifier(_input_name(spec))
    tensor = gs.TensorArgument(name)
    if kind == "user_input":
        return gs.InputSpec(gs.InputKind.USER_INPUT, tensor, None)
    if kind == "constant_input":
        ((key, value),) = data["value"].items()
        return gs.InputSpec(gs.InputKind.USER_INPUT, gs.ConstantArgument(name, _PLAIN[key](value)), None)
    if kind == "parameter":
        return gs.InputSpec(gs.InputKind.PARAMETER, tensor, data["parameter_name"])
    if kind == "buffer":
        return gs.InputSpec(gs.InputKind.BUFFER, tensor, data["buffer_name"], data["persistent"])
    if kind == "tensor_constant":
        return gs.InputSpec(gs.InputKind.CONSTANT_TENSOR, tensor, data["tensor_constant_name"])
    raise NotImplementedError(f"torch.export.load: an input that is a {kind}")


def _output(spec):
    ((kind, data),) = spec.items()
    if kind == "user_output":
        ((key, value),) = data["arg"].items()
        if key == "as_tensor":
            return gs.OutputSpec(gs.OutputKind.USER_OUTPUT, gs.TensorArgument(value["name"]), None)
        if key == "as_sym_int":
            return gs.OutputSpec(gs.OutputKind.USER_OUTPUT, gs.SymIntArgument(value["as_name"]), None)
        return gs.OutputSpec(gs.OutputKind.USER_OUTPUT, gs.ConstantArgument("", _PLAIN[key](value)), None)
    argument = gs.TensorArgument(data["arg"]["name"])
    target = next((v for k, v in data.items() if k != "arg"), None)
    return gs.OutputSpec(gs.OutputKind[kind.upper()], argument, target)


def _call(entry):
    s = entry.get("signature")
    if s is None:
        return ModuleCallEntry(entry["fqn"])
    made = ModuleCallSignature([], [], treespec_loads(s["in_spec"]), treespec_loads(s["out_spec"]))
    made.forward_arg_names = s.get("forward_arg_names")
    for name in made.forward_arg_names or ():
        _identifier(name)
    return ModuleCallEntry(entry["fqn"], made)


__all__ = ["read"]
