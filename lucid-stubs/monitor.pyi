from lucid._probes.monitor import *
