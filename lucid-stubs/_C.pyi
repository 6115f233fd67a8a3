from lucid._probes._C import *
