"""torch._weights_only_unpickler: the unpickler that builds only what is allowed."""
from ._serial.restricted import Unpickler as Unpickler
from ._serial.restricted import load as load
