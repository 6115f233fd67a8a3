from lucid._probes.backends.mkl import *
