"""nn.utils against torch's: packed sequences, weight and spectral norm, parametrizations; and CrossMapLRN2d."""

import pytest
from both import same, shown

import lucid

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def rounded(t, places=4):
    return [round(x, places) + 0.0 for x in t.detach().flatten().tolist()]


@program
def sequences(m, show):
    r = m.nn.utils.rnn
    parts = [m.arange(6.0).reshape(3, 2).requires_grad_(), m.ones(1, 2), m.full((2, 2), 5.0)]
    for first in (True, False):
        for side in ("left", "right", "x"):
            show.tried(lambda first=first, side=side: r.pad_sequence(parts, first, -1, side).tolist())
    padded = r.pad_sequence(parts)
    padded.sum().backward()
    show(parts[0].grad.tolist(), type(padded.grad_fn).__name__)
    packed = r.pack_sequence(parts, enforce_sorted=False)
    show(packed, packed.data.grad_fn.name(), type(packed).__name__, packed.double().data.dtype, packed.cpu() is packed)
    plain = r.pack_padded_sequence(m.arange(12.0).reshape(2, 3, 2), [3, 2], batch_first=True)
    for f in (
        lambda: r.pad_sequence([]),
        lambda: r.pad_sequence(3),
        lambda: r.pad_sequence(m.ones(2, 3)).shape,
        lambda: r.pack_sequence(parts),
        lambda: [x.tolist() for x in r.unpack_sequence(packed)],
        lambda: [x.tolist() for x in r.pad_packed_sequence(packed, True, 9, 5)],
        lambda: r.pad_packed_sequence(packed, total_length=1),
        lambda: plain,
        lambda: r.pack_padded_sequence(m.ones(2, 3, 2), [2, 3], True),
        lambda: r.pack_padded_sequence(m.ones(2, 3, 2), [3, 0], True),
        lambda: r.pack_padded_sequence(m.ones(2, 3, 2), [3, 2, 1], True),
        lambda: r.invert_permutation(m.tensor([2, 0, 1])).tolist(),
    ):
        show.tried(f)
    (packed.data * packed.data).sum().backward()
    show(parts[0].grad.tolist())


@program
def weight_norm(m, show):
    for norm in (m.nn.utils.weight_norm, m.nn.utils.parametrizations.weight_norm):
        for dim in (0, 1, None):
            m.manual_seed(1)
            layer = norm(m.nn.Linear(3, 4), "weight", dim)
            y = layer(m.ones(2, 3))
            y.sum().backward()
            show(layer, list(layer.state_dict()), rounded(y), [rounded(p.grad) for p in layer.parameters()])
            show(type(layer.weight.grad_fn).__name__)
    old, new = m.nn.utils.weight_norm(m.nn.Linear(3, 4)), m.nn.utils.parametrizations.weight_norm(m.nn.Linear(3, 4))
    show(new.load_state_dict(old.state_dict()), bool((new.weight == old.weight).all()))
    show.tried(lambda: m.nn.utils.weight_norm(old))
    m.nn.utils.remove_weight_norm(old)
    show([n for n, _ in old.named_parameters()])
    show.tried(lambda: m.nn.utils.remove_weight_norm(old))


@program
def spectral_norm(m, show):
    layers = (
        (lambda: m.nn.Linear(3, 4), (1, 3)),
        (lambda: m.nn.ConvTranspose2d(2, 3, 2), (1, 2, 3, 3)),
        (lambda: m.nn.Conv1d(2, 3, 2), (1, 2, 4)),
    )
    for norm in (m.nn.utils.spectral_norm, m.nn.utils.parametrizations.spectral_norm):
        for make, shape in layers:
            m.manual_seed(2)
            layer = norm(make())
            show(list(layer.state_dict()))
            show.tried(lambda layer=layer, norm=norm: norm(layer, n_power_iterations=0))
            layer(m.ones(shape))
            y = layer(m.ones(shape))
            y.sum().backward()
            show(rounded(y), [rounded(p.grad) for p in layer.parameters()])
            layer.eval()
            show(rounded(layer(m.ones(shape))), layer.state_dict()._metadata)
            show(norm(make()).load_state_dict(layer.state_dict()))
    layer = m.nn.utils.spectral_norm(m.nn.Linear(3, 4))
    m.nn.utils.remove_spectral_norm(layer)
    show(len(layer._state_dict_hooks), len(layer._forward_pre_hooks), list(layer.state_dict()))
    show.tried(lambda: m.nn.utils.remove_spectral_norm(layer))


@program
def orthogonal(m, show):
    for kind in ("matrix_exp", "cayley"):
        for shape in ((3, 3), (4, 2), (2, 4)):
            for base in (True, False):
                m.manual_seed(2)
                layer = m.nn.utils.parametrizations.orthogonal(
                    m.nn.Linear(*shape), orthogonal_map=kind, use_trivialization=base
                )
                layer.weight.sum().backward()
                show(layer, rounded(layer.weight, 3), rounded(layer.parametrizations.weight.original.grad, 3))
    for f in (
        lambda: m.nn.utils.parametrizations.orthogonal(m.nn.Linear(2, 2), "bias"),
        lambda: m.nn.utils.parametrizations.orthogonal(m.nn.Linear(2, 2), orthogonal_map="x"),
        lambda: m.nn.utils.parametrizations.orthogonal(m.nn.Linear(2, 2), "nope"),
    ):
        show.tried(f)


@program
def cross_map_lrn(m, show):
    for size in (2, 3, 5):
        for channels in (1, 3, 7):
            x = m.linspace(-2, 2, 2 * channels * 4, dtype=m.float64).reshape(2, channels, 2, 2).requires_grad_()
            y = m.nn.CrossMapLRN2d(size, alpha=0.3, beta=0.75, k=1.5)(x)
            (y * y).sum().backward()
            show(rounded(y, 10), rounded(x.grad, 10))
    show.tried(lambda: m.nn.CrossMapLRN2d(2)(m.ones(2, 3)))


@program
def encoder_without_padding(m, show):
    """A TransformerEncoder in evaluation mode clears padded places; in training it does not."""
    m.manual_seed(0)
    layer = m.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
    encoder = m.nn.TransformerEncoder(layer, 2)
    x = m.arange(24.0).reshape(2, 3, 4) / 10
    for padding in ([[False, False, True], [False, False, False]], [[True, False, False], [False, False, False]]):
        padding = m.tensor(padding)
        show(rounded(encoder.train()(x, src_key_padding_mask=padding)))
        with m.no_grad():
            show(rounded(encoder.eval()(x, src_key_padding_mask=padding), 3))
    causal = m.nn.Transformer.generate_square_subsequent_mask(3)
    show(causal.tolist(), rounded(encoder(x, mask=causal)), rounded(encoder(x, mask=causal, is_causal=True)))


@pytest.mark.parametrize("run", PROGRAMS, ids=[f.__name__ for f in PROGRAMS])
def test_same_as_torch(run):
    same(shown, run, quiet=True)


def test_gradients_of_weight_norm():
    for dim in (0, 1, 2):
        v = lucid.linspace(-1, 2, 24, dtype=lucid.float64).reshape(2, 3, 4).requires_grad_()
        g = (lucid.norm_except_dim(v.detach(), 2, dim) + 0.3).requires_grad_()
        assert lucid.autograd.gradcheck(lambda v, g, dim=dim: lucid._weight_norm(v, g, dim), (v, g))
        assert lucid.autograd.gradgradcheck(lambda v, g, dim=dim: lucid._weight_norm(v, g, dim), (v, g))
