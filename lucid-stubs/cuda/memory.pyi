from lucid._probes.cuda.memory import *
