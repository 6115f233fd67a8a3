from lucid._probes.ao.nn import *
