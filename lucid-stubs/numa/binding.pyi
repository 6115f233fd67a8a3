from lucid._probes.numa.binding import *
