"""Functions of Python's own in C, written in Python, for the reader to read in their place."""

import itertools
import operator

from .builtins import substitute

_NOTHING = object()


@substitute(itertools.chain)
def chain(*parts):
    for part in parts:
        yield from part


@substitute(itertools.chain.from_iterable)
def chain_from_iterable(parts):
    for part in parts:
        yield from part


@substitute(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
    add = operator.add if func is None else func
    iterator, total = iter(iterable), initial
    if initial is None:
        for total in iterator:
            break
        else:
            return
    yield total
    for element in iterator:
        total = add(total, element)
        yield total


@substitute(itertools.count)
def count(start=0, step=1):
    while True:
        yield start
        start += step


@substitute(itertools.repeat)
def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    for _ in range(times):
        yield object


@substitute(itertools.cycle)
def cycle(iterable):
    seen = []
    for value in iterable:
        yield value
        seen.append(value)
    while seen:
        yield from seen


@substitute(itertools.starmap)
def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


@substitute(itertools.takewhile)
def takewhile(predicate, iterable):
    for value in iterable:
        if not predicate(value):
            return
        yield value


@substitute(itertools.dropwhile)
def dropwhile(predicate, iterable):
    iterator = iter(iterable)
    for value in iterator:
        if not predicate(value):
            yield value
            break
    yield from iterator


@substitute(itertools.filterfalse)
def filterfalse(function, iterable):
    for value in iterable:
        if not (value if function is None else function(value)):
            yield value


@substitute(itertools.compress)
def compress(data, selectors):
    for value, wanted in zip(data, selectors):
        if wanted:
            yield value


@substitute(itertools.islice)
def islice(iterable, *bounds):
    part = slice(*bounds)
    start, step, at = part.start or 0, part.step or 1, 0
    if part.stop is not None and part.stop <= 0:
        return
    wanted = start
    iterator = iter(iterable)
    while part.stop is None or at < part.stop:
        value = next(iterator, _NOTHING)
        if value is _NOTHING:
            return
        if at == wanted:
            yield value
            wanted += step
        at += 1


@substitute(itertools.pairwise)
def pairwise(iterable):
    iterator = iter(iterable)
    before = next(iterator, _NOTHING)
    if before is _NOTHING:
        return
    for value in iterator:
        yield before, value
        before = value


@substitute(itertools.zip_longest)
def zip_longest(*parts, fillvalue=None):
    iterators = [iter(part) for part in parts]
    open_ = [True] * len(iterators)
    while True:
        row = []
        for i, iterator in enumerate(iterators):
            value = next(iterator, _NOTHING) if open_[i] else _NOTHING
            if value is _NOTHING:
                open_[i] = False
                value = fillvalue
            row.append(value)
        if True not in open_:
            return
        yield tuple(row)


@substitute(itertools.groupby)
def groupby(iterable, key=None):
    group, of = _NOTHING, None
    for value in iterable:
        this = value if key is None else key(value)
        if group is not _NOTHING and this == of:
            group.append(value)
            continue
        if group is not _NOTHING:
            yield of, iter(group)
        group, of = [value], this
    if group is not _NOTHING:
        yield of, iter(group)


def by_index(sequence):
    """Iteration over an object that has __getitem__ alone."""
    at = 0
    while True:
        try:
            value = sequence[at]
        except IndexError:
            return
        yield value
        at += 1


def contains(iterable, wanted):
    """`in` for an object that can only be iterated over."""
    for value in iterable:
        if value is wanted or value == wanted:
            return True
    return False
