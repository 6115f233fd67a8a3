"""Hooks on every module at once, and the identity nodes through which a module's backward hooks see its gradients."""

import collections
import functools
import warnings
import weakref

from ..._backend.graph import RemovableHandle
from ..._base.entering import found_in
from ..._base.state import grad_enabled
from ..._tensor.tensor import Tensor
from ._functions import BackwardHookFunction

# Hooks of all modules, by handle id. Module.__call__ looks at the first four.
_global_backward_pre_hooks = collections.OrderedDict()
_global_backward_hooks = collections.OrderedDict()
_global_forward_pre_hooks = collections.OrderedDict()
_global_forward_hooks = collections.OrderedDict()
_global_forward_hooks_always_called = collections.OrderedDict()
_global_forward_hooks_with_kwargs = collections.OrderedDict()
_global_buffer_registration_hooks = collections.OrderedDict()
_global_module_registration_hooks = collections.OrderedDict()
_global_parameter_registration_hooks = collections.OrderedDict()


class _BackwardStyle:
    """Are the global backward hooks full ones? None until there is one; the two styles do not mix."""

    full = None


def attach(hooks, hook, flags=(), prepend=False):
    """hooks[id] = hook under a new handle; flags: (dict, bool) pairs, each dict remembering the id where the bool is
    set."""
    handle = RemovableHandle(hooks, extra_dict=[d for d, _ in flags])
    hooks[handle.id] = hook
    for d, on in flags:
        if on:
            d[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_module_buffer_registration_hook(hook):
    """Call hook(module, name, buffer) before any module registers a buffer; a result replaces the buffer."""
    return attach(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """Call hook(module, name, submodule) before any module registers a submodule; a result replaces it."""
    return attach(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook):
    """Call hook(module, name, param) before any module registers a parameter; a result replaces it."""
    return attach(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook):
    """Call hook(module, args) before any module's forward; a result replaces args."""
    return attach(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call hook(module, args, output) after any module's forward; a result replaces output.

    with_kwargs: hook(module, args, kwargs, output). always_call: also when forward raises.
    """
    return attach(
        _global_forward_hooks,
        hook,
        [(_global_forward_hooks_always_called, always_call), (_global_forward_hooks_with_kwargs, with_kwargs)],
    )


def _attach_global_backward(hook, full):
    if _BackwardStyle.full is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
            "Please use only one of them."
        )
    _BackwardStyle.full = full
    return attach(_global_backward_hooks, hook)


def register_module_backward_hook(hook):
    """The older form of register_module_full_backward_hook, which sees only the last node of each module."""
    return _attach_global_backward(hook, False)


def register_module_full_backward_pre_hook(hook):
    """Call hook(module, grad_output) before any module's gradients are computed; a result replaces grad_output."""
    return attach(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook):
    """Call hook(module, grad_input, grad_output) when the gradients of any module's inputs are known."""
    return _attach_global_backward(hook, True)


@found_in("lucid.nn.modules.module")
class _WrappedHook:
    """A hook that is given its module first, holding the module weakly."""

    def __init__(self, hook, module=None):
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state):
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


# ---- backward hooks


def _through_identity(values, set_up):
    """(values with its tensors passed through one identity node, their positions); (values, None) where none is
    recorded.

    set_up(node) hangs the hooks onto that node.
    """
    places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    if not (grad_enabled() and any(values[i].requires_grad for i in places)):
        return values, None
    passed = BackwardHookFunction.apply(*[values[i] for i in places])
    set_up(next(t.grad_fn for t in passed if t.grad_fn is not None))
    new = list(values)
    for i, t in zip(places, passed):
        new[i] = t
    return (tuple(new) if type(values) is tuple else type(values)(*new)), places


def _spread(grads, places, count):
    """One entry per argument: gradients at the tensors' places, None elsewhere."""
    spread = [None] * count
    for i, g in zip(places, grads):
        spread[i] = g
    return tuple(spread)


def _replaced(hooks, what, call, values):
    """values after each hook had its chance to replace them."""
    for hook in hooks:
        got = call(hook, values)
        if got is None:
            continue
        if len(got) != len(values):
            raise RuntimeError(
                f"Backward {'pre ' if what == 'grad_output' else ''}hook returned an invalid number of "
                f"{what}, got {len(got)}, but expected {len(values)}"
            )
        values = got
    return values


class BackwardHook:
    """One call of a module with full backward hooks: an identity node before the inputs, one after the outputs.

    The node at the outputs tells grad_outputs (and runs the pre-hooks); the one at the inputs runs the hooks.
    """

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs = None
        self.n_inputs = self.n_outputs = -1
        self.input_tensors_index = self.output_tensors_index = None

    def setup_input_hook(self, args):
        """args, seen by the hooks."""
        new, self.input_tensors_index = _through_identity(args, lambda node: node.register_hook(self._inputs_known))
        self.n_inputs = len(args)
        return new

    def setup_output_hook(self, result):
        """result, seen by the hooks."""
        outputs = result if isinstance(result, tuple) else (result,)
        new, self.output_tensors_index = _through_identity(
            outputs, lambda node: node.register_hook(self._outputs_known)
        )
        self.n_outputs = len(outputs)
        return new if isinstance(result, tuple) else new[0]

    def _inputs_known(self, grad_inputs, _):
        if self.grad_outputs is None:  # the walk started inside the module
            return None
        places, outs = self.input_tensors_index, self.grad_outputs
        grads = _replaced(
            self.user_hooks,
            "grad_input",
            lambda hook, ins: hook(self.module, ins, outs),
            _spread(grad_inputs, places, self.n_inputs),
        )
        self.grad_outputs = None
        return tuple([grads[i] for i in places])

    def _outputs_known(self, _, grad_outputs):
        places = self.output_tensors_index
        outs = self.grad_outputs = _replaced(
            self.user_pre_hooks,
            "grad_output",
            lambda hook, g: hook(self.module, g),
            _spread(grad_outputs, places, self.n_outputs),
        )
        if self.input_tensors_index is None:
            self._without_inputs(outs)
        return tuple([outs[i] for i in places])

    def _without_inputs(self, outs):
        """No input wants a gradient: the hooks run here, with None for each."""
        warnings.warn(_FIRES_AT_OUTPUTS, stacklevel=6)
        for hook in self.user_hooks:
            got = hook(self.module, (None,) * self.n_inputs, outs)
            if got is not None and not (isinstance(got, tuple) and all(g is None for g in got)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return "
                    "None or None for all gradients."
                )
        self.grad_outputs = None


_FIRES_AT_OUTPUTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)
_OLD_STYLE = "Using {} is deprecated and will be removed in future versions. This hook will be missing some {}."
_FULL_INSTEAD = " Please use register_full_backward_hook to get the documented behavior."


def warn_of_old_hook(args, result, node):
    """What a hook of the older style will not see, as a FutureWarning (nothing when it sees everything)."""

    def as_tensors(x):
        x = (x,) if isinstance(x, Tensor) else x
        return x if isinstance(x, tuple) and all(isinstance(t, Tensor) for t in x) else None

    def warn(what, missing, tail=""):
        warnings.warn(_OLD_STYLE.format(what, missing) + tail, FutureWarning, stacklevel=4)

    results, inputs = as_tensors(result), as_tensors(args)
    if results is None:
        warn(
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors",
            "of the grad_output",
            _FULL_INSTEAD,
        )
        return
    if inputs is None:
        warn(
            "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors",
            "of the grad_input",
            _FULL_INSTEAD,
        )
        return
    made_by = {t.grad_fn for t in results if t.grad_fn is not None}
    if len(made_by) > 1:
        warn(
            "a non-full backward hook when outputs are generated by different autograd Nodes",
            "grad_output",
            _FULL_INSTEAD,
        )
    elif node not in made_by:
        warn("a non-full backward hook when outputs are nested in python data structure", "grad_output")
    elif {t.grad_fn for t in inputs if t.grad_fn is not None} != {n for n, _ in node.next_functions}:
        warn("a non-full backward hook when the forward contains multiple autograd Nodes", "grad_input", _FULL_INSTEAD)


class HookedCall:
    """One call of a module that has hooks."""

    def __init__(self, module, args, kwargs):
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result, self.called = None, set()

    def run(self):
        """The module's output, all hooks run."""
        m = self.module
        self._before()
        pre = [*_global_backward_pre_hooks.values(), *m._backward_pre_hooks.values()]
        full, old = m._get_backward_hooks()
        watch = None
        if full or pre:
            watch = BackwardHook(m, full, pre)
            self.args = watch.setup_input_hook(self.args)
        self.result = m.forward(*self.args, **self.kwargs)
        self._after()
        if watch is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(self.result)}",
                    stacklevel=4,
                )
            self.result = watch.setup_output_hook(self.result)
        if old:
            self._hang_old(old)
        return self.result

    def _before(self):
        m = self.module
        for id, hook in (*_global_forward_pre_hooks.items(), *m._forward_pre_hooks.items()):
            if id in m._forward_pre_hooks_with_kwargs:
                got = hook(m, self.args, self.kwargs)
                if got is None:
                    continue
                if not isinstance(got, tuple) or len(got) != 2:
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {got}."
                    )
                self.args, self.kwargs = got
            else:
                got = hook(m, self.args)
                if got is not None:
                    self.args = got if isinstance(got, tuple) else (got,)

    def _after(self):
        m = self.module
        for id, hook in (*_global_forward_hooks.items(), *m._forward_hooks.items()):
            if id in m._forward_hooks_always_called or id in _global_forward_hooks_always_called:
                self.called.add(id)
            self._call(hook, id in m._forward_hooks_with_kwargs or id in _global_forward_hooks_with_kwargs)

    def _call(self, hook, with_kwargs):
        args = (self.args, self.kwargs) if with_kwargs else (self.args,)
        hook_result = hook(self.module, *args, self.result)  # the name of it in torch's graphs
        if hook_result is not None:
            self.result = hook_result

    def rest(self):
        """After an error: the hooks that run always and have not run."""
        m = self.module
        for hooks, always, with_kwargs, what in (
            (_global_forward_hooks, _global_forward_hooks_always_called, (), "global module"),
            (m._forward_hooks, m._forward_hooks_always_called, m._forward_hooks_with_kwargs, "module"),
        ):
            for id, hook in hooks.items():
                if id not in always or id in self.called:
                    continue
                try:
                    self._call(hook, id in with_kwargs)
                except Exception as e:
                    warnings.warn(
                        f"{what} forward hook with ``always_call=True`` raised an exception that was "
                        f"silenced as another error was raised in forward: {e}",
                        stacklevel=3,
                    )

    def _hang_old(self, hooks):
        """Hooks of the older style go onto the node of the (first) output tensor."""
        first = self.result
        while not isinstance(first, Tensor):
            first = next(v for v in first.values() if isinstance(v, Tensor)) if isinstance(first, dict) else first[0]
        node = first.grad_fn
        if node is not None:
            for hook in hooks:
                node.register_hook(_WrappedHook(hook, self.module))
            warn_of_old_hook(self.args, self.result, node)
