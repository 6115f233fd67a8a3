"""Names that torch's tables have no samples for, in one-line programs: each gives (or raises) the same on both.

In a line `m` is the library, `F` its nn.functional, and x (2, 4, 6), y (4, 4), c (2, 4, 6, 6) and v (5,) are tensors
that require gradients; a result's gradient is compared where it has one.
"""

import warnings

import pytest
from both import as_torch, same_outcome


def tensors(m):
    """What the lines below are written with."""
    made = {
        name: m.linspace(-1.5, 2.0, size).reshape(shape).requires_grad_()
        for name, size, shape in (("x", 48, (2, 4, 6)), ("y", 16, (4, 4)), ("c", 288, (2, 4, 6, 6)), ("v", 5, (5,)))
    }
    i = m.tensor([3, 6, 10, 12])
    return made | {"m": m, "F": m.nn.functional, "i": i, "j": m.tensor([2, 4, 15, 18]), "t": m.arange(4.0)}


# torch.* functions whose nn.functional form is in the tables, kernels of layers, and copies.
FUNCTIONS = """
m.adaptive_max_pool1d(x, 2)
m.affine_grid_generator(x[:, :2, :3], [2, 4, 3, 3], True)
m.affine_grid_generator(m.zeros(2, 3, 4), [2, 4, 2, 3, 3], False)
m.alpha_dropout(x, 0.5, True)
m.alpha_dropout(x, 0.5, False)
m.alpha_dropout_(x.clone(), 0.5, True)
m.dropout(x, 0.5, True)
m.dropout(x, 1.5, True)
m.dropout_(x.clone(), 0.5, True)
m.feature_dropout(c, 0.5, True)
m.feature_dropout_(c.clone(), 0.5, True)
m.feature_alpha_dropout(c, 0.5, True)
m.feature_alpha_dropout_(c.clone(), 0.5, True)
m.native_dropout(x, 0.5, True)
m.bartlett_window(5), m.bartlett_window(6, periodic=False)
m.blackman_window(5), m.blackman_window(6, False, dtype=m.float64)
m.hamming_window(5), m.hamming_window(6, False, 0.5, 0.4)
m.hann_window(5), m.hann_window(1), m.hann_window(0)
m.kaiser_window(5), m.kaiser_window(6, False, 8.0)
m.batch_norm(x, t + 1, t, None, None, True, 0.1, 1e-5, False)
m.batch_norm(x, None, None, t, t + 1, False, 0.1, 1e-5, True)
[m.batch_norm(x, None, None, (a := m.zeros(4)), (b := m.ones(4)), True, 0.3, 1e-5, False), a, b]
[m.batch_norm_update_stats(x.detach(), (a := m.zeros(4)), (b := m.ones(4)), 0.3), a, b]
m.batch_norm_update_stats(x.detach(), None, None, 0.1)
m.batch_norm_update_stats(m.ones(0, 3), None, None, 0.1)
m.binary_cross_entropy_with_logits(x, x.sigmoid().detach())
m.binary_cross_entropy_with_logits(x, x.sigmoid().detach(), None, m.ones(6) * 2, 2)
m.celu_(x.clone(), 0.5), m.selu_(x.clone())
m.rrelu_(x.clone(), 0.1, 0.3, False)
m.rrelu_(x.clone(), 0.1, 0.3, True)
m.conv_tbc(x.detach(), m.ones(3, 6, 2), m.ones(2), 1), m.conv_tbc(x.detach(), m.ones(3, 6, 2), m.ones(2)).shape
m.conv_tbc(x, m.ones(4, 6, 2), m.ones(2))
m.convolution(c, m.ones(2, 4, 3, 3), None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
m.convolution(c, m.ones(4, 2, 3, 3), None, [2, 2], [1, 1], [1, 1], True, [1, 1], 1)
m.cosine_embedding_loss(y, y.flip(0), m.tensor([1, -1, 1, -1]), 0.1, 1)
m.ctc_loss(x.log_softmax(2), m.tensor([[1, 2]] * 4), m.tensor([2] * 4), m.tensor([1] * 4), 0, 2, False)
m.detach_copy(x.detach()), m.select_copy(x, 1, 2), m.slice_copy(x, 2, 1, 5, 2), m.split_copy(x, 3, 2)
m.view_as_real_copy(m.ones(2, dtype=m.complex64)), m.view_as_complex_copy(x.detach()[..., :2].contiguous())
x.clone().detach_().requires_grad, m.detach_(x.clone()).requires_grad
m.embedding_bag(y, m.tensor([0, 2, 1]), m.tensor([0, 2]))[0]
m.embedding_bag(y, m.tensor([0, 2, 1]), m.tensor([0, 2]), False, 1)[0]
m.embedding_renorm_(y.detach().clone(), m.tensor([0, 3]), 1.0, 2.0)
m.frobenius_norm(y, [0, 1]), m.frobenius_norm(x, [1], True)
m.gcd_(i.clone(), m.tensor([2, 4, 4, 8])), m.lcm_(i.clone(), m.tensor([2, 4, 4, 8]))
i.clone().gcd_(j), i.clone().lcm_(j), (i > 4).bitwise_not_(), i.clone().bitwise_not_()
m.grid_sampler(c, m.zeros(2, 3, 3, 2), 0, 0, False), m.grid_sampler(c, m.ones(2, 3, 3, 2) * 1.4, 1, 1, True)
m.group_norm(x, 2), m.group_norm(x, 2, t, t, 1e-3)
m.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, True)
m.instance_norm(x, t, t, t, t + 1, False, 0.1, 1e-5, True)
m.rms_norm(x, [6]), m.rms_norm(x, [4, 6], None, 1e-3)
m.hinge_embedding_loss(x, x.sign().detach(), 1.5, 1), m.hinge_embedding_loss(x, x.sign().detach())
m.kl_div(x, x.exp().detach()), m.kl_div(x, x.detach(), 2, log_target=True)
m.margin_ranking_loss(v, v.flip(0), m.ones(5), 0.1), m.margin_ranking_loss(v, v, m.ones(5), 0.5, 2)
m.poisson_nll_loss(x, x.exp().detach(), True, False, 1e-8, 1)
m.poisson_nll_loss(x.exp(), x.exp().detach(), False, True, 1e-8, 2)
m.triplet_margin_loss(y, y.flip(0), y.flip(1)), m.triplet_margin_loss(y, y.flip(0), y.flip(1), 2.0, 1.0, 1e-6, True, 2)
m.max_pool1d(x, 2), m.max_pool1d(x, 3, 2, 1, 1, True), m.max_pool1d_with_indices(x, 3, 2)
m.max_pool2d(c, 2), m.max_pool2d(c, (3, 2), 1, 1, 1, True), m.max_pool3d(c, 2), m.max_pool3d(c, 3, 2, 1)
m.native_channel_shuffle(c.detach(), 2), F.native_channel_shuffle(c.detach(), 2)
m.istft(m.stft(x.reshape(2, 24), 8, 2, window=m.hann_window(8), return_complex=True), 8, 2, window=m.hann_window(8))
x.reshape(2, 24).stft(8, 2, window=m.ones(8), return_complex=True).istft(8, 2, window=m.ones(8))
m.gru_cell(m.ones(2, 3), y[:2, :2], m.ones(6, 3) / 3, m.ones(6, 2) / 4), m.rnn_relu_cell(y, y, y, y), m.rnn_tanh_cell(y, y, y, y, t, t)
m.gru(x, y[None, :, :2] * 1.0, [m.ones(6, 6) / 9, m.ones(6, 2) / 4], False, 1, 0.0, False, False, False)
m.rnn_tanh(x, m.zeros(1, 4, 2), [m.ones(2, 6) / 9, m.ones(2, 2) / 4, m.ones(2), m.ones(2)], True, 1, 0.0, False, False, False)
m.rnn_relu(x, m.zeros(1, 2, 2), [m.ones(2, 6) / 9, m.ones(2, 2) / 4], False, 1, 0.0, False, False, True)
m.lstm(x, (m.zeros(1, 4, 2), m.ones(1, 4, 2)), [m.ones(8, 6) / 9, m.ones(8, 2) / 4], False, 1, 0.0, False, False, False)
m.resize_as_(m.arange(6.0), m.ones(2, 2)), m.resize_as_(m.arange(6.0), m.ones(2, 3))
m.segment_reduce(v, "sum", lengths=m.tensor([2, 3])), m.segment_reduce(v, "max", offsets=m.tensor([0, 2, 5]))
m.slogdet(y + m.eye(4) * 3), m.unsafe_split_with_sizes(x, [2, 4], 2), x.unsafe_split_with_sizes([1, 3], 1)
m.triu_indices(3, 4), m.triu_indices(3, 3, 1, dtype=m.int32), m.triu_indices(0, 2)
m.triu_indices(-1, 2)
m.tril_indices(2, -1)
m.zero_(y.detach().clone()), m.zero_(y)
F.adaptive_max_pool1d_with_indices(x, 2), F.adaptive_max_pool2d_with_indices(c, 2), F.adaptive_max_pool3d_with_indices(c, 2)
F.max_pool1d_with_indices(x, 2), F.max_pool2d_with_indices(c, 3, 2, 1), F.max_pool3d_with_indices(c, 2)
F.fractional_max_pool2d_with_indices(c, 2, 3, _random_samples=m.ones(2, 4, 2) / 3)
F.fractional_max_pool3d_with_indices(c, 2, 2, _random_samples=m.ones(1, 2, 3) / 3)
F.fractional_max_pool3d(c, 2, 2, _random_samples=m.ones(1, 2, 3) / 3)
F.lp_pool3d(c.abs(), 2.0, 2), F.dropout1d(x, 0.5, True), F.dropout1d(x, 0.5, False), F.dropout1d(v)
F.celu_(x.clone()), F.selu_(x.clone()), F.rrelu_(x.clone()), F.conv_tbc(x.detach(), m.ones(2, 6, 2), m.ones(2), 1)
F.assert_int_or_pair(3, "a", "{}"), F.assert_int_or_pair((3, 4), "a", "{}"), F.assert_int_or_pair((3,), "a", "no {}")
m.nn.MaxUnpool1d(2)(*F.max_pool1d_with_indices(x, 2)), m.nn.MaxUnpool3d(2)(*F.max_pool3d_with_indices(c, 2))
m.special.gammaincc(x.detach().abs() + 1, m.ones(6)), m.fft.fftfreq(5, 0.5), m.fft.fftfreq(4), m.fft.rfftfreq(5), m.fft.rfftfreq(4, 2.0)
x.detach().sigmoid().polygamma_(1), m.ones(3).polygamma_(-1)
m.slice_inverse(y.detach()[1:3], y.detach(), 0, 1, 3, 1), y.detach()[1:3].slice_inverse(y.detach(), 0, 1, 3, 1)
m.sym_max(2, 3.0), m.sym_min(2, 3.0), m.sym_float(2), m.sym_not(True), m.sym_ite(True, 1, 2), m.sym_sum([1, 2, 3]), m.sym_sqrt(4)
m.sym_sqrt(-1.0)
m.sym_constrain_range(3, min=1, max=5), m.sym_constrain_range_for_size(3, min=0, max=5), m.sym_fresh_size(3)
m.sym_constrain_range(7, min=1, max=5)
m.sym_constrain_range(7, min=8, max=5)
m.sym_constrain_range("a")
m.sym_constrain_range_for_size(-1)
m.sym_constrain_range_for_size(1, max=2)
m.sym_constrain_range_for_size("a")
""".strip().splitlines()

SPARSE = """
m.crow_indices_copy(r), m.col_indices_copy(r), m.values_copy(r), m.ccol_indices_copy(k), m.row_indices_copy(k)
m.ccol_indices_copy(r)
m.values_copy(e)
m.indices_copy(e)
m.crow_indices_copy(e)
m.indices_copy(s)
m.values_copy(s)
m.crow_indices_copy(r, out=m.empty(0, dtype=m.int64))
m.saddmm(s, s, e).to_dense()
m.saddmm(s, s, e, beta=2, alpha=3).to_dense()
m.sparse.FloatTensor(m.tensor([[0, 1]]), m.tensor([2.0, 3.0]), m.Size([3])).to_dense()
m.sparse.DoubleTensor(m.tensor([[0, 1]]), m.tensor([2.0, 3.0]).double(), m.Size([3])).to_dense()
""".strip().splitlines()

# What tensors and the library say of themselves.
QUESTIONS = """
[y.is_ipu, y.is_maia, y.is_mkldnn, y.is_mps, y.is_mtia, y.is_vulkan, y.is_xla, y.is_xpu, y.grad_dtype]
m.FileCheck is m.testing.FileCheck, type(m.get_num_interop_threads()), m.set_flush_denormal(False), m.get_file_path("a")[-1:]
m.DisableTorchFunction.__name__ + m.DisableTorchFunctionSubclass.__name__ + m.SymInt.__name__ + m.SymFloat.__name__ + m.SymBool.__name__
y.module_load(m.ones(4, 4)).sum()
y.get_device(), m.get_device(y), y.is_distributed(), m.is_distributed(y), y.is_same_size(m.ones(4, 4)), m.is_same_size(y, v)
m.is_signed(y), m.is_signed(i), m.is_signed(m.ones(2, dtype=m.uint8)), m.is_vulkan_available(), y.ndimension()
y.char(), y.short(), y.resize, y.volatile
y.const_data_ptr() == y.data_ptr(), y[1:].const_data_ptr() - y.data_ptr()
y.detach().resize_as(m.ones(2, 8)), y.detach().resize(2, 8)
y.storage_type().__name__
y.reinforce(1)
m.eig(y)
m.lstsq(y, y)
m.matrix_rank(y)
m.solve(y, y)
m.symeig(y)
y.eig()
y.lstsq(y)
y.solve(y)
y.symeig()
m.is_anomaly_enabled(), m.is_anomaly_check_nan_enabled()
[m.set_anomaly_enabled(True, False), m.is_anomaly_enabled(), m.is_anomaly_check_nan_enabled(), m.set_anomaly_enabled(False), m.is_anomaly_check_nan_enabled()]
m.set_anomaly_enabled(3)
m.is_deterministic_algorithms_warn_only_enabled(), m.is_warn_always_enabled()
[m.set_warn_always(True), m.is_warn_always_enabled(), m.set_warn_always(False), m.is_warn_always_enabled()]
[m.is_autocast_cpu_enabled(), m.is_autocast_ipu_enabled(), m.is_autocast_xla_enabled()]
[m.set_autocast_cpu_enabled(True), m.is_autocast_cpu_enabled(), m.set_autocast_cpu_enabled(False)]
[m.set_autocast_ipu_enabled(True), m.is_autocast_ipu_enabled(), m.set_autocast_ipu_enabled(False)]
[m.set_autocast_xla_enabled(True), m.is_autocast_xla_enabled(), m.set_autocast_xla_enabled(False)]
[m.get_autocast_cpu_dtype(), m.get_autocast_ipu_dtype(), m.get_autocast_xla_dtype()]
[m.set_autocast_cpu_dtype(m.float16), m.get_autocast_cpu_dtype(), m.set_autocast_cpu_dtype(m.bfloat16)]
[m.set_autocast_ipu_dtype(m.bfloat16), m.get_autocast_ipu_dtype(), m.set_autocast_ipu_dtype(m.float16)]
[m.set_autocast_xla_dtype(m.float16), m.get_autocast_xla_dtype(), m.set_autocast_xla_dtype(m.bfloat16)]
[m.set_autocast_gpu_dtype(m.bfloat16), m.get_autocast_gpu_dtype(), m.set_autocast_gpu_dtype(m.float16)]
[m.set_float32_matmul_precision("high"), m.get_float32_matmul_precision(), m.set_float32_matmul_precision("highest")]
m.set_float32_matmul_precision("low")
m.set_num_interop_threads("a")
m.set_num_interop_threads(0)
m.get_device_module("cpu").__name__[-4:], m.get_device_module(m.device("cpu")).__name__[-4:]
m.get_device_module("tpu")
m.init_num_threads(), m.prepare_multiprocessing_environment("a"), m.thread_safe_generator(), m.random.thread_safe_generator()
m.profiler_allow_cudagraph_cupti_lazy_reinit_cuda12(), m.PRIVATE_OPS, m.has_lapack, m.has_spectral, m.SUM, m.AVG
[m.random.manual_seed(3).initial_seed(), m.rand(2), type(m.random.seed()), type(m.seed()), m.manual_seed(0) is None]
m.from_dlpack(m.to_dlpack(t))
m.AcceleratorError.__mro__[1:], m.FatalError.__mro__[1:], m.JITException.__mro__[1:]
m.DispatchKey.CPU, m.DispatchKeySet(m.DispatchKey.CPU).has(m.DispatchKey.CPU), m.Storage.__name__
type(m.ExcludeDispatchKeyGuard(m.DispatchKeySet(m.DispatchKey.AutogradCPU))).__name__.strip("_")
isinstance(t.untyped_storage(), m.StorageBase), issubclass(m.UntypedStorage, m.StorageBase)
""".strip().splitlines()

STORAGES = """BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage DoubleStorage
    FloatStorage HalfStorage IntStorage LongStorage ShortStorage""".split()
TENSOR_TYPES = """BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor
    ShortTensor""".split()

AUTOGRAD = """
[m.autograd.backward((y * y).sum()), y.grad]
[m.autograd.backward([y.exp(), x * 2], [m.ones(4, 4), m.ones(2, 4, 6)]), y.grad, x.grad]
m.autograd.backward(y)
[m.autograd.detect_anomaly(), m.autograd.set_detect_anomaly(False)] and m.is_anomaly_enabled()
[m.autograd.set_multithreading_enabled(False) and None, m.autograd.is_multithreading_enabled(), m.autograd.set_multithreading_enabled(True) and None]
[m.autograd.is_multithreading_enabled(), m.autograd.is_view_replay_enabled(), m.autograd.kineto_available()]
[m.autograd.set_multithreading_enabled(False)(lambda: m.autograd.is_multithreading_enabled())(), m.autograd.set_multithreading_enabled(True) and None]
[m.autograd._force_original_view_tracking(True)(m.autograd.is_view_replay_enabled)(), m.autograd.is_view_replay_enabled()]
[m.autograd.enforce_grad_layout_policy(True)(lambda: 3)(), m.autograd.enforce_grad_layout_policy(True).__enter__()]
m.autograd.has_torch_function([y]), m.autograd.is_tensor_like(y), m.autograd.is_tensor_like(3)
m.autograd.handle_torch_function(m.abs, [y], y)
F.has_torch_function_unary(y), F.has_torch_function_variadic(y, 3), F.handle_torch_function(m.abs, [y], y)
m.autograd.variable.Variable(t).tolist()
m.autograd.ProfilerActivity.CPU in m.profiler.supported_activities()
m.autograd.profiler.Future is m.futures.Future
m.autograd.SavedTensor is m.autograd.SavedTensor
""".strip().splitlines()


def value(m, line):
    """What a line gives, and the gradients of the first tensor in it that has some."""
    names = tensors(m)
    result = eval(line, names)
    found = [result] if not isinstance(result, (list, tuple)) else list(result)
    live = [r for r in found if isinstance(r, m.Tensor) and r.requires_grad and r.grad_fn is not None]
    if live and live[0].is_floating_point() and "grad" not in line:
        leaves = [names[n] for n in ("x", "y", "c", "v")]
        return result, m.autograd.grad(live[0].sum(), leaves, allow_unused=True)
    return result


@pytest.mark.parametrize("line", [*FUNCTIONS, *QUESTIONS, *AUTOGRAD])
def test_line(line):
    same_outcome(value, line, quiet=True, reword=as_torch, rtol=3e-6, atol=2e-5, text=90, looks="requires_grad stride")


@pytest.mark.parametrize("line", SPARSE)
def test_sparse_line(line):
    def program(m):
        e = m.eye(3) + m.ones(3, 3).triu()
        names = {"m": m, "e": e, "s": e.to_sparse(), "r": e.to_sparse_csr(), "k": e.to_sparse_csc()}
        return eval(line, names)

    same_outcome(program, quiet=True, reword=as_torch, text=70)


@pytest.mark.parametrize("name", STORAGES)
def test_storage_type(name):
    def program(m):
        kind = getattr(m, name)
        made = kind([1, 0, 1])
        yield made.tolist(), len(made), made[1], str(made.dtype), made.size(), made.nbytes(), len(kind(4)), len(kind())
        made[0] = made[2]
        made.fill_(1)
        yield made.tolist(), made.clone().tolist(), made.element_size(), type(made).__name__
        yield isinstance(made, kind), kind.dtype is made.dtype, m.tensor([1], dtype=kind.dtype).storage_type() is kind

    same_outcome(program, quiet=True, reword=as_torch, text=90)


@pytest.mark.parametrize("name", TENSOR_TYPES)
def test_tensor_type(name):
    def program(m):
        kind = getattr(m, name)
        yield kind([1, 0, 2]), kind(2, 3).shape, kind(), kind(m.Size([2])).shape, kind.dtype, kind([[1], [0]]).type()
        yield isinstance(kind([1]), kind), isinstance(m.ones(1, dtype=m.complex64), kind), kind.is_cuda, kind.layout
        if name != "BoolTensor":
            sparse = getattr(m.sparse, name)(m.tensor([[0, 2]]), kind([1, 2]), m.Size([3]))
            yield sparse.to_dense(), sparse.is_sparse

    same_outcome(program, quiet=True, reword=as_torch, text=90)


@pytest.mark.parametrize(
    "name", "constant dirac eye kaiming_uniform normal orthogonal sparse uniform xavier_normal xavier_uniform".split()
)
def test_older_names_of_init(name):
    """They warn, and do what the names with an underscore do."""
    args = {"constant": (2.0,), "sparse": (0.5,)}.get(name, ())
    shape = (4, 3, 3) if name == "dirac" else (4, 4)

    def program(m):
        made = m.zeros(shape)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = getattr(m.nn.init, name)(made, *args)
        yield result is made, made, [(w.category.__name__, as_torch(str(w.message))) for w in caught]

    same_outcome(program, rtol=2e-6, atol=1e-6)
