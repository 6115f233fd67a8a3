from lucid._probes._custom_ops import *
