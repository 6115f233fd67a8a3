from lucid._probes.__future__ import *
