"""Types for the nodes of a graph, from the annotations of what they call."""

import inspect

from ..interpreter import Transformer

__all__ = ["AnnotateTypesWithSchema"]


class AnnotateTypesWithSchema(Transformer):
    """AnnotateTypesWithSchema(module, annotate_functionals=True, annotate_modules=True, annotate_get_attrs=True):
    transform() gives a GraphModule whose nodes have the return types that functions and layers are annotated with.
    """

    def __init__(self, module, annotate_functionals=True, annotate_modules=True, annotate_get_attrs=True):
        super().__init__(module)
        self.annotate_functionals, self.annotate_modules = annotate_functionals, annotate_modules
        self.annotate_get_attrs = annotate_get_attrs

    def _typed(self, proxy, found):
        proxy.node.type = proxy.node.type or found
        return proxy

    def call_function(self, target, args, kwargs):
        """A call of a function of layers has the type that it is annotated with."""
        of_layers = self.annotate_functionals and (target.__module__ or "").endswith("nn.functional")
        found = self._extract_python_return_type(target) if of_layers else None
        return self._typed(super().call_function(target, args, kwargs), found)

    def call_module(self, target, args, kwargs):
        """A call of a layer has the type that its forward is annotated with."""
        found = self._extract_python_return_type(self.fetch_attr(target).forward) if self.annotate_modules else None
        return self._typed(super().call_module(target, args, kwargs), found)

    def get_attr(self, target, args, kwargs):
        """A member has its own class."""
        value = self.fetch_attr(target)
        found = type(value) if self.annotate_get_attrs and hasattr(value, "dtype") else None
        found = next((c for c in getattr(found, "__mro__", ()) if c.__name__ == "Tensor"), found)
        return self._typed(super().get_attr(target, args, kwargs), found)

    def _extract_python_return_type(self, target):
        try:
            found = inspect.signature(target).return_annotation
        except (ValueError, TypeError):
            return None
        return None if found is inspect.Signature.empty else found
