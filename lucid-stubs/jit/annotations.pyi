from lucid._probes.jit.annotations import *
