"""Layers against torch's: the same weights after the same seed, to the bit, the same repr, the same refusals; nn.init,
nn.utils."""

import inspect
import types
import warnings

import pytest
import torch
from both import BOTH, DRAWN, as_torch, error, same, shown, told

import lucid

# (class, arguments, keywords): constructed on both sides after manual_seed(0).
LAYERS = [
    ("Linear", (3, 4), {}),
    ("Linear", (3, 4), {"bias": False}),
    ("Linear", (3, 0), {}),
    ("Linear", (0, 3), {}),
    ("Linear", (64, 65), {"dtype": "float64"}),
    ("Linear", (5, 3), {"dtype": "bfloat16"}),
    ("Bilinear", (3, 4, 5), {}),
    ("Bilinear", (3, 4, 5, False), {}),
    ("Identity", (1, 2), {"a": 3}),
    ("LazyLinear", (4,), {}),
    ("Conv1d", (4, 6, 3), {"groups": 2}),
    ("Conv2d", (3, 8, (3, 5)), {"stride": 2, "padding": (1, 0), "dilation": 2}),
    ("Conv2d", (1, 8, 3), {"padding": "same", "bias": False}),
    ("Conv2d", (1, 8, 3), {"padding": "valid"}),
    ("Conv3d", (2, 3, 2), {"padding_mode": "circular", "padding": 1}),
    ("ConvTranspose1d", (4, 6, 3), {"output_padding": 1}),
    ("ConvTranspose2d", (3, 6, 3), {"stride": 2, "groups": 3}),
    ("ConvTranspose3d", (2, 3, 2), {"bias": False}),
    ("LazyConv2d", (3, 2), {"padding": 1}),
    ("BatchNorm1d", (3,), {}),
    ("BatchNorm2d", (3,), {"affine": False}),
    ("BatchNorm3d", (3,), {"momentum": None, "bias": False}),
    ("BatchNorm1d", (3,), {"track_running_stats": False}),
    ("SyncBatchNorm", (3,), {}),
    ("InstanceNorm1d", (3,), {}),
    ("InstanceNorm2d", (3,), {"affine": True}),
    ("InstanceNorm3d", (3,), {"track_running_stats": True}),
    ("LazyBatchNorm1d", (), {}),
    ("LayerNorm", (3,), {}),
    ("LayerNorm", ([2, 3],), {"bias": False}),
    ("LayerNorm", ((2, 3),), {"elementwise_affine": False}),
    ("GroupNorm", (2, 4), {}),
    ("GroupNorm", (2, 4), {"affine": False}),
    ("RMSNorm", (4,), {}),
    ("RMSNorm", ((2, 3), 1e-3), {}),
    ("LocalResponseNorm", (2,), {}),
    ("CrossMapLRN2d", (2,), {}),
    ("Dropout", (0.3, True), {}),
    ("Dropout1d", (), {}),
    ("Dropout2d", (), {}),
    ("Dropout3d", (), {}),
    ("AlphaDropout", (), {}),
    ("FeatureAlphaDropout", (), {}),
    ("Threshold", (0.1, 2), {}),
    ("ReLU", (), {}),
    ("ReLU", (True,), {}),
    ("RReLU", (), {}),
    ("Hardtanh", (), {}),
    ("ReLU6", (), {"inplace": True}),
    ("Sigmoid", (), {}),
    ("Hardsigmoid", (True,), {}),
    ("Tanh", (), {}),
    ("SiLU", (True,), {}),
    ("Mish", (), {}),
    ("Hardswish", (True,), {}),
    ("ELU", (), {}),
    ("CELU", (2.0, True), {}),
    ("SELU", (True,), {}),
    ("GLU", (), {}),
    ("GELU", ("tanh",), {}),
    ("Hardshrink", (), {}),
    ("LeakyReLU", (), {}),
    ("LeakyReLU", (0.2, True), {}),
    ("LogSigmoid", (), {}),
    ("Softplus", (), {}),
    ("Softshrink", (), {}),
    ("PReLU", (3, 0.1), {}),
    ("Softsign", (), {}),
    ("Tanhshrink", (), {}),
    ("Softmin", (), {}),
    ("Softmax", (1,), {}),
    ("Softmax2d", (), {}),
    ("LogSoftmax", (-1,), {}),
    ("MultiheadAttention", (8, 2), {}),
    ("MultiheadAttention", (8, 2), {"kdim": 3, "vdim": 5, "add_bias_kv": True}),
    ("MultiheadAttention", (8, 2), {"bias": False, "batch_first": True}),
    ("Flatten", (), {}),
    ("Unflatten", (1, (2, 3)), {}),
    ("ChannelShuffle", (2,), {}),
    ("PairwiseDistance", (), {}),
    ("CosineSimilarity", (), {}),
    ("PixelShuffle", (2,), {}),
    ("PixelUnshuffle", (2,), {}),
    ("Upsample", (), {"scale_factor": 2}),
    ("Upsample", (3,), {"mode": "bilinear"}),
    ("UpsamplingNearest2d", (), {"scale_factor": (2, 3)}),
    ("UpsamplingBilinear2d", ((2, 3),), {}),
    ("Fold", (4, 2), {}),
    ("Unfold", ((2, 3),), {"stride": 2}),
    ("MaxPool1d", (2,), {}),
    ("MaxPool2d", ((2, 3), 1), {"ceil_mode": True}),
    ("MaxPool3d", (2,), {"return_indices": True}),
    ("MaxUnpool2d", (2,), {}),
    ("AvgPool1d", (2,), {}),
    ("AvgPool2d", (2,), {}),
    ("AvgPool3d", (2, 3), {}),
    ("FractionalMaxPool2d", (2, 3), {}),
    ("LPPool2d", (2, 3), {}),
    ("AdaptiveMaxPool2d", ((2, None),), {}),
    ("AdaptiveAvgPool1d", (3,), {}),
    ("Embedding", (10, 3), {}),
    ("Embedding", (10, 3), {"padding_idx": -1, "max_norm": 1.0}),
    ("Embedding", (10, 3, 0, None, 1.0, True, True), {}),
    ("EmbeddingBag", (10, 3), {}),
    ("EmbeddingBag", (10, 3), {"mode": "sum", "padding_idx": 1, "max_norm": 2}),
    ("RNN", (3, 4), {}),
    ("RNN", (3, 4, 2, "relu"), {"bias": False}),
    ("LSTM", (3, 4), {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    ("LSTM", (3, 4), {"proj_size": 2}),
    ("GRU", (3, 4, 2), {"dropout": 0.5}),
    ("RNNCell", (3, 4), {"nonlinearity": "relu"}),
    ("LSTMCell", (3, 4), {}),
    ("GRUCell", (3, 4, False), {}),
    ("CircularPad1d", (1,), {}),
    ("ConstantPad2d", ((1, 2, 3, 4), 0.5), {}),
    ("ReflectionPad3d", (1,), {}),
    ("ReplicationPad1d", ((1, 2),), {}),
    ("ZeroPad2d", (1,), {}),
    ("L1Loss", (), {}),
    ("CrossEntropyLoss", (), {"label_smoothing": 0.1}),
    ("HuberLoss", ("sum", 2), {}),
    ("CTCLoss", (), {}),
    ("TripletMarginWithDistanceLoss", (), {}),
    ("AdaptiveLogSoftmaxWithLoss", (8, 20, [4, 10]), {}),
    ("LinearCrossEntropyLoss", (3, 4), {}),
    ("TransformerEncoderLayer", (8, 2, 16), {}),
    ("TransformerDecoderLayer", (8, 2, 16), {"activation": "gelu", "norm_first": True, "bias": False}),
    ("Transformer", (8, 2, 1, 1, 16), {}),
]

REFUSED = [
    ("Conv1d", (3, 4, 2), {"groups": 2}),
    ("Conv1d", (4, 3, 2), {"groups": 2}),
    ("Conv1d", (3, 4, 2), {"groups": 0}),
    ("Conv2d", (3, 4, 2), {"padding": "same", "stride": 2}),
    ("ConvTranspose1d", (3, 4, 2), {"padding_mode": "reflect"}),
    ("GroupNorm", (2, 3), {}),
    ("Dropout", (1.5,), {}),
    ("Hardtanh", (1, 0), {}),
    ("Hardtanh", (), {"min_value": -2.0}),
    ("MultiheadAttention", (5, 2), {}),
    ("MultiheadAttention", (0, 2), {}),
    ("Unflatten", (1, 3), {}),
    ("Unflatten", (1, (2.0,)), {}),
    ("FractionalMaxPool2d", (2,), {}),
    ("FractionalMaxPool2d", (2, 3, 0.5), {}),
    ("FractionalMaxPool3d", (2,), {"output_ratio": 2}),
    ("FractionalMaxPool3d", (0, 3), {}),
    ("Embedding", (3, 2, 3), {}),
    ("Embedding", (3, 2, -4), {}),
    ("EmbeddingBag", (3, 2), {"padding_idx": 5}),
    ("RNN", (3, 4), {"proj_size": 1}),
    ("RNN", (3, 4), {"nonlinearity": "x"}),
    ("LSTM", (0, 4), {}),
    ("LSTM", (3, 4.0), {}),
    ("LSTM", (3, 4), {"dropout": 2}),
    ("LSTM", (3, 4), {"dropout": 0.5}),
    ("GRU", (3, 4, 0), {}),
    ("GRU", (3, 4), {"bias": 1}),
    ("LSTM", (3, 4), {"proj_size": 4}),
    ("LSTM", (3, 4), {"proj_size": -1}),
    ("L1Loss", (True,), {}),
    ("L1Loss", (), {"reduce": False}),
    ("HuberLoss", (), {"delta": "a"}),
    ("MultiMarginLoss", (3,), {}),
    ("TripletMarginLoss", (0,), {}),
    ("NLLLoss2d", (), {}),
    ("TripletMarginWithDistanceLoss", (), {"margin": 0}),
    ("AdaptiveLogSoftmaxWithLoss", (8, 20, [4, 4]), {}),
    ("AdaptiveLogSoftmaxWithLoss", (8, 20, []), {}),
    ("Bilinear", (0, 1, 1), {}),
    ("Container", (), {}),
]


def built(module, name, args, kwargs):
    kwargs = {k: getattr(module, v) if k == "dtype" else v for k, v in kwargs.items()}
    module.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(module.nn, name)(*args, **kwargs)


@pytest.mark.parametrize("name, args, kwargs", LAYERS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(LAYERS)])
def test_weights_and_repr(name, args, kwargs):
    def program(m):
        layer = built(m, name, args, kwargs)
        state = layer.state_dict()
        return repr(layer), list(state), [n for n, _ in layer.named_parameters()], not name.startswith("Lazy") and state

    same(program, rtol=DRAWN)


@pytest.mark.parametrize("name, args, kwargs", REFUSED, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(REFUSED)])
def test_refusals(name, args, kwargs):
    same(lambda m: told(getattr(m.nn, name), *args, **kwargs), reword=as_torch)


# ---- signatures

PRIVATE = (
    "__init__",
    "__call__",
    "_load_from_state_dict",
    "_save_to_state_dict",
    "_apply",
    "_named_members",
    "_call_impl",
    "_get_name",
)
NOT_HERE = {"LinearCrossEntropyOptions"}
BY_ONE_DECORATOR = {"Container", "NLLLoss2d"}  # torch's @deprecated hides the parameters


def signature(f):
    try:
        found = inspect.signature(f)
    except (ValueError, TypeError):
        return None
    return [
        (
            p.name,
            p.kind.name,
            "-" if p.default is p.empty else repr(p.default).split(" at 0x")[0].replace("lucid.", "torch."),
        )
        for p in found.parameters.values()
    ]


def public_members(module):
    for name in sorted(dir(module)):
        value = getattr(module, name)
        home = getattr(value, "__module__", "")
        if (
            not name.startswith("_")
            and name not in NOT_HERE
            and (home == module.__name__ or module is torch.nn and home.startswith("torch.nn"))
        ):
            yield name, value


def test_signatures():
    wrong = []
    for path in (
        "nn",
        "nn.init",
        "nn.parameter",
        "nn.utils.parametrizations",
        "nn.utils.parametrize",
        "nn.utils.clip_grad",
    ):
        theirs = __import__("torch." + path, fromlist=["x"])
        ours = __import__("lucid." + path, fromlist=["x"])
        for name, value in public_members(theirs):
            mine = getattr(ours, name, None)
            if isinstance(value, types.FunctionType):
                pairs = [(name, value, mine)]
            else:
                methods = (
                    [n for n in vars(value) if not n.startswith("_") or n in PRIVATE] if name != "DataParallel" else []
                )
                pairs = [
                    (name, value, mine),
                    *[
                        (f"{name}.{n}", getattr(value, n), getattr(mine, n, None))
                        for n in methods
                        if inspect.isfunction(getattr(value, n)) or inspect.ismethod(getattr(value, n))
                    ],
                ]
            wrong += [
                (label, signature(a), b and signature(b))
                for label, a, b in pairs
                if label.split(".")[0] not in BY_ONE_DECORATOR and (b is None or signature(a) != signature(b))
            ]
    assert not wrong


# ---- nn.init

FILLS = [
    ("uniform_", (), (5, 7)),
    ("uniform_", (-2, 3.5), (100,)),
    ("normal_", (1.0, 2.0), (5, 7)),
    ("normal_", (), (3,)),
    ("trunc_normal_", (), (50, 3)),
    ("trunc_normal_", (0.0, 0.02), (20, 20)),
    ("trunc_normal_", (0.0, 1.0, 1.5, 3.0), (40, 3)),
    ("trunc_normal_", (0.0, 1.0, 3.0, 4.0), (7,)),
    ("constant_", (3,), (2, 2)),
    ("ones_", (), (3,)),
    ("zeros_", (), (3,)),
    ("eye_", (), (3, 4)),
    ("eye_", (), (3,)),
    ("dirac_", (), (4, 2, 3)),
    ("dirac_", (2,), (6, 2, 3, 3)),
    ("dirac_", (4,), (6, 2, 3)),
    ("dirac_", (), (3, 2, 1, 2, 2)),
    ("dirac_", (), (3, 2)),
    ("xavier_uniform_", (), (5, 7)),
    ("xavier_uniform_", (2.0,), (5, 7, 3)),
    ("xavier_uniform_", (), (5,)),
    ("xavier_normal_", (), (30, 7)),
    ("kaiming_uniform_", (), (5, 7)),
    ("kaiming_uniform_", (), (0, 7)),
    ("kaiming_uniform_", (0.1, "fan_out", "leaky_relu"), (5, 7)),
    ("kaiming_uniform_", (0, "FAN_OUT", "relu"), (5, 7)),
    ("kaiming_normal_", (0, "fan_in", "tanh"), (50, 7)),
    ("kaiming_normal_", (0, "bad"), (5, 7)),
    ("kaiming_normal_", (0, "fan_in", "bad"), (5, 7)),
    ("sparse_", (0.3,), (10, 4)),
    ("sparse_", (0.3,), (10,)),
    ("orthogonal_", (), (3,)),
    ("uniform", (), (3,)),
    ("kaiming_normal", (), (3, 4)),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name, args, shape", FILLS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(FILLS)])
def test_init(name, args, shape, dtype):
    def program(m):
        t = m.nn.Parameter(m.zeros(shape, dtype=getattr(m, dtype)))
        result, *warned = told(getattr(m.nn.init, name), t, *args)
        return result is t or result, warned, t

    same(program, rtol=DRAWN)


def test_gain():
    for name in ("linear", "conv_transpose3d", "sigmoid", "tanh", "relu", "selu", "leaky_relu", "x"):
        for param in (None, 0.2, 3, True, "a"):
            same(lambda m, given=(name, param): told(m.nn.init.calculate_gain, *given))


# ---- nn.utils


def grads(m):
    ps = [m.nn.Parameter(m.zeros(2, 3)), m.nn.Parameter(m.zeros(4)), m.nn.Parameter(m.zeros(1))]
    ps[0].grad, ps[1].grad = m.arange(6.0).reshape(2, 3), -m.arange(4.0)
    return ps


@pytest.mark.parametrize("norm_type", [2.0, 1, float("inf"), 3, 0])
def test_clip_grad_norm(norm_type):
    def program(m):
        ps = grads(m)
        return m.nn.utils.clip_grad_norm_(ps, 1.5, norm_type), [p.grad for p in ps]

    same(program, rtol=1e-5)


def test_clip_the_rest():
    def program(m):
        u, ps = m.nn.utils, grads(m)
        u.clip_grad_value_(ps, 2)
        yield [p.grad for p in ps[:2]], u.get_total_norm([]), u.clip_grad_norm_([], 1.0)
        yield told(u.clip_grad_norm_, iter(()), 1.0), told(u.clip_grad_norm_, (p for p in ()), 1.0)
        ps[0].grad.fill_(float("nan"))
        yield told(u.clip_grad_norm_, ps, 1.0, error_if_nonfinite=True)
        vec = u.parameters_to_vector(ps)
        u.vector_to_parameters(m.arange(11.0), ps)
        yield vec, ps, told(u.vector_to_parameters, 3, ps)

    same(program, reword=as_torch)


def test_fuse_conv_bn():
    for m in BOTH:
        m.manual_seed(0)
        conv, bn = m.nn.Conv2d(2, 3, 2), m.nn.BatchNorm2d(3)
        bn(m.rand(4, 3, 5, 5))
        conv.eval(), bn.eval()
        x = m.rand(1, 2, 4, 4)
        both = m.nn.utils.fuse_conv_bn_eval(conv, bn)
        assert m.allclose(both(x), bn(conv(x)), atol=1e-6) and isinstance(both.weight, m.nn.Parameter)


def test_skip_init():
    m = lucid.nn.utils.skip_init(lucid.nn.Linear, 3, 4)
    assert m.weight.shape == (4, 3) and m.weight.device.type == "cpu"
    same(lambda m: [error(m.nn.utils.skip_init, kind) for kind in (int, m.nn.ReLU)], reword=as_torch)


def run_parametrizations(m, show):
    """Registering, accessing, assigning, removing; the values that torch gives."""
    nn, P = m.nn, m.nn.utils.parametrize

    class Double(nn.Module):
        def forward(self, x):
            return x * 2

        def right_inverse(self, x):
            return x / 2

    class Split(nn.Module):
        def forward(self, a, b):
            return a + b

        def right_inverse(self, x):
            return x / 2, x / 2

    lin = nn.Linear(2, 1)
    nn.init.ones_(lin.weight)
    P.register_parametrization(lin, "weight", Double())
    show(lin, type(lin).__name__, lin.weight.tolist(), lin.parametrizations.weight.original.tolist())
    lin.weight = m.full((1, 2), 6.0)
    show(
        lin.parametrizations.weight.original.tolist(),
        list(lin.state_dict()),
        P.is_parametrized(lin),
        P.is_parametrized(lin, "bias"),
    )
    P.register_parametrization(lin, "weight", Double())
    show(lin.weight.tolist(), P.type_before_parametrizations(lin).__name__)
    P.register_parametrization(lin, "bias", Split())
    show([n for n, _ in lin.named_parameters()])
    with P.cached():
        show(lin.weight is lin.weight)
    show(lin.weight is lin.weight)
    out = lin(m.ones(1, 2)).sum()
    out.backward()
    show(lin.parametrizations.weight.original.grad.tolist())
    P.remove_parametrizations(lin, "weight")
    show(lin.weight.tolist(), P.is_parametrized(lin), isinstance(lin.weight, nn.Parameter))
    P.remove_parametrizations(lin, "bias")
    show(lin, type(lin).__name__, [n for n, _ in lin.named_parameters()])

    class Bad(nn.Module):
        def forward(self, x):
            return x[:1, :1]

    for f in (
        lambda: P.register_parametrization(lin, "weight", Bad()),
        lambda: P.register_parametrization(lin, "nope", Bad()),
        lambda: P.remove_parametrizations(lin, "weight"),
        lambda: P.ParametrizationList([], lin.weight),
    ):
        show.tried(f)


@pytest.mark.parametrize("program", [run_parametrizations])
def test_programs(program):
    same(shown, program)


PADDINGS = ([[0, 0, 0]] * 2, [[0, 0, 1], [0, 1, 1]], [[1, 1, 1], [0, 0, 0]], [[1, 1, 1]] * 2, None)
HIDDEN = ([[0, 1, 1], [0, 0, 1], [0, 0, 0]], [[1, 1, 1], [0, 0, 0], [0, 0, 0]], None)


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("training", [False, True])
def test_queries_without_keys(padding, hidden, training):
    """Masks of truth values that hide every key: nan in fused attention and with weights, 0 without."""

    def program(m):
        m.manual_seed(0)
        attention = m.nn.MultiheadAttention(4, 2, batch_first=True).train(training)
        layer = m.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True).train(training)
        x = m.randn(2, 3, 4)
        bools = [None if t is None else m.tensor(t, dtype=m.bool) for t in (padding, hidden)]
        for recording in (False, True):
            with m.set_grad_enabled(recording):
                masks = {"key_padding_mask": bools[0], "attn_mask": bools[1]}
                yield from attention(x, x, x, **masks)
                yield attention(x, x, x, need_weights=False, **masks)[0]
                yield layer(x, src_mask=bools[1], src_key_padding_mask=bools[0])

    same(program, rtol=1e-4, atol=1e-5, looks="")
