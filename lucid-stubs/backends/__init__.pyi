from lucid._probes.backends import *
