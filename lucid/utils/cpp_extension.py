"""torch.utils.cpp_extension: extensions compiled against torch's C++ library, which lucid does not have.

Names exist, so that programs which only fall back to extensions run; building or loading one raises.
"""

import os

from ..torch_version import TorchVersion
from .file_baton import FileBaton as FileBaton

__all__ = [
    "CUDA_HOME",
    "ROCM_HOME",
    "BuildExtension",
    "CppExtension",
    "CUDAExtension",
    "TorchVersion",
    "include_paths",
    "load",
    "load_inline",
]

CUDA_HOME = ROCM_HOME = HIP_HOME = CUDNN_HOME = SYCL_HOME = None
IS_HIP_EXTENSION = False


def _unsupported(name):
    raise NotImplementedError(
        f"torch.utils.cpp_extension.{name}: lucid is Python and cannot build or load extensions "
        "written against torch's C++ library"
    )


def load(name, sources, *args, **kwargs):
    """load(name, sources): NotImplementedError."""
    _unsupported("load")


def load_inline(name, cpp_sources, *args, **kwargs):
    """load_inline(name, cpp_sources): NotImplementedError."""
    _unsupported("load_inline")


def CppExtension(name, sources, *args, **kwargs):
    """CppExtension(name, sources): NotImplementedError."""
    _unsupported("CppExtension")


def CUDAExtension(name, sources, *args, **kwargs):
    """CUDAExtension(name, sources): NotImplementedError."""
    _unsupported("CUDAExtension")


class BuildExtension:
    """BuildExtension: NotImplementedError when made."""

    def __init__(self, *args, **kwargs):
        _unsupported("BuildExtension")

    @classmethod
    def with_options(cls, **options):
        """with_options(**options) -> the class"""
        return cls


def include_paths(device_type="cpu"):
    """include_paths() -> []"""
    return []


def library_paths(device_type="cpu"):
    """library_paths() -> []"""
    return []


def is_ninja_available():
    """is_ninja_available() -> False"""
    return False


def verify_ninja_availability():
    """verify_ninja_availability(): RuntimeError."""
    raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")


def check_compiler_abi_compatibility(compiler):
    """check_compiler_abi_compatibility(compiler) -> False"""
    return False


def _get_build_directory(name, verbose):
    return os.path.join(os.path.expanduser("~"), ".cache", "torch_extensions", name)
