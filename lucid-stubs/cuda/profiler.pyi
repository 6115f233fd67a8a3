from lucid._probes.cuda.profiler import *
