from lucid._probes.cpu.amp import *
