"""torch.ao.quantization: quantized models, which lucid does not have; its names raise when used."""

from .stubs import DeQuantStub, QuantStub, QuantWrapper


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def unsupported(*args, **kwargs):
        raise NotImplementedError(f"torch.ao.quantization.{name}: lucid has no quantized kernels")

    return unsupported
