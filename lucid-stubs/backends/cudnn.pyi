from lucid._probes.backends.cudnn import *
