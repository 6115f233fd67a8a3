"""Batch normalization: BatchNorm1d, 2d, 3d, SyncBatchNorm, and lazy forms."""

from ..._base import dtype as dtypes
from ..._func.creation.from_data import tensor
from ..._func.creation.gfunc import ones, zeros
from .. import functional as F
from .. import init
from ..parameter import UninitializedBuffer, hold, hold_lazy
from .lazy import LazyModuleMixin
from .module import Module

__all__ = [
    "BatchNorm1d",
    "LazyBatchNorm1d",
    "BatchNorm2d",
    "LazyBatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


class _NormBase(Module):
    """What batch and instance normalization keep: weight, bias and running statistics, one value per channel."""

    _version = 2  # 1 had no num_batches_tracked

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        shape = (num_features,)
        hold(self, device, dtype, weight=shape if affine else None, bias=shape if affine and bias else None)
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", tensor(0, dtype=dtypes.int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Forget the statistics: mean 0, variance 1, no batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Forget the statistics; weight 1, bias 0."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version, key = local_metadata.get("version", None), prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            state_dict[key] = own if own is not None and own.device.type != "meta" else tensor(0, dtype=dtypes.int64)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        training, track = self.training, self.track_running_stats
        factor = self.momentum if self.momentum is not None else 0.0
        own = self._buffers
        if training and track and (count := own["num_batches_tracked"]) is not None:
            count.add_(1)
            if self.momentum is None:  # the mean over all batches so far
                factor = 1.0 / float(count)
        mean, var = own["running_mean"], own["running_var"]
        from_batch = training or (mean is None and var is None)
        if training and not track:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, from_batch, factor, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A normalization that takes num_features from its first input."""

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            hold_lazy(self, device, dtype, "weight", *(["bias"] if bias else []))
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=dtypes.int64, device=device)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        waiting = [self.weight, self.bias] if self.affine else []
        for t in waiting + ([self.running_mean, self.running_var] if self.track_running_stats else []):
            if t is not None:
                t.materialize((self.num_features,))
        self.reset_parameters()


def _checks_dims(*dims):
    """A _check_input_dim that accepts inputs of so many dimensions."""
    allowed = " or ".join(f"{n}D" for n in dims)

    def _check_input_dim(self, input):
        if input.dim() not in dims:
            raise ValueError(f"expected {allowed} input (got {input.dim()}D input)")

    return _check_input_dim


class BatchNorm1d(_BatchNorm):
    """BatchNorm1d(num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True): for (N, C) or (N, C,
    L).

    Per channel (x - mean) / sqrt(var + eps) * weight + bias (Ioffe and Szegedy 2015): of the batch (biased variance) in
    training, else the running values. running = (1 - momentum) * running + momentum * batch, with the unbiased
    variance; momentum=None gives the mean over all batches.
    """

    _check_input_dim = _checks_dims(2, 3)


class BatchNorm2d(_BatchNorm):
    """BatchNorm2d(num_features, ...): for (N, C, H, W); see BatchNorm1d."""

    _check_input_dim = _checks_dims(4)


class BatchNorm3d(_BatchNorm):
    """BatchNorm3d(num_features, ...): for (N, C, D, H, W); see BatchNorm1d."""

    _check_input_dim = _checks_dims(5)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """LazyBatchNorm1d(eps=1e-5, ...): a BatchNorm1d that takes num_features from its first input."""

    cls_to_become, _check_input_dim = BatchNorm1d, BatchNorm1d._check_input_dim


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """LazyBatchNorm2d(eps=1e-5, ...): a BatchNorm2d that takes num_features from its first input."""

    cls_to_become, _check_input_dim = BatchNorm2d, BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """LazyBatchNorm3d(eps=1e-5, ...): a BatchNorm3d that takes num_features from its first input."""

    cls_to_become, _check_input_dim = BatchNorm3d, BatchNorm3d._check_input_dim


class SyncBatchNorm(_BatchNorm):
    """SyncBatchNorm(num_features, ..., process_group=None): in one process, which is what lucid has, a BatchNorm."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """convert_sync_batchnorm(module) -> module, its batch normalizations replaced by SyncBatchNorm of the same
        tensors."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                converted.weight, converted.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(converted, name, getattr(module, name))
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
