"""torch.utils.flop_counter: counting the floating-point operations of matrix products, convolutions and attention."""

import math
from collections import defaultdict

from .._aten.overloads import packet
from .._modes.torch_dispatch import TorchDispatchMode
from .._tensor.tensor import Tensor
from ..nn.modules import module as modules

__all__ = ["FlopCounterMode", "register_flop_formula"]

flop_registry: dict = {}  # an op's packet -> formula(*shapes of the arguments, out_shape=...) -> count


def _shape(x):
    if isinstance(x, (tuple, list)) and any(isinstance(v, Tensor) for v in x):
        return type(x)([_shape(v) for v in x])
    return tuple(x.shape) if isinstance(x, Tensor) else x


def register_flop_formula(targets, get_raw=False):
    """register_flop_formula(op or ops) -> decorator of formula(*args, out_shape=None, **kwargs) -> int.

    The formula gets shapes in place of tensors; with get_raw the tensors, and the result as out_val.
    """

    def register(formula):
        def counted(*args, out_val=None, **kwargs):
            if get_raw:
                return formula(*args, out_val=out_val, **kwargs)
            named = {k: _shape(v) for k, v in kwargs.items()}
            return formula(*map(_shape, args), out_shape=_shape(out_val), **named)

        for target in targets if isinstance(targets, (tuple, list)) else [targets]:
            target = getattr(target, "overloadpacket", target)
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = counted
        return formula

    return register


def _aten(name):
    return packet("aten", name)


@register_flop_formula(_aten("mm"))
def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs):
    """mm_flop((m, k), (k, n)) -> 2 m k n"""
    return 2 * a_shape[0] * a_shape[1] * b_shape[1]


@register_flop_formula(_aten("addmm"))
def addmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs):
    """addmm_flop(...) -> that of mm"""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(_aten("bmm"))
def bmm_flop(a_shape, b_shape, out_shape=None, **kwargs):
    """bmm_flop((b, m, k), (b, k, n)) -> 2 b m k n"""
    return 2 * a_shape[0] * a_shape[1] * a_shape[2] * b_shape[2]


@register_flop_formula(_aten("baddbmm"))
def baddbmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs):
    """baddbmm_flop(...) -> that of bmm"""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape, w_shape, out_shape, transposed=False):
    """conv_flop_count(x, w, out) -> 2 * (elements of one kernel's work) * (places where it is applied)"""
    places = math.prod((x_shape if transposed else out_shape)[2:])
    c_out, c_in, *filter_size = w_shape
    return 2 * places * math.prod(filter_size) * c_out * c_in * x_shape[0]


@register_flop_formula([_aten("convolution"), _aten("_convolution")])
def conv_flop(x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, *args, out_shape=None, **kwargs):
    """conv_flop(...) -> int"""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


@register_flop_formula(_aten("convolution_backward"))
def conv_backward_flop(
    grad_out_shape,
    x_shape,
    w_shape,
    _bias,
    _stride,
    _padding,
    _dilation,
    transposed,
    _output_padding,
    _groups,
    output_mask,
    out_shape=None,
):
    """conv_backward_flop(...) -> int: a convolution for each of the gradients that are wanted"""

    def turned(shape):
        return [shape[1], shape[0], *shape[2:]]

    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        if transposed:
            count += conv_flop_count(turned(grad_out_shape), turned(x_shape), turned(out_shape[1]), transposed=False)
        else:
            count += conv_flop_count(turned(x_shape), turned(grad_out_shape), turned(out_shape[1]), transposed=False)
    return count


@register_flop_formula(_aten("_scaled_dot_product_flash_attention_for_cpu"))
def sdpa_flop(query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs):
    """sdpa_flop(...) -> int: the two products of attention"""
    b, h, s_q, d_q = query_shape
    s_k, d_v = key_shape[2], value_shape[3]
    return bmm_flop((b * h, s_q, d_q), (b * h, d_q, s_k)) + bmm_flop((b * h, s_q, s_k), (b * h, s_k, d_v))


class FlopCounterMode(TorchDispatchMode):
    """with FlopCounterMode(display=False) as counter: ...; counter.get_total_flops(), counter.get_flop_counts().

    What backward does counts for "Global" alone.

    custom_mapping: {op: formula} beside those registered. depth, display: of the table that is printed at the end.
    """

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        super().__init__()
        self.depth, self.display = depth, display
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        own = {getattr(k, "overloadpacket", k): _raw_or_not(v) for k, v in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **own}
        self._paths, self._hooks = [], []

    def get_total_flops(self):
        """get_total_flops() -> int"""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """get_flop_counts() -> {module's path, "Global" for all: {op's packet: count}}"""
        return {k: dict(v) for k, v in self.flop_counts.items()}

    def get_table(self, depth=None):
        """get_table(depth=None) -> str: a line per module, with its share."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops() or 1
        lines = ["Module    FLOP    % Total"]
        for path in sorted(self.flop_counts):
            level = path.count(".") + (path != "Global")
            if level <= depth:
                count = sum(self.flop_counts[path].values())
                lines.append(f"{'  ' * level}{path}    {count}    {count / total:.2%}")
        return "\n".join(lines)

    def __enter__(self):
        self.flop_counts.clear()
        self._paths = [("Global", None)]
        self._hooks = [
            modules.register_module_forward_pre_hook(self._entered),
            modules.register_module_forward_hook(self._left, always_call=True),
        ]
        return super().__enter__()

    def __exit__(self, *exc):
        super().__exit__(*exc)
        for hook in self._hooks:
            hook.remove()
        if self.display:
            print(self.get_table())

    def _entered(self, module, args):
        path, parent = self._paths[-1]
        name = type(module).__name__
        if parent is not None:
            own = next((n for n, m in parent.named_modules() if m is module), "")
            name = f"{path}.{own}" if own else path
        self._paths.append((name, module))

    def _left(self, module, args, out):
        self._paths.pop()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        formula = self.flop_registry.get(func.overloadpacket)
        if formula is not None:
            count = formula(*args, **kwargs, out_val=out)
            for path in {path for path, _ in [("Global", None), *self._paths]}:
                self.flop_counts[path][func.overloadpacket] += count
        return out


def _raw_or_not(formula):
    """A formula of custom_mapping, which gets shapes unless it says `_get_raw`."""
    if getattr(formula, "_get_raw", False):
        return formula

    def counted(*args, out_val=None, **kwargs):
        named = {k: _shape(v) for k, v in kwargs.items()}
        return formula(*map(_shape, args), out_shape=_shape(out_val), **named)

    return counted
