"""torch.nn: modules, parameters, functions and initial values of neural networks."""

from . import attention, functional, init, modules, parallel, parameter, utils
from .modules import *
from .modules.module import factory_kwargs
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
