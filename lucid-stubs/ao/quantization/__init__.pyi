from lucid._probes.ao.quantization import *
