"""What the tests of sparse tensors share: tensors to begin with, what is seen of a sparse tensor, and the comparison."""

import warnings

import numpy as np
import torch
from both import as_torch

import lucid

LAYOUTS = ("sparse_coo", "sparse_csr", "sparse_csc")


def layout_of(t):
    return str(t.layout).removeprefix("torch.")


def dense(t):
    t = t.detach()
    t = t.to_dense() if layout_of(t) != "strided" else t
    return t.resolve_conj().resolve_neg().float().numpy() if "bfloat16" in str(t.dtype) else t.resolve_conj().numpy()


def parts(t):
    """A sparse tensor's indices and values as arrays, in their order (compressed ones: sorted within each line)."""
    if layout_of(t) == "sparse_coo":
        return t._indices().numpy(), dense(t._values())
    rows = layout_of(t) == "sparse_csr"
    first = (t.crow_indices() if rows else t.ccol_indices()).numpy()
    second = (t.col_indices() if rows else t.row_indices()).numpy()
    values = dense(t.detach().values())
    if first.ndim == 1:
        order = np.lexsort((second, np.repeat(np.arange(len(first) - 1), np.diff(first))))
        second, values = second[order], values[order]
    return first, second, values


def facts(t, flag=True):
    """What there is to see of a tensor besides numbers. flag: whether COO is coalesced, too."""
    found = [layout_of(t), str(t.dtype).rpartition(".")[2], tuple(t.shape), t.requires_grad]
    if layout_of(t) == "sparse_coo":
        found += [t.sparse_dim(), t.dense_dim(), t._nnz()]
        if flag:
            found += [t.is_coalesced()]
    return found


def close(got, wanted, dtype, what):
    rtol = 1e-5 if "32" in dtype or "complex64" in dtype else 2e-2 if "16" in dtype else 1e-9
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * 1e-2, equal_nan=True, err_msg=what)


def agree(got, wanted, what="", flag=True, order=True):
    """Assert that lucid's value is torch's. order: must the places come in the same order?"""
    if isinstance(wanted, torch.Tensor):
        assert isinstance(got, lucid.Tensor), f"{what}: {type(got)} where torch gives a tensor"
        assert (
            facts(got, flag and order)[: None if order else 4] == facts(wanted, flag and order)[: None if order else 4]
        ), what
        kind = str(wanted.dtype)
        if layout_of(wanted) == "strided" or not order:
            close(dense(got), dense(wanted), kind, what)
            return
        for a, b in zip(parts(got), parts(wanted), strict=True):
            assert a.shape == b.shape, f"{what}: {a.tolist()} {b.tolist()}"
            close(a, b, kind, what) if b.dtype.kind in "fc" else np.testing.assert_array_equal(a, b, what)
    elif isinstance(wanted, (list, tuple)) and not isinstance(wanted, torch.Size):
        assert len(got) == len(wanted), what
        for a, b in zip(got, wanted):
            agree(a, b, what, flag, order)
    elif isinstance(wanted, (torch.layout, torch.dtype)):
        assert str(got) == str(wanted) or as_torch(str(got)) == str(wanted), what
    elif isinstance(wanted, str):
        assert as_torch(got) == wanted, what
    else:
        assert got == wanted, what


def outcome(f):
    """What f() gives, or the exception it raises; torch's warnings of what is in beta are not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f()
        except Exception as error:
            return error


def kind_of(error):
    """NotImplementedError and RuntimeError apart, as programs catch them."""
    for kind in (NotImplementedError, RuntimeError, TypeError, ValueError, IndexError, AttributeError):
        if isinstance(error, kind):
            return kind.__name__
    return type(error).__name__


def carried(value):
    """A torch sample's value for lucid, sparse tensors among them."""
    if isinstance(value, torch.Tensor):
        need = value.requires_grad
        t = value.detach()
        if layout_of(t) == "strided":
            made = lucid.from_numpy(t.resolve_conj().contiguous().numpy().copy())
        elif layout_of(t) == "sparse_coo":
            made = lucid.sparse_coo_tensor(
                carried(t._indices()), carried(t._values()), tuple(t.shape), is_coalesced=t.is_coalesced()
            )
        else:
            names = ("crow_indices", "col_indices") if layout_of(t) == "sparse_csr" else ("ccol_indices", "row_indices")
            first, second = (carried(getattr(t, n)()) for n in names)
            made = lucid.sparse_compressed_tensor(
                first, second, carried(t.values()), tuple(t.shape), layout=getattr(lucid, layout_of(t))
            )
        return made.requires_grad_() if need else made
    if isinstance(value, (torch.dtype, torch.layout)):
        return getattr(lucid, str(value).rpartition(".")[2])
    if isinstance(value, (list, tuple)):
        return type(value)([carried(v) for v in value])
    if isinstance(value, dict):
        return {k: carried(v) for k, v in value.items()}
    return value


class Start:
    """Small tensors of every kind, as attributes: new ones each time they are asked for."""

    def __init__(self, m):
        self.m = m

    def _coo(self, values, **more):
        m = self.m
        return m.sparse_coo_tensor(m.tensor([[0, 1, 1, 0], [2, 0, 2, 2]]), m.tensor(values), (2, 3), **more)

    S = property(lambda self: self._coo([1.0, 2.0, 3.0, 4.0]))
    C = property(lambda self: self.S.coalesce())
    N = property(lambda self: self._coo([-1.5, 2.0, -3.0, 0.0]))
    I = property(lambda self: self._coo([1, 2, 3, 4]))
    B = property(lambda self: self._coo([True, False, True, True]))
    Z = property(lambda self: self._coo([1 + 2j, 2 - 1j, 3j, 4.0]))
    O = property(lambda self: self.m.sparse_coo_tensor([[0, 1, 1], [0, 1, 2]], [5.0, 6.0, 7.0], (2, 3)).coalesce())
    E = property(lambda self: self.m.sparse_coo_tensor((2, 3)))
    R = property(lambda self: self.C.to_sparse_csr())
    Q = property(lambda self: self.O.to_sparse_csr())
    K = property(lambda self: self.C.to_sparse_csc())
    D = property(lambda self: self.m.arange(6.0).reshape(2, 3) - 1)
    W = property(lambda self: self.m.arange(12.0).reshape(3, 4) / 4)
    V = property(lambda self: self.m.tensor([1.0, -2.0, 0.5]))
    H = property(lambda self: self.m.sparse_coo_tensor([[1, 0, 1]], self.m.arange(12.0).reshape(3, 2, 2), (3, 2, 2)))
    T = property(lambda self: self.m.sparse_coo_tensor([[0, 1, 1], [1, 0, 0], [2, 1, 0]], [1.0, 2.0, 3.0], (2, 2, 3)))


NAMES = "S C N I B Z O E R Q K D W V H T".split()


def scope(m):
    """The names that a case may use."""
    start = Start(m)
    return {"m": m, "F": m.nn.functional, "s": start, **{n: getattr(start, n) for n in NAMES}}


def leaves(m, names):
    """The same with some tensors as leaves that require a gradient."""
    found = scope(m)
    for n in names:
        found[n] = found[n].requires_grad_()
    return found
