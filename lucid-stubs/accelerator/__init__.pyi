from lucid._probes.accelerator import *
