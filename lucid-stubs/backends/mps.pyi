from lucid._probes.backends.mps import *
