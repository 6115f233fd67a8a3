from lucid._probes.cuda.amp.common import *
