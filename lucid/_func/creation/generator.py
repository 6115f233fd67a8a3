"""Generator: the state that random numbers are drawn from, torch's to the bit (see _array/random/engine.py)."""

from ..._array.lookup import table
from ..._array.random.engine import DEFAULT_SEED, Engine
from ..._base.device import cpu
from ..._base.device import device as device_type
from ..._base.dtype import uint8
from ..._base.state import local
from ..._tensor.tensor import Tensor, wrap

_WITHOUT = {  # what torch's build for the CPU says
    "cuda": "Cannot get CUDA generator without ATen_cuda library. PyTorch splits its backend into two shared "
    "libraries: a CPU library and a CUDA library; this error has occurred because you are trying to use some CUDA "
    "functionality, but the CUDA library has not been loaded.",
    "xpu": "Cannot get XPU generator without ATen_xpu library.",
    "mtia": "Cannot execute getNewGenerator() without MTIA backend.",
    "hpu": "Backend doesn`t support getNewGenerator()",
}


class Generator:
    """Generator(device="cpu"): a stream of random numbers with its own seed and state.

    On mlx devices the numbers are drawn on the CPU and moved, so that a seed means the same numbers everywhere.
    """

    __slots__ = ("_engine", "device", "__dict__", "__weakref__")

    def __init__(self, device="cpu"):
        place = device_type(device)
        if place.type == "meta":
            raise RuntimeError("META device type not an accelerator.")
        if place.type in _WITHOUT:
            raise RuntimeError(_WITHOUT[place.type])
        if place != cpu:
            table(uint8, place)  # is there such a device?
        self.device, self._engine = place, Engine(DEFAULT_SEED)

    def manual_seed(self, seed):
        """manual_seed(seed) -> self, started from an int in [-2**63, 2**64)."""
        if not isinstance(seed, int):
            if not hasattr(type(seed), "__index__") or isinstance(seed, Tensor):
                raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._engine.manual_seed(seed)
        return self

    def seed(self):
        """seed() -> int: start from the system's entropy and tell which seed that was."""
        return self._engine.seed()

    def initial_seed(self):
        """initial_seed() -> int: the seed of the last start, as an unsigned 64-bit number."""
        return self._engine.initial_seed()

    def get_state(self):
        """get_state() -> uint8 Tensor of 5056 elements, in torch's own format."""
        return wrap(self._engine.get_state(), table(uint8, cpu))

    def set_state(self, new_state):
        """set_state(new_state) -> self, with a state that get_state gave, here or in torch."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state.dtype is not uint8 or new_state.device != cpu:
            raise TypeError("RNG state must be a torch.ByteTensor")
        self._engine.set_state(new_state._array)
        return self

    def clone_state(self):
        """clone_state() -> Generator: another one, in the same state."""
        other = Generator(self.device)
        other._engine = self._engine.clone_state()
        return other

    def get_offset(self):
        """Only CUDA's generators have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset):
        """Only CUDA's generators have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def graphsafe_get_state(self):
        """Only CUDA's generators take part in CUDA graphs."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state):
        """Only CUDA's generators take part in CUDA graphs."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def __reduce__(self):
        return type(self), (self.device,), (self.initial_seed(), None, self.get_state())

    def __setstate__(self, state):
        seed, offset, bytes_ = state
        self.manual_seed(seed)
        self.set_state(bytes_)

    def __deepcopy__(self, memo):
        return self.clone_state()

    def __repr__(self):
        return f"<torch._C.Generator object at {id(self):#x}>"


default_generator = Generator()
default_generator.seed()


def engine_of(generator, caller):
    """The engine to draw from; TypeError in the name of `caller` for what is no Generator."""
    if local.frames and any(frame.randomness == "error" for frame in local.frames):
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )
    if generator is None:
        return default_generator._engine
    if not isinstance(generator, Generator):
        raise TypeError(
            f"{caller}() received an invalid combination of arguments - got "
            f"(generator={type(generator).__name__}), but expected one of:\n * (torch.Generator generator)"
        )
    return generator._engine
