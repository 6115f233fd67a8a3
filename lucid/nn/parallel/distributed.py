"""DistributedDataParallel over one process: the module itself, and a communication hook where one is registered."""

import contextlib
import inspect

from ..._backend.registry import NAMESPACES
from ..._c10d.groups import HOME
from ..._c10d.joins import Join, Joinable, JoinHook
from ..._c10d.membership import default_group, get_world_size
from ..._tensor.tensor import Tensor
from ...futures import Future
from ..modules.module import Module
from ..parameter import UninitializedParameter

__all__ = ["DistributedDataParallel"]


class GradBucket:
    """What a communication hook gets: the gradients of all parameters in one flat tensor, `buffer()`."""

    def __init__(self, parameters):
        self._parameters = parameters
        self._buffer = NAMESPACES["torch"]["cat"]([p.grad.detach().reshape(-1) for p in parameters])

    def buffer(self):
        """buffer() -> Tensor"""
        return self._buffer

    def set_buffer(self, tensor):
        """set_buffer(tensor)"""
        self._buffer = tensor

    def index(self):
        """index() -> 0"""
        return 0

    def is_last(self):
        """is_last() -> True"""
        return True

    def parameters(self):
        """parameters() -> list"""
        return list(self._parameters)

    def gradients(self):
        """gradients() -> list of views of the buffer, shaped as the parameters"""
        return [view for _, view in self._views(self._buffer)]

    def _views(self, flat):
        at = 0
        for p in self._parameters:
            yield p, flat[at : at + p.numel()].view(p.shape)
            at += p.numel()


GradBucket.__module__ = HOME


class _DDPJoinHook(JoinHook):
    def __init__(self, ddp):
        self.ddp = ddp


class DistributedDataParallel(Module, Joinable):
    """DistributedDataParallel(module): the module under the name `module`, of which this process has the only copy, so
    gradients are its own. It wants a process group (init_process_group)."""

    def __init__(
        self,
        module,
        device_ids=None,
        output_device=None,
        dim=0,
        broadcast_buffers=None,
        init_sync=True,
        process_group=None,
        bucket_cap_mb=None,
        find_unused_parameters=False,
        check_reduction=False,
        gradient_as_bucket_view=False,
        static_graph=False,
        delay_all_reduce_named_params=None,
        param_to_hook_all_reduce=None,
        mixed_precision=None,
        device_mesh=None,
        skip_all_reduce_unused_params=False,
        bucket_cap_mb_list=None,
        batched_grad_copy=False,
        forward_sync_buffers=None,
    ):
        super().__init__()
        Joinable.__init__(self)
        if process_group and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        self.process_group = process_group or (device_mesh.get_group() if device_mesh is not None else default_group())
        self.device_mesh, self.device_ids, self.output_device = device_mesh, None, None
        trained = _check(self, module, device_ids, output_device)
        self.is_multi_device_module = len({p.device for p in trained}) > 1
        self.device = next(iter(trained)).device
        self.device_type = self.device.type
        self.static_graph, self.dim, self.module = static_graph, dim, module
        self._delayed, self.mixed_precision = delay_all_reduce_named_params, mixed_precision
        if mixed_precision is not None:
            raise NotImplementedError("DistributedDataParallel: lucid has no mixed_precision=; use torch.autocast")
        self.broadcast_buffers = True if broadcast_buffers is None else broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._comm_hook, self._awaited, self._arrived = None, set(), []
        self.logger = None

    def forward(self, *inputs, **kwargs):
        output = self.module(*inputs, **kwargs)
        if self._comm_hook is not None and self.require_backward_grad_sync:
            self._arrived = []
            self._awaited = _reached(output) if self.find_unused_parameters else {id(p) for p in self._trained()}
        return output

    def _trained(self):
        named = self.module.named_parameters()
        return [p for name, p in named if p.requires_grad and name not in self.parameters_to_ignore]

    @contextlib.contextmanager
    def no_sync(self):
        """with ddp.no_sync(): gradients add up without communication."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state, hook):
        """register_comm_hook(state, hook): hook(state, bucket) -> Future of what the bucket's gradients become."""
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        asked = inspect.signature(hook)
        if asked.parameters["bucket"].annotation not in (inspect.Parameter.empty, GradBucket, "dist.GradBucket"):
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        if asked.return_annotation not in (inspect.Signature.empty, Future, Future[Tensor]) and not isinstance(
            asked.return_annotation, str
        ):
            raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
        if self._comm_hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._comm_hook = state, hook
        for p in self._trained():
            p.register_post_accumulate_grad_hook(self._gradient_came)

    def _register_builtin_comm_hook(self, comm_hook_type):
        """A hook of torch's own; of one process, all give the gradients as they are."""

    def _gradient_came(self, parameter):
        if not self.require_backward_grad_sync or id(parameter) not in self._awaited:
            return
        self._awaited.discard(id(parameter))
        self._arrived.append(parameter)
        if self._awaited:
            return
        came = {id(p) for p in self._arrived}
        bucket = GradBucket([p for p in self._trained() if id(p) in came])
        state, hook = self._comm_hook
        result = hook(state, bucket).wait()
        flat = result[0] if isinstance(result, (list, tuple)) else result
        for p, gradient in bucket._views(flat):
            p.grad.data.copy_(gradient)

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """with ddp.join(): inputs may run out at different times in different processes."""
        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs):
        """join_hook() -> JoinHook"""
        return _DDPJoinHook(self)

    @property
    def join_device(self):
        """The device of the parameters"""
        return self.device

    @property
    def join_process_group(self):
        """The process group"""
        return self.process_group

    def will_sync_module_buffers(self):
        """will_sync_module_buffers() -> bool"""
        return (
            self.require_forward_param_sync and self.broadcast_buffers and next(self.module.buffers(), None) is not None
        )

    def _set_static_graph(self):
        self.static_graph = True

    def _get_ddp_logging_data(self):
        return {"world_size": get_world_size(self.process_group), "rank": 0, "module_name": type(self.module).__name__}

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module, params_and_buffers_to_ignore):
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k not in ("process_group", "_awaited", "_arrived")}

    def __setstate__(self, state):
        super().__setstate__(state)
        self.process_group = default_group()
        self._awaited, self._arrived = set(), []


def _check(ddp, module, device_ids, output_device):
    """torch's errors for modules and devices that it does not take; the parameters that want gradients."""
    ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
    parameters = [p for name, p in module.named_parameters() if name not in ignored]
    if any(isinstance(p, UninitializedParameter) for p in parameters):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy forward "
            "pass to correctly initialize the modules"
        )
    trained = [p for p in parameters if p.requires_grad]
    if not trained:
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
        )
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    devices = {p.device for p in trained}
    if (device_ids or output_device is not None) and "cpu" in {d.type for d in devices}:
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with single-device/"
            f"multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, output_device "
            f"{output_device}, and module parameters { {p.device for p in trained} }."
        )
    return trained


def _reached(output):
    """The ids of the leaves below the tensors in an output, which the walk will reach."""
    waiting, seen, found = [], set(), set()
    things = [output]
    for thing in things:
        if isinstance(thing, Tensor):
            waiting.append(thing.grad_fn)
        elif isinstance(thing, (list, tuple)):
            things.extend(thing)
        elif isinstance(thing, dict):
            things.extend(thing.values())
    for node in waiting:
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if hasattr(node, "variable"):
            found.add(id(node.variable))
        waiting.extend(below for below, _ in node.next_functions)
    return found
