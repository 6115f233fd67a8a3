from lucid._probes.ao.nn.quantized import *
