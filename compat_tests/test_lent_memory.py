"""Memory that others share: DLPack's capsules, files mapped into memory, and storages that have none (meta)."""

import os
import pickle
import sys
import warnings

import numpy as np
import pytest
from both import BOTH, as_torch, attempt, same, same_outcome

import lucid

TYPES = """float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64
    float8_e4m3fn float8_e5m2""".split()
SHAPED = {
    "plain": lambda x: x,
    "strided": lambda x: x.t()[::2],
    "a row": lambda x: x[1],
    "0-d": lambda x: x[1, 2],
    "empty": lambda x: x[:0],
}


@pytest.mark.parametrize("kind", TYPES)
def test_capsules(kind):
    """A tensor lent by a capsule and borrowed back is the same memory, in its own type."""

    def program(m):
        for take in SHAPED.values():
            for lend in (lambda x: x, lambda x: x.__dlpack__(), lambda x: x.__dlpack__(max_version=(1, 0))):
                x = take(m.arange(24.0).view(4, 6).to(getattr(m, kind)))
                y = m.from_dlpack(lend(x))
                y.fill_(1)
                yield y.dtype, y.shape, y.stride(), y.data_ptr() == x.data_ptr(), bool((x.float() == 1).all())

    same(program, quiet=True)


@pytest.mark.parametrize("kind", [t for t in TYPES if "float8" not in t])
def test_capsules_between_libraries(kind):
    for one, other in (BOTH, BOTH[::-1]):
        x = one.arange(6).to(getattr(one, kind))
        for lent in (x, x.__dlpack__()):
            y = other.from_dlpack(lent)
            assert as_torch(str(y.dtype)) == as_torch(str(x.dtype)) and y.data_ptr() == x.data_ptr()
            assert y.float().tolist() == x.float().tolist()
        x.fill_(0)
        assert not bool(y.float().any())


CAPSULES = {
    "of numpy": lambda m: m.from_dlpack(np.ones(3)),
    "numpy's capsule": lambda m: m.from_dlpack(np.ones(3).__dlpack__()),
    "copied": lambda m: (lambda a: m.from_dlpack(a, copy=True).data_ptr() == a.ctypes.data)(np.ones(3)),
    "not copied": lambda m: (lambda a: m.from_dlpack(a, copy=False).data_ptr() == a.ctypes.data)(np.ones(3)),
    "twice": lambda m: (lambda c: (m.from_dlpack(c), m.from_dlpack(c)))(m.ones(2).__dlpack__()),
    "a number": lambda m: m.from_dlpack(3),
    "text": lambda m: m.from_dlpack("text"),
    "wants a gradient": lambda m: m.ones(2, requires_grad=True).__dlpack__(),
    "conjugate": lambda m: m.ones(2, dtype=m.complex64).conj().__dlpack__(),
    "meta": lambda m: m.ones(2, device="meta").__dlpack__(),
    "a stream": lambda m: m.ones(2).__dlpack__(stream=1),
    "utils": lambda m: m.utils.dlpack.from_dlpack(m.utils.dlpack.to_dlpack(m.ones(2).bfloat16())),
}


@pytest.mark.parametrize("name", CAPSULES)
def test_capsules_of_others(name):
    same_outcome(CAPSULES[name])


def test_mapped_files(tmp_path):
    def program(m):
        path = str(tmp_path / m.__name__)
        for f in (
            lambda: m.from_file(path, True, 10, dtype=m.float32).sum(),
            lambda: m.from_file(path, False, 10).dtype,
            lambda: m.from_file(path, True, 20).shape,
            lambda: m.from_file(path, True, 10).fill_(3).sum(),
            lambda: m.from_file(path, False, 10).fill_(4).sum(),
            lambda: m.from_file(path, size=3),
            lambda: m.from_file(path, True, 3, dtype=m.int16),
            lambda: m.from_file(path, True, 3, dtype=m.float64, requires_grad=True).requires_grad,
            lambda: m.UntypedStorage.from_file(path, False, 8).nbytes(),
            lambda: m.UntypedStorage.from_file(path, shared=False, nbytes=8).tolist(),
            lambda: m.UntypedStorage.from_file(path, True, 1000).nbytes(),
            lambda: m.FloatStorage.from_file(filename=path, shared=False, size=3).tolist(),
            lambda: m.from_file(path, False, 1000),
            lambda: m.UntypedStorage.from_file(path, False, 10**6),
            lambda: m.UntypedStorage.from_file(path + "x", False, 10),
            lambda: m.from_file(os.path.join(path, "x"), True, 10),
        ):
            found = attempt(f)
            if isinstance(found, Exception):
                found = type(found).__name__, str(found).replace(path, "")
            yield found, os.path.getsize(path)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(program)


def test_sizes_of_storages():
    for n in (0, 1, 10, 1000):
        sizes = [(sys.getsizeof(m.ones(n).untyped_storage()), sys.getsizeof(m.ones(n)._typed_storage())) for m in BOTH]
        assert sizes[0] == sizes[1]


META = {
    "read": lambda m, t, u: t[0],
    "read a part": lambda m, t, u: t[0:2],
    "list": lambda m, t, u: list(t),
    "tolist": lambda m, t, u: t.tolist(),
    "write": lambda m, t, u: t.__setitem__(0, 1),
    "write a part": lambda m, t, u: t.__setitem__(slice(0, 2), 1),
    "copy to it": lambda m, t, u: t.copy_(m.empty(4)._typed_storage()).device,
    "copy of it": lambda m, t, u: m.empty(4)._typed_storage().copy_(t),
    "fill": lambda m, t, u: t.fill_(1).device,
    "clone": lambda m, t, u: t.clone().device,
    "cpu": lambda m, t, u: t.cpu(),
    "double": lambda m, t, u: (t.double().dtype, t.double().device),
    "bytes": lambda m, t, u: u[0],
    "some bytes": lambda m, t, u: u[0:2],
    "all bytes": lambda m, t, u: u.tolist(),
    "write a byte": lambda m, t, u: u.__setitem__(0, 1),
    "fill bytes": lambda m, t, u: u.fill_(1).device,
    "copy bytes to it": lambda m, t, u: u.copy_(m.UntypedStorage(16)).device,
    "copy bytes of it": lambda m, t, u: m.UntypedStorage(16).copy_(u),
    "to": lambda m, t, u: u.to(device="cpu"),
    "resize": lambda m, t, u: u.resize_(3).nbytes(),
    "address": lambda m, t, u: u.data_ptr(),
    "share": lambda m, t, u: u.share_memory_(),
    "pickle": lambda m, t, u: pickle.dumps(t),
    "text": lambda m, t, u: repr(u),
}


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("name", META)
def test_storages_without_memory(name):
    def program(m):
        t = m.empty(4, device="meta")._typed_storage()
        return META[name](m, t, t.untyped())

    same_outcome(program, quiet=True)


def test_a_capsule_keeps_the_memory():
    capsule = lucid.arange(1000.0).__dlpack__()
    assert lucid.from_dlpack(capsule).sum().item() == 499500.0
