"""Optimiser steps over numpy arrays: in place, through scratch memory that all parameters share.

A function takes `items`, a list of (parameter, gradient, state arrays..., step count) of one type each; gradients are
not changed. Formulas are those of lucid.optim, with the scalar factors of Adam's quotient gathered in one; results
agree to rounding.
"""

import threading

import numpy as np

from ..random.exact import FLOAT32, FLOAT64

# elements per pass over a large parameter: what one pass touches stays in the cache for the next
CHUNK = 1 << 16
LARGE = 1 << 19  # below this the cache does well enough by itself


def takes(array):
    """May an array be written by these functions: float32 or float64, and every element a place of its own?"""
    kind = array.dtype
    return (
        (kind is FLOAT32 or kind is FLOAT64)
        and (array.flags.c_contiguous or array.flags.f_contiguous)
        and array.flags.writeable
    )


class _Scratch(threading.local):
    """Two work arrays for each shape and type, over memory that is kept between calls."""

    def __init__(self):
        self.memory, self.views = np.empty((2, 0), np.uint8), {}

    def like(self, array):
        """Two arrays of this one's shape, layout and type, their contents undefined."""
        key = array.strides, array.shape, array.dtype
        found = self.views.get(key)
        if found is None:
            if array.nbytes > self.memory.shape[1]:
                self.memory, self.views = np.empty((2, array.nbytes), np.uint8), {}
            elif len(self.views) > 1000:
                self.views = {}
            found = self.views[key] = [
                np.ndarray(array.shape, array.dtype, row, 0, array.strides) for row in self.memory
            ]
        return found


scratch = _Scratch()
_constants: dict = {}


def constant(value, kind):
    """A 0-dim array, a quicker operand than a Python number; kept, so only for values that stay the same from step to
    step."""
    try:
        return _constants[value, kind]
    except KeyError:
        if len(_constants) > 4096:
            _constants.clear()
        return _constants.setdefault((value, kind), np.array(value, kind))


def pieces(arrays):
    """The arrays of one parameter, cut into parts that fit the cache where they are large and laid out alike."""
    if arrays[0].size <= LARGE or not all(a is None or a.flags.c_contiguous for a in arrays):
        return (arrays,)
    flat = [None if a is None else a.reshape(-1) for a in arrays]
    return [[None if a is None else a[i : i + CHUNK] for a in flat] for i in range(0, flat[0].size, CHUNK)]


def _gradient(p, g, decay, maximize, room):
    """The gradient with its sign and the L2 penalty, in `room` unless it is g itself."""
    if maximize:
        g = np.negative(g, room)
        if decay:
            p = np.multiply(p, constant(decay, p.dtype))
            g = np.add(g, p, room)
    elif decay:
        np.multiply(p, constant(decay, p.dtype), room)
        g = np.add(g, room, room)
    return g


def adam(items, lr, beta1, beta2, eps, decay, decoupled, maximize):
    """Adam (Kingma and Ba, 2014), AMSGrad (Reddi et al., 2018) where an item has a third state array, AdamW (Loshchilov
    and Hutter, 2017) where decoupled."""
    multiply, add, subtract, divide, sqrt = np.multiply, np.add, np.subtract, np.divide, np.sqrt
    maximum, like = np.maximum, scratch.like
    seen = seen_kind = None
    for *arrays, step in items:
        kind = arrays[0].dtype
        if step != seen or kind is not seen_kind:  # most parameters have taken equally many steps
            seen, seen_kind = step, kind
            correction = (1 - beta2**step) ** 0.5
            rate = np.array(lr / (1 - beta1**step) * correction, kind)
            small = np.array(eps * correction, kind)
            new1, keep2, new2 = constant(1 - beta1, kind), constant(beta2, kind), constant(1 - beta2, kind)
        for p, g, mean, square, top in pieces(arrays):
            u, w = like(p)
            if decoupled and decay:
                multiply(p, constant(1 - lr * decay, kind), p)
            if maximize or decay and not decoupled:
                g = _gradient(p, g, 0 if decoupled else decay, maximize, w)
            subtract(g, mean, u)
            multiply(u, new1, u)
            add(mean, u, mean)
            multiply(g, g, u)
            multiply(u, new2, u)
            multiply(square, keep2, square)
            add(square, u, square)
            if top is not None:
                square = maximum(top, square, out=top)
            sqrt(square, u)
            add(u, small, u)
            divide(mean, u, u)
            multiply(u, rate, u)
            subtract(p, u, p)


def sgd(items, lr, momentum, dampening, decay, nesterov, maximize):
    """Stochastic gradient descent with momentum (Sutskever et al., 2013); the state array is the momentum buffer."""
    multiply, add, subtract = np.multiply, np.add, np.subtract
    for arrays in items:
        kind = arrays[0].dtype
        rate = constant(lr, kind)
        for p, g, buffer in pieces(arrays):
            u, w = scratch.like(p)
            if maximize or decay:
                g = _gradient(p, g, decay, maximize, w)
            if momentum:
                multiply(buffer, constant(momentum, kind), buffer)
                add(buffer, g if not dampening else multiply(g, constant(1 - dampening, kind), u), buffer)
                if nesterov:
                    multiply(buffer, constant(momentum, kind), u)
                    g = add(g, u, u)
                else:
                    g = buffer
            multiply(g, rate, u)
            subtract(p, u, p)


def rmsprop(items, lr, alpha, eps, decay, momentum, maximize):
    """RMSprop (Hinton's lecture notes) as torch has it, not centered: the root first, then eps."""
    multiply, add, subtract, divide, sqrt = np.multiply, np.add, np.subtract, np.divide, np.sqrt
    for *arrays, step in items:
        kind = arrays[0].dtype
        rate, small, keep, new = (constant(x, kind) for x in (lr, eps, alpha, 1 - alpha))
        for p, g, square, buffer in pieces(arrays):
            u, w = scratch.like(p)
            if maximize or decay:
                g = _gradient(p, g, decay, maximize, w)
            multiply(g, g, u)
            multiply(u, new, u)
            multiply(square, keep, square)
            add(square, u, square)
            sqrt(square, u)
            add(u, small, u)
            divide(g, u, u)
            if momentum > 0:
                multiply(buffer, constant(momentum, kind), buffer)
                add(buffer, u, buffer)
                multiply(buffer, rate, u)
            else:
                multiply(u, rate, u)
            subtract(p, u, p)


def adagrad(items, lr, lr_decay, eps, decay, maximize):
    """Adagrad (Duchi et al., 2011); the state array is the sum of squared gradients."""
    multiply, add, subtract, divide, sqrt = np.multiply, np.add, np.subtract, np.divide, np.sqrt
    for *arrays, step in items:
        kind = arrays[0].dtype
        rate, small = np.array(lr / (1 + (step - 1) * lr_decay), kind), constant(eps, kind)
        for p, g, total in pieces(arrays):
            u, w = scratch.like(p)
            if maximize or decay:
                g = _gradient(p, g, decay, maximize, w)
            multiply(g, g, u)
            add(total, u, total)
            sqrt(total, u)
            add(u, small, u)
            divide(g, u, u)
            multiply(u, rate, u)
            subtract(p, u, p)
