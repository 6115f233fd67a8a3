from lucid._probes.mtia import *
