from lucid._probes._logging import *
