"""Layers and helpers of torch.nn, utils.data, func and distributions that torch's tables leave out."""

import pytest
from both import as_torch, same_outcome


def weights(m, module):
    """The same numbers in every parameter of a module, on both libraries."""
    with m.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(m.linspace(-0.5, 0.6, p.numel()).reshape(p.shape) * (1 + i % 3))
    return module


PROGRAMS = {
    "DataParallel": lambda m: m.nn.DataParallel(weights(m, m.nn.Linear(3, 2)))(m.ones(4, 3)),
    "LazyBatchNorm2d": lambda m: lazy(m, m.nn.LazyBatchNorm2d(), m.ones(2, 3, 4, 4)),
    "LazyBatchNorm3d": lambda m: lazy(m, m.nn.LazyBatchNorm3d(affine=False), m.ones(2, 3, 2, 2, 2)),
    "LazyInstanceNorm2d": lambda m: lazy(m, m.nn.LazyInstanceNorm2d(affine=True), m.ones(2, 3, 4, 4)),
    "LazyInstanceNorm3d": lambda m: lazy(m, m.nn.LazyInstanceNorm3d(), m.ones(2, 3, 2, 2, 2)),
    "LazyBatchNorm2d of another rank": lambda m: m.nn.LazyBatchNorm2d()(m.ones(2, 3)),
    "LazyInstanceNorm2d of another rank": lambda m: m.nn.LazyInstanceNorm2d()(m.ones(2)),
    "RNNBase": lambda m: rnn_base(m),
    "RNNBase of an unknown mode": lambda m: m.nn.RNNBase("nothing", 2, 3),
    "RNNBase with a float": lambda m: m.nn.RNNBase("GRU", 2, 3.0),
    "RNNBase with no dropout to do": lambda m: m.nn.RNNBase("GRU", 2, 3, dropout=2.0),
    "RNNCellBase": lambda m: [(n, p.shape) for n, p in m.nn.RNNCellBase(2, 3, True, 4).named_parameters()],
    "TransformerDecoder": lambda m: decoder(m),
    "UninitializedBuffer": lambda m: uninitialized(m),
    "factory_kwargs": lambda m: sorted(
        m.nn.factory_kwargs({"device": "cpu", "dtype": m.float64, "factory_kwargs": {}})
    ),
    "factory_kwargs of others": lambda m: m.nn.factory_kwargs({"nothing": 1}),
    "factory_kwargs twice": lambda m: m.nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}}),
    "clip_grad_norm": lambda m: clipped(m, lambda ps: m.nn.utils.clip_grad_norm(ps, 1.0)),
    "clip_grads_with_norm_": lambda m: clipped(m, lambda ps: m.nn.utils.clip_grads_with_norm_(ps, 1.0, m.tensor(4.0))),
    "get_total_norm": lambda m: m.nn.utils.get_total_norm([m.ones(2), m.ones(3) * 2], 3.0),
    "convert_conv2d_weight_memory_format": lambda m: [
        p.stride()
        for p in m.nn.utils.convert_conv2d_weight_memory_format(m.nn.Conv2d(4, 3, 2), m.channels_last).parameters()
    ],
    "convert_conv3d_weight_memory_format": lambda m: [
        p.stride()
        for p in m.nn.utils.convert_conv3d_weight_memory_format(m.nn.Conv3d(4, 3, 2), m.channels_last_3d).parameters()
    ],
    "fuse_conv_bn_weights": lambda m: m.nn.utils.fuse_conv_bn_weights(
        m.ones(3, 2, 2, 2), None, m.arange(3.0), m.arange(3.0) + 1, 1e-3, m.arange(3.0), None
    ),
    "fuse_conv_bn_weights transposed": lambda m: m.nn.utils.fuse_conv_bn_weights(
        m.ones(2, 3, 2, 2), m.ones(3), m.arange(3.0), m.arange(3.0) + 1, 1e-3, None, m.ones(3), transpose=True
    ),
    "fuse_linear_bn_weights": lambda m: m.nn.utils.fuse_linear_bn_weights(
        m.ones(3, 2), m.ones(3), m.arange(3.0), m.arange(3.0) + 1, 1e-3, m.arange(3.0), m.ones(3)
    ),
    "fuse_linear_bn_eval": lambda m: m.nn.utils.fuse_linear_bn_eval(
        weights(m, m.nn.Linear(3, 2)).eval(), weights(m, m.nn.BatchNorm1d(2)).eval()
    )(m.ones(4, 3)),
    "fuse_linear_bn_eval in training": lambda m: m.nn.utils.fuse_linear_bn_eval(m.nn.Linear(3, 2), m.nn.BatchNorm1d(2)),
    "replace_all_batch_norm_modules_": lambda m: [
        (type(x).__name__, getattr(x, "running_mean", 0), getattr(x, "track_running_stats", 0))
        for x in m.func.replace_all_batch_norm_modules_(
            m.nn.Sequential(m.nn.Linear(2, 3), m.nn.BatchNorm1d(3))
        ).modules()
    ],
    "OneHotCategoricalStraightThrough": lambda m: straight_through(m),
    "DataChunk": lambda m: chunk(m),
    "guaranteed_datapipes_determinism": lambda m: deterministic(m),
    "runtime_validation": lambda m: validated(m),
    "argument_validation": lambda m: argument(m, [3]),
    "argument_validation of another type": lambda m: argument(m, 3),
    "BroadcastingList": lambda m: broadcasting(m.nn.functional),
}


def broadcasting(F):
    return F.BroadcastingList1[int] is None, F.BroadcastingList2[int] is None, F.BroadcastingList3[int] is None


def lazy(m, module, x):
    names = [n for n, _ in module.named_parameters()], type(module).__name__
    y = module(x + m.arange(x.shape[-1]))
    return names, type(module).__name__, y, [tuple(p.shape) for p in module.parameters()], list(module.state_dict())


def rnn_base(m):
    module = m.nn.RNNBase("GRU", 2, 3, num_layers=2, bidirectional=True, batch_first=True)
    return [(n, p.shape) for n, p in module.named_parameters()], module.all_weights[0][0].shape, as_torch(repr(module))


def decoder(m):
    layer = m.nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0)
    stack = weights(m, m.nn.TransformerDecoder(layer, 2, m.nn.LayerNorm(4)))
    target, memory = m.linspace(0, 1, 24).reshape(3, 2, 4), m.linspace(-1, 1, 32).reshape(4, 2, 4)
    mask = m.nn.Transformer.generate_square_subsequent_mask(3)
    return stack(target, memory), stack(target, memory, tgt_mask=mask), len(stack.layers)


def uninitialized(m):
    made = m.nn.UninitializedBuffer()
    yield type(made).__name__, made.requires_grad, isinstance(made, m.nn.Buffer), m.nn.parameter.is_lazy(made)
    made.materialize((2, 3))
    yield type(made).__name__, made.shape, made.dtype
    yield m.nn.UninitializedBuffer().shape


def clipped(m, clip):
    ps = [m.ones(2, requires_grad=True), m.ones(3, requires_grad=True)]
    for i, p in enumerate(ps):
        p.grad = m.full_like(p, 2.0 + i)
    return clip(ps), [p.grad for p in ps]


def straight_through(m):
    D = m.distributions
    logits = m.tensor([[0.1, 0.5, 0.4], [1.0, -1.0, 0.0]], requires_grad=True)
    d = D.OneHotCategoricalStraightThrough(logits=logits)
    sample = d.rsample()
    yield sample, d.log_prob(sample.detach().round()), d.has_rsample
    yield m.autograd.grad((sample * m.arange(3.0)).sum(), logits)


def chunk(m):
    made = m.utils.data.DataChunk([3, 4])
    return repr(made), list(made), len(made), made.as_str("  "), list(made.raw_iterator())


def deterministic(m):
    U = m.utils.data

    @U.non_deterministic
    class Shaky(U.IterDataPipe):
        def __iter__(self):
            yield 1

    yield list(Shaky())
    with U.guaranteed_datapipes_determinism():
        Shaky()


def validated(m):
    U = m.utils.data

    class Pipe(U.IterDataPipe[int]):
        def __init__(self, things):
            self.things = things

        def __iter__(self):
            yield from self.things

    class Places(U.MapDataPipe[str]):
        def __getitem__(self, i):
            return str(i)

    yield list(Pipe([1, 2])), Places()[3], callable(U.runtime_validation)
    with U.runtime_validation_disabled():
        yield list(Pipe([1, "a"]))


def argument(m, given):
    U = m.utils.data

    class Pipe(U.IterDataPipe):
        @U.argument_validation
        def __init__(self, source: "list"):
            self.source = source

    return Pipe(given).source


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    def program(m):
        result = PROGRAMS[name](m)
        return list(result) if hasattr(result, "__next__") else result

    same_outcome(program, rtol=2e-6, atol=2e-6, looks="requires_grad", quiet=True, reword=as_torch, text=40)
