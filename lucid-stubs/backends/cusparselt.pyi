from lucid._probes.backends.cusparselt import *
