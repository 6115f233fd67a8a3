from lucid._probes.export import *
