"""torch._tensor_str: how tensors print."""

from ._base.state import printing as PRINT_OPTS
from ._tensor.printing import _with_suffixes, contents, get_printoptions, printoptions, set_printoptions
from ._tensor.printing import tensor_text as _str

__all__ = ["PRINT_OPTS", "get_printoptions", "printoptions", "set_printoptions", "_str"]


def _str_intern(inp, *, tensor_contents=None):
    """_str_intern(tensor, tensor_contents=None) -> str: what repr gives."""
    return _str(inp, tensor_contents)


def _tensor_str(self, indent):
    """_tensor_str(tensor, indent) -> str: the elements, in brackets, without anything around them."""
    return contents(self._table.to_numpy(self._array), indent) if self.numel() else "[]"


def _add_suffixes(tensor_str, suffixes, indent, force_newline):
    """_add_suffixes(text, suffixes, indent, force_newline) -> text, suffixes and a closing bracket."""
    if force_newline and suffixes:
        tensor_str, suffixes = f"{tensor_str},\n{' ' * indent}{suffixes[0]}", suffixes[1:]
    return _with_suffixes(tensor_str, suffixes, indent)
