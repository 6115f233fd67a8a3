"""What instructions mean while a function is read: tensors are fake, calls of torch's go into a graph, what is read
from outside is guarded, and what would be changed outside is noted, to be done when the graph has run.

Values are Python's own, so everything that Python itself computes with is computed for real. The parts: outside.py
(variables and what they hold), attributes.py, operators.py, calls.py.
"""

from . import arrays, drawing, numbers, polyfills  # noqa: F401  they enter themselves
from .attributes import Attributes
from .calls import Calls
from .operators import Operators
from .outside import Outside


class Tracer(Outside, Attributes, Operators, Calls):
    """The meaning of a program that is read."""


__all__ = ["Tracer"]
