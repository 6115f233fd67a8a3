"""BlockMask: which blocks of the matrix of scores a mask leaves over, as lists of indices."""

import itertools
import math

from ..._backend.registry import NAMESPACES
from ..._base.dtype import DTYPES
from ..._tensor.tensor import Tensor

_torch = NAMESPACES["torch"]
_DEFAULT_SPARSE_BLOCK_SIZE, _LARGE_SPARSE_BLOCK_SIZE = 128, 1 << 30
_INT = DTYPES["int32"]


def noop_mask(batch, head, token_q, token_kv):
    """noop_mask(b, h, q_idx, kv_idx) -> True"""
    return batch.new_ones(size=(), dtype=DTYPES["bool"], device=batch.device)


def _sliced_mask_mod_error(batch, head, token_q, token_kv):
    raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")


def _dense_to_ordered(dense):
    """How many blocks of each row count, and the columns, those that count first."""
    dense = dense.to(_INT)
    return dense.sum(-1).to(_INT), _torch["argsort"](dense, dim=-1, descending=True, stable=True).to(_INT)


def _ordered_to_dense(num_blocks, indices, columns):
    """A matrix of 0 and 1 of the blocks that count."""
    valid = _torch["arange"](indices.shape[-1], dtype=_INT, device=indices.device) < num_blocks.unsqueeze(-1)
    places = _torch["where"](valid, indices, columns).to(DTYPES["int64"])
    dense = _torch["zeros"]((*indices.shape[:-1], columns + 1), dtype=_INT, device=indices.device)
    return dense.scatter(-1, places, 1)[..., :columns].contiguous()


def _transpose_ordered(num_blocks, indices):
    dense = _ordered_to_dense(num_blocks, indices, indices.shape[-1])
    return _dense_to_ordered(dense.transpose(-2, -1))


def _blocks_of(mask, sizes, separate_full_blocks):
    """The lists of blocks that a dense mask (B, H, Q, KV) touches, and of those it fills (None, None if not apart)."""
    rows, columns = (-(-n // size) for n, size in zip(mask.shape[-2:], sizes, strict=True))
    padded = _torch["zeros"]((*mask.shape[:2], rows * sizes[0], columns * sizes[1]), dtype=_INT, device=mask.device)
    padded[:, :, : mask.shape[2], : mask.shape[3]] = mask.to(_INT)
    count = padded.view(*mask.shape[:2], rows, sizes[0], columns, sizes[1]).sum((3, 5))
    if not separate_full_blocks:
        return (*_dense_to_ordered(count > 0), None, None)
    full = count == sizes[0] * sizes[1]
    return (*_dense_to_ordered((count > 0) & ~full), *_dense_to_ordered(full))


def _adjusted(num_blocks, indices, rows, columns):
    indices, num_blocks = indices[:, :, :rows, :columns], num_blocks[:, :, :rows]
    num_blocks = _torch["where"](num_blocks < columns, num_blocks, columns)
    return (indices < num_blocks[:, :, :, None]).sum(-1).to(_INT), indices


class BlockMask:
    """BlockMask: made by create_block_mask or BlockMask.from_kv_blocks."""

    _TENSOR_ATTRS = """kv_num_blocks kv_indices full_kv_num_blocks full_kv_indices q_num_blocks q_indices
        full_q_num_blocks full_q_indices dq_write_order dq_write_order_full dq_kv_order""".split()

    def __init__(
        self,
        seq_lengths,
        kv_num_blocks,
        kv_indices,
        full_kv_num_blocks,
        full_kv_indices,
        q_num_blocks,
        q_indices,
        full_q_num_blocks,
        full_q_indices,
        BLOCK_SIZE=(_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),
        mask_mod=noop_mask,
        *,
        dq_write_order=None,
        dq_write_order_full=None,
        dq_kv_order=None,
        dq_kv_order_spt=None,
    ):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        for name, pair in (("kv", (full_kv_num_blocks, full_kv_indices)), ("q", (full_q_num_blocks, full_q_indices))):
            if (pair[0] is None) != (pair[1] is None):
                raise AssertionError(f"full_{name}_num_blocks and full_{name}_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt
        self.BLOCK_SIZE, self.mask_mod = BLOCK_SIZE, mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks,
        kv_indices,
        full_kv_num_blocks=None,
        full_kv_indices=None,
        BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod=None,
        seq_lengths=None,
        compute_q_blocks=True,
        *,
        dq_write_order=None,
        dq_write_order_full=None,
        dq_kv_order=None,
    ):
        """BlockMask.from_kv_blocks(kv_num_blocks, kv_indices, ...) -> BlockMask: of lists of columns"""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        turned = full_turned = (None, None)
        if compute_q_blocks:
            turned = _transpose_ordered(kv_num_blocks, kv_indices)
            if full_kv_num_blocks is not None:
                full_turned = _transpose_ordered(full_kv_num_blocks, full_kv_indices)
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        return cls(
            seq_lengths,
            kv_num_blocks,
            kv_indices,
            full_kv_num_blocks,
            full_kv_indices,
            *turned,
            *full_turned,
            size,
            noop_mask if mask_mod is None else mask_mod,
            dq_write_order=dq_write_order,
            dq_write_order_full=dq_write_order_full,
            dq_kv_order=dq_kv_order if isinstance(dq_kv_order, Tensor) else None,
            dq_kv_order_spt=dq_kv_order if isinstance(dq_kv_order, bool) else None,
        )

    def as_tuple(self, flatten=True):
        """as_tuple(flatten=True) -> all attributes"""
        tensors = [getattr(self, name) for name in self._TENSOR_ATTRS]
        lengths, size = (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        return (*lengths, *tensors, self.dq_kv_order_spt, *size, self.mask_mod)

    @property
    def shape(self):
        """(B, H, Q_LEN, KV_LEN)"""
        return tuple(self.kv_indices.shape[:-2]) + tuple(self.seq_lengths)

    def numel(self):
        """numel() -> int, masked or not"""
        return math.prod(self.shape)

    def sparsity(self):
        """sparsity() -> float: percent of the matrix that is not computed"""
        count = self.kv_num_blocks.sum().item()
        if self.full_kv_num_blocks is not None:
            count += self.full_kv_num_blocks.sum().item()
        return 100 * (1 - count * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self):
        """to_dense() -> Tensor of 0 and 1, an element per block"""
        dense = _ordered_to_dense(self.kv_num_blocks, self.kv_indices, self.kv_indices.shape[-1])
        if self.full_kv_num_blocks is None:
            return dense
        columns = self.full_kv_indices.shape[-1]
        return dense | _ordered_to_dense(self.full_kv_num_blocks, self.full_kv_indices, columns)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        padded = (*index, slice(None), slice(None), slice(None))[:3]
        sizes = self.kv_num_blocks.shape[:3]

        def kept(i, n):
            if not isinstance(i, int):
                return i
            i = i + n if -n <= i < 0 else i
            return slice(i, i + 1)

        index = tuple(kept(i, n) for i, n in zip(padded, sizes, strict=True))
        names = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices")
        parts = [getattr(self, name) for name in names]
        made = BlockMask.from_kv_blocks(
            *(None if part is None else part[index] for part in parts),
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=_sliced_mask_mod_error,
            seq_lengths=self.seq_lengths,
            compute_q_blocks=self.q_indices is not None,
        )
        made.dq_kv_order_spt = self.dq_kv_order_spt
        return made

    def _adjust(self, new_q_len, new_kv_len):
        rows, columns = -(-new_q_len // self.BLOCK_SIZE[0]), -(-new_kv_len // self.BLOCK_SIZE[1])
        full = (None, None)
        if self.full_kv_num_blocks is not None:
            full = _adjusted(self.full_kv_num_blocks, self.full_kv_indices, rows, columns)
        return self.from_kv_blocks(
            *_adjusted(self.kv_num_blocks, self.kv_indices, rows, columns),
            *full,
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=self.mask_mod,
            seq_lengths=(new_q_len, new_kv_len),
            compute_q_blocks=self.q_indices is not None,
        )

    def to(self, device):
        """to(device) -> BlockMask"""
        moved = [None if t is None else t.to(device) for t in (getattr(self, n) for n in self._TENSOR_ATTRS)]
        made = BlockMask(self.seq_lengths, *moved[:8], self.BLOCK_SIZE, self.mask_mod)
        made.dq_write_order, made.dq_write_order_full, made.dq_kv_order = moved[8:]
        made.dq_kv_order_spt = self.dq_kv_order_spt
        return made

    def to_string(self, grid_size=(20, 20), limit=4):
        """to_string(grid_size=(20, 20), limit=4) -> a picture in characters"""
        dense = self.to_dense()
        *batch, rows, columns = dense.shape
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        steps = [max(1, (n + m - 1) // m) for n, m in zip((rows, columns), most, strict=True)]
        pictures = []
        for number, at in enumerate(itertools.product(*map(range, batch))):
            if number == limit:
                pictures += [
                    "...",
                    "To print out more, set BlockMask.to_string(limit=N)",
                    "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
                ]
                break
            picture, part = f"{at}\n", dense[at]
            for r in range(0, rows, steps[0]):
                for c in range(0, columns, steps[1]):
                    share = part[r : r + steps[0], c : c + steps[1]].float().mean().item()
                    picture += {1: "█", 0: " "}.get(share, "░") * 2
                picture += "\n"
            pictures.append(picture)
        return "\n".join(pictures)

    def __str__(self):
        head = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
        return f"{head}{self.to_string().strip()}\n)"

    def __repr__(self):
        def shape(name):
            tensor = getattr(self, name)
            return None if tensor is None else tensor.shape

        lines = [f"    {name}={shape(name)},\n" for name in self._TENSOR_ATTRS[:8]]
        return (
            f"BlockMask(\n{''.join(lines)}    BLOCK_SIZE={self.BLOCK_SIZE},\n    shape={self.shape},\n"
            f"    sparsity={self.sparsity():.2f}%,\n    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}\n)"
        )


BlockMask.__module__ = noop_mask.__module__ = __name__.replace("block_mask", "flex_attention")
