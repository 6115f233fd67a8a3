"""torch.utils._pytree: nested containers taken apart into leaves and a TreeSpec, and put together again."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple
from types import UnionType

from .._base.shape import Size
from .return_types import StructSequence


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """A place in a path: an index."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """get(sequence) -> the item there."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """A place in a path: a key."""

    key: object

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """get(mapping) -> the value there."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """A place in a path: an attribute."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """get(obj) -> the attribute there."""
        return getattr(obj, self.name)


NodeDef = namedtuple("NodeDef", "type flatten_fn unflatten_fn flatten_with_keys_fn")
SUPPORTED_NODES: dict = {}
CONSTANT_NODES: set = set()
STANDARD_DICT_TYPES = BUILTIN_TYPES = frozenset((dict, OrderedDict, defaultdict))


def _keyed(flatten_fn, key):
    def flatten(tree):
        children, context = flatten_fn(tree)
        return [(key(tree, context, i), c) for i, c in enumerate(children)], context

    return flatten


def _private_register_pytree_node(cls, flatten_fn, unflatten_fn, *, flatten_with_keys_fn=None, **ignored):
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def register_pytree_node(
    cls,
    flatten_fn,
    unflatten_fn,
    *,
    serialized_type_name=None,
    to_dumpable_context=None,
    from_dumpable_context=None,
    flatten_with_keys_fn=None,
):
    """register_pytree_node(cls, flatten_fn, unflatten_fn): flatten_fn(obj) -> (children, context),
    unflatten_fn(children, context)."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn=flatten_with_keys_fn)
    if serialized_type_name is not None:
        named[cls] = (serialized_type_name, to_dumpable_context, from_dumpable_context)


named: dict = {}  # class -> (name in texts, and how its context is written and read): see pytree_text.py
_register_pytree_node = register_pytree_node


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """register_dataclass(cls): its fields are children."""
    names = list(field_names or [f.name for f in dataclasses.fields(cls) if f.init])
    names = [n for n in names if n not in (drop_field_names or ())]
    register_pytree_node(
        cls,
        lambda x: ([getattr(x, n) for n in names], None),
        lambda c, _: cls(**dict(zip(names, c))),
        flatten_with_keys_fn=lambda x: ([(GetAttrKey(n), getattr(x, n)) for n in names], None),
    )


def register_constant(cls):
    """register_constant(cls): its instances have no leaves; equal ones make equal specs."""
    CONSTANT_NODES.add(cls)
    register_pytree_node(cls, lambda x: ([], x), lambda _, context: context)


def _index_key(tree, context, i):
    return SequenceKey(i)


def _dict_key(tree, context, i):
    return MappingKey(list(tree)[i])


def _flatten_dict(d):
    return list(d.values()), list(d.keys())


def _add(cls, flatten, unflatten, key=_index_key):
    _private_register_pytree_node(cls, flatten, unflatten, flatten_with_keys_fn=_keyed(flatten, key))


_add(tuple, lambda t: (list(t), None), lambda c, _: tuple(c))
_add(list, lambda x: (x, None), lambda c, _: list(c))
_add(dict, _flatten_dict, lambda c, keys: dict(zip(keys, c)), _dict_key)
_add(OrderedDict, _flatten_dict, lambda c, keys: OrderedDict(zip(keys, c)), _dict_key)
_add(
    defaultdict,
    lambda d: (list(d.values()), [d.default_factory, list(d)]),
    lambda c, context: defaultdict(context[0], zip(context[1], c)),
    _dict_key,
)
_add(deque, lambda d: (list(d), d.maxlen), lambda c, maxlen: deque(c, maxlen=maxlen))
_add(namedtuple, lambda t: (list(t), type(t)), lambda c, cls: cls(*c), lambda tree, cls, i: GetAttrKey(cls._fields[i]))
_add(Size, lambda s: (list(s), None), lambda c, _: Size(tuple(c)))


def is_namedtuple_class(cls):
    """is_namedtuple_class(cls) -> bool"""
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and callable(getattr(cls, "_make", None))
    )


def is_namedtuple(obj):
    """is_namedtuple(obj) -> bool, for instances and classes."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj):
    """is_namedtuple_instance(obj) -> bool"""
    return is_namedtuple_class(type(obj))


def is_structseq_class(cls):
    """is_structseq_class(cls) -> bool: one of torch.return_types?"""
    return isinstance(cls, type) and issubclass(cls, StructSequence)


def is_structseq_instance(obj):
    """is_structseq_instance(obj) -> bool"""
    return isinstance(obj, StructSequence)


is_structseq = is_structseq_instance


def _node_type(tree):
    """What SUPPORTED_NODES knows tree under."""
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls
    if issubclass(cls, StructSequence):
        _add(cls, lambda t: (list(t), None), lambda c, _: cls(list(c)))
        return cls
    return namedtuple if is_namedtuple_class(cls) else cls


_get_node_type = _node_type


def tree_is_leaf(tree, is_leaf=None):
    """tree_is_leaf(tree) -> bool"""
    return (is_leaf is not None and is_leaf(tree)) or _node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf


class TreeSpec:
    """The structure of a tree: its type, what else the type needs to know (context), and the structures of its
    children."""

    __slots__ = ("type", "_context", "_children", "num_leaves", "num_nodes", "num_children")

    def __init__(self, type, context, children_specs):
        self.type, self._context, self._children = type, context, list(children_specs)
        self.num_children = len(self._children)
        self.num_nodes = 1 + sum(c.num_nodes for c in self._children)
        self.num_leaves = sum(c.num_leaves for c in self._children) if type is not None else 1

    context = property(lambda self: self._context)
    children_specs = property(lambda self: list(self._children))

    def is_leaf(self):
        """is_leaf() -> bool"""
        return self.type is None

    def children(self):
        """children() -> list of TreeSpec"""
        return list(self._children)

    def child(self, index):
        """child(i) -> TreeSpec"""
        return self._children[index]

    def unflatten(self, leaves):
        """unflatten(leaves) -> the tree with these leaves; ValueError when there are more or fewer than it holds."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a "
                f"pytree that holds {self.num_leaves} items ({self})."
            )
        return self._built(iter(leaves))

    def _built(self, leaves):
        if self.type is None:
            return next(leaves)
        return SUPPORTED_NODES[self.type].unflatten_fn([c._built(leaves) for c in self._children], self._context)

    def flatten_up_to(self, tree):
        """flatten_up_to(tree) -> the parts of a tree that are where this one's leaves are; ValueError when it differs
        above them."""
        parts = []
        self._split(tree, parts)
        return parts

    def _split(self, tree, parts):
        if self.type is None:
            parts.append(tree)
            return
        kind = _node_type(tree)
        standard = self.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES
        if kind is not self.type and not standard:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {kind!r}.")
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if standard:
            wanted = self._context[1] if self.type is defaultdict else self._context
            if set(wanted) != set(tree):
                missing, extra = set(wanted) - set(tree), set(tree) - set(wanted)
                message = "Node keys mismatch"
                message += f"; missing key(s): {missing}" if missing else ""
                message += f"; extra key(s): {extra}" if extra else ""
                raise ValueError(message + ".")
            children = [tree[k] for k in wanted]
        elif context != self._context and self.type is not deque:
            raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        for spec, child in zip(self._children, children):
            spec._split(child, parts)

    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return self.type is other.type and self._context == other._context and self._children == other._children

    def __hash__(self):
        context = self._context
        return hash((self.type, repr(context) if isinstance(context, (list, dict)) else context, tuple(self._children)))

    def __repr__(self, indent=0):
        if self.type is None:
            return "*"
        inner = f",\n{' ' * (indent + 2)}".join(c.__repr__(indent + 2) for c in self._children)
        return f"TreeSpec({self.type.__name__}, {self._context}, [{inner}])"


PyTreeSpec = TreeSpec
_LEAF = TreeSpec(None, None, [])


class _LeafMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafMeta):
    """LeafSpec() -> the TreeSpec of a leaf."""

    __slots__ = ()

    def __new__(cls):
        return _LEAF


def treespec_leaf():
    """treespec_leaf() -> TreeSpec of a leaf."""
    return _LEAF


def treespec_tuple(iterable=(), /):
    """treespec_tuple(specs) -> TreeSpec of a tuple."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping=(), /, **kwargs):
    """treespec_dict(specs) -> TreeSpec of a dict."""
    d = dict(mapping, **kwargs)
    return TreeSpec(dict, list(d), list(d.values()))


def _flatten(tree, leaves, is_leaf):
    if is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return _LEAF
    kind = _node_type(tree)
    node = SUPPORTED_NODES.get(kind)
    if node is None:
        leaves.append(tree)
        return _LEAF
    children, context = node.flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten(c, leaves, is_leaf) for c in children])


def tree_flatten(tree, is_leaf=None):
    """tree_flatten(tree, is_leaf=None) -> (leaves, TreeSpec)."""
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def tree_unflatten(leaves, treespec):
    """tree_unflatten(leaves, treespec) -> tree"""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got "
            f"item of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree, is_leaf=None):
    """tree_iter(tree, is_leaf=None): the leaves, one by one."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree, is_leaf=None):
    """tree_leaves(tree, is_leaf=None) -> list of leaves"""
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    """tree_structure(tree, is_leaf=None) -> TreeSpec"""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """tree_map(func, tree, *rests) -> tree of func(leaf, part of each rest that is at its place)."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(r) for r in rests]))


def tree_map_(func, tree, *rests, is_leaf=None):
    """tree_map_(func, tree, *rests) -> tree itself, after func was called for each leaf."""
    leaves, spec = tree_flatten(tree, is_leaf)
    deque(map(func, leaves, *[spec.flatten_up_to(r) for r in rests]), maxlen=0)
    return tree


def map_only(type_or_types_or_pred, /):
    """map_only(types) -> decorator: the function for leaves of these types (or that fit a predicate), others stay."""
    if isinstance(type_or_types_or_pred, (type, tuple, UnionType)):

        def wanted(x):
            return isinstance(x, type_or_types_or_pred)
    elif callable(type_or_types_or_pred):
        wanted = type_or_types_or_pred
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    return lambda func: lambda x: func(x) if wanted(x) else x


def tree_map_only(type_or_types_or_pred, /, func, tree, is_leaf=None):
    """tree_map_only(types, func, tree) -> tree of func(leaf) for leaves of these types; others stay."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, /, func, tree, is_leaf=None):
    """tree_map_only_(types, func, tree) -> tree itself, after func was called for each leaf of these types."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """tree_all(pred, tree) -> bool: does pred hold for all leaves?"""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """tree_any(pred, tree) -> bool: does pred hold for a leaf?"""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, /, pred, tree, is_leaf=None):
    """tree_all_only(types, pred, tree) -> bool: for all leaves of these types?"""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types, /, pred, tree, is_leaf=None):
    """tree_any_only(types, pred, tree) -> bool: for a leaf of these types?"""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def arg_tree_leaves(*args, **kwargs):
    """arg_tree_leaves(*args, **kwargs) -> list of their leaves"""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of tree, each repeated for the leaves of treespec below its place; None when they do not fit."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf() or treespec.type is not _node_type(tree):
        return None
    children, context = SUPPORTED_NODES[treespec.type].flatten_fn(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    result = []
    for child, spec in zip(children, treespec.children()):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        result += part
    return result


def _with_path(tree, path, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = SUPPORTED_NODES[_node_type(tree)]
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {node.type}. Please pass a "
            "flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _with_path(child, (*path, key), is_leaf)


def tree_leaves_with_path(tree, is_leaf=None):
    """tree_leaves_with_path(tree) -> list of (path, leaf); a path is a tuple of keys."""
    return list(_with_path(tree, (), is_leaf))


def tree_flatten_with_path(tree, is_leaf=None):
    """tree_flatten_with_path(tree) -> (list of (path, leaf), TreeSpec)"""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """tree_map_with_path(func, tree, *rests) -> tree of func(path, leaf, ...)."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    paths, leaves = [p for p, _ in found], [x for _, x in found]
    return spec.unflatten(map(func, paths, leaves, *[spec.flatten_up_to(r) for r in rests]))


def keystr(kp):
    """keystr(path) -> str, such as "['a'][0].x"."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """key_get(tree, path) -> what is there."""
    for key in kp:
        obj = key.get(obj)
    return obj


def treespec_pprint(treespec):
    """treespec_pprint(treespec) -> str of the tree with * for leaves."""

    class Star:
        def __repr__(self):
            return "*"

    return repr(treespec.unflatten([Star() for _ in range(treespec.num_leaves)]))


PyTree = object
