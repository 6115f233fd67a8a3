from lucid._probes.cuda.sparse import *
