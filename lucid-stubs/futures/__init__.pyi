from lucid._probes.futures import *
