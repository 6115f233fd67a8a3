from lucid._probes.backends.mkldnn import *
