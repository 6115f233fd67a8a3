"""Pickles that say torch: lucid's own classes and functions are written, and read, under the names torch has for
them."""

import io
import pickle
import re
import sys

# torch's full names of things that files may name even when loaded with weights_only: nn.Parameter and its rebuilders.
ALLOWED: dict = {}

# Names that older files use for things of ours.
_READ_AS: dict = {("torch.tensor", "_rebuild_from_type_v2"): ("lucid._tensor", "_rebuild_from_type_v2")}

# GLOBAL opcodes of protocol 2 for modules of ours. lucid and torch have equally many letters.
_OURS = re.compile(rb"c((?:lucid|torch)(?:\.\w+)*)\n([^\n]+)\n")


def written_name(module, name):
    """torch's (module, name) for one of ours."""
    for root in ("lucid", "torch"):
        if module == root or module.startswith(root + "."):
            return "torch" + module[5:], name
    return module, name


def read_name(module, name):
    """Our (module, name) for one of torch's."""
    if (module, name) in _READ_AS:
        return _READ_AS[module, name]
    return ("lucid" + module[5:] if module == "torch" or module.startswith("torch.") else module), name


def dumps(obj, module, protocol, persistent_id) -> bytes:
    """obj pickled under torch's names, with `module`'s Pickler."""
    out = io.BytesIO()
    if protocol > 3 and module is pickle:
        _Renaming(out, protocol, persistent_id).dump(obj)
        return out.getvalue()
    doubtful = []

    def persistent(self, item):
        # Text that looks like one of our names makes the quick way of renaming unsafe.
        if isinstance(item, (str, bytes, bytearray)):
            line, name = ("\n", "lucid") if isinstance(item, str) else (b"\n", b"lucid")
            if not doubtful and (name in item or line in item):
                doubtful.append(True)
        elif isinstance(item, int):
            if item > 1 << 63 or item < -(1 << 63):
                doubtful.append(True)
        else:
            return persistent_id(item)

    cls = type("Pickler", (module.Pickler,), {"persistent_id": persistent})
    cls(out, protocol=protocol).dump(obj)
    data = out.getvalue()
    return _rename_exactly(data) if doubtful else _OURS.sub(_torchs, data)


def _torchs(match):
    module, name = written_name(match[1].decode(), match[2].decode())
    return f"c{module}\n{name}\n".encode()


def _rename_exactly(data):
    """The same, looking at opcodes only."""
    import pickletools

    pieces, done = [], 0
    for op, argument, at in pickletools.genops(data):
        if op.name == "GLOBAL" and (match := _OURS.match(data, at)):
            pieces += data[done:at], _torchs(match)
            done = match.end()
    return b"".join([*pieces, data[done:]])


class _Renaming(pickle._Pickler):
    """For the newer protocols, whose names are strings: the pickler written in Python, which can be asked."""

    def __init__(self, out, protocol, persistent_id):
        super().__init__(out, protocol)
        self.persistent_id = persistent_id

    def save_global(self, obj, name=None):
        named = name or getattr(obj, "__qualname__", None) or obj.__name__
        module = pickle.whichmodule(obj, named)
        as_torch = written_name(module, named)
        if as_torch == (module, named):
            return super().save_global(obj, name)
        self.save(as_torch[0])
        self.save(as_torch[1])
        self.write(pickle.STACK_GLOBAL)
        self.memoize(obj)

    dispatch = pickle._Pickler.dispatch.copy()
    dispatch[type(dumps)] = save_global

    def save_type(self, obj):
        if obj in (type(None), type(NotImplemented), type(...)):
            return super().save_type(obj)
        return self.save_global(obj)

    dispatch[type] = save_type


def unpickler(module, file, persistent_load, storage_type, **options):
    """An Unpickler of `module` that finds our classes under torch's names."""

    class Unpickler(module.Unpickler):
        def find_class(self, mod_name, name):
            if "Storage" in name and (found := storage_type(name)) is not None:
                return found
            return super().find_class(*_importable(*read_name(mod_name, name)))

        def persistent_load(self, pid):
            return persistent_load(pid)

    return Unpickler(file, **options)


def _importable(module, name):
    """Our own modules may be known as torch's only."""
    if module.startswith("lucid") and "lucid" not in sys.modules:
        return "torch" + module[5:], name
    return module, name
