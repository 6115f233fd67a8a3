"""torch.utils.data.datapipes.utils.common"""

import fnmatch

__all__ = ["StreamWrapper", "match_masks"]


class StreamWrapper:
    """StreamWrapper(file): a file that closes when it is let go"""

    def __init__(self, file_obj, parent_stream=None, name=None):
        self.file_obj, self.name, self.closed = file_obj, name, False

    def __getattr__(self, name):
        return getattr(self.__dict__["file_obj"], name)

    def __iter__(self):
        yield from self.file_obj

    def __next__(self):
        return next(self.file_obj)

    def close(self, *args, **kwargs):
        """close()"""
        if not self.closed:
            self.closed = True
            self.file_obj.close(*args, **kwargs)

    autoclose = close

    def __del__(self):
        if not self.__dict__.get("closed", True):
            self.close()

    def __repr__(self):
        return f"StreamWrapper<{self.name or repr(self.file_obj)}>"


def match_masks(name, masks):
    """match_masks(name, masks) -> bool; no masks match all"""
    masks = [masks] if isinstance(masks, str) else masks
    return masks in ([], [""]) or any(fnmatch.fnmatch(name, mask) for mask in masks)


DILL_AVAILABLE = __import__("importlib.util").util.find_spec("dill") is not None
