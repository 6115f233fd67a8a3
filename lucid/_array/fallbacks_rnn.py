"""The LSTM over a whole sequence, spelled with the other words (see fallbacks.py)."""


def _gates(xp, a, size):
    """(input, forget, cell, output) gates of pre-activations a (N, 4 size)."""
    parts = [xp.slice(a, 1, i * size, (i + 1) * size, 1) for i in range(4)]
    return xp.sigmoid(parts[0]), xp.sigmoid(parts[1]), xp.tanh(parts[2]), xp.sigmoid(parts[3])


def _turned(xp, w):
    return xp.permute(w, (1, 0))


def _run(xp, x, w_ih, w_hh, b_ih, b_hh, h, c, reverse):
    """Per time step, in the order they are made: (time, (i, f, g, o), cell before, hidden before, cell, hidden)."""
    steps, n = x.shape[:2]
    size = w_hh.shape[1]
    inputs = xp.matmul(xp.reshape(x, (steps * n, x.shape[2])), _turned(xp, w_ih)) + (b_ih + b_hh)
    inputs = xp.reshape(inputs, (steps, n, 4 * size))
    w = _turned(xp, w_hh)
    for t in reversed(range(steps)) if reverse else range(steps):
        i, f, g, o = gates = _gates(xp, xp.select(inputs, 0, t) + xp.matmul(h, w), size)
        new = f * c + i * g
        out = o * xp.tanh(new)
        yield t, gates, c, h, new, out
        c, h = new, out


def lstm_sequence(xp, x, w_ih, w_hh, b_ih, b_hh, h, c, reverse):
    """An LSTM layer over x (T, N, I) from h and c (N, H): (all hidden states (T, N, H), last h, last c, reserve).

    Gates are packed input, forget, cell, output along the 4H rows of the weights. `reserve` (T, N, 5H) holds gates
    and cells for the backward pass.
    """
    outs, kept = {}, {}
    for t, gates, _, _, c, h in _run(xp, x, w_ih, w_hh, b_ih, b_hh, h, c, reverse):
        outs[t], kept[t] = h, xp.cat([*gates, c], 1)
    order = range(x.shape[0])
    return xp.stack([outs[t] for t in order], 0), h, c, xp.stack([kept[t] for t in order], 0)


def lstm_sequence_backward(xp, to_out, to_h, to_c, x, w_ih, w_hh, b_ih, b_hh, h, c, out, reserve, reverse):
    """Gradients for x, w_ih, w_hh, b_ih, b_hh, h and c."""
    steps, n, width = x.shape
    rows, to_hh = {}, None
    for t, (i, f, g, o), before, hidden, cell, _ in reversed(list(_run(xp, x, w_ih, w_hh, b_ih, b_hh, h, c, reverse))):
        to_h = to_h + xp.select(to_out, 0, t)
        tanh = xp.tanh(cell)
        to_c = to_c + to_h * o * (1.0 - tanh * tanh)
        rows[t] = a = xp.cat(
            [
                to_c * g * i * (1.0 - i),
                to_c * before * f * (1.0 - f),
                to_c * i * (1.0 - g * g),
                to_h * tanh * o * (1.0 - o),
            ],
            1,
        )
        part = xp.matmul(_turned(xp, a), hidden)
        to_hh = part if to_hh is None else to_hh + part
        to_h, to_c = xp.matmul(a, w_hh), to_c * f
    a = xp.reshape(xp.stack([rows[t] for t in range(steps)], 0), (steps * n, w_hh.shape[0]))
    to_b = xp.sum(a, (0,), False)
    to_ih = xp.matmul(_turned(xp, a), xp.reshape(x, (steps * n, width)))
    return xp.reshape(xp.matmul(a, w_ih), (steps, n, width)), to_ih, to_hh, to_b, to_b, to_h, to_c
