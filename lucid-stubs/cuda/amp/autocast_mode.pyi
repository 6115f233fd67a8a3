from lucid._probes.cuda.amp.autocast_mode import *
