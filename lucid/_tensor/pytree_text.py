"""TreeSpecs as text (JSON), as torch writes them, so that a structure can be stored beside its leaves."""

import importlib
import json
from collections import OrderedDict, defaultdict, deque, namedtuple

from .pytree import _LEAF, SUPPORTED_NODES, TreeSpec
from .pytree import named as NAMES

PROTOCOL = 1
NO_NAME = "NO_SERIALIZED_TYPE_NAME_FOUND"


def name_node(cls, name, to_dumpable=None, from_dumpable=None):
    """Give a registered class a name in texts."""
    NAMES[cls] = (name, to_dumpable, from_dumpable)


def _default_factory(context):
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def _factory_of(found):
    module = importlib.import_module(found["default_factory_module"])
    return [getattr(module, found["default_factory_name"]), found["dict_context"]]


_TUPLES: dict = {}  # name -> namedtuple class


def register_namedtuple(cls, *, serialized_type_name):
    """_register_namedtuple(cls, serialized_type_name=...): the name by which texts know a namedtuple."""
    _TUPLES[serialized_type_name] = cls


def _tuple_name(cls):
    found = next((name for name, known in _TUPLES.items() if known is cls), None)
    if found is None:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {cls} because we didn't register a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return found


def _tuple_of(name):
    if name not in _TUPLES:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {name} because we couldn't find a serializated name."
        )
    return _TUPLES[name]


for _cls in (tuple, list, dict):
    name_node(_cls, f"builtins.{_cls.__name__}")
for _cls in (OrderedDict, deque):
    name_node(_cls, f"collections.{_cls.__name__}")
name_node(defaultdict, "collections.defaultdict", _default_factory, _factory_of)
name_node(namedtuple, "collections.namedtuple", _tuple_name, _tuple_of)


def _plain(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    name, dump, _ = NAMES.get(spec.type, (NO_NAME, None, None))
    if name == NO_NAME:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call "
            "with a `serialized_type_name` kwarg."
        )
    if dump is None:
        try:
            context = json.dumps(spec.context)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
                "using _register_pytree_node."
            ) from error
    else:
        context = dump(spec.context)
    return {"type": name, "context": context, "children_spec": [_plain(c) for c in spec.children()]}


def treespec_dumps(treespec, protocol=None):
    """treespec_dumps(treespec, protocol=None) -> str"""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec but got item of type "
            f"{type(treespec)}."
        )
    protocol = PROTOCOL if protocol is None else protocol
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")
    return json.dumps((protocol, _plain(treespec)))


def _spec_of(found):
    if found["type"] is None:
        return _LEAF
    cls = next((c for c, (name, _, _) in NAMES.items() if name == found["type"]), None)
    if cls is None or cls not in SUPPORTED_NODES:
        raise KeyError(found["type"])
    load = NAMES[cls][2]
    context = json.loads(found["context"]) if load is None else load(found["context"])
    return TreeSpec(cls, context, [_spec_of(c) for c in found["children_spec"]])


def treespec_loads(serialized):
    """treespec_loads(text) -> TreeSpec"""
    protocol, found = json.loads(serialized)
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")
    return _spec_of(found)
