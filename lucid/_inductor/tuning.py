"""max-autotune: kernels are timed in several forms (`c_nest.forms`), and each is kept in its quickest.

What was found is kept on this machine, by the kernel's text, compiler and processor, and not by the number of threads:
a reduction's last digits depend on its form, and must not on how many threads there are.
"""

import json
import time

from .._array.lookup import table
from .._base.dtype import FLOATING, int64
from .._codegen import build, store
from .._codegen.c_nest import Form, forms
from .._codegen.targets import target

LEAST = 4096  # elements below which no form is worth looking for
GAIN = 0.95  # of the usual form's time that another may take at most
ROUNDS, SAMPLE = 5, 0.002  # how often each is timed, for how many seconds


def best_forms(wrapper):
    """{kernel name: Form} of the kernels of a wrapper that have a quicker form than the usual."""
    chosen, missing = {}, []
    for part in wrapper.parts:
        if work_of(part) < LEAST:
            continue
        found = _known(part)
        if found is None:
            missing.append(part)
        elif found != Form():
            chosen[part.text.name] = found
    for part, form in _timed(missing):
        store.put(_key(part), json.dumps(form).encode())
        if form != Form():
            chosen[part.text.name] = form
    return chosen


def work_of(part):
    """How many elements a kernel's longest loops have."""
    return max([_count(w.shape) for w in part.nest.work])


def _count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def _key(part):
    return f"form 1 {build.key_of(part.text.text)}"


def _known(part):
    """The form found earlier, or None."""
    content = store.get(_key(part))
    try:
        return content and Form(*json.loads(content))
    except (ValueError, TypeError):
        return None


def variants(part):
    """[(form, Part)] of a kernel, those only whose texts differ; the usual one first."""
    found = {}
    for n, form in enumerate(forms(part.nest)):
        usual = part.text.name
        name = usual if not n else f"{usual}_{n}"
        text = target("c").source(part.nest, name, part.kept, part.places, form)
        found.setdefault(text.text.replace(name, usual), (form, part._replace(text=text)))
    return list(found.values())


def _timed(parts):
    """[(part, its quickest form)], all compiled at once."""
    each = [(part, variants(part)) for part in parts]
    every = [p for _, found in each for _, p in found]
    if not every:
        return []
    try:
        loaded = iter(target("c").load([p.text for p in every]))
    except build.CompileError:
        return []  # the graph's own text will say so
    return [(part, _quickest([(f, next(loaded), p) for f, p in found])) for part, found in each]


def _quickest(found):
    """The Form whose kernel takes the least time; the first one unless another gains."""
    calls = []
    for form, kernel, part in found:
        given = [_filled(a) for a in part.text.arrays] + [table(int64, "cpu").zeros((1,))] * part.text.checks
        calls.append((form, _Timer(kernel, (*given, work_of(part)))))
    for _ in range(ROUNDS):
        for _, timer in calls:
            timer.sample()
    usual, best = calls[0], min(calls, key=lambda c: c[1].best)
    return best[0] if best[1].best < GAIN * usual[1].best else usual[0]


class _Timer:
    """The least seconds of a call."""

    def __init__(self, kernel, args):
        self.kernel, self.args, self.best = kernel, args, float("inf")
        kernel(*args)
        start = time.perf_counter()
        kernel(*args)
        self.count = max(1, int(SAMPLE / max(time.perf_counter() - start, 1e-7)))

    def sample(self):
        """Time it once more."""
        start = time.perf_counter()
        for _ in range(self.count):
            self.kernel(*self.args)
        self.best = min(self.best, (time.perf_counter() - start) / self.count)


def _filled(array):
    """Memory like an array's, of ones (whole numbers, which may be indices: zeros)."""
    k = table(array.dtype, "cpu")
    memory = k.empty_strided(array.shape, array.strides)
    memory[...] = 1 if array.dtype.category == FLOATING and array.dtype.itemsize > 2 else 0
    return memory
