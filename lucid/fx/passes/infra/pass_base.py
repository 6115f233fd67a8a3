"""A pass over a GraphModule as a class, and what it returns."""

import abc
from typing import Any, NamedTuple

__all__ = ["PassResult", "PassBase"]


class PassResult(NamedTuple):
    """The module, and whether it was changed."""

    graph_module: Any
    modified: bool


class PassBase(abc.ABC):
    """A pass: subclasses say what call(graph_module) does; a call checks requires before and ensures after it."""

    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """call(graph_module) -> PassResult"""

    def requires(self, graph_module):  # noqa: B027
        """What must hold before: raise an error if it does not."""

    def ensures(self, graph_module):  # noqa: B027
        """What must hold afterwards."""
