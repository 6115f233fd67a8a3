from lucid._probes.ao.quantization.stubs import *
