from lucid._probes.backends.nnpack import *
