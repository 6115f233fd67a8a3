"""torch.distributed.device_mesh: processes as points of a grid; here a grid of one point."""

import math

from .._base.dtype import DTYPES
from .._c10d.membership import default_group, init_process_group, is_initialized
from .._c10d.stores import HashStore
from .._func.creation.from_data import tensor
from .._tensor.tensor import Tensor

__all__ = ["init_device_mesh", "DeviceMesh"]


class _Environment:
    """The meshes that `with mesh:` made current."""

    def __init__(self):
        self.mesh_stack = []

    def get_current_mesh(self):
        """The current mesh; RuntimeError without one."""
        if not self.mesh_stack:
            raise RuntimeError("No device mesh is currently active!")
        return self.mesh_stack[-1]


_mesh_resources = _Environment()


def _get_device_handle(device_type="cpu"):
    return None


class DeviceMesh:
    """DeviceMesh(device_type, mesh): ranks in a grid. RuntimeError for more ranks than the one there is."""

    def __init__(
        self,
        device_type,
        mesh=None,
        *,
        mesh_dim_names=None,
        backend_override=None,
        _init_backend=True,
        _rank=None,
        _layout=None,
        _rank_map=None,
        _root_mesh=None,
    ):
        if mesh is None:
            raise TypeError("Must provide either `mesh` or `_layout`.")
        grid = mesh.detach() if isinstance(mesh, Tensor) else tensor(mesh)
        self.mesh = grid.to(DTYPES["int32"])
        if self.mesh.numel() > 1:
            raise RuntimeError(
                f"Mesh should not be bigger than default world size 1, but found {self.mesh.numel()} ranks!"
            )
        if not is_initialized():
            init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
        self.device_type = device_type
        self.mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        self._root_mesh, self._flattened = _root_mesh, {}

    @property
    def ndim(self):
        """The number of dimensions"""
        return self.mesh.ndim

    @property
    def shape(self):
        """The sizes, a tuple"""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim=None):
        """size(mesh_dim=None) -> int"""
        return self.mesh.numel() if mesh_dim is None else self.mesh.size(mesh_dim)

    def __repr__(self):
        sizes = (
            ", ".join(f"{n}={s}" for n, s in zip(self.mesh_dim_names, self.shape, strict=True))
            if self.mesh_dim_names
            else str(self.shape)[1:-1]
        )
        stride = ", ".join(["()"] * self.ndim) + ("," if self.ndim == 1 else "")
        return f"DeviceMesh(({sizes}), '{self.device_type}', stride=({stride}))"

    def __eq__(self, other):
        if not isinstance(other, DeviceMesh):
            return False
        facts = [(m.device_type, m.shape, m.mesh_dim_names) for m in (self, other)]
        return facts[0] == facts[1]

    def __hash__(self):
        return hash((self.device_type, self.shape, self.mesh_dim_names))

    def __enter__(self):
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, *exc):
        _mesh_resources.mesh_stack.pop()

    def __getitem__(self, names):
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (names,) if isinstance(names, str) else tuple(names)
        root = self._root_mesh or self
        valid = [*self.mesh_dim_names, *root._flattened]
        if names == self.mesh_dim_names:
            return self
        if any(n not in valid for n in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {valid}.")
        return self._part(names)

    def _part(self, names):
        root = self._root_mesh or self
        grid = self.mesh.reshape((1,) * len(names))
        return DeviceMesh(self.device_type, grid, mesh_dim_names=names, _root_mesh=root)

    def _flatten(self, mesh_dim_name=None, backend_override=None):
        name = mesh_dim_name or "_".join(self.mesh_dim_names)
        flat = self._part((name,))
        (self._root_mesh or self)._flattened[name] = flat
        return flat

    def _get_root_mesh(self):
        return self._root_mesh or self

    def get_group(self, mesh_dim=None):
        """get_group(mesh_dim=None) -> ProcessGroup"""
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions",
                "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
                "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                "please use `get_all_groups()` instead.",
            )
        return default_group()

    def get_all_groups(self):
        """get_all_groups() -> list, a ProcessGroup for each dimension"""
        return [default_group() for _ in range(self.ndim)]

    @staticmethod
    def from_group(group, device_type, mesh=None, *, mesh_dim_names=None):
        """from_group(group, device_type) -> DeviceMesh of a group, or of a list of groups"""
        many = isinstance(group, (list, tuple))
        if many and not group:
            raise ValueError("Expects at least one ProcessGroup to be passed")
        grid = [0] if not many else tensor([0]).reshape((1,) * len(group))
        return DeviceMesh(device_type, grid if mesh is None else mesh, mesh_dim_names=mesh_dim_names)

    def get_rank(self):
        """get_rank() -> 0"""
        return 0

    def get_local_rank(self, mesh_dim=None):
        """get_local_rank(mesh_dim=None) -> 0"""
        return 0

    def get_coordinate(self):
        """get_coordinate() -> zeros, a tuple"""
        return (0,) * self.ndim


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """init_device_mesh("cpu", (1,), mesh_dim_names=None) -> DeviceMesh; a group is made where there is none."""
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}"
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    if device_type and not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. "
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'."
        )
    count = math.prod(mesh_shape)
    if count > 1:
        raise RuntimeError(f"Mesh should not be bigger than default world size 1, but found {count} ranks!")
    grid = tensor([0]).reshape(tuple(mesh_shape))
    return DeviceMesh(device_type, grid, mesh_dim_names=mesh_dim_names)
