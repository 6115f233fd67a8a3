from lucid._probes.classes import *
