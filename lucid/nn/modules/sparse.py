"""Tables of vectors looked up by index: Embedding, EmbeddingBag."""

from .. import functional as F
from .. import init
from .._ops import no_recording
from ..parameter import Parameter, hold
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """What both keep; `_label` names padding_idx in the error."""

    _label = None

    def _set_up(self, num_embeddings, embedding_dim, padding_idx, weight, device, dtype, freeze=False):
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < max(num_embeddings, 1):
                raise AssertionError(f"{self._label} must be within num_embeddings")
            padding_idx += num_embeddings if padding_idx < 0 else 0
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        if weight is None:
            hold(self, device, dtype, weight=(num_embeddings, embedding_dim))
            self.reset_parameters()
        else:
            if list(weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self):
        """Draw the table anew from the standard normal; the padding row is 0."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with no_recording():
                self.weight[self.padding_idx].fill_(0)

    def _shown(self, *names, show=str):
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        unusual = [f"{n}={show(getattr(self, n))}" for n in names if n == "mode" or getattr(self, n) != usual[n]]
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *unusual])


def _two_dimensional(embeddings):
    if embeddings.dim() != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
    return embeddings.shape


class Embedding(_Table):
    """Embedding(num_embeddings, embedding_dim, padding_idx=None, ...): rows of `weight` by index, (*) -> (*,
    embedding_dim).

    padding_idx: a row that is 0 and not trained. max_norm: rows longer than this (in norm_type) are shortened in place
    when looked up.
    """

    _label = "Padding_idx"

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self._set_up(num_embeddings, embedding_dim, padding_idx, _weight, device, dtype, _freeze)
        if _freeze:
            self.weight.requires_grad_(False)

    def forward(self, input):
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self):
        shown = self._shown("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq")
        return shown + (", sparse=True" if self.sparse is not False else "")

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ):
        """from_pretrained(embeddings, freeze=True, ...) -> an Embedding around this 2-D tensor."""
        rows, cols = _two_dimensional(embeddings)
        return cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Table):
    """EmbeddingBag(num_embeddings, embedding_dim, ..., mode="mean"): sums, means or maxima of looked up rows.

    Input (B, N) gives (B, embedding_dim); input (N) with offsets (B) too, each bag running to the next offset.
    """

    _label = "padding_idx"

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self._set_up(num_embeddings, embedding_dim, padding_idx, _weight, device, dtype)
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self):
        return self._shown("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx", show=repr)

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        include_last_offset=False,
        padding_idx=None,
    ):
        """from_pretrained(embeddings, freeze=True, ...) -> an EmbeddingBag around this 2-D tensor."""
        rows, cols = _two_dimensional(embeddings)
        bag = cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad = not freeze
        return bag
