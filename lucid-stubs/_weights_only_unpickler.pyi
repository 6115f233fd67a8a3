from lucid._probes._weights_only_unpickler import *
