"""Views in memory of their own: view_copy, expand_copy, select_copy and torch's other *_copy functions."""

from ..._backend.core import func_op
from ..._backend.families import Own
from ..._backend.publish import default_node_name
from ..._backend.registry import public
from ..._backend.written import run_text
from ..pointwise import complex
from . import expand, slicing, split, transpose, view

_BODY = """def forward(xp, {params}):
    return {result}
"""


def _copying(op, name, namespace=("torch",)):
    """The op that gives copies of what the view op gives: its record has the view's name and rules."""
    options = [f"{o}=DEFAULTS[{o!r}]" if o in op.defaults else o for o in op.options]
    call = f"OP.forward(xp, {', '.join([*op.inputs, *op.options])})"
    result = f"xp.with_strides({call}, None)" if op.n_ret == 1 else f"tuple([xp.with_strides(p, None) for p in {call}])"
    scope = {"OP": op, "DEFAULTS": op.defaults}
    run_text(f"{name}.forward", _BODY.format(params=", ".join([*op.inputs, *options]), result=result), scope)
    members = {
        "forward": func_op(op.n_in, op.n_ret)(scope["forward"]),
        "name": name,
        "method": False,
        "namespace": namespace,
        "promote": "keep",
        "result": op.result,
        "linear": True,
        "has_out": True,
        "out_resized": True,
        "node_name": (op.node_name or default_node_name(op.name)) + "_copy",
        "__module__": __name__,
        "__doc__": f"{name}(...) -> what {name.removesuffix('_copy')} gives, in memory of its own.",
    }
    for rule in ("grad_input", "backward", "prepare"):
        if op.__dict__.get(rule) is not None:
            members[rule] = op.__dict__[rule]
    return type(name, (Own,), members)


permute_copy = _copying(transpose.permute, "permute_copy")
transpose_copy = _copying(transpose.transpose, "transpose_copy")
t_copy = _copying(transpose.t, "t_copy")
expand_copy = _copying(expand.expand, "expand_copy")
unsqueeze_copy = _copying(expand.unsqueeze, "unsqueeze_copy")
select_copy = _copying(slicing.select, "select_copy")
slice_copy = _copying(slicing.slice_of, "slice_copy")
diagonal_copy = _copying(slicing.diagonal, "diagonal_copy")
unfold_copy = _copying(slicing.unfold, "unfold_copy")
view_copy = _copying(view.view_as_shape, "view_copy")
unbind_copy = _copying(split.unbind, "unbind_copy")
split_with_sizes_copy = _copying(split.split_with_sizes, "split_with_sizes_copy")
alias_copy = _copying(view.alias, "alias_copy")
view_as_real_copy = _copying(complex.real_view, "view_as_real_copy")
view_as_complex_copy = _copying(complex.view_as_complex, "view_as_complex_copy")
split_copy = _copying(split.split_every, "split_copy")
_squeezes = [
    _copying(op, f"squeeze_copy_{i}", None).fn
    for i, op in enumerate((expand.squeeze_all, expand.squeeze_dim, expand.squeeze_dims))
]
_window = _copying(slicing.window, "window_copy", None).fn


@public()
def squeeze_copy(input, dim=None, *, out=None):
    """squeeze_copy(input, dim=None) -> what squeeze gives, in memory of its own."""
    if dim is None:
        return _squeezes[0](input, out=out)
    return _squeezes[2 if isinstance(dim, (tuple, list)) else 1](input, dim, out=out)


@public()
def as_strided_copy(input, size, stride, storage_offset=None, *, out=None):
    """as_strided_copy(input, size, stride, storage_offset=None) -> what as_strided gives, in memory of its own."""
    return _window(input, *slicing.window_options(input, size, stride, storage_offset), out=out)
