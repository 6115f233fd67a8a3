from lucid._probes._jit_internal import *
