"""Styles of parallelize_module."""

import fnmatch

from ....nn import Embedding, Linear
from ..api import DTensor, as_parameter, distribute_module, distribute_tensor
from ..placement_types import Replicate, Shard


class ParallelStyle:
    """How a module is spread; `_apply(module, mesh)` does it."""

    src_data_rank = 0

    def _apply(self, module, device_mesh):
        raise NotImplementedError(f"{type(self).__name__}: a ParallelStyle has _apply(module, device_mesh)")


def _to_mesh(value, mesh, layout):
    if isinstance(value, DTensor) or layout is None or not hasattr(value, "as_subclass"):
        return value
    return DTensor.from_local(value, mesh, [layout])


class _OfLayer(ParallelStyle):
    """Styles that spread a layer's parameters."""

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        self.input_layouts = (input_layouts or self.usual_input,)
        self.output_layouts = (output_layouts or self.usual_output,)
        self.use_local_output = use_local_output

    def _apply(self, module, device_mesh):
        table = next((t for kind, t in self.layers.items() if isinstance(module, kind)), None)
        if table is None:
            raise NotImplementedError(f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!")

        def spread(name, part, mesh):
            for key, parameter in part._parameters.items():
                if parameter is not None:
                    made = distribute_tensor(parameter, mesh, [table.get(key, Replicate())])
                    part.register_parameter(key, as_parameter(made, parameter.requires_grad))

        def enter(part, inputs, mesh):
            return (_to_mesh(inputs[0], mesh, self.input_layouts[0]), *inputs[1:])

        def leave(part, outputs, mesh):
            outputs = outputs.redistribute(placements=self.output_layouts)
            return outputs.to_local() if self.use_local_output else outputs

        return distribute_module(module, device_mesh, spread, enter, leave)


class ColwiseParallel(_OfLayer):
    """ColwiseParallel(): each process has some of the outputs."""

    usual_input, usual_output = Replicate(), Shard(-1)
    layers = {Linear: {"weight": Shard(0), "bias": Shard(0)}, Embedding: {"weight": Shard(1)}}


class RowwiseParallel(_OfLayer):
    """RowwiseParallel(): each process has some of the inputs."""

    usual_input, usual_output = Shard(-1), Replicate()
    layers = {Linear: {"weight": Shard(1)}, Embedding: {"weight": Shard(0)}}


class SequenceParallel(ParallelStyle):
    """SequenceParallel(sequence_dim=1): each process has a part of the sequence."""

    def __init__(self, *, sequence_dim=1, use_local_output=False):
        self.sequence_sharding, self.use_local_output = (Shard(sequence_dim),), use_local_output

    def _apply(self, module, device_mesh):
        def enter(part, inputs, mesh):
            return (_to_mesh(inputs[0], mesh, self.sequence_sharding[0]), *inputs[1:])

        def leave(part, outputs, mesh):
            return outputs.to_local() if self.use_local_output else outputs

        return distribute_module(module, device_mesh, None, enter, leave)


def _layouts(given):
    return given if isinstance(given, tuple) else (given,)


class _Prepare(ParallelStyle):
    """Styles that only change inputs or outputs; over one process a tensor is its own part and whole."""

    def _enter(self, module, device_mesh, layouts, named, local):
        def hook(part, args, kwargs):
            args = tuple(_to_mesh(a, device_mesh, w) for a, w in zip(args, layouts, strict=True)) if layouts else args
            kwargs = {k: _to_mesh(v, device_mesh, (named or {}).get(k)) for k, v in kwargs.items()}
            if local:
                args = tuple(a.to_local() if isinstance(a, DTensor) else a for a in args)
                kwargs = {k: v.to_local() if isinstance(v, DTensor) else v for k, v in kwargs.items()}
            return args, kwargs

        module.register_forward_pre_hook(hook, with_kwargs=True)

    def _leave(self, module, device_mesh, layouts, local):
        def hook(part, inputs, outputs):
            many = outputs if isinstance(outputs, tuple) else (outputs,)
            made = [_to_mesh(o, device_mesh, w) for o, w in zip(many, layouts, strict=True)]
            made = tuple(o.to_local() if local and isinstance(o, DTensor) else o for o in made)
            return made if isinstance(outputs, tuple) else made[0]

        module.register_forward_hook(hook)


class PrepareModuleInput(_Prepare):
    """PrepareModuleInput(input_layouts=..., desired_input_layouts=...)"""

    def __init__(
        self,
        *,
        input_layouts=None,
        desired_input_layouts=None,
        input_kwarg_layouts=None,
        desired_input_kwarg_layouts=None,
        use_local_output=False,
    ):
        self.input_layouts = None if input_layouts is None else _layouts(input_layouts)
        self.input_kwarg_layouts, self.use_local_output = input_kwarg_layouts, use_local_output

    def _apply(self, module, device_mesh):
        self._enter(module, device_mesh, self.input_layouts, self.input_kwarg_layouts, self.use_local_output)
        return module


class PrepareModuleOutput(_Prepare):
    """PrepareModuleOutput(output_layouts=..., desired_output_layouts=...)"""

    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output=True):
        self.output_layouts, self.use_local_output = _layouts(output_layouts), use_local_output

    def _apply(self, module, device_mesh):
        self._leave(module, device_mesh, self.output_layouts, self.use_local_output)
        return module


class PrepareModuleInputOutput(_Prepare):
    """PrepareModuleInputOutput(input_layouts=..., output_layouts=..., ...)"""

    def __init__(
        self,
        *,
        input_layouts=None,
        desired_input_layouts=None,
        input_kwarg_layouts=None,
        desired_input_kwarg_layouts=None,
        use_local_input=False,
        output_layouts,
        desired_output_layouts,
        use_local_output=True,
    ):
        self._into = PrepareModuleInput(
            input_layouts=input_layouts, input_kwarg_layouts=input_kwarg_layouts, use_local_output=use_local_input
        )
        self._out_of = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module, device_mesh):
        return self._out_of._apply(self._into._apply(module, device_mesh), device_mesh)


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    """parallelize_module(module, mesh, style or {path: style}) -> module"""
    from ..api import _mesh

    mesh = _mesh(device_mesh)
    if parallelize_plan is None:
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        if path == "":
            raise ValueError("Expect a non-empty path in parallelize_plan")
        for name, part in list(module.named_modules()):
            if name.count(".") == path.count(".") and name and fnmatch.fnmatch(name, path):
                style._apply(part, mesh)
    return module
