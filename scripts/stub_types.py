"""The types that scripts/stubs gives to parameters and results: the one table behind every .pyi file.

A parameter is looked up as "place.function.parameter" or "function.parameter" (both may have stars), as an operand of
its op, as "parameter=default" and as "parameter". Those whose default is a bool or a string need no entry, and a
default of None adds `| None`.
"""

from inspect import Parameter

# Where the words of the types below come from; builtins are not listed.
SOURCES = {
    "AbstractContextManager": "contextlib",
    "Any": "typing",
    "Callable": "collections.abc",
    "EllipsisType": "types",
    "FileLike": "lucid.types",
    "Generator": "lucid._func.creation.generator",
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
PLACES = {"lucid.nn.functional": "F", "lucid.linalg": "linalg", "lucid.special": "special", "lucid.fft": "fft"}

OPERAND = "Tensor | Number | complex"
INDEX = "SupportsIndex | slice | Tensor | ndarray[Any, Any] | Sequence[Any] | EllipsisType | None"

_PARAMETERS = {
    "Any": """
        sym_constrain_range.* sym_constrain_range_for_size.* sym_fresh_size.expr
        prepare_multiprocessing_environment.path pytree_register_structseq.cls
        _check_is_tensor.value _match_grad_shape.* _set_tensor_grad.* as_tensor.data asarray.obj carried_inputs
        cond.operands fork_rng.devices from_dlpack.ext_tensor frombuffer.buffer is_storage.obj is_tensor.obj k memo
        module_load.other new_tensor.data proto save.obj state stream sym_ite.f sym_ite.t tensor.data
        tensor_contents typename.obj wrap.d
    """,
    "Tensor": """
        *.?_proj_weight *.out_proj_weight *_as.other A allclose.other anchor append attn_mask aweights B b_hh b_ih bias
        binomial.count binomial.prob boundaries complex.imag complex.real condition cross.other ctc_loss.input_lengths
        ctc_loss.target_lengths dist.other end equal.other expand_as.other F.multi_head_attention_forward.value
        F.scaled_dot_product_attention.value fweights gradient grid hx index index_reduce.source indices inner.other
        input input1 input2 is_same_size.other isclose.other key key_padding_mask kron.other L linalg*.other log_probs
        logits LU LU_data LU_pivots lu_solve.b mask matmul.other matrices... negative new_state offsets
        per_sample_weights pivots polar.abs polar.angle pos_weight positive prepend query self sorted_sequence sorter
        source spmm.mat2 dsmm.mat2 h?pmm.mat1 h?pmm.mat2 hsmm.mat1 hsmm.mat2
        sspaddmm.mat1 sspaddmm.mat2 saddmm.mat1 saddmm.mat2
        smm.mat addmm.mat addmm.mat1 addmm.mat2 mm.mat1 mm.mat2 sampled_addmm.mat1
        sampled_addmm.mat2 spdiags.diagonals src static_k static_v t target targets tau tensor
        tensordot.a tensordot.b tensors
        tensors... the_template theta triangular_solve.b v values vec2 w_hh w_ih weight window x x1 x2 y
    """,
    "Tensor | None": """
        *.in_proj_* *.out_proj_bias *batch_norm.bias *batch_norm.running_* *batch_norm.weight *instance_norm.bias
        *instance_norm.running_* *instance_norm.weight bias_k bias_v convolution.bias native_*_norm.bias
        native_*_norm.weight
    """,
    "Tensor | Sequence[Tensor]": "backward.inputs",
    "Tensor | Sequence[int]": "F.ctc_loss.input_lengths F.ctc_loss.target_lengths",
    "Tensor | float": """
        bernoulli_.p gaussian_nll_loss.var linalg*.atol linalg*.rcond linalg*.rtol linalg*.tol nanquantile.q quantile.q
    """,
    "Tensor | Number": "linspace.end linspace.start logspace.end logspace.start",
    "Tensor | int": "narrow*.start",
    OPERAND: """
        cond.pred *_polynomial_*.input *_polynomial_*.n bucketize.input clamp*.max clamp*.min copysign.input
        cumulative_trapezoid.dx element exponent fill*.value float_power.input index_fill*.value isin.elements
        isin.test_elements lerp*.weight masked_fill*.value other pow.input result_type.tensor result_type.tensor1
        result_type.tensor2 scalar scalar1 scalar2 scatter.src scatter_.src searchsorted.input special.*.input
        trapezoid.dx where.input xlogy.input zeta.input
    """,
    "Tensor | UntypedStorage | TypedStorage": "set_.source",
    "Number | complex": """
        add*.alpha alpha beta constant_pad_nd.value fill_value index_add*.alpha s scatter*.value sub*.alpha value
    """,
    "bool | None": "check_invariants is_coalesced masked_grad",
    "int | layout | None": "to_sparse.sparse_dim",
    "Number": """
        base correction cov.correction delta histc.max histc.min lambd max_val maxnorm min_val negative_slope norm_type
        range.end range.start range.step rrelu*.lower rrelu*.upper sym_*.a sym_*.b threshold
    """,
    "Number | Sequence[Number] | Sequence[Tensor]": "gradient.spacing",
    "float": """
        allclose.?tol alpha=0.0001 alpha=0.54 beta=0.46 beta=0.75 beta=12.0 celu*.alpha d=1.0 dropout_p elu*.alpha eps
        isclose.?tol k=1.0 label_smoothing
        margin max_norm momentum nan neginf norm_type=2.0 p posinf pow rcond scale sigma smooth_l1_loss.beta
        softplus.beta tau=1
    """,
    "float | Literal['fro', 'nuc']": "linalg*.ord linalg*.p norm.p",
    "float | Sequence[float]": "scale_factor",
    "int | Sequence[Any]": "vmap.in_dims vmap.out_dims",
    "int": """
        _stacklevel aminmax.dim argmax.axis argmax.dim argmin.axis argmin.dim axis bins blank C chunk_size chunks col
        conv_tbc.pad convolution.groups count cross.dim decimals dense_dim diagonal dim dim0 dim1 dim2 dimension dims...
        divisor_override downscale_factor edge_order embed_dim_to_check embedding_bag.mode end_dim from_file.size group
        groups HxW ignore_index ind interpolation_mode k kthvalue.k length levels local_response_norm.size
        log_softmax.dim m matrix_power.n minlength multi_margin_loss.p mvlgamma*.p N n N=None nanquantile.dim
        nonzero_static.fill_value nonzero_static.size num_classes num_groups num_heads num_samples offset padding_idx
        padding_mode polygamma*.n prod.axis prod.dim quantile.dim r reduction repeat_interleave.dim
        repeat_interleave.output_size repeats... rot90.k row seed select*.index shape... sparse_dim size... sizes...
        slice_*.end
        slice_*.start slice_*.step softmax.dim softmin.dim start_dim step steps storage_offset take_along_dim.dim topk.k
        unfold.size unfold_copy.size unique*.dim upscale_factor win_length hop_length n_fft window_length n=None
    """,
    "int | Sequence[int]": """
        all.axis amax.axis amin.axis any.axis count_nonzero.axis destination dilation dim=() dim=None kernel_size
        s=None fft.*2.dim linalg*.dim logsumexp.axis logsumexp.dim mean.axis moveaxis.source movedim.source
        nansum.axis norm.dim output_padding output_size padding roll.dims shifts size=None split.split_size
        split_copy.split_size split_size_or_sections std*.axis stride sum.axis unsafe_split.split_size var*.axis
    """,
    "int | Sequence[int] | str": "conv1d.padding conv2d.padding conv3d.padding",
    "int | Sequence[int] | Tensor": "indices_or_sections",
    "int | Sequence[int | None]": "adaptive_*.output_size",
    "int | Sequence[int] | Sequence[Sequence[int]]": "tensordot.dims",
    "Sequence[int]": """
        affine_grid*.size as_strided*.size as_strided*.stride broadcast_to.size dims sparse_resize_*.size
        empty_strided.size
        empty_strided.stride expand_copy.size full.size linalg*.dims linalg.matrix_norm.dim max_unpool*.output_size
        new_empty_strided.size new_empty_strided.stride normalized_shape pad set_.size set_.stride shape sizes
        split_sizes view_copy.size
    """,
    "Sequence[Tensor]": "cat.tensors params tensors",
    "Sequence[Tensor | None]": "index_put.indices index_put_.indices",
    "tuple[Tensor, Tensor]": "lstm_cell.hx",
    "bool": """
        _check*.cond add_zero_attn align_corners align_to_window batch_first bidirectional copy enabled full
        grid_sampler*.align_corners has_biases keepdims log_input onesided recompute_scale_factor reduce=None
        retain_graph return_complex set_flush_denormal.mode set_warn_always.b shared size_average stable sym_ite.b
        sym_not.a train training unbiased upper use_deterministic_algorithms.mode use_input_stats
    """,
    "str": """
        device_type driver equation F.embedding_bag.mode filename index_reduce*.reduce indexing precision profile
        rounding_mode scatter*.reduce side spec fft.*.norm
    """,
    "Literal['ij', 'xy']": "indexing",
    "Literal['floor', 'trunc']": "rounding_mode",
    "Tensor | Sequence[Any]": "sparse_*_tensor.*indices sparse_*_tensor.values",
    "Sequence[int] | int | None": "to_sparse.blocksize",
    "Callable[..., Any]": "as_sparse_gradcheck.gradcheck body_fn callable cond_fn false_fn func map_.callable true_fn",
    "Callable[[Tensor], Tensor | None]": "register_hook.hook",
    "Callable[[Tensor], None]": "register_post_accumulate_grad_hook.hook",
    "Callable[[Tensor, Tensor], Tensor]": "distance_function",
    "Generator": "generator",
    "device | str | int": "device",
    "type | str": "set_default_tensor_type.t",
    "dtype": "can_cast.from_ dtype set_default_dtype.d to type1 type2",
    "layout": "layout",
    "memory_format": "memory_format",
    "ndarray": "array ndarray",
    "list[str]": "names",
}
PARAMETERS = {name: kind.strip() for kind, names in _PARAMETERS.items() for name in names.split()}

# The results of functions whose docstring does not say "name(...) -> Result" with a type for Result.
_RESULTS = {
    "ModuleType": "get_device_module",
    "Any": "_match_grad_shape as_sparse_gradcheck cond while_loop module_load storage_type sym_ite tolist",
    "None": """
        init_num_threads prepare_multiprocessing_environment pytree_register_structseq sym_constrain_range
        sym_constrain_range_for_size
        set_anomaly_enabled
        __setstate__ _assert _check* _set_tensor_grad backward clear_autocast_cache record_stream retain_grad save
        use_deterministic_algorithms
    """,
    "Tensor": """
        *_copy __abs__ __deepcopy__ __invert__ __neg__ __pos__ _check_is_tensor _construct _from_numpy bare
        cartesian_prod conv_transpose?d ctc_loss cuda F.batch_norm F.ctc_loss F.triplet_margin* fill float_power
        instance_norm max_unpool?d norm_except_dim pin_memory positive range resolve_* scaled_dot_product_attention
        vander view_as_* wrap
    """,
    "Tensor | None": "_canonical_mask",
    "tuple[Tensor, ...]": "split_copy split_with_sizes_copy unbind_copy",
    "tuple[Tensor, Tensor, Tensor]": "native_*_norm",
    "tuple[Tensor, Tensor | None]": "multi_head_attention_forward",
    "AbstractContextManager[None]": "_printoptions fork_rng",
    "Callable[..., Any]": "vmap",
    "Generator": "manual_seed",
    "Iterator[Tensor]": "__iter__",
    "object": "to_dlpack",
    "Number": "item sym_fresh_size sym_sqrt sym_max sym_min sym_sum",
    "RemovableHandle": "register_*hook",
    "Size": "broadcast_shapes",
    "TypedStorage": "_typed_storage storage",
    "UntypedStorage": "untyped_storage",
    "bool": "__bool__ __contains__ _is_view",
    "complex": "__complex__",
    "device": "get_default_device",
    "dict[str, Any]": "get_printoptions",
    "dtype": "get_autocast_*dtype get_default_dtype",
    "float": "__float__",
    "int": "__hash__ __index__ __int__ __len__ dense_dim get_deterministic_debug_mode sparse_dim",
    "list[str]": "__dir__",
    "ndarray[Any, Any]": "numpy",
    "tuple[Any, ...]": "__reduce_ex__",
    "str": "__format__ __reduce__ __repr__",
    "tuple[int, int]": "__dlpack_device__",
    "tuple[int, ...]": "dim_order",
}
RESULTS = {name: kind for kind, names in _RESULTS.items() for name in names.split()}

_PROPERTIES = {
    "Any": "__cuda_array_interface__",
    "None": "name",
    "Node | None": "grad_fn",
    "Size": "shape",
    "Tensor": "data H imag mH mT real T",
    "Tensor | None": "_base _grad grad",
    "bool": "requires_grad retains_grad volatile",
    "device": "device",
    "dtype": "dtype",
    "dtype | None": "grad_dtype",
    "int": "_cdata _version itemsize nbytes ndim output_nr",
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
    "Tensor.__torch_dispatch__": "(cls, func, types: Sequence[type], args: Sequence[Any]=..., kwargs: Any=...) -> Any",
    "Tensor._default_torch_function": "(cls, func, types: Sequence[type], args: Sequence[Any], kwargs: Any) -> Any",
    "Tensor.__getitem__": f"(self, index: {INDEX}) -> Tensor",
    "Tensor.__setitem__": f"(self, index: {INDEX}, value: {OPERAND}) -> None",
    "__[en]?__": "(self, other: object) -> Tensor",
    "__[gl]?__": "(self, other) -> Tensor",
    "__*matmul__": "(self, other: Tensor) -> Tensor",
    **{
        f"__{form}{op}__": f"(self, other) -> {'Self' if form == 'i' else 'Tensor'}"
        for op in OPERATORS
        for form in ("", "r", "i")
    },
    "Tensor.__array__": "(self, dtype: Any=None, copy: bool | None=None) -> ndarray[Any, Any]",
    "Tensor.__array_wrap__": "(self, array, context: Any=None, return_scalar=False) -> Tensor",
    "Tensor.__dlpack__": """
        (self, *, stream: Any=None, max_version: Any=None, dl_device: Any=None, copy: bool | None=None) -> object
    """,
    "Tensor._make_subclass": "(cls: type, data: Tensor, require_grad: bool=False) -> Any",
    "Tensor.as_subclass": "(self, cls: type) -> Any",
    "Tensor.cauchy_": "(self, median: float=0, sigma=1, *, generator=None) -> Self",
    "Tensor.exponential_": "(self, lambd: float=1, *, generator=None) -> Self",
    "Tensor.log_normal_": "(self, mean: float=1, std: float=2, *, generator=None) -> Self",
    "Tensor.normal_": "(self, mean: float=0, std: float=1, *, generator=None) -> Self",
    "Tensor.uniform_": "(self, low: float=0, /, to: float=1, *, generator=None) -> Self",
    "Tensor.random_": """
        (self, *, generator=None) -> Self
        (self, to: int, *, generator=None) -> Self
        (self, low: int, /, to: int | None, *, generator=None) -> Self
    """,
    "Tensor.new": """
        (self, *size: int, device=None) -> Tensor
        (self, data: Tensor | Sequence[Any], *, device=None) -> Tensor
    """,
    "Tensor.new_empty_strided": "(self, size, stride, *, dtype=None, device=None, requires_grad=False) -> Tensor",
    "Tensor.new_full": """
        (self, size: Sequence[int], fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor
    """,
    "Tensor.size": """
        (self, dim: None=None) -> Size
        (self, dim: int) -> int
    """,
    "Tensor.stride": """
        (self, dim: None=None) -> tuple[int, ...]
        (self, dim: int) -> int
    """,
    "Tensor.to": """
        (self, dtype, non_blocking: bool=False, copy: bool=False, *, memory_format=...) -> Tensor
        (self, device: device | str | int | None=None, dtype: dtype | None=None, non_blocking: bool=False, copy:
            bool=False, *, memory_format=...) -> Tensor
        (self, other: Tensor, non_blocking: bool=False, copy: bool=False, *, memory_format=...) -> Tensor
    """,
    "Tensor.type": """
        (self, dtype: None=None, non_blocking: bool=False) -> str
        (self, dtype: dtype | str | type, non_blocking: bool=False) -> Tensor
    """,
    "Tensor.view": """
        (self, *size: int) -> Tensor
        (self, size: Sequence[int]) -> Tensor
        (self, dtype: dtype) -> Tensor
    """,
    "Tensor.where": "(self, condition, other) -> Tensor",
    "arange": """
        (end: Number, **tail) -> Tensor
        (start: Number, end: Number, step: Number=1, **tail) -> Tensor
    """,
    "atleast_*d": """
        (tensor: Tensor, /) -> Tensor
        (tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]
        (first: Tensor, second: Tensor, /, *more: Tensor) -> tuple[Tensor, ...]
    """,
    "compile": """
        (model: Callable[..., Any] | None=None, *, fullgraph: bool=False, dynamic: bool | None=None, backend:
            Any=None, mode: str | None=None, options: Any=None, name: str | None=None, disable: bool=False,
            recompile_limit: int | None=None, isolate_recompiles: bool=False, shapes_spec: Any=None) -> Any
    """,
    "batch_norm_update_stats": """
        (input, running_mean: Tensor | None, running_var: Tensor | None, momentum: float) -> tuple[Tensor, Tensor]
    """,
    "broadcast_shapes": "(*shapes: int | Sequence[int]) -> Size",
    "lucid.cosine_embedding_loss": "(input1, input2, target, margin=0.0, reduction=0) -> Tensor",
    "F.adaptive_max_pool*d": """
        (input, output_size, return_indices: Literal[False]=False) -> Tensor
        (input, output_size, return_indices: Literal[True]) -> tuple[Tensor, Tensor]
    """,
    "dsplit": """
        (input, indices_or_sections) -> tuple[Tensor, ...]
        (input, *indices: int) -> tuple[Tensor, ...]
    """,
    "einsum": """
        (equation, *operands: Tensor | Sequence[Tensor]) -> Tensor
        (*operands: Tensor | Sequence[Any]) -> Tensor
    """,
    "get_file_path": "(*path_components: str) -> str",
    "lucid.hinge_embedding_loss": "(input, target, margin=1.0, reduction=0) -> Tensor",
    "load": """
        (f: FileLike, map_location: Any=None, pickle_module: Any=None, *, weights_only: bool | None=None, mmap: bool |
            None=None, **pickle_load_args: Any) -> Any
    """,
    "lucid.empty_permuted": "(size: Sequence[int], physical_layout: Sequence[int], **tail) -> Tensor",
    "nuclear_norm": "(input, dim: Sequence[int] | bool=..., keepdim: bool=False, *, out=None) -> Tensor",
    "hash_tensor": "(input, dim=None, *, keepdim: bool=False, mode: int=0, out=None) -> Tensor",
    "Tensor.hash_tensor": "(self, dim=None, *, keepdim: bool=False, mode: int=0) -> Tensor",
    "lucid.histogram": """
        (input, bins: Tensor, *, weight: Tensor | None=None, density: bool=False, out: tuple[Tensor, Tensor] |
            None=None) -> tuple[Tensor, Tensor]
        (input, bins: int=100, *, range: Sequence[float] | None=None, weight: Tensor | None=None, density: bool=False,
            out: tuple[Tensor, Tensor] | None=None) -> tuple[Tensor, Tensor]
    """,
    "Tensor.histogram": """
        (self, bins: Tensor, *, weight: Tensor | None=None, density: bool=False) -> tuple[Tensor, Tensor]
        (self, bins: int=100, *, range: Sequence[float] | None=None, weight: Tensor | None=None, density: bool=False)
            -> tuple[Tensor, Tensor]
    """,
    "lucid.histogramdd": """
        (input, bins: int | Sequence[int] | Sequence[Tensor], range: Sequence[float] | None=None, weight: Tensor |
            None=None, density: bool=False) -> tuple[Tensor, tuple[Tensor, ...]]
    """,
    "lucid.lobpcg": """
        (A, k: int | None=None, B: Tensor | None=None, X: Tensor | None=None, n: int | None=None, iK: Tensor |
            None=None, niter: int | None=None, tol: float | None=None, largest: bool | None=None, method: str |
            None=None, tracker: None=None, ortho_iparams: dict[str, int] | None=None, ortho_fparams:
            dict[str, float] | None=None, ortho_bparams: dict[str, bool] | None=None) -> tuple[Tensor, Tensor]
    """,
    "lucid.pca_lowrank": """
        (A, q: int | None=None, center: bool=True, niter: int=2) -> tuple[Tensor, Tensor, Tensor]
    """,
    "lucid.svd_lowrank": """
        (A, q: int | None=6, niter: int | None=2, M: Tensor | None=None) -> tuple[Tensor, Tensor, Tensor]
    """,
    "lucid.segment_reduce": """
        (data: Tensor, reduce: str, *, lengths: Tensor | None=None, indices: Tensor | None=None, offsets: Tensor |
            None=None, axis: int=0, unsafe: bool=False, initial: Number | None=None) -> Tensor
    """,
    "linalg.ldl_solve": "(LD: Tensor, pivots, B, *, hermitian: bool=False, out=None) -> Tensor",
    "F.grouped_mm": """
        (mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None=None, bias: Tensor | None=None, out_dtype: dtype |
            None=None) -> Tensor
    """,
    "F.scaled_mm": """
        (mat_a: Tensor, mat_b: Tensor, scale_a: Tensor | list[Tensor], scale_recipe_a: int | Sequence[int],
            scale_b: Tensor | list[Tensor], scale_recipe_b: int | Sequence[int], swizzle_a: int | Sequence[int] |
            None=None, swizzle_b: int | Sequence[int] | None=None, bias: Tensor | None=None,
            output_dtype: dtype | None=..., contraction_dim: Sequence[int]=(), use_fast_accum: bool=False) -> Tensor
    """,
    "F.assert_int_or_pair": "(arg: int | Sequence[int], arg_name: str, message: str) -> None",
    "F.fractional_max_pool?d": """
        (input, kernel_size, output_size=None, output_ratio: float | Sequence[float] | None=None, return_indices:
            Literal[False]=False, _random_samples: Tensor | None=None) -> Tensor
        (input, kernel_size, output_size=None, output_ratio: float | Sequence[float] | None=None, *, return_indices:
            Literal[True], _random_samples: Tensor | None=None) -> tuple[Tensor, Tensor]
    """,
    "F.fractional_max_pool?d_with_indices": """
        (input, kernel_size, output_size=None, output_ratio: float | Sequence[float] | None=None, return_indices:
            bool=False, _random_samples: Tensor | None=None) -> tuple[Tensor, Tensor]
    """,
    "F.boolean_dispatch": """
        (arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any], if_false: Callable[..., Any],
        module_name: str, func_name: str) -> Callable[..., Any]""",
    "F.handle_torch_function": """
        (public_api: Callable[..., Any], relevant_args: Sequence[Any], *args: Any, **kwargs: Any) -> Any
    """,
    "F.has_torch_function": "(relevant_args: Sequence[Any]) -> bool",
    "F.has_torch_function_unary": "(obj: Any) -> bool",
    "F.has_torch_function_variadic": "(*args: Any) -> bool",
    "F.linear_cross_entropy": """
        (input, linear_weight: Tensor, target, *, linear_bias: Tensor | None=None, weight: Tensor | None=None,
            reduction="mean", ignore_index: int | None=None, label_smoothing=0.0, options:
            object=None) -> Tensor
    """,
    "gru": """
        (input, hx, params, has_biases, num_layers: int, dropout: float, train, bidirectional, batch_first) ->
            tuple[Tensor, Tensor]
    """,
    "lu": """
        (A, pivot=True, get_infos: Literal[False]=False, out=None) -> tuple[Tensor, Tensor]
        (A, pivot: bool, get_infos: Literal[True], out: tuple[Tensor, ...] | None=None) -> tuple[Tensor, Tensor,
            Tensor]
        (A, pivot=True, *, get_infos: Literal[True], out=None) -> tuple[Tensor, Tensor, Tensor]
    """,
    "layout.__init__": "(self, name: str) -> None",
    "lucid.margin_ranking_loss": "(input1, input2, target, margin=0.0, reduction=0) -> Tensor",
    "max": """
        (input, *, out=None) -> Tensor
        (input, dim: int, keepdim=False, *, out=None) -> return_types.max
        (input, *, axis: int, keepdim=False, keepdims=None, out=None) -> return_types.max
        (input, other: Tensor, *, out=None) -> Tensor
    """,
    "max_pool?d": """
        (input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices:
            Literal[False]=False) -> Tensor
        (input, kernel_size, stride: int | Sequence[int] | None=None, padding=0, dilation=1, ceil_mode=False, *,
            return_indices: Literal[True]) -> tuple[Tensor, Tensor]
    """,
    "median": """
        (input) -> Tensor
        (input, dim: int, keepdim=False, *, out=None) -> return_types.median
    """,
    "meshgrid": "(*tensors: Tensor | Sequence[Tensor], indexing=None) -> tuple[Tensor, ...]",
    "nanmedian": """
        (input) -> Tensor
        (input, dim: int, keepdim=False, *, out=None) -> return_types.nanmedian
    """,
    "new_object": "(cls: type) -> Any",
    "nonzero": """
        (input, *, out=None, as_tuple: Literal[False]=False) -> Tensor
        (input, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]
    """,
    "normal": """
        (mean: Tensor | float, std: Tensor | float=1.0, *, generator=None, out=None) -> Tensor
        (mean: float, std: float, size: Sequence[int], *, generator=None, **tail) -> Tensor
    """,
    "randint": """
        (high: int, size: Sequence[int], *, generator=None, **tail) -> Tensor
        (low: int, high: int, size: Sequence[int], *, generator=None, **tail) -> Tensor
    """,
    "randint_like": """
        (input, high: int, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=...) -> Tensor
        (input, low: int, high: int, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=...)
            -> Tensor
    """,
    "Tensor.repeat_interleave": "(self, repeats: Tensor | int, dim=..., *, output_size=...) -> Tensor",
    "repeat_interleave": """
        (input, repeats: Tensor | int, dim=None, *, output_size=None) -> Tensor
        (repeats: Tensor, *, output_size=None) -> Tensor
    """,
    "save": "(obj, f: FileLike, pickle_module: Any=..., pickle_protocol: int=2) -> None",
    "set_deterministic_debug_mode": "(debug_mode: int | str) -> None",
    "sym_sum": "(args: Sequence[Number]) -> Number",
    "set_default_device": "(device: device | str | int | None) -> None",
    "set_printoptions": """
        (precision: int | None=None, threshold: float | None=None, edgeitems: int | None=None, linewidth: int |
            None=None, profile=None, sci_mode: bool | None=None) -> None
    """,
    "sum_to_size": """
        (self, *size: int) -> Tensor
        (self, size: Sequence[int]) -> Tensor
    """,
    "lucid.triplet_margin_loss": """
        (anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=0) -> Tensor
    """,
    "unique": """
        (input, sorted=True, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim=None) ->
            Tensor
        (input, sorted=True, *, return_inverse: Literal[True], return_counts: Literal[False]=False, dim=None) ->
            tuple[Tensor, Tensor]
        (input, sorted=True, return_inverse: Literal[False]=False, *, return_counts: Literal[True], dim=None) ->
            tuple[Tensor, Tensor]
        (input, sorted=True, *, return_inverse: Literal[True], return_counts: Literal[True], dim=None) ->
            tuple[Tensor, Tensor, Tensor]
    """,
    "unique_consecutive": """
        (input, return_inverse: Literal[False]=False, return_counts: Literal[False]=False, dim=None) -> Tensor
        (input, return_inverse: Literal[True], return_counts: Literal[False]=False, dim=None) -> tuple[Tensor, Tensor]
        (input, return_inverse: Literal[False]=False, *, return_counts: Literal[True], dim=None) -> tuple[Tensor,
            Tensor]
        (input, return_inverse: Literal[True], return_counts: Literal[True], dim=None) -> tuple[Tensor, Tensor,
            Tensor]
    """,
    "where": """
        (condition, input, other, *, out=None) -> Tensor
        (condition) -> tuple[Tensor, ...]
    """,
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
