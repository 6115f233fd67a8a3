from lucid._probes.sparse import *
