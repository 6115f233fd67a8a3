from lucid._probes.__config__ import *
