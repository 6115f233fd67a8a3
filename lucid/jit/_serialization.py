"""save and load: traced and scripted programs as graphs of torch.fx, in torch.save's format."""

import zipfile

from ..fx import symbolic_trace
from ..nn.modules.module import Module
from ..serialization import load as _load
from ..serialization import save as _save
from ._script import RecursiveScriptModule, ScriptModule
from ._trace import TopLevelTracedModule, TracedFunction, TracedModule

_MARK = "lucid.jit"


def save(m, f, _extra_files=None):
    """save(traced or scripted module, file); a module that was not traced has to be traceable by torch.fx."""
    if isinstance(m, RecursiveScriptModule):
        m = m._original
    if isinstance(m, (TracedModule, TracedFunction)):
        graph, name, kind = m._graph_module, m.__dict__.get("_name", getattr(m, "name", "")), type(m).__name__
    elif isinstance(m, Module):
        try:
            graph, name, kind = symbolic_trace(m), type(m).__name__, "TopLevelTracedModule"
        except Exception as error:
            raise RuntimeError(
                f"torch.jit.save: {type(m).__name__} cannot be written as a graph ({error}); lucid has no TorchScript. "
                "Use torch.jit.trace first, or keep model.state_dict()"
            ) from error
    else:
        raise RuntimeError("torch.jit.save: lucid has no TorchScript; what is saved has to be a module or a trace")
    extra = {k: v for k, v in (_extra_files or {}).items()}
    _save({_MARK: 1, "graph": graph, "name": name, "kind": kind, "extra": extra}, f)


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """load(file) -> what torch.jit.save of lucid's wrote. It may run code: load what you trust."""
    if not hasattr(f, "read") and zipfile.is_zipfile(f):
        with zipfile.ZipFile(f) as archive:
            if any("/code/" in name for name in archive.namelist()):
                raise NotImplementedError(f"torch.jit.load({f!r}): a TorchScript program, and lucid has no TorchScript")
    found = _load(f, map_location=map_location, weights_only=False)
    if not isinstance(found, dict) or _MARK not in found:
        raise RuntimeError(f"torch.jit.load({f!r}): not a file of torch.jit.save of lucid's")
    if _extra_files is not None:
        _extra_files.update({k: v for k, v in found["extra"].items() if k in _extra_files})
    made = TracedFunction if found["kind"] == "TracedFunction" else TopLevelTracedModule
    return made(found["graph"], found["name"])


def _save_method(self, f, **kwargs):
    """save(file): as torch.jit.save"""
    save(self, f, **kwargs)


ScriptModule.save = TracedFunction.save = _save_method


def jit_module_from_flatbuffer(f):
    """jit_module_from_flatbuffer(file): NotImplementedError, lucid has no TorchScript."""
    raise NotImplementedError("torch.jit.jit_module_from_flatbuffer: lucid has no TorchScript")
