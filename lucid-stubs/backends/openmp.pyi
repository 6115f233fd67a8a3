from lucid._probes.backends.openmp import *
