from lucid._probes.cpu import *
