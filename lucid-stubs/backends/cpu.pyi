from lucid._probes.backends.cpu import *
