"""Recurrent layers over sequences, plain or packed, and their cells: rnn_tanh, rnn_relu, gru, lstm (torch._VF)."""

import functools

from ..._backend.core import func_op
from ..._backend.families import Layer
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, float32
from ..._base.state import local
from ..._tensor.tensor import Tensor
from ..linalg.linear import linear
from ..shape.join import cat, stack
from ..shape.split import unbind, unsafe_chunk
from .dropout import dropout as drop

# ---- an LSTM layer as one node, as torch's CPU has it for float32


class mkldnn_rnn_layer(Layer):
    """mkldnn_rnn_layer(input, weight0..3, hx_, cx_, reverse): (out (T, N, H), last h, last c, reserve) of an LSTM."""

    namespace = None

    @func_op(7, 4)
    def forward(xp, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse=False):
        return xp.lstm_sequence(input, weight0, weight1, weight2, weight3, hx_, cx_, reverse)

    def backward(xp, needs, g, input, weight0, weight1, weight2, weight3, hx_, cx_, outs, reverse):
        to_out = xp.zeros(tuple(outs[0].shape)) if g[0] is None else g[0]
        to_h, to_c = (xp.zeros(tuple(hx_.shape)) if part is None else part for part in g[1:3])
        grads = xp.lstm_sequence_backward(
            to_out, to_h, to_c, input, weight0, weight1, weight2, weight3, hx_, cx_, outs[0], outs[3], reverse
        )
        return tuple([got if need else None for got, need in zip(grads, needs)])


# ---- the cells, on what the input and the state give


def _split(x, n):
    return unsafe_chunk(x, n, 1)


def _linear(x, w, b):
    return linear(x, w, b)


def _tanh_step(inputs, state, w, b, w_hr=None):
    return ((_linear(state[0], w, b) + inputs).tanh(),)


def _relu_step(inputs, state, w, b, w_hr=None):
    return ((_linear(state[0], w, b) + inputs).relu(),)


def _gru_step(inputs, state, w, b, w_hr=None):
    (h,) = state
    (from_r, from_z, from_n), (r, z, n) = _split(inputs, 3), _split(_linear(h, w, b), 3)
    keep = (z + from_z).sigmoid()
    new = (from_n + n * (r + from_r).sigmoid()).tanh()
    return ((h - new) * keep + new,)


def _lstm_step(inputs, state, w, b, w_hr=None):
    h, c = state
    i, f, g, o = _split(_linear(h, w, b) + inputs, 4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (h if w_hr is None else h.matmul(w_hr.t())), c


# ---- one layer in one direction


def _steps(step, inputs, state, w_hh, b_hh, w_hr, reverse):
    """Over a list of inputs: (hidden states in time order, last state)."""
    outs = []
    for x in reversed(inputs) if reverse else inputs:
        state = step(x, state, w_hh, b_hh, w_hr)
        outs.append(state[0])
    return outs[::-1] if reverse else outs, state


def _layer(step, input, state, weights, reverse):
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    if step is _lstm_step and w_hr is None and _one_node(input, weights, state):
        if b_ih is None:
            b_ih = b_hh = w_ih.new_zeros(w_ih.shape[0])
        out, h, c, _ = mkldnn_rnn_layer.fn(input, w_ih, w_hh, b_ih, b_hh, *state, reverse)
        return out, (h, c)
    outs, state = _steps(step, unbind.fn(_linear(input, w_ih, b_ih), 0), state, w_hh, b_hh, w_hr, reverse)
    return stack.fn(outs, 0), state


def _one_node(input, weights, state):
    cast = local.cast_to is not None and input.dtype is local.cast_to  # by autocast, in the layer before
    others = [*[w for w in weights if w is not None], *state]
    return input.numel() and all(t.dtype is float32 for t in (others if cast else (input, *others)))


def _packed_layer(step, input, sizes, state, weights, reverse):
    """The same for packed data: the first sizes[t] sequences, the longest, are still running at time t."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    projected = _linear(input, w_ih, b_ih)
    parts, at = [], 0
    for n in sizes:
        parts.append(projected.narrow(0, at, n))
        at += n
    run = _packed_backwards if reverse else _packed_forwards
    outs, state = run(step, parts, sizes, state, w_hh, b_hh, w_hr)
    return cat.fn(outs, 0), state


def _packed_forwards(step, parts, sizes, state, w_hh, b_hh, w_hr):
    running, outs, done = sizes[0], [], []
    for x, n in zip(parts, sizes):
        if n < running:
            done.append([s.narrow(0, n, running - n) for s in state])
            state = [s.narrow(0, 0, n) for s in state]
        running = n
        state = step(x, state, w_hh, b_hh, w_hr)
        outs.append(state[0])
    done.append(state)
    return outs, tuple([cat.fn(list(s), 0) for s in zip(*reversed(done))])


def _packed_backwards(step, parts, sizes, first, w_hh, b_hh, w_hr):
    running, outs = sizes[-1], []
    state = [s.narrow(0, 0, running) for s in first]
    for x, n in zip(reversed(parts), reversed(sizes)):
        if n > running:
            state = [cat.fn([s, f.narrow(0, running, n - running)], 0) for s, f in zip(state, first)]
        running = n
        state = step(x, state, w_hh, b_hh, w_hr)
        outs.append(state[0])
    return outs[::-1], tuple(state)


# ---- all layers


def _per_layer(name, params, has_biases, projected):
    """The flat list of weights as (w_ih, w_hh, b_ih, b_hh, w_hr) per layer and direction."""
    each = 2 + (2 if has_biases else 0) + (1 if projected else 0)
    if len(params) % each:
        raise RuntimeError(f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {each}")
    groups = []
    for at in range(0, len(params), each):
        w_ih, w_hh, *rest = params[at : at + each]
        b_ih, b_hh = rest[:2] if has_biases else (None, None)
        groups.append((w_ih, w_hh, b_ih, b_hh, rest[-1] if projected else None))
    return groups


def _need_one_type(name, input, states, params):
    for t in (*states, *params):
        if t.dtype is not input.dtype:
            raise ValueError(
                f"{name}: input, states and weights must have one type, but got "
                f"{SCALAR_NAMES[input._table.dtype]} and {SCALAR_NAMES[t._table.dtype]}"
            )


def _stacked(
    name, step, input, states, params, has_biases, num_layers, dropout, train, bidirectional, layer, projected
):
    """(output, last states): layers on top of each other, each in one direction or both."""
    groups, directions = _per_layer(name, list(params), has_biases, projected), 2 if bidirectional else 1
    if len(groups) != num_layers * directions:
        raise RuntimeError(
            f"{name}: expected weights for {num_layers * directions} layers and directions, but got {len(groups)}"
        )
    if states[0].shape[0] != len(groups):
        raise RuntimeError(
            f"Expected more hidden states in stacked_rnn: {states[0].shape[0]} for {len(groups)} layers and directions"
        )
    if layer is _layer and not projected and step is _lstm_step and _one_node(input, params, states):
        input, firsts = input.contiguous(), [[s[i] for s in states] for i in range(len(groups))]
    else:
        firsts = list(zip(*[unbind.fn(s, 0) for s in states]))
    lasts = []
    for i in range(num_layers):
        outs = []
        for d in range(directions):
            at = i * directions + d
            out, last = layer(step, input, firsts[at], groups[at], d == 1)
            outs.append(out)
            lasts.append(last)
        input = outs[0] if directions == 1 else cat.fn(outs, outs[0].dim() - 1)
        if dropout and train and i < num_layers - 1:
            input = drop(input, dropout, True)
    return (input, *[stack.fn(list(s), 0) for s in zip(*lasts)])


def _states(name, hx):
    if name != "lstm":
        return (hx,)
    if isinstance(hx, Tensor) or len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return tuple(hx)


def _run(name, step, args, kwargs):
    """Both forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first) and, packed,
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)."""
    state_type = (tuple, list) if name == "lstm" else Tensor
    packed = "batch_sizes" in kwargs or (
        len(args) > 2 and isinstance(args[1], Tensor) and isinstance(args[2], state_type)
    )
    shared = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
    names = ("data", "batch_sizes", *shared) if packed else ("input", *shared, "batch_first")
    given = dict(zip(names, args), **kwargs)
    if set(given) != set(names) or len(args) > len(names):
        raise TypeError(f"{name}() received an invalid combination of arguments: expected ({', '.join(names)})")
    input, states = given.get("data", given.get("input")), _states(name, given["hx"])
    options = [given[n] for n in ("params", "has_biases", "num_layers", "dropout", "train", "bidirectional")]
    _need_one_type(name, input, states, options[0])
    projected = name == "lstm" and states[0].shape[-1] != states[1].shape[-1]
    if packed:
        sizes = [int(n) for n in given["batch_sizes"].tolist()]
        layer = functools.partial(_with_sizes, sizes)
        return _stacked(name, step, input, states, *options, layer, projected)
    if given["batch_first"]:
        input = input.transpose(0, 1)
    if input.shape[0] == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    out, *last = _stacked(name, step, input, states, *options, _layer, projected)
    if given["batch_first"]:  # (torch turns the others in place, which its graph shows)
        out = out.transpose(0, 1) if name == "lstm" else out.transpose_(0, 1)
    return (out, *last)


def _with_sizes(sizes, step, input, state, weights, reverse):
    return _packed_layer(step, input, sizes, state, weights, reverse)


def _recurrence(name, step, gives):
    def f(*args, **kwargs):
        return _run(name, step, args, kwargs)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"""{name}(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first).

    Gives {gives}.

    Or, for a packed sequence, {name}(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional). params: weight_ih, weight_hh and, with biases, bias_ih, bias_hh, for every layer and direction in
    order.
    """
    return public(name)(f)


rnn_tanh = _recurrence("rnn_tanh", _tanh_step, "(output, h)")
rnn_relu = _recurrence("rnn_relu", _relu_step, "(output, h)")
gru = _recurrence("gru", _gru_step, "(output, h)")
lstm = _recurrence("lstm", _lstm_step, "(output, h, c)")


# ---- cells


def _check_cell(input, hidden, w_ih, w_hh, label="hidden0"):
    if input.shape[-1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {w_ih.shape[1]}")
    if input.shape[0] != hidden.shape[0]:
        raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match {label} batch size {hidden.shape[0]}")
    if hidden.shape[-1] != w_hh.shape[1]:
        raise RuntimeError(f"{label} has inconsistent hidden_size: got {hidden.shape[-1]}, expected {w_hh.shape[1]}")


def _cell(name, step):
    def f(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        _check_cell(input, hx, w_ih, w_hh)
        return step(_linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> Tensor: one step, input (N, I), hx (N, H)."
    return public(name)(f)


rnn_tanh_cell, rnn_relu_cell = _cell("rnn_tanh_cell", _tanh_step), _cell("rnn_relu_cell", _relu_step)
gru_cell = _cell("gru_cell", _gru_step)


@public()
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> (h, c): one step, input (N, I), hx = (h, c) (N, H)."""
    if isinstance(hx, Tensor) or len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    for state, label in zip(hx, ("hidden0", "hidden1")):
        _check_cell(input, state, w_ih, w_hh, label)
    return _lstm_step(_linear(input, w_ih, b_ih), hx, w_hh, b_hh)
