from lucid._probes._logging.scribe import *
