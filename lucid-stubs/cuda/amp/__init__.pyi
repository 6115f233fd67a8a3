from lucid._probes.cuda.amp import *
