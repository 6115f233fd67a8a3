from lucid._probes.nested import *
