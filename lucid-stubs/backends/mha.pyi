from lucid._probes.backends.mha import *
