from lucid._probes.numa import *
