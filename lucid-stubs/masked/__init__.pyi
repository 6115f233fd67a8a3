from lucid._probes.masked import *
