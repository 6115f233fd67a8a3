"""GraphModules whose code is written when it is first needed."""

import contextlib

from .graph_module import GraphModule, _import_block, reduce_graph_module

_use_lazy_graph_module_flag = False
_force_skip_lazy_graph_module_flag = False


@contextlib.contextmanager
def _force_skip_lazy_graph_module():
    """Within it, _use_lazy_graph_module has no effect."""
    global _force_skip_lazy_graph_module_flag
    before, _force_skip_lazy_graph_module_flag = _force_skip_lazy_graph_module_flag, True
    try:
        yield
    finally:
        _force_skip_lazy_graph_module_flag = before


@contextlib.contextmanager
def _use_lazy_graph_module(should_use):
    """Within it, _make_graph_module makes lazy ones."""
    global _use_lazy_graph_module_flag
    before = _use_lazy_graph_module_flag
    _use_lazy_graph_module_flag = should_use and not _force_skip_lazy_graph_module_flag
    try:
        yield
    finally:
        _use_lazy_graph_module_flag = before


def _get_graph_module_cls():
    return _LazyGraphModule if _use_lazy_graph_module_flag else GraphModule


def _make_graph_module(*args, graph_module_cls=None, **kwargs):
    return (graph_module_cls or _get_graph_module_cls())(*args, **kwargs)


class _LazyGraphModule(GraphModule):
    """A GraphModule that is written when its code is read or it is called."""

    @classmethod
    def from_graphmodule(cls, gm):
        """from_graphmodule(gm) -> the same module, lazy."""
        return gm if isinstance(gm, _LazyGraphModule) else _LazyGraphModule(gm, gm.graph)

    @staticmethod
    def force_recompile(gm):
        """Write gm's code now, if it is lazy."""
        if isinstance(gm, _LazyGraphModule):
            gm.real_recompile()

    @classmethod
    def _needs_recompile(cls):
        return cls.forward is cls._lazy_forward

    def real_recompile(self):
        """Write the code now, if it was not."""
        if self._needs_recompile():
            self._real_recompile()

    def _real_recompile(self):
        return super().recompile()

    def _lazy_forward(self, *args, **kwargs):
        self.real_recompile()
        return self(*args, **kwargs)

    forward = _lazy_forward

    @classmethod
    def recompile(cls):
        """Note that the code must be written anew."""
        cls.forward = cls._lazy_forward

    @property
    def code(self):
        """The source of forward."""
        self.real_recompile()
        return super().code

    def __str__(self):
        self.real_recompile()
        return super().__str__()

    def __reduce__(self):
        block = _import_block(self._real_recompile().globals)
        return reduce_graph_module, ({k: v for k, v in self.__dict__.items() if k != "_graph"}, block)
