from lucid._probes.mps import *
