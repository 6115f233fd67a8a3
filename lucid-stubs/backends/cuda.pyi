from lucid._probes.backends.cuda import *
