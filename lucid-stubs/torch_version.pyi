from lucid._probes.torch_version import *
