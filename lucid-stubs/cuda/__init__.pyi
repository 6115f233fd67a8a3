from lucid._probes.cuda import *
