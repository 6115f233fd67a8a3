from lucid._probes.quantization import *
