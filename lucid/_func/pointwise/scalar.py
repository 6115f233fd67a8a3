"""Arithmetic with a number as torch's C++ does it: the graph shows AddBackward1 and the like, one edge each."""

from ..._backend.core import unary_func_op
from ..._backend.families import Pointwise
from ..._backend.rules import wide_over, wide_times


class WithNumber(Pointwise):
    """One tensor and one number."""

    namespace, method, inplace, has_out = None, False, False, False
    scalar_options, scalar_operands, wide_numbers = ("number",), "none", True


class plus_number(WithNumber):
    """input + number"""

    node_name = "AddBackward1"

    @unary_func_op()
    def forward(xp, input, number):
        return xp.add(input, xp.wide_scalar(number))

    def grad_input(xp, g):
        return g


class minus_number(WithNumber):
    """input - number"""

    node_name = "SubBackward1"

    @unary_func_op()
    def forward(xp, input, number):
        return xp.sub(input, xp.wide_scalar(number))

    def grad_input(xp, g):
        return g


class times_number(WithNumber):
    """input * number"""

    node_name = "MulBackward1"

    @unary_func_op()
    def forward(xp, input, number):
        return wide_times(xp, input, number)

    def grad_input(xp, g, number):
        return wide_times(xp, g, number)


class over_number(WithNumber):
    """input / number"""

    node_name, promote = "DivBackward1", "int_to_float"

    @unary_func_op()
    def forward(xp, input, number):
        return xp.div(input, xp.wide_scalar(number))

    def grad_input(xp, g, number):
        return wide_over(xp, g, number)


plus, minus, times, over = plus_number.fn, minus_number.fn, times_number.fn, over_number.fn
