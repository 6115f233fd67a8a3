from lucid._probes.cpu.amp.autocast_mode import *
