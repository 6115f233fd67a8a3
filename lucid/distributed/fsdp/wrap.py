"""torch.distributed.fsdp.wrap: which submodules are wrapped."""

import contextlib
import copy

from ...nn import ModuleDict, ModuleList, MultiheadAttention

__all__ = [
    "always_wrap_policy",
    "lambda_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "size_based_auto_wrap_policy",
    "enable_wrap",
    "wrap",
    "CustomPolicy",
    "ModuleWrapPolicy",
]
_current: list = []


def always_wrap_policy(*args, **kwargs):
    """always_wrap_policy(...) -> True"""
    return True


class _Policy:
    """Which submodules are wrapped, and with what settings."""


class ModuleWrapPolicy(_Policy):
    """ModuleWrapPolicy(classes): modules of these classes"""

    def __init__(self, module_classes):
        self._module_classes = set(module_classes)
        self._module_classes_str = str(self._module_classes)

    def _run_policy(self, root_module, ignored_modules, root_kwargs):
        kinds = tuple(self._module_classes)
        wanted = [m for m in root_module.modules() if m not in ignored_modules and isinstance(m, kinds)]
        return {m: copy.copy(root_kwargs) for m in wanted}

    def __call__(self, module, recurse, *args, **kwargs):
        return recurse or isinstance(module, tuple(self._module_classes))

    def __repr__(self):
        return super().__repr__() + f"({self._module_classes_str})"


class CustomPolicy(_Policy):
    """CustomPolicy(f): f(module) is a bool, or settings"""

    def __init__(self, lambda_fn):
        self._lambda_fn = lambda_fn

    def _run_policy(self, root_module, ignored_modules, root_kwargs):
        found = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            answer = self._lambda_fn(module)
            if not isinstance(answer, (dict, bool)):
                raise ValueError(
                    "The lambda_fn passed to CustomPolicy should return "
                    f"False/True or a kwarg dict, but it returned {answer}"
                )
            if answer:
                found[module] = {**root_kwargs, **(answer if isinstance(answer, dict) else {})}
        return found


def lambda_auto_wrap_policy(module, recurse, nonwrapped_numel, lambda_fn):
    """lambda_auto_wrap_policy(module, recurse, nonwrapped_numel, f) -> f(module), or True to recurse"""
    return recurse or lambda_fn(module)


def transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls):
    """transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, classes) -> bool"""
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def _module_wrap_policy(module, recurse, nonwrapped_numel, module_classes):
    return recurse or isinstance(module, tuple(module_classes))


def _or_policy(module, recurse, nonwrapped_numel, policies):
    return any(p(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for p in policies)


def size_based_auto_wrap_policy(
    module,
    recurse,
    nonwrapped_numel,
    min_num_params=int(1e8),
    force_leaf_modules=None,
    exclude_wrap_modules=None,
):
    """size_based_auto_wrap_policy(module, recurse, nonwrapped_numel, min_num_params=1e8) -> bool"""
    policy = size_based_auto_wrap_policy
    leaves = policy.FORCE_LEAF_MODULES if force_leaf_modules is None else force_leaf_modules
    left_out = policy.EXCLUDE_WRAP_MODULES if exclude_wrap_modules is None else exclude_wrap_modules
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(leaves if recurse else left_out))


size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {ModuleList, ModuleDict}
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {MultiheadAttention}


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls, **wrapper_kwargs):
    """with enable_wrap(wrapper_cls=cls, **settings): `wrap` wraps in cls."""
    _current.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _current.pop()


def wrap(module, **wrap_overrides):
    """wrap(module) -> module, wrapped inside of enable_wrap"""
    if not _current:
        return module
    wrapper_cls, settings = _current[-1]
    return wrapper_cls(module, **{**settings, **wrap_overrides})
