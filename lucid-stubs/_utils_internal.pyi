from lucid._probes._utils_internal import *
