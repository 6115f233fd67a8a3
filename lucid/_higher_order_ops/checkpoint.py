"""tag_activation_checkpoint: a part of a graph that keeps nothing for backward and runs again then."""

from .._backend.overrides import ask_overrides
from .._base.state import UNUSUAL, local
from .higher_order_operator import HigherOrderOperator


class TagActivationCheckpoint(HigherOrderOperator):
    """tag_activation_checkpoint(gmod, *args, **kwargs): gmod(*args), checkpointed with checkpoint's options.

    gmod.meta["_checkpoint_context_fn"] is the option context_fn.
    """

    checkpoint = None  # torch.utils.checkpoint's, which enters itself

    def __init__(self):
        super().__init__("tag_activation_checkpoint")

    def __call__(self, gmod, *args, **kwargs):
        if UNUSUAL and local.interpreters:
            handled, result = ask_overrides(self, args, (gmod, *args), kwargs)
            if handled:
                return result
        context_fn = gmod.meta.get("_checkpoint_context_fn")
        if context_fn is not None:
            kwargs["context_fn"] = context_fn
        return self.checkpoint(gmod.forward, *args, **kwargs)  # not through __call__, which tells of every exception


tag_activation_checkpoint = TagActivationCheckpoint()
