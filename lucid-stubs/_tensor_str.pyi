from lucid._probes._tensor_str import *
