from lucid._probes.cuda.nccl import *
