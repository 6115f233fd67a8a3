from lucid._probes.backends.xnnpack import *
