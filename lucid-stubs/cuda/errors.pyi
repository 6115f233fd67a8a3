from lucid._probes.cuda.errors import *
