from lucid._probes.profiler import *
