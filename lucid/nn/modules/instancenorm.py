"""Instance normalization: InstanceNorm1d, 2d, 3d, and lazy forms."""

import warnings

from .. import functional as F
from .batchnorm import _checks_dims, _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    _unbatched = None  # how many dimensions an input without batch has

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self):
        return self._unbatched

    def _apply_instance_norm(self, input):
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            old = [k for k in (prefix + "running_mean", prefix + "running_var") if k in state_dict]
            if old:
                names, kind = " and ".join(f'"{k}"' for k in old), type(self).__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. If "
                    f"state_dict is a checkpoint saved before 0.4.0, this may be expected because {kind} does not "
                    "track running stats by default since 0.4.0. Please remove these keys from state_dict. If the "
                    f"running stats are actually needed, instead set track_running_stats=True in {kind} to enable "
                    f"them. See the documentation of {kind} for details."
                )
            for k in old:
                state_dict.pop(k)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input):
        self._check_input_dim(input)
        without = self._get_no_batch_dim()
        dim = input.dim() - without
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but "
                    f"got: {input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if input.dim() == without:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)


class InstanceNorm1d(_InstanceNorm):
    """InstanceNorm1d(num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False): (N, C, L) or (C,
    L).

    Like BatchNorm, with the statistics of each sample by itself (Ulyanov et al. 2016).
    """

    _unbatched, _check_input_dim = 2, _checks_dims(2, 3)


class InstanceNorm2d(_InstanceNorm):
    """InstanceNorm2d(num_features, ...): for (N, C, H, W) or (C, H, W); see InstanceNorm1d."""

    _unbatched, _check_input_dim = 3, _checks_dims(3, 4)


class InstanceNorm3d(_InstanceNorm):
    """InstanceNorm3d(num_features, ...): for (N, C, D, H, W) or (C, D, H, W); see InstanceNorm1d."""

    _unbatched, _check_input_dim = 4, _checks_dims(4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """LazyInstanceNorm1d(eps=1e-5, ...): an InstanceNorm1d that takes num_features from its first input."""

    cls_to_become, _unbatched, _check_input_dim = InstanceNorm1d, 2, InstanceNorm1d._check_input_dim


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """LazyInstanceNorm2d(eps=1e-5, ...): an InstanceNorm2d that takes num_features from its first input."""

    cls_to_become, _unbatched, _check_input_dim = InstanceNorm2d, 3, InstanceNorm2d._check_input_dim


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """LazyInstanceNorm3d(eps=1e-5, ...): an InstanceNorm3d that takes num_features from its first input."""

    cls_to_become, _unbatched, _check_input_dim = InstanceNorm3d, 4, InstanceNorm3d._check_input_dim
