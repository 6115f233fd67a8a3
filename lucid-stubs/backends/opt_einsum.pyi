from lucid._probes.backends.opt_einsum import *
