from lucid._probes.jit import *
