from lucid._probes.ao import *
