"""torch._C.cpp: modules that are written in C++, which lucid does not have."""

from .._base.refused import refuse

globals().update(refuse("torch._C.cpp", "OrderedModuleDict OrderedTensorDict", "modules in C++"))
