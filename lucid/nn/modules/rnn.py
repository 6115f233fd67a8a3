"""Recurrent layers RNN, LSTM, GRU, and their single steps RNNCell, LSTMCell, GRUCell."""

import math
import numbers
import warnings
import weakref

from ..._func.creation.gfunc import zeros
from ..._tensor.tensor import Tensor
from .. import init
from .._ops import ops
from ..parameter import hold
from ..utils.rnn import PackedSequence
from .module import Module

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _apply_permutation(tensor, permutation, dim=1):
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor, permutation, dim=1):
    """The old name of tensor.index_select(dim, permutation)."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return _apply_permutation(tensor, permutation, dim)


def _uniform(module):
    """Every parameter uniform on +-1/sqrt(hidden_size), in order."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for p in module.parameters():
        init.uniform_(p, -bound, bound)


def _check_options(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )
    for name, value, kind in (
        ("bias", bias, bool),
        ("batch_first", batch_first, bool),
        ("input_size", input_size, int),
        ("hidden_size", hidden_size, int),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _names(layer, direction, bias, proj_size):
    """The parameters of one layer in one direction."""
    kinds = ["weight_ih", "weight_hh", *(["bias_ih", "bias_hh"] if bias else []), *(["weight_hr"] if proj_size else [])]
    return [f"{kind}_l{layer}{'_reverse' if direction else ''}" for kind in kinds]


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse
    ...

    Rows of the weights are the gates, one block of hidden_size each: i, f, g, o for LSTM; r, z, n for GRU.
    """

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._flat_weight_refs = []
        _check_options(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        rows, out_size, directions = _GATES[mode] * hidden_size, proj_size or hidden_size, 2 if bidirectional else 1
        self._flat_weights_names, self._all_weights = [], []
        for layer in range(num_layers):
            for direction in range(directions):
                names = _names(layer, direction, bias, proj_size)
                columns = input_size if layer == 0 else out_size * directions
                shapes = {
                    "weight_ih": (rows, columns),
                    "weight_hh": (rows, out_size),
                    "bias_ih": (rows,),
                    "bias_hh": (rows,),
                    "weight_hr": (proj_size, hidden_size),
                }
                hold(self, device, dtype, **{name: shapes[name.partition("_l")[0]] for name in names})
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _init_flat_weights(self):
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]
        self.flatten_parameters()

    def __setattr__(self, attr, value):
        names = self.__dict__.get("_flat_weights_names")
        if names is not None and attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self):
        """Nothing to do: torch moves the weights into one block for cuDNN here."""

    def _apply(self, fn, recurse=True):
        self._flat_weight_refs = []
        out = super()._apply(fn, recurse)
        self._init_flat_weights()
        return out

    def reset_parameters(self):
        """Draw every parameter anew, uniform on +-1/sqrt(hidden_size)."""
        _uniform(self)

    def check_input(self, input, batch_sizes):
        """Refuse an input of another type or size."""
        wanted = self._flat_weights[0].dtype
        if input.dtype is not wanted:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({wanted}). Convert input: "
                f"input.to({wanted}), or convert model: model.to({input.dtype})"
            )
        dims = 2 if batch_sizes is not None else 3
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _states(self, input, batch_sizes, size):
        """The shape of a hidden state."""
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, size

    def get_expected_hidden_size(self, input, batch_sizes):
        """(layers * directions, batch, size) of the hidden state."""
        return self._states(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """Refuse a state of another size."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Refuse arguments of other sizes."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        """The state with its batch in another order."""
        return hx if permutation is None else _apply_permutation(hx, permutation)

    def _weights_have_changed(self):
        return any(
            ref is not None and (w := getattr(self, name, None)) is not None and ref() is not w
            for ref, name in zip(self._flat_weight_refs, self._flat_weights_names)
        )

    def _update_flat_weights(self):
        if self._weights_have_changed():
            self._init_flat_weights()

    def extra_repr(self):
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        unusual = [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *unusual])

    def __getstate__(self):
        self._update_flat_weights()
        state = self.__dict__.copy()
        del state["_flat_weight_refs"]  # weak references cannot be pickled
        return state

    def __setstate__(self, d):
        super().__setstate__(d)
        own = self.__dict__
        own["_all_weights"] = d.get("all_weights", own.get("_all_weights"))
        own.setdefault("proj_size", 0)
        if not isinstance(self._all_weights[0][0], str):  # pickled before the weights had names
            own["_all_weights"] = [
                _names(layer, direction, self.bias, self.proj_size)
                for layer in range(self.num_layers)
                for direction in range(2 if self.bidirectional else 1)
            ]
            own["_flat_weights_names"] = [name for names in self._all_weights for name in names]
            own["_flat_weights"] = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    @property
    def all_weights(self):
        """The parameters, a list per layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _replicate_for_data_parallel(self):
        replica = super()._replicate_for_data_parallel()
        replica._flat_weights = replica._flat_weights[:]
        replica._flat_weights_names = replica._flat_weights_names[:]
        return replica

    # ---- a call

    def _zeros(self, input, batch_sizes):
        """The state a sequence begins with when none is given."""
        return zeros(self.get_expected_hidden_size(input, batch_sizes), dtype=input.dtype, device=input.device)

    def _batched(self, input, hx):
        """(input, hx) with a batch dimension, which must be there in both or in neither."""
        if input.dim() == 3:
            if hx is not None and hx.dim() != 3:
                raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {hx.dim()}-D tensor")
            return input, hx
        if hx is not None:
            if hx.dim() != 2:
                raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor")
            hx = hx.unsqueeze(1)
        return input.unsqueeze(0 if self.batch_first else 1), hx

    def _run(self, input, hx, batch_sizes):
        """(output, state) of the recurrence."""
        function = getattr(
            ops, {"RNN_TANH": "rnn_tanh", "RNN_RELU": "rnn_relu", "GRU": "gru", "LSTM": "lstm"}[self.mode]
        )
        layers = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        output, *states = (
            function(input, hx, *layers, self.batch_first)
            if batch_sizes is None
            else function(input, batch_sizes, hx, *layers)
        )
        return output, tuple(states) if self.mode == "LSTM" else states[0]

    def _forward(self, given, hx):
        self._update_flat_weights()
        if isinstance(given, PackedSequence):
            input, batch_sizes, sorted_indices, unsorted_indices = given
            hx = self._zeros(input, batch_sizes) if hx is None else self.permute_hidden(hx, sorted_indices)
            self.check_forward_args(input, hx, batch_sizes)
            output, hidden = self._run(input, hx, batch_sizes)
            return (
                PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices),
                self.permute_hidden(hidden, unsorted_indices),
            )
        if given.dim() not in (2, 3):
            name = type(self).__name__ if self.mode not in ("RNN_TANH", "RNN_RELU") else "RNN"
            tail = "tensor " if name == "RNN" else ""
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {given.dim()}D {tail}instead")
        input, hx = self._batched(given, hx)
        if hx is None:
            hx = self._zeros(input, None)
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(input, hx, None)
        if given.dim() == 3:
            return output, hidden
        output = output.squeeze(0 if self.batch_first else 1)
        return output, hidden.squeeze(1) if isinstance(hidden, Tensor) else tuple([h.squeeze(1) for h in hidden])


class RNN(RNNBase):
    """RNN(input_size, hidden_size, num_layers=1, nonlinearity="tanh", ...): h' = tanh(W_ih x + b_ih + W_hh h + b_hh).

    input (L, N, input_size), or (N, L, input_size) with batch_first, or without N, or a PackedSequence. Gives (outputs
    of the last layer (L, N, directions * hidden_size), last states (layers * directions, N, hidden_size)).
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + self.nonlinearity.upper(), *args, **kwargs)

    def forward(self, input, hx=None):
        return self._forward(input, hx)


class LSTM(RNNBase):
    """LSTM(input_size, hidden_size, num_layers=1, ..., proj_size=0): long short-term memory (Hochreiter and Schmidhuber
    1997).

    c' = f c + i g, h' = o tanh(c') with i, f, o = sigmoid, g = tanh of the gates; proj_size > 0 projects h'. Shapes as
    in RNN; the state is a pair (h, c).
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input, batch_sizes):
        """(layers * directions, batch, hidden_size) of the cell state."""
        return self._states(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        self.check_hidden_size(
            hidden[0], self.get_expected_hidden_size(input, batch_sizes), "Expected hidden[0] size {}, got {}"
        )
        self.check_hidden_size(
            hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}"
        )

    def permute_hidden(self, hx, permutation):
        return (
            hx
            if permutation is None
            else (_apply_permutation(hx[0], permutation), _apply_permutation(hx[1], permutation))
        )

    def _zeros(self, input, batch_sizes):
        made = {"dtype": input.dtype, "device": input.device}
        return (
            zeros(self.get_expected_hidden_size(input, batch_sizes), **made),
            zeros(self.get_expected_cell_size(input, batch_sizes), **made),
        )

    def _batched(self, input, hx):
        unbatched = input.dim() == 2
        if hx is not None:
            dims, want = (hx[0].dim(), hx[1].dim()), input.dim()
            if dims != (want, want):
                raise RuntimeError(
                    f"For {'un' if unbatched else ''}batched {want}-D input, hx and cx should also be "
                    f"{want}-D but got ({dims[0]}-D, {dims[1]}-D) tensors"
                )
            hx = (hx[0].unsqueeze(1), hx[1].unsqueeze(1)) if unbatched else hx
        return input.unsqueeze(0 if self.batch_first else 1) if unbatched else input, hx

    def forward(self, input, hx=None):
        return self._forward(input, hx)


class GRU(RNNBase):
    """GRU(input_size, hidden_size, num_layers=1, ...): gated recurrent unit (Cho et al. 2014).

    n = tanh(W_in x + b_in + r (W_hn h + b_hn)), h' = (1 - z) n + z h with r, z = sigmoid of the gates. Shapes as in
    RNN.
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input, hx=None):
        return self._forward(input, hx)


class RNNCellBase(Module):
    """What the single steps share."""

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        hold(
            self,
            device,
            dtype,
            weight_ih=(rows, input_size),
            weight_hh=(rows, hidden_size),
            bias_ih=(rows,) if bias else None,
            bias_hh=(rows,) if bias else None,
        )
        self.reset_parameters()

    def extra_repr(self):
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.__dict__.get("bias", True) is not True:
            shown += f", bias={self.bias}"
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            shown += f", nonlinearity={self.nonlinearity}"
        return shown

    def reset_parameters(self):
        """Draw every parameter anew, uniform on +-1/sqrt(hidden_size)."""
        _uniform(self)

    def _check_dims(self, input, hx):
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, h in enumerate(() if hx is None else (hx,) if isinstance(hx, Tensor) else hx):
            if h.dim() not in (1, 2):
                what = "hidden" if isinstance(hx, Tensor) else f"hx[{i}]"
                raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {h.dim()}D instead")

    def _step(self, function, input, hx):
        """function of the batched input and state."""
        self._check_dims(input, hx)
        alone = input.dim() == 1
        if alone:
            input = input.unsqueeze(0)
        if hx is None:
            hx = zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        elif alone:
            hx = hx.unsqueeze(0)
        ret = function(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return ret.squeeze(0) if alone else ret


class RNNCell(RNNCellBase):
    """RNNCell(input_size, hidden_size, bias=True, nonlinearity="tanh"): one step of RNN; (N, input_size), (N,
    hidden_size)."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(ops.rnn_tanh_cell if self.nonlinearity == "tanh" else ops.rnn_relu_cell, input, hx)


class LSTMCell(RNNCellBase):
    """LSTMCell(input_size, hidden_size, bias=True): one step of LSTM, (input, (h, c)) -> (h', c')."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        self._check_dims(input, hx)
        alone = input.dim() == 1
        if alone:
            input = input.unsqueeze(0)
        if hx is None:
            start = zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (start, start)
        elif alone:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        h, c = ops.lstm_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (h.squeeze(0), c.squeeze(0)) if alone else (h, c)


class GRUCell(RNNCellBase):
    """GRUCell(input_size, hidden_size, bias=True): one step of GRU."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        return self._step(ops.gru_cell, input, hx)
