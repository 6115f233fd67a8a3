from lucid._probes.backends.quantized import *
