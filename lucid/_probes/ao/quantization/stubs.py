"""torch.ao.quantization.stubs: where a model would be quantized; until it is converted they pass values on."""

from ...nn import Module


class QuantStub(Module):
    """QuantStub(qconfig=None): passes its input on."""

    def __init__(self, qconfig=None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x):
        """forward(x) -> x"""
        return x


class DeQuantStub(QuantStub):
    """DeQuantStub(qconfig=None): passes its input on."""


class QuantWrapper(Module):
    """QuantWrapper(module): the module between a QuantStub and a DeQuantStub."""

    def __init__(self, module):
        super().__init__()
        self.add_module("quant", QuantStub())
        self.add_module("dequant", DeQuantStub())
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X):
        """forward(x) -> module(x)"""
        return self.dequant(self.module(self.quant(X)))
