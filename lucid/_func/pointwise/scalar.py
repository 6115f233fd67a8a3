"""Arithmetic with a number as torch's C++ does it: the graph shows AddBackward1 and the like, one edge each."""

from ..._backend.core import unary_func_op
from ..._backend.families import Pointwise


class WithNumber(Pointwise):
    """One tensor and one number."""

    namespace, method, inplace, has_out = None, False, False, False
    scalar_options, scalar_operands = ("number",), "none"


class plus_number(WithNumber):
    """input + number"""

    node_name = "AddBackward1"

    @unary_func_op()
    def forward(xp, input, number):
        return input + xp.scalar(number)

    def grad_input(xp, g):
        return g


class minus_number(WithNumber):
    """input - number"""

    node_name = "SubBackward1"

    @unary_func_op()
    def forward(xp, input, number):
        return input - xp.scalar(number)

    def grad_input(xp, g):
        return g


class times_number(WithNumber):
    """input * number"""

    node_name = "MulBackward1"

    @unary_func_op()
    def forward(xp, input, number):
        return input * xp.scalar(number)

    def grad_input(xp, g, number):
        return g * xp.scalar(number)


class over_number(WithNumber):
    """input / number"""

    node_name, promote = "DivBackward1", "int_to_float"

    @unary_func_op()
    def forward(xp, input, number):
        return input / xp.scalar(number)

    def grad_input(xp, g, number):
        return g / xp.scalar(number)


plus, minus, times, over = plus_number.fn, minus_number.fn, times_number.fn, over_number.fn
