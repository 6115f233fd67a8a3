"""The calls that most programs make of large arrays: their kernels are compiled together, once per machine.

    gather() -> [(text, spec)], as kernel_store.together takes them
    build() -> how many there are; compiles them

Every call is made once, on small arrays, so that its rules say their kernels; nothing is compiled for it, and results
are thrown away. What is not among them is compiled when it is first called.
"""

from .._backend.generate import native_from
from .._codegen import kernel_store, rule_kernels
from ..autograd.grad_mode import enable_grad, no_grad

_ONE = "exp log sqrt rsqrt tanh sigmoid sin cos abs neg square erf relu".split()
_ACTIVATIONS = "gelu silu leaky_relu elu softplus".split()
_TWO = "add sub mul div maximum minimum pow eq ne lt le gt ge".split()
_INPLACE = "add_ sub_ mul_ div_".split()
_REDUCED = "sum mean amax std var".split()


def gather():
    """The kernels of all these calls."""
    import lucid

    before, rule_kernels.gathered = native_from(1), []
    try:
        with enable_grad():
            _pointwise(lucid)
            _rows(lucid)
            _losses(lucid)
        return list({spec: (text, spec) for text, spec in rule_kernels.gathered}.values())
    finally:
        native_from(before)
        rule_kernels.gathered = None


def _both(lucid, call, *arrays):
    """A call, and its gradients."""
    arrays = [a.clone().requires_grad_() if a.is_floating_point() else a for a in arrays]
    out = call(*arrays)
    for y in out if isinstance(out, tuple) else (out,):
        if isinstance(y, lucid.Tensor) and y.requires_grad:
            y.backward(lucid.ones_like(y), retain_graph=True)


def _pointwise(lucid):
    F = lucid.nn.functional
    x, y = (lucid.rand(3, 5) + 0.1 for _ in range(2))
    row, column = lucid.rand(5) + 0.1, lucid.rand(3, 1) + 0.1
    images, channel = lucid.rand(2, 3, 5, 7), lucid.rand(1, 3, 1, 1)
    for name in _ONE:
        _both(lucid, getattr(lucid, name), x)
    for name in _TWO:
        f = getattr(lucid, name)
        _both(lucid, f, x, y)
        if name not in ("maximum", "minimum"):
            _both(lucid, lambda a, f=f: f(a, 1.5), x)
        if name in ("add", "sub", "mul", "div"):
            for other in (row, column):
                _both(lucid, f, x, other)
            _both(lucid, f, images, channel)
    for power in (2, 3, 0.5, -1):
        _both(lucid, lambda a, p=power: a**p, x)
    _both(lucid, lambda a: 1.5 - a, x), _both(lucid, lambda a: 1.5 / a, x)
    _both(lucid, lambda a: a.clamp(-1.0, 1.0), x), _both(lucid, lambda a: a.clamp(min=0.0), x)
    _both(lucid, lambda a, b: lucid.where(a > 0.5, a, b), x, y)
    _both(lucid, lambda a: a.masked_fill(a > 0.5, -1.5), x)
    _both(lucid, lambda a, b: lucid.lerp(a, b, 0.5), x, y), _both(lucid, lambda a, b: lucid.addcmul(a, b, b), x, y)
    with no_grad():
        for name in _INPLACE:
            for other in (y, row, 1.5):
                getattr(x.clone(), name)(other)
        for name in ("add_", "sub_"):
            getattr(x.clone(), name)(y, alpha=0.5)
        for call in (
            lambda a: a.clamp_(-1.0, 1.0), lambda a: a.relu_(), lambda a: a.sqrt_(), lambda a: a.lerp_(y, 0.5),
            lambda a: a.addcmul_(y, y, value=0.5), lambda a: a.addcdiv_(y, y, value=0.5),
        ):  # fmt: skip
            call(x.clone())
    for name in _ACTIVATIONS:
        _both(lucid, getattr(F, name), x)
    _both(lucid, lambda a: F.gelu(a, approximate="tanh"), x)
    lucid.tril(x), lucid.triu(x, 1)


def _rows(lucid):
    F = lucid.nn.functional
    for shape in ((3, 5), (2, 3, 5)):
        x = lucid.rand(*shape) + 0.1
        for name in _REDUCED:
            for dim in (-1, 0):
                _both(lucid, lambda a, d=dim, n=name: getattr(a, n)(d), x)
            if name in ("sum", "mean"):
                _both(lucid, lambda a, n=name: getattr(a, n)(-1, keepdim=True), x)
        for call in (F.softmax, F.log_softmax):
            _both(lucid, lambda a, f=call: f(a, -1), x)
            _both(lucid, lambda a, f=call: f(a, 1), x)
        w, b = lucid.rand(shape[-1]), lucid.rand(shape[-1])
        _both(lucid, lambda a, w, b: F.layer_norm(a, a.shape[-1:], w, b), x, w, b)
        _both(lucid, lambda a: F.layer_norm(a, a.shape[-1:]), x)
        _both(lucid, lambda a, w: F.rms_norm(a, a.shape[-1:], w), x, w)
    images = lucid.rand(2, 4, 5, 7)
    for x in (lucid.rand(3, 4), images):
        for training in (True, False):
            mean, var, w, b = lucid.zeros(4), lucid.ones(4), lucid.rand(4), lucid.rand(4)
            _both(lucid, lambda a, w, b, m=mean, v=var, t=training: F.batch_norm(a, m, v, w, b, t), x, w, b)
    _both(lucid, lambda a: F.softmax(a, -1), images)
    _both(lucid, lambda a: F.group_norm(a, 2), images), _both(lucid, lambda a: a.sum((2, 3)), images)
    _both(lucid, lambda a: a.mean((2, 3)), images), _both(lucid, lambda a: a.sum((0, 2, 3)), images)


def _losses(lucid):
    F = lucid.nn.functional
    x, y, t = lucid.rand(6, 5), lucid.rand(6, 5), lucid.arange(6) % 5
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.binary_cross_entropy_with_logits,
                 F.binary_cross_entropy, F.kl_div):  # fmt: skip
        for reduction in ("mean", "none"):
            _both(lucid, lambda a, f=loss, r=reduction: f(a, y, reduction=r), x)
    _both(lucid, lambda a: F.cross_entropy(a, t), x)


def build():
    """Compile them all; their number."""
    kernels = gather()
    kernel_store.together(kernels)
    return len(kernels)


if __name__ == "__main__":
    build()
