"""torch.nn: modules, parameters, functions and initial values of neural networks."""

from . import attention, functional, init, modules, parallel, parameter, quantized, utils
from .modules import *
from .modules.module import factory_kwargs as factory_kwargs
from .parallel import DataParallel as DataParallel
from .parameter import Buffer as Buffer
from .parameter import Parameter as Parameter
from .parameter import UninitializedBuffer as UninitializedBuffer
from .parameter import UninitializedParameter as UninitializedParameter


def __getattr__(name):
    if name in ("grad", "common_types"):  # loaded when asked for
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.nn' has no attribute {name!r}")
