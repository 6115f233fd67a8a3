"""Random einsum equations and sublists, against torch: a few hundred here, five thousand with `--all`."""

import re

from drawn import LAYOUTS, compare, roundings

TYPES = ["float64"] * 6 + ["float32"] * 3 + "float16 bfloat16 int64 int32 uint8 bool complex64 complex128".split()
INEXACT = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")
LETTERS = "abcijkZ"
HOW = {"looks": "requires_grad stride", "second": True, "near": roundings, "exact": False}


class Inventor:
    """Draws one call of einsum."""

    def __init__(self, chance):
        self.chance, self.one_of = chance, chance.one_of
        self.sizes = {c: chance.choice((1, 2, 2, 3, 3, 4, 0 if chance.happens(0.2) else 2)) for c in LETTERS}
        self.dots = [chance.choice((1, 2, 3)) for _ in range(chance.randint(0, 2))]  # what ... stands for
        self.some = chance.sample(LETTERS, chance.randint(1, 4))  # few, so that operands share them
        self.dtype = chance.choice(TYPES)

    def term(self):
        """(labels of an operand, its shape)"""
        labels = [self.one_of(*self.some) for _ in range(self.one_of(0, 1, 1, 2, 2, 2, 3, 3))]
        if self.chance.happens(0.7):
            labels = list(dict.fromkeys(labels))
        shape = [[1 if self.chance.happens(0.06) else self.sizes[c]] for c in labels]
        if self.chance.happens(0.25):
            at = self.chance.randint(0, len(labels))
            labels.insert(at, "...")
            own = self.dots[self.chance.randint(0, len(self.dots)) :]
            shape.insert(at, [1 if self.chance.happens(0.2) else n for n in own])
        shape = [n for part in shape for n in part]
        if self.chance.happens(0.03):  # of another shape than the labels say
            shape = self.one_of(shape[1:], [*shape, 2], [n + 1 for n in shape])
        return labels, tuple(shape)

    def output(self, terms):
        known = sorted({c for labels in terms for c in labels})
        out = self.chance.sample(known, self.chance.randint(0, len(known)))
        if self.chance.happens(0.03):
            out.append(self.one_of("q", "...", *known))
        return out

    def operand(self, shape, seed):
        dtype = self.dtype if self.chance.happens(0.97) else self.one_of(*TYPES)
        wants = dtype in INEXACT and self.chance.happens(0.6)
        return f"made({shape}, {dtype!r}, {self.one_of(*LAYOUTS)!r}, {wants}, seed={seed})"

    def spelled(self, terms, out):
        text = ",".join("".join(labels) for labels in terms)
        text += "" if out is None else "->" + "".join(out)
        if self.chance.happens(0.15):
            text = "".join(c + " " * self.chance.happens(0.2) for c in text) if "..." not in text else text + " "
        if self.chance.happens(0.04):
            at, c = self.chance.randint(0, len(text)), self.one_of(".", "-", ">", "->", ",", "1", "é", "...", " ", "")
            text = text[:at] + c + text[at + self.chance.randint(0, 1) :]
        return text

    def sublist(self, labels):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        items = ["..." if c == "..." else str(letters.index(c)) for c in labels]
        if self.chance.happens(0.03):
            items.append(self.one_of("52", "-1", "True", "'a'", "1.0", "None", "..."))
        text = ", ".join(items)
        return f"({text},)" if items and self.chance.happens(0.2) else f"[{text}]"

    def call(self):
        terms = [self.term() for _ in range(self.one_of(1, 1, 2, 2, 2, 2, 3, 3, 4))]
        names = ["x", "y", "z", "w"][: len(terms)]
        lines = [f"{n} = {self.operand(shape, i)}" for i, (n, (_, shape)) in enumerate(zip(names, terms))]
        labels = [t for t, _ in terms]
        out = self.output(labels) if self.chance.happens(0.7) else None
        if self.chance.happens(0.2):
            arguments = ", ".join(f"{n}, {self.sublist(t)}" for n, t in zip(names, labels))
            arguments += "" if out is None else f", {self.sublist(out)}"
            return [*lines, f"r = T.einsum({arguments})"]
        if self.chance.happens(0.03):
            names = self.one_of(names[1:], [*names, "x"], ["2.0"], ["None"])
        given = ", ".join(names)
        given = f"[{given}]" if self.chance.happens(0.1) else given
        return [*lines, f"r = T.einsum({self.spelled(labels, out)!r}, {given})"]


def invent(chance):
    return Inventor(chance).call()


def _of_nothing(lines, found):
    types = ("refused: RuntimeError: expected scalar type", "refused: NotImplementedError")
    return found.startswith(types) and re.search(r"made\(\(.*\b0\b.*\), '", " ".join(lines)) is not None


GAPS = {
    "einsum layout of products": lambda lines, found: "stride" in found and len(lines) > 2,
    "einsum types of nothing": _of_nothing,
}


def test_einsum(examples):
    compare(examples, invent, GAPS, **HOW)
