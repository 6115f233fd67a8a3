"""DTensor over a mesh of one process: the tensor itself, which knows a mesh and placements.

Numbers, shapes and gradients are those of the plain tensor, whatever the placements. A result has the placements of the
first DTensor of its shape among the arguments, else Replicate(): torch works out more, but over one process they say
nothing about where numbers are.
"""

from ..._backend.registry import NAMESPACES
from ..._modes.torch_function import DisableTorchFunctionSubclass
from ..._tensor.tensor import Tensor
from ...nn.parameter import Parameter
from ..device_mesh import _mesh_resources
from .placement_types import Placement, Replicate

_torch = NAMESPACES["torch"]


def _mesh(device_mesh):
    return _mesh_resources.get_current_mesh() if device_mesh is None else device_mesh


def _placements(mesh, placements):
    if placements is None:
        return tuple(Replicate() for _ in range(mesh.ndim))
    placements = tuple(placements)
    if len(placements) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! "
            f"Found placements length: {len(placements)}, and device_mesh.ndim: {mesh.ndim}."
        )
    for p in placements:
        if not isinstance(p, Placement):
            raise RuntimeError(f"Unsupported placement {p!r}")
    return placements


def _tensors(things):
    for thing in things:
        if isinstance(thing, Tensor):
            yield thing
        elif isinstance(thing, (list, tuple)):
            yield from _tensors(thing)


class DTensor(Tensor):
    """DTensor: a tensor over a device mesh, made with DTensor.from_local or distribute_tensor."""

    _mesh_and_placements = None

    @property
    def device_mesh(self):
        """The mesh"""
        return self._mesh_and_placements[0]

    @property
    def placements(self):
        """The placements, a tuple"""
        return self._mesh_and_placements[1]

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = [*_tensors(args), *_tensors(kwargs.values())]
        placed = [t for t in given if isinstance(t, DTensor) and t._mesh_and_placements is not None]
        result = super().__torch_function__(func, types, args, kwargs)
        for made in _tensors([result]):
            if isinstance(made, DTensor) and made._mesh_and_placements is None and placed:
                mesh, where = placed[0]._mesh_and_placements
                same = next((t for t in placed if t.shape == made.shape), None)
                where = same.placements if same is not None else _placements(mesh, None)
                made._mesh_and_placements = mesh, where
        return result

    @staticmethod
    def from_local(
        local_tensor,
        device_mesh=None,
        placements=None,
        *,
        run_check=False,
        shape=None,
        stride=None,
        grad_placements=None,
    ):
        """DTensor.from_local(tensor, mesh, placements) -> DTensor; gradients reach the tensor."""
        mesh = _mesh(device_mesh)
        return _placed(local_tensor.view_as(local_tensor), mesh, _placements(mesh, placements))

    def to_local(self, *, grad_placements=None):
        """to_local() -> Tensor; gradients reach the DTensor."""
        with DisableTorchFunctionSubclass():
            plain = self.as_subclass(Tensor)
            return plain.view_as(plain)

    def full_tensor(self, *, grad_placements=None):
        """full_tensor() -> Tensor; gradients reach the DTensor."""
        return self.to_local()

    def redistribute(
        self, device_mesh=None, placements=None, *, async_op=False, forward_dtype=None, backward_dtype=None
    ):
        """redistribute(mesh=None, placements) -> DTensor of other placements"""
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        mesh = device_mesh or self.device_mesh
        return _placed(self.to_local(), mesh, _placements(mesh, placements))

    def __repr__(self, *, tensor_contents=None):
        with DisableTorchFunctionSubclass():
            local = self.as_subclass(Tensor)
        placements = tuple(self.placements) if self._mesh_and_placements else None
        mesh = self.device_mesh if self._mesh_and_placements else None
        return f"DTensor(local_tensor={local}, device_mesh={mesh}, placements={placements})"


def _placed(tensor, mesh, placements):
    with DisableTorchFunctionSubclass():
        made = tensor.as_subclass(DTensor)
    made._mesh_and_placements = mesh, placements
    return made


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    """distribute_tensor(tensor, mesh, placements=None) -> DTensor; a leaf where tensor is one."""
    mesh = _mesh(device_mesh)
    where = _placements(mesh, placements)
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    made = _placed(tensor.detach(), mesh, where)
    return made.requires_grad_(tensor.requires_grad)


def distribute_module(module, device_mesh=None, partition_fn=None, input_fn=None, output_fn=None):
    """distribute_module(module, mesh) -> module, its parameters and buffers DTensors"""
    mesh = _mesh(device_mesh)
    for name, part in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, part, mesh)
        for key, parameter in part._parameters.items():
            if parameter is not None and not isinstance(parameter, DTensor):
                part.register_parameter(key, as_parameter(distribute_tensor(parameter, mesh), parameter.requires_grad))
        for key, buffer in part._buffers.items():
            if buffer is not None and not isinstance(buffer, DTensor):
                part._buffers[key] = distribute_tensor(buffer, mesh)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda m, inputs: input_fn(m, inputs, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda m, inputs, outputs: output_fn(m, outputs, mesh))
    return module


def as_parameter(made, requires_grad=True):
    """A DTensor as a parameter of a module."""
    where = made._mesh_and_placements
    parameter = Parameter(made, requires_grad=requires_grad)
    parameter._mesh_and_placements = where
    return parameter


def _factory(name):
    def factory(*size, device_mesh=None, placements=None, **kwargs):
        mesh = _mesh(device_mesh)
        return distribute_tensor(_torch[name](*size, **kwargs), mesh, placements)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f"{name}(..., device_mesh=None, placements=None) -> DTensor: torch.{name} over a mesh."
    return factory


ones, empty, full, rand, randn, zeros = map(_factory, ("ones", "empty", "full", "rand", "randn", "zeros"))
DTensor.__module__ = __name__.rpartition(".")[0]
