"""torch._utils_internal: where torch's own tests find and put their files."""

import os

USE_GLOBAL_DEPS = USE_RTLD_GLOBAL_WITH_LIBTORCH = False


def get_file_path(*parts):
    """get_file_path(*parts) -> str: the path of these parts."""
    return os.path.join(*parts)


def get_writable_path(path):
    """get_writable_path(path) -> path where it may be written to, else a new folder."""
    if os.access(path, os.W_OK):
        return path
    import tempfile

    return tempfile.mkdtemp(suffix=os.path.basename(path))


def prepare_multiprocessing_environment(path):
    """prepare_multiprocessing_environment(path): there is nothing to prepare."""


def resolve_library_path(path):
    """resolve_library_path(path) -> str: without links."""
    return os.path.realpath(path)
