"""Random histories of views, in-place writes and ops with gradients: each is a short program, the same for torch and lucid.

A history is a list of lines of Python. `invent(seed)` draws one, running it on torch as it goes, since what may come next
depends on shapes and types; history_play.py runs it on both libraries and compares.
"""

import random
import re

import history_forms as more
import torch
from history_play import is_dense, is_quirk, is_wanting_leaf, library, overlaps

SHAPES = [(), (1,), (4,), (6,), (2, 3), (3, 3), (1, 4), (4, 1), (2, 3, 2), (2, 1, 3), (0, 2), (2, 2, 2, 2)]
DTYPES = ["float64"] * 8 + ["float32"] * 3 + ["float16", "bfloat16", "int64", "int32", "bool", "complex128"]
# torch writes their out= before it has read all
REDUCES = ("sum", "amax", "prod", "mean", "cumsum", "softmax", "m", "gt", "cat", "stack")


class Inventor:
    """Draws the lines of one history; `self.scope` holds torch's tensors by name."""

    def __init__(self, seed):
        self.rng, self.scope, self.lines = random.Random(seed), library(torch), []
        self.count = 0

    def one_of(self, *choices):
        return self.rng.choice(choices)

    def below(self, n):
        return self.rng.randrange(n)

    def tensors(self):
        return [n for n, v in self.scope.items() if isinstance(v, torch.Tensor)]

    def pick(self, wanted=None):
        """The name of a tensor made so far, newer ones more often; of those that are `wanted` if there are any."""
        names = [n for n in self.tensors() if wanted is None or wanted(self.scope[n])] or self.tensors()
        return names[max(self.below(len(names)), self.below(len(names)))]

    def say(self, line):
        torch.manual_seed(0)
        self.refused = False
        try:
            exec(line, self.scope)
        except Exception:
            self.refused = True
        self.lines.append(line)
        if any(is_quirk(self.scope[n]) for n in self.tensors()):
            self.lines.pop()
            self.replay()

    def replay(self):
        """Torch's tensors made again by the lines so far."""
        self.scope = library(torch)
        for line in self.lines:
            try:
                torch.manual_seed(0)
                exec(line, self.scope)
            except Exception:
                pass

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def dim(self, t):
        return self.below(max(t.dim(), 1)) - self.one_of(0, 0, max(t.dim(), 1))

    def partner(self, t, number=True):
        """An operand beside t: a number, a 0-dim tensor, another tensor, itself, or a part of it."""
        kind = self.rng.randrange(0 if number else 1, 8)
        x = self.scope[t]
        if kind == 0:
            return str(self.one_of(2, 1.5, 0.5))
        if kind == 1:
            return t
        if kind == 2:
            return f"{t}[...]"
        if kind == 3 and x.dim():
            return f"{t}[{self.below(max(x.shape[0], 1))}]"
        if kind == 4:
            return self.pick(lambda o: o.dim() == 0)
        return self.pick(lambda o: o.shape == x.shape and (o.is_floating_point() or self.below(3) == 0))

    def index_of(self, size):
        """Places along a dimension, none twice."""
        places = self.rng.sample(range(size), self.rng.randint(1, size)) if size else []
        return f"index({', '.join(map(str, places))})" if places else "index()"

    # what a line may be

    def leaf(self):
        dtype = self.one_of(*DTYPES)
        mixed = {str(self.scope[n].dtype)[6:] for n in self.tensors()} | {dtype}
        if "float16" in mixed and "complex128" in mixed:  # torch makes complex32 of them, which numpy lacks
            return
        wants = dtype[:3] not in ("int", "boo") and self.below(3) > 0
        shape = self.one_of(*SHAPES)
        if dtype == "complex128" and 0 in shape:  # torch's gradient of view_as_real of nothing fails over strides
            shape = (2, 3)
        self.say(f"{self.name()} = made({shape}, {dtype!r}, {wants})")

    def view(self):
        t = self.pick()
        x = self.scope[t]
        d, e, n = self.dim(x), self.dim(x), x.dim()
        size = x.shape[d] if n else 1
        a = self.below(size + 1)
        b = self.rng.randint(a, size)
        forms = [f"[{self.one_of('...', 'None', '(..., None)')}]", ".view_as({0})", f".unsqueeze({d})", ".detach()"]
        forms += [".reshape(-1)", ".view(-1)", ".alias()" if hasattr(x, "alias") else "[...]", ".expand_as({0})"]
        if n:
            forms += [f".select({d}, {self.below(max(size, 1))})", f"[{a}:{b}]", f"[::{self.one_of(1, 2)}]"] * 2
            forms += [f".transpose({d}, {e})", f".narrow({d}, {a}, {b - a})", f".squeeze({d})", ".squeeze()"]
            forms += [f".unfold({d}, {max(min(2, size), 1)}, 2)", f".movedim({d}, {e})"]
            forms += [f"[..., {a}:{b}]", f"[{self.below(max(x.shape[0], 1))}]", ".mT", ".flatten()"]
            forms += [f".as_strided(({max(size, 1)},), ({self.one_of(0, 1, x.stride(d))},), {x.storage_offset()})"]
            forms += [f".permute({', '.join(map(str, self.rng.sample(range(n), n)))})"]
            forms += [f".unbind({d})[{self.below(max(size, 1))}]", f".split(1, {d})[0]", f".chunk(2, {d})[-1]"]
            forms += [f".tensor_split(2, {d})[1]"]
        if n > 1:
            forms += [f".diagonal({self.one_of(0, 1, -1)}, {d}, {e})", ".T" if n == 2 else ".mT"]
        if n and x.shape[0] == 1 or not n:
            forms += [f".expand({self.one_of(2, 3)}, *{tuple(x.shape[1:])})"] * 3
        if x.is_complex():
            forms += [".real", ".imag", "@view_as_real"]
        if n and x.shape[-1] == 2 and x.dtype in (torch.float32, torch.float64):
            forms += ["@view_as_complex"]
        if n and x.dtype in (torch.float32, torch.float64):
            forms += [f".view(T.{self.one_of('int32', 'int64', 'float64', 'float32')})"]
        form = self.one_of(*forms).format(t)
        self.say(f"{self.name()} = " + (f"T.{form[1:]}({t})" if form[0] == "@" else t + form))

    def siblings(self):
        t = self.pick(lambda x: x.dim() and x.shape[0] > 1)
        form = self.one_of("unbind({0})", "chunk(2, {0})", "tensor_split(2, {0})", "split(1, {0})")
        a, b = self.name(), self.name()
        self.say(f"{a}, *_, {b} = {t}.{form.format(0)}")

    def more_of(self, t, any_dims, with_dims, matrices=()):
        """A line of history_forms.py about t."""
        x = self.scope[t]
        forms = [*any_dims, *(with_dims if x.dim() else ()), *(matrices if x.dim() == 2 else ())]
        d, other, value = self.dim(x), self.partner(t, number=False), self.partner(t)
        n = x.shape[d] if x.dim() else 1
        form = self.one_of(*forms)
        while ("median" in form or "kthvalue" in form) and not is_dense(x):  # of which torch reads what is no element
            form = self.one_of(*forms)
        return form.format(t, other, value, d=d, n=n, k=self.below(max(n, 1)), i=self.index_of(n)), other

    def op(self):
        if self.below(2):
            t = self.pick()
            line, other = self.more_of(t, more.OPS, more.OPS_OF_DIMENSIONS, more.OPS_OF_MATRICES)
            return self.say(f"{self.name()} = {line}")
        t = self.pick()
        x, other = self.scope[t], self.partner(t, number=False)
        d = self.dim(x)
        forms = ["{0}.sin()", "{0}.tanh()", "{0}.sigmoid()", "{0}.relu()", "{0}.abs().sqrt()", "{0} * {1}", "{0} + {1}"]
        forms += ["{0} * {1}", "{0} - {1}", "{0} / {1}", "{0} ** 2", "{0} ** {1}", "{0} * {0}", "{0}.clone()"]
        forms += ["{0}.sum()", f"{{0}}.sum({d})", f"{{0}}.mean({d})", f"{{0}}.amax({d})", f"{{0}}.cumsum({d})"]
        forms += [
            f"{{0}}.double().softmax({d})",
            "T.where({0} > 0.9, {0}, {1})",
            f"T.cat([{{0}}, {{0}}], {d})",
            "{0}.exp()",
        ]
        forms += ["{0}.to(T.float32)", "{0}.to(T.float64)", "{0}.bfloat16()", "{0}.contiguous()", "{0}.cos()"]
        forms += [f"T.stack([{{0}}, {{0}}], {d})", "{0}.masked_fill({0} > 1, 0.5)", "T.addcmul({0}, {0}, {1})"]
        forms += ["T.lerp({0}, {1}, 0.25)", "{0}.clamp(0.6, 1.2)", "T.maximum({0}, {1})", f"{{0}}.prod({d})"]
        forms += ["T.atan2({0}, {1})", "{0}.max()", f"{{0}}.logsumexp({d})", "{0}.norm()", "{0} > {1}", "{0}.sign()"]
        if x.dim():
            picked = self.index_of(x.shape[d])
            forms += [f"{{0}}.index_select({d}, {picked})", f"{{0}}[{self.index_of(x.shape[0])}]"]
            forms += ["{0}[{0} > 1]", f"{{0}}.sort({d})[0]", f"{{0}}.roll(1, {d})", f"{{0}}.flip({d})"]
            forms += [f"{{0}}.gather({d}, {self.pick(lambda o: o.dtype == torch.int64)})"]
        if x.dim() == 2:
            forms += ["{0} @ {0}.T", "{0}.mm({1})", "F.linear({0}, {0})", "{0}.tril()"]
        form = self.one_of(*forms)
        if "atan2" in form and torch.bool in (x.dtype, self.scope[other].dtype if other in self.scope else None):
            return  # torch's rule for gradients negates a bool, which torch refuses
        if form == "{0} ** {1}" and not bool((x != 0).all()):  # torch's second derivative at 0 is nan
            return
        if "**" in form and (self.is_bool(other) or x.is_complex()):
            return
        self.say(f"{self.name()} = " + form.format(t, other))

    def write(self):
        t = self.pick(lambda x: self.below(4) == 0 or x.is_floating_point() and not is_wanting_leaf(x))
        if self.scope[t].is_inference():  # torch refuses, but has written by then
            return
        line = self.one_of(*self.writes(t), *self.writes_by_index(t))
        if self.below(2):
            line, _ = self.more_of(t, more.WRITES, more.WRITES_OF_DIMENSIONS)
        # torch's rule for gradients subtracts from a bool exponent, which torch refuses; its complex powers differ
        # between its loops where zeros or negative numbers are
        if "pow_" in line and (self.scope[t].is_complex() or any(map(self.is_bool, re.findall(r"t\d+", line)))):
            return
        if "fmod_(" in line and not self.scope[t].is_floating_point():  # torch has divided some when it finds a zero
            return
        if not self.smears(t, line):
            self.say(line)

    def is_bool(self, t):
        return t in self.scope and self.scope[t].dtype == torch.bool

    def smears(self, t, line):
        """Does a line write t from other elements of t's memory, which torch does not see where one has gaps?

        What it reads then depends on the order of writing."""
        x = self.scope[t]
        target, is_set, value = line.partition("] = ")
        if is_set:
            x, line = self.asked(target + "]", x), value
        source = self.asked(line.partition("masked_scatter_(")[2].partition(",")[2].strip(" )"), None)
        if source is not None and source.untyped_storage().data_ptr() == x.untyped_storage().data_ptr():
            return True  # which torch reads while it writes
        for text in re.findall(r"\bt\d+(?:\[-?\d+\]|\[\.\.\.\])?(?!\w)", line):
            y = self.asked(text, x)
            same = y.shape == x.shape and y.stride() == x.stride() and y.data_ptr() == x.data_ptr()
            one_by_one = re.search(
                r"index_add_\(|index_copy_\(|accumulate|masked_scatter_|scatter_add_|scatter_reduce_|index_reduce_",
                line,
            )
            if y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr() or (
                same and not one_by_one and not overlaps(x)
            ):
                continue
            if one_by_one and text != t or not same and not (is_dense(x) and is_dense(y)) or same and overlaps(x):
                return True
        return False

    def writes(self, t):
        x, other = self.scope[t], self.partner(t)
        d = self.dim(x)
        forms = [
            "{0}.mul_({1})",
            "{0}.add_({1})",
            "{0}.sub_({1})",
            "{0}.div_({1})",
            "{0}.copy_({2})",
            "{0}.pow_({1})",
        ] * 2
        forms += [
            "{0}.mul_(2.)",
            "{0}.add_(1)",
            "{0}.sin_()",
            "{0}.tanh_()",
            "{0}.sigmoid_()",
            "{0}.relu_()",
            "{0}.zero_()",
        ]
        forms += ["{0}.fill_(0.5)", "{0}.exp_().clamp_(max=2.)", "{0}.clamp_(0.6, 1.2)", "{0}.abs_()", "{0}.neg_()"]
        forms += ["{0} += {1}", "{0} *= {1}", "{0}.mul_({0})", "{0}.div_({0})", "{0}.pow_(2)", "{0}.addcmul_({0}, {2})"]
        forms += ["{0}.addcdiv_({0}, {2})", "{0}.lerp_({2}, 0.25)", f"{{0}}.cumsum_({d})", "{0}.floor_()"]
        forms += ["{0}[...] = {1}", "{0}[:] = {1}", "{0}.tril_()", "{0}.masked_fill_({0} > 1, 0.5)", "{0}.sqrt_()"]
        forms += [f"{{0}}.masked_fill_(mask({tuple(x.shape)}, 1), {{1}})", "{0}.gt_({1})", "{0}.atan2_({2})"]
        forms += [
            "{0}.uniform_()",
            "{0}.normal_()",
            "F.relu({0}, inplace=True)",
            "F.leaky_relu_({0}, 0.1)",
            "{0}.sign_()",
        ]
        forms += [
            "F.elu_({0})",
            "{0}.hypot_({2})",
            "{0}.copysign_({1})",
            "{0}.fmod_(1.)",
            "F.dropout({0}, 0.5, True, True)",
        ]
        if x.dim() == 0:
            forms += ["{0}.fill_({1})"] * 3
        return [f.format(t, other, self.partner(t, number=False)) for f in forms]

    def writes_by_index(self, t):
        x, other = self.scope[t], self.partner(t, number=False)
        if not x.dim():
            return []
        d, first, any_value = self.dim(x), self.index_of(x.shape[0]), self.partner(t)
        along = self.index_of(x.shape[d])
        forms = [f"{{0}}.index_fill_({d}, {along}, 0.5)", f"{{0}}.index_fill_({d}, {along}, {{1}})"]
        forms += [f"{{0}}.index_add_({d}, {along}, {{1}})", f"{{0}}.index_copy_({d}, {along}, {{1}})"]
        forms += [f"{{0}}[{first}] = {{2}}", "{0}[{0} > 1] = 0.5", "{0}[0] = {2}", f"{{0}}[{first}] = 2."]
        forms += ["{0}[{0} > 1] = {2}", f"{{0}}.index_put_(({first},), {{1}})", "{0}[..., 0] = {2}", "{0}[::2] = {2}"]
        forms += [f"{{0}}.index_put_(({first},), {{1}}, accumulate=True)", "{0}[0] = {0}[-1]"]
        if x.is_contiguous():  # torch refuses; of other memory it does not know, and the order of writing tells
            forms += ["{0}[1:] = {0}[:-1]"]
        forms += ["{0}.masked_scatter_({0} > 1, {0} * 2)", f"{{0}}.scatter_({d}, {along}, 0.5)", "{0}[:] = {0}[-1]"]
        forms += [f"{{0}}.scatter_add_({d}, {along}, {{1}})", f"{{0}}.put_({first}, {{1}})", "{0}.fill_diagonal_(0.5)"]
        return [f.format(t, other, any_value) for f in forms]

    def asked(self, text, otherwise):
        try:
            return eval(text, dict(self.scope))
        except Exception:
            return otherwise

    def reshape(self):
        t = self.pick(lambda x: not x.is_inference() and not x.retains_grad)
        x = self.scope[t]
        d, e = self.dim(x), self.dim(x)
        forms = [f".transpose_({d}, {e})", ".t_()", f".squeeze_({d})", ".squeeze_()", f".unsqueeze_({d})"]
        forms += [f".swapaxes_({d}, {e})", ".detach_()", ".requires_grad_()", ".requires_grad_(False)"]
        if x.dim() and x.numel() > 1:
            forms += [f".resize_({self.rng.randint(1, x.numel())})", ".resize_as_({0})"]
        self.say(t + self.one_of(*forms).format(t))

    def silently(self):
        """A write or a view with recording off."""
        before = len(self.lines)
        (self.write if self.below(3) else self.view)()
        self._rewrite(before, "with T.no_grad(): {}")

    def in_inference(self):
        before = len(self.lines)
        self.one_of(self.write, self.view, self.op)()
        self._rewrite(before, "with T.inference_mode(): {}")

    def _rewrite(self, before, form):
        """Lines drawn since `before` in another form: what they made is made again by that."""
        drawn, self.lines = self.lines[before:], self.lines[:before]
        self.replay()
        for line in drawn:
            self.say(form.format(line))

    def into_out(self):
        t, out = self.pick(), self.pick(lambda x: not x.requires_grad and not x.is_inference())
        if self.scope[out].is_inference():  # torch refuses, but has written by then
            return
        x, other = self.scope[t], self.partner(t, number=False)
        d = self.dim(x)
        forms = ["sin({0}, {2})", "add({0}, {1}, {2})", "mul({0}, {1}, {2})", "div({0}, {1}, {2})", "exp({0}, {2})"]
        forms += [f"sum({{0}}, {d}, {{2}})", f"cumsum({{0}}, {d}, {{2}})", f"cat([{{0}}, {{0}}], {d}, {{2}})"]
        forms += [f"stack([{{0}}, {{0}}], {d}, {{2}})", f"amax({{0}}, {d}, {{2}})", "maximum({0}, {1}, {2})"]
        forms += [
            "where({0} > 1, {0}, {1}, {2})",
            "mm({0}, {0}.mT, {2})",
            "matmul({0}, {0}.mT, {2})",
            "gt({0}, {1}, {2})",
        ]
        forms += [f"index_select({{0}}, {d}, {self.index_of(x.shape[d] if x.dim() else 1)}, {{2}})", "pow({0}, 2, {2})"]
        forms += [
            "arange(4, {2})",
            "linspace(0., 1., 6, {2})",
            "zeros(4, {2})",
            "ones((2, 3), {2})",
        ]
        forms += [
            "masked_select({0}, {0} > 1, {2})",
            "addcmul({0}, {0}, {1}, {2})",
            "tril({0}, {2})",
        ]
        forms += [f"prod({{0}}, {d}, {{2}})", f"mean({{0}}, {d}, {{2}})"]
        form = self.one_of(*forms)
        if form.startswith(REDUCES) and self.scope[out].untyped_storage()._cdata == x.untyped_storage()._cdata:
            return
        if not self.fits(form.format(t, other, "out=None"), out):
            out = self.name()
            self.say(f"{out} = made({self.one_of(*SHAPES)}, {self.one_of(*DTYPES)!r})")
        if form.startswith("linspace") and self.scope[out].dtype is torch.bool:
            return  # torch resizes it before it refuses the type: new memory, whose values are undefined
        if self.smears(out, form.format(t, other, out)):
            return
        shape = self.scope[out].shape
        self.say("T." + form.format(t, other, f"out={out}"))
        # new memory, whose values are undefined (test_out.py); or what mean() wrote before it refused
        if self.refused and (self.scope[out].shape != shape or form.startswith("mean")):
            self.lines.pop()
            self.replay()

    def fits(self, call, out):
        """May a result be written into this tensor: of its shape, or into one that nothing else looks at?

        Where out= gets new memory, torch's views of it go on reading the old."""
        x = self.scope[out]
        home = x.untyped_storage().data_ptr()
        if not x.requires_grad and sum(self.scope[n].untyped_storage().data_ptr() == home for n in self.tensors()) == 1:
            return True
        try:
            return eval("T." + call, dict(self.scope)).shape == x.shape
        except Exception:
            return False

    def through_data(self):
        t = self.pick(lambda x: not x.is_inference())
        self.say(self.one_of(f"{t}.data.mul_(2)", f"{t}.detach().mul_(2)", f"{self.name()} = {t}.data"))

    def watch(self):
        t = self.pick(lambda x: x.requires_grad)
        form = self.one_of("{0}.retain_grad()", "hook({0}, seen)")
        self.say(form.format(t))

    def walk(self):
        t = self.pick(lambda x: x.requires_grad)
        if (
            self.scope[t].is_complex() and not self.scope[t].numel()
        ):  # torch's gradient of view_as_real fails over strides
            return
        keep = self.one_of("True", "True", "False")
        self.say(
            f"T.view_as_real({t}).sum().backward(retain_graph={keep})"
            if self.scope[t].is_complex()
            else f"{t}.sum().backward(retain_graph={keep})"
        )


KINDS = [
    (Inventor.view, 24), (Inventor.siblings, 3), (Inventor.op, 18), (Inventor.write, 30), (Inventor.reshape, 5),
    (Inventor.silently, 6), (Inventor.in_inference, 2), (Inventor.into_out, 5), (Inventor.through_data, 2),
    (Inventor.watch, 3), (Inventor.walk, 2), (Inventor.leaf, 3),
]  # fmt: skip


def invent(seed):
    """The lines of history `seed`."""
    it = Inventor(seed)
    for _ in range(it.one_of(1, 2, 2)):
        it.leaf()
    if it.below(2):
        first = it.pick()
        it.say(f"{it.name()} = {first} * 1")
    kinds, weights = zip(*KINDS)
    for _ in range(it.rng.randint(2, 9)):
        it.rng.choices(kinds, weights)[0](it)
    return it.lines
