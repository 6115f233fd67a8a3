"""Element types of which torch's CPU has few kernels: words that they lack say so under the kernels' names."""

import numpy as np

from ..words import WORDS, NotDefined, letter
from .table import computed, computed_into


def named(text) -> dict:
    """{word or op: torch's name of its kernel} of lines `kernel: words`; `*` in a kernel's name stands for the word."""
    found = {}
    for line in text.strip().splitlines():
        kernel, _, names = line.strip().partition(": ")
        found |= {name: kernel.replace("*", name) for name in names.split()}
    return found


def refused(word):
    """A word that the type has for empty arrays at most."""
    spelled = computed(word)

    def refuse(self, *args):
        if word in self.empty_ops and not all([a.size for a in args if isinstance(a, np.ndarray)]):
            return spelled(self, *args)
        raise NotDefined(self.kernel_names.get(word, f"{word}_cpu"), self.dtype)

    refuse.__name__ = word
    return refuse


def keep_few(cls, dtype, has, moves):
    """Leave a class of tables the words in `has`, which compute in the wide type, and in `moves`, which only move
    elements; what it declares itself stays; all others are refused.
    """
    for name, word in WORDS.items():
        if letter(dtype) not in word.types or name in vars(cls) or name in moves:
            continue
        if name not in has:
            setattr(cls, name, refused(name))
        else:
            setattr(cls, name, computed_into(name) if name in ("add", "sub", "mul", "div") else computed(name))
