from lucid._probes.cuda.streams import *
