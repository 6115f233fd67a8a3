"""The types that scripts/stubs gives to parameters and results: the one table behind every .pyi file.

A parameter is looked up as "place.function.parameter" or "function.parameter" (both may have stars), as an operand of
its op, as "parameter=default" and as "parameter". Those whose default is a bool or a string need no entry, and a default
of None adds `| None`.
"""

from inspect import Parameter

# Where the words of the types below come from; builtins are not listed.
SOURCES = {
    "AbstractContextManager": "contextlib",
    "Any": "typing",
    "Callable": "collections.abc",
    "Device": "lucid.types",
    "EllipsisType": "types",
    "FileLike": "lucid.types",
    "Generator": "lucid._func.creation.generator",
    "Iterable": "collections.abc",
    "Iterator": "collections.abc",
    "Literal": "typing",
    "ModuleType": "types",
    "NoReturn": "typing",
    "Node": "lucid.autograd.graph",
    "Number": "lucid.types",
    "RemovableHandle": "lucid.utils.hooks",
    "Self": "typing",
    "Sequence": "collections.abc",
    "Size": "lucid._base.shape",
    "SupportsIndex": "typing",
    "Tensor": "lucid._tensor.tensor",
    "TypedStorage": "lucid._serial.typed",
    "UntypedStorage": "lucid._serial.untyped",
    "device": "lucid._base.device",
    "dtype": "lucid._base.dtype",
    "layout": "lucid._tensor.tensor",
    "memory_format": "lucid._tensor.tensor",
    "ndarray": "numpy",
    "overload": "typing",
    "return_types": "lucid",
}
# Modules whose functions are others than lucid's of the same name, as the keys below call them.
PLACES = {"lucid.nn.functional": "F", "lucid.linalg": "linalg", "lucid.special": "special"}

OPERAND = "Tensor | Number | complex"

_PARAMETERS = {
    "Any": """as_tensor.data asarray.obj d is_storage.obj is_tensor.obj k memo module_load.other new_tensor.data obj proto
        save.obj state stream sym_ite.t sym_ite.f fork_rng.devices tensor.data tensor_contents typename.obj from_dlpack.ext_tensor frombuffer.buffer""",
    "Tensor": """A B L LU LU_data LU_pivots anchor b_hh b_ih batch1 batch2 boundaries condition elements end grad gradient
        grid hx index indices input input1 input2 key log_probs logits mask mat mat1 mat2 matrices negative new new_state
        noise offsets pivots positive query running_mean running_var self sorted_sequence sorter source src t target targets
        tau tensor tensor1 tensor2 tensors test_elements theta v values var vec vec1 vec2 w_hh w_ih weight weights x x1 x2
        y the_template per_sample_weights pos_weight prepend append fweights aweights key_padding_mask attn_mask bias
        *.?_proj_weight *.out_proj_weight complex.real complex.imag polar.abs polar.angle tensordot.a tensordot.b triangular_solve.b lu_solve.b
        binomial.count binomial.prob tensors... matrices... F.multi_head_attention_forward.value
        F.scaled_dot_product_attention.value static_k static_v ctc_loss.input_lengths ctc_loss.target_lengths *_as.other
        allclose.other corrcoef.other cross.other dist.other equal.other expand_as.other inner.other is_same_size.other
        isclose.other kron.other linalg*.other matmul.other __matmul__.other __rmatmul__.other index_reduce.source""",
    "Tensor | None": """*batch_norm.running_* *batch_norm.weight *batch_norm.bias *instance_norm.running_* bias_k bias_v
        *instance_norm.weight *instance_norm.bias native_*_norm.weight native_*_norm.bias convolution.bias *.in_proj_*
        *.out_proj_bias""",
    "Tensor | Sequence[Tensor]": "backward.inputs",
    "Tensor | Sequence[int]": "F.ctc_loss.input_lengths F.ctc_loss.target_lengths",
    "Tensor | float": """bernoulli_.p gaussian_nll_loss.var linalg*.atol linalg*.rcond linalg*.rtol linalg*.tol
        nanquantile.q normal.mean normal.std quantile.q""",
    "Tensor | int": "repeat_interleave.repeats",
    OPERAND: """*_polynomial_*.input *_polynomial_*.n clamp*.max clamp*.min clip*.max clip*.min copysign.input element
        exponent fill*.value float_power.input index_fill*.value isin.elements isin.test_elements lerp*.weight
        masked_fill*.value other pow.input result_type.tensor result_type.tensor1 result_type.tensor2 scalar scalar1
        scalar2 searchsorted.input bucketize.input special.*.input trapezoid.dx cumulative_trapezoid.dx where.input
        xlogy.input scatter*.src zeta.input""",
    "Tensor | UntypedStorage | TypedStorage": "set_.source",
    "Tensor | TypedStorage | UntypedStorage | Sequence[Any]": "new.data",
    "Number | complex": """add*.alpha alpha beta constant_pad_nd.value fill_value index_add*.alpha s sub*.alpha
        scatter*.value value""",
    "Number": """sym_*.a sym_*.b sym_sum... arange.end arange.start arange.step correction cov.correction base end=None histc.max histc.min lambd
        linspace.end linspace.start logspace.end logspace.start high low maxnorm max_val min_val negative_slope norm_type
        range.end range.start range.step reward start=0 step=1 threshold delta rrelu*.lower rrelu*.upper""",
    "Number | Sequence[Number] | Sequence[Tensor]": "gradient.spacing",
    "float": """allclose.?tol isclose.?tol celu*.alpha dropout_p elu*.alpha dx eps k=1.0 label_smoothing alpha=0.0001 beta=0.75 margin max_norm
        momentum nan neginf p posinf rcond scale sigma smooth_l1_loss.beta softplus.beta tau=1 pow norm_type=2.0
        interpolate.scale_factor_""",
    "float | Literal['fro', 'nuc']": "norm.p linalg*.p linalg*.ord",
    "float | Sequence[float]": "scale_factor",
    "int | Sequence[Any]": "vmap.in_dims vmap.out_dims func.in_dims",
    "int": """C HxW N N=None batch_dim blank bins chunks col count decimals diagonal dim dim0 dim1 dim2 dimension
        downscale_factor edge_order embed_dim_to_check end_dim group groups ignore_index ind interpolation_mode k length m
        minlength multi_margin_loss.p mvlgamma*.p n num_classes num_groups num_heads num_samples offset padding_idx
        padding_mode steps polygamma*.n r reduction row seed slice_*.end slice_*.start slice_*.step narrow*.start
        start_dim step unfold.size upscale_factor storage_offset repeat_interleave.output_size nonzero_static.size
        nonzero_static.fill_value local_response_norm.size from_file.size divisor_override embedding_bag.mode
        _stacklevel rot90.k softmax.dim log_softmax.dim softmin.dim argmax.dim argmin.dim prod.dim cross.dim unique*.dim
        quantile.dim nanquantile.dim take_along_dim.dim repeat_interleave.dim aminmax.dim size.dim stride.dim argmax.axis
        argmin.axis prod.axis axis chunk_size levels size... dims... shape... sizes... repeats... get_device_module.device_
        pad_packed_sequence.total_length convolution.groups conv_tbc.pad unfold_copy.size select*.index lu_unpack.n
        matrix_power.n topk.k kthvalue.k threads""",
    "int | Tensor": "select.index",
    "int | Sequence[int]": """dim=None dim=() amax.axis amin.axis sum.axis mean.axis all.axis any.axis var*.axis std*.axis
        nansum.axis logsumexp.axis count_nonzero.axis logsumexp.dim destination dilation kernel_size norm.dim linalg*.dim
        output_padding output_size padding shifts size=None source_ stride moveaxis.source movedim.source
        linalg.cross.dim_ roll.dims""",
    "int | Sequence[int] | str": "conv1d.padding conv2d.padding conv3d.padding",
    "int | Sequence[int] | Tensor": "indices_or_sections",
    "int | Sequence[int | None]": "adaptive_*.output_size",
    "int | Sequence[int] | Sequence[Sequence[int]]": "tensordot.dims",
    "Sequence[int]": """as_strided*.size as_strided*.stride broadcast_to.size affine_grid*.size dims empty_strided.size
        empty_strided.stride full.size in_stride input_stride max_unpool*.output_size new_empty_strided.size
        new_empty_strided.stride normalized_shape pad set_.size set_.stride shape size sizes split_sizes linalg*.dims
        matrix_norm.dim linalg.matrix_norm.dim window_copy.stride window_copy.size fold.output_size_""",
    "Sequence[Tensor]": "params tensors index_put*.indices cat.tensors",
    "Sequence[Tensor | None]": "index_put.indices index_put_.indices",
    "tuple[Tensor, Tensor]": "lstm_cell.hx",
    "int | Sequence[int] ": "split.split_size split_copy.split_size unsafe_split.split_size split_size_or_sections",
    "bool": """set_flush_denormal.mode sym_not.a use_deterministic_algorithms.mode sym_ite.b add_zero_attn align_corners antialias bidirectional ceil_mode full has_biases keepdims log_input reduce=None
        is_coalesced include_last_offset size_average shared stable training transposed unbiased upper use_input_stats
        cudnn_enabled recompute_scale_factor retain_graph enabled cond warn_only batch_first train copy
        grid_sampler*.align_corners set_warn_always.b _check*.cond""",
    "str": """F.embedding_bag.mode equation filename index_reduce*.reduce scatter_reduce*.reduce scatter*.reduce side driver indexing approximate
        rounding_mode precision profile profile UPLO device_type spec UPLO""",
    "str | dtype | type": "Tensor.type.dtype",
    "Literal['ij', 'xy']": "indexing",
    "Literal['floor', 'trunc']": "rounding_mode",
    "Callable[..., Any]": "callable map_.callable func",
    "Callable[[Tensor], Tensor | None]": "register_hook.hook",
    "Callable[[Tensor], None]": "register_post_accumulate_grad_hook.hook",
    "Callable[[Tensor, Tensor], Tensor]": "distance_function",
    "Generator": "generator",
    "device | str | int": "device",
    "dtype": "dtype can_cast.from_ to type1 type2",
    "layout": "layout",
    "memory_format": "memory_format",
    "ndarray": "ndarray array",
    "list[str]": "names",
}
PARAMETERS = {name: kind.strip() for kind, names in _PARAMETERS.items() for name in names.split()}

# The results of functions whose docstring does not say "name(...) -> Result" with a type for Result.
_RESULTS = {
    "Any": "tolist module_load sym_ite storage_type get_device_module",
    "None": """backward clear_autocast_cache record_stream reinforce retain_grad save use_deterministic_algorithms
        __setstate__ _check* _assert""",
    "Tensor": """F.batch_norm F.triplet_margin* F.ctc_loss ctc_loss *_copy *_copy_? as_subclass cartesian_prod conv_transpose?d
        cuda fill float_power instance_norm max_unpool?d new norm_except_dim pin_memory positive range resolve_*
        scaled_dot_product_attention vander view_as_* wrap bare __abs__ __neg__ __pos__ __invert__
        __array_wrap__ __deepcopy__ _from_numpy _construct""",
    "Tensor | None": "_canonical_mask",
    "tuple[Tensor, ...]": "split_copy split_with_sizes_copy unbind_copy",
    "tuple[Tensor, Tensor, Tensor]": "native_*_norm",
    "tuple[Tensor, Tensor | None]": "multi_head_attention_forward",
    "AbstractContextManager[None]": "fork_rng printoptions _printoptions",
    "Callable[..., Any]": "vmap",
    "Generator": "manual_seed",
    "Iterator[Tensor]": "__iter__",
    "Number": "item sym_max sym_min sym_sum",
    "RemovableHandle": "register_*hook",
    "Size": "broadcast_shapes",
    "TypedStorage": "storage _typed_storage",
    "UntypedStorage": "untyped_storage",
    "bool": "__bool__ __contains__ _is_view",
    "complex": "__complex__",
    "device": "get_default_device",
    "dict[str, Any]": "get_printoptions",
    "dtype": "get_autocast_*dtype get_default_dtype",
    "float": "__float__",
    "int": "__hash__ __index__ __int__ __len__ dense_dim get_deterministic_debug_mode sparse_dim",
    "list[str]": "__dir__",
    "ndarray[Any, Any]": "__array__ numpy",
    "tuple[Any, ...]": "__reduce_ex__",
    "str": "__format__ __repr__",
    "tuple[int, int]": "__dlpack_device__",
    "tuple[int, ...]": "dim_order",
}
RESULTS = {name: kind for kind, names in _RESULTS.items() for name in names.split()}

_PROPERTIES = {
    "Any": "__cuda_array_interface__",
    "None": "name",
    "Node | None": "grad_fn",
    "Size": "shape",
    "Tensor": "H T data imag mH mT real",
    "Tensor | None": "_base _grad grad",
    "bool": "requires_grad retains_grad volatile",
    "device": "device",
    "dtype": "dtype",
    "dtype | None": "grad_dtype",
    "int": "_version itemsize nbytes ndim output_nr",
    "layout": "layout",
    "tuple[None, ...]": "names",
}
PROPERTIES = {name: kind for kind, names in _PROPERTIES.items() for name in names.split()}

# What instances of a class have besides what the class has.
ATTRIBUTES = {"layout": {"name": "str"}}

OPERATORS = "add and div floordiv lshift mod mul or pow rshift sub truediv xor".split()
# Functions that are called in several ways, or whose parameters `inspect` does not see. A parameter without a type has
# its usual one, the default `...` is the usual default, and **tail stands for TAIL.
VARIANTS = {
    "Tensor.__init__": "(self, *args: Any, device=None) -> None",
    "Tensor.__new__": "(cls, *args: Any, device=None) -> Self",
    "Tensor.__torch_function__": "(cls, func, types: Sequence[type], args: Sequence[Any]=..., kwargs: Any=...) -> Any",
    "Tensor._default_torch_function": "(cls, func, types: Sequence[type], args: Sequence[Any], kwargs: Any) -> Any",
    "Tensor.__getitem__": "(self, index: SupportsIndex | slice | Tensor | ndarray[Any, Any] | Sequence[Any] | EllipsisType | None) -> Tensor",
    "Tensor.__setitem__": """(self, index: SupportsIndex | slice | Tensor | ndarray[Any, Any] | Sequence[Any] | EllipsisType | None, value: Tensor | Number | complex) -> None""",
    "__[en]?__": "(self, other: object) -> Tensor",
    "__[gl]?__": "(self, other) -> Tensor",
    "__*matmul__": "(self, other: Tensor) -> Tensor",
    **{f"__{form}{op}__": f"(self, other) -> {'Self' if form == 'i' else 'Tensor'}" for op in OPERATORS for form in ("", "r", "i")},
    "Tensor.__array__": "(self, dtype: Any=None, copy: bool | None=None) -> ndarray[Any, Any]",
    "Tensor.__dlpack__": "(self, *, stream: Any=None, max_version: Any=None, dl_device: Any=None, copy: bool | None=None) -> object",
    "Tensor._make_subclass": "(cls: type, data: Tensor, require_grad: bool=False) -> Any",
    "Tensor.add_": "(self, other, *, alpha=1) -> Self",
    "Tensor.sub_": "(self, other, *, alpha=1) -> Self",
    "Tensor.addcdiv_": "(self, tensor1, tensor2, *, value=1) -> Self",
    "Tensor.addcmul_": "(self, tensor1, tensor2, *, value=1) -> Self",
    "Tensor.as_subclass": "(self, cls: type) -> Any",
    "Tensor.cauchy_": "(self, median: float=0, sigma=1, *, generator=None) -> Self",
    "Tensor.exponential_": "(self, lambd: float=1, *, generator=None) -> Self",
    "Tensor.log_normal_": "(self, mean: float=1, std: float=2, *, generator=None) -> Self",
    "Tensor.normal_": "(self, mean: float=0, std: float=1, *, generator=None) -> Self",
    "Tensor.uniform_": "(self, low: float=0, high: float=1, *, generator=None) -> Self",
    "Tensor.random_": """(self, *, generator=None) -> Self
        (self, to: int, *, generator=None) -> Self
        (self, low: int, to: int | None, *, generator=None) -> Self""",
    "Tensor.new": """(self, *size: int, device=None) -> Tensor
        (self, data: Tensor | Sequence[Any], *, device=None) -> Tensor""",
    "Tensor.new_empty_strided": "(self, size, stride, *, dtype=None, device=None, requires_grad=False) -> Tensor",
    "Tensor.new_full": "(self, size: Sequence[int], fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor",
    "Tensor.size": """(self, dim: None=None) -> Size
        (self, dim: int) -> int""",
    "Tensor.stride": """(self, dim: None=None) -> tuple[int, ...]
        (self, dim: int) -> int""",
    "Tensor.to": """(self, dtype, non_blocking: bool=False, copy: bool=False, *, memory_format=...) -> Self
        (self, device: device | str | int | None=None, dtype: dtype | None=None, non_blocking: bool=False, copy: bool=False, *, memory_format=...) -> Self
        (self, other: Tensor, non_blocking: bool=False, copy: bool=False, *, memory_format=...) -> Self""",
    "Tensor.type": """(self, dtype: None=None, non_blocking: bool=False) -> str
        (self, dtype: dtype | str | type, non_blocking: bool=False) -> Tensor""",
    "Tensor.view": """(self, *size: int) -> Tensor
        (self, size: Sequence[int]) -> Tensor
        (self, dtype: dtype) -> Tensor""",
    "Tensor.where": "(self, condition, other) -> Tensor",
    "arange": """(end: Number, **tail) -> Tensor
        (start: Number, end: Number, step: Number=1, **tail) -> Tensor""",
    "atleast_*d": """(tensor: Tensor | Sequence[Tensor], /) -> Tensor
        (*tensors: Tensor) -> tuple[Tensor, ...]""",
    "compile": """(model: Callable[..., Any] | None=None, *, fullgraph: bool=False, dynamic: bool | None=None,
        backend: Any="inductor", mode: str | None=None, options: Any=None, disable: bool=False) -> Any""",
    "broadcast_shapes": "(*shapes: int | Sequence[int]) -> Size",
    "cosine_embedding_loss": "(input1, input2, target, margin=0.0, reduction=1) -> Tensor",
    "F.adaptive_max_pool*d": """(input, output_size, return_indices: Literal[False]=False) -> Tensor
        (input, output_size, return_indices: Literal[True]) -> tuple[Tensor, Tensor]""",
    "dsplit": """(input, indices_or_sections) -> tuple[Tensor, ...]
        (input, *indices: int) -> tuple[Tensor, ...]""",
    "einsum": """(equation, *operands: Tensor | Sequence[Tensor]) -> Tensor
        (*operands: Tensor | Sequence[Any]) -> Tensor""",
    "get_file_path": "(*path_components: str) -> str",
    "hinge_embedding_loss": "(input, target, margin=1.0, reduction=1) -> Tensor",
    "load": """(f: FileLike, map_location: Any=None, pickle_module: Any=None, *, weights_only: bool | None=None,
        mmap: bool | None=None, **pickle_load_args: Any) -> Any""".replace("\n", " "),
    "gru": "(input, hx, params, has_biases, num_layers: int, dropout: float, train, bidirectional, batch_first) -> tuple[Tensor, Tensor]",
    "lu": """(A, pivot=True, get_infos: Literal[False]=False, out=None) -> tuple[Tensor, Tensor]
        (A, pivot: bool, get_infos: Literal[True], out: tuple[Tensor, ...] | None=None) -> tuple[Tensor, Tensor, Tensor]
        (A, pivot=True, *, get_infos: Literal[True], out=None) -> tuple[Tensor, Tensor, Tensor]""",
    "margin_ranking_loss": "(input1, input2, target, margin=0.0, reduction=1) -> Tensor",
    "max": """(input, *, out=None) -> Tensor
        (input, dim: int, keepdim=False, *, out=None) -> return_types.max
        (input, other: Tensor, *, out=None) -> Tensor""",
    "max_pool?d": """(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices: Literal[False]=False) -> Tensor
        (input, kernel_size, stride: int | Sequence[int] | None=None, padding=0, dilation=1, ceil_mode=False, *, return_indices: Literal[True]) -> tuple[Tensor, Tensor]""",
    "median": """(input) -> Tensor
        (input, dim: int, keepdim=False, *, out=None) -> return_types.median""",
    "meshgrid": "(*tensors: Tensor | Sequence[Tensor], indexing=None) -> tuple[Tensor, ...]",
    "nanmedian": """(input) -> Tensor
        (input, dim: int, keepdim=False, *, out=None) -> return_types.nanmedian""",
    "new_object": "(cls: type) -> Any",
    "nonzero": """(input, *, out=None, as_tuple: Literal[False]=False) -> Tensor
        (input, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]""",
    "normal": """(mean: Tensor | float, std: Tensor | float=1.0, *, generator=None, out=None) -> Tensor
        (mean: float, std: float, size: Sequence[int], *, generator=None, **tail) -> Tensor""",
    "randint": """(high: int, size: Sequence[int], *, generator=None, **tail) -> Tensor
        (low: int, high: int, size: Sequence[int], *, generator=None, **tail) -> Tensor""",
    "randint_like": """(input, high: int, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=...) -> Tensor
        (input, low: int, high: int, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=...) -> Tensor""",
    "repeat_interleave": """(input, repeats: Tensor | int, dim=None, *, output_size=None) -> Tensor
        (repeats: Tensor, *, output_size=None) -> Tensor""",
    "save": "(obj, f: FileLike, pickle_module: Any=..., pickle_protocol: int=2) -> None",
    "set_deterministic_debug_mode": "(debug_mode: int | str) -> None",
    "sym_sum": "(args: Sequence[Number]) -> Number",
    "set_default_device": "(device: device | str | int | None) -> None",
    "set_printoptions": """(precision: int | None=None, threshold: float | None=None, edgeitems: int | None=None,
        linewidth: int | None=None, profile=None, sci_mode: bool | None=None) -> None""".replace("\n", " "),
    "sum_to_size": """(self, *size: int) -> Tensor
        (self, size: Sequence[int]) -> Tensor""",
    "triplet_margin_loss": "(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=1) -> Tensor",
    "unique": """(input, sorted=True, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim=None) -> Tensor
        (input, sorted=True, *, return_inverse: Literal[True], return_counts: Literal[False]=False, dim=None) -> tuple[Tensor, Tensor]
        (input, sorted=True, return_inverse: Literal[False]=False, *, return_counts: Literal[True], dim=None) -> tuple[Tensor, Tensor]
        (input, sorted=True, *, return_inverse: Literal[True], return_counts: Literal[True], dim=None) -> tuple[Tensor, Tensor, Tensor]""",
    "unique_consecutive": """(input, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim=None) -> Tensor
        (input, return_inverse: Literal[True], return_counts: Literal[False]=False, dim=None) -> tuple[Tensor, Tensor]
        (input, return_inverse: Literal[False]=False, *, return_counts: Literal[True], dim=None) -> tuple[Tensor, Tensor]
        (input, return_inverse: Literal[True], return_counts: Literal[True], dim=None) -> tuple[Tensor, Tensor, Tensor]""",
    "where": """(condition, input, other, *, out=None) -> Tensor
        (condition) -> tuple[Tensor, ...]""",
}
VARIANTS["rnn_relu"] = VARIANTS["rnn_tanh"] = VARIANTS["gru"]
VARIANTS["lstm"] = VARIANTS["gru"].replace("hx,", "hx: Sequence[Tensor],").replace("tuple[", "tuple[Tensor, ")
VARIANTS["min"] = VARIANTS["max"].replace("max", "min")
VARIANTS["hsplit"] = VARIANTS["vsplit"] = VARIANTS["dsplit"]

# What rand(*size, **how) and others take at the end, and "**tail" in VARIANTS stands for.
TAIL = [
    Parameter(name, Parameter.KEYWORD_ONLY, default=default)
    for name, default in dict(
        out=None, dtype=None, layout=..., device=None, requires_grad=False, pin_memory=False
    ).items()
]
