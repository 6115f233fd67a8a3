from lucid._probes.xpu import *
