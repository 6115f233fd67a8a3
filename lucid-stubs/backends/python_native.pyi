from lucid._probes.backends.python_native import *
