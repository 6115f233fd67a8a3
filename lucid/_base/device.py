"""Where a tensor lives: `device("cpu")`, `device("mlx")`, `device("meta")` and torch's other names."""

import re

from .state import defaults

# torch's names, in the order of its messages
KINDS = (
    "cpu",
    "cuda",
    "ipu",
    "xpu",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "hip",
    "ve",
    "fpga",
    "maia",
    "xla",
    "lazy",
    "vulkan",
    "mps",
    "meta",
    "hpu",
    "mtia",
    "privateuseone",
    "mlx",
)
RENAMED: dict[str, str] = {}  # names of devices that were registered -> the device's name


class device:
    """device(type, index=None): a place for tensors; also a context manager that makes it the default for factories."""

    __slots__ = ("type", "index", "_outer", "__weakref__")
    type: str
    index: int | None

    def __new__(cls, type=None, index=None):
        if isinstance(type, device):
            return type
        self = object.__new__(cls)
        if isinstance(type, int):
            type, index = "cuda", type
        if type is None or isinstance(type, float):
            got = "" if type is None else type.__class__.__name__
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n"
                " * (torch.device device)\n * (str type, int index = -1)"
            )
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}")
        kind, colon, number = type.partition(":")
        kind = RENAMED.get(kind, kind)
        if kind not in KINDS and kind not in RENAMED:
            if not kind:
                raise RuntimeError("Device string must not be empty")
            if re.fullmatch("[a-zA-Z_]+(:[0-9]+)?", type) is None:
                raise RuntimeError(f"Invalid device string: '{type}'")
            raise RuntimeError(f"Expected one of {', '.join(KINDS[:-1])} device type at start of device string: {kind}")
        if colon:
            if not number.isdigit() or number != str(int(number)):
                raise RuntimeError(f"Invalid device string: '{type}'")
            if int(number) >= 1 << 31:
                raise RuntimeError(f"Could not parse device index '{number}' in device string '{type}'")
            if index is not None:
                raise RuntimeError(
                    "type (string) must not include an index because index was passed explicitly: " + type
                )
            index = int(number)
        if index is not None:
            if not isinstance(index, int):
                raise TypeError(f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}")
            if index < 0:
                raise RuntimeError("Device index must not be negative")
        self.type, self.index, self._outer = kind, index, []
        return self

    def __repr__(self):
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, ((self.type,) if self.index is None else (self.type, self.index))

    def __enter__(self):
        self._outer.append(defaults.device)
        defaults.device = self
        return self

    def __exit__(self, *exc):
        defaults.device = self._outer.pop()

    def __call__(self, func):
        import functools

        @functools.wraps(func)
        def inside(*args, **kwargs):
            with device(str(self)):
                return func(*args, **kwargs)

        return inside


cpu = device("cpu")
defaults.device = cpu


def set_default_device(place) -> None:
    """Make `place` (a device, a string, or None for the CPU) the device of new tensors."""
    defaults.device = cpu if place is None else device(place)


def get_default_device() -> device:
    """The device of new tensors."""
    return defaults.device
