from lucid._probes.ao.pruning import *
