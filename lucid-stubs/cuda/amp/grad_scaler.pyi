from lucid._probes.cuda.amp.grad_scaler import *
