"""The LSTM over a whole sequence with numpy arrays: one product for all inputs, one small one and a tanh per step."""

import numpy as np

from ..fallbacks import SPELLED
from .products import matmul
from .table import HalfWords, install, recomputing


def _halving(size, kind):
    """sigmoid(x) is 0.5 + 0.5 tanh(0.5 x): the factors that make one tanh serve all four gates, and what is added."""
    factor, plus = np.full(4 * size, 0.5, kind), np.full(4 * size, 0.5, kind)
    factor[2 * size : 3 * size], plus[2 * size : 3 * size] = 1, 0
    return factor, plus


def lstm_sequence(self, x, w_ih, w_hh, b_ih, b_hh, h, c, reverse):
    """See fallbacks_rnn.py."""
    steps, n, size = x.shape[0], x.shape[1], w_hh.shape[1]
    factor, plus = _halving(size, x.dtype)
    inputs = matmul(x.reshape(steps * n, x.shape[2]), (w_ih * factor[:, None]).T)
    inputs += (b_ih + b_hh) * factor
    inputs = inputs.reshape(steps, n, 4 * size)
    w = np.ascontiguousarray((w_hh * factor[:, None]).T)
    out, reserve = np.empty((steps, n, size), x.dtype), np.empty((steps, n, 5 * size), x.dtype)
    for t in range(steps - 1, -1, -1) if reverse else range(steps):
        gates, cell = reserve[t, :, : 4 * size], reserve[t, :, 4 * size :]
        a = matmul(h, w)
        a += inputs[t]
        np.tanh(a, a)
        a *= factor
        np.add(a, plus, gates)
        np.multiply(gates[:, size : 2 * size], c, cell)
        cell += gates[:, :size] * gates[:, 2 * size : 3 * size]
        h, c = np.multiply(gates[:, 3 * size :], np.tanh(cell), out[t]), cell
    return out, h.copy(), c.copy(), reserve


def lstm_sequence_backward(self, to_out, to_h, to_c, x, w_ih, w_hh, b_ih, b_hh, h, c, out, reserve, reverse):
    """See fallbacks_rnn.py."""
    steps, n, size = x.shape[0], x.shape[1], w_hh.shape[1]
    gates, cells = reserve[:, :, : 4 * size], reserve[:, :, 4 * size :]
    slopes = gates * (1 - gates)  # of the sigmoids
    np.subtract(1, np.square(gates[:, :, 2 * size : 3 * size]), slopes[:, :, 2 * size : 3 * size])
    tanh = np.tanh(cells)
    through = (1 - np.square(tanh)) * gates[:, :, 3 * size :]  # from h to c
    cells_before, hidden_before = _before(cells, c, reverse), _before(out, h, reverse)
    rows = np.empty((steps, n, 4, size), x.dtype)
    for t in range(steps) if reverse else range(steps - 1, -1, -1):
        i, f, g = (gates[t, :, k * size : (k + 1) * size] for k in range(3))
        to_h = to_h + to_out[t]
        to_c = to_c + to_h * through[t]
        row = rows[t]
        np.multiply(to_c, g, row[:, 0])
        np.multiply(to_c, cells_before[t], row[:, 1])
        np.multiply(to_c, i, row[:, 2])
        np.multiply(to_h, tanh[t], row[:, 3])
        row *= slopes[t].reshape(n, 4, size)
        to_h, to_c = matmul(row.reshape(n, 4 * size), w_hh), to_c * f
    a = rows.reshape(steps * n, 4 * size)
    to_b = np.ones(steps * n, x.dtype).dot(a)
    to_ih, to_hh = matmul(a.T, x.reshape(steps * n, x.shape[2])), matmul(a.T, hidden_before.reshape(steps * n, size))
    return matmul(a, w_ih).reshape(x.shape), to_ih, to_hh, to_b, to_b.copy(), to_h, to_c


def _before(states, first, reverse):
    """The state that each step started from."""
    out = np.empty_like(states)
    if reverse:
        out[-1], out[:-1] = first, states[1:]
    else:
        out[0], out[1:] = first, states[:-1]
    return out


install((lstm_sequence, lstm_sequence_backward))
HalfWords.lstm_sequence_backward = recomputing(SPELLED["lstm_sequence_backward"])
