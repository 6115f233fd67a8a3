"""spectral_norm by a forward pre-hook, the older form; parametrizations.spectral_norm is the newer."""

from ..._tensor.tensor import contiguous_format
from .. import functional as F
from .._ops import no_recording, ops
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..parameter import Parameter, UninitializedParameter

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "spectral_norm",
    "remove_spectral_norm",
]


def output_dim(module):
    """The dimension of a layer's weight that counts its outputs."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def as_matrix(weight, dim):
    """weight as a matrix whose rows run along dim."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.size(0), -1)


class SpectralNorm:
    """The hook: before each call it sets weight = orig / sigma, sigma by a step of power iteration (Miyato et al.
    2018)."""

    _version = 1

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight):
        """weight as a matrix, one row per output."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module, do_power_iteration):
        """The normalized weight; the power iteration moves the buffers name_u and name_v."""
        weight, u, v = (getattr(module, self.name + part) for part in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_recording():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(ops.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(ops.mv(matrix, v), dim=0, eps=self.eps))
                # the next call writes into the buffers; the graph of this one keeps its own values
                u, v = (t.clone(memory_format=contiguous_format) for t in (u, v))
        return weight / ops.dot(u, ops.mv(matrix, v))

    def remove(self, module):
        """The normalized weight as the parameter."""
        with no_recording():
            weight = self.compute_weight(module, do_power_iteration=False)
        for part in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + part)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, weight_mat, u, target_sigma):
        t = weight_mat.t()
        v = ops.linalg_multi_dot([t.mm(weight_mat).pinverse(), t, u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / ops.dot(u, ops.mv(weight_mat, v)))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Move the parameter to name_orig, draw the vectors, hang the hooks."""
        if any(isinstance(hook, SpectralNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        fn = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to "
                "run the dummy forward before applying spectral normalization"
            )
        with no_recording():
            u, v = (
                F.normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=fn.eps)
                for n in fn.reshape_weight_to_matrix(weight).size()
            )
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(fn)
        module._register_state_dict_hook(SpectralNormStateDictHook(fn))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(fn))
        return fn


class SpectralNormLoadStateDictPreHook:
    """Computes name_v for state_dicts of the first version, which did not keep it."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        fn = self.fn
        version, key = local_metadata.get("spectral_norm", {}).get(fn.name + ".version"), prefix + fn.name
        if version is not None and version >= 1:
            return
        if (
            version is None
            and key not in state_dict
            and all(key + part in state_dict for part in ("_orig", "_u", "_v"))
        ):
            return
        missing = [key + part for part in ("_orig", "", "_u") if key + part not in state_dict]
        if missing:
            if strict:
                missing_keys.extend(missing)
            return
        with no_recording():
            orig = state_dict[key + "_orig"]
            sigma = (orig / state_dict.pop(key)).mean()
            state_dict[key + "_v"] = fn._solve_v_and_rescale(
                fn.reshape_weight_to_matrix(orig), state_dict[key + "_u"], sigma
            )


class SpectralNormStateDictHook:
    """Notes the version in the state_dict's metadata."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, module, state_dict, prefix, local_metadata):
        versions, key = local_metadata.setdefault("spectral_norm", {}), self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """spectral_norm(module, name="weight") -> module whose parameter is divided by its largest singular value in each
    call.

    dim: the dimension of the outputs (default 1 for transposed convolutions, else 0).
    """
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """remove_spectral_norm(module, name="weight") -> module with the normalized weight as its parameter."""

    def first(hooks, kind, named):
        return next((key for key, hook in hooks.items() if isinstance(hook, kind) and named(hook) == name), None)

    key = first(module._forward_pre_hooks, SpectralNorm, lambda hook: hook.name)
    if key is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    module._forward_pre_hooks.pop(key).remove(module)
    for hooks, kind in ((module._state_dict_hooks, SpectralNormStateDictHook),):
        hooks.pop(first(hooks, kind, lambda hook: hook.fn.name), None)
    for key, hook in list(module._load_state_dict_pre_hooks.items()):
        inner = getattr(hook, "hook", None)  # as Module wraps it
        if isinstance(inner, SpectralNormLoadStateDictPreHook) and inner.fn.name == name:
            del module._load_state_dict_pre_hooks[key]
            break
    return module
