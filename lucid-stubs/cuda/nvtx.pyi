from lucid._probes.cuda.nvtx import *
