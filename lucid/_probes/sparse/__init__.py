"""torch.sparse: sparse tensors, which lucid does not have."""


def _unsupported(name):
    def f(*args, **kwargs):
        raise NotImplementedError(f"torch.sparse.{name}: lucid has strided tensors only")

    f.__name__, f.__doc__ = name, f"{name}(...): NotImplementedError, lucid has strided tensors only."
    return f


mm, addmm, sum, softmax, log_softmax, spdiags, to_sparse_semi_structured = (
    _unsupported(n) for n in ("mm", "addmm", "sum", "softmax", "log_softmax", "spdiags", "to_sparse_semi_structured")
)
