"""torch.export.save and load."""

import os
import sys

from .._serial.archive import Replacing
from .._serial.damage import naming
from ._read import read
from ._write import written
from .exported_program import ExportedProgram


def save(ep, f, *, extra_files=None, opset_version=None, pickle_protocol=2):
    """save(ep, f, *, extra_files=None): the program in torch's .pt2 format, under the name f, or into a file object.

    A file appears whole or not at all. extra_files: {name: text} that is kept in it.
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    version = str(sys.modules[__name__.partition(".")[0]].__version__)
    if not isinstance(f, (str, os.PathLike)):
        written(ep, f, "archive", version, extra_files, opset_version)
        return
    path = os.fspath(f)
    name = os.path.splitext(os.path.basename(path))[0]
    with Replacing(path) as file:
        written(ep, file, name, version, extra_files, opset_version)


def load(f, *, extra_files=None, expected_opset_version=None):
    """load(f, *, extra_files=None) -> ExportedProgram: of a .pt2 file, torch's or lucid's, by name or file object.

    Nothing that the file says is run. extra_files: {name: anything}, whose values are replaced by what the file has.
    """
    with naming(f):
        if not isinstance(f, (str, os.PathLike)):
            return read(f, extra_files, expected_opset_version)
        with open(os.fspath(f), "rb") as file:
            return read(file, extra_files, expected_opset_version)
