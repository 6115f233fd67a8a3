from lucid._probes.cuda.random import *
