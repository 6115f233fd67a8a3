from lucid._probes.cuda.jiterator import *
